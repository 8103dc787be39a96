/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler.h - looks at all chips, again and again, and never hangs.
 *
 * All accesses happen in a worker process that shares memory with us.  A
 * worker that does not come back from a chip within the deadline is left
 * behind (killed; one stuck in the kernel stays until it can die), a spare
 * one goes on with the next chip, and the chip is failed and looked at again
 * after 1, 2, 4 ... 30 s only.  A tick allocates nothing and forks nothing;
 * only the loss of a worker forks the next spare.
 */
#pragma once

#include "telemetry/fleet.h"

struct bus;
struct sampler;

struct sampler_config {
	struct bus *bus;	/* of the caller, open until after sampler_close(); or */
	const char *load;	/* --load FILE: a snapshot instead of a bus */
	int64_t deadline;	/* ns for one chip's look; 0: 1 s */
	bool one_shot;		/* -s, -ls: may read remote chips of boards nobody holds */
	bool remote;		/* --remote: live and dump may too */
	bool local;		/* --local: remote chips never */
	bool keep;		/* keep handles open between ticks (fast sampling) */
};

/* Start the worker; *s is the caller's to sampler_close(). */
int sampler_open(const struct sampler_config *c, struct sampler **s, struct error *e);

/* Never waits for a stuck worker. */
void sampler_close(struct sampler *s);

/*
 * From now on only the wanted chips are looked at and shown; NULL means all.
 * selection is kept as a pointer; see struct fleet.
 */
void sampler_select(struct sampler *s, const bool *wanted, size_t n, const char *selection);

/*
 * Begin a tick: the worker starts looking.  -EBUSY while the last one is not
 * over.  sampler_fd() becomes readable when there is news; sampler_collect()
 * then takes it in (it never blocks) and returns 1 when the tick is over, 0
 * while it goes on.  sampler_wait_ms() is how long poll() may wait for news
 * before a deadline passes and collect is due anyway; -1 between ticks.
 */
int sampler_begin(struct sampler *s);
int sampler_fd(const struct sampler *s);
int sampler_collect(struct sampler *s);
int sampler_wait_ms(const struct sampler *s);

/* Wait for the tick that was begun to be over; and a whole tick: begin and finish. */
int sampler_finish(struct sampler *s, struct error *e);
int sampler_tick(struct sampler *s, struct error *e);

/* Look for devices that came, went or returned; 1 if the fleet changed. */
int sampler_rescan(struct sampler *s, struct error *e);

/* Valid until the next call of collect, rescan or close. */
const struct fleet *sampler_fleet(const struct sampler *s);

/* The file behind --load, or NULL; the sampler's. */
struct loaded;
const struct loaded *sampler_loaded(const struct sampler *s);
