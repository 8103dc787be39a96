/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/reset/report.h"
#include "base/file_new.h"
#include "base/mem.h"
#include "reset/report.h"
#include "src/reset/run.h"
#include "src/say.h"

#include <stdlib.h>

/* Remember the result of the controller's last try. */
static void take_result(struct reset_run *run, const struct reset_card *c)
{
	for (size_t i = 0; i < c->n_steps; i++)
		if (c->steps[i].phase == RESET_OUTSIDE)
			mem_copy_text(run->result, sizeof(run->result),
				c->steps[i].ok ? "" : c->steps[i].text);
}

void reset_report_take(struct reset_run *run, const struct reset_card *cards, size_t n)
{
	for (size_t i = 0; i < n; i++)
		take_result(run, &cards[i]);
}

static void reset_report_put(const struct reset_run *run, const struct reset_card *cards, size_t n,
	enum exit_code code, struct strbuf *text)
{
	struct report_facts facts = { .command = run->act.o->mode_option, .act = run->what,
		.result = run->result, .tries = run->tries, .host = &run->act.session.host,
		.preflight = &run->preflight, .trays = run->trays,
		.bus = run->tries > 0 ? run->act.session.bus : NULL,
		.exit = (int)code };
	struct json_out j;
	struct host host;

	/* If no card here is to be reset, no session was opened. */
	if (run->act.session.sampler) {
		facts.fleet = sampler_fleet(run->act.session.sampler);
	} else {
		host_read("", "", &host);
		facts.host = &host;
	}
	json_out_init(&j, text, false);
	report_put(&j, cards, n, &facts);
	strbuf_putc(text, '\n');
}

enum exit_code reset_report_prove(struct reset_run *run)
{
	const enum exit_code code = act_prove_report(&run->act);

	run->is_reported = code != EXIT_DONE;
	return code;
}

enum exit_code reset_report_draft(struct reset_run *run)
{
	const struct reset_card *cards = NULL;
	const size_t n = run->setup.reset ? reset_cards(run->setup.reset, &cards) : 0;
	struct strbuf text = { 0 };
	struct error e = { 0 };
	int r;

	if (!run->act.reports)
		return EXIT_DONE;
	reset_report_put(run, cards, n, EXIT_NEGATIVE, &text);
	r = file_new_draft(&run->act.report, text.text, text.len, &e);
	strbuf_clear(&text);
	if (r == 0)
		return EXIT_DONE;
	run->act.reports = false;
	run->is_reported = true;
	say_as(e.word, "%s; nothing was reset", e.text);
	return EXIT_FAILED;
}

/* A reset that was refused early has no file open yet. */
static int reset_report_finish(struct act *a, const struct strbuf *text, struct error *e)
{
	const bool is_open = a->reports;

	a->reports = false;
	return is_open ? file_new_finish(&a->report, text->text, text->len, e)
		: file_new_write(a->o->report, text->text, text->len, e);
}

void reset_report_write(struct reset_run *run, enum exit_code *code)
{
	struct strbuf text = { 0 };
	struct error e = { 0 };

	if (run->act.o->report && !run->act.o->dry_run && !run->is_reported) {
		run->is_reported = true;
		reset_report_put(run, run->done.cards, run->done.n, *code, &text);
		if (reset_report_finish(&run->act, &text, &e) < 0) {
			session_fail(&e);
			*code = exit_unwritten(*code);
		}
	}
	strbuf_clear(&text);
}

void reset_report_end(struct reset_run *run, enum exit_code code)
{
	if (code != EXIT_USAGE)
		reset_report_write(run, &code);
}
