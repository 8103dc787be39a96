/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_links.c - --links: the ethernet ports of each card as telemetry reports them, saved as a
 * snapshot or compared with one.
 */
#include "config.h"
#include "output/links.h"
#include "src/mode.h"
#include "telemetry/load/load.h"

static enum exit_code code_of(const struct links *l, enum exit_code read)
{
	if (!l->against || read == EXIT_NO_DEVICE)
		return read;
	return l->report->lost > 0 ? EXIT_NEGATIVE : l->report->unknown ? EXIT_PARTIAL : EXIT_DONE;
}

static enum exit_code save_links(const struct options *o, const struct session *s,
	enum exit_code code)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	struct strbuf text = { 0 };
	struct error e;
	int r;

	snapshot_put(&text, o, f, &s->host);
	r = snapshot_save_as(&text, o->save, &e);
	strbuf_clear(&text);
	if (r < 0)
		session_fail_file(&e);
	return r < 0 ? exit_unwritten(code) : code;
}

static enum exit_code print_links(const struct options *o, struct session *s,
	const struct loaded *before)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	struct port_report report = { .n = 0 };
	struct links l = { .now = { .host = &s->host, .chips = f->chips, .n = f->n },
		.wanted = s->wanted, .against = before ? o->against : NULL, .report = &report,
		.external = o->external };
	struct strbuf text = { 0 };
	enum exit_code code;

	for (size_t i = 0; i < f->n && o->local; i++)
		s->wanted[i] = s->wanted[i] && f->chips[i].local < 0;
	if (before) {
		l.before = (struct change_side){ .host = &before->host, .chips = before->chips,
			.n = before->n };
		port_change_find(&l.before, &l.now, s->wanted, &report);
	}
	session_complain(s);
	code = code_of(&l, session_verdict(s));
	l.code = (int)code;
	(o->json ? links_put_json : links_put_text)(&text, &l);
	port_change_clear(&report);
	code = session_put(&text, code);
	return o->save && code != EXIT_NO_DEVICE ? save_links(o, s, code) : code;
}

enum exit_code mode_links(const struct options *o)
{
	struct loaded *before = NULL;
	struct session s;
	enum exit_code code;
	struct error e;

	if (o->typed[OPT_ETH_STATUS])
		return mode_eth(o);
	if (o->against && load_file(o->against, &before, &e) < 0)
		return session_fail(&e);
	code = session_open(&s, o, true);
	if (code == EXIT_DONE) {
		code = print_links(o, &s, before);
		session_close(&s);
	}
	load_free(before);
	return code;
}
