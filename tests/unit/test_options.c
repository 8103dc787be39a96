/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line: what is accepted, what is refused, and that a word which
 * belongs to nothing is never overlooked.
 */
#include "config.h"
#include "act/counted.h"
#include "act/hold.h"
#include "base/mem.h"
#include "base/clock.h"
#include "burnin/kernels/case.h"
#include "src/option_table.h"
#include "src/mode.h"
#include "src/options.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

static char said[512];	/* on stderr, by the last parse() */

static void take_said(int fd)
{
	ssize_t n = pread(fd, said, sizeof(said) - 1, 0);

	said[n > 0 ? n : 0] = '\0';
}

/* Parse a line of words; *o is cleared by the next parse(). */
static int parse(struct options *o, const char *line)
{
	static struct options last;
	static char text[512], *argv[64];	/* *o keeps them */
	char *save = NULL;
	int argc = 1, r, file = memfd_create("stderr", 0), old = dup(STDERR_FILENO);

	memset(argv, 0, sizeof(argv));
	argv[0] = (char *)(uintptr_t)"tt-smi";
	snprintf(text, sizeof(text), "%s", line);
	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	fflush(stderr);
	dup2(file, STDERR_FILENO);
	options_clear(&last);
	r = options_parse(&last, modes, argc, argv);
	*o = last;
	fflush(stderr);
	dup2(old, STDERR_FILENO);
	take_said(file);
	close(file);
	close(old);
	return r;
}

static void every_mode_has_its_spellings(void **state)
{
	static const struct {
		const char *line;
		enum mode mode;
	} cases[] = {
		{ "", MODE_LIVE }, { "-s", MODE_SNAPSHOT }, { "--snapshot", MODE_SNAPSHOT },
		{ "-snapshot", MODE_SNAPSHOT }, { "-d", MODE_DUMP }, { "-d -dur 30", MODE_DUMP },
		{ "-d -dir my_dir -dur 30", MODE_DUMP }, { "--dump --duration=30", MODE_DUMP },
		{ "-ls", MODE_LIST }, { "--list --local", MODE_LIST }, { "-wr", MODE_RESET },
		{ "-r all", MODE_RESET }, { "-r=0", MODE_RESET }, { "-mr", MODE_MOBO_RESET },
		{ "-glx_reset", MODE_GALAXY_RESET }, { "-glx_reset_auto", MODE_GALAXY_RESET },
		{ "--galaxy_6u_trays_reset", MODE_GALAXY_RESET }, { "-h", MODE_HELP },
		{ "--help nonsense", MODE_HELP }, { "-v", MODE_VERSION },
		{ "-v -s", MODE_VERSION }, { "-s -v", MODE_VERSION }, { "-v -h", MODE_HELP },
		{ "--checks help", MODE_HEALTH },
		{ "--version", MODE_VERSION },
		{ "-s -h", MODE_HELP }, { "-f", MODE_SNAPSHOT }, { "-f x.log", MODE_SNAPSHOT },
		{ "--json", MODE_SNAPSHOT }, { "--fields help", MODE_FIELDS },
		{ "-b host -d --fields help", MODE_FIELDS },
		{ "--finish x", MODE_FINISH },
		{ "-b 0 1", MODE_BURNIN }, { "-s --snapshot_no_tty --offline", MODE_SNAPSHOT },
		{ "-t dark", MODE_LIVE }, { "-nc", MODE_LIVE }, { "-i 0.01", MODE_LIVE },
		{ "-i", MODE_LIVE }, { "-c --use_luwen", MODE_LIVE },
		{ "--external -s", MODE_SNAPSHOT },
	};
	struct options o;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (parse(&o, cases[i].line) != 0 || o.mode != cases[i].mode)
			fail_msg("'%s' is mode %d", cases[i].line, (int)o.mode);
	}
}

