/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_node.c - the device node: opened, mapped, its NOC windows aimed.
 *
 * O_APPEND tells the driver that this client asks for no power, so that a look
 * changes nothing on the card; O_NONBLOCK that it will not wait behind one who
 * holds the node alone (chip-facts 1.8.5, 1.9).
 */
#include "config.h"
#include "base/array.h"
#include "device/kmd/kmd_abi.h"
#include "device/kmd/kmd_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The part of BAR0 that has registers: 3 MiB (chip-facts 2.1). */
#define BAR0_FROM 0x1fd00000ULL
#define BAR0_TO   0x20000000ULL

/* The ARC tile of a Wormhole seen from the NOC, and the same words in BAR0. */
#define WORMHOLE_CSM	    0x810000000ULL
#define WORMHOLE_CSM_BAR0   0x1fe80000ULL
#define WORMHOLE_RESET	    0x880030000ULL
#define WORMHOLE_RESET_BAR0 0x1ff30000ULL

static const uint64_t window_sizes[DEVICE_CHIPS][3] = {
	[DEVICE_WORMHOLE] = { 1 << 20, 2 << 20, 16 << 20 },
	[DEVICE_BLACKHOLE] = { 2 << 20 },
};

/* 0 or -errno; interrupted ones are tried again. */
static int node_ioctl(int fd, enum kmd_ioctl request, void *arg)
{
	int r;

	do
		r = ioctl(fd, (unsigned long)request, arg);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

static void unmap_window(struct kmd_window *w)
{
	if (w->load)
		munmap((void *)(uintptr_t)w->load, w->size);
	if (w->store)
		munmap((void *)(uintptr_t)w->store, w->size);
	w->load = NULL;
	w->store = NULL;
}

void kmd_node_close(struct kmd_card *card)
{
	for (size_t i = 0; i < ARRAY_LEN(card->window); i++) {
		struct kmd_window *w = &card->window[i];
		struct kmd_free_tlb arg = { w->id };

		unmap_window(w);	/* a window still mapped is not taken back */
		if (w->size && card->fd >= 0)
			node_ioctl(card->fd, KMD_FREE_TLB, &arg);
		*w = (struct kmd_window){ 0 };
	}
	if (card->bar0_load)
		munmap((void *)(uintptr_t)card->bar0_load, card->bar0_len);
	if (card->bar0_store)
		munmap((void *)(uintptr_t)card->bar0_store, card->bar0_len);
	card->bar0_load = NULL;
	card->bar0_store = NULL;
	if (card->fd >= 0)
		close(card->fd);
	card->fd = -1;
	card->hung = false;
}

void kmd_release(struct device *d)
{
	kmd_node_close(kmd_card(d));
}

/* Numbers of nodes are handed out anew after a reset: is this one still this card's? */
static int check_identity(struct device *d, struct kmd_card *card)
{
	struct kmd_get_device_info info = {
		.output_size_bytes_in =
			sizeof(info) - offsetof(struct kmd_get_device_info, output_size_bytes)
	};
	int r = node_ioctl(card->fd, KMD_GET_DEVICE_INFO, &info);
	bool has_domain = info.output_size_bytes >= offsetof(struct kmd_get_device_info, reserved) -
		offsetof(struct kmd_get_device_info, output_size_bytes);
	unsigned domain, bus, dev, fn;

	if (r < 0)
		return r;
	if (sscanf(d->bdf, "%x:%x:%x.%x", &domain, &bus, &dev, &fn) != 4 ||
	    info.bus_dev_fn != (bus << 8 | dev << 3 | fn) ||
	    (has_domain && info.pci_domain != (domain & 0xffff)))
		return -ESTALE;
	return 0;
}

static int query_mappings(struct kmd_card *card)
{
	struct kmd_query_mappings q = { .output_mapping_count = KMD_MAPPINGS };
	int r = node_ioctl(card->fd, KMD_QUERY_MAPPINGS, &q);

	card->bar0_size = 0;
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(q.mappings); i++) {
		if (q.mappings[i].mapping_id != KMD_MAPPING_BAR0_UC)
			continue;
		card->bar0_offset = q.mappings[i].mapping_base;
		card->bar0_size = q.mappings[i].mapping_size;
	}
	return r;
}

