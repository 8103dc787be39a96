/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tab_choose.c - choosing the columns of a tab by their titles on the screen.
 */
#include "config.h"
#include "ui/tab.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

int tab_find(const char *name, enum ui_tab *out, struct error *e)
{
	for (int i = 0; i < UI_TABS; i++)
		if (strcasecmp(tabs[i]->name, name) == 0 && tabs[i]->n_columns > 0) {
			*out = (enum ui_tab)i;
			return 0;
		}
	*out = UI_TABS;
	return fail_as(e, CODE_UNKNOWN_FIELD, -EINVAL, "no tab with columns is named %.40s", name);
}

static bool is_named(const struct column *col, const char *word)
{
	return strcasecmp(column_title(col), word) == 0 ||
		(col->kind == COLUMN_FIELD && strcasecmp(fields[col->field].key, word) == 0);
}

/* The end of the columns that are shown or left out together with the i-th. */
static size_t group_end(const struct tab_ops *tab, size_t i)
{
	for (i++; i < tab->n_columns; i++)
		if (!tab->columns[i].joined && !tab->columns[i].like)
			break;
	return i;
}

/* Clear the bits of the columns that a word names; false: it names none. */
static bool choose_word(const struct tab_ops *tab, const char *word, uint64_t *left_out)
{
	bool known = false;
	size_t end;

	for (size_t i = 0; i < tab->n_columns; i = end) {
		end = group_end(tab, i);
		if (!is_named(&tab->columns[i], word))
			continue;
		known = true;
		for (size_t k = i; k < end; k++)
			*left_out &= ~(UINT64_C(1) << k);
	}
	return known;
}

int tab_choose(enum ui_tab id, const char *list, uint64_t *left_out, struct error *e)
{
	const struct tab_ops *tab = tabs[id];
	uint64_t rest = 0;
	char word[40];

	for (size_t i = 0; i < tab->n_columns; i++)
		if (tab->columns[i].rank > 0 || tab->columns[i].joined)
			rest |= UINT64_C(1) << i;
	for (const char *p = list; *p;) {
		size_t len = strcspn(p, ","), next = len + (p[len] == ',');

		while (len > 0 && p[len - 1] == ' ')
			len--;
		snprintf(word, sizeof(word), "%.*s", (int)len, p);
		if (!choose_word(tab, word, &rest))
			return fail_as(e, CODE_UNKNOWN_FIELD, -EINVAL, "%s: no column of the tab "
				"is named '%s'", tab->name, word);
		p += next + strspn(p + next, " ");
	}
	*left_out = rest;
	return 0;
}
