/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttsim.c - the transport to simulated chips: each library of --ttsim is a card.
 *
 * There is no driver, so this file imitates one as far as a card needs it: the marker and the
 * enable bits in config space, stale handles after a reset, no access until POST_RESET.  Nothing is
 * invented that a simulator lacks: there are no attributes, no link, no power states.
 *
 * A message takes the host as long as ten thousand loads over PCIe, so each one
 * carries as many words as possible.
 */
#include "config.h"
#include "device/ttsim/ttsim.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "device/bus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The list of simulators. */

/* Take the N off N*PATH; a path may contain a star itself. */
static const char *take_count(const char *text, unsigned long *count)
{
	const size_t digits = strspn(text, "0123456789");
	const bool counts = digits > 0 && digits < 8 && text[digits] == '*';

	*count = counts ? strtoul(text, NULL, 10) : 1;
	return counts ? text + digits + 1 : text;
}

static int spec_add_library(struct ttsim *out, const char *word, struct error *e)
{
	unsigned long count;
	const char *path = take_count(word, &count);
	char *whole;
	struct stat st;
	int r = 0;

	if (!*path)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "a library is missing: the list is "
			"[N*]LIBRARY with commas between, as in 2*/opt/ttsim/libttsim_wh.so");
	if (count < 1 || count > TTSIM_CARDS - out->n)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%s': there can be 1 to %d simulated "
			"cards", word, TTSIM_CARDS);
	whole = realpath(path, NULL);
	if (!whole || stat(whole, &st) < 0)
		r = fail_errno(e, "%s", path);
	else if (!S_ISREG(st.st_mode) || strlen(whole) >= TTSIM_PATH)
		r = fail_as(e, CODE_WRONG_KIND, -EINVAL, "%s: is not a library", path);
	for (; r == 0 && count > 0; count--)
		mem_copy_text(out->path[out->n++], TTSIM_PATH, whole);
	free(whole);
	return r;
}

/* Parse "[N*]LIBRARY,..." into paths that exist. */
static int ttsim_spec_parse(const char *text, struct ttsim *out, struct error *e)
{
	char *copy = strdup(text), *at = copy, *word;
	int r = copy ? 0 : fail_errno(e, "--ttsim");

	while (r == 0 && (word = strsep(&at, ",")))
		r = spec_add_library(out, word, e);
	free(copy);
	return r;
}

/*
 * The client side of a card: a socket to its simulator, one request at a time, and a timeout for
 * each.  After a timeout the socket is closed, so that a late answer is not read as the next one.
 */

#define TOLD (2 * CLOCK_SECOND)	/* for the keeper to note why a simulator ended */

/* A child process has the numbers of our descriptors, but not the open descriptors. */
static void become_own(struct ttsim_card *c)
{
	if (c->pid == getpid())
		return;
	c->pid = getpid();
	c->fd = -1;
	c->is_open = c->runs = false;
}

static void hang_up(struct ttsim_card *c)
{
	become_own(c);
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	c->runs = false;
}

/* Send the keeper a request with one end of a new socket pair; returns our end or -errno. */
static int knock(const struct ttsim_card *c, enum ttsim_wish wish)
{
	const struct ttsim_knock k = { .wish = wish, .card = c->number };
	const int64_t us = (c->owner->patience + 999) / 1000;
	const struct timeval wait = { .tv_sec = us / 1000000, .tv_usec = us % 1000000 };
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	r = setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (r == 0)
		r = ttsim_fd_send(c->owner->keeper.fd, &k, sizeof(k), ends[1]);
	close(ends[1]);
	if (r == 0)
		return ends[0];
	close(ends[0]);
	return -EIO;
}

/* Returns the bytes received, 0 at the end of the socket, or -ETIMEDOUT. */
static ssize_t wait_message(int fd, void *to, size_t size, int64_t patience)
{
	const int64_t until = clock_steady() + patience;
	bool late = false;

	for (;;) {
		/* knock() has set how long this waits. */
		ssize_t r = recv(fd, to, size, late ? MSG_DONTWAIT : 0);

		if (r >= 0)
			return r;
		if (errno == EAGAIN)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return 0;
		/* If this process was stopped past the timeout, the answer may be there. */
		late = clock_steady() >= until;
	}
}