/* Get a window of any size the chip has; -ENOMEM: all taken, -EINVAL or -ENOTTY: before 1.32. */
static int allocate(struct device *d, struct kmd_card *card, struct kmd_window *w)
{
	int r = -EOPNOTSUPP;

	for (size_t i = 0; i < ARRAY_LEN(window_sizes[0]); i++) {
		struct kmd_allocate_tlb arg = { .size = window_sizes[d->chip][i] };

		if (arg.size == 0)
			break;
		r = node_ioctl(card->fd, KMD_ALLOCATE_TLB, &arg);
		if (r == 0) {
			*w = (struct kmd_window){ .id = arg.id, .size = window_sizes[d->chip][i],
				.mmap_offset = arg.mmap_offset_uc };
			return 0;
		}
		if (r != -ENOMEM)
			break;
	}
	return r;
}

static int fail_open(struct device *d, const char *path, struct error *e)
{
	int cause = errno;
	struct stat st;

	if (cause == EAGAIN || cause == EBUSY)
		return fail(e, -EAGAIN,
			"/dev/tenstorrent/%d is held by a process that wants it alone:"
			" only sysfs is read until it lets go",
			d->node);
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		return fail(e, -ENOTTY,
			"%s is not a device node (a recorded tree?): only sysfs is read", path);
	return fail(e, -cause, "cannot open /dev/tenstorrent/%d: %s", d->node, strerror(cause));
}

static int fail_taking(struct device *d, const char *path, int r, struct error *e)
{
	if (r == -ENOTTY)
		return fail(e, r, "%s is not a device node (a recorded tree?): only sysfs is read",
			path);
	if (r == -ENODEV)
		return fail(e, r,
			"the driver has no access to the card now: off the bus, or in a reset");
	if (r == -ESTALE)
		return fail(e, -ENODEV,
			"/dev/tenstorrent/%d is another card's now: it is found again by"
			" the next look for cards",
			d->node);
	return fail(e, r, "/dev/tenstorrent/%d does not tell what it is: %s", d->node,
		strerror(-r));
}

/* A Blackhole's registers are reached through a window alone, so it is got at once. */
static int take_window(struct device *d, struct kmd_card *card, struct error *e)
{
	int r = allocate(d, card, &card->window[0]);

	if (r == -EINVAL || r == -ENOTTY)
		return fail(e, -EOPNOTSUPP,
			"driver %s cannot lend a window to the chip: only sysfs is read;"
			" tt-kmd 1.32 or newer can",
			d->bus->driver);
	if (r == -ENOMEM)
		return fail(e, r,
			"all windows to the chip are taken by other programs: only sysfs is read");
	return r < 0 ? fail(e, r, "cannot get a window to the chip: %s", strerror(-r)) : 0;
}

int kmd_acquire(struct device *d, struct error *e)
{
	struct kmd_card *card = kmd_card(d);
	char path[KMD_PATH];
	int r;

	if (card->fd >= 0)
		return 0;
	if (d->bus->passive)
		return fail(e, -EPERM, "passive: only sysfs is read");
	if (d->node < 0)
		return fail(e, -ENODEV, "%s", d->reason);
	if (window_sizes[d->chip][0] == 0 && d->chip != DEVICE_GRAYSKULL)
		return fail(e, -EOPNOTSUPP, "unknown chip %04x: only sysfs is read", d->device);
	kmd_path(d->bus->root, path, sizeof(path), "/dev/tenstorrent/%d", d->node);
	card->fd = open(path, O_RDWR | O_CLOEXEC | O_APPEND | O_NONBLOCK);
	if (card->fd < 0)
		return fail_open(d, path, e);
	kmd_guard_install();
	r = check_identity(d, card);
	if (r == 0)
		r = query_mappings(card);
	if (r < 0)
		r = fail_taking(d, path, r, e);
	else if (d->chip == DEVICE_BLACKHOLE)
		r = take_window(d, card, e);
	if (r < 0)
		kmd_node_close(card);
	return r;
}

static void *map(const struct kmd_card *card, uint64_t offset, size_t len, bool store, int *error)
{
	void *p = mmap(NULL, len, store ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, card->fd,
		(off_t)offset);

	if (p != MAP_FAILED)
		return p;
	*error = -errno;
	return NULL;
}

