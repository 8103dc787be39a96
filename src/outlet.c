/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/outlet.h"

#include "base/file.h"
#include "base/text.h"
#include "src/options.h"
#include "src/stop.h"
#include "ui/model.h"
#include "ui/term.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int display_open(const struct options *o, struct error *e)
{
	static const enum term_theme themes[] = {
		[THEME_AUTO] = TERM_THEME_AUTO,
		[THEME_DEFAULT] = TERM_THEME_ON_DARK,
		[THEME_DARK] = TERM_THEME_ON_LIGHT,
	};
	int r = term_open(themes[o->theme], o->no_color, e);

	if (r < 0)
		term_close();
	return r;
}

bool display_take_messages(struct ui_log *log)
{
	char text[1024];
	bool any = false;
	ssize_t n;

	while ((n = term_read_log(text, sizeof(text))) > 0) {
		ui_log_add(log, text, (size_t)n);
		any = true;
	}
	return any;
}

void display_close(struct stop *stop, struct ui_log *log)
{
	char plain[1000];	/* a message may hold control characters */

	display_take_messages(log);
	term_close();
	stop->screen = false;
	for (size_t i = 0; i < log->n; i++)
		fprintf(stderr, "%s\n", text_plain(plain, sizeof(plain), ui_log_line(log, i)));
}

enum exit_code outlet_fail(int error, enum exit_code code)
{
	if (!stop_let_go(error))
		say_as(code_find(error), "stdout: cannot write: %s", strerror(-error));
	return exit_unwritten(code);
}

enum exit_code outlet_print(struct strbuf *text, enum exit_code code)
{
	int r;

	charset_fit(text, 0);
	r = file_write_all(STDOUT_FILENO, text->text, text->len);
	strbuf_clear(text);
	return r < 0 ? outlet_fail(r, code) : code;
}

enum exit_code outlet_flush(enum exit_code code)
{
	return fflush(stdout) != 0 || ferror(stdout) ? outlet_fail(-errno, code) : code;
}

#define CHUNK 512	/* a pipe, terminal or socket that is writable has room for this much */

void outlet_open(struct outlet *o)
{
	const int own = file_open_nowait(STDOUT_FILENO);

	fflush(stdout);
	*o = (struct outlet){ .fd = own < 0 ? STDOUT_FILENO : own };
}

void outlet_close(struct outlet *o)
{
	charset_fit(&o->text, o->sent);
	if (o->sent < o->text.len)
		fwrite(o->text.text + o->sent, 1, o->text.len - o->sent, stdout);
	fflush(stdout);
	if (o->fd > 2)
		close(o->fd);
	strbuf_clear(&o->text);
	*o = (struct outlet){ .fd = -1 };
}

bool outlet_is_free(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, 0) > 0;
}

bool outlet_push(struct outlet *o)
{
	charset_fit(&o->text, o->sent);
	while (o->sent < o->text.len && !o->is_broken && outlet_is_free(o->fd)) {
		size_t left = o->text.len - o->sent;
		ssize_t n = write(o->fd, o->text.text + o->sent, left < CHUNK ? left : CHUNK);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			o->is_broken = true;
		else if (n < 0 && errno == EAGAIN)
			break;
		o->sent += n > 0 ? (size_t)n : 0;
	}
	if (o->sent < o->text.len)
		return false;
	o->sent = o->text.len = 0;
	return true;
}

struct pollfd outlet_poll(const struct outlet *o)
{
	bool waits = o->sent < o->text.len && !o->is_broken;

	return (struct pollfd){ .fd = waits ? o->fd : -1, .events = POLLOUT };
}

static struct winsize size_of(int fd)
{
	struct winsize w = { 0 };

	ioctl(fd, TIOCGWINSZ, &w);
	return w;
}

size_t outlet_columns(int fd)
{
	return size_of(fd).ws_col;
}

size_t outlet_rows(int fd)
{
	return size_of(fd).ws_row;
}

bool outlet_is_screen(void)
{
	static bool has_advised;
	struct error e;

	if (!isatty(STDOUT_FILENO))
		return false;
	/* Without the library, display_open() names the package to install. */
	if (term_find(&e) != -ENOTTY)
		return true;
	if (e.word == CODE_UNSUPPORTED && !has_advised)
		say_error(&e);
	has_advised = true;
	return false;
}
