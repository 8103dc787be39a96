/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order is computed again for every picture: a fleet is small, and nothing
 * is remembered that could be wrong after a card came or went.
 */
#include "config.h"
#include "ui/rows.h"

#include "base/clock.h"
#include "base/mem.h"
#include "report/advice.h"
#include "ui/canvas.h"
#include "ui/column.h"
#include "ui/tab.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is wrong with a chip. */

#define PATIENCE (CLOCK_SECOND / 5)

char *notice_age(int64_t ns, char *buf, size_t size)
{
	int64_t s = ns / CLOCK_SECOND;

	if (ns < 0)
		ns = s = 0;
	if (s < 2)
		snprintf(buf, size, "%" PRId64 ".%d s", s, (int)(ns / (CLOCK_SECOND / 10) % 10));
	else if (s < 120)
		snprintf(buf, size, "%" PRId64 " s", s);
	else if (s < 2 * 3600)
		snprintf(buf, size, "%" PRId64 " min", s / 60);
	else if (s < 48 * 3600)
		snprintf(buf, size, "%" PRId64 " h", s / 3600);
	else
		snprintf(buf, size, "%" PRId64 " d", s / 86400);
	return buf;
}

/* When the newest of the old values still shown was read; 0: there is none. */
static int64_t newest_value(const struct snapshot *s)
{
	int64_t newest = 0;

	for (size_t id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		if (fields[id].group == FIELD_GROUP_TELEMETRY && s->r[id].state == READING_STALE &&
			s->r[id].time > newest)
			newest = s->r[id].time;
	return newest;
}

static const char *trouble_of(const struct snapshot *s)
{
	if (s->reason[0])
		return s->reason;
	if (s->health == SNAPSHOT_GONE)
		return "gone from the bus";
	return s->health == SNAPSHOT_FAILED ? "cannot be read" : "not read";
}

static void put_findings(const struct snapshot *s, bool whole, char *buf)
{
	size_t n = whole ? s->n_findings : 1, len = 0;

	if (n < s->n_findings)
		len = (size_t)snprintf(buf, NOTICE_SIZE, "1 of %zu (Enter): ", s->n_findings);
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(buf + len, NOTICE_SIZE - len, "%s%s", i ? "; " : "",
			s->findings[i].text);
}

/* The time it has lasted comes first, so that a short line does not cut it off. */
static void put_loss(const struct model *m, const struct snapshot *s, char *buf)
{
	int64_t newest = newest_value(s);
	char since[24], age[24];

	notice_age(m->now - s->since, since, sizeof(since));
	if (newest)
		snprintf(buf, NOTICE_SIZE, "for %s, values %s old: %s", since,
			notice_age(m->now - newest, age, sizeof(age)), trouble_of(s));
	else
		snprintf(buf, NOTICE_SIZE, "for %s: %s", since, trouble_of(s));
}

static bool put_act(const struct model *m, size_t chip, char *buf)
{
	const struct ui_act *act = model_act(m, chip);

	if (!act)
		return false;
	snprintf(buf, NOTICE_SIZE, "is being reset: %s for %.0f s of %.0f s, %s", act->what,
		(double)(m->now - act->began) / CLOCK_SECOND, (double)act->limit / CLOCK_SECOND,
		act->by);
	return true;
}

/* Append what to do next. */
static void put_next(const struct model *m, const struct snapshot *s, char *buf)
{
	const size_t len = strlen(buf);
	struct advice advice;

	advice_take_chip(&advice, m->fleet, s);
	if (*advice.text)
		snprintf(buf + len, NOTICE_SIZE - len, " -> %s", advice.text);
}

bool notice_text(const struct model *m, const struct snapshot *s, bool whole,
	char buf[NOTICE_SIZE], enum style *style)
{
	int64_t waited = m->now - (s->since > m->started ? s->since : m->started);
	char age[24];

	*style = STYLE_WARN;
	if (put_act(m, (size_t)(s - m->fleet->chips), buf))
		return true;
	switch (s->health) {
	case SNAPSHOT_PENDING:
		/* A healthy card answers before the eye sees this line. */
		*style = STYLE_DIM;
		snprintf(buf, NOTICE_SIZE, "waiting for its first answer for %s",
			notice_age(waited, age, sizeof(age)));
		return waited > PATIENCE;
	case SNAPSHOT_FAILED:
	case SNAPSHOT_GONE:
		*style = STYLE_BAD;
		put_loss(m, s, buf);
		put_next(m, s, buf);
		return true;
	case SNAPSHOT_NOT_READ:
		*style = STYLE_DIM;
		snprintf(buf, NOTICE_SIZE, "%s%s", trouble_of(s),
			s->local >= 0 && !m->remote ? " (R: read it)" : "");
		return true;
	default:
		break;
	}
	if (s->age >= CLOCK_SECOND) {
		*style = STYLE_WARN;
		snprintf(buf, NOTICE_SIZE, "values %s old: the card has not answered since",
			notice_age(m->now - newest_value(s), age, sizeof(age)));
		return true;
	}
	*style = s->beat == SNAPSHOT_BEAT_STOPPED ? STYLE_BAD :
		s->n_findings > 0 ? STYLE_WARN : STYLE_DIM;
	if (s->n_findings > 0)
		put_findings(s, whole, buf);
	else if (s->beat == SNAPSHOT_BEAT_STOPPED)
		snprintf(buf, NOTICE_SIZE, "firmware silent (last values shown)");
	else
		snprintf(buf, NOTICE_SIZE, "%s", s->note);
	put_next(m, s, buf);
	return buf[0];
}

void notice_draw_line(struct canvas *c, int x, int y, int w, enum style style, const char *text)
{
	static const char key[] = " (Enter)";
	bool named = glyph_text_width(text) <= w || strstr(text, "(Enter");
	int end = canvas_words(c, x, y, named ? w : w - (int)strlen(key), style, text);

	if (!named)
		canvas_text(c, end, y, style, key);
}

/* The lines. */

/* Whether the filter matches a cell of the chip's line on this tab. */
static bool shows(const struct snapshot *s, const struct tab_ops *tab, const char *filter)
{
	char text[400];

	for (size_t i = 0; i < tab->n_columns; i++) {
		column_text(&tab->columns[i], s, text, sizeof(text));
		if (strcasestr(text, filter))
			return true;
	}
	return false;
}

/* The filter matches text on the screen and every name that a chip has. */
static bool passes(const struct model *m, const struct view *v, int chip)
{
	const struct snapshot *s = &m->fleet->chips[chip];
	char text[NOTICE_SIZE];
	enum style style;

	if (!v->filter[0])
		return true;
	snprintf(text, sizeof(text), "%d %s %s %s %s", s->index, s->series, s->board,
		device_chip_name(s->chip), snapshot_health_name(s->health));
	if (strcasestr(text, v->filter) || shows(s, v->tabs[UI_TAB_DEVICES], v->filter) ||
		(v->tab != UI_TAB_PROCESSES && shows(s, v->tabs[v->tab], v->filter)))
		return true;
	return notice_text(m, s, true, text, &style) && strcasestr(text, v->filter);
}

static bool is_of_type(const struct snapshot *chips, size_t a, size_t b)
{
	return strcmp(chips[a].board, chips[b].board) == 0;
}

static bool is_of_board(const struct snapshot *chips, size_t a, size_t b)
{
	return snapshot_is_of_board(&chips[a], &chips[b]);
}

static bool is_of_tray(const struct snapshot *chips, size_t a, size_t b)
{
	return chips[a].tray > 0 && chips[a].tray == chips[b].tray && is_of_type(chips, a, b);
}

/* Each chip gets the head of the first chip before it that is_like() it. */
static void find_heads(int16_t *head, const struct fleet *f,
	bool (*is_like)(const struct snapshot *chips, size_t a, size_t b))
{
	for (size_t i = 0; i < f->n; i++) {
		head[i] = (int16_t)i;
		for (size_t k = 0; k < i; k++)
			if (is_like(f->chips, i, k)) {
				head[i] = head[k];
				break;
			}
	}
}

/* The chips of a galaxy belong together by tray, which is a board of eight. */
static void find_trays(int16_t *head, const struct fleet *f)
{
	int16_t trays[DEVICE_MAX];

	find_heads(trays, f, is_of_tray);
	for (size_t i = 0; i < f->n; i++)
		head[i] = f->chips[i].tray > 0 ? trays[i] : head[i];
}

/* The second chip of a board, which is not read until the user asks for it. */
static bool is_unread(const struct model *m, int chip)
{
	const struct snapshot *s = &m->fleet->chips[chip];

	return s->local >= 0 && s->health == SNAPSHOT_NOT_READ && !m->remote;
}

static bool has_line(const struct model *m, int chip)
{
	return fleet_wants(m->fleet, (size_t)chip) && !is_unread(m, chip);
}

bool rows_can_share(const struct model *m, enum ui_group group)
{
	for (size_t i = 0; i < m->fleet->n; i++)
		for (size_t k = 0; k < i; k++)
			if (has_line(m, (int)i) && has_line(m, (int)k) &&
				(group == UI_GROUP_BOARD ? is_of_board : is_of_type)
				(m->fleet->chips, i, k))
				return true;
	return false;
}

bool rows_has_trouble(const struct snapshot *s)
{
	return s->health == SNAPSHOT_WARN || snapshot_is_lost(s);
}

/* Lost chips and those being reset, then those to be checked, then all others. */
enum { WELL = 2 };
static int urgency(const struct model *m, int chip)
{
	const struct snapshot *s = &m->fleet->chips[chip];

	return snapshot_is_lost(s) || model_act(m, (size_t)chip) ? 0 :
		rows_has_trouble(s) || s->beat == SNAPSHOT_BEAT_STOPPED ? 1 : WELL;
}

bool rows_is_sick(const struct model *m, int chip)
{
	return urgency(m, chip) < WELL;
}

struct order {
	const struct model *m;
	struct view_order sort;
	const int16_t *head;
	int16_t first[DEVICE_MAX];	/* of each chip: the first chip of its board or type */
	bool sick_first, folded;
};

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;
	int16_t x = *(const int16_t *)a, y = *(const int16_t *)b;
	const struct snapshot *left = &o->m->fleet->chips[x], *right = &o->m->fleet->chips[y];
	int order;

	if (o->sort.by) {
		order = column_compare(o->sort.by, left, right);
		return o->sort.descending ? -order : order;
	}
	order = o->sick_first ? urgency(o->m, x) - urgency(o->m, y) : 0;
	order = order ? order : o->first[x] - o->first[y];
	order = order ? order : left->tray - right->tray;
	order = order ? order : o->head[x] - o->head[y];
	/* A chip with trouble must not separate chips that share a line. */
	if (order == 0 && o->folded)
		order = urgency(o->m, x) - urgency(o->m, y);
	if (order == 0 && o->folded)
		order = (int)left->health - (int)right->health;
	order = order ? order : left->place - right->place;
	return order ? order : x - y;
}

