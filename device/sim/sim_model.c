/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_model.c - load, clock, power and heat of a simulated chip, and a log of accesses.
 *
 * The model is computed from the time in closed form, in whole numbers.  Time is cut into slots of
 * 64 refreshes, and a hash gives the board's load in each.  The temperature is that load through a
 * first-order filter, which closes 1/128 of the gap each refresh.  So the same seed and time give
 * the same words on every machine, in every process, and in any order of reads.
 */
#include "config.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "device/sim/sim_chip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * The log, for tests: violations are counted in shared memory, and lines go to the file that
 * TT_SMI_SIM_LOG names.
 */

int sim_log_open(struct sim *s, struct error *e)
{
	const char *path = getenv("TT_SMI_SIM_LOG");
	struct error why = { 0 };

	s->log = -1;
	if (!path || !*path)
		return 0;
	s->log = file_open_append_at(AT_FDCWD, path, path, &why);
	return s->log < 0 ? fail_because(e, s->log, &why, "TT_SMI_SIM_LOG: %.230s", why.text) : 0;
}

/* One write() for a line, so that lines of several processes stay whole. */
void sim_log(const struct sim_chip *c, const char *word, const char *fmt, ...)
{
	char line[256], text[160];
	va_list ap;
	int n;

	if (c->sim->log < 0)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	n = snprintf(line, sizeof(line), "%s %s%s%s\n", word, c->bdf, *text ? " " : "", text);
	if (n > 0 && (size_t)n < sizeof(line))
		(void)!write(c->sim->log, line, (size_t)n);
}

