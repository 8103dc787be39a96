/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * act_kind.h - the acts on cards or on the host, in words: for the code that performs them
 * (src/act.h), and to recognise another program that performs one (holder.c).
 */
#pragma once

enum act_kind {
	ACT_RESET, ACT_TEST_MEMORY, ACT_BURN_CARDS, ACT_BURN_HOST, ACT_CHECK_MEMORY, ACT_COMPUTE,
	ACT_DIAG,
	ACTS
};

struct act_words {
	const char *name;		/* "memory check" */
	const char *undone;		/* "nothing was read", said when it is refused */
	const char *options[16];	/* every spelling that requests it, without dashes */
};

extern const struct act_words act_words[ACTS];
