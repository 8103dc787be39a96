/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/reference/array.h"

#include "base/file.h"
#include "base/mem.h"
#include "burnin/kernels/bf16.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The files of a zip archive that are stored uncompressed: torch compresses nothing.  A library
 * would inflate, repair and guess.  Here only the directory defines the files, and an archive is
 * refused if a file is compressed or encrypted, if a name occurs twice, if two files overlap, or if
 * anything follows its end.  Names are compared, and never opened.  Checksums are not verified:
 * torch writes wrong ones if it was asked to.
 */

struct zip_file {
	const char *name;	/* not NUL-terminated */
	size_t len;
	uint64_t at, size;	/* its bytes, in the archive */
};

struct zip {
	int fd;
	char *directory;
	struct zip_file *files;	/* sorted by name */
	size_t n;
	const struct zip_file *pickle;	/* "archive/data.pkl"; NULL: it has none */
	int folder;		/* length of "archive" */
};

/* APPNOTE.TXT of PKWARE, 4.3 to 4.5. */
enum {
	LOCAL_SIGNATURE = 0x04034b50, LOCAL_SIZE = 30,
	ENTRY_SIGNATURE = 0x02014b50, ENTRY_SIZE = 46,
	END_SIGNATURE = 0x06054b50, END_SIZE = 22,
	LOCATOR_SIGNATURE = 0x07064b50, LOCATOR_SIZE = 20,
	END64_SIGNATURE = 0x06064b50, END64_SIZE = 56,
	EXTRA64 = 1,
	FLAG_ENCRYPTED = 1,
	NAME_MOST = 4096,
	FOLDER_MOST = 1000,
	DIRECTORY_MOST = 16 << 20
};

struct end {
	uint64_t n, size, at;	/* of the directory */
	uint64_t limit;		/* where the record after it begins */
};

/* Read the sizes of an archive of more than 4 GiB, which are just before its end. */
static int read_end64(int fd, struct end *end, struct error *e)
{
	char locator[LOCATOR_SIZE], record[END64_SIZE];
	uint64_t at;
	int r;

	if (end->limit < LOCATOR_SIZE + END64_SIZE)
		return 0;
	r = array_read_at(fd, locator, sizeof(locator), end->limit - LOCATOR_SIZE, e);
	if (r < 0 || array_number(locator, 4) != LOCATOR_SIGNATURE)
		return r;
	at = array_number(locator + 8, 8);
	if (at != end->limit - LOCATOR_SIZE - END64_SIZE)
		return fail(e, -EINVAL, "the archive's end is not where it says");
	r = array_read_at(fd, record, sizeof(record), at, e);
	if (r < 0)
		return r;
	if (array_number(record, 4) != END64_SIGNATURE ||
		array_number(record + 4, 8) != END64_SIZE - 12 || array_number(record + 16, 4) ||
		array_number(record + 20, 4) ||
		array_number(record + 24, 8) != array_number(record + 32, 8))
		return fail(e, -EINVAL, "the archive's end is not of one whole archive");
	*end = (struct end){ array_number(record + 32, 8), array_number(record + 40, 8),
		array_number(record + 48, 8), at };
	return 0;
}

static int read_end(int fd, struct end *end, struct error *e)
{
	char text[END_SIZE];
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return fail_errno(e, "cannot read");
	if (st.st_size < END_SIZE)
		return fail(e, -EINVAL, "too short for a zip archive");
	end->limit = (uint64_t)st.st_size - END_SIZE;
	r = array_read_at(fd, text, sizeof(text), end->limit, e);
	if (r < 0)
		return r;
	if (array_number(text, 4) != END_SIGNATURE || array_number(text + 20, 2))
		return fail(e, -EINVAL, "no zip archive ends at its end");
	if (array_number(text + 4, 2) || array_number(text + 6, 2) ||
		array_number(text + 8, 2) != array_number(text + 10, 2))
		return fail(e, -EINVAL, "the archive is a part of one");
	end->n = array_number(text + 10, 2);
	end->size = array_number(text + 12, 4);
	end->at = array_number(text + 16, 4);
	r = read_end64(fd, end, e);
	if (r < 0)
		return r;
	if (end->at > end->limit || end->size != end->limit - end->at ||
		end->size > DIRECTORY_MOST || end->n > end->size / ENTRY_SIZE)
		return fail(e, -EINVAL, "the archive's directory is not where it says");
	return 0;
}

