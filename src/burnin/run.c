/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.c - a burn from its start to its verdict.
 *
 * All times are from a clock that cannot be set, so a stepped system clock
 * neither ends nor prolongs a burn.  The load rests while burn_watch() is not
 * called, since a program that is stopped (Ctrl-Z) could not end the load when
 * something gets too hot.
 */
#include "config.h"
#include "src/burnin/run.h"

#include "act/counted.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "output/dump.h"
#include "output/dump_index.h"
#include "output/figure_json.h"
#include "src/burnin/cards.h"
#include "src/burnin/print.h"
#include "src/loop.h"
#include "src/say.h"
#include "ui/term.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BURNIN_STOPPED "stopped before its end"
#define INTERVAL   (CLOCK_SECOND / 2)
#define TURN_MS    100
#define END_TIME   (30 * CLOCK_SECOND)	/* for the last check of everything */
#define AFTER      (3 * CLOCK_SECOND)	/* for a last tick of the dump */

static void note_cut(struct burnin_run *r, const struct error *cut)
{
	if (cut && !*r->cut.text)
		r->cut = *cut;
}

/* Ask the load to end; it verifies everything once more.  cut: why it is ended early; NULL. */
static void end_load(struct burnin_run *r, const struct error *cut)
{
	note_cut(r, cut);
	if (r->phase >= BURNIN_ENDING)
		return;
	r->phase = BURNIN_ENDING;
	r->until = r->woken + END_TIME;
	burnin_host_stop(r);
	burnin_cards_stop(r);
}

/* cut: why it does not come to its own end; NULL: it has. */
static void load_is_over(struct burnin_run *r, const struct error *cut)
{
	note_cut(r, cut);
	if (r->burns)
		burn_end(&r->burn, 0);
	burnin_cards_end(r);
	r->phase = BURNIN_OVER;
	r->ended = burnin_now(r);
	r->until = r->woken + AFTER;
	r->last_tick = sampler_fleet(r->act.session.sampler)->tick;
}

/* ns between two lines; a part of a longer act prints fewer. */
static int64_t burnin_pace(const struct burnin_run *r)
{
	return r->act.is_part ? 10 * CLOCK_SECOND : CLOCK_SECOND;
}

static void watch_loads(struct burnin_run *r)
{
	static const struct error late = { -ETIMEDOUT, CODE_LOAD_HUNG,
		"its last check took longer than 30 s" };
	bool running = true, host = burnin_host_watch(r, &running);
	const bool cards = burnin_cards_watch(r, &running);

	if (!host && !cards) {
		load_is_over(r, NULL);
	} else if (r->phase == BURNIN_ENDING && r->woken >= r->until) {
		load_is_over(r, &late);
	} else if (r->phase == BURNIN_MAKING && running) {
		/* Count the time from here: making operands is not load. */
		r->phase = BURNIN_LOAD;
		r->from = r->woken - burnin_resume_elapsed(&r->resume);
		r->next = burnin_resume_elapsed(&r->resume) + burnin_pace(r);
	}
}

/* End the load for whatever may end it: a person, a limit, its time, an error. */
static void judge_end(struct burnin_run *r, bool asked)
{
	static const struct error during = { -ECANCELED, CODE_STOPPED,
		"stopped during its last check" };
	static const struct error before = { -ECANCELED, CODE_STOPPED, BURNIN_STOPPED };
	const struct sensors *host = r->sensors.known ? &r->sensors.now : NULL;

	/* Asked once while it ends anyway: that is what it does.  Only the next skips the check. */
	if (asked && r->phase == BURNIN_ENDING && r->act.was_stopped)
		load_is_over(r, &during);
	else if (asked && r->phase < BURNIN_ENDING)
		end_load(r, &before);
	r->act.was_stopped = r->act.was_stopped || asked;
	if (stop_rules_judge(&r->rules, host, sampler_fleet(r->act.session.sampler), r->woken))
		end_load(r, &r->rules.why);
	else if (r->phase == BURNIN_LOAD && r->facts.duration > 0 &&
		burnin_run_time(r) >= r->facts.duration)
		end_load(r, NULL);
	else if (r->phase == BURNIN_LOAD && r->act.o->stop_on_error &&
		((r->burns && burn_errors(&r->burn) > 0) || burnin_cards_bad(r)))
		end_load(r, NULL);
}

