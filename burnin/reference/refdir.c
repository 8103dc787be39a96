/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/reference/refdir.h"

#include "base/file.h"
#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/kernels/team.h"
#include "burnin/reference/array.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int fail_long(const char *dir, struct error *e)
{
	return fail(e, -ENAMETOOLONG, "%.60s...: name too long", dir);
}

int refdir_path(const char *dir, enum burn_dtype t, const struct burn_case *c, enum burn_op op,
	const char *name, char out[static REFDIR_PATH], struct error *e)
{
	const char *kind = name ? burn_op_name(op) : "metadata";
	int n = snprintf(out, REFDIR_PATH, "%s/%s/k%04d_ic%03d_%s%s%s%s", dir, burn_dtype_name(t),
		c->k, c->channels, kind, name ? "_" : "", name ? name : "",
		name ? ".npy" : ".json");

	return n >= 0 && n < REFDIR_PATH ? 0 : fail_long(dir, e);
}

bool refdir_parse_output(const char *path, const struct burn_case **c, enum burn_op *op,
	enum burn_dtype *t)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	*t = BURN_DTYPES;
	for (int i = 0; slash && i < BURN_DTYPES; i++) {
		const char *name = burn_dtype_name((enum burn_dtype)i);
		size_t len = strlen(name);

		if ((size_t)(slash - path) >= len && memcmp(slash - len, name, len) == 0 &&
			(slash - len == path || slash[-1 - (long)len] == '/'))
			*t = (enum burn_dtype)i;
	}
	for (int i = 0; i < BURN_CASES * BURN_OPS; i++) {
		char name[80];

		*c = &burn_cases[i / BURN_OPS];
		*op = (enum burn_op)(i % BURN_OPS);
		snprintf(name, sizeof(name), "k%04d_ic%03d_%s_output.npy", (*c)->k, (*c)->channels,
			burn_op_name(*op));
		if (strcmp(base, name) == 0)
			return true;
	}
	return false;
}

bool refdir_has(const char *dir, enum burn_dtype t, const struct burn_case *c)
{
	char path[REFDIR_PATH];

	return refdir_path(dir, t, c, BURN_CONV2D, NULL, path, NULL) == 0 &&
		access(path, F_OK) == 0;
}

static int path_in(const char *dir, const char *name, char out[static REFDIR_PATH], struct error *e)
{
	return snprintf(out, REFDIR_PATH, "%s/%s", dir, name) < REFDIR_PATH ? 0 : fail_long(dir, e);
}

static bool is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	const struct dirent *entry;
	int n = 0;

	if (!d)
		return true;
	while ((entry = readdir(d)))
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(d);
	return n == 0;
}

static int check_space(const char *dir, const struct burn_choice *which, struct error *e)
{
	uint64_t need = 0, have;
	struct statvfs fs;

	for (int i = 0; i < BURN_CASES * BURN_OPS; i++) {
		struct burn_shape s =
			burn_shape_of(&burn_cases[i / BURN_OPS], (enum burn_op)(i % BURN_OPS));

		for (int t = 0; t < BURN_DTYPES; t++)
			if (burn_choice_has(which, (enum burn_dtype)t, i / BURN_OPS))
				need += burn_bytes(&s, BURN_FLOAT32);
	}
	if (statvfs(dir, &fs) < 0)
		return fail_errno(e, "%s: cannot use folder", dir);
	have = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (have < need)
		return fail(e, -ENOSPC, "%s: %llu MB are needed, %llu MB are free: %s", dir,
			(unsigned long long)(need / 1000000 + 1),
			(unsigned long long)(have / 1000000), strerror(ENOSPC));
	return 0;
}

int refdir_create(const char *dir, const struct burn_choice *which, struct error *e)
{
	char path[REFDIR_PATH];
	int r;

	if (!is_empty(dir))
		return fail(e, -EEXIST, "%s: is there already, and not empty", dir);
	r = file_make_dirs(dir, e);
	if (r == 0)
		r = check_space(dir, which, e);
	for (int t = 0; r == 0 && t < BURN_DTYPES; t++) {
		if (!(which->dtypes & 1u << t))
			continue;
		r = path_in(dir, burn_dtype_name((enum burn_dtype)t), path, e);
		if (r == 0)
			r = file_make_dirs(path, e);
	}
	return r;
}

/* Write the text to a new file, and clear the text.  r: whether there is a path. */
static int put_text(int r, const char *path, struct strbuf *text, struct error *e)
{
	struct file_new f;

	if (r == 0)
		r = file_new_open(&f, path, false, e);
	if (r == 0)
		r = file_new_finish(&f, text->text, text->len, e);
	strbuf_clear(text);
	return r;
}

