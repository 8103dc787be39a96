/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/named.h"

#include "act/counted.h"
#include "src/act.h"
#include "src/say.h"
#include "telemetry/select.h"

#include <stdio.h>
#include <string.h>

static enum named_as named_judge(const struct session *s, const struct snapshot *chip,
	bool by_index)
{
	if (!s->wanted[chip->index])
		return NAMED_HIDDEN;
	if (chip->health == SNAPSHOT_GONE)
		return NAMED_GONE;
	return chip->local >= 0 && !by_index ? NAMED_SECOND : NAMED_CARD;
}

int named_find(const struct session *s, const char *words, struct named *out, struct error *e)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	const bool has_all = select_has_all(words);
	bool wanted[DEVICE_MAX] = { false };
	int r = select_chips(words, f->chips, f->n, wanted, e);

	*out = (struct named){ .hidden = -1 };
	if (r < 0)
		return r;
	select_indices(words, f->n, out->by_index);
	for (size_t i = 0; i < f->n; i++) {
		if (wanted[i])
			out->chip[i] = named_judge(s, &f->chips[i], out->by_index[i]);
		out->n += out->chip[i] == NAMED_CARD;
		if (out->chip[i] == NAMED_HIDDEN && out->hidden < 0 && !has_all)
			out->hidden = (int)i;
	}
	return 0;
}

void named_join(const struct options *o, struct strbuf *words)
{
	for (size_t i = 0; i < o->n_targets; i++)
		strbuf_printf(words, "%s ", o->targets[i]);
	if (o->n_targets == 0)
		strbuf_puts(words, "all");
}

bool named_is_hidden(const struct session *s, const struct named *named, const char *undone)
{
	const struct snapshot *c = &sampler_fleet(s->sampler)->chips[
		named->hidden < 0 ? 0 : named->hidden];

	if (named->hidden < 0)
		return false;
	say_as(CODE_HIDDEN, "%d %s: may not be seen here (%s)%s%s", c->index, *c->bdf ? c->bdf :
		c->series, *s->selection ? s->selection : "--device", undone ? ": " : "", undone ?
		undone : "");
	return true;
}

enum exit_code named_verdict(const struct options *o, const struct session *s,
	const struct named *named)
{
	if (named->n > 0)
		return named_is_hidden(s, named, act_words[o->act->kind].undone) ? EXIT_REFUSED
			: EXIT_DONE;
	if (sampler_fleet(s->sampler)->n == 0)
		session_complain(s);
	else
		say_as(CODE_NO_DEVICE, "none of these cards is here%s%s", *s->selection ? ": " : "",
			s->selection);
	return EXIT_NO_DEVICE;
}

bool named_is_recorded(const struct options *o, char text[static NAMED_TEXT])
{
	/* The plan of a reset may be shown for a tree. */
	const bool is_tree = o->root && strcmp(o->root, "/") != 0 && !o->sim && !o->ttsim &&
		!o->dry_run;
	const enum option_id id = o->load ? OPT_LOAD : o->replay ? OPT_REPLAY : OPT_ROOT;
	const char *does = o->load ? "shows a saved file" : o->replay ? "plays a recording"
		: "reads a recorded tree";

	if (!o->load && !o->replay && !is_tree)
		return false;
	snprintf(text, NAMED_TEXT, "%.*s %s: its cards cannot be reset or tested",
		(int)strcspn(o->typed[id], "="), o->typed[id], does);
	return true;
}

enum exit_code named_limit(struct session *s, const struct options *o)
{
	struct strbuf words = { 0 };
	struct named named;
	struct error e;
	int r;

	if (o->n_targets == 0)
		return EXIT_DONE;
	named_join(o, &words);
	r = named_find(s, words.text, &named, &e);
	strbuf_clear(&words);
	if (r < 0)
		return session_fail_choice(&e);
	s->misses = named_is_hidden(s, &named, NULL);
	for (size_t k = 0; k < DEVICE_MAX; k++)
		s->wanted[k] = s->wanted[k] && (named.chip[k] == NAMED_CARD ||
			named.chip[k] == NAMED_SECOND || named.chip[k] == NAMED_GONE);
	sampler_select(s->sampler, s->wanted, DEVICE_MAX, s->selection);
	return EXIT_DONE;
}
