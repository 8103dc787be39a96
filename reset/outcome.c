/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcome.c - the begin and end of phases, verdicts, advice, and lines of the log.
 */
#include "config.h"
#include "reset/run.h"

#include "act/counted.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/state.h"
#include "base/text.h"
#include "reset/report.h"
#include "telemetry/sampler/sampler.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * To write one line, call log_begin() with the event, add keys to the json_out that it
 * returns, then call log_end().  log_sync() returns when all lines are on the disk.
 */
static struct json_out *log_begin(struct log *l, const char *event)
{
	char now[40];

	l->line.len = 0;
	json_out_init(&l->json, &l->line, true);
	l->json.whole = true;
	json_begin(&l->json, NULL, '{');
	json_text(&l->json, "time", clock_iso_utc(clock_real(), now, sizeof(now)));
	json_int(&l->json, "pid", getpid());
	json_int(&l->json, "started", (int64_t)l->started);
	json_text(&l->json, "event", event);
	return &l->json;
}

static void log_end(struct log *l)
{
	int r;

	json_end(&l->json, '}');
	if (l->fd < 0)
		return;
	r = file_write_all(l->fd, l->line.text, l->line.len);
	if (r < 0 && l->trouble == 0)
		l->trouble = r;
}

void log_sync(struct log *l)
{
	if (l->fd >= 0 && fdatasync(l->fd) < 0 && l->trouble == 0)
		l->trouble = -errno;
}

int log_open(struct log *l, struct error *e)
{
	struct proc_stat own = { 0 };
	int r;

	proc_stat_read(getpid(), &own);
	*l = (struct log){ .fd = -1, .started = own.started };
	r = state_path("reset.log", l->path, sizeof(l->path), e);
	if (r < 0)
		return r;
	l->fd = state_append(l->path, e);
	if (l->fd < 0)
		return l->fd;
	log_begin(l, "begin");
	log_end(l);
	log_sync(l);
	r = l->trouble;
	if (r == 0)
		return 0;
	log_close(l);
	return fail(e, r, "%s: cannot be written: %s", l->path, strerror(-r));
}

void log_close(struct log *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	strbuf_clear(&l->line);
}

/* Phases and verdicts. */

/* A process that is late by less may be one that a busy host does not run. */
#define PATIENCE (2 * CLOCK_SECOND)

enum plan_method run_method(const struct reset_card *c)
{
	return c->plan.ladder[c->rung];
}

bool run_is_late(const struct reset_card *c)
{
	return clock_mono() - c->began > c->limit;
}

bool run_any_in(const struct reset *r, enum reset_phase phase)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->cards[i].phase == phase)
			return true;
	return false;
}

bool run_is_acting(const struct reset_card *c)
{
	return c->phase >= RESET_FIRE && c->phase <= RESET_POST;
}

bool run_has_order(const struct run *run)
{
	return run_is_acting(run->card) || run->ask == ASK_SENT;
}

int64_t run_due(const struct run *run)
{
	const struct reset_card *c = run->card;
	const bool acts = c->phase == RESET_FIRE || c->phase == RESET_POST ||
		(c->phase == RESET_WAIT && run->is_watched);

	return acts ? c->began + c->limit + PATIENCE : INT64_MAX;
}

/* chip-facts 5.2; driver-behaviour 13: 12 s for a mute Wormhole. */
int64_t reset_phase_limit(enum reset_phase p, enum plan_method m, const struct outside *outside,
	bool links)
{
	switch (p) {
	case RESET_NOTIFY: return 2 * CLOCK_SECOND;
	case RESET_FIRE: return 20 * CLOCK_SECOND;
	case RESET_OUTSIDE: return outside->limit;
	case RESET_WAIT: return outside && m == PLAN_OUTSIDE ? outside->wait
			: (m == PLAN_DMC ? 20 : 10) * CLOCK_SECOND;
	case RESET_REBIND: return 10 * CLOCK_SECOND;
	case RESET_POST: return 15 * CLOCK_SECOND;
	case RESET_VERIFY: return (links ? 90 : 20) * CLOCK_SECOND;
	case RESET_OVER: break;
	}
	return 0;
}

void run_enter(struct reset *r, struct reset_card *c, enum reset_phase phase)
{
	c->phase = phase;
	c->began = clock_mono();
	c->limit = reset_phase_limit(phase, run_method(c), r->config.outside,
		r->config.require_links);
	c->limit += phase == RESET_VERIFY ? 3 * r->config.shared_interval : 0;
}

void run_end_phase(struct reset *r, struct reset_card *c, enum code failed, const char *text)
{
	struct reset_step *s, spare;

	s = c->n_steps < RESET_STEPS ? &c->steps[c->n_steps++] : &spare;
	*s = (struct reset_step){ .phase = c->phase, .method = run_method(c),
		.began = c->began - r->began, .took = clock_mono() - c->began, .limit = c->limit,
		.ok = failed == CODE_NONE };
	c->code = failed != CODE_NONE ? failed : c->code;
	mem_copy_text(s->text, sizeof(s->text), text);
	r->config.tell(r->config.arg, c, s);
}

