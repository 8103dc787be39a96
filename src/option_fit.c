/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/option_fit.h"

#include "base/array.h"

#include <string.h>

size_t option_find(const char *typed)
{
	const char *name = typed + strspn(typed, "-");
	const size_t len = strcspn(name, "=");

	for (size_t i = 0; i < OPTIONS && *typed == '-'; i++) {
		const struct option_row *row = &option_rows[i];

		for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++)
			if (strlen(row->names[k]) == len && strncmp(row->names[k], name, len) == 0)
				return i;
	}
	return OPTIONS;
}

unsigned option_commands(const struct options *o)
{
	unsigned burn = o->n_targets > 0 ? 0 : 1u << COMMAND_HOST | 1u << COMMAND_CARDS;

	for (int c = 0; c < COMMANDS && o->n_targets > 0; c++)
		if (command_rows[c].is_word && strcmp(o->targets[0], command_rows[c].name) == 0)
			return 1u << c | (c == COMMAND_GENERATE && o->devices ?
				1u << COMMAND_ON_CARD : 0);
	for (size_t i = 0; i < o->n_targets; i++) {
		const bool host = strcmp(o->targets[i], "host") == 0;

		if (host || strcmp(o->targets[i], "all") == 0)
			burn |= 1u << COMMAND_HOST;
		if (!host)
			burn |= 1u << COMMAND_CARDS;
	}
	return burn | (o->dump ? 1u << COMMAND_DUMP : 0);
}

bool option_fits_mode(const struct options *o, const struct option_row *row)
{
	if (o->mode == MODE_CONFIG_PRINT && row->key)
		return true;
	return row->modes & 1ull << o->mode &&
	       (o->mode != MODE_BURNIN || !row->commands || row->commands & o->commands);
}

bool option_is_beside(enum mode before, enum mode now)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (option_rows[i].mode == before && option_rows[i].beside == now)
			return true;
	return false;
}

static bool names(const struct option_row *row, enum option_id id)
{
	for (size_t k = 0; k < ARRAY_LEN(row->not_with) && row->not_with[k]; k++)
		if (row->not_with[k] == id)
			return true;
	return false;
}

bool option_excludes(enum option_id a, enum option_id b)
{
	return names(&option_rows[a], b) || names(&option_rows[b], a);
}

size_t option_conflict(const struct options *o, enum option_id id)
{
	for (size_t k = 0; k < OPTIONS; k++)
		if (o->typed[k] && option_excludes(id, (enum option_id)k))
			return k;
	return OPTIONS;
}
