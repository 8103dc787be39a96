/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * generate.c - -b generate: write reference data, whose results this host or, with --device, a
 * card's cores compute.
 */
#include "config.h"
#include "src/reference/reference.h"

#include "base/mem.h"
#include "base/text.h"
#include "burnin/cores/card_reference.h"
#include "burnin/reference/data.h"
#include "src/act.h"
#include "src/burnin/cards.h"
#include "src/burnin/run.h"
#include "src/say.h"
#include "src/stop.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* A new folder, and who computes its results. */
struct folder {
	const struct reference_job *j;
	const char *path;
	struct stop *stop;			/* NULL: all of it is written */
	const struct card_reference *computed;	/* a card's results; NULL: this host's */
	const struct metadata_card *card;
};

static int write_case(const struct folder *f, const struct burn_case *c, enum burn_dtype t,
	struct error *e)
{
	struct data d;
	uint64_t bytes;
	int r;

	data_init(&d, c, t);
	data_draw(&d);
	if (f->computed)
		card_reference_take(f->computed, &d);
	r = refdir_write(f->path, &d, f->j->threads, f->card, &bytes, e);
	data_clear(&d);
	if (r < 0)
		return r;
	reference_print_case(t, c);
	printf("7 arrays, %llu bytes\n", (unsigned long long)bytes);
	fflush(stdout);
	return 0;
}

/* Without config.json a folder is not finished, however much of it there is. */
static int write_all(const struct folder *f, struct error *e)
{
	static const enum burn_dtype types[BURN_DTYPES] = { BURN_FLOAT32, BURN_BFLOAT16 };
	int r = 0;

	for (int i = 0; r == 0 && i < BURN_CASES * BURN_DTYPES; i++) {
		const enum burn_dtype t = types[i % BURN_DTYPES];

		if (!burn_choice_has(&f->j->which, t, i / BURN_DTYPES))
			continue;
		if (f->stop && stop_check(f->stop))
			return fail(e, -EINTR, "%s: stopped; it has no config.json yet", f->path);
		r = write_case(f, &burn_cases[i / BURN_DTYPES], t, e);
	}
	return r < 0 ? r : refdir_finish(f->path, &f->j->which, f->card, e);
}

static enum exit_code report_written(const char *dir)
{
	say_result("%s: written", dir);
	return EXIT_DONE;
}

enum exit_code reference_generate(const struct reference_job *j)
{
	struct stop stop;
	struct folder f = { .j = j, .stop = &stop };
	char own[REFDIR_PATH];
	struct error e;
	int r;

	if (j->o->devices)
		return mode_act(j->o);
	f.path = reference_output(j, "burnin-reference", "", own);
	if (!f.path)
		return EXIT_FAILED;
	stop_open_printing(&stop);
	r = refdir_create(f.path, &j->which, &e);
	if (r == 0)
		r = write_all(&f, &e);
	stop_end(&stop);
	if (r == 0)
		return report_written(f.path);
	say_error(&e);
	return EXIT_FAILED;
}

/*
 * --device: an act, a burn of one card that ends with writing files.  Nothing is written before all
 * of it is computed and the card has passed.
 */

struct compute {
	struct burnin_run run;		/* first: the steps of a burn have this one */
	struct reference_job job;	/* its types are those that a card computes */
	struct options own;		/* with --device in place of the words */
	const char *word;
	const char *dir;
	char own_dir[REFDIR_PATH];	/* if none was named */
	struct card_reference reference;
	bool existed, created;		/* the folder was there before; refdir_create() worked */
};

/* A card's matrix units round products to 11 bits: sums of bfloat16 parts cannot give float32. */
static enum exit_code choose_data(struct compute *c)
{
	struct reference_job *j = &c->job;

	c->dir = reference_output(j, "burnin-reference", "", c->own_dir);
	if (!c->dir)
		return EXIT_FAILED;
	if (j->o->typed[OPT_DTYPE] && j->which.dtypes & 1u << BURN_FLOAT32) {
		say_as(CODE_UNSUPPORTED, "--dtype: a card computes conv2d and matmul in bfloat16, "
			"not in float32");
		return EXIT_USAGE;
	}
	j->which.dtypes = 1u << BURN_BFLOAT16;
	c->reference.cases = j->which.cases;
	c->reference.sums = mem_share(card_reference_size());
	return EXIT_DONE;
}

static enum exit_code compute_prepare(struct act *a)
{
	struct compute *c = (struct compute *)a;
	struct burnin_run *r = &c->run;

