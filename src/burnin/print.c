/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.c - the progress of a burn in lines, and its end in words.
 */
#include "config.h"
#include "src/burnin/print.h"

#include "base/clock.h"
#include "base/text.h"
#include "burnin/host/burn.h"
#include "burnin/host/stop_rules.h"
#include "src/burnin/cards.h"
#include "src/burnin/run.h"
#include "src/outlet.h"
#include "src/say.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The progress in lines, if there is no screen. */

/* Say how much of the memory is overwritten. */
static void announce_memory(struct strbuf *to, const char *name, const struct card_burn_config *c)
{
	const uint64_t each = c->memory.size;
	unsigned n = 0;

	for (unsigned i = 0; i < MEMORY_CHANNELS; i++)
		n += c->memory.channels >> i & 1;
	strbuf_printf(to, "Testing the memory of %s: overwrites %llu MiB and more of each of %u "
		"channel%s, which is not put back; seed %llu, every word compared\n", name,
		(unsigned long long)(each + (1 << 20) - 1) >> 20, n, text_plural(n),
		(unsigned long long)c->memory.seed);
	if (card_kinds_count(c) == 0)
		strbuf_puts(to, "The chip is not reset before: that would train its memory anew\n");
}

static void announce_finds(struct strbuf *to, const struct burnin_card *c)
{
	for (size_t i = 0; i < c->n_before; i++) {
		const struct burnin_find *f = &c->before[i];
		char when[64];

		strbuf_printf(to, "  core %u-%u: ", f->x, f->y);
		if (f->words > 0)
			strbuf_printf(to, "%" PRIu64 " wrong word%s", f->words,
				text_plural(f->words));
		else
			strbuf_puts(to, "faults");
		strbuf_printf(to, " in %u earlier burn%s, last at %.19s",
			f->burns, text_plural(f->burns),
			clock_iso_local(f->last, when, sizeof(when)));
		if (f->degrees > 0)
			strbuf_printf(to, " and up to %.1f °C", (double)f->degrees / 1000);
		if (f->clean > 0)
			strbuf_printf(to, "; nothing in %u burn%s since", f->clean,
				text_plural(f->clean));
		strbuf_putc(to, '\n');
	}
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
				c->phases, text_plural(c->phases), (unsigned long long)c->seed);
		if (!c->computes_nothing && c->memory.channels)
			announce_memory(to, t->name, c);
		announce_finds(to, t->card);
	}
}

static void put_host_progress(struct strbuf *to, const struct burnin_run *r)
{
	const struct sensors *sensors = r->sensors.known ? &r->sensors.now : NULL;
	const struct sensor *hot = sensors ? sensors_hottest(sensors) : NULL;
	const int due = burnin_run_due(r);
	struct burn_result now;
	double percent;
	char text[32];
	int64_t mw;

	burn_judge(&r->burn, 0, NULL, &now);
	percent = figure_percent(now.total, now.peak);
	if (now.total > 0)
		strbuf_printf(to, "  %8.1f GFLOP/s", now.total);
	if (now.memory_rate[0] > 0)
		strbuf_printf(to, "  %7.2f GB/s of memory", now.memory_rate[0]);
	else if (percent > 0)
		strbuf_printf(to, "  %5.1f %% of the peak", percent);
	else
		strbuf_puts(to, now.total > 0 ? "      - % of the peak" :
			"  waiting for the first results");
	if (due >= 0)
		strbuf_printf(to, "  %.0f %% of the load is due", due / 10.0);
	strbuf_printf(to, "  round %llu  %llu wrong", (unsigned long long)now.rounds + 1,
		(unsigned long long)now.errors);
	if (hot)
		strbuf_printf(to, "  %s", sensor_text(hot, text, sizeof(text)));
	if (sensors && sensors_power(sensors, &mw) && mw)
		strbuf_printf(to, "  %.1f W", (double)mw / 1000);
	if (now.total > 0 && !(now.memory_rate[0] > 0) && !(percent > 0) && now.no_peak)
		strbuf_printf(to, " (no peak: %s)", now.no_peak);
}

/* The card's process may write anything. */
enum card_phase burnin_card_phase(const struct burnin_card *c)
{
	const int phase = atomic_load(&c->burn.shared->phase);

	return phase >= 0 && phase < CARD_PHASES ? (enum card_phase)phase : CARD_OVER;
}

const char *const burnin_phase_names[CARD_PHASES] = { "opening", "loading", "starting", "burning",
	"comparing", "resting", "ended" };

