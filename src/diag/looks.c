/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * looks.c - the stages that change nothing: health, and the check of memory.
 */
#include "config.h"
#include "src/diag/diag.h"

#include "base/clock.h"
#include "src/burnin/check_memory.h"
#include "src/health/judge.h"
#include "src/turn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEATS	(4 * CLOCK_SECOND)	/* a heartbeat that has not moved for 2 s has stopped */
#define REST	(10 * CLOCK_SECOND)	/* a driver powers a board down after 5 */
#define OLD	(60 * CLOCK_SECOND)	/* for a process that gets no processor time */
#define TURN_MS 200

static bool is_beat_unjudged(const struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->wanted[i] && snapshot_is_live(&f->chips[i]) && !f->chips[i].raw.is_still &&
			f->chips[i].beat == SNAPSHOT_BEAT_UNJUDGED)
			return true;
	return false;
}

/* Whether this tick missed a card, since the process that reads it got no processor time. */
static bool is_one_old(const struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->wanted[i] && snapshot_is_live(&f->chips[i]) && f->chips[i].age > 0)
			return true;
	return false;
}

/*
 * Boards may be about to power down, since the last stage has let go of them.  Read them after
 * they have, and after each heartbeat has moved or had the time to.  No check uses an older sample:
 * a card that does not answer is no longer live once the sampler's deadline is over.
 */
void diag_look(struct diag *d)
{
	const int64_t began = clock_mono();
	struct sampler *s = d->act.session.sampler;
	int64_t waited;

	do {
		if (turn_rest(&d->act.stop, TURN_MS)) {
			d->act.was_stopped = true;
			return;
		}
		waited = clock_mono() - began;
		sampler_await_all(s);
		sampler_tick(s, NULL);
	} while ((waited < OLD && is_one_old(sampler_fleet(s))) ||
		(waited < REST && session_find_restless(&d->act.session)) ||
		(waited < BEATS && is_beat_unjudged(sampler_fleet(s))));
}

/* The first of the worst checks of a card or of the host, and how many apply; NULL: none does. */
static const struct health_item *find_worst(const struct health_report *r, int index, size_t *n)
{
	const struct health_item *worst = NULL;

	*n = 0;
	for (size_t k = 0; k < r->n; k++) {
		const struct health_item *i = &r->items[k];

		if (i->index != index || i->result == HEALTH_NONE)
			continue;
		++*n;
		if (!worst || i->result > worst->result)
			worst = i;
	}
	return worst;
}

/* Name its other checks with this result after a text that is not empty. */
static void put_others(struct strbuf *to, const struct health_report *r,
	const struct health_item *but, enum health_result result, const char *before)
{
	for (size_t k = 0; k < r->n; k++) {
		const struct health_item *i = &r->items[k];

		if (i == but || i->index != but->index || i->result != result)
			continue;
		strbuf_printf(to, "%s%s", before, i->check->id);
		before = ", ";
	}
}

/* Sum up the checks of a card or of the host in one line: the first of the worst, then others. */
static void add_checks(struct diag *d, struct diag_part *p, const struct health_report *r,
	int index)
{
	size_t n, before;
	const struct health_item *worst = find_worst(r, index, &n);
	struct strbuf text = { 0 };

	if (!worst)
		return;
	if (worst->result == HEALTH_PASS) {
		diag_add(d, p, index, HEALTH_PASS, "%zu check%s", n, n == 1 ? "" : "s");
		return;
	}
	strbuf_printf(&text, "%s: %s", worst->check->id,
		*worst->text ? worst->text : worst->check->help);
	put_others(&text, r, worst, worst->result, "; also ");
	before = text.len;
	if (worst->result > HEALTH_WARN)
		put_others(&text, r, worst, HEALTH_WARN, "; also WARN: ");
	diag_add(d, p, index, worst->result, "%s", text.text);
	p->items[p->n - 1].has_warned = worst->result == HEALTH_WARN || text.len > before;
	strbuf_clear(&text);
}

#define CHECK_FIGURES(F) \
	F(TEXT, id, (), i->check->id) \
	F(INT, index, (.place = true), i->index) \
	F(TEXT, result, (), health_words[i->result]) \
	F(TEXT, text, (.some = true), i->text) \
	F(TEXT, next, (.some = true), i->next)
FIGURES(check, CHECK_FIGURES, const struct health_item *i)

#define HEALTH_FIGURES(F) \
	F(TEXT, verdict, (), health_words[r->worst]) \
	F(LIST, checks, (.group = &check_figures), \
		for (size_t k = 0; k < r->n; k++) check_add(v, &r->items[k]))
FIGURES(health, HEALTH_FIGURES, const struct health_report *r)

void diag_run_health(struct diag *d, struct diag_part *p)
{
	struct session *s = &d->act.session;
	const size_t n = sampler_fleet(s->sampler)->n;
	struct figure_value value = { .nodes = NULL };
	struct health_report report;
	struct health_print print;

	if (!health_judge(s, d->act.o, d->checks, &d->floors, clock_mono(), &report, &print)) {
		diag_add(d, p, DIAG_ALL, HEALTH_SKIP, "--expected is wrong");
		return;
	}
	for (int index = DIAG_HOST; index < (int)n; index++)
		add_checks(d, p, &report, index);
	health_add(&value, &report);
	p->figures = figures_take(&value);
	health_clear(&report);
}

static void add_check(struct diag *d, struct diag_part *p, const struct check_memory_card *c)
{
	static const enum health_result results[] = { [CHECK_MEMORY_AGREES] = HEALTH_PASS,
		[CHECK_MEMORY_DISAGREES] = HEALTH_FAIL, [CHECK_MEMORY_INCOMPLETE] = HEALTH_SKIP };

	if (c->verdict == CHECK_MEMORY_AGREES)
		diag_add(d, p, c->d->index, HEALTH_PASS, "%d channel%s, %llu KiB of each",
			__builtin_popcount(c->plan.channels),
			__builtin_popcount(c->plan.channels) == 1 ? "" : "s",
			(unsigned long long)(c->plan.size >> 10));
	else
		diag_add(d, p, c->d->index, results[c->verdict], "%s", *c->why.text ? c->why.text
			: "its memory reads differently through its endpoints");
}

void diag_run_check_memory(struct diag *d, struct diag_part *p)
{
	struct diag_request q;
	struct check_memory *m;

	if (diag_skip_out(d, p) == 0)
		return;
	diag_request_init(&q, d, &act_check_memory);
	q.o->mode = MODE_CHECK_MEMORY;
	q.o->typed[OPT_SIZE] = "--size";
	q.o->size.bytes = diag_bytes(d, d->level->reads);
	m = (struct check_memory *)act_new(q.o, sizeof(*m));
	if (act_run_part(&d->act, &m->act) != EXIT_DONE)
		diag_add(d, p, DIAG_ALL, HEALTH_SKIP, "it could not be begun");
	for (size_t i = 0; i < m->n; i++)
		add_check(d, p, &m->cards[i]);
	if (m->n > 0)
		check_memory_take(&p->figures, sampler_fleet(d->act.session.sampler),
			m->cards, m->n);
	m->act.ops->steps->end(&m->act);
	free(m);
	diag_request_clear(&q);
}
