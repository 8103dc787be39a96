/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.c - a burn as it goes on, in lines, where it has no screen.
 */
#include "config.h"
#include "src/burnin/run.h"

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

struct sum {
	size_t cards, cores, loading;
	double rate;			/* of all cores together */
	uint64_t blocks, wrong, still, memory;	/* memory: bytes read and written */
	bool timeless, untrue;
	int64_t hottest, watt;		/* in the fields' steps */
};

static void add_card(struct sum *s, const struct burnin_card *c)
{
	const int phase = atomic_load(&c->burn.shared->phase);
	struct card_result now;

	card_judge(&c->burn, NULL, &now);
	s->cards++;
	s->cores += now.cores;
	s->timeless = s->timeless || c->burn.config.is_timeless;
	s->untrue = s->untrue || now.untrue_cores > 0;
	s->loading += phase < CARD_STARTS;
	s->rate += now.rate * (double)now.cores;
	s->blocks += now.blocks;
	s->wrong += now.wrong;
	s->memory += atomic_load(&c->burn.shared->memory.moved);
	s->still += now.still_cores;
	if (c->seen[BURNIN_TEMP].n > 0 && c->seen[BURNIN_TEMP].most > s->hottest)
		s->hottest = c->seen[BURNIN_TEMP].most;
}

static void put_cards_progress(struct strbuf *to, const struct burnin_facts *f)
{
	struct sum s = { 0 };

	for (size_t i = 0; i < f->n_targets; i++)
		if (f->targets[i].card && f->targets[i].card->started)
			add_card(&s, f->targets[i].card);
	if (s.cards == 0)
		return;
	strbuf_printf(to, "  %zu card%s", s.cards, plural(s.cards));
	if (s.cores > 0)
		strbuf_printf(to, ", %zu cores", s.cores);
	if (s.loading)
		strbuf_printf(to, ", %zu being loaded", s.loading);
	/* A simulator's clock is no time. */
	if (s.untrue && !s.timeless)
		strbuf_puts(to, "  - MVMUL/cycle (more than one counted)");
	else if (s.cores > 0 && s.rate > 0 && !s.timeless)
		strbuf_printf(to, "  %.3f MVMUL/cycle", s.rate / (double)s.cores);
	if (s.cores > 0)
		strbuf_printf(to, "  %llu blocks", (unsigned long long)s.blocks);
	if (s.memory > 0)
		strbuf_printf(to, "  %.1f MiB of memory", (double)s.memory / (1 << 20));
	strbuf_printf(to, "  %llu wrong", (unsigned long long)s.wrong);
	if (s.still)
		strbuf_printf(to, "  %llu standing still", (unsigned long long)s.still);
	if (s.hottest > 0)
		strbuf_printf(to, "  up to %.1f °C",
			(double)s.hottest / fields[FIELD_ASIC_TEMP].scale);
}

void burnin_lines_begin(struct burnin_run *r, const struct burn_config *c)
{
	const struct checkpoint *before = &r->facts->resume.before;

	if (r->screen)
		return;
	if (c)
		strbuf_printf(&r->out.text, "Burning the host: %d thread%s, seed %llu, every "
			"result verified\n", c->threads, c->threads == 1 ? "" : "s",
			(unsigned long long)c->seed);
	announce_cards(&r->out.text, r->facts);
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

static void put_host_progress(struct burnin_run *r)
{
	const struct sensor *hot = r->sensors.known ? sensors_hottest(&r->sensors.now) : NULL;
	struct burn_result now;
	char text[32];
	int64_t mw;

	burn_judge(&r->burn, 0, "", &now);
	if (now.total > 0)
		strbuf_printf(&r->out.text, "  %8.1f GFLOP/s", now.total);
	if (now.memory_rate[0] > 0)
		strbuf_printf(&r->out.text, "  %7.2f GB/s of memory", now.memory_rate[0]);
	else if (now.total > 0 && now.peak > 0)
		strbuf_printf(&r->out.text, "  %5.1f %% of the peak", 100 * now.total / now.peak);
	else if (now.total > 0)
		strbuf_printf(&r->out.text, "  %5s %% of the peak", "-");
	else
		strbuf_puts(&r->out.text, "  waiting for the first results");
	strbuf_printf(&r->out.text, "  round %llu  %llu wrong", (unsigned long long)now.rounds + 1,
		(unsigned long long)now.errors);
	if (r->woken - r->burn.changed > STANDS)
		strbuf_printf(&r->out.text, "  thread %d stands still for %.0f s", r->burn.slowest,
			(double)(r->woken - r->burn.changed) / 1e9);
	if (hot)
		strbuf_printf(&r->out.text, "  %s", sensor_text(hot, text, sizeof(text)));
	if (r->sensors.known && sensors_power(&r->sensors.now, &mw))
		strbuf_printf(&r->out.text, "  %.1f W", (double)mw / 1000);
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
	else if (r->burns)
		put_host_progress(r);
	put_cards_progress(&r->out.text, r->facts);
	strbuf_putc(&r->out.text, '\n');
	outlet_push(&r->out);
}
