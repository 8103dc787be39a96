/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn.c - --burnin TARGETS: what is burnt, how, and what is told at the end.
 */
#include "config.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "burnin/host/burn_room.h"
#include "burnin/kernels/impl.h"
#include "burnin/kernels/team.h"
#include "output/dump_book.h"
#include "output/figure_json.h"
#include "src/burnin/figures.h"
#include "src/burnin/run.h"
#include "src/say.h"
#include "src/turn.h"
#include "ui/term_rescue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USUAL_TIME  (60 * CLOCK_SECOND)
#define LAST_WORDS  (2 * CLOCK_SECOND)	/* for a terminal to take them */
#define HURRIED_WORDS (200 * CLOCK_MS)	/* the same after SIGTERM or SIGHUP, also for a pipe */
#define TURN_MS     100

enum { MEMORY_LEAST = 2 << 20 };	/* bytes, of each thread */

/* Never more than is free, however it was asked for. */
static int take_memory(const struct burnin_work *w, int threads, uint64_t *bytes,
	struct error *e)
{
	uint64_t most;
	const char *by;
	int r = burn_room_free("", &most, &by, e);

	if (r < 0)
		return r;
	*bytes = w->share > 0 ? (uint64_t)((double)most * (double)w->share / 100000) : w->size;
	if (*bytes > most)
		return fail(e, -ENOMEM, "memory: %llu MiB were asked for, %llu MiB can be had (%s)",
			(unsigned long long)(*bytes >> 20), (unsigned long long)(most >> 20), by);
	if (*bytes / (uint64_t)threads < MEMORY_LEAST)
		return fail(e, -ENOMEM, "memory: %llu KiB for %d thread%s are too little (%s)",
			(unsigned long long)(*bytes >> 10), threads, threads == 1 ? "" : "s", by);
	return 0;
}

/* All that the load needs to know; the memory is what is free now. */
static int configure(const struct burnin_run *r, struct burn_config *c, struct error *e)
{
	const struct options *o = r->o;

	*c = (struct burn_config){ .iterations = o->iterations, .pulse = o->pattern == LOAD_PULSE,
		.threads = o->threads ? (int)o->threads : team_processors(),
		.processors = team_processors(),
		.seed = o->seed,
		.stop_on_error = o->stop_on_error,
		.fault = { .name = getenv("TT_SMI_BURNIN_FAULT") } };
	memcpy(c->kinds, r->work.kinds, sizeof(c->kinds));
	if (c->threads > TEAM_MAX)
		c->threads = TEAM_MAX;
	return r->work.memory ? take_memory(&r->work, c->threads, &c->memory, e) : 0;
}

static int write_report(struct file_new *file, const struct burnin_facts *f, struct error *e)
{
	struct figures figures = { 0 };
	struct strbuf text = { 0 };
	int r;

	burnin_figures_take(&figures, f);
	figures_print_json(&text, &figures);
	figures_clear(&figures);
	r = file_write_all(file->fd, text.text, text.len);
	if (r < 0) {
		fail(e, r, "%s: cannot write: %s", file->path, strerror(-r));
		file_new_discard(file);
	} else {
		r = file_new_keep(file, e);
	}
	strbuf_clear(&text);
	return r;
}

static enum exit_code exit_of(enum burn_verdict v)
{
	return v == BURN_FAIL ? EXIT_NEGATIVE : v == BURN_INCOMPLETE ? EXIT_FAILED : EXIT_DONE;
}

/* The worst of all: FAIL before INCOMPLETE before PASS. */
static void judge_all(struct burnin_facts *f)
{
	f->verdict = BURN_PASS;
	for (size_t i = 0; i < f->n_targets; i++)
		if (f->targets[i].result.verdict > f->verdict)
			f->verdict = f->targets[i].result.verdict;
	f->exit = exit_of(f->verdict);
}

void burnin_write_beside_dump(struct burnin_run *r)
{
	char path[sizeof(r->recording.dir) + 16];
	struct file_new file;
	struct error e;

	snprintf(path, sizeof(path), "%s/" DUMP_BURN, r->recording.dir);
	if (file_new_open(&file, path, true, &e) < 0) {
		say("%s", e.text);
		return;
	}
	/* The burn does not wait for the disk: the kernel syncs the file in its own time. */
	file.lazy = true;
	if (write_report(&file, r->facts, &e) < 0)
		say("%s", e.text);
}

/*
 * The last words.  A terminal that stands still has two seconds to take them; a
 * pipe has until a signal or q ends the program.  After SIGTERM or SIGHUP neither
 * is waited for.
 */
