/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * generate.c - --burnin generate --device: the reference data's results, computed on a card's
 * cores.  The card is taken, reset, watched and given back as for a burn.
 *
 * Nothing is written before all of it is computed and the card has passed.
 */
#include "config.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "burnin/cores/card_reference.h"
#include "burnin/reference/refdir.h"
#include "src/burnin/run.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The one card that it is about; else said why. */
static enum exit_code name_target(struct burnin_run *r)
{
	const enum exit_code code = burnin_name_targets(r);

	if (code != EXIT_DONE || r->facts->n_targets == 1)
		return code;
	say("--device: reference data are computed on one card, not on %zu", r->facts->n_targets);
	return EXIT_USAGE;
}

/* The cores that took part, one behind the other. */
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
	err = refdir_write(dir, &d, r->facts->job->threads, card, &bytes, e);
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
		.simulator = c->burn.config.is_simulator ? bus_source(r->session.bus) : NULL };
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

/* Its verdict, and the files where it passes. */
static enum exit_code finish(struct burnin_run *r, const struct burnin_target *t,
	const struct burn_choice *which, const char *dir)
{
	const enum burn_verdict v = t->result.verdict;
	struct error e = { 0 };
	char plain[REFDIR_PATH];

	if (v != BURN_PASS) {
		printf("%s: %s: %s; nothing was written\n", t->name, burn_verdict_name(v),
			t->result.reason);
		return v == BURN_FAIL ? EXIT_NEGATIVE : EXIT_FAILED;
	}
	if (write_all(r, t->card, which, dir, &e) < 0) {
		say("%s", e.text);
		return EXIT_FAILED;
	}
	printf("%s: %s: %llu words computed on two cores each, the same bits\n", t->name,
		burn_verdict_name(v),
		(unsigned long long)t->card->result.coverage.done[LEDGER_WORDS]);
	printf("%s: written\n", text_plain(plain, sizeof(plain), dir));
	return EXIT_DONE;
}

static enum exit_code run(struct burnin_run *r, const struct burn_choice *which, const char *dir)
{
	struct burnin_target *t = &r->facts->targets[0];
	const bool existed = access(dir, F_OK) == 0;
	enum exit_code code = name_target(r);
	struct error e = { 0 };

	if (code != EXIT_DONE)
		return code;
	/* From here on a signal waits until somebody asks: what has been begun is ended. */
	stop_open(&r->stop, false);
	/* A folder that cannot be written is found out before, not after it. */
	if (refdir_create(dir, which, &e) < 0) {
		say("%s", e.text);
		return EXIT_FAILED;
	}
	outlet_open(&r->out);
	burnin_cards_fit(r);
	code = burnin_take_cards(r);
	if (code == EXIT_DONE && !r->was_stopped)
		burnin_run(r, NULL);
	else if (code == EXIT_DONE)
		burnin_leave_out(t, BURN_INCOMPLETE, "stopped before its end");
	outlet_close(&r->out);
	if (code == EXIT_DONE)
		code = finish(r, t, which, dir);
	/* What was written keeps them. */
	refdir_abandon(dir, existed);
	return code;
}

static enum exit_code compute(const struct burnin_job *j, const char *dir)
{
	struct burn_choice which = j->which;
	struct card_reference reference = { .sums = mem_share(card_reference_size()) };
	struct burnin_facts *f = mem_calloc(1, sizeof(*f));
	struct burnin_run *r = mem_calloc(1, sizeof(*r));
	struct options own = *j->o;
	enum exit_code code;

	memcpy(reference.cases, which.cases, sizeof(reference.cases));
	which.dtypes[BURN_FLOAT32] = false;
	own.targets[0] = own.devices;
	own.n_targets = 1;
	*f = (struct burnin_facts){ .job = j, .begun = clock_real(), .computes = true };
	r->facts = f;
	r->o = &own;
	r->resets = !own.no_reset;
	r->work = (struct burnin_work){ .cards = true, .computes = true, .reference = &reference };
	code = session_open(&r->session, &own, false);
	if (code == EXIT_DONE) {
		session_await_rest(&r->session);
		code = run(r, &which, dir);
		burnin_cards_close(r);
		hold_give_back(&r->hold);
		sensor_watch_close(&r->sensors);
		stop_close(&r->stop);
		session_close(&r->session);
	}
	mem_unshare(reference.sums, card_reference_size());
	free(r);
	free(f);
	return code;
}

/* Its matrix units round products to 11 bits: no sum of bfloat16 parts makes that float32. */
enum exit_code burnin_generate_on_card(const struct burnin_job *j, const char *dir)
{
	if (!j->o->dtypes || !j->which.dtypes[BURN_FLOAT32])
		return compute(j, dir);
	say("--dtype: a card computes conv2d and matmul in bfloat16, not in float32");
	return EXIT_USAGE;
}
