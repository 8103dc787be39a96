/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/dump_column.h"

#include "base/mem.h"
#include "base/parse.h"
#include "telemetry/chip/chip.h"
#include "telemetry/external.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Table 3 of the guide after its time stamp; a contract, so its headings are spelled out here. */
static const struct {
	enum field_id field;
	const char *title;
} guide[DUMP_COLUMN_GUIDE - 1] = {
	{ FIELD_VCORE,        "Core Voltage (V)" },
	{ FIELD_AICLK,        "AICLK (MHz)" },
	{ FIELD_ARCCLK,       "ARCCLK (MHz)" },
	{ FIELD_AXICLK,       "AXICLK (MHz)" },
	{ FIELD_CURRENT,      "Core Current (A)" },
	{ FIELD_POWER,        "Core Power (W)" },
	{ FIELD_ASIC_TEMP,    "Core Temp (°C)" },
	{ FIELD_VREG_TEMP,    "VREG Temp (°C)" },
	{ FIELD_INLET_TEMP,   "Inlet Temp (°C)" },
	{ FIELD_OUTLET_TEMP1, "Outlet Temp 1 (°C)" },
	{ FIELD_OUTLET_TEMP2, "Outlet Temp 2 (°C)" },
};

/* Columns that are no fields. */
static const struct {
	const char *key, *title, *help;
	int64_t scale;		/* of a number; 0: it is text */
	int decimals;
} special[] = {
	[DUMP_COLUMN_TIME] = { "timestamp", "Timestamp (s)", "Seconds since the dump began.",
		1000000, 6 },
	[DUMP_COLUMN_UTC] = { "utc", "UTC", "The wall clock's time of the row.", 0, 0 },
	[DUMP_COLUMN_SKEW] = { "skew", "Skew (ms)",
		"From the time of the row to the sample of this card.", 1000, 3 },
	[DUMP_COLUMN_STATE] = { "state", "State",
		"How the card was, and what in the row is not as it should be.", 0, 0 },
	[DUMP_COLUMN_OTHER] = { "", "", "", 0, 0 },
};

/* Mark the fields of a word: a field, a group or "all"; false if it is none of them. */
static bool choose_word(const char *word, bool wanted[static FIELD_COUNT])
{
	enum field_id one = field_find(word);
	bool known = one != FIELD_NONE || strcasecmp(word, "all") == 0;

	if (one != FIELD_NONE)
		wanted[one] = true;
	for (int g = 0; g < FIELD_GROUPS && one == FIELD_NONE; g++) {
		bool all = strcasecmp(word, "all") == 0;

		if (!all && strcasecmp(word, field_group_title((enum field_group)g)) != 0)
			continue;
		known = true;
		for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++)
			if (fields[f].group == g)
				wanted[f] = true;
	}
	return known;
}

int dump_columns_choose(const char *list, bool wanted[static FIELD_COUNT], struct error *e)
{
	static const char apart[] = ", \t";
	char word[66];	/* longer than any name */
	bool any = false;

	memset(wanted, 0, FIELD_COUNT * sizeof(*wanted));
	for (; parse_word(&list, apart, word, sizeof(word)); any = true)
		if (strlen(word) > 63)
			return fail_as(e, CODE_UNKNOWN_FIELD, -EINVAL, "--fields: no field is "
				"named %.40s...", word);
		else if (!choose_word(word, wanted))
			return fail_as(e, CODE_UNKNOWN_FIELD, -EINVAL, "--fields: no field is "
				"named %s; see tt-smi --fields help", word);
	return any ? 0 : fail_as(e, CODE_MISSING_VALUE, -EINVAL, "--fields: no field given; see "
		"tt-smi --fields help");
}

static void add_special(struct dump_columns *c, enum dump_column_kind kind)
{
	c->c[c->n++] = (struct dump_column){ .kind = kind };
}

static void add_field(struct dump_columns *c, enum field_id id)
{
	if (id != FIELD_NONE && dump_columns_where(c, id) < 0)
		c->c[c->n++] = (struct dump_column){ .kind = DUMP_COLUMN_FIELD, .field = id };
}

