/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive.h - a compiled model's archive, looked through and never unpacked: device.json alone is
 * read, and nothing of it is unpickled or run.
 */
#pragma once

#include "src/image/device_json.h"

struct image_archive {
	struct image image;
	size_t members;
	size_t pickles, modules;	/* that its loader would unpickle, or import */
	size_t hostile;			/* that no compiler puts there */
	char why[160];			/* of the first one; "" */
};

/*
 * -EINVAL, -EBADMSG: it is not one, or damaged; -EFBIG: larger than any real one in what is read;
 * -ENODATA: an archive of something else.
 */
int image_read(const char *path, struct image_archive *out, struct error *e);
