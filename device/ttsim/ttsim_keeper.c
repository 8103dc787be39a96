/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttsim_keeper.c - the keeper, which starts the simulators, passes sockets on to
 * them, notes why one ended, and starts a new one for a reset; and their processes,
 * which load the simulator.
 *
 * The keeper never waits for a simulator to answer, so a reset also ends one that hangs.
 */
#include "config.h"

#include "base/clock.h"
#include "base/dl.h"
#include "base/mem.h"
#include "device/kind.h"
#include "device/ttsim/ttsim.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Messages, some of which carry a descriptor. */

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

/* *fd is -1 if none came. */
static ssize_t receive_fd(int socket, void *data, size_t n, int *fd)
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

struct ttsim_piece ttsim_piece(struct reg_addr at, size_t n)
{
	return (struct ttsim_piece){ .addr = at.addr, .n = (uint16_t)n,
		.space = (uint8_t)at.space, .to = { at.x, at.y, at.x, at.y } };
}

size_t ttsim_size(const struct ttsim_message *m)
{
	return offsetof(struct ttsim_message, words) + 4 * (size_t)m->n;
}

bool ttsim_is_whole(const struct ttsim_message *m, ssize_t len)
{
	return len >= (ssize_t)offsetof(struct ttsim_message, words) && m->n <= TTSIM_WORDS &&
		(size_t)len == ttsim_size(m);
}

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

struct ttsim_lib {
	void (*init)(void);
	uint32_t (*config)(uint32_t bdf, uint32_t offset);
	void (*load)(uint64_t at, void *to, uint32_t n);
	void (*store)(uint64_t at, const void *from, uint32_t n);
	void (*clock)(uint32_t n);
	const struct device_kind *kind;
	bool blackhole;
	uint64_t bar0;
	/* The targets of the window on a tile, and of the one on several. */
	struct {
		struct reg_rect to;
		uint64_t page;		/* UINT64_MAX: not yet known */
	} aim[2];
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
	l->aim[0].page = l->aim[1].page = UINT64_MAX;
	if (r == 0) {
		l->init();
		r = identify_chip(l, e);
	}
	if (r == 0)
		return l;
	free(l);
	return NULL;
}

static void put_register(struct ttsim_lib *l, uint64_t offset, uint32_t word)
{
	l->store(l->bar0 + TLB_REGS + offset, &word, sizeof(word));
}

/* Point the window on a tile, which is 0, or the one on several, 1. */
static void point(struct ttsim_lib *l, unsigned which, struct reg_rect to, uint64_t page)
{
	uint64_t x0 = which ? to.x0 : 0, y0 = which ? to.y0 : 0, x1 = to.x1, y1 = to.y1;

	if (l->blackhole) {
		uint64_t high = page >> 32 | x1 << 11 | y1 << 17 | x0 << 23 | y0 << 29 |
			(uint64_t)which << 37 | STRICT << 38;

		put_register(l, 12 * which, (uint32_t)page);
		put_register(l, 12 * which + 4, (uint32_t)high);
		put_register(l, 12 * which + 8, (uint32_t)(high >> 32));
	} else {
		uint64_t all = page | x1 << 15 | y1 << 21 | x0 << 27 | y0 << 33 |
			(uint64_t)which << 40 | STRICT << 41;

		put_register(l, 8 * (WH_FIRST + which), (uint32_t)all);
		put_register(l, 8 * (WH_FIRST + which) + 4, (uint32_t)(all >> 32));
	}
	l->aim[which].to = to;
	l->aim[which].page = page;
}

/* The BAR0 offset of a byte of a tile, or of the tiles of a multicast. */
static uint64_t window(struct ttsim_lib *l, const struct ttsim_piece *p, uint64_t addr)
{
	const uint64_t page = addr / WINDOW;

	if (l->aim[p->multicast].page != page ||
		memcmp(&l->aim[p->multicast].to, &p->to, sizeof(p->to)) != 0)
		point(l, p->multicast, p->to, page);
	return (l->blackhole ? 0 : WH_FIRST_AT) + (uint64_t)p->multicast * WINDOW + addr % WINDOW;
}

/* Memory can be accessed in any length, registers only word by word. */
static bool is_memory(const struct ttsim_lib *l, const struct ttsim_piece *p)
{
	bool arc = p->to.x1 == l->kind->arc_x && p->to.y1 == l->kind->arc_y;

	return p->space == REG_NOC && !arc && (p->addr < 0xff000000 || p->addr > UINT32_MAX);
}

void ttsim_lib_move(struct ttsim_lib *l, const struct ttsim_piece *p, uint32_t *out,
	const uint32_t *in)
{
	const bool bulk = is_memory(l, p);

	for (uint32_t i = 0, some; i < p->n; i += some) {
		uint64_t addr = p->addr + 4ULL * i;
		uint64_t left = (WINDOW - addr % WINDOW) / 4;
		uint64_t at = l->bar0 + (p->space == REG_BAR0 ? addr : window(l, p, addr));

		some = !bulk ? 1 : left < p->n - i ? (uint32_t)left : p->n - i;
		if (out)
			l->load(at, out + i, some * 4);
		else
			l->store(at, in + i, some * 4);
	}
}

