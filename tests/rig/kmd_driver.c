/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_driver.c - the driver and a card, as a process: kmd_driver ROOT BOARD
 * LIBRARY [WORD...] makes the tree ROOT and serves its socket (kmd_shim.c).
 *
 * Windows, handles and votes for power are kept as the driver keeps them
 * (chip-facts 1.8).  What a window or BAR0 leads to is the firmware of the
 * simulated BOARD, or the compute tiles and the memory of a chip simulator's
 * LIBRARY; a BOARD with a runtime has its counters itself.  ROOT/log tells what was done,
 * ROOT/calls which way words took, ROOT/wrong what must never be done.
 *
 * Resets are those of the simulated board; all cores are held after one.
 *
 * Words: card@N, a further one of the machine, whose files below have N behind their names (of a
 * BOARD with several chips, the next); driver@VERSION, from 2.10 on with exclusive opens;
 * windows@N, there are no more; mmap@N, none but the first N; noc@ERRNO, calls that read and write
 * a word of the NOC, which fail so, or with 0 work (without it they are unknown, as other numbers
 * are); nopower, no power states; rise@MS, so long the clock stays idle when power is asked for;
 * grace@MS, idle_power_down_grace_ms; blank@WORD, this word of the firmware's reads as all ones;
 * again@N, the first N calls that end a reset give EAGAIN; claimed, another program has the lock
 * for resets; off@X0-Y0-X1-Y1, tiles that are switched off; deaf@X-Y, a tile that no multicast
 * reaches.
 * Of a Blackhole whose columns are switched off those in the middle are: the last columns lead
 * there.  The corners of a multicast are led there each for itself, and what lies between them in
 * the network gets it (noc_init.c of the firmware; the ISA documents' map of the NIU).
 * Files of ROOT, made while it runs: "ones", all loads answer all ones; "late", the same after
 * 150 ms; "refuse", calls for words of the NOC are refused; "reset", as after a reset by somebody
 * else; "removed", the kernel has removed the card; "private", its node cannot be opened any more;
 * "newcomer", another program, whose pid is in it, opens the card right before it is opened
 * exclusively, or reset if the driver has no such opens, and keeps it until the file is gone;
 * "unbind", the driver is unbound from it during the next reset; "leaves", who asks for power
 * closes the node just before the next open that asks for none.
 */
#include "config.h"
#include "burnin/firmware/mailbox.h"
#include "device/device.h"
#include "device/bus.h"
#include "device/kind.h"
#include "device/kmd/kmd_abi.h"
#include "device/ttsim/ttsim.h"
#include "tests/rig/kmd_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS	 64
#define GRACE	 500			/* ms (the driver's default is 5000) */
#define WINDOWS	 201
#define OFFS	 4
#define UNCACHED (6ULL << 36)		/* where mmap() finds windows (chip-facts 1.8.4) */
#define COMBINED (7ULL << 36)
#define IN_BAR	 ((1ULL << 36) - 1)
#define REGISTERS 0xff000000u		/* of a tile: above its memory */
#define SOFT_RESET 0xffb121b0u
#define HELD	 0x47800u
#define LEGACY	 0x7ffeu		/* the vote of a handle that did not say otherwise */
/* Of this card; path_of() puts in its node and its bus. */
#define BDF	 "0000:0@:00.0"
#define SYSFS	 "sys/bus/pci/devices/" BDF
#define CLASS	 "sys/class/tenstorrent/tenstorrent!#"
#define PATH	 512

struct client {
	int fd;
	pid_t pid;
	bool stale;			/* opened before a reset */
	bool active;			/* without O_APPEND */
	bool is_open, waits;		/* its open was granted, or is to be */
	uint64_t flags;			/* of its open */
	unsigned vote, mapped;
};

struct window {
	int owner;			/* place in clients[], or -1 */
	unsigned mapped;
	uint64_t size, at;
	struct kmd_noc_tlb_config aim;
	bool aimed;
};

static struct client clients[CLIENTS];
static struct client *newcomer;
static struct window windows[WINDOWS];
static size_t n_windows;
static struct pollfd polled[CLIENTS + 1];
static const char *root, *version = "2.10.0";
static int node;
static struct bus *bus;
static struct device *card;
static struct ttsim_lib *lib;
static struct reg_rect off[OFFS];
static unsigned n_off;
static unsigned deaf_x, deaf_y, blank = 0xffffffff;
static unsigned long most_windows = WINDOWS, most_maps = -1UL, maps, grace = GRACE, again;
static unsigned took[3];		/* ways that were taken, enum below */
enum { TOOK_READ, TOOK_WRITE, TOOK_WINDOW };
static int noc_error = EINVAL;		/* of calls for a word of the NOC */
static bool has_runtime;
static bool no_power, claimed, ones, late, removed, unbound;
static bool excludes;			/* a driver from 2.10 on */
static bool was_reset;			/* and no POST_RESET came yet: the card is shut */
static unsigned votes;			/* for power, of all clients */
static int64_t down_at;			/* ms: when a pending power-down is due; 0: none is */
static int64_t up_at;			/* ms: when the clock has risen */
static unsigned long rise;		/* ms */
static bool stays_up;			/* an open cancelled it */
static struct wire_request q;
static struct wire_answer a;

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* In the tree; names without a folder end with the node, unless it is 0. */
static const char *path_of(const char *name, char path[PATH])
{
	snprintf(path, PATH, "%s/%s%s", root, name, node > 0 && !strchr(name, '/') ? "#" : "");
	for (char *c = path + strlen(root); *c; c++)
		*c = (char)(*c == '#' ? '0' + node : *c == '@' ? '1' + node : *c);
	return path;
}

/* A line in a file of the tree. */
__attribute__((format(printf, 2, 3)))
static void note(const char *name, const char *fmt, ...)
{
	char path[PATH];
	va_list args;
	FILE *f = fopen(path_of(name, path), "a");

	if (!f)
		die(path);
	va_start(args, fmt);
	vfprintf(f, fmt, args);
	va_end(args);
	fputc('\n', f);
	fclose(f);
}

/* In place: readers keep some of these files open. */
static void put_bytes(const char *name, const void *bytes, size_t n)
{
	char path[PATH];
	int fd;

	path_of(name, path);
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || pwrite(fd, bytes, n, 0) != (ssize_t)n || ftruncate(fd, (off_t)n) < 0)
		die(path);
	close(fd);
}

