/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/term_rescue.h"

#include "base/array.h"

#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

static struct {
	int tty, real_stderr;
	pid_t owner;
	volatile sig_atomic_t armed;
	struct termios modes;
	char bytes[256];
	int len;
} rescue = { .tty = -1, .real_stderr = -1 };

static const int deadly[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

void term_rescue_prepare(int tty, int real_stderr)
{
	rescue.tty = tty;
	rescue.real_stderr = real_stderr;
	rescue.owner = getpid();
	tcgetattr(tty, &rescue.modes);
}

void term_rescue_bytes(const char *bytes, int len)
{
	rescue.len = len < (int)sizeof(rescue.bytes) ? len : 0;
	memcpy(rescue.bytes, bytes, (size_t)rescue.len);
}

void term_rescue_now(void)
{
	ssize_t done;

	/* A child of ours that dies has no terminal to give back. */
	if (!rescue.armed || rescue.owner != getpid())
		return;
	rescue.armed = 0;
	done = write(rescue.tty, rescue.bytes, (size_t)rescue.len);
	(void)done;
	tcsetattr(rescue.tty, TCSANOW, &rescue.modes);
	if (rescue.real_stderr >= 0)
		dup2(rescue.real_stderr, STDERR_FILENO);
}

static void die(int number)
{
	static const char text[] = "tt-smi: crashed; the terminal is given back\n";

	if (rescue.armed && rescue.owner == getpid()) {
		ssize_t done;

		term_rescue_now();
		done = write(STDERR_FILENO, text, sizeof(text) - 1);
		(void)done;
	}
	/* SA_RESETHAND: the second time it kills, with the core dump that belongs to it. */
	raise(number);
}

void term_rescue_arm(void)
{
	/* A stack that has overflowed cannot carry its own handler. */
	static char stack[65536];
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = die,
		.sa_flags = SA_ONSTACK | (int)SA_RESETHAND | SA_NODEFER };

	sigaltstack(&alternate, NULL);
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_LEN(deadly); i++)
		sigaction(deadly[i], &action, NULL);
	rescue.armed = 1;
}

void term_rescue_disarm(void)
{
	rescue.armed = 0;
	for (size_t i = 0; i < ARRAY_LEN(deadly); i++)
		signal(deadly[i], SIG_DFL);
}