/* The simulator has ended: wait until the card's reason says why. */
static int mourn(struct ttsim_card *c)
{
	const struct timespec pause = { .tv_nsec = CLOCK_MS };
	int64_t until = clock_steady() + TOLD;

	while (atomic_load(&c->shared->is_up) && atomic_load(&c->shared->life) == c->life &&
		clock_steady() < until)
		nanosleep(&pause, NULL);
	return -EIO;
}

static int connect_to(struct ttsim_card *c)
{
	become_own(c);
	if (c->fd >= 0 && c->life == atomic_load(&c->shared->life))
		return 0;
	hang_up(c);
	c->life = atomic_load(&c->shared->life);
	c->fd = knock(c, TTSIM_CONNECT);
	return c->fd < 0 ? c->fd : 0;
}

/* Send one request and get its answer in its place; -EIO if the simulator has ended. */
static int call(struct ttsim_card *c, struct ttsim_message *m)
{
	int r = connect_to(c);
	ssize_t n;

	if (r < 0)
		return r;
	n = send(c->fd, m, ttsim_size(m), MSG_NOSIGNAL | MSG_DONTWAIT);
	n = n < 0 ? 0 : wait_message(c->fd, m, sizeof(*m), c->owner->patience);
	if (n > 0 && ttsim_is_whole(m, n))
		return m->what;
	r = n == 0 ? mourn(c) : n < 0 ? (int)n : -EPROTO;
	hang_up(c);
	return r;
}

static int restart(struct ttsim_card *c)
{
	int32_t result;
	int fd, r;

	hang_up(c);
	fd = knock(c, TTSIM_RESTART);
	if (fd < 0)
		return fd;
	r = wait_message(fd, &result, sizeof(result), c->owner->patience) == sizeof(result)
		? result : -EIO;
	close(fd);
	return r;
}

/* Loads and stores. */

/* Returns 0 if the handle is usable, or -errno. */
static int usable(const struct ttsim_card *c)
{
	if (c->pid != getpid() || !c->is_open)
		return -EBADF;
	if (c->open_resets != atomic_load(&c->shared->resets))
		return -ENODEV;
	return atomic_load(&c->shared->is_shut) && c->purpose != ACCESS_RESET ? -ENODEV : 0;
}

/* Called rarely: keep its large message off the callers' stacks. */
__attribute__((noinline)) static int run_clock(struct ttsim_card *c, bool on)
{
	struct ttsim_message m = { .what = on ? TTSIM_RUN : TTSIM_STOP };
	int r = call(c, &m);

	c->runs = r == 0 && on;
	return r;
}

/*
 * While the clock runs, accesses wait between clocks and take a thousand times as long, so do not
 * start it for memory, which needs none.
 */
static int start_clock(struct device *d, struct reg_addr at)
{
	struct ttsim_card *c = d->priv;

	if (c->purpose != ACCESS_BURN || c->runs ||
		access_allowed(d->chip, ACCESS_MEMORY, at, 1, false))
		return 0;
	return run_clock(c, true);
}

/* What is left to move: the first piece from its word `done` on, and n - 1 whole ones. */
struct rest {
	const struct device_piece *piece;
	size_t n, done;
};

/* Take the part off that fits into the room, in words, of a message; false: none does. */
static bool take_part(struct rest *rest, size_t *room, struct device_piece *part)
{
	if (rest->n == 0 || *room <= TTSIM_PIECE)
		return false;
	*room -= TTSIM_PIECE;
	*part = *rest->piece;
	part->at.addr += 4 * (uint64_t)rest->done;
	part->words += rest->done;
	part->n -= rest->done;
	if (part->n > *room) {
		part->n = *room;
		rest->done += part->n;
	} else {
		*rest = (struct rest){ rest->piece + 1, rest->n - 1, 0 };
	}
	*room -= part->n;
	return true;
}

static void put_part(struct ttsim_message *m, const struct device_piece *part,
	const struct reg_rect *to)
{
	struct ttsim_piece p = ttsim_piece(part->at, part->n);

	p.multicast = to != NULL;
	if (to)
		p.to = *to;
	memcpy(m->words + m->n, &p, sizeof(p));
	m->n += TTSIM_PIECE;
	if (m->what != TTSIM_WRITE)
		return;
	memcpy(m->words + m->n, part->words, 4 * part->n);
	m->n += p.n;
}

