/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_report.c - any text as the report of a burn: what passes is as we write it, says PASS in
 * each place, and passes again when it is written anew; what is merged of it commands no terminal.
 * "VERSION" in the text stands for our own, so that the corpus outlives a release.
 */
#include "config.h"
#include "output/figure_json.h"
#include "src/merge/merge.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_pass(const struct merge_report *r)
{
	const struct figure_value *targets = figures_list(&r->figures, "targets");
	struct merge_report again = { .path = NULL };
	struct strbuf text = { 0 };

	require(!*r->reason && *r->host && targets->n_nodes > 0);
	require(strcmp(figures_text(&r->figures, "verdict"), "PASS") == 0);
	require(!figures_against(&r->figures));
	for (size_t i = 0; i < targets->n_nodes; i++)
		require(strcmp(figures_text(&targets->nodes[i], "verdict"), "PASS") == 0);
	figures_print_json(&text, &r->figures);
	merge_report_judge(&again, text.text, text.len);
	require(again.verdict == VERDICT_PASS);
	figures_clear(&again.figures);
	strbuf_clear(&text);
}

static void merge_one(struct merge_report *r)
{
	struct merge m = { .reports = r, .n = 1 };
	struct figures f;
	struct strbuf text = { 0 };

	merge_judge(&m, NULL);
	require(m.verdict == r->verdict);
	merge_take(&f, &m, 0);
	merge_put_text(&text, &f);
	figures_print_json(&text, &f);
	for (size_t i = 0; i < text.len; i++)
		require((unsigned char)text.text[i] >= ' ' || text.text[i] == '\n');
	figures_clear(&f);
	strbuf_clear(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char version[] = "VERSION";
	struct merge_report r = { .path = NULL };
	struct strbuf text = { 0 };
	const char *at;

	strbuf_add(&text, (const char *)data, size);
	at = size ? memmem(text.text, text.len, version, strlen(version)) : NULL;
	if (at) {
		const size_t before = (size_t)(at - text.text);

		text.len = before;
		strbuf_puts(&text, PACKAGE_VERSION);
		strbuf_add(&text, (const char *)data + before + strlen(version),
			size - before - strlen(version));
	}
	merge_report_judge(&r, size ? text.text : "", text.len);
	if (r.verdict == VERDICT_PASS)
		check_pass(&r);
	merge_one(&r);
	figures_clear(&r.figures);
	strbuf_clear(&text);
	return 0;
}
