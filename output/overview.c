/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overview.c - the cards in a frame of 80 columns.  Every line goes through
 * put_line(), which cuts and pads it, so that no text from a card or of a
 * command can widen the frame or leave it.
 */
#include "config.h"
#include "output/text.h"

#include "base/clock.h"
#include "base/mem.h"
#include "report/advice.h"
#include "telemetry/judge.h"
#include "telemetry/link.h"

#include <stdio.h>
#include <string.h>

#define INNER   76	/* cells between the frame and its blanks */
#define INDENT  3
#define CELLS   24	/* of an item; three stand side by side */
#define LABEL   7
#define HOLDERS 4	/* that are named; the others are counted */

struct page {
	struct strbuf *to;
	const struct fleet *f;
	const struct overview_options *o;
};

static const struct item {
	const char *label;
	enum field_id field, instead;	/* instead: used if the chip lacks the first */
} items[] = {
	{ "Chip", FIELD_ASIC_TEMP, 0 }, { "Power", FIELD_POWER, 0 }, { "Clock", FIELD_AICLK, 0 },
	{ "Memory", FIELD_GDDR_MAX_TEMP, 0 }, { "Input", FIELD_BOARD_POWER, 0 },
	{ "Fan", FIELD_FAN_RPM, FIELD_FAN_LEGACY }, { "VREG", FIELD_VREG_TEMP, 0 },
	{ "Board", FIELD_BOARD_TEMP, 0 }, { "FW", FIELD_FW_BUNDLE, 0 },
};

/* Returns the bytes of a character; *shown is "?" if a terminal may show it in two cells. */
static size_t overview_take_glyph(const char *text, const char **shown)
{
	unsigned char c = (unsigned char)*text;
	size_t n = 1;

	*shown = text;
	if (c >= 0x20 && c < 0x7f)
		return 1;
	while (((unsigned char)text[n] & 0xc0) == 0x80)
		n++;
	/* Latin letters and signs have one cell everywhere. */
	if (n != 2 || c < 0xc2 || c > 0xc9 || (c == 0xc2 && (unsigned char)text[1] < 0xa0))
		*shown = "?";
	return n;
}

/* Put a line in the frame: left at its start, right at its end. */
static void put_line(const struct page *p, const char *left, const char *right)
{
	size_t cells = 0, room = INNER - strlen(right);

	strbuf_puts(p->to, "│ ");
	while (*left && cells < room) {
		const char *shown;
		size_t n = overview_take_glyph(left, &shown);

		/* The last cell says that there is more. */
		if (cells + 1 == room && left[n]) {
			strbuf_puts(p->to, "…");
			cells++;
			break;
		}
		strbuf_add(p->to, shown, shown == left ? n : 1);
		cells++;
		left += n;
	}
	strbuf_put_times(p->to, " ", room - cells);
	strbuf_puts(p->to, right);
	strbuf_puts(p->to, " │\n");
}

static void put_rule(const struct page *p, const char *left, const char *right)
{
	strbuf_puts(p->to, left);
	strbuf_put_times(p->to, "─", INNER + 2);
	strbuf_puts(p->to, right);
	strbuf_putc(p->to, '\n');
}

/* A sentence, wrapped at blanks. */
static void put_text(const struct page *p, const char *text)
{
	const size_t room = INNER - INDENT;

	while (*text) {
		size_t len = strlen(text), cut = len;
		char line[INDENT + INNER * 4];

		if (len > room) {
			for (cut = room; cut > 0 && text[cut] != ' '; cut--)
				;
			cut = cut ? cut : room;
		}
		snprintf(line, sizeof(line), "%*s%.*s", INDENT, "", (int)cut, text);
		put_line(p, line, "");
		text += cut;
		text += strspn(text, " ");
	}
}

static const char *unit_of(enum field_id id)
{
	/* It is not documented what the fan's word of older firmware counts. */
	if (id == FIELD_FAN_LEGACY)
		return "% or RPM";
	return fields[id].unit;
}

/* "Power  23.0 / 85 W"; false if there is nothing to show: the note says why. */
static bool item_text(const struct snapshot *c, const struct item *item, char *out, size_t size)
{
	enum field_id id = c->r[item->field].state != READING_ABSENT || !item->instead ?
		item->field : item->instead, limit = fields[id].limit;
	const struct reading *r = &c->r[id];
	bool known = reading_has_value(r);
	char value[32], most[32] = "";

	if (!known && r->state != READING_IMPLAUSIBLE)
		return false;
	field_text(id, r, value, sizeof(value));
	if (known && limit && reading_has_value(&c->r[limit]))
		field_text(limit, &c->r[limit], most, sizeof(most));
	snprintf(out, size, "%-*s%s%s%s%s%s", LABEL, item->label, value, *most ? " / " : "", most,
		known && *unit_of(id) ? " " : "", known ? unit_of(id) : "");
	return true;
}

