/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_attr.c - sysfs texts of any kind: lines of "name text", after a line
 * that is the chip's name.
 */
#include "config.h"
#include "tests/fuzz/fuzz_check.h"

#include <string.h>

#define TEXT_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Cut the next line off; NULL at the end. */
static char *next_line(char **text)
{
	char *line = *text, *end = line ? strchr(line, '\n') : NULL;

	if (!line || !*line)
		return NULL;
	*text = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fake_chip f;
	char text[TEXT_MAX + 1], *rest = text, *line;

	if (size > TEXT_MAX)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	line = next_line(&rest);
	fake_init(&f, line && strcmp(line, "wormhole") == 0 ? DEVICE_WORMHOLE :
		line && strcmp(line, "grayskull") == 0 ? DEVICE_GRAYSKULL : DEVICE_BLACKHOLE);
	while ((line = next_line(&rest))) {
		char *space = strchr(line, ' ');

		if (!space)
			continue;
		*space = '\0';
		f.attr[attr_find(line)] = space + 1;
	}
	fuzz_sample(&f, &(struct reader_policy){ .fresh = true, .passive = true });
	fuzz_sample(&f, &(struct reader_policy){ .passive = true });
	return 0;
}
