/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_mobo.c - -mr: warm reset of board-management hosts.  The cards of this machine that
 * are connected to them are reset between its two halves (chip-facts 5.5).
 */
#include "config.h"
#include "base/mem.h"

#include "reset/outside/outside.h"
#include "src/listed.h"
#include "src/reset/prompt.h"
#include "src/reset/report.h"
#include "src/reset/run.h"
#include "src/reset/targets.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mobos {
	struct reset_run run;	/* first: its callbacks get this one */
	bool is_shut[RESET_MOBOS];	/* its modules may be down, even if left half way */
	struct credentials credentials;
	struct strbuf act;
};

static int mobo_ask(struct mobos *m, struct error *e)
{
	struct stop *stop = &m->run.act.stop;
	char line[512];
	int r = prompt_line(stop, PROMPT_SHOWN, "Mobo to reset (Enter cancels): ", line,
		sizeof(line));

	if (r == -ECANCELED || (r == 0 && !*line))
		return fail(e, -ECANCELED, "nothing was reset");
	m->run.order.n = 1;
	if (r == 0)
		r = reset_order_take_mobo(&m->run.order.mobos[0], line, e);
	if (r == 0)
		r = prompt_line(stop, PROMPT_SHOWN, "Ethernet ports (6:0 6:1 ...): ", line,
			sizeof(line));
	for (char *save, *word = strtok_r(line, " ,", &save); word && r == 0;
		word = strtok_r(NULL, " ,", &save))
		r = reset_order_take_mobo(&m->run.order.mobos[0], word, e);
	if (r == -ECANCELED)
		return fail(e, r, "nothing was reset");
	return r < 0 && !*e->text ? fail(e, r, "this is too long, or not text") : r;
}

/*
 * EXIT_NEGATIVE: it failed, or was stopped, after it or another mobo had begun.  *has_fired: it
 * began what cannot be undone, whether or not it was done.
 */
static enum exit_code run_half(struct mobos *m, struct mobo *mobo,
	int (*act)(void *mobo, struct outside_line *line, struct error *e), bool *has_fired)
{
	const struct outside what = { .act = act, .arg = mobo, .limit = mobo_limit() };
	/* A mobo's modules may be down. */
	bool has_begun = memchr(m->is_shut, true, sizeof(m->is_shut)), was_stopped;
	struct outside_report last;

	outside_wait(&what, &m->run.act.stop, &last);
	*has_fired = last.has_fired;
	if (last.error == 0)
		return EXIT_DONE;
	was_stopped = last.error == -ECANCELED;
	has_begun = has_begun || last.has_fired;
	mem_copy_text(m->run.result, sizeof(m->run.result), last.text);
	say("%s%s%s", was_stopped ? "stopped: " : "", last.text,
		has_begun ? "; run it again" : was_stopped ? "" : "; nothing was reset");
	return has_begun ? EXIT_NEGATIVE : was_stopped ? EXIT_REFUSED : EXIT_FAILED;
}

/* Start the modules of each mobo that were shut down, once. */
static bool start_modules(struct reset_run *run, enum exit_code *code)
{
	struct mobos *m = (struct mobos *)run;
	bool fired;

	for (size_t i = 0; i < run->order.n; i++) {
		if (!m->is_shut[i])
			continue;
		/* It was booted, so a refusal of what comes after it is a failure half way. */
		if (run_half(m, &run->order.mobos[i], mobo_start_modules, &fired) != EXIT_DONE ||
			*code != EXIT_DONE)
			*code = EXIT_NEGATIVE;
		m->is_shut[i] = false;
	}
	return false;
}

/* A stop that came while its ports booted, which cannot be left. */
static enum exit_code leave_booted(struct reset_run *run, const struct mobo *m)
{
	snprintf(run->result, sizeof(run->result),
		"%s: its ports have booted, its modules were left alone", m->host);
	say("stopped: %s; run it again", run->result);
	return EXIT_NEGATIVE;
}

static enum exit_code boot_all(struct reset_run *run)
{
	struct mobos *m = (struct mobos *)run;
	bool fired;

	for (size_t i = 0; i < run->order.n; i++) {
		struct mobo *one = &run->order.mobos[i];
		enum exit_code code = EXIT_REFUSED;

		if (!stop_check(&run->act.stop))
			code = run_half(m, one, mobo_boot, &fired);
		if (code == EXIT_DONE)
			code = stop_check(&run->act.stop) ? leave_booted(run, one)
				: run_half(m, one, mobo_shut_modules, &m->is_shut[i]);
		if (code == EXIT_DONE)
			continue;
		/* Start the modules again that were shut down before. */
		start_modules(run, &code);
		return code;
	}
	return EXIT_DONE;
}