static bool link_item(const struct snapshot *c, char *out, size_t size)
{
	const struct snapshot_link *l = &c->link;
	char held[LINK_TEXT], now[LINK_TEXT];

	if (!l->known)
		return false;
	link_limit_text(l, held, sizeof(held));
	snprintf(out, size, "%-*s%s%s%s", LABEL, "Link",
		link_text(l->speed, l->width, now, sizeof(now)), *held ? ", " : "", held);
	return true;
}

/* Items side by side. */
struct row {
	struct strbuf text;
	size_t n;
};

static void flush_row(const struct page *p, struct row *row)
{
	if (row->n)
		put_line(p, row->text.text, "");
	row->n = row->text.len = 0;
}

static void add_item(const struct page *p, struct row *row, const char *text)
{
	const size_t cells = text_cells(text);

	strbuf_put_times(&row->text, " ", row->n ? 0 : INDENT);
	strbuf_puts(&row->text, text);
	strbuf_put_times(&row->text, " ", cells < CELLS ? CELLS - cells : 1);
	if (++row->n == 3)
		flush_row(p, row);
}

static void put_readings(const struct page *p, const struct snapshot *c)
{
	struct row row = { .n = 0 };
	char text[96];

	for (size_t i = 0; i < ARRAY_LEN(items); i++)
		if (item_text(c, &items[i], text, sizeof(text)))
			add_item(p, &row, text);
	if (link_item(c, text, sizeof(text)))
		add_item(p, &row, text);
	flush_row(p, &row);
	strbuf_clear(&row.text);
}

static void put_holders(const struct page *p, const struct snapshot *c)
{
	size_t n = 0;
	char text[400];

	for (size_t i = 0; i < p->f->n_processes; i++) {
		const struct process *h = &p->f->processes[i];

		if (h->device != c->index || n++ >= HOLDERS)
			continue;
		if (p->o->external)
			snprintf(text, sizeof(text), "%*sHeld by %d", INDENT, "", (int)h->pid);
		else
			snprintf(text, sizeof(text), "%*sHeld by %d (%s) %s", INDENT, "",
				(int)h->pid, h->user, h->command);
		put_line(p, text, "");
	}
	if (n > HOLDERS) {
		snprintf(text, sizeof(text), "Held by %zu more", n - HOLDERS);
		put_text(p, text);
	}
}

/* The note may repeat a finding.  All causes that make a chip slow share one line. */
static void put_findings(const struct page *p, const struct snapshot *c)
{
	char slow[SLOW_TEXT];
	bool noted = false;

	for (size_t i = 0; i < c->n_findings; i++) {
		if (!slow_tells(c->findings[i].id))
			put_text(p, c->findings[i].text);
		noted |= strcmp(c->findings[i].text, c->note) == 0;
	}
	if (slow_why(c, slow) != SLOW_UNSAID)
		put_text(p, slow);
	if (!noted)
		put_text(p, c->note);
}

static void put_next(const struct page *p, const struct snapshot *c)
{
	char text[ADVICE_TEXT + 8];
	struct advice advice;

	advice_take_chip(&advice, p->f, c);
	snprintf(text, sizeof(text), "-> %s", advice.text);
	put_text(p, *advice.text ? text : "");
}

static void put_chip(const struct page *p, const struct snapshot *c)
{
	char text[128], where[64];
	int n = sizeof(where);

	if (c->local >= 0)
		snprintf(where, sizeof(where), "on the board of %d", c->local);
	else if (c->node >= 0)
		n = snprintf(where, sizeof(where), "%-14s /dev/tenstorrent/%d", c->bdf, c->node);
	else
		n = snprintf(where, sizeof(where), "%s", c->bdf);
	if (c->tray && n < (int)sizeof(where))
		snprintf(where + n, sizeof(where) - (size_t)n, "  UBB%d U%d", c->tray, c->place);
	snprintf(text, sizeof(text), "%-2d %-14s %s", c->index, *c->series ? c->series : "N/A",
		where);
	put_line(p, text, snapshot_health_word(c->health));
	put_text(p, c->reason);
	if (snapshot_is_lost(c))
		put_next(p, c);
	if (snapshot_is_lost(c) || c->health == SNAPSHOT_NOT_READ)
		return;
	put_readings(p, c);
	put_findings(p, c);
	put_next(p, c);
	put_holders(p, c);
}

static void put_heading(const struct page *p)
{
	char text[128], now[40], stamp[20] = "";
	const char *stand_in = p->f->origin->stand_in;

	snprintf(text, sizeof(text), "%s   %s%s", p->o->version,
		stand_in ? "" : *p->f->driver ? "driver " : "no driver",
		stand_in ? stand_in : p->f->driver);
	/* A file's readings are of its own time, which may be any text. */
	mem_copy_text(stamp, sizeof(stamp), !p->f->origin->is_moment
		? clock_iso_local(p->f->real, now, sizeof(now))
		: p->f->file_time && strspn(p->f->file_time, "0123456789-T :.") >= sizeof(stamp) - 1
		? p->f->file_time : "a time unknown");
	if (stamp[10] == 'T')
		stamp[10] = ' ';
	put_line(p, text, stamp);
}

