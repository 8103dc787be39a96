/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prompt.c - an act outside of the driver, questions, and credentials.
 */
#include "config.h"
#include "src/reset/prompt.h"

#include "base/clock.h"
#include "base/consent.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "reset/outside/outside.h"
#include "src/loop.h"
#include "src/options.h"
#include "src/outlet.h"
#include "src/say.h"
#include "src/stop.h"
#include "ui/keys.h"
#include "ui/view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* An act outside of the driver. */

/* Show its reports; true: it is over, and *last says why. */
static bool outside_look(struct outside_run *run, struct outlet *out, struct outside_report *last)
{
	while (outside_take(run, last)) {
		if (last->kind == OUTSIDE_OVER)
			return true;
		strbuf_printf(&out->text, "%s\n", last->text);
	}
	return false;
}

static void stop_it(struct outside_run *run, struct outside_report *last)
{
	int64_t limit = run->step_limit ? run->step_limit : run->limit;

	if (!run->is_resting && run->is_stopped)
		outside_leave(run, last);
	else if (!run->is_resting && outlet_is_free(STDERR_FILENO))
		say("this step cannot be undone: waiting for its end (%.0f s at most); a second "
		    "signal leaves it half way", (double)limit / CLOCK_SECOND);
	outside_stop(run);
}

void outside_wait(const struct outside *what, struct stop *stop, struct outside_report *last)
{
	struct outside_run run;
	struct outlet out;
	struct error e = { 0 };
	unsigned seen = stop->times;

	*last = (struct outside_report){ .kind = OUTSIDE_OVER };
	last->error = outside_start(&run, what, &e);
	mem_copy_text(last->text, sizeof(last->text), e.text);
	if (last->error < 0)
		return;
	outlet_open(&out);
	while (!run.is_over && !outside_look(&run, &out, last)) {
		struct pollfd fds[1 + TURN_FDS] = { { .fd = run.child.fd, .events = POLLIN } };

		if (turn_wait(stop, &out, fds, 1, clock_poll_ms(outside_wake(&run))) &&
			stop->times > seen)
			stop_it(&run, last);
		seen = stop->times;
	}
	outside_end(&run);
	outlet_close(&out);
}

/*
 * Questions.  A line that must be typed is read key by key, to see how fast the keys come; then we
 * echo and edit it ourselves.  Other lines are edited by the terminal, and may be pasted.
 */

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

/* Read until a whole line is there, or `size` bytes: how many, or -errno; -ECANCELED: a signal. */
static ssize_t prompt_read_line(int fd, struct stop *stop, char *line, size_t size)
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

/* Credentials. */

#define LINE_LEN 256	/* longest line of the file, with user and password */

int credentials_parse(const char *text, size_t len, struct credentials *out)
{
	const char *colon;
	size_t n = 0, user, password;

	while (n < len && !strchr("\r\n", text[n]))
		n++;
	colon = memchr(text, ':', n);
	user = colon ? (size_t)(colon - text) : 0;
	password = n - user - 1;
	/* strchr() stops at a NUL too, which no password contains. */
	if ((n < len && !text[n]) || user == 0 || user >= sizeof(out->user) ||
		password >= sizeof(out->password))
		return -EINVAL;
	memcpy(out->user, text, user);
	out->user[user] = '\0';
	memcpy(out->password, text + user + 1, password);
	out->password[password] = '\0';
	return 0;
}

static int read_file(const char *path, struct stop *stop, struct credentials *out,
	struct error *e)
{
	int fd = file_open_read(path, e), r = 0;
	char text[LINE_LEN];
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & 077)
		r = fail_as(e, CODE_UNSAFE_PATH, -EACCES, "%s: others may read this password: "
			"chmod 600 it", path);
	if (r == 0)
		n = prompt_read_line(fd, stop, text, sizeof(text));
	close(fd);
	if (n < 0)
		return fail(e, (int)n, "%s: %s", path, n == -ECANCELED ? "nothing was reset"
			: strerror((int)-n));
	if (r == 0 && credentials_parse(text, (size_t)n, out) < 0)
		r = fail(e, -EINVAL, "%s: its first line is not user:password", path);
	explicit_bzero(text, sizeof(text));
	return r;
}

/* -ENOENT: only Enter was pressed at the first question. */
static int ask_user(const char *host, bool has_default, struct stop *stop, struct credentials *out,
	struct error *e)
{
	char question[320];
	int r;

	snprintf(question, sizeof(question), "User of %s%s: ", host,
		has_default ? " (Enter: its default)" : "");
	r = prompt_line(stop, PROMPT_SHOWN, question, out->user, sizeof(out->user));
	if (r == 0 && !*out->user)
		return -ENOENT;
	if (r == 0 && !strchr(out->user, ':'))
		r = prompt_line(stop, PROMPT_SECRET, "Password: ", out->password,
			sizeof(out->password));
	if (r == -ECANCELED)
		return fail(e, r, "nothing was reset");
	if (r < 0 || strchr(out->user, ':'))
		return fail(e, -EINVAL, "this cannot be %s: nothing was reset",
			*out->user && !strchr(out->user, ':') ? "a password" : "a user's name");
	return 0;
}

int credentials_get(const struct options *o, const char *host, const char *fallback,
	struct stop *stop, struct credentials *out, struct error *e)
{
	const char *user = getenv("TT_SMI_USER"), *password = getenv("TT_SMI_PASSWORD");
	const struct rlimit none = { 0, 0 };
	int r = -ENOENT;

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	*out = (struct credentials){ .user = "" };
	if (o->credentials)
		return read_file(o->credentials, stop, out, e);
	if (user && *user && password) {
		if (strlen(user) >= sizeof(out->user) || strlen(password) >= sizeof(out->password))
			return fail(e, -EINVAL, "TT_SMI_USER or TT_SMI_PASSWORD is too long");
		mem_copy_text(out->user, sizeof(out->user), user);
		mem_copy_text(out->password, sizeof(out->password), password);
		return 0;
	}
	if (prompt_is_possible())
		r = ask_user(host, fallback, stop, out, e);
	if (r != -ENOENT)
		return r;
	if (fallback)
		return credentials_parse(fallback, strlen(fallback), out);
	return fail_as(e, CODE_NEEDS_OPTION, -EACCES, "%s: no user and password: give "
		"--credentials FILE, or set TT_SMI_USER and TT_SMI_PASSWORD", host);
}

void credentials_clear(struct credentials *c)
{
	explicit_bzero(c, sizeof(*c));
}
