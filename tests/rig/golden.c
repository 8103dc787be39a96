/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/rig/golden.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

void golden_compare(const char *name, const struct strbuf *got)
{
	char path[512];
	char *want = NULL;
	size_t len;

	snprintf(path, sizeof(path), "%s/tests/golden/%s", getenv("top_srcdir"), name);
	if (getenv("UPDATE_GOLDEN")) {
		FILE *f = fopen(path, "we");

		assert_non_null(f);
		fwrite(got->text, 1, got->len, f);
		fclose(f);
	}
	assert_int_equal(file_read_all(path, 1 << 22, &want, &len, NULL), 0);
	if (strcmp(want, got->text) != 0)
		print_message("# %s differs: UPDATE_GOLDEN=1 and git diff show how\n", name);
	assert_int_equal(strcmp(want, got->text), 0);
	free(want);
}