void refdir_abandon(const char *dir, bool existed)
{
	char path[REFDIR_PATH];

	for (int t = 0; t < BURN_DTYPES; t++)
		if (path_in(dir, burn_dtype_name((enum burn_dtype)t), path, NULL) == 0)
			rmdir(path);
	if (!existed)
		rmdir(dir);
}

int refdir_finish(const char *dir, const struct burn_choice *which,
	const struct metadata_card *card, struct error *e)
{
	static const char *const names[] = { "README.md", "system_info.json", "config.json" };
	char path[REFDIR_PATH];
	int r = 0;

	for (int i = 0; r == 0 && i < 3; i++) {
		struct strbuf text = { 0 };

		if (i == 0)
			metadata_put_readme(&text);
		else if (i == 1)
			metadata_put_system(&text, card);
		else
			metadata_put_config(&text, which, card);
		r = put_text(path_in(dir, names[i], path, e), path, &text, e);
	}
	return r;
}

/* Writing, hashing and computing run at the same time. */
struct writing {
	const char *dir;
	struct data *d;
	struct metadata meta;
	int threads;
	uint64_t bytes;
	int status;		/* of writing the inputs' files */
	struct error *e;
};

static int write_array(struct writing *w, enum burn_op op, enum burn_role role)
{
	const char *name = burn_role_name(op, role);
	char path[REFDIR_PATH];
	size_t dims[4];
	int n, r;

	if (!name)
		return 0;
	r = refdir_path(w->dir, w->d->dtype, w->d->c, op, name, path, w->e);
	if (r < 0)
		return r;
	n = burn_dims(&w->d->shapes[op], role, dims);
	w->bytes += burn_elements(&w->d->shapes[op], role) * sizeof(float);
	return npy_write(path, dims, n, w->d->values[op][role], w->e);
}

static void hash_inputs(const struct data *d, char hashes[BURN_OPS][BURN_ROLES][SHA256_TEXT])
{
	for (int op = 0; op < BURN_OPS; op++)
		for (int role = 0; role < BURN_OUTPUT; role++)
			if (d->values[op][role])
				sha256_text(d->values[op][role],
					sizeof(float) * burn_elements(&d->shapes[op],
								(enum burn_role)role),
					hashes[op][role]);
}

static void write_part(void *arg, int i)
{
	struct writing *w = arg;

	if (i == 0) {
		for (int k = 0; w->status == 0 && k < BURN_OPS * BURN_OUTPUT; k++)
			w->status = write_array(w, (enum burn_op)(k / BURN_OUTPUT),
				(enum burn_role)(k % BURN_OUTPUT));
	} else if (i == 1) {
		hash_inputs(w->d, w->meta.hashes);
	} else {
		for (int op = 0; op < BURN_OPS; op++)
			if (!w->meta.card)
				data_golden(w->d, (enum burn_op)op, w->threads);
	}
}

int refdir_write(const char *dir, struct data *d, int threads, const struct metadata_card *card,
	uint64_t *bytes, struct error *e)
{
	struct writing w = { .dir = dir, .d = d, .threads = threads, .e = e,
		.meta = { .c = d->c, .dtype = d->dtype, .card = card } };
	struct strbuf text = { 0 };
	char path[REFDIR_PATH];
	int r;

	team_once(3, write_part, &w);
	r = w.status;
	for (int op = 0; r == 0 && op < BURN_OPS; op++)
		r = write_array(&w, (enum burn_op)op, BURN_OUTPUT);
	if (r < 0)
		return r;
	*bytes = w.bytes;
	metadata_put(&text, &w.meta);
	r = refdir_path(dir, d->dtype, d->c, BURN_CONV2D, NULL, path, e);
	return put_text(r, path, &text, e);
}

static bool all_bfloat16(const float *v, size_t n)
{
	uint32_t bits, lost = 0;

	for (size_t i = 0; i < n; i++) {
		memcpy(&bits, &v[i], sizeof(bits));
		lost |= bits & 0xffff;
	}
	return lost == 0;
}

int refdir_read(const char *path, const struct burn_shape *s, enum burn_role role,
	enum burn_dtype t, float **values, struct error *e)
{
	size_t dims[4];
	int r = npy_read(path, dims, burn_dims(s, role, dims), values, e);

	if (r == -EDOM)
		return fail(e, -EINVAL, "%s: does not have the shape of %s %s", path,
			burn_op_name(s->op), burn_role_name(s->op, role));
	if (r < 0)
		return r;
	if (t == BURN_BFLOAT16 && !all_bfloat16(*values, burn_elements(s, role))) {
		free(*values);
		*values = NULL;
		return fail(e, -EINVAL, "%s: holds numbers that bfloat16 does not have", path);
	}
	return 0;
}

