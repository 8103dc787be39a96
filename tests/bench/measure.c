/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure.c - whole processes side by side: time, processor time, peak memory.
 *
 *   measure RUNS <commands		lines of: name TAB command with arguments
 *
 * One round starts every command once, in turn, so that a slow moment of the
 * machine hits all peers alike; the medians of all rounds are printed, and the
 * ratio to the first command.  No shell: arguments are split at blanks and not
 * expanded.  stdout of the commands is /dev/null.
 */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct peer {
	char *name;
	char *argv[32];
	int64_t *wall, *cpu;	/* ns, one a round */
	long peak_kb;
	int status;		/* exit code of the last round, or 128 + signal */
};

static struct peer peers[64];
static size_t n_peers;

static int compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int64_t median(int64_t *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static int64_t timeval_ns(struct timeval t)
{
	return t.tv_sec * CLOCK_SECOND + t.tv_usec * 1000;
}

static void read_peers(size_t rounds)
{
	static char line[4096];

	while (n_peers < ARRAY_LEN(peers) && fgets(line, sizeof(line), stdin)) {
		struct peer *p = &peers[n_peers];
		char *rest = strchr(line, '\t'), *word, *save = NULL;
		size_t argc = 0;

		if (!rest)
			continue;
		*rest++ = '\0';
		p->name = strdup(line);
		rest = strdup(rest);
		for (word = strtok_r(rest, " \n", &save); word && argc < ARRAY_LEN(p->argv) - 1;
		     word = strtok_r(NULL, " \n", &save))
			p->argv[argc++] = word;
		p->wall = mem_calloc(rounds, sizeof(*p->wall));
		p->cpu = mem_calloc(rounds, sizeof(*p->cpu));
		n_peers += argc > 0;
	}
}

static void run_once(struct peer *p, size_t round, const posix_spawn_file_actions_t *actions)
{
	int64_t began = clock_mono();
	struct rusage use;
	int status;
	pid_t pid;

	if (posix_spawnp(&pid, p->argv[0], actions, NULL, p->argv, environ) != 0 ||
	    wait4(pid, &status, 0, &use) != pid) {
		p->status = 127;
		return;
	}
	p->wall[round] = clock_mono() - began;
	p->cpu[round] = timeval_ns(use.ru_utime) + timeval_ns(use.ru_stime);
	p->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (use.ru_maxrss > p->peak_kb)
		p->peak_kb = use.ru_maxrss;
}

int main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 20;
	posix_spawn_file_actions_t actions;
	int64_t first = 0;

	if (rounds < 1)
		rounds = 1;
	read_peers(rounds);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	for (size_t i = 0; i < n_peers; i++)	/* warm the caches */
		run_once(&peers[i], 0, &actions);
	for (size_t r = 0; r < rounds; r++) {
		for (size_t i = 0; i < n_peers; i++)
			run_once(&peers[i], r, &actions);
	}
	printf("%-28s %10s %8s %10s %10s %5s\n", "", "time ms", "ratio", "cpu ms", "peak KiB",
		"exit");
	for (size_t i = 0; i < n_peers; i++) {
		struct peer *p = &peers[i];
		int64_t wall = median(p->wall, rounds), cpu = median(p->cpu, rounds);

		if (i == 0)
			first = wall;
		printf("%-28s %10.3f %8.2f %10.3f %10ld %5d\n", p->name, (double)wall / 1e6,
			first ? (double)wall / (double)first : 0, (double)cpu / 1e6, p->peak_kb,
			p->status);
	}
	return 0;
}
