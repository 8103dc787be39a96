/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * targets.c - the words after -b: the host, cards by any name they have, "cards", "all"; which of
 * the cards can be burnt at all; and the items that other commands compute.
 */
#include "config.h"

#include "base/mem.h"
#include "burnin/host/burn_room.h"
#include "burnin/kernels/case.h"
#include "burnin/kernels/team.h"
#include "src/burnin/burnin.h"
#include "src/burnin/cards.h"
#include "src/burnin/run.h"
#include "src/listed.h"
#include "src/say.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * The items of check, bench and profile: cases of the reference data, or the matmuls of --shape.
 * Their need of memory is checked before anything is drawn.
 */

const enum burn_dtype burnin_types[BURN_COMPUTED] = {
	BURN_FLOAT32, BURN_FLOAT64, BURN_BFLOAT16
};

struct burnin_job burnin_job_of(const struct options *o)
{
	struct burnin_job j = { .o = o, .chosen = o->typed[OPT_CASES] || o->typed[OPT_DTYPE],
		.pcc = (double)o->pcc / OPTION_DECIMALS,
		.ulp = (double)o->ulp / OPTION_DECIMALS, .threads = team_processors(),
		.args = o->n_targets > 0 ? o->targets + 1 : NULL,
		.n_args = o->n_targets > 0 ? o->n_targets - 1 : 0 };

	for (int i = 0; i < BURN_CASES; i++)
		j.which.cases[i] = o->cases & 1u << i;
	for (int t = 0; t < BURN_COMPUTED; t++)
		j.which.dtypes[t] = o->dtypes & 1u << t;
	return j;
}

size_t burnin_items(const struct burnin_job *j)
{
	return j->o->shapes.n > 0 ? j->o->shapes.n : BURN_CASES;
}

bool burnin_item(const struct burnin_job *j, size_t i, struct data *d)
{
	const struct option_shapes *s = &j->o->shapes;

	if (s->n > 0) {
		const struct burn_shape shape = burn_matmul(s->of[i].m, s->of[i].n, s->of[i].k);

		data_init_shape(d, &shape, BURN_FLOAT32);
		return true;
	}
	data_init(d, &burn_cases[i], BURN_FLOAT32);
	return j->which.cases[i];
}

const char *burnin_item_name(const struct data *d, char *buf, size_t size)
{
	const struct burn_shape *s = &d->shapes[BURN_MATMUL];

	if (d->c)
		snprintf(buf, size, "%d input channels, K %d", d->c->channels, d->c->k);
	else
		snprintf(buf, size, "%d x %d x %d", s->m, s->k, s->n);
	return buf;
}

const char *burnin_pcc_text(double pcc, char text[BURNIN_PCC_TEXT])
{
	if (isnan(pcc))
		return "- (golden is constant)";
	snprintf(text, BURNIN_PCC_TEXT, "%.9f", pcc);
	return text;
}

/* Bytes that one operation needs in addition to its tensors in float32. */
static uint64_t need_of_operation(const struct burn_shape *s, enum burn_dtype t, bool gradients)
{
	enum { KEPT = 3 };			/* results at a time: of v1, v2 and one v3 */
	uint64_t most = KEPT * burn_elements(s, BURN_OUTPUT) * burn_dtype_size(t);

	most += burn_elements(s, BURN_OUTPUT) * (burn_dtype_size(t) + sizeof(double));
	for (int by = BURN_INPUT; by <= BURN_WEIGHT && gradients; by++) {
		const struct burn_shape g = gradient_shape(s, (enum burn_role)by);
		const uint64_t need = burn_bytes(&g, t)
			+ (KEPT - 1) * burn_elements(&g, BURN_OUTPUT) * burn_dtype_size(t);

		most = need > most ? need : most;
	}
	return burn_bytes(s, t) + most;
}

