/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/screen.h"

#include "base/mem.h"
#include "report/advice.h"
#include "telemetry/chip/chip.h"
#include "telemetry/identity.h"
#include "telemetry/judge.h"
#include "telemetry/link.h"
#include "ui/table.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A long page.  It is drawn whole; the canvas clips it to the lines in sight. */
struct page {
	struct canvas *c;
	struct rect r;
	int y;			/* of the next line */
};

const struct help_line help[] = {
	{ NULL, "Tabs" },
	{ "1 2 3 4 5 6 7", "devices, telemetry, firmware, processes, history, memory, links" },
	{ "Tab", "next tab (Shift-Tab: previous)" },
	{ "Enter", "all that is known of the selected chip, in full; opens what is folded" },
	{ "Esc", "back (q, too); no filter; no cursor; no groups, fold again" },
	{ NULL, "Show and hide" },
	{ "t", "sidebar with host and compatibility" },
	{ "w", "limits beside the values and in the history" },
	{ "v", "lowest, average and highest value (V: count anew)" },
	{ "g", "open what is folded; group by board, by type (Esc: back)" },
	{ "c", "compact: the table alone" },
	{ "p", "hold the picture; readings go on" },
	{ "l", "messages: of libraries, and alerts" },
	{ "h", "this page" },
	{ NULL, "Do" },
	{ "s", "save a snapshot" },
	{ "d", "start or stop a telemetry dump" },
	{ "x", "devices: reset the selected board, after a question" },
	{ "R", "read second chips of boards, as --remote does; again: stop reading them" },
	{ "B", "read how busy the chips are, as --busy does; again: stop reading it" },
	{ "q", "quit; of a page: back" },
	{ NULL, "Find" },
	{ "/", "show only lines with a word (Enter: done, Esc: all)" },
	{ "!", "select the next chip with which something is wrong" },
	{ "< >", "sort every tab by the column left or right; a click on a heading, too" },
	{ "r", "sort the other way round" },
	{ "↑ ↓ PgUp PgDn", "select a chip, scroll" },
	{ "Home End", "first, last" },
	{ NULL, "History" },
	{ "← →", "scroll back and forth (PgUp, PgDn: a page; Home: oldest, End: now)" },
	{ "+ -", "zoom" },
	{ "[ ]", "move the cursor: value and time at its place; a click sets it" },
	{ "m M", "next, previous metric" },
	{ "a", "one metric of all cards, or all metrics of one card" },
	{ NULL, "Signs" },
	{ "● ○", "firmware's heartbeat moves, stands still" },
	{ "! ✗", "something is to be checked; failed or gone: see the line below" },
	{ "≠", "version differs from most boards of the same type" },
	{ "- err ? ...",
		"there is none; not readable; impossible value; one reading is not enough" },
};
const size_t help_len = ARRAY_LEN(help);

#define HELP_TEXT 17		/* where the explanations begin */

/* Text from cell x on, in as many lines as it needs.  Returns the y of the first. */
static int page_text(struct page *p, int x, enum style style, const char *text)
{
	const int y = p->y, lines = canvas_wrap(p->c, p->r.x + x, y, p->r.w - x, INT_MAX, style,
		text);

	p->y += lines > 1 ? lines : 1;
	return y;
}

static void draw_help(struct page *p)
{
	for (size_t i = 0; i < ARRAY_LEN(help); i++) {
		if (!help[i].keys) {
			p->y += i > 0;
			page_text(p, 0, STYLE_HEADING, help[i].what);
			continue;
		}
		canvas_words(p->c, p->r.x + 2,
			page_text(p, HELP_TEXT, STYLE_NORMAL, help[i].what), HELP_TEXT - 3,
			STYLE_KEY, help[i].keys);
	}
}