static void every_row_says_all_that_there_is_to_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];
		bool has_value = row->kind != OPTION_FLAG;

		if (!row->names[0] || !row->help || !row->modes == !row->from ||
			has_value != !!row->arg || (row->optional && !has_value) ||
			(row->kind == OPTION_CHOICE && !row->choices) ||
			(row->kind == OPTION_SET && !row->choices == !row->bits) ||
			/* What completions offer for it. */
			((row->kind == OPTION_LIST || row->kind == OPTION_SET ||
				row->kind == OPTION_WORDS) && !row->choices && !row->values) ||
			/* Which commands of -b, where it is not for all modes. */
			(row->commands && !row->from && !(row->modes & 1ull << MODE_BURNIN)) ||
			(!row->commands && row->from) ||
			(!row->commands && row->modes & 1ull << MODE_BURNIN && !row->mode &&
				!(row->modes & 1ull << MODE_FINISH)) ||
			(row->kind == OPTION_SECONDS && !row->least) ||
			(row->env && !row->at) ||
			(row->mode && !(row->modes & 1ull << row->mode)) ||
			(row->implies && !(row->modes & 1ull << row->implies)))
			fail_msg("row %zu, '%s', is incomplete", i,
				row->names[0] ? row->names[0] : "");
	}
}

static void no_two_options_share_a_spelling(void **state)
{
	const char *seen[OPTIONS * ARRAY_LEN(option_rows[0].names)];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < OPTIONS; i++)
		for (size_t k = 0; k < ARRAY_LEN(option_rows[i].names); k++) {
			const char *name = option_rows[i].names[k];

			for (size_t j = 0; name && j < n; j++)
				assert_string_not_equal(name, seen[j]);
			if (name)
				seen[n++] = name;
		}
}

static void an_option_that_the_mode_would_ignore_is_refused(void **state)
{
	static const char *const lines[] = {
		"-ls --fields nope", "-s -i 3", "-ls -i 3", "-ls -dur 3", "-s -dir x",
		"--fields power", "-s --fields help", "-t dark -s", "-ls --external", "-d --json",
		"-ls --snapshot_no_tty",
		"--finish x --device 0", "--finish x --sim p150a", "--finish x -i 1", "-s -t dark",
		"-r --device 0", "--finish x --passive", "--sim-seed 3", "-ls --ndjson",
		"-s --rotate 1M",
	};
	static const char *const accepted[] = {
		"-s -c", "-s --offline", "-ls --use_luwen", "-s --no_reinit", "-s -nc",
		"-ls -c -nc",
		"-d -c --offline", "-r --use_luwen", "-glx_reset --eth_train_skip", "-ls --local",
		"-s --snapshot_no_tty --offline", "-d --fields help", "-f x -c",
	};
	struct options o;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		if (parse(&o, lines[i]) != -EINVAL)
			fail_msg("'%s' was accepted as mode %d", lines[i], (int)o.mode);
	for (size_t i = 0; i < ARRAY_LEN(accepted); i++)
		if (parse(&o, accepted[i]) != 0)
			fail_msg("'%s' was refused: %s", accepted[i], said);
}

