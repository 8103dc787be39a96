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
#include "ui/term_local.h"
#include "ui/term_rescue.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct terminal term = { .log_read = -1, .real_stderr = -1 };

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
	/* What ends mouse reports, colours, the cursor's hiding, keypad mode, the second screen. */
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

static enum charset find_charset(const char *name)
{
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		return CHARSET_ASCII;
	return strncmp(name, "linux", 5) == 0 ? CHARSET_CONSOLE : CHARSET_UTF8;
}

/* True colour has descriptions of its own, "xterm-direct" and the like, where installed. */
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
		return fail(e, -ENOTTY,
			"terminal: TERM=%s is not known on this machine (try TERM=vt100)", name);
	cup = tigetstr("cup");
	term.plain = !cup || cup == (const char *)-1;
	term.charset = find_charset(name);
	term.color = !c->no_color && has_colors();
	if (term.color) {
		start_color();
		use_default_colors();
	}
	term_look_init();
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
static int draw_run(const struct canvas *c, const struct cell *row, const struct cell *old, int x,
	int y)
{
	wchar_t text[256];
	int n = 0, first = x;

	while (x < c->w && n < (int)ARRAY_LEN(text) - 1 &&
		row[x].style == row[first].style && row[x].lit == row[first].lit &&
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
		bool news = term.forget || memcmp(&row[x], &old[x], sizeof(row[x])) != 0;
		int end = x + 1;

		/* The right half of a wide character goes with its left half. */
		if (news && row[x].ch != 0)
			end = draw_run(c, row, old, x, y);
		else if (news && x > 0)
			draw_run(c, row, old, x - 1, y);
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

int term_input_fd(void)
{
	return fileno(term.in);
}

int term_log_fd(void)
{
	return term.log_read;
}
