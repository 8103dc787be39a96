/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/recording.h"

#include "base/clock.h"
#include "base/text.h"
#include "output/dump.h"
#include "output/xlsx.h"
#include "report/figure.h"
#include "src/loop.h"
#include "src/say.h"
#include "src/session.h"
#include "src/stop.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum exit_code report(const struct xlsx_report *r)
{
	if (r->index.n)
		say_as(CODE_CORRUPT, "%s (the workbook has what the CSV files say)",
			r->index.first);
	if (r->torn.n)
		say_as(CODE_CORRUPT, "%s: last line is torn and was left out%s", r->torn.first,
			r->torn.n > 1 ? " (and so in other files)" : "");
	if (r->bad.n)
		say_as(CODE_CORRUPT, "%s (%llu such lines were left out)", r->bad.first,
			(unsigned long long)r->bad.n);
	if (r->missing.n)
		say_as(CODE_NOT_FOUND, "%s (%u such files were left out)", r->missing.first,
			(unsigned)r->missing.n);
	say("workbook %s: %llu sample%s", r->path, (unsigned long long)r->rows,
		text_plural(r->rows));
	return r->bad.n || r->missing.n || r->index.n ? EXIT_PARTIAL : EXIT_DONE;
}

int workbook_wait(struct dump_book *b, struct stop *stop, bool shows, struct error *e)
{
	int r;

	/* The signal that ended what was before is used up; another one ends this. */
	stop->asked = false;
	while ((r = dump_book_collect(b, e)) == 0) {
		struct pollfd fds[1 + TURN_FDS] = { { .fd = dump_book_fd(b), .events = POLLIN } };

		if (shows)
			fprintf(stderr, "\rmaking the workbook: %u %% ", dump_book_percent(b));
		if (turn_wait_steady(stop, NULL, fds, 1, 1000))
			break;
	}
	if (shows)
		fprintf(stderr, "\r\033[K");
	return r;
}

enum exit_code workbook_make(const char *dir, const struct figures *burn, struct stop *stop)
{
	struct error e = { 0 };
	struct dump_book *b = NULL;
	enum exit_code code = EXIT_FAILED;
	int r = dump_book_start(dir, burn, &b, &e);

	if (r == 0)
		r = workbook_wait(b, stop, isatty(STDERR_FILENO), &e);
	if (r > 0)
		code = report(dump_book_report(b));
	else if (r < 0)
		code = session_fail_file(&e);
	else
		say_as(CODE_STOPPED, "stopped before the workbook was made; tt-smi --finish %s "
			"makes it", dir);
	dump_book_close(b);
	return code;
}

#define PATIENCE (CLOCK_SECOND * 8 / 10)	/* after a signal that ends us, for the disk */

bool recording_choose(struct recording *r, const struct options *o)
{
	struct error e;

	if (!o->fields || dump_columns_choose(o->fields, r->wanted, &e) == 0)
		return true;
	say_error(&e);
	return false;
}

int recording_open(struct recording *r, const struct options *o, const struct session *s,
	int64_t start, int64_t interval)
{
	const struct dump_config c = {
		.dir = o->dump_dir,
		.tool = PACKAGE_STRING,
		.interval = interval,
		.start = start,
		.wanted = o->fields ? r->wanted : NULL,
		.external = o->external,
		.utc = o->utc,
		.selected = s->wanted,
		.rotate_bytes = o->rotate.bytes,
		.rotate_ns = o->rotate.ns,
		.keep = (unsigned)o->keep,
		.host = &s->host,
		.alerts = s->alerts,
	};

	r->stopped = false;
	r->failed = dump_open(&c, sampler_fleet(s->sampler), &r->dump, &r->error);
	if (r->failed == 0)
		snprintf(r->dir, sizeof(r->dir), "%s", dump_dir(r->dump));
	return r->failed;
}

int recording_row(struct recording *r, const struct fleet *f, const struct dump_tick *tick)
{
	if (!r->failed)
		r->failed = dump_row(r->dump, f, tick, &r->error);
	return r->failed;
}

void recording_stop(struct recording *r)
{
	dump_stop(r->dump);
	r->stopped = true;
}

static bool is_hurried(const struct stop *stop, bool hangs_up)
{
	return stop->terminated || (hangs_up && stop->deadly);
}

