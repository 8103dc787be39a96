/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.c - a burn in words, from its figures: its report as a file, its progress, its end.
 */
#include "config.h"
#include "src/burnin/print.h"

#include "base/clock.h"
#include "base/file_new.h"
#include "base/mem.h"
#include "base/text.h"
#include "burnin/host/burn.h"
#include "burnin/host/stop_rules.h"
#include "output/dump_index.h"
#include "output/figure_json.h"
#include "report/figure.h"
#include "src/burnin/cards.h"
#include "src/burnin/figures.h"
#include "src/burnin/run.h"
#include "src/burnin/table.h"
#include "src/outlet.h"
#include "src/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The report as a file: the one of --report, and one beside a dump. */

static int write_with(int (*write)(struct file_new *, const char *, size_t, struct error *),
	struct file_new *file, const struct burnin_facts *f, struct error *e)
{
	struct figures figures = { 0 };
	struct strbuf text = { 0 };
	int r;

	burnin_figures_take(&figures, f);
	figures_print_json(&text, &figures);
	figures_clear(&figures);
	r = write(file, text.text, text.len, e);
	strbuf_clear(&text);
	return r;
}

int burnin_report_write(struct file_new *file, const struct burnin_facts *f, struct error *e)
{
	return write_with(file_new_finish, file, f, e);
}

int burnin_report_draft(struct file_new *file, const struct burnin_facts *f, struct error *e)
{
	return write_with(file_new_draft, file, f, e);
}

void burnin_report_write_beside_dump(const struct burnin_facts *f)
{
	char path[4096 + 16];
	struct file_new file;
	struct error e;

	snprintf(path, sizeof(path), "%s/" DUMP_BURN, f->dump);
	if (file_new_open(&file, path, true, &e) < 0) {
		say_error(&e);
		return;
	}
	/* The burn does not wait for the disk: the kernel syncs the file in its own time. */
	file.lazy = true;
	if (burnin_report_write(&file, f, &e) < 0)
		say_error(&e);
}

/* The progress in lines, if there is no screen. */

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

/* The end. */

enum { MAPS = 4 };		/* the most cards with details and a map */

#define MISMATCH "[ is {got:8}, not {want:8} (bits {xor:8})], thread {thread} on CPU {cpu}, " \
	"after {seconds:.3} s\n"
#define RATE "[{gflops:.1} GFLOP/s[, {peak_percent:.1} % of {peak_gflops:.1}]; ]"

/* Lines about the host. */
static const char *const host_lines[] = {
	"{@work}{?blocks}  {operation:-6} {dtype:-8} {gflops:8.1} GFLOP/s "
		"[{peak_percent:5.1}][{!peak_percent}    -] % of the peak, {blocks} blocks "
		"({implementation}: {case})\n",
	"{?verified}  " RATE "{words_verified} words of results and {checksums_verified} "
		"checksums verified, {errors} wrong\n",
	"{?threads}{!verified}{!memory.bytes_compared}  " RATE "no result was verified\n",
	"  memory {memory.in_order_gb_per_s:8.2} GB/s written and compared in order, "
		"[{memory.ceiling_percent:.1} % of the {memory.ceiling_gb_per_s:.2} of one value]"
		"[{!memory.ceiling_percent}- % of one value[: {memory.ceiling_unknown}]]\n",
	"  memory {memory.random_order_gb_per_s:8.2} GB/s in random order\n",
	"  {memory.bytes:M} MiB of memory, {memory.bytes_compared:M} MiB compared in "
		"{memory.passes} whole passes\n",
	"  The memory could not be locked ({memory.not_locked}): pages that the kernel moved were "
		"not tested in one place\n",
	"  - % of the peak: {peak_unknown}\n",
	"  {burnt} of this machine's {online} processors burnt\n",
	"  {threads} threads shared {processors} processor{processors:s}: each computed for "
		"{shared_percent:.0} % of the time\n",
	"  the load had its processors for {had_percent:.0} % of the time: other work, or a limit "
		"of its control group, took the rest\n",
	"{@mismatches:10}[  {operation} in {dtype}, {implementation}, {pattern}: {what}"
		"[ \\[{index}\\]]" MISMATCH "]"
		"[  {what}, {implementation}, {pattern}: \\[{index}\\] at {address}"
		"[, physical {physical}]" MISMATCH "]",
};

