/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_log.c - a log of accesses to the simulated boards, for tests: violations
 * are counted in shared memory, and lines go to the file TT_SMI_SIM_LOG names.
 */
#include "config.h"
#include "device/sim/sim_chip.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int sim_log_open(struct sim *s, struct error *e)
{
	const char *path = getenv("TT_SMI_SIM_LOG");
	struct error why = { 0 };

	s->log = -1;
	if (!path || !*path)
		return 0;
	s->log = file_open_append_at(AT_FDCWD, path, path, &why);
	return s->log < 0 ? fail_because(e, s->log, &why, "TT_SMI_SIM_LOG: %.230s", why.text) : 0;
}

/* Write "<word> <bdf> <text>" with one write(), so that lines of several processes stay whole. */
static void put_line(const struct sim_chip *c, const char *word, const char *text)
{
	char line[256];
	int n;

	if (c->sim->log < 0)
		return;
	n = snprintf(line, sizeof(line), "%s %s%s%s\n", word, c->bdf, *text ? " " : "", text);
	if (n > 0 && (size_t)n < sizeof(line))
		(void)!write(c->sim->log, line, (size_t)n);
}

void sim_log(const struct sim_chip *c, const char *word, const char *fmt, ...)
{
	char text[160];
	va_list ap;

	if (c->sim->log < 0)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put_line(c, word, text);
}

int sim_violation(const struct sim_chip *c, const char *fmt, ...)
{
	struct sim_shared *sh = c->sim->shared;
	char text[sizeof(sh->last_violation)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	atomic_fetch_add(&sh->violations, 1);
	mem_copy_text(sh->last_violation, sizeof(sh->last_violation), text);
	put_line(c, "violation", text);
	return -EFAULT;
}
