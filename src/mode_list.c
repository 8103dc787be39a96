/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_list.c - the modes that print cards, names or settings once.
 */
#include "config.h"

#include "base/text.h"
#include "device/sim/sim.h"
#include "output/metrics.h"
#include "output/text.h"
#include "src/conf/conf.h"
#include "src/listed.h"
#include "src/metrics/mode_metrics.h"
#include "src/mode.h"
#include "src/say.h"
#include "src/session.h"
#include "telemetry/field.h"
#include "telemetry/identity.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* --config-print: each setting, and where it is from; --config-check: what is wrong with them. */

static enum exit_code fail_file(const struct error *e)
{
	if (e->code != -EPERM)
		return session_fail(e);
	say_error(e);
	say("hint: root reads what root alone may write to, each folder of the path included");
	return EXIT_REFUSED;
}

enum exit_code mode_config_print(const struct options *o)
{
	struct strbuf text = { 0 };

	conf_put_settings(&text, o);
	return outlet_print(&text, EXIT_DONE);
}

enum exit_code mode_config_check(const struct options *o)
{
	struct conf *c = o->config_check ? conf_open_file(o->config_check) : conf_open(NULL);
	enum exit_code code = c->n_troubles > 0 ? EXIT_NEGATIVE : EXIT_DONE;
	struct strbuf text = { 0 };

	conf_put_troubles(&text, c);
	for (size_t i = 0; i < c->n_files; i++)
		if (c->files[i].error.code < 0 && code != EXIT_REFUSED)
			code = fail_file(&c->files[i].error);
	conf_free(c);
	return outlet_print(&text, code);
}

/*
 * The cards once, as text, if stdout is no terminal, or one that cannot move its cursor.  This
 * stands in for the live display, so no request is sent to a board here, either.
 */
enum exit_code mode_overview(const struct options *o)
{
	struct overview_options how = { .version = PACKAGE " " VERSION_SHOWN,
		.local = o->local, .external = o->external };
	struct strbuf text = { 0 };
	struct session s;
	enum exit_code code = session_open(&s, o, true);

	if (code != EXIT_DONE)
		return code;
	if (!expected_count(o, &s, &how.expected)) {
		session_close(&s);
		return EXIT_USAGE;
	}
	overview_put(&text, sampler_fleet(s.sampler), &how);
	/* Each card's block says why it failed. */
	return session_print(&s, &text, true);
}

enum exit_code mode_query(const struct options *o)
{
	struct query q = { .local = o->local };
	size_t unread;
	struct strbuf text = { 0 };
	struct session s;
	enum exit_code code;
	struct error e;

	if (query_choose(&q, o->query, &e) < 0 ||
		(o->format && query_format(&q, o->format, &e) < 0)) {
		say_error(&e);
		return EXIT_USAGE;
	}
	code = session_open(&s, o, true);
	if (code != EXIT_DONE)
		return code;
	query_put(&text, sampler_fleet(s.sampler), &q);
	unread = fleet_unread(sampler_fleet(s.sampler));
	if (o->local && unread > 0)
		say("%zu second chip%s not read", unread, text_plural(unread));
	return session_print(&s, &text, false);
}

/*
 * --fields help and --query help: every field, by group; --metrics help: every metric; --sim help:
 * every board and fault.
 */

/* The unit column is padded by characters: a degree sign has two bytes. */
static void put_field(struct strbuf *to, const struct field *f)
{
	const size_t cells = text_cells(f->unit);

	strbuf_printf(to, "  %-22s %s", f->key, f->unit);
	strbuf_put_times(to, " ", cells < 6 ? 6 - cells : 0);
	strbuf_printf(to, " %s\n", f->help);
}

static void put_fields(struct strbuf *to, bool of_query)
{
	if (of_query) {
		strbuf_puts(to, "Fields for --query: keys, with commas between them.\n\nCard\n");
		for (size_t i = 0; i < IDENTITIES; i++)
			strbuf_printf(to, "  %-29s %s\n", identities[i].key, identities[i].help);
	} else {
		strbuf_puts(to, "Fields for --fields: keys, group names or \"all\", with commas "
			"between them.\n"
			"A dump always has the twelve columns that the manual lists, and the "
			"limits of\nthe fields it has.\n");
	}
	for (int g = 0; g < FIELD_GROUPS; g++) {
		strbuf_printf(to, "\n%s\n", field_group_title((enum field_group)g));
		for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++)
			if (fields[f].group == g)
				put_field(to, &fields[f]);
	}
}

static void put_boards(struct strbuf *to)
{
	strbuf_puts(to, "Boards for --sim: [N*]BOARD[:FAULT[@FROM[-TO]]]..., with commas between "
		"them.\n\nBoards\n");
	for (size_t i = 0; sim_board_name(i); i++)
		strbuf_printf(to, "  %s\n", sim_board_name(i));
	strbuf_puts(to, "\nFaults\n");
	for (size_t i = 0; i < SIM_FAULTS; i++)
		strbuf_printf(to, "  %-11s %s\n", sim_faults[i].name, sim_faults[i].help);
}

enum exit_code mode_fields(const struct options *o)
{
	struct strbuf text = { 0 };

	if (o->typed[OPT_METRICS])
		metrics_put_names(&text);
	else if (o->sim && strcmp(o->sim, "help") == 0)
		put_boards(&text);
	else
		put_fields(&text, o->query != NULL);
	return outlet_print(&text, EXIT_DONE);
}

enum exit_code mode_list(const struct options *o)
{
	const struct list_options how = { .local = o->local,
		.columns = outlet_columns(STDOUT_FILENO),
		.bold = !o->no_color && outlet_is_screen() };
	struct strbuf text = { 0 };
	struct session s;
	enum exit_code code = session_open(&s, o, true);

	if (code != EXIT_DONE)
		return code;
	(o->json ? list_json_put : list_put)(&text, sampler_fleet(s.sampler), &how);
	/* In JSON "source" says it, and callers want stderr to stay empty. */
	if (!o->json && sampler_fleet(s.sampler)->n > 0 &&
		sampler_fleet(s.sampler)->origin->stand_in)
		say("these boards are %s", sampler_fleet(s.sampler)->origin->stand_in);
	listed_remember(o, sampler_fleet(s.sampler));
	/* The text below the tables already says why a card failed. */
	return session_print(&s, &text, true);
}
