/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "reset/outside.h"
#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

void outside_tell(struct outside_line *line, bool fires, const char *fmt, ...)
{
	struct outside_report report = { 0 };
	va_list args;

	line->has_fired |= fires;
	report.has_fired = line->has_fired;
	va_start(args, fmt);
	vsnprintf(report.text, sizeof(report.text), fmt, args);
	va_end(args);
	send(line->fd, &report, sizeof(report), MSG_NOSIGNAL);
}

static int run(void *arg, int fd)
{
	const struct outside *what = arg;
	struct outside_line line = { .fd = fd };
	struct outside_report report = { .is_over = true };
	struct error e = { 0 };

	report.error = what->act(what->arg, &line, &e);
	report.has_fired = line.has_fired;
	mem_copy_text(report.text, sizeof(report.text), e.text);
	send(fd, &report, sizeof(report), MSG_NOSIGNAL);
	return 0;
}

int outside_start(struct outside_run *o, const struct outside *what, struct error *e)
{
	struct outside local = *what;
	const struct child_config how = { .run = run, .arg = &local, .dies_with_parent = true,
		.ignores_terminal = true };

	*o = (struct outside_run){ .limit = what->limit, .end = clock_mono() + what->limit };
	return child_start(&o->child, &how, e);
}

static bool fail_report(struct outside_run *o, struct outside_report *out, int error,
	const char *text)
{
	*out = (struct outside_report){ .is_over = true, .error = error,
		.has_fired = o->has_fired };
	mem_copy_text(out->text, sizeof(out->text), text);
	o->is_over = true;
	outside_end(o);
	return true;
}

bool outside_take(struct outside_run *o, struct outside_report *report)
{
	char text[64];
	ssize_t n;

	if (o->is_over)
		return false;
	n = recv(o->child.fd, report, sizeof(*report), MSG_DONTWAIT);
	if (n == (ssize_t)sizeof(*report)) {
		report->text[sizeof(report->text) - 1] = '\0';
		o->has_fired = report->has_fired;
		o->is_over = report->is_over;
		return true;
	}
	if (n >= 0 || (errno != EAGAIN && errno != EINTR))
		return fail_report(o, report, -EPIPE, "its process ended before it was done");
	if (clock_mono() < o->end)
		return false;
	snprintf(text, sizeof(text), "not done after %.0f s", (double)o->limit / CLOCK_SECOND);
	return fail_report(o, report, -ETIMEDOUT, text);
}

void outside_end(struct outside_run *o)
{
	if (o->child.pid)
		child_kill(&o->child);
	if (o->child.pid || o->child.fd > 2)
		child_end(&o->child, CLOCK_SECOND);
}
