/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/session.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "device/record/record.h"
#include "src/act.h"
#include "src/alarm.h"
#include "src/mode.h"
#include "src/say.h"
#include "src/stop.h"
#include "telemetry/load/load.h"
#include "telemetry/select.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BURN_DEADLINE (30 * CLOCK_SECOND)
#define BEAT_TRIES    4
#define BEAT_SHARE    CLOCK_SECOND
#define LOOK_GAP      (200 * CLOCK_MS)	/* between two looks at counters or heartbeats */

enum exit_code session_fail(const struct error *e)
{
	static const char not_even_root[] = "not even root may do this here: a container, a "
		"read-only mount or a security policy forbids it";
	static const struct {
		int code;
		const char *hint, *of_root;	/* in place of hint, for root */
	} hints[] = {
		{ -EACCES, "try as root, or join the group that owns the file", not_even_root },
		{ -EPERM, "try as root", not_even_root },
		{ -ENOSPC, "free some space, or name another folder", NULL },
		{ -EROFS, "name a file in a folder that can be written to", NULL },
		{ -ENODEV, "tt-smi -ls lists every device with its names", NULL },
	};

	say_error(e);
	for (size_t i = 0; i < ARRAY_LEN(hints); i++)
		if (hints[i].code == e->code)
			say("hint: %s", geteuid() == 0 && hints[i].of_root ? hints[i].of_root
				: hints[i].hint);
	/* What a file or the machine says is no usage error. */
	return e->code == -EINVAL ? EXIT_FAILED : exit_of_error(e->code);
}

enum exit_code session_fail_file(const struct error *e)
{
	if (e->code != -EACCES && e->code != -EPERM) {
		session_fail(e);
		return EXIT_FAILED;
	}
	say_error(e);
	say("hint: name a file or folder that you may write to");
	return EXIT_FAILED;
}

enum exit_code session_fail_choice(const struct error *e)
{
	session_fail(e);
	return exit_of_error(e->code);
}

/* Mark what --device names; serials and second chips are known only after a sample. */
static int session_choose_early(struct session *s, const struct options *o, struct error *e)
{
	const struct fleet *f = sampler_fleet(s->sampler);

	/* "all" includes the second chips, which are not known yet. */
	bool all = !o->devices || select_is_all(o->devices);

	memset(s->wanted, all, sizeof(s->wanted));
	return all ? 0 : select_chips(o->devices, f->chips, f->n, s->wanted, e);
}

/* Whether what is printed says what limits the cards. */
static bool shows_selection(const struct options *o)
{
	const enum mode_selection is = o->does->selection;

	return is == SELECTION_IS_SHOWN || (is == SELECTION_IS_SHOWN_IN_JSON && o->json);
}

/* Add what limits the cards to the text that says so. */
static void note_limit(struct session *s, const char *kind, const char *what)
{
	if (what && *what)
		text_join(s->selection, sizeof(s->selection), " and ", "%s%.60s", kind, what);
}

void session_say_hidden(const struct session *s, size_t index, const char *undone)
{
	const struct snapshot *c = &sampler_fleet(s->sampler)->chips[index];

	say_as(CODE_HIDDEN, "%d %s: may not be seen here (%s)%s%s", c->index, *c->bdf ? c->bdf :
		c->series, s->selection, undone ? ": " : "", undone ? undone : "");
}

/* A card that --device names by itself and that is hidden is missed, in all modes. */
static void note_hidden(struct session *s, const struct options *o, const bool *before)
{
	const struct fleet *f = sampler_fleet(s->sampler);

	if (!o->devices || select_has_all(o->devices))
		return;
	for (size_t i = 0; i < f->n && !s->misses; i++)
		if (before[i] && !s->wanted[i]) {
			session_say_hidden(s, i, o->act ? act_words[o->act->kind].undone : NULL);
			s->misses = true;
		}
}

static int choose_visible(struct session *s, const struct options *o, struct error *e)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	const char *visible = getenv("TT_VISIBLE_DEVICES");
	bool before[DEVICE_MAX];
	int r;

	if (!visible || !*visible || f->n == 0)
		return 0;
	note_limit(s, "TT_VISIBLE_DEVICES=", visible);
	memcpy(before, s->wanted, sizeof(before));
	r = select_visible(visible, f->chips, f->n, s->wanted, e);
	if (r < 0 || memcmp(before, s->wanted, sizeof(before)) == 0)
		return r;
	if (!s->said_selection && !shows_selection(o))
		say("%s: the other boards are left out", s->selection);
	s->said_selection = true;
	note_hidden(s, o, before);
	return 0;
}