static void rows_add(struct rows *r, enum row_kind kind, int chip, size_t at, size_t count)
{
	if (r->n >= ARRAY_LEN(r->row))
		return;
	r->once += kind == ROW_NOTICE || kind == ROW_RULE;
	r->row[r->n++] = (struct row){ .kind = (uint8_t)kind, .chip = (int16_t)chip,
		.count = (int16_t)count, .at = (int16_t)at };
}

static void add_chip(struct rows *r, const struct model *m, int chip, bool averages, int wrap)
{
	char text[NOTICE_SIZE];
	enum style style;
	int lines = 1;

	rows_add(r, ROW_CHIP, chip, 0, 1);
	if (averages && m->fleet->chips[chip].health != SNAPSHOT_NOT_READ)
		for (int kind = ROW_MIN; kind <= ROW_MAX; kind++)
			rows_add(r, (enum row_kind)kind, chip, 0, 1);
	if (!notice_text(m, &m->fleet->chips[chip], wrap > 0, text, &style))
		return;
	if (wrap > 0)
		lines = canvas_wrap_height(wrap, text);
	for (int i = 0; i < lines && i < ROWS_NOTICE; i++)
		rows_add(r, ROW_NOTICE, chip, 0, (size_t)i);
}

/* Whether two chips share a line. */
static bool fold_together(const struct rows *r, const struct model *m, int a, int b)
{
	const struct snapshot *chips = m->fleet->chips;

	return r->head[a] == r->head[b] && chips[a].health == chips[b].health &&
		!rows_is_sick(m, a) && !rows_is_sick(m, b);
}