	burnin_begin(r);
	c->job = reference_job_of(a->o);
	c->own = *a->o;
	c->word = c->own.devices;
	c->own.targets = &c->word;
	c->own.n_targets = 1;
	a->o = &c->own;
	r->facts.computes = true;
	r->work = (struct burnin_work){ .cards = true, .computes = true,
		.reference = &c->reference };
	burnin_choose_resets(r);
	return choose_data(c);
}

/* Choose the card; if there is more than one, say so. */
static enum exit_code compute_choose(struct act *a)
{
	const struct burnin_run *r = (const struct burnin_run *)a;
	const enum exit_code code = burnin_choose_targets(a);

	if (code != EXIT_DONE || r->facts.n_targets == 1)
		return code;
	say_as(CODE_BAD_VALUE, "--device: reference data are computed on one card, not on %zu",
		r->facts.n_targets);
	return EXIT_USAGE;
}

/* Create the folder now, to find out before the work, not after it, if that fails. */
static enum exit_code compute_prove(struct act *a)
{
	struct compute *c = (struct compute *)a;
	struct error e = { 0 };

	c->existed = access(c->dir, F_OK) == 0;
	c->created = refdir_create(c->dir, &c->job.which, &e) == 0;
	if (c->created)
		return EXIT_DONE;
	say_error(&e);
	return EXIT_FAILED;
}

/* List the cores that took part. */
static void put_cores(struct strbuf *to, const struct card_shared *s)
{
	for (size_t i = 0; i < atomic_load(&s->n) && i < CARD_TILES; i++)
		if (atomic_load(&s->cores[i].starts) > 0)
			strbuf_printf(to, "%s%u-%u", to->len ? " " : "", s->cores[i].x,
				s->cores[i].y);
}

static int write_computed(const struct compute *x, const struct burnin_card *c, struct error *e)
{
	struct strbuf cores = { 0 };
	char device[24];
	struct metadata_card card = { .device = device, .board = c->series,
		.chip = device_chip_name(c->chip), .firmware = c->firmware,
		.phases = card_reference_phases(c->chip),
		.simulator = c->burn.config.is_simulator ? bus_origin(x->run.act.session.bus)->name
			: NULL };
	const struct folder f = { .j = &x->job, .path = x->dir, .computed = &x->reference,
		.card = &card };
	int r;

	snprintf(device, sizeof(device), "tenstorrent:%d", c->index);
	put_cores(&cores, c->burn.shared);
	card.cores = cores.text;
	r = write_all(&f, e);
	strbuf_clear(&cores);
	return r;
}

/* Print the verdict; if the card passes, write the files. */
static enum exit_code compute_report(struct act *a)
{
	struct compute *c = (struct compute *)a;
	const struct burnin_target *t = &c->run.facts.targets[0];
	const enum verdict v = t->result.verdict;
	struct error e = { 0 };

	outlet_close(&c->run.out);
	if (v != VERDICT_PASS) {
		printf("%s: %s: %s; nothing was written\n", t->name, verdict_word(v),
			t->result.reason);
		return c->run.facts.exit;
	}
	if (write_computed(c, t->card, &e) < 0) {
		say_error(&e);
		return EXIT_FAILED;
	}
	printf("%s: %s: %llu words computed on two cores each, the same bits\n", t->name,
		verdict_word(v),
		(unsigned long long)t->card->result.coverage.done[LEDGER_WORDS]);
	return report_written(c->dir);
}

static void compute_end(struct act *a)
{
	struct compute *c = (struct compute *)a;

	burnin_end(&c->run.act);
	/* This removes only empty folders, so those with files stay. */
	if (c->created)
		refdir_abandon(c->dir, c->existed);
	if (c->reference.sums)
		mem_unshare(c->reference.sums, card_reference_size());
}

static const struct act_steps steps = {
	.prepare = compute_prepare,
	.choose = compute_choose,
	.prove = compute_prove,
	.fit = burnin_fit,
	.start = burnin_start,
	.watch = burnin_watch,
	.judge = burnin_judge,
	.report = compute_report,
	.end = compute_end,
};

const struct act_ops act_compute = {
	.kind = ACT_COMPUTE,
	.modes = 1ull << MODE_BURNIN,
	.commands = 1u << COMMAND_ON_CARD,
	.size = sizeof(struct compute),
	.taking = &burnin_taking,
	.steps = &steps,
};
