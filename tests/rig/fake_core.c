/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_core.c - the burn's kernel as its host sees it: blocks that equal the
 * golden ones, counters, and an end when told, when done, or when nobody
 * changes the beat.  A cycle is a nanosecond where it decides about the latter.
 */
#include "config.h"
#include "tests/rig/fake_core.h"
#include "burnin/cores/card_data.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#define PAGE 4096

static struct core {
	bool runs;
	unsigned long starts;
	uint32_t block, beat;
	uint64_t cycles;
	int64_t beaten;
} cores[17][12];

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static enum kernel_end may_end(struct core *c, const struct kernel_order *o, int64_t deadman)
{
	if (o->beat != c->beat) {
		c->beat = o->beat;
		c->beaten = now();
	}
	if (o->passes && c->block >= o->passes * o->rows)
		return KERNEL_PASSED;
	if (c->block % o->rows)
		return KERNEL_NOT_ENDED;
	if (o->stop)
		return KERNEL_STOPPED;
	return deadman && now() - c->beaten > deadman ? KERNEL_HOST_GONE : KERNEL_NOT_ENDED;
}

static void flip(unsigned x, unsigned y, uint32_t block, struct kernel_state *s, bool tells)
{
	uint8_t *at = fake_memory(x, y, KERNEL_AT_OUT + (block & 1) * KERNEL_BLOCK_BYTES + 28);
	struct kernel_mismatch untold, *m;
	uint32_t word;

	m = tells ? &s->mismatch[s->b_errors] : &untold;
	memcpy(&word, at, sizeof(word));
	*m = (struct kernel_mismatch){ block, 7, word ^ 1 << 13, word };
	memcpy(at, &m->got, sizeof(m->got));
	s->b_errors += tells;
}

/* What B does to a block that it has compared. */
static void stamp(unsigned x, unsigned y, uint32_t block, const struct kernel_state *s)
{
	for (uint32_t i = 0; i < KERNEL_BLOCK_WORDS; i += KERNEL_STAMP_STEP) {
		uint8_t *at = fake_memory(x, y, KERNEL_AT_OUT + (block & 1) * KERNEL_BLOCK_BYTES +
			4 * i);
		uint32_t word;

		memcpy(&word, at, sizeof(word));
		word ^= kernel_stamp(s->b_name, block);
		memcpy(at, &word, sizeof(word));
	}
}

/* The word that is wrong on purpose, found before the first block. */
static void report_trial(unsigned x, unsigned y, struct kernel_state *s)
{
	const struct kernel_trial t = kernel_trial_of(s->b_name);
	uint32_t golden;

	memcpy(&golden, fake_memory(x, y, KERNEL_AT_GOLDEN + 4 * t.word), sizeof(golden));
	s->mismatch[s->b_errors++] = (struct kernel_mismatch){ 0, t.word, golden ^ t.bits,
		golden };
}

static uint32_t sweeps(unsigned x, unsigned y)
{
	struct kernel_loads l;

	memcpy(&l, fake_memory(x, y, KERNEL_AT_LOADS), sizeof(l));
	return l.vector;
}

