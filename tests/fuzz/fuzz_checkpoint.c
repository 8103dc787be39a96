/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_checkpoint.c - any text as the checkpoint of a burn, and any lines with
 * the right hash: what is taken has to be the same when it is written and read
 * again, and a burn takes it, with all of its counters, if it has as many threads.
 */
#include "config.h"
#include "burnin/host/checkpoint.h"
#include "burnin/reference/sha256.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The sanitizer finds what would be written past the last worker. */
static void apply(const struct checkpoint *c)
{
	struct error e = { .code = 0 };

	for (int threads = 1; threads <= 4; threads++) {
		const size_t size = sizeof(struct burn_shared)
			+ (size_t)threads * sizeof(struct burn_worker);
		struct burn b = { .config = { .threads = threads }, .size = size };
		struct burn_error x;

		if ((checkpoint_match(c, c->host, c->settings, threads, &e) == 0)
			!= (c->workers == threads))
			abort();
		b.shared = calloc(1, size);
		if (!b.shared)
			abort();
		checkpoint_apply(c, b.shared, threads);
		if (c->workers == threads && (burn_error_places(&b) != (uint32_t)c->n_errors
			|| (c->n_errors > 0 && !burn_error(&b, 0, &x))))
			abort();
		free(b.shared);
	}
}

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
	apply(&c);
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