/* Sums over all cards. */
struct cards {
	size_t cards, cores, rated, in[CARD_PHASES];
	double mvmul;			/* per cycle, of all cores that have a rate */
	bool timeless, untrue;
	uint64_t blocks, rechecked, wrong, misread, still, moved;
	int64_t hottest;		/* 0: not known */
};

static void add_card(struct cards *all, const struct burnin_card *c)
{
	const struct range *temp = &c->seen[BURNIN_TEMP];
	struct card_result now;

	card_judge(&c->burn, NULL, &now);
	all->cards++;
	all->cores += now.cores;
	all->in[burnin_card_phase(c)]++;
	all->rated += now.rated_cores;
	all->mvmul += now.rate * (double)now.rated_cores;
	all->timeless = all->timeless || c->burn.config.is_timeless;
	all->untrue = all->untrue || now.untrue_cores > 0;
	all->blocks += now.blocks;
	all->rechecked += now.rechecked;
	all->wrong += now.wrong;
	all->misread += now.misread;
	all->moved += atomic_load(&c->burn.shared->memory.moved);
	all->still += now.still_cores;
	if (temp->n > 0 && temp->most > all->hottest)
		all->hottest = temp->most;
}

static void put_cards_progress(struct strbuf *to, const struct burnin_run *r)
{
	struct cards c = { .cards = 0 };
	const struct burnin_target *t;

	for (size_t i = 0; (t = burnin_next_card(r, &i));)
		if (t->card->started)
			add_card(&c, t->card);
	if (c.cards == 0)
		return;
	strbuf_printf(to, "  %zu card%s", c.cards, text_plural(c.cards));
	if (c.cores > 0)
		strbuf_printf(to, ", %zu cores", c.cores);
	for (int i = 0; i < CARD_PHASES; i++)
		if (c.in[i] > 0 && i != CARD_RUNS)
			strbuf_printf(to, ", %zu %s", c.in[i], burnin_phase_names[i]);
	/* A simulator's clock does not measure time. */
	if (!c.timeless && c.untrue)
		strbuf_puts(to, "  - MVMUL/cycle (more than one counted)");
	else if (!c.timeless && c.mvmul > 0)
		strbuf_printf(to, "  %.3f MVMUL/cycle", c.mvmul / (double)c.rated);
	if (c.cores > 0)
		strbuf_printf(to, "  %llu blocks", (unsigned long long)c.blocks);
	if (c.in[CARD_STOPS] > 0)
		strbuf_printf(to, ", %llu again by the host", (unsigned long long)c.rechecked);
	if (c.moved > 0)
		strbuf_printf(to, "  %.1f MiB of memory", burnin_mib(c.moved));
	strbuf_printf(to, "  %llu wrong", (unsigned long long)c.wrong);
	if (c.misread > 0)
		strbuf_printf(to, "  %llu right when read again", (unsigned long long)c.misread);
	if (c.still > 0)
		strbuf_printf(to, "  %llu standing still", (unsigned long long)c.still);
	if (c.hottest > 0)
		strbuf_printf(to, "  up to %.1f °C", (double)c.hottest /
			fields[FIELD_ASIC_TEMP].scale);
}

void burnin_lines_begin(struct burnin_run *r, const struct burn_config *c)
{
	const struct checkpoint *before = &r->resume.before;

	if (r->screen)
		return;
	if (c)
		strbuf_printf(&r->out.text, "Burning the host: %d thread%s, seed %llu, every "
			"result verified\n", c->threads, text_plural((uint64_t)c->threads),
			(unsigned long long)c->seed);
	announce_cards(&r->out.text, &r->facts);
	if (before->runs > 0)
		strbuf_printf(&r->out.text, "Continues after %.0f s of %llu earlier run%s "
			"(kernel %s)\n", (double)before->elapsed / 1e9,
			(unsigned long long)before->runs, text_plural(before->runs),
			before->kernel);
	outlet_push(&r->out);
}

/* Say so once: while the load stands still so does its time, and no other line comes. */
void burnin_lines_stop(struct burnin_run *r)
{
	const struct burn *b = &r->burn;
	const bool stands = r->phase == BURNIN_LOAD && (b->stopped || burn_stands(b));
	size_t thread;

	if (stands == r->said_stop || r->screen || !outlet_push(&r->out))
		return;
	r->said_stop = stands;
	if (stands && !b->stopped) {
		watchdog_longest(&b->watchdog, &thread);
		strbuf_printf(&r->out.text, "%10sthread %zu stands still\n", "", thread);
	} else {
		strbuf_printf(&r->out.text, "%10s%s\n", "", stands ?
			"the load is stopped from outside (SIGSTOP)" : "the load goes on");
	}
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
	if (r->burns && r->phase != BURNIN_MAKING)
		put_host_progress(&r->out.text, r);
	put_cards_progress(&r->out.text, r);
	strbuf_putc(&r->out.text, '\n');
	outlet_push(&r->out);
}