__attribute__((format(printf, 2, 3)))
static void put_text(const char *name, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	put_bytes(name, text, strlen(text));
}

static void put_config(void)
{
	uint8_t config[64];
	char path[PATH];

	if (removed) {
		unlink(path_of(SYSFS "/config", path));
		return;
	}
	if (ones || device_config(card, 0, config, sizeof(config)) != sizeof(config))
		memset(config, 0xff, sizeof(config));
	put_bytes(SYSFS "/config", config, sizeof(config));
}

/* A Wormhole stays at full clock for a time after the last vote. */
static bool is_pending(void)
{
	return down_at && now_ms() < down_at;
}

static void put_clock(void)
{
	const bool busy = (votes && now_ms() >= up_at) || stays_up || is_pending();
	const bool blackhole = card->chip == DEVICE_BLACKHOLE;

	if (was_reset && !unbound)
		put_text(CLASS "/tt_aiclk", "%s", WIRE_NO_DATA);
	else if (!unbound)
		put_text(CLASS "/tt_aiclk", "%d\n", busy ? blackhole ? 1350 : 1000
			: blackhole ? 800 : 500);
}

/* As the driver lists them: a line for each open file.  A reader never finds half a list. */
static void put_pids(void)
{
	char text[CLIENTS * 12] = "", from[PATH], to[PATH];
	size_t n = 0;

	for (size_t i = 0; i < CLIENTS; i++)
		if (clients[i].fd >= 0 && clients[i].is_open)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%ld\n",
				(long)clients[i].pid);
	put_bytes("proc/driver/tenstorrent/#/new", text, n);
	if (rename(path_of("proc/driver/tenstorrent/#/new", from),
		path_of("proc/driver/tenstorrent/#/pids", to)) < 0)
		die(to);
}

static void make_tree(void)
{
	char path[PATH], to[PATH] = "../../../bus/pci/devices/" BDF;

	to[strcspn(to, "@")] = (char)('1' + node);
	put_text(SYSFS "/vendor", "0x1e52\n");
	put_text(SYSFS "/device", "0x%04x\n", card->device);
	put_text(SYSFS "/subsystem_device", "0x%04x\n", card->subsys_device);
	put_text(SYSFS "/revision", "0x%02x\n", card->revision);
	put_text(SYSFS "/current_link_speed", "16.0 GT/s PCIe\n");
	put_text(SYSFS "/max_link_speed", "16.0 GT/s PCIe\n");
	put_text(SYSFS "/current_link_width", "16\n");
	put_text(SYSFS "/max_link_width", "16\n");
	put_text("sys/module/tenstorrent/version", "%s\n", version);
	put_text("sys/module/tenstorrent/parameters/power_policy", "Y\n");
	put_text("sys/module/tenstorrent/parameters/idle_power_down_grace_ms", "%lu\n", grace);
	put_bytes("dev/tenstorrent/#", "", 0);
	put_text(CLASS "/dev", "246:%d\n", node);
	if (symlink(to, path_of(CLASS "/device", path)) < 0)
		die(path);
	put_config();
	put_clock();
	put_pids();
}

