/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traffic.c - NC: reads the card's memory over the network, and checks every read.
 *
 * It reads bursts of random length from random places, through every port of
 * every live channel in turn.  It compares each word with the one that the host
 * has put there, while the next burst is under way.  Every `reload` passes it
 * reads the operands from the next channel, beside the copy in use.  T0 gets the
 * new copy only if its sums are right: a bad channel is blamed before a core.
 * Before all that it must find a word and a sum that are wrong on purpose.
 *
 * Between bursts it writes to the spare memory of another tile of the burn, its peer, and reads
 * that back.  No other tile writes there.
 */
#include "burnin/firmware/tensix.h"

struct burst {
	uint32_t slot, port, at, bytes, to;
};

struct reader {
	uint32_t random, own;
	uint32_t asked;			/* requests, as NIU_RESPONSES counts their answers */
	uint32_t turn, first;		/* of channels, then of ports; first: of reloads */
	struct burst burst[2];		/* in turn; bytes 0: none under way */
	uint32_t next;
};

static uint32_t draw(struct reader *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 17;
	r->random ^= r->random << 5;
	return r->random;
}

static uint32_t number(uint32_t slot)
{
	return loads()->channel[slot][KERNEL_PORTS];
}

static uint32_t where(uint32_t slot, uint32_t port)
{
	return number(slot) << 8 | port;
}

static void note(uint32_t slot, uint32_t port, uint32_t at, uint32_t got, uint32_t want)
{
	volatile struct kernel_traffic *t = traffic();
	volatile struct kernel_channel *c = &t->channel[number(slot)];
	uint32_t n = t->nc_errors;
	int32_t kept = kernel_wrong_slot(n);

	if (kept >= 0) {
		t->wrong[kept].where = where(slot, port);
		t->wrong[kept].at = at;
		t->wrong[kept].got = got;
		t->wrong[kept].want = want;
	}
	if (n != UINT32_MAX)
		t->nc_errors = n + 1;
	if (c->errors != UINT32_MAX) {
		c->errors++;
		c->port[port].errors++;
	}
	c->bits |= got ^ want;
}

static void ask(struct reader *r, const struct burst *b, uint32_t tag)
{
	const struct copy c = { loads()->channel[b->slot][b->port], b->at, r->own, b->to,
		b->bytes };

	request(0, NIU_READ, &c, tag);
	r->asked++;
}

/*
 * Wait for all answers but the last `left`, and for all with this tag.  While a channel gives
 * no answer, nc_waits names it and nc_heart stands still.
 */
static void await(const struct reader *r, uint32_t slot, uint32_t port, uint32_t left, uint32_t tag)
{
	traffic()->nc_waits = 1 + where(slot, port);
	while ((int32_t)(load(NIU_RESPONSES) - (r->asked - left)) < 0 ||
		(load(NIU_OUTSTANDING + 4 * tag) & 0xff))
		;
	traffic()->nc_waits = 0;
	see_memory();
}

static uint32_t random_bytes(struct reader *r)
{
	return (1 + draw(r) % (KERNEL_BURST_MAX / KERNEL_BURST_STEP)) * KERNEL_BURST_STEP;
}

static void choose(struct reader *r, struct burst *b)
{
	uint32_t channels = loads()->channels, turn = r->turn++, bytes = random_bytes(r);
	uint32_t places = (KERNEL_DRAM_SIZE - bytes) / KERNEL_BURST_STEP + 1, half = draw(r) & 1;

	b->slot = turn % channels;
	b->port = turn / channels % KERNEL_PORTS;
	b->at = KERNEL_DRAM_AT + half * KERNEL_DRAM_HALF + draw(r) % places * KERNEL_BURST_STEP;
	b->bytes = bytes;
	b->to = KERNEL_AT_BURSTS + (turn & 1) * KERNEL_BURST_MAX;
}

static void count(uint32_t slot, uint32_t port, uint32_t bytes)
{
	volatile struct kernel_channel *c = &traffic()->channel[number(slot)];

	c->bursts++;
	c->words += bytes / 4;
	c->port[port].words += bytes / 4;
}

