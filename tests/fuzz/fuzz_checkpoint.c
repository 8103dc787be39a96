/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_checkpoint.c - any text as the checkpoint of a burn, and any lines with
 * the right hash: what is taken has to be the same when it is written and read
 * again, and to fit the burn.
 */
#include "config.h"
#include "burnin/checkpoint.h"
#include "burnin/reference/sha256.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try(const char *text, size_t len)
{
	struct strbuf once = { 0 }, twice = { 0 };
	static struct checkpoint c, again;
	struct error e = { .code = 0 };
	const int r = checkpoint_parse(text, len, &c, &e);

	if (r < 0) {
		if (e.code != r || !e.text[0])
			abort();
		return;
	}
	if (c.workers < 1 || c.workers > CHECKPOINT_WORKERS || c.n_errors > CHECKPOINT_ERRORS)
		abort();
	checkpoint_put(&once, &c);
	if (checkpoint_parse(once.text, once.len, &again, &e) < 0)
		abort();
	checkpoint_put(&twice, &again);
	if (once.len != twice.len || memcmp(once.text, twice.text, once.len) != 0)
		abort();
	checkpoint_clear(&c);
	checkpoint_clear(&again);
	strbuf_clear(&once);
	strbuf_clear(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf whole = { 0 };
	char hash[SHA256_TEXT];

	try((const char *)data, size);
	strbuf_add(&whole, (const char *)data, size);
	sha256_text(size ? whole.text : "", size, hash);
	strbuf_printf(&whole, "sha256 %s\n", hash);
	try(whole.text, whole.len);
	strbuf_clear(&whole);
	return 0;
}
