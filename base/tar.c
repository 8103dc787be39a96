/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tar.c - reading and writing archives by libarchive.
 *
 * For reading only plain tar is enabled: no filter, so that data cannot grow when it is read, and
 * no other format.  Members are skipped by our own callback, which never goes past the end of the
 * file, so that an archive that ends early is reported as cut short.
 */
#include "config.h"
#include "base/tar.h"

#include "base/dl.h"
#include "base/mem.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK (64 << 10)

#define ARCHIVE_FUNCTIONS(F) \
	F(archive_write_new) F(archive_write_add_filter_gzip) \
	F(archive_write_set_format_pax_restricted) F(archive_write_set_bytes_in_last_block) \
	F(archive_write_open) F(archive_write_header) F(archive_write_data) \
	F(archive_write_close) F(archive_write_free) F(archive_read_new) \
	F(archive_read_support_format_tar) F(archive_read_open2) F(archive_read_next_header) \
	F(archive_read_data) F(archive_read_free) F(archive_error_string) F(archive_entry_new) \
	F(archive_entry_free) F(archive_entry_set_pathname) F(archive_entry_set_symlink) \
	F(archive_entry_set_filetype) F(archive_entry_set_perm) F(archive_entry_set_mtime) \
	F(archive_entry_set_size) F(archive_entry_pathname) F(archive_entry_pathname_utf8) \
	F(archive_entry_filetype) F(archive_entry_symlink) F(archive_entry_hardlink)
DL_LIBRARY(DL_ARCHIVE, ARCHIVE_FUNCTIONS)

static int fail_archive(struct archive *a, int code, const char *does, struct error *e)
{
	const char *why = lib.archive_error_string(a);

	return fail(e, code, "%s: %s", does, why ? why : "no reason is known");
}

/* Writing. */

struct tar_out {
	struct archive *archive;
	struct strbuf *to;
	int64_t when;
};

static la_ssize_t take_block(struct archive *a, void *arg, const void *block, size_t len)
{
	(void)a;
	strbuf_add(((struct tar_out *)arg)->to, block, len);
	return (la_ssize_t)len;
}

int tar_out_open(struct tar_out **out, struct strbuf *to, int64_t when, struct error *e)
{
	struct tar_out *t;
	int r = lib_load(e);

	if (r < 0)
		return r;
	t = mem_calloc(1, sizeof(*t));
	t->to = to;
	t->when = when;
	t->archive = lib.archive_write_new();
	if (!t->archive || lib.archive_write_add_filter_gzip(t->archive) != ARCHIVE_OK ||
		lib.archive_write_set_format_pax_restricted(t->archive) != ARCHIVE_OK ||
		/* No padding after the compressed data: only a tape would need it. */
		lib.archive_write_set_bytes_in_last_block(t->archive, 1) != ARCHIVE_OK ||
		lib.archive_write_open(t->archive, t, NULL, take_block, NULL) != ARCHIVE_OK) {
		fail(e, -EIO, "libarchive cannot begin an archive");
		tar_out_close(t, NULL);
		return -EIO;
	}
	*out = t;
	return 0;
}

static int put_member(struct tar_out *t, const char *path, const char *target, const void *data,
	size_t len, struct error *e)
{
	struct archive_entry *entry = lib.archive_entry_new();
	int r;

	if (!entry)
		return fail(e, -ENOMEM, "%s: no memory", path);
	lib.archive_entry_set_pathname(entry, path);
	lib.archive_entry_set_filetype(entry, target ? AE_IFLNK : AE_IFREG);
	lib.archive_entry_set_perm(entry, target ? 0777 : 0600);
	lib.archive_entry_set_mtime(entry, (time_t)t->when, 0);
	if (target)
		lib.archive_entry_set_symlink(entry, target);
	else
		lib.archive_entry_set_size(entry, (la_int64_t)len);
	r = lib.archive_write_header(t->archive, entry);
	lib.archive_entry_free(entry);
	if (r < ARCHIVE_WARN || (len > 0 &&
		lib.archive_write_data(t->archive, data, len) < (la_ssize_t)len))
		return fail_archive(t->archive, -EIO, path, e);
	return 0;
}

int tar_out_file(struct tar_out *t, const char *path, const void *data, size_t len,
	struct error *e)
{
	return put_member(t, path, NULL, data, len, e);
}

int tar_out_link(struct tar_out *t, const char *path, const char *target, struct error *e)
{
	return put_member(t, path, target, NULL, 0, e);
}

