/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turn one picture into the next with few bytes.  Unchanged cells are skipped by
 * moving the cursor or by writing them again, whichever is shorter.  If only few
 * cells changed, all cells of one look are sent before the next look is switched
 * on, because a switch costs more than a move.
 */
#include "config.h"

#include "base/clock.h"
#include "base/mem.h"
#include "ui/term_local.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The colours for a terminal.  It is asked for its background, but the first
 * picture does not wait for the answer; if one comes, the picture is redrawn.
 */

/* Write parameters for what `to` has beyond `from`, each after a semicolon. */
static size_t put_parameters(char *text, const struct look *from, const struct look *to)
{
	static const int codes[] = { 1, 2, 4, 7 };	/* in the order of the LOOK_ flags */
	unsigned attr = to->attr & ~from->attr;
	size_t len = 0, size = TERM_SGR;

	for (int i = 0; i < 4; i++)
		if (attr & 1U << i)
			len += (size_t)snprintf(text + len, size - len, ";%d", codes[i]);
	if (to->fg != from->fg)
		len += (size_t)snprintf(text + len, size - len, to->fg >= 8 ? ";38;5;%d" : ";3%d",
			to->fg);
	if (to->bg != from->bg)
		len += (size_t)snprintf(text + len, size - len, ";48;5;%d", to->bg);
	return len;
}

size_t term_look_change(const struct term_look *from, const struct term_look *to,
	char text[static TERM_SGR])
{
	static const struct look none = { .fg = -1, .bg = -1 };
	const struct look *old = from ? &from->look : NULL, *new = &to->look;
	char parameters[TERM_SGR] = "";
	/* To drop an attribute or go back to the terminal's own colour, reset everything first. */
	bool ends = !old || (old->attr & ~new->attr) || (new->fg < 0 && old->fg >= 0) ||
		(new->bg < 0 && old->bg >= 0);
	size_t len = put_parameters(parameters, ends ? &none : old, new);

	if (len == 0 && !ends)
		return 0;
	/* An empty parameter means 0: the leading semicolon resets. */
	return (size_t)snprintf(text, TERM_SGR, "\033[%sm", parameters + (!ends && len > 0));
}

static const struct term_look *first_like(const struct look *l)
{
	for (int i = 0; i < 2 * STYLES; i++) {
		const struct term_look *t = &term.look[i / STYLES][i % STYLES];

		if (t->look.fg == l->fg && t->look.bg == l->bg && t->look.attr == l->attr)
			return t;
	}
	return NULL;
}

void term_look_init(void)
{
	for (int i = 0; i < 2 * STYLES; i++) {
		struct term_look *t = &term.look[i / STYLES][i % STYLES];
		struct look l = palette_look(term.ground, term.colors, (enum style)(i % STYLES),
			i >= STYLES);

		t->ground = l.bg >= 0 || l.attr & (LOOK_REVERSE | LOOK_UNDERLINE);
		t->look = l;
		t->as = first_like(&l);
	}
}

/* COLORFGBG is "FG;BG" or "FG;MORE;BG" in numbers of the 16 colours. */
enum palette_ground term_look_guess(void)
{
	const char *text = getenv("COLORFGBG"), *last = text ? strrchr(text, ';') : NULL;
	char *end;
	long color;

	if (!last)
		return PALETTE_DARK;
	color = strtol(last + 1, &end, 10);
	if (end == last + 1 || *end)
		return PALETTE_DARK;
	return color == 7 || (color >= 9 && color <= 15) ? PALETTE_LIGHT : PALETTE_DARK;
}

void term_look_ask(const char *name)
{
	/* Old terminals and consoles would print the question. */
	if (term.plain || term.colors == 0 || !term.asked ||
		(term.colors < 256 && strncmp(name, "xterm", 5) != 0))
		term.asked = false;
	/* Every terminal answers the second query; by then the answer to the first has come. */
	if (term.asked)
		strbuf_puts(&term.bytes, "\033]11;?\033\\\033[c");
}

#define FEW  200	/* at most this many changed cells get a pass for each look */
#define BACK 3		/* this many backspaces are not longer than any other move */

/* Where the cursor is (x -1: not known), and the look that it writes with. */
struct pen {
	int x, y;
	const struct term_look *look;
};

static const struct term_look *look_of(const struct cell *cell)
{
	return term.look[cell->lit][cell->style].as;
}

/* Blanks look alike in all styles that colour only text. */
static bool is_free(const struct cell *cell)
{
	return cell->ch == ' ' && !look_of(cell)->ground;
}

static bool same(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && (look_of(a) == look_of(b) || (is_free(a) && is_free(b)));
}

static bool fits(const struct term_look *look, const struct cell *cell)
{
	return look && (look == look_of(cell) || (is_free(cell) && !look->ground));
}

/* Moving. */

/* Move n cells in the direction that the letter means; returns the length. */
static size_t put_step(char *to, int n, char letter)
{
	if (n == 0)
		return 0;
	return (size_t)(n == 1 ? snprintf(to, TERM_STEP, "\033[%c", letter) :
		snprintf(to, TERM_STEP, "\033[%d%c", n, letter));
}

