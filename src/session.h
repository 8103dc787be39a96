/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - what every mode begins and ends with: the chosen cards, the host,
 * the messages when something is wrong, and the exit code.
 */
#pragma once

#include "base/text.h"
#include "device/bus.h"
#include "src/options.h"
#include "src/say.h"
#include "telemetry/host/host.h"
#include "telemetry/sampler/sampler.h"

struct session {
	struct bus *bus;	/* all accesses go through this one; NULL with --load */
	struct sampler *sampler;
	struct alerts *alerts;	/* of the live display and a dump; NULL: there are no rules */
	struct host host;
	bool wanted[DEVICE_MAX];
	char selection[96];	/* the variable, option or file that limits them; or "" */
	bool partial_ok;	/* one card that was read is enough */
	bool piped;		/* because stdout is not a terminal; no option decided it */
	bool misses;		/* a card that was named may not be seen here */
	bool said_selection;	/* stderr has it */
	bool chosen;		/* --device was resolved, maybe before the first tick */
};

/*
 * Find the cards, read them once (a first tick) and choose those that --device
 * and TT_VISIBLE_DEVICES name.  On anything but EXIT_DONE the reason is on
 * stderr and nothing is left to close.  No device at all is EXIT_DONE here.
 */
enum exit_code session_open(struct session *s, const struct options *o, bool one_shot);

/*
 * A one-shot session_open() for a mode that has to end at clock_mono() `until`, whatever the cards
 * do: those that were not sampled by then stay SNAPSHOT_PENDING.
 */
enum exit_code session_open_until(struct session *s, const struct options *o, int64_t until);

/* Say that a card may not be seen here, and what was not done therefore, if not NULL. */
void session_say_hidden(const struct session *s, size_t index, const char *undone);

/*
 * A wanted card that is left alone for some seconds, since it may be about to power down
 * (device/lock.h); NULL: there is none.
 */
const struct snapshot *session_find_restless(const struct session *s);

/*
 * session_open() in two steps, for a caller that does not wait for cards.  start leaves the
 * first tick under way (see sampler_collect()).  When it is over, choose resolves names that
 * only a sample shows (serials, second chips).  If choose fails with -errno, no card is chosen,
 * and the session is still open: close it, then call session_fail_choice(), which treats a wrong
 * name as a usage error (but not a file's content).
 */
enum exit_code session_start(struct session *s, const struct options *o);
int session_choose(struct session *s, const struct options *o, struct error *e);
enum exit_code session_fail_choice(const struct error *e);
void session_close(struct session *s);

/*
 * The end of a mode that prints once: write text to stdout, say on stderr if there
 * is no card, and why one failed if the text does not explain it, and close all.
 * Returns the verdict, or outlet_fail().
 */
enum exit_code session_print(struct session *s, struct strbuf *text, bool explained);

/*
 * Whether the cards were read in the last tick and their firmware is alive, not whether
 * they are well: EXIT_DONE, EXIT_NO_DEVICE (none, or no driver has them) or EXIT_PARTIAL (some
 * failed).  If at least one was read, it is EXIT_DONE with --partial-ok, and when stdout
 * is not a terminal: upstream has only codes 0 and 1, and at any other code its callers
 * reset or reboot cards that still work.  --strict keeps EXIT_PARTIAL.
 */
enum exit_code session_verdict(const struct session *s);

/* Whether its cards are a file's or those of a copied tree: no reading of them ever changes. */
bool session_is_copy(const struct session *s);

/* Whether each card that is wanted is left alone, so that no reading comes. */
bool session_reads_none(const struct session *s);

/* If there is no card, say so on stderr, and what to do. */
void session_complain_none(const struct session *s);

/* The same, and which cards failed and why; nothing if all is well. */
void session_complain(const struct session *s);

/* A copy of all chips as they are now, by index; the caller frees it. */
struct snapshot *session_keep_chips(const struct session *s);

/* Print the error, with a hint what to do if there is one; returns the exit code that fits. */
enum exit_code session_fail(const struct error *e);

/* The same for a file that could not be written: EXIT_FAILED, and no advice to become root. */
enum exit_code session_fail_file(const struct error *e);

/* Whether a recording that was closed ends early, since it could not be written: stderr says so. */
bool session_has_cut(void);