static void a_complaint_names_the_option_and_what_is_wrong(void **state)
{
	static const struct {
		const char *line, *said;
	} cases[] = {
		{ "-i -1", "-i: '-1' is not a time of at least 0.001 s (30, 500ms, 10m)" },
		{ "-i=-1", "-i: '-1' is not a time of at least 0.001 s (30, 500ms, 10m)" },
		{ "-d -dur -5", "-dur: '-5' is not a time of at least 0.001 s (30, 500ms, 10m)" },
		{ "--sim -ls", "--sim: needs a value, but what follows is the option -ls" },
		{ "-ls -dur 3", "-dur: goes with -d, -b, --diag, --textfile, not with -ls" },
		{ "-b list --sim x", "--sim: goes with -b host, -b cards, -b generate --device, "
			"not with -b list" },
		{ "-b generate --no-reset", "--no-reset: goes with -b cards, -b generate --device, "
			"not with -b generate" },
		{ "-b 0 --device 0", "--device: goes with -b generate, not with -b cards" },
		{ "-d soon", "-d: 'soon' is not a time of at least 0.001 s (30, 500ms, 10m)" },
		{ "-d 5x", "-d: '5x' is not a time of at least 0.001 s (30, 500ms, 10m)" },
		{ "-d -1", "-d: '-1' is not a time of at least 0.001 s (30, 500ms, 10m)" },
		{ "--snapshoot", "--snapshoot: unknown option; is --snapshot meant?" },
		{ "--snap", "--snap: unknown option; is --snapshot meant?" },
		{ "-lss", "-lss: unknown option; is -ls meant?" },
		{ "--fliename=x", "--fliename: unknown option; is --filename meant?" },
		{ "--durtion 3", "--durtion: unknown option; is --duration meant?" },
		{ "--warm-reset", "--warm-reset: unknown option; is --warm_reset meant?" },
		{ "-q", "-q: unknown option; spellings are exact" },
		{ "--frobnicate", "--frobnicate: unknown option; spellings are exact" },
		{ "-s=1", "-s: takes no value" },
		{ "-s -i 3", "-i: goes with the live display, -d, -b, --textfile, --during, not with -s" },
		{ "--fields power", "--fields: goes with -d, -b, not with the live display" },
		{ "-d --rotate 1M --keep 0",
			"--keep: '0' is not a number of parts from 1 to 1000000" },
		{ "-d --keep 3", "--keep: does nothing without --rotate" },
		{ "--sim-seed 3", "--sim-seed: does nothing without --sim" },
		{ "-t blue", "-t: 'blue' is not one of auto, default, dark" },
		{ "-s --ls -d", "--ls: cannot be used together with -s" },
		{ "-tr 0 -r 1", "-r: cannot be used together with -tr" },
		{ "--compare -", "--compare: '-' is not a file here, but for -f, where it is stdout; "
			"./- is one of that name" },
		{ "--compare x -", "--compare: '-' is not a file here, but for -f, where it is stdout; "
			"./- is one of that name" },
		{ "--merge -", "--merge: '-' is not a file here, but for -f, where it is stdout; "
			"./- is one of that name" },
		{ "--checks power", "--checks: goes with --diag, --health, not with the live display" },
		{ "--local --remote", "--local: cannot be used together with --remote" },
		{ "--sim a --load b", "--sim: cannot be used together with --load" },
		{ "-s \033[31mred", "\\x1b[31mred: no option takes this word" },
		{ "-t \033]0;x\007", "-t: '\\x1b]0;x\\x07' is not one of auto, default, dark" },
		{ "-t \302\233x\377", "-t: '\\xc2\\x9bx\\xff' is not one of auto, default, dark" },
		{ "-i \303\251", "-i: '\303\251' is not a time of at least 0.001 s (30, 500ms, 10m)" },
	};
	char want[256];
	struct options o;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(parse(&o, cases[i].line), -EINVAL);
		snprintf(want, sizeof(want), "tt-smi: %s (tt-smi -h lists the options)\n",
			cases[i].said);
		assert_string_equal(said, want);
	}
}

static void lists_that_are_given_twice_add_up(void **state)
{
	struct options o;

	(void)state;
	assert_int_equal(parse(&o, "-s --device 0 --devices 2,3 --device=all"), 0);
	assert_string_equal(o.devices, "0,2,3,all");
	assert_int_equal(parse(&o, "-d --fields power --fields memory"), 0);
	assert_string_equal(o.fields, "power,memory");
	assert_int_equal(parse(&o, "-d -dur 1 -dur 2"), 0);
	assert_true(o.duration == 2000000000);
}

static void a_time_has_a_unit_or_is_in_seconds(void **state)
{
	static const struct {
		const char *line;
		int64_t duration, interval, wait, deadline;
	} cases[] = {
		{ "-d -dur 30", 30 * CLOCK_SECOND, 0, 0, 0 },
		{ "-d -dur 30s", 30 * CLOCK_SECOND, 0, 0, 0 },
		{ "-d -dur=1.5m", 90 * CLOCK_SECOND, 0, 0, 0 },
		{ "-d -dur 2h -i 500ms", 7200 * CLOCK_SECOND, 500 * CLOCK_MS, 0, 0 },
		{ "-d -dur 1d", 86400 * CLOCK_SECOND, 0, 0, 0 },
		{ "-d 30", 30 * CLOCK_SECOND, 0, 0, 0 },
		{ "-d=30", 30 * CLOCK_SECOND, 0, 0, 0 },
		{ "--dump 10m -i 0.1", 600 * CLOCK_SECOND, 100 * CLOCK_MS, 0, 0 },
		{ "-d 30 -dur 40", 40 * CLOCK_SECOND, 0, 0, 0 },
		{ "-d", 0, 0, 0, 0 }, { "-i 20ms", 0, 20 * CLOCK_MS, 0, 0 },
		{ "-b host -d 30", 30 * CLOCK_SECOND, 0, 0, 0 },
		{ "-r 0 --wait 2m", 0, 0, 120 * CLOCK_SECOND, 0 },
		{ "-s --timeout 300ms", 0, 0, 0, 300 * CLOCK_MS },
	};
	struct options o;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (parse(&o, cases[i].line) != 0)
			fail_msg("'%s' was refused: %s", cases[i].line, said);
		assert_true(o.duration == cases[i].duration);
		assert_true(o.interval == cases[i].interval);
		assert_true(o.wait == cases[i].wait);
		assert_true(o.deadline == cases[i].deadline);
		assert_true(o.dump == (strstr(cases[i].line, "-d") != NULL &&
			strncmp(cases[i].line, "-s", 2) != 0));
	}
	assert_int_equal(parse(&o, "-b cards --first-light -d 30"), -EINVAL);
}

