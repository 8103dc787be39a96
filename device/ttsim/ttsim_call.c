/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttsim_call.c - the client side of a card: a socket to its simulator, one
 * request at a time, and a timeout for each.  After a timeout the socket is
 * closed, so that a late answer is not read as the next one.
 */
#include "config.h"
#include "device/ttsim/ttsim.h"
#include "base/clock.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

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
