/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/cores/card_round.h"

#include "base/clock.h"
#include "base/mem.h"
#include "burnin/cores/card_load.h"
#include "burnin/kernels/impl.h"
#include "device/kind.h"

#include <stdlib.h>
#include <sys/socket.h>

#define TURN_MS	  20
#define LOOKS	  64	/* wrong words examined per channel and endpoint */
#define READS	  4	/* of a word alone, so that a late lane shows this very word */
#define ALONE	  8	/* this many wrong words, all through one endpoint, are not chance, */
#define OTHERS	  3	/* cores, at least, that read right where one alone reads wrong */
#define ENOUGH	  4096	/* if this many words read right through every other endpoint */
/* Of a core in a round: where fewer are usual, chance decides how many one has. */
#define USUAL_RELOADS 8
#define USUAL_WORDS   (16 * KERNEL_BURST_MAX / 4)

/* A channel as the host has filled it. */
struct content {
	const struct card_data *data;
	unsigned channel;
};

/* The cores that were started, the first of the stage, and what each of them reports. */
struct told {
	size_t n;
	struct kernel_traffic traffic[CARD_TILES];
};

void card_round_wait(struct card_round *w, int ms)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	char byte;

	/* A byte that was sent only wakes us: card_burn_stop(). */
	if (clock_wait(&p, 1, clock_mono() + ms * CLOCK_MS) > 0 &&
		recv(w->fd, &byte, 1, MSG_DONTWAIT) == 0)
		w->is_alone = true;
}

/*
 * Wait for all movers at once: one channel that does not answer can block every core's.  That of a
 * core that stands still has no end.
 */
static int await_all(struct card_round *w, struct told *t, struct error *e)
{
	const int64_t until = clock_steady() + w->c->still;

	for (;;) {
		bool is_at_it = false;
		int r;

		atomic_fetch_add(&w->s->beats, 1);
		r = card_read_tiles(w->d, w->tiles + w->stage.first, t->n, KERNEL_AT_TRAFFIC,
			(uint32_t *)t->traffic, sizeof(t->traffic[0]) / 4, e);
		/* A core that has not begun counts too: it may still begin. */
		for (size_t i = 0; r == 0 && i < t->n; i++)
			is_at_it = is_at_it || (t->traffic[i].nc_phase != KERNEL_DONE &&
				atomic_load(&w->s->cores[w->stage.first + i].state) !=
				CARD_CORE_STILL);
		if (!is_at_it || clock_steady() >= until || w->is_alone)
			return r;
		card_round_wait(w, TURN_MS);
	}
}

static bool is_read_all_the_time(uint64_t addr)
{
	const uint64_t at = addr - KERNEL_DRAM_AT;

	return at < KERNEL_DRAM_SIZE || at - KERNEL_DRAM_HALF < KERNEL_DRAM_SIZE;
}

static uint32_t word_at(const void *arg, uint64_t addr)
{
	const struct content *c = arg;
	const uint64_t i = (addr - KERNEL_DRAM_OPERANDS) / 4;

	if (is_read_all_the_time(addr))
		return kernel_dram_word(c->data->loads.seed, c->channel, (uint32_t)addr);
	if (i < c->data->n_weights)
		return c->data->weights[i];
	return i - c->data->n_weights < c->data->n_input
		? c->data->input[i - c->data->n_weights] : 0;
}

static struct reg_addr place_in_dram(const struct card_round *w, unsigned channel, unsigned port,
	uint64_t addr)
{
	port = memory_kept_near(&w->c->kept, channel, port);
	return kind_dram(kind_of(w->d->chip), w->c->enabled, channel, port, addr);
}

static void note_lead(struct card_round *w, unsigned channel, unsigned port, unsigned to)
{
	atomic_fetch_or(&w->s->leads[channel][memory_kept_near(&w->c->kept, channel, port)],
		(uint8_t)(1u << to));
}

/*
 * Write a mark to another channel.  If it is read in this one, they are one memory, or the endpoint
 * leads here through which it was written: then the others of its channel do not have it.
 */
