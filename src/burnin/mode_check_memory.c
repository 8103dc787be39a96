/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_check_memory.c - --check-memory: the memory of cards compared with itself,
 * without a write; on cards that are held only on the caller's word.
 */
#include "config.h"
#include "act/hold.h"
#include "act/holder.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "src/burnin/check_memory.h"
#include "src/listed.h"
#include "src/mode.h"
#include "src/named.h"
#include "src/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAST (64 << 10)	/* bytes of a channel */

static enum exit_code choose(const struct options *o, struct session *s, bool *wanted)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	struct strbuf words = { 0 };
	struct error e = { 0 };
	struct named named;
	int r;

	named_join(o, &words);
	r = named_find(s, words.text, &named, &e);
	/* Nothing is written, so that it is said is enough. */
	if (r == 0)
		listed_has_moved(o, f, words.text);
	strbuf_clear(&words);
	if (r < 0)
		return session_fail_choice(&e);
	for (size_t i = 0; i < f->n; i++) {
		wanted[i] = named.chip[i] == NAMED_CARD;
		/* Only of a second chip that its own index asks for this is a failure. */
		if (named.chip[i] == NAMED_SECOND)
			say("%d %s: reached over ethernet only: its memory is not checked",
				f->chips[i].index, f->chips[i].series);
	}
	return named_verdict(s, &named);
}

static bool choose_size(const struct options *o, uint64_t *size)
{
	*size = o->typed[OPT_SIZE] ? o->size.bytes : CARD_CHECK_USUAL;
	if (o->size.share == 0 || o->size.share == 100000)
		return true;
	say("--size: '%.40s' is neither a size of at least 64k (4M) nor all", o->given[OPT_SIZE]);
	return false;
}

/* Another program has it open, as far as that is known. */
static bool is_held(const struct fleet *f, int index)
{
	size_t at = 0;

	return holder_next(f, index, &at) || *f->processes_unknown;
}

/* The processes that have it are said; true where there is none, or it does not matter. */
static bool is_free(const struct options *o, const struct session *s, int index)
{
	const struct device *d = &s->bus->dev[index];
	const struct process *p;
	char text[HOLDER_TEXT];
	bool held = false;

	for (size_t i = 0; (p = holder_next(sampler_fleet(s->sampler), index, &i));) {
		holder_put(d, p, text);
		say("%d %s: %s", index, d->bdf, text);
		held = true;
	}
	return !held || o->force;
}

static void prepare(struct check_memory_card *c, struct session *s, size_t index,
	const struct card_check_plan *wish)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	const struct snapshot *chip = &f->chips[index];
	char kept[160];
	struct error e = { 0 };

	c->d = &s->bus->dev[index];
	c->plan = *wish;
	c->held = is_held(f, chip->index);
	snprintf(c->name, sizeof(c->name), "%d %s %s", chip->index, chip->bdf, chip->series);
	if (memory_channels(chip, &c->channels, &e) < 0) {
		snprintf(c->reason, sizeof(c->reason), "%s", e.text);
		c->plan.channels = 0;
		return;
	}
	c->plan.enabled = c->channels.enabled;
	c->left = wish->channels & c->channels.enabled & ~c->channels.usable;
	c->plan.channels &= c->channels.usable;
	c->plan.kept = c->channels.kept;
	if (memory_kept_text(&c->plan.kept, c->plan.channels, kept, sizeof(kept)))
		say("%s: %s not tested: the memory controller's firmware uses it", c->name, kept);
	if (c->plan.channels == 0)
		snprintf(c->reason, sizeof(c->reason), "none of these memory channels is in use");
	for (unsigned k = 0; k < MEMORY_CHANNELS; k++)
		c->before[k] = memory_errors_of(chip, k);
}

static enum exit_code verdict(const struct check_memory_card *cards, size_t n)
{
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < n; i++) {
		if (cards[i].verdict == CHECK_MEMORY_DISAGREES)
			return EXIT_NEGATIVE;
		if (cards[i].verdict == CHECK_MEMORY_INCOMPLETE)
			code = EXIT_FAILED;
	}
	return code;
}

