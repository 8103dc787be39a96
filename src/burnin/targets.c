/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * targets.c - the words after -b: the host, cards by any name they have,
 * "cards", "all"; and which of the cards can be burnt at all.
 */
#include "config.h"
#include "src/burnin/run.h"

#include "base/array.h"
#include "base/mem.h"
#include "src/listed.h"
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
	f->targets[f->n_targets].index = -1;
	mem_copy_text(f->targets[f->n_targets].name, sizeof(f->targets[0].name), name);
	return &f->targets[f->n_targets++];
}

void burnin_leave_out(struct burnin_target *t, enum burn_verdict verdict, const char *fmt, ...)
{
	va_list args;

	if (!t)
		return;
	t->result.verdict = verdict;
	va_start(args, fmt);
	vsnprintf(t->result.reason, sizeof(t->result.reason), fmt, args);
	va_end(args);
}

/* NULL: nothing speaks against it yet. */
static const char *objection(const struct burnin_run *r, const struct snapshot *s)
{
	const struct fleet *f = sampler_fleet(r->session.sampler);
	const char *stand_in = fleet_stand_in(f);
	static char text[320];

	if (stand_in && !fleet_is_simulated(f))
		snprintf(text, sizeof(text), "the card is %s and computes nothing", stand_in);
	else if (r->o->root && strcmp(r->o->root, "/") != 0)
		snprintf(text, sizeof(text), "the card is of a recorded tree and computes nothing");
	else if (s->local >= 0)
		snprintf(text, sizeof(text), "the board's second chip is reached over ethernet "
			"alone, and is not burnt");
	else if (!f->wanted[s->index])
		snprintf(text, sizeof(text), "the card is not visible here: %s", f->selection);
	else if (s->chip != DEVICE_WORMHOLE && s->chip != DEVICE_BLACKHOLE)
		snprintf(text, sizeof(text), "there is no kernel for a %s",
			device_chip_name(s->chip));
	else if (!snapshot_is_live(s))
		snprintf(text, sizeof(text), "it cannot be read: %s", s->reason);
	else
		return NULL;
	return text;
}

/* Among names with commas or blanks between. */
static bool has_index(const char *names, size_t index)
{
	static const char between[] = ", \t";
	char number[24];
	size_t len;

	snprintf(number, sizeof(number), "%zu", index);
	for (names += strspn(names, between); *names; names += strspn(names, between)) {
		len = strcspn(names, between);
		if (len == strlen(number) && strncmp(names, number, len) == 0)
			return true;
		names += len;
	}
	return false;
}

static void name_card(const struct snapshot *s, char *name, size_t size)
{
	snprintf(name, size, "%d %s%s%s", s->index, s->bdf, *s->bdf ? " " : "",
		s->series[0] ? s->series : s->board);
}

static void add_card(struct burnin_run *r, const struct snapshot *s)
{
	struct burnin_facts *f = r->facts;
	char name[sizeof(f->targets[0].name)];
	struct burnin_target *t;
	const char *against;

	name_card(s, name, sizeof(name));
	t = add(f, name);
	if (!t || t->card)
		return;
	t->index = s->index;
	against = objection(r, s);
	if (against) {
		burnin_leave_out(t, BURN_INCOMPLETE, "%s", against);
		return;
	}
	t->card = mem_calloc(1, sizeof(*t->card));
	t->card->index = s->index;
	t->card->chip = s->chip;
	mem_copy_text(t->card->series, sizeof(t->card->series),
		s->series[0] ? s->series : s->board);
}

/* Said beside the verdict of the chip through which it is reached. */
static void pass_over(struct burnin_run *r, const struct snapshot *s)
{
	struct burnin_facts *f = r->facts;

	for (size_t i = 0; i < f->n_targets; i++)
		if (f->targets[i].index == s->local)
			name_card(s, f->targets[i].second, sizeof(f->targets[i].second));
}

/*
 * What a word names.  A board's second chip cannot be burnt: it is passed over where the
 * word names its whole board, and is a target where its own index asks for it.
 */
static void add_wanted(struct burnin_run *r, const struct fleet *fleet, const bool *wanted,
	const char *word)
{
	for (size_t i = 0; i < fleet->n; i++)
		if (wanted[i] && (fleet->chips[i].local < 0 || has_index(word, i)))
			add_card(r, &fleet->chips[i]);
	for (size_t i = 0; i < fleet->n && !r->o->local; i++)
		if (wanted[i] && fleet->chips[i].local >= 0 && !has_index(word, i))
			pass_over(r, &fleet->chips[i]);
}

static void add_cards(struct burnin_run *r, const struct fleet *fleet, const char *word)
{
	bool wanted[DEVICE_MAX];

	memset(wanted, true, sizeof(wanted));
	add_wanted(r, fleet, wanted, "");
	if (fleet->n == 0)
		burnin_leave_out(add(r->facts, word), BURN_INCOMPLETE, "there is no card");
}

/* A card by its name; a word that cannot be one is a mistake on the command line. */
static bool add_named(struct burnin_run *r, const struct fleet *fleet, const char *word)
{
	bool wanted[DEVICE_MAX] = { false };
	struct error e;
	int err = select_chips(word, fleet->chips, fleet->n, wanted, &e);

	if (err == -EINVAL) {
		say("%s (targets are host, cards, all, or a card as tt-smi -ls names it)", e.text);
		return false;
	}
	if (err < 0)
		burnin_leave_out(add(r->facts, word), BURN_INCOMPLETE, "there is no such card");
	if (err == 0)
		add_wanted(r, fleet, wanted, word);
	return true;
}

/* What a burn does to a card cannot be taken back, with a reset or without. */
static bool has_moved(const struct burnin_run *r, const struct fleet *fleet)
{
	struct strbuf names = { 0 };
	bool moved;

	for (size_t i = 0; i < r->o->n_targets; i++)
		strbuf_printf(&names, "%s ", r->o->targets[i]);
	moved = listed_has_moved(r->o, fleet, names.text);
	strbuf_clear(&names);
	if (moved)
		say("nothing was burnt: " LISTED_HINT);
	return moved;
}

enum exit_code burnin_name_targets(struct burnin_run *r)
{
	const struct fleet *fleet = sampler_fleet(r->session.sampler);
	const struct options *o = r->o;

	for (size_t i = 0; i < o->n_targets; i++) {
		const char *word = o->targets[i];
		const bool all = strcmp(word, "all") == 0;

		if (all || strcmp(word, "host") == 0)
			r->host = add(r->facts, "host");
		if (all || strcmp(word, "cards") == 0)
			add_cards(r, fleet, "cards");
		else if (strcmp(word, "host") != 0 && !add_named(r, fleet, word))
			return EXIT_USAGE;
	}
	return r->work.cards && has_moved(r, fleet) ? EXIT_REFUSED : EXIT_DONE;
}
