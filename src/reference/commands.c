/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands.c - what -b can be asked to do: a row for each command, and -b list and -b help, which
 * need no more than this.  A burn, which its words do not name, is in src/burnin/.
 */
#include "config.h"
#include "src/reference/reference.h"

#include "base/text.h"
#include "src/act.h"
#include "src/burnin/run.h"
#include "src/outlet.h"
#include "src/say.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void put_dims(const struct burn_shape *s, enum burn_role role, char out[static 32])
{
	size_t dims[4];
	int n = burn_dims(s, role, dims), len = 0;

	out[0] = '\0';
	for (int i = 0; i < n; i++)
		len += snprintf(out + len, 32 - (size_t)len, "%s%zu", i ? "x" : "", dims[i]);
}

static void list_one(const struct burn_case *c, enum burn_op op, enum burn_dtype t)
{
	struct burn_shape s = burn_shape_of(c, op);
	uint64_t flops = burn_flops(&s), bytes = burn_bytes(&s, t);
	char input[32], weight[32], output[32];

	put_dims(&s, BURN_INPUT, input);
	put_dims(&s, BURN_WEIGHT, weight);
	put_dims(&s, BURN_OUTPUT, output);
	printf("%5d %6d %6d  %-7s %-9s %-13s %-12s %-12s %10llu %10llu %8.2f %9llu\n", c->channels,
		c->k, burn_pad_tile(c->k), burn_op_name(op), burn_dtype_name(t), input, weight,
		output, (unsigned long long)flops, (unsigned long long)bytes,
		(double)flops / (double)bytes, (unsigned long long)burn_state_size(&s));
}

static enum exit_code reference_list(const struct reference_job *j)
{
	printf("%5s %6s %6s  %-7s %-9s %-13s %-12s %-12s %10s %10s %8s %9s\n", "ic", "K", "tiled",
		"op", "type", "input, A", "weight, B", "output", "FLOP", "bytes", "FLOP/B",
		"state");
	for (int i = 0; i < BURN_CASES; i++)
		for (int op = 0; op < BURN_OPS; op++)
			for (int t = 0; t < BURN_DTYPES; t++)
				if (burn_choice_has(&j->which, (enum burn_dtype)t, i))
					list_one(&burn_cases[i], (enum burn_op)op,
						(enum burn_dtype)t);
	printf("\nconv2d: 3x3, stride 1, padding 1, with a bias of 32; bytes: every tensor once;\n"
	       "state: elements of weight and bias, or B; tiled: K in whole tiles of %d\n",
		BURN_TILE);
	return EXIT_DONE;
}

/* A command, its help, and which options it takes. */
static void put_command(struct strbuf *to, enum command c, size_t columns)
{
	const struct command_row *row = &burnin_commands[c];
	struct strbuf left = { 0 }, help = { 0 };
	const char *before = " (";
	char name[40];

	strbuf_printf(&left, "%s%s", row->name, row->words);
	strbuf_puts(&help, row->help);
	for (size_t i = 0; i < OPTIONS; i++) {
		if (!(option_rows[i].commands & 1u << c))
			continue;
		strbuf_printf(&help, "%s%s", before,
			option_spelling((enum option_id)i, name, sizeof(name)));
		before = ", ";
	}
	if (*before == ',')
		strbuf_putc(&help, ')');
	options_put_row(to, left.text, help.text, columns);
	strbuf_clear(&left);
	strbuf_clear(&help);
}

static enum exit_code print_help(const struct reference_job *j)
{
	const size_t columns = outlet_columns(STDOUT_FILENO);
	struct strbuf text = { 0 };
	unsigned words = 0;

	(void)j;
	strbuf_puts(&text, "usage: tt-smi -b COMMAND [options]\n\n"
		"Commands, and the options that they take:\n");
	for (int c = 0; c < COMMANDS; c++) {
		if (burnin_commands[c].help)
			put_command(&text, (enum command)c, columns);
		if (burnin_commands[c].run)
			words |= 1u << c;
	}
	strbuf_puts(&text, "\nOptions:\n");
	for (size_t i = 0; i < OPTIONS; i++)
		if (option_rows[i].commands & words)
			options_put_option(&text, (enum option_id)i, columns);
	return outlet_print(&text, EXIT_DONE);
}

const struct command_row burnin_commands[COMMANDS] = {
	[COMMAND_LIST] = { .name = "list", .run = reference_list, .words = "",
		.help = "print cases with their shapes, operations and bytes" },
	[COMMAND_GENERATE] = { .name = "generate", .run = reference_generate, .most = 1,
		.words = " [DIR]",
		.help = "write reference data into a new folder (burnin-reference)" },
	[COMMAND_VERIFY] = { .name = "verify", .run = reference_verify, .least = 1, .most = 1,
		.words = " DIR", .help = "draw and compute the data in a folder again" },
	[COMMAND_COMPARE] = { .name = "compare", .run = reference_compare, .least = 2, .most = 63,
		.words = " DIR FILE... | FILE FILE",
		.help = "compare results with reference data, or any two files of arrays" },
	[COMMAND_CHECK] = { .name = "check", .run = reference_check, .words = "",
		.help = "compare the results of this host's kernels with golden ones" },
	[COMMAND_BENCH] = { .name = "bench", .run = reference_bench, .words = "",
		.help = "time this host's kernels" },
	[COMMAND_PROFILE] = { .name = "profile", .run = reference_profile, .most = 1,
		.words = " [FILE]",
		.help = "record what each thread does in the fastest kernels (burnin-trace.json)" },
	[COMMAND_HELP] = { .name = "help", .run = print_help, .words = "",
		.help = "show this help" },
	[COMMAND_HOST] = { .name = "host" },
	[COMMAND_CARDS] = { .name = "cards" },
	[COMMAND_DUMP] = { .name = "and -d together" },
	[COMMAND_ON_CARD] = { .name = "generate --device", .words = " CARD",
		.help = "compute the results on a card's cores" },
};

enum exit_code mode_burnin(const struct options *o)
{
	const unsigned kernels = 1u << COMMAND_CHECK | 1u << COMMAND_BENCH | 1u << COMMAND_PROFILE;
	const struct command_row *row = &burnin_commands[__builtin_ctz(o->commands)];
	const struct reference_job j = reference_job_of(o);
	enum exit_code code;

	if (o->n_targets == 0) {
		say_as(CODE_NOTHING_NAMED, "%s: name what to burn: host, cards, all, or a card as "
			"tt-smi -ls names it", o->mode_option);
		return EXIT_FAILED;
	}
	if (o->dtypes & 1u << BURN_FLOAT64 && !(o->commands & kernels)) {
		say_as(CODE_UNSUPPORTED, "--dtype: float64 is computed by check, bench and profile "
			"alone");
		return EXIT_USAGE;
	}
	/* An act chooses it when it can leave a report. */
	if (!row->run)
		return mode_act(o);
	code = burnin_choose_impl(o);
	return code == EXIT_DONE ? row->run(&j) : code;
}