static enum exit_code print(const struct options *o, const struct fleet *f,
	const struct check_memory_card *cards, size_t n)
{
	const char *stand_in = fleet_stand_in(f);
	struct strbuf out = { 0 };
	int r;

	if (!o->json && stand_in)
		say("these boards are %s", stand_in);
	if (o->json)
		check_memory_put_json(&out, f->source, cards, n);
	else
		check_memory_put(&out, cards, n);
	r = file_write_all(STDOUT_FILENO, out.text, out.len);
	strbuf_clear(&out);
	if (r < 0)
		say("stdout: cannot write: %s", strerror(-r));
	return r < 0 ? EXIT_FAILED : verdict(cards, n);
}

static void look_after(struct check_memory_card *c, const struct fleet *f)
{
	for (unsigned k = 0; k < MEMORY_CHANNELS; k++)
		c->after[k] = memory_errors_of(&f->chips[c->d->index], k);
	c->held = c->held || is_held(f, c->d->index);
}

static enum exit_code run(const struct options *o, struct session *s, const bool *wanted,
	const struct card_check_plan *wish)
{
	const size_t most = sampler_fleet(s->sampler)->n;
	struct check_memory_card *cards = mem_calloc(most, sizeof(*cards));
	struct error e = { 0 };
	enum exit_code code;
	size_t n = 0;

	for (size_t i = 0; i < most; i++)
		if (wanted[i])
			prepare(&cards[n++], s, i, wish);
	check_memory_run(cards, n, s->bus);
	/* What the chips counted meanwhile, and who has come. */
	if (sampler_tick(s->sampler, &e) == 0)
		for (size_t i = 0; i < n; i++)
			look_after(&cards[i], sampler_fleet(s->sampler));
	for (size_t i = 0; i < n; i++)
		check_memory_judge(&cards[i]);
	code = print(o, sampler_fleet(s->sampler), cards, n);
	for (size_t i = 0; i < n; i++)
		check_memory_clear(&cards[i]);
	free(cards);
	return code;
}

/* Nothing is checked where one card is held: the others' result would hide that. */
static enum exit_code take(const struct options *o, struct session *s, const bool *wanted,
	struct hold *hold)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	bool free_all = true, own[DEVICE_MAX];
	struct error e = { 0 };

	/* A second chip has no lock of its own. */
	for (size_t i = 0; i < DEVICE_MAX; i++)
		own[i] = wanted[i] && s->bus->dev[i].local < 0;
	if (hold_take(hold, s->bus, own, &e) < 0 || hold_ask_driver(hold, &e) < 0) {
		say("%s; nothing was read", e.text);
		return hold_is_taken(e.code) ? EXIT_REFUSED : EXIT_FAILED;
	}
	if (*f->processes_unknown && !o->force) {
		say("processes that hold a card are not known: %s", f->processes_unknown);
		free_all = false;
	}
	for (size_t i = 0; i < f->n; i++)
		if (wanted[i] && !is_free(o, s, f->chips[i].index))
			free_all = false;
	if (free_all)
		return EXIT_DONE;
	say("nothing was read: a program that writes its memory meanwhile looks like a fault at "
	    "first; --force checks under it, and writes nothing");
	return EXIT_REFUSED;
}

enum exit_code mode_check_memory(const struct options *o)
{
	struct card_check_plan wish = { .seed = o->seed, .channels = o->channels };
	bool wanted[DEVICE_MAX] = { false };
	struct hold hold = { .n = 0 };
	struct session s;
	enum exit_code code;

	if (!choose_size(o, &wish.size))
		return EXIT_USAGE;
	code = session_open(&s, o, true);
	if (code != EXIT_DONE)
		return code;
	session_await_rest(&s);
	code = named_can_act(&s) ? choose(o, &s, wanted) : EXIT_USAGE;
	if (code == EXIT_DONE)
		code = take(o, &s, wanted, &hold);
	if (code == EXIT_DONE)
		code = run(o, &s, wanted, &wish);
	hold_give_back(&hold);
	session_close(&s);
	return code;
}