/* Read or write pieces in as few messages as possible; *failed: the first one of a lost message. */
static int move_pieces(struct device *d, enum ttsim_op op, const struct device_piece *pieces,
	size_t n, const struct reg_rect *to, size_t *failed)
{
	struct rest rest = { pieces, n, 0 };
	struct ttsim_message m;
	struct device_piece part;
	int r = 0;

	while (r == 0 && rest.n > 0) {
		struct rest sent = rest;
		size_t room = TTSIM_WORDS, words = 0;

		*failed = n - rest.n;
		r = start_clock(d, rest.piece->at);
		m.what = (int32_t)op;
		for (m.n = 0; take_part(&rest, &room, &part); words += part.n)
			put_part(&m, &part, to);
		if (r == 0)
			r = call(d->priv, &m);
		if (r == 0 && m.n != (op == TTSIM_READ ? words : 0))
			r = -EPROTO;
		room = TTSIM_WORDS;
		for (words = 0; r == 0 && words < m.n && take_part(&sent, &room, &part);
			words += part.n)
			memcpy(part.words, m.words + words, 4 * part.n);
	}
	return r;
}

static int move_allowed(struct device *d, enum ttsim_op op, const struct device_piece *pieces,
	size_t n, size_t *failed)
{
	const struct ttsim_card *c = d->priv;
	const int r = usable(c);
	/* A closed handle has no purpose; assume the one that allows least. */
	const enum access_purpose purpose = r == -EBADF ? ACCESS_TELEMETRY : c->purpose;

	for (*failed = 0; *failed < n; ++*failed)
		if (!access_allowed(d->chip, purpose, pieces[*failed].at, pieces[*failed].n,
			op == TTSIM_WRITE))
			return -EPERM;
	*failed = 0;
	return r < 0 ? r : move_pieces(d, op, pieces, n, NULL, failed);
}

static int ttsim_gather(struct device *d, const struct device_piece *pieces, size_t n,
	size_t *failed)
{
	return move_allowed(d, TTSIM_READ, pieces, n, failed);
}

static int ttsim_scatter(struct device *d, const struct device_piece *pieces, size_t n,
	size_t *failed)
{
	return move_allowed(d, TTSIM_WRITE, pieces, n, failed);
}

static int ttsim_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	const struct device_piece piece = { at, words, n };
	size_t failed;

	return ttsim_gather(d, &piece, 1, &failed);
}

static int ttsim_write_block(struct device *d, struct reg_addr at, const uint32_t *words, size_t n)
{
	const struct device_piece piece = { at, (uint32_t *)(uintptr_t)words, n };
	size_t failed;

	return ttsim_scatter(d, &piece, 1, &failed);
}

static int ttsim_write(struct device *d, struct reg_addr at, uint32_t word)
{
	return ttsim_write_block(d, at, &word, 1);
}

static int ttsim_multicast(struct device *d, struct reg_rect to, uint64_t addr,
	const uint32_t *words, size_t n)
{
	const struct device_piece piece = { { REG_NOC, to.x1, to.y1, addr },
		(uint32_t *)(uintptr_t)words, n };
	const struct ttsim_card *c = d->priv;
	size_t failed;
	int r = usable(c);

	if (r == 0 && !access_multicast_allowed(d->chip, c->purpose, to, addr, n))
		r = -EPERM;
	return r < 0 ? r : move_pieces(d, TTSIM_WRITE, &piece, 1, &to, &failed);
}

/* The transport. */

#define DRIVER	 "2.10.0"		/* the version that is imitated */
#define PATIENCE (10 * CLOCK_SECOND)	/* one clock of a whole busy chip takes a second */
#define ENABLED	 0x06			/* of config byte 4 */
#define END_TIME (500 * CLOCK_MS)

/* TT_SMI_TTSIM_PATIENCE: the most seconds that a simulator may take for an answer. */
static int read_patience(struct ttsim *t, struct error *e)
{
	const char *text = getenv("TT_SMI_TTSIM_PATIENCE");

	t->patience = PATIENCE;
	if (text && *text && (!parse_seconds(text, &t->patience) || t->patience < CLOCK_MS))
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "TT_SMI_TTSIM_PATIENCE: '%.20s' is not "
			"a time in seconds", text);
	return 0;
}

static void shut_down(struct ttsim *t)
{
	for (size_t i = 0; i < t->n; i++)
		hang_up(&t->card[i]);
	child_end(&t->keeper, END_TIME);
	if (t->shared)
		mem_unshare(t->shared, t->n * sizeof(t->shared[0]));
	free(t);
}

