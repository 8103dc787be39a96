/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refdir_verify.c - hashes, draws and computes reference data again.
 */
#include "config.h"
#include "base/file.h"
#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/team.h"
#include "burnin/reference/refdir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METADATA_MOST = 1 << 20 };

#define ROUNDED_ONCE 0x1p-8	/* results that are rounded once have a smaller relative error */

static int parse_metadata(const char *text, size_t len, void *to, struct error *e)
{
	return metadata_parse(text, len, to, e);
}

static int read_metadata(const char *dir, struct metadata *m, struct error *e)
{
	char path[REFDIR_PATH];

	if (!refdir_path(dir, m->dtype, m->c, BURN_CONV2D, NULL, path))
		return fail(e, -ENAMETOOLONG, "%.60s...: name too long", dir);
	return file_parse(path, METADATA_MOST, parse_metadata, m, e);
}

int refdir_lists(const char *dir, struct burn_choice *which, bool *ours, struct error *e)
{
	char path[REFDIR_PATH], *text;
	struct error why;
	size_t len;
	int r;

	*which = (struct burn_choice){ 0 };
	*ours = false;
	if (snprintf(path, sizeof(path), "%s/config.json", dir) >= REFDIR_PATH)
		return fail(e, -ENAMETOOLONG, "%.60s...: name too long", dir);
	r = file_read_all(path, METADATA_MOST, &text, &len, e);
	if (r < 0)
		return r;
	r = metadata_parse_config(text, len, which, ours, &why);
	free(text);
	return r < 0 ? fail_because(e, r, &why, "%s: %s", path, why.text) : 0;
}