static volatile uint32_t *map_bar0(struct kmd_card *card, uint64_t addr, bool store, uint64_t *len,
	int *error)
{
	uint64_t end = card->bar0_size < BAR0_TO ? card->bar0_size : BAR0_TO;
	volatile uint32_t *at;

	if (addr < BAR0_FROM || addr >= end) {
		*error = -ENXIO;
		return NULL;
	}
	card->bar0_len = end - BAR0_FROM;
	if (store && !card->bar0_store)
		card->bar0_store =
			map(card, card->bar0_offset + BAR0_FROM, card->bar0_len, true, error);
	if (!store && !card->bar0_load)
		card->bar0_load =
			map(card, card->bar0_offset + BAR0_FROM, card->bar0_len, false, error);
	at = store ? card->bar0_store : (volatile uint32_t *)(uintptr_t)card->bar0_load;
	*len = end - addr;
	return at ? at + (addr - BAR0_FROM) / 4 : NULL;
}

static int aim(struct kmd_card *card, struct kmd_window *w, struct reg_addr at)
{
	struct kmd_configure_tlb arg = {
		.id = w->id,
		.config = { .addr = at.addr & ~(w->size - 1), .x_end = at.x, .y_end = at.y,
			.ordering = KMD_ORDERING_STRICT },
	};
	int r;

	w->aimed = false;
	r = node_ioctl(card->fd, KMD_CONFIGURE_TLB, &arg);
	if (r < 0)
		return r;
	w->aimed = true;
	w->x = at.x;
	w->y = at.y;
	w->base = arg.config.addr;
	return 0;
}

static bool is_aimed_at(const struct kmd_window *w, struct reg_addr at)
{
	return w->aimed && w->x == at.x && w->y == at.y && at.addr - w->base < w->size &&
		at.addr >= w->base;
}

/* The window that looks at `at`: one that does, a new one, or the one unused for longest. */
static struct kmd_window *window_at(struct device *d, struct kmd_card *card, struct reg_addr at,
	int *error)
{
	struct kmd_window *oldest = NULL, *unused = NULL, *w;

	for (size_t i = 0; i < ARRAY_LEN(card->window); i++) {
		w = &card->window[i];
		if (is_aimed_at(w, at))
			return w;
		if (w->size == 0)
			unused = w;
		else if (!oldest || !w->aimed || (oldest->aimed && w->used < oldest->used))
			oldest = w;
	}
	w = oldest;
	if (unused && (!oldest || oldest->aimed)) {
		*error = allocate(d, card, unused);
		if (*error == 0)
			w = unused;
		else if (*error != -ENOMEM || !oldest)
			return NULL;
	}
	*error = w ? aim(card, w, at) : -ENOMEM;
	return *error == 0 ? w : NULL;
}

static bool bar0_address(const struct device *d, struct reg_addr at, uint64_t *addr)
{
	if (d->chip != DEVICE_WORMHOLE || at.x != 0 || at.y != 10)
		return false;
	*addr = at.addr >= WORMHOLE_RESET ? at.addr - WORMHOLE_RESET + WORMHOLE_RESET_BAR0
					  : at.addr - WORMHOLE_CSM + WORMHOLE_CSM_BAR0;
	return true;
}

volatile uint32_t *kmd_map(struct device *d, struct kmd_card *card, struct reg_addr at, bool store,
	uint64_t *len, int *error)
{
	struct kmd_window *w;
	volatile uint32_t *p;
	uint64_t addr;

	if (at.space == REG_BAR0)
		return map_bar0(card, at.addr, store, len, error);
	w = window_at(d, card, at, error);
	/* No window to be had: the ARC of a Wormhole is in BAR0 as well. */
	if (!w && *error != -ENODEV && bar0_address(d, at, &addr))
		return map_bar0(card, addr, store, len, error);
	if (!w)
		return NULL;
	w->used = ++card->tick;
	if (store && !w->store)
		w->store = map(card, w->mmap_offset, w->size, true, error);
	if (!store && !w->load)
		w->load = map(card, w->mmap_offset, w->size, false, error);
	p = store ? w->store : (volatile uint32_t *)(uintptr_t)w->load;
	*len = w->base + w->size - at.addr;
	return p ? p + (at.addr - w->base) / 4 : NULL;
}
