/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/reference/zip.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
	DIRECTORY_MOST = 16 << 20
};

struct end {
	uint64_t n, size, at;	/* of the directory */
	uint64_t limit;		/* where the record after it begins */
};

static uint32_t number32(const char *from, int bytes)
{
	uint32_t v = 0;

	for (int i = bytes - 1; i >= 0; i--)
		v = v << 8 | (unsigned char)from[i];
	return v;
}

static uint64_t number64(const char *from)
{
	return number32(from, 4) | (uint64_t)number32(from + 4, 4) << 32;
}

static int read_at(int fd, char *to, size_t len, uint64_t at, struct error *e)
{
	int r = file_read_exact(fd, to, len, at);

	return r < 0 ? fail(e, r, "cannot read: %s", strerror(-r)) : 0;
}

/* Read the sizes of an archive of more than 4 GiB, which are just before its end. */
static int read_end64(int fd, struct end *end, struct error *e)
{
	char locator[LOCATOR_SIZE], record[END64_SIZE];
	uint64_t at;
	int r;

	if (end->limit < LOCATOR_SIZE + END64_SIZE)
		return 0;
	r = read_at(fd, locator, sizeof(locator), end->limit - LOCATOR_SIZE, e);
	if (r < 0 || number32(locator, 4) != LOCATOR_SIGNATURE)
		return r;
	at = number64(locator + 8);
	if (at != end->limit - LOCATOR_SIZE - END64_SIZE)
		return fail(e, -EINVAL, "the archive's end is not where it says");
	r = read_at(fd, record, sizeof(record), at, e);
	if (r < 0)
		return r;
	if (number32(record, 4) != END64_SIGNATURE || number64(record + 4) != END64_SIZE - 12 ||
		number32(record + 16, 4) || number32(record + 20, 4) ||
		number64(record + 24) != number64(record + 32))
		return fail(e, -EINVAL, "the archive's end is not of one whole archive");
	*end = (struct end){ number64(record + 32), number64(record + 40), number64(record + 48),
		at };
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
	r = read_at(fd, text, sizeof(text), end->limit, e);
	if (r < 0)
		return r;
	if (number32(text, 4) != END_SIGNATURE || number32(text + 20, 2))
		return fail(e, -EINVAL, "no zip archive ends at its end");
	if (number32(text + 4, 2) || number32(text + 6, 2) ||
		number32(text + 8, 2) != number32(text + 10, 2))
		return fail(e, -EINVAL, "the archive is a part of one");
	end->n = number32(text + 10, 2);
	end->size = number32(text + 12, 4);
	end->at = number32(text + 16, 4);
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
		const size_t size = number32(extra + 2, 2);
		size_t at = 4;

		if (size > len - 4)
			return false;
		for (int i = 0; i < 3 && number32(extra, 2) == EXTRA64; i++) {
			if (*sizes[i] != UINT32_MAX)
				continue;
			if (at + 8 > size + 4)
				return false;
			*sizes[i] = number64(extra + at);
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

	if (end - at < ENTRY_SIZE || number32(at, 4) != ENTRY_SIGNATURE)
		return fail(e, -EINVAL, "the archive's directory is damaged");
	f->name = at + ENTRY_SIZE;
	f->len = number32(at + 28, 2);
	extra = number32(at + 30, 2);
	comment = number32(at + 32, 2);
	*took = ENTRY_SIZE + f->len + extra + comment;
	if ((size_t)(end - at) < *took || f->len == 0 || f->len > NAME_MOST ||
		memchr(f->name, '\0', f->len))
		return fail(e, -EINVAL, "the archive's directory is damaged");
	packed = number32(at + 20, 4);
	f->size = number32(at + 24, 4);
	f->at = number32(at + 42, 4);
	sizes[0] = &f->size, sizes[1] = &packed, sizes[2] = &f->at;
	if (!widen(f->name + f->len, extra, sizes))
		return fail(e, -EINVAL, "the archive's directory is damaged");
	if (number32(at + 8, 2) & FLAG_ENCRYPTED)
		return fail(e, -EINVAL, "%.*s is encrypted", (int)f->len, f->name);
	if (number32(at + 10, 2) != 0 || packed != f->size)
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
	r = read_at(fd, head, LOCAL_SIZE + f->len, f->at, e);
	if (r < 0)
		return r;
	if (number32(head, 4) != LOCAL_SIGNATURE || number32(head + 8, 2) != 0 ||
		number32(head + 26, 2) != f->len ||
		memcmp(head + LOCAL_SIZE, f->name, f->len) != 0)
		return fail(e, -EINVAL, "%.*s is not where the directory says", (int)f->len,
			f->name);
	skip = LOCAL_SIZE + f->len + number32(head + 28, 2);
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

int zip_open(int fd, struct zip *z, struct error *e)
{
	const char *at, *stop;
	struct end end = { 0 };
	int r;

	*z = (struct zip){ 0 };
	r = read_end(fd, &end, e);
	if (r < 0)
		return r;
	z->directory = mem_calloc(1, end.size + 1);
	z->files = mem_calloc(end.n + 1, sizeof(*z->files));
	r = read_at(fd, z->directory, end.size, end.at, e);
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

void zip_close(struct zip *z)
{
	free(z->files);
	free(z->directory);
	*z = (struct zip){ 0 };
}

const struct zip_file *zip_find(const struct zip *z, const char *name)
{
	const struct zip_file key = { .name = name, .len = strlen(name) };

	return z->n > 0 ? bsearch(&key, z->files, z->n, sizeof(key), by_name) : NULL;
}
