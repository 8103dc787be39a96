/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/reference/array.h"
#include "base/file.h"
#include "base/mem.h"
#include "burnin/kernels/bf16.h"
#include "burnin/reference/npy.h"
#include "burnin/reference/zip.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_npy(int fd, uint64_t size, struct array_file *f, struct error *e)
{
	struct npy a = { 0 };
	struct array *to;
	uint64_t start;
	size_t step = 1;
	int r = npy_read_head(fd, size, &a, &start, e);

	if (r == 0)
		r = npy_check_size(&a, size - start, e);
	if (r < 0)
		return r;
	f->arrays = to = mem_calloc(1, sizeof(*to));
	f->n = 1;
	to->at = start;
	to->t.type = a.type;
	to->t.n_dims = a.n_dims;
	to->t.elements = to->t.stored = a.elements;
	for (int i = a.n_dims - 1; i >= 0; i--) {
		to->t.dims[i] = a.dims[i];
		to->t.strides[i] = step;
		step *= a.dims[i];
	}
	return 0;
}

/* "archive/data.pkl": all files of an archive are in one folder of any name. */
static const struct zip_file *find_pickle(const struct zip *z, int *folder)
{
	static const char name[] = "/data.pkl";
	const size_t len = sizeof(name) - 1;

	for (size_t i = 0; i < z->n; i++) {
		const struct zip_file *f = &z->files[i];

		if (f->len > len && f->len < len + 1000 &&
			memcmp(f->name + f->len - len, name, len) == 0 &&
			!memchr(f->name, '/', f->len - len)) {
			*folder = (int)(f->len - len);
			return f;
		}
	}
	return NULL;
}

/* Refuse the byte order of big-endian machines. */
static int check_order(int fd, const struct zip *z, const char *folder, int len, struct error *e)
{
	char path[1100], order[6] = "";
	const struct zip_file *f;
	int r = 0;

	snprintf(path, sizeof(path), "%.*s/byteorder", len, folder);
	f = zip_find(z, path);
	if (f && f->size == sizeof(order))
		r = file_read_exact(fd, order, sizeof(order), f->at);
	if (r < 0)
		return fail(e, r, "cannot read: %s", strerror(-r));
	if (f && memcmp(order, "little", sizeof(order)) != 0)
		return fail(e, -EINVAL, "its byte order is not little-endian");
	return 0;
}

static int place_tensor(const struct zip *z, const char *folder, int len, struct array *a,
	struct error *e)
{
	char path[1000 + PICKLE_TEXT + 8];
	const struct zip_file *f;
	uint64_t bytes;

	snprintf(path, sizeof(path), "%.*s/data/%s", len, folder, a->t.storage);
	f = zip_find(z, path);
	if (!f)
		return fail(e, -EINVAL, "it has no %s", path);
	if (__builtin_mul_overflow(a->t.stored, array_types[a->t.type].size, &bytes) ||
		f->size != bytes)
		return fail(e, -EINVAL, "%s has %llu bytes, not %llu elements of %s", path,
			(unsigned long long)f->size, (unsigned long long)a->t.stored,
			array_types[a->t.type].name);
	a->at = f->at;
	return 0;
}

static int read_pickle(int fd, const struct zip_file *f, struct pickle *p, struct error *e)
{
	char *text;
	int r;

	if (f->size > PICKLE_MOST)
		return fail(e, -EINVAL, "a pickle of %llu bytes is too long",
			(unsigned long long)f->size);
	text = mem_calloc(1, f->size + 1);
	r = file_read_exact(fd, text, f->size, f->at);
	r = r < 0 ? fail(e, r, "cannot read: %s", strerror(-r)) :
		pickle_parse(text, f->size, p, e);
	free(text);
	return r;
}

/* Take the tensors of the pickle, each with its place in the archive. */
static int take_tensors(int fd, const struct zip *z, const struct zip_file *data, int folder,
	struct array_file *f, struct error *e)
{
	struct pickle p = { 0 };
	int r = check_order(fd, z, data->name, folder, e);

	if (r == 0)
		r = read_pickle(fd, data, &p, e);
	if (r == 0) {
		f->arrays = mem_calloc(p.n, sizeof(*f->arrays));
		f->n = p.n;
	}
	for (size_t i = 0; r == 0 && i < p.n; i++) {
		f->arrays[i].t = p.tensors[i];
		r = place_tensor(z, data->name, folder, &f->arrays[i], e);
	}
	pickle_clear(&p);
	return r;
}

static int open_zip(int fd, struct array_file *f, struct error *e)
{
	const struct zip_file *data;
	struct zip z;
	int folder = 0, r = zip_open(fd, &z, e);

	if (r == 0) {
		data = find_pickle(&z, &folder);
		r = data ? take_tensors(fd, &z, data, folder, f, e) :
			fail(e, -EINVAL, "a zip archive without data.pkl, not one of "
				"torch.save()");
	}
	zip_close(&z);
	return r;
}

