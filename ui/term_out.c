/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term_out.c - what the terminal gets and what it can do: colours, bytes, terminfo.
 */
#include "config.h"
#include "ui/term_local.h"

#include "base/clock.h"
#include "base/dl.h"
#include "base/mem.h"

#include <curses.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

enum { BLACK = 16, WHITE = 231 };

struct style_look {
	uint8_t attr;			/* with 256 colours */
	uint8_t mono;			/* without colours */
	struct {
		int8_t basic;		/* of the 8 */
		uint8_t basic_attr;	/* with 8: bold is a brighter colour on many terminals */
		int16_t many;		/* of the 256 */
	} on[PALETTES];
};

enum { RED = 1, GREEN, YELLOW, BLUE, MAGENTA, CYAN, BOLD = LOOK_BOLD, DIM = LOOK_DIM,
	REVERSE = LOOK_REVERSE };

/* On dark and on light backgrounds. */
static const struct style_look looks[STYLES] = {
	[STYLE_NORMAL] = { 0, 0, { { -1, 0, -1 }, { -1, 0, -1 } } },
	[STYLE_DIM] = { 0, DIM, { { -1, 0, 248 }, { -1, 0, 240 } } },
	[STYLE_HEADING] = { BOLD, BOLD, { { CYAN, BOLD, 80 }, { BLUE, 0, 24 } } },
	[STYLE_LIMIT] = { 0, 0, { { -1, 0, 143 }, { -1, 0, 94 } } },
	[STYLE_WARN] = { BOLD, BOLD, { { YELLOW, BOLD, 214 }, { MAGENTA, 0, 90 } } },
	[STYLE_BAD] = { BOLD, REVERSE, { { RED, BOLD, 210 }, { RED, 0, 88 } } },
	[STYLE_GOOD] = { 0, 0, { { GREEN, BOLD, 114 }, { -1, 0, 22 } } },
	[STYLE_TITLE] = { BOLD, BOLD, { { GREEN, BOLD, 114 }, { BLUE, 0, 24 } } },
	[STYLE_FRAME] = { 0, DIM, { { CYAN, 0, 73 }, { -1, 0, 60 } } },
	[STYLE_TAB] = { 0, 0, { { -1, 0, 250 }, { -1, 0, 240 } } },
	[STYLE_TAB_ON] = { BOLD | REVERSE, REVERSE, { { GREEN, BOLD | REVERSE, 114 },
		{ BLUE, REVERSE, 24 } } },
	[STYLE_KEY] = { BOLD, BOLD, { { GREEN, BOLD, 114 }, { BLUE, 0, 24 } } },
	[STYLE_PLOT] = { 0, 0, { { CYAN, BOLD, 80 }, { BLUE, 0, 25 } } },
	[STYLE_CURSOR] = { BOLD, BOLD, { { -1, BOLD, WHITE }, { -1, BOLD, BLACK } } },
	[STYLE_WARM] = { 0, BOLD, { { -1, BOLD, 222 }, { -1, BOLD, 52 } } },
	[STYLE_LIMIT_NEAR] = { BOLD, BOLD, { { YELLOW, BOLD, 220 }, { BLUE, BOLD, 94 } } },
};

/* The selected line: its background, and the colours of some texts there. */
static const struct {
	int16_t ground, text, bad;	/* text: without a colour of its own */
} lit_line[PALETTES] = {
	[PALETTE_DARK] = { 236, WHITE, 217 },
	[PALETTE_LIGHT] = { 195, BLACK, 88 },
};

static struct look look_256(enum palette_ground ground, enum style style, bool lit)
{
	struct look l = { looks[style].on[ground].many, -1, looks[style].attr };

	/* Set both colours of a reversed cell: the terminal's own may be anything. */
	if (l.attr & LOOK_REVERSE) {
		l.attr &= ~(unsigned)LOOK_REVERSE;
		l.bg = l.fg;
		l.fg = ground == PALETTE_DARK ? BLACK : WHITE;
	} else if (lit) {
		l.bg = lit_line[ground].ground;
		l.fg = style == STYLE_BAD ? lit_line[ground].bad :
			l.fg < 0 ? lit_line[ground].text : l.fg;
	}
	return l;
}

struct look palette_look(enum palette_ground ground, int colors, enum style style, bool lit)
{
	const struct style_look *s = &looks[style];

	if (colors >= 256)
		return look_256(ground, style, lit);
	if (colors >= 8)
		return (struct look){ s->on[ground].basic, -1,
			s->on[ground].basic_attr ^ (lit ? LOOK_REVERSE : 0U) };
	return (struct look){ -1, -1, s->mono | (lit ? LOOK_UNDERLINE : 0U) };
}

/* Relative luminance, 0 to 1 (WCAG 2). */
static double luminance(uint32_t rgb)
{
	static const double weight[] = { 0.0722, 0.7152, 0.2126 };
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double v = (double)(rgb >> 8 * i & 0xff) / 255;

		sum += weight[i] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
	}
	return sum;
}

int palette_contrast(uint32_t a, uint32_t b)
{
	double x = luminance(a) + 0.05, y = luminance(b) + 0.05;

	return (int)(100 * (x > y ? x / y : y / x));
}