static void a_value_is_parsed_where_the_table_says(void **state)
{
	struct options o;

	(void)state;
	assert_int_equal(parse(&o, "-b host"), 0);
	assert_true(o.seed == 42 && o.pcc == 999000000 && !o.impls);
	assert_true(o.dtypes == (1u << BURN_DTYPES) - 1 && o.cases == (1u << BURN_CASES) - 1);
	assert_int_equal(o.workload, 1u << WORK_CONV | 1u << WORK_MATMUL);
	assert_int_equal(o.commands, 1u << COMMAND_HOST);
	assert_int_equal(parse(&o, "-b all -d --workload memory --size 50% --channels 4-6,0"), 0);
	assert_true(o.workload == 1u << WORK_MEMORY && o.channels == 0x71);
	assert_true(o.size.share == 50000 && o.size.bytes == 0);
	assert_int_equal(o.commands, 1u << COMMAND_HOST | 1u << COMMAND_CARDS | 1u << COMMAND_DUMP);
	assert_int_equal(parse(&o, "-b check --pcc 0.99 --cases 8 --cases 16,32 --impl naive"), 0);
	assert_true(o.pcc == 990000000 && o.cases == 7 && o.impls == 1);
	assert_string_equal(o.given[OPT_CASES], "8,16,32");
	assert_int_equal(o.commands, 1u << COMMAND_CHECK);
	assert_int_equal(parse(&o, "--check-memory --size all --seed 7"), 0);
	assert_true(o.size.share == 100000 && o.seed == 7);
	assert_int_equal(parse(&o, "-b check --dtype d,bfloat16,f --shape 1x2x3,1048576x1x7 "
		"--shape 4X5x6"), 0);
	assert_string_equal(o.given[OPT_DTYPE], "float64,bfloat16,float32");
	assert_int_equal(o.dtypes, 1u << BURN_FLOAT64 | 1u << BURN_FLOAT32 | 1u << BURN_BFLOAT16);
	assert_int_equal(o.shapes.n, 3);
	assert_int_equal(o.shapes.of[0].k, 2);
	assert_int_equal(o.shapes.of[1].m, 1048576);
	assert_int_equal(o.shapes.of[2].n, 6);
	assert_string_equal(o.given[OPT_SHAPE], "1x2x3,1048576x1x7,4X5x6");
	assert_int_equal(parse(&o, "-b host --dtype float32,float16"), -EINVAL);
	assert_non_null(strstr(said, "'float16' is none of"));
}

static void what_was_typed_asks_for_the_same_again(void **state)
{
	static const struct {
		const char *line, *again;
	} cases[] = {
		{ "-b host -d -dir=x --max-temp 60 --utc", "-b host -d --max-temp 60 --utc" },
		{ "--burnin all -dir x -dur=1m -d --seed 3", "--burnin all -dur=1m -d --seed 3" },
		{ "-b 0 --sim p150a*2 --no-reset", "-b 0 --sim 'p150a*2' --no-reset" },
	};
	struct options o;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf text = { 0 };

		assert_int_equal(parse(&o, cases[i].line), 0);
		options_put_again(&text, &o);
		assert_memory_equal(text.text, "tt-smi ", 7);
		assert_string_equal(text.text + 7, cases[i].again);
		strbuf_clear(&text);
	}
	setenv("TT_SMI_SIM", "n300", 1);
	assert_int_equal(parse(&o, "-b 0"), 0);
	unsetenv("TT_SMI_SIM");
	struct strbuf text = { 0 };

	options_put_again(&text, &o);
	assert_string_equal(text.text, "tt-smi -b 0 --sim n300");
	strbuf_clear(&text);
	setenv("NO_COLOR", "1", 1);
	assert_int_equal(parse(&o, "-b 0"), 0);
	unsetenv("NO_COLOR");
	options_put_again(&text, &o);
	assert_string_equal(text.text, "tt-smi -b 0 -nc");
	strbuf_clear(&text);
}

