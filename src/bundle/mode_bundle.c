/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_bundle.c - --bundle: all that a bug report needs, in one archive whose parts --replay and
 * --root can open.
 *
 * It is made in memory and written at the end, so that a program that is killed leaves no half
 * file.  Snapshot, health and recording are of the same sample.  The recording is written to a
 * memfd by its /dev/fd name.  If a card hangs, its parts are left out and listed as missing.
 */
#include "config.h"
#include "base/clock.h"

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "device/record/record.h"
#include "src/bundle/bundle.h"
#include "src/health/judge.h"
#include "src/mode.h"
#include "src/say.h"
#include "src/stop.h"
#include "telemetry/external.h"

#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEADLINE      (5 * CLOCK_SECOND)	/* of the sample, and of the tree */
#define IPMI_DEADLINE (60 * CLOCK_SECOND)	/* a galaxy's controller lists slowly */
#define SAID_MOST     8				/* lines on stderr; the bundle has all */

/* The time limit of each part that may keep us waiting. */
static int64_t deadline(const struct options *o, int64_t usual)
{
	return o->run_deadline ? o->run_deadline : usual;
}

static void put_snapshot(struct bundle *b)
{
	struct strbuf text = { 0 };

	snapshot_put(&text, b->o, sampler_fleet(b->session->sampler), &b->session->host);
	bundle_put_text(b, "snapshot.json", &text);
}

/* Returns the verdict as the exit code. */
static enum exit_code put_health(struct bundle *b, const struct floors *floors, int64_t began)
{
	struct strbuf text = { 0 };
	struct health_report report;
	struct health_print p;

	if (!health_judge(b->session, b->o, UINT32_MAX, floors, began, &report, &p))
		return EXIT_USAGE;
	health_put_json(&text, &p);
	bundle_put_text(b, "health.json", &text);
	health_put_text(&text, &p);
	bundle_put_text(b, "health.txt", &text);
	health_clear(&report);
	return p.code;
}

static void put_recording(struct bundle *b, int fd)
{
	const int cut = record_trouble(b->session->bus);
	struct stat st;
	char *text;

	if (cut < 0)
		bundle_miss(b, "cards.rec", code_find(cut), "ends early: %s", strerror(-cut));
	if (fstat(fd, &st) < 0 || st.st_size <= 0)
		return;
	text = mem_calloc(1, (size_t)st.st_size);
	if (file_read_exact(fd, text, (size_t)st.st_size, 0) == 0)
		bundle_put(b, "cards.rec", text, (size_t)st.st_size);
	free(text);
}

/* Note the cards that the sample did not read: the recording does not have them, either. */
static void miss_cards(struct bundle *b)
{
	const struct fleet *f = sampler_fleet(b->session->sampler);

	for (size_t k = 0; k < f->n; k++) {
		const struct snapshot *s = &f->chips[k];
		char name[48];

		if (!f->wanted[k] || snapshot_is_live(s))
			continue;
		snprintf(name, sizeof(name), "%d %s", s->index, *s->bdf ? s->bdf : s->series);
		if (s->health == SNAPSHOT_PENDING)
			bundle_miss(b, name, CODE_TIMEOUT, "was not reached in time");
		else
			bundle_miss(b, name, snapshot_code(s), "%s", s->reason);
	}
}

static void put_versions(struct json_out *j, const struct bundle *b)
{
	const struct host *h = &b->session->host;

	json_begin(j, "versions", '{');
	json_text(j, "tt_smi", version_whole);
	json_text(j, "interface", version_served(b->o));
	json_text(j, "driver", sampler_fleet(b->session->sampler)->driver);
	json_text(j, "os", h->os);
	json_text(j, "distro", h->distro);
	json_text(j, "kernel", h->kernel);
	json_text(j, "platform", h->platform);
	json_text(j, "libc", gnu_get_libc_version());
	json_bool(j, "container", h->container);
	json_bool(j, "virtual_machine", h->virtual_machine);
	json_end(j, '}');
}

/* What --external left out: whole files that no list names, and lines of others. */
static void put_left_out(struct json_out *j, const struct bundle *b)
{
	json_begin(j, "left_out", '{');
	json_int(j, "files", (int64_t)b->unlisted);
	json_begin(j, "lines", '[');
	for (size_t i = 0; i < b->n_paths; i++) {
		if (b->paths[i].lines == 0)
			continue;
		json_begin(j, NULL, '{');
		json_text(j, "what", b->paths[i].path);
		json_int(j, "lines", (int64_t)b->paths[i].lines);
		json_end(j, '}');
	}
	json_end(j, ']');
	json_end(j, '}');
}

