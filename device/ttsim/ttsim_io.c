/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttsim_io.c - loads and stores on a simulated chip, as messages to its process and calls there.
 *
 * A message takes the host as long as ten thousand loads over PCIe, so each one
 * carries as many words as possible.
 */
#include "config.h"

#include "base/clock.h"
#include "base/dl.h"
#include "base/mem.h"
#include "device/device.h"
#include "device/kind.h"
#include "device/ttsim/ttsim.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/*
 * The simulator's C interface, and its chip behind the windows of BAR0 (facts: the
 * simulator's docs/libttsim_api.md; burn-in study 4.1).
 *
 * Two windows of 2 MiB are enough: one on a tile, one on a rectangle.  All accesses
 * have passed access_allowed(); one that the simulator does not model ends the process.
 */

#define BAR0	     0x10		/* in config space; the high half follows */
#define TLB_REGS     0x1fc00000u	/* in BAR0 */
#define WINDOW	     0x200000u
#define WH_FIRST     156		/* first window of this size, and its address */
#define WH_FIRST_AT  0x9c00000u
#define STRICT	     1ULL
#define SLICE	     (5 * CLOCK_MS)	/* run clocks this long, then poll the sockets */
#define CLOCKS_MAX   100000u

/* The target of a window. */
struct aim {
	bool multicast;
	struct reg_rect to;
	uint64_t page;
};

struct ttsim_lib {
	void (*init)(void);
	uint32_t (*config)(uint32_t bdf, uint32_t offset);
	void (*load)(uint64_t at, void *to, uint32_t n);
	void (*store)(uint64_t at, const void *from, uint32_t n);
	void (*clock)(uint32_t n);
	const struct device_kind *kind;
	bool blackhole;
	uint64_t bar0;
	struct aim aim[2];		/* of the window on a tile, and of the one on several */
	bool aimed[2];
	uint32_t clocks;		/* how many take about a slice */
};

static int find_all(struct ttsim_lib *l, void *handle, struct error *e)
{
	const struct dl_slot slots[] = {
		{ "libttsim_init", &l->init },
		{ "libttsim_pci_config_rd32", &l->config },
		{ "libttsim_pci_mem_rd_bytes", &l->load },
		{ "libttsim_pci_mem_wr_bytes", &l->store },
		{ "libttsim_clock", &l->clock },
	};
	const char *missing = dl_fill(handle, slots, ARRAY_LEN(slots));

	return missing ? fail_as(e, CODE_INVALID, -ENOENT, "is not a chip simulator: it has no "
		"%s()",
		missing) : 0;
}

/* Find out which chip the initialised library has. */
static int identify_chip(struct ttsim_lib *l, struct error *e)
{
	uint32_t id = l->config(0, 0);

	if (l->config(1 << 3, 0) != UINT32_MAX)
		return fail(e, -EOPNOTSUPP,
			"has several PCI functions: only single-chip builds are served");
	l->kind = kind_of(device_chip_of((uint16_t)(id >> 16)));
	l->blackhole = l->kind == &kind_blackhole;
	if ((id & 0xffff) != DEVICE_VENDOR || (!l->blackhole && l->kind != &kind_wormhole))
		return fail(e, -EOPNOTSUPP, "has an unknown chip: PCI id %04x:%04x", id & 0xffff,
			id >> 16);
	l->bar0 = (uint64_t)l->config(0, BAR0 + 4) << 32 | (l->config(0, BAR0) & ~0xfu);
	return 0;
}

struct ttsim_lib *ttsim_lib_open(const char *path, struct error *e)
{
	struct ttsim_lib *l = mem_calloc(1, sizeof(*l));
	const char *why;
	void *handle = dl_open(path, &why);
	int r = handle ? find_all(l, handle, e) : fail_as(e, CODE_NO_LIBRARY, -ENOENT, "cannot be "
		"loaded: %s", why);

	l->clocks = 1;
	if (r == 0) {
		l->init();
		r = identify_chip(l, e);
	}
	if (r == 0)
		return l;
	free(l);
	return NULL;
}