bool recording_wait(int fd, struct stop *stop, bool hangs_up, int64_t *until)
{
	for (;;) {
		struct pollfd fds[1 + TURN_FDS] = { { .fd = fd, .events = POLLIN } };
		int64_t left = -1;
		bool stops;

		if (is_hurried(stop, hangs_up)) {
			*until = *until ? *until : clock_steady() + PATIENCE;
			left = *until > clock_steady() ? *until - clock_steady() : 0;
		}
		stop->asked = false;
		stops = turn_wait_steady(stop, NULL, fds, 1,
			left < 0 ? -1 : (int)(left / CLOCK_MS));
		if (fds[0].revents)
			return true;
		if (left < 0 ? stops && !is_hurried(stop, hangs_up) : left < CLOCK_MS)
			return false;
	}
}

bool recording_close(struct recording *r, bool synced)
{
	const bool is_elsewhere = dump_is_elsewhere(r->dump, r->dir, sizeof(r->dir));
	struct error e = { 0 };

	r->synced = synced;
	if (!synced) {
		dump_leave(r->dump);
	} else if (dump_close(r->dump, &e) < 0 && !r->failed) {
		r->failed = e.code;
		r->error = e;
	}
	r->dump = NULL;
	r->stopped = false;
	return is_elsewhere;
}

static void say_end(const char *dir, const struct dump_counts *c)
{
	char failed[80] = "", late[64] = "";

	if (c->failed)
		snprintf(failed, sizeof(failed), "; %llu rows of cards that could not be read",
			(unsigned long long)c->failed);
	if (c->unsynced_most > DUMP_UNSYNCED)
		snprintf(late, sizeof(late), "; the disk had rows up to %.1f s late",
			(double)c->unsynced_most / 1e9);
	say("%llu sample%s of %zu card%s in %s, %llu late, %llu lost%s%s",
		(unsigned long long)c->ticks, text_plural(c->ticks), c->cards,
		text_plural(c->cards), dir, (unsigned long long)c->late,
		(unsigned long long)c->lost, failed, late);
}

static bool is_there(const char *dir)
{
	struct stat st;
	char path[4200];

	snprintf(path, sizeof(path), "%.4095s/" DUMP_INDEX, dir);
	return stat(path, &st) == 0;
}

/* Why there is no workbook yet, and the command that makes it. */
static void name_finish(const struct recording *r)
{
	const bool is_lost = r->failed == -ENOENT || r->failed == -ENODATA;
	const char *why = !r->failed ? "ended before the workbook was made" :
			  is_lost ? "the dump stopped; something of it is gone" :
				    "the dump stopped; what was written is whole";

	say("%s: tt-smi --finish %s makes %s workbook", why, r->dir, r->failed ? "its" : "the");
}

enum exit_code recording_verdict(int failed, const struct dump_counts *c)
{
	if (failed)
		return EXIT_FAILED;
	return c->failed || c->unread ? EXIT_PARTIAL : EXIT_DONE;
}

enum exit_code recording_end(struct recording *r, struct stop *stop)
{
	enum exit_code code, book = EXIT_DONE;
	struct dump_counts c;
	char named[sizeof(r->dir)];
	int64_t until = 0;
	bool synced;

	memcpy(named, r->dir, sizeof(named));
	recording_stop(r);
	synced = recording_wait(dump_stop_fd(r->dump), stop, false, &until);
	c = *dump_counts(r->dump);
	if (recording_close(r, synced))
		say_as(CODE_MOVED_FILE, "%s is not where it was: it was moved or removed while the "
			"dump ran", named);
	if (!synced)
		say_as(CODE_TIMEOUT, "not waiting for the disk: it has yet to take the rows of the "
			"last %.1f s", (double)c.unsynced / 1e9);
	code = r->synced ? recording_verdict(r->failed, &c) : EXIT_FAILED;
	if (r->failed)
		session_fail_file(&r->error);
	if (!is_there(r->dir)) {
		say("nothing is left of the dump in %s", r->dir);
		return EXIT_FAILED;
	}
	say_end(r->dir, &c);
	if (r->failed || stop->terminated || !r->synced)
		name_finish(r);
	else
		book = workbook_make(r->dir, r->burn, stop);
	return code == EXIT_DONE ? book : code;
}
