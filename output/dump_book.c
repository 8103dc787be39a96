/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/dump_book.h"
#include "base/child.h"
#include "base/clock.h"
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
#include <unistd.h>

/* A message from the child, one packet each. */
struct message {
	unsigned percent;
	bool done;
	int result;
	struct error error;
	struct xlsx_report report;
};

struct dump_book {
	struct child child;
	pid_t pid;		/* the child's, to find its temporary file */
	bool over;
	char dir[4096];
	const struct figures *burn;
	struct message last;
};

static void say_progress(void *arg, unsigned percent)
{
	struct message m = { .percent = percent };
	const int *fd = arg;

	/* Go on if the other end is closed: the workbook is still wanted. */
	if (send(*fd, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return;
}

static int book_serve(void *arg, int fd)
{
	const struct dump_book *b = arg;
	struct xlsx_request q = { .dir = b->dir, .burn = b->burn, .progress = say_progress,
		.arg = &fd };
	static struct message m;

	/* Sampling the cards has priority. */
	errno = 0;
	if (nice(5) < 0 && errno != 0)
		errno = 0;
	m.result = xlsx_make(&q, &m.report, &m.error);
	m.percent = 100;
	m.done = true;
	return send(fd, &m, sizeof(m), MSG_NOSIGNAL) < 0;
}

int dump_book_start(const char *dir, const struct figures *burn, struct dump_book **out,
	struct error *e)
{
	struct dump_book *b = mem_calloc(1, sizeof(*b));
	const struct child_config how = { .run = book_serve, .arg = b, .ignores_terminal = true };
	struct error cause;
	int r;

	mem_copy_text(b->dir, sizeof(b->dir), dir);
	b->burn = burn;
	r = child_start(&b->child, &how, &cause);
	if (r < 0) {
		free(b);
		return fail_because(e, r, &cause, "workbook: %s", cause.text);
	}
	b->pid = b->child.pid;
	*out = b;
	return 0;
}

int dump_book_fd(const struct dump_book *b)
{
	return b->child.fd;
}

int dump_book_collect(struct dump_book *b, struct error *e)
{
	struct message m;
	ssize_t n;

	while (!b->over) {
		n = recv(b->child.fd, &m, sizeof(m), MSG_DONTWAIT);
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
		b->last.result = fail_as(&b->last.error, CODE_LOAD_ENDED, -EPIPE, "%s: the "
			"workbook was not made: its process ended early", b->dir);
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

/* Remove the temporary file of a child that was ended. */
static void clean_up(const struct dump_book *b)
{
	char stem[4200], path[4300];
	int dir = open(b->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return;
	snprintf(stem, sizeof(stem), "%s/" DUMP_WORKBOOK, b->dir);
	if (file_free_name(stem, ".xlsx", path, sizeof(path)) == 0)
		file_new_sweep(dir, strrchr(path, '/') + 1, b->pid);
	close(dir);
}

void dump_book_close(struct dump_book *b)
{
	bool over;

	if (!b)
		return;
	over = b->over && b->last.done;
	child_end(&b->child, over ? CLOCK_SECOND : 0);
	if (!over)
		clean_up(b);
	free(b);
}
