/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_parse.c - the strict parsers on any text, as sysfs or a user may give it:
 * what is taken as a number has to be that number when written out again.
 */
#include "config.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
	if (!truth)
		abort();
}

/* What parse_decimal() read survives the way through text at every scale. */
static void decimals(const char *text)
{
	static const int64_t scales[] = { 1, 10, 1000, 1000000, 1000000000 };

	for (size_t i = 0; i < ARRAY_LEN(scales); i++) {
		struct strbuf b = { 0 };
		int64_t v = 0, again = 0;

		if (!parse_decimal(text, scales[i], &v))
			continue;
		strbuf_put_decimal(&b, v, scales[i]);
		must(parse_decimal(b.text, scales[i], &again) && again == v);
		strbuf_clear(&b);
	}
}

static void whole_numbers(const char *text)
{
	struct strbuf b = { 0 };
	int64_t i = 0, back = 0;
	uint64_t u = 0;

	if (parse_i64(text, &i)) {
		strbuf_put_i64(&b, i);
		must(parse_i64(b.text, &back) && back == i);
		must(text[0] == '-' || (parse_u64(text, &u) && u == (uint64_t)i));
	}
	strbuf_clear(&b);
	if (parse_hex(text, &u)) {
		uint64_t again = 0;

		strbuf_printf(&b, "%llx", (unsigned long long)u);
		must(parse_hex(b.text, &again) && again == u);
	}
	strbuf_clear(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	int64_t ns = 0;
	uint64_t bytes;
	uint32_t version;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	decimals(text);
	whole_numbers(text);
	must(!parse_seconds(text, &ns) || ns >= 0);
	must(!parse_duration(text, &ns) || ns >= 0);
	parse_size(text, &bytes);
	parse_version4(text, &version);
	free(text);
	return 0;
}
