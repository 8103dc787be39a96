/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mobo.c - -mr: warm reset of board-management hosts.  The cards of this machine that
 * are connected to them are reset between its two halves (chip-facts 5.5).
 */
#include "config.h"
#include "base/mem.h"

#include "reset/outside/outside.h"
#include "src/listed.h"
#include "src/reset/prompt.h"
#include "src/reset/run.h"
#include "src/reset/targets.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int mobo_ask(struct reset_run *run, struct error *e)
{
	struct stop *stop = &run->act.stop;
	struct mobo *m = &run->order.mobos[0];
	char line[512];
	int r = prompt_line(stop, PROMPT_SHOWN, "Mobo to reset (Enter cancels): ", line,
		sizeof(line));

	if (r == -ECANCELED || (r == 0 && !*line))
		return fail(e, -ECANCELED, "nothing was reset");
	run->order.n = 1;
	if (r == 0)
		r = reset_order_take_mobo(m, line, e);
	if (r == 0)
		r = prompt_line(stop, PROMPT_SHOWN, "Ethernet ports (6:0 6:1 ...): ", line,
			sizeof(line));
	for (char *save, *word = strtok_r(line, " ,", &save); word && r == 0;
		word = strtok_r(NULL, " ,", &save))
		r = reset_order_take_mobo(m, word, e);
	if (r == -ECANCELED)
		return fail(e, r, "nothing was reset");
	return r < 0 && !*e->text ? fail(e, r, "this is too long, or not text") : r;
}

static bool any_is_shut(const struct reset_run *run)
{
	for (size_t i = 0; i < run->order.n; i++)
		if (run->order.mobos[i].is_shut)
			return true;
	return false;
}

/*
 * EXIT_NEGATIVE: it failed, or was stopped, after it or another mobo had begun.  Once a shutdown
 * has begun, the modules may be down, whether or not it was done.
 */
static enum exit_code run_half(struct reset_run *run, struct mobo *mobo,
	int (*act)(void *mobo, struct outside_line *line, struct error *e))
{
	const struct outside what = { .act = act, .arg = mobo, .limit = mobo_limit() };
	struct outside_report last;
	bool has_begun, was_stopped;

	outside_wait(&what, &run->act.stop, &last);
	if (act == mobo_shut_modules)
		mobo->is_shut = last.has_fired;
	if (last.error == 0)
		return EXIT_DONE;
	was_stopped = last.error == -ECANCELED;
	has_begun = any_is_shut(run) || last.has_fired;
	mem_copy_text(run->result, sizeof(run->result), last.text);
	say("%s%s%s", was_stopped ? "stopped: " : "", last.text,
		has_begun ? "; run it again" : was_stopped ? "" : "; nothing was reset");
	return has_begun ? EXIT_NEGATIVE : was_stopped ? EXIT_REFUSED : EXIT_FAILED;
}