/* The line being filled is at `next`; it counts once its newline has come. */
void ui_log_add(struct ui_log *log, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char *line = log->line[log->next];
		size_t at = strlen(line);

		if (text[i] == '\n') {
			log->next = (log->next + 1) % UI_LOG_LINES;
			log->n += log->n + 1 < UI_LOG_LINES;
			log->total++;
			log->line[log->next][0] = 0;
		} else if (at + 1 < sizeof(log->line[0])) {
			line[at] = text[i];
			line[at + 1] = 0;
		}
	}
}

const char *ui_log_line(const struct ui_log *log, size_t i)
{
	return log->line[(log->next + UI_LOG_LINES - log->n + i) % UI_LOG_LINES];
}

static void draw_log(struct page *p, const struct ui_log *log)
{
	if (!log || log->n == 0) {
		page_text(p, 0, STYLE_DIM, "no messages");
		return;
	}
	for (size_t i = 0; i < log->n; i++)
		page_text(p, 0, STYLE_NORMAL, ui_log_line(log, i));
}

/* One chip in full: its fields with all that is known of each, then the words as they were read. */

/* Where the parts of a field's line begin; a part that does not fit whole is left out. */
enum { AT_TITLE = 2, AT_VALUE = 26, AT_UNIT = 45, AT_LIMIT = 52, AT_SOURCE = 64, AT_RAW = 73,
	AT_STATS = 85, AT_HELP = 112 };

static void part(struct page *p, int y, int at, int w, enum style style, const char *text)
{
	if (at + w <= p->r.w && text[0])
		canvas_words(p->c, p->r.x + at, y, w, style, text);
}

static void heading(struct page *p, const char *text)
{
	canvas_words(p->c, p->r.x, ++p->y, p->r.w, STYLE_HEADING, text);
	p->y++;
}

__attribute__((format(printf, 4, 5)))
static void fact(struct page *p, const char *name, enum style style, const char *fmt, ...)
{
	char text[NOTICE_SIZE];
	va_list args;

	if (p->r.w <= AT_VALUE)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	canvas_words(p->c, p->r.x + AT_TITLE, page_text(p, AT_VALUE, style, text),
		AT_VALUE - AT_TITLE - 1, STYLE_DIM, name);
}

static void draw_who(struct page *p, const struct model *m, const struct snapshot *s)
{
	static const struct column link = { .kind = COLUMN_LINK };
	static const struct column max = { .kind = COLUMN_LINK_MAX };
	char text[NOTICE_SIZE], now[40], best[40], held[LINK_TEXT];
	enum style style = STYLE_NORMAL;
	char why[SLOW_TEXT];
	struct advice advice;
	enum slow slow;

	snprintf(text, sizeof(text), "%d  %s  %s", s->index, s->series, device_chip_name(s->chip));
	canvas_words(p->c, p->r.x, p->y++, p->r.w, STYLE_HEADING, text);
	fact(p, "Bus", STYLE_NORMAL, "%s  PCI 1e52:%04x  subsystem %04x  NUMA %d",
		s->bdf[0] ? s->bdf : "none, reached through another chip",
		s->pci_device, s->subsys_device, s->numa_node);
	if (s->node >= 0)
		fact(p, "Node", STYLE_NORMAL, "/dev/tenstorrent/%d", s->node);
	if (s->tray)
		fact(p, "Place", STYLE_NORMAL, "tray %d of its galaxy, chip %d (UBB%d U%d)",
			s->tray, s->place, s->tray, s->place);
	if (s->local >= 0)
		fact(p, "Way", STYLE_NORMAL, "reached over ethernet through chip %d", s->local);
	column_text(&link, s, now, sizeof(now));
	column_text(&max, s, best, sizeof(best));
	link_limit_text(&s->link, held, sizeof(held));
	fact(p, "PCIe link", s->link.downgraded ? STYLE_WARN : STYLE_NORMAL, "%s of %s%s%s%s", now,
		best, *held ? "  " : "", held, s->link.downgraded ? "  DOWNGRADED" : "");
	fact(p, "State", STYLE_NORMAL, "%s, heartbeat %s, read in %" PRId64 " µs",
		snapshot_health_word(s->health), snapshot_beat_name(s->beat), s->raw.took / 1000);
	if (s->reason[0] && notice_text(m, s, true, text, &style))
		fact(p, "Reason", style, "%s", text);
	for (size_t i = 0; i < s->n_findings; i++)
		fact(p, s->findings[i].id, STYLE_WARN, "%s", s->findings[i].text);
	advice_take_chip(&advice, m->fleet, s);
	if (*advice.text)
		fact(p, "Next", STYLE_WARN, "%s", advice.text);
	/* A cause that holds the clock down is shown as a finding. */
	slow = slow_why(s, why);
	if (slow != SLOW_NOT && slow != SLOW_HELD)
		fact(p, "Clock", STYLE_DIM, "%s", why);
	if (s->note[0])
		fact(p, "Note", STYLE_DIM, "%s", s->note);
}