static bool hangs_on(const struct mobo *one, const struct device *d)
{
	for (size_t c = 0; c < one->n_cards && d->local < 0; c++)
		if (d->node == one->cards[c])
			return true;
	return false;
}

static bool hangs_on_one(const struct mobos *m, const struct device *d)
{
	for (size_t k = 0; k < m->run.order.n; k++)
		if (hangs_on(&m->run.order.mobos[k], d))
			return true;
	return false;
}

/* Describe the act, for people and for the report; bus: NULL if no card here is reset. */
static void describe_mobos(struct mobos *m, const struct bus *bus)
{
	struct strbuf *text = &m->act;

	for (size_t i = 0; i < m->run.order.n; i++) {
		const struct mobo *one = &m->run.order.mobos[i];
		size_t n = 0;

		for (size_t k = 0; bus && k < bus->n; k++)
			n += hangs_on(one, &bus->dev[k]);
		strbuf_printf(text, "%smobo %s: boot of %sports", i ? "\n" : "", one->host,
			one->n_ports ? "" : "no ");
		for (size_t k = 0; k < one->n_ports; k++)
			strbuf_printf(text, " %s", one->ports[k]);
		strbuf_printf(text, ", shutdown of its modules, reset of %zu card%s here, boot of "
			"its modules", n, n == 1 ? "" : "s");
	}
	m->run.what = text->text;
}

static bool has_node(const struct bus *bus, int node)
{
	for (size_t i = 0; i < bus->n; i++)
		if (bus->dev[i].local < 0 && bus->dev[i].node == node)
			return true;
	return false;
}

/* A mobo is not booted under a card that would not be reset: name each that is not here. */
static bool are_here(const struct mobos *m, const struct bus *bus)
{
	bool all = true;

	for (size_t k = 0; k < m->run.order.n; k++)
		for (size_t c = 0; c < m->run.order.mobos[k].n_cards; c++) {
			if (has_node(bus, m->run.order.mobos[k].cards[c]))
				continue;
			say_as(CODE_NO_DEVICE, "/dev/tenstorrent/%d hangs on mobo %s "
				"(nb_host_pci_idx) and is not here: nothing was reset",
				m->run.order.mobos[k].cards[c], m->run.order.mobos[k].host);
			all = false;
		}
	return all;
}

/* Choose the cards connected to the mobos, and the further ones that were named. */
static enum exit_code mobo_choose(struct reset_run *run)
{
	struct mobos *m = (struct mobos *)run;
	const struct bus *bus = m->run.act.session.bus;
	struct named named = { .hidden = -1 };
	enum exit_code code = EXIT_DONE;
	size_t n = 0;

	if (m->run.order.names.len > 0)
		code = reset_targets_find(m->run.act.o, &m->run.act.session,
			m->run.order.names.text, &named);
	if (code != EXIT_DONE)
		return code;
	if (!are_here(m, bus))
		return EXIT_NO_DEVICE;
	if (named_is_hidden(&m->run.act.session, &named, "nothing was reset"))
		return EXIT_REFUSED;
	for (size_t i = 0; i < bus->n; i++) {
		m->run.act.wanted[i] = named.chip[i] == NAMED_CARD || named.chip[i] == NAMED_SECOND;
		if (hangs_on_one(m, &bus->dev[i]) && !m->run.act.session.wanted[i]) {
			say_as(CODE_HIDDEN, "%zu %s: hangs on a mobo, and may not be seen here "
				"(%s): nothing was reset", i, bus->dev[i].bdf,
				m->run.act.session.selection);
			return EXIT_REFUSED;
		}
		m->run.act.wanted[i] |= hangs_on_one(m, &bus->dev[i]);
		n += m->run.act.wanted[i];
	}
	describe_mobos(m, bus);
	return n > 0 ? EXIT_DONE : named_verdict(m->run.act.o, &m->run.act.session, &named);
}

static enum exit_code reset_with_cards(struct mobos *m)
{
	const struct options *o = m->run.act.o;
	struct options local = *o;
	enum exit_code code;

	local.local = true;
	local.remote = false;
	m->run.act.o = &local;
	m->run.choose = mobo_choose;
	m->run.first = boot_all;
	m->run.again = start_modules;
	code = act_run(&m->run.act);
	m->run.act.o = o;
	return code;
}