static void a_drawn_seed_is_repeated_where_one_is_taken(void **state)
{
	static const struct {
		const char *line, *again;
		uint64_t seed;
	} cases[] = {
		{ "-b host", "tt-smi -b host --seed 7", 7 },
		{ "--check-memory", "tt-smi --check-memory --seed 7", 7 },
		{ "--diag 1", "tt-smi --diag 1 --seed 7", 7 },
		{ "-b host --seed 3", "tt-smi -b host --seed 3", 3 },
		{ "-b generate x", "tt-smi -b generate x", 42 },
		{ "-s", "tt-smi -s", 42 },
	};
	struct options o;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf text = { 0 };

		assert_int_equal(parse(&o, cases[i].line), 0);
		options_set_seed(&o, 7);
		options_put_again(&text, &o);
		assert_string_equal(text.text, cases[i].again);
		assert_int_equal(o.seed, cases[i].seed);
		if (o.stands[OPT_SEED])
			free(o.given[OPT_SEED]);
		strbuf_clear(&text);
	}
}

static void values_are_attached_in_exact_shapes_alone(void **state)
{
	struct options o;

	(void)state;
	assert_int_equal(parse(&o, "-r0"), 0);
	assert_true(o.mode == MODE_RESET && o.n_targets == 1);
	assert_string_equal(o.targets[0], "0");
	assert_int_equal(parse(&o, "-r0,1,12 3 --wait 5"), 0);
	assert_true(o.n_targets == 2 && o.wait == 5 * CLOCK_SECOND);
	assert_string_equal(o.targets[0], "0,1,12");
	assert_string_equal(o.targets[1], "3");
	assert_int_equal(parse(&o, "-tr 0"), 0);
	assert_true(o.mode == MODE_RESET && o.n_targets == 1 && o.typed[OPT_RESET]);
	assert_int_equal(parse(&o, "-lr 0 1"), 0);
	assert_true(o.mode == MODE_RESET && o.n_targets == 2 && !o.local);
	assert_int_equal(parse(&o, "-i5"), 0);
	assert_true(o.mode == MODE_LIVE && o.interval == 5 * CLOCK_SECOND);
	assert_int_equal(parse(&o, "-i0.25 -d"), 0);
	assert_true(o.mode == MODE_DUMP && o.interval == 250 * CLOCK_MS);
	assert_int_equal(parse(&o, "-s -fout.json"), 0);
	assert_string_equal(o.filename, "out.json");
	assert_int_equal(parse(&o, "-f/tmp/x -s"), 0);
	assert_string_equal(o.filename, "/tmp/x");
	assert_int_equal(parse(&o, "-s --use_umd"), 0);
	assert_int_equal(parse(&o, "-r 0 --dont_reinit"), 0);
	assert_int_equal(parse(&o, "-forse"), -EINVAL);
	assert_non_null(strstr(said, "is --force meant?"));
	assert_int_equal(parse(&o, "-rall"), -EINVAL);
	assert_non_null(strstr(said, "unknown option"));
}