static uint64_t need_of(const struct burnin_job *j, const struct data *d, bool gradients)
{
	uint64_t all = 0, most = 0;

	for (int op = 0; op < BURN_OPS; op++)
		all += burn_bytes(&d->shapes[op], BURN_FLOAT32);
	for (int t = 0; t < BURN_COMPUTED; t++)
		for (int op = 0; op < BURN_OPS && j->which.dtypes[t]; op++) {
			const uint64_t need = d->shapes[op].m > 0 ? need_of_operation(
				&d->shapes[op], (enum burn_dtype)t, gradients) : 0;

			most = need > most ? need : most;
		}
	return all + most;
}

bool burnin_items_fit(const struct burnin_job *j, bool gradients)
{
	uint64_t free_bytes;
	const char *by;
	struct error e;

	if (burn_room_free("", &free_bytes, &by, &e) < 0)
		return true;
	for (size_t i = 0; i < burnin_items(j); i++) {
		struct data d;
		char name[48];
		const bool chosen = burnin_item(j, i, &d);
		const uint64_t need = chosen ? need_of(j, &d, gradients) : 0;

		if (need > free_bytes) {
			say_as(CODE_NO_MEMORY, "%s: needs %.1f GiB of memory, and %.1f GiB can be "
				"had (%s)", burnin_item_name(&d, name, sizeof(name)),
				(double)need / 0x1p30, (double)free_bytes / 0x1p30, by);
			return false;
		}
	}
	return true;
}

/* The targets of a burn. */

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

/* Note a second chip that is not burnt, beside the chip through which it is reached. */
static void pass_over(struct burnin_run *r, const struct snapshot *s)
{
	struct burnin_facts *f = &r->facts;

	for (size_t i = 0; i < f->n_targets; i++)
		if (f->targets[i].index == s->local)
			name_card(s, f->targets[i].second, sizeof(f->targets[i].second));
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

		if (as == NAMED_NOT || (as == NAMED_HIDDEN && named->hidden < 0) ||
			(f->chips[i].local >= 0 && !named->by_index[i]))
			continue;
		add_card(r, &f->chips[i]);
		any = true;
	}
	if (!any)
		burnin_leave_out(add_target(&r->facts, "cards"), VERDICT_INCOMPLETE, CODE_HIDDEN,
			"no card is visible here: %s", f->selection);
	for (size_t i = 0; i < f->n && !r->act.o->local; i++)
		if (named->chip[i] != NAMED_NOT && f->chips[i].local >= 0 && !named->by_index[i])
			pass_over(r, &f->chips[i]);
}

/* A word that cannot be a name is a mistake on the command line. */
static bool add_cards(struct burnin_run *r, const char *word)
{
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
		burnin_leave_out(add_target(&r->facts, word), VERDICT_INCOMPLETE, CODE_NO_DEVICE,
			"there is no such card");
	else if (sampler_fleet(r->act.session.sampler)->n == 0)
		burnin_leave_out(add_target(&r->facts, "cards"), VERDICT_INCOMPLETE, CODE_NO_DEVICE,
			"there is no card");
	else
		add_named(r, &named);
	return true;
}

/* What a burn does to a card cannot be taken back, with a reset or without. */
static bool has_moved(const struct burnin_run *r)
{
	struct strbuf names = { 0 };
	bool moved;

	named_join(r->act.o, &names);
	moved = listed_has_moved(r->act.o, sampler_fleet(r->act.session.sampler), names.text);
	strbuf_clear(&names);
	if (moved)
		say_as(CODE_MOVED_INDEX, "nothing was burnt: " LISTED_HINT);
	return moved;
}

enum exit_code burnin_choose_targets(struct act *a)
{
	struct burnin_run *r = (struct burnin_run *)a;
	const struct options *o = a->o;

	r->facts.targets = mem_calloc(1 + o->n_targets + sampler_fleet(a->session.sampler)->n,
		sizeof(*r->facts.targets));
	for (size_t i = 0; i < o->n_targets; i++) {
		const bool is_host = strcmp(o->targets[i], "host") == 0;

		if (is_host || strcmp(o->targets[i], "all") == 0)
			r->host = add_target(&r->facts, "host");
		if (!is_host && !add_cards(r, o->targets[i]))
			return EXIT_USAGE;
	}
	return r->work.cards && has_moved(r) ? EXIT_REFUSED : EXIT_DONE;
}
