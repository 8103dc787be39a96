/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_reset_nodes.c - any text as a reset configuration: what is taken names
 * nodes and nothing else, what is not has a reason.
 */
#include "config.h"
#include "reset/plan.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
	if (!truth)
		abort();
}

/* Words "/dev/tenstorrent/N" with a blank after each. */
static size_t count_nodes(const char *names)
{
	static const char node[] = "/dev/tenstorrent/";
	size_t n = 0;

	for (; *names; n++) {
		size_t digits;

		must(strncmp(names, node, sizeof(node) - 1) == 0);
		names += sizeof(node) - 1;
		digits = strspn(names, "0123456789");
		must(digits >= 1 && digits <= 4 && names[digits] == ' ');
		names += digits + 1;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf names = { 0 };
	struct error e = { 0 };
	struct json *doc = NULL;
	int r = json_parse((const char *)data, size, &doc, &e);

	if (r == 0)
		r = reset_nodes_take(doc, &names, &e);
	json_free(doc);
	must(r <= 0);
	if (r == 0)
		must(names.len == 0 || count_nodes(names.text) > 0);
	else
		must(*e.text);
	strbuf_clear(&names);
	return 0;
}