static void what_cannot_be_meant_is_refused(void **state)
{
	static const char *const lines[] = {
		"-sd", "-rall", "-r0x", "-r0;1", "-iall", "-i5s", "-wr0", "-d5", "-fil", "-force",
		"-fs", "-fl", "-fab", "-finterval", "--r0", "-ls0", "--snap", "-snap", "--durat 3", "-du 3", "word", "-s word", "-ls 0",
		"-s -d", "-t", "-t blue", "-i -1", "-i x", "-i 0", "-d -i 0.0001", "-i 0.001",
		"-dur 5",
		"-d -dur", "-d -dur 0", "-d -dur abc", "-d -dur 1e3", "--sim", "-s=1", "--sim=",
		"-f -- x",
		"--local --remote", "--passive --remote", "--sim p150a --replay x", "-s --keep 2",
		"--rotate 10m", "-d --rotate 5x", "-d --rotate 0m", "-d --keep 3",
		"-d --ndjson -dir x",
		"-s -dur 3", "-s --json -f x", "-d -f x", "--sim-seed -1", "-d --rotate 1k",
		"--record x --load y", "-snapshotx", "---s",
	};
	struct options o;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		if (parse(&o, lines[i]) != -EINVAL)
			fail_msg("'%s' was accepted as mode %d", lines[i], (int)o.mode);
}

static void optional_values_take_the_next_word_unless_it_is_an_option(void **state)
{
	struct options o;

	(void)state;
	assert_int_equal(parse(&o, "-f -s"), 0);
	assert_true(o.typed[OPT_FILENAME] && !o.filename);
	assert_int_equal(parse(&o, "-s -f -"), 0);
	assert_string_equal(o.filename, "-");
	assert_int_equal(parse(&o, "-s -f=x.log"), 0);
	assert_string_equal(o.filename, "x.log");
	assert_int_equal(parse(&o, "-i -nc"), 0);
	assert_true(o.interval == 0 && o.no_color);
	assert_int_equal(parse(&o, "-i 0.25 -nc"), 0);
	assert_true(o.interval == 250000000);
	assert_int_equal(parse(&o, "-d -dir -dur 2"), 0);
	assert_true(o.typed[OPT_DUMP_DIR] && !o.dump_dir && o.duration == 2000000000);
}

static void resets_take_all_names_that_follow(void **state)
{
	struct options o;

	(void)state;
	assert_int_equal(parse(&o, "-r 0 1 0000:0a:00.0 --no_reinit"), 0);
	assert_int_equal(o.n_targets, 3);
	assert_string_equal(o.targets[2], "0000:0a:00.0");
	assert_int_equal(parse(&o, "-wr=0,1 /dev/tenstorrent/3"), 0);
	assert_int_equal(o.n_targets, 2);
	assert_string_equal(o.targets[0], "0,1");
	assert_int_equal(parse(&o, "-r"), 0);
	assert_int_equal(o.n_targets, 0);
}

static void rotation_is_by_size_or_by_time(void **state)
{
	struct options o;

	(void)state;
	assert_int_equal(parse(&o, "-d --rotate 100M --keep 3"), 0);
	assert_true(o.rotate.bytes == 100 << 20 && o.rotate.ns == 0 && o.keep == 3);
	assert_int_equal(parse(&o, "-d --rotate 10m"), 0);
	assert_true(o.rotate.bytes == 0 && o.rotate.ns == 600000000000);
}

static void the_environment_stands_for_options_that_were_not_given(void **state)
{
	struct options o;

	(void)state;
	setenv("TT_SMI_SIM", "n300", 1);
	setenv("TT_SMI_SIM_SEED", "7", 1);
	assert_int_equal(parse(&o, "-s"), 0);
	assert_string_equal(o.sim, "n300");
	assert_true(o.sim_seed == 7);
	assert_int_equal(parse(&o, "-s --load x"), 0);
	assert_null(o.sim);
	assert_int_equal(parse(&o, "-s --sim p150a --sim-seed 3"), 0);
	assert_string_equal(o.sim, "p150a");
	assert_true(o.sim_seed == 3);
	assert_int_equal(parse(&o, "--finish x"), 0);
	setenv("TT_SMI_SIM_SEED", "seven", 1);
	assert_int_equal(parse(&o, "-s"), -EINVAL);
	assert_non_null(strstr(said, "TT_SMI_SIM_SEED: 'seven' is not a whole number"));
	unsetenv("TT_SMI_SIM_SEED");
	setenv("TT_SMI_LOAD", "x", 1);
	assert_int_equal(parse(&o, "-s"), -EINVAL);
	assert_non_null(strstr(said, "TT_SMI_SIM: cannot be used together with TT_SMI_LOAD"));
	unsetenv("TT_SMI_LOAD");
	unsetenv("TT_SMI_SIM");
	setenv("TT_SMI_PASSIVE", "1", 1);
	assert_int_equal(parse(&o, "--remote"), -EINVAL);
	assert_non_null(strstr(said, "--remote: cannot be used together with TT_SMI_PASSIVE"));
	setenv("TT_SMI_PASSIVE", "", 1);
	assert_int_equal(parse(&o, "--remote"), 0);
	unsetenv("TT_SMI_PASSIVE");
}

