/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bits flipped at random in the burn of a host, one a run, by a process from outside: in the
 * load's memory, in what it shares with the tool, and in the tool's own.  No flip makes a wrong
 * result pass, and only one in the tool itself keeps the verdict, which is then printed; the
 * report stays.
 *
 * BURN_FLIPS=1000 for as many flips in the load and what it shares, and as many in the tool.
 * Half of all flips hit words that are not zero: most of memory is not in use.
 */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define LONG (120 * CLOCK_SECOND)

enum { MAPS = 512, TRIES = 64, TEXT = 1 << 20 };

enum place { LOAD, SHARED, TOOL, PLACES };

enum outcome { PASSED, FAILED, INCOMPLETE, TOLD, DIED, OUTCOMES };

static const char *const places[] = { [LOAD] = "the load's own memory",
	[SHARED] = "what load and tool share", [TOOL] = "the tool's own memory" };
static const char *const outcomes[] = { [PASSED] = "PASS", [FAILED] = "FAIL",
	[INCOMPLETE] = "INCOMPLETE", [TOLD] = "without a verdict, which was printed",
	[DIED] = "without a word" };

/* What is run. */
struct job {
	const char *const *args;	/* after tt-smi -b host */
	const char *fault;		/* TT_SMI_BURNIN_FAULT; NULL: a healthy load */
	int64_t least;			/* ns that a burn that passes lasts */
};

static const char *const rounds[] = { "--iterations", "1", "--threads", "1", "--workload",
	"matmul,memory", "--size", "8M", "--dtype", "float32", NULL };
static const char *const seconds[] = { "-dur", "0.5", "--threads", "2", "--workload", "matmul",
	"--dtype", "float32", NULL };

static const struct job jobs[] = { { rounds, NULL, 0 }, { rounds, "output", 0 },
	{ seconds, NULL, CLOCK_SECOND / 2 }, { rounds, "expected", 0 } };

/* A run that nobody disturbs; what a run of one round that passes must have counted, too. */
static struct {
	char words[64], sums[64], blocks[64];
} clean;

static int64_t took;		/* by the last run: the host may be busier, or less, than before */

static int flips(int usual)
{
	const char *asked = getenv("BURN_FLIPS");

	return asked ? (int)strtol(asked, NULL, 10) : usual;
}

static pid_t begin(const struct job *j)
{
	const char *args[32] = { "tt-smi", "-b", "host", "--report", "report.json" };
	const char *tool = getenv("TT_SMI");
	size_t n = 5;
	pid_t pid;

	for (size_t i = 0; j->args[i]; i++)
		args[n++] = j->args[i];
	unlink("report.json");
	pid = fork();
	if (pid == 0) {
		const int out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0644);

		dup2(out, STDOUT_FILENO);
		dup2(out, STDERR_FILENO);
		/* A quarter of the usual blocks: no other moments, but fewer of the same. */
		setenv("TT_SMI_BURNIN_DWELL", "128", 1);
		/* One implementation at most: several are tried, and each has blocks of its own. */
		setenv("TT_SMI_CPU_LEVEL", "avx2", 1);
		if (j->fault)
			setenv("TT_SMI_BURNIN_FAULT", j->fault, 1);
		execv(tool ? tool : "src/tt-smi", (char *const *)(uintptr_t)args);
		_exit(127);
	}
	assert_true(pid > 0);
	return pid;
}

static const char *text_of(const char *path)
{
	static char text[TEXT];

	if (file_read_at(AT_FDCWD, path, text, sizeof(text)) < 0)
		text[0] = '\0';
	return text;
}

/* What follows "key": in the report, up to the end of its line. */
static void value_of(const char *key, char out[static 64])
{
	char name[64];
	const char *at;

	snprintf(name, sizeof(name), "\"%s\": ", key);
	at = strstr(text_of("report.json"), name);
	snprintf(out, 64, "%.*s", at ? (int)strcspn(at, ",\n") : 0, at ? at : "");
}

