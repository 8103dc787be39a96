/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_index.c - any text as index.json of a dump: what is taken must be
 * written so that it is taken again, with the same cards.
 */
#include "config.h"
#include "output/dump_index.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/tmp/tt-smi-fuzz.XXXXXX", path[sizeof(dir) + sizeof(DUMP_INDEX)];

static void clean_up(void)
{
	unlink(path);
	rmdir(dir);
}

static void begin(void)
{
	if (*path)
		return;
	if (!mkdtemp(dir) || atexit(clean_up) != 0)
		abort();
	snprintf(path, sizeof(path), "%s/%s", dir, DUMP_INDEX);
}

static void put(const void *data, size_t size)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dump_index *x = NULL, *again = NULL;
	struct strbuf text = { 0 };
	struct error e = { 0 };

	begin();
	put(data, size);
	if (dump_index_read(dir, &x, &e) < 0)
		return 0;
	dump_index_put(x, &text);
	put(text.text, text.len);
	if (dump_index_read(dir, &again, &e) < 0 || again->n != x->n)
		abort();
	strbuf_clear(&text);
	dump_index_free(x);
	dump_index_free(again);
	return 0;
}