/* What limits the cards: a file's own selection, TT_VISIBLE_DEVICES and --device. */
static int limit(struct session *s, const struct options *o, struct error *e)
{
	int r;

	s->selection[0] = '\0';
	note_limit(s, "", o->load ? sampler_loaded(s->sampler)->selection : NULL);
	r = choose_visible(s, o, e);
	if (o->devices && !select_has_all(o->devices))
		note_limit(s, "--device ", o->external ? "..." : o->devices);
	return r;
}

/* Choose what is known before a sample, begin the first tick, read the host's facts meanwhile. */
static int begin_first(struct session *s, const struct options *o, bool waits, struct error *e)
{
	int r = session_choose_early(s, o, e);

	s->chosen = r == 0;
	if (s->chosen)
		r = limit(s, o, e);
	if (r < 0 && (s->chosen || r != -ENODEV))
		return r;
	sampler_select(s->sampler, s->chosen ? s->wanted : NULL, DEVICE_MAX, s->selection);
	/* A serial that is missing may be that of a chip not sampled yet: wait for all. */
	if (waits || !s->chosen)
		sampler_await_all(s->sampler);
	r = sampler_begin(s->sampler);
	if (o->load)
		s->host = sampler_loaded(s->sampler)->host;
	else
		host_read(o->root ? o->root : "/", sampler_fleet(s->sampler)->driver, &s->host);
	return r;
}

int session_choose(struct session *s, const struct options *o, struct error *e)
{
	int r = s->chosen ? 0 : session_choose_early(s, o, e);

	s->chosen = true;
	if (r == 0)
		r = limit(s, o, e);
	if (r < 0)
		memset(s->wanted, 0, sizeof(s->wanted));
	sampler_select(s->sampler, s->wanted, DEVICE_MAX, s->selection);
	return r;
}

/* Begin the error with the option, or the variable, that says where cards come from. */
static void name_source(const char *typed, struct error *e)
{
	struct error inner = *e;

	fail_because(e, inner.code, &inner, "%.*s: %s", (int)strcspn(typed, "="), typed,
		inner.text);
}

/* Whether to judge heartbeats after the first sample; --record records one pass only. */
static bool judges_beats(const struct options *o)
{
	/* -wr without names lists the cards, too. */
	const bool lists = o->typed[OPT_WARM_RESET] && o->n_targets == 0;

	return (o->does->judges_beats || lists) && (!o->record || o->bundle);
}

static int open_sampler(struct session *s, const struct options *o, bool one_shot, struct error *e)
{
	const struct bus_config bus = { .root = o->root,
		.sim = o->sim,
		.sim_seed = o->sim_seed,
		.ttsim = o->ttsim,
		.replay = o->replay,
		.record = o->record,
		.passive = o->passive };
	struct sampler_config config = { .load = o->load,
		.deadline = o->deadline,
		.one_shot = one_shot,
		.judges_beats = judges_beats(o),
		/* A reset may ask for what it needs to know; all others only with --remote. */
		.asks = o->does->asks || (o->act && o->act->kind == ACT_RESET),
		.alerts = s->alerts,
		.asks_links = o->typed[OPT_ETH_STATUS],
		.busy = o->busy && !o->passive,
		.remote = o->remote,
		.local = o->local,
		.visible = getenv("TT_VISIBLE_DEVICES"),
		.interval = o->interval ? o->interval : CLOCK_SECOND / 2,
		.keep = o->interval && o->interval < 100000000 };
	int r = o->load ? 0 : bus_open(&bus, &s->bus, e);

	/* A busy simulated chip answers late: one clock cycle of all its cores takes a second. */
	if (o->does->awaits_busy && o->ttsim && !o->deadline)
		config.deadline = BURN_DEADLINE;
	config.bus = s->bus;
	return r < 0 ? r : sampler_open(&config, &s->sampler, e);
}

static void close_all(struct session *s)
{
	sampler_close(s->sampler);
	s->sampler = NULL;
	alerts_free(s->alerts);
	s->alerts = NULL;
	bus_close(s->bus);
	s->bus = NULL;
}

