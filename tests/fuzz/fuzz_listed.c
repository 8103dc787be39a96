/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_listed.c - the memory of what was listed, as another program may have left it:
 * what is taken is written again and taken the same.
 */
#include "config.h"
#include "src/listed.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct listed first, second;
	struct strbuf text = { 0 };

	if (!record_file_parse(&listed_file, (const char *)data, size, &first))
		return 0;
	record_file_put(&listed_file, &first, &text);
	if (!record_file_parse(&listed_file, text.text, text.len, &second) ||
		memcmp(&first, &second, sizeof(first)) != 0)
		abort();
	strbuf_clear(&text);
	return 0;
}
