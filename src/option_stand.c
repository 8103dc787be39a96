/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/option_stand.h"

#include "src/conf/conf.h"
#include "src/option_fit.h"
#include "src/option_value.h"
#include "src/say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TROUBLES 3	/* printed at most; --config-check prints all */

/* Whether a variable or a line of the configuration may still set it. */
static bool option_is_open(const struct options *o, enum option_id id)
{
	return !o->typed[id] && !o->stands[id] && option_fits_mode(o, &option_rows[id]);
}

static bool is_source(enum option_id id)
{
	return option_rows[id].group == OPTION_SOURCES && option_rows[id].env &&
		id != OPT_SIM_SEED;
}

static bool has_source(const struct options *o)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (o->typed[i] && is_source((enum option_id)i))
			return true;
	return false;
}

/*
 * Whether it yields to an option that excludes it or, if it says where cards come from, to any that
 * does: --root may be typed beside --sim, but means another machine than a variable's boards.  A
 * value that means no excludes nothing.
 */
static bool option_yields(const struct options *o, enum option_id id)
{
	return !option_rows[id].env_binds &&
		(option_conflict(o, id) < OPTIONS || (is_source(id) && has_source(o)));
}

/* One that forbids what this mode cannot do without is no option of it: the mode says so. */
static void keep_unheeded(struct options *o, enum option_id id, const char *from, bool on)
{
	const struct option_row *row = &option_rows[id];

	if (!row->env_binds || o->stands[id] || option_fits_mode(o, row))
		return;
	o->stands[id] = from;
	if (on)
		o->unheeded = from;
}

static int take_variables(struct options *o)
{
	bool taken[OPTIONS] = { false };

	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];
		const char *value = row->env ? getenv(row->env) : NULL;
		bool counts;

		if (!value || !*value)
			continue;
		keep_unheeded(o, (enum option_id)i, row->env, true);
		if (!option_is_open(o, (enum option_id)i))
			continue;
		/* Any other value means no, whatever the configuration says. */
		counts = !row->env_value || strcmp(value, row->env_value) == 0;
		if (counts && option_yields(o, (enum option_id)i))
			continue;
		o->stands[i] = row->env;
		if (!counts)
			continue;
		if (option_set_said(o, row, row->env, value) < 0)
			return -EINVAL;
		taken[i] = true;
	}
	/* Two variables that exclude each other are a contradiction: neither yields. */
	for (size_t i = 0; i < OPTIONS; i++)
		if (taken[i])
			o->typed[i] = o->stands[i];
	return 0;
}

/* Lines of the user's file come first.  Several lines of one file may add to one list. */
static void take_lines(struct options *o)
{
	const struct conf_line *last[OPTIONS] = { NULL };
	const struct conf *c = o->conf;
	char trouble[8];

	for (size_t k = 0; k < c->n; k++) {
		const struct conf_line *line = &c->lines[k];
		const enum option_id id = line->id;
		bool on;

		if (id == OPTIONS)
			continue;
		on = option_is_on(&option_rows[id], line->value);
		keep_unheeded(o, id, line->where, on);
		if (last[id] ? last[id]->file != line->file :
			!option_is_open(o, id) || (on && option_yields(o, id)))
			continue;
		last[id] = line;
		o->stands[id] = o->stands[id] ? o->stands[id] : line->where;
		if (!on)
			continue;
		/* The value was checked when the file was read. */
		option_set_value(o, &option_rows[id], line->value, trouble, sizeof(trouble));
		o->typed[id] = o->stands[id];
	}
}

static void say_troubles(const struct conf *c)
{
	for (size_t i = 0; i < c->n_files; i++)
		if (c->files[i].error.code < 0)
			say_error(&c->files[i].error);
	for (size_t i = 0; i < c->n_troubles && i < TROUBLES; i++)
		say_as(CODE_BAD_CONFIG, "%s", c->troubles[i]);
	if (c->n_troubles > TROUBLES)
		say("%zu more of this kind: tt-smi --config-check says all",
			c->n_troubles - TROUBLES);
}

int options_take_standing(struct options *o)
{
	const int r = take_variables(o);

	if (r < 0 || !o->conf)
		return r;
	say_troubles(o->conf);
	take_lines(o);
	return 0;
}