/* How warm the machine got, at which power, and how long the load did not run. */
static const char *const machine_lines[] = {
	"{@host_sensors}{?hottest}  {sensor}: {least:.1} to {most:.1} °C\n",
	"{@host_sensors}[{?package}  {sensor}: {least:.1} to {most:.1} W\n][{?throttled}  "
		"{sensor}: {throttled}\n]",
	"{?rested_seconds}{?continued}  the load rested for {rested_seconds:.0} s while the "
		"program was stopped\n",
	"{?rested_seconds}{!continued}  the load waited for {rested_seconds:.0} s, which is not "
		"counted: this program had no processor to watch it\n",
	"{?stopped_seconds}  the load was stopped (SIGSTOP) for {stopped_seconds:.0} s, which is "
		"not counted\n",
};

static const char *const card_lines[] = {
	"{?tests}{index} {board}: memory: {memory.rounds} round{memory.rounds:s} of a pattern and "
		"an endpoint that writes, {memory.bytes_written:.1M} MiB written at "
		"{memory.write_gb_per_s:.3} GB/s, {memory.bytes_read:.1M} MiB read at "
		"{memory.read_gb_per_s:.3} GB/s\n",
	"{?tests}  memory channels, byte lanes 0 to 3: + well, X wrong, ? nothing done\n",
	"{@memory.channels}  channel {channel}  {lane_letters}  {words} words, {wrong} "
		"wrong[{?events} in {events} event{events:s}][{?own}, corrected by itself "
		"{errors_before.corr_rd}, {errors_after.corr_rd} read and "
		"{errors_before.corr_wr}, {errors_after.corr_wr} written[{?uncorrected}, "
		"uncorrected errors]]\n",
	"  not tested: {memory.left_out}: the memory controller's firmware uses it\n",
	"{@memory.findings}  {text}\n",
	"{?computes}{index} {board}: {all_cores} core{all_cores:s}, {rounds} round{rounds:s}, "
		"power {power}, loaded in {load_seconds:.1} s at most, {run_seconds:.1} s of "
		"load\n",
	"{?computes}  {blocks} blocks with {words_verified} words compared by the cores, "
		"{blocks_by_host} blocks again by the host; {wrong_words} word{wrong_words:s} "
		"wrong in all\n",
	"  {memory_bytes:.1M} MiB of the card's memory read and compared by the cores while their "
		"matrix units made {mvmuls} products, {memory_wrong} wrong; operands came from it "
		"{reloads} times\n",
	"{?memory_bytes}  not read by them: {card_memory.left_out}: the memory controller's "
		"firmware uses it\n",
	"  operands did not come from the card's memory: {card_memory.operands_not_loaded}\n",
	"{?timeless}  no rate: the simulator has no real clock\n",
	"{?cores_without_true_rate}  - MVMUL per cycle of {cores_without_true_rate} "
		"core{cores_without_true_rate:s}: by their counters more than one, which cannot "
		"be\n",
	"  {mvmul_per_cycle:.4} MVMUL per cycle and core; {extremes}\n",
	"  {tflops:.1} TFLOP/s of the matrix units, [{tflops_percent:.1}][{!tflops_percent}-] % of "
		"the documented {documented_peak_tflops:.1} (at one phase of fidelity)\n",
	"{?slow_beside_others}  {tflops_of_core:.3} TFLOP/s a core, below 95 % of the "
		"{median_of_cards:.3} of cards of its kind\n",
	"{?cores_slow}  {cores_slow} core{cores_slow:s} below 95 % of the median of {median:.4}\n",
	"{?computes}  {seen}\n",
	"{?tests}{!computes}  {seen}\n",
	"{!tests}{!computes}{index} {board}: {seen}\n",
	"{@clock_held_down_by}  its clock was held down by: {}\n",
	"  The firmware asked for less power: {throttled} rests on {cores_throttled} "
		"core{cores_throttled:s}\n",
	"{@wrong}  core {x}-{y}, {operation} with seed {seed_typed}: block {block}, word {index} "
		"is {got:8}, not {want:8} (bits {xor:8})\n",
};

static const char *const kernel_lines[] = {
	"{?computes}  The kernel is verified on simulated chips, but for the step that clears the "
		"backend's configuration, and has not yet run on silicon: a report of this card "
		"is welcome\n",
};

