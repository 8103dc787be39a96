/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_metrics.h - --textfile and --exporter: the cards' metrics, made anew at each tick.
 *
 * It goes on without a card and without a driver: it is there to report that cards are gone.
 */
#pragma once

#include "act/counted.h"
#include "base/error.h"
#include "base/text.h"
#include "src/session.h"
#include "telemetry/roster.h"
#include "telemetry/tally.h"

#include <stdint.h>

/* The roster of the chips, kept in the state directory: is a card missing after a reboot? */
struct expected {
	struct roster roster;
	char path[4096];	/* "": nothing is kept */
	bool has_failed;	/* it could not be kept, as stderr says */
	struct error unknown;	/* why the roster that is kept is not known; code 0: it is */
};

/*
 * Read --expected into *x, which is zeroed, and the roster that is kept of these cards.  None is
 * kept if the cards are not the machine's own, or if only some were chosen.  False: the option's
 * value is wrong, and stderr says so.
 */
bool expected_open(struct expected *x, const struct options *o, const struct session *s);

/*
 * How many chips there should be, for a display, which reports no trouble with the list; 0: it is
 * not known, or only some cards are shown.  False: the option's value is wrong, as stderr says.
 */
bool expected_count(const struct options *o, const struct session *s, size_t *n);

/* Take in a tick. */
void expected_take(struct expected *x, const struct fleet *f);

/*
 * The last text of metrics, over HTTP: /metrics and /ready.
 * It has no thread: the loop that waits for the cards waits for serve_fd(), too.  A request only
 * reads the text of the last tick, so requests never reach a card.
 */

struct serve;

/*
 * Listen at `where`: "9107" (of 127.0.0.1), "192.0.2.1:9107", "[::]:9107", or a path, which has a
 * slash in it.  A text that is older than `fresh` ns is not ready.  *s is the caller's to
 * serve_close(), which takes NULL too.
 */
int serve_open(const char *where, int64_t fresh, struct serve **s, struct error *e);
void serve_close(struct serve *s);

/* "http://127.0.0.1:9107", or the path of the socket. */
const char *serve_where(const struct serve *s);

/* Whether it is an address of the network: not of loopback alone, and not a path. */
bool serve_is_public(const struct serve *s);

/* Serve this text from now on; it is taken over, and *text is empty then. */
void serve_publish(struct serve *s, struct strbuf *text);

/* For poll(): readable when serve_turn() has something to do; the longest wait, -1: for ever. */
int serve_fd(const struct serve *s);
int serve_wait_ms(const struct serve *s);
void serve_turn(struct serve *s);

/*
 * The totals of the chips, kept in the state directory, so that counters go on where they were when
 * this program or the host starts again.
 * One process at a time writes them, and holds a lock.  The others show what that one writes, but
 * what they count themselves for a chip that it does not sample; when it ends, one of them takes
 * over.  Counts of acts (act/counted.h) are read in addition.
 */

struct totals {
	struct bus *bus;
	struct tally_book *own;		/* those of this process */
	/* As we wrote them last; of another process' totals, as we read them first. */
	struct tally_book *written;
	struct tally_book *theirs;	/* as another process wrote it */
	char boot[STATE_BOOT];
	int64_t interval;		/* ns between samples; 0: not known */
	int64_t next_links;		/* clock_mono() of the next look at link errors */

	/* Where they are kept. */
	char dir[4096];			/* "": nowhere */
	char name[64];			/* "counters-kmd" */
	bool keeps;			/* this process writes them, or follows the one that does */
	int64_t followed;		/* clock_mono() since when it follows; 0: it does not */
	int64_t heard;			/* clock_mono() of the last record of the one that writes */
	int lock;			/* negative: another process writes */
	uint64_t number;		/* of the newest file */
	int file;			/* 0 or 1: it is NAME.0 or NAME.1 */
	struct stat seen;		/* of another process' files, when they were read last */
	struct journal *journal;	/* NULL: not open */
	int slot;			/* -1: no file is open */
	int64_t next_try;		/* clock_mono() of the next one, after a failure */
	bool has_failed;		/* they could not be kept, as stderr says */
	struct strbuf text;

	struct counted counted;
	const struct tally *shown[DEVICE_MAX];	/* by place in the roster; NULL: no room */
};

/*
 * Prepare for these cards; totals_take() reads what is kept of them, if anything is.  Only a
 * process that samples all cards, at most TALLY_SPARSE apart, may have `keeps`: the others show
 * what it writes.  One without counts from 0, for itself.  The interval is that of tally_take().
 */
void totals_open(struct totals *t, const struct session *s, int64_t interval, bool keeps);

/* Take in a tick, after the roster has; t->shown then has the totals to show. */
void totals_take(struct totals *t, const struct fleet *f, const struct roster *r);

/*
 * Whether what is counted is kept, by this process or by another that writes; -1: it is not to be.
 * The one that holds the lock may have stopped, or be none of ours.
 */
int totals_kept(const struct totals *t);

/* Waits for the disk. */
void totals_close(struct totals *t);
