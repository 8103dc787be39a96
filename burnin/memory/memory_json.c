/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/memory/memory_json.h"

void memory_json_lanes(struct json_out *j, const uint64_t lane[MEMORY_LANES])
{
	json_begin(j, "lanes", '[');
	for (unsigned i = 0; i < MEMORY_LANES; i++)
		json_int(j, NULL, (int64_t)lane[i]);
	json_end(j, ']');
}

void memory_json_late(struct json_out *j, enum memory_kind kind, const unsigned late[2])
{
	json_begin(j, "late_bytes", '[');
	for (unsigned i = 0; kind == MEMORY_SHIFTED && i < 2; i++)
		json_int(j, NULL, late[i]);
	json_end(j, ']');
}

void memory_json_errors(struct json_out *j, const char *key, const struct memory_errors *m)
{
	if (!m->known) {
		json_null(j, key);
		return;
	}
	json_begin(j, key, '{');
	json_int(j, "corr_rd", m->corrected[0]);
	json_int(j, "corr_wr", m->corrected[1]);
	json_bool(j, "uncorr_rd", m->uncorrected[0]);
	json_bool(j, "uncorr_wr", m->uncorrected[1]);
	json_end(j, '}');
}

static void put_place(struct json_out *j, const char *key, int place)
{
	if (place >= 0)
		json_int(j, key, place);
	else
		json_null(j, key);
}

static void put_finding(struct json_out *j, const struct memory_finding *f)
{
	char text[200];

	json_begin(j, NULL, '{');
	put_place(j, "channel", f->kind == MEMORY_DARK ? -1 : (int)f->channel);
	put_place(j, "endpoint", f->endpoint);
	put_place(j, "other_channel", f->other);
	json_text(j, "kind", memory_kind_name(f->kind));
	json_text(j, "path", memory_path_name(f->path));
	json_int(j, "words", (int64_t)f->words);
	json_int(j, "wrong", (int64_t)f->wrong);
	put_place(j, "events", f->events ? (int)f->events : -1);
	memory_json_lanes(j, f->lane);
	json_hex(j, "bits", f->bits);
	memory_json_late(j, f->kind, f->late);
	json_begin(j, "aliases", '[');
	if (f->kind == MEMORY_ALIASED) {
		json_hex(j, NULL, f->alias_at);
		json_hex(j, NULL, f->alias_of);
	}
	json_end(j, ']');
	json_text(j, "text", memory_finding_text(f, text, sizeof(text)));
	json_end(j, '}');
}

void memory_json_findings(struct json_out *j, const struct memory_finding *found, size_t n)
{
	json_begin(j, "findings", '[');
	for (size_t i = 0; i < n; i++)
		put_finding(j, &found[i]);
	json_end(j, ']');
}