static int read_arrays(const char *dir, struct data *d, struct error *e)
{
	char path[REFDIR_PATH];

	for (int op = 0; op < BURN_OPS; op++) {
		for (int role = 0; role < BURN_ROLES; role++) {
			const char *name = burn_role_name((enum burn_op)op, (enum burn_role)role);
			int r;

			if (!name)
				continue;
			if (!refdir_path(dir, d->dtype, d->c, (enum burn_op)op, name, path))
				return fail(e, -ENAMETOOLONG, "%.60s...: name too long", dir);
			/* Whether bfloat16 has the numbers is judged in the verdict. */
			r = refdir_read(path, &d->shapes[op], (enum burn_role)role, BURN_FLOAT32,
				&d->values[op][role], e);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static bool same_inputs(const struct data *a, const struct data *b)
{
	for (int op = 0; op < BURN_OPS; op++)
		for (int role = 0; role < BURN_OUTPUT; role++)
			if (a->values[op][role] &&
				memcmp(a->values[op][role], b->values[op][role],
					sizeof(float) * burn_elements(&a->shapes[op],
								(enum burn_role)role)) != 0)
				return false;
	return true;
}

static void check_inputs(const struct data *d, struct refdir_check *out)
{
	struct data drawn;

	for (int op = 0; op < BURN_OPS; op++) {
		for (int role = 0; role < BURN_OUTPUT; role++) {
			char hash[SHA256_TEXT];

			if (!d->values[op][role])
				continue;
			sha256_text(d->values[op][role],
				sizeof(float) * burn_elements(&d->shapes[op], (enum burn_role)role),
				hash);
			out->hash_ok[op][role] = strcmp(hash, out->meta.hashes[op][role]) == 0;
		}
	}
	if (!out->meta.our_inputs)
		return;
	data_init(&drawn, d->c, d->dtype);
	data_draw(&drawn);
	out->drawn_ok = same_inputs(d, &drawn);
	data_clear(&drawn);
}

/*
 * PyTorch leaves bfloat16 to oneDNN, which needs AVX-512 for it.  Without oneDNN, versions before
 * 2.1 round each product and each sum to bfloat16, k ascending, conv2d's bias first (PyTorch's
 * issue 83863; 1.13 was run).  The error grows with the root of K: 3 % of the results' root mean
 * square at K = 576, 26 % at 73728.  A tolerance this wide would hide a wrong element, but the bits
 * are the same on every processor.
 */
struct stepwise {
	const struct burn_shape *shape;
	const float *input, *weight, *bias;
	float *out;
	int threads;
};

static inline float round_step(float f)
{
	return bf16_widen(bf16_round(f));
}

/* Add a product to each of n sums. */
static void add_products(float *sums, float a, const float *b, int n)
{
	for (int i = 0; i < n; i++)
		sums[i] = round_step(sums[i] + round_step(a * b[i]));
}

static void multiply_row(const struct stepwise *j, int m)
{
	const size_t n = (size_t)j->shape->n, k = (size_t)j->shape->k;

	for (size_t i = 0; i < k; i++)
		add_products(j->out + (size_t)m * n, j->input[(size_t)m * k + i],
			j->weight + i * n, j->shape->n);
}

/* One output channel; padding adds zeros, which change no sum. */
static void convolve_channel(const struct stepwise *j, int n)
{
	const int h = j->shape->height, w = j->shape->width;
	float *out = j->out + (size_t)n * (size_t)j->shape->m;

	for (int m = 0; m < j->shape->m; m++)
		out[m] = j->bias[n];
	for (int k = 0; k < j->shape->k; k++) {
		const float *plane = j->input + (size_t)(k / BURN_TAPS) * (size_t)j->shape->m;
		const float a = j->weight[(size_t)n * (size_t)j->shape->k + (size_t)k];
		const int down = k % BURN_TAPS / 3 - 1, right = k % BURN_TAPS % 3 - 1;
		const int from = right < 0 ? 1 : 0, to = right > 0 ? w - 1 : w;

		for (int y = down < 0 ? 1 : 0; y < (down > 0 ? h - 1 : h); y++)
			add_products(out + y * w + from, a, plane + (y + down) * w + from + right,
				to - from);
	}
}

static void compute_part(void *arg, int thread)
{
	const struct stepwise *j = arg;
	const bool conv = j->shape->op == BURN_CONV2D;

	for (int i = thread; i < (conv ? j->shape->n : j->shape->m); i += j->threads)
		if (conv)
			convolve_channel(j, i);
		else
			multiply_row(j, i);
}

float *refdir_stepwise(const struct data *d, enum burn_op op, int threads)
{
	const struct burn_shape *s = &d->shapes[op];
	struct stepwise j = { s, d->values[op][BURN_INPUT], d->values[op][BURN_WEIGHT],
		d->values[op][BURN_BIAS],
		mem_calloc(burn_elements(s, BURN_OUTPUT), sizeof(float)), threads };

	team_once(threads, compute_part, &j);
	return j.out;
}

/* Compare the stored outputs with computed ones. */
static void check_output(const struct data *d, enum burn_op op, int threads,
	struct refdir_check *out)
{
	const size_t n = burn_elements(&d->shapes[op], BURN_OUTPUT);
	const float *stored = d->values[op][BURN_OUTPUT];
	float *computed = data_compute(d, op, threads);
	struct compare c;

	compare_floats(d->dtype, computed, stored, n, &out->outputs[op]);
	free(computed);
	if (d->dtype != BURN_BFLOAT16 || out->meta.our_outputs ||
		out->outputs[op].relative < ROUNDED_ONCE)
		return;
	computed = refdir_stepwise(d, op, threads);
	compare_floats(d->dtype, computed, stored, n, &c);
	out->stepwise[op] = c.different < n / 2;
	out->odd[op] = c.different;
	free(computed);
}

int refdir_verify(const char *dir, enum burn_dtype t, const struct burn_case *c, int threads,
	struct refdir_check *out, struct error *e)
{
	struct data d;
	int r;

	*out = (struct refdir_check){ .meta = { .c = c, .dtype = t } };
	r = read_metadata(dir, &out->meta, e);
	if (r < 0)
		return r;
	data_init(&d, c, t);
	r = read_arrays(dir, &d, e);
	if (r == 0) {
		out->exact = t != BURN_BFLOAT16 || data_narrow(&d);
		check_inputs(&d, out);
		for (int op = 0; op < BURN_OPS; op++)
			check_output(&d, (enum burn_op)op, threads, out);
	}
	data_clear(&d);
	return r;
}

bool refdir_passes(const struct refdir_check *c, double pcc)
{
	bool ok = c->exact && (!c->meta.our_inputs || c->drawn_ok);

	for (int op = 0; op < BURN_OPS; op++) {
		for (int role = 0; role < BURN_OUTPUT; role++)
			ok &= c->hash_ok[op][role] || !burn_role_name((enum burn_op)op,
							      (enum burn_role)role);
		ok &= c->meta.our_outputs ? c->outputs[op].different == 0 :
			c->stepwise[op] ? c->odd[op] == 0 :
			compare_passes(&c->outputs[op], pcc, -1);
	}
	return ok;
}