static int try_channel(struct card_round *w, const struct content *c, const struct content *other,
	uint64_t at)
{
	const uint32_t mark = (uint32_t)impl_mix(at + other->channel);
	uint32_t word, beside = mark;
	int r = device_write(w->d, place_in_dram(w, other->channel, 0, at), mark);

	if (r == 0)
		r = device_read(w->d, place_in_dram(w, other->channel, 1, at), &beside, 1);
	for (unsigned i = 0; r == 0 && i < MEMORY_PORTS * READS; i++) {
		r = device_read(w->d, place_in_dram(w, c->channel, i / READS, at), &word, 1);
		if (r < 0 || i % READS < READS - 1 || word != mark)
			continue;
		if (beside == mark)
			note_lead(w, c->channel, i / READS, other->channel);
		else
			note_lead(w, other->channel, 0, c->channel);
	}
	return r ? r : device_write(w->d, place_in_dram(w, other->channel, 0, at),
		word_at(other, at));
}

/* Try each other channel that has the word that was read at this address. */
static int try_channels(struct card_round *w, const struct content *c, const struct memory_wrong *m)
{
	const struct kernel_loads *l = &c->data->loads;
	int r = 0;

	for (uint32_t n = 0; r == 0 && n < l->channels && is_read_all_the_time(m->addr); n++) {
		const struct content other = { c->data, l->channel[n][KERNEL_PORTS] };

		if (other.channel != c->channel && word_at(&other, m->addr) == m->got)
			r = try_channel(w, c, &other, m->addr);
	}
	return r;
}

/* Examine a wrong word that a core has found, by reads and writes of the host. */
static int card_gather_look(struct card_round *w, const struct kernel_wrong *k)
{
	unsigned port = k->where & 0xff;
	const struct content c = { &w->data, k->where >> 8 };
	struct memory_wrong m = { .addr = k->at, .want = k->want, .got = k->got,
		.probed = true, .cut = MEMORY_WIDE };
	struct memory_cell cell = { .d = w->d, .reads = READS };
	struct memory_tally *t;
	uint64_t of;
	int r;

	/* For a wrong sum the wrong word is not known.  Leave a mute channel alone. */
	if (c.channel >= KERNEL_CHANNELS_MAX || port >= MEMORY_PORTS || k->got == k->want ||
		word_at(&c, k->at) != k->want || atomic_load(&w->s->channels[c.channel].mute) > 0)
		return 0;
	port = memory_kept_near(&w->c->kept, c.channel, port);
	t = &w->s->traffic[c.channel][port];
	if (t->wrong + t->misread >= LOOKS)
		return 0;
	cell.read = place_in_dram(w, c.channel, port, k->at);
	cell.write = place_in_dram(w, c.channel, 0, k->at);
	r = device_read(w->d, cell.read, &m.again, 1);
	if (r == 0)
		r = device_read(w->d, place_in_dram(w, c.channel, (port + 1) % MEMORY_PORTS, k->at),
			&m.other, 1);
	if (r == 0)
		r = memory_cell_probe(&cell, &m);
	/* Read the place where the word belongs; if it is the same cell, the mark is here. */
	if (r == 0 && card_traffic_find(c.data->loads.seed, c.channel, k->got, &of) &&
		of != k->at && is_read_all_the_time(of))
		r = memory_cell_try_alias(&cell, &m, of, word_at(&c, of),
			(uint32_t)impl_mix(m.addr + t->alias_tried), t);
	if (r == 0)
		r = try_channels(w, &c, &m);
	memory_tally_wrong(t, &m);
	/* Not for operands: too many of their bytes are equal. */
	memory_tally_closely(t, &m, is_read_all_the_time(k->at) ? word_at : NULL, &c);
	return r;
}

/* Operands come once, however short the run; one that is cut short may not use them. */
static double operands_in_use(const struct card_round *w, const struct kernel_traffic *t)
{
	return w->stage.passes || !w->is_whole ? t->nc_loads : t->t0_loads;
}

