/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.c - the work of a burn, and the host as its target: its memory, its load, its checkpoint
 * and its verdict.
 */
#include "config.h"
#include "src/burnin/run.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"
#include "burnin/cores/card_data.h"
#include "burnin/host/burn_room.h"
#include "burnin/kernels/cpu.h"
#include "burnin/kernels/impl.h"
#include "burnin/kernels/team.h"
#include "burnin/memory/card_memory.h"
#include "burnin/reference/sha256.h"
#include "device/lock.h"
#include "src/say.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/*
 * The work, chosen from the options.  An option that all targets would ignore was meant for
 * something else, so it is refused.  Work that a target cannot do is refused before anything
 * happens: otherwise it would be missing from the verdict.
 */

enum {
	USUAL_SHARE = 50000,		/* of what is free, in 1/1000 percent */
	HOST_LEAST = 2 << 20		/* bytes of memory, of each thread */
};

enum { NOT_THERE = -1 };

/* A row that lacks a column is an error, whatever warnings are on. */
#pragma GCC diagnostic error "-Wmissing-field-initializers"

/*
 * The meaning of a word of --workload.  The code that makes, covers and judges the work is with the
 * kind that the word names: of the host in burnin/host/, of a card's cores in card_kinds[].
 */
static const struct workload {
	int op;			/* of the host: enum burn_op, or NOT_THERE */
	int kind;		/* of a card's cores: enum card_kind, or NOT_THERE */
	size_t flag;		/* the member of struct burnin_work that it sets */
} workloads[] = {
	/* In the order of enum work. */
	{ BURN_CONV2D, CARD_CONV, offsetof(struct burnin_work, computes) },
	{ BURN_MATMUL, CARD_MATMUL, offsetof(struct burnin_work, computes) },
	{ NOT_THERE, NOT_THERE, offsetof(struct burnin_work, memory) },
	{ NOT_THERE, NOT_THERE, offsetof(struct burnin_work, vector) },
};
_Static_assert(ARRAY_LEN(workloads) == WORKS, "each word of --workload has a row");

/* --workload and --dtype.  A card computes in bfloat16. */
static void choose_kinds(const struct options *o, struct burnin_work *w)
{
	for (int i = 0; i < WORKS; i++) {
		const struct workload *x = &workloads[i];

		if (!(o->workload & 1u << i))
			continue;
		*(bool *)((char *)w + x->flag) = true;
		for (int t = 0; x->op != NOT_THERE && t < BURN_DTYPES; t++)
			w->kinds[x->op * BURN_DTYPES + t] = o->dtypes & 1u << t;
		if (x->kind != NOT_THERE)
			w->card_kinds[x->kind] = o->dtypes & 1u << BURN_BFLOAT16;
	}
}

static bool has_host_work(const struct burnin_work *w)
{
	for (size_t k = 0; k < ARRAY_LEN(w->kinds); k++)
		if (w->kinds[k])
			return true;
	return w->memory;
}

static int threads_of(const struct options *o)
{
	const int threads = o->threads ? (int)o->threads : team_processors();

	return threads < TEAM_MAX ? threads : TEAM_MAX;
}

