/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * targets.c - the words after -b: the host, cards by any name they have, "cards", "all"; and which
 * of the cards can be burnt at all.
 */
#include "config.h"

#include "base/mem.h"
#include "src/burnin/cards.h"
#include "src/burnin/run.h"
#include "src/listed.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Find or add a target; there is room for one of each word and of each chip. */
static struct burnin_target *add_target(struct burnin_facts *f, const char *name)
{
	for (size_t i = 0; i < f->n_targets; i++)
		if (strcmp(f->targets[i].name, name) == 0)
			return &f->targets[i];
	f->targets[f->n_targets].index = -1;
	mem_copy_text(f->targets[f->n_targets].name, sizeof(f->targets[0].name), name);
	return &f->targets[f->n_targets++];
}

void burnin_leave_out(struct burnin_target *t, enum verdict verdict, enum code code,
	const char *fmt, ...)
{
	va_list args;

	t->result.verdict = verdict;
	t->result.code = code;
	va_start(args, fmt);
	vsnprintf(t->result.reason, sizeof(t->result.reason), fmt, args);
	va_end(args);
}

struct burnin_target *burnin_next_card(const struct burnin_run *r, size_t *i)
{
	while (*i < r->facts.n_targets) {
		struct burnin_target *t = &r->facts.targets[(*i)++];

		if (t->card)
			return t;
	}
	return NULL;
}

struct burnin_target *burnin_next_started(const struct burnin_run *r, size_t *i)
{
	struct burnin_target *t;

	while ((t = burnin_next_card(r, i)) && !t->card->started)
		;
	return t;
}

bool burnin_cards_any(const struct burnin_run *r)
{
	size_t i = 0;

	return burnin_next_started(r, &i) != NULL;
}

/* Whether the card may be burnt; -errno: why not. */
static int judge_target(const struct burnin_run *r, const struct snapshot *s, struct error *e)
{
	const struct fleet *f = sampler_fleet(r->act.session.sampler);
	const struct device *d = &r->act.session.bus->dev[s->index];

	if (s->local >= 0)
		return fail_as(e, CODE_SECOND_CHIP, -EOPNOTSUPP, "the board's second chip is "
			"reached over ethernet alone, and is not burnt");
	if (!f->wanted[s->index])
		return fail_as(e, CODE_HIDDEN, -ENODEV, "the card is not visible here: %s",
			f->selection);
	if (s->chip != DEVICE_WORMHOLE && s->chip != DEVICE_BLACKHOLE)
		return fail(e, -EOPNOTSUPP, "there is no kernel for a %s",
			device_chip_name(s->chip));
	if (!snapshot_is_live(s))
		return fail_as(e, snapshot_code(s), -ENODATA, "it cannot be read: %s", s->reason);
	if (d->trouble == DEVICE_NO_NODE)
		return fail_as(e, device_code(d), -ENODEV, "%s", d->reason);
	if (r->work.reference && !f->origin->computes)
		return fail_as(e, CODE_SIMULATED, -EOPNOTSUPP, "the card is simulated and "
			"computes nothing");
	return 0;
}

static void name_card(const struct snapshot *s, char *name, size_t size)
{
	snprintf(name, size, "%d %s%s%s", s->index, s->bdf, *s->bdf ? " " : "",
		s->series[0] ? s->series : s->board);
}

static void add_card(struct burnin_run *r, const struct snapshot *s)
{
	struct burnin_facts *f = &r->facts;
	char name[sizeof(f->targets[0].name)];
	struct burnin_target *t;
	struct error e;

	name_card(s, name, sizeof(name));
	t = add_target(f, name);
	if (t->card)
		return;
	t->index = s->index;
	mem_copy_text(t->bdf, sizeof(t->bdf), s->bdf);
	mem_copy_text(t->board, sizeof(t->board), s->series[0] ? s->series : s->board);
	if (judge_target(r, s, &e) < 0) {
		burnin_leave_out(t, VERDICT_INCOMPLETE, e.word, "%s", e.text);
		return;
	}
	t->card = mem_calloc(1, sizeof(*t->card));
	t->card->index = s->index;
	t->card->chip = s->chip;
	mem_copy_text(t->card->series, sizeof(t->card->series),
		s->series[0] ? s->series : s->board);
}

