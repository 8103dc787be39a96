/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttsim_io.c - loads and stores on a simulated chip, as messages to its process and calls there.
 *
 * A message takes the host as long as ten thousand loads over PCIe, so each one
 * carries as many words as possible.
 */
#include "config.h"

#include "base/clock.h"
#include "device/device.h"
#include "device/ttsim/ttsim.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

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
