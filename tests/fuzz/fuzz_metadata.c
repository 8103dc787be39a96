/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_metadata.c - any text as the metadata of a reference case: what is taken
 * has to be the same when it is written and read again.
 */
#include "config.h"
#include "burnin/reference/refdir.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct metadata m = { .c = &burn_cases[0], .dtype = BURN_BFLOAT16 }, again = m;
	struct strbuf text = { 0 };
	struct error e = { .code = 0 };
	int r = metadata_parse((const char *)data, size, &m, &e);

	if (r < 0) {
		if (e.code != r || !e.text[0])
			abort();
		return 0;
	}
	metadata_put(&text, &m);
	if (metadata_parse(text.text, text.len, &again, &e) < 0 ||
		memcmp(again.hashes, m.hashes, sizeof(m.hashes)) != 0 || !again.our_inputs ||
		!again.our_outputs)
		abort();
	strbuf_clear(&text);
	return 0;
}
