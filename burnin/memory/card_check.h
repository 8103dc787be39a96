/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_check.h - a card's memory compared with itself: the same addresses read
 * through several endpoints of a channel.  Nothing is written, so a program may
 * go on using the card.
 *
 * If no other program can write there, a disagreement proves a fault.  Agreement
 * proves nothing, because the contents are unknown: in data that repeats, a late lane
 * looks right, and so do two channels that lead to one memory.
 */
#pragma once

#include "base/error.h"
#include "burnin/memory/card_memory.h"
#include "burnin/memory/memory_fault.h"
#include "device/device.h"
#include "report/figure.h"
#include "report/ledger.h"

#include <stdatomic.h>

#define CARD_CHECK_READS 4	/* endpoints 0, 1, 2, and 0 again */
#define CARD_CHECK_USUAL (1ULL << 20)
#define CARD_CHECK_BLOCK (64u << 10)

/* Results for one channel. */
struct card_check_channel {
	uint8_t tested;			/* everything requested was read */
	uint64_t words;			/* compared */
	uint64_t blind;			/* of those, in repeating data, which hides a late lane */
	uint64_t differ;		/* words that differ between endpoints or between reads */
	uint8_t confirmed;			/* no write by a program explains the difference */
	unsigned tries;			/* blocks in which confirming was tried */
	uint64_t alone[MEMORY_PORTS];	/* of differ: this endpoint alone disagrees */
	uint64_t lane[MEMORY_LANES];	/* bytes that differ */
	struct memory_shifts shifts;
	uint64_t values[MEMORY_LANES][4];	/* wrong byte values seen in it, a bit each */
	uint64_t first;			/* address of the first word that differs */
};

/* Blocks of two channels at the same addresses. */
struct card_check_same {
	uint64_t told;			/* compared; repeating data is skipped */
	uint64_t equal;			/* of those: the same in both */
	uint64_t first;			/* address of the first equal block */
};

struct card_check {
	_Atomic uint64_t moved;		/* bytes: a sign of life */
	struct card_check_same same[MEMORY_CHANNELS][MEMORY_CHANNELS];	/* [lower][higher] */
	struct card_check_channel channel[MEMORY_CHANNELS];
};

struct card_check_plan {
	uint32_t enabled, channels;	/* as in struct card_memory_plan */
	struct memory_kept kept;
	uint64_t size;			/* bytes of each channel; 0: all */
	uint64_t seed;			/* chooses the places */
};

enum card_check_verdict {
	CARD_CHECK_AGREES,
	CARD_CHECK_DISAGREES,
	CARD_CHECK_CHANGED,	/* a program that writes there would explain it */
	CARD_CHECK_UNTESTED
};

/* The caller holds the handle for ACCESS_MEMORY.  0, or -errno with the place in e. */
int card_check_run(struct device *d, const struct card_check_plan *p, struct card_check *c,
	struct error *e);

/* Enter the request, including the channels left alone (left); enter the work done. */
void card_check_ask(const struct card_check_plan *p, enum device_chip chip, uint32_t left,
	struct ledger *l);
void card_check_count(const struct card_check_plan *p, const struct card_check *c,
	struct ledger *l);

/*
 * held: another program has the card open.  Then a difference is proof only if no program
 * would write it: many different wrong bytes in a lane, all from earlier chunks.
 */
enum card_check_verdict card_check_judge(const struct card_check_channel *c, bool held);

/* The kind of fault, such as "shifted" with its bytes in late[]; the one wrong endpoint, or -1. */
enum memory_kind card_check_kind(const struct card_check_channel *c, unsigned late[2]);
int card_check_endpoint(const struct card_check_channel *c);

/*
 * The figures that the burn, the memory test and --check-memory share: rows for several tables, and
 * groups with the functions that add their elements.
 */

/* Of a channel: words compared, and how many were wrong. */
#define MEMORY_COUNT_FIGURES(F, WORDS, WRONG) \
	F(INT, words, ("Words verified"), WORDS) \
	F(INT, wrong, ("Wrong words", .against = true), WRONG)

/* Wrong bytes of each lane. */
#define MEMORY_LANE_FIGURES(F, LANE) \
	F(LIST, lanes, (.group = &memory_number_figures), \
		for (unsigned k = 0; k < MEMORY_LANES; k++) memory_add_number(v, (LANE)[k]))

/* Bytes that a shifted lane is late by, in even and in odd chunks. */
#define MEMORY_LATE_FIGURES(F, KIND, LATE) \
	F(LIST, late_bytes, (.group = &memory_number_figures), \
		for (int k = 0; k < 2 && (KIND) == MEMORY_SHIFTED; k++) \
			memory_add_number(v, (LATE)[k]))

/* Errors that the memory controller counted, before and after. */
#define MEMORY_ERROR_FIGURES(F, BEFORE, AFTER) \
	F(OBJECT, errors_before, (.group = &memory_error_figures), memory_add_errors(v, BEFORE)) \
	F(OBJECT, errors_after, (.group = &memory_error_figures), memory_add_errors(v, AFTER))

/* Endpoints of these channels that are left alone. */
#define MEMORY_KEPT_FIGURES(F, KEPT, CHANNELS) \
	F(LIST, endpoints_left_out, (.group = &memory_kept_figures), \
		memory_add_kept(v, KEPT, CHANNELS))

extern const struct figure_group memory_number_figures, memory_error_figures,
	memory_kept_figures, memory_finding_figures;

void memory_add_number(struct figure_value *to, uint64_t n);
void memory_add_errors(struct figure_value *to, const struct memory_errors *e);
void memory_add_kept(struct figure_value *to, const struct memory_kept *kept, uint32_t channels);
void memory_add_findings(struct figure_value *to, const struct memory_finding *found, size_t n);