static bool is_asked(const char *name)
{
	char path[PATH];

	return access(path_of(name, path), F_OK) == 0;
}

/* The card stays on the bus; what the driver made of it goes. */
static void unbind(void)
{
	static const char *const made[] = { CLASS "/dev", CLASS "/device", CLASS "/tt_aiclk",
		CLASS, "dev/tenstorrent/#" };
	char path[PATH];

	unbound = true;
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		if (remove(path_of(made[i], path)) < 0)
			die(path);
}

/* From a reset on all that was open is worth nothing. */
static void shut(void)
{
	was_reset = true;
	put_clock();
	for (size_t i = 0; i < CLIENTS; i++)
		clients[i].stale = true;
}

static void let_newcomer_go(void);

/* What the test asks for while it goes on. */
static void look_around(void)
{
	if (newcomer && !is_asked("newcomer"))
		let_newcomer_go();
	ones = is_asked("ones");
	late = is_asked("late");
	removed = is_asked("removed");
	if (!was_reset && (removed || is_asked("reset")))
		shut();
	put_config();
	put_clock();
}

/*
 * The driver asks the firmware for what any of its clients wants.  It waits before it powers down
 * for the last close, but not while another handle is open.
 */
static void vote(struct client *c, unsigned flags)
{
	unsigned all = 0, open = 0;

	c->vote = flags;
	for (size_t i = 0; i < CLIENTS; i++) {
		all |= clients[i].fd >= 0 ? clients[i].vote : 0;
		open += clients[i].fd >= 0 && clients[i].is_open;
	}
	if (all == votes)
		return;
	down_at = all || open ? 0 : now_ms() + (int64_t)grace;
	stays_up = false;
	up_at = votes ? up_at : now_ms() + (int64_t)rise;
	votes = all;
	note("log", "power 0x%x", all);
	device_power(card, all);
	put_clock();
}

/* Any open cancels a pending power-down.  The close of a passive handle does not begin another. */
static void cancel_power_down(void)
{
	if (!is_pending())
		return;
	down_at = 0;
	stays_up = true;
	note("log", "cancelled a power-down");
}

static void add_windows(size_t n, uint64_t size, uint64_t at)
{
	for (; n > 0 && n_windows < WINDOWS; n--, at += size)
		windows[n_windows++] = (struct window){ .owner = -1, .size = size, .at = at };
}

static struct window *window_of(uint64_t at)
{
	for (size_t i = 0; i < n_windows; i++)
		if (at - windows[i].at < windows[i].size)
			return &windows[i];
	return NULL;
}

static int on_info(struct kmd_get_device_info *i)
{
	*i = (struct kmd_get_device_info){ .output_size_bytes_in = i->output_size_bytes_in,
		.output_size_bytes = 20, .vendor_id = 0x1e52, .device_id = card->device,
		.bus_dev_fn = (uint16_t)((1 + node) << 8) };
	return 0;
}

static int on_query(struct kmd_query_mappings *m)
{
	memset(m->mappings, 0, sizeof(m->mappings));
	m->mappings[0] = (struct kmd_mapping){ KMD_MAPPING_BAR0_UC, 0, 0, 512 << 20 };
	m->mappings[1] = (struct kmd_mapping){ KMD_MAPPING_BAR0_WC, 0, 1ULL << 36, 512 << 20 };
	return 0;
}

static int on_allocate(int who, struct kmd_allocate_tlb *t)
{
	unsigned long used = 0;
	bool known = false;

	for (size_t i = 0; i < n_windows; i++)
		used += windows[i].owner >= 0;
	for (size_t i = 0; i < n_windows; i++) {
		struct window *w = &windows[i];

		known = known || w->size == t->size;
		if (w->size != t->size || w->owner >= 0 || used >= most_windows)
			continue;
		*w = (struct window){ .owner = who, .size = w->size, .at = w->at };
		t->id = (uint32_t)i;
		took[TOOK_WINDOW]++;
		t->mmap_offset_uc = UNCACHED + w->at;
		t->mmap_offset_wc = COMBINED + w->at;
		return 0;
	}
	return known ? -ENOMEM : -EINVAL;
}

static int on_configure(int who, const struct kmd_configure_tlb *c)
{
	struct window *w = c->id < n_windows ? &windows[c->id] : NULL;
	const struct kmd_noc_tlb_config *to = &c->config;

	if (!w || to->addr % w->size || to->reserved0[0] || to->reserved1[0] || c->reserved)
		return -EINVAL;
	if (w->owner != who)
		return -EPERM;
	if (to->noc || to->linked || to->static_vc || to->ordering > KMD_ORDERING_STRICT)
		note("wrong", "a window is aimed in an unknown way");
	w->aim = *to;
	w->aimed = true;
	return 0;
}