/* Sizes that do not fit into 32 bits stand in an extra field, in this order. */
static bool widen(const char *extra, size_t len, uint64_t *sizes[static 3])
{
	while (len >= 4) {
		const size_t size = array_number(extra + 2, 2);
		size_t at = 4;

		if (size > len - 4)
			return false;
		for (int i = 0; i < 3 && array_number(extra, 2) == EXTRA64; i++) {
			if (*sizes[i] != UINT32_MAX)
				continue;
			if (at + 8 > size + 4)
				return false;
			*sizes[i] = array_number(extra + at, 8);
			at += 8;
		}
		extra += size + 4;
		len -= size + 4;
	}
	return len == 0;
}

/* Parse a directory entry; f->at is the place of its local header until find_bytes(). */
static int take_entry(const char *at, const char *end, struct zip_file *f, size_t *took,
	struct error *e)
{
	size_t extra, comment;
	uint64_t packed, *sizes[3];

	if (end - at < ENTRY_SIZE || array_number(at, 4) != ENTRY_SIGNATURE)
		return fail(e, -EINVAL, "the archive's directory is damaged");
	f->name = at + ENTRY_SIZE;
	f->len = array_number(at + 28, 2);
	extra = array_number(at + 30, 2);
	comment = array_number(at + 32, 2);
	*took = ENTRY_SIZE + f->len + extra + comment;
	if ((size_t)(end - at) < *took || f->len == 0 || f->len > NAME_MOST ||
		memchr(f->name, '\0', f->len))
		return fail(e, -EINVAL, "the archive's directory is damaged");
	packed = array_number(at + 20, 4);
	f->size = array_number(at + 24, 4);
	f->at = array_number(at + 42, 4);
	sizes[0] = &f->size, sizes[1] = &packed, sizes[2] = &f->at;
	if (!widen(f->name + f->len, extra, sizes))
		return fail(e, -EINVAL, "the archive's directory is damaged");
	if (array_number(at + 8, 2) & FLAG_ENCRYPTED)
		return fail(e, -EINVAL, "%.*s is encrypted", (int)f->len, f->name);
	if (array_number(at + 10, 2) != 0 || packed != f->size)
		return fail(e, -EINVAL, "%.*s is compressed", (int)f->len, f->name);
	return 0;
}

/* Move f->at from the local header, which has to have the same name, to the file's bytes. */
static int find_bytes(int fd, struct zip_file *f, uint64_t limit, struct error *e)
{
	char head[LOCAL_SIZE + NAME_MOST];
	uint64_t skip;
	int r;

	if (f->at > limit || limit - f->at < LOCAL_SIZE + f->len)
		return fail(e, -EINVAL, "%.*s is not in the archive", (int)f->len, f->name);
	r = array_read_at(fd, head, LOCAL_SIZE + f->len, f->at, e);
	if (r < 0)
		return r;
	if (array_number(head, 4) != LOCAL_SIGNATURE || array_number(head + 8, 2) != 0 ||
		array_number(head + 26, 2) != f->len ||
		memcmp(head + LOCAL_SIZE, f->name, f->len) != 0)
		return fail(e, -EINVAL, "%.*s is not where the directory says", (int)f->len,
			f->name);
	skip = LOCAL_SIZE + f->len + array_number(head + 28, 2);
	if (limit - f->at < skip || limit - f->at - skip < f->size)
		return fail(e, -EINVAL, "%.*s is longer than the archive", (int)f->len, f->name);
	f->at += skip;
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct zip_file *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static int by_name(const void *a, const void *b)
{
	const struct zip_file *x = a, *y = b;
	const int r = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);

	return r ? r : (x->len > y->len) - (x->len < y->len);
}