static void compare(const struct burst *b)
{
	const volatile uint32_t *got = (const volatile uint32_t *)(uintptr_t)b->to;
	uint32_t first = kernel_dram_word(loads()->seed, number(b->slot), b->at), want = first;
	const uint32_t step = kernel_dram_word(0, 0, 4) - kernel_dram_word(0, 0, 0);

	for (uint32_t i = 0; i < b->bytes / 4; i += 4, want += 4 * step) {
		uint32_t c0 = got[i], c1 = got[i + 1], c2 = got[i + 2], c3 = got[i + 3];

		if (!((c0 ^ want) | (c1 ^ (want + step)) | (c2 ^ (want + 2 * step)) |
			(c3 ^ (want + 3 * step))))
			continue;
		for (uint32_t k = i; k < i + 4; k++)
			if (got[k] != first + k * step)
				note(b->slot, b->port, b->at + 4 * k, got[k], first + k * step);
	}
	count(b->slot, b->port, b->bytes);
}

/* Request the next burst before comparing the one under way. */
static void burst(struct reader *r, uint32_t another)
{
	struct burst *b = &r->burst[r->next], *under_way = &r->burst[!r->next];

	if (another) {
		choose(r, b);
		ask(r, b, 1 + r->next);
	}
	if (under_way->bytes) {
		await(r, under_way->slot, under_way->port, another, 1 + !r->next);
		compare(under_way);
		under_way->bytes = 0;
	}
	r->next = !r->next;
}

/* Read all bytes in random bursts, a few at a time; b then points behind them. */
static void fetch(struct reader *r, struct burst *b, uint32_t to, uint32_t bytes)
{
	for (b->to = to; bytes > 0; bytes -= b->bytes) {
		b->bytes = random_bytes(r);
		b->bytes = b->bytes < bytes ? b->bytes : bytes;
		ask(r, b, 3);
		await(r, b->slot, b->port, 3, 0);
		count(b->slot, b->port, b->bytes);
		b->at += b->bytes;
		b->to += b->bytes;
	}
}

/* Note the wrong words: those that differ from the copy in use.  `at` is in the channel. */
static void blame(const struct burst *b, uint32_t at, uint32_t copy, uint32_t to, uint32_t bytes)
{
	uint32_t other = copy ? to - bytes : to + bytes;

	for (uint32_t i = 0; i < bytes; i += 4)
		if (load(to + i) != load(other + i))
			note(b->slot, b->port, at + i, load(to + i), load(other + i));
}

/* Let T0 use a copy if its sums are right, or note what is wrong in it. */
static void accept(const struct burst *b, const uint32_t sums[2], uint32_t copy, uint32_t weights,
	uint32_t input)
{
	volatile struct kernel_traffic *t = traffic();
	const uint32_t errors = t->nc_errors, want = loads()->sums[0];

	if (!((sums[0] ^ want) | (sums[1] ^ loads()->sums[1]))) {
		t->nc_loads++;
		return;
	}
	blame(b, KERNEL_DRAM_OPERANDS, copy, KERNEL_AT_WEIGHTS + copy * weights, weights);
	blame(b, KERNEL_DRAM_OPERANDS + weights, copy, KERNEL_AT_INPUT + copy * input, input);
	if (t->nc_errors == errors)
		note(b->slot, b->port, KERNEL_DRAM_OPERANDS, sums[0], want);
}

/* Compare a burst with a wrong word, and a wrong sum, as of a channel that does not exist. */
static void try_judges(void)
{
	const struct kernel_trial trial = kernel_trial_of(state()->b_name);
	const uint32_t sums[2] = { loads()->sums[0] ^ trial.bits, loads()->sums[1] };
	const struct burst b = { .slot = KERNEL_CHANNELS_MAX, .at = KERNEL_DRAM_AT,
		.bytes = 4 * KERNEL_TRIAL_WORDS, .to = KERNEL_AT_BURSTS };
	const uint32_t wrong = b.to + 4 * (trial.word % KERNEL_TRIAL_WORDS);

	for (uint32_t i = 0; i < b.bytes; i += 4)
		store(b.to + i, kernel_dram_word(loads()->seed, KERNEL_CHANNELS_MAX, b.at + i));
	store(wrong, load(wrong) ^ trial.bits);
	use(load(wrong));
	compare(&b);
	accept(&b, sums, 0, 0, 0);
}

/* Read a copy of the operands from one channel, beside the copy in use. */
static void reload(struct reader *r)
{
	volatile struct kernel_traffic *t = traffic();
	uint32_t channels = loads()->channels, weights = loads()->weights, input = loads()->input;
	uint32_t try = t->nc_tries, turn = r->first + try, copy = (t->nc_loads + 1) & 1;
	uint32_t sums[2] = { 0, 0 };
	uint32_t w = KERNEL_AT_WEIGHTS + copy * weights, in = KERNEL_AT_INPUT + copy * input;
	struct burst b;

	b.slot = turn % channels;
	b.port = turn / channels % KERNEL_PORTS;
	b.at = KERNEL_DRAM_OPERANDS;
	t->nc_tries = try + 1;
	fetch(r, &b, w, weights);
	fetch(r, &b, in, input);
	await(r, b.slot, b.port, 0, 3);
	sum_up(sums, w, weights);
	sum_up(sums, in, input);
	accept(&b, sums, copy, weights, input);
}

