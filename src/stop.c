/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/stop.h"

#include "base/file.h"
#include "base/mem.h"
#include "ui/keys.h"
#include "ui/term.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NUMBERS 32	/* signals that we take are below this */

/*
 * The handler's data.  The handler only notes a signal and wakes poll(); stop_check()
 * does what the signal asks for.  But a write to a stopped terminal, or to a pipe
 * without a reader, could block and keep us from getting there.  So after a signal
 * that leaves no time, no write to them blocks.
 */
static struct {
	unsigned open;			/* how many stops are open */
	int bell[2];			/* a pipe that wakes poll() */
	int nowait[2];			/* stdout and stderr, opened again so as not to block */
	bool printing;			/* one of them prints as it goes */
	volatile sig_atomic_t rung, noted[NUMBERS], times;
	volatile sig_atomic_t lets_go;	/* drop what a terminal or pipe does not take at once */
	bool taken[NUMBERS];
	struct sigaction before[NUMBERS];
} heard = { .bell = { -1, -1 }, .nowait = { -1, -1 } };

/* A job in the background must not touch the terminal: it would be stopped. */
static bool in_foreground(void)
{
	return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* Taking the terminal over, and giving it back. */

static bool write_brackets(const struct stop *s, const char *text)
{
	return s->out < 0 || file_write_all(s->out, text, strlen(text)) == 0;
}

/* A stopped terminal is resumed for this: the sequence that ends our mode has to arrive. */
static void end_brackets(const struct stop *s)
{
	struct termios running = s->saved;

	if (write_brackets(s, KEYS_PASTE_OFF))
		return;
	tcflush(s->out, TCOFLUSH);
	running.c_iflag &= ~(tcflag_t)IXON;
	tcsetattr(STDIN_FILENO, TCSANOW, &running);
	write_brackets(s, KEYS_PASTE_OFF);
}

static void take_terminal(struct stop *s)
{
	struct termios t;

	if (s->tty == STOP_TTY_NONE || s->changed || !in_foreground() ||
		tcgetattr(STDIN_FILENO, &t) < 0)
		return;
	/* A SIGSTOP gives nothing back, so after it these may be our own settings. */
	if (!s->found) {
		s->saved = t;
		term_rescue_arm(s->out, STDIN_FILENO, -1, KEYS_PASTE_OFF);
	}
	s->found = true;
	t.c_lflag &= ~(tcflag_t)(s->tty == STOP_TTY_HIDDEN ? ECHO : ICANON | ECHO);
	if (s->tty != STOP_TTY_HIDDEN) {
		t.c_cc[VMIN] = 1;
		t.c_cc[VTIME] = 0;
	}
	s->changed = tcsetattr(STDIN_FILENO, TCSANOW, &t) == 0;
	if (s->changed)
		write_brackets(s, KEYS_PASTE_ON);
}

/* If we did not take it, the rescue stays armed: a display opened meanwhile has the terminal. */
static void give_terminal(struct stop *s)
{
	if (!s->found)
		return;
	if (s->changed && in_foreground()) {
		end_brackets(s);
		tcsetattr(STDIN_FILENO, TCSANOW, &s->saved);
	}
	term_rescue_disarm();
	s->changed = s->found = false;
}

void stop_take_tty(struct stop *s, enum stop_tty tty)
{
	give_terminal(s);
	if (s->out >= 0)
		close(s->out);
	s->tty = tty;
	s->out = tty == STOP_TTY_TYPED && term_find(NULL) != -ENOTTY
		? open("/dev/tty", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	take_terminal(s);
}

/* Signals. */

static bool is_ignored(int signal)
{
	struct sigaction a;

	return sigaction(signal, NULL, &a) == 0 && a.sa_handler == SIG_IGN;
}

static bool is_same_file(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
		x.st_ino == y.st_ino;
}

/* End a write that blocks, and let none block from now on. */
static void let_no_write_wait(void)
{
	heard.lets_go = 1;
	for (int i = 0; i < 2; i++)
		if (heard.nowait[i] >= 0 && is_same_file(heard.nowait[i], STDOUT_FILENO + i))
			dup2(heard.nowait[i], STDOUT_FILENO + i);
}

static void hear(int number)
{
	const bool asks = number == SIGINT || number == SIGQUIT;
	const int was = errno;
	ssize_t done;

	heard.noted[number] = 1;
	heard.rung = 1;
	if (number == SIGTERM || number == SIGHUP ||
		(asks && (heard.printing || ++heard.times > 1)))
		let_no_write_wait();
	done = heard.bell[1] >= 0 ? write(heard.bell[1], "", 1) : 0;
	(void)done;
	errno = was;
}

/* once: the second such signal ends the program. */
static void take_number(int number, bool once)
{
	const struct sigaction a = { .sa_handler = hear,
		.sa_flags = SA_RESTART | (once ? (int)SA_RESETHAND : 0) };

	/* Under nohup SIGHUP stays ignored; SIGINT of a script's job does not. */
	if (heard.taken[number] || (number == SIGHUP && is_ignored(number)))
		return;
	heard.noted[number] = 0;
	heard.taken[number] = sigaction(number, &a, &heard.before[number]) == 0;
}

static void open_bell(void)
{
	if (heard.open++ > 0)
		return;
	if (pipe2(heard.bell, O_CLOEXEC | O_NONBLOCK) < 0)
		heard.bell[0] = heard.bell[1] = -1;
	for (int i = 0; i < 2; i++)
		heard.nowait[i] = file_open_nowait(STDOUT_FILENO + i);
	heard.times = heard.rung = 0;
	heard.printing = false;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void release_number(int number)
{
	if (heard.taken[number])
		sigaction(number, &heard.before[number], NULL);
	heard.taken[number] = false;
}

/* When the last stop closes, signals do again what they did before the first. */
static void close_bell(void)
{
	if (--heard.open > 0)
		return;
	for (int n = 1; n < NUMBERS; n++)
		release_number(n);
	for (int i = 0; i < 2; i++) {
		close_fd(&heard.bell[i]);
		close_fd(&heard.nowait[i]);
	}
}

static void open_signals(struct stop *s, bool printing)
{
	open_bell();
	*s = (struct stop){ .open = true, .signals = heard.bell[0], .out = -1 };
	take_number(SIGINT, printing);
	take_number(SIGQUIT, printing);
	signal(SIGPIPE, SIG_IGN);
	if (printing) {
		heard.printing = true;
		return;
	}
	take_number(SIGTERM, false);
	take_number(SIGHUP, false);
	take_number(SIGTSTP, false);
	take_number(SIGCONT, false);
	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
}

void stop_take_screen(struct stop *s)
{
	s->screen = true;
	take_number(SIGWINCH, false);
}

void stop_take_keys(struct stop *s)
{
	if (isatty(STDIN_FILENO))
		stop_take_tty(s, STOP_TTY_KEYS);
}

void stop_open_printing(struct stop *s)
{
	open_signals(s, true);
}

void stop_open(struct stop *s, bool keys)
{
	open_signals(s, false);
	if (keys)
		stop_take_keys(s);
}

void stop_close(struct stop *s)
{
	if (!s->open)
		return;
	stop_take_tty(s, STOP_TTY_NONE);
	s->open = false;
	s->signals = -1;
	close_bell();
}

void stop_end(struct stop *s)
{
	if (!s->open)
		return;
	stop_take_tty(s, STOP_TTY_NONE);
	s->open = false;
	heard.printing = true;
	release_number(SIGTSTP);
}

void stop_poll(const struct stop *s, struct pollfd *fds)
{
	fds[0] = (struct pollfd){ .fd = s->signals, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = s->tty == STOP_TTY_KEYS && s->changed ? STDIN_FILENO : -1,
		.events = POLLIN };
}

/* The display gives the terminal away and takes it back. */
static void take_screen_signal(struct stop *s, int number)
{
	s->redraw = true;
	if (number == SIGTSTP) {
		term_suspend();
		raise(SIGSTOP);
	}
	if (number == SIGWINCH)
		term_forget();
	else
		term_resume();
}

static void take_signal(struct stop *s, int number)
{
	if (s->screen && (number == SIGTSTP || number == SIGCONT || number == SIGWINCH)) {
		take_screen_signal(s, number);
		return;
	}
	switch (number) {
	case SIGTSTP:
		give_terminal(s);
		raise(SIGSTOP);
		break;
	case SIGCONT:
		s->changed = false;
		s->resumed = true;
		take_terminal(s);
		break;
	default:
		s->terminated = s->terminated || number == SIGTERM;
		s->hurried = s->hurried || number == SIGTERM || number == SIGHUP;
		s->deadly = number == SIGINT ? s->deadly : number;
		s->asked = true;
		s->times++;
		break;
	}
}

static void take_keys(struct stop *s)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char keys[64];
	ssize_t n;

	/* Moved to the background: the keys are the shell's, until SIGCONT brings us back. */
	if (!s->changed || !in_foreground() || poll(&in, 1, 0) <= 0)
		return;
	n = read(STDIN_FILENO, keys, sizeof(keys));
	if (n <= 0 && errno != EINTR && errno != EAGAIN) {
		s->tty = STOP_TTY_NONE;
		return;
	}
	for (ssize_t i = 0; i < n; i++)
		if (strchr("\r\nqQ", keys[i]) && keys[i])
			s->asked = true;
}

/* Handle each kind once, however often it came, in this order. */
static void take_signals(struct stop *s)
{
	static const int order[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH };
	char bytes[64];

	heard.rung = 0;
	while (s->signals >= 0 && read(s->signals, bytes, sizeof(bytes)) > 0)
		;
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		if (!heard.noted[order[i]])
			continue;
		heard.noted[order[i]] = 0;
		take_signal(s, order[i]);
	}
}

bool stop_check(struct stop *s)
{
	if (heard.rung)
		take_signals(s);
	if (s->tty == STOP_TTY_KEYS) {
		/* A job that was begun in the background may be in the foreground now. */
		take_terminal(s);
		take_keys(s);
	}
	return s->asked;
}

bool stop_let_go(int code)
{
	return heard.lets_go && code == -EAGAIN;
}

void stop_unblock(int fd)
{
	const int own = file_open_nowait(fd);

	if (own < 0)
		return;
	heard.lets_go = 1;
	dup2(own, fd);
	close(own);
}

void stop_hold(sigset_t *before)
{
	static const int held[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(held); i++)
		sigaddset(&set, held[i]);
	pthread_sigmask(SIG_BLOCK, &set, before);
}
