/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_merge.c - --merge: one verdict from the reports of a burn on many hosts.
 */
#include "config.h"
#include "base/parse.h"
#include "device/ident.h"
#include "output/figure_json.h"
#include "output/xlsx.h"
#include "src/burnin/figures.h"
#include "src/merge/merge.h"
#include "src/mode.h"
#include "src/say.h"
#include "src/session.h"

#include <string.h>
#include <sys/stat.h>

static bool take_expected(const char *value, int64_t *cards)
{
	uint64_t n;

	*cards = MERGE_CARDS_ALIKE;
	if (!value)
		return true;
	if (strcmp(value, "any") == 0) {
		*cards = MERGE_CARDS_ANY;
		return true;
	}
	if (!parse_u64(value, &n) || n < 1 || n > DEVICE_MAX) {
		say_as(CODE_BAD_VALUE, "--expected-cards: '%.40s' is neither a number from 1 to %d "
			"nor the word any", value, DEVICE_MAX);
		return false;
	}
	*cards = (int64_t)n;
	return true;
}

/* The report that the workbook would replace, or NULL. */
static const char *find_replaced(const struct merge *m, const char *workbook)
{
	struct stat book, st;

	if (!workbook || stat(workbook, &book) < 0)
		return NULL;
	for (size_t i = 0; i < m->n; i++) {
		const char *path = m->reports[i].path;

		if (path && stat(path, &st) == 0 && st.st_dev == book.st_dev &&
			st.st_ino == book.st_ino)
			return path;
	}
	return NULL;
}

enum exit_code mode_merge(const struct options *o)
{
	struct merge_figures f;
	struct merge m = { .n = 0 };
	struct strbuf text = { 0 };
	const char *replaced;
	enum exit_code code;
	struct error e;

	if (!take_expected(o->expected_cards, &m.cards))
		return EXIT_USAGE;
	for (size_t i = 0; i < o->n_targets; i++)
		merge_add(&m, o->targets[i]);
	replaced = find_replaced(&m, o->workbook);
	if (replaced) {
		say_as(CODE_CONFLICT, "--workbook: %s is one of the reports", replaced);
		merge_clear(&m);
		return EXIT_USAGE;
	}
	merge_judge(&m, o->hosts);
	code = burnin_exit(m.verdict);
	merge_figures_make(&f, &m, (int)code);
	if (o->json)
		figures_print_json(&text, &f.figures);
	else
		merge_put_text(&text, &f.figures);
	if (o->workbook && xlsx_make_burn(o->workbook, &f.figures, &e) < 0) {
		session_fail_file(&e);
		code = exit_unwritten(code);
	}
	merge_figures_clear(&f);
	merge_clear(&m);
	return session_put(&text, code);
}