/* Whether the least and the most of any column on this tab can differ. */
static bool has_numbers(const struct tab_ops *tab)
{
	for (size_t i = 0; i < tab->n_columns; i++)
		if (tab->columns[i].kind == COLUMN_FIELD && field_is_number(tab->columns[i].field))
			return true;
	return false;
}

/* Add the i-th chip and those after it that share its line; returns how many these are. */
static size_t add_folded(struct rows *r, const struct model *m, const struct view *v, size_t i,
	bool averages, int wrap)
{
	size_t end = i + 1;

	while (end < r->shown && fold_together(r, m, r->chips[i], r->chips[end]))
		end++;
	if (end - i == 1) {
		add_chip(r, m, r->chips[i], averages, wrap);
	} else {
		rows_add(r, ROW_FOLD, r->chips[i], i, end - i);
		if (has_numbers(v->tabs[v->tab]))
			rows_add(r, ROW_MOST, r->chips[i], i, end - i);
	}
	return end - i;
}

static void select_chips(struct rows *r, const struct model *m, const struct view *v)
{
	r->n = r->once = r->boards = r->hidden = r->unread = r->shown = 0;
	for (int i = 0; i < (int)m->fleet->n; i++) {
		if (!fleet_wants(m->fleet, (size_t)i))
			continue;
		if (is_unread(m, i))
			r->unread++;
		else if (passes(m, v, i))
			r->chips[r->shown++] = (int16_t)i;
		else
			r->hidden++;
	}
}

