/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_io.c - a card's attributes, loads and stores on its registers, resets and power.
 *
 * When a program resets the card, the driver removes the mapping and a load raises SIGBUS, which is
 * handled as "the card has gone".  A dead chip answers all ones, and late.  Healthy memory full of
 * ones looks the same if this process lost the processor meanwhile, so one more register is read to
 * distinguish the two.  A dead chip is not accessed until it is acquired anew (chip-facts 1.9).
 */
#include "config.h"
#include "device/kmd/kmd.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "device/device.h"
#include "device/kind.h"
#include "device/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * Sysfs and hwmon attributes.
 *
 * Sampling may run a thousand times a second, so folders and files stay open
 * and are read again with pread().  When the card leaves, all of them answer
 * ENODEV for ever; they are then closed and searched for again.
 */

/* kmd_card.dir[] is a descriptor, or the -errno of an open: not tried again in this sample. */
enum { NOT_TRIED = -EAGAIN };

#define SPARE_FDS 64	/* left for the rest of the program */
#define MOST_FDS  16384

static void kmd_attr_close(struct kmd_card *card)
{
	for (int i = 0; i < KMD_DIRS; i++) {
		if (card->dir[i] >= 0)
			close(card->dir[i]);
		card->dir[i] = NOT_TRIED;
	}
	for (int i = 0; i < ATTR_COUNT; i++) {
		if (card->attr[i] >= 0)
			close(card->attr[i]);
		card->attr[i] = -1;
	}
}

/* Retry failed folders: drivers may publish attributes minutes after binding (chip-facts 1.3). */
int kmd_begin_sample(struct device *d)
{
	struct kmd_card *card = kmd_card(d);

	for (int i = 0; i < KMD_DIRS; i++)
		if (card->dir[i] < 0)
			card->dir[i] = NOT_TRIED;
	return 0;
}

/* The lowest K of the hwmonK below a card; an old driver registered some cards twice. */
static int find_hwmon(const char *path)
{
	struct dirent *entry;
	int k, best = -1;
	DIR *dir = opendir(path);

	while (dir && (entry = readdir(dir)))
		if (strncmp(entry->d_name, "hwmon", 5) == 0 &&
			kmd_is_number(entry->d_name + 5, &k) && (best < 0 || k < best))
			best = k;
	if (dir)
		closedir(dir);
	return best;
}

/* After a reset the driver assigns numbers anew. */
static bool is_its_class_device(struct device *d)
{
	char path[KMD_PATH], bdf[32];

	snprintf(path, sizeof(path), "/sys/class/tenstorrent/tenstorrent!%d", d->node);
	return kmd_link_name(d->bus->root, path, "device", bdf, sizeof(bdf)) == 0 &&
		strcmp(bdf, d->bdf) == 0;
}

static int dir_path(struct device *d, enum attr_dir which, char *path, size_t size)
{
	const char *root = d->bus->root;
	int r, k;

	switch (which) {
	case ATTR_CLASS:
	case ATTR_PERF:
		if (d->node < 0)
			return -ENOENT;
		if (!is_its_class_device(d))
			return -ENODEV;
		return kmd_path(root, path, size, "/sys/class/tenstorrent/tenstorrent!%d/%s",
			d->node, which == ATTR_PERF ? "pcie_perf_counters/." : ".");
	case ATTR_HWMON:
		r = kmd_path(root, path, size, "/sys/bus/pci/devices/%s/hwmon/.", d->bdf);
		if (r < 0)
			return r;
		k = find_hwmon(path);
		return k < 0 ? -ENOENT
			     : kmd_path(root, path, size, "/sys/bus/pci/devices/%s/hwmon/hwmon%d/.",
				       d->bdf, k);
	case ATTR_PCI:
		break;
	}
	return kmd_path(root, path, size, "/sys/bus/pci/devices/%s/.", d->bdf);
}

static int open_dir(struct kmd_card *card, struct device *d, enum attr_dir which)
{
	char path[KMD_PATH];
	int r;

	if (card->dir[which] != NOT_TRIED)
		return card->dir[which];
	r = dir_path(d, which, path, sizeof(path));
	if (r == 0) {
		r = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		r = r < 0 ? -errno : r;
	}
	card->dir[which] = r;
	return r;
}