static int on_free(int who, const struct kmd_free_tlb *f)
{
	struct window *w = f->id < n_windows ? &windows[f->id] : NULL;

	if (!w || w->owner != who)
		return w ? -EPERM : -EINVAL;
	if (w->mapped)
		return -EBUSY;
	w->owner = -1;
	return 0;
}

static int on_power(struct client *c, const struct kmd_power_state *p)
{
	if (no_power || p->argsz != sizeof(*p) || p->flags || p->reserved0)
		return -EINVAL;
	vote(c, p->power_flags);
	/* What all of them want is sent to the firmware again, even if it has not changed. */
	stays_up = false;
	put_clock();
	return 0;
}

static void hold_all(void)
{
	const struct ttsim_piece p = { .addr = SOFT_RESET, .n = 1, .space = REG_NOC,
		.multicast = true, .to = kind_of(card->chip)->tensix };
	const uint32_t held = HELD;

	ttsim_lib_move(lib, &p, NULL, &held);
}

static void take_board(enum access_purpose purpose)
{
	struct error e;

	device_release(card);
	if (device_acquire_for(card, purpose, DEVICE_PASSIVE, &e) < 0)
		note("wrong", "%s", e.text);
}

static void let_newcomer_in(void);

static int on_reset(struct client *c, struct kmd_reset_device *x)
{
	static const enum device_reset kinds[] = { DEVICE_RESTORE_STATE, DEVICE_RESET_LINK,
		DEVICE_CONFIG_WRITE, DEVICE_USER_RESET, DEVICE_ASIC_RESET, DEVICE_DMC_RESET,
		DEVICE_POST_RESET };
	int r;

	if (x->flags >= sizeof(kinds) / sizeof(kinds[0]))
		return -EINVAL;
	note("log", "reset %u", x->flags);
	if (x->flags == KMD_RESET_POST_RESET && again > 0) {
		again--;
		return -EAGAIN;
	}
	if (x->flags != KMD_RESET_POST_RESET && x->flags != KMD_RESET_RESTORE_STATE) {
		if (!excludes)
			let_newcomer_in();
		shut();
		/* Older drivers invalidate the resetter's own handle, too (chip-facts 5.1). */
		c->stale = !excludes;
		hold_all();
	}
	take_board(ACCESS_RESET);
	x->output_size_bytes = 8;
	r = device_reset(card, kinds[x->flags], &x->result);
	if (is_asked("unbind")) {
		unbind();
		c->stale = true;
	}
	was_reset = was_reset && (r < 0 || x->flags != KMD_RESET_POST_RESET);
	put_clock();
	if (!was_reset)
		take_board(ACCESS_BURN);
	put_config();
	return r;
}

static int on_lock(struct client *c, struct kmd_lock_ctl *l)
{
	(void)c;
	l->value = !claimed;
	return 0;
}

/* Compute tiles one of whose cores is not held. */
static unsigned count_running(void)
{
	const struct device_kind *k = kind_of(card->chip);
	unsigned n = 0;

	for (uint8_t x = k->tensix.x0; x <= k->tensix.x1; x++)
		for (uint8_t y = k->tensix.y0; y <= k->tensix.y1; y++) {
			const struct reg_addr at = { REG_NOC, x, y, SOFT_RESET };
			const struct ttsim_piece p = ttsim_piece(at, 1);
			uint32_t word;

			if (k->other_columns >> x & 1 || k->other_rows >> y & 1)
				continue;
			ttsim_lib_move(lib, &p, &word, NULL);
			n += (word & HELD) != HELD;
		}
	return n;
}

static const char *kind_of_open(const struct client *c)
{
	return c->flags & O_EXCL ? "exclusive" : "passive";
}

static void admit_waiting(void);

/* The file's last descriptor was closed, or its process has ended. */
static void on_close(int who)
{
	struct client *c = &clients[who];
	unsigned kept = 0;

	close(c->fd);
	c->fd = polled[who].fd = -1;
	for (size_t i = 0; i < n_windows; i++) {
		kept += windows[i].owner == who;
		if (windows[i].owner == who)
			windows[i] = (struct window){ .owner = -1, .size = windows[i].size,
				.at = windows[i].at };
	}
	if (!c->is_open)
		return;
	c->is_open = false;
	put_text("calls", "read %u\nwrite %u\nwindow %u\n", took[TOOK_READ], took[TOOK_WRITE],
		took[TOOK_WINDOW]);
	if (c->active)
		note("log", "close active, %u windows left, %u cores run", kept, count_running());
	else
		note("log", "close %s, %u windows left", kind_of_open(c), kept);
	put_pids();
	vote(c, 0);
	admit_waiting();
}

