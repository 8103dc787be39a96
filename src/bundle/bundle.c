/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/bundle/bundle.h"

#include "base/mem.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MISSING_MOST 1000

/* Note a path; false if it was noted before. */
static bool note_path(struct bundle *b, const char *path)
{
	for (size_t i = 0; i < b->n_paths; i++)
		if (strcmp(b->paths[i], path) == 0)
			return false;
	b->paths = mem_realloc(b->paths, (b->n_paths + 1) * sizeof(*b->paths));
	b->paths[b->n_paths++] = mem_dup_text(path);
	return true;
}

static void put_file(struct bundle *b, const char *path, const void *data, size_t len)
{
	struct strbuf name = { 0 };

	strbuf_printf(&name, BUNDLE_TOP "%s", path);
	b->error.code = tar_out_file(b->tar, name.text, data, len, &b->error);
	strbuf_clear(&name);
}

void bundle_put(struct bundle *b, const char *path, const void *data, size_t len)
{
	struct strbuf scrubbed = { 0 };

	if (b->error.code < 0 || !note_path(b, path))
		return;
	if (b->o->external && !memchr(data, '\0', len)) {
		scrub_put(&b->scrub, &scrubbed, data, len);
		put_file(b, path, scrubbed.text, scrubbed.len);
		strbuf_clear(&scrubbed);
	} else {
		put_file(b, path, data, len);
	}
}

void bundle_put_link(struct bundle *b, const char *path, const char *target)
{
	struct strbuf name = { 0 };

	if (b->error.code < 0 || !note_path(b, path))
		return;
	strbuf_printf(&name, BUNDLE_TOP "%s", path);
	b->error.code = tar_out_link(b->tar, name.text, target, &b->error);
	strbuf_clear(&name);
}

void bundle_miss(struct bundle *b, const char *what, enum code code, const char *fmt, ...)
{
	struct bundle_miss *m;
	char why[sizeof(m->why)];
	va_list ap;

	if (b->n_missing == MISSING_MOST)
		return;
	b->missing = mem_realloc(b->missing, (b->n_missing + 1) * sizeof(*b->missing));
	m = &b->missing[b->n_missing++];
	m->code = code;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	text_plain(m->what, sizeof(m->what), what);
	text_plain(m->why, sizeof(m->why), why);
}

enum code bundle_elsewhere(const struct bundle *b)
{
	return fleet_stand_in(sampler_fleet(b->session->sampler)) ? CODE_SIMULATED : CODE_RECORDED;
}
