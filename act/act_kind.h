/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * act_kind.h - what can be done to cards or to the host, in words: for whoever does it (src/act.h
 * has how), and for whoever meets another program that does.
 */
#pragma once

enum act_kind {
	ACT_RESET, ACT_TEST_MEMORY, ACT_BURN_CARDS, ACT_BURN_HOST, ACT_CHECK_MEMORY, ACT_COMPUTE,
	ACT_DIAG,
	ACTS
};

struct act_words {
	const char *name;		/* "memory check" */
	const char *undone;		/* "nothing was read": where it is refused */
	const char *options[16];	/* that ask for it, each spelling, without dashes */
};

extern const struct act_words act_words[ACTS];
