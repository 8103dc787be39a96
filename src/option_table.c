/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_table.c - every option: its spellings, the modes that take it, its value, its
 * range, where it lands, its help.
 */
#include "config.h"
#include "src/option_table.h"
#include "base/array.h"
#include "base/clock.h"
#include "src/options.h"

#include <stdio.h>
#include <string.h>

/* Sets of modes. */
enum {
	IN_LIVE = 1u << MODE_LIVE,
	IN_SNAPSHOT = 1u << MODE_SNAPSHOT,
	IN_LIST = 1u << MODE_LIST,
	IN_DUMP = 1u << MODE_DUMP,
	READS = IN_LIVE | IN_SNAPSHOT | IN_LIST | IN_DUMP,
	ACTS = 1u << MODE_RESET | 1u << MODE_MOBO_RESET | 1u << MODE_GALAXY_RESET |
	       1u << MODE_RESET_CONFIG | 1u << MODE_TRAYS | 1u << MODE_BURNIN,
	RESETS = 1u << MODE_RESET | 1u << MODE_GALAXY_RESET | 1u << MODE_MOBO_RESET,
	BURNS = 1u << MODE_BURNIN,
	CARDS = READS | ACTS,
	ALL = (1u << MODES) - 1
};

static const char *const group_titles[OPTION_GROUPS] = {
	[OPTION_MODES] = "Modes",
	[OPTION_LIVE] = "Live display",
	[OPTION_ONCE] = "Snapshot and list",
	[OPTION_DUMPS] = "Dump",
	[OPTION_RESETS] = "Reset",
	[OPTION_ACTS] = "Burn-in; that of cards is not built yet",
	[OPTION_CARDS] = "Which cards, and how they may be read",
	[OPTION_SOURCES] = "Where cards come from",
	[OPTION_ACCEPTED] = "Accepted for today's callers",
};

static const char *const load_patterns[] = {
	[LOAD_STEADY] = "steady", [LOAD_PULSE] = "pulse", NULL
};

static const char *const themes[] = {
	[THEME_AUTO] = "auto", [THEME_DEFAULT] = "default", [THEME_DARK] = "dark", NULL
};

