/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_cover.c - check the load's counts against each other and against the request.
 *
 * A worker whose state was damaged may do less than it reports: fewer words of a block, fewer
 * blocks, fewer sets, fewer checksums.  Each count follows from others and from sizes that are
 * known here, so a count that falls short shows in the ledger.
 */
#include "config.h"
#include "burnin/host/burn_cover.h"

#include "burnin/host/burn_set.h"
#include "burnin/host/checkpoint.h"

#include <stdio.h>
#include <string.h>

/* The counts of one worker: in total, and in this process alone. */
struct tally {
	uint64_t all[BURN_COUNTS], own[BURN_COUNTS];
	bool contradicts, finished;
};

static void read_worker(const struct burn *b, int i, struct tally *t)
{
	const struct burn_worker *w = &b->shared->workers[i];
	const struct checkpoint *before = b->config.resumed;

	*t = (struct tally){ .finished = burn_flag_is_set(&w->finished) };
	for (int id = 0; id < BURN_COUNTS; id++) {
		const uint64_t was = before && id < BURN_COUNTS_KEPT ? before->counters[i][id] : 0;

		if (!burn_count_get(&w->count[id], &t->all[id]) || t->all[id] < was)
			t->contradicts = true;
		t->own[id] = t->contradicts ? 0 : t->all[id] - was;
	}
}

/* All operands of the kind were worked on, in each round. */
static bool did_kind(const struct tally *t, int kind)
{
	return t->all[BURN_DWELLS + kind] > 0
		&& t->own[BURN_DWELLS + kind] >= t->own[BURN_ROUNDS] * BURN_PATTERNS;
}

/* Words of all blocks; checksums of all operands after each dwell, and at the end. */
static void count_results(const struct burn *b, const struct tally *t, struct ledger *l)
{
	for (int k = 0; k < BURN_KINDS; k++) {
		const uint64_t blocks = t->own[BURN_BLOCKS + k];
		const struct impl *i = burn_impl(b, k);

		if (blocks == 0)
			continue;
		ledger_ask(l, LEDGER_WORDS, i ? blocks * burn_set_words(k, i) : 0);
		ledger_ask(l, LEDGER_SUMS, (t->own[BURN_DWELLS + k] + BURN_PATTERNS)
			* (uint64_t)burn_set_regions(k));
	}
	ledger_count(l, LEDGER_WORDS, t->own[BURN_WORDS]);
	ledger_count(l, LEDGER_SUMS, t->own[BURN_SUMS]);
}

/*
 * The bytes compared per pass of this process.  If it completed none, those of the share that an
 * earlier process compared, which may be smaller.
 */
static uint64_t memory_done(const struct tally *t, uint64_t share)
{
	const uint64_t passes = t->own[BURN_MEMORY_PASSES];
	uint64_t bytes = t->own[BURN_MEMORY_BYTES] + t->own[BURN_MEMORY_BYTES + 1];

	if (passes > 0)
		bytes /= passes;
	else if (t->all[BURN_MEMORY_PASSES] > 0)
		bytes = t->all[BURN_MEMORY_WHOLE];
	return bytes < share ? bytes : share;
}

/* Describe the first gap with its thread, which the ledger does not name. */
static void detail(const struct burn *b, int i, const struct tally *t, char *out, size_t size)
{
	if (out[0])
		return;
	for (int k = 0; k < BURN_KINDS && !out[0]; k++)
		if (b->config.kinds[k] && !did_kind(t, k))
			snprintf(out, size, "%s in %s did not run on thread %d",
				burn_op_name((enum burn_op)(k / BURN_DTYPES)),
				burn_dtype_name((enum burn_dtype)(k % BURN_DTYPES)), i);
	if (!out[0] && b->config.memory && t->all[BURN_MEMORY_PASSES] == 0)
		snprintf(out, size, "not all of the memory was compared once by thread %d", i);
	if (!out[0] && !t->finished)
		snprintf(out, size, "thread %d made no last check", i);
}

/* The number of mismatches kept; *broken: a record, or the count of records, is damaged. */
static uint64_t count_records(const struct burn *b, bool *broken)
{
	const uint32_t places = burn_error_places(b);
	uint64_t n = 0, claimed;

	*broken = !burn_count_get(&b->shared->n_errors, &claimed);
	for (uint32_t i = 0; i < places; i++) {
		struct burn_error x;
		const enum burn_seal seal = burn_record_read(&b->shared->records[i],
			b->config.threads, &x);

		n += seal == BURN_SEAL_GOOD;
		*broken = *broken || seal == BURN_SEAL_BROKEN;
	}
	return n;
}

/* Count all workers; describe the first gap in missing, the first contradiction in wrong. */
static void count_workers(const struct burn *b, int threads, struct ledger *l, char *missing,
	char *wrong, size_t size)
{
	for (int i = 0; i < threads; i++) {
		struct tally t;

		read_worker(b, i, &t);
		if (t.contradicts && !wrong[0])
			snprintf(wrong, size, "of thread %d", i);
		ledger_count(l, LEDGER_THREADS, t.finished);
		for (int k = 0; k < BURN_KINDS; k++)
			ledger_count(l, LEDGER_KINDS, did_kind(&t, k));
		if (b->config.memory)
			ledger_count(l, LEDGER_BYTES, memory_done(&t, b->config.memory
				/ (uint64_t)threads));
		count_results(b, &t, l);
		detail(b, i, &t, missing, size);
	}
}

static void judge_cover(const struct burn *b, const char *missing, const char *wrong,
	struct burn_result *r)
{
	const uint64_t swapped = burn_swapped(b);
	char gaps[200];

	if (wrong[0]) {
		r->code = CODE_COUNTS_WRONG;
		snprintf(r->reason, sizeof(r->reason), "what the load counted contradicts itself "
			"(%s)", wrong);
	} else if (!ledger_is_met(&r->ledger)) {
		ledger_put_gaps(&r->ledger, gaps, sizeof(gaps));
		r->code = CODE_NOT_COVERED;
		snprintf(r->reason, sizeof(r->reason), "%s%s%s", missing, missing[0] ? "; " : "",
			gaps);
	} else if (swapped > 0) {
		r->code = CODE_NO_MEMORY;
		snprintf(r->reason, sizeof(r->reason),
			"%llu KiB of the load's memory were swapped out",
			(unsigned long long)(swapped >> 10));
	}
	if (r->reason[0])
		r->verdict = BURN_INCOMPLETE;
}

void burn_cover(const struct burn *b, int threads, int64_t time, struct burn_result *r)
{
	char missing[80] = "", wrong[80] = "";
	bool broken;
	uint64_t records;

	r->ledger = b->ledger;
	ledger_count(&r->ledger, LEDGER_TIME, time > 0 ? (uint64_t)time : 0);
	ledger_count(&r->ledger, LEDGER_ROUNDS, r->rounds);
	ledger_choose_end(&r->ledger);
	count_workers(b, threads, &r->ledger, missing, wrong, sizeof(missing));
	records = count_records(b, &broken);
	if (!wrong[0] && (broken || (records == 0) != (r->errors == 0)))
		snprintf(wrong, sizeof(wrong), "of wrong words");
	r->errors = r->errors > records ? r->errors : records;
	if (r->verdict == BURN_PASS)
		judge_cover(b, missing, wrong, r);
}