static enum exit_code session_new(struct session *s, const struct options *o, bool one_shot,
	bool waits)
{
	struct error e = { 0 };

	memset(s, 0, sizeof(*s));
	s->piped = one_shot && option_rows[OPT_STRICT].modes >> o->mode & 1 && !o->strict &&
		!o->partial_ok && !isatty(STDOUT_FILENO);
	s->partial_ok = o->partial_ok || s->piped;
	if (!one_shot && o->does->alerts)
		s->alerts = alarm_read_rules(o);
	if (open_sampler(s, o, one_shot, &e) < 0) {
		close_all(s);
		if (o->sim && e.code == -EINVAL)
			name_source(o->typed[OPT_SIM], &e);
		if (o->ttsim)
			name_source(o->typed[OPT_TTSIM], &e);
		return o->load || o->replay ? session_fail(&e) : session_fail_choice(&e);
	}
	if (begin_first(s, o, waits, &e) < 0) {
		close_all(s);
		return session_fail_choice(&e);
	}
	return EXIT_DONE;
}

enum exit_code session_start(struct session *s, const struct options *o)
{
	return session_new(s, o, false, false);
}

const struct snapshot *session_find_restless(const struct session *s)
{
	const struct fleet *f = sampler_fleet(s->sampler);

	for (size_t i = 0; i < f->n; i++)
		if (f->wanted[i] && snapshot_is_restless(&f->chips[i]))
			return &f->chips[i];
	return NULL;
}

/* A share of busy time needs two looks, if something counts it. */
static bool counts_busy(const struct session *s)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	bool counts = false;

	for (size_t i = 0; i < f->n; i++)
		counts |= f->chips[i].raw.busy.source == BUSY_FIRST;
	return counts;
}

/* The second look and later ones do not wait for a hung chip again. */
static bool look_again(struct session *s, struct error *e)
{
	sampler_set_brisk(s->sampler);
	clock_sleep_until(clock_mono() + LOOK_GAP);
	return sampler_tick(s->sampler, e) == 0;
}

/* Whether a core has shown the same heartbeat in all samples, over too short a time to judge it. */
static bool awaits_pulse(const struct session *s)
{
	const struct fleet *f = sampler_fleet(s->sampler);

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; s->wanted[i] && f->chips[i].raw.has_links &&
			!f->chips[i].raw.repeated && k < ETH_LINKS_MOST; k++)
			if (f->chips[i].raw.links[k].is_on &&
				f->chips[i].raw.links[k].pulse == ETH_PULSE_UNKNOWN)
				return true;
	return false;
}

/* The second look, or several. */
static bool look_on(struct session *s, const struct options *o, struct error *e)
{
	const int64_t until = clock_mono() + ETH_FROZEN_AFTER + LOOK_GAP;
	bool is_fine = !counts_busy(s) || look_again(s, e);

	while (o->typed[OPT_ETH_STATUS] && is_fine && awaits_pulse(s) && clock_mono() < until)
		is_fine = look_again(s, e);
	return is_fine;
}

enum exit_code session_open(struct session *s, const struct options *o, bool one_shot)
{
	enum exit_code code = session_new(s, o, one_shot, true);
	struct error e = { 0 };

	if (code != EXIT_DONE)
		return code;
	if (sampler_finish(s->sampler, &e) == 0 && session_choose(s, o, &e) == 0) {
		if (one_shot && !look_on(s, o, &e)) {
			close_all(s);
			return session_fail(&e);
		}
		if (judges_beats(o))
			sampler_judge_beats(s->sampler);
		return EXIT_DONE;
	}
	close_all(s);
	return session_fail_choice(&e);
}

enum exit_code session_open_until(struct session *s, const struct options *o, int64_t until)
{
	const bool judges = judges_beats(o);
	enum exit_code code = session_new(s, o, true, true);
	struct error e = { 0 };
	int64_t first = until;

	if (code != EXIT_DONE)
		return code;
	/* Keep time for a second look at cards that answer, when others do not. */
	if (judges)
		first -= clock_earlier((until - clock_mono()) / 2, BEAT_SHARE);
	while (sampler_is_busy(s->sampler) && clock_mono() < first) {
		sampler_wait(s->sampler, first);
		sampler_collect(s->sampler);
	}
	if (session_choose(s, o, &e) < 0) {
		close_all(s);
		return session_fail_choice(&e);
	}
	/* On a busy machine a worker process may not look in time, so try again. */
	for (int i = 0; judges && i < BEAT_TRIES && clock_mono() < until; i++)
		if (sampler_judge_beats(s->sampler))
			break;
	return EXIT_DONE;
}

/* A session is closed where its mode's exit code is known already: main() asks for this. */
static bool has_cut;

bool session_has_cut(void)
{
	return has_cut;
}

void session_close(struct session *s)
{
	int cut = s->bus ? record_trouble(s->bus) : 0;

	if (cut < 0)
		say_as(code_find(cut), "cannot write the recording, which ends early: %s",
			strerror(-cut));
	has_cut = has_cut || cut < 0;
	close_all(s);
}