static const char *const target_lines[] = {
	"{target}: {verdict}[: {reason}][{?no_reset} (--no-reset: no chip reset before and after)]"
		"[; its second chip, {second_chip_not_burnt}, was not burnt (reached only over "
		"ethernet)]\n",
};

static const char *const clock_lines[] = {
	"{?clock_moved_seconds}The system's clock was moved by {clock_moved_seconds:.1} s "
		"meanwhile; times here are not affected.\n",
};

/* Draw the cores where they are on the chip, a letter each. */
static void print_map(struct strbuf *to, const struct burnin_card *c)
{
	static struct ui_burn_chip map;

	burnin_fill_map(c, &c->result, &map);
	strbuf_printf(to, "  cores, columns %u to %u: + well, - slow, X wrong, O stood still, "
		"? nothing done, . switched off\n", map.first, map.first + (unsigned)map.w - 1);
	for (int y = 0; y < map.h; y++) {
		strbuf_printf(to, "  row %2u  ", map.rows[y]);
		for (int x = 0; x < map.w; x++)
			strbuf_putc(to, burn_core_letter((enum ui_core)map.map[y * map.w + x]));
		strbuf_putc(to, '\n');
	}
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
		before += x < t && x->card && x->result.verdict != VERDICT_PASS && !is_repeated(f, x);
	}
	return !t->card || cards <= MAPS ||
		(t->result.verdict != VERDICT_PASS && before < MAPS && !is_repeated(f, t));
}

static void put_details(struct strbuf *to, const struct figures *figures,
	const struct burnin_target *t)
{
	figures_put_lines(to, figures, card_lines, ARRAY_LEN(card_lines));
	figures_put_lines(to, figures, host_lines, ARRAY_LEN(host_lines));
	if (t->card && t->ran && t->card->result.cores > 0)
		print_map(to, t->card);
}

static struct burnin_table look_of_stdout(const struct burnin_facts *f)
{
	const char *term = getenv("TERM");

	return (struct burnin_table){ .columns = outlet_columns(STDOUT_FILENO),
		.is_styled = isatty(STDOUT_FILENO) && !f->o->no_color && term &&
			strcmp(term, "dumb") != 0 };
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

static void put_machine(struct strbuf *to, const struct figures *all, bool has_table)
{
	const size_t before = to->len;

	if (!has_table)
		burnin_put_unwatched_figures(to, all, "  not watched: ", "\n  not watched: ");
	if (to->len > before)
		strbuf_putc(to, '\n');
	figures_put_lines(to, all, machine_lines, ARRAY_LEN(machine_lines));
}

/* On a terminal, the table replaces the line of each target. */
static void put_targets(struct strbuf *to, const struct figures *all, const struct burnin_facts *f)
{
	const bool has_table = f->n_targets > 1, has_lines = !has_table || !isatty(STDOUT_FILENO);
	const struct figure_value *targets = figures_list(all, "targets");
	bool is_said = false, is_warned = false;

	for (size_t i = 0; i < targets->n_nodes; i++) {
		const struct figures *t = &targets->nodes[i];
		size_t before;

		if (has_details(f, &f->targets[i]))
			put_details(to, t, &f->targets[i]);
		if (figures_known(t, "work")) {
			put_machine(to, all, has_table);
			is_said = true;
		}
		before = to->len;
		if (!is_warned)
			figures_put_lines(to, t, kernel_lines, ARRAY_LEN(kernel_lines));
		is_warned = is_warned || to->len > before;
		if (has_lines)
			figures_put_lines(to, t, target_lines, ARRAY_LEN(target_lines));
	}
	if (!is_said && f->sensors)
		put_machine(to, all, has_table);
}

void burnin_report_print(struct strbuf *to, const struct burnin_facts *f, const char *earlier)
{
	const struct burnin_table look = look_of_stdout(f);
	struct figures all = { 0 };
	struct strbuf lines = { 0 };

	burnin_figures_take(&all, f);
	if (f->n_targets > 1)
		burnin_table_put_head(to, &all, &look);
	strbuf_puts(to, earlier);
	put_targets(&lines, &all, f);
	put_lines(to, &lines, look.columns);
	if (f->n_targets > 1)
		burnin_table_put(to, &all, &look);
	figures_put_lines(to, &all, clock_lines, ARRAY_LEN(clock_lines));
	figures_clear(&all);
}
