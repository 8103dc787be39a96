/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A picture is compared with the last one cell by cell, and the changes are sent
 * as one piece of text.  terminfo says whether a terminal can do that; the
 * sequences themselves are the same everywhere today.
 */
#include "config.h"
#include "ui/term.h"

#include "base/mem.h"
#include "ui/term_local.h"

#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

static struct {
	int out, keys, real_stderr;
	pid_t owner;
	volatile sig_atomic_t armed;
	struct termios modes;
	char bytes[260];
	size_t len;
} rescue = { .out = -1, .keys = -1, .real_stderr = -1 };

/* The first five are faults of our own; the others are sent to us. */
static const int deadly[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, SIGQUIT,
	SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU,
	SIGXFSZ, SIGIO, SIGPWR, SIGSTKFLT };
enum { FAULTS = 5 };

static void rescue_now(void)
{
	ssize_t done;

	rescue.armed = 0;
	done = write(rescue.out, rescue.bytes, rescue.len);
	(void)done;
	tcsetattr(rescue.keys, TCSANOW, &rescue.modes);
	if (rescue.real_stderr >= 0)
		dup2(rescue.real_stderr, STDERR_FILENO);
}

static bool is_ours(void)
{
	/* A child that dies has no terminal to restore. */
	return rescue.armed && rescue.owner == getpid();
}

static void rescue_ours(void)
{
	if (is_ours())
		rescue_now();
}

static void die(int number)
{
	static const char text[] = "tt-smi: crashed; the terminal is given back\n";
	bool fault = false;

	for (size_t i = 0; i < FAULTS; i++)
		fault = fault || deadly[i] == number;
	if (is_ours()) {
		ssize_t done;

		rescue_now();
		done = fault ? write(STDERR_FILENO, text, sizeof(text) - 1) : 0;
		(void)done;
	}
	/* SA_RESETHAND: the second signal kills, with a core dump where there is one. */
	raise(number);
}

void term_rescue_arm(int out, int keys, int real_stderr, const char *text)
{
	/* A handler cannot run on a stack that has overflowed. */
	static char stack[65536];
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = die,
		.sa_flags = SA_ONSTACK | (int)SA_RESETHAND | SA_NODEFER }, old;

	rescue.out = out;
	rescue.keys = keys;
	rescue.real_stderr = real_stderr;
	rescue.owner = getpid();
	tcgetattr(keys, &rescue.modes);
	/* CAN ends a sequence that is half sent. */
	rescue.len = (size_t)snprintf(rescue.bytes, sizeof(rescue.bytes), "\030%s", text);
	sigaltstack(&alternate, NULL);
	sigemptyset(&action.sa_mask);
	/* Restoring a terminal that the shell has taken in the meantime must not stop us. */
	sigaddset(&action.sa_mask, SIGTTOU);
	for (size_t i = 0; i < ARRAY_LEN(deadly); i++)
		/* Keep ignored signals ignored; take faults even from a sanitizer's handler. */
		if (sigaction(deadly[i], NULL, &old) == 0 &&
			(i < FAULTS || old.sa_handler == SIG_DFL))
			sigaction(deadly[i], &action, NULL);
	rescue.armed = 1;
	mem_at_end(rescue_ours);
}

void term_rescue_disarm(void)
{
	struct sigaction old;

	rescue.armed = 0;
	mem_at_end(NULL);
	for (size_t i = 0; i < ARRAY_LEN(deadly); i++)
		if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler == die)
			signal(deadly[i], SIG_DFL);
}

bool term_has_room(int fd)
{
	struct pollfd out = { .fd = fd, .events = POLLOUT };

	return poll(&out, 1, 0) > 0;
}

void term_mute(int fd)
{
	int nowhere;

	if (!isatty(fd) || term_has_room(fd))
		return;
	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (nowhere < 0)
		return;
	dup2(nowhere, fd);
	close(nowhere);
}

#define WIDTH_MAX  2000
#define HEIGHT_MAX 1000

/* Opening and closing. */

static enum charset find_charset(const char *name)
{
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		return CHARSET_ASCII;
	return strncmp(name, "linux", 5) == 0 ? CHARSET_CONSOLE : CHARSET_UTF8;
}

static int redirect_stderr(struct error *e)
{
	int ends[2];

	/* If stderr goes to a file, leave it there. */
	if (!isatty(STDERR_FILENO))
		return 0;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return fail_errno(e, "stderr: no pipe for messages");
	fflush(stderr);
	term.real_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (term.real_stderr < 0) {
		int r = fail_errno(e, "stderr: no descriptor to keep it");

		close(ends[0]);
		close(ends[1]);
		return r;
	}
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	term.log_read = ends[0];
	return 0;
}

/*
 * O_NONBLOCK belongs to the open file, which stdout shares with the shell, so
 * open the terminal again.  If that is not allowed, use stdout.
 */
static void open_output(void)
{
	const char *name = ttyname(STDOUT_FILENO);

	term.out = name ? open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	term.shared = term.out < 0;
	if (term.shared) {
		term.out = STDOUT_FILENO;
		fcntl(term.out, F_SETFL, fcntl(term.out, F_GETFL) | O_NONBLOCK);
	}
}

