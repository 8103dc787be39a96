/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c - the frame of a snapshot file: host, chips, processes.
 *
 * The file may come from anywhere: types, sizes and counts in it are all
 * checked, and no text of it reaches a terminal unfiltered.
 */
#include "config.h"
#include "telemetry/load/load.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/parse.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROCESSES_MAX 4096

static void load_host(struct host *h, const struct json *doc)
{
	const struct json *info = json_get(doc, "host_info");
	int64_t gib;
	char number[24];

	load_chip_text(json_get(info, "OS"), h->os, sizeof(h->os));
	load_chip_text(json_get(info, "Distro"), h->distro, sizeof(h->distro));
	load_chip_text(json_get(info, "Kernel"), h->kernel, sizeof(h->kernel));
	load_chip_text(json_get(info, "Hostname"), h->hostname, sizeof(h->hostname));
	load_chip_text(json_get(info, "Platform"), h->platform, sizeof(h->platform));
	load_chip_text(json_get(info, "Memory"), h->memory, sizeof(h->memory));
	load_chip_text(json_get(info, "Driver"), h->driver, sizeof(h->driver));
	mem_copy_text(number, sizeof(number), h->memory);
	number[strcspn(number, " ")] = '\0';
	if (parse_decimal(number, 1000, &gib) && gib >= 0 && gib < 1000000000)
		h->memory_bytes = (uint64_t)gib * (1u << 30) / 1000;
}

/* The chips as the file names them, in its order. */
struct places {
	size_t n;
	bool numbered;			/* our own file: it has the index */
	int64_t index[DEVICE_MAX], local[DEVICE_MAX];	/* -1 where missing */
	uint64_t board[DEVICE_MAX];	/* its id, 0 where unknown */
};

static void find_places(struct places *p, const struct json *devices)
{
	for (const struct json *m = json_child(devices); m; m = json_next(m), p->n++) {
		const struct json *identity = json_get(m, "identity");

		p->index[p->n] = p->local[p->n] = -1;
		if (json_get_scaled(json_get(identity, "index"), 1, &p->index[p->n]))
			p->numbered = true;
		json_get_scaled(json_get(identity, "local"), 1, &p->local[p->n]);
		load_chip_board_id(m, &p->board[p->n]);
	}
}

/* The place of the chip that the file calls `index`, or -1. */
static int place_of(const struct places *p, int64_t index)
{
	if (!p->numbered)
		return index >= 0 && (uint64_t)index < p->n ? (int)index : -1;
	for (size_t i = 0; i < p->n; i++)
		if (p->index[i] == index && index >= 0)
			return (int)i;
	return -1;
}

/* The local chip of a remote one: from the file, else by the board they share. */
static int find_local(const struct loaded *l, size_t at, const struct places *p)
{
	int place = place_of(p, p->local[at]);

	if (p->local[at] >= 0 && place >= 0 && !l->chips[place].raw.remote)
		return place;
	for (size_t i = 0; i < l->n; i++)
		if (!l->chips[i].raw.remote && p->board[i] && p->board[i] == p->board[at])
			return (int)i;
	return -1;
}

static void load_chips(struct loaded *l, const struct json *devices, const struct places *p,
	bool fan_percent)
{
	size_t at = 0;

	for (const struct json *m = json_child(devices); m; m = json_next(m), at++) {
		load_chip_identity(&l->chips[at], m);
		l->chips[at].index = (int)at;
	}
	at = 0;
	for (const struct json *m = json_child(devices); m; m = json_next(m), at++) {
		if (l->chips[at].raw.remote)
			l->chips[at].local = find_local(l, at, p);
		load_chip(&l->chips[at], m, fan_percent);
	}
}

static int64_t load_utc(const struct json *m)
{
	char text[40] = "";

	load_chip_text(m, text, sizeof(text));
	return clock_parse_utc(text);
}

/* The memory of all kinds, or none at all. */
static void load_memory(struct process *p, const struct json *memory)
{
	char key[32];

	p->has_memory = memory != NULL;
	for (int k = 0; k < PROCESS_MEMORIES && p->has_memory; k++) {
		snprintf(key, sizeof(key), "%s_bytes", process_memory_key((enum process_memory)k));
		p->has_memory = json_get_scaled(json_get(memory, key), 1, &p->memory[k]) &&
			p->memory[k] >= 0;
	}
}

