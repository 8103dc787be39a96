/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - one look at one chip: which accesses, in which order, and when
 * to stop.  Runs in a worker process, because each access may hang.
 */
#pragma once

#include "device/device.h"
#include "telemetry/raw.h"

/* How far a look may go. */
struct reader_policy {
	bool passive;		/* attributes only */
	bool active;		/* may send the legacy-address message (Grayskull), and hop
				   to coordinates and remote chips */
	bool fresh;		/* also read again what does not change (ids, versions, limits) */
	bool keep;		/* keep the device's handle open for the next look */
};

/*
 * Look at d and fill raw.  Never fails as such: raw->look_error tells when
 * nothing could be had, raw->table_error when only the host's view could.
 */
void reader_look(struct device *d, const struct reader_policy *p, struct raw *raw);
