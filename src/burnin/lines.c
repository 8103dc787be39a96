/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.c - a burn as it goes on, in lines of its figures, where it has no screen.
 */
#include "config.h"
#include "src/burnin/run.h"

#include "base/array.h"
#include "base/clock.h"
#include "burnin/cores/card_kind.h"

#define STANDS (3 * CLOCK_SECOND)	/* without a single result: then lines say so */

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* What is lost of it. */
static void announce_memory(struct strbuf *to, const char *name, const struct card_burn_config *c)
{
	const uint64_t each = c->memory.size;
	unsigned n = 0;

	for (unsigned i = 0; i < MEMORY_CHANNELS; i++)
		n += c->memory.channels >> i & 1;
	strbuf_printf(to, "Testing the memory of %s: overwrites %llu MiB and more of each of %u "
		"channel%s, which is not put back; seed %llu, every word compared\n", name,
		(unsigned long long)(each + (1 << 20) - 1) >> 20, n, plural(n),
		(unsigned long long)c->memory.seed);
	if (card_kinds_count(c) == 0)
		strbuf_puts(to, "The chip is not reset before: that would train its memory anew\n");
}

static void announce_cards(struct strbuf *to, const struct burnin_facts *f)
{
	for (size_t i = 0; i < f->n_targets; i++) {
		const struct burnin_target *t = &f->targets[i];
		const struct card_burn_config *c = t->card ? &t->card->burn.config : NULL;

		if (!c || !t->card->started)
			continue;
		if (c->computes_nothing)
			strbuf_printf(to, "Burning %s: simulated, it takes the power and computes "
				"nothing\n", t->name);
		else if (card_kinds_count(c) > 0)
			strbuf_printf(to, "Burning %s: blocks of about %u steps, %u phase%s of "
				"fidelity, seed %llu, every block compared\n", t->name, c->steps,
				c->phases, plural(c->phases), (unsigned long long)c->seed);
		if (!c->computes_nothing && c->memory.channels)
			announce_memory(to, t->name, c);
	}
}

/* The figures of a line; what is 0 is mostly not known yet. */
struct progress {
	/* The host. */
	bool waits;			/* nothing of it is known, */
	bool no_peak;			/* or its rate, but no peak that can be true */
	double rate, percent, memory;
	uint64_t round, wrong;
	int slowest;
	int64_t stands;			/* ns that this thread stands still */
	char hottest[32];
	int64_t mw;

	/* Cards. */
	size_t cards, cores, loading;
	double mvmul;			/* per cycle: the sum, then the mean of all cores */
	bool timeless, untrue;
	uint64_t blocks, card_wrong, still, moved;
	struct figure_amount card_hottest;
};

static const struct figure_group progress = { .rows = (const struct figure[]){
	{ "waits", NULL, FIGURE_BOOL, .at = offsetof(struct progress, waits) },
	{ "no_peak", NULL, FIGURE_BOOL, .at = offsetof(struct progress, no_peak) },
	{ "rate", NULL, FIGURE_RATE, .at = offsetof(struct progress, rate) },
	{ "percent", NULL, FIGURE_RATE, .at = offsetof(struct progress, percent) },
	{ "memory", NULL, FIGURE_RATE, .at = offsetof(struct progress, memory) },
	{ "round", NULL, FIGURE_U64, .at = offsetof(struct progress, round), .some = true },
	{ "wrong", NULL, FIGURE_U64, .at = offsetof(struct progress, wrong) },
	{ "slowest", NULL, FIGURE_INT, .at = offsetof(struct progress, slowest) },
	{ "stands", NULL, FIGURE_TIME, .at = offsetof(struct progress, stands), .some = true },
	{ "hottest", NULL, FIGURE_CHARS, .at = offsetof(struct progress, hottest) },
	{ "watt", NULL, FIGURE_I64, .at = offsetof(struct progress, mw), .scale = 1000,
		.some = true },
	{ "cards", NULL, FIGURE_SIZE, .at = offsetof(struct progress, cards), .some = true },
	{ "cores", NULL, FIGURE_SIZE, .at = offsetof(struct progress, cores), .some = true },
	{ "loading", NULL, FIGURE_SIZE, .at = offsetof(struct progress, loading), .some = true },
	{ "mvmul", NULL, FIGURE_RATE, .at = offsetof(struct progress, mvmul), .scale = 10000 },
	{ "untrue", NULL, FIGURE_BOOL, .at = offsetof(struct progress, untrue) },
	{ "blocks", NULL, FIGURE_U64, .at = offsetof(struct progress, blocks) },
	{ "moved", NULL, FIGURE_U64, .at = offsetof(struct progress, moved), .some = true },
	{ "card_wrong", NULL, FIGURE_U64, .at = offsetof(struct progress, card_wrong) },
	{ "still", NULL, FIGURE_U64, .at = offsetof(struct progress, still), .some = true },
	{ "card_hottest", NULL, FIGURE_AMOUNT, .at = offsetof(struct progress, card_hottest) },
	{ .kind = FIGURE_NONE } } };

