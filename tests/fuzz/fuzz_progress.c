/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_progress.c - what a server says of a boot: no answer of it makes a percentage
 * that is none, or a text without an end.
 */
#include "config.h"
#include "reset/outside/outside.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mobo_progress p = { .percent = 0 };
	struct error e = { 0 };
	struct json *doc = NULL;
	int r = mobo_parse_answer((const char *)data, size, &doc, &e);

	if (r == 0)
		r = mobo_parse_progress(doc, &p, &e);
	json_free(doc);

	if (r > 0 || (r < 0 && !*e.text) || !memchr(p.step, '\0', sizeof(p.step)))
		abort();
	if (r == 0 && !(p.percent >= 0 && p.percent <= 100))
		abort();
	return 0;
}
