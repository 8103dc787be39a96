/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn.c - --burnin TARGETS, which is one of three acts with the same steps: a burn of the host
 * alone, a burn of cards with or without the host, and a test of the cards' memory.
 */
#include "config.h"
#include "base/clock.h"
#include "base/file.h"
#include "src/burnin/figures.h"
#include "src/burnin/reset.h"
#include "src/burnin/run.h"
#include "src/say.h"
#include "src/turn.h"
#include "ui/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USUAL_TIME (60 * CLOCK_SECOND)

static enum exit_code burn_prepare(struct act *a)
{
	struct burnin_run *r = (struct burnin_run *)a;
	const struct options *o = a->o;
	const char *kept = burnin_resume_path(o);

	r->facts.duration = o->duration || o->iterations ? o->duration : USUAL_TIME;
	if (!burnin_choose_work(r->facts.job, &r->work) || !recording_choose(&r->recording, o))
		return EXIT_USAGE;
	if (kept && o->report && file_is_same(kept, o->report)) {
		say("--report %s: the burn is continued from this file (--resume)", o->report);
		return EXIT_USAGE;
	}
	r->facts.computes = r->work.computes;
	burnin_choose_resets(r);
	return EXIT_DONE;
}

/* Check that dump and report can be written: before cards are reset, not after an hour of load. */
static enum exit_code burn_prove(struct act *a)
{
	struct error e;

	if (recording_prove(a->o, &e) == 0)
		return act_prove_report(a);
	say_error(&e);
	return EXIT_FAILED;
}

static void print_end(struct burnin_run *r)
{
	struct strbuf before = { 0 };

	/* Lines that a screen held back must not come before the verdict. */
	if (r->out.sent == 0) {
		before = r->out.text;
		r->out.text = (struct strbuf){ 0 };
	}
	burnin_report_print(&r->out.text, &r->facts, before.len ? before.text : "");
	strbuf_clear(&before);
	turn_end(&r->act.stop, &r->out);
}

/* Write the report before printing the verdict; if it cannot be written, that is a failure. */
static void burn_write(struct burnin_run *r)
{
	struct burnin_facts *f = &r->facts;
	struct error e;

	if (r->act.reports && burnin_report_write(&r->act.report, f, &e) < 0) {
		burnin_screen_close(r->screen);
		r->screen = NULL;
		say_error(&e);
		f->exit = exit_unwritten(f->exit);
	}
	r->act.reports = false;
	if (r->recording.dump)
		burnin_report_write_beside_dump(f);
}

static enum exit_code burn_report(struct act *a)
{
	struct burnin_run *r = (struct burnin_run *)a;
	enum exit_code dumped = EXIT_DONE;
	struct figures figures = { 0 };

	r->facts.dump = r->recording.dir[0] ? r->recording.dir : NULL;
	if (r->recording.dump && r->facts.exit == EXIT_DONE)
		r->facts.exit = recording_code(&r->recording);
	burn_write(r);
	burnin_screen_close(r->screen);
	r->screen = NULL;
	term_mute(STDERR_FILENO);
	print_end(r);
	if (r->recording.dump) {
		burnin_figures_take(&figures, &r->facts);
		r->recording.burn = &figures;
		dumped = recording_end(&r->recording, &a->stop);
		figures_clear(&figures);
	}
	return r->facts.exit == EXIT_DONE ? dumped : r->facts.exit;
}

static void burn_leave(struct act *a)
{
	struct burnin_run *r = (struct burnin_run *)a;

	burnin_leave_rest_out(&r->facts, CODE_NOT_COVERED, act_words[a->ops->kind].undone);
	r->facts.verdict = BURN_INCOMPLETE;
	r->facts.exit = a->code;
	burn_write(r);
}

static void burn_end_act(struct act *a)
{
	burnin_end((struct burnin_run *)a);
}

static bool is_of_memory_alone(const struct options *o)
{
	return o->workload == 1u << WORK_MEMORY;
}

static const struct act_steps steps = {
	.prepare = burn_prepare,
	.choose = burnin_choose_targets,
	.prove = burn_prove,
	.fit = burnin_fit,
	.start = burnin_start,
	.watch = burnin_watch,
	.judge = burnin_judge,
	.report = burn_report,
	.leave = burn_leave,
	.end = burn_end_act,
};

/* A burn leaves the cores in any state, so the cards are reset, unless --no-reset forbids it. */
const struct act_taking burnin_taking = {
	.awaits_rest = true,
	.blocks = 1u << PREFLIGHT_BUSY | 1u << PREFLIGHT_UNSAFE | 1u << PREFLIGHT_IMPOSSIBLE,
	.hints = { [PREFLIGHT_UNSAFE] = BURNIN_NO_RESET, [PREFLIGHT_IMPOSSIBLE] = BURNIN_NO_RESET },
};

/* No reset: it would train the memory, which may hide a fault of it. */
static const struct act_taking test_taking = {
	.awaits_rest = true,
	.blocks = 1u << PREFLIGHT_BUSY | 1u << PREFLIGHT_IMPOSSIBLE,
};

const struct act_ops act_burn_host = {
	.kind = ACT_BURN_HOST,
	.modes = 1ull << MODE_BURNIN,
	.commands = 1u << COMMAND_HOST,
	.steps = &steps,
};

const struct act_ops act_burn_cards = {
	.kind = ACT_BURN_CARDS,
	.modes = 1ull << MODE_BURNIN,
	.commands = 1u << COMMAND_CARDS,
	.taking = &burnin_taking,
	.steps = &steps,
};

const struct act_ops act_test_memory = {
	.kind = ACT_TEST_MEMORY,
	.modes = 1ull << MODE_BURNIN,
	.commands = 1u << COMMAND_CARDS,
	.is_meant = is_of_memory_alone,
	.taking = &test_taking,
	.steps = &steps,
};

enum exit_code burnin_burn(const struct burnin_job *j)
{
	struct burnin_run *r = (struct burnin_run *)act_new(j->o, sizeof(*r));
	enum exit_code code;

	r->facts.job = j;
	r->facts.begun = clock_real();
	code = act_run(&r->act);
	free(r);
	return code;
}
