/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_roster.c - any text as the file of chips that were seen: what is taken is within bounds and
 * written again as the same.
 */
#include "config.h"
#include "telemetry/roster.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct roster r, again;
	struct strbuf out = { 0 }, twice = { 0 };

	if (!record_file_parse(&roster_file, (const char *)data, size, &r))
		return 0;
	if (r.n > DEVICE_MAX || r.highest > DEVICE_MAX)
		abort();
	record_file_put(&roster_file, &r, &out);
	if (!record_file_parse(&roster_file, out.text, out.len, &again))
		abort();
	record_file_put(&roster_file, &again, &twice);
	if (strcmp(out.text, twice.text) != 0)
		abort();
	strbuf_clear(&out);
	strbuf_clear(&twice);
	return 0;
}
