/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_table.c - every option: its spellings, its value, its help.
 */
#include "config.h"
#include "src/option_table.h"
#include "base/array.h"
#include "src/options.h"

#include <stdio.h>
#include <string.h>

static const char *const groups[] = { "Modes", "Live display", "Snapshot and list", "Dump",
	"Reset and burn-in (accepted; not built yet)", "Which cards, and how far a look may go",
	"Where cards come from", "Accepted for today's callers" };

const struct option_row option_rows[OPTIONS] = {
	{ OPT_HELP, { "h", "help" }, ARG_NONE, NULL, 0, MODE_HELP, "show this help" },
	{ OPT_VERSION, { "v", "version" }, ARG_NONE, NULL, 0, MODE_VERSION, "show the version" },
	{ OPT_SNAPSHOT, { "s", "snapshot" }, ARG_NONE, NULL, 0, MODE_SNAPSHOT,
		"host and device information of now: a file from a terminal, else JSON on stdout" },
	{ OPT_LIST, { "ls", "list" }, ARG_NONE, NULL, 0, MODE_LIST,
		"list all boards with every name they have" },
	{ OPT_DUMP, { "d", "dump" }, ARG_NONE, NULL, 0, MODE_DUMP,
		"record telemetry to CSV and XLSX until Enter, q or a signal" },
	{ OPT_FINISH, { "finish" }, ARG_REQUIRED, "DIR", 0, MODE_FINISH,
		"make the workbook of a dump that was cut off" },

	{ OPT_THEME, { "t", "theme" }, ARG_REQUIRED, "{default,dark}", 1, -1,
		"colours; dark is for light backgrounds" },
	{ OPT_NO_COLOR, { "nc", "no-color" }, ARG_NONE, NULL, 1, -1, "no colour" },
	{ OPT_COMPACT, { "c", "compact" }, ARG_NONE, NULL, 1, -1, "without side bar and frames" },
	{ OPT_INTERVAL, { "i", "interval" }, ARG_OPTIONAL, "SECONDS", 1, -1,
		"time between readings (0.5); from 0.01 live, from 0.001 in a dump" },

	{ OPT_FILENAME, { "f", "filename" }, ARG_OPTIONAL, "FILE", 2, -1,
		"where the snapshot goes; - is stdout" },
	{ OPT_JSON, { "json" }, ARG_NONE, NULL, 2, -1, "print JSON, never save a file (-s, -ls)" },
	{ OPT_NO_TTY, { "snapshot_no_tty" }, ARG_NONE, NULL, 2, -1,
		"the same for -s, as upstream spells it" },
	{ OPT_EXTERNAL, { "external" }, ARG_NONE, NULL, 2, -1,
		"leave out raw words, ASIC ids and the host name" },

	{ OPT_DUMP_DIR, { "dir", "dump_dir" }, ARG_OPTIONAL, "DIR", 3, -1, "folder of the dump" },
	{ OPT_DURATION, { "dur", "duration" }, ARG_REQUIRED, "SECONDS", 3, -1,
		"stop after this time" },
	{ OPT_FIELDS, { "fields" }, ARG_REQUIRED, "LIST", 3, -1,
		"which fields; help lists them all" },
	{ OPT_NDJSON, { "ndjson" }, ARG_NONE, NULL, 3, -1,
		"one JSON object per card and reading on stdout, no files" },
	{ OPT_ROTATE, { "rotate" }, ARG_REQUIRED, "SIZE|TIME", 3, -1,
		"begin new files after 100M, 1G ... or 30s, 10m, 1h" },
	{ OPT_KEEP, { "keep" }, ARG_REQUIRED, "N", 3, -1,
		"with --rotate, keep only the newest N parts" },

	{ OPT_WARM_RESET, { "wr", "warm_reset" }, ARG_WORDS, "BOARDS", 4, MODE_RESET,
		"warm reset" },
	{ OPT_RESET, { "r", "reset" }, ARG_WORDS, "BOARDS", 4, MODE_RESET,
		"the same, as upstream spells it" },
	{ OPT_MOBO_RESET, { "mr", "mobo_nb_reset" }, ARG_NONE, NULL, 4, MODE_MOBO_RESET,
		"warm reset a mobo" },
	{ OPT_GALAXY_RESET, { "glx_reset", "galaxy_6u_trays_reset" }, ARG_NONE, NULL, 4,
		MODE_GALAXY_RESET, "reset a galaxy" },
	{ OPT_GALAXY_RESET_AUTO, { "glx_reset_auto" }, ARG_NONE, NULL, 4, MODE_GALAXY_RESET,
		"reset a galaxy, with up to three tries" },
	{ OPT_GALAXY_RESET_TRAY, { "glx_reset_tray" }, ARG_REQUIRED, "TRAY", 4, MODE_GALAXY_RESET,
		"reset one tray of a galaxy" },
	{ OPT_TRAYS, { "glx_list_tray_to_device" }, ARG_NONE, NULL, 4, MODE_TRAYS,
		"list the trays of a galaxy" },
	{ OPT_RESET_CONFIG, { "g", "generate_reset_json" }, ARG_OPTIONAL,
		"FILE", 4, MODE_RESET_CONFIG,
		"write a reset configuration" },
	{ OPT_BURNIN, { "b", "burnin" }, ARG_WORDS, "BOARDS", 4, MODE_BURNIN, "stress and verify" },

	{ OPT_DEVICE, { "device", "devices" }, ARG_REQUIRED, "LIST", 5, -1,
		"only these: index, BDF, /dev/tenstorrent/N, board serial, or all" },
	{ OPT_LOCAL, { "l", "local" }, ARG_NONE, NULL, 5, -1,
		"chips on PCIe only, no remote ones" },
	{ OPT_REMOTE, { "remote" }, ARG_NONE, NULL, 5, -1,
		"live and dump too read an n300's second chip, and ask Grayskull, if unheld" },
	{ OPT_PASSIVE, { "passive" }, ARG_NONE, NULL, 5, -1, "read sysfs only, open no device" },
	{ OPT_TIMEOUT, { "timeout" }, ARG_REQUIRED, "SECONDS", 5, -1,
		"give a chip this long to answer (1)" },

	{ OPT_SIM, { "sim" }, ARG_REQUIRED, "SPEC", 6, -1,
		"simulated boards: 'n300,2*p150a:hang@5' (see the manual)" },
	{ OPT_SIM_SEED, { "sim-seed" }, ARG_REQUIRED, "N", 6, -1, "seed of the simulated values" },
	{ OPT_ROOT, { "root" }, ARG_REQUIRED, "DIR", 6, -1, "a recorded tree instead of /" },
	{ OPT_REPLAY, { "replay" }, ARG_REQUIRED, "FILE", 6, -1, "play a recording" },
	{ OPT_LOAD, { "load" }, ARG_REQUIRED, "FILE", 6, -1,
		"a snapshot file as if its cards were here" },
	{ OPT_RECORD, { "record" }, ARG_REQUIRED, "FILE", 6, -1, "write every access to FILE" },

	{ OPT_OFFLINE, { "offline" }, ARG_NONE, NULL, 7, -1, "no network: always so" },
	{ OPT_USE_LUWEN, { "use_luwen" }, ARG_NONE, NULL, 7, -1, "no meaning here" },
	{ OPT_NO_REINIT, { "no_reinit" }, ARG_NONE, NULL, 7, -1, "no detection after a reset" },
	{ OPT_ETH_TRAIN_SKIP, { "eth_train_skip" }, ARG_NONE, NULL, 7, -1,
		"no wait for ethernet after a reset" },

	{ OPT_DUMP_OPTIONS, { "dump-options" }, ARG_NONE, NULL, -1, MODE_DUMP_OPTIONS,
		"this table, for the manual's check" },
};