/* Boards with at least one wanted chip. */
static size_t count_boards(const struct rows *r, const struct model *m)
{
	bool counted[DEVICE_MAX] = { false };
	size_t n = 0;

	for (size_t i = 0; i < m->fleet->n; i++) {
		bool *board = &counted[r->head[i]];

		n += fleet_wants(m->fleet, i) && !*board;
		*board = *board || fleet_wants(m->fleet, i);
	}
	return n;
}

void rows_build(struct rows *r, const struct model *m, const struct view *v, int wrap)
{
	const bool averages = view_averages(v);
	struct order o = { .m = m, .head = r->head };
	size_t sick = 0;

	select_chips(r, m, v);
	find_heads(r->head, m->fleet, is_of_board);
	r->boards = count_boards(r, m);
	o.folded = v->group >= UI_GROUP_BOARD || view_folds(v);
	if (o.folded && v->group != UI_GROUP_BOARD)
		find_heads(r->head, m->fleet, is_of_type);
	memcpy(o.first, r->head, sizeof(o.first));
	if (v->group != UI_GROUP_TYPE)
		find_trays(r->head, m->fleet);
	if (v->group < UI_GROUP_BOARD)
		o.sort = v->order[0];
	o.sick_first = v->tight && !o.sort.by;
	qsort_r(r->chips, r->shown, sizeof(r->chips[0]), compare_rows, &o);
	for (size_t i = 0; i < r->shown && o.sick_first; i++)
		sick += rows_is_sick(m, r->chips[i]);
	for (size_t i = 0; i < r->shown;) {
		if (i == sick && sick > 0)
			rows_add(r, ROW_RULE, r->chips[i], i, r->shown - sick);
		if (o.folded) {
			i += add_folded(r, m, v, i, averages, wrap);
			continue;
		}
		add_chip(r, m, r->chips[i++], averages, wrap);
	}
}

int rows_find(const struct rows *r, int chip)
{
	int near = -1;

	for (size_t i = 0; i < r->n; i++) {
		const struct row *row = &r->row[i];

		if (row->kind != ROW_CHIP && row->kind != ROW_FOLD)
			continue;
		if (row->chip == chip)
			return (int)i;
		if (chip >= 0 && r->head[chip] == r->head[row->chip] &&
			(near < 0 || row->kind == ROW_FOLD))
			near = (int)i;
	}
	return near;
}

void rows_count_sick(const struct model *m, int chip, struct rows_sum *sum)
{
	bool lost = snapshot_is_lost(&m->fleet->chips[chip]) && !model_act(m, (size_t)chip);

	sum->failed += lost;
	sum->check += !lost && rows_is_sick(m, chip);
}

struct rows_sum rows_sum(const struct model *m)
{
	struct rows_sum sum = { 0 };

	for (int i = 0; i < (int)m->fleet->n; i++) {
		if (!fleet_wants(m->fleet, (size_t)i))
			continue;
		sum.unread += is_unread(m, i);
		sum.chips += has_line(m, i);
		rows_count_sick(m, i, &sum);
	}
	return sum;
}

int rows_worst(const struct model *m)
{
	int worst = -1;

	for (int i = 0; i < (int)m->fleet->n; i++)
		if (fleet_wants(m->fleet, (size_t)i) && rows_is_sick(m, i) &&
			(worst < 0 || urgency(m, i) < urgency(m, worst)))
			worst = i;
	return worst;
}

bool view_averages(const struct view *v)
{
	return v->averages && v->tabs[v->tab]->averages;
}

static bool is_foldable(const struct view *v)
{
	return !view_averages(v) && !v->order[0].by;
}

bool view_folds(const struct view *v)
{
	return v->tight && v->group == UI_GROUP_AUTO && is_foldable(v);
}

bool view_would_fold(const struct view *v)
{
	return v->crowded && is_foldable(v);
}