static void ttsim_put_register(struct ttsim_lib *l, uint64_t offset, uint32_t word)
{
	l->store(l->bar0 + offset, &word, sizeof(word));
}

static void point(struct ttsim_lib *l, unsigned which, const struct aim *aim)
{
	uint64_t x1 = aim->to.x1, y1 = aim->to.y1;
	uint64_t x0 = aim->multicast ? aim->to.x0 : 0, y0 = aim->multicast ? aim->to.y0 : 0;

	if (l->blackhole) {
		uint64_t high = aim->page >> 32 | x1 << 11 | y1 << 17 | x0 << 23 | y0 << 29 |
			(uint64_t)aim->multicast << 37 | STRICT << 38;

		ttsim_put_register(l, TLB_REGS + 12 * which, (uint32_t)aim->page);
		ttsim_put_register(l, TLB_REGS + 12 * which + 4, (uint32_t)high);
		ttsim_put_register(l, TLB_REGS + 12 * which + 8, (uint32_t)(high >> 32));
	} else {
		uint64_t all = aim->page | x1 << 15 | y1 << 21 | x0 << 27 | y0 << 33 |
			(uint64_t)aim->multicast << 40 | STRICT << 41;

		ttsim_put_register(l, TLB_REGS + 8 * (WH_FIRST + which), (uint32_t)all);
		ttsim_put_register(l, TLB_REGS + 8 * (WH_FIRST + which) + 4, (uint32_t)(all >> 32));
	}
	l->aim[which] = *aim;
	l->aimed[which] = true;
}

/* The BAR0 offset of a byte of a tile, or of the tiles of a rectangle. */
static uint64_t window(struct ttsim_lib *l, const struct reg_rect *to, bool multicast,
	uint64_t addr)
{
	const struct aim aim = { .multicast = multicast, .to = *to, .page = addr / WINDOW };
	const struct aim *is = &l->aim[multicast];

	if (!l->aimed[multicast] || is->page != aim.page ||
		memcmp(&is->to, &aim.to, sizeof(aim.to)) != 0)
		point(l, multicast, &aim);
	return (l->blackhole ? 0 : WH_FIRST_AT) + (uint64_t)multicast * WINDOW + addr % WINDOW;
}

/* Memory can be accessed in any length, registers only word by word. */
static bool is_memory(const struct ttsim_lib *l, const struct reg_addr *at)
{
	bool arc = at->x == l->kind->arc_x && at->y == l->kind->arc_y;

	return at->space == REG_NOC && !arc && (at->addr < 0xff000000 || at->addr > UINT32_MAX);
}

/* Read n words to `out`, or write them from `in`; if `to` is not NULL, on that rectangle. */
static void move_words(struct ttsim_lib *l, struct reg_addr from, const struct reg_rect *to,
	uint32_t n, uint32_t *out, const uint32_t *in)
{
	const struct reg_rect tile = { from.x, from.y, from.x, from.y };
	const bool bulk = is_memory(l, &from);

	for (uint32_t i = 0, piece; i < n; i += piece) {
		uint64_t addr = from.addr + 4ULL * i;
		uint64_t left = (WINDOW - addr % WINDOW) / 4;
		uint64_t at = l->bar0 + (from.space == REG_BAR0 ? addr
			: window(l, to ? to : &tile, to, addr));

		piece = !bulk ? 1 : left < n - i ? (uint32_t)left : n - i;
		if (out)
			l->load(at, out + i, piece * 4);
		else
			l->store(at, in + i, piece * 4);
	}
}

/* Read the words of each piece into the answer, or write those that follow it. */
static int serve_pieces(struct ttsim_lib *l, const struct ttsim_request *q, struct ttsim_answer *a)
{
	const bool reads = q->op == TTSIM_OP_GATHER;
	uint32_t n = 0;

	for (uint32_t i = 0; i + TTSIM_PIECE <= q->n;) {
		struct ttsim_piece p;
		struct reg_addr at;

		memcpy(&p, q->words + i, sizeof(p));
		i += TTSIM_PIECE;
		if (p.n > (reads ? TTSIM_WORDS - n : q->n - i))
			return -EINVAL;
		at = (struct reg_addr){ (enum reg_space)p.space, p.x, p.y, p.addr };
		move_words(l, at, NULL, p.n, reads ? a->words + n : NULL, q->words + i);
		n += reads ? p.n : 0;
		i += reads ? 0 : p.n;
	}
	a->n = n;
	return 0;
}