static void note_pause(struct burnin_run *r)
{
	const int64_t now = burnin_now(r), gap = now - r->woken;
	const bool of_host = r->burns && !r->is_host_over;	/* burn_watch() knows more */

	if (gap > BURNIN_UNWATCHED && r->phase == BURNIN_LOAD && !of_host)
		r->paused += gap - BURNIN_UNWATCHED;
	r->woken = now;
}

static void burnin_wake(void *arg, const struct pollfd *fds)
{
	struct burnin_run *r = arg;
	int64_t since;
	bool asked;

	(void)fds;
	note_pause(r);
	sensor_watch_update(&r->sensors);
	if (r->phase != BURNIN_OVER)
		watch_loads(r);
	if (r->phase == BURNIN_LOAD && !r->is_host_over && burnin_run_time(r) > r->loaded)
		r->loaded = burnin_run_time(r);
	asked = r->act.stop.asked;
	r->act.stop.asked = false;
	r->facts.continued = r->facts.continued || r->act.stop.resumed;
	if (r->screen && burnin_screen_step(r->screen))
		asked = true;
	if (r->phase == BURNIN_OVER) {
		/* The dump goes on for a tick that began after the load. */
		if (!r->recording.dump || r->recording.failed || asked || r->woken >= r->until)
			r->loop.quit = true;
		return;
	}
	burnin_lines_stop(r);
	if (r->burns)
		burn_meter_read(&r->meter, &r->burn);
	judge_end(r, asked);
	if (r->burns && r->phase == BURNIN_LOAD)
		burnin_resume_keep(&r->resume, &r->burn, r->loaded);
	since = r->phase == BURNIN_MAKING ? r->woken - r->begun : burnin_run_time(r);
	if (r->phase < BURNIN_ENDING && since >= r->next) {
		burnin_lines_progress(r, since);
		r->next = since / CLOCK_SECOND * CLOCK_SECOND + burnin_pace(r);
	}
}

static void take_tick(void *arg)
{
	struct burnin_run *r = arg;
	const struct fleet *f = sampler_fleet(r->act.session.sampler);
	const struct dump_tick tick = { .late = r->loop.late, .lost = r->loop.lost };
	struct error e;

	if (r->loop.seen <= 1)
		session_choose(&r->act.session, r->act.o, &e);
	if (r->recording.dump && !r->recording.failed) {
		if (recording_row(&r->recording, f, &tick) == 0)
			r->rows = dump_counts(r->recording.dump)->rows;
		else
			say_as(r->recording.error.word, "the dump has stopped, the burn "
				"goes on: %s",
				r->recording.error.text);
	}
	burnin_cards_tick(r);
	if (r->screen)
		burnin_screen_tick(r->screen);
	if (r->phase == BURNIN_OVER && f->tick > r->last_tick + 1)
		r->loop.quit = true;
}

static size_t burnin_prepare(void *arg, struct pollfd *fds)
{
	struct burnin_run *r = arg;

	fds[0] = (struct pollfd){ .fd = sensor_watch_fd(&r->sensors), .events = POLLIN };
	return 1 + (r->screen ? burnin_screen_poll(r->screen, fds + 1) : 0);
}

static int burnin_wait_ms(void *arg)
{
	(void)arg;
	return TURN_MS;
}

static const struct loop_ops loop_ops = {
	.tick = take_tick,
	.prepare = burnin_prepare,
	.wait_ms = burnin_wait_ms,
	.wake = burnin_wake,
};

/* The report as a file: the one of --report, and one beside a dump. */

/* Write it and close the file; is_draft: keep that open for the report that is to replace it. */
static int write_report(struct file_new *file, const struct burnin_facts *f, bool is_draft,
	struct error *e)
{
	struct figures figures = { 0 };

	burnin_figures_take(&figures, f);
	return figures_write_json(file, &figures, is_draft, e);
}

