/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/term_rescue.h"

#include "base/array.h"
#include "base/mem.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

static struct {
	int out, keys, real_stderr;
	pid_t owner;
	volatile sig_atomic_t armed;
	struct termios modes;
	char bytes[256];
	size_t len;
} rescue = { .out = -1, .keys = -1, .real_stderr = -1 };

/* The first five are faults of our own; the others are sent to us. */
static const int deadly[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, SIGQUIT,
	SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU,
	SIGXFSZ, SIGIO, SIGPWR, SIGSTKFLT };
enum { FAULTS = 5 };

void term_rescue_prepare(int out, int keys, int real_stderr)
{
	rescue.out = out;
	rescue.keys = keys;
	rescue.real_stderr = real_stderr;
	rescue.owner = getpid();
	rescue.len = 0;
	tcgetattr(keys, &rescue.modes);
}

void term_rescue_bytes(const char *text)
{
	size_t len = strlen(text);

	/* CAN ends a sequence that is half sent. */
	rescue.bytes[0] = '\030';
	rescue.len = len < sizeof(rescue.bytes) ? len + 1 : 1;
	memcpy(rescue.bytes + 1, text, rescue.len - 1);
}

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

void term_rescue_arm(void)
{
	/* A handler cannot run on a stack that has overflowed. */
	static char stack[65536];
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = die,
		.sa_flags = SA_ONSTACK | (int)SA_RESETHAND | SA_NODEFER }, old;

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