static const char *const progress_lines[] = {
	"[  {rate:8.1} GFLOP/s][  {memory:7.2} GB/s of memory][{!memory}  {percent:5.1} % of the "
		"peak][{!memory}{?no_peak}      - % of the peak][{?waits}  waiting for the first "
		"results]  round {round}  {wrong} wrong"
		"[  thread {slowest} stands still for {stands:.0} s][  {hottest}][  {watt:.1} W]",
	"  {cards} card{cards:s}[, {cores} cores][, {loading} being loaded]"
		"[{?untrue}  - MVMUL/cycle (more than one counted)][  {mvmul:.3} MVMUL/cycle]"
		"[{?cores}  {blocks} blocks][  {moved:.1M} MiB of memory]  {card_wrong} wrong"
		"[  {still} standing still][  up to {card_hottest:.1} °C]",
};

static void add_host(struct progress *p, const struct burnin_run *r)
{
	const struct sensor *hot = r->sensors.known ? sensors_hottest(&r->sensors.now) : NULL;
	struct burn_result now;
	int64_t stands;
	size_t slowest;

	burn_judge(&r->burn, 0, "", &now);
	p->rate = now.total;
	p->percent = now.peak > 0 ? 100 * now.total / now.peak : 0;
	p->memory = now.memory_rate[0];
	p->waits = !(p->rate > 0) && !(p->memory > 0);
	p->no_peak = p->rate > 0 && !(p->percent > 0);
	p->round = now.rounds + 1;
	p->wrong = now.errors;
	stands = watchdog_longest(&r->burn.watchdog, &slowest);
	p->slowest = (int)slowest;
	p->stands = stands > STANDS ? stands : 0;
	if (hot)
		sensor_text(hot, p->hottest, sizeof(p->hottest));
	if (!r->sensors.known || !sensors_power(&r->sensors.now, &p->mw))
		p->mw = 0;
}

static void add_card(struct progress *p, const struct burnin_card *c)
{
	const struct burnin_range *temp = &c->seen[BURNIN_TEMP];
	struct card_result now;

	card_judge(&c->burn, NULL, &now);
	p->cards++;
	p->cores += now.cores;
	p->loading += atomic_load(&c->burn.shared->phase) < CARD_STARTS;
	p->mvmul += now.rate * (double)now.cores;
	p->timeless = p->timeless || c->burn.config.is_timeless;
	p->untrue = p->untrue || now.untrue_cores > 0;
	p->blocks += now.blocks;
	p->card_wrong += now.wrong;
	p->moved += atomic_load(&c->burn.shared->memory.moved);
	p->still += now.still_cores;
	if (temp->n > 0 && temp->most > p->card_hottest.n)
		p->card_hottest = (struct figure_amount){ true, temp->most,
			fields[FIELD_ASIC_TEMP].scale };
}

static void put_progress(struct burnin_run *r, bool with_host)
{
	const struct burnin_target *t;
	struct figures f = { 0 };
	struct progress p = { 0 };

	if (with_host)
		add_host(&p, r);
	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->card->started)
			add_card(&p, t->card);
	/* A simulator's clock is no time. */
	p.mvmul = p.cores > 0 && !p.untrue && !p.timeless ? p.mvmul / (double)p.cores : 0;
	p.untrue = p.untrue && !p.timeless;
	figures_take(&f, &progress, &p);
	figures_put_lines(&r->out.text, &f, progress_lines, ARRAY_LEN(progress_lines));
	figures_clear(&f);
}

void burnin_lines_begin(struct burnin_run *r, const struct burn_config *c)
{
	const struct checkpoint *before = &r->resume.before;

	if (r->screen)
		return;
	if (c)
		strbuf_printf(&r->out.text, "Burning the host: %d thread%s, seed %llu, every "
			"result verified\n", c->threads, c->threads == 1 ? "" : "s",
			(unsigned long long)c->seed);
	announce_cards(&r->out.text, &r->facts);
	if (before->runs > 0)
		strbuf_printf(&r->out.text, "Continues after %.0f s of %llu earlier run%s "
			"(kernel %s)\n", (double)before->elapsed / 1e9,
			(unsigned long long)before->runs, before->runs == 1 ? "" : "s",
			before->kernel);
	outlet_push(&r->out);
}

/* Its time stands still, and so do the lines of it. */
void burnin_lines_stop(struct burnin_run *r)
{
	if (r->burn.stopped == r->told_stop || r->screen || !outlet_push(&r->out))
		return;
	r->told_stop = r->burn.stopped;
	strbuf_printf(&r->out.text, "%10s%s\n", "", r->told_stop ?
		"the load is stopped from outside (SIGSTOP)" : "the load goes on");
	outlet_push(&r->out);
}

/* One line a second, and none that waits for its reader. */
void burnin_lines_progress(struct burnin_run *r, int64_t since)
{
	char making[64];

	if (r->screen || !outlet_push(&r->out))
		return;
	strbuf_printf(&r->out.text, "%6.0f s", (double)since / 1e9);
	if (r->phase == BURNIN_MAKING)
		strbuf_printf(&r->out.text, "  %s", r->burns ?
			burn_making(&r->burn, making, sizeof(making)) : "operands are being made");
	put_progress(r, r->burns && r->phase != BURNIN_MAKING);
	strbuf_putc(&r->out.text, '\n');
	outlet_push(&r->out);
}