static enum outcome outcome_of(int status)
{
	const bool has_report = strstr(text_of("report.json"), "\"verdict\"") != NULL;
	const int64_t end = clock_steady() + 5 * CLOCK_SECOND;
	const char *out = text_of("out");

	/* Another process prints it. */
	while (!WIFEXITED(status) && has_report && clock_steady() < end) {
		if (strstr(out, "ended without a verdict"))
			return TOLD;
		poll(NULL, 0, 10);
		out = text_of("out");
	}
	if (!WIFEXITED(status) || !has_report)
		return DIED;
	if (strstr(out, "host: PASS") && WEXITSTATUS(status) == 0)
		return PASSED;
	return strstr(out, "host: FAIL") ? FAILED : strstr(out, "host: INCOMPLETE") ? INCOMPLETE :
		DIED;
}

/* The mappings of a kind. */
static size_t find_maps(pid_t pid, bool shared, uint64_t maps[static MAPS][2])
{
	char path[64], line[512];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/maps", (long)pid);
	f = fopen(path, "r");
	while (f && n < MAPS && fgets(line, sizeof(line), f)) {
		unsigned long long a, b;
		char rights[8];

		if (sscanf(line, "%llx-%llx %7s", &a, &b, rights) == 3 &&
			strcmp(rights, shared ? "rw-s" : "rw-p") == 0) {
			maps[n][0] = a;
			maps[n++][1] = b;
		}
	}
	if (f)
		fclose(f);
	return n;
}

/* The child that shares with the tool what it needs, and nothing else; 0: there is none yet. */
static pid_t load_of(pid_t tool)
{
	char path[64], text[4096], *at = text;
	uint64_t maps[MAPS][2];

	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", (long)tool, (long)tool);
	if (file_read_at(AT_FDCWD, path, text, sizeof(text)) < 0)
		return 0;
	for (pid_t pid; (pid = (pid_t)strtol(at, &at, 10)) > 0;)
		if (find_maps(pid, true, maps) == 1)
			return pid;
	return 0;
}

/* In a word that is not zero, if some tries find one; of any word each second time. */
static bool flip_one(pid_t pid, bool shared)
{
	const bool any = rand() % 2;
	uint64_t maps[MAPS][2], from, to, word = 0;
	struct iovec here = { &word, sizeof(word) }, there = { NULL, sizeof(word) };
	const size_t n = find_maps(pid, shared, maps);
	const size_t map = n > 0 ? (size_t)rand() % n : 0;

	if (n == 0)
		return false;
	from = maps[map][0];
	to = maps[map][1];
	for (int i = 0; i < TRIES; i++) {
		const uint64_t random = (uint64_t)rand() << 31 | (uint64_t)rand();

		there.iov_base = (void *)(uintptr_t)(from + random % ((to - from) / 8) * 8);
		if (process_vm_readv(pid, &here, 1, &there, 1, 0) != sizeof(word))
			return false;
		if (word != 0 || any)
			break;
	}
	word ^= 1ULL << rand() % 64;
	return process_vm_writev(pid, &here, 1, &there, 1, 0) == sizeof(word);
}

/* At a random moment of a run; false: it was over by then. */
static bool flip_at_random(pid_t tool, enum place place)
{
	const int64_t at = clock_steady() + rand() % (took / CLOCK_MS + 1) * CLOCK_MS;
	pid_t pid = 0;

	while (clock_steady() < at || (place != TOOL && !(pid = load_of(tool)))) {
		siginfo_t ended = { 0 };

		waitid(P_PID, (id_t)tool, &ended, WEXITED | WNOHANG | WNOWAIT);
		if (ended.si_pid == tool)
			return false;
		if (clock_steady() > at + CLOCK_SECOND)
			return false;
		poll(NULL, 0, 1);
	}
	return flip_one(place == TOOL ? tool : pid, place == SHARED);
}

/* A burn that hangs is ended, and has no verdict. */
static int wait_for(pid_t pid)
{
	const int64_t end = clock_steady() + LONG;
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (clock_steady() > end)
			kill(pid, SIGKILL);
		poll(NULL, 0, 2);
	}
	return status;
}