/* Check that each option goes with the requested work; if it does not, say why. */
static bool goes_with_work(const struct options *o, const struct burnin_work *w)
{
	const int threads = threads_of(o);
	char least[96];
	const struct {
		enum option_id id;
		bool goes;
		const char *why;
	} rules[] = {
		{ OPT_SIZE, w->memory, "goes with memory in --workload" },
		{ OPT_CHANNELS, w->memory, "goes with memory in --workload" },
		{ OPT_DTYPE, w->computes, "goes with conv or matmul in --workload" },
		{ OPT_BLOCK, w->computes, "goes with conv or matmul in --workload" },
		{ OPT_PHASES, w->computes, "goes with conv or matmul in --workload" },
		{ OPT_HELD, w->computes, "goes with conv or matmul in --workload" },
		{ OPT_FIRST_LIGHT, w->computes, "goes with conv or matmul in --workload" },
		{ OPT_PATTERN, w->computes || w->host, "goes with conv or matmul in --workload" },
		{ OPT_WORKLOAD, !w->vector || (w->cards && w->computes),
			"vector works beside conv or matmul of a card" },
		{ OPT_WORKLOAD, !w->host || has_host_work(w), "is work of cards alone" },
		{ OPT_RESUME, !w->cards, "continues a burn of the host, not one of cards" },
		{ OPT_SIZE, w->host || !w->computes, "is of a card whose memory alone is tested "
			"(--workload memory); beside products its cores read 512 KiB of each "
			"channel, and the operands" },
		{ OPT_SIZE, w->share > 0 || w->size >= CARD_MEMORY_LEAST,
			"is neither a size of at least 2M (4G) nor a share (50%, all)" },
		{ OPT_SIZE, !w->host || w->share > 0 || w->size / HOST_LEAST >= (uint64_t)threads,
			least },
	};

	snprintf(least, sizeof(least), "is less than the %dM that %d thread%s take%s of the host's "
		"memory, 2M each", 2 * threads, threads, text_plural((uint64_t)threads),
		threads == 1 ? "s" : "");
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		const char *typed = o->typed[rules[i].id];

		if (typed && !rules[i].goes) {
			say_as(CODE_CONFLICT, "%.*s: %s", (int)strcspn(typed, "="), typed,
				rules[i].why);
			return false;
		}
	}
	return true;
}

bool burnin_choose_work(const struct options *o, struct burnin_work *w)
{
	const bool narrow = o->dtypes & 1u << BURN_BFLOAT16, wide = o->dtypes & 1u << BURN_FLOAT32;

	*w = (struct burnin_work){ .host = o->commands & 1u << COMMAND_HOST,
		.cards = o->commands & 1u << COMMAND_CARDS, .channels = o->channels,
		.size = o->size.bytes,
		.share = o->typed[OPT_SIZE] ? o->size.share : USUAL_SHARE };
	choose_kinds(o, w);
	if (!goes_with_work(o, w))
		return false;
	/* Refuse here what a card cannot compute, instead of leaving it to the verdict. */
	if (!w->cards || !w->computes || !o->typed[OPT_DTYPE] || (narrow && (w->host || !wide)))
		return true;
	say_as(CODE_UNSUPPORTED, "--dtype: a card burns conv and matmul in bfloat16, not in "
		"float32");
	return false;
}

static bool can_run(const struct impl *i)
{
	bool usable = false;

	for (int k = 0; k < BURN_OPS * BURN_COMPUTED; k++)
		usable = usable || impl_usable(i, (enum burn_op)(k / BURN_COMPUTED),
			(enum burn_dtype)(k % BURN_COMPUTED));
	return usable;
}

/* Of several (v3) the fastest is chosen as usual. */
enum exit_code burnin_choose_impl(const struct options *o)
{
	const uint32_t set = o->impls;
	int n = 0;

	if (set && strchr(o->given[OPT_IMPL], ',')) {
		say_as(CODE_BAD_VALUE, "--impl: takes one name");
		return EXIT_USAGE;
	}
	for (int i = 0; impls[i]; i++)
		n += set & 1u << i && can_run(impls[i]);
	if (set && n == 0) {
		say_as(CODE_UNSUPPORTED, "--impl: %s: this processor cannot run it",
			o->given[OPT_IMPL]);
		return EXIT_FAILED;
	}
	if (set && (set & (set - 1)) == 0)
		impl_force(impls[__builtin_ctz(set)]);
	return EXIT_DONE;
}

/* The checkpoint of --resume. */

#define EVERY (5 * CLOCK_SECOND)
#define USUAL "burnin-checkpoint"	/* in the current folder */

enum { TEXT_MOST = 1 << 20, SHORT = 16 };

