/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.c - three tables as metrics: the fields, the totals, and all others.
 *
 * All series of a name have to stand together, so the text is made name by name and not chip by
 * chip.  An absent value has no series, because an engine takes any number for a reading.
 */
#include "config.h"
#include "output/metrics_local.h"

#include <stdio.h>

void metrics_put(struct strbuf *to, const struct metrics *m)
{
	struct metrics_chip chips[DEVICE_MAX];
	char labels[DEVICE_MAX][48];

	for (size_t i = 0; i < m->roster->n; i++) {
		const struct roster_chip *k = &m->roster->chips[i];
		const struct snapshot *s = k->index < 0 || k->is_reset ? NULL :
			&m->fleet->chips[k->index];

		snprintf(labels[i], sizeof(labels[i]), "{bdf=\"%s\",chip=\"%d\"", k->bdf, k->chip);
		chips[i] = (struct metrics_chip){ .m = m, .known = k, .s = s, .labels = labels[i],
			.total = m->totals ? m->totals[i] : NULL,
			.is_read = s && !k->reason && snapshot_is_live(s) };
	}
	metrics_put_rows(to, m, chips);
	metrics_put_totals(to, m, chips);
	metrics_put_fields(to, m, chips);
}

void metrics_put_names(struct strbuf *to)
{
	metrics_put_row_names(to);
	metrics_put_total_names(to);
	metrics_put_field_names(to);
}
