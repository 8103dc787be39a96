/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * receipt.h - what --during prints: a table of figures, as text and as JSON.
 */
#pragma once

#include "base/program.h"
#include "base/text.h"
#include "device/device.h"
#include "src/options.h"
#include "telemetry/history.h"
#include "telemetry/snapshot.h"
#include "telemetry/tally.h"

/*
 * What the cards did while a command ran: for each, the totals of telemetry/tally.h since its first
 * sample, the ranges of its readings, and the processes that held it.
 */

/* Readings whose least, most or mean the receipt shows. */
enum account_seen {
	ACCOUNT_CORE_POWER, ACCOUNT_BOARD_POWER, ACCOUNT_ASIC_TEMP, ACCOUNT_GDDR_TEMP,
	ACCOUNT_VREG_TEMP, ACCOUNT_BOARD_TEMP, ACCOUNT_CLOCK, ACCOUNT_BUSY, ACCOUNT_BUSY_CORES,
	ACCOUNT_SEEN
};

/* The two powers, in the order of their tallies and readings. */
enum { ACCOUNT_CORE, ACCOUNT_BOARD, ACCOUNT_POWERS };

extern const enum field_id account_fields[ACCOUNT_SEEN];

struct account_chip {
	bool is_there;			/* some tick was to read it */
	struct tally now, before;	/* at the end, `now` has what was added */
	bool had[TALLY_COUNT];		/* `before` is known */
	struct range seen[ACCOUNT_SEEN];
	int64_t since[ACCOUNT_POWERS];	/* clock_mono() of the first reading of the power */
	int64_t known[ACCOUNT_POWERS];	/* ns that the energy covers, at the end */
	int64_t mean[ACCOUNT_POWERS];	/* mW, at the end; below 0: not known */
	bool has_links, has_retrained;	/* ethernet */
	uint32_t links, retrained;	/* the last masks */
	uint64_t links_lost, links_retrained;
	uint64_t samples;
	uint64_t clocked, idle;		/* samples that have the clock, and those at the idle one */
	int64_t first;			/* clock_mono() of the first tick if it had no sample */
	uint64_t longest_gap;		/* ns */
	char trouble[224];		/* why it was not read, for a time or at the end; "" */
};

struct account_holder {
	struct process process;
	enum program_whose whose;
};

struct account {
	struct account_chip chips[DEVICE_MAX];
	struct account_chip sum;	/* at the end */
	size_t unread;			/* cards without a sample, at the end */
	struct account_holder *holders;
	size_t n_holders;
};

/* The receipt. */

#define RECEIPT_LEFT 16		/* the most left processes that are named */

struct receipt {
	const struct options *o;
	const struct program *program;
	const struct account *account;
	const struct fleet *fleet;	/* NULL: the cards could not be looked for */
	bool is_copy;			/* of a machine's files: no value changes */
	int64_t began, duration, interval;	/* ns; began since 1970 */
	size_t n_left;
	struct program_left left[RECEIPT_LEFT];
};

/* Why there are no figures; NULL: there are. */
const char *receipt_missing(const struct receipt *r);

void receipt_put_text(struct strbuf *to, const struct receipt *r);
void receipt_put_json(struct strbuf *to, const struct receipt *r);
