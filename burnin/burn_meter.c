/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/burn_meter.h"

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

static void read_worker(struct burn_pace *p, const struct burn_worker *w, int64_t now)
{
	const uint64_t beats = atomic_load(&w->beats);
	uint64_t flops = 0, ns = 0;

	if (beats != p->beats || p->moved == 0) {
		p->beats = beats;
		p->moved = now;
	}
	for (int k = 0; k < BURN_KINDS; k++) {
		flops += atomic_load(&w->flops[k]);
		ns += atomic_load(&w->ns[k]);
	}
	/* Both are counted at the end of a dwell, one just after the other. */
	if (ns <= p->ns || flops <= p->flops)
		return;
	p->rate = (int64_t)((double)(flops - p->flops) * 1000 / (double)(ns - p->ns));
	p->flops = flops;
	p->ns = ns;
}

void burn_meter_read(struct burn_meter *m, const struct burn *b, int64_t now)
{
	m->rate = 0;
	for (size_t i = 0; i < m->n; i++)
		read_worker(&m->workers[i], &b->shared->workers[i], now);
	for (size_t i = 0; i < m->n; i++) {
		if (m->workers[i].rate == 0) {
			m->rate = 0;
			return;
		}
		m->rate += m->workers[i].rate;
	}
}
