/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics_totals.c - the totals of each chip as counters, even of a chip that is missing.
 */
#include "config.h"
#include "output/metrics_local.h"

static void put_total(struct strbuf *to, const struct tally_family *f, enum tally_id id,
	const struct metrics *m, const struct metrics_chip *chips)
{
	const char *name = tally_name(f);
	char labels[TALLY_LABELS];

	tally_labels(id, labels);
	for (size_t i = 0; i < m->roster->n; i++) {
		if (!chips[i].total || !chips[i].total->has[id])
			continue;
		series_begin(to, name, &chips[i]);
		if (*labels)
			strbuf_putc(to, ',');
		strbuf_puts(to, labels);
		series_end(to, (int64_t)chips[i].total->total[id], f->scale);
	}
}

/* A total to which every period between two samples is a gap would stay 0. */
static bool is_countable(const struct metrics *m, const struct tally_family *f)
{
	return !m->sparse || (f->kind != TALLY_ENERGY && f->kind != TALLY_TIME);
}

void metrics_put_totals(struct strbuf *to, const struct metrics *m,
	const struct metrics_chip *chips)
{
	for (size_t k = 0; k < tally_families_len; k++) {
		const struct tally_family *f = &tally_families[k];
		size_t at, body = series_begin_metric(to, tally_name(f), "counter", tally_help(f),
			&at);

		for (enum tally_id id = f->first; is_countable(m, f) && id <= f->last; id++)
			put_total(to, f, id, m, chips);
		to->len = to->len == body ? at : to->len;
	}
}

void metrics_put_total_names(struct strbuf *to)
{
	for (size_t k = 0; k < tally_families_len; k++) {
		const struct tally_family *f = &tally_families[k];

		series_put_name(to, tally_name(f), f->unit, "counter", tally_help(f));
	}
}
