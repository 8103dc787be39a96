/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump.c - what is written beside the screen: a dump, its workbook, which a process of its own
 * makes, and a snapshot.  Neither a key nor a signal waits for it.
 */
#include "config.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/file_new.h"
#include "base/mem.h"
#include "src/live/live.h"
#include "src/loop.h"
#include "src/say.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* What the live display could not write: a footer is soon gone, the exit code is not. */

/* Something could not be written: show it, and remember it for the end. */
__attribute__((format(printf, 3, 4)))
static void live_lose(struct live *l, enum live_loss what, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->lost[what], sizeof(l->lost[what]), fmt, ap);
	va_end(ap);
	l->has_lost = true;
	view_say(&l->view, &l->model, true, "%s", l->lost[what]);
}

/* The dump and its workbook. */

/* True when there is something to read, now. */
static bool live_is_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

static bool live_dump_is_on(const struct live *l)
{
	return l->recording.dump && !l->recording.stopped;
}

/* The last rows go to the disk in the background; nothing here waits for it. */
static void live_dump_stop(struct live *l)
{
	recording_stop(&l->recording);
	l->shown_dump.on = false;
	view_say(&l->view, &l->model, false, "dump stopped; the disk takes its last rows");
}

static void take_dump(struct live *l)
{
	struct error e = { 0 };

	recording_close(&l->recording, true);
	if (l->recording.failed)
		live_lose(l, LIVE_DUMP, "dump stopped: %s (tt-smi --finish makes its workbook)",
			l->recording.error.text);
	else if (dump_book_start(l->recording.dir, NULL, &l->book, &e) < 0)
		live_lose(l, LIVE_WORKBOOK, "%s (tt-smi --finish makes it)", e.text);
	else
		view_say(&l->view, &l->model, false,
			"dump saved in %s; its workbook is being made", l->recording.dir);
	l->dirty = l->urgent = true;
}

static void live_dump_begin(struct live *l)
{
	const int64_t now = clock_mono();
	const char *against = l->model.ended ?
		"dump: a loaded snapshot does not change, there is nothing to record" :
		l->taken == 0 ? "dump: the first reading is not over" :
		live_fleet(l)->n == 0 ? "dump: no device to dump" :
		l->book ? "dump: the last one's workbook is being made" :
		l->recording.dump ? "dump: the disk still takes the last one's rows" : NULL;

	if (against) {
		view_say(&l->view, &l->model, true, "%s", against);
		return;
	}
	if (recording_open(&l->recording, l->o, &l->session, now, l->model.interval) < 0)
		live_lose(l, LIVE_DUMP, "dump: %s", l->recording.error.text);
	else
		l->shown_dump = (struct ui_dump){ .on = true, .since = now,
			.path = l->recording.dir };
}

void live_dump_toggle(struct live *l)
{
	if (live_dump_is_on(l))
		live_dump_stop(l);
	else
		live_dump_begin(l);
}

void live_dump_add(struct live *l)
{
	const struct loop *loop = &l->loop;
	/* Of the deadlines lost before this tick, those before the dump are none of its own. */
	const int64_t since = live_fleet(l)->time - loop->late - l->shown_dump.since;
	const uint64_t most = since > 0 ? (uint64_t)(since / loop->interval) : 0;
	const struct dump_tick tick = { loop->late, loop->lost < most ? loop->lost : most };

	if (!live_dump_is_on(l))
		return;
	if (recording_row(&l->recording, live_fleet(l), &tick) < 0)
		live_dump_stop(l);
	else
		l->shown_dump.rows = dump_counts(l->recording.dump)->rows;
}

static void close_book(struct live *l)
{
	dump_book_close(l->book);
	l->book = NULL;
}

int live_dump_fd(const struct live *l)
{
	return l->book ? dump_book_fd(l->book) :
		l->recording.stopped ? dump_stop_fd(l->recording.dump) : -1;
}

static void take_book(struct live *l)
{
	struct error e = { 0 };
	int r = dump_book_collect(l->book, &e);

	if (r == 0)
		return;
	if (r < 0)
		live_lose(l, LIVE_WORKBOOK, "%s", e.text);
	else
		view_say(&l->view, &l->model, false, "the workbook is made: %s",
			dump_book_report(l->book)->path);
	close_book(l);
	l->dirty = l->urgent = true;
}

void live_dump_take(struct live *l)
{
	if (l->book)
		take_book(l);
	else if (l->recording.stopped && live_is_readable(dump_stop_fd(l->recording.dump)))
		take_dump(l);
}

