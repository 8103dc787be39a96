/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_main.c - every fuzz target is also a test: this main() gives it each
 * file of its corpus once.
 *
 * libFuzzer needs clang and minutes; what it once found needs neither.  The
 * program's own name says the corpus: fuzz_parse reads tests/fuzz/corpus/parse.
 * Arguments, if any, are the files instead: one crashing input at hand, or one of cost.py, which
 * reads the peak of memory and the processor time that are printed at the end.
 */
#include "config.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define INPUT_MAX (16u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned count, failed;

/* A copy of exactly the input's size, so that a sanitizer sees a read past its end. */
static void replay(const char *path, const char *name)
{
	struct error e;
	size_t len = 0;
	char *text = NULL;
	uint8_t *exact;

	count++;
	if (file_read_all(path, INPUT_MAX, &text, &len, &e) < 0) {
		failed++;
		printf("not ok %u - %s # %s\n", count, name, e.text);
		return;
	}
	exact = malloc(len ? len : 1);
	if (!exact)
		abort();
	memcpy(exact, text, len);
	free(text);
	printf("# %s\n", name);		/* the last line seen, should it crash */
	fflush(stdout);
	LLVMFuzzerTestOneInput(exact, len);
	free(exact);
	printf("ok %u - %s is survived\n", count, name);
}

static int is_input(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int replay_corpus(const char *target)
{
	const char *top = getenv("top_srcdir");
	struct dirent **entries = NULL;
	char dir[4096], path[4096 + 300];
	int n;

	snprintf(dir, sizeof(dir), "%s/tests/fuzz/corpus/%s", top ? top : ".", target);
	n = scandir(dir, &entries, is_input, alphasort);
	if (n <= 0) {
		printf("Bail out! %s: %s\n", dir, n < 0 ? strerror(errno) : "no input");
		free(entries);
		return EXIT_FAILURE;
	}
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		replay(path, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return EXIT_SUCCESS;
}

static void print_cost(void)
{
	char status[4096] = "";
	const char *peak;
	struct rusage u;

	file_read_at(AT_FDCWD, "/proc/self/status", status, sizeof(status));
	peak = strstr(status, "VmHWM:");
	getrusage(RUSAGE_SELF, &u);
	printf("# cost: %ld kB, %lld us\n", peak ? strtol(peak + 6, NULL, 10) : -1,
		(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000LL + u.ru_utime.tv_usec +
		u.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	int status = EXIT_SUCCESS;

	name = name ? name + 1 : argv[0];
	if (strncmp(name, "fuzz_", 5) == 0)
		name += 5;
	for (int i = 1; i < argc; i++)
		replay(argv[i], argv[i]);
	if (argc == 1)
		status = replay_corpus(name);
	else
		print_cost();
	if (status == EXIT_SUCCESS)
		printf("1..%u\n", count);
	return failed ? EXIT_FAILURE : status;
}