static bool watches(const char *dashes, const char *option, const char *behind)
{
	struct process p = { .pid = 1, .uid = 0 };

	snprintf(p.command, sizeof(p.command), "/usr/bin/tt-smi --root /x/-r %s%s%s 0", dashes,
		option, behind);
	return holder_is_monitor(&p);
}

/* What a user of the machine calls his program decides nothing for others. */
static void a_name_is_believed_of_our_own_program_alone(void **state)
{
	static const struct {
		enum process_exe exe;
		int64_t uid;
		bool is_monitor;
	} cases[] = {
		{ EXE_OURS, 1000, true }, { EXE_OTHER, 1000, false }, { EXE_OTHER, 0, false },
		{ EXE_UNKNOWN, 0, true }, { EXE_UNKNOWN, 1u << 31, false },
		{ EXE_UNKNOWN, -1, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct process p = { .pid = 1, .command = "/usr/bin/tt-smi --exporter 1",
			.exe = cases[i].exe, .uid = cases[i].uid };

		assert_int_equal(holder_is_monitor(&p), cases[i].is_monitor);
	}
}

/* Another process of ours is known as one that acts by the options that this table has. */
static void each_spelling_of_an_act_and_no_other_keeps_a_card(void **state)
{
	const uint64_t acts = 1ull << MODE_RESET | 1ull << MODE_MOBO_RESET |
		1ull << MODE_GALAXY_RESET | 1ull << MODE_BURNIN |
		1ull << MODE_CHECK_MEMORY | 1ull << MODE_DIAG;

	(void)state;
	for (int i = 0; i < ACTS; i++)
		if (!act_words[i].name || !act_words[i].undone || !act_words[i].options[0])
			fail_msg("act %d has no words: to other programs it is a mere monitor", i);
	for (int id = 0; id < OPTIONS; id++)
		for (int k = 0; k < 4 && option_rows[id].names[k]; k++) {
			const struct option_row *row = &option_rows[id];
			const bool only_looks = !row->mode || !(acts >> row->mode & 1);

			if (watches("-", row->names[k], "") != only_looks ||
				watches("--", row->names[k], "=0") != only_looks)
				fail_msg("-%s", row->names[k]);
		}
	assert_false(watches("-", "r", "0,1"));
	assert_true(watches("-", "record", "/x"));
	assert_true(watches("--", "during", " -- ./job -r"));
	assert_true(watches("--", "during", " ./job --burnin"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mode_has_its_spellings),
		cmocka_unit_test(every_row_says_all_that_there_is_to_say),
		cmocka_unit_test(no_two_options_share_a_spelling),
		cmocka_unit_test(an_option_that_the_mode_would_ignore_is_refused),
		cmocka_unit_test(a_complaint_names_the_option_and_what_is_wrong),
		cmocka_unit_test(lists_that_are_given_twice_add_up),
		cmocka_unit_test(a_time_has_a_unit_or_is_in_seconds),
		cmocka_unit_test(a_value_is_parsed_where_the_table_says),
		cmocka_unit_test(what_was_typed_asks_for_the_same_again),
		cmocka_unit_test(a_drawn_seed_is_repeated_where_one_is_taken),
		cmocka_unit_test(values_are_attached_in_exact_shapes_alone),
		cmocka_unit_test(what_cannot_be_meant_is_refused),
		cmocka_unit_test(optional_values_take_the_next_word_unless_it_is_an_option),
		cmocka_unit_test(resets_take_all_names_that_follow),
		cmocka_unit_test(rotation_is_by_size_or_by_time),
		cmocka_unit_test(the_environment_stands_for_options_that_were_not_given),
		cmocka_unit_test(a_name_is_believed_of_our_own_program_alone),
		cmocka_unit_test(each_spelling_of_an_act_and_no_other_keeps_a_card),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
