/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.c - the end of a burn in words, and the command that runs it again.
 */
#include "config.h"
#include "src/burnin/report.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	PRINTED = 10,		/* mismatches */
	MAPS = 4		/* of cards that passed */
};

static void print_memory_error(struct strbuf *to, const struct burn_error *x)
{
	char place[40] = "";

	if (x->physical)
		snprintf(place, sizeof(place), ", physical 0x%llx",
			(unsigned long long)x->physical);
	strbuf_printf(to, "  %s, %s, %s: [%llu] at 0x%llx%s is 0x%08x, not 0x%08x (bits 0x%08x),"
		" thread %d on CPU %d, after %.3f s\n",
		burn_what_name(x->what), burn_error_impl(x), burn_error_pattern(x),
		(unsigned long long)x->index, (unsigned long long)x->address, place, x->got,
		x->want, x->got ^ x->want, x->thread, x->cpu, (double)x->at / 1e9);
}

static void print_error(struct strbuf *to, const struct burn_error *x)
{
	if (x->kind == BURN_MEMORY) {
		print_memory_error(to, x);
		return;
	}
	strbuf_printf(to, "  %s in %s, %s, %s: %s [%llu] is 0x%08x, not 0x%08x (bits 0x%08x),"
		" thread %d on CPU %d, after %.3f s\n",
		burn_op_name((enum burn_op)(x->kind / BURN_DTYPES)),
		burn_dtype_name((enum burn_dtype)(x->kind % BURN_DTYPES)), burn_error_impl(x),
		burn_error_pattern(x), burn_what_name(x->what), (unsigned long long)x->index,
		x->got, x->want, x->got ^ x->want, x->thread, x->cpu, (double)x->at / 1e9);
}

static void print_memory(struct strbuf *to, const struct burn *b,
	const struct burn_result *r)
{
	const int unlocked = burn_unlocked(b);

	if (r->memory_rate[0] > 0 && r->memory_ceiling > 0)
		strbuf_printf(to, "  memory %8.2f GB/s written and compared in order, %.1f %% of "
			"the %.2f of one value\n", r->memory_rate[0],
			100 * r->memory_rate[0] / r->memory_ceiling, r->memory_ceiling);
	if (r->memory_rate[1] > 0)
		strbuf_printf(to, "  memory %8.2f GB/s in random order\n", r->memory_rate[1]);
	strbuf_printf(to, "  %llu MiB of memory, %llu MiB compared in %llu whole passes\n",
		(unsigned long long)(b->config.memory >> 20),
		(unsigned long long)(r->memory_bytes >> 20), (unsigned long long)r->memory_passes);
	if (unlocked)
		strbuf_printf(to, "  The memory could not be locked (%s): what the kernel moved "
			"meanwhile was not tested in one place\n", strerror(unlocked));
}

/* What the threads did not get of their processors, and processors that had none. */
static void print_share(struct strbuf *to, const struct burn *b, const struct burn_result *r)
{
	const struct burn_config *c = &b->config;
	const long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (c->threads < online)
		strbuf_printf(to, "  %d of this machine's %ld processors burnt\n", c->threads,
			online);
	if (!(r->share > 0) || r->share >= 0.95)
		return;
	if (c->threads > c->processors)
		strbuf_printf(to, "  %d threads shared %d processor%s: each computed for %.0f %% "
			"of the time\n", c->threads, c->processors, c->processors == 1 ? "" : "s",
			100 * r->share);
	else
		strbuf_printf(to, "  the load had its processors for %.0f %% of the time: other "
			"work, or a limit of its control group, took the rest\n", 100 * r->share);
}

static void print_total(struct strbuf *to, const struct burn_result *r)
{
	if (r->words + r->sums == 0 && r->memory_bytes > 0)
		return;
	strbuf_puts(to, "  ");
	if (r->total > 0 && r->peak > 0)
		strbuf_printf(to, "%.1f GFLOP/s, %.1f %% of %.1f; ", r->total,
			100 * r->total / r->peak, r->peak);
	if (r->words + r->sums == 0)
		strbuf_puts(to, "no result was verified\n");
	else
		strbuf_printf(to, "%llu words of results and %llu checksums verified, %llu wrong\n",
			(unsigned long long)r->words, (unsigned long long)r->sums,
			(unsigned long long)r->errors);
}