/* Words of bursts, which were compared; what it reloads is summed up. */
static double words_compared(const struct card_round *w, const struct kernel_traffic *t)
{
	const struct kernel_loads *l = &w->data.loads;
	double words = -(double)t->nc_tries * ((double)l->weights + l->input) / 4;

	for (size_t k = 0; k < KERNEL_CHANNELS_MAX; k++)
		words += t->channel[k].words;
	return words;
}

/* Find cores that did nothing, or less than a quarter of what is usual and at least `enough`. */
static void find_idle(const struct card_round *w, const struct told *t,
	double (*work)(const struct card_round *, const struct kernel_traffic *), double enough,
	bool idle[CARD_TILES])
{
	double done[CARD_TILES], usual;

	for (size_t i = 0; i < t->n; i++)
		done[i] = work(w, &t->traffic[i]);
	usual = card_judge_median(done, t->n);
	for (size_t i = 0; i < t->n; i++)
		idle[i] = done[i] <= 0 || (usual >= enough && 4 * done[i] < usual);
}

static void count_movers(struct card_round *w, const struct told *t)
{
	const struct kernel_loads *l = &w->data.loads;
	bool is_dry[CARD_TILES], is_idle[CARD_TILES];

	find_idle(w, t, operands_in_use, USUAL_RELOADS, is_dry);
	find_idle(w, t, words_compared, USUAL_WORDS, is_idle);
	for (size_t i = 0; i < t->n; i++) {
		struct card_core *core = &w->s->cores[w->stage.first + i];
		const struct kernel_exchange *e = &t->traffic[i].exchange;
		/* It ended, and compared words of its peer and, if it had to, of the memory. */
		const bool has_moved = t->traffic[i].nc_phase == KERNEL_DONE &&
			!(is_idle[i] && l->bursts) && (e->walks > 0 || e->bytes > 0);

		if (l->reload)
			atomic_fetch_add(is_dry[i] ? &core->dry : &core->brought, 1);
		atomic_fetch_add(has_moved ? &core->moved : &core->lame, 1);
	}
}

/* The core whose spare memory this one tests. */
static size_t peer_of(const struct card_round *w, size_t i)
{
	return w->stage.first + (i - w->stage.first + 1) % w->stage.n;
}

static void count_exchange(struct card_round *w, size_t i, struct kernel_traffic *t)
{
	struct kernel_exchange *e = &t->exchange;
	struct card_core *core = &w->s->cores[i];
	const uint32_t all = card_exchange_bytes(&w->data.loads);
	const uint32_t last = e->bytes < all ? e->bytes : all;	/* of the walk under way */
	const uint32_t bytes = e->walks > 0 ? all : last;
	/* A core that stands still may have been held at any instruction. */
	const bool waits = t->nc_phase == KERNEL_RUNS && t->nc_waits > 0 &&
		(t->nc_waits - 1) >> 8 == KERNEL_CHANNELS_MAX &&
		atomic_load(&core->state) != CARD_CORE_STILL;

	if (!card_take_exchange_trial(&w->data, &w->tiles[i], e))
		atomic_fetch_add(&core->blind, 1);
	atomic_fetch_add(&core->exchanged, (uint64_t)e->walks * all + last);
	atomic_fetch_add(&core->walks, e->walks);
	if (bytes > atomic_load(&core->toggled))
		atomic_store(&core->toggled, bytes);
	atomic_fetch_add(&core->spare_errors, e->errors);
	atomic_fetch_add(&core->unanswered, waits);
}

static bool is_spare(const struct kernel_loads *l, uint32_t at)
{
	for (uint32_t i = 0; i < l->spares; i++)
		if (at - l->spare[i].at < l->spare[i].bytes)
			return at % 4 == 0;
	return false;
}

