/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_compare.c - --compare: what changed that matters between two snapshot files, or a file
 * and the machine as it is now.
 */
#include "config.h"
#include "base/clock.h"
#include "output/links.h"
#include "src/mode.h"
#include "telemetry/load/load.h"

static enum exit_code code_of(const struct change_report *r)
{
	return r->differs ? EXIT_NEGATIVE : r->unknown ? EXIT_PARTIAL : EXIT_DONE;
}

static struct change_side side_of(const struct loaded *l)
{
	return (struct change_side){ .host = &l->host, .chips = l->chips, .n = l->n };
}

/* `least` is the verdict on this machine; with EXIT_NO_DEVICE there is nothing to compare. */
static enum exit_code print_changes(const struct options *o, struct change_print *p,
	enum exit_code least)
{
	struct change_report report;
	struct strbuf text = { 0 };

	change_find(p->sides[0], p->sides[1], &report);
	if (o->external)
		change_leave_out(&report);
	p->external = o->external;
	p->report = &report;
	if (least != EXIT_NO_DEVICE)
		least = code_of(&report);
	p->code = (int)least;
	(o->json ? change_json_put : change_text_put)(&text, p);
	change_clear(&report);
	return session_put(&text, least);
}

static enum exit_code compare_files(const struct options *o, const struct loaded *was)
{
	struct change_side a = side_of(was), b;
	struct loaded *is;
	struct error e;
	enum exit_code code;

	if (load_file(o->targets[1], &is, &e) < 0)
		return session_fail(&e);
	b = side_of(is);
	code = print_changes(o, &(struct change_print){ .sides = { &a, &b },
		.names = { o->targets[0], o->targets[1] }, .times = { was->time, is->time } },
		EXIT_DONE);
	load_free(is);
	return code;
}

static enum exit_code compare_now(const struct options *o, const struct loaded *was)
{
	struct change_side a = side_of(was), b;
	const struct fleet *f;
	struct session s;
	char time[64];
	enum exit_code code = session_open(&s, o, true);

	if (code != EXIT_DONE)
		return code;
	f = sampler_fleet(s.sampler);
	b = (struct change_side){ .host = &s.host, .chips = f->chips, .n = f->n };
	session_complain(&s);
	code = print_changes(o, &(struct change_print){ .sides = { &a, &b },
		.names = { o->targets[0], fleet_stand_in(f) ? fleet_stand_in(f) : "this machine" },
		.times = { was->time, f->file_time ? f->file_time
			: clock_iso_local(f->real, time, sizeof(time)) } },
		session_verdict(&s));
	session_close(&s);
	return code;
}

enum exit_code mode_compare(const struct options *o)
{
	struct loaded *was;
	enum exit_code code;
	struct error e;

	if (load_file(o->targets[0], &was, &e) < 0)
		return session_fail(&e);
	code = (o->n_targets > 1 ? compare_files : compare_now)(o, was);
	load_free(was);
	return code;
}