static size_t put_relative(char *to, int right, int down)
{
	size_t len = put_step(to, down < 0 ? -down : down, down < 0 ? 'A' : 'B');

	if (right >= 0)
		return len + put_step(to + len, right, 'C');
	if (right < -BACK)
		return len + put_step(to + len, -right, 'D');
	memset(to + len, '\b', (size_t)-right);
	return len + (size_t)-right;
}

/* The numbers of the first line and the first column may be omitted. */
static size_t put_absolute(char *to, int x, int y)
{
	char line[TERM_STEP] = "", column[TERM_STEP] = "";

	if (y > 0)
		snprintf(line, sizeof(line), "%d", y + 1);
	if (x > 0)
		snprintf(column, sizeof(column), ";%d", x + 1);
	return (size_t)snprintf(to, TERM_MOVE, "\033[%s%sH", line, column);
}

static size_t put_move(const struct pen *p, int x, int y, char to[static TERM_MOVE])
{
	char relative[TERM_MOVE];
	size_t len = put_absolute(to, x, y), other;

	if (p->x < 0)
		return len;
	other = put_relative(relative, x - p->x, y - p->y);
	if (other >= len)
		return len;
	memcpy(to, relative, other);
	return other;
}

/* Writing. */

static void write_cell(struct pen *p, const struct cell *cell)
{
	char text[TERM_SGR];

	if (!fits(p->look, cell)) {
		const struct term_look *look = look_of(cell);

		strbuf_add(&term.bytes, text, term_look_change(p->look, look, text));
		p->look = look;
	}
	strbuf_add(&term.bytes, text, (size_t)glyph_encode(cell->ch, text));
	p->x += glyph_width(cell->ch);
}

/* Write unchanged cells again, if that needs no other look and at most `most` bytes. */
static bool bridge(struct pen *p, const struct cell *row, int x, size_t most)
{
	size_t len = 0;
	char text[4];

	if (p->x < 0 || x <= p->x || (size_t)(x - p->x) > most)
		return false;
	for (int i = p->x; i < x; i++) {
		if (row[i].ch == 0 || glyph_width(row[i].ch) != 1 || !fits(p->look, &row[i]))
			return false;
		len += (size_t)glyph_encode(row[i].ch, text);
	}
	if (len > most)
		return false;
	while (p->x < x)
		write_cell(p, &row[p->x]);
	return true;
}

static void move_to(struct pen *p, const struct cell *row, int x, int y)
{
	char move[TERM_MOVE];
	size_t len;

	if (p->x == x && p->y == y)
		return;
	len = put_move(p, x, y, move);
	if (p->y == y && bridge(p, row, x, len))
		return;
	strbuf_add(&term.bytes, move, len);
	p->x = x;
	p->y = y;
}

/* What has changed. */

static struct cell *row_of(const struct canvas *c, int y)
{
	return &c->cells[(size_t)y * (size_t)c->w];
}

/*
 * The cells of a row that may have to be sent; 0: none differs.  On a terminal without a right
 * margin, writing the last cell of the screen scrolls it.
 */
static int row_end(const struct canvas *c, int y)
{
	if (memcmp(row_of(c, y), row_of(&term.last, y), (size_t)c->w * sizeof(*c->cells)) == 0)
		return 0;
	return y + 1 < c->h || term.right_margin ? c->w : c->w - 1;
}

static bool is_changed(const struct canvas *c, const struct cell *row, const struct cell *old,
	int x)
{
	/* The halves of a wide character go together. */
	bool wide = x + 1 < c->w && row[x + 1].ch == 0;

	if (!wide && memcmp(&row[x], &old[x], sizeof(*row)) == 0)
		return false;
	return row[x].ch != 0 &&
		(!same(&row[x], &old[x]) || (wide && !same(&row[x + 1], &old[x + 1])));
}

/* Draw the n changes that can be written with this look; NULL: all that are left. */
static void draw_look(struct pen *p, const struct canvas *c, size_t n, const struct term_look *look)
{
	for (size_t i = 0; i < n; i++) {
		struct term_change *at = &term.changes[i];
		const struct cell *row = row_of(c, at->y);

		if (at->drawn || (look && !fits(look, &row[at->x])))
			continue;
		move_to(p, row, at->x, at->y);
		write_cell(p, &row[at->x]);
		if (p->x >= c->w)
			p->x = -1;
		at->drawn = true;
	}
}