/* Opened exclusively, no other; and exclusively only if there is no other (chip-facts 1.9). */
static bool may_open(const struct client *c)
{
	for (size_t i = 0; excludes && i < CLIENTS; i++)
		if (clients[i].fd >= 0 && clients[i].is_open && &clients[i] != c &&
			(c->flags & O_EXCL || clients[i].flags & O_EXCL))
			return false;
	return true;
}

static void admit(struct client *c)
{
	c->waits = false;
	c->is_open = true;
	note("log", "open %s", c->active ? "active" : kind_of_open(c));
	put_pids();
	cancel_power_down();
	vote(c, c->active ? LEGACY : 0);
}

static void admit_waiting(void)
{
	const struct wire_answer yes = { .result = 0 };

	for (size_t i = 0; i < CLIENTS; i++) {
		struct client *c = &clients[i];

		if (c->fd < 0 || !c->waits || !may_open(c))
			continue;
		admit(c);
		send(c->fd, &yes, offsetof(struct wire_answer, data), MSG_NOSIGNAL);
	}
}

/* Another program, whose pid is in the file, opens the card at the worst moment. */
static void let_newcomer_in(void)
{
	char path[PATH];
	FILE *f = newcomer ? NULL : fopen(path_of("newcomer", path), "r");
	int pid = 0;

	if (!f)
		return;
	if (fscanf(f, "%d", &pid) != 1)
		die(path);
	fclose(f);
	for (size_t i = 0; i < CLIENTS && !newcomer; i++)
		if (clients[i].fd < 0)
			newcomer = &clients[i];
	*newcomer = (struct client){ .fd = open("/dev/null", O_RDONLY | O_CLOEXEC), .pid = pid };
	admit(newcomer);
}

static void let_newcomer_go(void)
{
	if (newcomer->stale)
		note("log", "a reset hit the newcomer");
	on_close((int)(newcomer - clients));
	newcomer = NULL;
}

/* 1: it waits, and is answered later. */
static int on_open(int who)
{
	struct client *c = &clients[who];
	struct ucred peer;
	socklen_t n = sizeof(peer);

	if (is_asked("private"))
		return -EACCES;
	if (getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0)
		die("SO_PEERCRED");
	if (q.at & O_EXCL)
		let_newcomer_in();
	c->pid = peer.pid;
	c->flags = excludes ? q.at : q.at & ~(uint64_t)O_EXCL;
	c->active = !(q.at & O_APPEND);
	for (int i = 0; i < CLIENTS && !c->active && is_asked("leaves"); i++)
		if (clients[i].fd >= 0 && clients[i].is_open && clients[i].active)
			on_close(i);
	if (may_open(c)) {
		admit(c);
		return 0;
	}
	note("log", "%s", q.at & O_NONBLOCK ? "busy" : "an open waits");
	c->waits = !(q.at & O_NONBLOCK);
	return c->waits ? 1 : -EAGAIN;
}

static int on_mmap(int who, bool ends)
{
	struct window *w = q.at >= UNCACHED ? window_of(q.at & IN_BAR) : NULL;

	if (!ends && (clients[who].stale || was_reset))
		return -ENODEV;
	if (q.at < 1ULL << 36)
		return q.at + (uint64_t)q.n * WIRE_PAGE <= 512 << 20 ? 0 : -ENXIO;
	if (!w)
		return -EINVAL;
	if (w->owner != who)
		return -EPERM;
	if ((uint64_t)q.n * WIRE_PAGE != w->size)
		return -EINVAL;
	if (!ends && maps++ >= most_maps)
		return -EAGAIN;
	w->mapped += ends ? -1U : 1;
	return 0;
}

static bool is_in(struct reg_rect r, struct reg_addr at)
{
	return at.x >= r.x0 && at.x <= r.x1 && at.y >= r.y0 && at.y <= r.y1;
}

static void check_on(struct reg_addr to)
{
	for (unsigned i = 0; i < n_off; i++)
		if (is_in(off[i], to))
			note("wrong", "tile %u-%u is switched off", to.x, to.y);
}

/* Where an offset leads; NULL: a register of BAR0, or no window that is aimed. */
static const struct window *aim_of(uint64_t at, struct reg_addr *to)
{
	const struct window *w = NULL;

	*to = (struct reg_addr){ .space = REG_BAR0, .addr = at };
	if (at < UNCACHED)
		return NULL;
	w = window_of(at & IN_BAR);
	if (!w)
		return NULL;
	*to = (struct reg_addr){ REG_NOC, (uint8_t)w->aim.x_end, (uint8_t)w->aim.y_end,
		w->aim.addr + (at & IN_BAR) - w->at };
	if (!w->aimed)
		note("wrong", "a window is used that was never aimed");
	if (!w->aim.mcast)
		check_on(*to);
	return w;
}

