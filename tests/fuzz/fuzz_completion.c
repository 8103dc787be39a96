/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_completion.c - any line of bash; the first byte says where in its last word bash takes it to
 * begin.  Words lie within the line, in order; a word that may stay as it is is answered whole.
 */
#include "config.h"
#include "base/mem.h"
#include "src/complete/shell.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_lie_within(const char *line, size_t size, const char **words, size_t n)
{
	const char *from = line;

	if (n == 0)
		abort();
	for (size_t i = 0; i < n; i++) {
		if (words[i] < from || words[i] > line + size)
			abort();
		from = words[i] + strlen(words[i]) + (i + 1 < n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t cut = size > 0 ? data[0] : 0;
	char *line = mem_calloc(1, size + 1);
	const char **words, *tail;
	struct offer offer = { 0 };
	struct strbuf text = { 0 };
	bool in_quotes;
	size_t n;

	memcpy(line, data + (size > 0), size - (size > 0));
	n = shell_split(line, &words, &in_quotes);
	must_lie_within(line, size, words, n);
	offer.word = words[n - 1];
	tail = offer.word + (cut < strlen(offer.word) ? cut : strlen(offer.word));
	offer_add(&offer, offer.word, "");
	shell_put_bash(&text, &offer, tail, in_quotes);
	/* The flags' line, and what is left of the word. */
	if (offer.text.len > 0 && strlen(text.text) < strlen(tail) + 2)
		abort();
	strbuf_clear(&offer.text);
	strbuf_clear(&text);
	free(words);
	free(line);
	return 0;
}
