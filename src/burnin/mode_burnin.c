/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_burnin.c - --burnin: finds the sub-command, and the cases and types it is about;
 * other words are what to burn.
 */
#include "config.h"
#include "base/array.h"
#include "base/parse.h"
#include "burnin/kernels/impl.h"
#include "burnin/kernels/team.h"
#include "src/burnin/work.h"
#include "src/mode.h"
#include "src/say.h"

#include <stdio.h>
#include <string.h>

/* A first word that is none of these names a target: host, a card, all. */
static const struct command {
	const char *name;
	size_t least, most;	/* words after it */
	const char *words;
	enum exit_code (*run)(const struct burnin_job *j);
} commands[] = {
	{ "list", 0, 0, "", burnin_list },
	{ "generate", 0, 1, " [DIR]", burnin_generate },
	{ "verify", 1, 1, " DIR", burnin_verify },
	{ "compare", 2, 63, " DIR FILE...", burnin_compare },
	{ "check", 0, 0, "", burnin_check },
	{ "bench", 0, 0, "", burnin_bench },
	{ "profile", 0, 1, " [FILE]", burnin_profile },
};

/* The next name of a list with commas between; false at its end. */
static bool next_name(const char **list, char *name, size_t size)
{
	size_t len = strcspn(*list, ",");

	if (!**list)
		return false;
	snprintf(name, size, "%.*s", (int)(len < size ? len : size - 1), *list);
	*list += len + ((*list)[len] == ',');
	return true;
}

static bool choose_cases(const char *list, bool cases[BURN_CASES])
{
	const struct burn_case *c;
	uint64_t channels;
	char name[40];

	for (int i = 0; i < BURN_CASES; i++)
		cases[i] = !list;
	while (list && next_name(&list, name, sizeof(name))) {
		c = parse_u64(name, &channels) && channels <= 8192 ?
			burn_case_find((int)channels) : NULL;
		if (!c) {
			say("--cases: no case has %s input channels (--burnin list shows them)",
				name);
			return false;
		}
		cases[c - burn_cases] = true;
	}
	return true;
}

static bool choose_dtypes(const char *list, bool dtypes[BURN_DTYPES])
{
	char name[40];
	int t;

	for (t = 0; t < BURN_DTYPES; t++)
		dtypes[t] = !list;
	while (list && next_name(&list, name, sizeof(name))) {
		for (t = 0; t < BURN_DTYPES; t++)
			if (strcmp(name, burn_dtype_name((enum burn_dtype)t)) == 0)
				break;
		if (t == BURN_DTYPES) {
			say("--dtype: %s is neither float32 nor bfloat16", name);
			return false;
		}
		dtypes[t] = true;
	}
	return true;
}

static bool choose_pcc(const char *text, double *pcc)
{
	int64_t v = 999000000;

	if (text && (!parse_decimal(text, 1000000000, &v) || v < 0 || v > 1000000000)) {
		say("--pcc: '%.40s' is not a number from 0 to 1", text);
		return false;
	}
	*pcc = (double)v / 1e9;
	return true;
}

/* --impl: by name; one that cannot run here is no silent choice of another. */
static enum exit_code choose_impl(const char *name)
{
	const struct impl *i = name ? impl_find(name) : NULL;
	bool usable = false;

	if (!name)
		return EXIT_DONE;
	if (!i) {
		say("--impl: '%.40s' is none of these:", name);
		for (int k = 0; impls[k]; k++)
			say("  %-12s %s", impls[k]->name, impls[k]->help);
		return EXIT_USAGE;
	}
	for (int k = 0; k < BURN_OPS * BURN_DTYPES; k++)
		usable = usable || impl_usable(i, (enum burn_op)(k / BURN_DTYPES),
			(enum burn_dtype)(k % BURN_DTYPES));
	if (!usable) {
		say("--impl: %s: this processor cannot run it", name);
		return EXIT_FAILED;
	}
	impl_force(i);
	return EXIT_DONE;
}

enum goes_with { COMMANDS, BURN, CARDS };

/* NULL: it goes with what is asked for. */
static const char *misfit(const struct options *o, enum goes_with with, bool burn)
{
	if (burn != (with != COMMANDS))
		return burn ? "does nothing in a burn" : "goes with a burn (-b host)";
	return with == CARDS && !burnin_names_cards(o) ? "goes with a burn of cards" : NULL;
}

