/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_node.c - the device node: opening it, requests to the driver, and mappings of the chip:
 * registers in BAR0, and windows on its NOC that the driver assigns, each pointed at one tile or
 * several.
 *
 * With O_APPEND this client asks the driver for no power, so that reading
 * changes nothing on the card; with O_NONBLOCK it does not wait for a client
 * that holds the node exclusively (chip-facts 1.8.5, 1.9).  O_EXCL without
 * O_CREAT asks for that; drivers before 2.10 ignore it.
 */
#include "config.h"
#include "device/kmd/kmd.h"

#include "base/clock.h"
#include "base/mem.h"
#include "device/kind.h"
#include "device/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opening and requests. */

int kmd_ioctl(int fd, enum kmd_ioctl request, void *arg)
{
	int r;

	do
		r = ioctl(fd, (unsigned long)request, arg);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

/*
 * Newer drivers read and write single words on the NOC themselves: without a window, and without
 * SIGBUS when the card is reset.  Older ones refuse the number of the call, and are asked once; a
 * call that has worked is refused for a reason.
 */
int kmd_noc_word(struct kmd_card *card, struct reg_addr at, uint32_t *word, bool loads)
{
	struct kmd_noc_io arg = { .argsz = sizeof(arg), .x = at.x, .y = at.y, .width = 4,
		.addr = at.addr, .value = loads ? 0 : *word };
	_Atomic enum kmd_call *known = loads ? &card->shared->noc_read : &card->shared->noc_write;
	const int64_t began = clock_steady();
	int r;

	if (*known == KMD_LACKS)
		return -ENOTTY;
	r = kmd_ioctl(card->fd, loads ? KMD_NOC_READ : KMD_NOC_WRITE, &arg);
	if (*known == KMD_UNTRIED && (r == -EINVAL || r == -EOPNOTSUPP))
		r = -ENOTTY;
	if (r == 0 || r == -ENOTTY)
		*known = r == 0 ? KMD_WORKS : KMD_LACKS;
	if (r == 0 && loads)
		*word = (uint32_t)arg.value;
	return r == 0 && loads && *word == UINT32_MAX && clock_steady() - began > KMD_LATE ?
		-ETIMEDOUT : r;
}

/* After a reset the driver assigns node numbers anew: is this still this card's node? */
static int check_identity(struct device *d, struct kmd_card *card)
{
	struct kmd_get_device_info info = {
		.output_size_bytes_in =
			sizeof(info) - offsetof(struct kmd_get_device_info, output_size_bytes)
	};
	int r = kmd_ioctl(card->fd, KMD_GET_DEVICE_INFO, &info);
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

static void node_path(const struct device *d, char *path, size_t size)
{
	kmd_path(d->bus->root, path, size, "/dev/tenstorrent/%d", d->node);
}

static int node_fail(struct device *d, int r, struct error *e)
{
	char path[KMD_PATH];

	if (r == -ENOTTY) {
		node_path(d, path, sizeof(path));
		return fail_as(e, CODE_RECORDED, r, "%s is not a device node (a recorded tree?): "
			"only sysfs is read", path);
	}
	if (r == -ENODEV)
		return fail_as(e, CODE_HELD, r, DEVICE_SHUT);
	if (r == -ESTALE)
		return fail_as(e, CODE_MOVED_INDEX, -ENODEV, "/dev/tenstorrent/%d is another "
			"card's now: it is found again by the next scan", d->node);
	return fail(e, r, "/dev/tenstorrent/%d does not say what it is: %s", d->node,
		strerror(-r));
}

static int fail_open(struct device *d, const char *path, struct error *e)
{
	int cause = errno;
	struct stat st;

	if (cause == EAGAIN || cause == EBUSY)
		return fail_as(e, CODE_HELD, -EAGAIN, "/dev/tenstorrent/%d is held by a process "
			"that wants it alone: only sysfs is read until it lets go", d->node);
	/* The card left after the last scan; the next rescan will see it. */
	if (cause == ENOENT)
		return fail_as(e, CODE_NO_DRIVER, -cause, "/dev/tenstorrent/%d has gone: the "
			"driver has let go of the card", d->node);
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		return node_fail(d, -ENOTTY, e);
	return fail(e, -cause, "cannot open /dev/tenstorrent/%d: %s", d->node, strerror(cause));
}

/* Mappings. */

/* The 3 MiB of BAR0 that have registers (chip-facts 2.1). */
#define BAR0_FROM 0x1fd00000ULL
#define BAR0_TO   0x20000000ULL

static void unmap(volatile uint32_t *at[KMD_WAYS], size_t len)
{
	for (int way = 0; way < KMD_WAYS; way++) {
		if (at[way])
			munmap((void *)(uintptr_t)at[way], len);
		at[way] = NULL;
	}
}

void kmd_window_drop(struct kmd_card *card)
{
	for (size_t i = 0; i < ARRAY_LEN(card->window); i++) {
		struct kmd_window *w = &card->window[i];
		struct kmd_free_tlb arg = { w->id };

		unmap(w->at, w->size);	/* the driver does not take back a mapped window */
		if (w->size && card->fd >= 0)
			kmd_ioctl(card->fd, KMD_FREE_TLB, &arg);
		*w = (struct kmd_window){ 0 };
	}
	unmap(card->bar0, card->bar0_len);
	card->was_queried = false;
}

static int query_mappings(struct kmd_card *card)
{
	struct kmd_query_mappings q = { .output_mapping_count = KMD_MAPPINGS };
	int r = card->was_queried ? 0 : kmd_ioctl(card->fd, KMD_QUERY_MAPPINGS, &q);

	if (r < 0 || card->was_queried)
		return r;
	card->was_queried = true;
	card->bar0_size = 0;
	for (size_t i = 0; i < ARRAY_LEN(q.mappings); i++) {
		if (q.mappings[i].mapping_id != KMD_MAPPING_BAR0_UC)
			continue;
		card->bar0_offset = q.mappings[i].mapping_base;
		card->bar0_size = q.mappings[i].mapping_size;
	}
	return 0;
}

/* Get a window of any size; -ENOMEM: all are taken; -EINVAL, -ENOTTY: driver before 1.32. */
static int allocate(struct device *d, struct kmd_card *card, struct kmd_window *w)
{
	const struct device_kind *k = kind_of(d->chip);
	int r = -EOPNOTSUPP;

	for (size_t i = 0; i < ARRAY_LEN(k->windows); i++) {
		struct kmd_allocate_tlb arg = { .size = k->windows[i] };

		if (arg.size == 0)
			break;
		r = kmd_ioctl(card->fd, KMD_ALLOCATE_TLB, &arg);
		if (r == 0) {
			*w = (struct kmd_window){ .id = arg.id, .size = k->windows[i],
				.offset_uc = arg.mmap_offset_uc, .offset_wc = arg.mmap_offset_wc };
			return 0;
		}
		if (r != -ENOMEM)
			break;
	}
	return r;
}

/* The chip cannot be reached without a window, so get one at once. */
static int take_window(struct device *d, struct kmd_card *card, struct error *e)
{
	const char *left = access_serves(card->purpose, ACCESS_TELEMETRY) ?
		": only sysfs is read" : "";
	int r = allocate(d, card, &card->window[0]);

	if (r == -EINVAL || r == -ENOTTY)
		return fail_as(e, CODE_DRIVER_OLD, -EOPNOTSUPP, "driver %s cannot lend a window to "
			"the chip%s; tt-kmd 1.32 or newer can", d->bus->driver, left);
	if (r == -ENOMEM)
		return fail_as(e, CODE_HELD, r, "all windows to the chip are taken by other "
			"programs%s", left);
	return r < 0 ? fail(e, r, "cannot get a window to the chip: %s", strerror(-r)) : 0;
}

/* Find out whether the driver reads words itself: by the first register of the ARC's tile. */
static int try_call(struct device *d, struct kmd_card *card)
{
	const struct device_kind *k = kind_of(d->chip);
	struct reg_addr at = { REG_NOC, k->arc_x, k->arc_y, 0 };
	uint32_t word;
	int r;

	if (card->shared->noc_read != KMD_UNTRIED)
		return card->shared->noc_read == KMD_WORKS ? 0 : -ENOTTY;
	for (const struct kind_rule *rule = k->rules; rule->end && !at.addr; rule++)
		at.addr = rule->tile == TILE_ARC ? rule->start : 0;
	r = kmd_noc_word(card, at, &word, true);
	card->hung = r == -ETIMEDOUT;
	return card->hung ? 0 : r;
}

/* Ask the driver what can be mapped, and get the first window if reads will need one. */
static int begin_windows(struct device *d, struct kmd_card *card, struct error *e)
{
	const bool looks = access_serves(card->purpose, ACCESS_TELEMETRY);
	int r = query_mappings(card);

	if (r < 0)
		return node_fail(d, r, e);
	if (looks && kind_of(d->chip)->in_bar0)
		return 0;
	r = looks ? try_call(d, card) : -ENOTTY;
	if (r == -ENOTTY)
		return take_window(d, card, e);
	if (r == -ENODEV)
		return node_fail(d, r, e);
	return r < 0 ? fail(e, r, "the driver refuses to read a register: %s", strerror(-r)) : 0;
}

static volatile uint32_t *map(const struct kmd_card *card, uint64_t offset, size_t len,
	enum kmd_way way, int *error)
{
	int prot = way == KMD_LOAD || way == KMD_COPY ? PROT_READ : PROT_READ | PROT_WRITE;
	void *p;

	do
		p = mmap(NULL, len, prot, MAP_SHARED, card->fd, (off_t)offset);
	while (p == MAP_FAILED && errno == EINTR);
	if (p != MAP_FAILED)
		return p;
	/* The window exists, so these are about our own limits: -ENOMEM is a lack of windows. */
	if (errno == ENOMEM || errno == EAGAIN)
		*error = -ENOBUFS;
	else
		*error = errno == ENODEV ? -ENODEV : -ENOTCONN;	/* not -EIO: nothing was read */
	return NULL;
}

static volatile uint32_t *map_bar0(struct device *d, struct kmd_card *card, uint64_t addr,
	enum kmd_way way, uint64_t *len, int *error)
{
	const uint64_t for_reset = kind_of(d->chip)->reset_bar0;
	const uint64_t from = card->purpose == ACCESS_RESET && for_reset ? for_reset : BAR0_FROM;
	uint64_t end;

	*error = way == KMD_FILL || way == KMD_COPY ? -ENXIO : query_mappings(card);
	if (*error < 0)
		return NULL;
	end = card->bar0_size < BAR0_TO ? card->bar0_size : BAR0_TO;
	if (addr < from || addr >= end) {
		*error = -ENXIO;
		return NULL;
	}
	card->bar0_len = end - from;
	if (!card->bar0[way])
		card->bar0[way] =
			map(card, card->bar0_offset + from, card->bar0_len, way, error);
	*len = end - addr;
	return card->bar0[way] ? card->bar0[way] + (addr - from) / 4 : NULL;
}

/* A window begins at a multiple of its size, which is only known once the window is chosen. */
static int point(struct kmd_card *card, struct kmd_window *w, const struct kmd_aim *aim)
{
	struct kmd_configure_tlb arg = {
		.id = w->id,
		.config = { .addr = aim->base & ~(w->size - 1), .x_end = aim->to.x1,
			.y_end = aim->to.y1, .x_start = aim->multicast ? aim->to.x0 : 0,
			.y_start = aim->multicast ? aim->to.y0 : 0,
			.mcast = aim->multicast, .ordering = aim->ordering },
	};
	int r = kmd_ioctl(card->fd, KMD_CONFIGURE_TLB, &arg);

	w->aimed = r == 0;
	if (w->aimed) {
		w->aim = *aim;
		w->aim.base &= ~(w->size - 1);
	}
	return r;
}

static bool is_aimed(const struct kmd_window *w, const struct kmd_aim *aim)
{
	return w->aimed && w->aim.multicast == aim->multicast &&
		w->aim.ordering == aim->ordering && aim->base >= w->aim.base &&
		aim->base - w->aim.base < w->size &&
		memcmp(&w->aim.to, &aim->to, sizeof(aim->to)) == 0;
}

/* A window on `aim`: one already pointed there, a new one, or the least recently used. */
static struct kmd_window *window_on(struct device *d, struct kmd_card *card,
	const struct kmd_aim *aim, int *error)
{
	struct kmd_window *oldest = NULL, *unused = NULL, *w;

	for (size_t i = 0; i < ARRAY_LEN(card->window); i++) {
		w = &card->window[i];
		if (is_aimed(w, aim))
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
	*error = w ? point(card, w, aim) : -ENOMEM;
	return *error == 0 ? w : NULL;
}

volatile uint32_t *kmd_window_map(struct device *d, struct kmd_card *card, struct reg_addr at,
	const struct reg_rect *rect, enum kmd_way way, uint64_t *len, int *error)
{
	/* Strict: one multicast has arrived at all tiles before the next. */
	const struct kmd_aim aim = { .base = at.addr, .multicast = rect,
		.to = rect ? *rect : (struct reg_rect){ at.x, at.y, at.x, at.y },
		.ordering = way == KMD_FILL && !rect ? KMD_ORDERING_RELAXED : KMD_ORDERING_STRICT };
	struct kmd_window *w;

	if (at.space == REG_BAR0)
		return map_bar0(d, card, at.addr, way, len, error);
	w = window_on(d, card, &aim, error);
	if (!w)
		return NULL;
	w->used = ++card->tick;
	if (!w->at[way])
		w->at[way] = map(card, way == KMD_FILL || way == KMD_COPY ? w->offset_wc
			: w->offset_uc, w->size, way, error);
	*len = w->aim.base + w->size - at.addr;
	return w->at[way] ? w->at[way] + (at.addr - w->aim.base) / 4 : NULL;
}

/* The handle. */

void kmd_node_close(struct kmd_card *card)
{
	pid_t self = getpid();

	kmd_window_drop(card);
	if (card->fd >= 0)
		close(card->fd);
	card->fd = -1;
	/* Its duplicate would keep the node exclusive. */
	if (card->how == DEVICE_EXCLUSIVE)
		lock_leave(&card->claim);
	card->hung = false;
	atomic_compare_exchange_strong(&card->shared->active, &self, 0);
}

int kmd_node_open(struct device *d, struct kmd_card *card, enum access_purpose purpose,
	enum device_handle how, struct error *e)
{
	char path[KMD_PATH];
	int r;

	node_path(d, path, sizeof(path));
	do
		card->fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK |
			(how == DEVICE_ACTIVE ? 0 : O_APPEND) |
			(how == DEVICE_EXCLUSIVE ? O_EXCL : 0));
	while (card->fd < 0 && errno == EINTR);
	if (card->fd < 0)
		return fail_open(d, path, e);
	card->purpose = purpose;
	card->how = how;
	if (how == DEVICE_ACTIVE)
		atomic_store(&card->shared->active, getpid());
	r = check_identity(d, card);
	if (r < 0)
		r = node_fail(d, r, e);
	/* While a reset is under way the driver maps nothing. */
	else if (purpose != ACCESS_RESET)
		r = begin_windows(d, card, e);
	if (r < 0)
		kmd_node_close(card);
	return r;
}
