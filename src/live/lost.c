/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lost.c - what the live display could not write: a footer is soon gone, the exit code is not.
 */
#include "config.h"
#include "src/live/live.h"
#include "src/say.h"

#include <stdarg.h>
#include <stdio.h>

void live_lose(struct live *l, enum live_loss what, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->lost[what], sizeof(l->lost[what]), fmt, ap);
	va_end(ap);
	l->has_lost = true;
	view_say(&l->view, &l->model, true, "%s", l->lost[what]);
}

void live_say_lost(const struct live *l)
{
	for (size_t i = 0; i < LIVE_LOSSES; i++)
		if (*l->lost[i])
			say("%s", l->lost[i]);
}
