/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttsim_keeper.c - the keeper, which starts the simulators, passes sockets on to
 * them, notes why one ended, and starts a new one for a reset; and their processes.
 *
 * The keeper never waits for a simulator to answer, so a reset also ends one that hangs.
 */
#include "config.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "device/ttsim/ttsim.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The process of one simulator.  It answers on every socket that it gets, and runs the chip's
 * clock while a client has asked for that.
 */

struct ttsim_chip_config {
	const char *path;
	int out;			/* for its output */
};

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

static int ttsim_chip_run(void *arg, int fd)
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

/* The keeper. */

#define GOODBYE (50 * CLOCK_MS)
#define REAPED (500 * CLOCK_MS)	/* for a process to end after its socket was closed */

struct simulator {
	struct child child;
	int out;		/* its output, or -1 if there is no simulator */
	char line[128];		/* the last line of its output, whole or not */
	size_t len;
	bool begins;		/* the next byte begins a new line */
};

struct keeper {
	struct ttsim *t;
	struct simulator sim[TTSIM_CARDS];
};

/* Keep the last line that is not empty: there a simulator says why it gives up. */
static void note_output(struct simulator *s)
{
	char text[512];
	ssize_t n;

	while ((n = read(s->out, text, sizeof(text))) > 0)
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
	struct error e;

	if (s->out < 0)
		return;
	child_end(&s->child, REAPED);
	note_output(s);
	close(s->out);
	s->out = -1;
	describe_end(s, k->t->path[i], &e);
	shared->why = e;
	atomic_store(&shared->is_up, false);
}

static int keeper_start_simulator(struct keeper *k, size_t i)
{
	struct ttsim_shared *shared = &k->t->shared[i];
	struct simulator *s = &k->sim[i];
	struct ttsim_chip_config config = { .path = k->t->path[i] };
	struct child_config how = { .run = ttsim_chip_run, .arg = &config, .keep = &config.out,
		.n_keep = 1, .dies_with_parent = true, .ignores_terminal = true };
	struct error e = { 0 };
	int ends[2], r;

	*s = (struct simulator){ .out = -1 };
	if (pipe2(ends, O_CLOEXEC) < 0) {
		r = fail_errno(&e, "cannot make a pipe for a simulator");
	} else {
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
		config.out = ends[1];
		r = child_start(&s->child, &how, &e);
		close(ends[1]);
		if (r < 0)
			close(ends[0]);
		else
			s->out = ends[0];
	}
	if (r < 0)
		shared->why = e;
	atomic_store(&shared->is_up, r == 0);
	return r;
}

static int restart(struct keeper *k, size_t i)
{
	if (k->sim[i].out >= 0) {
		child_kill(&k->sim[i].child);
		bury(k, i);
	}
	atomic_fetch_add(&k->t->shared[i].life, 1);
	return keeper_start_simulator(k, i);
}

/* Returns false once no process has the door's other end. */
static bool answer_door(struct keeper *k, int door)
{
	struct ttsim_knock knock;
	int32_t result;
	int fd;
	ssize_t r = ttsim_fd_receive(door, &knock, sizeof(knock), &fd);

	if (r == 0 || (r < 0 && r != -EAGAIN && r != -EINTR))
		return false;
	if (r == (ssize_t)sizeof(knock) && fd >= 0 && knock.card < k->t->n) {
		struct simulator *s = &k->sim[knock.card];

		/* Without a simulator we close fd, and the caller sees the socket end. */
		if (knock.wish == TTSIM_CONNECT && s->out >= 0) {
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

static void watch(struct keeper *k, const struct pollfd *at, size_t i)
{
	struct simulator *s = &k->sim[i];

	if (s->out >= 0 && at[0].revents)
		note_output(s);
	/* A simulator never writes to this socket: readable means that it ended or misbehaves. */
	if (s->out >= 0 && at[1].revents) {
		if (!(at[1].revents & POLLHUP))
			child_kill(&s->child);
		bury(k, i);
	}
}

int ttsim_keeper_run(void *arg, int door)
{
	struct keeper k = { .t = arg };
	struct pollfd polled[1 + 2 * TTSIM_CARDS];
	struct child *all[TTSIM_CARDS];
	int r;

	for (size_t i = 0; i < k.t->n; i++)
		keeper_start_simulator(&k, i);
	do {
		polled[0] = (struct pollfd){ .fd = door, .events = POLLIN };
		for (size_t i = 0; i < k.t->n; i++) {
			struct simulator *s = &k.sim[i];

			polled[1 + 2 * i] = (struct pollfd){ .fd = s->out, .events = POLLIN };
			polled[2 + 2 * i] = (struct pollfd){
				.fd = s->out < 0 ? -1 : s->child.fd, .events = POLLIN };
		}
		r = clock_wait(polled, 1 + 2 * k.t->n, INT64_MAX);
		if (r < 0 && r != -EINTR)
			break;
		for (size_t i = 0; i < k.t->n; i++)
			watch(&k, &polled[1 + 2 * i], i);
	} while (!polled[0].revents || answer_door(&k, door));
	for (size_t i = 0; i < k.t->n; i++)
		all[i] = &k.sim[i].child;
	child_end_all(all, k.t->n, GOODBYE);
	return 0;
}
