/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "reset/outside/outside.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Listeners have datagram sockets in some versions, stream sockets in others. */
static bool tell_one(const char *path, unsigned char byte)
{
	static const int kinds[] = { SOCK_DGRAM, SOCK_STREAM, SOCK_SEQPACKET };
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	bool told = false;

	if (strlen(path) >= sizeof(to.sun_path))
		return false;
	memcpy(to.sun_path, path, strlen(path) + 1);
	for (size_t i = 0; i < ARRAY_LEN(kinds) && !told; i++) {
		int fd = socket(AF_UNIX, kinds[i] | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

		if (fd < 0)
			continue;
		told = connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
			send(fd, &byte, 1, MSG_NOSIGNAL) == 1;
		close(fd);
	}
	return told;
}

size_t listeners_tell(const char *folder, enum listeners_event event)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[4096];
	size_t n = 0;

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "client_", 7) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		n += tell_one(path, (unsigned char)event);
	}
	if (dir)
		closedir(dir);
	return n;
}

#define SLACK CLOCK_SECOND	/* so that a step's own timeout, with better words, comes first */
#define GO    'g'
#define STAY  's'

/* Texts quote a controller and end up on a terminal, so clean them. */
bool outside_put(struct outside_line *line, enum outside_kind kind, int64_t limit,
	const char *fmt, ...)
{
	struct outside_report r = { .kind = kind, .limit = limit };
	const bool before = line->has_fired;
	char text[sizeof(r.text)], answer = STAY;
	va_list args;

	line->has_fired |= kind == OUTSIDE_BEGINS || kind == OUTSIDE_ASKS;
	r.has_fired = line->has_fired;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	text_plain(r.text, sizeof(r.text), text);
	send(line->fd, &r, sizeof(r), MSG_NOSIGNAL);
	if (kind != OUTSIDE_ASKS || (recv(line->fd, &answer, 1, 0) == 1 && answer == GO))
		return true;
	line->has_fired = before;
	return false;
}

static int outside_serve(void *arg, int fd)
{
	const struct outside *what = arg;
	struct outside_line line = { .fd = fd };
	struct outside_report last = { .kind = OUTSIDE_OVER };
	struct error e = { 0 };

	last.error = what->act(what->arg, &line, &e);
	last.code = last.error ? e.word : CODE_NONE;
	last.has_fired = line.has_fired;
	text_plain(last.text, sizeof(last.text), e.text);
	send(fd, &last, sizeof(last), MSG_NOSIGNAL);
	return 0;
}

int outside_start(struct outside_run *o, const struct outside *what, struct error *e)
{
	struct outside local = *what;
	const struct child_config how = { .run = outside_serve, .arg = &local,
		.dies_with_parent = true, .ignores_terminal = true };

	*o = (struct outside_run){ .limit = what->limit, .end = clock_mono() + what->limit,
		.due = INT64_MAX, .is_resting = true, .rest = "nothing was done" };
	return child_start(&o->child, &how, e);
}

/* End it now, whatever its process is doing. */
static bool end_with(struct outside_run *o, struct outside_report *out, int error,
	const char *text)
{
	*out = (struct outside_report){ .kind = OUTSIDE_OVER, .error = error,
		.code = error == -EPIPE ? CODE_LOAD_ENDED : code_find(error),
		.has_fired = o->has_fired };
	mem_copy_text(out->text, sizeof(out->text), text);
	o->is_over = true;
	outside_end(o);
	return true;
}

/* Take in a report of its process; true: it is to be shown. */
static bool outside_note(struct outside_run *o, struct outside_report *r)
{
	const char answer = o->is_stopped ? STAY : GO;
	const bool before = o->has_fired;

	r->text[sizeof(r->text) - 1] = '\0';
	o->has_fired = r->has_fired;
	if (r->kind != OUTSIDE_SAYS) {
		o->step_limit = r->limit;
		o->due = r->limit ? clock_mono() + r->limit + SLACK : INT64_MAX;
	}
	if (r->kind == OUTSIDE_OVER)
		o->is_over = true;
	if (r->kind == OUTSIDE_SAYS || r->kind == OUTSIDE_OVER)
		return true;
	mem_copy_text(o->rest, sizeof(o->rest), r->text);
	o->is_resting = r->kind == OUTSIDE_RESTS;
	if (r->kind != OUTSIDE_ASKS)
		return r->kind == OUTSIDE_BEGINS;
	o->has_fired = !o->is_stopped || before;
	send(o->child.fd, &answer, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	return !o->is_stopped;
}

bool outside_take(struct outside_run *o, struct outside_report *out)
{
	char text[64];
	ssize_t n;

	if (o->is_over)
		return false;
	while ((n = recv(o->child.fd, out, sizeof(*out), MSG_DONTWAIT)) == (ssize_t)sizeof(*out))
		if (outside_note(o, out))
			return true;
	if (n >= 0 || (errno != EAGAIN && errno != EINTR))
		return end_with(o, out, -EPIPE, "its process ended before it was done");
	if (o->is_stopped && o->is_resting)
		return end_with(o, out, -ECANCELED, o->rest);
	if (clock_mono() < o->end && clock_mono() < o->due)
		return false;
	snprintf(text, sizeof(text), "not done after %.0f s", (double)(clock_mono() < o->end
		? o->step_limit : o->limit) / CLOCK_SECOND);
	return end_with(o, out, -ETIMEDOUT, text);
}

void outside_stop(struct outside_run *o)
{
	o->is_stopped = true;
}

void outside_leave(struct outside_run *o, struct outside_report *out)
{
	char text[sizeof(out->text)];

	snprintf(text, sizeof(text), "%.200s: left half way", o->rest);
	end_with(o, out, -ECANCELED, text);
}

int64_t outside_wake(const struct outside_run *o)
{
	return o->is_stopped && o->is_resting ? 0 : clock_earlier(o->end, o->due) + CLOCK_MS;
}

/* The process sees its socket close, and gets time to end and reap what it started. */
void outside_end(struct outside_run *o)
{
	if (o->child.pid || o->child.fd > 2)
		child_end(&o->child, CLOCK_SECOND / 2);
}
