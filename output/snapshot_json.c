/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot_json.c - the frame of a snapshot: time, host, chips, processes.
 *
 * Callers count lines with "board_type" to count chips, and grep single lines,
 * so no key of ours may contain that word and every key has its own line.
 */
#include "config.h"
#include "output/snapshot_json.h"

#include "base/clock.h"
#include "base/json.h"
#include "output/chip_json.h"
#include "output/upstream_json.h"

#include <stdio.h>

static bool is_wanted(size_t at, const struct snapshot_json_options *o)
{
	return !o->wanted || (at < o->n_wanted && o->wanted[at]);
}

static bool is_left_out(const struct snapshot *s, const struct snapshot_json_options *o)
{
	return o->local && s->local >= 0;
}

static void put_host(struct json_out *j, const struct host *h,
	const struct snapshot_json_options *o)
{
	const char *na = "N/A";

	json_begin(j, "host_info", '{');
	json_text(j, "OS", h->os[0] ? h->os : na);
	json_text(j, "Distro", h->distro[0] ? h->distro : na);
	json_text(j, "Kernel", h->kernel[0] ? h->kernel : na);
	json_text(j, "Hostname", h->hostname[0] && !o->external ? h->hostname : na);
	json_text(j, "Platform", h->platform[0] ? h->platform : na);
	json_text(j, "Python", na);
	json_text(j, "Memory", h->memory[0] ? h->memory : na);
	json_text(j, "Driver", h->driver[0] ? h->driver : na);
	json_end(j, '}');
	json_begin(j, "host_sw_vers", '{');
	json_text(j, "tt_smi", o->version);
	if (o->own_version)
		json_text(j, "implementation", o->own_version);
	json_text(j, "pyluwen", na);
	json_text(j, "tt_umd", na);
	json_end(j, '}');
}

static void put_chips(struct json_out *j, const struct fleet *f,
	const struct snapshot_json_options *o)
{
	const struct chip_json_options how = { .external = o->external, .plain = o->plain };

	json_begin(j, "device_info", '[');
	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *s = &f->chips[i];

		if (!is_wanted(i, o) || is_left_out(s, o))
			continue;
		json_begin(j, NULL, '{');
		upstream_json_put(j, s, o->external);
		chip_json_put(j, s, f->time, &how);
		json_end(j, '}');
		if (o->drain)
			o->drain(j->to, o->drain_arg);
	}
	json_end(j, ']');
}

static void put_memory(struct json_out *j, const struct process *p)
{
	char key[32];

	if (!p->has_memory)
		return;
	json_begin(j, "memory", '{');
	for (int k = 0; k < PROCESS_MEMORIES; k++) {
		snprintf(key, sizeof(key), "%s_bytes", process_memory_key((enum process_memory)k));
		json_int(j, key, p->memory[k]);
	}
	json_end(j, '}');
}

static void put_processes(struct json_out *j, const struct fleet *f,
	const struct snapshot_json_options *o)
{
	char when[48];

	json_begin(j, "processes", '[');
	for (size_t i = 0; i < f->n_processes; i++) {
		const struct process *p = &f->processes[i];
		size_t at = (size_t)p->device;

		if (p->device < 0 || at >= f->n || !is_wanted(at, o))
			continue;
		json_begin(j, NULL, '{');
		json_int(j, "pid", p->pid);
		json_text(j, "user", o->external ? "N/A" : p->user);
		json_int(j, "device", p->device);
		json_text(j, "cmdline", o->external ? "N/A" : p->command);
		json_text(j, "container",
			p->container[0] && !o->external ? p->container : NULL);
		json_text(j, "started", p->started ? clock_iso_utc(p->started, when, sizeof(when)) :
			NULL);
		if (p->pinned >= 0)
			json_int(j, "pinned_bytes", p->pinned);
		else
			json_null(j, "pinned_bytes");
		put_memory(j, p);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_checks(struct json_out *j, const struct host *h)
{
	json_begin(j, "host_checks", '[');
	for (size_t i = 0; i < h->n_checks; i++) {
		json_begin(j, NULL, '{');
		json_text(j, "name", h->checks[i].name);
		json_bool(j, "pass", h->checks[i].verdict != HOST_FAIL);
		json_text(j, "verdict", host_verdict_name(h->checks[i].verdict));
		json_text(j, "text", h->checks[i].text);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void put_not_read(struct json_out *j, const struct fleet *f,
	const struct snapshot_json_options *o)
{
	bool open = false;

	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *s = &f->chips[i];

		if (!is_wanted(i, o) || !is_left_out(s, o))
			continue;
		if (!open)
			json_begin(j, "not_read", '[');
		open = true;
		json_begin(j, NULL, '{');
		json_int(j, "index", s->index);
		json_text(j, "series", s->series[0] ? s->series : "N/A");
		json_text(j, "reason", s->reason[0] ? s->reason : "local chips only (--local)");
		json_code(j, s->code ? s->code : CODE_LEFT_ALONE);
		json_end(j, '}');
	}
	if (open)
		json_end(j, ']');
}

void snapshot_json_put(struct strbuf *to, const struct fleet *f, const struct host *h,
	const struct snapshot_json_options *o)
{
	struct json_out j;
	char time[64];

	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	json_text(&j, "time",
		f->file_time ? f->file_time : clock_iso_local(f->real, time, sizeof(time)));
	put_host(&j, h, o);
	put_chips(&j, f, o);
	put_processes(&j, f, o);
	json_int(&j, "schema_version", SNAPSHOT_JSON_SCHEMA);
	json_text(&j, "source", f->source);
	json_text(&j, "selection", f->selection && f->selection[0] ? f->selection : NULL);
	json_bool(&j, "processes_partial", f->processes_partial);
	if (f->processes_unknown && f->processes_unknown[0])
		json_text(&j, "processes_unknown", f->processes_unknown);
	put_checks(&j, h);
	put_not_read(&j, f, o);
	json_end(&j, '}');
}