/* 32 cards have more attributes than the usual soft limit allows open files, so raise it. */
static bool may_keep(int fd)
{
	static rlim_t most;
	struct rlimit limit;

	if (most == 0) {
		most = 1024;
		if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
			most = limit.rlim_max < MOST_FDS ? limit.rlim_max : MOST_FDS;
			if (limit.rlim_cur < most) {
				limit.rlim_cur = most;
				setrlimit(RLIMIT_NOFILE, &limit);
			}
		}
	}
	return (rlim_t)fd + SPARE_FDS < most;
}

/* In a recorded tree it may be a link. */
static int open_attr(struct device *d, int dir, enum attr a)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	int fd = openat(dir, attrs[a].name, flags | O_NOFOLLOW), r;
	char path[KMD_PATH];
	size_t len;

	if (fd >= 0 || errno != ELOOP)
		return fd < 0 ? -errno : fd;
	r = dir_path(d, attrs[a].dir, path, sizeof(path));
	if (r < 0)
		return r;
	len = strlen(path);
	snprintf(path + len, sizeof(path) - len, "/%s", attrs[a].name);
	r = path_resolve_below(path, sizeof(path), strlen(d->bus->root));
	fd = r < 0 ? r : open(path, flags);
	return fd == -1 ? -errno : fd;
}

