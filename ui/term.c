/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two comparisons stand between a picture and the line: ours, which hands
 * curses the cells that differ from the last picture, and that of curses,
 * which finds the cheapest way to them.  A picture that did not change costs
 * one memcmp and no byte.
 */
#include "config.h"
#include "ui/term.h"

#include "base/array.h"
#include "base/mem.h"
#include "ui/term_rescue.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

/* The look of a style: colours of the 8, of the 256, as 0xRRGGBB (all -1: the terminal's own). */
struct look {
	short basic, many;
	int direct;
	attr_t attr;
	attr_t mono;		/* without colours */
};

static const struct look looks[2][STYLES] = {
	{	/* for dark backgrounds */
		[STYLE_NORMAL] = { -1, -1, -1, 0, 0 },
		[STYLE_DIM] = { -1, 245, 0x8a8a8a, 0, A_DIM },
		[STYLE_HEADING] = { COLOR_CYAN, 80, 0x5fd7d7, A_BOLD, A_BOLD },
		[STYLE_LIMIT] = { COLOR_YELLOW, 220, 0xffd700, A_BOLD, A_BOLD },
		[STYLE_WARN] = { COLOR_MAGENTA, 214, 0xffaf00, A_BOLD, A_BOLD },
		[STYLE_BAD] = { COLOR_RED, 203, 0xff5f5f, A_BOLD, A_REVERSE },
		[STYLE_GOOD] = { COLOR_GREEN, 114, 0x87d787, 0, 0 },
		[STYLE_TITLE] = { COLOR_GREEN, 114, 0x87d787, A_BOLD, A_BOLD },
		[STYLE_FRAME] = { COLOR_BLUE, 66, 0x5f8787, 0, A_DIM },
		[STYLE_TAB] = { -1, 250, 0xbcbcbc, 0, 0 },
		[STYLE_TAB_ON] = { COLOR_GREEN, 114, 0x87d787, A_BOLD | A_REVERSE, A_REVERSE },
		[STYLE_KEY] = { COLOR_GREEN, 114, 0x87d787, A_BOLD, A_BOLD },
		[STYLE_PLOT] = { COLOR_CYAN, 80, 0x5fd7d7, 0, 0 },
		[STYLE_CURSOR] = { COLOR_WHITE, 231, 0xffffff, A_BOLD, A_BOLD },
	},
	{	/* for light backgrounds */
		[STYLE_NORMAL] = { -1, -1, -1, 0, 0 },
		[STYLE_DIM] = { -1, 243, 0x767676, 0, A_DIM },
		[STYLE_HEADING] = { COLOR_BLUE, 24, 0x005f87, A_BOLD, A_BOLD },
		[STYLE_LIMIT] = { COLOR_YELLOW, 136, 0xaf8700, A_BOLD, A_BOLD },
		[STYLE_WARN] = { COLOR_MAGENTA, 166, 0xd75f00, A_BOLD, A_BOLD },
		[STYLE_BAD] = { COLOR_RED, 160, 0xd70000, A_BOLD, A_REVERSE },
		[STYLE_GOOD] = { COLOR_GREEN, 28, 0x008700, 0, 0 },
		[STYLE_TITLE] = { COLOR_BLUE, 24, 0x005f87, A_BOLD, A_BOLD },
		[STYLE_FRAME] = { COLOR_BLUE, 109, 0x87afaf, 0, A_DIM },
		[STYLE_TAB] = { -1, 240, 0x585858, 0, 0 },
		[STYLE_TAB_ON] = { COLOR_BLUE, 24, 0x005f87, A_BOLD | A_REVERSE, A_REVERSE },
		[STYLE_KEY] = { COLOR_BLUE, 24, 0x005f87, A_BOLD, A_BOLD },
		[STYLE_PLOT] = { COLOR_BLUE, 31, 0x0087af, 0, 0 },
		[STYLE_CURSOR] = { COLOR_BLACK, 16, 0x000000, A_BOLD, A_BOLD },
	},
};

