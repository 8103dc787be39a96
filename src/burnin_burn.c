/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burnin_burn.c - --burnin host: starts the load, follows it, judges it.
 *
 * All times are those of a clock that cannot be set: a stepped system clock
 * neither ends nor prolongs a burn.
 */
#include "config.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/parse.h"
#include "burnin/burn_room.h"
#include "burnin/impl.h"
#include "burnin/team.h"
#include "src/burnin_report.h"
#include "src/say.h"
#include "src/stop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_TIME  (60 * CLOCK_SECOND)
#define TICK        (100 * CLOCK_MS)
#define PATIENCE    (20 * CLOCK_SECOND)	/* without a single result of any worker */
#define END_TIME    (30 * CLOCK_SECOND)	/* for the last check of everything */
#define CLOCK_STEP  CLOCK_SECOND	/* what is told */

enum {
	USUAL_SEED = 42,
	USUAL_SHARE = 50000,		/* of what is free, in 1/1000 percent */
	MEMORY_LEAST = 2 << 20		/* bytes, of each thread */
};

/* "conv,matmul,memory" and --dtype to kinds of work, and whether memory is tested. */
static bool choose_kinds(const struct burnin_job *j, bool kinds[BURN_KINDS], bool *memory)
{
	const char *list = j->o->workload ? j->o->workload : "conv,matmul";
	bool ops[BURN_OPS] = { false };

	*memory = false;
	while (*list) {
		const size_t len = strcspn(list, ",");

		if (len == 4 && strncmp(list, "conv", len) == 0)
			ops[BURN_CONV2D] = true;
		else if (len == 6 && strncmp(list, "matmul", len) == 0)
			ops[BURN_MATMUL] = true;
		else if (len == 6 && strncmp(list, "memory", len) == 0)
			*memory = true;
		else {
			say("--workload: %.*s is none of conv, matmul, memory", (int)len, list);
			return false;
		}
		list += len + (list[len] == ',');
	}
	if (j->o->size && !*memory) {
		say("--size: goes with memory in --workload");
		return false;
	}
	for (int k = 0; k < BURN_KINDS; k++)
		kinds[k] = ops[k / BURN_DTYPES] && j->which.dtypes[k % BURN_DTYPES];
	return true;
}

/* "4G", "50%" of what is free, half of it by default; *share: percent, or 0. */
static bool choose_size(const char *text, uint64_t *bytes, int64_t *share)
{
	const size_t len = text ? strlen(text) : 0;
	char number[24];

	*bytes = 0;
	*share = 0;
	if (len > 1 && len < sizeof(number) && text[len - 1] == '%') {
		snprintf(number, sizeof(number), "%.*s", (int)len - 1, text);
		if (parse_decimal(number, 1000, share) && *share > 0 && *share <= 100000)
			return true;
	} else if (!text) {
		*share = USUAL_SHARE;
		return true;
	} else if (parse_size(text, bytes) && *bytes >= MEMORY_LEAST) {
		return true;
	}
	say("--size: '%.40s' is neither a size of at least 2M (4G) nor a share (50%%)", text);
	return false;
}

/* Never more than is free, however it was asked for. */
static int take_memory(const struct burnin_job *j, int threads, uint64_t *bytes, struct error *e)
{
	uint64_t most;
	const char *by;
	int64_t share;
	int r = burn_room_free("", &most, &by, e);

	if (r < 0)
		return r;
	choose_size(j->o->size, bytes, &share);
	if (share > 0)
		*bytes = (uint64_t)((double)most * (double)share / 100000);
	if (*bytes > most)
		return fail(e, -ENOMEM, "memory: %llu MiB were asked for, %llu MiB can be had (%s)",
			(unsigned long long)(*bytes >> 20), (unsigned long long)(most >> 20), by);
	if (*bytes / (uint64_t)threads < MEMORY_LEAST)
		return fail(e, -ENOMEM, "memory: %llu KiB for %d thread%s are too little (%s)",
			(unsigned long long)(*bytes >> 10), threads, threads == 1 ? "" : "s", by);
	return 0;
}

/* One line a second; on a terminal too. */
static void print_progress(const struct burn *b, int64_t since)
{
	struct burn_result r;

	burn_judge(b, "", &r);
	if (!atomic_load(&b->shared->running))
		printf("%6.0f s  operands are being made\n", (double)since / 1e9);
	else if (b->config.memory)
		printf("%6.0f s  %8.1f GFLOP/s  %7.2f GB/s of memory  round %llu  %llu wrong\n",
			(double)since / 1e9, r.total, r.memory_rate[0],
			(unsigned long long)r.rounds + 1, (unsigned long long)r.errors);
	else
		printf("%6.0f s  %8.1f GFLOP/s  %5.1f %% of the peak  round %llu  %llu wrong\n",
			(double)since / 1e9, r.total, r.peak > 0 ? 100 * r.total / r.peak : 0,
			(unsigned long long)r.rounds + 1, (unsigned long long)r.errors);
	fflush(stdout);
}