int tar_out_close(struct tar_out *t, struct error *e)
{
	int r = 0;

	if (!t)
		return 0;
	if (t->archive && lib.archive_write_close(t->archive) != ARCHIVE_OK)
		r = fail_archive(t->archive, -EIO, "the archive cannot be ended", e);
	if (t->archive)
		lib.archive_write_free(t->archive);
	free(t);
	return r;
}

/* Reading. */

struct tar_in {
	struct archive *archive;
	int fd;
	uint64_t at, size;	/* read offset, and size of the file */
	char block[BLOCK];
};

static la_ssize_t give_block(struct archive *a, void *arg, const void **block)
{
	struct tar_in *t = arg;
	ssize_t n;

	(void)a;
	do
		n = pread(t->fd, t->block, sizeof(t->block), (off_t)t->at);
	while (n < 0 && errno == EINTR);
	*block = t->block;
	t->at += n > 0 ? (uint64_t)n : 0;
	return n;
}

static la_int64_t pass_over(struct archive *a, void *arg, la_int64_t request)
{
	struct tar_in *t = arg;
	const uint64_t left = t->size > t->at ? t->size - t->at : 0;
	const uint64_t n = request < 0 ? 0 : (uint64_t)request < left ? (uint64_t)request : left;

	(void)a;
	t->at += n;
	return (la_int64_t)n;
}

int tar_in_open(struct tar_in **out, int fd, struct error *e)
{
	struct tar_in *t;
	struct stat st;
	int r = lib_load(e);

	if (r < 0)
		return r;
	if (fstat(fd, &st) < 0)
		return fail_errno(e, "cannot be read");
	t = mem_calloc(1, sizeof(*t));
	t->fd = fd;
	t->size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
	t->archive = lib.archive_read_new();
	if (!t->archive || lib.archive_read_support_format_tar(t->archive) != ARCHIVE_OK ||
		lib.archive_read_open2(t->archive, t, NULL, give_block, pass_over, NULL) !=
			ARCHIVE_OK) {
		r = t->archive ? fail_archive(t->archive, -EBADMSG, "not an archive", e)
			       : fail(e, -ENOMEM, "no memory");
		tar_in_close(t);
		return r;
	}
	*out = t;
	return 0;
}

static enum tar_kind kind_of(struct archive_entry *entry)
{
	if (lib.archive_entry_hardlink(entry) || lib.archive_entry_symlink(entry) ||
		lib.archive_entry_filetype(entry) == AE_IFLNK)
		return TAR_LINK;
	return lib.archive_entry_filetype(entry) == AE_IFREG ? TAR_FILE :
	       lib.archive_entry_filetype(entry) == AE_IFDIR ? TAR_FOLDER : TAR_OTHER;
}

int tar_in_next(struct tar_in *t, struct tar_member *m, struct error *e)
{
	struct archive_entry *entry;
	const char *path;
	const int r = lib.archive_read_next_header(t->archive, &entry);

	if (r == ARCHIVE_EOF)
		return 0;
	if (r < ARCHIVE_WARN)
		return fail_archive(t->archive, -EBADMSG, "damaged or cut short", e);
	/* Without a locale a non-ASCII name exists only as UTF-8.  Without either it stays "". */
	path = lib.archive_entry_pathname_utf8(entry);
	path = path ? path : lib.archive_entry_pathname(entry);
	*m = (struct tar_member){ .path = path ? path : "", .kind = kind_of(entry) };
	return 1;
}

int tar_in_read(struct tar_in *t, size_t max, char **text, size_t *len, struct error *e)
{
	size_t size = 0, have = 0;
	char *buf = NULL;
	la_ssize_t n;

	/* A member with holes is longer than its archive. */
	max = t->size < max ? t->size : max;
	do {
		if (have + BLOCK >= size)
			buf = mem_realloc(buf, size += have + BLOCK + 1);
		n = lib.archive_read_data(t->archive, buf + have, BLOCK);
		have += n > 0 ? (size_t)n : 0;
	} while (n > 0 && have <= max);
	if (n < 0 || have > max) {
		free(buf);
		return n < 0 ? fail_archive(t->archive, -EBADMSG, "damaged or cut short", e)
			     : fail(e, -EFBIG, "larger than %zu bytes", max);
	}
	buf[have] = '\0';
	*text = buf;
	*len = have;
	return 0;
}

void tar_in_close(struct tar_in *t)
{
	if (t && t->archive)
		lib.archive_read_free(t->archive);
	free(t);
}