/* The host's name, kind of machine and processor features, and a hash of its machine id. */
static void name_host(char out[static CHECKPOINT_TEXT], char kernel[static CHECKPOINT_TEXT])
{
	struct utsname u = { 0 };
	char id[128], hash[SHA256_TEXT], features[160];
	ssize_t n = file_read_at(AT_FDCWD, "/etc/machine-id", id, sizeof(id));

	uname(&u);
	sha256_text(id, n > 0 ? (size_t)n : 0, hash);
	snprintf(out, CHECKPOINT_TEXT, "%s, %s, %s, machine %.*s", u.nodename, u.machine,
		cpu_feature_names(cpu_features(), features, sizeof(features)), SHORT, hash);
	snprintf(kernel, CHECKPOINT_TEXT, "%s", u.release);
}

static const char *given(const struct options *o, enum option_id id, const char *usual)
{
	return o->given[id] ? o->given[id] : usual;
}

/* The processors that the threads test, "0-7,32-39". */
static void name_processors(const struct burn_config *c, char *out, size_t size)
{
	const int n = burn_processors(c);
	size_t at = 0;

	out[0] = '\0';
	for (int i = 0, end; i < n && at < size; i = end) {
		const int first = team_processor(i);

		for (end = i + 1; end < n && team_processor(end) == first + end - i;)
			end++;
		at += (size_t)snprintf(out + at, size - at, "%s%d", i ? "," : "", first);
		if (end > i + 1 && at < size)
			at += (size_t)snprintf(out + at, size - at, "-%d", first + end - i - 1);
	}
}

static void name_settings(char out[static CHECKPOINT_TEXT], const struct options *o,
	const struct burn_config *c, int64_t duration)
{
	char processors[128];

	name_processors(c, processors, sizeof(processors));
	snprintf(out, CHECKPOINT_TEXT, "seed %llu;threads %d;workload %s;dtype %s;size %s;"
		"pattern %s;impl %s;duration %lld s;iterations %llu;CPU %s",
		(unsigned long long)c->seed, c->threads, given(o, OPT_WORKLOAD, "conv,matmul"),
		given(o, OPT_DTYPE, "all"), given(o, OPT_SIZE, "usual"),
		load_pattern_names[c->pattern], given(o, OPT_IMPL, "fastest"),
		(long long)(duration / CLOCK_SECOND), (unsigned long long)c->iterations,
		processors);
	for (char *p = out; *p; p++)
		if (*p == '\n')
			*p = ' ';
}

/* Write the file anew, locked before it has its name: a file of this name is always locked. */
static int put_file(struct burnin_resume *r, bool replace, struct error *e)
{
	struct file_new file;
	int err = file_new_open(&file, r->path, replace, e), lock = -1;

	if (err == 0) {
		lock = fcntl(file.fd, F_DUPFD_CLOEXEC, 3);
		if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) < 0)
			lock_release(&lock);
		err = file_new_finish(&file, r->text.text, r->text.len, e);
	}
	strbuf_clear(&r->text);
	if (err < 0 || lock < 0 || !lock_is_of(lock, r->path)) {
		/* If the file was written in place, its old lock still holds. */
		lock_release(&lock);
		return err;
	}
	lock_release(&r->lock);
	r->lock = lock;
	return 0;
}

/* Keep other burns from using the same file; warn if the file system has no locks. */
static int take_lock(struct burnin_resume *r, struct error *e)
{
	struct error why;
	pid_t holder;
	int err = lock_take(r->path, &r->lock, &holder, &why);

	if (err == -EBUSY && holder)
		return fail_as(e, CODE_HELD, err, "%s: another burn goes on with it (process %ld)",
			r->path, (long)holder);
	if (err == -EBUSY)
		return fail_as(e, CODE_HELD, err, "%s: another burn goes on with it", r->path);
	if (err < 0)
		say_as(why.word, "%s (another burn with this file would not be noticed)", why.text);
	return 0;
}