/* Whether a core keeps a word and its complement for the host; no core writes there any more. */
static int try_word(struct card_round *w, const struct card_tile *t, const struct kernel_wrong *k,
	bool *is_kept)
{
	const uint32_t words[] = { k->want, ~k->want };
	uint32_t got;
	int r = 0;

	*is_kept = true;
	/* A core that is at fault may report any place. */
	for (size_t i = 0; r == 0 && is_spare(&w->data.loads, k->at) && i < ARRAY_LEN(words); i++) {
		r = device_write(w->d, card_at(t, k->at), words[i]);
		r = r ? r : device_read(w->d, card_at(t, k->at), &got, 1);
		*is_kept = *is_kept && got == words[i];
	}
	return r;
}

/* A core that does not keep a word is at fault.  Else it may be the core that wrote it, too. */
static int blame_for(struct card_round *w, size_t by, const struct kernel_wrong *k, bool by_host,
	struct error *e)
{
	const struct card_tile *t = &w->tiles[peer_of(w, by)], *writer = &w->tiles[by];
	bool is_kept;
	int r = try_word(w, t, k, &is_kept);

	if (r < 0)
		return fail(e, r, "core %u-%u: its L1 cannot be tried: %s", t->x, t->y,
			device_strerror(r));
	/* The host has seen its name there. */
	if (k->where != KERNEL_LEVEL_NAME)
		atomic_store(&w->s->cores[peer_of(w, by)].is_suspect, true);
	if (is_kept)
		atomic_store(&w->s->cores[by].is_suspect, true);
	if (!atomic_load(&w->s->has_spare_wrong))
		w->s->spare_wrong = (struct card_spare_wrong){ t->x, t->y, writer->x, writer->y,
			is_kept, by_host, *k };
	atomic_store(&w->s->has_spare_wrong, true);
	return 0;
}

/*
 * Read the last word that each core found right in its peer's memory: if its writes go astray, its
 * reads may follow them.
 */
static int look_at_peers(struct card_round *w, const struct told *t, struct error *e)
{
	struct device_piece pieces[CARD_TILES] = { { .n = 0 } };
	struct kernel_wrong last[CARD_TILES];
	size_t of[CARD_TILES], n = 0;
	int r;

	for (size_t i = 0; i < t->n; i++) {
		const struct kernel_exchange *x = &t->traffic[i].exchange;
		const size_t by = w->stage.first + i;

		if (t->traffic[i].nc_phase != KERNEL_DONE || x->errors > 0 || !card_exchange_last(
			&w->data.loads, card_name(&w->data, &w->tiles[by]), x, &last[n]))
			continue;
		of[n] = by;
		pieces[n] = (struct device_piece){ card_at(&w->tiles[peer_of(w, by)], last[n].at),
			&last[n].got, 1 };
		n++;
	}
	r = card_read_pieces(w->d, pieces, n, e);
	for (size_t i = 0; r == 0 && i < n; i++)
		if (last[i].got != last[i].want) {
			atomic_fetch_add(&w->s->cores[of[i]].spare_errors, 1);
			r = blame_for(w, of[i], &last[i], true, e);
		}
	for (size_t i = 0; r == 0 && i < t->n; i++)
		if (t->traffic[i].exchange.errors > 0)
			r = blame_for(w, w->stage.first + i, &t->traffic[i].exchange.wrong[0],
				false, e);
	return r;
}

static void count_missed(struct card_round *w, const struct kernel_traffic *t)
{
	const struct kernel_loads *l = &w->data.loads;
	uint64_t left_out = (uint64_t)t->nc_tries * (l->weights + l->input), bytes = 0;

	/* Bursts take all channels and endpoints in turn: a core that read more has read each. */
	left_out += (l->channels * KERNEL_PORTS + 2) * KERNEL_BURST_MAX;
	for (size_t k = 0; k < KERNEL_CHANNELS_MAX; k++)
		bytes += 4 * (uint64_t)t->channel[k].words;
	for (uint32_t n = 0; l->bursts && bytes > left_out && n < l->channels; n++) {
		const size_t k = l->channel[n][KERNEL_PORTS];
		bool all = true;

		for (unsigned p = 0; p < KERNEL_PORTS; p++)
			all = all && t->channel[k].port[p].words > 0;
		atomic_fetch_add(&w->s->channels[k].missed, !all);
	}
}

