/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "device/aer.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/path.h"
#include "device/bus.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "%s/sys/bus/pci/devices/%s"

const char *const aer_kinds[] = {
	[AER_CORRECTABLE] = "correctable",
	[AER_NONFATAL] = "nonfatal",
	[AER_FATAL] = "fatal",
	NULL
};

/* "TOTAL_ERR_FATAL 3" is the last line of its file. */
static bool read_total(const struct bus *bus, const char *bdf, const char *kind, uint64_t *out)
{
	char path[512], text[2048], *last;

	snprintf(path, sizeof(path), FOLDER "/aer_dev_%s", bus->root, bdf, kind);
	if (path_resolve_below(path, sizeof(path), strlen(bus->root)) < 0 ||
		file_read_at(AT_FDCWD, path, text, sizeof(text)) < 0)
		return false;
	last = strstr(text, "TOTAL_ERR_");
	last = last ? strchr(last, ' ') : NULL;
	if (!last)
		return false;
	last[1 + strcspn(last + 1, "\n")] = '\0';
	return parse_u64(last + 1, out);
}

void aer_read(const struct bus *bus, const char *bdf, struct aer *out)
{
	*out = (struct aer){ .known = bus->ops == &transport_kmd };
	mem_copy_text(out->bdf, sizeof(out->bdf), bdf);
	for (int i = 0; i < AER_KINDS; i++)
		out->known = out->known && read_total(bus, bdf, aer_kinds[i], &out->errors[i]);
}

/* In sysfs a card's folder is inside its port's; a host bridge's folder is called "pci0000:00". */
bool aer_find_above(const struct bus *bus, const char *bdf, char *out, size_t size)
{
	char path[512], real[PATH_MAX], *end, *name;

	snprintf(path, sizeof(path), FOLDER, bus->root, bdf);
	if (path_resolve_below(path, sizeof(path), strlen(bus->root)) < 0 ||
		!realpath(path, real))
		return false;
	end = strrchr(real, '/');
	if (!end)
		return false;
	*end = '\0';
	name = strrchr(real, '/');
	if (!name || strlen(++name) >= size || !strchr(name, '.') || !strchr(name, ':'))
		return false;
	memcpy(out, name, strlen(name) + 1);
	return true;
}

size_t aer_read_all(const struct bus *bus, const char *bdf, struct aer out[static AER_LINKS])
{
	size_t n = 1;

	aer_read(bus, bdf, &out[0]);
	if (bus->ops != &transport_kmd)
		return n;
	for (char above[16]; n < AER_LINKS &&
		aer_find_above(bus, out[n - 1].bdf, above, sizeof(above)); n++)
		aer_read(bus, above, &out[n]);
	return n;
}
