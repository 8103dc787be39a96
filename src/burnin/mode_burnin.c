/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_burnin.c - --burnin: its commands, and the cases and types that they are about.
 */
#include "config.h"

#include "base/file.h"
#include "base/text.h"
#include "burnin/kernels/impl.h"
#include "burnin/reference/refdir.h"
#include "src/act.h"
#include "src/burnin/burnin.h"
#include "src/mode.h"
#include "src/say.h"
#include "src/stop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --burnin generate, verify, compare: make reference data, check it, compare with it. */

/* The cases of one run: a negative verdict outranks cases that could not be checked. */
struct cases {
	int passed, failed, broken;
};

static enum exit_code data_verdict(const struct cases *t, const char *what)
{
	char plain[REFDIR_PATH];

	printf("%s: %d passed, %d failed, %d could not be checked\n",
		text_plain(plain, sizeof(plain), what), t->passed, t->failed, t->broken);
	return exit_judged(t->failed > 0, t->broken > 0 || t->passed == 0);
}

static void say_case(enum burn_dtype t, const struct burn_case *c)
{
	printf("%-8s k%04d_ic%03d ", burn_dtype_name(t), c->k, c->channels);
}

static int generate_case(const struct burnin_job *j, const char *dir, const struct burn_case *c,
	struct stop *stop, struct error *e)
{
	struct data d;
	uint64_t bytes;
	int r = 0;

	data_init(&d, c, BURN_FLOAT32);
	data_draw(&d);
	for (int i = 0; r == 0 && i < BURN_DTYPES; i++) {
		/* float32 first, since rounding to bfloat16 is done in place. */
		enum burn_dtype t = i == 0 ? BURN_FLOAT32 : BURN_BFLOAT16;

		if (!j->which.dtypes[t])
			continue;
		if (stop_check(stop)) {
			r = fail(e, -EINTR, "%s: stopped; it has no config.json yet", dir);
			break;
		}
		if (t == BURN_BFLOAT16)
			data_round(&d);
		r = refdir_write(dir, &d, j->threads, NULL, &bytes, e);
		if (r < 0)
			break;
		say_case(t, c);
		printf("7 arrays, %llu bytes\n", (unsigned long long)bytes);
		fflush(stdout);
	}
	data_clear(&d);
	return r;
}

static enum exit_code burnin_generate(const struct burnin_job *j)
{
	char own[REFDIR_PATH], plain[REFDIR_PATH];
	const char *dir = j->n_args > 0 ? j->args[0] : own;
	struct stop stop;
	struct error e;
	int r = 0;

	if (j->n_args == 0 && file_free_name("burnin-reference", "", own, sizeof(own)) < 0) {
		say_as(CODE_EXISTS, "burnin-reference: no free name");
		return EXIT_FAILED;
	}
	if (j->o->devices)
		return burnin_generate_on_card(j, dir);
	/* Without config.json a folder is not finished, however much of it there is. */
	stop_open_printing(&stop, true);
	r = refdir_create(dir, &j->which, &e);
	for (int i = 0; r == 0 && i < BURN_CASES; i++)
		if (j->which.cases[i])
			r = generate_case(j, dir, &burn_cases[i], &stop, &e);
	if (r == 0)
		r = refdir_finish(dir, &j->which, NULL, &e);
	stop_end(&stop);
	if (r < 0) {
		say_error(&e);
		return EXIT_FAILED;
	}
	printf("%s: written\n", text_plain(plain, sizeof(plain), dir));
	return EXIT_DONE;
}

/* The correlation and the farthest element both decide: each misses faults that the other sees. */
static void print_comparison(enum burn_dtype t, const struct compare *c)
{
	const struct compare_tolerance *may = &compare_tolerances[t];
	char pcc[BURNIN_PCC_TEXT];

	if (c->different == 0)
		printf("%zu equal\n", c->n);
	else
		printf("%zu of %zu differ, ULP max %.6g mean %.4g, abs %.4g, rel %.3g, PCC %s, "
			"[%zu] %.3g of %g rms + %g |golden|%s",
			c->different, c->n, c->max_ulp, c->mean_ulp, c->max_abs, c->relative,
			burnin_pcc_text(c->pcc, pcc), c->worst_place, c->worst_share,
			may->absolute, may->relative, c->non_finite ? "" : "\n");
	if (c->non_finite)
		printf(", %zu NaN or infinite\n", c->non_finite);
	if (c->strays)
		printf("  %zu off by more than themselves, and by far more than the others\n",
			c->strays);
}