/* Behind the selected line. */
static const struct {
	short many;
	int direct;
} lit[2] = { { 237, 0x3a3a3a }, { 254, 0xe4e4e4 } };

static struct {
	SCREEN *screen;
	FILE *in, *out;
	bool dark, color, plain, active;
	enum charset charset;
	int log_read, real_stderr;
	struct canvas last;	/* what the terminal shows */
	bool forget;
	attr_t attr[2][STYLES];
} term = { .log_read = -1, .real_stderr = -1 };

/* Escape sequences are collected here while curses' tputs() prints them. */
static char undo[256];
static int undo_len;

static int collect(int c)
{
	if (undo_len < (int)sizeof(undo))
		undo[undo_len++] = (char)c;
	return c;
}

static void prepare_rescue(void)
{
	/* What ends the mouse reports, colours, the cursor's hiding, keypad mode, the second screen. */
	static const char *const names[] = { "sgr0", "op", "cnorm", "rmkx", "rmcup" };
	static const char mouse_off[] = "\033[?1000l\033[?1002l\033[?1006l";

	undo_len = 0;
	if (tigetstr("kmous") != NULL && tigetstr("kmous") != (char *)-1)
		for (size_t i = 0; i + 1 < sizeof(mouse_off); i++)
			collect(mouse_off[i]);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *text = tigetstr(names[i]);

		if (text && text != (const char *)-1)
			tputs(text, 1, collect);
	}
	collect('\r');
	collect('\n');
	term_rescue_bytes(undo, undo_len);
}

static void set_looks(void)
{
	for (int on = 0; on < 2; on++)
		for (int i = 0; i < STYLES; i++) {
			const struct look *l = &looks[term.dark][i];
			short pair = (short)(1 + on * STYLES + i);

			if (!term.color) {
				term.attr[on][i] = l->mono | (on ? A_UNDERLINE : 0);
			} else if (COLORS > 256) {
				init_extended_pair(pair, l->direct, on ? lit[term.dark].direct : -1);
				term.attr[on][i] = l->attr | (attr_t)COLOR_PAIR(pair);
			} else if (COLORS >= 256) {
				init_pair(pair, l->many, on ? lit[term.dark].many : -1);
				term.attr[on][i] = l->attr | (attr_t)COLOR_PAIR(pair);
			} else {
				init_pair(pair, l->basic, -1);
				term.attr[on][i] = (l->attr | (attr_t)COLOR_PAIR(pair)) ^
					(on ? A_REVERSE : 0);
			}
		}
}

static enum charset find_charset(const char *name)
{
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		return CHARSET_ASCII;
	return strncmp(name, "linux", 5) == 0 ? CHARSET_CONSOLE : CHARSET_UTF8;
}

/* True colour has terminal descriptions of its own, "xterm-direct" and the like, where installed. */
static SCREEN *open_screen(const char *name)
{
	const char *offered = getenv("COLORTERM");
	char direct[64];

	if (offered && (strcmp(offered, "truecolor") == 0 || strcmp(offered, "24bit") == 0)) {
		int base = (int)strcspn(name, "-"), status = 0;

		snprintf(direct, sizeof(direct), "%.*s-direct", base, name);
		if (setupterm(direct, fileno(term.out), &status) == OK) {
			del_curterm(cur_term);
			return newterm(direct, term.out, term.in);
		}
	}
	return newterm(name, term.out, term.in);
}

static int redirect_stderr(struct error *e)
{
	int ends[2];

	/* Somebody who sent stderr to a file wants it there. */
	if (!isatty(STDERR_FILENO))
		return 0;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return fail_errno(e, "stderr: no pipe for messages");
	fflush(stderr);
	term.real_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	term.log_read = ends[0];
	return 0;
}

static void enter(void)
{
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0);
	leaveok(stdscr, TRUE);
}