struct snapshot *session_keep_chips(const struct session *s)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	struct snapshot *chips = mem_calloc(DEVICE_MAX, sizeof(*chips));

	memcpy(chips, f->chips, f->n * sizeof(*chips));
	return chips;
}

/* What the cards of a session amount to: exit code, and reasons on stderr. */

/* Of the cards to be read: all, those that failed or have stopped, those without a driver. */
struct shown {
	size_t shown, failed, undriven;
};

static struct shown count_shown(const struct session *s)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	struct shown t = { 0 };

	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *c = &f->chips[i];

		if (!f->wanted[i] || snapshot_is_left_alone(c))
			continue;
		t.shown++;
		t.failed += snapshot_miss(c) != NULL;
		/* A card on the PCI bus that no driver offers a device for. */
		t.undriven += snapshot_is_lost(c) && f->origin->is_machine && c->local < 0 &&
			c->node < 0;
	}
	return t;
}

enum exit_code session_verdict(const struct session *s)
{
	const struct shown t = count_shown(s);

	if (t.shown == t.undriven)
		return EXIT_NO_DEVICE;
	if ((t.failed == 0 && !s->misses) || (s->partial_ok && t.failed < t.shown))
		return EXIT_DONE;
	return EXIT_PARTIAL;
}

bool session_is_copy(const struct session *s)
{
	const struct origin *origin = sampler_fleet(s->sampler)->origin;

	return origin->is_moment || (origin->is_machine && !bus_is_live(s->bus));
}

bool session_reads_none(const struct session *s)
{
	const struct fleet *f = sampler_fleet(s->sampler);

	for (size_t i = 0; i < f->n; i++)
		if (f->wanted[i] && f->chips[i].health != SNAPSHOT_NOT_READ)
			return false;
	return true;
}

/* Whether the functions of the PCI bus can be seen at all; in a container they may not be. */
static bool sees_pci(const struct session *s)
{
	static const char *const lists[] = { "sys/bus", "proc/bus/pci/devices" };
	char path[sizeof(s->bus->root) + 24];
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		snprintf(path, sizeof(path), "%s/%s", s->bus->root, lists[i]);
		any |= access(path, F_OK) == 0;
	}
	return any;
}

void session_complain_none(const struct session *s)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	bool any = false;

	for (size_t i = 0; i < f->n; i++)
		any |= f->wanted[i] && !snapshot_is_left_alone(&f->chips[i]);
	if (f->n == 0 && f->origin->is_machine && !sees_pci(s)) {
		say_as(CODE_NO_DEVICE, "no Tenstorrent device can be seen: there is no sysfs at "
			"%s/sys", strcmp(s->bus->root, "/") == 0 ? "" : s->bus->root);
		say("hint: `mount -t sysfs sysfs /sys`, or pass /sys into the container");
	} else if (f->n == 0 && f->origin->is_machine) {
		say_as(CODE_NO_DEVICE, "no Tenstorrent device: none on the PCI bus, %s", *f->driver
			? "none at the driver" : "and the driver is not loaded");
		say("hint: lspci -d 1e52: lists cards; --sim p150a shows the tool without one");
	} else if (!any) {
		say_as(CODE_NO_DEVICE, "no device to show%s%s", *f->selection ? ": " : "",
			f->selection);
		for (size_t i = 0; i < f->n; i++)
			if (f->wanted[i] && snapshot_is_given(&f->chips[i]))
				say_as(f->chips[i].code, "%zu %s: %s", i, f->chips[i].bdf,
					f->chips[i].reason);
	}
}

void session_complain(const struct session *s)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	const struct shown t = count_shown(s);

	session_complain_none(s);
	for (size_t i = 0; i < f->n; i++) {
		struct strbuf names = { 0 };

		if (f->wanted[i] && fleet_put_alike(f, i, snapshot_miss, &names))
			say_as(snapshot_code(&f->chips[i]), "%s: %s", names.text,
				snapshot_miss(&f->chips[i]));
		strbuf_clear(&names);
	}
	if (s->piped && t.failed > 0 && t.failed < t.shown)
		say_as(CODE_NOT_READ, "%zu of %zu chips %s; with --strict the exit code says so, "
			"too", t.failed, t.shown, t.failed == 1 ? "was not read, or has stopped" :
			"were not read, or have stopped");
}

enum exit_code session_print(struct session *s, struct strbuf *text, bool explained)
{
	const enum exit_code code = outlet_print(text, session_verdict(s));

	/* A program that reads a pipe may look for the reasons on stderr only. */
	(s->piped || !explained ? session_complain : session_complain_none)(s);
	session_close(s);
	return code;
}
