/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/metrics/expected.h"

#include "base/parse.h"
#include "base/state.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX (DEVICE_MAX * 128)

static void fail_to_keep(struct expected *x, const struct error *e)
{
	if (!x->has_failed)
		say_as(e->word, "the list of chips cannot be kept: %s", e->text);
	x->has_failed = true;
}

/* A list that is not known is not replaced, unless it is torn. */
static void read_kept(struct expected *x)
{
	char *text;
	size_t len;
	int r = state_read(x->path, TEXT_MAX, &text, &len, &x->unknown);

	if (r == -ENOENT) {
		x->unknown.code = 0;
	} else if (r < 0) {
		x->roster.is_unknown = true;
		*x->path = '\0';
	} else {
		if (memchr(text, '\0', len) || !roster_parse(text, &x->roster))
			fail(&x->unknown, -EBADMSG, "%s: torn or not ours", x->path);
		free(text);
	}
}

static bool take_option(struct expected *x, const char *value, bool *forget)
{
	uint64_t n;

	*forget = value && strcmp(value, "forget") == 0;
	if (!value || *forget)
		return true;
	if (!parse_u64(value, &n) || n < 1 || n > DEVICE_MAX) {
		say_as(CODE_BAD_VALUE, "--expected: '%.40s' is neither a number from 1 to %d nor "
			"the word forget", value, DEVICE_MAX);
		return false;
	}
	x->roster.asked = (size_t)n;
	return true;
}

bool expected_open(struct expected *x, const struct options *o, const struct session *s)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	char name[32];
	struct error e;
	bool forget;

	memset(x, 0, sizeof(*x));
	x->roster.has_trays = !s->host.virtual_machine || strcmp(f->source, "kmd") != 0;
	if (!take_option(x, o->expected, &forget))
		return false;
	if (o->devices || *f->selection || !s->bus || !bus_state_name(s->bus))
		return true;
	snprintf(name, sizeof(name), "roster-%.16s", bus_state_name(s->bus));
	if (state_path(name, x->path, sizeof(x->path), &e) < 0) {
		fail_to_keep(x, &e);
		*x->path = '\0';
	} else if (!forget) {
		read_kept(x);
	}
	return true;
}

void expected_complain(const struct expected *x)
{
	if (x->unknown.code)
		say_as(x->unknown.word, "%s: the list of chips %s%s", x->unknown.text,
			x->roster.is_unknown ? "is not kept" : "begins anew",
			roster_knows_expected(&x->roster) ? "" : ", and how many there should be "
			"is not known");
}

void expected_take(struct expected *x, const struct fleet *f)
{
	struct strbuf text = { 0 };
	struct error e;

	if (!roster_take(&x->roster, f) || !*x->path)
		return;
	roster_put(&x->roster, &text);
	if (state_write(x->path, text.text, text.len, &e) < 0)
		fail_to_keep(x, &e);
	strbuf_clear(&text);
}