static void print_errors(struct strbuf *to, const struct burn *b)
{
	const uint32_t places = burn_error_places(b);
	int n = 0;

	for (uint32_t i = 0; i < places && n <= PRINTED; i++) {
		struct burn_error x;

		if (!burn_error(b, i, &x))
			continue;
		if (n++ < PRINTED)
			print_error(to, &x);
		else
			strbuf_puts(to, "  and more\n");
	}
}

static void print_host(struct strbuf *to, const struct burnin_facts *f,
	const struct burn_result *r)
{
	const struct burn *b = f->burn;
	char text[64];

	for (int k = 0; k < BURN_KINDS; k++)
		if (b->config.kinds[k] && r->blocks[k] > 0)
			strbuf_printf(to, "  %-6s %-8s %8.1f GFLOP/s %5.1f %% of the peak, "
				"%llu blocks (%s: %s)\n",
				burn_op_name((enum burn_op)(k / BURN_DTYPES)),
				burn_dtype_name((enum burn_dtype)(k % BURN_DTYPES)), r->rate[k],
				r->peaks[k] > 0 ? 100 * r->rate[k] / r->peaks[k] : 0,
				(unsigned long long)r->blocks[k], burn_impl_name(b, k),
				burn_case_text(b, k, text, sizeof(text)));
	print_total(to, r);
	if (b->config.memory)
		print_memory(to, b, r);
	print_share(to, b, r);
	print_errors(to, b);
}

/* How warm it got, at which power, and which limits could not be watched. */
static void print_machine(struct strbuf *to, const struct burnin_facts *f)
{
	const struct sensor *hot = sensors_hottest(f->sensors);

	if (hot)
		strbuf_printf(to, "  %s: %.1f to %.1f °C\n", hot->name, (double)hot->least / 1000,
			(double)hot->most / 1000);
	for (size_t i = 0; i < f->sensors->n; i++) {
		const struct sensor *x = &f->sensors->s[i];

		if (x->package && x->time > 0)
			strbuf_printf(to, "  %s: %.1f to %.1f W\n", x->name,
				(double)x->least / 1000, (double)x->most / 1000);
		if (x->kind == SENSOR_THROTTLE && x->time > 0 && x->most > x->least)
			strbuf_printf(to, "  %s: %lld\n", x->name,
				(long long)(x->most - x->least));
	}
	for (size_t i = 0; i < f->n_rules; i++)
		if (!f->rules[i].applied)
			strbuf_printf(to, "  not watched: %s\n", f->rules[i].text);
	if (f->paused > 0)
		strbuf_printf(to, "  it rested for %.0f s while the program was stopped\n",
			(double)f->paused / 1e9);
	if (f->stopped > 0)
		strbuf_printf(to, "  the load was stopped from outside for %.0f s; its time "
			"went on after that\n", (double)f->stopped / 1e9);
}

/* Maps of many cards would be all that one sees. */
static bool has_map(const struct burnin_facts *f, const struct burnin_target *t)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_targets; i++)
		n += f->targets[i].card != NULL;
	return n <= MAPS || t->result.verdict != BURN_PASS;
}

void burnin_report_print(struct strbuf *to, const struct burnin_facts *f)
{
	bool told = false;

	for (size_t i = 0; i < f->n_targets; i++) {
		const struct burnin_target *t = &f->targets[i];

		if (t->ran && t->card) {
			burnin_report_print_card(to, t->card, has_map(f, t));
		} else if (t->ran) {
			print_host(to, f, &t->result);
			print_machine(to, f);
			told = true;
		}
		strbuf_printf(to, "%s: %s%s%s%s", t->name, burn_verdict_name(t->result.verdict),
			t->result.reason[0] ? ": " : "", t->result.reason,
			t->ran && t->card && f->job->o->no_reset ?
			" (--no-reset: no chip reset before and after)" : "");
		if (t->second[0])
			strbuf_printf(to, "; its second chip, %s, was not burnt (reached only over "
				"ethernet)", t->second);
		strbuf_putc(to, '\n');
	}
	if (!told && f->sensors)
		print_machine(to, f);
	if (f->clock_step != 0)
		strbuf_printf(to, "The system's clock was moved by %.1f s meanwhile; times here "
			"are not.\n", (double)f->clock_step / 1e9);
}
