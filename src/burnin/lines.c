/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.c - the progress of a burn in lines of its figures, if it has no screen.
 */
#include "config.h"
#include "src/burnin/run.h"

#include "base/array.h"
#include "base/clock.h"
#include "burnin/cores/card_kind.h"
#include "src/burnin/cards.h"
#include "telemetry/figure.h"

#define STANDS (3 * CLOCK_SECOND)	/* report a thread without a result for this long */

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* Say how much of the memory is overwritten. */
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

static const char *hottest_text(const struct burnin_run *r, char text[static 32])
{
	const struct sensor *hot = r->sensors.known ? sensors_hottest(&r->sensors.now) : NULL;

	return hot ? sensor_text(hot, text, 32) : NULL;
}

static int64_t host_power(const struct burnin_run *r)
{
	int64_t mw;

	return r->sensors.known && sensors_power(&r->sensors.now, &mw) ? mw : 0;
}

#define HOST_FIGURES(F) \
	F(BOOL, waits, (), !(now->total > 0) && !(now->memory_rate[0] > 0)) \
	F(RATE, rate, (), now->total) \
	F(RATE, percent, (), figure_percent(now->total, now->peak)) \
	F(TEXT, no_peak, (), now->no_peak) \
	F(RATE, memory, (), now->memory_rate[0]) \
	F(INT, round, (), now->rounds + 1) \
	F(INT, wrong, (), now->errors) \
	F(INT, slowest, (), slowest) \
	F(INT, due, (.scale = 10, .place = true), burnin_run_due(r)) \
	F(TIME, stands, (.some = true), stands > STANDS ? stands : 0) \
	F(TEXT, hottest, (), hottest_text(r, (char[32]){ "" })) \
	F(INT, watt, (.scale = 1000, .some = true), host_power(r))
FIGURES(host, HOST_FIGURES, const struct burnin_run *r, const struct burn_result *now,
	size_t slowest, int64_t stands)

static void add_host(struct figure_value *to, const struct burnin_run *r)
{
	struct burn_result now;
	size_t slowest;
	const int64_t stands = watchdog_longest(&r->burn.watchdog, &slowest);

	burn_judge(&r->burn, 0, NULL, &now);
	host_add(to, r, &now, slowest, stands);
}

/* Sums over all cards. */
struct cards {
	size_t cards, cores, rated, loading;
	double mvmul;			/* per cycle, of all cores that have a rate */
	bool timeless, untrue;
	uint64_t blocks, wrong, still, moved;
	struct figure_amount hottest;
};

/* A simulator's clock does not measure time. */
#define PROGRESS_FIGURES(F) \
	F(PART, host, (.group = &host_figures), if (with_host) add_host(v, r)) \
	F(INT, cards, (.some = true), c->cards) \
	F(INT, cores, (.some = true), c->cores) \
	F(INT, loading, (.some = true), c->loading) \
	F(RATE, mvmul, (.scale = 10000), c->rated > 0 && !c->untrue && !c->timeless ? \
		c->mvmul / (double)c->rated : 0) \
	F(BOOL, untrue, (), c->untrue && !c->timeless) \
	F(INT, blocks, (), c->blocks) \
	F(INT, moved, (.some = true), c->moved) \
	F(INT, card_wrong, (), c->wrong) \
	F(INT, still, (.some = true), c->still) \
	F(AMOUNT, card_hottest, (), c->hottest)
FIGURES(progress, PROGRESS_FIGURES, const struct burnin_run *r, const struct cards *c,
	bool with_host)

static const char *const progress_lines[] = {
	"[  {rate:8.1} GFLOP/s][  {memory:7.2} GB/s of memory][{!memory}  {percent:5.1} % of the "
		"peak][{?rate}{!memory}{!percent}      - % of the peak]"
		"[{?waits}  waiting for the first results][  {due:.0} % of the load is due]"
		"  round {round}  {wrong} wrong"
		"[  thread {slowest} stands still for {stands:.0} s][  {hottest}][  {watt:.1} W]"
		"[{?rate}{!memory}{!percent} (no peak: {no_peak})]",
	"  {cards} card{cards:s}[, {cores} cores][, {loading} being loaded]"
		"[{?untrue}  - MVMUL/cycle (more than one counted)][  {mvmul:.3} MVMUL/cycle]"
		"[{?cores}  {blocks} blocks][  {moved:.1M} MiB of memory]  {card_wrong} wrong"
		"[  {still} standing still][  up to {card_hottest:.1} °C]",
};

static void add_card(struct cards *all, const struct burnin_card *c)
{
	const struct range *temp = &c->seen[BURNIN_TEMP];
	struct card_result now;

	card_judge(&c->burn, NULL, &now);
	all->cards++;
	all->cores += now.cores;
	all->loading += atomic_load(&c->burn.shared->phase) < CARD_STARTS;
	all->rated += now.rated_cores;
	all->mvmul += now.rate * (double)now.rated_cores;
	all->timeless = all->timeless || c->burn.config.is_timeless;
	all->untrue = all->untrue || now.untrue_cores > 0;
	all->blocks += now.blocks;
	all->wrong += now.wrong;
	all->moved += atomic_load(&c->burn.shared->memory.moved);
	all->still += now.still_cores;
	if (temp->n > 0 && temp->most > all->hottest.n)
		all->hottest = (struct figure_amount){ true, temp->most,
			fields[FIELD_ASIC_TEMP].scale };
}

static void put_progress(struct burnin_run *r, bool with_host)
{
	struct figure_value value = { .nodes = NULL };
	const struct burnin_target *t;
	struct cards cards = { 0 };
	struct figures f;

	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->card->started)
			add_card(&cards, t->card);
	progress_add(&value, r, &cards, with_host);
	f = figures_take(&value);
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

/* Say so once: while the load is stopped its time stands still, and no other line comes. */
void burnin_lines_stop(struct burnin_run *r)
{
	if (r->burn.stopped == r->said_stop || r->screen || !outlet_push(&r->out))
		return;
	r->said_stop = r->burn.stopped;
	strbuf_printf(&r->out.text, "%10s%s\n", "", r->said_stop ?
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