/* Refuse files that overlap and names that occur twice; leaves the files sorted by name. */
static int check_apart(struct zip *z, struct error *e)
{
	qsort(z->files, z->n, sizeof(*z->files), by_place);
	for (size_t i = 1; i < z->n; i++) {
		const struct zip_file *f = &z->files[i];

		if (z->files[i - 1].at + z->files[i - 1].size > f->at - f->len - LOCAL_SIZE)
			return fail(e, -EINVAL, "%.*s lies over another file", (int)f->len,
				f->name);
	}
	qsort(z->files, z->n, sizeof(*z->files), by_name);
	for (size_t i = 1; i < z->n; i++)
		if (by_name(&z->files[i - 1], &z->files[i]) == 0)
			return fail(e, -EINVAL, "%.*s is there twice", (int)z->files[i].len,
				z->files[i].name);
	return 0;
}

/* -EINVAL: not an archive, or not one as above.  The caller frees its parts in any case. */
static int zip_open(int fd, struct zip *z, struct error *e)
{
	const char *at, *stop;
	struct end end = { 0 };
	int r;

	*z = (struct zip){ .fd = fd };
	r = read_end(fd, &end, e);
	if (r < 0)
		return r;
	z->directory = mem_calloc(1, end.size + 1);
	z->files = mem_calloc(end.n + 1, sizeof(*z->files));
	r = array_read_at(fd, z->directory, end.size, end.at, e);
	at = z->directory;
	stop = at + end.size;
	for (; r == 0 && z->n < end.n; z->n++) {
		size_t took = 0;

		r = take_entry(at, stop, &z->files[z->n], &took, e);
		if (r == 0)
			r = find_bytes(fd, &z->files[z->n], end.at, e);
		at += took;
	}
	if (r == 0 && at != stop)
		r = fail(e, -EINVAL, "the archive's directory has more than it says");
	return r < 0 ? r : check_apart(z, e);
}

/* NULL if there is no file of this name. */
static const struct zip_file *zip_find(const struct zip *z, const char *name)
{
	const struct zip_file key = { .name = name, .len = strlen(name) };

	return z->n > 0 ? bsearch(&key, z->files, z->n, sizeof(key), by_name) : NULL;
}

/* All files of an archive are in one folder of any name. */
static void find_pickle(struct zip *z)
{
	static const char name[] = "/data.pkl";
	const size_t len = sizeof(name) - 1;

	for (size_t i = 0; i < z->n && !z->pickle; i++) {
		const struct zip_file *f = &z->files[i];

		if (f->len <= len || f->len >= len + FOLDER_MOST ||
			memcmp(f->name + f->len - len, name, len) != 0 ||
			memchr(f->name, '/', f->len - len))
			continue;
		z->pickle = f;
		z->folder = (int)(f->len - len);
	}
}

/* Refuse the byte order of big-endian machines. */
static int check_order(const struct zip *z, struct error *e)
{
	char path[FOLDER_MOST + 16], order[6] = "";
	const struct zip_file *f;
	int r = 0;

	snprintf(path, sizeof(path), "%.*s/byteorder", z->folder, z->pickle->name);
	f = zip_find(z, path);
	if (f && f->size == sizeof(order))
		r = array_read_at(z->fd, order, sizeof(order), f->at, e);
	if (r < 0)
		return r;
	if (f && memcmp(order, "little", sizeof(order)) != 0)
		return fail(e, -EINVAL, "its byte order is not little-endian");
	return 0;
}

/* Number of stored elements from its first to its last; it need not have all of these. */
static uint64_t span_of(const struct array *t)
{
	uint64_t span = t->elements > 0;

	for (int i = 0; span > 0 && i < t->n_dims; i++)
		span += (t->dims[i] - 1) * (uint64_t)t->strides[i];
	return span;
}

