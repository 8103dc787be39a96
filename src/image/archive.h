/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive.h - inspects a compiled model's archive without unpacking it: only device.json is read,
 * and nothing is unpickled or run.
 */
#pragma once

#include "src/image/device_json.h"

struct image_archive {
	struct image image;
	size_t members;
	size_t pickles, modules;	/* members that its loader would unpickle, or import */
	size_t hostile;			/* members that no compiler puts there */
	char why[160];			/* about the first hostile one; "" */
};

/*
 * -EINVAL, -EBADMSG: not such an archive, or damaged; -EFBIG: its device.json or its number of
 * members is larger than in any real one; -ENODATA: an archive of something else.
 */
int image_read(const char *path, struct image_archive *out, struct error *e);
