/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_pty N TEXT KEY COMMAND...: start a full-screen program on a terminal of
 * 120x40 N times; print the median milliseconds from its start until TEXT has
 * come, and from KEY to the first byte of the answer.  A key in the pause
 * between two refreshes is waited for, so the program must be still by then.
 */
#include "config.h"
#include "base/clock.h"
#include "base/parse.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS_MOST 101
#define QUIET_MS  60		/* without output: the program has finished a picture */

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), by_size);
	return v[n / 2];
}

static double since_ms(int64_t from)
{
	return (double)(clock_mono() - from) / 1e6;
}

/* Read until text has come; false when the program ended or 10 s passed. */
static int wait_text(int fd, const char *text)
{
	static char seen[1 << 18];
	size_t n = 0;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (n < sizeof(seen) - 1 && poll(&p, 1, 10000) > 0) {
		ssize_t got = read(fd, seen + n, sizeof(seen) - 1 - n);

		if (got <= 0)
			return 0;
		n += (size_t)got;
		if (memmem(seen, n, text, strlen(text)))
			return 1;
	}
	return 0;
}

/* Read what comes, until nothing has for `ms`. */
static void drain(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	static char buf[65536];

	while (poll(&p, 1, ms) > 0 && read(fd, buf, sizeof(buf)) > 0)
		;
}

static int run_once(char **argv, const char *text, const char *key, double *first, double *paint)
{
	struct winsize size = { .ws_row = 40, .ws_col = 120 };
	int64_t from = clock_mono();
	struct pollfd p = { .events = POLLIN };
	int fd, ok;
	pid_t pid = forkpty(&fd, NULL, NULL, &size);

	if (pid < 0)
		return 0;
	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	ok = wait_text(fd, text);
	*first = since_ms(from);
	drain(fd, QUIET_MS);
	p.fd = fd;
	from = clock_mono();
	ok = ok && write(fd, key, strlen(key)) > 0 && poll(&p, 1, 10000) > 0;
	*paint = since_ms(from);
	kill(pid, SIGTERM);
	drain(fd, 1000);
	close(fd);
	waitpid(pid, NULL, 0);
	return ok;
}

int main(int argc, char **argv)
{
	double first[RUNS_MOST], paint[RUNS_MOST];
	int64_t runs = 0;
	int n;

	if (argc < 5 || !parse_i64(argv[1], &runs) || runs < 1 || runs > RUNS_MOST) {
		fprintf(stderr, "usage: bench_pty N TEXT KEY COMMAND...\n");
		return 2;
	}
	n = (int)runs;
	setenv("TERM", "screen-256color", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	for (int i = 0; i < n; i++)
		if (!run_once(argv + 4, argv[2], argv[3], &first[i], &paint[i])) {
			fprintf(stderr, "bench_pty: %s did not show '%s'\n", argv[4], argv[2]);
			return 1;
		}
	printf("%.1f %.2f\n", median(first, n), median(paint, n));
	return 0;
}
