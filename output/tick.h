/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick.h - what the formats share in which readings are written while they are taken: the facts
 * about a tick and the name of a card.
 */
#pragma once

#include "base/json.h"
#include "base/text.h"
#include "output/dump_column.h"
#include "telemetry/alerts.h"
#include "telemetry/snapshot.h"

/* When a tick was, whether it began late, and whether the wall clock jumped. */
struct tick {
	int64_t at;		/* ns since the start of the dump */
	int64_t real;		/* clock_real() */
	int64_t late;		/* ns after its deadline; shown if `is_late` */
	bool is_late;
	uint64_t lost;		/* ticks that did not take place just before this one */
	int64_t stepped;	/* ns the wall clock was stepped by since the last one; 0: not */
	const struct alerts *alerts;	/* with the news of this tick; NULL: none */
	const char *stand_in;	/* the origin's: "simulated"; NULL: a machine's own cards */
};

/* The clocks at the tick before; all zero before the first. */
struct tick_clock {
	bool begun;
	int64_t real, mono;	/* ns */
};

/* What the user asked for. */
struct tick_choice {
	const bool *wanted;	/* FIELD_COUNT of them; NULL: the telemetry group */
	bool external;		/* leave engineering fields out */
};

/*
 * Fill *t for the fleet's tick, which began `late` ns after its deadline, after
 * `lost` missed deadlines; start is clock_mono() of time stamp 0.
 */
void tick_judge(struct tick_clock *c, const struct fleet *fleet, int64_t start, int64_t interval,
	int64_t late, uint64_t lost, struct tick *t);

/* "3 0000:41:00.0 p150a" */
void card_name_put(struct strbuf *to, const struct snapshot *s);

/* The board's serial number; NULL if it is not known, or external. */
const char *card_name_serial(const struct snapshot *s, bool external, char *buf, size_t size);

/* Keys of an object: index, bdf, board, serial. */
void card_name_put_json(struct json_out *j, const struct snapshot *s, bool external);
