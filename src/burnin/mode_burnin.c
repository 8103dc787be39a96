/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_burnin.c - --burnin: its commands, and the cases and types that they are about.
 */
#include "config.h"
#include "burnin/kernels/impl.h"
#include "src/burnin/work.h"
#include "src/mode.h"
#include "src/say.h"

#include <stdio.h>
#include <string.h>

static enum exit_code (*const commands[COMMANDS])(const struct burnin_job *j) = {
	[COMMAND_LIST] = burnin_list,
	[COMMAND_GENERATE] = burnin_generate,
	[COMMAND_VERIFY] = burnin_verify,
	[COMMAND_COMPARE] = burnin_compare,
	[COMMAND_CHECK] = burnin_check,
	[COMMAND_BENCH] = burnin_bench,
	[COMMAND_PROFILE] = burnin_profile,
	[COMMAND_HOST] = burnin_burn,
	[COMMAND_CARDS] = burnin_burn,
};

static bool can_run(const struct impl *i)
{
	bool usable = false;

	for (int k = 0; k < BURN_OPS * BURN_COMPUTED; k++)
		usable = usable || impl_usable(i, (enum burn_op)(k / BURN_COMPUTED),
			(enum burn_dtype)(k % BURN_COMPUTED));
	return usable;
}

/*
 * --impl: refuse an implementation that cannot run here, instead of silently choosing another.
 * Of several (v3) the fastest is chosen as usual: of all that can run here, it is one of them.
 */
static enum exit_code choose_impl(const struct options *o)
{
	const uint32_t set = o->impls;
	int n = 0;

	if (set && strchr(o->given[OPT_IMPL], ',')) {
		say_as(CODE_BAD_VALUE, "--impl: takes one name");
		return EXIT_USAGE;
	}
	for (int i = 0; impls[i]; i++)
		n += set & 1u << i && can_run(impls[i]);
	if (set && n == 0) {
		say_as(CODE_UNSUPPORTED, "--impl: %s: this processor cannot run it",
			o->given[OPT_IMPL]);
		return EXIT_FAILED;
	}
	if (set && (set & (set - 1)) == 0)
		impl_force(impls[__builtin_ctz(set)]);
	return EXIT_DONE;
}

enum exit_code mode_burnin(const struct options *o)
{
	struct burnin_job j = burnin_job_of(o);
	const unsigned kernels = 1u << COMMAND_CHECK | 1u << COMMAND_BENCH | 1u << COMMAND_PROFILE;
	enum exit_code impl = choose_impl(o);

	if (impl != EXIT_DONE)
		return impl;
	if (o->n_targets == 0) {
		say_as(CODE_NOTHING_NAMED, "%s: name what to burn: host, cards, all, or a card as "
			"tt-smi -ls names it", o->mode_option);
		return EXIT_FAILED;
	}
	if (j.which.dtypes[BURN_FLOAT64] && !(o->commands & kernels)) {
		say_as(CODE_UNSUPPORTED, "--dtype: float64 is computed by check, bench and profile "
			"alone");
		return EXIT_USAGE;
	}
	return commands[__builtin_ctz(o->commands)](&j);
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