/* What a phase of fidelity takes of a factor: its upper bits, or the rest. */
static float upper(float f, unsigned low)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	bits &= UINT32_MAX << (16 + low);
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static float operand(unsigned x, unsigned y, uint32_t at, uint32_t i)
{
	uint32_t bits = 0;
	float f;

	memcpy((uint8_t *)&bits + 2, fake_memory(x, y, at + 2 * i), 2);
	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* A product of matrices of which no golden block is known. */
static void multiply(unsigned x, unsigned y, const struct kernel_order *o, uint32_t row,
	uint32_t at)
{
	static float out[KERNEL_PIXELS][KERNEL_CHANNELS];

	memset(out, 0, sizeof(out));
	for (uint32_t k = 0; k < o->depth * KERNEL_DEPTH; k++) {
		const uint32_t step = k / KERNEL_DEPTH, i = k % KERNEL_DEPTH;
		float w[KERNEL_CHANNELS];

		for (uint32_t c = 0; c < KERNEL_CHANNELS; c++)
			w[c] = operand(x, y, KERNEL_AT_WEIGHTS, ((step * 4 + c / 16) * 16 + i) *
				16 + c % 16);
		for (uint32_t p = 0; p < KERNEL_PIXELS; p++) {
			const float a = operand(x, y, KERNEL_AT_INPUT, ((step * o->height + row) *
				KERNEL_PIXELS + p) * 16 + i);

			for (uint32_t c = 0; c < KERNEL_CHANNELS; c++) {
				out[p][c] += a * w[c];
				if (o->phases < 4)
					out[p][c] -= (a - upper(a, 1)) * (w[c] - upper(w[c], 3));
			}
		}
	}
	/* A Wormhole's fault, alike on every core: a sum is off by a power of two. */
	if (fake_is_wormhole() && o->phases == 4)
		out[9][3] -= 32;
	for (uint32_t c = 0; c < KERNEL_CHANNELS; c++)
		for (uint32_t p = 0; p < KERNEL_PIXELS; p++)
			memcpy(fake_memory(x, y, at + 4 * ((c / 16 * KERNEL_PIXELS + p) * 16 +
				c % 16)), &out[p][c], sizeof(float));
}

static bool is_open(unsigned x, unsigned y, uint32_t row)
{
	uint32_t word;

	memcpy(&word, fake_memory(x, y, KERNEL_AT_GOLDEN + row * KERNEL_BLOCK_BYTES),
		sizeof(word));
	return word == CARD_OPEN;
}

static void compute(struct core *c, unsigned x, unsigned y, const struct kernel_order *o,
	struct kernel_state *s, unsigned long factor)
{
	const uint32_t row = c->block % o->rows;
	const uint32_t out = KERNEL_AT_OUT + (c->block & 1) * KERNEL_BLOCK_BYTES;
	const bool open = is_open(x, y, row);

	for (uint32_t at = 0; !open && at < KERNEL_BLOCK_BYTES; at += PAGE)
		memcpy(fake_memory(x, y, out + at),
			fake_memory(x, y, KERNEL_AT_GOLDEN + row * KERNEL_BLOCK_BYTES + at), PAGE);
	if (open)
		multiply(x, y, o, row, out);
	c->cycles += factor * o->taps * o->taps * o->depth * o->repeats * o->phases *
		KERNEL_STEP_MVMULS;
	c->block++;
	s->b_checked = s->t1_blocks = s->t2_packed = c->block;
	s->t2_vector = c->block * sweeps(x, y);
	s->t0_passes = (c->block + o->rows - 1) / o->rows;
	s->t1_clock = (uint32_t)c->cycles;
	s->t1_clock_high = (uint32_t)(c->cycles >> 32);
}

/* Its reader leaves a channel out, and reads so much of the others that this is seen. */
static void leave_out(struct kernel_traffic *t, const uint16_t *channel)
{
	struct kernel_channel *c = &t->channel[channel[KERNEL_PORTS]];

	memset(c, 0, sizeof(*c));
	t->channel[0].words += 1 << 24;
}

/* Each channel in turn; operands come after each pass. */
static void read_memory(unsigned x, unsigned y, uint32_t block, const char *fault)
{
	struct kernel_traffic t;
	struct kernel_loads l;
	const uint16_t *channel;

	memcpy(&l, fake_memory(x, y, KERNEL_AT_LOADS), sizeof(l));
	memcpy(&t, fake_memory(x, y, KERNEL_AT_TRAFFIC), sizeof(t));
	if (l.channels == 0 || (!l.bursts && !l.reload))
		return;
	t.nc_phase = KERNEL_RUNS;
	for (uint32_t i = 0; l.bursts && i < l.channels && t.nc_waits == 0; i++) {
		const uint32_t port = (block + x + y + i) % KERNEL_PORTS;

		channel = l.channel[i];
		t.channel[channel[KERNEL_PORTS]].words += 64;
		t.channel[channel[KERNEL_PORTS]].port[port].words += 64;
		if (i == 1 && (strcmp(fault, "mute") == 0 || strcmp(fault, "silence") == 0))
			t.nc_waits = 1 + (channel[KERNEL_PORTS] << 8);
		if (!(i == 1 && strcmp(fault, "memory") == 0) &&
			!(i < 2 && strcmp(fault, "keeps") == 0))
			continue;
		t.channel[channel[KERNEL_PORTS]].errors++;
		t.channel[channel[KERNEL_PORTS]].port[port].errors++;
		t.channel[channel[KERNEL_PORTS]].bits |= 4;
		t.wrong[t.nc_errors++] = (struct kernel_wrong){ channel[KERNEL_PORTS] << 8 | port,
			KERNEL_DRAM_AT + 128, 4, 0 };
	}
	if (strcmp(fault, "blind") == 0)
		leave_out(&t, l.channel[1]);
	t.nc_loads = t.t0_loads = l.reload ? 1 + block / 2 : 0;
	memcpy(fake_memory(x, y, KERNEL_AT_TRAFFIC), &t, sizeof(t));
}

/* What the data mover finds wrong on purpose: a word and a sum of a channel that does not exist. */
static void report_trials(struct kernel_traffic *t, const struct kernel_loads *l, uint32_t name)
{
	const struct kernel_trial trial = kernel_trial_of(name);
	const uint32_t none = KERNEL_CHANNELS_MAX;
	const uint32_t at = KERNEL_DRAM_AT + 4 * (trial.word % KERNEL_TRIAL_WORDS);
	const uint32_t word = kernel_dram_word(l->seed, none, at);

	t->wrong[t->nc_errors++] = (struct kernel_wrong){ none << 8, at, word ^ trial.bits, word };
	t->wrong[t->nc_errors++] = (struct kernel_wrong){ none << 8, KERNEL_DRAM_OPERANDS,
		l->sums[0] ^ trial.bits, l->sums[0] };
	t->channel[none].errors = t->nc_errors;
}

/* The first piece of its peer's memory, with the word that is wrong on purpose. */
static void exchange(unsigned x, unsigned y, const struct kernel_loads *l, const char *fault,
	struct kernel_exchange *e)
{
	const bool struck = x == 4 && y == 5;
	struct kernel_trial trial;
	uint32_t name, peer, at, want;

	memcpy(&name, fake_memory(x, y, KERNEL_AT_NAME), sizeof(name));
	memcpy(&peer, fake_memory(x, y, KERNEL_AT_PEER), sizeof(peer));
	e->bytes = l->spare[0].bytes < KERNEL_EXCHANGE_BYTES ? l->spare[0].bytes
		: KERNEL_EXCHANGE_BYTES;
	trial = kernel_trial_of(name);
	at = l->spare[0].at + 4 * (trial.word % (e->bytes / 4));
	want = kernel_spare_word(l->seed, name, 0, at);
	if (!(struck && strcmp(fault, "nod") == 0))
		e->wrong[e->errors++] = (struct kernel_wrong){ KERNEL_LEVEL_WORDS, at,
			want ^ trial.bits, want };
	at = l->spare[0].at + e->bytes - 4;
	want = ~kernel_spare_word(l->seed, name, 0, at);
	if (struck && strcmp(fault, "spare") == 0)
		e->wrong[e->errors++] = (struct kernel_wrong){ KERNEL_LEVEL_COMPLEMENT, at,
			want ^ 1 << 9, want };
	if (!(struck && strcmp(fault, "stray") == 0))
		memcpy(fake_memory(peer & 63, peer >> 6, at), &want, sizeof(want));
}

/* However short the run is, its data mover has begun, and brought operands once. */
static void begin_memory(unsigned x, unsigned y, uint32_t name, bool is_dry, const char *fault)
{
	struct kernel_traffic t = { .nc_phase = KERNEL_RUNS };
	struct kernel_loads l;

	memcpy(&l, fake_memory(x, y, KERNEL_AT_LOADS), sizeof(l));
	if ((l.channels == 0 && l.spares == 0) ||
		(x == 4 && y == 5 && strcmp(fault, "mover") == 0))
		return;
	if (l.spares)
		exchange(x, y, &l, fault, &t.exchange);
	t.nc_loads = t.t0_loads = l.reload && !is_dry;
	if (x != 4 || y != 5 || strcmp(fault, "nod") != 0)
		report_trials(&t, &l, name);
	memcpy(fake_memory(x, y, KERNEL_AT_TRAFFIC), &t, sizeof(t));
}

static void end_memory(unsigned x, unsigned y)
{
	struct kernel_traffic t;

	memcpy(&t, fake_memory(x, y, KERNEL_AT_TRAFFIC), sizeof(t));
	if (t.nc_phase == KERNEL_RUNS && t.nc_waits == 0)
		t.nc_phase = KERNEL_DONE;
	memcpy(fake_memory(x, y, KERNEL_AT_TRAFFIC), &t, sizeof(t));
}

/* How often operands came from the card's memory. */
static void put_loads(unsigned x, unsigned y, uint32_t loads)
{
	static const size_t at[] = { offsetof(struct kernel_traffic, nc_loads),
		offsetof(struct kernel_traffic, t0_loads) };

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		memcpy(fake_memory(x, y, KERNEL_AT_TRAFFIC + at[i]), &loads, sizeof(loads));
}

static void work(struct core *c, unsigned x, unsigned y, const struct kernel_order *o,
	struct kernel_state *s, const char *fault, unsigned long after)
{
	const bool drags = strcmp(fault, "drag") == 0, deserts = strcmp(fault, "desert") == 0;
	const bool dry = strcmp(fault, "dry") == 0 && c->starts > after;
	const bool blind = strcmp(fault, "blind") == 0 && c->starts > after;
	const bool all = drags || strcmp(fault, "silence") == 0;
	/* A round starts a core: "once" in the first, "wander" elsewhere in the others. */
	const bool is_first = c->starts <= 1;
	const unsigned at = !is_first && strcmp(fault, "wander") == 0 ? 6 : 4;
	const bool struck = (all || (x == at && y == 5)) && c->block >= after;
	const int64_t deadman = deserts ? (int64_t)after * 1000000000 : 256LL * o->deadman;
	const uint32_t block = c->block;

	s->b_heart++;
	if (struck && strcmp(fault, "core") == 0)
		return;
	if (struck && strcmp(fault, "quit") == 0 && block % o->rows == 0 && !o->stop)
		return;
	s->t0_end = may_end(c, o, deadman);
	/* As if its order had been to end with this pass. */
	if (struck && block > 0 && block % o->rows == 0 && strcmp(fault, "early") == 0)
		s->t0_end = KERNEL_PASSED;
	if (s->t0_end != KERNEL_NOT_ENDED) {
		s->b_phase = s->t0_phase = s->t1_phase = s->t2_phase = KERNEL_DONE;
		if (!struck || strcmp(fault, "mover") != 0)
			end_memory(x, y);
		s->t1_blocks += struck && strcmp(fault, "claim") == 0;
		return;
	}
	if (!struck || (strcmp(fault, "mover") != 0 && strcmp(fault, "idle") != 0))
		read_memory(x, y, block, blind || (struck && block == after) ? fault : "");
	compute(c, x, y, o, s, struck && (drags || strcmp(fault, "slow") == 0) ? 4 : 1);
	if (dry)
		put_loads(x, y, 0);
	/* One cycle a block, by its own clock. */
	if (struck && strcmp(fault, "rush") == 0)
		s->t1_clock = c->block;
	if (struck && strcmp(fault, "rest") == 0)
		s->t1_throttled++;
	if (struck && block == after && (strcmp(fault, "wrong") == 0 ||
		strcmp(fault, "wander") == 0 || (strcmp(fault, "once") == 0 && is_first)))
		flip(x, y, block, s, true);
	if (struck && strcmp(fault, "lie") == 0)
		flip(x, y, block, s, false);
	/* Its outputs stay as they were; or they are those of the core before it. */
	if (!(struck && strcmp(fault, "stale") == 0))
		stamp(x, y - (struck && strcmp(fault, "theirs") == 0), block, s);
}

static void sum_up(uint32_t sums[2], unsigned x, unsigned y, uint32_t from, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i += 4) {
		uint32_t word;

		memcpy(&word, fake_memory(x, y, from + i), sizeof(word));
		kernel_sum(sums, word);
	}
}