/* Read the words of each piece into the answer, or write those that follow it. */
static int serve_pieces(struct ttsim_lib *l, const struct ttsim_message *q, struct ttsim_message *a)
{
	const bool reads = q->what == TTSIM_READ;

	for (uint32_t i = 0; i + TTSIM_PIECE <= q->n;) {
		struct ttsim_piece p;

		memcpy(&p, q->words + i, sizeof(p));
		i += TTSIM_PIECE;
		if (p.n > (reads ? TTSIM_WORDS - a->n : q->n - i))
			return -EINVAL;
		ttsim_lib_move(l, &p, reads ? a->words + a->n : NULL, q->words + i);
		*(reads ? &a->n : &i) += p.n;
	}
	return 0;
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

/*
 * The process of one simulator.  It answers on every socket that it gets, and runs the chip's
 * clock while a client has asked for that.
 */

/* The first socket is the keeper's, the others belong to clients. */
struct chip {
	struct ttsim_lib *lib;
	struct pollfd polled[1 + TTSIM_CLIENTS];
	bool runs[1 + TTSIM_CLIENTS];
	size_t n;
	struct ttsim_message q, a;
};

static void drop_client(struct chip *c, size_t i)
{
	close(c->polled[i].fd);
	c->n--;
	c->polled[i] = c->polled[c->n];
	c->runs[i] = c->runs[c->n];
}

/* Returns false once the keeper has ended. */
static bool take_socket(struct chip *c)
{
	char byte;
	int fd;
	ssize_t r = receive_fd(c->polled[0].fd, &byte, 1, &fd);

	if (r == 0 || (r < 0 && r != -EAGAIN && r != -EINTR))
		return false;
	if (fd < 0)
		return true;
	if (c->n == 1 + TTSIM_CLIENTS) {
		close(fd);
		return true;
	}
	c->polled[c->n] = (struct pollfd){ .fd = fd, .events = POLLIN };
	c->runs[c->n++] = false;
	return true;
}

/* Carry out the request of a client; returns 0 or -errno. */
static int serve_client(struct chip *c, size_t i)
{
	c->a.n = 0;
	switch (c->q.what) {
	case TTSIM_CONFIG_READ:
		for (; c->a.n < TTSIM_CONFIG; c->a.n++)
			c->a.words[c->a.n] = c->lib->config(0, 4 * c->a.n);
		return 0;
	case TTSIM_READ:
	case TTSIM_WRITE:
		return serve_pieces(c->lib, &c->q, &c->a);
	case TTSIM_RUN:
	case TTSIM_STOP:
		c->runs[i] = c->q.what == TTSIM_RUN;
		return 0;
	default:
		return -EINVAL;
	}
}

/* Returns false if this socket has become useless. */
static bool answer_client(struct chip *c, size_t i)
{
	ssize_t len = recv(c->polled[i].fd, &c->q, sizeof(c->q), MSG_DONTWAIT);

	if (len < 0)
		return errno == EAGAIN || errno == EINTR;
	if (!ttsim_is_whole(&c->q, len))
		return false;
	c->a.what = serve_client(c, i);
	len = (ssize_t)ttsim_size(&c->a);
	return send(c->polled[i].fd, &c->a, (size_t)len, MSG_NOSIGNAL | MSG_DONTWAIT) == len;
}

static bool is_running(const struct chip *c)
{
	for (size_t i = 1; i < c->n; i++)
		if (c->runs[i])
			return true;
	return false;
}

static void serve_clients(struct chip *c)
{
	for (;;) {
		bool runs = is_running(c);
		int ready = clock_wait(c->polled, c->n, runs ? 0 : INT64_MAX);

		if (ready < 0 && ready != -EINTR)
			return;
		for (size_t i = c->n; ready > 0 && i-- > 1;)
			if (c->polled[i].revents && !answer_client(c, i))
				drop_client(c, i);
		if (ready > 0 && c->polled[0].revents && !take_socket(c))
			return;
		if (runs)
			ttsim_lib_run(c->lib);
	}
}

/* Its output also goes to the keeper's socket. */
static int chip_run(void *path, int fd)
{
	struct chip *c = mem_calloc(1, sizeof(*c));
	struct error e = { 0 };

	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	prctl(PR_SET_NAME, "ttsim");
	c->lib = ttsim_lib_open(path, &e);
	if (!c->lib) {
		(void)!write(STDERR_FILENO, e.text, strlen(e.text));
		return 1;
	}
	c->polled[0] = (struct pollfd){ .fd = fd, .events = POLLIN };
	c->n = 1;
	serve_clients(c);
	return 0;
}

/* The keeper. */

#define GOODBYE (50 * CLOCK_MS)
#define REAPED (500 * CLOCK_MS)	/* for a process to end after its socket was closed */

struct simulator {
	struct child child;	/* fd is -1 if there is no simulator */
	char line[1024];	/* the last line of its output, whole or not */
	size_t len;
	bool begins;		/* the next byte begins a new line */
};

struct keeper {
	struct ttsim *t;
	struct simulator sim[TTSIM_CARDS];
};

/* Keep the last line that is not empty, as the reason for an end; false at the end of output. */
static bool note_output(struct simulator *s)
{
	char text[1 << 15];
	ssize_t n;

	/* One that ended with a request unread resets the socket once; what it said follows. */
	while ((n = recv(s->child.fd, text, sizeof(text), MSG_DONTWAIT)) > 0 ||
		(n < 0 && errno == ECONNRESET))
		for (ssize_t i = 0; i < n; i++) {
			if (text[i] == '\n') {
				s->begins = true;
				continue;
			}
			if (s->begins)
				s->len = 0;
			s->begins = false;
			if (s->len < sizeof(s->line) - 1)
				s->line[s->len++] = text[i];
			s->line[s->len] = '\0';
		}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void describe_end(const struct simulator *s, const char *path, struct error *e)
{
	const char *name = strrchr(path, '/') + 1;
	int status = s->child.status;

	if (s->child.pid == 0 && WIFSIGNALED(status))
		fail_as(e, CODE_LOAD_ENDED, -EIO, "the simulator %s was ended by signal %d "
			"(%s)%s%s",
			name, WTERMSIG(status), strsignal(WTERMSIG(status)), s->len ? ": " : "",
			s->line);
	else if (s->len)
		fail_as(e, CODE_LOAD_ENDED, -EIO, "the simulator %s has ended: %s", name, s->line);
	else
		fail_as(e, CODE_LOAD_ENDED, -EIO, "the simulator %s has ended (exit status %d) and "
			"said nothing", name, WEXITSTATUS(status));
}

/* Reap a simulator that has ended, or end it now; its last line gives the reason. */
static void bury(struct keeper *k, size_t i)
{
	struct ttsim_shared *shared = &k->t->shared[i];
	struct simulator *s = &k->sim[i];

	child_end(&s->child, REAPED);
	describe_end(s, k->t->path[i], &shared->why);
	atomic_store(&shared->is_up, false);
}

static int start_simulator(struct keeper *k, size_t i)
{
	struct ttsim_shared *shared = &k->t->shared[i];
	struct simulator *s = &k->sim[i];
	const struct child_config how = { .run = chip_run, .arg = k->t->path[i],
		.dies_with_parent = true, .ignores_terminal = true };
	int r;

	*s = (struct simulator){ .len = 0 };
	r = child_start(&s->child, &how, &shared->why);
	if (r < 0)
		s->child.fd = -1;
	atomic_store(&shared->is_up, r == 0);
	return r;
}

static int restart(struct keeper *k, size_t i)
{
	if (k->sim[i].child.fd >= 0) {
		child_kill(&k->sim[i].child);
		bury(k, i);
	}
	atomic_fetch_add(&k->t->shared[i].life, 1);
	return start_simulator(k, i);
}

/* Returns false once no process has the door's other end. */
static bool answer_door(struct keeper *k, int door)
{
	struct ttsim_knock knock;
	int32_t result;
	int fd;
	ssize_t r = receive_fd(door, &knock, sizeof(knock), &fd);

	if (r == 0 || (r < 0 && r != -EAGAIN && r != -EINTR))
		return false;
	if (r == (ssize_t)sizeof(knock) && fd >= 0 && knock.card < k->t->n) {
		struct simulator *s = &k->sim[knock.card];

		/* Without a simulator we close fd, and the caller sees the socket end. */
		if (knock.wish == TTSIM_CONNECT && s->child.fd >= 0) {
			ttsim_fd_send(s->child.fd, "", 1, fd);
		} else if (knock.wish == TTSIM_RESTART) {
			result = restart(k, knock.card);
			(void)!send(fd, &result, sizeof(result), MSG_NOSIGNAL | MSG_DONTWAIT);
		}
	}
	if (fd >= 0)
		close(fd);
	return true;
}

int ttsim_keeper_run(void *arg, int door)
{
	static struct keeper k;
	struct pollfd polled[1 + TTSIM_CARDS];
	struct child *all[TTSIM_CARDS];
	int r;

	k.t = arg;
	for (size_t i = 0; i < k.t->n; i++)
		start_simulator(&k, i);
	do {
		for (size_t i = 0; i < k.t->n; i++)
			polled[i] = (struct pollfd){ .fd = k.sim[i].child.fd, .events = POLLIN };
		polled[k.t->n] = (struct pollfd){ .fd = door, .events = POLLIN };
		r = clock_wait(polled, k.t->n + 1, INT64_MAX);
		if (r < 0 && r != -EINTR)
			break;
		for (size_t i = 0; i < k.t->n; i++)
			if (polled[i].revents && !note_output(&k.sim[i]))
				bury(&k, i);
	} while (!polled[k.t->n].revents || answer_door(&k, door));
	for (size_t i = 0; i < k.t->n; i++)
		all[i] = &k.sim[i].child;
	child_end_all(all, k.t->n, GOODBYE);
	return 0;
}
