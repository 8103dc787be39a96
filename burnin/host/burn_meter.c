/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/host/burn_meter.h"

#include "base/mem.h"

#include <stdlib.h>

void burn_meter_init(struct burn_meter *m, size_t workers)
{
	*m = (struct burn_meter){ .n = workers,
		.workers = mem_calloc(workers ? workers : 1, sizeof(*m->workers)) };
}

void burn_meter_clear(struct burn_meter *m)
{
	free(m->workers);
	*m = (struct burn_meter){ 0 };
}

/* A byte that is written and compared is moved twice but counts once. */
static void read_memory(struct burn_pace *p, const struct burn_worker *w)
{
	const uint64_t moved = burn_worker_get(w, BURN_MEMORY_MOVED);
	uint64_t ns = 0;

	for (int order = 0; order < 2; order++)
		ns += burn_worker_get(w, BURN_MEMORY_NS + order);
	if (moved <= p->moved_bytes || ns <= p->memory_ns)
		return;
	/* The first reading gives no rate: it may include the work of an earlier process. */
	p->memory = p->memory_ns == 0 ? 0 : (int64_t)((double)(moved - p->moved_bytes) / 2 * 1000
		/ (double)(ns - p->memory_ns));
	p->moved_bytes = moved;
	p->memory_ns = ns;
}

/* Both grow when a dwell, or a piece of memory, ends: so they are at most one of these apart. */
static void read_share(struct burn_pace *p, const struct burn_worker *w)
{
	const uint64_t had = burn_worker_get(w, BURN_CPU_NS);
	uint64_t worked = 0;

	for (int k = 0; k < BURN_KINDS; k++)
		worked += burn_worker_get(w, BURN_NS + k);
	for (int order = 0; order < 2; order++)
		worked += burn_worker_get(w, BURN_MEMORY_NS + order);
	if (worked <= p->worked || had <= p->had)
		return;
	p->share = (double)(had - p->had) / (double)(worked - p->worked);
	p->worked = worked;
	p->had = had;
}

static void read_worker(struct burn_pace *p, const struct burn_worker *w)
{
	uint64_t flops = 0, ns = 0;

	for (int k = 0; k < BURN_KINDS; k++) {
		flops += burn_worker_get(w, BURN_FLOPS + k);
		ns += burn_worker_get(w, BURN_NS + k);
	}
	read_share(p, w);
	read_memory(p, w);
	/* Both are counted at the end of a dwell, one just after the other. */
	if (ns <= p->ns || flops <= p->flops)
		return;
	p->rate = (int64_t)((double)(flops - p->flops) * 1000 / (double)(ns - p->ns));
	p->flops = flops;
	p->ns = ns;
}

void burn_meter_read(struct burn_meter *m, const struct burn *b)
{
	bool rate = true, memory = true;
	double shares = 0, by;

	m->rate = m->memory = 0;
	m->share = 0;
	for (size_t i = 0; i < m->n; i++) {
		const struct burn_pace *p = &m->workers[i];

		read_worker(&m->workers[i], &b->shared->workers[i]);
		rate = rate && p->rate > 0;
		memory = memory && p->memory > 0;
		m->rate += p->rate;
		m->memory += p->memory;
		shares += p->share;
	}
	by = burn_overlap(b, shares);
	m->rate = rate ? (int64_t)(by * (double)m->rate) : 0;
	m->memory = memory ? (int64_t)(by * (double)m->memory) : 0;
	m->share = m->n > 0 ? by * shares / (double)m->n : 0;
}