/* What the bundle is, what is missing, and how to open it. */
static void put_manifest(struct bundle *b, enum exit_code code)
{
	const struct fleet *f = sampler_fleet(b->session->sampler);
	struct strbuf text = { 0 };
	struct json_out j;
	char when[48];

	json_out_init(&j, &text, false);
	json_begin(&j, NULL, '{');
	json_int(&j, "schema_version", 1);
	json_text(&j, "time", clock_iso_utc(f->real, when, sizeof(when)));
	json_text(&j, "source", f->origin->name);
	json_bool(&j, "external", b->o->external);
	json_int(&j, "exit_code", code);
	put_versions(&j, b);
	json_begin(&j, "files", '[');
	for (size_t i = 0; i < b->n_paths; i++)
		if (b->paths[i].is_in)
			json_text(&j, NULL, b->paths[i].path);
	json_end(&j, ']');
	put_left_out(&j, b);
	json_begin(&j, "missing", '[');
	for (size_t i = 0; i < b->n_missing; i++) {
		json_begin(&j, NULL, '{');
		json_text(&j, "what", b->missing[i].what);
		json_text(&j, "why", b->missing[i].why);
		json_code(&j, b->missing[i].code);
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_text(&j, "open", "tt-smi --replay cards.rec; tt-smi --root tree; "
		"tt-smi --load snapshot.json");
	json_end(&j, '}');
	bundle_put_text(b, "bundle.json", &text);
}

static enum exit_code fill_bundle(struct bundle *b, const struct floors *floors, int recording,
	int64_t began)
{
	enum exit_code code;

	if (b->o->external)
		external_take(sampler_fleet(b->session->sampler));
	code = put_health(b, floors, began);
	if (code == EXIT_USAGE)
		return code;
	miss_cards(b);
	put_snapshot(b);
	put_recording(b, recording);
	bundle_put_tree(b, deadline(b->o, DEADLINE));
	bundle_put_log(b);
	bundle_put_ipmi(b, clock_steady() + deadline(b->o, IPMI_DEADLINE));
	put_manifest(b, code);
	return code;
}

static int save_bundle(const struct bundle *b, struct error *e)
{
	const char *path = b->o->bundle;
	struct file_new file;
	sigset_t before;
	int r;

	stop_hold(&before);
	r = file_new_open(&file, path, false, e);
	if (r == 0 && fchmod(file.fd, 0600) < 0) {
		r = fail_errno(e, "%s: cannot be kept from others", path);
		file_new_discard(&file);
	} else if (r == 0) {
		r = file_new_finish(&file, b->text.text, b->text.len, e);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

/* Check that the bundle can be written, before anything is read. */
static bool can_save(const struct options *o)
{
	struct file_new file;
	struct error e = { 0 };

	if (file_new_open(&file, o->bundle, false, &e) < 0) {
		session_fail_file(&e);
		return false;
	}
	file_new_discard(&file);
	return true;
}

static void say_missing(const struct bundle *b)
{
	size_t lines = 0;

	for (size_t i = 0; i < b->n_missing && i < SAID_MOST; i++)
		say_as(b->missing[i].code, "not in the bundle: %s: %s", b->missing[i].what,
			b->missing[i].why);
	if (b->n_missing > SAID_MOST)
		say("and %zu more: bundle.json in it has them all", b->n_missing - SAID_MOST);
	for (size_t i = 0; i < b->n_paths; i++)
		lines += b->paths[i].lines;
	if (b->o->external)
		say("left out by --external: %zu line%s and %zu file%s", lines,
			text_plural(lines), b->unlisted, text_plural(b->unlisted));
}

static enum exit_code end(struct bundle *b, enum exit_code code)
{
	struct error e = b->error;

	if (code == EXIT_USAGE)
		return code;
	if (e.code == 0)
		e.code = tar_out_close(b->tar, &e);
	else
		tar_out_close(b->tar, NULL);
	b->tar = NULL;
	if (e.code < 0 || save_bundle(b, &e) < 0) {
		session_fail_file(&e);
		return exit_unwritten(code);
	}
	say_missing(b);
	say_result("Bundle saved to %s (%zu kB)", b->o->bundle, (b->text.len + 999) / 1000);
	if (!b->o->external)
		say("it has serial numbers, and names of host, users and programs: --external "
			"leaves them out");
	return code;
}

static void bundle_clear(struct bundle *b)
{
	tar_out_close(b->tar, NULL);
	strbuf_clear(&b->text);
	for (size_t i = 0; i < b->n_paths; i++)
		free(b->paths[i].path);
	free(b->paths);
	free(b->missing);
	free(b);
}

static enum exit_code make_bundle(const struct options *o, const struct floors *floors,
	struct session *s, int recording, int64_t began)
{
	struct bundle *b = mem_calloc(1, sizeof(*b));
	enum exit_code code;

	b->o = o;
	b->session = s;
	if (tar_out_open(&b->tar, &b->text, clock_real() / CLOCK_SECOND, &b->error) < 0)
		code = session_fail(&b->error);
	else
		code = end(b, fill_bundle(b, floors, recording, began));
	session_complain_none(s);
	bundle_clear(b);
	return code;
}

enum exit_code mode_bundle(const struct options *o)
{
	const int64_t began = clock_steady();
	const int recording = memfd_create("tt-smi-recording", MFD_CLOEXEC);
	struct options own = *o;
	struct floors floors;
	struct pins pins;
	struct session s;
	enum exit_code code;
	char name[32];

	if (recording < 0) {
		say_as(code_find(-errno), "no memory for a recording: %s", strerror(errno));
		return EXIT_FAILED;
	}
	snprintf(name, sizeof(name), "/dev/fd/%d", recording);
	own.record = name;
	code = can_save(o) ? health_read_floors(o, &floors, &pins) : EXIT_FAILED;
	if (code == EXIT_DONE)
		code = session_open_until(&s, &own, began + deadline(o, DEADLINE));
	if (code == EXIT_DONE) {
		code = make_bundle(o, &floors, &s, recording, began);
		session_close(&s);
	}
	close(recording);
	return code;
}
