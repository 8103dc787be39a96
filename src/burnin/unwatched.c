/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwatched.c - put what was not watched, for all cards together.
 */
#include "config.h"
#include "src/burnin/unwatched.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void burnin_put_indices(struct strbuf *to, const int *index, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && index[end] == index[end - 1] + 1;)
			end++;
		strbuf_printf(to, "%s%d", i ? ", " : "", index[i]);
		if (end > i + 1)
			strbuf_printf(to, "%s%d", end > i + 2 ? "-" : ", ", index[end - 1]);
	}
}

/* The text of a card's rule, from the ": " behind its name on; NULL: not a rule of a card. */
static const char *of_card(const char *rule)
{
	return strncmp(rule, "card ", 5) == 0 ? strstr(rule, ": ") : NULL;
}

void burnin_put_unwatched(struct strbuf *to, const char *const *rules, size_t n, size_t cards,
	const char *first, const char *between)
{
	int *index = mem_calloc(n + 1, sizeof(*index));
	bool *is_done = mem_calloc(n + 1, sizeof(*is_done));

	for (size_t i = 0; i < n; i++) {
		const char *what = of_card(rules[i]);
		size_t same = 0;

		if (is_done[i])
			continue;
		for (size_t k = i; what && k < n; k++)
			if (of_card(rules[k]) && strcmp(of_card(rules[k]), what) == 0) {
				is_done[k] = true;
				index[same++] = (int)strtol(rules[k] + 5, NULL, 10);
			}
		strbuf_printf(to, "%s%s", i ? between : first, same > 1 ? what + 2 : rules[i]);
		if (same > 1 && same == cards) {
			strbuf_printf(to, " (all %zu cards)", cards);
		} else if (same > 1) {
			strbuf_puts(to, " (cards ");
			burnin_put_indices(to, index, same);
			strbuf_putc(to, ')');
		}
	}
	free(index);
	free(is_done);
}

void burnin_put_unwatched_figures(struct strbuf *to, const struct figures *all, const char *first,
	const char *between)
{
	const struct figure_value *rules = figures_list(all, "stop_rules");
	const struct figure_value *targets = figures_list(all, "targets");
	const char **texts = mem_calloc(rules->n_nodes + 1, sizeof(*texts));
	size_t n = 0, cards = 0;

	for (size_t i = 0; i < rules->n_nodes; i++) {
		const struct figure_value *applied = figures_known(&rules->nodes[i], "applied");

		if (applied && applied->n == 0)
			texts[n++] = figures_text(&rules->nodes[i], "rule");
	}
	for (size_t i = 0; i < targets->n_nodes; i++)
		cards += figures_known(&targets->nodes[i], "board") != NULL;
	burnin_put_unwatched(to, texts, n, cards, first, between);
	free(texts);
}