static int read_file(struct burnin_resume *r, int workers, struct error *e)
{
	struct error why = { .text = "" };
	size_t len;
	char *text;
	int err = take_lock(r, e);

	if (err < 0)
		return err;
	err = file_read_all(r->path, TEXT_MOST, &text, &len, e);
	if (err < 0)
		return err;
	err = checkpoint_parse(text, len, &r->before, &why);
	free(text);
	if (err == 0)
		err = checkpoint_match(&r->before, r->now.host, r->now.settings, workers, &why);
	if (err < 0) {
		checkpoint_clear(&r->before);
		return fail_because(e, err, &why, "%s: %s", r->path, why.text);
	}
	r->now.runs = r->before.runs + 1;
	mem_copy_text(r->now.fault, sizeof(r->now.fault), r->before.fault);
	mem_copy_text(r->now.gap, sizeof(r->now.gap), r->before.gap);
	for (int w = 0; w < r->before.workers; w++)
		r->errors += r->before.counters[w][BURN_ERRORS];
	return 0;
}

/* The user did not type this name: the folder must be ours or root's, and the file ours. */
static int trust_usual(struct error *e)
{
	struct stat st;

	if (stat(".", &st) < 0 || (st.st_uid != geteuid() && st.st_uid != 0))
		return fail_as(e, CODE_UNSAFE_PATH, -EPERM, USUAL ": this folder is another "
			"user's; --resume FILE names a file that you trust");
	if (lstat(USUAL, &st) == 0 && st.st_uid != geteuid())
		return fail_as(e, CODE_UNSAFE_PATH, -EPERM, USUAL ": is another user's; --resume "
			"FILE names a file that you trust");
	return 0;
}

const char *burnin_resume_path(const struct options *o)
{
	return !o->typed[OPT_RESUME] ? NULL : o->resume ? o->resume : USUAL;
}

void burnin_draw_seed(struct options *o)
{
	const char *path = burnin_resume_path(o);
	uint64_t seed = impl_mix((uint64_t)clock_real() ^ (uint64_t)getpid() << 32) >> 32;
	struct checkpoint c = { .runs = 0 };
	struct error e;
	size_t len;
	char *text;

	if (path && file_read_all(path, TEXT_MOST, &text, &len, &e) == 0) {
		if (checkpoint_parse(text, len, &c, &e) == 0)
			sscanf(c.settings, "seed %" SCNu64, &seed);
		checkpoint_clear(&c);
		free(text);
	}
	options_set_seed(o, seed);
}

/* Read the file, or create it.  -errno: it cannot be continued; *e says why. */
static int resume_open(struct burnin_resume *r, const struct options *o,
	const struct burn_config *c, int64_t duration, struct error *e)
{
	int err = 0;

	*r = (struct burnin_resume){ .lock = -1 };
	r->path = burnin_resume_path(o);
	if (!r->path)
		return 0;
	if (!o->resume)
		err = trust_usual(e);
	if (err < 0)
		return err;
	name_host(r->now.host, r->now.kernel);
	name_settings(r->now.settings, o, c, duration);
	r->now.runs = 1;
	if (access(r->path, F_OK) < 0 && errno == ENOENT) {
		/* Find out now whether the file can be written and locked. */
		r->now.workers = c->threads;
		r->now.counters = mem_calloc((size_t)c->threads, sizeof(*r->now.counters));
		checkpoint_put(&r->text, &r->now);
		err = put_file(r, false, e);
	} else {
		err = read_file(r, c->threads, e);
	}
	if (err < 0) {
		checkpoint_clear(&r->now);
		lock_release(&r->lock);
	}
	return err;
}

int64_t burnin_resume_elapsed(const struct burnin_resume *r)
{
	return r->before.elapsed;
}

static void *run_writer(void *arg)
{
	struct burnin_resume *r = arg;

	r->result = put_file(r, true, &r->trouble);
	atomic_store(&r->is_over, true);
	return NULL;
}

