/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order is worked out anew for every picture: a fleet is small, and what
 * is not remembered cannot be wrong after a card came or went.
 */
#include "config.h"
#include "ui/rows.h"

#include "base/array.h"
#include "ui/canvas.h"
#include "ui/column.h"
#include "ui/notice.h"
#include "ui/tab.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rows_match(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (; *text; text++) {
		size_t i = 0;

		while (i < len &&
			tolower((unsigned char)text[i]) == tolower((unsigned char)word[i]))
			i++;
		if (i == len)
			return true;
	}
	return len == 0;
}

/* What its line shows on a tab. */
static bool shows(const struct snapshot *s, const struct tab_ops *tab, const char *filter)
{
	char text[400];

	for (size_t i = 0; i < tab->n_columns; i++) {
		column_text(&tab->columns[i], s, text, sizeof(text));
		if (rows_match(text, filter))
			return true;
	}
	return false;
}

/* What stands on the screen is found, and every name that a chip has. */
static bool passes(const struct model *m, const struct view *v, int chip)
{
	const struct snapshot *s = &m->fleet->chips[chip];
	char text[NOTICE_SIZE];
	enum style style;

	if (!v->filter[0])
		return true;
	snprintf(text, sizeof(text), "%d %s %s %s %s", s->index, s->series, s->board,
		device_chip_name(s->chip), snapshot_health_name(s->health));
	if (rows_match(text, v->filter) || shows(s, &tab_devices, v->filter) ||
		(v->tab != UI_TAB_PROCESSES && shows(s, tabs[v->tab], v->filter)))
		return true;
	return notice_text(m, s, true, text, &style) && rows_match(text, v->filter);
}

/* A chip reached through another, or with an earlier one's serial, is on that one's board. */
static void find_boards(struct rows *r, const struct fleet *f)
{
	int64_t serial[DEVICE_MAX];

	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *s = &f->chips[i];
		const struct reading *id = &s->r[FIELD_BOARD_ID];

		serial[i] = reading_has_value(id) ? id->value : 0;
		r->head[i] = (int16_t)i;
		if (s->local >= 0 && (size_t)s->local < i) {
			r->head[i] = r->head[s->local];
			continue;
		}
		for (size_t k = 0; k < i && serial[i] != 0; k++)
			if (serial[k] == serial[i]) {
				r->head[i] = r->head[k];
				break;
			}
	}
	for (size_t i = 0; i < f->n; i++)
		r->boards += r->head[i] == (int16_t)i && (!f->wanted || f->wanted[i]);
}

static void find_types(struct rows *r, const struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++) {
		r->head[i] = (int16_t)i;
		for (size_t k = 0; k < i; k++)
			if (r->head[k] == (int16_t)k &&
				strcmp(f->chips[i].board, f->chips[k].board) == 0) {
				r->head[i] = (int16_t)k;
				break;
			}
	}
}

struct order {
	const struct model *m;
	const struct column *sort;
	const int16_t *head;
	bool descending;
};

static int compare(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;
	int16_t x = *(const int16_t *)a, y = *(const int16_t *)b;
	int order;

	if (!o->sort) {
		order = o->head[x] - o->head[y];
		return order ? order : x - y;
	}
	order = column_compare(o->sort, &o->m->fleet->chips[x], &o->m->fleet->chips[y]);
	return o->descending ? -order : order;
}

static void add(struct rows *r, enum row_kind kind, int chip, int count, bool more)
{
	if (r->n < ARRAY_LEN(r->row))
		r->row[r->n++] = (struct row){ .kind = (uint8_t)kind, .more = more,
			.chip = (int16_t)chip, .count = (int16_t)count };
}