static void print_spellings(const struct option_row *row, char *buf, size_t size)
{
	int n = 0;

	for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++)
		n += snprintf(buf + n, size - (size_t)n, "%s%s%s", k ? ", " : "",
			k || strlen(row->names[k]) > 3 ? "--" : "-", row->names[k]);
	if (row->arg == ARG_REQUIRED)
		snprintf(buf + n, size - (size_t)n, " %s", row->arg_name);
	else if (row->arg_name)
		snprintf(buf + n, size - (size_t)n, " [%s]", row->arg_name);
}

void options_print_help(void)
{
	char left[96];

	printf("usage: tt-smi [options]\n\nShows Tenstorrent cards. Without an option: the live "
	       "display.\n");
	for (int g = 0; g < (int)ARRAY_LEN(groups); g++) {
		printf("\n%s:\n", groups[g]);
		for (size_t i = 0; i < ARRAY_LEN(option_rows); i++) {
			if (option_rows[i].group != g)
				continue;
			print_spellings(&option_rows[i], left, sizeof(left));
			if (strlen(left) > 28)
				printf("  %s\n  %28s", left, "");
			else
				printf("  %-28s", left);
			printf("  %s\n", option_rows[i].help);
		}
	}
	printf("\nExit codes: 0 done, 1 failed, 2 usage, 3 no driver or device, 4 some devices "
	       "failed,\n"
	       "5 negative verdict, 6 refused. The manual (man tt-smi) has the rest.\n");
}

void options_print_table(void)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];

		for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++)
			if (row->group >= 0)
				printf("%s\t%s\t%s\n", row->names[k],
					row->arg_name ? row->arg_name : "", row->help);
	}
}