static int open_input(struct error *e)
{
	term.in = isatty(STDIN_FILENO) ? STDIN_FILENO : open("/dev/tty", O_RDONLY | O_CLOEXEC);
	if (term.in < 0)
		return fail_errno(e, "/dev/tty: no terminal for keys");
	if (tcgetattr(term.in, &term.found) < 0)
		return fail_errno(e, "terminal: its modes cannot be read");
	term.ours = term.found;
	term.ours.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	term.ours.c_iflag &= ~(tcflag_t)ICRNL;
	/* Do not wait for a key that another process has taken in the meantime. */
	term.ours.c_cc[VMIN] = 0;
	term.ours.c_cc[VTIME] = 0;
	return 0;
}

/* A job in the background must not touch the terminal: it would be stopped. */
static bool in_foreground(void)
{
	pid_t owner = tcgetpgrp(term.in);

	return owner < 0 || owner == getpgrp();
}

void term_resume(void)
{
	tcsetattr(term.in, TCSANOW, &term.ours);
	term.changed = true;
	strbuf_puts(&term.bytes, term.enter);
	term.forget = true;
}

/*
 * The terminal takes no output: discard what it has not taken and switch flow
 * control off, because the sequences that end our picture must arrive.  CAN ends
 * a sequence that was cut.
 */
static void force(void)
{
	struct termios running = term.ours;

	tcflush(term.out, TCOFLUSH);
	running.c_iflag &= ~(tcflag_t)IXON;
	tcsetattr(term.in, TCSANOW, &running);
	term.bytes.len = term.sent = 0;
	strbuf_puts(&term.bytes, "\030");
	strbuf_puts(&term.bytes, term.leave);
	term_flush();
	term.bytes.len = term.sent = 0;
}

void term_suspend(void)
{
	if (!term.changed)
		return;
	term.changed = false;
	if (!in_foreground())
		return;
	/* An answer that is still on its way would be typed into the shell. */
	for (int i = 0; i < 10 && term.asked && !term.broken && term_drain(20); i++) {
		unsigned hit;

		usleep(10000);
		while (term_key(&hit) != UI_KEY_NONE)
			;
	}
	strbuf_puts(&term.bytes, term.leave);
	if (!term_drain(200))
		force();
	tcsetattr(term.in, TCSANOW, &term.found);
}

int term_open(enum term_theme theme, bool no_color, struct error *e)
{
	const char *name = getenv("TERM");
	int r;

	if (!name || !name[0])
		name = "dumb";
	r = open_input(e);
	if (r == 0)
		r = redirect_stderr(e);
	if (r == 0)
		r = term_read_info(name, e);
	if (r < 0)
		return r;
	open_output();
	term.charset = find_charset(name);
	term.colors = no_color || term.plain ? 0 : term.colors;
	term.asked = theme == TERM_THEME_AUTO && term.in == STDIN_FILENO;
	term.ground = theme == TERM_THEME_ON_LIGHT ? PALETTE_LIGHT :
		theme == TERM_THEME_ON_DARK ? PALETTE_DARK : term_look_guess();
	term_look_init();
	term_rescue_arm(term.out, term.in, term.real_stderr, term.leave);
	term_resume();
	term_look_ask(name);
	return 0;
}

void term_close(void)
{
	term_suspend();
	term_rescue_disarm();
	if (term.real_stderr >= 0) {
		dup2(term.real_stderr, STDERR_FILENO);
		close(term.real_stderr);
		close(term.log_read);
	}
	term.real_stderr = term.log_read = -1;
	term_mute(STDERR_FILENO);
	if (term.shared)
		fcntl(term.out, F_SETFL, fcntl(term.out, F_GETFL) & ~O_NONBLOCK);
	else if (term.out >= 0)
		close(term.out);
	if (term.in > STDIN_FILENO)
		close(term.in);
	term.shared = false;
	term.out = term.in = -1;
	strbuf_clear(&term.bytes);
	canvas_clear(&term.last);
	canvas_clear(&term.next);
	free(term.changes);
	term.changes = NULL;
}

/* Properties. */

bool term_is_plain(void)
{
	return term.plain;
}

struct canvas *term_canvas(void)
{
	struct winsize size = { 0 };
	int w = 80, h = 24;

	if (ioctl(term.out, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
		w = size.ws_col < WIDTH_MAX ? size.ws_col : WIDTH_MAX;
		h = size.ws_row < HEIGHT_MAX ? size.ws_row : HEIGHT_MAX;
	}
	canvas_resize(&term.next, w, h, term.charset);
	return &term.next;
}

void term_poll(struct pollfd fds[static TERM_FDS])
{
	fds[0] = (struct pollfd){ .fd = term.in, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = term.log_read, .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = term_flush() ? -1 : term.out, .events = POLLOUT };
}

ssize_t term_read_log(char *text, size_t size)
{
	return term.log_read < 0 ? 0 : read(term.log_read, text, size);
}

void term_forget(void)
{
	term.forget = true;
}