/* Start the modules of each mobo that were shut down, once. */
static bool start_modules(struct reset_run *run, enum exit_code *code)
{
	for (size_t i = 0; i < run->order.n; i++) {
		struct mobo *one = &run->order.mobos[i];

		if (!one->is_shut)
			continue;
		/* It was booted, so a refusal of what comes after it is a failure half way. */
		if (run_half(run, one, mobo_start_modules) != EXIT_DONE || *code != EXIT_DONE)
			*code = EXIT_NEGATIVE;
		one->is_shut = false;
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
	for (size_t i = 0; i < run->order.n; i++) {
		struct mobo *one = &run->order.mobos[i];
		enum exit_code code = EXIT_REFUSED;

		if (!stop_check(&run->act.stop))
			code = run_half(run, one, mobo_boot);
		if (code == EXIT_DONE)
			code = stop_check(&run->act.stop) ? leave_booted(run, one)
				: run_half(run, one, mobo_shut_modules);
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

static bool hangs_on_one(const struct reset_order *order, const struct device *d)
{
	for (size_t k = 0; k < order->n; k++)
		if (hangs_on(&order->mobos[k], d))
			return true;
	return false;
}

/* Describe the act, for people and for the report; bus: NULL if no card here is reset. */
static void describe_mobos(struct reset_run *run, const struct bus *bus)
{
	struct strbuf *text = &run->what;

	for (size_t i = 0; i < run->order.n; i++) {
		const struct mobo *one = &run->order.mobos[i];
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
}

static bool has_node(const struct bus *bus, int node)
{
	for (size_t i = 0; i < bus->n; i++)
		if (bus->dev[i].local < 0 && bus->dev[i].node == node)
			return true;
	return false;
}

/* A mobo is not booted under a card that would not be reset: name each that is not here. */
static bool are_here(const struct reset_order *order, const struct bus *bus)
{
	bool all = true;

	for (size_t k = 0; k < order->n; k++) {
		const struct mobo *one = &order->mobos[k];

		for (size_t c = 0; c < one->n_cards; c++) {
			if (has_node(bus, one->cards[c]))
				continue;
			say_as(CODE_NO_DEVICE, "/dev/tenstorrent/%d hangs on mobo %s "
				"(nb_host_pci_idx) and is not here: nothing was reset",
				one->cards[c], one->host);
			all = false;
		}
	}
	return all;
}

/* Choose the cards connected to the mobos, and the further ones that were named. */
enum exit_code mobo_choose(struct reset_run *run)
{
	struct session *s = &run->act.session;
	struct named named = { .hidden = -1 };
	enum exit_code code = EXIT_DONE;
	size_t n = 0;

	if (run->order.names.len > 0)
		code = reset_targets_find(run->act.o, s, run->order.names.text, &named);
	if (code != EXIT_DONE)
		return code;
	if (!are_here(&run->order, s->bus))
		return EXIT_NO_DEVICE;
	if (named_is_hidden(s, &named, "nothing was reset"))
		return EXIT_REFUSED;
	for (size_t i = 0; i < s->bus->n; i++) {
		const bool hangs = hangs_on_one(&run->order, &s->bus->dev[i]);

		if (hangs && !s->wanted[i]) {
			say_as(CODE_HIDDEN, "%zu %s: hangs on a mobo, and may not be seen here "
				"(%s): nothing was reset", i, s->bus->dev[i].bdf, s->selection);
			return EXIT_REFUSED;
		}
		run->act.wanted[i] = hangs || named.chip[i] == NAMED_CARD ||
			named.chip[i] == NAMED_SECOND;
		n += run->act.wanted[i];
	}
	describe_mobos(run, s->bus);
	return n > 0 ? EXIT_DONE : named_verdict(run->act.o, s, &named);
}

/* Simulated cards are not connected to a real host. */
static int check_reach(const struct reset_run *run, struct error *e)
{
	for (size_t i = 0; i < run->order.n; i++)
		if (run->act.o->sim && strncmp(run->order.mobos[i].host, "127.", 4) != 0)
			return fail_as(e, CODE_SIMULATED, -EINVAL, "%s: with simulated cards only "
				"a server at 127.0.0.1 is asked", run->order.mobos[i].host);
	return 0;
}

static bool has_cards(const struct reset_run *run)
{
	for (size_t i = 0; i < run->order.n; i++)
		if (run->order.mobos[i].n_cards)
			return true;
	return false;
}

/* Make sure that somebody can answer, and find the credentials for the mobos. */
static int log_in(struct reset_run *run, struct error *e)
{
	const struct options *o = run->act.o;
	int r = 0;

	if (!o->typed[OPT_RESET] && !o->yes && !o->dry_run && !prompt_is_possible())
		return fail_as(e, CODE_NEEDS_ANSWER, -ECANCELED, "%s: asks before it resets, and "
			"standard input is not a terminal: add -y", o->mode_option);
	/* Upstream's servers have this user and password unless they were changed. */
	if (!o->dry_run)
		r = credentials_get(o, run->order.mobos[0].host, "admin:admin", &run->act.stop,
			&run->credentials, e);
	for (size_t i = 0; i < run->order.n; i++) {
		run->order.mobos[i].user = run->credentials.user;
		run->order.mobos[i].password = run->credentials.password;
	}
	return r;
}

static int find_mobos(struct reset_run *run, struct error *e)
{
	const struct options *o = run->act.o;
	int r;

	if (o->n_targets == 0 && !prompt_is_possible())
		return fail_as(e, CODE_NEEDS_ANSWER, -ECANCELED, "%s: asks which mobo it is to "
			"reset, and standard input is not a terminal: name it", o->mode_option);
	r = o->n_targets ? reset_order_read(o, &run->order, e) : mobo_ask(run, e);
	return r == 0 && run->order.n == 0 ? fail_as(e, CODE_NOTHING_NAMED, -EINVAL,
		"no mobo is named (wh_mobo_reset)") : r;
}

enum exit_code mobo_prepare(struct reset_run *run)
{
	const enum exit_code code = act_refuse_source(&run->act);
	struct error e = { 0 };
	int r;

	if (code != EXIT_DONE)
		return code;
	/* From here on a signal only cancels a question. */
	stop_open(&run->act.stop, false);
	r = run->order.n > 0 ? 0 : find_mobos(run, &e);
	if (r == 0)
		r = check_reach(run, &e);
	if (r == 0)
		r = log_in(run, &e);
	if (r < 0) {
		say_error(&e);
		return exit_of_error(r);
	}
	run->first = boot_all;
	run->again = start_modules;
	run->act.is_far = !run->order.names.len && !has_cards(run);
	if (run->act.is_far)
		describe_mobos(run, NULL);
	else
		reset_run_take_local(run);
	return EXIT_DONE;
}
