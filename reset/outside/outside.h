/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outside.h - an act outside of the driver that resets cards, or that a reset needs: a request to
 * a management controller, and which controllers there are.
 *
 * It runs in a process of its own, with a deadline for the whole and one for each step, so that a
 * controller that never answers costs its caller only that time.  Before a step that must not be
 * interrupted, the process asks its caller; between such steps it can be ended at any moment.
 */
#pragma once

#include "base/child.h"
#include "base/error.h"
#include "base/json.h"
#include "device/bus.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum outside_kind {
	OUTSIDE_SAYS,		/* progress */
	OUTSIDE_RESTS,		/* the next step may be interrupted; text: the state if it is */
	OUTSIDE_BEGINS,		/* the next step may reset cards, must not be interrupted; named */
	OUTSIDE_ASKS,		/* the same, but it waits for permission first */
	OUTSIDE_OVER
};

/* A report of the process: progress in words, or how it ended. */
struct outside_report {
	enum outside_kind kind;
	bool has_fired;		/* from now on the cards may have been reset */
	int error;		/* -errno of why it failed */
	enum code code;		/* of it, or CODE_NONE */
	int64_t limit;		/* ns that the step may take; 0: until the end of all */
	char text[240];
};

/* The socket's end in the process that acts. */
struct outside_line {
	int fd;
	bool has_fired;
};

struct outside {
	int (*act)(void *arg, struct outside_line *line, struct error *e);	/* 0 or -errno */
	void *arg;
	int64_t limit;		/* ns for all of it */
	int64_t wait;		/* ns for the cards to come back on the bus, once it is done */
};

struct outside_run {
	struct child child;
	int64_t end, due, limit, step_limit;	/* clock_mono() of the deadlines; their spans, ns */
	bool has_fired, is_over, is_resting, is_stopped;
	char rest[240];		/* the state if interrupted now, or the step that must not be */
};

/* 0 or -errno: it could not be started. */
int outside_start(struct outside_run *o, const struct outside *what, struct error *e);

/*
 * True: *report is the next one to show, or the last (OUTSIDE_OVER).  A deadline, the death
 * of the process or a stop (-ECANCELED) ends it as well.
 */
bool outside_take(struct outside_run *o, struct outside_report *report);

/* Permit no further step that must not be interrupted; outside_take() reports the end. */
void outside_stop(struct outside_run *o);

/* End it at once, in the middle of whatever it does; *report says so. */
void outside_leave(struct outside_run *o, struct outside_report *report);

/* clock_mono() at which to call outside_take() even if poll() has seen nothing. */
int64_t outside_wake(const struct outside_run *o);

/* Its process is gone when this returns. */
void outside_end(struct outside_run *o);

/*
 * Called in the process that acts: report progress, or the next step, which takes `limit` at most.
 * OUTSIDE_ASKS: false if it was stopped before that step; otherwise true.
 */
bool outside_put(struct outside_line *line, enum outside_kind kind, int64_t limit,
	const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Programs that use upstream's library and are notified of a reset: each listens on a socket
 * client_<pid>.sock in a common folder (chip-facts 5.2).
 */

#define LISTENERS_FOLDER "tmp/tt_umd_listeners"	/* below the root */

enum listeners_event {
	LISTENERS_BEFORE = 1,	/* a reset is about to begin: let go of the cards */
	LISTENERS_AFTER = 2
};

/*
 * Notify all listeners in a folder; returns how many took the message.  Those that are gone, or do
 * not take it at once, are skipped.
 */
size_t listeners_tell(const char *folder, enum listeners_event event);

/*
 * Resets of a galaxy's trays by its management controller, through ipmitool (chip-facts 5.4).  No
 * shell is involved, and a password is passed in ipmitool's environment, never in its arguments.
 */

struct ipmi {
	char program[256];	/* path of ipmitool */
	const char *host;	/* over the network (lanplus); NULL: this machine's controller */
	const char *port;		/* of the host, or NULL */
	const char *user, *password;	/* with host */
};

/* Find ipmitool in PATH or in the folders of root's programs; -ENOENT: it is not installed. */
int ipmi_find(struct ipmi *i, struct error *e);

/* The same for the controller of these cards.  Simulated cards never use the machine's own: they
 * have none (program is "") unless TT_SMI_SIM_IPMITOOL names a program, for tests. */
int ipmi_find_of(const struct bus *bus, struct ipmi *i, struct error *e);

/* The command as it would be typed, without the password; trays: bit k is tray k + 1. */
void ipmi_describe(const struct ipmi *i, unsigned trays, char *out, size_t size);

/*
 * Reset these trays, without the retimers of their links if the controller can do that.
 * Blocks until ipmitool is done, so run it through outside_start().
 */
int ipmi_reset(const struct ipmi *i, unsigned trays, struct outside_line *line, struct error *e);

/*
 * What became of a reset by the exit status of ipmitool and its output, which is cut to the line
 * that matters; has_fired is cleared if the controller did nothing.
 */
int ipmi_judge(int status, char *output, struct outside_line *line, struct error *e);

/*
 * Ask this machine's controller something that changes nothing (two words: "fru", "print"), until
 * clock_steady() `until` at the latest.  out has the answer, or what ipmitool printed as it failed.
 */
int ipmi_print(const struct ipmi *i, const char *const words[2], int64_t until, char *out,
	size_t size, struct error *e);

/*
 * A management host of carrier boards, which resets its modules on a request over HTTP (chip-facts
 * 5.5).
 */

#define MOBO_PORTS 64
#define MOBO_CARDS 32

struct mobo {
	char host[128];			/* name, or name:port */
	size_t n_ports, n_disabled, n_cards;
	char ports[MOBO_PORTS][8];	/* "6:0": group and channel of an ethernet port to boot */
	char disabled[MOBO_PORTS][8];
	int cards[MOBO_CARDS];		/* nodes of this machine's cards connected to it */
	const char *user, *password;
	bool is_shut;			/* its modules may be down, even if it was left half way */
};

bool mobo_is_host(const char *name);
bool mobo_is_port(const char *text);	/* "6:0" */

/* One entry of wh_mobo_reset; 1: a template that was never filled in; -EINVAL. */
int mobo_parse(const struct json *entry, struct mobo *m, struct error *e);

/* The progress that a boot reports. */
struct mobo_progress {
	double percent;
	char step[64];
};
int mobo_parse_progress(const struct json *doc, struct mobo_progress *p, struct error *e);

/*
 * Parse the answer of a mobo as JSON: -EPROTO if it is none; -EREMOTEIO: the server reports an
 * exception.  Free *doc with json_free(); it is NULL on an error.
 */
int mobo_parse_answer(const char *text, size_t len, struct json **doc, struct error *e);

/*
 * Acts of a struct outside, whose arg is the mobo.  Steps 1 to 3 and 4: everything before the cards
 * here are reset.  Step 6: start its modules again.
 */
int mobo_boot(void *mobo, struct outside_line *line, struct error *e);
int mobo_shut_modules(void *mobo, struct outside_line *line, struct error *e);
int mobo_start_modules(void *mobo, struct outside_line *line, struct error *e);

int64_t mobo_limit(void);	/* for any of these, in ns */
