/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/fuzz/fuzz_check.h"
#include "base/clock.h"
#include "telemetry/decode.h"
#include "telemetry/sampler/sampler_local.h"

#include <stdlib.h>
#include <string.h>

static struct track t;
static struct snapshot s;

static void must(bool truth)
{
	if (!truth)
		abort();
}

static void ends(const char *text, size_t size)
{
	must(memchr(text, 0, size));
}

static void check_reading(enum field_id id)
{
	const struct reading *r = &s.r[id];
	char text[64];

	must(r->state <= READING_UNJUDGED && r->source < SOURCES);
	if (r->state == READING_OK && r->source != SOURCE_DERIVED)
		must(decode_plausible(id, r->value));
	memset(text, 'x', sizeof(text));
	field_text(id, r, text, sizeof(text));
	ends(text, sizeof(text));
	if (r->state == READING_IMPLAUSIBLE)
		must(strcmp(text, "?") == 0);
	must(field_load(id, s.r) >= -1);
}

static void check_snapshot(void)
{
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		check_reading(id);
	ends(s.board, sizeof(s.board));
	ends(s.series, sizeof(s.series));
	ends(s.reason, sizeof(s.reason));
	ends(s.note, sizeof(s.note));
	must(s.n_findings <= SNAPSHOT_FINDINGS);
	for (size_t i = 0; i < s.n_findings; i++) {
		ends(s.findings[i].id, sizeof(s.findings[i].id));
		ends(s.findings[i].text, sizeof(s.findings[i].text));
	}
	/* A good chip has something to show; a bad one a reason. */
	must(s.health == SNAPSHOT_OK || s.health == SNAPSHOT_WARN || *s.reason);
	must((s.health == SNAPSHOT_WARN) == (snapshot_is_live(&s) && s.n_findings > 0));
}

void fuzz_sample(struct fake_chip *f, const struct reader_policy *p)
{
	memset(&s, 0, sizeof(s));
	s.index = f->d.index;
	s.local = f->d.local;
	s.chip = f->d.chip;
	reader_sample(&f->d, p, &s.raw);
	must(!f->strayed && !f->used_unacquired);
	must(s.raw.n_tags <= RAW_TAGS && s.raw.n_legacy <= RAW_LEGACY);
	decode_snapshot(&s);
	check_snapshot();
	s.time = s.raw.time;
	track_update(&t, &s);
	check_snapshot();
}