/* The firmware's, on the simulated board; else it is the chip simulator's. */
static bool is_board(struct reg_addr at)
{
	return access_allowed(card->chip, ACCESS_TELEMETRY, at, 1, false) || (has_runtime &&
		access_allowed(card->chip, ACCESS_BUSY, at, 1, false));
}

static void fetch(struct reg_addr at, uint32_t bytes)
{
	const struct ttsim_piece p = ttsim_piece(at, bytes / 4);
	uint32_t word = 0;

	a.n = bytes;
	if (is_board(at)) {
		device_read(card, at, &word, 1);
		word = word == blank ? 0xffffffff : word;
		memcpy(a.data, &word, sizeof(word));
		a.n = sizeof(word);
	} else if (!access_allowed(card->chip, ACCESS_BURN, at, 1, false)) {
		note("wrong", "%s %u-%u 0x%llx is read", at.space == REG_NOC ? "noc" : "bar0",
			at.x, at.y, (unsigned long long)at.addr);
	} else {
		ttsim_lib_move(lib, &p, (uint32_t *)(void *)a.data, NULL);
	}
	if (ones || late)
		memset(a.data, 0xff, a.n);
	if (late)
		nanosleep(&(struct timespec){ .tv_nsec = 150000000 }, NULL);
}

static int on_load(void)
{
	const bool combined = q.at >= COMBINED;
	const uint32_t left = WIRE_PAGE - (uint32_t)(q.at % WIRE_PAGE);
	struct reg_addr at;
	const struct window *w;
	uint32_t most;
	bool is_tile;

	if (was_reset)
		return WIRE_GONE;
	w = aim_of(q.at, &at);
	is_tile = is_in(kind_of(card->chip)->tensix, at) && at.addr < REGISTERS;
	if (w && w->aim.mcast)
		note("wrong", "a window on several tiles is read");
	if (combined && q.n)
		note("wrong", "memory is read in smaller pieces than memcpy() takes");
	/* One by one, but for what stands still while it is read: all but the mailbox. */
	if (w && is_tile && !is_board(at) && at.addr / WIRE_PAGE != KERNEL_AT_ORDER / WIRE_PAGE) {
		at.addr -= WIRE_PAGE - left;
		fetch(at, WIRE_PAGE);
		return WIRE_WHOLE;
	}
	most = w && !is_board(at) && at.addr < REGISTERS ? 512 : combined ? 64 : 4;
	fetch(at, left < most ? left : most);
	return WIRE_STEP;
}

static int on_aim(void)
{
	struct reg_addr at;

	if (was_reset)
		return WIRE_GONE;
	aim_of(q.at, &at);
	a.n = 0;
	return q.at >= COMBINED && at.addr < REGISTERS ? WIRE_WHOLE : WIRE_STEP;
}

static bool is_off(unsigned x)
{
	for (unsigned i = 0; i < n_off; i++)
		if (x >= off[i].x0 && x <= off[i].x1 && x <= kind_of(card->chip)->tensix.x1)
			return true;
	return false;
}

/* Where the network has a column of compute tiles; the middle ones are those switched off. */
static unsigned column_of(unsigned x)
{
	static const uint8_t middle[] = { 7, 10, 6, 11 };
	const struct device_kind *k = kind_of(card->chip);
	unsigned dead = 0, before = 0, at;

	for (unsigned c = k->tensix.x0; c <= k->tensix.x1; c++) {
		dead += is_off(c);
		before += !is_off(c) && c < x && !(k->other_columns >> c & 1);
	}
	if (card->chip != DEVICE_BLACKHOLE || dead == 0 || dead > sizeof(middle))
		return x;
	if (is_off(x))
		return middle[k->tensix.x1 - x];
	for (at = k->tensix.x0;; at++) {
		bool live = !(k->other_columns >> at & 1);

		for (unsigned i = 0; i < dead; i++)
			live = live && at != middle[i];
		if (live && before-- == 0)
			return at;
	}
}

static bool is_spanned(unsigned from, unsigned to, unsigned x)
{
	return from <= to ? x >= from && x <= to : x >= from || x <= to;
}