static ssize_t read_once(struct kmd_card *card, struct device *d, enum attr a, void *buf,
	size_t size)
{
	int fd = card->attr[a], *dir = &card->dir[attrs[a].dir];
	bool kept = fd >= 0;
	ssize_t n;

	if (!kept) {
		int r = open_dir(card, d, attrs[a].dir);

		fd = r < 0 ? r : open_attr(d, r, a);
		if (r >= 0 && !may_keep(r)) {
			close(r);
			*dir = NOT_TRIED;
		}
		if (fd < 0)
			return fd;
	}
	do
		n = pread(fd, buf, size, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	if (!kept && n >= 0 && may_keep(fd))
		card->attr[a] = fd;
	else if (!kept)
		close(fd);
	return n;
}

static ssize_t read_again(struct device *d, enum attr a, void *buf, size_t size)
{
	struct kmd_card *card = kmd_card(d);
	ssize_t n = read_once(card, d, a, buf, size);

	/* ENOENT may mean that the folder's card has left, for every card has a config file. */
	if ((n == -ENODEV && card->attr[a] >= 0) || (n == -ENOENT && a == ATTR_CONFIG_ID)) {
		kmd_attr_close(card);
		n = read_once(card, d, a, buf, size);
	}
	return n;
}

ssize_t kmd_attr(struct device *d, enum attr a, char *buf, size_t size)
{
	unsigned char id[4];
	ssize_t n;

	if (a <= ATTR_NONE || a >= ATTR_COUNT || size == 0)
		return -EINVAL;
	if (a == ATTR_CONFIG_ID) {
		n = read_again(d, a, id, sizeof(id));
		if (n < 0)
			return n;
		return n < 4 ? -EIO
			     : snprintf(buf, size, "%02x%02x%02x%02x", id[3], id[2], id[1], id[0]);
	}
	n = read_again(d, a, buf, size);
	if (n < 0)
		return n;
	if ((size_t)n == size)
		return -EFBIG;
	buf[n] = '\0';
	return n;
}

/* Loads and stores. */

#define COPY_WORDS 32

static sigjmp_buf way_out;
static volatile sig_atomic_t in_access;
static struct sigaction before;

static void on_bus_error(int signal, siginfo_t *info, void *context)
{
	(void)info, (void)context;
	if (in_access)
		siglongjmp(way_out, 1);
	sigaction(signal, &before, NULL);	/* not ours: it faults again, for the old handler */
}

/* Other code may have set its own handler meanwhile, so set ours on each acquire. */
static void install_guard(void)
{
	struct sigaction act = { .sa_sigaction = on_bus_error,
		.sa_flags = SA_SIGINFO | SA_NODEFER };
	struct sigaction old;

	if (sigaction(SIGBUS, &act, &old) == 0 && old.sa_sigaction != on_bus_error)
		before = old;
}

/*
 * The C library's memcpy() copies COPY_WORDS with the widest loads that the processor has, but may
 * copy longer pieces byte by byte.  Inlined by the compiler for a known size, it would load eight
 * bytes at a time: eight times as many reads over PCIe.
 */
static void *(*const volatile copy_wide)(void *, const void *, size_t) = memcpy;

/*
 * Load *n words, as KMD_LOAD word by word or as KMD_COPY in wide pieces; -ETIMEDOUT after the first
 * one that is late and all ones, with the number of words loaded in *n.
 */
static int load(const volatile uint32_t *from, enum kmd_way way, uint32_t *words, size_t *n)
{
	const size_t most = way == KMD_COPY ? COPY_WORDS : 1;

	if (sigsetjmp(way_out, 0) != 0) {
		in_access = 0;
		return -ENODEV;
	}
	in_access = 1;
	for (size_t i = 0; i < *n; i += most) {
		int64_t began = clock_steady();
		size_t piece = *n - i < most ? *n - i : most;

		if (way == KMD_COPY)
			copy_wide(words + i, (const void *)(uintptr_t)(from + i), 4 * piece);
		else
			words[i] = from[i];
		if (words[i] == UINT32_MAX && clock_steady() - began > KMD_LATE) {
			in_access = 0;
			*n = i + piece;
			return -ETIMEDOUT;
		}
	}
	in_access = 0;
	return 0;
}

/* Acts move much at a time, and have windows for it. */
static bool uses_calls(const struct kmd_card *card, struct reg_addr at)
{
	return at.space == REG_NOC && access_serves(card->purpose, ACCESS_TELEMETRY);
}

static int store(volatile uint32_t *to, const uint32_t *words, size_t n)
{
	if (sigsetjmp(way_out, 0) != 0) {
		in_access = 0;
		return -ENODEV;
	}
	in_access = 1;
	for (size_t i = 0; i < n; i++)
		to[i] = words[i];
	in_access = 0;
	return 0;
}

void kmd_release(struct device *d)
{
	kmd_node_close(kmd_card(d));
}

int kmd_acquire(struct device *d, enum access_purpose purpose, enum device_handle how,
	struct error *e)
{
	struct kmd_card *card = kmd_card(d);
	int r;

	if (card->fd >= 0)
		return access_serves(card->purpose, purpose) && card->how == how ? 0 :
			fail(e, -EBUSY, "/dev/tenstorrent/%d is open for something else", d->node);
	if (d->bus->passive)
		return fail_as(e, CODE_LEFT_ALONE, -EPERM, "passive: only sysfs is read");
	if (d->node < 0)
		return fail(e, -ENODEV, "%s", d->reason);
	if (kind_of(d->chip)->rules->end == 0)
		return fail(e, -EOPNOTSUPP, "unknown chip %04x: only sysfs is read", d->device);
	r = access_serves(purpose, ACCESS_TELEMETRY) ? linger_check(d, e) : 0;
	/* The lock's descriptor would keep us out ourselves. */
	if (how == DEVICE_EXCLUSIVE)
		lock_leave(&card->claim);
	if (r == 0)
		r = kmd_node_open(d, card, purpose, how, e);
	if (r == 0 && access_serves(purpose, ACCESS_TELEMETRY))
		linger_repair(d);
	if (r == 0)
		install_guard();
	return r;
}

/* Returns 0 if there is a handle and the chip is not known to hang. */
static int usable(const struct kmd_card *card)
{
	return card->fd < 0 ? -EBADF : card->hung ? -ETIMEDOUT : 0;
}

static int may_access(const struct device *d, const struct kmd_card *card, struct reg_addr at,
	size_t n, bool for_store)
{
	/* A closed handle has no purpose; assume the one that allows least. */
	enum access_purpose purpose = card->fd < 0 ? ACCESS_TELEMETRY : card->purpose;

	return access_allowed(d->chip, purpose, at, n, for_store) ? usable(card) : -EPERM;
}

/* Check that the chip answers, by a register that is all ones only if it hangs: 0 or -errno. */
static int ask_chip(struct device *d, struct kmd_card *card)
{
	const struct reg_addr hang = { .space = REG_BAR0, .addr = kind_of(d->chip)->hang };
	uint8_t vendor[2] = { 0 };
	const volatile uint32_t *from;
	uint32_t word = 0;
	uint64_t len = 0;
	size_t n = 1;
	int r = 0;

	if (device_config(d, 0, vendor, 2) == 2 && vendor[0] == 0xff && vendor[1] == 0xff)
		return -ENOLINK;
	if (!hang.addr)
		return 0;
	from = kmd_window_map(d, card, hang, NULL, KMD_LOAD, &len, &r);
	r = from ? load(from, KMD_LOAD, &word, &n) : r;
	return r == 0 && word == UINT32_MAX ? -ETIMEDOUT : r;
}

/*
 * Load or store words, on all tiles of rect if it is not NULL.  A mapping may end before the words
 * do; continue with the next one.
 */
static int move_words(struct device *d, struct kmd_card *card, struct reg_addr at,
	const struct reg_rect *rect, uint32_t *words, size_t n, enum kmd_way way)
{
	const bool loads = way == KMD_LOAD || way == KMD_COPY;
	int r = 0;

	while (r == 0 && n > 0) {
		volatile uint32_t *p;
		uint64_t len = 0;
		size_t piece = 1;

		r = uses_calls(card, at) ? kmd_noc_word(card, at, words, loads) : -ENOTTY;
		if (r == -ENOTTY) {
			r = 0;
			p = kmd_window_map(d, card, at, rect, way, &len, &r);
			if (!p)
				break;
			piece = len / 4 < n ? (size_t)(len / 4) : n;
			r = loads ? load(p, way, words, &piece) : store(p, words, piece);
		}
		if (r == -ETIMEDOUT && kind_of(d->chip)->hang)
			r = ask_chip(d, card);
		/* Drain the write-combining buffers before the window is pointed elsewhere. */
		if (way == KMD_FILL)
			atomic_thread_fence(memory_order_seq_cst);
		words += piece;
		n -= piece;
		at.addr += piece * 4;
	}
	return r;
}

/* The driver gives no access through a handle whose card has gone. */
static int close_if_gone(struct device *d, int r)
{
	if (device_is_gone(r))
		kmd_release(d);
	return r;
}

/* All ones may be real data, or the chip hangs or has left the bus (chip-facts 1.9). */
static int check_ones(struct device *d, struct kmd_card *card, const uint32_t *words, size_t n)
{
	if (access_serves(card->purpose, ACCESS_TELEMETRY) || card->purpose == ACCESS_RESET)
		return 0;	/* these callers check for themselves */
	for (size_t i = 0; i < n; i++)
		if (words[i] != UINT32_MAX)
			return 0;
	return ask_chip(d, card);
}

static int read_words(struct device *d, struct reg_addr at, uint32_t *words, size_t n,
	enum kmd_way way)
{
	struct kmd_card *card = kmd_card(d);
	int r = may_access(d, card, at, n, false);

	if (r < 0)
		return r;
	r = move_words(d, card, at, NULL, words, n, way);
	if (r == 0)
		r = check_ones(d, card, words, n);
	if (r == -ETIMEDOUT)
		card->hung = true;
	return close_if_gone(d, r);
}

int kmd_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	return read_words(d, at, words, n, KMD_LOAD);
}

