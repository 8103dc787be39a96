/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_kernel_log.c - any text as what /dev/kmsg gives: each line that a bundle keeps of it is
 * plain, and has a time and a level.
 */
#include "config.h"
#include "base/mem.h"
#include "src/bundle/bundle.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct snapshot chip = { .bdf = "0000:01:00.0" };
	const struct fleet f = { .n = 1, .chips = &chip };
	char *text = mem_calloc(1, size + 1);
	struct strbuf out = { 0 };

	if (size)
		memcpy(text, data, size);
	bundle_put_messages(&out, &f, text);
	for (const char *line = out.text; line && *line; line = strchr(line, '\n') + 1) {
		const size_t digits = strspn(line + 1, " 0123456789.");

		if (*line != '[' || strncmp(line + 1 + digits, "] <", 3) != 0 ||
			line[digits + 4] < '0' || line[digits + 4] > '7' || line[digits + 5] != '>')
			abort();
	}
	for (size_t i = 0; i < out.len; i++)
		if ((unsigned char)out.text[i] < ' ' && out.text[i] != '\n')
			abort();
	strbuf_clear(&out);
	free(text);
	return 0;
}