/* Hashes, draws and computes reference data again. */

enum { METADATA_MOST = 1 << 20 };

#define ROUNDED_ONCE 0x1p-8	/* results that are rounded once have a smaller relative error */

static int parse_metadata(const char *text, size_t len, void *to, struct error *e)
{
	return metadata_parse(text, len, to, e);
}

int refdir_lists(const char *dir, struct burn_choice *which, bool *ours, struct error *e)
{
	char path[REFDIR_PATH], *text;
	struct error why;
	size_t len;
	int r;

	*which = (struct burn_choice){ 0 };
	*ours = false;
	r = path_in(dir, "config.json", path, e);
	if (r == 0)
		r = file_read_all(path, METADATA_MOST, &text, &len, e);
	if (r < 0)
		return r;
	r = metadata_parse_config(text, len, which, ours, &why);
	free(text);
	return r < 0 ? fail_because(e, r, &why, "%s: %s", path, why.text) : 0;
}

int refdir_read_op(const char *dir, struct data *d, enum burn_op op, struct error *e)
{
	char path[REFDIR_PATH];

	for (int role = 0; role < BURN_ROLES; role++) {
		const char *name = burn_role_name(op, (enum burn_role)role);
		int r;

		if (!name)
			continue;
		r = refdir_path(dir, d->dtype, d->c, op, name, path, e);
		if (r < 0)
			return r;
		/* Whether bfloat16 has the numbers is judged in the verdict. */
		r = refdir_read(path, &d->shapes[op], (enum burn_role)role, BURN_FLOAT32,
			&d->values[op][role], e);
		if (r < 0)
			return r;
	}
	return 0;
}

int refdir_is_foreign(const char *output, enum burn_dtype t, const struct burn_case *c)
{
	struct metadata m = { .c = c, .dtype = t };
	const char *name = strrchr(output, '/');
	char path[REFDIR_PATH];
	struct error e;
	int r;

	snprintf(path, sizeof(path), "%.*sk%04d_ic%03d_metadata.json",
		name ? (int)(name + 1 - output) : 0, output, c->k, c->channels);
	r = file_parse(path, METADATA_MOST, parse_metadata, &m, &e);
	return r < 0 ? r : !m.our_outputs;
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
	char hashes[BURN_OPS][BURN_ROLES][SHA256_TEXT] = { { "" } };
	struct data drawn;

	hash_inputs(d, hashes);
	for (int op = 0; op < BURN_OPS; op++)
		for (int role = 0; role < BURN_OUTPUT; role++)
			out->hash_ok[op][role] =
				strcmp(hashes[op][role], out->meta.hashes[op][role]) == 0;
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

static void check_output(const struct data *d, enum burn_op op, int threads,
	struct refdir_check *out)
{
	const size_t n = burn_elements(&d->shapes[op], BURN_OUTPUT);
	const float *stored = d->values[op][BURN_OUTPUT];
	float *computed = data_compute(d, op, threads);
	struct compare c;

	compare_run(d->dtype, BURN_FLOAT32, computed, stored, n, &out->outputs[op]);
	free(computed);
	if (d->dtype != BURN_BFLOAT16 || out->meta.our_outputs ||
		out->outputs[op].relative < ROUNDED_ONCE)
		return;
	computed = refdir_stepwise(d, op, threads);
	compare_run(d->dtype, BURN_FLOAT32, computed, stored, n, &c);
	out->stepwise[op] = c.different < n / 2;
	out->odd[op] = c.different;
	free(computed);
}

int refdir_verify(const char *dir, enum burn_dtype t, const struct burn_case *c, int threads,
	struct refdir_check *out, struct error *e)
{
	char path[REFDIR_PATH];
	struct data d;
	int r;

	*out = (struct refdir_check){ .meta = { .c = c, .dtype = t } };
	r = refdir_path(dir, t, c, BURN_CONV2D, NULL, path, e);
	if (r == 0)
		r = file_parse(path, METADATA_MOST, parse_metadata, &out->meta, e);
	if (r < 0)
		return r;
	data_init(&d, c, t);
	for (int op = 0; r == 0 && op < BURN_OPS; op++)
		r = refdir_read_op(dir, &d, (enum burn_op)op, e);
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
			ok &= c->hash_ok[op][role];
		ok &= c->meta.our_outputs ? c->outputs[op].different == 0 :
			c->stepwise[op] ? c->odd[op] == 0 :
			compare_passes(&c->outputs[op], pcc, -1);
	}
	return ok;
}