static enum exit_code reset_alone(struct mobos *m, const struct options *o)
{
	enum exit_code code;

	describe_mobos(m, NULL);
	puts(m->run.what);
	fflush(stdout);
	if (o->dry_run) {
		puts("nothing was reset (--dry-run)");
		return EXIT_DONE;
	}
	code = act_prove_report(&m->run.act);
	if (code != EXIT_DONE)
		return code;
	if (!o->yes && !o->typed[OPT_RESET] && !prompt_yes(&m->run.act.stop, "Reset it? [y/N] ")) {
		say_as(CODE_STOPPED, "nothing was reset");
		return EXIT_REFUSED;
	}
	code = reset_report_draft(&m->run);
	m->run.tries = 1;
	if (code == EXIT_DONE)
		code = boot_all(&m->run);
	if (code == EXIT_DONE)
		start_modules(&m->run, &code);
	reset_report_write(&m->run, &code);
	return code;
}

/* Simulated cards are not connected to a real host. */
static bool may_reach(const struct mobos *m, const struct options *o)
{
	for (size_t i = 0; i < m->run.order.n; i++)
		if (o->sim && strncmp(m->run.order.mobos[i].host, "127.", 4) != 0) {
			say_as(CODE_SIMULATED, "%s: with simulated cards only a server at "
				"127.0.0.1 is asked", m->run.order.mobos[i].host);
			return false;
		}
	return true;
}

static bool has_cards(const struct mobos *m)
{
	for (size_t i = 0; i < m->run.order.n; i++)
		if (m->run.order.mobos[i].n_cards)
			return true;
	return false;
}

/* Make sure that somebody can answer, and find the credentials for the mobos. */
static int mobo_prepare(struct mobos *m, struct error *e)
{
	const struct options *o = m->run.act.o;
	int r = 0;

	if (!o->typed[OPT_RESET] && !o->yes && !o->dry_run && !prompt_is_possible())
		return fail_as(e, CODE_NEEDS_ANSWER, -ECANCELED, "%s: asks before it resets, and "
			"standard input is not a terminal: add -y", o->mode_option);
	/* Upstream's servers have this user and password unless they were changed. */
	if (!o->dry_run)
		r = credentials_get(o, m->run.order.mobos[0].host, "admin:admin", &m->run.act.stop,
			&m->credentials, e);
	for (size_t i = 0; i < m->run.order.n; i++) {
		m->run.order.mobos[i].user = m->credentials.user;
		m->run.order.mobos[i].password = m->credentials.password;
	}
	return r;
}

static int find_mobos(struct mobos *m, struct error *e)
{
	const struct options *o = m->run.act.o;
	int r;

	if (o->n_targets == 0 && !prompt_is_possible())
		return fail_as(e, CODE_NEEDS_ANSWER, -ECANCELED, "%s: asks which mobo it is to "
			"reset, and standard input is not a terminal: name it", o->mode_option);
	r = o->n_targets ? reset_order_read(o, &m->run.order, e) : mobo_ask(m, e);
	return r == 0 && m->run.order.n == 0 ? fail_as(e, CODE_NOTHING_NAMED, -EINVAL,
		"no mobo is named (wh_mobo_reset)") : r;
}

enum exit_code reset_run_mobos(const struct options *o, const struct reset_order *order)
{
	struct mobos *m = (struct mobos *)act_new(o, sizeof(*m));
	struct error e = { 0 };
	enum exit_code code;
	int r = 0;

	stop_open(&m->run.act.stop, false);
	code = act_refuse_recorded(&m->run.act);
	if (order)
		m->run.order = *order;
	else if (code == EXIT_DONE)
		r = find_mobos(m, &e);
	if (r == 0 && code == EXIT_DONE && !may_reach(m, o))
		code = EXIT_USAGE;
	if (r == 0 && code == EXIT_DONE)
		r = mobo_prepare(m, &e);
	if (r < 0) {
		say_error(&e);
		code = exit_of_error(r);
	} else if (code == EXIT_DONE) {
		code = m->run.order.names.len || has_cards(m) ? reset_with_cards(m)
			: reset_alone(m, o);
	}
	reset_report_end(&m->run, code);
	credentials_clear(&m->credentials);
	strbuf_clear(&m->act);
	strbuf_clear(&m->run.order.names);
	stop_end(&m->run.act.stop);
	free(m);
	return code;
}

enum exit_code mode_mobo(const struct options *o)
{
	return reset_run_mobos(o, NULL);
}
