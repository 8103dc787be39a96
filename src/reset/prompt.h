/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prompt.h - what a reset waits for: answers, credentials, an act outside of the driver.
 */
#pragma once

#include "base/error.h"
#include "reset/outside/outside.h"
#include "src/options.h"
#include "src/stop.h"

#include <stdbool.h>
#include <stddef.h>

enum prompt_kind {
	PROMPT_SHOWN,
	PROMPT_SECRET,		/* not shown; input typed before the question is dropped */
	PROMPT_TYPED		/* typed by hand after the question (base/consent.h), for an act */
};

/* Whether a person can answer: standard input is a terminal, and this job has it. */
bool prompt_is_possible(void);

/*
 * Ask on the terminal, wherever stdout goes, and read a line of standard input, without its end.
 * -ECANCELED: a signal, or the end of input; -EINVAL: the answer is longer than `size`
 * allows or has control characters, and line is empty.
 */
int prompt_line(struct stop *stop, enum prompt_kind kind, const char *question, char *line,
	size_t size);

/*
 * Read the first line that a program has for us at standard input, blanks for its tabs.  Errors as
 * of prompt_line().
 */
int prompt_piped(struct stop *stop, char *line, size_t size);

/* True: "y" or "yes" was typed, after the question. */
bool prompt_yes(struct stop *stop, const char *question);

/* User and password of a management controller, which go nowhere but to it. */
struct credentials {
	char user[64], password[128];
};

/* Parse "user:password" in the first line of a file's first bytes; 0 or -EINVAL. */
int credentials_parse(const char *text, size_t len, struct credentials *out);

/*
 * Take them from --credentials ("user:password" in a file that only its owner may read),
 * else from TT_SMI_USER and TT_SMI_PASSWORD, else ask on a terminal.  If none of these has
 * them, use `fallback` ("user:password"); -EACCES: it is NULL.  -ECANCELED: the person
 * left.  From this call on the process leaves no core dump.
 */
int credentials_get(const struct options *o, const char *host, const char *fallback,
	struct stop *stop, struct credentials *out, struct error *e);

void credentials_clear(struct credentials *c);

/*
 * Run an act outside of the driver to its end, and print its progress.  A first signal ends it
 * before its next dangerous step; a second one leaves it in the middle of what it does.  `last` is
 * its last report: 0, -ECANCELED (stopped), or why it failed.
 */
void outside_wait(const struct outside *what, struct stop *stop, struct outside_report *last);
