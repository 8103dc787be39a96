/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_snapshot.c - -s and --compare.
 */
#include "config.h"

#include "base/clock.h"
#include "base/file.h"
#include "output/snapshot_json.h"
#include "output/text.h"
#include "src/listed.h"
#include "src/mode.h"
#include "src/say.h"
#include "src/stop.h"
#include "telemetry/load/load.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --compare: what changed that matters between two snapshots, or one and the machine as it is. */

static struct change_side side_of(const struct loaded *l)
{
	return (struct change_side){ .host = &l->host, .chips = l->chips, .n = l->n,
		.selection = l->selection };
}

/* `least` is the verdict on this machine; with EXIT_NO_DEVICE there is nothing to compare. */
static enum exit_code print_changes(const struct options *o, struct changes *p,
	enum exit_code least)
{
	struct change_report report;
	struct strbuf text = { 0 };

	change_find(p->sides[0], p->sides[1], &report);
	if (o->external)
		change_leave_out(&report);
	p->external = o->external;
	p->report = &report;
	if (least != EXIT_NO_DEVICE)
		least = exit_judged(report.differs, report.unknown);
	p->code = (int)least;
	(o->json ? changes_put_json : changes_put_text)(&text, p);
	change_clear(&report);
	return outlet_print(&text, least);
}

static enum exit_code compare_files(const struct options *o, const struct loaded *was)
{
	struct change_side a = side_of(was), b;
	struct loaded *is;
	struct error e;
	enum exit_code code;

	if (load_file(o->targets[1], &is, &e) < 0)
		return session_fail(&e);
	b = side_of(is);
	code = print_changes(o, &(struct changes){ .sides = { &a, &b },
		.names = { o->targets[0], o->targets[1] }, .times = { was->time, is->time } },
		EXIT_DONE);
	load_free(is);
	return code;
}

static enum exit_code compare_now(const struct options *o, const struct loaded *was)
{
	struct change_side a = side_of(was), b;
	const struct fleet *f;
	struct session s;
	char time[64];
	enum exit_code code = session_open(&s, o, true);

	if (code != EXIT_DONE)
		return code;
	f = sampler_fleet(s.sampler);
	b = (struct change_side){ .host = &s.host, .chips = f->chips, .n = f->n,
		.selection = f->selection, .wanted = f->wanted };
	session_complain(&s);
	code = print_changes(o, &(struct changes){ .sides = { &a, &b },
		.names = { o->targets[0], f->origin->stand_in ? f->origin->stand_in
			: bus_is_live(s.bus) ? "this machine" : s.bus->root },
		.times = { was->time, f->file_time ? f->file_time
			: clock_iso_local(f->real, time, sizeof(time)) } },
		session_verdict(&s));
	session_close(&s);
	return code;
}

enum exit_code mode_compare(const struct options *o)
{
	struct loaded *was;
	enum exit_code code;
	struct error e;

	if (load_file(o->targets[0], &was, &e) < 0)
		return session_fail(&e);
	code = (o->n_targets > 1 ? compare_files : compare_now)(o, was);
	load_free(was);
	return code;
}

/* Snapshots as files. */

#define LOG_FOLDER "./tt-smi-logs"

/* What to save, and how it went. */
struct saving {
	const struct strbuf *text;
	int64_t real;		/* clock_real() of the readings */
	bool replaced;		/* an existing file was replaced */
	bool streamed;		/* to something that is not a regular file */
};

static int save_text(struct saving *s, const char *path, bool replace, struct error *e)
{
	struct file_new file;
	sigset_t before;
	int r;

	stop_hold(&before);
	r = file_new_open(&file, path, replace, e);
	if (r == 0) {
		s->replaced = file.existed;
		s->streamed = file.streams;
		r = file_new_finish(&file, s->text->text, s->text->len, e);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

/* Save under a name that is free; if it is taken in the meantime, try the next one. */
static int save_default(struct saving *s, char *path, size_t size, struct error *e)
{
	char stamp[32], stem[128];
	int r = file_make_dirs(LOG_FOLDER, e);

	snprintf(stem, sizeof(stem), LOG_FOLDER "/tt-smi-snapshot_%s",
		clock_file_stamp(s->real, stamp, sizeof(stamp)));
	for (int tries = 0; r == 0 && tries < 100; tries++) {
		r = file_free_name(stem, ".log", path, size);
		if (r < 0)
			return fail(e, r, "%s: no free name: %s", stem, strerror(-r));
		r = save_text(s, path, false, e);
		if (r != -EEXIST)
			break;
		r = 0;
	}
	return r;
}

void snapshot_put(struct strbuf *to, const struct options *o, const struct fleet *f,
	const struct host *h)
{
	snapshot_json_put(to, f, h, &(struct snapshot_json_options){
		.version = version_served(o), .own_version = version_own, .external = o->external,
		.plain = o->plain, .local = o->local });
}

int snapshot_save(const struct strbuf *text, int64_t real, char *path, size_t size,
	struct error *e)
{
	struct saving s = { .text = text, .real = real };

	return save_default(&s, path, size, e);
}

int snapshot_save_as(const struct strbuf *text, const char *path, struct error *e)
{
	return save_text(&(struct saving){ .text = text }, path, true, e);
}

/* To the file that -f names, or to stdout, or under the default name. */
static int deliver_snapshot(struct saving *s, const struct options *o, struct error *e)
{
	bool dash = o->filename && strcmp(o->filename, "-") == 0;
	char path[4096];
	int r;

	if (dash || o->json || o->no_tty || (!o->typed[OPT_FILENAME] && !isatty(STDOUT_FILENO))) {
		r = file_write_all(STDOUT_FILENO, s->text->text, s->text->len);
		return r < 0 ? fail(e, r, "stdout: cannot write: %s", strerror(-r)) : 0;
	}
	if (o->filename && strlen(o->filename) >= sizeof(path)) {
		r = fail(e, -ENAMETOOLONG, "%.40s...: %s", o->filename, strerror(ENAMETOOLONG));
	} else if (o->filename) {
		snprintf(path, sizeof(path), "%s", o->filename);
		r = save_text(s, path, true, e);
	} else {
		r = save_default(s, path, sizeof(path), e);
	}
	if (r == 0 && !s->streamed)
		say_result("Snapshot saved to %s%s", path,
			s->replaced ? " (replacing the file that was there)" : "");
	return r;
}

enum exit_code mode_snapshot(const struct options *o)
{
	struct error e = { 0 };
	struct session session;
	enum exit_code code = session_open(&session, o, true);
	struct strbuf text = { 0 };
	struct saving s = { .text = &text };
	const struct fleet *f;

	if (code != EXIT_DONE)
		return code;
	f = sampler_fleet(session.sampler);
	s.real = f->real;
	snapshot_put(&text, o, f, &session.host);
	code = session_verdict(&session);
	/* Before the text: callers that merge stderr into stdout parse from the first brace on. */
	session_complain(&session);
	if (deliver_snapshot(&s, o, &e) < 0) {
		if (!stop_let_go(e.code))
			session_fail_file(&e);
		code = exit_unwritten(code);
	}
	strbuf_clear(&text);
	listed_remember(o, f);
	session_close(&session);
	return code;
}
