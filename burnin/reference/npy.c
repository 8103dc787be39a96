/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * npy.c - the header is a Python dictionary in text.  The parser takes the three
 * keys that the format defines, each once, in any order, and nothing besides.
 */
#include "config.h"
#include "burnin/reference/array.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct array_type_row array_types[ARRAY_TYPES] = {
	[ARRAY_BOOL] = { "bool", "|b1", "BoolStorage", 1, BURN_INTEGER },
	[ARRAY_UINT8] = { "uint8", "|u1", "ByteStorage", 1, BURN_INTEGER },
	[ARRAY_INT8] = { "int8", "|i1", "CharStorage", 1, BURN_INTEGER },
	[ARRAY_INT16] = { "int16", "<i2", "ShortStorage", 2, BURN_INTEGER },
	[ARRAY_INT32] = { "int32", "<i4", "IntStorage", 4, BURN_INTEGER },
	[ARRAY_INT64] = { "int64", "<i8", "LongStorage", 8, BURN_INTEGER },
	[ARRAY_FLOAT16] = { "float16", "<f2", "HalfStorage", 2, BURN_FLOAT16 },
	[ARRAY_BFLOAT16] = { "bfloat16", NULL, "BFloat16Storage", 2, BURN_BFLOAT16 },
	[ARRAY_FLOAT32] = { "float32", "<f4", "FloatStorage", 4, BURN_FLOAT32 },
	[ARRAY_FLOAT64] = { "float64", "<f8", "DoubleStorage", 8, BURN_FLOAT64 },
};

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files hold what memory holds");

uint64_t array_number(const char *from, size_t bytes)
{
	uint64_t v = 0;

	for (size_t i = bytes; i-- > 0;)
		v = v << 8 | (unsigned char)from[i];
	return v;
}

int array_read_at(int fd, void *to, size_t len, uint64_t at, struct error *e)
{
	int r = file_read_exact(fd, to, len, at);

	return r < 0 ? fail(e, r, "cannot read: %s", strerror(-r)) : 0;
}

static const char magic[] = "\x93NUMPY";

struct text {
	const char *at, *end;
};

static void skip_blanks(struct text *t)
{
	while (t->at < t->end && (*t->at == ' ' || *t->at == '\n'))
		t->at++;
}

static bool npy_take(struct text *t, const char *word)
{
	size_t len = strlen(word);

	skip_blanks(t);
	if ((size_t)(t->end - t->at) < len || memcmp(t->at, word, len) != 0)
		return false;
	t->at += len;
	return true;
}

static bool take_number(struct text *t, size_t *out)
{
	size_t v = 0;
	const char *start;

	skip_blanks(t);
	for (start = t->at; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++)
		if (__builtin_mul_overflow(v, 10, &v) ||
			__builtin_add_overflow(v, (size_t)(*t->at - '0'), &v))
			return false;
	*out = v;
	return t->at > start;
}

/* "(1, 8, 32, 32)", "(32,)" or "()". */
static int take_shape(struct text *t, struct array *a, struct error *e)
{
	a->n_dims = 0;
	a->elements = 1;
	if (!npy_take(t, "("))
		return fail(e, -EINVAL, "shape is not a tuple");
	while (!npy_take(t, ")")) {
		size_t *dim = &a->dims[a->n_dims];

		if (a->n_dims == ARRAY_DIMS)
			return fail(e, -EINVAL, "shape has more than %d dimensions", ARRAY_DIMS);
		if (!take_number(t, dim))
			return fail(e, -EINVAL, "shape is not a tuple of numbers");
		a->n_dims++;
		if (__builtin_mul_overflow(a->elements, *dim, &a->elements) ||
			a->elements > SIZE_MAX / 16)
			return fail(e, -EINVAL, "shape is too large");
		if (npy_take(t, ","))
			continue;
		if (a->n_dims == 1 || !npy_take(t, ")"))
			return fail(e, -EINVAL, "shape is not a tuple of numbers");
		break;
	}
	return 0;
}

static int take_type(struct text *t, struct array *a, struct error *e)
{
	char quoted[8];
	int len = 0;

	for (int i = 0; i < ARRAY_TYPES; i++) {
		if (!array_types[i].npy)
			continue;
		snprintf(quoted, sizeof(quoted), "'%s'", array_types[i].npy);
		a->type = (enum array_type)i;
		if (npy_take(t, quoted))
			return 0;
	}
	skip_blanks(t);
	while (t->at + len < t->end && len < 40 && t->at[len] >= ' ' && t->at[len] <= '~' &&
		t->at[len] != ',')
		len++;
	return fail(e, -EINVAL, "type %.*s is not read ('<f4' is)", len, t->at);
}

static int take_pair(struct text *t, struct array *a, unsigned *seen, struct error *e)
{
	static const char *const keys[] = { "'descr'", "'fortran_order'", "'shape'" };

	for (unsigned i = 0; i < 3; i++) {
		if (!npy_take(t, keys[i]))
			continue;
		if (*seen & 1u << i)
			return fail(e, -EINVAL, "the header says %s twice", keys[i]);
		*seen |= 1u << i;
		if (!npy_take(t, ":"))
			return fail(e, -EINVAL, "the header has no value for %s", keys[i]);
		if (i == 0)
			return take_type(t, a, e);
		if (i == 2)
			return take_shape(t, a, e);
		return npy_take(t, "False") ? 0 : fail(e, -EINVAL, npy_take(t, "True") ?
			"the order is Fortran's" : "fortran_order is not a boolean");
	}
	return fail(e, -EINVAL, "the header has a key that the format does not define");
}