enum palette_ground palette_ground_of(uint32_t rgb)
{
	return palette_contrast(rgb, 0x000000) > palette_contrast(rgb, 0xffffff) ? PALETTE_LIGHT :
		PALETTE_DARK;
}

/* The terminal may take no output for long: bytes wait here, and no picture is added to them. */

struct terminal term = { .out = -1, .in = -1, .log_read = -1, .real_stderr = -1 };

bool term_flush(void)
{
	while (term.sent < term.bytes.len && !term.broken) {
		ssize_t n = write(term.out, term.bytes.text + term.sent,
			term.bytes.len - term.sent);

		if (n > 0)
			term.sent += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			return false;
		else if (n < 0 && errno != EINTR)
			term.broken = true;
	}
	term.bytes.len = term.sent = 0;
	return true;
}

void term_bell(void)
{
	/* Never inside a sequence that is only half sent. */
	if (!term_flush())
		return;
	strbuf_putc(&term.bytes, '\a');
	term_flush();
}

bool term_drain(int ms)
{
	int64_t end = clock_steady() + ms * CLOCK_MS;

	while (!term_flush()) {
		struct pollfd out = { .fd = term.out, .events = POLLOUT };
		int64_t left = (end - clock_steady()) / CLOCK_MS;

		if (left <= 0 || poll(&out, 1, (int)left) < 0)
			return term_flush();
	}
	return true;
}

/* Of curses only terminfo is used, here alone, and loaded only when a screen is taken over. */

#define TERMINFO_FUNCTIONS(F) \
	F(setupterm) F(tigetstr) F(tigetflag) F(tigetnum) F(tputs) F(set_curterm) \
	F(del_curterm)
DL_LIBRARY(DL_TINFO, TERMINFO_FUNCTIONS)

/* tputs() removes the padding for old terminals from a sequence and passes on its characters. */
static struct strbuf collected;

static int collect(int c)
{
	strbuf_putc(&collected, (char)c);
	return c;
}

static const char *text_of(const char *capability)
{
	const char *text = lib.tigetstr(capability);

	return text == (const char *)-1 ? NULL : text;
}

static void term_add_sequence(const char *text)
{
	if (text)
		lib.tputs(text, 1, collect);
}

static void take_collected(char to[sizeof(term.enter)])
{
	mem_copy_text(to, sizeof(term.enter), collected.text);
	strbuf_clear(&collected);
}

static int count_colors(void)
{
	const char *offered = getenv("COLORTERM");
	int n = lib.tigetnum("colors");

	if (offered && n >= 8 &&
		(strcmp(offered, "truecolor") == 0 || strcmp(offered, "24bit") == 0))
		return 256;
	return n >= 256 ? 256 : n >= 8 ? 8 : 0;
}

static void read_sequences(void)
{
	const char *mouse = text_of("kmous");

	term_add_sequence(text_of("smcup"));
	term_add_sequence(text_of("smkx"));
	term_add_sequence(text_of("civis"));
	term_add_sequence(mouse ? "\033[?1000h\033[?1006h" : NULL);
	term_add_sequence(KEYS_PASTE_ON);
	take_collected(term.enter);

	term_add_sequence(KEYS_PASTE_OFF);
	term_add_sequence(mouse ? "\033[?1006l\033[?1000l" : NULL);
	term_add_sequence("\033[0m");
	term_add_sequence(text_of("cnorm"));
	term_add_sequence(text_of("rmkx"));
	/* Without a second screen the prompt goes below the picture. */
	term_add_sequence(text_of("rmcup") ? text_of("rmcup") : "\033[999;1H\r\n");
	take_collected(term.leave);
}

/* Make the terminal of this name terminfo's current one; drop_info() ends that. */
static int take_info(const char *name, struct error *e)
{
	int status = 0, r = lib_load(e);

	if (r < 0)
		return r;
	if (lib.setupterm((NCURSES_CONST char *)name, STDOUT_FILENO, &status) != OK)
		return fail_as(e, CODE_UNSUPPORTED, -ENOTTY, "terminal: TERM=%s is not known on "
			"this machine (try TERM=xterm-256color)", name);
	return 0;
}

static void drop_info(void)
{
	lib.del_curterm(lib.set_curterm(NULL));
}

int term_find(struct error *e)
{
	static struct error found;
	static bool is_known;
	const char *name = getenv("TERM");

	if (!name || !*name || strcmp(name, "dumb") == 0)
		return fail(e, -ENOTTY, "terminal: it cannot move its cursor");
	if (!is_known && found.code == 0) {
		is_known = take_info(name, &found) == 0;
		if (is_known)
			drop_info();
	}
	if (e)
		*e = found;
	return found.code;
}

int term_read_info(const char *name, struct error *e)
{
	static const char usual[] = "\033[%i%p1%d;%p2%dH";
	const char *cup;
	int r = take_info(name, e);

	if (r < 0)
		return r;
	cup = text_of("cup");
	term.enter[0] = term.leave[0] = 0;
	term.plain = !cup || strncmp(cup, usual, sizeof(usual) - 1) != 0;
	term.right_margin = lib.tigetflag("am") != 1 || lib.tigetflag("xenl") == 1;
	term.colors = count_colors();
	if (!term.plain)
		read_sequences();
	drop_info();
	return 0;
}