const struct option_row option_rows[OPTIONS] = {
	[OPT_HELP] = { { "h", "help" }, OPTION_MODES, "show this help",
		.modes = ALL, .mode = MODE_HELP },
	[OPT_VERSION] = { { "v", "version" }, OPTION_MODES, "show the version",
		.modes = ALL, .mode = MODE_VERSION },
	[OPT_SNAPSHOT] = { { "s", "snapshot" }, OPTION_MODES,
		"host and device information of now: a file from a terminal, else JSON on stdout",
		.modes = IN_SNAPSHOT, .mode = MODE_SNAPSHOT },
	[OPT_LIST] = { { "ls", "list" }, OPTION_MODES,
		"list all boards with every name they have",
		.modes = IN_LIST, .mode = MODE_LIST },
	[OPT_TRAYS] = { { "glx_list_tray_to_device", "galaxy_6u_list_tray_to_device" },
		OPTION_MODES, "list the trays of a galaxy and the cards in each",
		.modes = 1u << MODE_TRAYS, .mode = MODE_TRAYS },
	[OPT_DUMP] = { { "d", "dump" }, OPTION_MODES,
		"record telemetry to CSV and XLSX until Enter, q or a signal",
		.modes = IN_DUMP | BURNS, .mode = MODE_DUMP, .beside = MODE_BURNIN,
		.at = offsetof(struct options, dump) },
	[OPT_FINISH] = { { "finish" }, OPTION_MODES, "make the workbook of a dump that was cut off",
		.modes = 1u << MODE_FINISH, .mode = MODE_FINISH,
		.kind = OPTION_PATH, .arg = "DIR", .at = offsetof(struct options, finish) },

	[OPT_THEME] = { { "t", "theme" }, OPTION_LIVE,
		"colours; dark is for light backgrounds, auto asks the terminal",
		.modes = IN_LIVE | BURNS,
		.kind = OPTION_CHOICE, .arg = "{auto,default,dark}", .choices = themes,
		.at = offsetof(struct options, theme) },
	/* Modes that print no colour comply anyway. */
	[OPT_NO_COLOR] = { { "nc", "no-color" }, OPTION_LIVE, "no colour",
		.modes = ALL, .at = offsetof(struct options, no_color), .env = "NO_COLOR" },
	[OPT_COMPACT] = { { "c", "compact" }, OPTION_LIVE, "without side bar and frames",
		.modes = ALL, .at = offsetof(struct options, compact) },
	[OPT_INTERVAL] = { { "i", "interval" }, OPTION_LIVE,
		"time between readings (0.5); from 0.01 live, from 0.001 in a dump",
		.modes = IN_LIVE | IN_DUMP | BURNS,
		.kind = OPTION_SECONDS, .optional = true, .arg = "SECONDS", .least = CLOCK_MS,
		.at = offsetof(struct options, interval) },

	[OPT_FILENAME] = { { "f", "filename" }, OPTION_ONCE,
		"where the snapshot goes; - is stdout",
		.modes = IN_SNAPSHOT, .implies = MODE_SNAPSHOT,
		.not_with = { OPT_JSON, OPT_NO_TTY },
		.kind = OPTION_PATH, .optional = true, .arg = "FILE",
		.at = offsetof(struct options, filename) },
	[OPT_JSON] = { { "json" }, OPTION_ONCE, "print JSON, never save a file (-s, -ls)",
		.modes = IN_SNAPSHOT | IN_LIST, .implies = MODE_SNAPSHOT,
		.at = offsetof(struct options, json) },
	[OPT_NO_TTY] = { { "snapshot_no_tty" }, OPTION_ONCE,
		"the same for -s, as upstream spells it",
		.modes = IN_SNAPSHOT, .implies = MODE_SNAPSHOT,
		.at = offsetof(struct options, no_tty) },
	[OPT_EXTERNAL] = { { "external" }, OPTION_ONCE,
		"leave out raw words, ASIC ids and the host name",
		.modes = IN_LIVE | IN_SNAPSHOT | IN_DUMP | BURNS,
		.at = offsetof(struct options, external) },
	[OPT_PARTIAL_OK] = { { "partial-ok" }, OPTION_ONCE,
		"exit code 0 when at least one card was read",
		.modes = IN_LIVE | IN_SNAPSHOT | IN_LIST,
		.at = offsetof(struct options, partial_ok),
		.env = "TT_SMI_PARTIAL_OK", .env_value = "1" },

	[OPT_DUMP_DIR] = { { "dir", "dump_dir" }, OPTION_DUMPS, "folder of the dump",
		.modes = IN_LIVE | IN_DUMP | BURNS,
		.kind = OPTION_PATH, .optional = true, .arg = "DIR",
		.at = offsetof(struct options, dump_dir) },
	[OPT_DURATION] = { { "dur", "duration" }, OPTION_DUMPS, "stop after this time (a burn: 60)",
		.modes = IN_DUMP | BURNS,
		.kind = OPTION_SECONDS, .arg = "SECONDS", .least = CLOCK_MS,
		.at = offsetof(struct options, duration) },
	[OPT_FIELDS] = { { "fields" }, OPTION_DUMPS, "which fields; help lists them all",
		.modes = IN_DUMP | 1u << MODE_FIELDS | BURNS,
		.kind = OPTION_LIST, .arg = "LIST", .at = offsetof(struct options, fields) },
	[OPT_UTC] = { { "utc" }, OPTION_DUMPS, "a column with the time of day in UTC",
		.modes = IN_DUMP | BURNS, .at = offsetof(struct options, utc) },
	[OPT_NDJSON] = { { "ndjson" }, OPTION_DUMPS,
		"one JSON object per card and reading on stdout, no files",
		.modes = IN_DUMP, .not_with = { OPT_DUMP_DIR, OPT_ROTATE },
		.at = offsetof(struct options, ndjson) },
	[OPT_ROTATE] = { { "rotate" }, OPTION_DUMPS,
		"begin new files after 100M, 1G ... or 30s, 10m, 1h",
		.modes = IN_DUMP | BURNS,
		.kind = OPTION_PERIOD, .arg = "SIZE|TIME", .at = offsetof(struct options, rotate) },
	[OPT_KEEP] = { { "keep" }, OPTION_DUMPS, "with --rotate, keep only the newest N parts",
		.modes = IN_DUMP | BURNS, .needs = OPT_ROTATE,
		.kind = OPTION_COUNT, .arg = "N", .unit = "parts", .least = 1, .most = 1000000,
		.at = offsetof(struct options, keep) },

	[OPT_WARM_RESET] = { { "wr", "warm_reset" }, OPTION_RESETS,
		"warm reset; asks which boards, and whether",
		.modes = 1u << MODE_RESET, .mode = MODE_RESET,
		.kind = OPTION_WORDS, .optional = true, .arg = "BOARDS" },
	[OPT_RESET] = { { "r", "reset" }, OPTION_RESETS,
		"warm reset as upstream does: at once, and all boards where none is named",
		.modes = 1u << MODE_RESET, .mode = MODE_RESET,
		.kind = OPTION_WORDS, .optional = true, .arg = "BOARDS" },
	[OPT_YES] = { { "y", "yes" }, OPTION_RESETS, "do not ask",
		.modes = RESETS, .at = offsetof(struct options, yes) },
	[OPT_DRY_RUN] = { { "dry-run" }, OPTION_RESETS, "print the plan and what speaks against it",
		.modes = RESETS, .at = offsetof(struct options, dry_run) },
	[OPT_WAIT] = { { "wait" }, OPTION_RESETS,
		"wait until no process holds the boards, at most so long",
		.modes = RESETS, .kind = OPTION_SECONDS, .optional = true, .arg = "SECONDS",
		.least = CLOCK_MS, .at = offsetof(struct options, wait) },
	[OPT_FORCE] = { { "force" }, OPTION_RESETS,
		"reset under processes that hold the boards; ends none",
		.modes = RESETS, .at = offsetof(struct options, force) },
	[OPT_CHECK_BUSY] = { { "check-busy" }, OPTION_RESETS,
		"-r refuses boards that are held, as -wr does",
		.modes = RESETS, .at = offsetof(struct options, check_busy) },
	[OPT_DMC] = { { "dmc" }, OPTION_RESETS, "begin with a reset by the board's controller",
		.modes = RESETS, .at = offsetof(struct options, dmc) },
	[OPT_FORBID] = { { "forbid" }, OPTION_RESETS,
		"ways that must not be tried: asic, dmc, config-write, message",
		.modes = RESETS, .kind = OPTION_LIST, .arg = "LIST",
		.at = offsetof(struct options, forbid) },
	[OPT_REQUIRE_LINKS] = { { "require-links" }, OPTION_RESETS,
		"ethernet links that were up must be up again",
		.modes = RESETS, .at = offsetof(struct options, require_links) },
	[OPT_REPORT] = { { "report" }, OPTION_RESETS, "write all phases and verdicts as JSON",
		.modes = RESETS | BURNS, .kind = OPTION_PATH, .arg = "FILE",
		.at = offsetof(struct options, report) },
	[OPT_MOBO_RESET] = { { "mr", "mobo_nb_reset" }, OPTION_RESETS,
		"warm reset of a mobo: its name and ethernet ports, or a reset configuration",
		.modes = 1u << MODE_MOBO_RESET, .mode = MODE_MOBO_RESET,
		.kind = OPTION_WORDS, .optional = true, .arg = "MOBO" },
	[OPT_GALAXY_RESET] = { { "glx_reset", "galaxy_6u_trays_reset" }, OPTION_RESETS,
		"reset all trays of a galaxy by its management controller",
		.modes = 1u << MODE_GALAXY_RESET, .mode = MODE_GALAXY_RESET },
	[OPT_GALAXY_RESET_AUTO] = { { "glx_reset_auto", "galaxy_6u_trays_reset_auto" },
		OPTION_RESETS, "the same, with up to three tries",
		.modes = 1u << MODE_GALAXY_RESET, .mode = MODE_GALAXY_RESET },
	[OPT_GALAXY_RESET_TRAY] = { { "glx_reset_tray" }, OPTION_RESETS,
		"reset one tray of a galaxy, 1 to 4",
		.modes = 1u << MODE_GALAXY_RESET, .mode = MODE_GALAXY_RESET,
		.kind = OPTION_COUNT, .arg = "TRAY", .unit = "trays", .least = 1, .most = 4,
		.at = offsetof(struct options, tray) },
	[OPT_IPMI] = { { "ipmi" }, OPTION_RESETS,
		"of the galaxy with this controller, over the network; no card here is touched",
		.modes = 1u << MODE_GALAXY_RESET, .not_with = { OPT_SIM },
		.kind = OPTION_TEXT, .arg = "HOST", .at = offsetof(struct options, ipmi) },
	[OPT_CREDENTIALS] = { { "credentials" }, OPTION_RESETS,
		"file with user:password for a management controller",
		.modes = 1u << MODE_GALAXY_RESET | 1u << MODE_MOBO_RESET | 1u << MODE_RESET,
		.kind = OPTION_PATH, .arg = "FILE",
		.at = offsetof(struct options, credentials) },
	[OPT_RESET_CONFIG] = { { "g", "generate_reset_json" }, OPTION_RESETS,
		"write a reset configuration",
		.modes = 1u << MODE_RESET_CONFIG, .mode = MODE_RESET_CONFIG,
		.kind = OPTION_PATH, .optional = true, .arg = "FILE",
		.at = offsetof(struct options, reset_config) },
	[OPT_BURNIN] = { { "b", "burnin" }, OPTION_ACTS,
		"burn: host; conv2d and matmul with reference data: list, generate, verify, "
		"compare, check, bench, profile",
		.modes = 1u << MODE_BURNIN, .mode = MODE_BURNIN,
		.kind = OPTION_WORDS, .optional = true, .arg = "WORDS" },
	[OPT_CASES] = { { "cases" }, OPTION_ACTS, "burn-in with these input channels only: 8,64",
		.modes = 1u << MODE_BURNIN,
		.kind = OPTION_LIST, .arg = "LIST", .at = offsetof(struct options, cases) },
	[OPT_DTYPE] = { { "dtype" }, OPTION_ACTS, "burn-in with float32 or bfloat16 only",
		.modes = 1u << MODE_BURNIN,
		.kind = OPTION_LIST, .arg = "LIST", .at = offsetof(struct options, dtypes) },
	[OPT_PCC] = { { "pcc" }, OPTION_ACTS, "least correlation that passes (0.999)",
		.modes = 1u << MODE_BURNIN,
		.kind = OPTION_TEXT, .arg = "NUMBER", .at = offsetof(struct options, pcc) },
	[OPT_WORKLOAD] = { { "workload" }, OPTION_ACTS,
		"what a burn does: conv, matmul, memory (conv,matmul)",
		.modes = BURNS,
		.kind = OPTION_LIST, .arg = "LIST", .at = offsetof(struct options, workload) },
	[OPT_SIZE] = { { "size" }, OPTION_ACTS,
		"memory that a burn tests: 4G, or a share of what is free (50%)",
		.modes = BURNS, .needs = OPT_WORKLOAD,
		.kind = OPTION_TEXT, .arg = "SIZE", .at = offsetof(struct options, size) },
	[OPT_IMPL] = { { "impl" }, OPTION_ACTS,
		"compute with this implementation (the fastest; check names them)",
		.modes = BURNS, .kind = OPTION_TEXT, .arg = "NAME",
		.at = offsetof(struct options, impl), .env = "TT_SMI_BURNIN_IMPL" },
	[OPT_ITERATIONS] = { { "iterations" }, OPTION_ACTS, "end a burn after so many rounds",
		.modes = BURNS, .kind = OPTION_COUNT, .arg = "N", .unit = "rounds", .least = 1,
		.most = INT64_MAX, .at = offsetof(struct options, iterations) },
	[OPT_THREADS] = { { "threads" }, OPTION_ACTS, "workers of a burn (one for each processor)",
		.modes = BURNS, .kind = OPTION_COUNT, .arg = "N", .unit = "threads", .least = 1,
		.most = 1024, .at = offsetof(struct options, threads) },
	[OPT_PATTERN] = { { "pattern" }, OPTION_ACTS,
		"a steady load, or bursts that begin at the same moment on all processors",
		.modes = BURNS, .kind = OPTION_CHOICE, .arg = "{steady,pulse}",
		.choices = load_patterns, .at = offsetof(struct options, pattern) },
	[OPT_SEED] = { { "seed" }, OPTION_ACTS, "seed of a burn's operands (42)",
		.modes = BURNS, .kind = OPTION_COUNT, .arg = "N",
		.at = offsetof(struct options, seed) },
	[OPT_STOP_ON_ERROR] = { { "stop-on-error" }, OPTION_ACTS,
		"end a burn at the first wrong word",
		.modes = BURNS, .at = offsetof(struct options, stop_on_error) },
	[OPT_MAX_TEMP] = { { "max-temp" }, OPTION_ACTS,
		"end a burn when a sensor of the host reaches this many degrees Celsius",
		.modes = BURNS, .kind = OPTION_COUNT, .arg = "DEGREES", .unit = "degrees",
		.least = 20, .most = 150, .at = offsetof(struct options, max_temp) },
	[OPT_RESUME] = { { "resume" }, OPTION_ACTS,
		"keep what a burn has done in FILE, and continue what stands there",
		.modes = BURNS, .kind = OPTION_PATH, .arg = "FILE",
		.at = offsetof(struct options, resume) },

	[OPT_DEVICE] = { { "device", "devices" }, OPTION_CARDS,
		"only these: index, BDF, /dev/tenstorrent/N, board serial, or all",
		.modes = READS,
		.kind = OPTION_LIST, .arg = "LIST", .at = offsetof(struct options, devices) },
	[OPT_LOCAL] = { { "l", "local" }, OPTION_CARDS, "chips on PCIe only, no remote ones",
		.modes = READS, .not_with = { OPT_REMOTE }, .at = offsetof(struct options, local) },
	[OPT_REMOTE] = { { "remote" }, OPTION_CARDS,
		"live and dump too read an n300's second chip, and ask Grayskull, while no process "
		"holds the board",
		.modes = READS, .at = offsetof(struct options, remote) },
	[OPT_PASSIVE] = { { "passive" }, OPTION_CARDS, "read sysfs only, open no device",
		.modes = READS, .not_with = { OPT_REMOTE },
		.at = offsetof(struct options, passive), .env = "TT_SMI_PASSIVE" },
	[OPT_TIMEOUT] = { { "timeout" }, OPTION_CARDS, "give a chip this long to answer (1)",
		.modes = CARDS,
		.kind = OPTION_SECONDS, .arg = "SECONDS", .least = 10 * CLOCK_MS,
		.at = offsetof(struct options, deadline) },

	[OPT_SIM] = { { "sim" }, OPTION_SOURCES,
		"simulated boards: 'n300,2*p150a:hang@5' (see the manual)",
		.modes = CARDS, .not_with = { OPT_REPLAY, OPT_LOAD },
		.kind = OPTION_TEXT, .arg = "SPEC",
		.at = offsetof(struct options, sim), .env = "TT_SMI_SIM" },
	[OPT_SIM_SEED] = { { "sim-seed" }, OPTION_SOURCES, "seed of the simulated values",
		.modes = CARDS, .needs = OPT_SIM,
		.kind = OPTION_COUNT, .arg = "N",
		.at = offsetof(struct options, sim_seed), .env = "TT_SMI_SIM_SEED" },
	[OPT_TTSIM] = { { "ttsim" }, OPTION_SOURCES,
		"chips of the simulator ttsim: its libraries, '2*PATH,PATH'",
		.modes = CARDS, .not_with = { OPT_SIM, OPT_REPLAY, OPT_LOAD },
		.kind = OPTION_TEXT, .arg = "LIBRARIES",
		.at = offsetof(struct options, ttsim), .env = "TT_SMI_TTSIM" },
	[OPT_ROOT] = { { "root" }, OPTION_SOURCES, "a recorded tree instead of /",
		.modes = CARDS,
		.kind = OPTION_PATH, .arg = "DIR",
		.at = offsetof(struct options, root), .env = "TT_SMI_ROOT" },
	[OPT_REPLAY] = { { "replay" }, OPTION_SOURCES, "play a recording",
		.modes = CARDS, .not_with = { OPT_LOAD, OPT_RECORD },
		.kind = OPTION_PATH, .arg = "FILE",
		.at = offsetof(struct options, replay), .env = "TT_SMI_REPLAY" },
	[OPT_LOAD] = { { "load" }, OPTION_SOURCES, "a snapshot file as if its cards were here",
		.modes = CARDS & ~(1u << MODE_TRAYS), .not_with = { OPT_RECORD },
		.kind = OPTION_PATH, .arg = "FILE",
		.at = offsetof(struct options, load), .env = "TT_SMI_LOAD" },
	[OPT_RECORD] = { { "record" }, OPTION_SOURCES, "write every access to FILE",
		.modes = CARDS,
		.kind = OPTION_PATH, .arg = "FILE", .at = offsetof(struct options, record) },

	[OPT_OFFLINE] = { { "offline" }, OPTION_ACCEPTED, "no network: always so", .modes = ALL },
	[OPT_USE_LUWEN] = { { "use_luwen" }, OPTION_ACCEPTED, "no meaning here",
		.modes = ALL, .note = "has no meaning here and is ignored" },
	[OPT_NO_REINIT] = { { "no_reinit" }, OPTION_ACCEPTED, "no detection after a reset",
		.modes = ALL, .note = "has no meaning here and is ignored" },
	[OPT_ETH_TRAIN_SKIP] = { { "eth_train_skip" }, OPTION_ACCEPTED,
		"no wait for ethernet after a reset",
		.modes = ALL, .note = "has no meaning here and is ignored" },

	[OPT_DUMP_OPTIONS] = { { "dump-options" }, OPTION_HIDDEN,
		"this table, for the manual's check",
		.modes = ALL, .mode = MODE_DUMP_OPTIONS },
};