/*
 * A board's second chip cannot be burnt.  If the word names its whole board, it is passed over;
 * if its own index was given, it is a target.  A hidden card is one if it was named by itself.
 */
static void add_named(struct burnin_run *r, const struct named *named)
{
	const struct fleet *f = sampler_fleet(r->act.session.sampler);
	bool any = false;

	for (size_t i = 0; i < f->n; i++) {
		const enum named_as as = named->chip[i];

		if (as == NAMED_NOT || as == NAMED_GIVEN ||
			(as == NAMED_HIDDEN && named->hidden < 0) ||
			(f->chips[i].local >= 0 && !named->by_index[i]))
			continue;
		add_card(r, &f->chips[i]);
		any = true;
	}
	if (!any)
		burnin_leave_out(add_target(&r->facts, "cards"), VERDICT_INCOMPLETE, CODE_HIDDEN,
			"no card is visible here: %s", *f->selection ? f->selection
			: "another driver has all of them");
	/* Note a second chip that is not burnt, beside the chip through which it is reached. */
	for (size_t i = 0; i < f->n && !r->act.o->local; i++) {
		if (named->chip[i] == NAMED_NOT || f->chips[i].local < 0 || named->by_index[i])
			continue;
		for (size_t k = 0; k < r->facts.n_targets; k++) {
			struct burnin_target *t = &r->facts.targets[k];

			if (t->index == f->chips[i].local)
				name_card(&f->chips[i], t->second, sizeof(t->second));
		}
	}
}

/* A word that cannot be a name is a mistake on the command line. */
static bool add_cards(struct burnin_run *r, const char *word)
{
	const size_t len = strlen(word);
	struct named named;
	struct error e;
	int err = named_find(&r->act.session, word, &named, &e);

	if (err == -EINVAL) {
		say_as(e.word, "%s (targets are host, cards, all, or a card as tt-smi -ls "
			"names it)",
			e.text);
		return false;
	}
	if (err < 0)
		burnin_leave_out(add_target(&r->facts, word), VERDICT_INCOMPLETE, e.word, "%s",
			e.text + (strncmp(e.text, word, len) == 0 && e.text[len] == ':' ?
			len + 2 : 0));
	else if (sampler_fleet(r->act.session.sampler)->n == 0)
		burnin_leave_out(add_target(&r->facts, "cards"), VERDICT_INCOMPLETE, CODE_NO_DEVICE,
			"there is no card");
	else
		add_named(r, &named);
	return true;
}

enum exit_code burnin_choose_targets(struct act *a)
{
	struct burnin_run *r = (struct burnin_run *)a;
	const struct fleet *f = sampler_fleet(a->session.sampler);
	const struct options *o = a->o;
	struct strbuf names = { 0 };
	bool moved;

	r->facts.targets = mem_calloc(1 + o->n_targets + f->n,
		sizeof(*r->facts.targets));
	for (size_t i = 0; i < o->n_targets; i++) {
		const bool is_host = strcmp(o->targets[i], "host") == 0;

		if (is_host || strcmp(o->targets[i], "all") == 0)
			r->host = add_target(&r->facts, "host");
		if (!is_host && !add_cards(r, o->targets[i]))
			return EXIT_USAGE;
	}
	if (!r->work.cards)
		return EXIT_DONE;
	/* What a burn does to a card cannot be taken back, with a reset or without. */
	named_join(o, &names);
	moved = listed_has_moved(o, f, names.text);
	strbuf_clear(&names);
	if (moved)
		say_as(CODE_MOVED_INDEX, "nothing was burnt: " LISTED_HINT);
	return moved ? EXIT_REFUSED : EXIT_DONE;
}
