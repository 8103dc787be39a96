/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/reset/done.h"

#include "base/mem.h"
#include "base/text.h"

#include <stdlib.h>

void reset_done_init(struct reset_done *d)
{
	d->cards = mem_calloc(DEVICE_MAX, sizeof(*d->cards));
}

void reset_done_clear(struct reset_done *d)
{
	free(d->cards);
	*d = (struct reset_done){ .n = 0 };
}

static struct reset_card *reset_done_find(const struct reset_done *d, int index)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->cards[i].index == index)
			return &d->cards[i];
	return NULL;
}

/* Nothing was done to it, nor was it looked at. */
static bool was_left_alone(const struct reset_card *c)
{
	return c->verdict == RESET_REFUSED || c->verdict == RESET_STOPPED;
}

void reset_done_take(struct reset_done *d, const struct reset_card *cards, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct reset_card *c = reset_done_find(d, cards[i].index);

		if (!c)
			d->cards[d->n++] = cards[i];
		else if (!was_left_alone(&cards[i]))
			*c = cards[i];
	}
}

bool reset_done_has_failed(const struct reset_done *d, int index)
{
	const struct reset_card *c = reset_done_find(d, index);

	return c && c->verdict != RESET_RECOVERED && !c->is_unproved;
}

enum exit_code reset_done_put(const struct reset_done *d, struct strbuf *to)
{
	size_t count[RESET_STOPPED + 1] = { 0 }, left = 0;

	for (size_t i = 0; i < d->n; i++) {
		count[d->cards[i].verdict]++;
		left += was_left_alone(&d->cards[i]);
	}
	strbuf_printf(to, "%zu of %zu card%s recovered", count[RESET_RECOVERED], d->n,
		d->n == 1 ? "" : "s");
	for (int v = RESET_DEGRADED; v <= RESET_STOPPED; v++)
		if (count[v])
			strbuf_printf(to, ", %zu %s", count[v],
				reset_verdict_name((enum reset_verdict)v));
	return left == d->n ? EXIT_REFUSED
		: count[RESET_RECOVERED] == d->n ? EXIT_DONE : EXIT_NEGATIVE;
}
