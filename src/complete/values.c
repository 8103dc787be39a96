/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * values.c - which table has the values of an option (enum option_values), and their words.
 */
#include "config.h"
#include "src/complete/values.h"
#include "device/sim/sim.h"
#include "health/health.h"
#include "output/query.h"
#include "reset/plan.h"

#include <stdio.h>
#include <string.h>

#define FEW 16	/* numbers that are worth a list */

static void values_checks(struct offer *to, const struct line *l)
{
	(void)l;
	for (size_t i = 0; i < health_n_checks; i++)
		offer_add(to, health_checks[i].id, health_checks[i].help);
	offer_add(to, "help", "list them all");
}

static void values_fields(struct offer *to, const struct line *l)
{
	(void)l;
	for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++)
		offer_add(to, fields[f].key, fields[f].help);
	offer_add(to, "help", "list them all");
}

static void values_dump_fields(struct offer *to, const struct line *l)
{
	for (int g = 0; g < FIELD_GROUPS; g++)
		offer_add(to, field_group_title((enum field_group)g), "a group of fields");
	offer_add(to, "all", "all fields");
	values_fields(to, l);
}

static void values_query(struct offer *to, const struct line *l)
{
	const char *help;

	for (size_t i = 0; query_name(i, &help); i++)
		offer_add(to, query_name(i, &help), help);
	values_fields(to, l);
}

static void values_methods(struct offer *to, const struct line *l)
{
	(void)l;
	/* A method outside the driver is asked for by name, and cannot be forbidden. */
	for (int m = 0; m < PLAN_OUTSIDE; m++)
		offer_add(to, plan_method_name((enum plan_method)m), "");
}

/* [N*]BOARD[:FAULT...]; the time of a fault is not completed. */
static void values_boards(struct offer *to, const struct line *l)
{
	const char *part = to->word + to->part, *star = strchr(part, '*');
	const char *colon = strrchr(part, ':');

	(void)l;
	to->is_open = true;
	to->from = to->part;	/* the same board may be given twice */
	if (colon || star)
		to->part = (size_t)((colon ? colon : star) + 1 - to->word);
	for (size_t i = 0; colon && i < SIM_FAULTS; i++)
		offer_add(to, sim_faults[i].name, sim_faults[i].help);
	for (size_t i = 0; !colon && sim_board_name(i); i++)
		offer_add(to, sim_board_name(i), "");
}

static void values_cards(struct offer *to, const struct line *l)
{
	cards_offer(to, l);
	offer_add(to, "all", "all cards");
}

/* Offer a command with its files, or what can be burned. */
static void values_burnin(struct offer *to, const struct line *l)
{
	for (int c = 0; c < COMMANDS; c++) {
		const struct command_row *row = &command_rows[c];

		if (row->is_word && l->o.n_targets == 0) {
			offer_add(to, row->name, row->words + (row->words[0] == ' '));
		} else if (row->is_word && strcmp(l->o.targets[0], row->name) == 0) {
			to->files = row->most > 0;
			return;
		}
	}
	offer_add(to, "host", "the processors of this machine");
	offer_add(to, "cards", "all cards, without the host");
	values_cards(to, l);
}

static const struct {
	void (*offer)(struct offer *to, const struct line *l);
	bool is_list;		/* commas may stand between them */
	bool files, folders;
} values[OPTION_VALUES] = {
	[VALUES_BOARDS] = { .offer = values_boards, .is_list = true },
	[VALUES_BURNIN] = { .offer = values_burnin },
	[VALUES_CARDS] = { .offer = values_cards, .is_list = true },
	[VALUES_CASES] = { .offer = kernels_offer_cases },
	[VALUES_CHECKS] = { .offer = values_checks },
	[VALUES_DTYPES] = { .offer = kernels_offer_dtypes },
	[VALUES_DUMP_FIELDS] = { .offer = values_dump_fields },
	[VALUES_FILES] = { .files = true },
	[VALUES_FOLDERS] = { .folders = true },
	[VALUES_IMPLS] = { .offer = kernels_offer_impls },
	[VALUES_METHODS] = { .offer = values_methods },
	[VALUES_QUERY] = { .offer = values_query },
};

void values_offer(struct offer *to, const struct line *l, enum option_id id)
{
	const struct option_row *row = &option_rows[id];
	char number[24];

	if (row->kind == OPTION_LIST || row->kind == OPTION_SET || values[row->values].is_list)
		offer_list(to);
	for (size_t i = 0; row->choices && row->choices[i]; i++)
		offer_add(to, row->choices[i], "");
	for (int64_t v = row->least; row->kind == OPTION_COUNT && row->most > 0 &&
		row->most - row->least < FEW && v <= row->most; v++) {
		snprintf(number, sizeof(number), "%lld", (long long)v);
		offer_add(to, number, row->unit ? row->unit : "");
	}
	if (values[row->values].offer)
		values[row->values].offer(to, l);
	to->folders |= values[row->values].folders;
	to->files |= values[row->values].files || (row->kind == OPTION_PATH && !to->folders);
}
