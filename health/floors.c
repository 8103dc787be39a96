/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "health/pins.h"

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

static bool take_rate(const char *line, struct floors *f)
{
	static const char *const ways[] = { [FLOORS_TO_CARD] = "to", [FLOORS_FROM_CARD] = "from" };
	char way[8], name[32], rate[32], more[2];
	enum device_chip chip;
	uint64_t n;

	if (sscanf(line, " pcie-%7s %31s %31s %1s", way, name, rate, more) != 3)
		return false;
	chip = chip_named(name);
	if (chip == DEVICE_UNKNOWN || !parse_u64(rate, &n) || n > UINT32_MAX)
		return false;
	for (int i = 0; i < FLOORS_WAYS; i++)
		if (strcmp(way, ways[i]) == 0) {
			f->pcie[chip][i] = (uint32_t)n;
			return true;
		}
	return false;
}

/* False: the line has none of the known forms. */
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
		return take_rate(line, f);
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
			return fail(e, -EINVAL, "line %u: neither a version (driver, "
				"firmware CHIP) nor MB/s (pcie-to CHIP, pcie-from CHIP)", number);
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
