/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/host/burn_fault.h"

#include "base/array.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static void end_badly(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} ends[] = { { "ill", SIGILL }, { "bus", SIGBUS }, { "segv", SIGSEGV },
		{ "abort", SIGABRT }, { "trap", SIGTRAP }, { "sys", SIGSYS },
		{ "kill", SIGKILL }, { "stop", SIGSTOP } };

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (strcmp(name, ends[i].name) == 0)
			kill(getpid(), ends[i].number);
	if (strcmp(name, "exit") == 0)
		_exit(0);
	while (strcmp(name, "hang") == 0)
		pause();
}

bool burn_fault_inject(const struct burn_fault *f, const struct burn_set *s,
	enum burn_fault_when when)
{
	const bool once = strcmp(f->name, burn_what_name(BURN_IS_OUTPUT_ONCE)) == 0;
	bool flipped = false;

	/* What is wrong once is put right before it is read again. */
	if (when != BURN_FAULT_BEFORE && (once || strcmp(f->name, "output") == 0)) {
		((unsigned char *)s->output)[s->out_bytes / 3] ^= 4;
		flipped = !once || when == BURN_FAULT_AGAIN;
	}
	for (int i = 0; when == BURN_FAULT_BEFORE && i < s->n_regions; i++)
		if (strcmp(f->name, burn_what_name(s->regions[i].what)) == 0) {
			((unsigned char *)s->regions[i].at)[s->regions[i].bytes / 3] ^= 1;
			flipped = true;
		}
	if (when == BURN_FAULT_BEFORE)
		end_badly(f->name);
	return flipped;
}
