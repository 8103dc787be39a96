/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tile_model.c - the tile's cores and its coprocessor, as far as time goes.
 *
 * A cycle goes through the stages from the last to the first, so that an
 * instruction passes one stage a cycle.  Rates are those of the public ISA
 * documentation: a product, an expanded instruction and a core's instruction a
 * cycle; two cycles for an unpack instruction to begin; source banks handed
 * over whole.  Not in it: conflicts at memory's ports, misses of the
 * instruction caches (all loops fit), and the wait of a product for the one five
 * cycles before it, which the kernel's order of products avoids.
 */
#include "config.h"
#include "tests/rig/tile_model.h"
#include "base/mem.h"
#include "burnin/firmware/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct tile_rates tile_rates_wormhole = { .unpack_bytes = 32,
	.pack_cycles = 64, .load_cycles = 8, .store_cycles = 5, .mispredicted = 2, .queue = 8,
	.network_cycles = 300 };
const struct tile_rates tile_rates_blackhole = { .unpack_bytes = 64,
	.pack_cycles = 16, .load_cycles = 8, .store_cycles = 5, .mispredicted = 4, .queue = 8,
	.network_cycles = 300 };

enum { MEMORY = 0x180000, LOCAL = 8192, QUEUE_MAX = 32 };
enum { CORE_B, CORE_T0, CORE_NC = 4, CORES, THREADS = 3 };
enum { NIU_WORDS = 64, SPARE = 0x150000, SPARE_BYTES = 0x10000 };

#define NIU 0xffb20000

struct queue {
	uint32_t word[QUEUE_MAX];
	unsigned first, n;
};

struct core {
	bool runs;
	uint32_t pc, x[32];
	uint64_t next, ready[32];	/* when it goes on; when a register is known */
	uint64_t loads[4], store;	/* the last four loads; when a store can go */
	unsigned n_loads;
	uint8_t local[LOCAL];
};

/* A thread of the coprocessor: queue, MOP expander, queue, replay expander, gate. */
struct thread {
	struct queue in, mid;
	uint32_t mop[9], replay[32], gate;
	unsigned outer, inner, play_at, play_left, record_at, record_left;
	bool expands, pauses, has_gate;
	bool waits;			/* for `wait`, which holds back what `block` says */
	uint32_t wait, block;
	uint64_t next, math, pack, unpack, vector;	/* when its work in the units is done */
};

struct machine {
	uint64_t now;
	bool blackhole, lost;
	const struct tile_rates *rates;
	struct core core[CORES];
	struct thread thread[THREADS];
	uint32_t backend[256];
	unsigned sem[8], sem_max[8];
	uint64_t bank[2][2];		/* of SrcA and SrcB: when valid; 0: the unpacker's */
	unsigned fill[2], use[2];	/* which bank is next */
	uint64_t fetch[2], address, packer;	/* when these are free */
	uint32_t niu[2][NIU_WORDS], done[2][2];	/* requests: words, how many reads and writes */
	uint64_t answer[2];		/* when the last one is complete */
	struct tile_times *times;
	uint8_t memory[MEMORY];
};

static void unknown(struct machine *m, const char *what, uint32_t word)
{
	printf("# tile model: %s %08x is not known\n", what, word);
	m->lost = true;
}

static bool put(struct queue *q, unsigned most, uint32_t word)
{
	if (q->n == most)
		return false;
	q->word[(q->first + q->n++) % QUEUE_MAX] = word;
	return true;
}