static void print_check(const struct refdir_check *c, double pcc)
{
	const struct metadata *m = &c->meta;

	for (int op = 0; op < BURN_OPS; op++) {
		say_case(m->dtype, m->c);
		printf("%s output: ", burn_op_name((enum burn_op)op));
		print_comparison(m->dtype, &c->outputs[op]);
		if (c->stepwise[op] && c->odd[op] == 0)
			puts("  equal if each product and sum is rounded to bfloat16, as by "
			     "PyTorch before 2.1 without AVX-512");
		else if (c->stepwise[op])
			printf("  %zu wrong: all others are those of PyTorch before 2.1 without "
			       "AVX-512\n", c->odd[op]);
		for (int role = 0; role < BURN_OUTPUT; role++) {
			const char *name = burn_role_name((enum burn_op)op, (enum burn_role)role);

			if (!name || c->hash_ok[op][role])
				continue;
			say_case(m->dtype, m->c);
			printf("%s %s: SHA-256 does not match the metadata\n",
				burn_op_name((enum burn_op)op), name);
		}
	}
	say_case(m->dtype, m->c);
	printf("inputs: %s%s; %s\n", c->exact ? "" : "NOT numbers that the type has, ",
		!m->our_inputs ? "drawn by another rule, held to their hashes" :
		c->drawn_ok ? "drawn again, equal" : "NOT what the rule draws",
		refdir_passes(c, pcc) ? "pass" : "FAIL");
}

/* What an option has not chosen is what config.json lists, if it lists any of it. */
static void narrow(const bool *listed, int n, bool *which)
{
	bool any = false;

	for (int i = 0; i < n; i++)
		any = any || listed[i];
	for (int i = 0; any && i < n; i++)
		which[i] = listed[i];
}

/* The cases that must be in dir.  *odd: what is wrong with config.json if it is ours; NULL. */
static struct burn_choice expected(const struct burnin_job *j, const char *dir, struct cases *n,
	const char **odd)
{
	struct burn_choice which = j->which, listed;
	struct error e;
	bool ours;
	int r = refdir_lists(dir, &listed, &ours, &e);

	*odd = NULL;
	if (j->chosen) {
		if (r == -ENOENT)
			refdir_lists(j->args[0], &listed, &ours, &e);
		if (!j->o->typed[OPT_CASES])
			narrow(listed.cases, BURN_CASES, which.cases);
		if (!j->o->typed[OPT_DTYPE])
			narrow(listed.dtypes, BURN_DTYPES, which.dtypes);
		return which;
	}
	if (r == -ENOENT)
		*odd = "has no config.json: it was not finished";
	else if (r == 0 && !ours)
		*odd = "its config.json is not the one that its data were written with";
	if (r < 0 && r != -ENOENT) {
		say_error(&e);
		n->failed += r == -EBADMSG;
		n->broken += r != -EBADMSG;
	}
	return listed;
}

/* Count what is not there, if it had to be; op: an output, BURN_OPS: all of the case. */
static void count_lack(const char *dir, const struct burn_choice *must, enum burn_dtype t, int i,
	enum burn_op op, struct cases *n)
{
	if (!must->dtypes[t] || !must->cases[i])
		return;
	n->broken++;
	say_as(CODE_NOT_FOUND, "%s: lacks %s k%04d_ic%03d%s%s", dir, burn_dtype_name(t),
		burn_cases[i].k,
		burn_cases[i].channels, op < BURN_OPS ? " output of " : "",
		op < BURN_OPS ? burn_op_name(op) : "");
}

static enum exit_code burnin_verify(const struct burnin_job *j)
{
	bool has[BURN_DTYPES][BURN_CASES], ours = false;
	struct cases n = { 0 };
	const char *odd;
	struct burn_choice must;
	struct error e;

	if (refdir_has(j->args[0], &j->which, has) == 0) {
		say_as(CODE_NOT_FOUND, "%s: no reference data of these cases there", j->args[0]);
		return exit_judged(false, true);
	}
	must = expected(j, j->args[0], &n, &odd);
	for (int i = 0; i < BURN_CASES * BURN_DTYPES; i++) {
		enum burn_dtype t = (enum burn_dtype)(i % BURN_DTYPES);
		const struct burn_case *c = &burn_cases[i / BURN_DTYPES];
		struct refdir_check check;

		if (!has[t][i / BURN_DTYPES]) {
			count_lack(j->args[0], &must, t, i / BURN_DTYPES, BURN_OPS, &n);
			continue;
		}
		if (refdir_verify(j->args[0], t, c, j->threads, &check, &e) < 0) {
			n.broken++;
			say_error(&e);
			continue;
		}
		ours = ours || check.meta.our_inputs;
		print_check(&check, j->pcc);
		fflush(stdout);
		if (refdir_passes(&check, j->pcc))
			n.passed++;
		else
			n.failed++;
	}
	if (ours && odd) {
		n.broken++;
		say_as(CODE_INVALID, "%s: %s", j->args[0], odd);
	}
	return data_verdict(&n, j->args[0]);
}

/* For a file whose folder does not show its type: the only one that --dtype leaves, if any. */
static enum burn_dtype only_dtype(const struct burnin_job *j)
{
	for (int t = 0; t < BURN_DTYPES; t++) {
		bool others = false;

		for (int k = 0; k < BURN_DTYPES; k++)
			others |= k != t && j->which.dtypes[k];
		if (!others)
			return (enum burn_dtype)t;
	}
	return BURN_DTYPES;
}

static int compare_values(const struct burnin_job *j, const char *path, const struct burn_case *c,
	enum burn_op op, enum burn_dtype t, struct cases *n, struct error *e)
{
	struct burn_shape s = burn_shape_of(c, op);
	float *golden, *calculated;
	char reference[REFDIR_PATH];
	struct compare result;
	int r;