int term_open(const struct term_config *c, struct error *e)
{
	const char *name = getenv("TERM");
	const char *cup;
	int r;

	if (!name || !name[0])
		name = "dumb";
	term.dark = c->dark;
	term.out = stdout;
	term.in = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "re");
	if (!term.in)
		return fail_errno(e, "/dev/tty: no terminal for keys");
	r = redirect_stderr(e);
	if (r < 0)
		return r;
	term_rescue_prepare(fileno(term.out), term.real_stderr);
	term.screen = open_screen(name);
	if (!term.screen)
		return fail(e, -ENOTTY, "terminal: TERM=%s is not known on this machine (try TERM=vt100)",
			name);
	cup = tigetstr("cup");
	term.plain = !cup || cup == (const char *)-1;
	term.charset = find_charset(name);
	term.color = !c->no_color && has_colors();
	if (term.color) {
		start_color();
		use_default_colors();
	}
	set_looks();
	prepare_rescue();
	term_rescue_arm();
	term.active = true;
	/* The picture of a plain terminal is printed line by line, and curses draws nothing. */
	cbreak();
	noecho();
	if (!term.plain)
		enter();
	term.forget = true;
	return 0;
}

void term_close(void)
{
	if (term.active)
		endwin();
	term_rescue_disarm();
	term.active = false;
	if (term.screen)
		delscreen(term.screen);
	term.screen = NULL;
	if (term.real_stderr >= 0) {
		dup2(term.real_stderr, STDERR_FILENO);
		close(term.real_stderr);
		close(term.log_read);
		term.real_stderr = term.log_read = -1;
	}
	if (term.in && term.in != stdin)
		fclose(term.in);
	term.in = NULL;
	canvas_clear(&term.last);
}

void term_suspend(void)
{
	endwin();
}

void term_resume(void)
{
	reset_prog_mode();
	if (!term.plain) {
		term_resize();
		clearok(stdscr, TRUE);
		refresh();
	}
	term.forget = true;
}

enum charset term_charset(void)
{
	return term.charset;
}

bool term_is_plain(void)
{
	return term.plain;
}

