/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/clock.h"
#include "base/file.h"
#include "output/snapshot_json.h"
#include "src/mode.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOG_FOLDER "./tt-smi-logs"

static void put(
	struct strbuf *text, const struct options *o, const struct fleet *f, const struct host *h)
{
	const struct snapshot_json_options how = { .version = PACKAGE_VERSION,
		.external = o->external,
		.local = o->local,
		.wanted = f->wanted,
		.n_wanted = f->n };

	snapshot_json_put(text, f, h, &how);
}

static int save(const struct strbuf *text, const char *path, bool replace, struct error *e)
{
	struct file_new file;
	int r = file_new_open(&file, path, replace, e);

	if (r < 0)
		return r;
	r = file_write_all(file.fd, text->text, text->len);
	if (r < 0) {
		file_new_discard(&file);
		return fail(e, r, "%s: cannot write: %s", path, strerror(-r));
	}
	return file_new_keep(&file, e);
}

/* Under a name nobody has; a name taken in the meantime is simply the next one's turn. */
static int save_default(
	const struct strbuf *text, int64_t real, char *path, size_t size, struct error *e)
{
	char stamp[32], stem[128];
	int r = file_make_dirs(LOG_FOLDER, e);

	snprintf(stem, sizeof(stem), LOG_FOLDER "/tt-smi-snapshot_%s",
		clock_file_stamp(real, stamp, sizeof(stamp)));
	for (int tries = 0; r == 0 && tries < 100; tries++) {
		r = file_free_name(stem, ".log", path, size);
		if (r < 0)
			return fail(e, r, "%s: no free name: %s", stem, strerror(-r));
		r = save(text, path, false, e);
		if (r != -EEXIST)
			break;
		r = 0;
	}
	return r;
}

int snapshot_save(const struct options *o, const struct fleet *f, const struct host *h, char *path,
	size_t size, struct error *e)
{
	struct strbuf text = { 0 };
	int r;

	put(&text, o, f, h);
	r = save_default(&text, f->real, path, size, e);
	strbuf_clear(&text);
	return r;
}

/* To the file that -f names, or to stdout, or under the default name. */
static int deliver(
	const struct options *o, const struct strbuf *text, int64_t real, struct error *e)
{
	bool dash = o->filename && strcmp(o->filename, "-") == 0;
	char path[4096];
	bool replaced = false;
	int r;

	if (dash || o->json || o->no_tty || (!o->has_filename && !isatty(STDOUT_FILENO))) {
		r = file_write_all(STDOUT_FILENO, text->text, text->len);
		return r < 0 ? fail(e, r, "stdout: cannot write: %s", strerror(-r)) : 0;
	}
	if (o->filename) {
		replaced = access(o->filename, F_OK) == 0;
		snprintf(path, sizeof(path), "%s", o->filename);
		r = save(text, path, true, e);
	} else {
		r = save_default(text, real, path, sizeof(path), e);
	}
	if (r == 0)
		printf("Snapshot saved to %s%s\n", path,
			replaced ? " (replacing the file that was there)" : "");
	return r;
}

enum exit_code mode_snapshot(const struct options *o)
{
	struct strbuf text = { 0 };
	struct error e = { 0 };
	struct session s;
	enum exit_code code = session_open(&s, o, true);

	if (code != EXIT_DONE)
		return code;
	put(&text, o, sampler_fleet(s.sampler), &s.host);
	code = session_verdict(&s);
	if (deliver(o, &text, sampler_fleet(s.sampler)->real, &e) < 0) {
		session_fail(&e);
		code = EXIT_FAILED;
	} else if (code != EXIT_DONE) {
		session_complain(&s);
	}
	strbuf_clear(&text);
	session_close(&s);
	return code;
}
