/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttsim_call.c - the side of whoever touches a card: a socket to its simulator,
 * one request at a time, and a deadline for each.  After a deadline the socket
 * is given up, so a late answer meets nobody.
 */
#include "config.h"
#include "device/ttsim/ttsim.h"
#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define TOLD (2 * CLOCK_SECOND)	/* until the keeper has noted why a simulator ended */

/* A fork has the numbers of our descriptors, but not the descriptors. */
static void become_own(struct ttsim_card *c)
{
	if (c->pid == getpid())
		return;
	c->pid = getpid();
	c->fd = -1;
	c->is_open = c->runs = false;
}

void ttsim_hang_up(struct ttsim_card *c)
{
	become_own(c);
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	c->runs = false;
}

/* Our end of a new socket, of which the keeper got the other. */
static int knock(const struct ttsim_card *c, enum ttsim_wish wish)
{
	const struct ttsim_knock k = { .wish = wish, .card = c->number };
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	r = ttsim_fd_send(c->owner->keeper.fd, &k, sizeof(k), ends[1]);
	close(ends[1]);
	if (r == 0)
		return ends[0];
	close(ends[0]);
	return -EIO;
}

/* Bytes received, 0 at the end of the socket, -ETIMEDOUT. */
static ssize_t wait_message(int fd, void *to, size_t size, int64_t patience)
{
	int64_t until = clock_steady() + patience;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (;;) {
		int64_t left = until - clock_steady();
		int ready = left > 0 ? poll(&p, 1, (int)((left + CLOCK_MS - 1) / CLOCK_MS)) : 0;
		ssize_t r;

		if (ready == 0)
			return -ETIMEDOUT;
		if (ready < 0)
			continue;
		r = recv(fd, to, size, MSG_DONTWAIT);
		if (r >= 0 || (errno != EAGAIN && errno != EINTR))
			return r < 0 ? 0 : r;
	}
}

/* The simulator has ended: by when this returns, the card's reason says why. */
static int mourn(struct ttsim_card *c)
{
	const struct timespec pause = { .tv_nsec = CLOCK_MS };
	int64_t until = clock_steady() + TOLD;

	while (atomic_load(&c->shared->is_up) && atomic_load(&c->shared->life) == c->life &&
		clock_steady() < until)
		nanosleep(&pause, NULL);
	return -EIO;
}

static size_t length(const struct ttsim_request *q)
{
	bool brings = q->op == TTSIM_OP_WRITE || q->op == TTSIM_OP_MULTICAST;

	return TTSIM_REQUEST_HEAD + (brings ? 4 * (size_t)q->n : 0);
}

static int connect_to(struct ttsim_card *c)
{
	become_own(c);
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
	n = send(c->fd, q, length(q), MSG_NOSIGNAL | MSG_DONTWAIT);
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