/* For the workbook's sheet. */
static void write_beside_dump(const struct burnin_facts *f)
{
	char path[4096 + 16];
	struct file_new file;
	struct error e;

	snprintf(path, sizeof(path), "%s/" DUMP_BURN, f->dump);
	if (file_new_open(&file, path, true, &e) < 0) {
		say_error(&e);
		return;
	}
	/* The burn does not wait for the disk: the kernel syncs the file in its own time. */
	file.lazy = true;
	if (write_report(&file, f, false, &e) < 0)
		say_error(&e);
}

/* Leave out each target without a reason: INCOMPLETE. */
static void burnin_leave_rest_out(struct burnin_facts *f, enum code code, const char *why)
{
	for (size_t i = 0; i < f->n_targets; i++)
		if (!f->targets[i].result.reason[0])
			burnin_leave_out(&f->targets[i], VERDICT_INCOMPLETE, code, "%s", why);
}

/* Reports that remain if we are killed: an earlier burn may have left a PASS there. */
static int leave_report(struct burnin_run *r, struct error *e)
{
	struct burnin_facts f = r->facts;
	const size_t size = f.n_targets * sizeof(*f.targets);
	int err = 0;

	f.targets = memcpy(mem_calloc(f.n_targets + 1, sizeof(*f.targets)), f.targets, size);
	burnin_leave_rest_out(&f, CODE_NOT_FINISHED, "the burn did not come to its end, or that "
		"could not be written");
	f.verdict = VERDICT_INCOMPLETE;
	f.exit = exit_of_verdict(f.verdict);
	f.burn = r->burns ? &r->burn : NULL;
	f.dump = r->recording.dump ? r->recording.dir : NULL;
	if (f.dump)
		write_beside_dump(&f);
	else if (r->act.reports)
		err = write_report(&r->act.report, &f, true, e);
	free(f.targets);
	return err;
}

static bool burnin_has_load(const struct burnin_run *r)
{
	return r->burns || burnin_cards_any(r);
}

enum exit_code burnin_start(struct act *a)
{
	struct burnin_run *r = (struct burnin_run *)a;
	const struct sensor_watch_config watch = { .root = a->o->root };
	struct error e;

	if (leave_report(r, &e) < 0) {
		r->act.reports = false;
		say_error(&e);
		return EXIT_FAILED;
	}
	if (!a->stop.asked && !burnin_reset_before(r))
		return EXIT_REFUSED;
	if (a->was_stopped || a->stop.asked) {
		burnin_leave_rest_out(&r->facts, CODE_STOPPED, BURNIN_STOPPED);
		return EXIT_DONE;
	}
	sensor_watch_open(&r->sensors, &watch);
	/* Start these before the dump makes a thread. */
	burnin_host_start(r);
	burnin_cards_start(r);
	if (!burnin_has_load(r))
		return EXIT_DONE;
	r->loop = (struct loop){ .sampler = a->session.sampler, .ops = &loop_ops, .arg = r,
		.requests = &a->stop, .out = &r->out,
		.interval = a->o->interval ? a->o->interval : INTERVAL, .end = INT64_MAX,
		.start = clock_mono() };
	/* The clock of the dump and that of the burn begin at the same moment. */
	r->begun = burnin_now(r);
	r->real = clock_real();
	stop_rules_begin(&r->rules, (int64_t)a->o->max_temp * 1000, burnin_now(r));
	burnin_cards_guard(r);
	if (!a->o->dump)
		return EXIT_DONE;
	/* A burn whose dump was asked for is not begun without it. */
	if (recording_open(&r->recording, a->o, &a->session, r->loop.start, r->loop.interval) < 0) {
		note_cut(r, &r->recording.error);
		return EXIT_DONE;
	}
	say("dumping to %s", r->recording.dir);
	leave_report(r, &r->recording.error);
	return EXIT_DONE;
}

enum exit_code burnin_watch(struct act *a)
{
	struct burnin_run *r = (struct burnin_run *)a;

	if (!burnin_has_load(r))
		return EXIT_DONE;
	if (!*r->cut.text) {
		/* Reference data, and parts of another act, use lines and no screen. */
		r->screen = r->work.reference || a->is_part ? NULL : burnin_screen_open(r);
		if (r->screen)
			stop_take_screen(&a->stop);
		else
			stop_take_keys(&a->stop);
		burnin_lines_begin(r, r->burns ? &r->burn.config : NULL);
		r->woken = burnin_now(r);
		r->next = CLOCK_SECOND;
		loop_run(&r->loop);
	}
	if (r->burns)
		burn_end(&r->burn, 0);
	burnin_cards_end(r);
	return EXIT_DONE;
}