/* The copy that is not in use may be overwritten once no pass reads it any more. */
static uint32_t is_due(void)
{
	volatile struct kernel_traffic *t = traffic();

	return loads()->reload && state()->t0_passes > t->nc_tries * loads()->reload &&
		t->t0_loads == t->nc_loads && state()->b_checked >= t->t0_since * order()->rows;
}

/* The way to the peer: endpoints as each network calls them, and the requests made to it. */
struct exchange {
	uint32_t own[2], peer[2];
	uint32_t writes[2];		/* as NIU_WRITTEN counts them */
	uint32_t reads;			/* of network 1; those of network 0 are the reader's */
	uint32_t piece, done;		/* and bytes of it */
	uint32_t is_known;		/* both networks lead to the peer */
};

/* A piece of the peer's memory: its first word, and the step from word to word. */
struct words {
	uint32_t at, bytes, first, step;
};

static void await_peer(uint32_t network, uint32_t counter, uint32_t requests)
{
	traffic()->nc_waits = 1 + (KERNEL_WAITS_PEER | network);
	while ((int32_t)(load(counter + network * NIU_STEP) - requests) < 0)
		;
	traffic()->nc_waits = 0;
	see_memory();
}

static void write_peer(struct exchange *x, uint32_t network, const struct words *w)
{
	const struct copy c = { x->own[network], KERNEL_AT_SENT, x->peer[network], w->at,
		w->bytes };
	const uint32_t end = KERNEL_AT_SENT + w->bytes;
	uint32_t word = w->first;

	for (uint32_t at = KERNEL_AT_SENT; at < end; at += 4, word += w->step)
		store(at, word);
	see_memory();
	use(load(end - 4));
	request(network, NIU_WRITE, &c, 0);
	await_peer(network, NIU_WRITTEN, ++x->writes[network]);
}

static void read_peer(struct reader *r, struct exchange *x, uint32_t network,
	const struct words *w)
{
	const struct copy c = { x->peer[network], w->at, x->own[network], KERNEL_AT_BACK,
		w->bytes };
	const struct burst *under_way = &r->burst[!r->next];

	/* A channel that does not answer is not the peer's fault. */
	if (network == 0 && under_way->bytes)
		await(r, under_way->slot, under_way->port, 0, 1 + !r->next);
	request(network, NIU_READ, &c, 0);
	await_peer(network, NIU_RESPONSES, network ? ++x->reads : ++r->asked);
}

static void note_peer(uint32_t level, uint32_t at, uint32_t got, uint32_t want)
{
	volatile struct kernel_exchange *e = &traffic()->exchange;
	const uint32_t n = e->errors;

	if (n < sizeof(e->wrong) / sizeof(e->wrong[0])) {
		e->wrong[n].where = level;
		e->wrong[n].at = at;
		e->wrong[n].got = got;
		e->wrong[n].want = want;
	}
	if (n != UINT32_MAX)
		e->errors = n + 1;
}

/*
 * On networks that mirror each other's coordinates, those of one place have the same sum.  Nothing
 * is written to a place over a network that does not find the peer's name there.
 */
static void meet_peer(struct reader *r, struct exchange *x)
{
	const uint32_t peer = load(KERNEL_AT_PEER), name = load(KERNEL_AT_PEER_NAME);
	const uint32_t in_line = KERNEL_AT_NAME % KERNEL_BURST_STEP;
	struct words line;

	for (uint32_t network = 0; network < 2; network++) {
		x->own[network] = own_endpoint(network);
		x->writes[network] = load(NIU_WRITTEN + network * NIU_STEP);
	}
	x->peer[0] = peer;
	x->peer[1] = x->own[0] == x->own[1] ? peer : x->own[0] + x->own[1] - peer;
	x->reads = load(NIU_RESPONSES + NIU_STEP);
	x->piece = x->done = 0;
	x->is_known = 1;
	line.at = KERNEL_AT_NAME - in_line;
	line.bytes = KERNEL_BURST_STEP;
	for (uint32_t network = 0; network < 2; network++) {
		uint32_t got;

		read_peer(r, x, network, &line);
		got = load(KERNEL_AT_BACK + in_line);
		if (got != name) {
			note_peer(KERNEL_LEVEL_NAME, KERNEL_AT_NAME, got, name);
			x->is_known = 0;
		}
	}
}

