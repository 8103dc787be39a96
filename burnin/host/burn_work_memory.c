/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory part of the burn: each worker writes and compares its own share.
 * The burn ends before the host runs out of memory for others.
 */
#include "config.h"
#include "burnin/host/burn_work.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "burnin/host/burn_room.h"
#include "burnin/host/burn_set.h"
#include "burnin/kernels/stopwatch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { CEILING_EVERY = 16 };		/* pieces written per sample */

int memory_work_open(struct memory_work *w, const struct burn_config *c,
	struct burn_shared *shared, int index, struct error *e)
{
	const uint64_t share = c->memory / (uint64_t)c->threads;
	const uint64_t seed = impl_mix(c->seed ^ impl_mix((uint64_t)index + 1));
	int r;

	*w = (struct memory_work){ .config = c, .shared = shared, .out = &shared->workers[index],
		.index = index };
	r = burn_memory_open(&w->memory, share, seed, burn_set_impl(BURN_CONV2D, BURN_FLOAT32), e);
	if (r < 0)
		return r;
	burn_memory_begin(&w->memory, burn_worker_get(w->out, BURN_MEMORY_PASSES));
	while ((r = burn_memory_settle(&w->memory)) != 0) {
		if (r < 0)
			burn_count_set(&w->out->count[BURN_UNLOCKED], (uint64_t)-r);
		atomic_store(&w->out->memory_ready, w->memory.settled);
		atomic_fetch_add(&w->out->beats, 1);
		burn_await_watch(c, shared, index);
	}
	if (index == 0)
		shared->probe.memory = (struct burn_place){ .what = BURN_IS_MEMORY,
			.at = (uintptr_t)w->memory.bursts.at,
			.bytes = burn_memory_bytes(&w->memory) };
	return 0;
}

/* Record each half of the word that differs. */
static void found(void *arg, uint64_t word, uint64_t got, uint64_t want, bool once)
{
	const struct memory_work *w = arg;
	const uint64_t *at = w->memory.bursts.at + word;

	for (unsigned half = 0; half < 2; half++) {
		const uint32_t g = (uint32_t)(got >> 32 * half), t = (uint32_t)(want >> 32 * half);
		struct burn_record *x;

		if (g == t || !(x = burn_claim(w->config, w->shared, w->index)))
			continue;
		x->error.what = once ? BURN_IS_MEMORY_ONCE : BURN_IS_MEMORY;
		x->error.kind = BURN_MEMORY;
		x->error.pattern = (int)(w->memory.pass % BURN_MEMORY_PATTERNS);
		x->error.impl = burn_impl_find(w->memory.impl->name);
		x->error.index = word * 2 + half;
		x->error.got = g;
		x->error.want = t;
		x->error.address = (uint64_t)(uintptr_t)at + 4 * half;
		x->error.physical = burn_memory_physical((const char *)at + 4 * half);
		burn_record_seal(x);
	}
}

/* For tests: which bytes will be compared before they are written again. */
static void tell_live(const struct memory_work *w)
{
	const struct burn_memory *m = &w->memory;
	struct burn_probe *probe = &w->shared->probe;
	const uint64_t done = m->done * IMPL_BURST, next = burn_memory_next(m);
	uint64_t from = 0, to = 0;

	if (w->index > 0)
		return;
	if (burn_memory_streams(m->pass)) {
		from = m->comparing ? done + next : 0;
		to = m->comparing ? burn_memory_bytes(m) : done;
	}
	atomic_store(&probe->live_to, 0);
	atomic_store(&probe->live_from, from);
	atomic_store(&probe->live_to, to);
}

static void inject(struct memory_work *w)
{
	const struct burn_fault *f = &w->config->fault;

	if (!f->name || w->injected || f->thread != w->index || strcmp(f->name, "memory") != 0
		|| !w->memory.comparing || w->memory.done > 0)
		return;
	w->memory.bursts.at[w->memory.n * IMPL_BURST / 8 / 3] ^= 1ULL << 41;
	w->injected = true;
}

/* Once a second, check that other processes do not run out of memory because of us. */
static void look_around(struct memory_work *w)
{
	const int64_t now = clock_steady();
	const uint64_t swapped = burn_room_swapped();
	struct error e;

	if (w->index > 0 || now - w->looked < CLOCK_SECOND)
		return;
	w->looked = now;
	if (swapped > burn_worker_get(w->out, BURN_SWAPPED))
		burn_count_set(&w->out->count[BURN_SWAPPED], swapped);
	if (burn_room_is_short("")) {
		fail(&e, -ENOMEM, "memory ran short meanwhile: the burn gave it back");
		burn_text_put(&w->shared->trouble, &e);
		burn_flag_set(&w->shared->stop);
	}
}

static void sample_ceiling(struct memory_work *w)
{
	const uint64_t piece = w->memory.done / (w->memory.step ? w->memory.step : 1);
	struct stopwatch t;

	stopwatch_start(&t);
	if (piece % CEILING_EVERY != 0 || !burn_memory_ceiling(&w->memory, found, w))
		return;
	burn_worker_add(w->out, BURN_MEMORY_NS, (uint64_t)stopwatch_waited(&t));
	burn_worker_add(w->out, BURN_CEILING_NS, (uint64_t)stopwatch_cpu(&t));
	burn_worker_add(w->out, BURN_CEILING_BYTES, burn_memory_next(&w->memory));
}

static void note_pass(struct memory_work *w)
{
	const uint64_t share = burn_memory_bytes(&w->memory);

	burn_worker_add(w->out, BURN_MEMORY_PASSES, 1);
	/* An earlier process may have had another share: --size is a part of what was free. */
	if (share > burn_worker_get(w->out, BURN_MEMORY_WHOLE))
		burn_count_set(&w->out->count[BURN_MEMORY_WHOLE], share);
}

bool memory_work_step(struct memory_work *w)
{
	const int order = burn_memory_streams(w->memory.pass) ? 0 : 1;
	const bool comparing = w->memory.comparing;
	const uint64_t bytes = burn_memory_next(&w->memory);
	struct stopwatch t;
	bool ended;

	look_around(w);
	tell_live(w);
	sample_ceiling(w);
	inject(w);
	stopwatch_start(&t);
	ended = burn_memory_step(&w->memory, found, w);
	stopwatch_mark(&t, 0);
	burn_worker_add(w->out, BURN_MEMORY_NS + order, (uint64_t)stopwatch_ns(&t));
	burn_worker_add(w->out, BURN_CPU_NS, (uint64_t)stopwatch_cpu(&t));
	if (comparing)
		burn_worker_add(w->out, BURN_MEMORY_BYTES + order, bytes);
	burn_worker_add(w->out, BURN_MEMORY_MOVED, bytes);
	if (ended)
		note_pass(w);
	atomic_fetch_add(&w->out->beats, 1);
	return ended;
}
