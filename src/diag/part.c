/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part.c - the results of a stage, the cards that are left out, and the stages that are burns.
 */
#include "config.h"

#include "base/clock.h"
#include "base/mem.h"
#include "src/burnin/cards.h"
#include "src/burnin/print.h"
#include "src/burnin/run.h"
#include "src/diag/diag.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIMULATED (256 << 10)	/* bytes: simulated memory is slow */

void diag_leave_out(struct diag *d, int index, const char *fmt, ...)
{
	va_list args;

	for (size_t i = 0; i < d->n_cards; i++) {
		if (d->cards[i].index != index || *d->cards[i].out)
			continue;
		va_start(args, fmt);
		vsnprintf(d->cards[i].out, sizeof(d->cards[i].out), fmt, args);
		va_end(args);
	}
}

void diag_add(struct diag *d, struct diag_part *p, int index, enum verdict result,
	const char *fmt, ...)
{
	struct diag_item *i;
	va_list args;

	p->items = mem_realloc(p->items, (p->n + 1) * sizeof(*p->items));
	i = &p->items[p->n++];
	*i = (struct diag_item){ .index = index, .result = result,
		.has_warned = result == VERDICT_WARN };
	va_start(args, fmt);
	vsnprintf(i->text, sizeof(i->text), fmt, args);
	va_end(args);
	if (result == VERDICT_FAIL)
		diag_leave_out(d, index, "left alone: it failed %s", p->stage->id);
}

size_t diag_skip_out(struct diag *d, struct diag_part *p)
{
	size_t left = 0;

	for (size_t i = 0; i < d->n_cards; i++)
		if (*d->cards[i].out)
			diag_add(d, p, d->cards[i].index, VERDICT_INCOMPLETE, "%s",
				d->cards[i].out);
		else
			left++;
	return left;
}

uint64_t diag_bytes(const struct diag *d, uint64_t usual)
{
	return bus_origin(d->act.session.bus)->is_machine ? usual : SIMULATED;
}

const char *diag_name(const struct diag *d, int index, char *text, size_t size)
{
	const struct snapshot *s;

	if (index < 0)
		return index == DIAG_HOST ? "host" : "all";
	s = &sampler_fleet(d->act.session.sampler)->chips[index];
	snprintf(text, size, "%d %s%s%s", s->index, s->bdf, *s->bdf ? " " : "", s->series);
	return text;
}

enum verdict diag_result(const struct diag_part *p)
{
	enum verdict worst = VERDICT_NONE;

	for (size_t i = 0; i < p->n; i++)
		if (p->items[i].result > worst)
			worst = p->items[i].result;
	return worst == VERDICT_NONE ? VERDICT_INCOMPLETE : worst;
}

/* Burns, and the options to request a part of a diag with. */

#define MOST 20		/* a test may take this many times as long as usual */

/* Cards are named by an address that does not depend on earlier lists. */
struct options *diag_request(struct diag *d, const struct act_ops *ops, enum mode mode)
{
	struct options *o = &d->request;
	struct strbuf *cards = &d->request_cards;

	cards->len = 0;
	for (size_t i = 0; i < d->n_cards; i++)
		if (!*d->cards[i].out)
			strbuf_printf(cards, "%s%s", cards->len ? "," : "",
				d->act.session.bus->dev[d->cards[i].index].bdf);
	*o = *d->act.o;
	memset(o->typed, 0, sizeof(o->typed));
	memset(o->given, 0, sizeof(o->given));
	options_set_mode(o, mode);
	o->act = ops;
	o->report = NULL;
	o->targets = d->request_targets;
	o->n_targets = 0;
	if (cards->len)
		o->targets[o->n_targets++] = cards->text;
	return o;
}

/* What a burn that passed has covered. */
static void put_covered(struct strbuf *to, const struct burnin_target *t, const struct burn *b)
{
	const struct burnin_card *c = t->card;
	const struct card_memory *m = c ? &c->burn.shared->memory : NULL;
	const struct burn_result *r = &t->result;

	if (c && burnin_card_computes(c))
		strbuf_printf(to, "%zu cores, %" PRIu64 " blocks with %" PRIu64 " words compared "
			"in %.0f s", c->result.cores, c->result.blocks, c->result.words,
			(double)c->burn.shared->run_ns / CLOCK_SECOND);
	if (c && burnin_card_is_tested(c))
		strbuf_printf(to, "%" PRIu64 " round%s, %.1f MiB written at %.3f GB/s, %.1f MiB "
			"read", m->rounds, text_plural(m->rounds), burnin_mib(m->written),
			burnin_gb_per_s(m->written, m->writing), burnin_mib(m->read));
	if (!c && r->total > 0) {
		const int burnt = burn_processors(&b->config);
		const int online = (int)sysconf(_SC_NPROCESSORS_ONLN);

		strbuf_printf(to, "%d thread%s", b->config.threads,
			text_plural((uint64_t)b->config.threads));
		if (burnt < online)
			strbuf_printf(to, " on %d of %d processors", burnt, online);
		strbuf_printf(to, ", %" PRIu64 " words compared, %.1f GFLOP/s", r->words, r->total);
	}
}

static void add_target(struct diag *d, struct diag_part *p, const struct burnin_target *t,
	const struct burn *b)
{
	struct strbuf text = { 0 };

	if (t->result.verdict == VERDICT_PASS)
		put_covered(&text, t, b);
	diag_add(d, p, t->index, t->result.verdict, "%s",
		text.len ? text.text : t->result.reason);
	if (t->card && t->card->cut)
		diag_leave_out(d, t->index, "left alone: %s", t->card->cut->text);
	strbuf_clear(&text);
}

/* Run the requested act, with our output and our cards. */
static void run_part(struct diag *d, struct diag_part *p, const struct options *o)
{
	struct burnin_run *r = (struct burnin_run *)act_new(o, o->act->size);

	r->out = d->out;
	if (act_run_part(&d->act, &r->act) == EXIT_DONE) {
		burnin_figures_take(&p->figures, &r->facts);
		for (size_t i = 0; i < r->facts.n_targets; i++)
			add_target(d, p, &r->facts.targets[i], r->facts.burn);
	} else {
		diag_add(d, p, DIAG_ALL, VERDICT_INCOMPLETE, "it could not be begun");
	}
	d->out = r->out;
	r->out = (struct outlet){ .fd = -1 };
	r->act.ops->steps->end(&r->act);
	free(r);
}

void diag_run_burn(struct diag *d, struct diag_part *p)
{
	const bool has_cards = diag_skip_out(d, p) > 0;
	struct options *o = diag_request(d, has_cards ? &act_burn_cards : &act_burn_host,
		MODE_BURNIN);

	o->commands = 1u << COMMAND_HOST | (has_cards ? 1u << COMMAND_CARDS : 0);
	o->targets[o->n_targets++] = "host";
	o->duration = p->time;
	run_part(d, p, o);
}

void diag_run_test_memory(struct diag *d, struct diag_part *p)
{
	static char memory[] = "memory";
	struct options *o;

	if (diag_skip_out(d, p) == 0)
		return;
	o = diag_request(d, &act_test_memory, MODE_BURNIN);
	o->commands = 1u << COMMAND_CARDS;
	o->workload = 1u << WORK_MEMORY;
	o->given[OPT_WORKLOAD] = memory;
	o->typed[OPT_SIZE] = "--size";
	o->size.bytes = diag_bytes(d, d->level->tests);
	o->iterations = 1;
	o->duration = MOST * p->time;
	run_part(d, p, o);
}