void run_gather(const struct reset *r, const struct snapshot *s, struct reset_facts *out)
{
	out->firmware[0] = '\0';
	if (snapshot_has(s, FIELD_FW_BUNDLE))
		field_text(FIELD_FW_BUNDLE, &s->r[FIELD_FW_BUNDLE], out->firmware,
			sizeof(out->firmware));
	aer_read(r->config.bus, s->bdf, &out->aer);
	port_read(r->config.bus, s->bdf, &out->port);
}

void run_log(struct reset *r, const char *event, const struct run *run)
{
	const struct reset_card *c = run->card;
	const struct reset_facts *f = c->verdict == RESET_PENDING ? &c->before : &c->after;
	struct json_out *j;

	if (!r->config.log)
		return;
	j = log_begin(r->config.log, event);
	json_text(j, "bdf", c->bdf);
	json_text(j, "source", bus_origin(r->config.bus)->name);
	json_text(j, "board", c->series);
	json_text(j, "method", plan_method_title(run_method(c)));
	json_text(j, "driver", sampler_fleet(r->config.sampler)->driver);
	if (r->config.host)
		json_text(j, "kernel", r->config.host->kernel);
	json_text(j, "firmware", *f->firmware ? f->firmware : NULL);
	report_put_aer(j, "aer", &f->aer);
	report_put_port(j, "port", &f->port);
	if (c->verdict != RESET_PENDING) {
		json_text(j, "verdict", reset_verdict_name(c->verdict));
		json_decimal(j, "seconds", c->took / CLOCK_MS, 1000);
		json_text(j, "reason", *c->reason ? c->reason : NULL);
		json_code(j, c->code);
	}
	log_end(r->config.log);
}

/* Whether it is a real card in a virtual machine: then only its host can switch power. */
static bool is_guest(const struct reset *r)
{
	return r->config.host && r->config.host->virtual_machine &&
		!sampler_fleet(r->config.sampler)->origin->stand_in;
}

/* The kernel may find a card that it lost: try that before anything is switched off. */
static void advise_rescan(const struct run *run)
{
	struct reset_card *c = run->card;
	char remove[64] = "";

	if (run->device->trouble != DEVICE_GONE)
		snprintf(remove, sizeof(remove), "echo 1 >/sys/bus/pci/devices/%s/remove; ",
			c->bdf);
	advice_set(&c->advice, ACTION_RESCAN, "try: %secho 1 >/sys/bus/pci/rescan; tt-smi -wr %s",
		remove, c->bdf);
}

/* Advise what to do with a card that is not as it should be. */
static void advise(const struct reset *r, const struct run *run)
{
	struct reset_card *c = run->card;
	struct advice *a = &c->advice;
	const struct fleet *f = sampler_fleet(r->config.sampler);
	const struct snapshot *now = &f->chips[c->index];
	const char *at = strchr(c->bdf, ':');
	const enum device_trouble trouble = run->device->trouble;
	bool tried_dmc = false;

	if (c->verdict == RESET_REFUSED && run->refusal == -EBUSY)
		advice_set(a, ACTION_FREE_HOLDER, "a process has exported its memory: end it "
			"(tt-smi -s names who holds a card), then reset again");
	if (c->verdict == RESET_UNKNOWN)
		advice_set(a, ACTION_CONFIGURE_HOST, "end other programs or raise the limits "
			"(ulimit -n, -u, -v), then: tt-smi -wr %s", c->plan.board);
	if ((c->verdict != RESET_DEGRADED && c->verdict != RESET_LOST) ||
		(r->config.outside && !r->outside.has_fired))
		return;
	for (size_t i = 0; i <= c->rung; i++)
		tried_dmc |= c->plan.ladder[i] == PLAN_DMC;
	/* A sample of an earlier phase says nothing: it is from before our reset. */
	if (c->phase == RESET_VERIFY && snapshot_finding(now, "power-cable"))
		advice_take_finding(a, f, now, "power-cable");
	else if (c->phase == RESET_VERIFY && snapshot_is_being_reset(now))
		advice_set(a, ACTION_FREE_HOLDER, "wait for that program's end, then: "
			"tt-smi -wr %s", c->plan.board);
	else if (run->has_moved)
		advice_set(a, ACTION_NONE, "tt-smi --health shows how it is there");
	else if (c->is_unproved)
		advice_set(a, ACTION_NONE, "tt-smi --links shows its links as they are now; "
			"another reset would prove no more");
	else if (c->code == CODE_LOAD_ENDED)
		advice_set(a, ACTION_NONE, "see dmesg for what ended them, then: tt-smi -wr %s",
			c->plan.board);
	else if (run->is_stuck)
		advice_set(a, ACTION_POWER_CYCLE, "reboot the host cold: nothing else ends "
			"process %ld", (long)run->agent.pid);
	else if (trouble == DEVICE_GIVEN ||
		(trouble == DEVICE_NO_DRIVER && !*run->device->bus->driver))
		advice_set(a, ACTION_CONFIGURE_HOST, "%s", run->device->reason);
	else if (trouble == DEVICE_GONE || trouble == DEVICE_NO_DRIVER || trouble == DEVICE_NO_NODE)
		advise_rescan(run);
	else if (r->config.outside && c->verdict == RESET_DEGRADED)
		advice_set(a, ACTION_RESET_BOARD, "try: tt-smi -glx_reset_auto");
	else if (c->plan.can_dmc && !r->config.outside && !tried_dmc)
		advice_set(a, advice_of_reset(c->plan.board), "try: tt-smi -wr %s --dmc",
			c->plan.board);
	else if (is_guest(r) && r->config.host->xen && at && strlen(at) == 8)
		advice_set(a, ACTION_POWER_CYCLE, "as root, ask the Xen host to reset it: "
			"xenstore-write pci_hard_reset/%.2s_%.2s-%.1s 1", at + 1, at + 4, at + 7);
	else if (is_guest(r))
		advice_set(a, ACTION_POWER_CYCLE, "shut this virtual machine down and reset "
			"the card, or reboot, from its host");
	else if (c->verdict == RESET_DEGRADED)
		advice_set(a, ACTION_POWER_CYCLE, "reboot the host cold; if it stays so, "
			"reseat the card");
	else
		advice_set(a, ACTION_POWER_CYCLE, "power the host off and on; if the card "
			"stays away, reseat it");
}

