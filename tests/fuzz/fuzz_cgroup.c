/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_cgroup.c - any text as /proc/PID/cgroup: what is taken of it is short, ends, and can be
 * printed; an id has digits alone.
 */
#include "config.h"
#include "base/mem.h"
#include "telemetry/host/process.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_be_plain(const char *text, size_t size)
{
	if (!memchr(text, 0, size))
		abort();
	for (; *text; text++)
		if (*text <= 0x20 || *text >= 0x7f)
			abort();
}

static void must_be_of(const char *text, const char *digits)
{
	if (text[strspn(text, digits)])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_calloc(1, size + 1), label[CGROUP_LABEL];
	struct cgroup c;

	memcpy(text, data, size);
	cgroup_parse(text, &c);
	cgroup_label(&c, label, sizeof(label));
	must_be_plain(label, sizeof(label));
	must_be_plain(c.container.manager, sizeof(c.container.manager));
	must_be_plain(c.container.id, sizeof(c.container.id));
	must_be_plain(c.container.pod, sizeof(c.container.pod));
	must_be_of(c.container.pod, "0123456789abcdefABCDEF-");
	must_be_plain(c.job.id, sizeof(c.job.id));
	must_be_of(c.job.id, "0123456789");
	must_be_plain(c.job.step, sizeof(c.job.step));
	free(text);
	return 0;
}