/* A chip whose tables were read shows which fields it has; any other may have all of its kind. */
static bool may_have(const struct snapshot *s, enum field_id id)
{
	const struct chip *chip = chip_find(s->chip);

	if (s->r[id].state != READING_ABSENT)
		return true;
	return (!snapshot_is_live(s) || snapshot_is_restless(s)) &&
		(!chip || chip_may_have(chip, id));
}

void dump_columns_build(struct dump_columns *out, const bool *wanted, const struct snapshot *s,
	bool external)
{
	size_t named;

	out->n = 0;
	add_special(out, DUMP_COLUMN_TIME);
	for (size_t i = 0; i < ARRAY_LEN(guide); i++)
		add_field(out, guide[i].field);
	for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++) {
		bool want = wanted ? wanted[f]
				   : fields[f].group == FIELD_GROUP_TELEMETRY &&
					     may_have(s, (enum field_id)f);

		if (want && !(external && !external_has_field((enum field_id)f)))
			add_field(out, (enum field_id)f);
	}
	named = out->n;
	for (size_t i = 1; i < named; i++) {
		enum field_id limit = fields[out->c[i].field].limit;

		if (limit != FIELD_NONE && may_have(s, limit))
			add_field(out, limit);
	}
	add_special(out, DUMP_COLUMN_SKEW);
	add_special(out, DUMP_COLUMN_STATE);
}

void dump_columns_add_utc(struct dump_columns *c)
{
	struct dump_column *at = &c->c[DUMP_COLUMN_GUIDE];

	memmove(at + 1, at, (c->n - DUMP_COLUMN_GUIDE) * sizeof(*at));
	*at = (struct dump_column){ .kind = DUMP_COLUMN_UTC };
	c->n++;
}

const char *dump_column_title(const struct dump_column *c, char text[static DUMP_COLUMN_TITLE])
{
	const struct field *f = &fields[c->field];

	if (c->kind != DUMP_COLUMN_FIELD)
		return mem_copy_text(text, DUMP_COLUMN_TITLE, special[c->kind].title);
	for (size_t i = 0; i < ARRAY_LEN(guide); i++)
		if (c->field == guide[i].field)
			return mem_copy_text(text, DUMP_COLUMN_TITLE, guide[i].title);
	snprintf(text, DUMP_COLUMN_TITLE, f->unit[0] ? "%s (%s)" : "%s%s", f->title, f->unit);
	return text;
}

const char *dump_column_key(const struct dump_column *c)
{
	return c->kind == DUMP_COLUMN_FIELD ? fields[c->field].key : special[c->kind].key;
}

const char *dump_column_help(const struct dump_column *c)
{
	return c->kind == DUMP_COLUMN_FIELD ? fields[c->field].help : special[c->kind].help;
}

static bool is_called(const struct dump_column *c, const char *name)
{
	char title[DUMP_COLUMN_TITLE];

	return strcmp(dump_column_key(c), name) == 0
		|| strcmp(dump_column_title(c, title), name) == 0;
}

struct dump_column dump_column_find(const char *name)
{
	struct dump_column c = { .kind = DUMP_COLUMN_FIELD };

	for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++) {
		c.field = (enum field_id)f;
		if (is_called(&c, name))
			return c;
	}
	c.field = FIELD_NONE;
	for (c.kind = DUMP_COLUMN_TIME; c.kind < DUMP_COLUMN_OTHER && !is_called(&c, name);)
		c.kind++;
	return c;
}

int dump_columns_where(const struct dump_columns *c, enum field_id id)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->c[i].kind == DUMP_COLUMN_FIELD && c->c[i].field == id)
			return (int)i;
	return -1;
}

bool dump_column_is_number(const struct dump_column *c, int64_t *scale, int *decimals)
{
	const struct field *f = c->kind == DUMP_COLUMN_FIELD ? &fields[c->field] : NULL;

	if (f ? !field_is_number(c->field) : special[c->kind].scale == 0)
		return false;
	if (scale)
		*scale = f ? f->scale : special[c->kind].scale;
	if (decimals)
		*decimals = f ? f->decimals : special[c->kind].decimals;
	return true;
}

bool dump_column_has_average(const struct dump_column *c)
{
	return dump_column_is_number(c, NULL, NULL) &&
		(c->kind != DUMP_COLUMN_FIELD || fields[c->field].kind != FIELD_COUNTER);
}
