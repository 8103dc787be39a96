/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/burnin/run.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "burnin/kernels/cpu.h"
#include "burnin/reference/sha256.h"
#include "device/lock.h"
#include "src/say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

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

static void name_settings(char out[static CHECKPOINT_TEXT], const struct options *o,
	const struct burn_config *c, int64_t duration)
{
	snprintf(out, CHECKPOINT_TEXT, "seed %llu;threads %d;workload %s;dtype %s;size %s;"
		"pattern %s;impl %s;duration %lld s;iterations %llu",
		(unsigned long long)c->seed, c->threads, given(o, OPT_WORKLOAD, "conv,matmul"),
		given(o, OPT_DTYPE, "all"), given(o, OPT_SIZE, "usual"),
		load_pattern_names[c->pattern], given(o, OPT_IMPL, "fastest"),
		(long long)(duration / CLOCK_SECOND), (unsigned long long)c->iterations);
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

/* Find out now whether the file can be written and locked. */
static int begin_file(struct burnin_resume *r, int workers, struct error *e)
{
	r->now.workers = workers;
	r->now.counters = mem_calloc((size_t)workers, sizeof(*r->now.counters));
	checkpoint_put(&r->text, &r->now);
	return put_file(r, false, e);
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

int burnin_resume_open(struct burnin_resume *r, const struct options *o,
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
	if (access(r->path, F_OK) < 0 && errno == ENOENT)
		err = begin_file(r, c->threads, e);
	else
		err = read_file(r, c->threads, e);
	if (err < 0) {
		checkpoint_clear(&r->now);
		lock_release(&r->lock);
	}
	return err;
}

const struct checkpoint *burnin_resume_from(const struct burnin_resume *r)
{
	return r->before.runs > 0 ? &r->before : NULL;
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

void burnin_resume_judge(struct burnin_resume *r, struct burn_result *x)
{
	char own[sizeof(x->reason)];

	if (!*r->before.fault) {
		mem_copy_text(r->now.fault, sizeof(r->now.fault), x->fault);
		return;
	}
	mem_copy_text(own, sizeof(own), x->reason);
	snprintf(x->reason, sizeof(x->reason), "an earlier process of this burn: %.90s%s%.190s",
		r->before.fault, *own ? "; " : "", own);
	x->code = x->code == CODE_WRONG_WORDS ? x->code : CODE_LOAD_ENDED;
	x->verdict = VERDICT_FAIL;
}

void burnin_resume_close(struct burnin_resume *r, const struct burn *b, int64_t elapsed, bool cut)
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
