/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/burnin/cards.h"

#include "act/watchdog.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/record_file.h"
#include "burnin/cores/card_burn.h"
#include "burnin/memory/card_memory.h"
#include "device/device.h"
#include "src/burnin/print.h"
#include "src/burnin/run.h"
#include "src/say.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROCESS_PATIENCE (20 * CLOCK_SECOND)	/* without a single access that returns */
#define END_TIME (500 * CLOCK_MS)

struct card_process_shared {
	_Atomic bool over;
	int result;		/* 0 or -errno, when it is over */
	struct error error;
};

static int work_on_card(void *arg, int fd)
{
	const struct card_process *p = arg;
	struct card_process_shared *s = p->shared;

	(void)fd;
	/* Active: the memory of a board that has powered down is asleep. */
	s->result = device_acquire_for(p->device, p->access, DEVICE_ACTIVE, &s->error);
	if (s->result == 0) {
		s->result = p->run(p->arg, &s->error);
		device_release(p->device);
	}
	atomic_store(&s->over, true);
	return 0;
}

void card_process_start(struct card_process *p, const struct bus *bus)
{
	const struct child_config how = { .run = work_on_card, .arg = p, .keep = bus->keep,
		.n_keep = bus->n_keep, .dies_with_parent = true, .ignores_terminal = true };

	if (*p->why.text)
		return;
	p->shared = mem_share(sizeof(*p->shared));
	watchdog_open(&p->watchdog, 1, clock_mono());
	p->started = child_start(&p->child, &how, &p->why) == 0;
}

/* One sample may be late because of the work itself, so two in a row have to find the card dead. */
static bool has_died(struct card_process *p, const struct act *a)
{
	const uint64_t tick = sampler_fleet(a->session.sampler)->tick;
	struct error died;

	if (!act_card_died(a, p->device->index, &died)) {
		p->dead_tick = 0;
		return false;
	}
	if (p->dead_tick == 0)
		p->dead_tick = tick;
	p->died = tick > p->dead_tick;
	if (p->died)
		p->why = died;
	return p->died;
}

bool card_process_died(struct card_process *p, const struct act *a)
{
	p->died = p->died || act_card_died(a, p->device->index, &p->why);
	return p->died;
}

bool card_process_beat(struct card_process *p, const struct act *a)
{
	if (!p->started || *p->why.text || child_has_ended(&p->child))
		return false;
	watchdog_look(&p->watchdog, clock_mono());
	watchdog_see(&p->watchdog, 0, atomic_load(p->moved), false);
	if (watchdog_stands(&p->watchdog, 0) >= PROCESS_PATIENCE)
		fail_as(&p->why, CODE_HUNG, -ETIMEDOUT, "its memory does not answer: given up "
			"after %d s", (int)(PROCESS_PATIENCE / CLOCK_SECOND));
	else if (!has_died(p, a))
		return true;
	child_kill(&p->child);
	return false;
}

void card_process_end(struct card_process *p)
{
	if (!p->shared)
		return;
	if (p->started)
		child_end(&p->child, *p->why.text ? 0 : END_TIME);
	p->started = false;
	watchdog_close(&p->watchdog);
	p->is_over = atomic_load(&p->shared->over);
	if (p->is_over && p->shared->result < 0 && !*p->why.text)
		p->why = p->shared->error;
	mem_unshare(p->shared, sizeof(*p->shared));
	p->shared = NULL;
}

/* The work of a card; one that cannot do it by its telemetry is neither taken nor reset. */

#define ROUND	   (10 * CLOCK_SECOND)	/* with the same operands, if there is time for it */
#define STILL	   (5 * CLOCK_SECOND)	/* a block takes less than a millisecond */
#define RAMP	   (20 * CLOCK_MS)
#define UNWATCHED  (3 * CLOCK_SECOND)
#define SIM_STILL  (60 * CLOCK_SECOND)

enum {
	STEPS = 1188,		/* of a block: enough that checking it does not cost rate */
	SIM_STEPS = 9,
	ROWS = 4, SIM_ROWS = 2,
	RELOAD = 64,		/* passes, of half a millisecond */
	SIM_PASSES = 4,
	DEADMAN = 16000000,	/* 256 cycles: 3 s at 1350 MHz */
	SIM_DEADMAN = 1 << 26
};

