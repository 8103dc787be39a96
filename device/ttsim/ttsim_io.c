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

int ttsim_call(struct ttsim_card *c, struct ttsim_message *m)
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

/* Called rarely: keep its large message off the callers' stacks. */
__attribute__((noinline)) int ttsim_run_clock(struct ttsim_card *c, bool on)
{
	struct ttsim_message m = { .what = on ? TTSIM_RUN : TTSIM_STOP };
	int r = ttsim_call(c, &m);

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
	return ttsim_run_clock(c, true);
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
			r = ttsim_call(d->priv, &m);
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
	const int r = ttsim_usable(c);
	/* A closed handle has no purpose; assume the one that allows least. */
	const enum access_purpose purpose = r == -EBADF ? ACCESS_TELEMETRY : c->purpose;

	for (*failed = 0; *failed < n; ++*failed)
		if (!access_allowed(d->chip, purpose, pieces[*failed].at, pieces[*failed].n,
			op == TTSIM_WRITE))
			return -EPERM;
	*failed = 0;
	return r < 0 ? r : move_pieces(d, op, pieces, n, NULL, failed);
}

int ttsim_gather(struct device *d, const struct device_piece *pieces, size_t n, size_t *failed)
{
	return move_allowed(d, TTSIM_READ, pieces, n, failed);
}

int ttsim_scatter(struct device *d, const struct device_piece *pieces, size_t n, size_t *failed)
{
	return move_allowed(d, TTSIM_WRITE, pieces, n, failed);
}

int ttsim_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	const struct device_piece piece = { at, words, n };
	size_t failed;

	return ttsim_gather(d, &piece, 1, &failed);
}

int ttsim_write_block(struct device *d, struct reg_addr at, const uint32_t *words, size_t n)
{
	const struct device_piece piece = { at, (uint32_t *)(uintptr_t)words, n };
	size_t failed;

	return ttsim_scatter(d, &piece, 1, &failed);
}

int ttsim_write(struct device *d, struct reg_addr at, uint32_t word)
{
	return ttsim_write_block(d, at, &word, 1);
}

int ttsim_multicast(struct device *d, struct reg_rect to, uint64_t addr,
	const uint32_t *words, size_t n)
{
	const struct device_piece piece = { { REG_NOC, to.x1, to.y1, addr },
		(uint32_t *)(uintptr_t)words, n };
	const struct ttsim_card *c = d->priv;
	size_t failed;
	int r = ttsim_usable(c);

	if (r == 0 && !access_multicast_allowed(d->chip, c->purpose, to, addr, n))
		r = -EPERM;
	return r < 0 ? r : move_pieces(d, TTSIM_WRITE, &piece, 1, &to, &failed);
}