	if (!refdir_path(j->args[0], t, c, op, burn_role_name(op, BURN_OUTPUT), reference))
		return fail(e, -ENAMETOOLONG, "%.60s...: name too long", j->args[0]);
	r = refdir_read(reference, &s, BURN_OUTPUT, t, &golden, e);
	if (r < 0)
		return r;
	/* Computed results may have more digits than the type; only golden ones must fit it. */
	r = refdir_read(path, &s, BURN_OUTPUT, BURN_FLOAT32, &calculated, e);
	if (r == 0) {
		bool passes;

		compare_floats(t, golden, calculated, burn_elements(&s, BURN_OUTPUT), &result);
		free(calculated);
		passes = compare_passes(&result, j->pcc, j->ulp);
		say_case(t, c);
		printf("%s %s: ", burn_op_name(op), passes ? "pass" : "FAIL");
		print_comparison(t, &result);
		n->passed += passes;
		n->failed += !passes;
	}
	free(golden);
	return r;
}

static void compare_file(const struct burnin_job *j, const char *path, struct cases *n)
{
	const struct burn_case *c;
	enum burn_dtype t;
	enum burn_op op;
	struct error e;
	int r;

	if (!refdir_parse_output(path, &c, &op, &t))
		r = fail(&e, -EINVAL, "%s: is not named like k0072_ic008_conv2d_output.npy", path);
	else if (t == BURN_DTYPES && (t = only_dtype(j)) == BURN_DTYPES)
		r = fail_as(&e, CODE_NEEDS_OPTION, -EINVAL, "%s: is in no folder float32 or "
			"bfloat16; say --dtype", path);
	else if (!j->which.cases[c - burn_cases] || !j->which.dtypes[t])
		return;
	else
		r = compare_values(j, path, c, op, t, n, &e);
	if (r < 0) {
		n->broken++;
		say_error(&e);
	}
}

/* Compare all outputs in another directory of this layout. */
static void compare_dir(const struct burnin_job *j, const char *dir, struct cases *n)
{
	const char *odd;
	const struct burn_choice must = expected(j, dir, n, &odd);
	char path[REFDIR_PATH];

	for (int k = 0; k < BURN_CASES * BURN_DTYPES * BURN_OPS; k++) {
		const enum burn_op op = (enum burn_op)(k % BURN_OPS);
		const enum burn_dtype t = (enum burn_dtype)(k / BURN_OPS % BURN_DTYPES);
		const int i = k / BURN_OPS / BURN_DTYPES;

		if (refdir_path(dir, t, &burn_cases[i], op, burn_role_name(op, BURN_OUTPUT),
			    path) && access(path, F_OK) == 0)
			compare_file(j, path, n);
		else
			count_lack(dir, &must, t, i, op, n);
	}
}

static enum exit_code burnin_compare(const struct burnin_job *j)
{
	struct cases n = { 0 };
	struct stat st;

	if (stat(j->args[0], &st) == 0 && !S_ISDIR(st.st_mode))
		return burnin_compare_files(j);
	for (size_t i = 1; i < j->n_args; i++) {
		struct cases before = n;

		if (stat(j->args[i], &st) == 0 && S_ISDIR(st.st_mode))
			compare_dir(j, j->args[i], &n);
		else
			compare_file(j, j->args[i], &n);
		if (memcmp(&before, &n, sizeof(n)) == 0) {
			n.broken++;
			say_as(CODE_NOT_FOUND, "%s: has no result of the chosen cases", j->args[i]);
		}
	}
	return data_verdict(&n, j->args[0]);
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

static enum exit_code burnin_list(const struct burnin_job *j)
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

/* The mode. */

/* NULL: a burn */
static enum exit_code (*const commands[COMMANDS])(const struct burnin_job *j) = {
	[COMMAND_LIST] = burnin_list,
	[COMMAND_GENERATE] = burnin_generate,
	[COMMAND_VERIFY] = burnin_verify,
	[COMMAND_COMPARE] = burnin_compare,
	[COMMAND_CHECK] = burnin_check,
	[COMMAND_BENCH] = burnin_bench,
	[COMMAND_PROFILE] = burnin_profile,
};

static bool can_run(const struct impl *i)
{
	bool usable = false;

	for (int k = 0; k < BURN_OPS * BURN_COMPUTED; k++)
		usable = usable || impl_usable(i, (enum burn_op)(k / BURN_COMPUTED),
			(enum burn_dtype)(k % BURN_COMPUTED));
	return usable;
}

/* --impl: refuse one that cannot run here; of several (v3) the fastest is chosen as usual. */
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
	const unsigned kernels = 1u << COMMAND_CHECK | 1u << COMMAND_BENCH | 1u << COMMAND_PROFILE;
	const struct burnin_job j = burnin_job_of(o);
	const int command = __builtin_ctz(o->commands);
	enum exit_code impl = choose_impl(o);

	if (impl != EXIT_DONE)
		return impl;
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
	return commands[command] ? commands[command](&j) : mode_act(o);
}