/* Who it is, by what it was given and where it is. */
static void tell_name(unsigned x, unsigned y, struct kernel_state *s)
{
	memcpy(&s->b_name, fake_memory(x, y, KERNEL_AT_NAME), sizeof(s->b_name));
	s->b_place = x | y << 6;
}

/* What the host has put there. */
static void sum_up_all(unsigned x, unsigned y, const struct kernel_order *o, struct kernel_state *s)
{
	uint32_t sums[2] = { 0, 0 };
	struct kernel_loads l;

	memcpy(&l, fake_memory(x, y, KERNEL_AT_LOADS), sizeof(l));
	sum_up(sums, x, y, KERNEL_AT_WEIGHTS, l.weights);
	sum_up(sums, x, y, KERNEL_AT_INPUT, l.input);
	sum_up(sums, x, y, KERNEL_AT_GOLDEN, o->rows * KERNEL_BLOCK_BYTES);
	memcpy(s->b_sums, sums, sizeof(sums));
	tell_name(x, y, s);
	s->b_phase = KERNEL_DONE;
	memcpy(fake_memory(x, y, KERNEL_AT_STATE), s, sizeof(*s));
}

bool fake_core_run(unsigned x, unsigned y, bool released, const char *fault, unsigned long after)
{
	struct core *c = &cores[x][y];
	struct kernel_order o;
	struct kernel_state s;

	memcpy(&o, fake_memory(x, y, KERNEL_AT_ORDER), sizeof(o));
	if (released && o.magic == KERNEL_MAGIC_SUMS) {
		memcpy(&s, fake_memory(x, y, KERNEL_AT_STATE), sizeof(s));
		if (s.b_phase != KERNEL_DONE)
			sum_up_all(x, y, &o, &s);
		return true;
	}
	if (!released || o.magic != KERNEL_MAGIC || o.rows == 0) {
		c->runs = false;
		return released && o.magic == KERNEL_MAGIC;
	}
	memcpy(&s, fake_memory(x, y, KERNEL_AT_STATE), sizeof(s));
	if (x == 4 && y == 5 && strcmp(fault, "unborn") == 0)
		return true;
	if (!c->runs) {
		*c = (struct core){ .runs = true, .starts = c->starts + 1, .beat = o.beat,
			.beaten = now() };
		tell_name(x, y, &s);
		s.b_phase = s.t0_phase = s.t1_phase = s.t2_phase = KERNEL_RUNS;
		if (x != 4 || y != 5 || strcmp(fault, "yes") != 0)
			report_trial(x, y, &s);
		begin_memory(x, y, s.b_name, strcmp(fault, "dry") == 0 && c->starts > after, fault);
	}
	if (s.b_phase != KERNEL_DONE)
		work(c, x, y, &o, &s, fault, after);
	memcpy(fake_memory(x, y, KERNEL_AT_STATE), &s, sizeof(s));
	return true;
}