/* ns that a simulated core may need for a block. */
static int64_t sim_still(void)
{
	const char *text = getenv("TT_SMI_TTSIM_STILL");
	int64_t ns;

	return text && parse_seconds(text, &ns) ? ns : SIM_STILL;
}

bool burnin_is_timeless(const struct bus *bus)
{
	/* For tests, whose chip counts its cycles right. */
	return bus_is_still(bus) && !getenv("TT_SMI_TTSIM_TIMED");
}

static int64_t round_time(const struct burnin_run *r, const struct card_burn_config *c)
{
	int64_t most = ROUND;

	for (int k = 0, n = 0; k < CARD_KINDS; k++) {
		n += c->kinds[k];
		if (n > 0 && r->facts.duration > 0 && r->facts.duration / (2 * n) < most)
			most = r->facts.duration / (2 * n);
	}
	return most;
}

static int find_channels(const struct burnin_run *r, const struct snapshot *s,
	struct memory_channels *known, struct error *e)
{
	const int err = memory_channels(s, known, e);

	return err < 0 ? err : memory_channels_choose(known, r->work.channels,
		r->act.o->typed[OPT_CHANNELS], e);
}

/*
 * Choose the memory channels that take part.  If they are not known, none is touched, which is
 * an error if memory was requested, and else a remark if operands should have come from them.
 */
static int aim_memory(const struct burnin_run *r, const struct snapshot *s,
	struct card_burn_config *c, struct error *e)
{
	const bool asked = r->work.memory;
	const bool reloads = asked || !(c->is_simulator || c->held || c->reference);
	struct memory_channels known;
	int err = find_channels(r, s, &known, e);

	if (err < 0 && asked)
		return err;
	c->memory_left = asked ? known.left : c->is_simulator || c->reference ? 0 :
		memory_channels_failed(s) & r->work.channels;
	if (err < 0 && reloads && !c->memory_left)
		mem_copy_text(c->not_reloaded, sizeof(c->not_reloaded), e->text);
	if (err < 0)
		return 0;
	c->enabled = known.enabled;
	c->channels = known.chosen;
	c->kept = known.kept;
	c->bursts = asked;
	if (reloads)
		c->reload = c->is_simulator ? 1 : RELOAD;
	/* Enough passes that the reloaded operands are used. */
	if (asked && c->passes)
		c->passes = SIM_PASSES;
	return 0;
}

static struct card_burn_config usual_config(const struct burnin_run *r, int index)
{
	const struct options *o = r->act.o;
	const bool sim = bus_is_still(r->act.session.bus);
	static const uint32_t phases[] = { 4, 2, 1 };
	struct card_burn_config c = { .device = &r->act.session.bus->dev[index],
		.seed = o->seed,
		.steps = o->block ? (uint32_t)o->block : sim ? SIM_STEPS : STEPS,
		.phases = phases[o->phases], .rows = sim ? SIM_ROWS : ROWS, .held = o->held,
		.pattern = (enum load_pattern)o->pattern, .stop_on_error = o->stop_on_error,
		.first_light = o->first_light, .iterations = o->iterations,
		.duration = r->facts.duration,
		.passes = sim && (o->first_light || o->iterations),
		.still = sim ? sim_still() : STILL, .unwatched = UNWATCHED, .ramp = sim ? 0 : RAMP,
		.deadman = sim ? SIM_DEADMAN : DEADMAN, .is_simulator = sim,
		.is_timeless = burnin_is_timeless(r->act.session.bus),
		.vector = r->work.vector, .reference = r->work.reference,
		.computes_nothing = !bus_origin(r->act.session.bus)->computes };

	memcpy(c.kinds, r->work.card_kinds, sizeof(c.kinds));
	c.round = round_time(r, &c);
	return c;
}

/* Without work for the cores the memory is tested from the host. */
static int plan_memory(const struct burnin_run *r, const struct snapshot *s,
	struct card_burn_config *c, struct error *e)
{
	const struct burnin_work *w = &r->work;
	struct memory_channels known;
	int err = find_channels(r, s, &known, e);

	if (err < 0)
		return err;
	c->memory = (struct card_memory_plan){ .enabled = known.enabled,
		.channels = known.chosen, .live = known.usable, .kept = known.kept,
		.seed = c->seed,
		.salt = (uint64_t)clock_real(), .iterations = c->iterations,
		.size = c->is_simulator ? CARD_MEMORY_SIM : CARD_MEMORY_USUAL };
	c->memory_left = known.left;
	if (r->act.o->typed[OPT_SIZE])
		c->memory.size = w->share > 0 ? (uint64_t)((double)card_memory_size(s->chip) *
			(double)w->share / 100000) : w->size;
	c->memory.size = card_memory_take(s->chip, c->memory.size);
	return 0;
}

