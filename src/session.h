/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - what every mode begins and ends with: the chosen
 * cards, the host, what is said when something is wrong, and the exit code.
 */
#pragma once

#include "device/bus.h"
#include "base/strbuf.h"
#include "src/exit.h"
#include "src/options.h"
#include "telemetry/host/host.h"
#include "telemetry/sampler/sampler.h"

struct session {
	struct bus *bus;	/* all accesses go through this one; NULL with --load */
	struct sampler *sampler;
	struct alerts *alerts;	/* of the live display and a dump; NULL: there are no rules */
	struct host host;
	bool wanted[DEVICE_MAX];
	char selection[96];
	bool partial_ok;	/* one card that was read is enough */
	bool piped;		/* for it is not a terminal that reads, and nobody asked for more */
	bool chosen;		/* --device was understood, maybe before the first tick */
};

/*
 * Find the cards, read them once (a first tick) and choose those that --device
 * and TT_VISIBLE_DEVICES name.  On anything but EXIT_DONE the reason is on
 * stderr and nothing is left to close.  No device at all is EXIT_DONE here.
 */
enum exit_code session_open(struct session *s, const struct options *o, bool one_shot);

/*
 * The same as a one-shot for a mode that has to end at clock_steady() `until`, whatever the cards
 * do: those that were not reached by then stay SNAPSHOT_PENDING.
 */
enum exit_code session_open_until(struct session *s, const struct options *o, int64_t until);

/*
 * A card that is wanted and may be about to power down, so that it is left alone for some seconds
 * (device/linger.h); NULL: there is none.
 */
const struct snapshot *session_find_restless(const struct session *s);

/*
 * session_open() in two steps, for a caller that does not wait for cards: start leaves the
 * first tick under way (see sampler_collect()); when it is over, choose by
 * what only a sample shows (serials, second chips).  A failure of choose is
 * -errno with the session still open: close it, then session_fail_choice(),
 * for which a wrong name is a usage error (a file's content is not).
 */
enum exit_code session_start(struct session *s, const struct options *o);
int session_choose(struct session *s, const struct options *o, struct error *e);
enum exit_code session_fail_choice(const struct error *e);
void session_close(struct session *s);

/*
 * What a mode that prints once ends with: text to stdout, a word where there
 * is no card or where the text does not explain why one failed, all closed.
 * The verdict, or EXIT_FAILED when it cannot be written.
 */
enum exit_code session_print(struct session *s, struct strbuf *text, bool explained);

/*
 * Whether the cards were read in the last tick and their firmware is alive, not whether
 * they are well: EXIT_DONE, EXIT_NO_DEVICE (none, or no driver has them) or EXIT_PARTIAL (some
 * failed).  Where at least one was read, EXIT_DONE is enough with --partial-ok,
 * and where stdout is not a terminal: upstream knows 0 and 1 alone, and its callers
 * reset or reboot what still works at any other code.  --strict keeps EXIT_PARTIAL.
 */
enum exit_code session_verdict(const struct session *s);

/* Say on stderr that there is no card, if so, and what to do. */
void session_complain_none(const struct session *s);

/* The same, and which cards failed and why; nothing where all is well. */
void session_complain(const struct session *s);

/* All chips as they are now, by index; the caller's to free. */
struct snapshot *session_keep_chips(const struct session *s);

/*
 * A one-shot mode's text to stdout, which is cleared; `code`, or EXIT_FAILED, said why, when it
 * cannot be written.
 */
enum exit_code session_put(struct strbuf *text, enum exit_code code);

/* "tt-smi: <error>" and, where we know one, a hint what to do; returns the exit code that fits. */
enum exit_code session_fail(const struct error *e);

/* The same for a file that could not be written: EXIT_FAILED, and no advice to become root. */
enum exit_code session_fail_file(const struct error *e);

/* For stdout; of a program that was stopped while it waited to write there nothing is said. */
enum exit_code session_fail_stdout(int code);
