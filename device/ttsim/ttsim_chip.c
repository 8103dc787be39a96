/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttsim_chip.c - the process of one simulator.  It answers on every socket that
 * it gets, and runs the chip's clock while a client has asked for that.
 */
#include "config.h"
#include "device/ttsim/ttsim.h"
#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The first socket is the keeper's, the others belong to clients. */
struct chip {
	struct ttsim_lib *lib;
	struct pollfd polled[1 + TTSIM_CLIENTS];
	bool runs[1 + TTSIM_CLIENTS];
	size_t n;
	struct ttsim_request q;
	struct ttsim_answer a;
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
	ssize_t r = ttsim_fd_receive(c->polled[0].fd, &byte, 1, &fd);

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

static bool is_whole(const struct ttsim_request *q, ssize_t len)
{
	return len >= (ssize_t)TTSIM_REQUEST_HEAD && q->n <= TTSIM_WORDS &&
		(size_t)len == ttsim_request_size(q);
}

/* Returns false if this socket has become useless. */
static bool answer_client(struct chip *c, size_t i)
{
	ssize_t len = recv(c->polled[i].fd, &c->q, sizeof(c->q), MSG_DONTWAIT);

	if (len < 0)
		return errno == EAGAIN || errno == EINTR;
	if (!is_whole(&c->q, len))
		return false;
	c->a.n = 0;
	if (c->q.op == TTSIM_OP_RUN) {
		c->runs[i] = c->q.n == 1;
		c->a.result = 0;
	} else {
		c->a.result = ttsim_lib_serve(c->lib, &c->q, &c->a);
	}
	len = (ssize_t)(TTSIM_ANSWER_HEAD + 4 * c->a.n);
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

int ttsim_chip_run(void *arg, int fd)
{
	const struct ttsim_chip_config *config = arg;
	struct chip *c = mem_calloc(1, sizeof(*c));
	struct error e = { 0 };

	dup2(config->out, STDOUT_FILENO);
	dup2(config->out, STDERR_FILENO);
	close(config->out);
	prctl(PR_SET_NAME, "ttsim");
	c->lib = ttsim_lib_open(config->path, &e);
	if (!c->lib) {
		(void)!write(STDERR_FILENO, e.text, strlen(e.text));
		return 1;
	}
	c->polled[0] = (struct pollfd){ .fd = fd, .events = POLLIN };
	c->n = 1;
	serve_clients(c);
	return 0;
}