int array_open(const char *path, struct array_file *f, struct error *e)
{
	char magic[6] = "";
	struct error why = { .text = "" };
	struct stat st;
	int r;

	*f = (struct array_file){ .fd = file_open_read(path, e) };
	if (f->fd < 0)
		return f->fd;
	if (fstat(f->fd, &st) < 0)
		return fail_errno(e, "%s: cannot read", path);
	r = st.st_size < 6 ? 0 : file_read_exact(f->fd, magic, sizeof(magic), 0);
	if (r < 0)
		return fail(e, r, "%s: cannot read: %s", path, strerror(-r));
	if (memcmp(magic, "\x93NUMPY", 6) == 0)
		r = open_npy(f->fd, (uint64_t)st.st_size, f, &why);
	else if (memcmp(magic, "PK\3\4", 4) == 0)
		r = open_zip(f->fd, f, &why);
	else
		r = fail(&why, -EINVAL, "neither an array of NumPy's nor tensors of torch.save()");
	return r < 0 ? fail_because(e, r, &why, "%s: %s", path, why.text) : 0;
}

void array_close(struct array_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->arrays);
	*f = (struct array_file){ .fd = -1 };
}

static double widen_half(uint16_t h)
{
	const int exponent = h >> 10 & 31, digits = h & 0x3ff;
	const double size = exponent == 31 ? (digits ? NAN : INFINITY) :
		exponent == 0 ? ldexp(digits, -24) : ldexp(digits + 1024, exponent - 25);

	return h & 0x8000 ? -size : size;
}

static double element(enum array_type t, const char *bytes)
{
	union {
		uint8_t u8;
		int8_t i8;
		int16_t i16;
		uint16_t u16;
		int32_t i32;
		int64_t i64;
		float f32;
		double f64;
	} v = { 0 };

	memcpy(&v, bytes, array_types[t].size);
	switch (t) {
	case ARRAY_BOOL: return v.u8 != 0;
	case ARRAY_UINT8: return v.u8;
	case ARRAY_INT8: return v.i8;
	case ARRAY_INT16: return v.i16;
	case ARRAY_INT32: return v.i32;
	case ARRAY_INT64: return (double)v.i64;
	case ARRAY_FLOAT16: return widen_half(v.u16);
	case ARRAY_BFLOAT16: return (double)bf16_widen(v.u16);
	case ARRAY_FLOAT32: return (double)v.f32;
	case ARRAY_FLOAT64: return v.f64;
	case ARRAY_TYPES: break;
	}
	return NAN;
}

/* Number of stored elements from its first to its last; it need not have all of these. */
static uint64_t span_of(const struct pickle_tensor *t)
{
	uint64_t span = 1;

	for (int i = 0; i < t->n_dims; i++)
		span += (t->dims[i] - 1) * (uint64_t)t->strides[i];
	return span;
}

static void take_elements(const struct pickle_tensor *t, const char *bytes, double *out)
{
	size_t index[ARRAY_DIMS] = { 0 }, at = 0;

	for (size_t i = 0; i < t->elements; i++) {
		out[i] = element(t->type, bytes + at * array_types[t->type].size);
		for (int d = t->n_dims - 1; d >= 0; d--) {
			at += t->strides[d];
			if (++index[d] < t->dims[d])
				break;
			at -= t->strides[d] * t->dims[d];
			index[d] = 0;
		}
	}
}

int array_read(const struct array_file *f, size_t i, double **values, struct error *e)
{
	const struct pickle_tensor *t = &f->arrays[i].t;
	const size_t size = array_types[t->type].size;
	const uint64_t bytes = t->elements > 0 ? span_of(t) * size : 0;
	char *raw = malloc(bytes + 1);
	double *out = t->elements < SIZE_MAX / 16 ? malloc((t->elements + 1) * sizeof(*out)) : NULL;
	int r = 0;

	*values = NULL;
	if (!raw || !out)
		r = fail(e, -ENOMEM, "out of memory");
	if (r == 0)
		r = file_read_exact(f->fd, raw, bytes, f->arrays[i].at + t->offset * size);
	if (r < 0 && r != -ENOMEM)
		fail(e, r, "cannot read: %s", strerror(-r));
	if (r == 0)
		take_elements(t, raw, out);
	free(raw);
	for (size_t k = 0; r == 0 && t->type == ARRAY_INT64 && k < t->elements; k++)
		if (fabs(out[k]) >= 0x1p53)	/* 2^53 + 1 is rounded to 2^53 */
			r = fail(e, -ERANGE, "has integers from 2^53 on, which are not compared");
	if (r < 0)
		free(out);
	else
		*values = out;
	return r;
}