int ttsim_lib_serve(struct ttsim_lib *l, const struct ttsim_request *q, struct ttsim_answer *a)
{
	a->n = 0;
	switch (q->op) {
	case TTSIM_OP_CONFIG:
		for (a->n = 0; a->n < TTSIM_CONFIG; a->n++)
			a->words[a->n] = l->config(0, 4 * a->n);
		return 0;
	case TTSIM_OP_READ:
		a->n = q->n;
		move_words(l, q->at, NULL, q->n, a->words, NULL);
		return 0;
	case TTSIM_OP_GATHER:
	case TTSIM_OP_SCATTER:
		return serve_pieces(l, q, a);
	case TTSIM_OP_WRITE:
		move_words(l, q->at, NULL, q->n, NULL, q->words);
		return 0;
	case TTSIM_OP_MULTICAST:
		move_words(l, q->at, &q->to, q->n, NULL, q->words);
		return 0;
	default:
		return -EINVAL;
	}
}

/* Adapt the number of clocks to SLICE: one takes from microseconds to a second. */
void ttsim_lib_run(struct ttsim_lib *l)
{
	int64_t began = clock_steady(), took;

	l->clock(l->clocks);
	took = clock_steady() - began;
	if (took < SLICE / 2 && l->clocks < CLOCKS_MAX)
		l->clocks *= 2;
	else if (took > SLICE && l->clocks > 1)
		l->clocks /= 2;
}

/* Messages that carry a descriptor. */

union room {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int ttsim_fd_send(int socket, const void *data, size_t n, int fd)
{
	union room room = { .bytes = { 0 } };
	struct iovec v = { .iov_base = (void *)(uintptr_t)data, .iov_len = n };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = room.bytes,
		.msg_controllen = sizeof(room.bytes) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(socket, &m, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)n ? 0 : -errno;
}

ssize_t ttsim_fd_receive(int socket, void *data, size_t n, int *fd)
{
	union room room;
	struct iovec v = { .iov_base = data, .iov_len = n };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = room.bytes,
		.msg_controllen = sizeof(room.bytes) };
	ssize_t r = recvmsg(socket, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	struct cmsghdr *c = r >= 0 ? CMSG_FIRSTHDR(&m) : NULL;

	*fd = -1;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		c->cmsg_len == CMSG_LEN(sizeof(*fd)))
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	return r < 0 ? -errno : r;
}

/*
 * The client side of a card: a socket to its simulator, one request at a time, and a timeout for
 * each.  After a timeout the socket is closed, so that a late answer is not read as the next one.
 */

#define TOLD (2 * CLOCK_SECOND)	/* for the keeper to note why a simulator ended */

/* A child process has the numbers of our descriptors, but not the open descriptors. */
void ttsim_become_own(struct ttsim_card *c)
{
	if (c->pid == getpid())
		return;
	c->pid = getpid();
	c->fd = -1;
	c->is_open = c->runs = false;
}

