/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/stop.h"

#include "base/array.h"
#include "base/file.h"
#include "ui/term.h"
#include "ui/term_rescue.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* A job in the background must not touch the terminal: it would be stopped. */
static bool in_foreground(void)
{
	return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* Keys one at a time and unseen, or lines unseen; everything else stays as it is. */
static void take_terminal(struct stop *s)
{
	struct termios t;

	if ((!s->keys && !s->hides) || s->changed || !in_foreground() ||
		tcgetattr(STDIN_FILENO, &t) < 0)
		return;
	s->saved = t;
	t.c_lflag &= ~(tcflag_t)(s->hides ? ECHO : ICANON | ECHO);
	if (!s->hides) {
		t.c_cc[VMIN] = 1;
		t.c_cc[VTIME] = 0;
	}
	term_rescue_prepare(-1, STDIN_FILENO, -1);
	term_rescue_arm();
	s->changed = tcsetattr(STDIN_FILENO, TCSANOW, &t) == 0;
}

static void give_terminal(struct stop *s)
{
	if (s->changed && in_foreground())
		tcsetattr(STDIN_FILENO, TCSANOW, &s->saved);
	term_rescue_disarm();
	s->changed = false;
}

static bool is_ignored(int signal)
{
	struct sigaction a;

	return sigaction(signal, NULL, &a) == 0 && a.sa_handler == SIG_IGN;
}

static void open_signals(struct stop *s)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	if (s->screen)
		sigaddset(&set, SIGWINCH);
	/* Under nohup SIGHUP stays ignored. */
	if (!is_ignored(SIGHUP))
		sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGTTIN, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	s->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* What a handler may know: stdout and stderr opened again, not to wait; who asked, how often. */
static int nowait[2] = { -1, -1 };
static volatile sig_atomic_t asked;

/* A write that waits ends, and none waits from now on. */
static void ask(int number)
{
	const int was = errno;

	(void)number;
	asked++;
	for (int i = 0; i < 2; i++)
		if (nowait[i] >= 0)
			dup2(nowait[i], STDOUT_FILENO + i);
	errno = was;
}

static void on_signals(const struct stop *s, void (*handler)(int))
{
	static const int numbers[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	const struct sigaction a = { .sa_handler = handler };

	for (size_t i = 0; i < (s->ends ? 2 : ARRAY_LEN(numbers)); i++)
		/* Under nohup SIGHUP stays ignored; SIGINT of a script's job does not. */
		if (numbers[i] != SIGHUP || !is_ignored(SIGHUP))
			sigaction(numbers[i], &a, NULL);
}

void stop_open_screen(struct stop *s)
{
	*s = (struct stop){ .screen = true };
	open_signals(s);
}

void stop_open_printing(struct stop *s, bool ends)
{
	*s = (struct stop){ .printing = true, .ends = ends, .signals = -1 };
	asked = 0;
	for (int i = 0; i < 2; i++)
		nowait[i] = file_open_nowait(STDOUT_FILENO + i);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	on_signals(s, ask);
}

void stop_open(struct stop *s, bool keys)
{
	*s = (struct stop){ 0 };
	open_signals(s);
	s->keys = keys && isatty(STDIN_FILENO);
	take_terminal(s);
}

void stop_hide(struct stop *s, bool hides)
{
	give_terminal(s);
	s->hides = hides;
	take_terminal(s);
}

void stop_close(struct stop *s)
{
	give_terminal(s);
	if (s->signals >= 0)
		close(s->signals);
	s->signals = -1;
	if (!s->printing)
		return;
	on_signals(s, SIG_DFL);
	for (int i = 0; i < 2; i++) {
		if (nowait[i] >= 0)
			close(nowait[i]);
		nowait[i] = -1;
	}
}

void stop_poll(const struct stop *s, struct pollfd *fds)
{
	fds[0] = (struct pollfd){ .fd = s->signals, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = s->keys && s->changed ? STDIN_FILENO : -1,
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
	case SIGTERM:
	case SIGHUP:
		s->terminated = s->terminated || number == SIGTERM;
		s->hurried = true;
		s->asked = true;
		s->times++;
		break;
	default:
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
		s->keys = false;
		return;
	}
	for (ssize_t i = 0; i < n; i++)
		if (strchr("\r\nqQ", keys[i]) && keys[i])
			s->asked = true;
}

bool stop_check(struct stop *s)
{
	struct signalfd_siginfo info;

	if (s->printing) {
		s->times = (unsigned)asked;
		s->asked = asked > 0;
		return s->asked;
	}
	while (read(s->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		take_signal(s, (int)info.ssi_signo);
	if (s->keys) {
		/* A job that was begun in the background may be in the foreground by now. */
		take_terminal(s);
		take_keys(s);
	}
	return s->asked;
}

void stop_unblock(int fd)
{
	const int own = file_open_nowait(fd);

	if (own < 0)
		return;
	dup2(own, fd);
	close(own);
}
