/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c - a diag in words and as JSON.
 */
#include "config.h"
#include "src/diag/diag.h"

#include "base/clock.h"
#include "base/text.h"
#include "output/figure_json.h"

#include <stdlib.h>
#include <string.h>

#define FOLD 8	/* with more results, cards that passed have no lines of their own */

static void put_seconds(struct strbuf *to, int64_t ns)
{
	strbuf_printf(to, "%.*f s", ns < CLOCK_SECOND ? 1 : 0, (double)ns / CLOCK_SECOND);
}

void diag_put_plan(struct diag *d)
{
	struct strbuf *to = &d->out.text;
	int64_t all = 0;

	for (size_t i = 0; i < d->n_parts; i++)
		all += d->parts[i].time;
	strbuf_printf(to, "Diag level %u, %s: the host and %zu card%s; about ", d->act.o->diag + 1,
		d->level->takes, d->n_cards, d->n_cards == 1 ? "" : "s");
	put_seconds(to, all);
	strbuf_puts(to, d->level->loads ? " and the cards' resets\n" : "\n");
	for (size_t i = 0; i < d->n_parts; i++) {
		strbuf_printf(to, "  %-14s%s", d->parts[i].stage->id,
			d->parts[i].stage->is_timed ? "" : "about ");
		put_seconds(to, d->parts[i].time);
		strbuf_printf(to, ": %s\n", d->parts[i].stage->does);
	}
	if (d->level->loads)
		strbuf_puts(to, "The cards' memory is overwritten. Enter, q or a signal ends "
			"it.\n");
	outlet_push(&d->out);
}

static void put_item(struct strbuf *to, const struct diag *d, const struct diag_part *p,
	const struct diag_item *i)
{
	char name[96], plain[2 * DIAG_TEXT];

	strbuf_printf(to, "%-4s  %-14s%s: %s\n", health_words[i->result], p->stage->id,
		diag_name(d, i->index, name, sizeof(name)),
		text_plain(plain, sizeof(plain), i->text));
}

/* If there are many cards, those that passed are only counted. */
void diag_put_part(struct diag *d, const struct diag_part *p)
{
	const bool folds = p->n > FOLD;
	struct strbuf *to = &d->out.text;
	size_t passed = 0;

	for (size_t i = 0; i < p->n; i++)
		if (folds && p->items[i].result == HEALTH_PASS && p->items[i].index >= 0)
			passed++;
		else
			put_item(to, d, p, &p->items[i]);
	if (passed > 0)
		strbuf_printf(to, "PASS  %-14s%zu cards\n", p->stage->id, passed);
	outlet_push(&d->out);
}

static const struct diag_item *find_item(const struct diag_part *p, enum health_result result)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->items[i].result == result)
			return &p->items[i];
	return NULL;
}

/* Name the stages with the worst result, and the first card of each. */
static void put_worst(struct strbuf *to, const struct diag *d)
{
	const char *between = ": ";
	char name[96];

	for (size_t i = 0; i < d->n_parts; i++) {
		const struct diag_item *x = find_item(&d->parts[i], d->worst);

		if (!x || d->worst == HEALTH_PASS)
			continue;
		strbuf_printf(to, "%s%s (%s)", between, d->parts[i].stage->id,
			diag_name(d, x->index, name, sizeof(name)));
		between = ", ";
	}
}

void diag_put_end(struct diag *d)
{
	const char *stand_in = fleet_stand_in(sampler_fleet(d->act.session.sampler));
	struct strbuf *to = &d->out.text;

	strbuf_printf(to, "diag level %u: %s", d->act.o->diag + 1, health_words[d->worst]);
	put_worst(to, d);
	strbuf_printf(to, "; host and %zu card%s%s%s%s in ", d->n_cards,
		d->n_cards == 1 ? "" : "s", stand_in ? " (" : "", stand_in ? stand_in : "",
		stand_in ? ")" : "");
	put_seconds(to, clock_mono() - d->begun);
	strbuf_putc(to, '\n');
	for (size_t i = 0; i < d->n_parts; i++) {
		const struct diag_part *p = &d->parts[i];

		if (diag_result(p) > HEALTH_WARN)
			continue;
		strbuf_printf(to, "  %s covered: %s", p->stage->id, p->stage->does);
		if (p->stage->is_timed) {
			strbuf_puts(to, "; for ");
			put_seconds(to, p->time);
		}
		strbuf_printf(to, "\n%*snot seen by it: %s\n", 4, "", p->stage->blind);
	}
}

#define ITEM_FIGURES(F) \
	F(TEXT, target, (), diag_name(d, i->index, (char[96]){ "" }, 96)) \
	F(INT, index, (.place = true), i->index) \
	F(TEXT, result, (), health_words[i->result]) \
	F(TEXT, text, (), i->text)
FIGURES(item, ITEM_FIGURES, const struct diag *d, const struct diag_item *i)

/* Move a stage's own report into ours, with its group. */
static void move_report(struct figure_value *v, struct figures *own)
{
	struct figures *to;

	if (!own->group)
		return;
	to = figure_add_node(v, own->group);
	free(to->values);
	*to = *own;
	*own = (struct figures){ .group = NULL };
}

#define PART_FIGURES(F) \
	F(TEXT, stage, (), p->stage->id) \
	F(TEXT, result, (), health_words[diag_result(p)]) \
	F(TIME, seconds, (), p->took) \
	F(TEXT, covers, (), p->stage->does) \
	F(TEXT, not_seen, (), p->stage->blind) \
	F(LIST, items, (.group = &item_figures), \
		for (size_t i = 0; i < p->n; i++) item_add(v, d, &p->items[i])) \
	F(OBJECT, report, (), move_report(v, &p->figures))
FIGURES(part, PART_FIGURES, const struct diag *d, struct diag_part *p)

#define DIAG_FIGURES(F) \
	F(TEXT, verdict, (), health_words[d->worst]) \
	F(INT, exit_code, (), d->code) \
	F(INT, level, (), d->act.o->diag + 1) \
	F(TEXT, version, (), PACKAGE_VERSION) \
	F(TEXT, source, (), !d->act.session.sampler ? NULL \
		: sampler_fleet(d->act.session.sampler)->source) \
	F(TEXT, selection, (.some = true), d->act.session.selection) \
	F(TEXT, begun, (), clock_iso_utc(d->real, (char[40]){ "" }, 40)) \
	F(TIME, seconds, (), clock_mono() - d->begun) \
	F(BOOL, stopped, (), d->act.was_stopped) \
	F(LIST, stages, (.group = &part_figures), \
		for (size_t i = 0; i < d->n_parts; i++) part_add(v, d, &d->parts[i]))
FIGURES(all, DIAG_FIGURES, struct diag *d)

static int write_with(int (*write)(struct file_new *, const char *, size_t, struct error *),
	struct diag *d, struct error *e)
{
	struct figure_value value = { .nodes = NULL };
	struct strbuf text = { 0 };
	struct figures f;
	int r;

	all_add(&value, d);
	f = figures_take(&value);
	figures_print_json(&text, &f);
	figures_clear(&f);
	r = write(&d->act.report, text.text, text.len, e);
	strbuf_clear(&text);
	return r;
}

int diag_write(struct diag *d, struct error *e)
{
	return write_with(file_new_finish, d, e);
}

int diag_draft(struct diag *d, struct error *e)
{
	int r;

	d->worst = HEALTH_SKIP;
	d->code = EXIT_PARTIAL;
	r = write_with(file_new_draft, d, e);
	d->worst = HEALTH_NONE;
	d->code = EXIT_DONE;
	return r;
}
