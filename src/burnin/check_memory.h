/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check_memory.h - the cards of --check-memory, each with its process and its result.
 */
#pragma once

#include "burnin/memory/card_check.h"
#include "burnin/memory/card_memory.h"
#include "src/act.h"
#include "src/burnin/cards.h"

enum check_memory_verdict {
	CHECK_MEMORY_AGREES,
	CHECK_MEMORY_DISAGREES,
	CHECK_MEMORY_INCOMPLETE
};

/* The report of a card's process. */
struct check_memory_shared {
	struct card_check check;
	_Atomic bool over;
	int result;		/* 0 or -errno, when it is over */
	struct error error;
};

struct check_memory_card {
	struct device *d;
	struct memory_channels channels;
	bool held;		/* by another program, before or after */
	struct ledger coverage;
	struct card_check_plan plan;
	struct memory_errors before[MEMORY_CHANNELS], after[MEMORY_CHANNELS];
	struct check_memory_shared *shared;
	struct card_process process;
	char name[96];
	struct error why;	/* why it is not complete; text "": it is */
	enum check_memory_verdict verdict;
};

struct check_memory {
	struct act act;			/* first: the runner has this one */
	struct card_check_plan wish;
	size_t n;
	struct check_memory_card *cards;
};

/* Take all figures of these cards. */
void check_memory_take(struct figures *to, const struct fleet *fleet,
	const struct check_memory_card *cards, size_t n);