static void compare_peer(uint32_t level, const struct words *w)
{
	const volatile uint32_t *got = (const volatile uint32_t *)KERNEL_AT_BACK;
	const uint32_t step = w->step;
	uint32_t want = w->first;

	for (uint32_t i = 0; i < w->bytes / 4; i += 4, want += 4 * step) {
		uint32_t a = got[i], b = got[i + 1], c = got[i + 2], d = got[i + 3];

		if (!((a ^ want) | (b ^ (want + step)) | (c ^ (want + 2 * step)) |
			(d ^ (want + 3 * step))))
			continue;
		for (uint32_t k = 0; k < 4; k++)
			if (got[i + k] != want + k * step)
				note_peer(level, w->at + 4 * (i + k), got[i + k], want + k * step);
	}
}

/* One word of the first piece is made wrong on purpose, and has to be reported. */
static void spoil_word(const struct words *w)
{
	const struct kernel_trial trial = kernel_trial_of(load(KERNEL_AT_NAME));
	const uint32_t at = KERNEL_AT_BACK + 4 * (trial.word % (w->bytes / 4));

	store(at, load(at) ^ trial.bits);
	use(load(at));
}

static uint32_t first_word(uint32_t walk, uint32_t at)
{
	return kernel_spare_word(loads()->seed, load(KERNEL_AT_NAME), walk, at);
}

static struct words complement(uint32_t at, uint32_t bytes, uint32_t first, uint32_t step)
{
	return (struct words){ at, bytes, ~first, -step };
}

/* Test the next piece of the peer's memory. */
static void exchange(struct reader *r, struct exchange *x)
{
	volatile struct kernel_exchange *e = &traffic()->exchange;
	const uint32_t at = loads()->spare[x->piece].at + x->done;
	const uint32_t left = loads()->spare[x->piece].bytes - x->done;
	const uint32_t bytes = left < KERNEL_EXCHANGE_BYTES ? left : KERNEL_EXCHANGE_BYTES;
	const uint32_t step = kernel_dram_word(0, 0, 4) - kernel_dram_word(0, 0, 0);
	const struct words kept = complement(at, bytes, first_word(e->walks - 1, at), step);
	const struct words levels[2] = { { at, bytes, first_word(e->walks, at), step },
		complement(at, bytes, first_word(e->walks, at), step) };

	if (e->walks) {
		read_peer(r, x, 1, &kept);
		compare_peer(KERNEL_LEVEL_KEPT, &kept);
	}
	for (uint32_t level = 0; level < 2; level++) {
		write_peer(x, !level, &levels[level]);
		read_peer(r, x, level, &levels[level]);
		if (level == 0 && e->walks == 0 && e->bytes == 0)
			spoil_word(&levels[level]);
		compare_peer(level, &levels[level]);
	}
	e->bytes += bytes;
	x->done = bytes < left ? x->done + bytes : 0;
	if (bytes < left || ++x->piece < loads()->spares)
		return;
	x->piece = e->bytes = 0;
	e->walks++;
}

int main(void)
{
	volatile struct kernel_traffic *t = traffic();
	struct exchange x;
	struct reader r;

	t->nc_phase = KERNEL_RUNS;
	clear_network(0);
	clear_network(1);
	r.own = own_endpoint(0);
	r.asked = load(NIU_RESPONSES);
	r.next = r.burst[0].bytes = r.burst[1].bytes = 0;
	r.random = (loads()->seed ^ r.own * 0x9e3779b1) | 1;
	/* Each tile begins somewhere else, so that many tiles try all ports in few turns. */
	if (loads()->channels) {
		r.first = draw(&r) % (loads()->channels * KERNEL_PORTS);
		r.turn = draw(&r) % (loads()->channels * KERNEL_PORTS);
	}
	try_judges();
	/* Do each of them once, however short the run is. */
	if (loads()->reload)
		reload(&r);
	if (loads()->bursts)
		burst(&r, 1);
	x.is_known = 0;
	if (loads()->spares)
		meet_peer(&r, &x);
	for (;;) {
		/* The first piece, however short the run is. */
		if (x.is_known)
			exchange(&r, &x);
		t->nc_heart++;
		see_memory();
		if (state()->t0_phase == KERNEL_DONE)
			break;
		if (is_due()) {
			burst(&r, 0);
			reload(&r);
		} else if (loads()->bursts) {
			burst(&r, 1);
		}
	}
	burst(&r, 0);
	t->nc_phase = KERNEL_DONE;
	return 0;
}
