/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - which thread was in which phase, for Perfetto and chrome://tracing.
 * Each thread writes to a lane of its own; without a trace nothing is measured.
 */
#pragma once

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

struct trace;

/* room: phases of each thread that are kept; later ones are counted as lost. */
struct trace *trace_new(int threads, size_t room);
void trace_free(struct trace *t);		/* NULL is fine */

/* ns; 0 without a trace. */
int64_t trace_now(const struct trace *t);

/* The thread was in this phase since `from` (of trace_now()); the name is not copied. */
void trace_add(struct trace *t, int thread, const char *name, int64_t from);

/* Calls fn for each phase of a thread: its name, the time spent in it (ns), how often. */
void trace_sum(const struct trace *t, int thread,
	void (*fn)(void *arg, const char *name, int64_t spent, size_t count), void *arg);
size_t trace_lost(const struct trace *t);

/* The JSON of the Trace Event Format: complete events in microseconds since the first. */
void trace_write(const struct trace *t, struct strbuf *out);