/*
 * Count the resets for metrics, all at once when the last card is done, since this waits for the
 * disk.  A reset that was stopped before it was fired does not count.
 */
static void count_all(const struct reset *r, struct reset_card *last)
{
	static const int results[] = {
		[RESET_PENDING] = -1,
		[RESET_RECOVERED] = TALLY_RESET_RECOVERED,
		[RESET_DEGRADED] = TALLY_RESET_DEGRADED,
		[RESET_LOST] = TALLY_RESET_LOST,
		[RESET_UNKNOWN] = TALLY_RESET_UNKNOWN,
		[RESET_NOT_DONE] = TALLY_RESET_NOT_DONE,
		[RESET_REFUSED] = TALLY_RESET_REFUSED,
		[RESET_STOPPED] = -1,
	};
	struct counted_act acts[DEVICE_MAX];
	struct error e;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct reset_card *c = &r->cards[i];

		if (c->verdict == RESET_PENDING)
			return;
		if (results[c->verdict] >= 0)
			acts[n++] = (struct counted_act){ c->bdf,
				TALLY_RESETS + (unsigned)results[c->verdict] };
	}
	if (counted_add(r->config.bus, acts, n, &e) < 0)
		text_join(last->note, sizeof(last->note), "; ", "%.200s", e.text);
}

int run_find_second(const struct fleet *f, int index)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->chips[i].local == index)
			return (int)i;
	return -1;
}

void run_name_both(const struct run *run, const char *own, const char *second, char *text,
	size_t size)
{
	snprintf(text, size, "%s", own);
	if (*second)
		text_join(text, size, "; ", "second chip (%d): %s", run->second, second);
}

void run_conclude(struct reset *r, struct run *run, enum reset_verdict verdict,
	const char *reason)
{
	struct reset_card *c = run->card;
	const struct snapshot *now = &sampler_fleet(r->config.sampler)->chips[c->index];
	char chips[sizeof(run->verify.note) + sizeof(run->second_verify.note) + 24];

	if (verdict == RESET_LOST && run->is_left && !run->is_stuck)
		verdict = RESET_NOT_DONE;
	c->verdict = verdict;
	c->took = clock_mono() - r->began;
	c->node_after = run->device->node;
	run_gather(r, now, &c->after);
	if (!run->verify.since || now->raw.time < run->verify.since)
		c->after.firmware[0] = '\0';
	mem_copy_text(c->reason, sizeof(c->reason), reason);
	if (verdict == RESET_RECOVERED || verdict == RESET_STOPPED)
		c->code = verdict == RESET_STOPPED ? CODE_STOPPED : CODE_NONE;
	snprintf(c->note, sizeof(c->note), "%s", run_method(c) == PLAN_TENSIX && run->was_reset
		? "its compute cores alone were reset" : "");
	run_name_both(run, run->verify.note, run->second_verify.note, chips, sizeof(chips));
	if (*chips)
		text_join(c->note, sizeof(c->note), "; ", "%s", chips);
	count_all(r, c);
	advise(r, run);
	c->phase = RESET_OVER;
	run_log(r, "verdict", run);
	r->config.tell(r->config.arg, c, NULL);
}
