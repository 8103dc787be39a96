/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burnin_targets.c - the words after -b: the host, cards by any name they have,
 * "cards", "all".
 */
#include "config.h"
#include "src/burnin_run.h"

#include "base/array.h"
#include "base/mem.h"
#include "src/say.h"
#include "telemetry/select.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct burnin_target *add(struct burnin_facts *f, const char *name)
{
	for (size_t i = 0; i < f->n_targets; i++)
		if (strcmp(f->targets[i].name, name) == 0)
			return &f->targets[i];
	if (f->n_targets == ARRAY_LEN(f->targets))
		return NULL;
	mem_copy_text(f->targets[f->n_targets].name, sizeof(f->targets[0].name), name);
	return &f->targets[f->n_targets++];
}

__attribute__((format(printf, 2, 3)))
static void leave_out(struct burnin_target *t, const char *fmt, ...)
{
	va_list args;

	if (!t)
		return;
	t->result.verdict = BURN_INCOMPLETE;
	va_start(args, fmt);
	vsnprintf(t->result.reason, sizeof(t->result.reason), fmt, args);
	va_end(args);
}

static void add_card(struct burnin_facts *f, const struct fleet *fleet, const struct snapshot *s)
{
	const char *stand_in = fleet_stand_in(fleet);
	char name[sizeof(f->targets[0].name)];
	struct burnin_target *t;

	snprintf(name, sizeof(name), "%d %s%s%s", s->index, s->bdf, *s->bdf ? " " : "",
		s->series[0] ? s->series : s->board);
	t = add(f, name);
	if (stand_in)
		leave_out(t, "the card is %s and computes nothing", stand_in);
	else
		leave_out(t, "burn-in of cards is not built yet");
}

static void add_cards(struct burnin_facts *f, const struct fleet *fleet, const char *word)
{
	for (size_t i = 0; i < fleet->n; i++)
		add_card(f, fleet, &fleet->chips[i]);
	if (fleet->n == 0)
		leave_out(add(f, word), "there is no card");
}

/* A card by its name; a word that cannot be one is a mistake on the command line. */
static bool add_named(struct burnin_facts *f, const struct fleet *fleet, const char *word)
{
	bool wanted[DEVICE_MAX] = { false };
	struct error e;
	int r = select_chips(word, fleet->chips, fleet->n, wanted, &e);

	if (r == -EINVAL) {
		say("%s (targets are host, cards, all, or a card as tt-smi -ls names it)", e.text);
		return false;
	}
	if (r < 0)
		leave_out(add(f, word), "there is no such card");
	for (size_t i = 0; r == 0 && i < fleet->n; i++)
		if (wanted[i])
			add_card(f, fleet, &fleet->chips[i]);
	return true;
}

bool burnin_name_targets(struct burnin_facts *f, const struct options *o,
	const struct fleet *fleet)
{
	for (size_t i = 0; i < o->n_targets; i++) {
		const char *word = o->targets[i];
		const bool all = strcmp(word, "all") == 0;

		if (all || strcmp(word, "host") == 0)
			add(f, "host");
		if (all || strcmp(word, "cards") == 0)
			add_cards(f, fleet, "cards");
		else if (strcmp(word, "host") != 0 && !add_named(f, fleet, word))
			return false;
	}
	return true;
}
