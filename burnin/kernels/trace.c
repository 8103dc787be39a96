/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/kernels/trace.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct event {
	const char *name;
	int64_t begin, end;
};

struct lane {
	size_t n, lost;
	struct event *events;
	char apart[64];			/* no two threads write to one cache line */
};

struct trace {
	int threads;
	size_t room;
	struct lane *lanes;
};

struct trace *trace_new(int threads, size_t room)
{
	struct trace *t = mem_calloc(1, sizeof(*t));

	t->threads = threads;
	t->room = room;
	t->lanes = mem_calloc((size_t)threads, sizeof(*t->lanes));
	for (int i = 0; i < threads; i++)
		t->lanes[i].events = mem_calloc(room, sizeof(*t->lanes[i].events));
	return t;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	for (int i = 0; i < t->threads; i++)
		free(t->lanes[i].events);
	free(t->lanes);
	free(t);
}

int64_t trace_now(const struct trace *t)
{
	return t ? clock_steady() : 0;
}

void trace_add(struct trace *t, int thread, const char *name, int64_t from)
{
	struct lane *lane;

	if (!t)
		return;
	lane = &t->lanes[thread];
	if (lane->n < t->room)
		lane->events[lane->n++] = (struct event){ name, from, clock_steady() };
	else
		lane->lost++;
}

size_t trace_lost(const struct trace *t)
{
	size_t lost = 0;

	for (int i = 0; i < t->threads; i++)
		lost += t->lanes[i].lost;
	return lost;
}

void trace_sum(const struct trace *t, int thread,
	void (*fn)(void *arg, const char *name, int64_t spent, size_t count), void *arg)
{
	const struct lane *lane = &t->lanes[thread];

	for (size_t i = 0; i < lane->n; i++) {
		const char *name = lane->events[i].name;
		int64_t spent = 0;
		size_t count = 0, first = 0;

		while (strcmp(lane->events[first].name, name) != 0)
			first++;
		if (first < i)
			continue;
		for (size_t k = i; k < lane->n; k++)
			if (strcmp(lane->events[k].name, name) == 0) {
				spent += lane->events[k].end - lane->events[k].begin;
				count++;
			}
		fn(arg, name, spent, count);
	}
}

static int64_t first_begin(const struct trace *t)
{
	int64_t first = INT64_MAX;

	for (int i = 0; i < t->threads; i++)
		for (size_t k = 0; k < t->lanes[i].n; k++)
			if (t->lanes[i].events[k].begin < first)
				first = t->lanes[i].events[k].begin;
	return first;
}

static void write_name(struct json_out *j, int thread)
{
	char name[32];

	snprintf(name, sizeof(name), "thread %d", thread);
	json_begin(j, NULL, '{');
	json_text(j, "name", "thread_name");
	json_text(j, "ph", "M");
	json_int(j, "pid", 1);
	json_int(j, "tid", thread);
	json_begin(j, "args", '{');
	json_text(j, "name", name);
	json_end(j, '}');
	json_end(j, '}');
}

static void write_event(struct json_out *j, const struct event *e, int thread, int64_t zero)
{
	json_begin(j, NULL, '{');
	json_text(j, "name", e->name);
	json_text(j, "cat", "burnin");
	json_text(j, "ph", "X");
	json_decimal(j, "ts", e->begin - zero, 1000);
	json_decimal(j, "dur", e->end - e->begin, 1000);
	json_int(j, "pid", 1);
	json_int(j, "tid", thread);
	json_end(j, '}');
}

void trace_write(const struct trace *t, struct strbuf *out)
{
	const int64_t zero = first_begin(t);
	struct json_out j;

	json_out_init(&j, out, true);
	json_begin(&j, NULL, '{');
	json_text(&j, "displayTimeUnit", "ns");
	json_begin(&j, "traceEvents", '[');
	for (int i = 0; i < t->threads; i++) {
		write_name(&j, i);
		for (size_t k = 0; k < t->lanes[i].n; k++)
			write_event(&j, &t->lanes[i].events[k], i, zero);
	}
	json_end(&j, ']');
	json_end(&j, '}');
}