/* Set up a card's work.  -EAGAIN: its memory must be trained first, for example by a reset. */
static int burnin_card_configure(const struct burnin_run *r, const struct snapshot *s,
	struct card_burn_config *c, struct error *e)
{
	int err = 0;

	*c = usual_config(r, s->index);
	if (!c->is_simulator && !snapshot_is_live(s))
		return fail_as(e, snapshot_code(s), -ENODATA, "it cannot be read: %s", s->reason);
	/* A reset may start its firmware again. */
	if (!c->is_simulator && snapshot_trouble(s))
		return fail_as(e, snapshot_code(s), -EAGAIN, "%s", snapshot_trouble(s));
	if (c->computes_nothing)
		return 0;
	if (!c->is_simulator)
		err = card_off(s, &c->off, &c->asks_off, &c->known_rows, e);
	/* A test of memory needs no core, so hold none. */
	if (err < 0 && !r->work.computes) {
		c->off = UINT32_MAX;
		err = 0;
	}
	if (err < 0)
		return err;
	err = r->work.computes ? aim_memory(r, s, c, e) : plan_memory(r, s, c, e);
	return err == -ENODATA ? -EAGAIN : err;
}

/* Wait a while until the cards' telemetry is fresh, not from an older sample. */
static void burnin_await_fresh(struct burnin_run *r)
{
	bool cards[DEVICE_MAX] = { false };
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		cards[t->card->index] = true;
	act_await_fresh(&r->act, cards);
}

/* INCOMPLETE, unless it died since the act began. */
static void leave_out_card(struct burnin_run *r, struct burnin_target *t, struct error *e)
{
	const bool died = act_card_died(&r->act, t->card->index, e);

	burnin_leave_out(t, died ? VERDICT_FAIL : VERDICT_INCOMPLETE, e->word, "%s", e->text);
}

/* Mark the cards that can do the work as wanted, and leave out the others. */
static void fit_cards(struct burnin_run *r)
{
	struct burnin_target *t;

	burnin_await_fresh(r);
	for (size_t i = 0; (t = burnin_next_card(r, &i));) {
		const struct fleet *f = sampler_fleet(r->act.session.sampler);
		struct card_burn_config c;
		struct error e = { 0 };
		int err = burnin_card_configure(r, &f->chips[t->card->index], &c, &e);

		if (err == 0 || (err == -EAGAIN && r->resets)) {
			r->act.wanted[t->card->index] = true;
			continue;
		}
		leave_out_card(r, t, &e);
		free(t->card);
		t->card = NULL;
	}
}

enum exit_code burnin_fit(struct act *a)
{
	struct burnin_run *r = (struct burnin_run *)a;

	/* A first light ends by itself. */
	if (a->o->first_light && !r->host)
		r->facts.duration = 0;
	if (!a->is_part)
		outlet_open(&r->out);
	fit_cards(r);
	return EXIT_DONE;
}

/* What earlier burns found. */

enum { FINDS = 512, FIND_LINE = 128 };

/* The largest numbers that parse_finds() takes; a sum stays there. */
#define WORDS_MOST UINT64_C(999999999999999999)
#define BURNS_MOST 999999999

struct finds {
	size_t n;
	struct burnin_find of[FINDS];
};

static void put_finds(const void *from, struct strbuf *to)
{
	const struct finds *all = from;

	for (size_t i = 0; i < all->n; i++) {
		const struct burnin_find *f = &all->of[i];

		strbuf_printf(to, "%s %u %u %" PRIu64 " %u %u %" PRId64 " %" PRId64 "\n", f->chip,
			f->x, f->y, f->words, f->burns, f->clean, f->last, f->degrees);
	}
}

static bool parse_finds(char *lines, void *to)
{
	struct finds *all = to;
	const char *line;

	for (all->n = 0; (line = record_file_line(&lines)) && all->n < FINDS; all->n++) {
		struct burnin_find *f = &all->of[all->n];
		int end = -1;

		if (strchr(line, '-') || sscanf(line, "%23[0-9a-fx:.] %3u %3u %18" SCNu64
			" %9u %9u %19" SCNd64 " %9" SCNd64 "%n", f->chip, &f->x, &f->y,
			&f->words, &f->burns, &f->clean, &f->last, &f->degrees, &end) != 8 ||
			line[end])
			return false;
	}
	return true;
}