static int ttsim_open(struct bus *bus, const char *where, struct error *e)
{
	struct ttsim *t = mem_calloc(1, sizeof(*t));
	const struct child_config how = { .run = ttsim_keeper_run, .arg = t,
		.dies_with_parent = true, .ignores_terminal = true };
	int r = ttsim_spec_parse(where, t, e);

	t->keeper.fd = -1;
	if (r == 0)
		r = read_patience(t, e);
	if (r == 0) {
		t->shared = mem_share(t->n * sizeof(t->shared[0]));
		for (size_t i = 0; i < t->n; i++) {
			t->card[i] = (struct ttsim_card){ .owner = t, .number = (unsigned)i,
				.path = t->path[i], .shared = &t->shared[i], .fd = -1 };
			/* Assumed to be up; the keeper corrects this before it matters. */
			atomic_store(&t->shared[i].life, 1);
			atomic_store(&t->shared[i].is_up, true);
		}
		r = child_start(&t->keeper, &how, e);
	}
	if (r < 0) {
		shut_down(t);
		return r;
	}
	bus->keep[bus->n_keep++] = t->keeper.fd;
	bus->priv = t;
	mem_copy_text(bus->driver, sizeof(bus->driver), DRIVER);
	return 0;
}

static void ttsim_close(struct bus *bus)
{
	if (bus->priv)
		shut_down(bus->priv);
}

static int read_config(struct ttsim_card *c, uint8_t space[DEVICE_CONFIG_SIZE])
{
	struct ttsim_message m = { .what = TTSIM_CONFIG_READ };
	int r = call(c, &m);

	if (r == 0 && m.n != TTSIM_CONFIG)
		r = -EPROTO;
	if (r < 0)
		return r;
	memcpy(space, m.words, DEVICE_CONFIG_SIZE);
	space[4] = (uint8_t)((atomic_load(&c->shared->is_enabled) ? ENABLED : 0) |
		(atomic_load(&c->shared->is_marked) ? DEVICE_CONFIG_MARKER : 0));
	return 0;
}

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

/* Fail with the reason why a card cannot be used, as far as it is known. */
static int fail_card(const struct ttsim_card *c, int code, struct error *e)
{
	if (!atomic_load(&c->shared->is_up) && c->shared->why.text[0])
		return fail_as(e, c->shared->why.word, code, "%s", c->shared->why.text);
	return fail(e, code, "the simulator %s: %s", strrchr(c->path, '/') + 1,
		code == -ETIMEDOUT ? "does not answer" : strerror(-code));
}

/* Only the first scan asks each library which chip it has. */
static ssize_t ttsim_scan(struct bus *bus, struct device *found, size_t max, struct error *e)
{
	struct ttsim *t = bus->priv;
	size_t n = 0;

	for (; n < t->n && n < max; n++) {
		struct ttsim_card *c = &t->card[n];
		uint8_t s[DEVICE_CONFIG_SIZE];
		struct device *d = &found[n];
		int r = bus->n ? 0 : read_config(c, s);

		if (r < 0)
			return fail_card(c, r, e);
		*d = bus->n ? bus->dev[n] : (struct device){ .local = -1, .node = (int)n,
			.chip = device_chip_of(get16(s + 2)), .vendor = get16(s),
			.device = get16(s + 2), .subsys_vendor = get16(s + 0x2c),
			.subsys_device = get16(s + 0x2e), .revision = s[8], .numa_node = -1 };
		snprintf(d->bdf, sizeof(d->bdf), "0000:%02x:00.0", (unsigned)n + 1);
		if (bus->n == 0)
			atomic_store(&c->shared->is_enabled, true);
		hang_up(c);
	}
	return (ssize_t)n;
}

static int ttsim_attach(struct device *d)
{
	struct ttsim *t = d->bus->priv;

	d->priv = &t->card[d->node];
	return 0;
}

static ssize_t ttsim_config(struct device *d, size_t offset, uint8_t *buf, size_t n)
{
	uint8_t space[DEVICE_CONFIG_SIZE];

	if (offset > sizeof(space))
		return 0;
	/* A simulator that has ended looks like a chip off the bus. */
	if (read_config(d->priv, space) < 0)
		memset(space, 0xff, sizeof(space));
	n = n < sizeof(space) - offset ? n : sizeof(space) - offset;
	memcpy(buf, space + offset, n);
	return (ssize_t)n;
}