int kmd_read_block(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	return read_words(d, at, words, n, KMD_COPY);
}

int kmd_write(struct device *d, struct reg_addr at, uint32_t word)
{
	struct kmd_card *card = kmd_card(d);
	int r = may_access(d, card, at, 1, true);

	return r < 0 ? r : close_if_gone(d, move_words(d, card, at, NULL, &word, 1, KMD_STORE));
}

int kmd_write_block(struct device *d, struct reg_addr at, const uint32_t *words, size_t n)
{
	struct kmd_card *card = kmd_card(d);
	int r = may_access(d, card, at, n, true);

	return r < 0 ? r : close_if_gone(d, move_words(d, card, at, NULL,
		(uint32_t *)(uintptr_t)words, n, KMD_FILL));
}

int kmd_multicast(struct device *d, struct reg_rect to, uint64_t addr, const uint32_t *words,
	size_t n)
{
	struct kmd_card *card = kmd_card(d);
	const struct reg_addr at = { REG_NOC, to.x1, to.y1, addr };
	int r = usable(card);

	if (r == 0 && !access_multicast_allowed(d->chip, card->purpose, to, addr, n))
		r = -EPERM;
	return r < 0 ? r : close_if_gone(d, move_words(d, card, at, &to,
		(uint32_t *)(uintptr_t)words, n, KMD_FILL));
}