static const struct record_file finds_file = { .head = "tt-smi finds 1",
	.max = FINDS * FIND_LINE, .put = put_finds, .parse = parse_finds };

static int finds_path(const struct burnin_run *r, char *path, size_t size, struct error *e)
{
	char name[64];

	snprintf(name, sizeof(name), "finds-%.16s", bus_state_name(r->act.session.bus));
	return state_path(name, path, size, e);
}

/* By the time of the last one, the latest first. */
static int by_time(const void *a, const void *b)
{
	const struct burnin_find *x = a, *y = b;

	return (x->last < y->last) - (x->last > y->last);
}

/* Take the card's finds of earlier burns; a file that cannot be read is told when it is written. */
static void recall_finds(const struct burnin_run *r, struct burnin_card *c,
	const struct snapshot *s)
{
	struct finds *all = mem_calloc(1, sizeof(*all));
	char path[PATH_MAX];
	struct error e;

	mem_copy_text(c->chip_name, sizeof(c->chip_name), s->bdf);
	if (reading_has_value(&s->r[FIELD_ASIC_ID]))
		field_text(FIELD_ASIC_ID, &s->r[FIELD_ASIC_ID], c->chip_name, sizeof(c->chip_name));
	c->n_before = 0;
	if (bus_state_name(r->act.session.bus) && finds_path(r, path, sizeof(path), &e) == 0 &&
		record_file_read(&finds_file, path, all, &e) == 0)
		qsort(all->of, all->n, sizeof(all->of[0]), by_time);
	else
		all->n = 0;
	for (size_t i = 0; i < all->n && c->n_before < BURNIN_FINDS_SHOWN; i++)
		if (strcmp(all->of[i].chip, c->chip_name) == 0)
			c->before[c->n_before++] = all->of[i];
	free(all);
}

static struct burnin_find *find_find(struct finds *all, const struct burnin_find *like, bool adds)
{
	size_t i = 0;

	while (i < all->n && (strcmp(all->of[i].chip, like->chip) != 0 ||
		all->of[i].x != like->x || all->of[i].y != like->y))
		i++;
	if (i == all->n && !adds)
		return NULL;
	/* The oldest makes room. */
	if (i == FINDS) {
		qsort(all->of, all->n, sizeof(all->of[0]), by_time);
		i = --all->n;
	}
	if (i == all->n)
		all->of[all->n++] = *like;
	return &all->of[i];
}

/* Note what this burn found on a core.  True if that changes the file. */
static bool note_core(struct finds *all, const struct burnin_card *c, const struct card_core *core)
{
	const struct range *temp = &c->seen[BURNIN_TEMP];
	const uint64_t words = atomic_load(&core->errors) + atomic_load(&core->refuted);
	const bool is_bad = words > 0 || atomic_load(&core->stood) || atomic_load(&core->blind) ||
		atomic_load(&core->misnamed) || atomic_load(&core->early);
	struct burnin_find like = { .x = core->x, .y = core->y }, *f;

	mem_copy_text(like.chip, sizeof(like.chip), c->chip_name);
	f = find_find(all, &like, is_bad);
	/* A core that came to no end has shown nothing. */
	if (!f || (!is_bad && atomic_load(&core->named) == 0))
		return false;
	f->words = words < WORDS_MOST - f->words ? f->words + words : WORDS_MOST;
	f->burns += is_bad && f->burns < BURNS_MOST;
	f->clean = is_bad ? 0 : f->clean + (f->clean < BURNS_MOST);
	if (is_bad) {
		f->last = clock_real();
		f->degrees = temp->n > 0 && temp->most > 0 ?
			temp->most * 1000 / fields[FIELD_ASIC_TEMP].scale : 0;
	}
	return true;
}

static int keep_finds(struct burnin_run *r, struct finds *all, const char *path, struct error *e)
{
	const int read = record_file_read(&finds_file, path, all, e);
	const struct burnin_target *t;
	bool has_changed = read == -EBADMSG;
	int err = 0;

	if (read < 0 && read != -ENOENT && read != -EBADMSG)
		return read;
	if (read < 0)
		all->n = 0;
	for (size_t i = 0; (t = burnin_next_started(r, &i));)
		for (size_t k = 0, n = card_cores(t->card->burn.shared); k < n; k++)
			has_changed |= note_core(all, t->card, &t->card->burn.shared->cores[k]);
	if (has_changed)
		err = record_file_write(&finds_file, path, all, e);
	return err < 0 || read == -ENOENT ? err : read;
}

