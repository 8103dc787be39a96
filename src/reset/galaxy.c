/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * galaxy.c - resets of a galaxy's trays by its management controller.
 *
 * The driver is notified before and after; evidence, waits and verdicts are those
 * of every other reset.  A tray is whole again when all eight of its chips are
 * there, including those that were lost before the reset.
 */
#include "config.h"
#include "base/parse.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "device/kind.h"
#include "device/sim/sim.h"
#include "reset/outside/outside.h"
#include "src/reset/prompt.h"
#include "src/reset/run.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define TRIES	  3		/* of -glx_reset_auto */
#define ALL_TRAYS 0xfu
#define ACT_LIMIT (60 * CLOCK_SECOND)	/* of ipmitool */
#define BACK	  (130 * CLOCK_SECOND)	/* until all chips are there again (chip-facts 5.4) */

struct galaxy {
	struct reset_run run;		/* first: again() gets this one */
	struct ipmi ipmi;
	struct outside outside;
	unsigned trays;			/* bit k: tray k + 1 */
	bool is_sim;
	struct address address;		/* of --ipmi */
};

static bool in_trays(const struct device *d, unsigned trays)
{
	const int tray = galaxy_tray(d, NULL);

	return tray && trays >> (tray - 1) & 1;
}

/* Runs in a process of its own.  Trays of another machine have no cards here. */
static int act(void *arg, struct outside_line *line, struct error *e)
{
	struct galaxy *g = arg;
	struct bus *bus = g->run.act.session.bus;
	int r;

	/* Simulated chips are reset below, after the test's program if there is one. */
	if (g->is_sim && !*g->ipmi.program) {
		r = 0;
		outside_put(line, OUTSIDE_BEGINS, 0, "simulated");
	} else {
		r = ipmi_reset(&g->ipmi, g->trays, line, e);
	}
	for (size_t i = 0; r == 0 && g->is_sim && i < bus->n; i++)
		if (in_trays(&bus->dev[i], g->trays))
			sim_reset_outside(&bus->dev[i]);
	return r;
}

static void describe_galaxy(struct galaxy *g)
{
	char command[440];

	ipmi_describe(&g->ipmi, g->trays, command, sizeof(command));
	g->run.what.len = 0;
	strbuf_printf(&g->run.what, "%s%s", command, g->is_sim && !*g->ipmi.program
		? " (simulated: it is not run)" : "");
}

/* Choose the cards of these trays; aloud: report those that the driver cannot reach. */
static size_t choose_cards(struct galaxy *g, bool aloud)
{
	const struct bus *bus = g->run.act.session.bus;
	size_t n = 0;

	for (size_t i = 0; i < bus->n; i++) {
		const struct device *d = &bus->dev[i];
		bool is_here = in_trays(d, g->trays);

		g->run.act.wanted[i] = is_here && d->trouble == DEVICE_FINE;
		n += g->run.act.wanted[i];
		if (is_here && !g->run.act.wanted[i] && aloud)
			say_as(device_code(d), "%zu %s: %s; it is reset with its tray all "
				"the same", i, d->bdf, d->reason);
	}
	return n;
}

/* A job may only reset the cards that it may see. */
static bool may_see_all(const struct galaxy *g)
{
	const struct bus *bus = g->run.act.session.bus;

	for (size_t i = 0; i < bus->n; i++)
		if (in_trays(&bus->dev[i], g->trays) && !g->run.act.session.wanted[i])
			return false;
	return true;
}

static void print_trays(const struct galaxy *g)
{
	const struct bus *bus = g->run.act.session.bus;

	for (unsigned tray = 0; tray < GALAXY_TRAYS; tray++) {
		char list[256] = "";

		if (!(g->trays >> tray & 1))
			continue;
		for (size_t i = 0; i < bus->n; i++)
			if (in_trays(&bus->dev[i], 1u << tray))
				text_join(list, sizeof(list), ",", "%zu", i);
		say_result("tray %u takes along, by index: %s", tray + 1, list);
	}
	fflush(stdout);
}

/* The trays in which a chip is missing or did not recover, and why. */
static unsigned bad_trays(const struct galaxy *g, char *why, size_t size)
{
	const struct bus *bus = g->run.act.session.bus;
	unsigned count[GALAXY_TRAYS] = { 0 }, failed[GALAXY_TRAYS] = { 0 }, bad = 0;

	for (size_t i = 0; i < bus->n; i++) {
		const int tray = galaxy_tray(&bus->dev[i], NULL);

		if (!tray)
			continue;
		count[tray - 1] += bus->dev[i].trouble == DEVICE_FINE;
		failed[tray - 1] += reset_done_has_failed(&g->run.done, (int)i);
	}
	why[0] = '\0';
	for (unsigned t = 0; t < GALAXY_TRAYS; t++) {
		if (!(g->trays >> t & 1) || (count[t] == GALAXY_CHIPS && !failed[t]))
			continue;
		bad |= 1u << t;
		text_join(why, size, ", ", "tray %u: %u of %d chips are there", t + 1, count[t],
			GALAXY_CHIPS);
		if (failed[t])
			text_join(why, size, ", ", "%u did not recover", failed[t]);
	}
	return bad;
}

