/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xlsx_make.c - makes a workbook in an open file: begins it, lets its caller fill it, packs it.
 */
#include "config.h"
#include "output/xlsx_book.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int book_make(struct book *b, const struct book_file *to, struct error *e)
{
	lxw_workbook_options options = { .constant_memory = LXW_TRUE,
		.use_zip64 = to->is_huge };
	char name[64], dir[64];
	lxw_error bad;
	int err;

	if (access("/proc/self/fd", X_OK) < 0)
		return fail(e, -ENOENT, "%s: a workbook cannot be made without /proc: mount it%s",
			to->name, to->hint);
	/* Scratch files go beside the workbook: /tmp may be memory. */
	snprintf(dir, sizeof(dir), "/proc/self/fd/%d", to->file->dir);
	options.tmpdir = to->file->dir < 0 ? NULL : dir;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", to->file->fd);
	b->wb = b->lib->workbook_new_opt(name, &options);
	if (!b->wb)
		return fail(e, -EIO, "workbook: cannot begin one in %s", to->name);
	book_make_formats(b);
	err = to->fill(to->arg, e);
	if (err < 0) {
		b->lib->lxw_workbook_free(b->wb);
		return err;
	}
	bad = b->lib->workbook_close(b->wb);
	if (bad != LXW_NO_ERROR)
		return fail(e, -EIO, "%s: cannot write the workbook: %s", to->name,
			b->lib->lxw_strerror(bad));
	return 0;
}
