/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prompt.c - ask a question and read the answer.
 *
 * A line that must be typed is read key by key, to see how fast the keys come; then
 * we echo and edit it ourselves.  Other lines are edited by the terminal, and may be
 * pasted.
 */
#include "config.h"
#include "src/reset/prompt.h"
#include "base/clock.h"
#include "base/consent.h"
#include "base/file.h"
#include "src/outlet.h"
#include "src/turn.h"
#include "ui/keys.h"
#include "ui/view.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>

#define LINE_MAX_BYTES 4096	/* longest line of a terminal in its usual mode */
#define CTRL_D	       4
#define CTRL_U	       21
#define SEQUENCE_MS    500	/* wait this long for the rest of a key's sequence */
#define PASTE_MS       2000	/* and of pasted text */

struct prompt {
	struct stop *stop;
	const char *question;
	enum prompt_kind kind;
	struct outlet out;		/* the terminal; never wait for a stopped one */
	char text[LINE_MAX_BYTES];
	size_t len;
	struct consent consent;
	struct keys keys;
	int64_t read_at;		/* clock_steady() of the last bytes */
};

bool prompt_is_possible(void)
{
	return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static void show_text(struct prompt *p, const char *text)
{
	strbuf_puts(&p->out.text, text);
	outlet_push(&p->out);
}

static void prompt_ask(struct prompt *p)
{
	consent_ask(&p->consent);
	show_text(p, p->question);
}

/* How long to wait for the rest of a key's sequence or a paste; -1: none has begun. */
static int key_wait_ms(const struct prompt *p)
{
	int64_t patience = p->keys.pasting ? PASTE_MS : SEQUENCE_MS;
	int64_t left = (p->read_at - clock_steady()) / CLOCK_MS + patience;

	return p->keys.n == 0 && !p->keys.pasting ? -1 : left > 0 ? (int)left : 0;
}

/* For typed lines, also wake up when there was silence for long enough. */
static int prompt_wait_ms(const struct prompt *p)
{
	int ms = key_wait_ms(p), rest = consent_wait_ms(&p->consent, clock_steady());

	return p->kind != PROMPT_TYPED ? -1 : ms < 0 || (rest >= 0 && rest < ms) ? rest : ms;
}

/* Wait for input, or until it is time to look again; false: a signal ends us. */
static bool wait_for_input(struct prompt *p, bool *is_there)
{
	struct pollfd fds[1 + TURN_FDS] = { { .fd = STDIN_FILENO, .events = POLLIN } };

	if (outlet_push(&p->out))
		consent_show(&p->consent, clock_steady());
	if (turn_wait_steady(p->stop, &p->out, fds, 1, prompt_wait_ms(p)))
		return false;
	*is_there = fds[0].revents != 0;
	if (p->stop->resumed) {
		p->len = 0;
		prompt_ask(p);
	}
	p->stop->resumed = false;
	return true;
}

/* Read a whole line from the terminal, in as many reads as it takes; false: there is none. */
static bool read_line(struct prompt *p)
{
	bool is_there;
	ssize_t n;

	while (p->len < LINE_MAX_BYTES) {
		if (!wait_for_input(p, &is_there))
			return false;
		if (!is_there)
			continue;
		n = read(STDIN_FILENO, p->text + p->len, LINE_MAX_BYTES - p->len);
		if (n <= 0)
			return false;
		p->len += (size_t)n;
		if (p->text[p->len - 1] == '\n')
			return true;
	}
	tcflush(STDIN_FILENO, TCIFLUSH);
	return true;
}

static void erase(struct prompt *p)
{
	while (p->len > 0 && (p->text[p->len - 1] & 0xc0) == 0x80)
		p->len--;
	if (p->len == 0)
		return;
	p->len--;
	show_text(p, "\b \b");
}

static void add_key(struct prompt *p, uint32_t key)
{
	char text[5] = "";

	if (key == CTRL_U)
		while (p->len > 0)
			erase(p);
	else if (key == UI_KEY_BACKSPACE)
		erase(p);
	if (key < ' ' || key >= UI_KEY_UP || p->len + sizeof(text) > sizeof(p->text))
		return;
	text[glyph_encode(key, text)] = '\0';
	memcpy(p->text + p->len, text, strlen(text));
	p->len += strlen(text);
	show_text(p, text);
}

/* Take a key; true: the line is over, or (with *ended) the input is. */
static bool take_key(struct prompt *p, uint32_t key, bool *ended)
{
	consent_hear(&p->consent, clock_steady());
	*ended = key == CTRL_D && p->len == 0;
	if (key != UI_KEY_ENTER)
		add_key(p, key);
	return *ended || key == UI_KEY_ENTER;
}

/* Read the bytes that have come, if any; false: the input is over, or a signal ends us. */
static bool read_keys(struct prompt *p)
{
	bool is_there;
	char bytes[64];
	ssize_t n;

	if (!wait_for_input(p, &is_there))
		return false;
	if (!is_there) {
		if (p->keys.n == 0 && !p->keys.pasting)
			consent_rest(&p->consent, clock_steady());
		return true;
	}
	n = read(STDIN_FILENO, bytes, sizeof(bytes));
	if (n > 0)
		keys_add(&p->keys, bytes, (size_t)n);
	p->read_at = clock_steady();
	return n > 0;
}

/* Read key by key until a line was typed by hand; false: there is none. */
static bool read_typed(struct prompt *p)
{
	bool is_over = false, ended = false;
	struct keys_event e;

	while (!ended && !(is_over && p->consent.rested)) {
		if (!read_keys(p))
			return false;
		while (!ended && (e = keys_next(&p->keys, key_wait_ms(p) == 0)).kind != KEYS_NONE)
			if (e.kind == KEYS_KEY && take_key(p, e.key, &ended))
				is_over = true;
		if (!is_over || !p->consent.rested || consent_is_given(&p->consent))
			continue;
		show_text(p, "\nThis does not count: it was pasted, or typed before the question "
			"could be read.\n");
		is_over = false;
		p->len = 0;
		prompt_ask(p);
	}
	show_text(p, "\n");
	return !ended;
}

ssize_t prompt_read_line(int fd, struct stop *stop, char *line, size_t size)
{
	struct pollfd fds[1 + TURN_FDS] = { { .fd = fd, .events = POLLIN } };
	size_t len = 0;
	ssize_t n = 1;

	while (n > 0 && len < size && !memchr(line, '\n', len)) {
		if (turn_wait_steady(stop, NULL, fds, 1, -1))
			return -ECANCELED;
		if (!fds[0].revents)
			continue;
		n = read(fd, line + len, size - len);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			n = 1;
		else if (n < 0)
			return -errno;
		else
			len += (size_t)n;
	}
	return (ssize_t)len;
}

static int prompt_take(const char *text, size_t len, char *line, size_t size)
{
	while (len > 0 && strchr("\r\n", text[len - 1]))
		len--;
	if (len >= size)
		return -EINVAL;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == '\x7f')
			return -EINVAL;
	memmove(line, text, len);
	line[len] = '\0';
	return 0;
}