static bool again(struct reset_run *run, enum exit_code *code)
{
	struct galaxy *g = (struct galaxy *)run;
	unsigned most = run->act.o->typed[OPT_GALAXY_RESET_AUTO] ? TRIES : 1;
	char why[320];
	unsigned bad;

	if (*code != EXIT_DONE && *code != EXIT_NEGATIVE)
		return false;
	sampler_rescan(run->act.session.sampler, NULL);
	bad = bad_trays(g, why, sizeof(why));
	if (!bad)
		return false;
	*code = EXIT_NEGATIVE;
	say("try %u of %u: %s", run->tries, most, why);
	if (run->tries >= most || stop_check(&run->act.stop))
		return false;
	/* Leave the trays alone that are well now. */
	g->trays = bad;
	describe_galaxy(g);
	if (choose_cards(g, false) == 0)
		return false;
	printf("again: %s\n", g->run.what.text);
	fflush(stdout);
	return true;
}

/* Choose the trays and find the program that resets them. */
static enum exit_code name_trays(struct galaxy *g)
{
	const struct origin *origin = sampler_fleet(g->run.act.session.sampler)->origin;
	struct error e = { 0 };

	if (!origin->has_trays) {
		say_as(CODE_UNSUPPORTED, "the chips of --ttsim are not a galaxy");
		return EXIT_USAGE;
	}
	if (!reset_run_has_cards(&g->run))
		return EXIT_NO_DEVICE;
	g->is_sim = origin->is_simulated;
	if (choose_cards(g, true) == 0) {
		say_as(CODE_UNSUPPORTED, "none of the cards here is in %s of a galaxy; --ipmi HOST "
			"resets another machine's", g->run.act.o->tray ? "that tray" : "a tray");
		return EXIT_NO_DEVICE;
	}
	if (!may_see_all(g)) {
		say_as(CODE_HIDDEN, "a tray has cards that may not be seen here (%s): nothing was "
			"reset", g->run.act.session.selection);
		return EXIT_REFUSED;
	}
	if (g->run.act.session.host.virtual_machine && !g->is_sim) {
		say_as(CODE_UNSAFE_HERE, "this is a virtual machine: its bus numbers do not say "
			"which tray a card is in; reset it on the host");
		return EXIT_REFUSED;
	}
	if (ipmi_find_of(g->run.act.session.bus, &g->ipmi, &e) < 0 && !g->run.act.o->dry_run) {
		say_error(&e);
		return exit_of_error(e.code);
	}
	g->outside = (struct outside){ .act = act, .arg = g, .limit = ACT_LIMIT, .wait = BACK };
	g->run.outside = &g->outside;
	g->run.again = again;
	describe_galaxy(g);
	g->run.before = session_keep_chips(&g->run.act.session);
	print_trays(g);
	return EXIT_DONE;
}

/* Reset another machine's trays; its cards cannot be seen from here, and are not reported. */
static enum exit_code send_far(struct reset_run *run)
{
	struct galaxy *g = (struct galaxy *)run;
	const struct outside what = { .act = act, .arg = g, .limit = ACT_LIMIT };
	struct outside_report last;

	outside_wait(&what, &run->act.stop, &last);
	if (last.error < 0) {
		mem_copy_text(run->result, sizeof(run->result), last.text);
		say("%s: %s; %s", g->ipmi.host, last.text, last.has_fired
			? "whether its trays were reset is not known" : "nothing was reset");
		return last.has_fired ? EXIT_NEGATIVE : last.error == -ECANCELED ? EXIT_REFUSED
			: EXIT_FAILED;
	}
	say_result("%s took the command; run tt-smi -s there to see whether its cards are back",
		g->ipmi.host);
	return EXIT_DONE;
}

static enum exit_code galaxy_prepare(struct act *a)
{
	struct galaxy *g = (struct galaxy *)a;

	g->trays = g->run.trays = a->o->tray ? 1u << (a->o->tray - 1) : ALL_TRAYS;
	if (!a->o->ipmi) {
		reset_run_take_local(&g->run);
		return EXIT_DONE;
	}
	if (!address_parse(a->o->ipmi, &g->address)) {
		say_as(CODE_BAD_VALUE, "--ipmi: '%s' is neither HOST nor HOST:PORT", a->o->ipmi);
		return EXIT_USAGE;
	}
	g->ipmi.host = g->address.host;
	g->ipmi.port = *g->address.port ? g->address.port : NULL;
	g->ipmi.user = "USER";
	g->run.first = send_far;
	a->is_far = true;
	return EXIT_DONE;
}

static enum exit_code galaxy_choose(struct act *a)
{
	struct galaxy *g = (struct galaxy *)a;

	if (!a->is_far)
		return name_trays(g);
	describe_galaxy(g);
	return reset_run_show(&g->run);
}

/* Ask for credentials last, when everything else is known to be right. */
static enum exit_code galaxy_agree(struct act *a)
{
	struct galaxy *g = (struct galaxy *)a;
	struct credentials *c = &g->run.credentials;
	struct error e = { 0 };
	int r = 0;

	if (a->is_far && !a->o->dry_run)
		r = ipmi_find(&g->ipmi, &e);
	if (r == 0 && a->is_far && !a->o->dry_run)
		r = credentials_get(a->o, g->address.host, NULL, &a->stop, c, &e);
	if (r < 0) {
		say_error(&e);
		return exit_of_error(r);
	}
	g->ipmi.user = c->user;
	g->ipmi.password = c->password;
	return reset_run_agree(a);
}

static const struct act_steps steps = {
	.prepare = galaxy_prepare,
	.choose = galaxy_choose,
	.prove = act_prove_report,
	.fit = reset_run_plan,
	.take = galaxy_agree,
	.watch = reset_run_fire,
	.report = reset_run_report,
	.leave = reset_run_leave,
	.end = reset_run_end,
};

const struct act_ops act_reset_trays = {
	.kind = ACT_RESET,
	.modes = 1ull << MODE_GALAXY_RESET,
	.size = sizeof(struct galaxy),
	.taking = &reset_taking,
	.steps = &steps,
};