/* One dash where a longer spelling follows. */
static const char *dashes(const struct option_row *row, size_t k)
{
	return k > 0 || !row->names[1] || strlen(row->names[k]) > 3 ? "--" : "-";
}

const char *option_spelling(enum option_id id, char *buf, size_t size)
{
	const struct option_row *row = &option_rows[id];

	snprintf(buf, size, "%s%s", dashes(row, 0), row->names[0]);
	return buf;
}

const char *option_mode_name(enum mode mode, char *buf, size_t size)
{
	snprintf(buf, size, "the live display");
	for (size_t i = 0; i < OPTIONS && mode != MODE_LIVE; i++)
		if (option_rows[i].mode == mode)
			return option_spelling((enum option_id)i, buf, size);
	return buf;
}

static void print_spellings(const struct option_row *row, char *buf, size_t size)
{
	int n = 0;

	for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++)
		n += snprintf(buf + n, size - (size_t)n, "%s%s%s", k ? ", " : "", dashes(row, k),
			row->names[k]);
	if (row->arg)
		snprintf(buf + n, size - (size_t)n, row->optional ? " [%s]" : " %s", row->arg);
}

void options_print_help(void)
{
	char left[128];

	printf("usage: tt-smi [options]\n\nShows Tenstorrent cards. Without an option: the live "
	       "display,\nor a plain overview where stdout is no terminal.\n");
	for (int g = OPTION_HIDDEN + 1; g < OPTION_GROUPS; g++) {
		printf("\n%s:\n", group_titles[g]);
		for (size_t i = 0; i < OPTIONS; i++) {
			if ((int)option_rows[i].group != g)
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
	       "5 negative verdict, 6 refused. The manual (man tt-smi) has the rest.\n"
	       "Report bugs in %s.\n", PACKAGE_BUGREPORT);
}

void options_print_table(void)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];

		for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++)
			if (row->group != OPTION_HIDDEN)
				printf("%s\t%s\t%s\n", row->names[k], row->arg ? row->arg : "",
					row->help);
	}
}
