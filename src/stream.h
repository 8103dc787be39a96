/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - a sink on stdout, whose reader may be slow or gone.
 */
#pragma once

#include "output/dump.h"
#include "src/stop.h"

struct stream {
	const struct sink *sink;
	struct sink_choice choice;
	int64_t interval, start;	/* ns; clock_mono() of time stamp 0 */
	const struct alerts *alerts;	/* NULL: none */
	bool closed;			/* the reader of stdout has gone */
	struct tick_clock clock;
	struct dump_counts counts;
	struct strbuf lines;
};

/*
 * Write a tick of all cards.  A pipe may be full for long; keys and signals that
 * `stop` watches are still handled.  -errno when stdout cannot be written, -EAGAIN when a
 * stop ended it within a line; a reader that has gone is not an error.
 */
int stream_row(struct stream *s, const struct fleet *f, const struct dump_tick *tick,
	struct stop *stop);