/* For the next burn, which begins with them. */
static void remember_finds(struct burnin_run *r)
{
	struct finds *all;
	char path[PATH_MAX];
	struct error e;
	int lock, err;

	if (!burnin_cards_any(r) || !bus_state_name(r->act.session.bus))
		return;
	all = mem_calloc(1, sizeof(*all));
	err = lock = finds_path(r, path, sizeof(path), &e);
	if (lock == 0)
		err = lock = state_lock(path, CLOCK_SECOND, &e);
	if (lock >= 0)
		err = keep_finds(r, all, path, &e);
	if (err == -EBADMSG)
		say_as(e.word, "%s: what burns find is noted anew", e.text);
	else if (err < 0)
		say_as(e.word, "what was found is not kept for the next burn: %s", e.text);
	if (lock >= 0)
		close(lock);
	free(all);
}

/* The loads. */

#define PATIENCE (20 * CLOCK_SECOND)	/* the longest without a sign of a card's process */
#define CARD_END (3 * CLOCK_SECOND)	/* for cores to end, after the load is over */

static void cards_start_one(struct burnin_run *r, struct burnin_target *t)
{
	const struct snapshot *s = &sampler_fleet(r->act.session.sampler)->chips[t->card->index];
	const struct reading *firmware = &s->r[FIELD_FW_BUNDLE];
	struct burnin_card *card = t->card;
	struct card_burn_config c;
	struct error e = { 0 };
	int err = burnin_card_configure(r, s, &c, &e);

	for (unsigned i = 0; i < MEMORY_CHANNELS; i++)
		card->memory_errors[BURNIN_BEFORE][i] = memory_errors_of(s, i);
	if (reading_has_value(firmware))
		field_text(FIELD_FW_BUNDLE, firmware, card->firmware, sizeof(card->firmware));
	recall_finds(r, card, s);
	if (err == 0)
		err = card_burn_start(&card->burn, &c, &e);
	card->started = err == 0;
	if (err < 0)
		leave_out_card(r, t, &e);
}

void burnin_cards_start(struct burnin_run *r)
{
	struct burnin_target *t;

	burnin_await_fresh(r);
	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (!t->card->is_unfit)
			cards_start_one(r, t);
}

void burnin_cards_guard(struct burnin_run *r)
{
	const struct burnin_target *t;

	/* A simulated chip without firmware has nothing that could be watched. */
	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		r->rules.burns[t->card->index] = t->card->started &&
			!t->card->burn.config.is_simulator;
}

bool burnin_cards_watch(struct burnin_run *r, bool *running)
{
	const struct burnin_target *t;
	bool any = false;

	for (size_t i = 0; (t = burnin_next_started(r, &i));) {
		struct burnin_card *c = t->card;
		const struct error *why = r->rules.own[c->index];

		/* If the card's own telemetry breaks a rule, end only its burn. */
		if (why && !c->cut && !c->burn.is_over) {
			c->cut = why;
			act_card_died(&r->act, c->index, &c->died);
			card_burn_stop(&c->burn);
		}
		if (!card_burn_watch(&c->burn, PATIENCE))
			continue;
		if (r->phase <= BURNIN_LOAD)
			c->burn.lasted = burnin_run_time(r);
		any = true;
		*running = *running && atomic_load(&c->burn.shared->running);
	}
	return any;
}

void burnin_cards_stop(struct burnin_run *r)
{
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_started(r, &i));)
		card_burn_stop(&t->card->burn);
}

void burnin_cards_end(struct burnin_run *r)
{
	const struct burnin_target *t;

	burnin_cards_stop(r);
	for (size_t i = 0; (t = burnin_next_started(r, &i));)
		card_burn_end(&t->card->burn, CARD_END);
}

