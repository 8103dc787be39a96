/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/clock.h"

#include "base/dl.h"
#include "base/program.h"
#include "burnin/kernels/cpu.h"
#include "device/sim/sim.h"
#include "src/act.h"
#include "src/mode.h"
#include "src/outlet.h"
#include "src/say.h"
#include "src/session.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum exit_code print_help(const struct options *o)
{
	(void)o;
	options_print_help(outlet_columns(STDOUT_FILENO));
	return EXIT_DONE;
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

/* A terminal that cannot move its cursor gets the same text as a pipe. */
static bool has_screen(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static enum exit_code show_cards(const struct options *o)
{
	/*
	 * Only drawing depends on the characters of the terminal.
	 * Only character types: a number must never come out as "71,5".
	 */
	setlocale(LC_CTYPE, "");
	return has_screen() ? mode_live(o) : mode_overview(o);
}

static const struct mode_ops modes[MODES] = {
	[MODE_LIVE] = { show_cards, .judges_beats = true, .alerts = true,
		.selection = SELECTION_IS_SHOWN },
	[MODE_SNAPSHOT] = { mode_snapshot, .judges_beats = true, .asks = true,
		.selection = SELECTION_IS_SHOWN },
	[MODE_LIST] = { mode_list, .judges_beats = true, .asks = true,
		.selection = SELECTION_IS_SHOWN },
	[MODE_QUERY] = { mode_query, .judges_beats = true },
	[MODE_METRICS] = { mode_metrics },
	[MODE_DURING] = { mode_during, .has_own_code = true },
	[MODE_HEALTH] = { mode_health, .judges_beats = true, .selection = SELECTION_IS_SHOWN },
	[MODE_COMPARE] = { mode_compare, .judges_beats = true, .asks = true,
		.selection = SELECTION_IS_SHOWN },
	[MODE_BUNDLE] = { mode_bundle, .judges_beats = true, .asks = true },
	[MODE_LINKS] = { mode_links, .judges_beats = true },
	[MODE_IMAGE] = { mode_image },
	[MODE_DUMP] = { mode_dump, .alerts = true },
	[MODE_FINISH] = { mode_finish },
	[MODE_MERGE] = { mode_merge },
	[MODE_FIELDS] = { mode_fields },
	[MODE_HELP] = { print_help },
	[MODE_VERSION] = { print_version },
	[MODE_RESET] = { mode_reset },
	[MODE_MOBO_RESET] = { mode_mobo },
	[MODE_GALAXY_RESET] = { mode_galaxy, .acts_unasked = true },
	[MODE_RESET_CONFIG] = { mode_reset_config },
	[MODE_TRAYS] = { mode_trays },
	[MODE_BURNIN] = { mode_burnin, .awaits_busy = true, .selection = SELECTION_IS_SHOWN },
	[MODE_CHECK_MEMORY] = { mode_act, .selection = SELECTION_IS_SHOWN_IN_JSON },
	[MODE_DIAG] = { mode_act, .awaits_busy = true },
	[MODE_CONFIG_PRINT] = { mode_config_print },
	[MODE_CONFIG_CHECK] = { mode_config_check },
	[MODE_DUMP_OPTIONS] = { print_options },
	[MODE_DUMP_LIBRARIES] = { print_libraries },
	[MODE_COMPLETION] = { mode_completion },
	[MODE_COMPLETE] = { mode_complete, .selection = SELECTION_IS_SHOWN },
};

static enum exit_code flush(enum exit_code code, bool has_own_code)
{
	if (has_own_code)
		return code;
	if (fflush(stdout) != 0 || ferror(stdout))
		return session_fail_stdout(-errno, code);
	return session_has_cut() ? exit_unwritten(code) : code;
}

/*
 * If a standard descriptor is closed, the next file that is opened would get its
 * number, and output would land in that file.  So open /dev/null there, in a way
 * that reading from 0 and writing to 1 or 2 remain errors.
 */
static int keep_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != fd)
			return -1;
	return 0;
}

/* What the environment says about the processor, and about the time of simulated boards. */
static int apply_environment(const struct options *o)
{
	unsigned set;
	struct error e;
	int r = cpu_read_level(&set, &e);

	if (r == 0 && o->sim)
		r = sim_set_pace(&e);
	if (r < 0)
		say_error(&e);
	return r;
}

int main(int argc, char **argv)
{
	const char *shows_codes = getenv("TT_SMI_CODES");
	struct options o;
	enum exit_code code;

	if (keep_standard_descriptors() < 0)
		return EXIT_FAILED;
	/* A file at its size limit is an error like a full disk. */
	program_ignore(SIGXFSZ);
	clock_init();
	if (shows_codes && strcmp(shows_codes, "1") == 0)
		say_codes();
	if (options_parse(&o, argc, argv) == 0 && apply_environment(&o) == 0) {
		o.act = act_find(&o);
		o.does = &modes[o.mode];
		code = flush(o.does->run(&o), o.nagios || o.does->has_own_code);
	} else {
		code = flush(mode_refused(argv), false);
	}
	options_clear(&o);
	return (int)code;
}