/* The end. */

enum {
	MAPS = 4,		/* the most cards with details and a map */
	MISMATCHES = 10		/* the most wrong words of the host that are named */
};

static void put_mismatch(struct strbuf *to, const struct burn_error *x)
{
	const char *what = burn_what_name(x->what), *pattern = burn_error_pattern(x);
	const bool is_known = x->got != x->want, in_memory = x->kind == BURN_MEMORY;

	if (in_memory)
		strbuf_printf(to, "  %s, %s, %s:", what, burn_error_impl(x), pattern);
	else
		strbuf_printf(to, "  %s in %s, %s, %s: %s", burnin_op_name(x->kind),
			burnin_dtype_name(x->kind), burn_error_impl(x), pattern, what);
	if (is_known)
		strbuf_printf(to, " [%" PRIu64 "]", x->index);
	if (in_memory)
		strbuf_printf(to, " at 0x%" PRIx64, x->address);
	if (in_memory && x->physical)
		strbuf_printf(to, ", physical 0x%" PRIx64, x->physical);
	if (is_known)
		strbuf_printf(to, " is 0x%08x, not 0x%08x (bits 0x%08x)", x->got, x->want,
			x->got ^ x->want);
	strbuf_printf(to, ", thread %d on CPU %d, after %.3f s\n", x->thread, x->cpu,
		(double)x->at / CLOCK_SECOND);
}

/* The first wrong words; one of memory is named only if it is known. */
static void put_mismatches(struct strbuf *to, const struct burn *b)
{
	const uint32_t places = burn_error_places(b);
	struct burn_error x;
	size_t n = 0;

	for (uint32_t i = 0; i < places && n <= MISMATCHES; i++) {
		if (!burn_error(b, i, &x) || (x.kind == BURN_MEMORY && x.got == x.want))
			continue;
		if (n++ < MISMATCHES)
			put_mismatch(to, &x);
		else
			strbuf_puts(to, "  and more\n");
	}
}

static void put_work(struct strbuf *to, const struct burn *b, const struct burn_result *r)
{
	const bool verified = r->words + r->sums > 0;
	char percent[BURNIN_PERCENT], text[64];

	for (int k = 0; k < BURN_KINDS; k++)
		if (b->config.kinds[k] && r->blocks[k] > 0 && r->rate[k] > 0)
			strbuf_printf(to, "  %-6s %-8s %8.1f GFLOP/s %5s %% of the peak, %" PRIu64
				" blocks (%s: %s)\n", burnin_op_name(k), burnin_dtype_name(k),
				r->rate[k], burnin_percent(r->rate[k], r->peaks[k], percent),
				r->blocks[k], burn_impl_name(b, k),
				burn_case_text(b, k, text, sizeof(text)));
	if (!verified && b->config.memory > 0 && r->memory_bytes > 0)
		return;
	strbuf_puts(to, "  ");
	if (figure_percent(r->total, r->peak) > 0)
		strbuf_printf(to, "%.1f GFLOP/s, %.1f %% of %.1f; ", r->total,
			figure_percent(r->total, r->peak), r->peak);
	else if (r->total > 0)
		strbuf_printf(to, "%.1f GFLOP/s; ", r->total);
	if (verified)
		strbuf_printf(to, "%" PRIu64 " words of results and %" PRIu64 " checksums "
			"verified, %" PRIu64 " wrong\n", r->words, r->sums, r->errors);
	else
		strbuf_puts(to, "no result was verified\n");
}

