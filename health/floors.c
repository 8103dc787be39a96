/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "health/floors.h"

#include "base/file.h"
#include "base/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEXT_MAX 65536
#define LINE	 256

static enum device_chip chip_named(const char *name)
{
	for (enum device_chip c = DEVICE_UNKNOWN + 1; c < DEVICE_CHIPS; c++)
		if (strcasecmp(device_chip_name(c), name) == 0)
			return c;
	return DEVICE_UNKNOWN;
}

/* False: it says nothing that we know. */
static bool take_line(const char *line, struct floors *f)
{
	char name[32], version[32], more[2];
	const int chip_words = sscanf(line, " firmware %31s %31s %1s", name, version, more);
	enum device_chip chip;

	if (line[strspn(line, " \t\r")] == '\0' || line[strspn(line, " \t")] == '#')
		return true;
	if (sscanf(line, " driver %31s %1s", version, more) == 1)
		return parse_version4(version, &f->driver);
	if (chip_words != 2)
		return false;
	chip = chip_named(name);
	return chip != DEVICE_UNKNOWN && parse_version4(version, &f->firmware[chip]);
}

int floors_parse(const char *text, size_t len, struct floors *f, struct error *e)
{
	struct floors all = { 0 };
	char line[LINE];
	unsigned number = 1;

	for (const char *p = text, *end = text + len; p < end; number++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		const size_t n = (size_t)((stop ? stop : end) - p);

		if (n < sizeof(line)) {
			memcpy(line, p, n);
			line[n] = '\0';
		}
		if (n >= sizeof(line) || memchr(p, '\0', n) || !take_line(line, &all))
			return fail(e, -EINVAL, "line %u: neither 'driver VERSION' nor "
				"'firmware CHIP VERSION'", number);
		p += n + 1;
	}
	*f = all;
	return 0;
}

static int parse_file(const char *text, size_t len, void *to, struct error *e)
{
	return floors_parse(text, len, to, e);
}

int floors_read(const char *path, struct floors *f, struct error *e)
{
	return file_parse(path, TEXT_MAX, parse_file, f, e);
}

void floors_init(struct floors *f)
{
	if (floors_parse(floors_text, strlen(floors_text), f, NULL) < 0)
		abort();	/* tests/unit/test_health.c reads it */
}