static int take_header(struct text t, struct array *a, struct error *e)
{
	unsigned seen = 0;
	int r;

	if (!npy_take(&t, "{"))
		return fail(e, -EINVAL, "the header is not a dictionary");
	while (!npy_take(&t, "}")) {
		r = take_pair(&t, a, &seen, e);
		if (r < 0)
			return r;
		if (npy_take(&t, ","))
			continue;
		if (!npy_take(&t, "}"))
			return fail(e, -EINVAL, "the header is not a dictionary");
		break;
	}
	skip_blanks(&t);
	if (t.at != t.end)
		return fail(e, -EINVAL, "something stands after the header's dictionary");
	if (seen != 7)
		return fail(e, -EINVAL, "the header lacks descr, fortran_order or shape");
	return 0;
}

long npy_parse(const char *bytes, size_t len, struct array *a, struct error *e)
{
	const unsigned char *b = (const unsigned char *)bytes;
	size_t start, size, step = 1;
	int r;

	if (len < 12 || memcmp(bytes, magic, 6) != 0)
		return fail(e, -EINVAL, "not a file of NumPy's");
	if ((b[6] != 1 && b[6] != 2) || b[7] != 0)
		return fail(e, -EINVAL, "version %d.%d of the format is not known", b[6], b[7]);
	start = b[6] == 1 ? 10 : 12;
	size = array_number(bytes + 8, start - 8);
	if (size > NPY_HEAD_MOST)
		return fail(e, -EINVAL, "a header of %zu bytes is too long", size);
	if (size > len - start)
		return fail_as(e, CODE_INVALID, -EAGAIN, "cut off within its header");
	r = take_header((struct text){ bytes + start, bytes + start + size }, a, e);
	if (r < 0)
		return r;
	a->at = start + size;
	a->stored = a->elements;
	for (int i = a->n_dims - 1; i >= 0; i--) {
		a->strides[i] = step;
		step *= a->dims[i];
	}
	return (long)a->at;
}

int npy_read_head(int fd, uint64_t file_size, struct array *a, struct error *e)
{
	const size_t most = NPY_HEAD_MOST + 12;
	const size_t size = file_size < most ? (size_t)file_size : most;
	char *head = mem_calloc(1, size + 1);
	long r = array_read_at(fd, head, size, 0, e);

	if (r == 0)
		r = npy_parse(head, size, a, e);
	free(head);
	return r < 0 ? (int)r : 0;
}

int npy_check_size(const struct array *a, uint64_t file_size, struct error *e)
{
	const uint64_t bytes = (uint64_t)a->elements * array_types[a->type].size;

	if (file_size - a->at == bytes)
		return 0;
	return fail(e, -EINVAL, "has %llu bytes of data, its shape needs %llu",
		(unsigned long long)(file_size - a->at), (unsigned long long)bytes);
}

/* why: an error that does not name the file. */
static int read_open(int fd, const size_t *dims, int n_dims, float **values, struct error *why)
{
	struct array a = { .n_dims = 0 };
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return fail_errno(why, "cannot read");
	if (!S_ISREG(st.st_mode))
		return fail_as(why, CODE_WRONG_KIND, -EINVAL, "is not a regular file");
	r = npy_read_head(fd, (uint64_t)st.st_size, &a, why);
	if (r < 0)
		return r;
	if (a.n_dims != n_dims || memcmp(a.dims, dims, sizeof(dims[0]) * (size_t)n_dims) != 0)
		return fail(why, -EDOM, "has another shape");
	if (a.type != ARRAY_FLOAT32)
		return fail(why, -EINVAL, "type '%s' is not '<f4' (float32)",
			array_types[a.type].npy);
	r = npy_check_size(&a, (uint64_t)st.st_size, why);
	if (r < 0)
		return r;
	*values = mem_realloc(NULL, a.elements * sizeof(float) + 1);
	return array_read_at(fd, *values, a.elements * sizeof(float), a.at, why);
}

int npy_read(const char *path, const size_t *dims, int n_dims, float **values, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), r;
	struct error why = { .text = "" };

	*values = NULL;
	if (fd < 0)
		return fail_errno(e, "%s: cannot open", path);
	r = read_open(fd, dims, n_dims, values, &why);
	close(fd);
	if (r == 0)
		return 0;
	free(*values);
	*values = NULL;
	return fail_because(e, r, &why, "%s: %s", path, why.text);
}

size_t npy_put_head(const size_t *dims, int n_dims, char *out, size_t size)
{
	size_t n = 10, pad;

	n += (size_t)snprintf(out + n, size - n,
		"{'descr': '<f4', 'fortran_order': False, 'shape': (");
	for (int i = 0; i < n_dims; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%zu", i ? ", " : "", dims[i]);
	n += (size_t)snprintf(out + n, size - n, "%s), }", n_dims == 1 ? "," : "");
	pad = 63 - n % 64;
	memset(out + n, ' ', pad);
	n += pad;
	out[n++] = '\n';
	memcpy(out, magic, 6);
	out[6] = 1;
	out[7] = 0;
	out[8] = (char)((n - 10) & 0xff);
	out[9] = (char)((n - 10) >> 8);
	return n;
}

int npy_write(const char *path, const size_t *dims, int n_dims, const float *data, struct error *e)
{
	size_t elements = 1, len;
	struct file_new f;
	char head[512];
	int r;

	for (int i = 0; i < n_dims; i++)
		elements *= dims[i];
	r = file_new_open(&f, path, false, e);
	if (r < 0)
		return r;
	len = npy_put_head(dims, n_dims, head, sizeof(head));
	r = file_write_all(f.fd, head, len);
	if (r == 0)
		r = file_write_all(f.fd, (const char *)data, elements * sizeof(float));
	return file_new_end(&f, r, e);
}
