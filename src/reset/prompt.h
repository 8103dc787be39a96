/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prompt.h - a line that a person types at a question.
 */
#pragma once

#include "src/stop.h"

#include <stdbool.h>
#include <stddef.h>

enum prompt_kind {
	PROMPT_SHOWN,
	PROMPT_SECRET,		/* not shown, and what was typed before it does not count */
	PROMPT_TYPED		/* by hand, after the question (base/consent.h): an act follows */
};

/* Somebody is there to answer: standard input is a terminal, and this job has it. */
bool prompt_is_possible(void);

/*
 * Ask on the terminal, wherever stdout goes, and read a line of standard input
 * without its end.
 * -ECANCELED: a signal, or the end of input; -EINVAL: it is longer than `size`
 * allows or has control characters, and line is empty.
 */
int prompt_line(struct stop *stop, enum prompt_kind kind, const char *question, char *line,
	size_t size);

/* True: "y" or "yes" was typed, after the question. */
bool prompt_yes(struct stop *stop, const char *question);