/* Until time, rounds, a person, an error or the load itself ends it; why it was cut, or NULL. */
static const char *follow(struct burn *b, int64_t duration)
{
	int64_t from = clock_steady();
	const char *cut = NULL;
	int64_t next = CLOCK_SECOND;
	bool loaded = false;
	struct stop stop;

	stop_open(&stop, true);
	for (;;) {
		struct pollfd fds[STOP_FDS];
		int64_t since;

		stop_poll(&stop, fds);
		poll(fds, STOP_FDS, TICK / CLOCK_MS);
		/* The time is that of the load: making its operands is none. */
		if (!loaded && (loaded = atomic_load(&b->shared->running))) {
			from = clock_steady();
			next = CLOCK_SECOND;
		}
		since = clock_steady() - from;
		if (!burn_watch(b, PATIENCE)) {
			if (clock_steady() - b->changed >= PATIENCE)
				cut = "the load stood still for 20 s and was ended";
			break;
		}
		if (stop_check(&stop)) {
			cut = "stopped before its end";
			break;
		}
		if (loaded && duration > 0 && since >= duration)
			break;
		if (since >= next) {
			print_progress(b, since);
			next = since / CLOCK_SECOND * CLOCK_SECOND + CLOCK_SECOND;
		}
	}
	burn_end(b, END_TIME);
	stop_close(&stop);
	return cut;
}

/* Without figures (ran) if the load could not be started. */
static void burn_host(struct burnin_facts *f, struct burnin_target *t, struct burn *b)
{
	const struct options *o = f->job->o;
	const char *fault = getenv("TT_SMI_BURNIN_FAULT");
	struct burn_config c = { .iterations = o->iterations, .pulse = o->pattern == LOAD_PULSE,
		.threads = o->threads ? (int)o->threads : team_processors(),
		.seed = o->typed[OPT_SEED] ? o->seed : USUAL_SEED,
		.stop_on_error = o->stop_on_error, .fault = { .name = fault } };
	const int64_t real = clock_real(), from = clock_steady();
	bool memory;
	struct error e;

	choose_kinds(f->job, c.kinds, &memory);
	if (c.threads > TEAM_MAX)
		c.threads = TEAM_MAX;
	if ((memory && take_memory(f->job, c.threads, &c.memory, &e) < 0)
		|| burn_start(b, &c, &e) < 0) {
		t->result.verdict = BURN_INCOMPLETE;
		snprintf(t->result.reason, sizeof(t->result.reason), "%s", e.text);
		return;
	}
	printf("Burning the host: %d thread%s, seed %llu, every result verified\n", c.threads,
		c.threads == 1 ? "" : "s", (unsigned long long)c.seed);
	fflush(stdout);
	burn_judge(b, follow(b, f->duration), &t->result);
	f->burn = b;
	f->took = clock_steady() - from;
	f->clock_step = clock_real() - real - f->took;
	if (llabs(f->clock_step) < CLOCK_STEP)
		f->clock_step = 0;
	t->ran = true;
}

/* "host", "all" or cards; each once. */
static void name_targets(struct burnin_facts *f, const struct options *o)
{
	for (size_t i = 0; i < o->n_targets && f->n_targets < ARRAY_LEN(f->targets) - 1; i++) {
		const char *name = o->targets[i];
		bool there = false;

		if (strcmp(name, "all") == 0) {
			name = "cards";
			f->targets[f->n_targets++].name = "host";
		}
		for (size_t k = 0; k < f->n_targets; k++)
			there = there || strcmp(f->targets[k].name, name) == 0;
		if (!there)
			f->targets[f->n_targets++].name = name;
	}
}

static int write_report(struct file_new *file, const struct burnin_facts *f, struct error *e)
{
	struct strbuf text = { 0 };
	int r;

	burnin_report_put(&text, f);
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

static void run_targets(struct burnin_facts *f, struct burn *b)
{
	for (size_t i = 0; i < f->n_targets; i++) {
		struct burnin_target *t = &f->targets[i];

		if (strcmp(t->name, "host") == 0) {
			burn_host(f, t, b);
		} else {
			t->result.verdict = BURN_INCOMPLETE;
			snprintf(t->result.reason, sizeof(t->result.reason),
				"burn-in of cards is not built yet");
		}
		if (t->result.verdict > f->verdict)
			f->verdict = t->result.verdict;
	}
	f->exit = exit_of(f->verdict);
}

enum exit_code burnin_burn(const struct burnin_job *j)
{
	const struct options *o = j->o;
	struct burnin_facts f = { .job = j, .begun = clock_real(),
		.duration = o->duration || o->iterations ? o->duration : USUAL_TIME };
	struct burn b = { 0 };
	struct file_new file;
	bool kinds[BURN_KINDS], memory;
	uint64_t size;
	int64_t share;
	struct error e;

	if (!choose_kinds(j, kinds, &memory) || !choose_size(o->size, &size, &share))
		return EXIT_USAGE;
	/* A report that cannot be written is found out before the hour, not after it. */
	if (o->report && file_new_open(&file, o->report, true, &e) < 0) {
		say("%s", e.text);
		return EXIT_FAILED;
	}
	name_targets(&f, o);
	run_targets(&f, &b);
	burnin_report_print(&f);
	if (o->report && write_report(&file, &f, &e) < 0) {
		say("%s", e.text);
		if (f.exit == EXIT_DONE)
			f.exit = EXIT_FAILED;
	}
	burn_close(&b);
	return f.exit;
}