void ttsim_hang_up(struct ttsim_card *c)
{
	ttsim_become_own(c);
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

size_t ttsim_request_size(const struct ttsim_request *q)
{
	bool brings = q->op == TTSIM_OP_WRITE || q->op == TTSIM_OP_MULTICAST ||
		q->op == TTSIM_OP_GATHER || q->op == TTSIM_OP_SCATTER;

	return TTSIM_REQUEST_HEAD + (brings ? 4 * (size_t)q->n : 0);
}

static int connect_to(struct ttsim_card *c)
{
	ttsim_become_own(c);
	if (c->fd >= 0 && c->life == atomic_load(&c->shared->life))
		return 0;
	ttsim_hang_up(c);
	c->life = atomic_load(&c->shared->life);
	c->fd = knock(c, TTSIM_CONNECT);
	return c->fd < 0 ? c->fd : 0;
}

int ttsim_call(struct ttsim_card *c, const struct ttsim_request *q, struct ttsim_answer *a)
{
	int r = connect_to(c);
	ssize_t n;

	if (r < 0)
		return r;
	n = send(c->fd, q, ttsim_request_size(q), MSG_NOSIGNAL | MSG_DONTWAIT);
	n = n < 0 ? 0 : wait_message(c->fd, a, sizeof(*a), c->owner->patience);
	if (n == 0)
		r = mourn(c);
	else if (n < 0)
		r = (int)n;
	else if ((size_t)n < TTSIM_ANSWER_HEAD || a->n > TTSIM_WORDS ||
		(size_t)n != TTSIM_ANSWER_HEAD + 4 * (size_t)a->n)
		r = -EPROTO;
	else
		return a->result;
	ttsim_hang_up(c);
	return r;
}

int ttsim_restart(struct ttsim_card *c)
{
	int32_t result;
	int fd, r;

	ttsim_hang_up(c);
	fd = knock(c, TTSIM_RESTART);
	if (fd < 0)
		return fd;
	r = wait_message(fd, &result, sizeof(result), c->owner->patience) == sizeof(result)
		? result : -EIO;
	close(fd);
	return r;
}

/* The operations of the transport. */

int ttsim_usable(const struct ttsim_card *c)
{
	if (c->pid != getpid() || !c->is_open)
		return -EBADF;
	if (c->open_resets != atomic_load(&c->shared->resets))
		return -ENODEV;
	return atomic_load(&c->shared->is_shut) && c->purpose != ACCESS_RESET ? -ENODEV : 0;
}

/* Called rarely: keep its large messages off the callers' stacks. */
__attribute__((noinline)) int ttsim_run_clock(struct ttsim_card *c, bool on)
{
	const struct ttsim_request q = { .op = TTSIM_OP_RUN, .n = on };
	struct ttsim_answer a;
	int r = ttsim_call(c, &q, &a);

	c->runs = r == 0 && on;
	return r;
}

/* A closed handle has no purpose; assume the one that allows least. */
static enum access_purpose purpose_of(const struct ttsim_card *c)
{
	return ttsim_usable(c) == -EBADF ? ACCESS_TELEMETRY : c->purpose;
}

static int reach(const struct device *d, const struct ttsim_card *c, struct reg_addr at, size_t n,
	bool store)
{
	return access_allowed(d->chip, purpose_of(c), at, n, store) ? ttsim_usable(c) : -EPERM;
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
	return ttsim_run_clock(c, true);
}

/* Read words to `to`, or write them from `from`, in as many messages as needed. */
static int transfer(struct device *d, struct ttsim_request *q, const uint32_t *from,
	uint32_t *to, size_t n)
{
	struct ttsim_card *c = d->priv;
	struct ttsim_answer a;
	int r = start_clock(d, q->at);

	while (r == 0 && n > 0) {
		q->n = n < TTSIM_WORDS ? (uint32_t)n : TTSIM_WORDS;
		if (from)
			memcpy(q->words, from, 4 * (size_t)q->n);
		r = ttsim_call(c, q, &a);
		if (r == 0 && a.n != (to ? q->n : 0))
			r = -EPROTO;
		if (r < 0)
			break;
		if (to)
			memcpy(to, a.words, 4 * (size_t)q->n);
		to = to ? to + q->n : NULL;
		from = from ? from + q->n : NULL;
		n -= q->n;
		q->at.addr += 4 * (uint64_t)q->n;
	}
	return r;
}

int ttsim_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	struct ttsim_request q = { .op = TTSIM_OP_READ, .at = at };
	int r = reach(d, d->priv, at, n, false);

	return r < 0 ? r : transfer(d, &q, NULL, words, n);
}

/* How many of the pieces fit into one message and its answer; *words is the size of their data. */
static size_t count_fitting(enum ttsim_op op, const struct device_piece *pieces, size_t n,
	size_t *words)
{
	size_t k = 0;

	for (*words = 0; k < n; k++) {
		const size_t data = *words + pieces[k].n, heads = (k + 1) * TTSIM_PIECE;

		if (data > TTSIM_WORDS || heads > TTSIM_WORDS ||
			(op == TTSIM_OP_SCATTER && heads + data > TTSIM_WORDS))
			break;
		*words = data;
	}
	return k;
}