static void count_traffic(struct card_round *w, size_t i, struct kernel_traffic *t)
{
	/* One that did not come to its end may not have begun. */
	if (!card_take_trials(&w->data, &w->tiles[i], t) && t->nc_phase == KERNEL_DONE)
		atomic_fetch_add(&w->s->cores[i].blind, 1);
	count_exchange(w, i, t);
	count_missed(w, t);
	for (size_t k = 0; k < KERNEL_CHANNELS_MAX; k++) {
		struct card_channel *c = &w->s->channels[k];

		atomic_fetch_or(&w->s->cores[i].misread, (t->channel[k].errors > 0) << k);
		atomic_fetch_add(&c->words, t->channel[k].words);
		atomic_fetch_add(&c->errors, t->channel[k].errors);
		atomic_fetch_or(&c->bits, t->channel[k].bits);
		for (unsigned p = 0; p < MEMORY_PORTS; p++) {
			struct card_port *port = &w->s->ports[k][memory_kept_near(&w->c->kept,
				(unsigned)k, p)];

			atomic_fetch_add(&port->words, t->channel[k].port[p].words);
			atomic_fetch_add(&port->errors, t->channel[k].port[p].errors);
		}
	}
	atomic_fetch_add(&w->s->reloads, t->nc_loads);
	if (t->nc_errors > 0 && !atomic_load(&w->s->has_wrong)) {
		w->s->wrong = (struct card_memory_wrong){ w->tiles[i].x, w->tiles[i].y,
			t->wrong[0] };
		atomic_store(&w->s->has_wrong, true);
	}
	if (t->nc_phase == KERNEL_RUNS && t->nc_waits > 0 &&
		(t->nc_waits - 1) >> 8 < KERNEL_CHANNELS_MAX)
		atomic_fetch_add(&w->s->channels[(t->nc_waits - 1) >> 8].mute, 1);
}

/* Whether this cell was examined before: several cores may have read it. */
static bool was_looked_at(const struct told *t, size_t i, uint32_t k)
{
	const struct kernel_wrong *w = &t->traffic[i].wrong[k];

	for (size_t j = 0; j <= i; j++)
		for (uint32_t m = 0; m < (j == i ? k : KERNEL_MISMATCHES); m++)
			if (t->traffic[j].wrong[m].at == w->at &&
				t->traffic[j].wrong[m].where >> 8 == w->where >> 8)
				return true;
	return false;
}

/* Examine all wrong words.  All cores have ended, so this does not disturb them. */
static int look_at_all(struct card_round *w, const struct told *t, struct error *e)
{
	for (size_t i = 0; i < t->n; i++)
		for (uint32_t k = 0; k < KERNEL_MISMATCHES; k++) {
			const struct kernel_wrong *wrong = &t->traffic[i].wrong[k];
			int r = was_looked_at(t, i, k) ? 0 : card_gather_look(w, wrong);

			atomic_fetch_add(&w->s->beats, 1);
			if (r < 0)
				return fail(e, r, "memory channel %u: %s", wrong->where >> 8,
					device_strerror(r));
		}
	return 0;
}

int card_gather(struct card_round *w, struct error *e)
{
	struct told *t = mem_calloc(1, sizeof(*t));
	const uint32_t spare = card_exchange_bytes(&w->data.loads);
	int r;

	atomic_store(&w->s->tile_memory, kind_of(w->d->chip)->tensix_memory);
	if (spare > atomic_load(&w->s->spare))
		atomic_store(&w->s->spare, spare);
	t->n = w->started;
	r = await_all(w, t, e);
	if (r == 0)
		count_movers(w, t);
	for (size_t i = 0; r == 0 && i < t->n; i++)
		count_traffic(w, w->stage.first + i, &t->traffic[i]);
	if (r == 0)
		r = look_at_all(w, t, e);
	if (r == 0)
		r = look_at_peers(w, t, e);
	free(t);
	return r;
}

