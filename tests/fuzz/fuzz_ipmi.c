/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_ipmi.c - any output of ipmitool with any exit status: an error has a text, and one that was
 * killed may have reset trays.
 */
#include "config.h"
#include "base/mem.h"
#include "reset/outside/outside.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct outside_line line = { .fd = -1, .has_fired = true };
	struct error e = { .code = 0 };
	char *text = mem_calloc(1, size + 1);
	const int status = size ? data[0] << (data[0] & 1 ? 8 : 0) : 0;
	int r;

	if (size)
		memcpy(text, data + 1, size - 1);
	r = ipmi_judge(status, text, &line, &e);
	if (r > 0 || (r < 0 && (e.code != r || !*e.text)) || (r == 0 && !line.has_fired) ||
		(WIFSIGNALED(status) && !line.has_fired))
		abort();
	free(text);
	return 0;
}