/* Judge the loads, which have all ended, with the machine's sensors as they were then. */
static void judge_loads(struct burnin_run *r)
{
	struct burnin_facts *f = &r->facts;

	f->took = (r->ended ? r->ended : burnin_now(r)) - r->begun;
	f->paused = r->paused + r->burn.unwatched_for;
	f->stopped = r->burn.stopped_for;
	f->stood = r->burn.stood_for;
	f->clock_step = clock_real() - r->real - f->took;
	if (clock_is_virtual() ||
		(f->clock_step < CLOCK_SECOND && f->clock_step > -CLOCK_SECOND))
		f->clock_step = 0;
	if (!*r->cut.text && stop_rules_end(&r->rules))
		note_cut(r, &r->rules.why);
	f->rules = mem_calloc(STOP_RULES_WATCHED, sizeof(*f->rules));
	f->n_rules = stop_rules_list(&r->rules, r->sensors.known ? &r->sensors.now : NULL,
		sampler_fleet(r->act.session.sampler), f->rules);
	f->sensors = &r->sensors.now;
	burnin_host_judge(r);
	act_sample_last(&r->act);
	burnin_cards_judge(r, *r->cut.text ? &r->cut : NULL);
}

/* Count the cards' verdicts for metrics.  A load that never began says nothing of its card. */
static void count_verdicts(const struct burnin_run *r)
{
	const struct bus *bus = r->act.session.bus;
	struct counted_act acts[DEVICE_MAX];
	const struct burnin_target *t;
	struct error e;
	size_t n = 0;

	if (r->act.ops->kind == ACT_COMPUTE)
		return;
	for (size_t i = 0; n < DEVICE_MAX && (t = burnin_next_started(r, &i));) {
		const enum verdict v = t->result.verdict;

		if (*bus->dev[t->index].bdf && (v == VERDICT_FAIL ||
			atomic_load(&t->card->burn.shared->running)))
			acts[n++] = (struct counted_act){ bus->dev[t->index].bdf,
				TALLY_BURNINS + (v == VERDICT_PASS ? TALLY_BURNIN_PASS :
					v == VERDICT_FAIL ? TALLY_BURNIN_FAIL :
					TALLY_BURNIN_INCOMPLETE) };
	}
	if (counted_add(bus, acts, n, &e) < 0)
		say_error(&e);
}

/* The worst of all: FAIL before INCOMPLETE before PASS. */
enum exit_code burnin_judge(struct act *a)
{
	struct burnin_run *r = (struct burnin_run *)a;
	struct burnin_facts *f = &r->facts;

	if (burnin_has_load(r))
		judge_loads(r);
	/* A burn of nothing does not pass. */
	f->verdict = f->n_targets > 0 ? VERDICT_PASS : VERDICT_INCOMPLETE;
	for (size_t i = 0; i < f->n_targets; i++) {
		struct burnin_target *t = &f->targets[i];

		if (!t->ran && t->result.verdict <= VERDICT_PASS)
			burnin_leave_out(t, VERDICT_INCOMPLETE, CODE_NOT_COVERED,
				"nothing of it was judged");
		if (t->result.verdict > f->verdict)
			f->verdict = t->result.verdict;
		/* After the last reset, which may have done what was to do. */
		if (t->index >= 0 && !*t->next.text)
			act_take_step(a, t->index, t->result.code, &t->next);
	}
	count_verdicts(r);
	f->exit = exit_of_verdict(f->verdict);
	return EXIT_DONE;
}

void burnin_end(struct act *a)
{
	struct burnin_run *r = (struct burnin_run *)a;

	burn_close(&r->burn);
	burnin_cards_close(r);
	sensor_watch_close(&r->sensors);
	free(r->meter.workers);
	outlet_close(&r->out);
	stop_rules_clear(&r->rules);
	free(r->facts.targets);
	free(r->facts.rules);
}

