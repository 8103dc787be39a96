/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modes.c - the tables of modes and of acts.  They name all of them, so only main() uses this
 * file: the files of one mode or act do not know the others.
 */
#include "config.h"
#include "src/mode.h"

#include "base/dl.h"
#include "base/mem.h"
#include "src/act.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static enum exit_code print_help(const struct options *o)
{
	struct strbuf text = { 0 };

	(void)o;
	options_put_help(&text, outlet_columns(STDOUT_FILENO));
	return outlet_print(&text, EXIT_DONE);
}

static enum exit_code print_version(const struct options *o)
{
	puts(version_said(o));
	return EXIT_DONE;
}

static enum exit_code print_options(const struct options *o)
{
	(void)o;
	options_print_table();
	return EXIT_DONE;
}

/* One library a line: Depends or Recommends, its sonames, Debian's package, its purpose. */
static enum exit_code print_libraries(const struct options *o)
{
	(void)o;
	for (size_t i = 0; i < DL_LIBRARIES; i++) {
		const struct dl_library *l = &dl_libraries[i];

		printf("%s\t%s%s%s\t%s\t%s\n", l->need, l->sonames[0], l->sonames[1] ? " " : "",
			l->sonames[1] ? l->sonames[1] : "", l->package, l->purpose);
	}
	return EXIT_DONE;
}

static enum exit_code show_cards(const struct options *o)
{
	/* Only character types: a number must never come out as "71,5". */
	setlocale(LC_CTYPE, "");
	/* A terminal that cannot move its cursor gets the same text as a pipe. */
	return outlet_is_screen() ? mode_live(o) : mode_overview(o);
}

/* Sets of sources. */
enum {
	ANY = (1u << FROM_SOURCES) - 1,
	NO_FILE = ANY & ~(1u << FROM_FILE),	/* a file of readings has too little */
	ALIVE = 1u << FROM_HERE | 1u << FROM_SIM | 1u << FROM_TTSIM
};

const struct mode_ops modes[MODES] = {
	[MODE_LIVE] = { .run = show_cards, .sources = ANY, .acts_on = ALIVE, .is_default = true,
		.least_interval = 10 * CLOCK_MS, .judges_beats = true, .alerts = true,
		.selection = SELECTION_IS_SHOWN },
	[MODE_SNAPSHOT] = { .run = mode_snapshot, .is_parsed = true, .sources = ANY,
		.judges_beats = true, .asks = true, .selection = SELECTION_IS_SHOWN },
	[MODE_LIST] = { .run = mode_list, .is_parsed = true, .sources = ANY,
		.judges_beats = true, .asks = true, .selection = SELECTION_IS_SHOWN },
	[MODE_QUERY] = { .run = mode_query, .is_parsed = true, .sources = ANY,
		.judges_beats = true },
	[MODE_METRICS] = { .run = mode_metrics, .is_parsed = true, .sources = ANY,
		.judges_beats = true },
	[MODE_DURING] = { .run = mode_during, .sources = NO_FILE, .takes_command = true,
		.needs_command = true, .has_own_code = true },
	[MODE_HEALTH] = { .run = mode_health, .sources = ANY, .is_gate = true, .judges_beats = true,
		.selection = SELECTION_IS_SHOWN },
	[MODE_COMPARE] = { .run = mode_compare, .sources = ANY, .is_gate = true, .compares = true,
		.judges_beats = true, .asks = true },
	[MODE_BUNDLE] = { .run = mode_bundle, .sources = NO_FILE, .is_gate = true,
		.judges_beats = true, .asks = true },
	[MODE_LINKS] = { .run = mode_links, .sources = ANY, .judges_beats = true },
	[MODE_IMAGE] = { .run = mode_image, .sources = ANY, .judges_beats = true },
	[MODE_DUMP] = { .run = mode_dump, .is_parsed = true, .sources = ANY, .alerts = true },
	[MODE_FINISH] = { .run = mode_finish },
	[MODE_MERGE] = { .run = mode_merge },
	[MODE_FIELDS] = { .run = mode_fields, .ignores_others = true },
	[MODE_HELP] = { .run = print_help, .outranks = 2, .ends_line = true },
	[MODE_VERSION] = { .run = print_version, .outranks = 1, .stands_only = true },
	[MODE_RESET] = { .run = mode_act, .sources = ANY, .acts_on = ALIVE,
		.spellings_differ = true },
	[MODE_MOBO_RESET] = { .run = mode_act, .sources = ANY, .acts_on = ALIVE },
	[MODE_GALAXY_RESET] = { .run = mode_act, .sources = ANY, .acts_on = ALIVE,
		.acts_unasked = true },
	[MODE_RESET_CONFIG] = { .run = mode_reset_config, .sources = NO_FILE },
	[MODE_TRAYS] = { .run = mode_trays, .is_parsed = true, .sources = NO_FILE },
	[MODE_BURNIN] = { .run = mode_burnin, .sources = ANY, .is_gate = true, .acts_on = ALIVE,
		.commands = burnin_commands, .awaits_busy = true, .selection = SELECTION_IS_SHOWN },
	[MODE_CHECK_MEMORY] = { .run = mode_act, .sources = ANY, .is_gate = true, .acts_on = ALIVE,
		.selection = SELECTION_IS_SHOWN_IN_JSON },
	[MODE_DIAG] = { .run = mode_act, .sources = ANY, .is_gate = true, .acts_on = ALIVE,
		.awaits_busy = true },
	[MODE_CONFIG_PRINT] = { .run = mode_config_print, .is_parsed = true, .takes_keys = true },
	[MODE_CONFIG_CHECK] = { .run = mode_config_check, .has_no_configuration = true },
	[MODE_DUMP_OPTIONS] = { .run = print_options, .is_parsed = true, .ends_line = true },
	[MODE_DUMP_LIBRARIES] = { .run = print_libraries, .is_parsed = true, .ends_line = true },
	[MODE_COMPLETION] = { .run = mode_completion, .is_parsed = true },
	[MODE_COMPLETE] = { .run = mode_complete, .is_parsed = true, .takes_command = true,
		.ignores_others = true, .selection = SELECTION_IS_SHOWN },
};

/* If the options ask for several, the first in this table is done. */
static const struct act_ops *const acts[] = {
	&act_reset,
	&act_reset_trays,
	&act_test_memory,
	&act_burn_cards,
	&act_burn_host,
	&act_check_memory,
	&act_compute,
	&act_diag,
};

static bool act_is_asked(const struct act_ops *x, const struct options *o)
{
	return x->modes >> o->mode & 1 && (!x->commands || x->commands & o->commands) &&
		(!x->is_meant || x->is_meant(o));
}

const struct act_ops *act_find(const struct options *o)
{
	for (size_t i = 0; i < ARRAY_LEN(acts); i++)
		if (act_is_asked(acts[i], o))
			return acts[i];
	return NULL;
}