/* Part of a column, but for a tile that is deaf. */
static void send_column(struct ttsim_piece *p, uint8_t x, uint8_t y0, uint8_t y1)
{
	if (x == deaf_x && y0 <= deaf_y && y1 >= deaf_y) {
		if (y0 < deaf_y)
			send_column(p, x, y0, (uint8_t)(deaf_y - 1));
		y0 = (uint8_t)(deaf_y + 1);
	}
	p->to = (struct reg_rect){ x, y0, x, y1 };
	if (y0 <= y1)
		ttsim_lib_move(lib, p, NULL, (const uint32_t *)(void *)q.data);
}

/* All at once where nothing is in the way. */
static void send_to_rect(struct ttsim_piece *p, struct reg_rect to)
{
	const unsigned from = column_of(to.x0), end = column_of(to.x1);
	const struct device_kind *k = kind_of(card->chip);

	p->multicast = true;
	p->to = to;
	if (!deaf_x && (card->chip != DEVICE_BLACKHOLE || n_off == 0)) {
		ttsim_lib_move(lib, p, NULL, (const uint32_t *)(void *)q.data);
		return;
	}
	for (uint8_t x = k->tensix.x0; x <= k->tensix.x1; x++) {
		if (k->other_columns >> x & 1 || is_off(x))
			continue;
		if (is_spanned(from, end, column_of(x)))
			send_column(p, x, to.y0, to.y1);
		else
			note("log", "a multicast leaves out column %u", x);
	}
}

static void put_words(struct reg_addr at, const uint32_t *words, uint32_t n)
{
	const struct ttsim_piece p = ttsim_piece(at, n);

	if (is_board(at) && n == 1)
		device_write(card, at, words[0]);
	else
		ttsim_lib_move(lib, &p, NULL, words);
}

static void on_store(void)
{
	const uint32_t *words = (const uint32_t *)(void *)q.data;
	const struct window *w;
	struct ttsim_piece p;
	struct reg_addr at;

	if (was_reset || ones || late)
		return;
	w = aim_of(q.at, &at);
	p = ttsim_piece(at, q.n / 4);
	if (at.addr == SOFT_RESET && words[0] != HELD && now_ms() < up_at)
		note("log", "a core is let go before the clock has risen");
	if (w && w->aim.mcast)
		send_to_rect(&p, (struct reg_rect){ (uint8_t)w->aim.x_start,
			(uint8_t)w->aim.y_start, (uint8_t)w->aim.x_end, (uint8_t)w->aim.y_end });
	else
		put_words(at, words, q.n / 4);
}

/* One word of the NOC, read or written by the driver itself. */
static int on_noc(struct kmd_noc_io *x, bool stores)
{
	const struct reg_addr at = { REG_NOC, (uint8_t)x->x, (uint8_t)x->y, x->addr };
	const uint32_t word = (uint32_t)x->value;

	took[stores ? TOOK_WRITE : TOOK_READ]++;
	if (x->argsz != sizeof(*x) || x->flags || x->reserved[0] || x->reserved[1] || x->noc > 1 ||
		x->x >= 64 || x->y >= 64 || x->width != sizeof(word) || x->addr % x->width) {
		note("wrong", "a call for a word of the NOC asks for no such word");
		return -EINVAL;
	}
	if (noc_error || is_asked("refuse"))
		return noc_error ? -noc_error : -EINVAL;
	check_on(at);
	if (stores && !ones && !late) {
		put_words(at, &word, 1);
	} else if (!stores) {
		struct kmd_noc_io answer = *x;

		fetch(at, sizeof(word));
		answer.value = *(const uint32_t *)(const void *)a.data;
		a.n = sizeof(answer);
		*x = answer;
	}
	return 0;
}

static int on_ioctl(int who)
{
	struct client *c = &clients[who];

	if (q.at == KMD_GET_DEVICE_INFO)
		return on_info((void *)a.data);
	if (q.at == KMD_RESET_DEVICE && !c->stale)
		return on_reset(c, (void *)a.data);
	if (c->stale || was_reset)
		return -ENODEV;
	switch (q.at) {
	case KMD_QUERY_MAPPINGS: return on_query((void *)a.data);
	case KMD_ALLOCATE_TLB: return on_allocate(who, (void *)a.data);
	case KMD_CONFIGURE_TLB: return on_configure(who, (void *)a.data);
	case KMD_FREE_TLB: return on_free(who, (void *)a.data);
	case KMD_LOCK_CTL: return on_lock(c, (void *)a.data);
	case KMD_SET_POWER_STATE: return on_power(c, (void *)a.data);
	case KMD_NOC_READ: return on_noc((void *)a.data, false);
	case KMD_NOC_WRITE: return on_noc((void *)a.data, true);
	default: return -EINVAL;
	}
}