/*
 * --burnin TARGETS, which is one of three acts with the same steps: a burn of the host alone, a
 * burn of cards with or without the host, and a test of the cards' memory.
 */

#define USUAL_TIME (60 * CLOCK_SECOND)

void burnin_begin(struct burnin_run *r)
{
	r->facts.o = r->act.o;
	r->facts.begun = clock_real();
}

static enum exit_code burn_prepare(struct act *a)
{
	struct burnin_run *r = (struct burnin_run *)a;
	const struct options *o = a->o;
	const char *kept = burnin_resume_path(o);

	burnin_begin(r);
	r->facts.duration = o->duration || o->iterations ? o->duration : USUAL_TIME;
	if (!burnin_choose_work(o, &r->work) || !recording_choose(&r->recording, o))
		return EXIT_USAGE;
	if (kept && o->report && file_is_same(kept, o->report)) {
		say("--report %s: the burn is continued from this file (--resume)", o->report);
		return EXIT_USAGE;
	}
	r->facts.computes = r->work.computes;
	burnin_choose_resets(r);
	return burnin_choose_impl(o);
}

/* Check that dump and report can be written: before cards are reset, not after an hour of load. */
static enum exit_code burn_prove(struct act *a)
{
	struct error e;

	if (!a->o->dump || dump_prove(a->o->dump_dir, &e) == 0)
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

/*
 * Write the report before printing the verdict; if it cannot be written, that is a failure.
 * is_draft: it is written once more.
 */
static void burn_write(struct burnin_run *r, bool is_draft)
{
	struct burnin_facts *f = &r->facts;
	struct error e;

	if (r->act.reports && write_report(&r->act.report, f, is_draft, &e) < 0) {
		burnin_screen_close(r->screen);
		r->screen = NULL;
		say_error(&e);
		f->exit = exit_unwritten(f->exit);
		is_draft = false;
	}
	r->act.reports = r->act.reports && is_draft;
	if (f->dump && access(f->dump, F_OK) == 0)
		write_beside_dump(f);
}

static enum exit_code burn_report(struct act *a)
{
	struct burnin_run *r = (struct burnin_run *)a;
	struct figures figures = { 0 };
	enum exit_code dumped;

	r->facts.dump = r->recording.dir[0] ? r->recording.dir : NULL;
	/* By the rows so far: the disk may still refuse them. */
	if (r->recording.dump && r->facts.exit == EXIT_DONE)
		r->facts.exit = recording_verdict(r->recording.failed,
			dump_counts(r->recording.dump));
	burn_write(r, r->recording.dump != NULL);
	burnin_screen_close(r->screen);
	r->screen = NULL;
	term_mute(STDERR_FILENO);
	print_end(r);
	if (r->recording.dump) {
		burnin_figures_take(&figures, &r->facts);
		r->recording.burn = &figures;
		dumped = recording_end(&r->recording, &a->stop);
		figures_clear(&figures);
		/* The reports have the exit code that only now is known. */
		r->facts.exit = r->facts.exit == EXIT_DONE ? dumped : r->facts.exit;
		burn_write(r, false);
	}
	return r->facts.exit;
}

static void burn_leave(struct act *a)
{
	struct burnin_run *r = (struct burnin_run *)a;

	burnin_leave_rest_out(&r->facts, CODE_NOT_COVERED, act_words[a->ops->kind].undone);
	r->facts.verdict = VERDICT_INCOMPLETE;
	r->facts.exit = a->code;
	burn_write(r, false);
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
	.end = burnin_end,
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
	.size = sizeof(struct burnin_run),
	.steps = &steps,
};

const struct act_ops act_burn_cards = {
	.kind = ACT_BURN_CARDS,
	.modes = 1ull << MODE_BURNIN,
	.commands = 1u << COMMAND_CARDS,
	.size = sizeof(struct burnin_run),
	.taking = &burnin_taking,
	.steps = &steps,
};

const struct act_ops act_test_memory = {
	.kind = ACT_TEST_MEMORY,
	.modes = 1ull << MODE_BURNIN,
	.commands = 1u << COMMAND_CARDS,
	.size = sizeof(struct burnin_run),
	.is_meant = is_of_memory_alone,
	.taking = &test_taking,
	.steps = &steps,
};
