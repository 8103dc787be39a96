/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/card/memory_json.h"

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
