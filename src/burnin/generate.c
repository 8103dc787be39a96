/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * generate.c - --burnin generate --device: compute the results of the reference data on a
 * card's cores, as an act: a burn of one card that ends with writing files.
 *
 * Nothing is written before all of it is computed and the card has passed.
 */
#include "config.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "burnin/cores/card_reference.h"
#include "burnin/reference/refdir.h"
#include "src/burnin/cards.h"
#include "src/burnin/reset.h"
#include "src/burnin/run.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct compute {
	struct burnin_run run;		/* first: the steps of a burn have this one */
	const char *dir;
	struct options own;		/* with --device in place of the words */
	const char *word;
	struct burn_choice which;
	struct card_reference reference;
	bool existed, created;		/* the folder was there before; refdir_create() worked */
};

static enum exit_code compute_prepare(struct act *a)
{
	struct compute *c = (struct compute *)a;
	struct burnin_run *r = &c->run;

	c->which = r->facts.job->which;
	c->which.dtypes[BURN_FLOAT32] = false;
	memcpy(c->reference.cases, c->which.cases, sizeof(c->reference.cases));
	c->reference.sums = mem_share(card_reference_size());
	c->own = *a->o;
	c->word = c->own.devices;
	c->own.targets = &c->word;
	c->own.n_targets = 1;
	a->o = &c->own;
	r->facts.computes = true;
	r->work = (struct burnin_work){ .cards = true, .computes = true,
		.reference = &c->reference };
	burnin_choose_resets(r);
	return EXIT_DONE;
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
	c->created = refdir_create(c->dir, &c->which, &e) == 0;
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

static int write_case(const struct burnin_run *r, const char *dir, const struct burn_case *c,
	const struct metadata_card *card, struct error *e)
{
	struct data d;
	uint64_t bytes;
	int err;

	data_init(&d, c, BURN_BFLOAT16);
	data_draw(&d);
	card_reference_take(r->work.reference, &d);
	err = refdir_write(dir, &d, r->facts.job->threads, card, &bytes, e);
	data_clear(&d);
	if (err == 0)
		printf("%-8s k%04d_ic%03d 7 arrays, %llu bytes\n", burn_dtype_name(BURN_BFLOAT16),
			c->k, c->channels, (unsigned long long)bytes);
	return err;
}

static int write_all(const struct burnin_run *r, const struct burnin_card *c,
	const struct burn_choice *which, const char *dir, struct error *e)
{
	struct strbuf cores = { 0 };
	char device[24];
	struct metadata_card card = { .device = device, .board = c->series,
		.chip = device_chip_name(c->chip), .firmware = c->firmware,
		.simulator = c->burn.config.is_simulator ? bus_source(r->act.session.bus) : NULL };
	int err = 0;

	snprintf(device, sizeof(device), "tenstorrent:%d", c->index);
	put_cores(&cores, c->burn.shared);
	card.cores = cores.text;
	for (int i = 0; err == 0 && i < BURN_CASES; i++)
		if (which->cases[i])
			err = write_case(r, dir, &burn_cases[i], &card, e);
	err = err ? err : refdir_finish(dir, which, &card, e);
	strbuf_clear(&cores);
	return err;
}

/* Print the verdict; if the card passes, write the files. */
static enum exit_code compute_report(struct act *a)
{
	struct compute *c = (struct compute *)a;
	const struct burnin_target *t = &c->run.facts.targets[0];
	const enum burn_verdict v = t->result.verdict;
	struct error e = { 0 };
	char plain[REFDIR_PATH];

	outlet_close(&c->run.out);
	if (v != BURN_PASS) {
		printf("%s: %s: %s; nothing was written\n", t->name, burn_verdict_name(v),
			t->result.reason);
		return c->run.facts.exit;
	}
	if (write_all(&c->run, t->card, &c->which, c->dir, &e) < 0) {
		say_error(&e);
		return EXIT_FAILED;
	}
	printf("%s: %s: %llu words computed on two cores each, the same bits\n", t->name,
		burn_verdict_name(v),
		(unsigned long long)t->card->result.coverage.done[LEDGER_WORDS]);
	printf("%s: written\n", text_plain(plain, sizeof(plain), c->dir));
	return EXIT_DONE;
}

static void compute_end(struct act *a)
{
	struct compute *c = (struct compute *)a;

	burnin_end(&c->run);
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
	.taking = &burnin_taking,
	.steps = &steps,
};

static enum exit_code compute_results(const struct burnin_job *j, const char *dir)
{
	struct compute *c = (struct compute *)act_new(j->o, sizeof(*c));
	enum exit_code code;

	c->dir = dir;
	c->run.facts.job = j;
	c->run.facts.begun = clock_real();
	code = act_run(&c->run.act);
	free(c);
	return code;
}

/* A card's matrix units round products to 11 bits: sums of bfloat16 parts cannot give float32. */
enum exit_code burnin_generate_on_card(const struct burnin_job *j, const char *dir)
{
	if (!j->o->dtypes || !j->which.dtypes[BURN_FLOAT32])
		return compute_results(j, dir);
	say_as(CODE_UNSUPPORTED, "--dtype: a card computes conv2d and matmul in bfloat16, not in "
		"float32");
	return EXIT_USAGE;
}