void burnin_cards_tick(struct burnin_run *r)
{
	const struct fleet *f = sampler_fleet(r->act.session.sampler);
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_started(r, &i));) {
		const struct snapshot *s = &f->chips[t->card->index];

		if (t->card->burn.is_over || !snapshot_is_current(s))
			continue;
		for (int k = 0; k < BURNIN_SEEN; k++)
			range_take(&t->card->seen[k], &s->r[burnin_seen_fields[k]]);
		if (reading_is_ok(&s->r[FIELD_THROTTLE]) && s->r[FIELD_THROTTLE].value > 0 &&
			s->r[FIELD_THROTTLE].value < THROTTLE_REASONS)
			t->card->throttles |= 1u << s->r[FIELD_THROTTLE].value;
	}
}

bool burnin_cards_bad(const struct burnin_run *r)
{
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_started(r, &i));) {
		struct card_result now;

		card_judge(&t->card->burn, NULL, &now);
		if (now.wrong || now.misread || now.still_cores || now.mute_channels)
			return true;
	}
	return false;
}

/* TFLOP/s of the cores that have a rate, at the average of the clocks that telemetry reported. */
static double tflops(const struct burnin_card *c)
{
	const struct range *clock = &c->seen[BURNIN_CLOCK];

	if (c->burn.config.is_timeless || clock->n == 0 || c->result.untrue_cores > 0)
		return 0;
	return c->result.rate * (double)c->result.rated_cores * CARD_MVMUL_FLOP *
		(double)clock->sum / (double)clock->n / fields[FIELD_AICLK].scale / 1e6;
}

/* Compare the cards of one kind, since chips of another kind have another clock. */
static void compare_cards(const struct burnin_run *r, enum device_chip chip)
{
	double rates[DEVICE_MAX], median;
	struct burnin_target *t;
	size_t n = 0;

	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->card->chip == chip)
			rates[n++] = burnin_card_per_core(t->card);
	median = card_judge_median(rates, n);
	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->card->chip == chip)
			t->card->median = median;
}

/* Fail a card for what its telemetry shows; a failure that its load has found stays. */
static void fail_card(struct burnin_card *c, const struct error *why)
{
	struct card_result *r = &c->result;
	char before[sizeof(r->reason)] = "";

	if (r->verdict == VERDICT_FAIL)
		mem_copy_text(before, sizeof(before), r->reason);
	else
		r->code = why->word;
	r->verdict = VERDICT_FAIL;
	snprintf(r->reason, sizeof(r->reason), "%s%s%.*s", before, *before ? "; " : "",
		(int)(sizeof(before) - strlen(before)), why->text);
}

/* A card that died fails its burn, also if it is back by now. */
static void judge_death(const struct burnin_run *r, struct burnin_card *c)
{
	if (*c->died.text || act_card_died(&r->act, c->index, &c->died))
		fail_card(c, &c->died);
}

void burnin_cards_judge(struct burnin_run *r, const struct error *cut)
{
	struct burnin_target *t;
	struct error why;

	for (size_t i = 0; (t = burnin_next_started(r, &i));) {
		card_judge(&t->card->burn, cut ? cut : t->card->cut, &t->card->result);
		if (!t->card->burn.config.is_simulator && t->card->result.verdict != VERDICT_FAIL)
			judge_death(r, t->card);
		for (unsigned c = 0; c < MEMORY_CHANNELS; c++)
			t->card->memory_errors[BURNIN_AFTER][c] = memory_errors_of(&sampler_fleet(
				r->act.session.sampler)->chips[t->card->index], c);
		t->card->growth = memory_errors_growth(t->card->memory_errors[BURNIN_BEFORE],
			t->card->memory_errors[BURNIN_AFTER]);
		if (memory_errors_fail(&t->card->growth, &why))
			fail_card(t->card, &why);
		t->card->tflops = tflops(t->card);
		t->result.verdict = t->card->result.verdict;
		t->result.code = t->card->result.code;
		t->result.errors = t->card->result.wrong;
		mem_copy_text(t->result.reason, sizeof(t->result.reason), t->card->result.reason);
		t->ran = true;
	}
	remember_finds(r);
	for (enum device_chip chip = DEVICE_UNKNOWN + 1; chip < DEVICE_CHIPS; chip++)
		compare_cards(r, chip);
	burnin_reset_after(r);
}

void burnin_cards_close(struct burnin_run *r)
{
	struct burnin_facts *f = &r->facts;

	free(r->before);
	r->before = NULL;
	for (size_t i = 0; i < f->n_targets; i++) {
		if (!f->targets[i].card)
			continue;
		card_burn_close(&f->targets[i].card->burn);
		free(f->targets[i].card);
		f->targets[i].card = NULL;
	}
}