/* Its place in the archive; *left: bytes that may still be read of all tensors. */
static int place_tensor(const struct zip *z, struct array *a, uint64_t *left, struct error *e)
{
	const size_t size = array_types[a->type].size;
	char path[FOLDER_MOST + ARRAY_NAME + 8];
	const struct zip_file *f;
	uint64_t bytes;

	snprintf(path, sizeof(path), "%.*s/data/%s", z->folder, z->pickle->name, a->storage);
	f = zip_find(z, path);
	if (!f)
		return fail(e, -EINVAL, "it has no %s", path);
	if (__builtin_mul_overflow(a->stored, size, &bytes) ||
		f->size != bytes)
		return fail(e, -EINVAL, "%s has %llu bytes, not %llu elements of %s", path,
			(unsigned long long)f->size, (unsigned long long)a->stored,
			array_types[a->type].name);
	a->at = f->at;
	/* An element may lie far from the next one, or be used many times. */
	bytes = (span_of(a) > a->elements ? span_of(a) : a->elements) * size;
	if (bytes > *left)
		return fail(e, -EINVAL, "its tensors overlap: reading them takes more than %d "
			"times its size", ARRAY_READINGS);
	*left -= bytes;
	return 0;
}

static int read_pickle(const struct zip *z, struct array_file *f, struct error *e)
{
	const uint64_t size = z->pickle->size;
	char *text;
	int r;

	if (size > PICKLE_MOST)
		return fail(e, -EINVAL, "a pickle of %llu bytes is too long",
			(unsigned long long)size);
	text = mem_calloc(1, size + 1);
	r = array_read_at(z->fd, text, size, z->pickle->at, e);
	if (r == 0)
		r = pickle_parse(text, size, f, e);
	free(text);
	return r;
}

/* Take the tensors of the pickle, each with its place in the archive of `size` bytes. */
static int open_zip(int fd, uint64_t size, struct array_file *f, struct error *e)
{
	struct zip z;
	uint64_t left = size * ARRAY_READINGS;
	int r = zip_open(fd, &z, e);

	if (r == 0) {
		find_pickle(&z);
		r = z.pickle ? check_order(&z, e) : fail(e, -EINVAL, "a zip archive without "
			"data.pkl, not one of torch.save()");
	}
	if (r == 0)
		r = read_pickle(&z, f, e);
	for (size_t i = 0; r == 0 && i < f->n; i++)
		r = place_tensor(&z, &f->arrays[i], &left, e);
	free(z.files);
	free(z.directory);
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
	if (memcmp(magic, "\x93NUMPY", 6) == 0) {
		f->arrays = mem_calloc(1, sizeof(*f->arrays));
		f->n = 1;
		r = npy_read_head(f->fd, (uint64_t)st.st_size, f->arrays, &why);
		if (r == 0)
			r = npy_check_size(f->arrays, (uint64_t)st.st_size, &why);
	} else if (memcmp(magic, "PK\3\4", 4) == 0) {
		r = open_zip(f->fd, (uint64_t)st.st_size, f, &why);
	} else {
		r = fail(&why, -EINVAL, "neither an array of NumPy's nor tensors of torch.save()");
	}
	if (r == 0)
		return 0;
	f->n = 0;
	return fail_because(e, r, &why, "%s: %s", path, why.text);
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

static void take_elements(const struct array *t, const char *bytes, double *out)
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
	const struct array *t = &f->arrays[i];
	const size_t size = array_types[t->type].size;
	const uint64_t bytes = span_of(t) * size;
	char *raw = malloc(bytes + 1);
	double *out = t->elements < SIZE_MAX / 16 ? malloc((t->elements + 1) * sizeof(*out)) : NULL;
	int r = 0;

	*values = NULL;
	if (!raw || !out)
		r = fail(e, -ENOMEM, "out of memory");
	if (r == 0)
		r = array_read_at(f->fd, raw, bytes, t->at + t->offset * size, e);
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