void term_size(int *w, int *h)
{
	struct winsize size = { 0 };

	*w = 80;
	*h = 24;
	if (ioctl(fileno(term.out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
		*w = size.ws_col;
		*h = size.ws_row;
	}
	*w = *w > 1000 ? 1000 : *w;
	*h = *h > 500 ? 500 : *h;
}

void term_resize(void)
{
	int w, h;

	term_size(&w, &h);
	if (!term.plain && is_term_resized(h, w))
		resizeterm(h, w);
	term.forget = true;
}

void term_forget(void)
{
	term.forget = true;
	if (!term.plain)
		clearok(stdscr, TRUE);
}

static size_t print_plain(const struct canvas *c)
{
	struct strbuf text = { 0 };

	canvas_to_text(c, &text);
	/* curses has switched off what makes a line feed return. */
	for (size_t i = 0; i < text.len; i++) {
		if (text.text[i] == '\n')
			fputc('\r', term.out);
		fputc(text.text[i], term.out);
	}
	fflush(term.out);
	strbuf_clear(&text);
	return (size_t)c->w * (size_t)c->h;
}

/* Cells from x on that differ from the last picture and look alike go out as one text. */
static int draw_run(const struct canvas *c, const struct cell *row, const struct cell *old, int x, int y)
{
	wchar_t text[256];
	int n = 0, first = x;

	while (x < c->w && n < (int)ARRAY_LEN(text) - 1 && row[x].style == row[first].style &&
		row[x].lit == row[first].lit &&
		(term.forget || memcmp(&row[x], &old[x], sizeof(row[x])) != 0)) {
		if (row[x].ch != 0)
			text[n++] = (wchar_t)row[x].ch;
		x++;
	}
	wattrset(stdscr, (int)term.attr[row[first].lit][row[first].style]);
	mvaddnwstr(y, first, text, n);
	return x;
}

static size_t draw_row(const struct canvas *c, int y)
{
	size_t at = (size_t)y * (size_t)c->w, sent = 0;
	const struct cell *row = &c->cells[at], *old = &term.last.cells[at];

	if (!term.forget && memcmp(row, old, (size_t)c->w * sizeof(*row)) == 0)
		return 0;
	for (int x = 0; x < c->w;) {
		int end = x + 1;

		if (row[x].ch != 0 && (term.forget || memcmp(&row[x], &old[x], sizeof(row[x])) != 0))
			end = draw_run(c, row, old, x, y);
		else if (row[x].ch == 0 && x > 0 && memcmp(&row[x], &old[x], sizeof(row[x])) != 0)
			end = draw_run(c, row, old, x - 1, y) > x ? x + 1 : x + 1;
		sent += (size_t)(end - x);
		x = end;
	}
	return sent;
}

size_t term_draw(const struct canvas *c)
{
	size_t sent = 0;

	if (term.plain)
		return print_plain(c);
	if (term.last.w != c->w || term.last.h != c->h) {
		canvas_resize(&term.last, c->w, c->h, c->charset);
		term.forget = true;
	}
	if (term.forget)
		erase();
	for (int y = 0; y < c->h && y < LINES; y++)
		sent += draw_row(c, y);
	if (sent > 0 || term.forget)
		refresh();
	memcpy(term.last.cells, c->cells, (size_t)c->w * (size_t)c->h * sizeof(*c->cells));
	term.forget = false;
	return sent;
}

static uint32_t mouse_key(unsigned *hit)
{
	const struct cell *cell;
	MEVENT event;

	if (getmouse(&event) != OK)
		return UI_KEY_RESIZE;
	if (event.bstate & BUTTON4_PRESSED)
		return UI_KEY_WHEEL_UP;
	if (event.bstate & BUTTON5_PRESSED)
		return UI_KEY_WHEEL_DOWN;
	cell = canvas_at(&term.last, event.x, event.y);
	*hit = cell && event.bstate & BUTTON1_PRESSED ? cell->hit : 0;
	return UI_KEY_RESIZE;
}

static uint32_t special_key(wint_t key)
{
	static const struct {
		int curses;
		uint32_t key;
	} keys[] = {
		{ KEY_UP, UI_KEY_UP }, { KEY_DOWN, UI_KEY_DOWN }, { KEY_LEFT, UI_KEY_LEFT },
		{ KEY_RIGHT, UI_KEY_RIGHT }, { KEY_PPAGE, UI_KEY_PAGE_UP }, { KEY_NPAGE, UI_KEY_PAGE_DOWN },
		{ KEY_HOME, UI_KEY_HOME }, { KEY_END, UI_KEY_END }, { KEY_BACKSPACE, UI_KEY_BACKSPACE },
		{ KEY_BTAB, UI_KEY_BACKTAB }, { KEY_F(1), UI_KEY_F1 }, { KEY_ENTER, UI_KEY_ENTER },
		{ KEY_RESIZE, UI_KEY_RESIZE },
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (keys[i].curses == (int)key)
			return keys[i].key;
	return UI_KEY_RESIZE;	/* a key without a meaning: nothing but a new picture */
}

static uint32_t plain_key(void)
{
	struct pollfd in = { .fd = fileno(term.in), .events = POLLIN };
	unsigned char c;

	if (poll(&in, 1, 0) <= 0 || read(in.fd, &c, 1) != 1)
		return UI_KEY_NONE;
	return c == '\r' ? UI_KEY_ENTER : c;
}

uint32_t term_key(unsigned *hit)
{
	wint_t key = 0;
	int kind;

	*hit = 0;
	if (term.plain)
		return plain_key();
	kind = get_wch(&key);
	if (kind == ERR)
		return UI_KEY_NONE;
	if (kind == KEY_CODE_YES)
		return key == KEY_MOUSE ? mouse_key(hit) : special_key(key);
	if (key == '\r' || key == '\n')
		return UI_KEY_ENTER;
	return key == 0x7f || key == 8 ? UI_KEY_BACKSPACE : (uint32_t)key;
}

int term_input_fd(void)
{
	return fileno(term.in);
}

int term_log_fd(void)
{
	return term.log_read;
}