/* False once it has gone. */
static bool serve(int who)
{
	ssize_t n = recv(clients[who].fd, &q, sizeof(q), 0);

	if (n < (ssize_t)offsetof(struct wire_request, data))
		return false;
	a.n = (uint32_t)(n - (ssize_t)offsetof(struct wire_request, data));
	memcpy(a.data, q.data, a.n);
	switch (q.op) {
	case WIRE_OPEN:
		a.result = on_open(who);
		if (a.result > 0)
			return true;
		break;
	case WIRE_SYNC: a.result = 0; break;
	case WIRE_IOCTL: a.result = on_ioctl(who); break;
	case WIRE_MMAP: a.result = on_mmap(who, false); break;
	case WIRE_MUNMAP: a.result = on_mmap(who, true); break;
	case WIRE_LOAD: a.result = on_load(); break;
	case WIRE_AIM: a.result = on_aim(); break;
	case WIRE_STORE: on_store(); return true;
	}
	return send(clients[who].fd, &a, offsetof(struct wire_answer, data) + a.n,
		MSG_NOSIGNAL) > 0;
}

static void take(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	for (int i = 0; fd >= 0 && i < CLIENTS; i++) {
		if (clients[i].fd >= 0)
			continue;
		clients[i] = (struct client){ .fd = fd };
		polled[i] = (struct pollfd){ .fd = fd, .events = POLLIN };
		return;
	}
	die("accept");
}

static void run(int listener)
{
	int64_t clocked = 0, looked = 0;

	polled[CLIENTS] = (struct pollfd){ .fd = listener, .events = POLLIN };
	for (;;) {
		poll(polled, CLIENTS + 1, 1);
		for (int i = 0; i < CLIENTS; i++)
			if (clients[i].fd >= 0 && polled[i].revents && !serve(i))
				on_close(i);
		if (polled[CLIENTS].revents)
			take(listener);
		if (now_ms() - looked >= 20) {
			look_around();
			looked = now_ms();
		}
		if (now_ms() - clocked >= 5) {
			ttsim_lib_run(lib);
			clocked = now_ms();
		}
	}
}

static void read_word(const char *word)
{
	unsigned x0, y0, x1, y1;

	if (sscanf(word, "windows@%lu", &most_windows) == 1 ||
		sscanf(word, "mmap@%lu", &most_maps) == 1 ||
		sscanf(word, "grace@%lu", &grace) == 1 || sscanf(word, "again@%lu", &again) == 1 ||
		sscanf(word, "rise@%lu", &rise) == 1 || sscanf(word, "noc@%d", &noc_error) == 1 ||
		sscanf(word, "card@%d", &node) == 1 ||
		sscanf(word, "blank@%x", &blank) == 1 ||
		sscanf(word, "deaf@%u-%u", &deaf_x, &deaf_y) == 2)
		return;
	if (strncmp(word, "driver@", 7) == 0)
		version = word + 7;
	else if (strcmp(word, "nopower") == 0)
		no_power = true;
	else if (strcmp(word, "claimed") == 0)
		claimed = true;
	else if (n_off < OFFS && sscanf(word, "off@%u-%u-%u-%u", &x0, &y0, &x1, &y1) == 4)
		off[n_off++] = (struct reg_rect){ (uint8_t)x0, (uint8_t)y0, (uint8_t)x1,
			(uint8_t)y1 };
	else
		die(word);
}

static int listen_at(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	char path[PATH];

	/* Who sees the socket may connect to it. */
	snprintf(at.sun_path, sizeof(at.sun_path), "%.90s", path_of("new", path));
	path_of("socket", path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
		listen(fd, CLIENTS) < 0 || rename(at.sun_path, path) < 0)
		die(at.sun_path);
	return fd;
}

int main(int argc, char **argv)
{
	struct bus_config config = { .root = "/" };
	struct error e = { 0 };

	if (argc < 4)
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	root = argv[1];
	config.sim = argv[2];
	has_runtime = strstr(argv[2], ":runtime");
	lib = ttsim_lib_open(argv[3], &e);
	for (int i = 4; i < argc; i++)
		read_word(argv[i]);
	if (lib && bus_open(&config, &bus, &e) == 0)
		card = &bus->dev[(size_t)node % bus->n];
	if (!card || device_acquire_for(card, ACCESS_BURN, DEVICE_PASSIVE, &e) < 0) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	excludes = driver_version(version) >= 0x020a00;
	for (int i = 0; i < CLIENTS; i++)
		clients[i].fd = polled[i].fd = -1;
	if (card->chip == DEVICE_BLACKHOLE) {
		add_windows(201, 2 << 20, 0);
	} else {
		add_windows(156, 1 << 20, 0);
		add_windows(10, 2 << 20, 0x09c00000);
		add_windows(19, 16 << 20, 0x0b000000);
	}
	make_tree();
	run(listen_at());
	return 0;
}