static void draw_stats(struct page *p, int y, const struct model *m, const struct snapshot *s,
	enum field_id id)
{
	const struct range *t = m->history ?
		history_stats(m->history, (size_t)s->index, id) : NULL;
	char text[100], min[28], avg[28], max[28];

	if (!t || t->n == 0)
		return;
	snprintf(text, sizeof(text), "%s / %s / %s",
		column_value_text(id, t->least, min, sizeof(min)),
		column_value_text(id, t->sum / t->n, avg, sizeof(avg)),
		column_value_text(id, t->most, max, sizeof(max)));
	if (glyph_text_width(text) < AT_HELP - AT_STATS)
		part(p, y, AT_STATS, AT_HELP - AT_STATS - 1, STYLE_DIM, text);
}

static void draw_field(struct page *p, const struct model *m, const struct snapshot *s,
	enum field_id id)
{
	const struct column col = { .kind = COLUMN_FIELD, .field = id };
	const struct field *f = &fields[id];
	const struct reading *r = &s->r[id];
	const int y = p->y++;
	char text[64];
	enum style style = column_text(&col, s, text, sizeof(text));

	part(p, y, AT_TITLE, AT_VALUE - AT_TITLE - 1, STYLE_NORMAL, f->title);
	part(p, y, AT_VALUE, AT_UNIT - AT_VALUE - 1, style, text);
	if (reading_has_value(r))
		part(p, y, AT_UNIT, AT_LIMIT - AT_UNIT - 1, STYLE_DIM, f->unit);
	else
		part(p, y, AT_UNIT, AT_SOURCE - AT_UNIT - 1, STYLE_WARN,
			reading_state_name(r->state));
	if (f->limit != FIELD_NONE && reading_has_value(&s->r[f->limit]) && reading_has_value(r)) {
		char limit[40];

		snprintf(text, sizeof(text), "max %s", field_text(f->limit, &s->r[f->limit], limit,
			sizeof(limit)));
		part(p, y, AT_LIMIT, AT_SOURCE - AT_LIMIT - 1, column_limit_style(style), text);
	}
	part(p, y, AT_SOURCE, AT_RAW - AT_SOURCE - 1, STYLE_DIM, reading_source_name(r->source));
	if (r->has_raw) {
		snprintf(text, sizeof(text), "0x%08" PRIx32, r->raw);
		part(p, y, AT_RAW, AT_STATS - AT_RAW - 1, STYLE_DIM, text);
	}
	draw_stats(p, y, m, s, id);
	if (p->r.w - AT_HELP > 20)
		part(p, y, AT_HELP, p->r.w - AT_HELP, STYLE_DIM, f->help);
}

static void draw_fields(struct page *p, const struct model *m, const struct snapshot *s)
{
	for (int group = 0; group < FIELD_GROUPS; group++) {
		bool any = false;

		for (size_t id = FIELD_NONE + 1; id < FIELD_COUNT; id++) {
			if (fields[id].group != group || s->r[id].state == READING_ABSENT)
				continue;
			if (!any)
				heading(p, field_group_title((enum field_group)group));
			any = true;
			draw_field(p, m, s, (enum field_id)id);
		}
	}
}