/* Requests. */

/* An interrupted request is not tried again: the caller decides whether to go on. */
int kmd_reset(struct device *d, enum device_reset kind, uint32_t *result)
{
	static const uint32_t flags[DEVICE_RESETS] = {
		[DEVICE_RESTORE_STATE] = KMD_RESET_RESTORE_STATE,
		[DEVICE_RESET_LINK] = KMD_RESET_PCIE_LINK,
		[DEVICE_CONFIG_WRITE] = KMD_RESET_CONFIG_WRITE,
		[DEVICE_USER_RESET] = KMD_RESET_USER_RESET,
		[DEVICE_ASIC_RESET] = KMD_RESET_ASIC_RESET,
		[DEVICE_DMC_RESET] = KMD_RESET_ASIC_DMC_RESET,
		[DEVICE_POST_RESET] = KMD_RESET_POST_RESET,
	};
	struct kmd_reset_device arg = {
		.output_size_bytes_in =
			sizeof(arg) - offsetof(struct kmd_reset_device, output_size_bytes),
		.flags = flags[kind],
	};
	struct kmd_card *card = kmd_card(d);

	if (card->fd < 0)
		return -EBADF;
	if (card->purpose != ACCESS_RESET)
		return -EPERM;
	kmd_window_drop(card);	/* from here on the chip must not be touched */
	if (ioctl(card->fd, (unsigned long)KMD_RESET_DEVICE, &arg) < 0)
		return -errno;
	*result = arg.result;
	return 0;
}

int kmd_power(struct device *d, unsigned flags)
{
	struct kmd_power_state arg = { .argsz = sizeof(arg), .validity = KMD_POWER_FLAGS,
		.power_flags = (uint16_t)flags };
	struct kmd_card *card = kmd_card(d);
	int r;

	if (card->fd < 0)
		return -EBADF;
	if (driver_version(d->bus->driver) < kind_of(d->chip)->power_since)
		return -EOPNOTSUPP;
	r = kmd_ioctl(card->fd, KMD_SET_POWER_STATE, &arg);
	return r == -ENOTTY ? -EOPNOTSUPP : r;
}

/* A duplicate of the descriptor keeps the lock after the first one is closed. */
int kmd_claim(struct device *d)
{
	struct kmd_lock_ctl arg = {
		.output_size_bytes_in = sizeof(arg) - offsetof(struct kmd_lock_ctl, value),
		.flags = KMD_LOCK_ACQUIRE, .index = KMD_LOCK_RESET };
	struct kmd_card *card = kmd_card(d);
	int r;

	if (card->fd < 0)
		return -EBADF;
	if (card->purpose != ACCESS_RESET)
		return -EPERM;
	if (card->claim >= 0)
		return 0;
	r = kmd_ioctl(card->fd, KMD_LOCK_CTL, &arg);
	if (r < 0)
		return r == -ENODEV ? r : -EOPNOTSUPP;
	if (arg.value == 0)
		return -EALREADY;
	card->claim = fcntl(card->fd, F_DUPFD_CLOEXEC, 3);
	return card->claim < 0 ? -errno : 0;
}

void kmd_io_drop(struct kmd_card *card)
{
	kmd_attr_close(card);
	kmd_node_close(card);
}

struct kmd_card *kmd_card(struct device *d)
{
	struct kmd *kmd = d->bus->priv;
	struct kmd_card *card = kmd->card[d->index];

	if (!card) {
		card = kmd->card[d->index] = mem_calloc(1, sizeof(*card));
		card->fd = card->claim = -1;
		memset(card->dir, -1, sizeof(card->dir));
		memset(card->attr, -1, sizeof(card->attr));
		kmd_attr_close(card);
		card->shared = &kmd->shared[d->index];
		card->generation = atomic_load(&card->shared->generation);
	} else if (card->generation != atomic_load(&card->shared->generation)) {
		kmd_io_drop(card);
		card->generation = atomic_load(&card->shared->generation);
	}
	return card;
}