static void print_end(struct burnin_run *r, const struct burnin_facts *f)
{
	const int64_t until = clock_steady() + (r->stop.hurried ? HURRIED_WORDS :
		isatty(STDOUT_FILENO) ? LAST_WORDS : INT64_MAX / 2);

	burnin_report_print(&r->out.text, f);
	while (!outlet_push(&r->out) && !r->out.is_broken && clock_steady() < until) {
		struct pollfd fds[TURN_FDS];

		if (turn_wait(&r->stop, &r->out, fds, 0, TURN_MS))
			break;
	}
	if (!r->out.is_broken)
		r->out.text.len = r->out.sent = 0;
	outlet_close(&r->out);
}

/* Everything is judged and written before anybody is told. */
static void finish(struct burnin_run *r, struct burnin_facts *f, struct file_new *file)
{
	enum exit_code dumped = EXIT_DONE;
	struct figures figures = { 0 };
	struct error e;

	judge_all(f);
	f->dump = r->recording.dir[0] ? r->recording.dir : NULL;
	if (file && write_report(file, f, &e) < 0) {
		burnin_screen_close(r->screen);
		r->screen = NULL;
		say("%s", e.text);
		if (f->exit == EXIT_DONE)
			f->exit = EXIT_FAILED;
	}
	if (r->recording.dump)
		burnin_write_beside_dump(r);
	burnin_screen_close(r->screen);
	r->screen = NULL;
	term_mute(STDERR_FILENO);
	print_end(r, f);
	if (r->recording.dump) {
		burnin_figures_take(&figures, f);
		r->recording.burn = &figures;
		dumped = recording_end(&r->recording, &r->stop);
		figures_clear(&figures);
	}
	if (f->exit == EXIT_DONE)
		f->exit = dumped;
}

static void burn_all(struct burnin_run *r)
{
	bool host = r->host != NULL;
	struct burn_config c;
	struct error e;

	/* Asked to stop while cards were reset. */
	for (size_t i = 0; r->was_stopped && i < r->facts->n_targets; i++)
		if (!r->facts->targets[i].result.reason[0])
			burnin_leave_out(&r->facts->targets[i], BURN_INCOMPLETE,
				"stopped before its end");
	if (r->was_stopped)
		return;
	if (host && configure(r, &c, &e) < 0) {
		burnin_leave_out(r->host, BURN_INCOMPLETE, "%s", e.text);
		host = false;
	}
	burnin_run(r, host ? &c : NULL);
}

static enum exit_code run(struct burnin_run *r, struct burnin_facts *f)
{
	struct file_new file, *report = r->o->report ? &file : NULL;
	enum exit_code code;
	struct error e;

	if (r->work.cards)
		session_await_rest(&r->session);
	code = burnin_name_targets(r);
	if (code != EXIT_DONE)
		return code;
	/* From here on a signal waits until somebody asks: what has been begun is ended. */
	stop_open(&r->stop, false);
	/* A report that cannot be written is found out before the hour, not after it. */
	if (report && file_new_open(report, r->o->report, true, &e) < 0) {
		say("%s", e.text);
		return EXIT_FAILED;
	}
	/* A first light ends by itself. */
	if (r->o->first_light && !r->host)
		f->duration = 0;
	outlet_open(&r->out);
	burnin_cards_fit(r);
	code = burnin_take_cards(r);
	if (code == EXIT_DONE) {
		burn_all(r);
		finish(r, f, report);
		return f->exit;
	}
	outlet_close(&r->out);
	if (report)
		file_new_discard(report);
	return code;
}

enum exit_code burnin_burn(const struct burnin_job *j)
{
	const struct options *o = j->o;
	struct burnin_facts *f = mem_calloc(1, sizeof(*f));
	struct burnin_run *r = mem_calloc(1, sizeof(*r));
	enum exit_code code;

	*f = (struct burnin_facts){ .job = j, .begun = clock_real(),
		.duration = o->duration || o->iterations ? o->duration : USUAL_TIME };
	r->facts = f;
	r->o = o;
	if (!burnin_choose_work(j, &r->work) || !recording_choose(&r->recording, o))
		code = EXIT_USAGE;
	/* Only a dump and a card that is named need the first sample. */
	else if (o->dump || r->work.cards)
		code = session_open(&r->session, o, false);
	else
		code = session_start(&r->session, o);
	if (code == EXIT_DONE) {
		/* Memory is trained by a reset: that may hide what was wrong with it. */
		f->computes = r->work.computes;
		r->resets = !o->no_reset && (!r->work.memory || r->work.computes);
		code = run(r, f);
		burn_close(&r->burn);
		burnin_cards_close(r);
		hold_give_back(&r->hold);
		sensor_watch_close(&r->sensors);
		stop_close(&r->stop);
		burn_meter_clear(&r->meter);
		session_close(&r->session);
	}
	free(r);
	free(f);
	return code;
}