static ssize_t ttsim_attr(struct device *d, enum attr a, char *buf, size_t size)
{
	uint8_t s[DEVICE_CONFIG_SIZE];
	int r;

	if (a != ATTR_CONFIG_ID)
		return -ENOENT;
	r = read_config(d->priv, s);
	if (r < 0)
		return r;
	return snprintf(buf, size, "%02x%02x%02x%02x", s[3], s[2], s[1], s[0]);
}

static int ttsim_acquire(struct device *d, enum access_purpose purpose, enum device_handle how,
	struct error *e)
{
	struct ttsim_card *c = d->priv;
	int r;

	(void)how;
	if (usable(c) != -EBADF)
		return access_serves(c->purpose, purpose) ? 0 :
			fail(e, -EBUSY, "%s is open for something else", d->bdf);
	if (d->bus->passive)
		return fail_as(e, CODE_LEFT_ALONE, -EPERM, "passive: only sysfs is read");
	if (purpose != ACCESS_RESET && atomic_load(&c->shared->is_shut))
		return fail_as(e, CODE_HELD, -ENODEV, DEVICE_SHUT);
	if (purpose != ACCESS_RESET && !atomic_load(&c->shared->is_up))
		return fail_card(c, -EIO, e);
	become_own(c);
	/* Check that it answers.  start_clock() does more once a core may need it. */
	r = purpose == ACCESS_BURN ? run_clock(c, false) : 0;
	if (r < 0)
		return fail_card(c, r, e);
	c->is_open = true;
	c->purpose = purpose;
	c->open_resets = atomic_load(&c->shared->resets);
	return 0;
}

static void ttsim_release(struct device *d)
{
	struct ttsim_card *c = d->priv;

	/* Hanging up stops the clock.  If it is not running, keep the socket for next time. */
	become_own(c);
	if (c->runs)
		hang_up(c);
	c->is_open = false;
}

/* Start a new simulator, so that no state of the chip survives. */
static int reset_chip(struct ttsim_card *c)
{
	int r;

	atomic_fetch_add(&c->shared->resets, 1);
	c->open_resets++;	/* this handle stays valid */
	atomic_store(&c->shared->is_shut, true);
	atomic_store(&c->shared->is_marked, true);
	r = restart(c);
	if (r < 0)
		return r;
	atomic_store(&c->shared->is_enabled, false);
	atomic_store(&c->shared->is_marked, false);
	return 0;
}

static int ttsim_reset(struct device *d, enum device_reset kind, uint32_t *result)
{
	struct ttsim_card *c = d->priv;
	int r = usable(c);

	if (r < 0)
		return r;
	if (c->purpose != ACCESS_RESET)
		return -EPERM;
	*result = 0;
	switch (kind) {
	case DEVICE_ASIC_RESET:
	case DEVICE_DMC_RESET:
		*result = reset_chip(c) < 0;
		return 0;
	case DEVICE_POST_RESET:
	case DEVICE_RESTORE_STATE:
		*result = !atomic_load(&c->shared->is_up);
		atomic_store(&c->shared->is_enabled, true);
		atomic_store(&c->shared->is_marked, false);
		atomic_store(&c->shared->is_shut, false);
		return 0;
	default:
		return -EINVAL;
	}
}

static ssize_t ttsim_holders(struct device *d, pid_t *pids, size_t max, bool *partial)
{
	(void)d, (void)pids, (void)max, (void)partial;
	return 0;
}

const struct transport_ops transport_ttsim = {
	.needs_no_lock = true,
	.name = "ttsim",
	.origin = &origin_ttsim,
	.is_still = true,
	.open = ttsim_open,
	.close = ttsim_close,
	.scan = ttsim_scan,
	.attach = ttsim_attach,
	.attr = ttsim_attr,
	.acquire = ttsim_acquire,
	.release = ttsim_release,
	.read = ttsim_read,
	.gather = ttsim_gather,
	.write = ttsim_write,
	.scatter = ttsim_scatter,
	.write_block = ttsim_write_block,
	.multicast = ttsim_multicast,
	.reset = ttsim_reset,
	.config = ttsim_config,
	.holders = ttsim_holders,
};
