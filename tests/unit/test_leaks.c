/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Under AddressSanitizer: that a leak is found with the roots of tests/rig/leak_roots.c, and that
 * what a global points to is none, wherever that global is.
 */
#include "config.h"
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define FAR (64 * 4096 / sizeof(void *))	/* pages that nobody touches lie between */

static void *volatile zeroed[2 * FAR];
static char some;
static void *volatile given[2] = { &some, &some };

/* What a program that ends after this exits with. */
static int code_after(void (*leave)(size_t), size_t size)
{
	int status = 0;
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		/* The report of the leak that is wanted: nobody has to read it. */
		if (!freopen("/dev/null", "w", stderr))
			_exit(2);
		leave(size);
		exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void lose(size_t size)
{
	char *volatile block;

	/* No register has the first one any more. */
	block = mem_calloc(1, size);
	block = mem_calloc(1, size);
	block = NULL;
	(void)block;
}

static void keep_in_zeroed(size_t size)
{
	zeroed[FAR] = mem_calloc(1, size);
}

static void keep_in_given(size_t size)
{
	given[1] = mem_calloc(1, size);
}

/* libc's list of open files is the only pointer to this one. */
static void keep_in_libc(size_t size)
{
	FILE *volatile f = fopen("/dev/null", "r");

	(void)size;
	f = NULL;
	(void)f;
}

static void a_leak_is_found(void **state)
{
	(void)state;
	assert_int_not_equal(code_after(lose, 1), 0);
	assert_int_not_equal(code_after(lose, 4000), 0);
	assert_int_not_equal(code_after(lose, 10 << 20), 0);
}

static void what_a_global_has_is_no_leak(void **state)
{
	(void)state;
	assert_int_equal(code_after(keep_in_zeroed, 4000), 0);
	assert_int_equal(code_after(keep_in_given, 4000), 0);
	assert_int_equal(code_after(keep_in_libc, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_leak_is_found),
		cmocka_unit_test(what_a_global_has_is_no_leak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