/* The screen is closed by now, so progress is printed below it; another signal ends the wait. */
static void wait_for_book(struct live *l)
{
	struct error e = { 0 };
	int r;

	say("making the workbook (Ctrl-C: leave it to tt-smi --finish)");
	r = workbook_wait(l->book, &l->stop, false, &e);
	if (r > 0)
		say("workbook: %s", dump_book_report(l->book)->path);
	else if (r < 0)
		say_error(&e);
	close_book(l);
	if (r > 0)
		return;
	l->has_lost = true;
	say_as(CODE_STOPPED, "the workbook was not made; tt-smi --finish %s makes it",
		l->recording.dir);
}

/* True when all rows are on the disk and no error ended the dump. */
static bool end_dump(struct live *l)
{
	const bool synced = recording_wait(dump_stop_fd(l->recording.dump), &l->stop,
		true, &l->wait_until);

	recording_close(&l->recording, synced);
	if (!synced) {
		l->has_lost = true;
		fprintf(stderr, "tt-smi: dump: not waiting for the disk to take its last rows; "
			"tt-smi --finish %s makes its workbook\n", l->recording.dir);
	} else if (l->recording.failed) {
		live_lose(l, LIVE_DUMP, "dump: %s", l->recording.error.text);
	}
	return synced && !l->recording.failed;
}

void live_dump_end(struct live *l)
{
	struct error e = { 0 };
	bool makes_book = l->book != NULL;

	if (live_dump_is_on(l))
		live_dump_stop(l);
	if (l->recording.dump)
		makes_book = end_dump(l);
	if (!l->recording.dir[0])
		return;
	say("dump: %s", l->recording.dir);
	if (!makes_book)
		return;
	if (l->stop.deadly) {
		close_book(l);
		say_as(CODE_STOPPED, "ended by a signal before the workbook was made; tt-smi "
			"--finish %s makes it", l->recording.dir);
	} else if (!l->book && dump_book_start(l->recording.dir, NULL, &l->book, &e) < 0) {
		l->has_lost = true;
		say_as(e.word, "%s (tt-smi --finish %s makes it)", e.text, l->recording.dir);
	} else {
		wait_for_book(l);
	}
}

/* A snapshot: a thread waits for the disk, so that keys, pictures and readings do not. */

struct live_save {
	pthread_t thread;
	int over;		/* eventfd, readable once path and result are set */
	struct strbuf text;
	int64_t real;
	char path[4096];
	int result;
	struct error error;
};

static void *live_save_run(void *arg)
{
	struct live_save *s = arg;

	s->result = snapshot_save(&s->text, s->real, s->path, sizeof(s->path), &s->error);
	eventfd_write(s->over, 1);
	return NULL;
}

static void live_save_free(struct live_save *s)
{
	if (s->over >= 0)
		close(s->over);
	strbuf_clear(&s->text);
	free(s);
}

void live_save_start(struct live *l)
{
	const struct fleet *f = live_fleet(l);
	struct live_save *s;

	if (l->taken == 0 || l->save) {
		view_say(&l->view, &l->model, true, l->save ?
			"snapshot: the last one is being written" :
			"snapshot: the first reading is not over");
		return;
	}
	s = mem_calloc(1, sizeof(*s));
	s->real = f->real;
	snapshot_put(&s->text, l->o, f, &l->session.host);
	s->over = eventfd(0, EFD_CLOEXEC);
	if (s->over < 0 || thread_start(&s->thread, live_save_run, s) < 0) {
		live_lose(l, LIVE_SNAPSHOT, "snapshot: cannot start a thread");
		live_save_free(s);
		return;
	}
	l->save = s;
}

int live_save_fd(const struct live *l)
{
	return l->save ? l->save->over : -1;
}

/* The thread is over: say what became of it on the screen or, after the display, on stderr. */
static void end_save(struct live *l, bool shown)
{
	struct live_save *s = l->save;

	pthread_join(s->thread, NULL);
	if (s->result < 0)
		live_lose(l, LIVE_SNAPSHOT, "snapshot: %s", s->error.text);
	else if (shown)
		view_say(&l->view, &l->model, false, "snapshot saved to %.180s", s->path);
	else
		say("snapshot: %s", s->path);
	live_save_free(s);
	l->save = NULL;
}

void live_save_take(struct live *l)
{
	if (!l->save || !live_is_readable(l->save->over))
		return;
	end_save(l, true);
	l->dirty = l->urgent = true;
}

void live_save_end(struct live *l)
{
	if (!l->save)
		return;
	if (recording_wait(l->save->over, &l->stop, true, &l->wait_until)) {
		end_save(l, false);
		return;
	}
	/* The thread goes on using it: it may be in a sync that never returns. */
	pthread_detach(l->save->thread);
	/* The thread may be writing its temporary file. */
	file_new_sweep(l->save->path, getpid());
	l->save = NULL;
	live_lose(l, LIVE_SNAPSHOT, "snapshot: not saved: the disk takes too long");
}
