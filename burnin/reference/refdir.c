/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/reference/refdir.h"
#include "base/file.h"
#include "burnin/reference/npy.h"
#include "burnin/reference/sha256.h"
#include "burnin/kernels/team.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

bool refdir_path(const char *dir, enum burn_dtype t, const struct burn_case *c, enum burn_op op,
	const char *name, char out[static REFDIR_PATH])
{
	int n = snprintf(out, REFDIR_PATH, "%s/%s/k%04d_ic%03d_%s%s%s", dir, burn_dtype_name(t),
		c->k, c->channels, name ? burn_op_name(op) : "metadata", name ? "_" : ".json",
		name ? name : "");

	if (name && n >= 0 && n < REFDIR_PATH - 4)
		memcpy(out + n, ".npy", 5);
	return n >= 0 && n < REFDIR_PATH - 4;
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

int refdir_has(const char *dir, const struct burn_choice *wanted,
	bool has[BURN_DTYPES][BURN_CASES])
{
	char path[REFDIR_PATH];
	int n = 0;

	for (int t = 0; t < BURN_DTYPES; t++) {
		for (int i = 0; i < BURN_CASES; i++) {
			const struct burn_case *c = &burn_cases[i];

			has[t][i] = wanted->dtypes[t] && wanted->cases[i] &&
				    refdir_path(dir, (enum burn_dtype)t, c, BURN_CONV2D, NULL,
					    path) && access(path, F_OK) == 0;
			n += has[t][i];
		}
	}
	return n;
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
			if (which->cases[i / BURN_OPS] && which->dtypes[t])
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
		if (!which->dtypes[t])
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", dir,
			    burn_dtype_name((enum burn_dtype)t)) >= REFDIR_PATH)
			return fail(e, -ENAMETOOLONG, "%.60s...: name too long", dir);
		r = file_make_dirs(path, e);
	}
	return r;
}

/* Write the text to a new file, and clear the text. */
static int put_text(const char *path, struct strbuf *text, struct error *e)
{
	struct file_new f;
	int r = file_new_open(&f, path, false, e);

	if (r == 0) {
		r = file_write_all(f.fd, text->text, text->len);
		if (r < 0) {
			file_new_discard(&f);
			fail(e, r, "%s: cannot write: %s", path, strerror(-r));
		} else {
			r = file_new_keep(&f, e);
		}
	}
	strbuf_clear(text);
	return r;
}

void refdir_abandon(const char *dir, bool existed)
{
	char path[REFDIR_PATH];

	for (int t = 0; t < BURN_DTYPES; t++)
		if (snprintf(path, sizeof(path), "%s/%s", dir,
			    burn_dtype_name((enum burn_dtype)t)) < REFDIR_PATH)
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

		if (snprintf(path, sizeof(path), "%s/%s", dir, names[i]) >= REFDIR_PATH)
			return fail(e, -ENAMETOOLONG, "%.60s...: name too long", dir);
		if (i == 0)
			metadata_put_readme(&text);
		else if (i == 1)
			metadata_put_system(&text, card);
		else
			metadata_put_config(&text, which, card != NULL);
		r = put_text(path, &text, e);
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
	int n;

	if (!name)
		return 0;
	if (!refdir_path(w->dir, w->d->dtype, w->d->c, op, name, path))
		return fail(w->e, -ENAMETOOLONG, "%.60s...: name too long", w->dir);
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
	if (!refdir_path(dir, d->dtype, d->c, BURN_CONV2D, NULL, path)) {
		strbuf_clear(&text);
		return fail(e, -ENAMETOOLONG, "%.60s...: name too long", dir);
	}
	return put_text(path, &text, e);
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
	int n = burn_dims(s, role, dims), r;
	struct npy a;

	r = npy_read(path, dims, n, &a, e);
	if (r == -EDOM)
		return fail(e, -EINVAL, "%s: does not have the shape of %s %s", path,
			burn_op_name(s->op), burn_role_name(s->op, role));
	if (r < 0)
		return r;
	if (t == BURN_BFLOAT16 && !all_bfloat16(a.data, a.elements)) {
		npy_clear(&a);
		return fail(e, -EINVAL, "%s: holds numbers that bfloat16 does not have", path);
	}
	*values = a.data;
	return 0;
}