int prompt_line(struct stop *stop, enum prompt_kind kind, const char *question, char *line,
	size_t size)
{
	static const enum stop_tty tty[] = { [PROMPT_SHOWN] = STOP_TTY_NONE,
		[PROMPT_SECRET] = STOP_TTY_HIDDEN, [PROMPT_TYPED] = STOP_TTY_TYPED };
	int own = open("/dev/tty", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct prompt p = { .stop = stop, .question = question, .kind = kind,
		.out.fd = own < 0 ? STDERR_FILENO : own };
	bool whole;
	int r;

	*line = '\0';
	stop->resumed = false;
	stop_take_tty(stop, tty[kind]);
	if (kind != PROMPT_SHOWN)
		tcflush(STDIN_FILENO, TCIFLUSH);
	prompt_ask(&p);
	whole = kind == PROMPT_TYPED ? read_typed(&p) : read_line(&p);
	stop_take_tty(stop, STOP_TTY_NONE);
	/* The newline was not shown, or there was none. */
	if (kind == PROMPT_SECRET || !whole)
		show_text(&p, "\n");
	r = whole ? prompt_take(p.text, p.len, line, size) : -ECANCELED;
	explicit_bzero(p.text, sizeof(p.text));
	explicit_bzero(&p.keys, sizeof(p.keys));
	strbuf_clear(&p.out.text);
	if (own >= 0)
		close(own);
	return r;
}

int prompt_piped(struct stop *stop, char *line, size_t size)
{
	const ssize_t n = prompt_read_line(STDIN_FILENO, stop, line, size);
	char *const end = n > 0 ? memchr(line, '\n', (size_t)n) : NULL;

	if (n <= 0)
		return -ECANCELED;
	if (!end && (size_t)n == size)
		return -EINVAL;
	for (ssize_t i = 0; i < n; i++)
		line[i] = line[i] == '\t' ? ' ' : line[i];
	return prompt_take(line, end ? (size_t)(end - line) : (size_t)n, line, size);
}

bool prompt_yes(struct stop *stop, const char *question)
{
	char answer[8];

	return prompt_line(stop, PROMPT_TYPED, question, answer, sizeof(answer)) == 0 &&
		(strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0);
}