static void note_result(struct burnin_resume *r)
{
	if (r->result < 0 && !r->failing)
		say_as(r->trouble.word, "%s (the burn goes on)", r->trouble.text);
	r->failing = r->result < 0;
}

/* False: the writer is still at work, and we do not wait for it. */
static bool end_writer(struct burnin_resume *r, bool wait)
{
	if (!r->has_writer)
		return true;
	if (!wait && !atomic_load(&r->is_over))
		return false;
	pthread_join(r->writer, NULL);
	r->has_writer = false;
	note_result(r);
	return true;
}

/* Call this only while no writer is at work. */
static void write_it(struct burnin_resume *r, const struct burn *b, int64_t elapsed)
{
	r->now.elapsed = elapsed;
	r->written = clock_steady();
	if (!checkpoint_take(&r->now, b))
		return;
	checkpoint_put(&r->text, &r->now);
	atomic_store(&r->is_over, false);
	r->has_writer = thread_start(&r->writer, run_writer, r) == 0;
	if (r->has_writer)
		return;
	run_writer(r);
	note_result(r);
}

void burnin_resume_keep(struct burnin_resume *r, const struct burn *b, int64_t elapsed)
{
	const uint64_t errors = burn_errors(b);

	if (!r->path || !burn_is_running(b))
		return;
	if (errors == r->errors && r->written && clock_steady() - r->written < EVERY)
		return;
	if (!end_writer(r, false))
		return;
	write_it(r, b, elapsed);
	r->errors = errors;
}

/*
 * The load has ended and was judged: a fault of its own in an earlier process fails the burn, too,
 * and a gap leaves it INCOMPLETE.  Those of this one are kept for the next.
 */
static void resume_judge(struct burnin_resume *r, struct burn_result *x)
{
	const bool is_fault = *r->before.fault;
	const char *earlier = is_fault ? r->before.fault : r->before.gap;
	char own[sizeof(x->reason)];

	if (!is_fault)
		mem_copy_text(r->now.fault, sizeof(r->now.fault), x->fault);
	if (!*r->now.gap && x->code == CODE_LOAD_HUNG)
		mem_copy_text(r->now.gap, sizeof(r->now.gap), x->reason);
	if (!*earlier)
		return;
	mem_copy_text(own, sizeof(own), x->reason);
	snprintf(x->reason, sizeof(x->reason), "an earlier process of this burn: %s%s%.*s",
		earlier, *own ? "; " : "", VERDICT_REASON / 2 - 64, own);
	if (is_fault) {
		x->code = x->code == CODE_WRONG_WORDS ? x->code : CODE_LOAD_ENDED;
		x->verdict = VERDICT_FAIL;
	} else if (x->verdict == VERDICT_PASS) {
		x->code = CODE_NOT_COVERED;
		x->verdict = VERDICT_INCOMPLETE;
	}
}

/* The load has ended: write the file if it was cut short, else remove the file. */
static void resume_close(struct burnin_resume *r, const struct burn *b, int64_t elapsed, bool cut)
{
	if (!r->path)
		return;
	end_writer(r, true);
	if (cut)
		write_it(r, b, elapsed);
	else if (unlink(r->path) < 0 && errno != ENOENT)
		say_as(code_find(-errno), "%s: cannot remove: %s", r->path, strerror(errno));
	end_writer(r, true);
	lock_release(&r->lock);
	checkpoint_clear(&r->now);
	/* Keep time and runs of the earlier processes for the report, but not the counters. */
	free(r->before.counters);
	r->before.counters = NULL;
}

/* The host. */

#define PATIENCE (20 * CLOCK_SECOND)	/* the longest without a result of any worker */

/* Choose the bytes to test: never more than is free, however they were requested. */
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
	if (*bytes / (uint64_t)threads < HOST_LEAST)
		return fail(e, -ENOMEM, "memory: %llu KiB are less than the %d MiB of %d thread%s, "
			"2 MiB each (%s)", (unsigned long long)(*bytes >> 10), 2 * threads,
			threads, text_plural((uint64_t)threads), by);
	return 0;
}