/* From the worst to the best. */
static const enum snapshot_health order[] = { SNAPSHOT_GONE, SNAPSHOT_FAILED, SNAPSHOT_WARN,
	SNAPSHOT_PENDING, SNAPSHOT_NOT_READ, SNAPSHOT_OK };

enum { TROUBLES = 4 };		/* how many of them are trouble; "not read" is not */

static bool is_first_of_board(const struct page *p, size_t chip)
{
	for (size_t i = 0; i < chip; i++)
		if (fleet_shows(p->f, i, p->o->local) &&
			snapshot_is_of_board(&p->f->chips[i], &p->f->chips[chip]))
			return false;
	return true;
}

/* "3 boards, 4 chips: 1 FAILED, 1 warn, 1 not-read, 1 ok", the worst first. */
static void put_sum(const struct page *p)
{
	size_t n[ARRAY_LEN(order)] = { 0 }, chips = 0, boards = 0;
	const char *before = ": ";
	struct strbuf text = { 0 };

	for (size_t i = 0; i < p->f->n; i++) {
		if (!fleet_shows(p->f, i, p->o->local))
			continue;
		chips++;
		boards += is_first_of_board(p, i);
		for (size_t k = 0; k < ARRAY_LEN(order); k++)
			n[k] += p->f->chips[i].health == order[k];
	}
	strbuf_printf(&text, "%zu board%s, ", boards, text_plural(boards));
	if (p->o->expected > fleet_present(p->f))
		strbuf_printf(&text, "%zu of %zu chips", fleet_present(p->f), p->o->expected);
	else
		strbuf_printf(&text, "%zu chip%s", chips, text_plural(chips));
	for (size_t k = 0; k < ARRAY_LEN(order); k++)
		text_put_count(&text, &before, n[k], snapshot_health_word(order[k]));
	/* Those of --local have no place of their own. */
	if (p->o->local && fleet_unread(p->f) > 0)
		strbuf_printf(&text, ", %zu second chip%s not read", fleet_unread(p->f),
			text_plural(fleet_unread(p->f)));
	put_rule(p, "├", "┤");
	put_line(p, text.text, "");
	strbuf_clear(&text);
}

/* The next chip of a board, from this one on, that is shown; the number of chips if none is. */
static size_t next_of_board(const struct page *p, size_t board, size_t chip)
{
	while (chip < p->f->n && (!fleet_shows(p->f, chip, p->o->local) ||
		(chip != board && p->f->chips[chip].local != (int)board)))
		chip++;
	return chip;
}

/* The place in order[] of the worst of its chips; TROUBLES: all are well. */
static size_t board_trouble(const struct page *p, size_t board)
{
	size_t worst = TROUBLES;

	for (size_t k = next_of_board(p, board, board); k < p->f->n;
		k = next_of_board(p, board, k + 1))
		for (size_t i = 0; i < worst; i++)
			if (p->f->chips[k].health == order[i])
				worst = i;
	return worst;
}

/* Put the boards with this trouble, each with its chips; false: there is none. */
static bool put_boards(const struct page *p, size_t trouble)
{
	const struct fleet *f = p->f;
	bool any = false;

	for (size_t i = 0; i < f->n; i++) {
		if ((f->chips[i].local >= 0 && (size_t)f->chips[i].local < f->n) ||
			board_trouble(p, i) != trouble)
			continue;
		for (size_t k = next_of_board(p, i, i); k < f->n; k = next_of_board(p, i, k + 1)) {
			put_rule(p, "├", "┤");
			put_chip(p, &f->chips[k]);
			any = true;
		}
	}
	return any;
}

void overview_put(struct strbuf *to, const struct fleet *f, const struct overview_options *o)
{
	const struct page p = { to, f, o };
	bool any = false;

	put_rule(&p, "┌", "┐");
	put_heading(&p);
	for (size_t trouble = 0; trouble <= TROUBLES; trouble++)
		any |= put_boards(&p, trouble);
	if (!any) {
		put_rule(&p, "├", "┤");
		put_line(&p, "no device", "");
	} else {
		put_sum(&p);
	}
	put_rule(&p, "└", "┘");
	if (any && f->processes_unknown && *f->processes_unknown)
		strbuf_printf(to, "which processes hold the cards is not known: %s\n",
			f->processes_unknown);
	if (f->selection && *f->selection)
		strbuf_printf(to, "%s: the other boards of this machine are not shown\n",
			f->selection);
}
