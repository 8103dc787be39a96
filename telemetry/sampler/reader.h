/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - one sample of one chip: which accesses, in which order, and when
 * to stop.  Runs in a worker process, because each access may hang.
 */
#pragma once

#include "device/device.h"
#include "telemetry/field.h"
#include "telemetry/raw.h"

/* How far a sample may go. */
struct reader_policy {
	bool passive;		/* attributes only */
	bool active;		/* may send the legacy-address message (Grayskull), and read
				   coordinates and remote chips */
	const char *why;	/* why it is not active: "not read: --local"; NULL: no reason */
	bool links;		/* ask a Blackhole's ethernet cores for their links */
	bool fresh;		/* also read static values again (ids, versions, limits) */
	bool keep;		/* keep the device's handle open for the next sample */
};

/*
 * Sample d into raw.  It always fills raw: sample_error says why nothing could be
 * read, table_error why the firmware's tables could not.
 */
void reader_sample(struct device *d, const struct reader_policy *p, struct raw *raw);

/*
 * Read again only the heartbeat that a sample had from this source: from the driver where
 * possible, which opens no node.  False if it cannot be read.
 */
bool reader_beat(struct device *d, enum reading_source source, uint32_t *word);
