/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_counters.c - any text as the file of counters and as the file of acts: what is taken is
 * written again as the same, and samples are counted on from it.
 */
#include "config.h"
#include "act/counted.h"
#include "base/mem.h"
#include "telemetry/tally.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Total by total what both have; a chip without any is not written. */
static void compare(const struct tally_book *a, struct tally_book *b)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct tally_entry *e = &a->entries[i];
		const struct tally_entry *other = tally_book_seek(b, e->bdf, e->chip);

		for (unsigned id = 0; id < TALLY_RESETS; id++)
			if (!other || other->tally.has[id] != e->tally.has[id] ||
				other->tally.total[id] != e->tally.total[id])
				abort();
	}
}

static void fuzz_book(const char *text, size_t size)
{
	static struct tally_book book, again;
	static struct snapshot s = { .health = SNAPSHOT_OK };
	const struct tally_moment now = { .mono = 5000000000, .real = 1795000000000000000 };
	struct tally_read r;
	struct strbuf out = { 0 };

	if (!tally_book_parse(text, size, &book, &r))
		return;
	if (r.whole > size)
		abort();
	tally_book_put_head(&out, r.number);
	tally_book_put(&out, &book, NULL, &r.when);
	if (!tally_book_parse(out.text, out.len, &again, &r) || r.whole != out.len)
		abort();
	compare(&book, &again);
	strbuf_clear(&out);
	tally_book_resume(&book, &r.when, &now);
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		s.r[id] = (struct reading){ .value = fields[id].high, .time = now.mono,
			.state = READING_OK };
	for (size_t i = 0; i < book.n; i++)
		tally_take(&book.entries[i].tally, &s, 0);
}

static void fuzz_acts(const char *text, size_t size)
{
	static struct counted acts, again;
	struct strbuf out = { 0 };

	if (!record_file_parse(&counted_file, text, size, &acts))
		return;
	record_file_put(&counted_file, &acts, &out);
	if (!record_file_parse(&counted_file, out.text, out.len, &again))
		abort();
	strbuf_clear(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_calloc(1, size + 1);

	if (size)
		memcpy(text, data, size);
	fuzz_book(text, size);
	fuzz_acts(text, size);
	free(text);
	return 0;
}