static void add_chip(struct rows *r, const struct model *m, int chip, bool averages, int wrap)
{
	char text[NOTICE_SIZE];
	enum style style;
	int lines = 1;

	add(r, ROW_CHIP, chip, 1, false);
	if (averages && m->fleet->chips[chip].health != SNAPSHOT_NOT_READ)
		for (int kind = ROW_MIN; kind <= ROW_MAX; kind++)
			add(r, (enum row_kind)kind, chip, 1, false);
	if (!notice_text(m, &m->fleet->chips[chip], wrap > 0, text, &style))
		return;
	if (wrap > 0)
		lines = canvas_wrap(NULL, 0, 0, wrap, 0, style, text);
	lines = lines < ROWS_NOTICE ? lines : ROWS_NOTICE;
	for (int i = 0; i < lines; i++)
		add(r, ROW_NOTICE, chip, i, i + 1 < lines);
	r->notices += (size_t)lines;
}

/* Chips that are well share a line; one that is not keeps its own. */
static void add_folded(struct rows *r, const struct model *m, const int16_t *order, size_t n,
	bool averages, int wrap)
{
	for (size_t i = 0; i < n;) {
		int head = r->head[order[i]], first = -1, count = 0;
		size_t end = i;

		for (; end < n && r->head[order[end]] == head; end++)
			if (m->fleet->chips[order[end]].health == SNAPSHOT_OK) {
				first = first < 0 ? order[end] : first;
				count++;
			}
		if (count > 1)
			add(r, ROW_FOLD, first, count, false);
		for (; i < end; i++)
			if (count < 2 || m->fleet->chips[order[i]].health != SNAPSHOT_OK)
				add_chip(r, m, order[i], averages, wrap);
	}
}

void rows_build(struct rows *r, const struct model *m, const struct view *v,
	const struct column *sort, bool averages, int wrap)
{
	const struct fleet *f = m->fleet;
	struct order o = { m, sort, r->head, v->descending[v->tab] };
	int16_t order[DEVICE_MAX];
	size_t n = 0;

	r->n = r->notices = r->boards = r->hidden = 0;
	find_boards(r, f);
	if (v->group == UI_GROUP_TYPE)
		find_types(r, f);
	for (size_t i = 0; i < f->n; i++) {
		if (f->wanted && !f->wanted[i])
			continue;
		if (passes(m, v, (int)i))
			order[n++] = (int16_t)i;
		else
			r->hidden++;
	}
	r->shown = n;
	if (v->group != UI_GROUP_NONE)
		o.sort = NULL;
	qsort_r(order, n, sizeof(order[0]), compare, &o);
	if (v->group != UI_GROUP_NONE) {
		add_folded(r, m, order, n, averages, wrap);
		return;
	}
	for (size_t i = 0; i < n; i++)
		add_chip(r, m, order[i], averages, wrap);
}

int rows_find(const struct rows *r, int chip)
{
	int fold = -1;

	for (size_t i = 0; i < r->n; i++) {
		const struct row *row = &r->row[i];

		if (row->chip == chip && (row->kind == ROW_CHIP || row->kind == ROW_FOLD))
			return (int)i;
		if (row->kind == ROW_FOLD && chip >= 0 && r->head[chip] == r->head[row->chip])
			fold = (int)i;
	}
	return fold;
}

bool rows_has_trouble(const struct snapshot *s)
{
	return s->health == SNAPSHOT_WARN || snapshot_is_lost(s);
}

void rows_sum(const struct fleet *f, struct rows_sum *sum)
{
	*sum = (struct rows_sum){ 0 };
	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *s = &f->chips[i];

		if (f->wanted && !f->wanted[i])
			continue;
		sum->chips++;
		sum->failed += snapshot_is_lost(s);
		sum->check += s->health == SNAPSHOT_WARN;
	}
}

bool rows_in_fold(const struct rows *r, const struct model *m, const struct view *v,
	const struct row *fold, int chip)
{
	const struct snapshot *s = &m->fleet->chips[chip];

	return r->head[chip] == r->head[fold->chip] &&
		(!m->fleet->wanted || m->fleet->wanted[chip]) && s->health == SNAPSHOT_OK &&
		passes(m, v, chip);
}