static uint32_t take(struct queue *q)
{
	uint32_t word = q->word[q->first];

	q->first = (q->first + 1) % QUEUE_MAX;
	q->n--;
	return word;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The coprocessor's units. */

/* What STALLWAIT or SEMWAIT waits for is still so. */
static bool still_waits(const struct machine *m, const struct thread *t)
{
	uint32_t cond = t->wait & 0x7fff, sems = t->wait >> 2 & 0xff;
	uint32_t math = m->blackhole ? 1 << 4 : 1 << 7;
	uint32_t pack = m->blackhole ? 1 << 3 : 15 << 3;
	uint32_t vector = m->blackhole ? 1 << 11 : 1 << 14;

	if (t->wait >> 24 == 0xa2)
		return (cond & math && t->math > m->now) || (cond & pack && t->pack > m->now) ||
			(cond & vector && t->vector > m->now);
	for (unsigned i = 0; i < 8; i++)
		if ((sems >> i & 1) && ((t->wait & 1 && m->sem[i] == 0) ||
			(t->wait & 2 && m->sem[i] == m->sem_max[i])))
			return true;
	return false;
}

/* The bits of a block mask that hold an instruction back. */
static uint32_t held_by(struct machine *m, uint32_t word)
{
	uint32_t code = word >> 24;

	switch (code) {
	case 0x10: case 0x26: case 0x37:
		return 1 << 6;
	case 0x41:
		return 1 << 0 | 1 << 2;
	case 0x42:
		return 1 << 0 | 1 << 3;
	case 0x50: case 0x51: case 0x54: case 0x5e:
		return 1 << 0;
	case 0xa2: case 0xa6:
		return 0x1ff;
	case 0xa3: case 0xa4: case 0xa5:
		return 1 << 1;
	case 0xb2:
		return 1 << 7;
	default:
		if (code < 0x70 || code > 0x99)
			unknown(m, "instruction", word);
		return 1 << 8;
	}
}

static bool unpack(struct machine *m, struct thread *t, uint32_t word)
{
	unsigned which = word >> 23 & 1;
	uint64_t *bank = &m->bank[which][m->fill[which]], from;

	if (*bank || m->address > m->now)
		return false;
	m->address = t->next = m->now + 2;
	from = later(m->address, m->fetch[which]) + m->rates->unpack_lost;
	m->fetch[which] = from + KERNEL_STEP_BYTES / m->rates->unpack_bytes;
	*bank = m->fetch[which] + m->rates->unpack_latency;
	t->unpack = later(t->unpack, *bank);
	m->fill[which] ^= 1;
	return true;
}

static void hand_back(struct machine *m, uint32_t word)
{
	for (unsigned i = 0; i < 2; i++)
		if (word >> (22 + i) & 1) {
			m->bank[i][m->use[i]] = 0;
			m->use[i] ^= 1;
		}
}

static bool multiply(struct machine *m, struct thread *t, uint32_t word)
{
	for (unsigned i = 0; i < 2; i++)
		if (!m->bank[i][m->use[i]] || m->bank[i][m->use[i]] > m->now)
			return false;
	if (m->times->mvmuls++ == 0)
		m->times->first = m->now;
	m->times->last = m->now;
	t->math = m->now + 5;
	hand_back(m, word);
	return true;
}

static void semaphore(struct machine *m, uint32_t word)
{
	for (unsigned i = 0; i < 8; i++) {
		if (!(word >> (2 + i) & 1))
			continue;
		if (word >> 24 == 0xa3) {
			m->sem[i] = word >> 16 & 15;
			m->sem_max[i] = word >> 20 & 15;
		} else {
			m->sem[i] += word >> 24 == 0xa4 ? 1 : -1u;
		}
	}
}

/* A block of products of zeros. */
static void put_block(struct machine *m)
{
	memset(&m->memory[16 * (m->backend[m->blackhole ? 69 : 57] + 1)], 0, KERNEL_BLOCK_BYTES);
}

/* False where it cannot begin yet. */
static bool dispatch(struct machine *m, struct thread *t, uint32_t word)
{
	switch (word >> 24) {
	case 0x26:
		return multiply(m, t, word);
	case 0x42:
		return unpack(m, t, word);
	case 0x41:
		if (m->packer > m->now)
			return false;
		m->packer = t->pack = m->now + m->rates->pack_cycles;
		if (word & 1)
			put_block(m);
		return true;
	case 0x37:
		hand_back(m, word);
		return true;
	case 0xa2: case 0xa6:
		t->waits = true;
		t->wait = word;
		t->block = word >> 15 & 0x1ff;
		return true;
	case 0xa3: case 0xa4: case 0xa5:
		semaphore(m, word);
		return true;
	default:
		if (word >> 24 >= 0x70 && word >> 24 <= 0x99) {
			m->times->vector++;
			t->vector = m->now + 2;
		}
		return true;
	}
}

static void step_gate(struct machine *m, struct thread *t)
{
	bool held = t->waits;

	/* The end of a wait shows one cycle later. */
	if (t->waits && !still_waits(m, t))
		t->waits = false;
	if (!t->has_gate || t->next > m->now || (held && t->block & held_by(m, t->gate)) ||
		(held && (t->gate >> 24 == 0xa2 || t->gate >> 24 == 0xa6)))
		return;
	t->has_gate = !dispatch(m, t, t->gate);
}

static void step_replay(struct thread *t)
{
	uint32_t word;

	if (t->has_gate)
		return;
	if (t->play_left == 0) {
		if (t->mid.n == 0)
			return;
		word = take(&t->mid);
		if (t->record_left) {
			t->replay[t->record_at++ % 32] = word;
			t->record_left--;
			return;
		}
		if (word >> 24 != 0x04) {
			t->gate = word;
			t->has_gate = true;
			return;
		}
		if (word & 1) {
			t->record_at = word >> 14 & 31;
			t->record_left = word >> 4 & 63;
			return;
		}
		t->play_at = word >> 14 & 31;
		t->play_left = word >> 4 & 63;
	}
	t->gate = t->replay[t->play_at++ % 32];
	t->has_gate = true;
	t->play_left--;
}

static bool is_nop(uint32_t word)
{
	return word >> 24 == 0x02;
}

/* Template 1 without the parts that the kernel leaves out. */
static void step_mop(struct machine *m, struct thread *t)
{
	uint32_t outer = t->mop[0] & 127, inner = t->mop[1] & 127, word;

	if (t->mid.n == m->rates->queue)
		return;
	if (!t->expands) {
		if (t->in.n == 0)
			return;
		if (t->pauses && t->in.word[t->in.first] >> 24 != 0x01) {
			t->pauses = false;
			return;
		}
		word = take(&t->in);
		t->expands = word >> 24 == 0x01;
		t->outer = t->inner = 0;
		if (!t->expands)
			put(&t->mid, m->rates->queue, word);
		else if (!is_nop(t->mop[2]) || !is_nop(t->mop[4]) || !is_nop(t->mop[6]))
			unknown(m, "MOP", word);
		return;
	}
	word = t->inner == inner ? t->mop[3] : t->inner + 1 < inner ? t->mop[5]
		: t->outer + 1 < outer ? t->mop[8] : t->mop[7];
	put(&t->mid, m->rates->queue, word);
	if (++t->inner <= inner && !(t->inner == inner && is_nop(t->mop[3])))
		return;
	t->inner = 0;
	t->expands = ++t->outer < outer;
	t->pauses = !t->expands;
}

static bool is_idle(const struct machine *m, const struct thread *t)
{
	return t->in.n == 0 && t->mid.n == 0 && !t->has_gate && !t->expands && !t->waits &&
		t->play_left == 0 && t->math <= m->now && t->pack <= m->now &&
		t->unpack <= m->now && t->vector <= m->now;
}

/* The cores. */

static uint32_t word_at(const struct machine *m, uint32_t at)
{
	uint32_t word;

	memcpy(&word, &m->memory[at & ~3u], sizeof(word));
	return word;
}

/* Reads or writes memory; the tile is its own peer.  One request at a time. */
static void request(struct machine *m, unsigned network)
{
	const uint32_t *niu = m->niu[network], bytes = niu[8], writes = niu[7] >> 1 & 1;

	memmove(&m->memory[niu[3]], &m->memory[niu[0]], bytes);
	m->done[network][writes]++;
	m->answer[network] = m->now + m->rates->network_cycles + bytes / 32;
	m->times->exchanged += 2 * bytes;
}

static uint32_t read_niu(const struct machine *m, uint32_t at)
{
	const unsigned network = at >> 16 & 1;
	const bool waits = m->answer[network] > m->now;

	switch (at & 0xffff) {
	case 0x204: case 0x208:
		return m->done[network][(at & 0xffff) == 0x204] - waits;
	default:
		return 0;	/* who it is on the network */
	}
}

/* False where the load has to wait; else its cycles. */
static bool load(struct machine *m, unsigned id, uint32_t at, uint32_t *word, unsigned *took)
{
	struct core *c = &m->core[id];

	*took = 7;
	*word = 0;
	if (at < MEMORY) {
		uint64_t *slot = &c->loads[c->n_loads % 4];

		if (*slot && m->now < *slot + m->rates->load_cycles - 1)
			return false;
		*slot = m->now;
		c->n_loads++;
		*word = word_at(m, at);
		*took = m->rates->load_cycles;
		m->times->exchanged += id == CORE_NC ? 4 : 0;
	} else if (at >= 0xffb00000 && at < 0xffb00000 + LOCAL) {
		memcpy(word, &c->local[at & (LOCAL - 4)], sizeof(*word));
		*took = 2;
	} else if (at == 0xffb121f0 || at == 0xffb121f8) {
		*word = (uint32_t)(at == 0xffb121f0 ? m->now : m->now >> 32);
	} else if (at == 0xffe80004 && id != CORE_B) {
		*took = 3;
		return is_idle(m, &m->thread[id - CORE_T0]);
	} else if (at >= 0xffef0000 && at < 0xffef0400) {
		*word = m->backend[(at - 0xffef0000) / 4];
		*took = 4;
	} else if (at >= NIU && at < NIU + 0x20000) {
		*word = read_niu(m, at);
	} else {
		unknown(m, "load", at);
	}
	return true;
}

static void begin(struct core *c, uint32_t pc, uint64_t when)
{
	memset(c, 0, sizeof(*c));
	c->runs = true;
	c->pc = pc;
	c->next = when;
}

static void release(struct machine *m, uint32_t word)
{
	static const uint32_t starts[CORES] = { 0, KERNEL_AT_T0, KERNEL_AT_T1, KERNEL_AT_T2,
		KERNEL_AT_NC };

	for (unsigned i = CORE_T0; i < CORES; i++)
		if (!(word >> (i == CORE_NC ? 18 : 11 + i) & 1) && !m->core[i].runs)
			begin(&m->core[i], starts[i], m->now + 1);
}

static bool push(struct machine *m, unsigned id, uint32_t word)
{
	const bool has_none = id == CORE_B || id == CORE_NC;

	if (has_none)
		unknown(m, "push", word);
	return has_none || put(&m->thread[id - CORE_T0].in, m->rates->queue, word);
}

/* False where it has to wait. */
static bool store(struct machine *m, unsigned id, uint32_t at, uint32_t word)
{
	struct core *c = &m->core[id];

	if (at < MEMORY) {
		if (m->now < c->store)
			return false;
		c->store = m->now + m->rates->store_cycles;
		memcpy(&m->memory[at & ~3u], &word, sizeof(word));
		m->times->exchanged += id == CORE_NC ? 4 : 0;
	} else if (at >= 0xffb00000 && at < 0xffb00000 + LOCAL) {
		memcpy(&c->local[at & (LOCAL - 4)], &word, sizeof(word));
	} else if (at == 0xffe40000) {
		return push(m, id, word);
	} else if (at >= 0xffb80000 && at < 0xffb80024 && id != CORE_B) {
		m->thread[id - CORE_T0].mop[(at - 0xffb80000) / 4] = word;
	} else if (at >= 0xffef0000 && at < 0xffef0400) {
		m->backend[(at - 0xffef0000) / 4] = word;
	} else if (at == 0xffb121b0) {
		release(m, word);
	} else if (at >= NIU && at < NIU + 0x20000 && (at & 0xffff) / 4 < NIU_WORDS) {
		m->niu[at >> 16 & 1][(at & 0xffff) / 4] = word;
		if ((at & 0xffff) == (m->blackhole ? 0x40 : 0x28))
			request(m, at >> 16 & 1);
	} else if (at != 0xffe80004 && (at < 0xffb12228 || at > 0xffb1223c)) {
		unknown(m, "store", at);
	}
	return true;
}

static uint32_t calculate(uint32_t f, bool alternate, uint32_t a, uint32_t b)
{
	switch (f) {
	case 0: return alternate ? a - b : a + b;
	case 1: return a << (b & 31);
	case 2: return (int32_t)a < (int32_t)b;
	case 3: return a < b;
	case 4: return a ^ b;
	case 5: return alternate ? (uint32_t)((int32_t)a >> (b & 31)) : a >> (b & 31);
	case 6: return a | b;
	default: return a & b;
	}
}

static uint32_t multiply_divide(uint32_t f, uint32_t a, uint32_t b)
{
	switch (f) {
	case 0: return a * b;
	case 3: return (uint32_t)((uint64_t)a * b >> 32);
	case 5: return b ? a / b : UINT32_MAX;
	case 7: return b ? a % b : a;
	default: return 0;
	}
}

static bool is_taken(uint32_t f, uint32_t a, uint32_t b)
{
	switch (f >> 1) {
	case 0: return (a == b) != (f & 1);
	case 2: return ((int32_t)a < (int32_t)b) != (f & 1);
	default: return (a < b) != (f & 1);
	}
}

static uint32_t branch_offset(uint32_t i)
{
	return (uint32_t)((int32_t)(i & 0x80000000) >> 19) | (i & 0x80) << 4 | (i >> 20 & 0x7e0) |
		(i >> 7 & 0x1e);
}

static uint32_t jump_offset(uint32_t i)
{
	return (uint32_t)((int32_t)(i & 0x80000000) >> 11) | (i & 0xff000) | (i >> 9 & 0x800) |
		(i >> 20 & 0x7fe);
}

struct effect {
	uint32_t value, to;	/* of the result; where it goes on */
	unsigned took, lost;	/* cycles until the result; until the next instruction */
};

/* Of a branch: backward ones are foreseen as taken, others as not taken. */
static void branch(const struct machine *m, uint32_t i, uint32_t pc, uint32_t a, uint32_t b,
	struct effect *e)
{
	bool taken = is_taken(i >> 12 & 7, a, b), foreseen = i >> 31;

	e->to = taken ? pc + branch_offset(i) : e->to;
	e->lost = taken != foreseen ? m->rates->mispredicted : 0;
}

/* False where it has to wait. */
static bool execute(struct machine *m, unsigned id, uint32_t i, struct effect *e)
{
	struct core *c = &m->core[id];
	uint32_t a = c->x[i >> 15 & 31], b = c->x[i >> 20 & 31], f = i >> 12 & 7;
	uint32_t low = (uint32_t)((int32_t)i >> 20), shift = 0;

	switch (i & 0x7f) {
	case 0x37:
		e->value = i & 0xfffff000;
		return true;
	case 0x17:
		e->value = c->pc + (i & 0xfffff000);
		return true;
	case 0x6f:
	case 0x67:
		e->value = c->pc + 4;
		e->to = (i & 0x7f) == 0x6f ? c->pc + jump_offset(i) : (a + low) & ~1u;
		return true;
	case 0x63:
		branch(m, i, c->pc, a, b, e);
		return true;
	case 0x03:
		if (!load(m, id, a + low, &e->value, &e->took))
			return false;
		shift = 8 * ((a + low) & 3);
		if (f == 4)
			e->value = e->value >> shift & 0xff;
		else if (f == 5)
			e->value = e->value >> shift & 0xffff;
		else if (f != 2)
			unknown(m, "load", i);
		return true;
	case 0x23:
		if (f != 2)
			unknown(m, "store", i);
		return store(m, id, a + ((low & ~31u) | (i >> 7 & 31)), b);
	case 0x13:
		e->value = calculate(f, f == 5 && (i >> 30 & 1), a,
			f == 1 || f == 5 ? low & 31 : low);
		return true;
	case 0x33:
		e->value = i >> 25 == 1 ? multiply_divide(f, a, b)
			: calculate(f, i >> 30 & 1, a, b);
		if (m->rates->is_blind && id == CORE_B && f == 4)
			e->value = 0;
		e->lost = i >> 25 == 1 ? (f >= 4 ? 32 : 1) : 0;
		return true;
	case 0x0f:
		return true;
	default:
		unknown(m, "opcode", i);
		return true;
	}
}

/* Which registers an instruction reads and whether it writes one. */
static bool is_ready(const struct machine *m, const struct core *c, uint32_t i)
{
	uint32_t op = i & 0x7f;
	bool two = op == 0x63 || op == 0x23 || op == 0x33;

	if (op == 0x37 || op == 0x17 || op == 0x6f)
		return true;
	return c->ready[i >> 15 & 31] <= m->now && (!two || c->ready[i >> 20 & 31] <= m->now);
}

static void step_core(struct machine *m, unsigned id)
{
	struct core *c = &m->core[id];
	struct effect e = { .to = c->pc + 4, .took = 1 };
	uint32_t i, to;

	if (!c->runs || c->next > m->now)
		return;
	i = word_at(m, c->pc);
	if ((i & 3) != 3) {
		if (push(m, id, i >> 2 | i << 30))
			c->pc += 4;
		return;
	}
	if (!is_ready(m, c, i) || !execute(m, id, i, &e))
		return;
	to = (i & 0x7f) == 0x63 || (i & 0x7f) == 0x23 ? 0 : i >> 7 & 31;
	if (to) {
		c->x[to] = e.value;
		c->ready[to] = m->now + e.took;
	}
	c->pc = e.to;
	c->next = m->now + 1 + e.lost;
}

/* All of it. */

static void set_up(struct machine *m, enum device_chip chip, const struct kernel_order *order,
	uint32_t vector)
{
	const struct kernel_loads loads = { .vector = vector, .spares = 1,
		.spare = { { SPARE, SPARE_BYTES } } };
	const uint32_t name = TILE_NAME;

	for (unsigned i = 0; i < KERNEL_IMAGES; i++)
		if (kernel_images[i].chip == chip)
			memcpy(&m->memory[kernel_images[i].at], kernel_images[i].words,
				4 * kernel_images[i].n);
	memset(&m->memory[KERNEL_AT_THROTTLE], 0, 16);
	memcpy(&m->memory[KERNEL_AT_ORDER], order, sizeof(*order));
	memcpy(&m->memory[KERNEL_AT_LOADS], &loads, sizeof(loads));
	memcpy(&m->memory[KERNEL_AT_NAME], &name, sizeof(name));
	memcpy(&m->memory[KERNEL_AT_PEER_NAME], &name, sizeof(name));
	begin(&m->core[CORE_B], KERNEL_AT_B, 0);
}

static struct kernel_state *state(struct machine *m)
{
	return (struct kernel_state *)(void *)&m->memory[KERNEL_AT_STATE];
}

/* As a host sees it that looks at every cycle. */
static double told_rate(struct machine *m)
{
	const struct kernel_state *s = state(m);

	return s->t1_blocks ? (double)s->t1_blocks / (double)(s->t1_clock - s->t1_first) : 0;
}

bool tile_model_run(enum device_chip chip, const struct tile_rates *rates,
	const struct kernel_order *order, uint32_t vector, uint64_t limit, struct tile_times *times)
{
	struct machine *m = mem_calloc(1, sizeof(*m));
	uint32_t packed = 0, checked = 0;
	uint64_t since = 0;
	bool done;

	*times = (struct tile_times){ 0 };
	m->rates = rates;
	m->blackhole = chip == DEVICE_BLACKHOLE;
	m->times = times;
	m->now = 1;
	set_up(m, chip, order, vector);
	for (; m->now < limit && !m->lost && state(m)->b_phase != KERNEL_DONE; m->now++) {
		for (unsigned i = 0; i < THREADS; i++) {
			step_gate(m, &m->thread[i]);
			step_replay(&m->thread[i]);
			step_mop(m, &m->thread[i]);
		}
		for (unsigned i = 0; i < CORES; i++)
			step_core(m, i);
		if (state(m)->b_checked != checked) {
			checked = state(m)->b_checked;
			times->compare = later(times->compare, m->now - since);
			since = m->now;
		}
		if (told_rate(m) > times->told)
			times->told = told_rate(m);
		if (state(m)->t2_packed != packed) {
			packed = state(m)->t2_packed;
			since = packed == checked + 1 ? m->now : since;
		}
	}
	times->cycles = m->now;
	times->blocks = state(m)->b_checked;
	times->state = *state(m);
	memcpy(&times->traffic, &m->memory[KERNEL_AT_TRAFFIC], sizeof(times->traffic));
	done = state(m)->b_phase == KERNEL_DONE && !m->lost;
	free(m);
	return done;
}
