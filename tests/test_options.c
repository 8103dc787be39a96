/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line: what is accepted, what is refused, and that a word which
 * belongs to nothing is never overlooked.
 */
#include "config.h"
#include "base/array.h"
#include "src/option_table.h"
#include "src/options.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Parse a line of words; what goes to stderr is dropped. */
static int parse(struct options *o, const char *line)
{
	static char text[512];
	char *argv[64] = { (char *)(uintptr_t)"tt-smi" }, *save = NULL;
	int argc = 1, r, null = open("/dev/null", O_WRONLY), old = dup(STDERR_FILENO);

	snprintf(text, sizeof(text), "%s", line);
	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	fflush(stderr);
	dup2(null, STDERR_FILENO);
	r = options_parse(o, argc, argv);
	fflush(stderr);
	dup2(old, STDERR_FILENO);
	close(null);
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
		{ "--version", MODE_VERSION },
		{ "-s -h", MODE_HELP }, { "-f", MODE_SNAPSHOT }, { "-f x.log", MODE_SNAPSHOT },
		{ "--json", MODE_SNAPSHOT }, { "--fields help", MODE_FIELDS },
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

static void every_option_has_one_row(void **state)
{
	bool seen[OPTIONS] = { false };

	(void)state;
	for (size_t i = 0; i < OPTIONS; i++) {
		assert_non_null(option_rows[i].names[0]);
		assert_false(seen[option_rows[i].id]);
		seen[option_rows[i].id] = true;
	}
}

static void what_cannot_be_meant_is_refused(void **state)
{
	static const char *const lines[] = {
		"-lr", "-sd", "--snap", "-snap", "--durat 3", "-du 3", "word", "-s word", "-ls 0",
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
	assert_true(o.has_filename && !o.filename);
	assert_int_equal(parse(&o, "-s -f -"), 0);
	assert_string_equal(o.filename, "-");
	assert_int_equal(parse(&o, "-s -f=x.log"), 0);
	assert_string_equal(o.filename, "x.log");
	assert_int_equal(parse(&o, "-i -nc"), 0);
	assert_true(o.interval == 0 && o.no_color);
	assert_int_equal(parse(&o, "-i 0.25 -nc"), 0);
	assert_true(o.interval == 250000000);
	assert_int_equal(parse(&o, "-d -dir -dur 2"), 0);
	assert_true(o.has_dump_dir && !o.dump_dir && o.duration == 2000000000);
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
	assert_true(o.rotate_bytes == 100 << 20 && o.rotate_ns == 0 && o.keep == 3);
	assert_int_equal(parse(&o, "-d --rotate 10m"), 0);
	assert_true(o.rotate_bytes == 0 && o.rotate_ns == 600000000000);
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
	unsetenv("TT_SMI_SIM");
	unsetenv("TT_SMI_SIM_SEED");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mode_has_its_spellings),
		cmocka_unit_test(every_option_has_one_row),
		cmocka_unit_test(what_cannot_be_meant_is_refused),
		cmocka_unit_test(optional_values_take_the_next_word_unless_it_is_an_option),
		cmocka_unit_test(resets_take_all_names_that_follow),
		cmocka_unit_test(rotation_is_by_size_or_by_time),
		cmocka_unit_test(the_environment_stands_for_options_that_were_not_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
