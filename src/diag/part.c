/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part.c - the results of a stage, and the cards that are left out.
 */
#include "config.h"
#include "src/diag/diag.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SIMULATED (256 << 10)	/* bytes: simulated memory is slow */

void diag_leave_out(struct diag *d, int index, const char *fmt, ...)
{
	va_list args;

	for (size_t i = 0; i < d->n_cards; i++) {
		if (d->cards[i].index != index || *d->cards[i].out)
			continue;
		va_start(args, fmt);
		vsnprintf(d->cards[i].out, sizeof(d->cards[i].out), fmt, args);
		va_end(args);
	}
}

void diag_add(struct diag *d, struct diag_part *p, int index, enum health_result result,
	const char *fmt, ...)
{
	struct diag_item *i;
	va_list args;

	p->items = mem_realloc(p->items, (p->n + 1) * sizeof(*p->items));
	i = &p->items[p->n++];
	*i = (struct diag_item){ .index = index, .result = result,
		.has_warned = result == HEALTH_WARN };
	va_start(args, fmt);
	vsnprintf(i->text, sizeof(i->text), fmt, args);
	va_end(args);
	if (result == HEALTH_FAIL)
		diag_leave_out(d, index, "left alone: it failed %s", p->stage->id);
}

size_t diag_skip_out(struct diag *d, struct diag_part *p)
{
	size_t left = 0;

	for (size_t i = 0; i < d->n_cards; i++)
		if (*d->cards[i].out)
			diag_add(d, p, d->cards[i].index, HEALTH_SKIP, "%s", d->cards[i].out);
		else
			left++;
	return left;
}

uint64_t diag_bytes(const struct diag *d, uint64_t usual)
{
	return strcmp(bus_source(d->act.session.bus), "kmd") == 0 ? usual : SIMULATED;
}

const char *diag_name(const struct diag *d, int index, char *text, size_t size)
{
	const struct snapshot *s;

	if (index < 0)
		return index == DIAG_HOST ? "host" : "all";
	s = &sampler_fleet(d->act.session.sampler)->chips[index];
	snprintf(text, size, "%d %s%s%s", s->index, s->bdf, *s->bdf ? " " : "", s->series);
	return text;
}

enum health_result diag_result(const struct diag_part *p)
{
	enum health_result worst = HEALTH_NONE;

	for (size_t i = 0; i < p->n; i++)
		if (p->items[i].result > worst)
			worst = p->items[i].result;
	return worst == HEALTH_NONE ? HEALTH_SKIP : worst;
}
