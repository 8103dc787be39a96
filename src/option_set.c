/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/option_table.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/parse.h"
#include "base/text.h"
#include "burnin/kernels/case.h"
#include "burnin/kernels/impl.h"
#include "burnin/memory/card_memory.h"
#include "health/pins.h"
#include "output/dump_column.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool option_kept_chips(const char *value, char *trouble, size_t size)
{
	uint64_t n;

	snprintf(trouble, size, "'%.40s' is not a number from 1 to %d", value, DEVICE_MAX);
	return parse_u64(value, &n) && n >= 1 && n <= DEVICE_MAX;
}

bool option_kept_fields(const char *value, char *trouble, size_t size)
{
	static const char option[] = "--fields: ";	/* how the error begins */
	bool wanted[FIELD_COUNT];
	struct error e;

	if (dump_columns_choose(value, wanted, &e) == 0)
		return true;
	snprintf(trouble, size, "%s", e.text + sizeof(option) - 1);
	return false;
}

/* Not relative to the current folder, and not a descriptor of this process. */
static bool is_whole_path(const char *value, char *trouble, size_t size)
{
	const int given = file_open_given(value);

	if (given >= 0)
		close(given);
	snprintf(trouble, size, "'%.200s' is not the whole path of a file", value);
	return given < 0 && *value == '/';
}

bool option_kept_floors(const char *value, char *trouble, size_t size)
{
	struct floors f;
	struct error e;

	if (!is_whole_path(value, trouble, size))
		return false;
	if (floors_read(value, &f, &e) == 0)
		return true;
	snprintf(trouble, size, "%s", e.text);
	return false;
}

bool option_kept_pins(const char *value, char *trouble, size_t size)
{
	struct pins p;
	struct error e;

	if (!is_whole_path(value, trouble, size))
		return false;
	if (pins_read(value, &p, &e) == 0)
		return true;
	snprintf(trouble, size, "%s", e.text);
	return false;
}

bool option_kept_interval(const char *value, char *trouble, size_t size)
{
	int64_t ns;

	snprintf(trouble, size, "'%.40s' is not a time of at least 0.01 s (0.5, 500ms, 10m)",
		value);
	return parse_duration(value, &ns) && ns >= 10 * CLOCK_MS;
}

uint32_t option_cases(const char *word, char *trouble, size_t size)
{
	const struct burn_case *c = NULL;
	uint64_t channels;

	if (parse_u64(word, &channels) && channels <= 8192)
		c = burn_case_find((int)channels);
	snprintf(trouble, size, "is not the number of input channels of any case "
		"(--burnin list shows them)");
	return c ? 1u << (c - burn_cases) : 0;
}

uint32_t option_channels(const char *word, char *trouble, size_t size)
{
	uint32_t channels;
	struct error e;

	if (memory_channels_parse(word, &channels, &e) == 0)
		return channels;
	snprintf(trouble, size, "is not a list of memory channels, as in 0,2 or 4-7");
	return 0;
}

uint32_t option_impls(const char *word, char *trouble, size_t size)
{
	uint32_t all = 0;

	snprintf(trouble, size, "is none of v1, v2, v3");
	for (int i = 0; impls[i]; i++) {
		if (strcmp(word, impls[i]->name) == 0)
			return 1u << i;
		if (strcmp(word, impls[i]->version) == 0)
			all |= 1u << i;
		text_join(trouble, size, ", ", "%s", impls[i]->name);
	}
	return all;
}
