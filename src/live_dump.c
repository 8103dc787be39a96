/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_dump.c - a dump that runs beside the screen, and its workbook, which a
 * process of its own makes: neither a key nor a signal waits for it.
 */
#include "config.h"
#include "src/live.h"
#include "base/clock.h"
#include "base/mem.h"
#include "src/say.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void stop(struct live *l)
{
	struct error e = { 0 };
	int r = dump_close(l->dump, &e);

	l->dump = NULL;
	l->shown_dump.on = false;
	if (r < 0)
		view_say(&l->view, &l->model, true, "dump: %s", e.text);
	else if (dump_book_start(l->shown_dump.path, &l->book, &e) < 0)
		view_say(&l->view, &l->model, true, "%s (tt-smi --finish makes it)", e.text);
	else
		view_say(&l->view, &l->model, false,
			"dump saved in %s; its workbook is being made", l->shown_dump.path);
}

static void start(struct live *l)
{
	const struct fleet *f = live_fleet(l);
	const struct dump_config c = { .dir = l->o->dump_dir, .tool = "tt-smi " PACKAGE_VERSION,
		.interval = l->model.interval, .external = l->o->external, .selected = f->wanted,
		.n_selected = f->n, .host = &l->session.host };
	struct error e = { 0 };

	if (l->model.ended) {
		view_say(&l->view, &l->model, true,
			"dump: a loaded snapshot does not change, there is nothing to record");
		return;
	}
	if (f->n == 0 || l->taken == 0) {
		view_say(&l->view, &l->model, true, l->taken ? "dump: no device to dump" :
			"dump: the first reading is not over");
		return;
	}
	if (l->book) {
		view_say(&l->view, &l->model, true,
			"dump: the last one's workbook is being made");
		return;
	}
	if (dump_open(&c, f, &l->dump, &e) < 0) {
		l->dump = NULL;
		view_say(&l->view, &l->model, true, "dump: %s", e.text);
		return;
	}
	l->shown_dump = (struct ui_dump){ .on = true, .since = clock_mono() };
	mem_copy_text(l->shown_dump.path, sizeof(l->shown_dump.path), dump_dir(l->dump));
}

void live_dump_toggle(struct live *l)
{
	if (l->dump)
		stop(l);
	else
		start(l);
}

void live_dump_add(struct live *l)
{
	struct error e = { 0 };

	if (!l->dump)
		return;
	if (dump_row(l->dump, live_fleet(l), NULL, &e) < 0) {
		dump_close(l->dump, NULL);
		l->dump = NULL;
		l->shown_dump.on = false;
		view_say(&l->view, &l->model, true,
			"dump stopped: %s (tt-smi --finish makes its workbook)", e.text);
		return;
	}
	l->shown_dump.rows = dump_counts(l->dump)->rows;
}

static void close_book(struct live *l)
{
	dump_book_close(l->book);
	l->book = NULL;
}

void live_dump_take_book(struct live *l)
{
	struct error e = { 0 };
	int r = l->book ? dump_book_collect(l->book, &e) : 0;

	if (r == 0)
		return;
	if (r < 0)
		view_say(&l->view, &l->model, true, "%s", e.text);
	else
		view_say(&l->view, &l->model, false, "the workbook is made: %s",
			dump_book_report(l->book)->path);
	close_book(l);
	l->dirty = l->urgent = true;
}

/* True when a signal asks for an end; those that only tell of the terminal do not. */
static bool is_interrupted(struct live *l)
{
	struct signalfd_siginfo info;

	while (read(l->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGTSTP:
			raise(SIGSTOP);
			break;
		case SIGCONT:
		case SIGWINCH:
			break;
		case SIGINT:
			return true;
		default:
			l->deadly = (int)info.ssi_signo;
			return true;
		}
	}
	return false;
}

/* Below the screen that was; another signal ends the wait. */
static void wait_for_book(struct live *l)
{
	struct error e = { 0 };
	int r;

	say("making the workbook (Ctrl-C: leave it to tt-smi --finish)");
	while ((r = dump_book_collect(l->book, &e)) == 0 && !is_interrupted(l)) {
		struct pollfd fds[] = {
			{ .fd = dump_book_fd(l->book), .events = POLLIN },
			{ .fd = l->signals, .events = POLLIN },
		};

		poll(fds, 2, 1000);
	}
	if (r > 0)
		say("workbook: %s", dump_book_report(l->book)->path);
	else if (r < 0)
		say("%s", e.text);
	close_book(l);
	if (r <= 0)
		say("the workbook was not made; tt-smi --finish %s makes it",
			l->shown_dump.path);
}

void live_dump_end(struct live *l)
{
	struct error e = { 0 };
	bool makes_book = l->book != NULL;

	if (l->dump) {
		int r = dump_close(l->dump, &e);

		l->dump = NULL;
		if (r < 0)
			say("dump: %s", e.text);
		makes_book = r == 0;
	}
	if (!l->shown_dump.path[0])
		return;
	say("dump: %s", l->shown_dump.path);
	if (!makes_book)
		return;
	if (l->deadly) {
		close_book(l);
		say("ended by a signal before the workbook was made; "
			"tt-smi --finish %s makes it", l->shown_dump.path);
	} else if (!l->book && dump_book_start(l->shown_dump.path, &l->book, &e) < 0) {
		say("%s (tt-smi --finish %s makes it)", e.text,
			l->shown_dump.path);
	} else {
		wait_for_book(l);
	}
}