int sim_violation(const struct sim_chip *c, const char *fmt, ...)
{
	struct sim_shared *sh = c->sim->shared;
	char text[sizeof(sh->last_violation)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	atomic_fetch_add(&sh->violations, 1);
	mem_copy_text(sh->last_violation, sizeof(sh->last_violation), text);
	sim_log(c, "violation", "%s", text);
	return -EFAULT;
}

/* The model. */

#define SLOT       64		/* refreshes */
#define EPOCH      8		/* slots in which a board does one kind of work */
#define HISTORY    14		/* slots in the filter: older ones weigh under 0.1 % */
#define ONE        65536	/* 1.0 of the filter's weights */
#define CLOSES     128		/* a refresh closes 1 / CLOSES of the gap */
#define JOB_LOAD   900
#define MEMORY_HOT 95	/* degrees C; a Blackhole's memory throttles at 89 (chip-facts 3.3) */
#define BURN_LOAD  1000
#define REST_SLOTS 3		/* a card that was just reset has no work yet */
#define GRACE  (5 * CLOCK_SECOND)	/* idle_power_down_grace_ms */

enum { HASH_UPTIME = 1, HASH_WORK, HASH_LEVEL, HASH_CHIP, HASH_NOISE, HASH_PERF, HASH_AMBIENT };

static bool sim_driver_has_jobs(const struct sim_chip *c)
{
	for (size_t i = 0; i < c->n_faults; i++)
		if (c->faults[i].kind == SIM_JOB)
			return true;
	return false;
}

static uint64_t scramble(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

uint64_t sim_hash(const struct sim *s, uint64_t chip, uint64_t what, uint64_t when)
{
	return scramble(scramble(s->seed ^ (chip << 8) ^ (what << 40)) + when);
}

/* A number in low..high. */
static int64_t pick(uint64_t hash, int64_t low, int64_t high)
{
	return low + (int64_t)(hash % (uint64_t)(high - low + 1));
}

static int64_t div_down(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

bool sim_has_fault(const struct sim_now *now, enum sim_fault_kind kind)
{
	return now->faults >> kind & 1;
}

/* Channels 8 and 9 of an n300's left chip are joined to channels 0 and 1 of the right one. */
bool sim_joins_peer(const struct sim_chip *c, unsigned core)
{
	return c->peer && core / 2 == (c->remote ? 0 : 4);
}

bool sim_eth_is_dead(const struct sim_chip *c, const struct sim_now *now, unsigned core)
{
	if (sim_has_fault(now, SIM_CABLE) && c->board->like == DEVICE_BLACKHOLE)
		return true;
	return sim_has_fault(now, SIM_ETH) && (core == SIM_BAD_CHANNEL || (core == 8 && c->peer));
}

bool sim_link_is_down(const struct sim_chip *c, const struct sim_now *now, unsigned core)
{
	return sim_eth_is_dead(c, now, core) ||
		(sim_has_fault(now, SIM_NOPEER) && sim_joins_peer(c, core)) ||
		(sim_has_fault(now, SIM_WIRE) && c->board->asics > 1 &&
			core == (c->board->like == DEVICE_WORMHOLE ? 8 : c->board->galaxy ? 4 : 3));
}

/* The last ports lead to no cable; those of a galaxy's Wormholes are wired. */
bool sim_has_link(const struct sim_chip *c, const struct sim_now *now, unsigned core)
{
	const bool all = c->board->galaxy && c->board->like == DEVICE_WORMHOLE;

	return c->board->eth >> core & 1 && (all || core < 12) && !sim_link_is_down(c, now, core);
}

static bool is_active(const struct sim_fault *f, int64_t t)
{
	return t >= f->from && t < f->to;
}

/* When the reset whose effects hold at t is, or was, over: off the bus until *up; false: none. */
static bool last_reset(const struct sim_state *st, int64_t t, int64_t *up, int64_t *ready)
{
	const bool before = t < st->down;

	*up = before ? st->was_up : st->up;
	*ready = before ? st->was_ready : st->ready;
	return st->was_reset && (!before || st->was_up > 0);
}

/* Whether a reset of the chip has ended this fault. */
static bool is_cured(const struct sim_chip *c, const struct sim_fault *f, int64_t t)
{
	int64_t up, ready;

	return (f->kind == SIM_OFF || f->kind == SIM_HANG || f->kind == SIM_STUCK ||
		f->kind == SIM_LANE || f->kind == SIM_LEFT) &&
	       last_reset(c->state, t, &up, &ready) && t >= up && f->from <= c->state->down;
}

/* Whether it has this fault at t. */
static bool has_at(const struct sim_chip *c, enum sim_fault_kind kind, int64_t t)
{
	for (size_t i = 0; i < c->n_faults; i++)
		if (c->faults[i].kind == kind && is_active(&c->faults[i], t))
			return true;
	return false;
}

/*
 * Apply another program's reset, as far as it has come.  To reset a Wormhole with mute firmware the
 * driver holds its lock for longer.
 */
static void see_reset(const struct sim_chip *c, const struct sim_fault *f, struct sim_now *now)
{
	const bool is_long = c->board->like == DEVICE_WORMHOLE &&
		(sim_has_fault(now, SIM_OFF) || sim_has_fault(now, SIM_STUCK));
	int64_t until = f->from + SIM_LOCK_TIME;

	if (now->t < f->from)
		return;
	now->resets++;
	if (now->t < f->to) {
		now->window = true;
		now->off = now->t < f->from + SIM_OFF_TIME;
		until = until < f->to ? until : f->to;
		if (is_long && until > now->held)
			now->held = until;
	} else if (has_at(c, SIM_RESETFAIL, f->to)) {
		now->off = now->no_table = true;
	} else if (f->to > now->ready) {
		now->ready = f->to;
	}
}

bool sim_is_mute(const struct sim_chip *c, const struct sim_now *now)
{
	return sim_has_fault(now, SIM_STUCK) ||
		(sim_has_fault(now, SIM_MUTE) && c->state->was_reset);
}

/* The refreshes until t; in the firmware's phase one comes soon after our start. */
static int64_t step_at(int64_t t)
{
	return (t + SIM_PHASE) / SIM_STEP;
}

/* Turn faults that begin with a reset into the ordinary fault that they cause. */
static void add_aftermath(const struct sim_chip *c, struct sim_now *now)
{
	_Static_assert((int)SIM_FAULTS <= 64, "a bit for each");
	static const uint8_t after[SIM_FAULTS] = { [SIM_NARROW] = SIM_WIDTH,
		[SIM_DEADBEAT] = SIM_STUCK, [SIM_UNTRAINED] = SIM_DRAM, [SIM_LINKLOST] = SIM_ETH,
		[SIM_PEERLOST] = SIM_NOPEER };
	const int64_t since = c->state->cores > now->ready ? c->state->cores - 1 : now->ready;

	if ((since <= 0 && !c->state->cores) || now->t < since)
		return;
	for (enum sim_fault_kind kind = SIM_NORESET; kind < SIM_FAULTS; kind++)
		if (after[kind] && sim_has_fault(now, kind))
			now->faults |= UINT64_C(1) << after[kind];
	if (sim_has_fault(now, SIM_DEADBEAT))
		now->step = step_at(since);
}

struct sim_now sim_now(const struct sim_chip *c)
{
	const struct sim_state *st = c->state;
	int64_t up, ready;
	int64_t uptime = pick(sim_hash(c->sim, c->number, HASH_UPTIME, 0), 36000, 15000000);
	struct sim_now now = {
		.t = clock_mono() - c->sim->start,
		.ready = -uptime * SIM_STEP,
		.booted = true,
		.window = st->needs_init,
		.no_table = st->no_table,
		.resets = st->resets,
		.held = st->held,
	};

	now.step = step_at(now.t);
	for (size_t i = 0; i < c->n_faults; i++) {
		const struct sim_fault *f = &c->faults[i];

		if (!is_active(f, now.t) || is_cured(c, f, now.t))
			continue;
		now.faults |= UINT64_C(1) << f->kind;
		now.window |= f->kind == SIM_LEFT;
		if (f->kind == SIM_STUCK)
			now.step = step_at(f->from);
	}
	for (size_t i = 0; i < c->n_faults; i++)
		if (c->faults[i].kind == SIM_RESET)
			see_reset(c, &c->faults[i], &now);
	if (last_reset(st, now.t, &up, &ready)) {
		now.off |= now.t < up;
		now.away = now.t < up && sim_has_fault(&now, SIM_RENUMBER);
		now.unbound = sim_has_fault(&now, SIM_UNBOUND);
		now.booted = now.t >= ready;
		if (ready > now.ready)
			now.ready = ready;
	}
	add_aftermath(c, &now);
	now.unbound |= sim_has_fault(&now, SIM_VFIO);
	now.away |= sim_has_fault(&now, SIM_GONE);
	now.off |= sim_has_fault(&now, SIM_OFF);
	now.dead = now.off || sim_has_fault(&now, SIM_HANG) || sim_has_fault(&now, SIM_LATE);
	return now;
}

static int64_t grace_of(const struct sim_chip *c)
{
	bool waits = c->board->like == DEVICE_WORMHOLE && c->sim->driver >= 0x020900;

	return waits && sim_driver_has_jobs(c) ? GRACE : 0;
}

/* Power was requested until `end`: whether the driver has not powered the board down since. */
bool sim_driver_waits_since(const struct sim_chip *c, int64_t end, int64_t t)
{
	const struct sim_state *st = c->state;

	if (st->cancelled && st->cancelled == end)
		return true;
	if (st->at_once == end || (st->handles && st->opened <= end))
		return false;
	return t < end + grace_of(c);
}

/* Whether the driver keeps a board with SIM_JOB at full clock now (driver-behaviour 11). */
static bool sim_driver_powers(const struct sim_chip *c, const struct sim_now *now)
{
	if (sim_has_fault(now, SIM_JOB) || (c->is_open && c->how == DEVICE_ACTIVE))
		return true;
	for (size_t i = 0; i < c->n_faults; i++)
		if (c->faults[i].kind == SIM_JOB && now->t >= c->faults[i].to &&
			sim_driver_waits_since(c, c->faults[i].to, now->t))
			return true;
	return c->state->vote_end && sim_driver_waits_since(c, c->state->vote_end, now->t);
}

int sim_driver_grace(struct device *d)
{
	return (int)(grace_of(d->priv) / CLOCK_MS);
}

static bool burns_at(const struct sim_chip *c, int64_t t)
{
	return t >= c->state->burn_from && t < c->state->burn_to;
}

/* The chip's load in a slot, in 1/1000. */
static uint32_t load_in(const struct sim_chip *c, int64_t slot, int64_t ready)
{
	int64_t began = div_down(div_down(ready, SIM_STEP), SLOT);
	int64_t load, middle = (slot * SLOT + SLOT / 2) * SIM_STEP;
	uint64_t work, level;

	if (burns_at(c, middle))
		return BURN_LOAD;
	if (sim_driver_has_jobs(c))
		return has_at(c, SIM_JOB, middle) ? JOB_LOAD : 0;
	if (ready > 0 && slot >= began && slot < began + REST_SLOTS)
		return 0;
	work = sim_hash(c->sim, c->board_number, HASH_WORK, (uint64_t)div_down(slot, EPOCH));
	level = sim_hash(c->sim, c->board_number, HASH_LEVEL, (uint64_t)slot);
	if (work % 10 < 3)
		return 0;
	if (work % 10 < 7)
		load = pick(work >> 8, 650, 950) + pick(level, -40, 40);
	else
		load = pick(level, 0, 9) < 3 ? 0 : pick(level >> 8, 200, 1000);
	if (load)
		load += pick(sim_hash(c->sim, c->number, HASH_CHIP, (uint64_t)slot), -60, 40);
	return load < 0 ? 0 : load > 1000 ? 1000 : (uint32_t)load;
}

/* The filtered load, in 1/1000 of full heat. */
static uint32_t heat(const struct sim_chip *c, int64_t step, int64_t ready)
{
	int64_t slot = div_down(step, SLOT);
	uint64_t sum, weight, left = ONE, shrink = ONE;

	for (int64_t i = slot * SLOT; i < step; i++)
		left -= left / CLOSES;
	for (int i = 0; i < SLOT; i++)
		shrink -= shrink / CLOSES;
	sum = load_in(c, slot, ready) * (ONE - left);
	for (int k = 1; k < HISTORY; k++) {
		weight = left * (ONE - shrink) / ONE;
		sum += load_in(c, slot - k, ready) * weight;
		left -= weight;
	}
	sum += load_in(c, slot - HISTORY, ready) * left;
	return (uint32_t)(sum / ONE);
}

static int32_t noise(const struct sim_chip *c, int64_t step, unsigned which, int32_t size)
{
	uint64_t when = (uint64_t)step << 4 | which;

	return (int32_t)pick(sim_hash(c->sim, c->number, HASH_NOISE, when), -size, size);
}

static void model_heat(const struct sim_chip *c, const struct sim_now *now, struct sim_model *m)
{
	const struct sim_board *b = c->board;
	int32_t ambient = (int32_t)pick(sim_hash(c->sim, c->number, HASH_AMBIENT, 0), -1500, 2500);
	int32_t span = (b->temp_busy - b->temp_idle) * (int32_t)heat(c, now->step, now->ready);

	m->temp = b->temp_idle * 1000 + span + ambient + noise(c, now->step, 0, 250);
	m->throttled = sim_has_fault(now, SIM_HOT);
	if (m->throttled)
		m->temp = b->temp_throttle * 1000 + 4000 + noise(c, now->step, 0, 900);
	m->gddr_temp = m->temp / 1000 + 4 + noise(c, now->step / 20, 1, 1);
	if (sim_has_fault(now, SIM_MEMHOT))
		m->gddr_temp = MEMORY_HOT;
	m->fan_percent = m->temp <= 40000 ? 30 : (uint32_t)(30 + (m->temp - 40000) * 14 / 10000);
	if (m->fan_percent > 100)
		m->fan_percent = 100;
	m->fan_rpm = m->fan_percent * 48 + (uint32_t)(30 + noise(c, now->step, 2, 30));
	if (sim_has_fault(now, SIM_FAN))
		m->fan_rpm = 0;
}

void sim_model(const struct sim_chip *c, const struct sim_now *now, struct sim_model *m)
{
	const struct sim_board *b = c->board;
	uint32_t load = load_in(c, div_down(now->step, SLOT), now->ready);
	int32_t mwatt;

	model_heat(c, now, m);
	if (sim_driver_has_jobs(c))
		load = sim_has_fault(now, SIM_JOB) ? JOB_LOAD : 0;
	/* Power follows the load at once, heat only gradually. */
	if (burns_at(c, now->t))
		load = BURN_LOAD;
	m->mhz = load || c->state->busy || (sim_driver_has_jobs(c) && sim_driver_powers(c, now))
		? b->mhz_max : b->mhz_idle;
	m->mv = m->mhz == b->mhz_max ? b->mv_busy : b->mv_idle;
	if (m->throttled) {
		m->mhz = b->mhz_max * 6u / 10;
		load = load / 2 + 300;
	}
	m->mv = (uint32_t)((int32_t)m->mv + noise(c, now->step, 3, 3));
	mwatt = b->watt_idle * 1000 + (b->watt_busy - b->watt_idle) * (int32_t)load;
	mwatt += noise(c, now->step, 4, 400 + (int32_t)load);
	m->watt = (uint32_t)(mwatt / 1000);
	if (m->watt > b->watt_limit)
		m->watt = b->watt_limit;
	if (sim_has_fault(now, SIM_OVERPOWER))
		m->watt = b->watt_limit * 5u / 4;
	m->amp = m->watt * 1000 / m->mv;
	m->board_watt = (m->watt * 115 / 100 + 14) * (b->asics == 2 ? 2 : 1);
}

/* Flits per refresh at full load, by counter; about 3 GB/s at most. */
static const uint32_t perf_rates[SIM_PERF] = {
	9300000, 2100000, 3000, 900, 8200000, 1900000, 250, 60, 4100000, 700000, 1800, 400
};

/* The PCIe core counts these: they also move between refreshes and while the firmware is stuck. */
uint32_t sim_perf(struct sim_chip *c, const struct sim_now *now, unsigned index)
{
	int64_t step = now->t / SIM_STEP, slot = step / SLOT;
	int64_t first = now->ready > 0 ? div_down(div_down(now->ready, SIM_STEP), SLOT) : 0;
	uint64_t base = now->ready > 0 ? 0 : sim_hash(c->sim, c->number, HASH_PERF, index);
	uint64_t part = (uint64_t)(now->t % SIM_STEP);
	uint64_t load, sum;

	if (c->perf_ready != now->ready || c->perf_slot < first || c->perf_slot > slot) {
		c->perf_ready = now->ready;
		c->perf_slot = first;
		c->perf_sum = 0;
	}
	for (; c->perf_slot < slot; c->perf_slot++)
		c->perf_sum += load_in(c, c->perf_slot, now->ready) * (uint64_t)SLOT;
	load = load_in(c, slot, now->ready);
	sum = c->perf_sum + load * (uint64_t)(step - slot * SLOT);
	/* Add whole refreshes and the rest apart: no overflow, and the sum never decreases. */
	return (uint32_t)(base + sum * perf_rates[index] / 1000 +
		load * perf_rates[index] * part / (1000 * SIM_STEP));
}