const struct card_core *card_gather_misreader(const struct card_shared *s)
{
	const struct card_core *one = NULL;
	size_t wrong = 0, right = 0;

	for (size_t i = 0; i < card_cores(s); i++) {
		const struct card_core *core = &s->cores[i];
		const uint32_t misread = atomic_load(&core->misread);

		right += atomic_load(&core->moved) > 0 && !misread;
		wrong += misread > 0;
		if (misread & (misread - 1))
			one = core;
	}
	return wrong == 1 && right >= OTHERS ? one : NULL;
}

/* The only endpoint through which the cores saw wrong words; -1: not certain. */
static int only_port(const struct card_port ports[MEMORY_PORTS], unsigned kept)
{
	int one = -1;

	for (int p = 0; p < MEMORY_PORTS; p++) {
		const uint64_t errors = atomic_load(&ports[p].errors);

		if (kept >> p & 1)
			continue;
		if (errors > 0 && one >= 0)
			return -1;
		if (errors == 0 && atomic_load(&ports[p].words) < ENOUGH)
			return -1;
		if (errors >= ALONE)
			one = p;
	}
	return one;
}

/* Find another channel whose memory is read here, through all endpoints or a single one. */
static bool find_other(const struct card_shared *s, unsigned channel, struct memory_finding *f)
{
	unsigned all = UINT8_MAX, any = 0, ports = 0;

	*f = (struct memory_finding){ .channel = channel, .kind = MEMORY_SHARED,
		.endpoint = MEMORY_ALL };
	for (unsigned p = 0; p < MEMORY_PORTS; p++) {
		const unsigned leads = atomic_load(&s->leads[channel][p]);

		if (memory_kept_has(&s->kept, channel, p))
			continue;
		all &= leads;
		any |= leads;
		ports += leads > 0;
		f->endpoint = leads > 0 ? (int)p : f->endpoint;
	}
	if (all > 0)
		f->endpoint = MEMORY_ALL;
	else
		f->kind = MEMORY_ASTRAY;
	f->other = any ? __builtin_ctz(any) : MEMORY_ALL;
	f->words = atomic_load(&s->channels[channel].words);
	f->wrong = atomic_load(&s->channels[channel].errors);
	return any && (all > 0 || ports == 1);
}

static unsigned leads_of(const struct card_shared *s, unsigned channel)
{
	unsigned any = 0;

	for (unsigned p = 0; p < MEMORY_PORTS; p++)
		any |= atomic_load(&s->leads[channel][p]);
	return any;
}

bool card_gather_blames(const struct card_shared *s, unsigned channel)
{
	for (unsigned n = 0; n < KERNEL_CHANNELS_MAX; n++)
		if (leads_of(s, n) >> channel & 1 && !leads_of(s, channel))
			return false;
	return !card_gather_misreader(s) &&
		(atomic_load(&s->channels[channel].errors) > 0 || leads_of(s, channel));
}

size_t card_gather_judge(const struct card_shared *s, unsigned channel,
	struct memory_finding found[MEMORY_FINDINGS])
{
	const struct card_channel *c = &s->channels[channel];
	size_t n;

	if (!card_gather_blames(s, channel))
		return 0;
	if (find_other(s, channel, found))
		return 1;
	n = memory_judge(channel, s->kept.ports[channel], s->traffic[channel], found);
	for (size_t i = 0; i < n; i++) {
		found[i].words = atomic_load(&c->words);
		/* The number is that of all wrong words; lanes and kind are of those kept. */
		if (n == 1)
			found[i].wrong = atomic_load(&c->errors);
		if (n == 1 || found[i].endpoint < 0)
			found[i].endpoint = only_port(s->ports[channel], s->kept.ports[channel]);
	}
	return n;
}
