/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h - a dump from its folder to its workbook: what a mode that
 * dumps does besides sampling.
 */
#pragma once

#include "report/figure.h"
#include "src/options.h"
#include "src/say.h"
#include "src/session.h"
#include "src/stop.h"

struct dump_book;
struct dump_counts;
struct dump_tick;

struct recording {
	struct dump *dump;		/* NULL before and after */
	bool stopped;			/* it takes no further row, and waits for the disk */
	struct error error;
	int failed;			/* -errno that ended it */
	bool synced;			/* the disk has all rows */
	const struct figures *burn;	/* for the workbook; NULL: none */
	bool wanted[FIELD_COUNT];	/* --fields */
	char dir[4096];			/* its name; once closed, where it is */
};

/* Parse --fields; false after saying what is wrong with it. */
bool recording_choose(struct recording *r, const struct options *o);

/*
 * Make the folder and its files; start: clock_mono() of time stamp 0.  -errno with r->error.  One
 * that was closed may be opened again, in another folder.
 */
int recording_open(struct recording *r, const struct options *o, const struct session *s,
	int64_t start, int64_t interval);

/* The rows of a tick; after a failure nothing more is written. */
int recording_row(struct recording *r, const struct fleet *f, const struct dump_tick *tick);

/* Take no further row.  dump_stop_fd() is readable once the disk has all. */
void recording_stop(struct recording *r);

/*
 * Wait until fd is readable (true) or a stop is requested.  After SIGTERM, with `hangs_up` also
 * after SIGHUP, wait for less than a second: until clock_steady() *until, which is 0 at first.
 * Several waits may share it.
 */
bool recording_wait(int fd, struct stop *stop, bool hangs_up, int64_t *until);

/*
 * Close the files, without waiting for the disk unless `synced`; the first error is in r->failed.
 * True if the folder was moved or removed meanwhile: r->dir says where it is.
 */
bool recording_close(struct recording *r, bool synced);

/* The exit code that rows call for, in files or a stream; failed: -errno that ended them. */
enum exit_code recording_verdict(int failed, const struct dump_counts *c);

/* Close the files, report, make the workbook.  A stop meanwhile means to be quick. */
enum exit_code recording_end(struct recording *r, struct stop *stop);

/*
 * Wait until a workbook is made; returns what dump_book_collect() does, 0 if a stop came before.
 * shows: progress goes to stderr.
 */
int workbook_wait(struct dump_book *b, struct stop *stop, bool shows, struct error *e);

/*
 * Make a dump's workbook, with the figures of the burn that it ran beside (or NULL), and report the
 * result; a stop leaves the CSV files for --finish.
 */
enum exit_code workbook_make(const char *dir, const struct figures *burn, struct stop *stop);