/* For tests of everything but the load: a round that is much shorter, or does not end. */
static unsigned dwell_wished(void)
{
	const char *text = getenv("TT_SMI_BURNIN_DWELL");
	uint64_t blocks;

	return text && parse_u64(text, &blocks) && blocks <= 1000000 ? (unsigned)blocks : 0;
}

/* Configure the load; its memory depends on how much is free now. */
static int host_configure(const struct burnin_run *r, struct burn_config *c, struct error *e)
{
	const struct options *o = r->act.o;

	*c = (struct burn_config){ .iterations = o->iterations,
		.pattern = (enum load_pattern)o->pattern,
		.threads = threads_of(o),
		.processors = team_processors(),
		.seed = o->seed,
		.stop_on_error = o->stop_on_error,
		.unwatched = BURNIN_UNWATCHED,
		.duration = r->facts.duration,
		.dwell = dwell_wished(),
		.fault = { .name = getenv("TT_SMI_BURNIN_FAULT") } };
	memcpy(c->kinds, r->work.kinds, sizeof(c->kinds));
	return r->work.memory ? take_memory(&r->work, c->threads, &c->memory, e) : 0;
}

static int host_start(struct burnin_run *r, struct error *e)
{
	struct burnin_facts *f = &r->facts;
	struct burn_config c;
	int err = host_configure(r, &c, e);

	if (err == 0)
		err = resume_open(&r->resume, r->act.o, &c, f->duration, e);
	if (err < 0)
		return err;
	c.resumed = r->resume.before.runs > 0 ? &r->resume.before : NULL;
	f->before = r->loaded = burnin_resume_elapsed(&r->resume);
	f->runs_before = r->resume.before.runs;
	return burn_start(&r->burn, &c, e);
}

void burnin_host_start(struct burnin_run *r)
{
	struct error e;

	if (!r->host)
		return;
	r->burns = host_start(r, &e) == 0;
	if (!r->burns) {
		burnin_leave_out(r->host, VERDICT_INCOMPLETE, e.word, "%s", e.text);
		return;
	}
	r->meter.n = (size_t)r->burn.config.threads;
	r->meter.workers = mem_calloc(r->meter.n, sizeof(*r->meter.workers));
}

bool burnin_host_watch(struct burnin_run *r, bool *running)
{
	if (!r->burns || r->is_host_over)
		return false;
	if (burn_watch(&r->burn, PATIENCE)) {
		*running = *running && burn_is_running(&r->burn);
		return true;
	}
	r->host_cut = *r->burn.stood.text ? &r->burn.stood : NULL;
	r->is_host_over = true;
	return false;
}

void burnin_host_stop(struct burnin_run *r)
{
	/* While its operands are being made, there is nothing to verify yet. */
	if (r->burns && !burn_is_running(&r->burn))
		burn_end(&r->burn, 0);
	else if (r->burns)
		burn_stop(&r->burn);
}

void burnin_host_judge(struct burnin_run *r)
{
	struct burnin_facts *f = &r->facts;
	const struct error *cut = *r->cut.text ? &r->cut : r->host_cut;
	const int64_t most = f->took + f->before, loaded = r->loaded < most ? r->loaded : most;
	const struct ledger *l;

	if (!r->burns)
		return;
	l = &r->host->result.ledger;
	/* The load cannot have lasted longer than the burn, which another clock has measured. */
	burn_judge(&r->burn, loaded, cut, &r->host->result);
	resume_judge(&r->resume, &r->host->result);
	resume_close(&r->resume, &r->burn, loaded, cut || r->burn.child.status != 0 ||
		l->done[LEDGER_TIME] < l->asked[LEDGER_TIME] ||
		l->done[LEDGER_ROUNDS] < l->asked[LEDGER_ROUNDS]);
	f->burn = &r->burn;
	r->host->ran = true;
}
