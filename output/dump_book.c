/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/dump_book.h"
#include "base/file.h"
#include "base/mem.h"
#include "output/dump_index.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child says; one packet each. */
struct message {
	unsigned percent;
	bool done;
	int result;
	struct error error;
	struct xlsx_report report;
};

struct dump_book {
	pid_t pid;
	int fd;
	bool over;
	char dir[4096];
	struct message last;
};

static void say_progress(void *arg, unsigned percent)
{
	struct message m = { .percent = percent };
	const int *fd = arg;

	/* Nobody listening is no reason to stop: the workbook is wanted all the same. */
	if (send(*fd, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return;
}

static _Noreturn void run(const char *dir, int fd)
{
	struct xlsx_request q = { .dir = dir, .progress = say_progress, .arg = &fd };
	static struct message m;

	/* What the cards are doing right now matters more. */
	errno = 0;
	if (nice(5) < 0 && errno != 0)
		errno = 0;
	m.result = xlsx_make(&q, &m.report, &m.error);
	m.percent = 100;
	m.done = true;
	if (send(fd, &m, sizeof(m), MSG_NOSIGNAL) < 0)
		_exit(1);
	_exit(0);
}

int dump_book_start(const char *dir, struct dump_book **out, struct error *e)
{
	int ends[2], err;
	struct dump_book *b;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail_errno(e, "workbook: cannot make a socket");
	pid = fork();
	if (pid < 0) {
		err = fail_errno(e, "workbook: cannot start a process");
		close(ends[0]);
		close(ends[1]);
		return err;
	}
	if (pid == 0) {
		close(ends[0]);
		run(dir, ends[1]);
	}
	close(ends[1]);
	b = mem_calloc(1, sizeof(*b));
	b->pid = pid;
	b->fd = ends[0];
	mem_copy_text(b->dir, sizeof(b->dir), dir);
	*out = b;
	return 0;
}

int dump_book_fd(const struct dump_book *b)
{
	return b->fd;
}

int dump_book_collect(struct dump_book *b, struct error *e)
{
	struct message m;
	ssize_t n;

	while (!b->over) {
		n = recv(b->fd, &m, sizeof(m), MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n == (ssize_t)sizeof(m)) {
			b->last = m;
			b->over = m.done;
			continue;
		}
		b->over = true;
		b->last.result = fail(&b->last.error, -EPIPE,
			"%s: the workbook was not made: its process ended early", b->dir);
	}
	if (b->last.result < 0 && e)
		*e = b->last.error;
	return b->last.result < 0 ? b->last.result : 1;
}

unsigned dump_book_percent(const struct dump_book *b)
{
	return b->last.percent;
}

const struct xlsx_report *dump_book_report(const struct dump_book *b)
{
	return &b->last.report;
}

/* The temporary file of a child that was ended. */
static void clean_up(const struct dump_book *b)
{
	char stem[4200], path[4300], temp[4400];

	snprintf(stem, sizeof(stem), "%s/" DUMP_WORKBOOK, b->dir);
	if (file_free_name(stem, ".xlsx", path, sizeof(path)) < 0)
		return;
	snprintf(temp, sizeof(temp), "%s.%ld.tmp", path, (long)b->pid);
	unlink(temp);
}

void dump_book_close(struct dump_book *b)
{
	bool over;

	if (!b)
		return;
	over = b->over && b->last.done;
	if (!over)
		kill(b->pid, SIGKILL);
	while (waitpid(b->pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!over)
		clean_up(b);
	close(b->fd);
	free(b);
}