static size_t draw_changes(struct pen *p, const struct canvas *c)
{
	const struct term_look *begun = p->look;
	bool looks[2 * STYLES] = { false };	/* those that the changed cells need */
	bool wide = false;			/* a wide character appears or disappears */
	size_t n = 0, cells = 0;

	for (int y = 0; y < c->h; y++) {
		const struct cell *row = row_of(c, y), *old = row_of(&term.last, y);

		for (int x = 0, end = row_end(c, y); x < end; x++) {
			if (!is_changed(c, row, old, x))
				continue;
			term.changes[n++] = (struct term_change){ (int16_t)x, (int16_t)y, false };
			wide = wide || glyph_width(row[x].ch) > 1 || old[x].ch == 0 ||
				(x + 1 < c->w && old[x + 1].ch == 0);
			cells += (size_t)glyph_width(row[x].ch);
			if (!is_free(&row[x]))
				looks[row[x].lit * STYLES + row[x].style] = true;
		}
	}
	if (cells <= FEW && !wide) {
		if (begun)
			draw_look(p, c, n, begun);
		for (int i = 0; i < 2 * STYLES; i++)
			if (looks[i] && term.look[i / STYLES][i % STYLES].as != begun)
				draw_look(p, c, n, term.look[i / STYLES][i % STYLES].as);
	}
	draw_look(p, c, n, NULL);
	memcpy(term.last.cells, c->cells, (size_t)c->w * (size_t)c->h * sizeof(*c->cells));
	return cells;
}

static size_t print_plain(const struct canvas *c)
{
	struct strbuf text = { 0 };

	canvas_to_text(c, &text);
	/* A line feed may not return the cursor to the first column. */
	for (size_t i = 0; i < text.len; i++) {
		if (text.text[i] == '\n')
			strbuf_putc(&term.bytes, '\r');
		strbuf_putc(&term.bytes, text.text[i]);
	}
	strbuf_clear(&text);
	return (size_t)c->w * (size_t)c->h;
}

size_t term_draw(const struct canvas *c)
{
	static struct pen p;
	size_t changed = 0;

	if (!term_flush())
		return 0;
	if (term.plain) {
		changed = print_plain(c);
		term_flush();
		return changed;
	}
	if (term.last.w != c->w || term.last.h != c->h)
		term.forget = true;
	if (term.forget) {
		canvas_resize(&term.last, c->w, c->h, c->charset);
		term.changes = mem_realloc(term.changes, term.last.size * sizeof(*term.changes));
		strbuf_puts(&term.bytes, "\033[0m\033[2J");
		p = (struct pen){ .x = -1 };
		term.forget = false;
	}
	changed = draw_changes(&p, c);
	term_flush();
	return changed;
}

/*
 * Turns keys and clicks of the terminal into ours.  The cells of the picture on
 * the screen hold what a click on them means.
 */

#define ESCAPE_MS 25		/* without more bytes a lone ESC is the key */
#define ANSWER_MS 500		/* and an incomplete sequence is dropped */
#define PASTE_MS  2000		/* and pasted text is over */

static void take_bytes(void)
{
	struct pollfd in = { .fd = term.in, .events = POLLIN };
	unsigned char bytes[128];
	size_t room = sizeof(term.keys.buf) - term.keys.n;
	ssize_t n;

	if (room == 0 || poll(&in, 1, 0) <= 0 || !(in.revents & POLLIN))
		return;
	n = read(term.in, bytes, room < sizeof(bytes) ? room : sizeof(bytes));
	if (n <= 0)
		return;
	keys_add(&term.keys, bytes, (size_t)n);
	term.keys_since = clock_steady();
}

/* Take the terminal's answer to our query; true if it changes the picture. */
static bool take_answer(const struct keys_event *e)
{
	enum palette_ground ground = palette_ground_of(e->rgb);
	bool asked = term.asked;

	term.asked = asked && e->kind != KEYS_ATTRIBUTES;
	if (!asked || e->kind != KEYS_BACKGROUND || ground == term.ground)
		return false;
	term.ground = ground;
	term_look_init();
	term.forget = true;
	return true;
}

int term_wait_ms(void)
{
	int64_t patience = term.keys.pasting ? PASTE_MS : term.keys.n == 1 ? ESCAPE_MS : ANSWER_MS;
	int64_t left;

	if (term.keys.n == 0 && !term.keys.pasting)
		return -1;
	left = (term.keys_since - clock_steady()) / CLOCK_MS + patience;
	return left > 0 ? (int)left : 0;
}

bool term_is_quiet(void)
{
	struct pollfd in = { .fd = term.in, .events = POLLIN };

	return term.keys.n == 0 && !term.keys.pasting && poll(&in, 1, 0) == 0;
}

uint32_t term_key(unsigned *hit)
{
	*hit = 0;
	take_bytes();
	for (;;) {
		struct keys_event e = keys_next(&term.keys, term_wait_ms() == 0);
		const struct cell *cell;

		switch (e.kind) {
		case KEYS_NONE:
			return UI_KEY_NONE;
		case KEYS_KEY:
			return e.key;
		case KEYS_CLICK:
			cell = canvas_at(&term.last, e.x, e.y);
			*hit = cell && cell->hit ? cell->hit : UI_HIT_NOTHING;
			return UI_KEY_RESIZE;
		case KEYS_BACKGROUND:
		case KEYS_ATTRIBUTES:
			if (take_answer(&e))
				return UI_KEY_RESIZE;
		}
	}
}