static void put_piece(struct ttsim_request *q, const struct device_piece *piece)
{
	const struct ttsim_piece p = { .addr = piece->at.addr, .n = (uint32_t)piece->n,
		.x = piece->at.x, .y = piece->at.y, .space = (uint16_t)piece->at.space };

	memcpy(q->words + q->n, &p, sizeof(p));
	q->n += TTSIM_PIECE;
	if (q->op != TTSIM_OP_SCATTER)
		return;
	memcpy(q->words + q->n, piece->words, 4 * piece->n);
	q->n += p.n;
}

static int send_pieces(struct ttsim_card *c, enum ttsim_op op, const struct device_piece *pieces,
	size_t n, size_t words)
{
	struct ttsim_request q = { .op = op };
	struct ttsim_answer a;
	const uint32_t *from = a.words;
	int r;

	for (size_t i = 0; i < n; i++)
		put_piece(&q, &pieces[i]);
	r = ttsim_call(c, &q, &a);
	if (r == 0 && a.n != (op == TTSIM_OP_GATHER ? words : 0))
		r = -EPROTO;
	for (size_t i = 0; r == 0 && op == TTSIM_OP_GATHER && i < n; from += pieces[i++].n)
		memcpy(pieces[i].words, from, 4 * pieces[i].n);
	return r;
}

static int move_pieces(struct device *d, enum ttsim_op op, const struct device_piece *pieces,
	size_t n, size_t *failed)
{
	struct ttsim_card *c = d->priv;
	const enum access_purpose purpose = purpose_of(c);
	const bool stores = op == TTSIM_OP_SCATTER;
	int r = ttsim_usable(c);

	for (*failed = 0; *failed < n; ++*failed)
		if (!access_allowed(d->chip, purpose, pieces[*failed].at, pieces[*failed].n,
			stores))
			return -EPERM;
	for (size_t i = 0, some, words; r == 0 && i < n; i += some ? some : 1) {
		*failed = i;
		some = count_fitting(op, pieces + i, n - i, &words);
		r = start_clock(d, pieces[i].at);
		if (r == 0 && some > 0)
			r = send_pieces(c, op, pieces + i, some, words);
		else if (r == 0 && stores)
			r = ttsim_write_block(d, pieces[i].at, pieces[i].words, pieces[i].n);
		else if (r == 0)
			r = ttsim_read(d, pieces[i].at, pieces[i].words, pieces[i].n);
	}
	return r;
}

int ttsim_gather(struct device *d, const struct device_piece *pieces, size_t n, size_t *failed)
{
	return move_pieces(d, TTSIM_OP_GATHER, pieces, n, failed);
}

int ttsim_scatter(struct device *d, const struct device_piece *pieces, size_t n, size_t *failed)
{
	return move_pieces(d, TTSIM_OP_SCATTER, pieces, n, failed);
}

int ttsim_write_block(struct device *d, struct reg_addr at, const uint32_t *words, size_t n)
{
	struct ttsim_request q = { .op = TTSIM_OP_WRITE, .at = at };
	int r = reach(d, d->priv, at, n, true);

	return r < 0 ? r : transfer(d, &q, words, NULL, n);
}

int ttsim_write(struct device *d, struct reg_addr at, uint32_t word)
{
	return ttsim_write_block(d, at, &word, 1);
}

int ttsim_multicast(struct device *d, struct reg_rect to, uint64_t addr,
	const uint32_t *words, size_t n)
{
	struct ttsim_request q = { .op = TTSIM_OP_MULTICAST, .to = to,
		.at = { REG_NOC, to.x1, to.y1, addr } };
	struct ttsim_card *c = d->priv;
	int r = ttsim_usable(c);

	if (r < 0)
		return r;
	if (!access_multicast_allowed(d->chip, c->purpose, to, addr, n))
		return -EPERM;
	return transfer(d, &q, words, NULL, n);
}
