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

static struct {
	__typeof__(archive_write_new) *write_new;
	__typeof__(archive_write_add_filter_gzip) *write_gzip;
	__typeof__(archive_write_set_format_pax_restricted) *write_pax;
	__typeof__(archive_write_set_bytes_in_last_block) *write_last;
	__typeof__(archive_write_open) *write_open;
	__typeof__(archive_write_header) *write_header;
	__typeof__(archive_write_data) *write_data;
	__typeof__(archive_write_close) *write_close;
	__typeof__(archive_write_free) *write_free;
	__typeof__(archive_read_new) *read_new;
	__typeof__(archive_read_support_format_tar) *read_tar;
	__typeof__(archive_read_open2) *read_open;
	__typeof__(archive_read_next_header) *read_next;
	__typeof__(archive_read_data) *read_data;
	__typeof__(archive_read_free) *read_free;
	__typeof__(archive_error_string) *error_string;
	__typeof__(archive_entry_new) *entry_new;
	__typeof__(archive_entry_free) *entry_free;
	__typeof__(archive_entry_set_pathname) *set_pathname;
	__typeof__(archive_entry_set_symlink) *set_symlink;
	__typeof__(archive_entry_set_filetype) *set_filetype;
	__typeof__(archive_entry_set_perm) *set_perm;
	__typeof__(archive_entry_set_mtime) *set_mtime;
	__typeof__(archive_entry_set_size) *set_size;
	__typeof__(archive_entry_pathname) *pathname;
	__typeof__(archive_entry_pathname_utf8) *pathname_utf8;
	__typeof__(archive_entry_filetype) *filetype;
	__typeof__(archive_entry_symlink) *symlink;
	__typeof__(archive_entry_hardlink) *hardlink;
} la;

static int tar_load(struct error *e)
{
	static const struct dl_slot slots[] = {
		{ "archive_write_new", &la.write_new },
		{ "archive_write_add_filter_gzip", &la.write_gzip },
		{ "archive_write_set_format_pax_restricted", &la.write_pax },
		{ "archive_write_set_bytes_in_last_block", &la.write_last },
		{ "archive_write_open", &la.write_open },
		{ "archive_write_header", &la.write_header },
		{ "archive_write_data", &la.write_data },
		{ "archive_write_close", &la.write_close },
		{ "archive_write_free", &la.write_free },
		{ "archive_read_new", &la.read_new },
		{ "archive_read_support_format_tar", &la.read_tar },
		{ "archive_read_open2", &la.read_open },
		{ "archive_read_next_header", &la.read_next },
		{ "archive_read_data", &la.read_data },
		{ "archive_read_free", &la.read_free },
		{ "archive_error_string", &la.error_string },
		{ "archive_entry_new", &la.entry_new },
		{ "archive_entry_free", &la.entry_free },
		{ "archive_entry_set_pathname", &la.set_pathname },
		{ "archive_entry_set_symlink", &la.set_symlink },
		{ "archive_entry_set_filetype", &la.set_filetype },
		{ "archive_entry_set_perm", &la.set_perm },
		{ "archive_entry_set_mtime", &la.set_mtime },
		{ "archive_entry_set_size", &la.set_size },
		{ "archive_entry_pathname", &la.pathname },
		{ "archive_entry_pathname_utf8", &la.pathname_utf8 },
		{ "archive_entry_filetype", &la.filetype },
		{ "archive_entry_symlink", &la.symlink },
		{ "archive_entry_hardlink", &la.hardlink },
	};

	return la.hardlink ? 0 : dl_load(DL_ARCHIVE, slots, ARRAY_LEN(slots), e);
}

static int fail_archive(struct archive *a, int code, const char *does, struct error *e)
{
	const char *why = la.error_string(a);

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
	int r = tar_load(e);

	if (r < 0)
		return r;
	t = mem_calloc(1, sizeof(*t));
	t->to = to;
	t->when = when;
	t->archive = la.write_new();
	if (!t->archive || la.write_gzip(t->archive) != ARCHIVE_OK ||
		la.write_pax(t->archive) != ARCHIVE_OK ||
		/* No padding after the compressed data: only a tape would need it. */
		la.write_last(t->archive, 1) != ARCHIVE_OK ||
		la.write_open(t->archive, t, NULL, take_block, NULL) != ARCHIVE_OK) {
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
	struct archive_entry *entry = la.entry_new();
	int r;

	if (!entry)
		return fail(e, -ENOMEM, "%s: no memory", path);
	la.set_pathname(entry, path);
	la.set_filetype(entry, target ? AE_IFLNK : AE_IFREG);
	la.set_perm(entry, target ? 0777 : 0600);
	la.set_mtime(entry, (time_t)t->when, 0);
	if (target)
		la.set_symlink(entry, target);
	else
		la.set_size(entry, (la_int64_t)len);
	r = la.write_header(t->archive, entry);
	la.entry_free(entry);
	if (r < ARCHIVE_WARN || (len > 0 && la.write_data(t->archive, data, len) < (la_ssize_t)len))
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
	if (t->archive && la.write_close(t->archive) != ARCHIVE_OK)
		r = fail_archive(t->archive, -EIO, "the archive cannot be ended", e);
	if (t->archive)
		la.write_free(t->archive);
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
	int r = tar_load(e);

	if (r < 0)
		return r;
	if (fstat(fd, &st) < 0)
		return fail_errno(e, "cannot be read");
	t = mem_calloc(1, sizeof(*t));
	t->fd = fd;
	t->size = st.st_size > 0 ? (uint64_t)st.st_size : 0;
	t->archive = la.read_new();
	if (!t->archive || la.read_tar(t->archive) != ARCHIVE_OK ||
		la.read_open(t->archive, t, NULL, give_block, pass_over, NULL) != ARCHIVE_OK) {
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
	if (la.hardlink(entry) || la.symlink(entry) || la.filetype(entry) == AE_IFLNK)
		return TAR_LINK;
	return la.filetype(entry) == AE_IFREG ? TAR_FILE :
	       la.filetype(entry) == AE_IFDIR ? TAR_FOLDER : TAR_OTHER;
}

int tar_in_next(struct tar_in *t, struct tar_member *m, struct error *e)
{
	struct archive_entry *entry;
	const char *path;
	const int r = la.read_next(t->archive, &entry);

	if (r == ARCHIVE_EOF)
		return 0;
	if (r < ARCHIVE_WARN)
		return fail_archive(t->archive, -EBADMSG, "damaged or cut short", e);
	/* Without a locale a non-ASCII name exists only as UTF-8.  Without either it stays "". */
	path = la.pathname_utf8(entry);
	path = path ? path : la.pathname(entry);
	*m = (struct tar_member){ .path = path ? path : "", .kind = kind_of(entry) };
	return 1;
}

int tar_in_read(struct tar_in *t, size_t max, char **text, size_t *len, struct error *e)
{
	size_t size = 0, have = 0;
	char *buf = NULL;
	la_ssize_t n;

	do {
		if (have + BLOCK >= size)
			buf = mem_realloc(buf, size += have + BLOCK + 1);
		n = la.read_data(t->archive, buf + have, BLOCK);
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
		la.read_free(t->archive);
	free(t);
}