static void load_processes(struct loaded *l, const struct json *list, const struct places *p)
{
	size_t left = 0;

	for (const struct json *m = json_child(list); m && left < PROCESSES_MAX; m = json_next(m))
		left++;
	l->processes = mem_calloc(left, sizeof(*l->processes));
	for (const struct json *m = json_child(list); m && left > 0; m = json_next(m), left--) {
		struct process *q = &l->processes[l->n_processes];
		int64_t device, pid;

		if (!json_get_scaled(json_get(m, "device"), 1, &device) ||
		    !json_get_scaled(json_get(m, "pid"), 1, &pid) || pid < 0 || pid > INT_MAX)
			continue;
		q->device = place_of(p, device);
		if (q->device < 0)
			continue;
		q->pid = (pid_t)pid;
		load_chip_text(json_get(m, "user"), q->user, sizeof(q->user));
		load_chip_text(json_get(m, "cmdline"), q->command, sizeof(q->command));
		load_chip_text(json_get(m, "container"), q->container, sizeof(q->container));
		q->started = load_utc(json_get(m, "started"));
		if (!json_get_scaled(json_get(m, "pinned_bytes"), 1, &q->pinned) || q->pinned < 0)
			q->pinned = -1;
		load_memory(q, json_get(m, "memory"));
		l->n_processes++;
	}
	qsort(l->processes, l->n_processes, sizeof(*l->processes), process_compare);
}

/* Upstream's fan_speed on Blackhole was percent before 5.3 (chip-facts 6.1); ours has a schema. */
static bool has_fan_percent(const struct json *doc, const char *version)
{
	uint32_t v;

	return !json_get(doc, "schema_version") && parse_version4(version, &v) && v < 0x05030000;
}

/* Captured output may have other lines before the JSON object. */
static const char *find_object(const char *text, size_t len)
{
	const char *at = text, *end = text + len;

	while (at < end && strchr(" \t\r\n", *at) && *at)
		at++;
	if (at < end && *at == '{')
		return at;
	for (at = text; at && at < end; at = memchr(at, '\n', (size_t)(end - at))) {
		at += *at == '\n';
		if (at < end && *at == '{')
			return at;
	}
	return text;
}

int load_text(const char *text, size_t len, struct loaded **out, struct error *e)
{
	const struct json *devices;
	struct json *doc = NULL;
	struct places places = { 0 };
	struct loaded *l;
	const char *start;
	size_t n = 0;
	bool is_list;
	int err;

	start = find_object(text, len);
	err = json_parse(start, len - (size_t)(start - text), &doc, e);
	if (err < 0)
		return err;
	devices = json_get(doc, "device_info");
	is_list = json_is_array(devices);
	for (const struct json *m = json_child(devices); m; m = json_next(m))
		n++;
	if (!is_list || n > DEVICE_MAX) {
		json_free(doc);
		return is_list
			? fail(e, -EINVAL, "%zu chips, at most %d can be shown", n, DEVICE_MAX)
			: fail(e, -EINVAL, "not a snapshot: no list \"device_info\" in it");
	}
	l = mem_calloc(1, sizeof(*l));
	l->n = n;
	l->chips = mem_calloc(n, sizeof(*l->chips));
	load_chip_text(json_get(doc, "time"), l->time, sizeof(l->time));
	load_chip_text(json_get(doc, "selection"), l->selection, sizeof(l->selection));
	load_chip_text(json_get(json_get(doc, "host_sw_vers"), "tt_smi"), l->version,
		sizeof(l->version));
	load_host(&l->host, doc);
	find_places(&places, devices);
	load_chips(l, devices, &places, has_fan_percent(doc, l->version));
	if (json_is_array(json_get(doc, "processes")))
		load_processes(l, json_get(doc, "processes"), &places);
	else
		mem_copy_text(l->processes_unknown, sizeof(l->processes_unknown),
			"the file does not list them");
	if (json_get(doc, "processes_unknown"))
		load_chip_text(json_get(doc, "processes_unknown"), l->processes_unknown,
			sizeof(l->processes_unknown));
	json_get_bool(json_get(doc, "processes_partial"), &l->processes_partial);
	json_free(doc);
	*out = l;
	return 0;
}

static int parse_file(const char *text, size_t len, void *to, struct error *e)
{
	return load_text(text, len, to, e);
}

int load_file(const char *path, struct loaded **out, struct error *e)
{
	return file_parse(path, JSON_MOST, parse_file, out, e);
}

void load_free(struct loaded *l)
{
	if (!l)
		return;
	free(l->chips);
	free(l->processes);
	free(l);
}

void load_move(struct loaded *l, int64_t now)
{
	int64_t by = now - l->now;

	for (size_t i = 0; i < l->n; i++) {
		struct snapshot *s = &l->chips[i];

		s->time += by;
		s->since += by;
		s->raw.time += by;
		for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
			if (s->r[id].state != READING_ABSENT)
				s->r[id].time += by;
	}
	l->now = now;
}