static void put_memory(struct strbuf *to, const struct burn *b, const struct burn_result *r)
{
	const double *rate = r->memory_rate, percent = figure_percent(rate[0], r->memory_ceiling);

	if (b->config.memory == 0)
		return;
	if (rate[0] > 0)
		strbuf_printf(to, "  memory %8.2f GB/s written and compared in order, ", rate[0]);
	if (percent > 0)
		strbuf_printf(to, "%.1f %% of the %.2f of one value\n", percent, r->memory_ceiling);
	else if (rate[0] > 0)
		strbuf_printf(to, "- %% of one value%s%s\n", r->no_ceiling ? ": " : "",
			r->no_ceiling ? r->no_ceiling : "");
	if (rate[1] > 0)
		strbuf_printf(to, "  memory %8.2f GB/s in random order\n", rate[1]);
	strbuf_printf(to, "  %" PRIu64 " MiB of memory, %" PRIu64 " MiB compared in %" PRIu64
		" whole passes\n", b->config.memory >> 20, r->memory_bytes >> 20,
		r->memory_passes);
	if (r->unlocked)
		strbuf_printf(to, "  The memory could not be locked (%s): pages that the kernel "
			"moved were not tested in one place\n", strerror(r->unlocked));
}

/* Say how much of its processors the load had, if that was not all of them. */
static void put_processors(struct strbuf *to, const struct burn_config *c,
	const struct burn_result *r)
{
	const int burnt = burn_processors(c), online = (int)sysconf(_SC_NPROCESSORS_ONLN);

	if (burnt < online)
		strbuf_printf(to, "  %d of this machine's %d processors burnt\n", burnt, online);
	if (r->share <= 0 || r->share >= 0.95)
		return;
	if (c->threads > c->processors)
		strbuf_printf(to, "  %d threads shared %d processor%s: each computed for %.0f %% "
			"of the time\n", c->threads, c->processors,
			text_plural((uint64_t)c->processors), 100 * r->share);
	else
		strbuf_printf(to, "  the load had its processors for %.0f %% of the time: other "
			"work, or a limit of its control group, took the rest\n", 100 * r->share);
}

static void put_range(struct strbuf *to, const struct sensor *x)
{
	const double scale = (double)sensor_scale(x);

	strbuf_printf(to, "  %s: %.1f to %.1f %s\n", x->name, (double)x->least / scale,
		(double)x->most / scale, sensor_unit(x));
}

/* What was not watched, how warm the machine got, and how long the load did not run. */
static void put_machine(struct strbuf *to, const struct burnin_facts *f)
{
	const struct sensor *hot = f->sensors ? sensors_hottest(f->sensors) : NULL;
	const size_t from = to->len;

	/* The table tells it, too. */
	if (f->n_targets <= 1)
		burnin_put_facts_unwatched(to, f, "  not watched: ", "\n  not watched: ");
	if (to->len > from)
		strbuf_putc(to, '\n');
	if (hot && hot->time > 0)
		put_range(to, hot);
	for (size_t i = 0; f->sensors && i < f->sensors->n; i++) {
		const struct sensor *x = &f->sensors->s[i];

		if (x->time == 0)
			continue;
		if (x->package)
			put_range(to, x);
		if (x->kind == SENSOR_THROTTLE && x->most > x->least)
			strbuf_printf(to, "  %s: %lld\n", x->name, (long long)(x->most - x->least));
	}
	if (f->paused && f->continued)
		strbuf_printf(to, "  the load rested for %.0f s while the program was stopped\n",
			(double)f->paused / CLOCK_SECOND);
	else if (f->paused)
		strbuf_printf(to, "  the load waited for %.0f s, which is not counted: this "
			"program had no processor to watch it\n", (double)f->paused / CLOCK_SECOND);
	if (f->stood)
		strbuf_printf(to, "  a thread stood still for %.0f s, which is not counted\n",
			(double)f->stood / CLOCK_SECOND);
	if (f->stopped)
		strbuf_printf(to, "  the load was stopped (SIGSTOP) for %.0f s, which is not "
			"counted\n", (double)f->stopped / CLOCK_SECOND);
}

/* Whether an earlier card has the same verdict for the same reason. */
static bool is_repeated(const struct burnin_facts *f, const struct burnin_target *t)
{
	for (const struct burnin_target *x = f->targets; x < t; x++)
		if (x->card && x->result.verdict == t->result.verdict &&
			strcmp(x->result.reason, t->result.reason) == 0)
			return true;
	return false;
}

/* Whether to print details and a map: of many cards, only for the first reasons not to pass. */
static bool has_details(const struct burnin_facts *f, const struct burnin_target *t)
{
	size_t cards = 0, before = 0;

	for (const struct burnin_target *x = f->targets; x < f->targets + f->n_targets; x++) {
		cards += x->card != NULL;
		before += x < t && x->card && x->result.verdict != VERDICT_PASS &&
			!is_repeated(f, x);
	}
	return !t->card || cards <= MAPS ||
		(t->result.verdict != VERDICT_PASS && before < MAPS && !is_repeated(f, t));
}