/* Cells of text side by side, as many as fit. */
static void draw_cell(struct page *p, size_t i, int w, const char *text)
{
	const int room = p->r.w - AT_TITLE, columns = room / w > 0 ? room / w : 1;
	const int at = (int)i % columns;

	p->y += at == 0;
	canvas_words(p->c, p->r.x + AT_TITLE + at * w, p->y - 1, w - 1 < room ? w - 1 : room,
		STYLE_NORMAL, text);
}

static void draw_words(struct page *p, const struct snapshot *s)
{
	char text[120];

	if (s->raw.n_tags > 0)
		heading(p, "Tags as read");
	for (size_t i = 0; i < s->raw.n_tags; i++) {
		const struct tag_name *name = tag_find(s->raw.tags[i].tag);

		snprintf(text, sizeof(text), "%3u  0x%08" PRIx32 "  %s", s->raw.tags[i].tag,
			s->raw.tags[i].word, name ? name->name : "");
		draw_cell(p, i, 44, text);
	}
	if (s->raw.n_legacy > 0)
		heading(p, "Words as read");
	for (size_t i = 0; i < s->raw.n_legacy; i++) {
		snprintf(text, sizeof(text), "%3zu  0x%08" PRIx32, i, s->raw.legacy[i]);
		draw_cell(p, i, 18, text);
	}
}

static void draw_attributes(struct page *p, const struct snapshot *s)
{
	bool any = false;

	for (size_t a = ATTR_NONE + 1; a < ATTR_COUNT; a++) {
		if (!s->raw.attr[a][0] && s->raw.attr_error[a] == 0)
			continue;
		if (!any)
			heading(p, "Attributes of driver and kernel");
		any = true;
		fact(p, attrs[a].name, s->raw.attr[a][0] ? STYLE_NORMAL : STYLE_DIM, "%s",
			s->raw.attr[a][0] ? s->raw.attr[a] : strerror(-s->raw.attr_error[a]));
	}
}

static int draw_once(struct canvas *c, struct rect r, const struct model *m, struct view *v)
{
	const bool known = v->selected >= 0 && (size_t)v->selected < m->fleet->n;
	const struct snapshot *s = known ? &m->fleet->chips[v->selected] : NULL;
	struct page p = { .c = c, .r = r, .y = r.y - v->panel_top };

	switch (v->panel) {
	case UI_PANEL_HELP:
		draw_help(&p);
		break;
	case UI_PANEL_LOG:
		draw_log(&p, m->log);
		v->log_seen = m->log ? m->log->total : 0;
		break;
	case UI_PANEL_CHIP:
		if (!s)
			break;
		draw_who(&p, m, s);
		draw_fields(&p, m, s);
		draw_words(&p, s);
		draw_attributes(&p, s);
		break;
	case UI_PANEL_NONE:
		break;
	}
	return p.y + v->panel_top - r.y;
}

void panel_draw(struct canvas *c, struct rect r, const struct model *m, struct view *v,
	struct foot *foot)
{
	struct rect old, page = { r.x + 1, r.y, r.w - 2, r.h };

	/* The length of the page is known only after drawing: draw it once, clipped to nothing. */
	old = canvas_clip(c, (struct rect){ 0, 0, 0, 0 });
	v->lines = draw_once(c, page, m, v);
	c->clip = old;
	v->page = r.h;
	v->panel_top = table_scroll(v->panel_top, r.h, v->lines, -1, -1);
	draw_once(c, page, m, v);
	snprintf(foot->left, sizeof(foot->left), "q back");
	if (v->lines > r.h)
		snprintf(foot->right, sizeof(foot->right), "%d-%d of %d", v->panel_top + 1,
			v->panel_top + r.h, v->lines);
}
