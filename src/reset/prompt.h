/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prompt.h - ask a question and read the line that a person types.
 */
#pragma once

#include "src/stop.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum prompt_kind {
	PROMPT_SHOWN,
	PROMPT_SECRET,		/* not shown; input typed before the question is dropped */
	PROMPT_TYPED		/* typed by hand after the question (base/consent.h), for an act */
};

/* Whether a person can answer: standard input is a terminal, and this job has it. */
bool prompt_is_possible(void);

/*
 * Ask on the terminal, wherever stdout goes, and read a line of standard input,
 * without its newline.
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

/*
 * Read until the first line is there, of a file or a pipe, or until `size` bytes are; more than
 * the line may be read.  The number of bytes, or -errno; -ECANCELED: a signal.
 */
ssize_t prompt_read_line(int fd, struct stop *stop, char *line, size_t size);

/* True: "y" or "yes" was typed, after the question. */
bool prompt_yes(struct stop *stop, const char *question);