/* Wrap lines at the terminal's width; a continuation is indented further than its line. */
static void put_lines(struct strbuf *to, struct strbuf *lines, size_t columns)
{
	char *rest = NULL;

	for (char *line = lines->len ? strtok_r(lines->text, "\n", &rest) : NULL; line;
		line = strtok_r(NULL, "\n", &rest)) {
		const size_t indent = strspn(line, " ");

		strbuf_add(to, line, indent);
		text_put_wrapped(to, line + indent, indent + 2, columns);
	}
	strbuf_clear(lines);
}

static bool is_alike(const void *all, size_t x, size_t y)
{
	const struct burnin_target *a = (const struct burnin_target *)all + x;
	const struct burnin_target *b = (const struct burnin_target *)all + y;

	return *a->bdf && *b->bdf && !*a->second && !*b->second && a->ran == b->ran &&
		a->result.verdict == b->result.verdict && *a->result.reason &&
		strcmp(a->result.reason, b->result.reason) == 0 &&
		advice_is_alike(&a->next, &b->next);
}

/* Put the line of a target, or of all cards that are like it, before the first of them. */
static void put_target(struct strbuf *to, const struct burnin_facts *f, size_t at)
{
	const struct burnin_target *t = &f->targets[at];
	int *index = mem_calloc(f->n_targets, sizeof(*index));
	const size_t n = text_group(f->targets, f->n_targets, at, is_alike, index);
	const struct advice *next[DEVICE_MAX + 1];

	for (size_t i = 0; i < n; i++) {
		next[i] = &f->targets[index[i]].next;
		index[i] = f->targets[index[i]].index;
	}
	if (n == 1)
		strbuf_puts(to, t->name);
	else if (n > 1)
		text_put_cards(to, index, n);
	free(index);
	if (n == 0)
		return;
	strbuf_printf(to, ": %s%s%s%s", verdict_word(t->result.verdict),
		*t->result.reason ? ": " : "", t->result.reason, t->ran && t->card &&
		f->o->no_reset ? " (--no-reset: no chip reset before and after)" : "");
	if (*t->second)
		strbuf_printf(to, "; its second chip, %s, was not burnt (reached only over "
			"ethernet)", t->second);
	advice_put(to, next, n);
	strbuf_putc(to, '\n');
}

/* On a terminal, the table replaces the line of each target. */
static bool has_lines(const struct burnin_facts *f)
{
	return f->n_targets <= 1 || !isatty(STDOUT_FILENO);
}

static void put_targets(struct strbuf *to, const struct burnin_facts *f)
{
	bool is_said = false, is_warned = false;

	for (size_t i = 0; i < f->n_targets; i++) {
		const struct burnin_target *t = &f->targets[i];

		if (t->ran && t->card && has_details(f, t))
			burnin_card_put(to, t->card);
		if (t->ran && !t->card) {
			put_work(to, f->burn, &t->result);
			put_memory(to, f->burn, &t->result);
			if (t->result.no_peak)
				strbuf_printf(to, "  - %% of the peak: %s\n", t->result.no_peak);
			put_processors(to, &f->burn->config, &t->result);
			put_mismatches(to, f->burn);
			put_machine(to, f);
			is_said = true;
		}
		if (!is_warned && t->ran && t->card && burnin_card_computes(t->card)) {
			strbuf_puts(to, "  The kernel is verified on simulated chips, but for the "
				"step that clears the backend's configuration, and has not yet run "
				"on silicon: a report of this card is welcome\n");
			is_warned = true;
		}
		if (has_lines(f))
			put_target(to, f, i);
	}
	if (!is_said && f->sensors)
		put_machine(to, f);
}

void burnin_report_print(struct strbuf *to, const struct burnin_facts *f, const char *earlier)
{
	const struct burnin_table look = { .columns = outlet_columns(STDOUT_FILENO),
		.has_lines = has_lines(f),
		.is_styled = !f->o->no_color && outlet_is_screen() };
	struct strbuf lines = { 0 };

	if (f->n_targets > 1)
		burnin_table_put_head(to, f, &look);
	strbuf_puts(to, earlier);
	put_targets(&lines, f);
	put_lines(to, &lines, look.columns);
	if (f->n_targets > 1)
		burnin_table_put(to, f, &look);
	if (f->clock_step)
		strbuf_printf(to, "The system's clock was moved by %.1f s meanwhile; times here "
			"are not affected.\n", (double)f->clock_step / CLOCK_SECOND);
}