static void note_clean(void)
{
	const int64_t from = clock_steady();
	const int status = wait_for(begin(&jobs[0]));

	took = clock_steady() - from;
	if (outcome_of(status) != PASSED)
		fail_msg("without a flip: %s", text_of("out"));
	value_of("words_verified", clean.words);
	value_of("checksums_verified", clean.sums);
	value_of("blocks", clean.blocks);
	assert_true(clean.words[0] && clean.sums[0] && clean.blocks[0]);
}

/* What was verified is what a run that nobody disturbs verifies. */
static void check_pass(const struct job *j, const char *place)
{
	char words[64], sums[64], blocks[64];

	value_of("words_verified", words);
	value_of("checksums_verified", sums);
	value_of("blocks", blocks);
	if (j->fault || took < j->least || (j->args == rounds && (strcmp(words, clean.words) != 0 ||
		strcmp(sums, clean.sums) != 0 || strcmp(blocks, clean.blocks) != 0)))
		fail_msg("%s: a wrong result passes: job %td, %.3f s, words %s (%s), sums %s (%s), "
			"blocks %s (%s): %s", place, j - jobs, (double)took / CLOCK_SECOND, words,
			clean.words, sums, clean.sums, blocks, clean.blocks, text_of("out"));
}

/* Runs until so many flips were made; how they ended. */
static void run_flips(enum place place, int n, int ends[OUTCOMES])
{
	memset(ends, 0, OUTCOMES * sizeof(*ends));
	srand(9 + place);
	for (int done = 0, idle = 0; done < n;) {
		const struct job *j = &jobs[(done + idle) % (int)ARRAY_LEN(jobs)];
		const int64_t from = clock_steady();
		const pid_t pid = begin(j);
		const bool flipped = flip_at_random(pid, place);
		const bool refused = !flipped && errno == EPERM;
		const enum outcome end = outcome_of(wait_for(pid));

		took = clock_steady() - from;
		if (refused)
			skip();
		assert_true(idle < 10 * n + 10);
		done += flipped;
		idle += !flipped;
		if (!flipped)
			continue;
		ends[end]++;
		if (end == PASSED)
			check_pass(j, places[place]);
		/* A tool that crashes at its very end has printed its verdict. */
		if (place == TOOL ? end == DIED && !strstr(text_of("out"), "\nhost: ") :
			end == DIED || end == TOLD)
			fail_msg("flip %d in %s: no verdict and report: %s", done, places[place],
				text_of("out"));
	}
	print_message("# %d flips in %s:", n, places[place]);
	for (int i = 0; i < OUTCOMES; i++)
		print_message(" %d %s%s", ends[i], outcomes[i], i + 1 < OUTCOMES ? "," : "\n");
}

static void a_flip_in_the_load_is_never_more_than_a_verdict(void **state)
{
	int ends[OUTCOMES];

	(void)state;
	run_flips(LOAD, (flips(16) + 1) / 2, ends);
}

static void a_flip_in_what_is_shared_is_never_more_than_a_verdict(void **state)
{
	int ends[OUTCOMES];

	(void)state;
	run_flips(SHARED, (flips(16) + 1) / 2, ends);
}

static void a_flip_in_the_tool_passes_no_wrong_result(void **state)
{
	int ends[OUTCOMES];

	(void)state;
	run_flips(TOOL, flips(8), ends);
}

static int enter_folder(void **state)
{
	static char folder[] = "/tmp/test_burn_flips_XXXXXX";

	*state = mkdtemp(folder);
	if (!*state || chdir(folder) < 0)
		return -1;
	note_clean();
	return 0;
}

static int leave_folder(void **state)
{
	char remove[64];

	snprintf(remove, sizeof(remove), "rm -rf %s", (char *)*state);
	return chdir("/") < 0 || system(remove) != 0 ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flip_in_the_load_is_never_more_than_a_verdict),
		cmocka_unit_test(a_flip_in_what_is_shared_is_never_more_than_a_verdict),
		cmocka_unit_test(a_flip_in_the_tool_passes_no_wrong_result),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