/* An option that would be ignored was meant for something else. */
static bool fits(const struct options *o, bool burn)
{
	static const struct {
		enum option_id id;
		enum goes_with with;
	} rules[] = {
		{ OPT_DURATION, BURN }, { OPT_REPORT, BURN }, { OPT_WORKLOAD, BURN },
		{ OPT_ITERATIONS, BURN }, { OPT_THREADS, BURN }, { OPT_PATTERN, BURN },
		{ OPT_SEED, BURN }, { OPT_SIZE, BURN }, { OPT_STOP_ON_ERROR, BURN },
		{ OPT_MAX_TEMP, BURN }, { OPT_DUMP, BURN }, { OPT_THEME, BURN },
		{ OPT_RESUME, BURN }, { OPT_CHANNELS, CARDS }, { OPT_BLOCK, CARDS },
		{ OPT_PHASES, CARDS }, { OPT_HELD, CARDS }, { OPT_FIRST_LIGHT, CARDS },
		{ OPT_NO_RESET, CARDS }, { OPT_LOCAL, CARDS },
		{ OPT_CASES, COMMANDS }, { OPT_PCC, COMMANDS },
	};
	static const enum option_id dumps[] = { OPT_INTERVAL, OPT_DUMP_DIR, OPT_FIELDS, OPT_UTC,
		OPT_ROTATE, OPT_KEEP, OPT_EXTERNAL };

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		const char *typed = o->typed[rules[i].id];
		const char *why = typed ? misfit(o, rules[i].with, burn) : NULL;

		if (why) {
			say("%.*s: %s", (int)strcspn(typed, "="), typed, why);
			return false;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(dumps); i++)
		if (o->typed[dumps[i]] && !o->dump) {
			say("%.*s does nothing here without -d",
				(int)strcspn(o->typed[dumps[i]], "="), o->typed[dumps[i]]);
			return false;
		}
	return true;
}

/* "-" is stdout after -f alone. */
static bool names_dash(const struct burnin_job *j)
{
	for (size_t i = 0; i < j->n_args; i++)
		if (strcmp(j->args[i], "-") == 0) {
			say("'-' is no file here; ./- is one of that name");
			return true;
		}
	return false;
}

enum exit_code mode_burnin(const struct options *o)
{
	const char *name = o->n_targets > 0 ? o->targets[0] : "";
	struct burnin_job j = { .o = o, .chosen = o->cases || o->dtypes,
		.threads = team_processors(), .args = o->targets + 1,
		.n_args = o->n_targets > 0 ? o->n_targets - 1 : 0 };
	enum exit_code impl;

	if (!choose_cases(o->cases, j.which.cases) || !choose_dtypes(o->dtypes, j.which.dtypes) ||
		!choose_pcc(o->pcc, &j.pcc))
		return EXIT_USAGE;
	impl = choose_impl(o->impl);
	if (impl != EXIT_DONE)
		return impl;
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		const struct command *c = &commands[i];

		if (strcmp(name, c->name) != 0)
			continue;
		if (j.n_args < c->least || j.n_args > c->most || names_dash(&j)) {
			say("usage: tt-smi --burnin %s%s", c->name, c->words);
			return EXIT_USAGE;
		}
		return fits(o, false) ? c->run(&j) : EXIT_USAGE;
	}
	if (o->n_targets == 0) {
		say("%s: name what to burn: host, cards, all, or a card as tt-smi -ls names it",
			o->mode_option);
		return EXIT_FAILED;
	}
	return fits(o, true) ? burnin_burn(&j) : EXIT_USAGE;
}

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

enum exit_code burnin_list(const struct burnin_job *j)
{
	printf("%5s %6s %6s  %-7s %-9s %-13s %-12s %-12s %10s %10s %8s %9s\n", "ic", "K", "tiled",
		"op", "type", "input, A", "weight, B", "output", "FLOP", "bytes", "FLOP/B",
		"state");
	for (int i = 0; i < BURN_CASES; i++)
		for (int op = 0; op < BURN_OPS; op++)
			for (int t = 0; t < BURN_DTYPES; t++)
				if (j->which.cases[i] && j->which.dtypes[t])
					list_one(&burn_cases[i], (enum burn_op)op,
						(enum burn_dtype)t);
	printf("\nconv2d: 3x3, stride 1, padding 1, with a bias of 32; bytes: every tensor once;\n"
	       "state: elements of weight and bias, or B; tiled: K in whole tiles of %d\n",
		BURN_TILE);
	return EXIT_DONE;
}
