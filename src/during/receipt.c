/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * receipt.c - the lines of a receipt, and its figures in the order of its JSON.
 */
#include "config.h"
#include "src/during/receipt.h"

#include "base/mem.h"
#include "base/text.h"
#include "output/figure_json.h"
#include "report/figure.h"
#include "src/say.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* Totals. */

const enum field_id account_fields[ACCOUNT_SEEN] = {
	[ACCOUNT_CORE_POWER] = FIELD_POWER, [ACCOUNT_BOARD_POWER] = FIELD_BOARD_POWER,
	[ACCOUNT_ASIC_TEMP] = FIELD_ASIC_TEMP, [ACCOUNT_GDDR_TEMP] = FIELD_GDDR_MAX_TEMP,
	[ACCOUNT_VREG_TEMP] = FIELD_VREG_TEMP, [ACCOUNT_BOARD_TEMP] = FIELD_BOARD_TEMP,
	[ACCOUNT_CLOCK] = FIELD_AICLK, [ACCOUNT_BUSY] = FIELD_BUSY,
	[ACCOUNT_BUSY_CORES] = FIELD_BUSY_CORES
};

static struct figure_amount total(const struct account_chip *c, unsigned first, unsigned last)
{
	struct figure_amount a = { .scale = tally_family_of(first)->scale };

	for (unsigned id = first; id <= last; id++) {
		a.known = a.known || c->now.has[id];
		a.n += c->now.has[id] ? (int64_t)c->now.total[id] : 0;
	}
	return a;
}

static struct figure_amount seen(const struct account_chip *c, enum account_seen k, bool least)
{
	const struct range *r = &c->seen[k];

	return (struct figure_amount){ r->n > 0, least ? r->least : r->most,
		fields[account_fields[k]].scale };
}

/* The mean of a share: all its samples are of times that are equally long. */
static struct figure_amount share(const struct account_chip *c, enum account_seen k)
{
	const struct range *r = &c->seen[k];

	return (struct figure_amount){ r->n > 0, r->n > 0 ? r->sum / r->n : 0,
		fields[account_fields[k]].scale };
}

static struct figure_amount mean(const struct account_chip *c, int power)
{
	return (struct figure_amount){ c->mean[power] >= 0, c->mean[power], 1000 };
}

static struct figure_amount known_for(const struct account_chip *c, int power)
{
	return (struct figure_amount){ c->now.has[TALLY_CORE_ENERGY + power], c->known[power],
		CLOCK_SECOND };
}

static struct figure_amount longest_gap(const struct account_chip *c)
{
	return (struct figure_amount){ c->now.has[TALLY_GAP_TIME], (int64_t)c->longest_gap,
		CLOCK_SECOND };
}

/* One sample, or samples too far apart, give no energy. */
static struct figure_amount energy(const struct account_chip *c, int power)
{
	const unsigned id = TALLY_CORE_ENERGY + (unsigned)power;

	return (struct figure_amount){ c->known[power] > 0, (int64_t)c->now.total[id],
		TALLY_ENERGY_SCALE };
}

static struct figure_amount idle_share(const struct account_chip *c)
{
	return (struct figure_amount){ c->clocked > 0,
		c->clocked ? (int64_t)(c->idle * 1000 / c->clocked) : 0, 1000 };
}

static struct figure_amount counted(bool known, uint64_t n)
{
	return (struct figure_amount){ known, (int64_t)n, 1 };
}

#define REASON_FIGURES(F) \
	F(TEXT, reason, (), throttle_reason_name(reason)) \
	F(TIME, seconds, (), ns)
FIGURES(reason, REASON_FIGURES, int reason, int64_t ns)

static void add_reasons(struct figure_value *to, const struct account_chip *c)
{
	for (int i = THROTTLE_NONE + 1; i < THROTTLE_REASONS; i++) {
		const unsigned id = TALLY_THROTTLED + (unsigned)i - 1;

		if (c->now.has[id])
			reason_add(to, i, (int64_t)c->now.total[id]);
	}
}

static struct figure_amount aer_errors(const struct account_chip *c, unsigned id)
{
	return total(c, id, id);
}

#define AER_FIGURES(F) \
	F(AMOUNT, correctable, (), aer_errors(c, first + AER_CORRECTABLE)) \
	F(AMOUNT, nonfatal, (), aer_errors(c, first + AER_NONFATAL)) \
	F(AMOUNT, fatal, (), aer_errors(c, first + AER_FATAL))
FIGURES(aer, AER_FIGURES, const struct account_chip *c, unsigned first)

#define USAGE_FIGURES(F) \
	F(INT, samples, (), c->samples) \
	F(AMOUNT, idle_clock_share, (), idle_share(c)) \
	F(AMOUNT, core_energy_joules, (), energy(c, ACCOUNT_CORE)) \
	F(AMOUNT, core_energy_seconds, (), known_for(c, ACCOUNT_CORE)) \
	F(AMOUNT, core_mean_watts, (), mean(c, ACCOUNT_CORE)) \
	F(AMOUNT, core_peak_watts, (), seen(c, ACCOUNT_CORE_POWER, false)) \
	F(AMOUNT, board_energy_joules, (), energy(c, ACCOUNT_BOARD)) \
	F(AMOUNT, board_energy_seconds, (), known_for(c, ACCOUNT_BOARD)) \
	F(AMOUNT, board_mean_watts, (), mean(c, ACCOUNT_BOARD)) \
	F(AMOUNT, board_peak_watts, (), seen(c, ACCOUNT_BOARD_POWER, false)) \
	F(AMOUNT, busy_mean_percent, (), share(c, ACCOUNT_BUSY)) \
	F(AMOUNT, busy_cores_mean_percent, (), share(c, ACCOUNT_BUSY_CORES)) \
	F(AMOUNT, gap_seconds, (), total(c, TALLY_GAP_TIME, TALLY_GAP_TIME)) \
	F(AMOUNT, longest_gap_seconds, (), longest_gap(c)) \
	F(AMOUNT, asic_peak_celsius, (), seen(c, ACCOUNT_ASIC_TEMP, false)) \
	F(AMOUNT, gddr_peak_celsius, (), seen(c, ACCOUNT_GDDR_TEMP, false)) \
	F(AMOUNT, vreg_peak_celsius, (), seen(c, ACCOUNT_VREG_TEMP, false)) \
	F(AMOUNT, board_peak_celsius, (), seen(c, ACCOUNT_BOARD_TEMP, false)) \
	F(AMOUNT, aiclk_least_mhz, (), seen(c, ACCOUNT_CLOCK, true)) \
	F(AMOUNT, aiclk_most_mhz, (), seen(c, ACCOUNT_CLOCK, false)) \
	F(AMOUNT, throttled_seconds, (), total(c, TALLY_THROTTLED, TALLY_THROTTLED_END)) \
	F(MAP, throttled_seconds_by_reason, (.group = &reason_figures), add_reasons(v, c)) \
	F(AMOUNT, gddr_corrected_errors, (), total(c, TALLY_CORRECTED, TALLY_CORRECTED_END)) \
	F(AMOUNT, gddr_uncorrected_errors, (), \
		total(c, TALLY_UNCORRECTED, TALLY_UNCORRECTED_END)) \
	F(OBJECT, pcie_errors, (.group = &aer_figures), aer_add(v, c, TALLY_AER)) \
	F(OBJECT, pcie_bridge_errors, (.group = &aer_figures), \
		aer_add(v, c, TALLY_AER + AER_KINDS)) \
	F(AMOUNT, eth_links_lost, (), counted(c->has_links, c->links_lost)) \
	F(AMOUNT, eth_links_retrained, (), counted(c->has_retrained, c->links_retrained))
FIGURES(usage, USAGE_FIGURES, const struct account_chip *c)

/* A card, and the processes that held it. */

/* NULL: it had ended before we could look. */
static const char *const whose_words[] = {
	[PROGRAM_UNKNOWN] = NULL, [PROGRAM_OWN] = "command", [PROGRAM_OTHER] = "other"
};

#define HOLDER_FIGURES(F) \
	F(INT, pid, (.some = true), h->process.pid) \
	F(TEXT, whose, (), whose_words[h->whose]) \
	F(TEXT, user, (), r->o->external ? NULL : h->process.user) \
	F(TEXT, container, (.some = true), r->o->external ? NULL : h->process.container) \
	F(TEXT, command, (), r->o->external ? NULL : h->process.command)
FIGURES(holder, HOLDER_FIGURES, const struct receipt *r, const struct account_holder *h)

static const struct account_holder *next_holder(const struct receipt *r, int index, size_t *at)
{
	while (*at < r->account->n_holders)
		if (r->account->holders[(*at)++].process.device == index)
			return &r->account->holders[*at - 1];
	return NULL;
}

static void add_holders(struct figure_value *to, const struct receipt *r, int index)
{
	const struct account_holder *h;

	for (size_t at = 0; (h = next_holder(r, index, &at));)
		holder_add(to, r, h);
}

#define CARD_FIGURES(F) \
	F(INT, index, (), s->index) \
	F(TEXT, bdf, (.some = true), s->bdf) \
	F(TEXT, board, (), s->board) \
	F(PART, usage, (.group = &usage_figures), usage_add(v, c)) \
	F(TEXT, trouble, (), *c->trouble ? c->trouble : NULL) \
	F(LIST, holders, (.group = &holder_figures), add_holders(v, r, s->index))
FIGURES(card, CARD_FIGURES, const struct receipt *r, const struct snapshot *s,
	const struct account_chip *c)

static size_t count_cards(const struct receipt *r)
{
	size_t n = 0;

	for (size_t i = 0; r->fleet && i < r->fleet->n; i++)
		n += r->account->chips[i].is_there;
	return n;
}

/* The command. */

#define WORD_FIGURES(F) F(TEXT, , (), word)
FIGURES(word, WORD_FIGURES, const char *word)

#define LEFT_FIGURES(F) \
	F(INT, pid, (), left->pid) \
	F(TEXT, name, (), r->o->external ? NULL : left->name)
FIGURES(left, LEFT_FIGURES, const struct receipt *r, const struct program_left *left)

static size_t count_named(const struct receipt *r)
{
	return r->n_left < RECEIPT_LEFT ? r->n_left : RECEIPT_LEFT;
}

static int killed_by(const struct receipt *r)
{
	return WIFSIGNALED(r->program->status) ? WTERMSIG(r->program->status) : 0;
}

const char *receipt_missing(const struct receipt *r)
{
	return !r->fleet ? "the cards could not be looked for" :
		r->is_copy && r->fleet->n > 0 ? "a copy of a machine's files does not change: "
		"nothing was measured" :
		count_cards(r) == 0 ? "there was no card to read" : NULL;
}

/* How the figures were measured; NULL: there are none. */
static const char *method(const struct receipt *r)
{
	return receipt_missing(r) ? NULL : "sampled from outside: power times the time between "
		"samples, clock at or below idle";
}

/* What happened to these is not what the command did. */
static const char *stand_in(const struct receipt *r)
{
	return r->fleet && count_cards(r) > 0 ? r->fleet->origin->stand_in : NULL;
}

static const char *holders_unknown(const struct receipt *r)
{
	return r->fleet && *r->fleet->processes_unknown && count_cards(r) > 0 ?
		r->fleet->processes_unknown : NULL;
}

#define RECEIPT_FIGURES(F) \
	F(TEXT, version, (), version_own) \
	F(TEXT, job, (), r->o->job) \
	F(LIST, command, (.group = &word_figures), \
		for (size_t i = 0; !r->o->external && r->o->command[i]; i++) \
			word_add(v, r->o->command[i])) \
	F(TEXT, began, (), clock_iso_utc(r->began, (char[40]){ "" }, 40)) \
	F(TIME, duration_seconds, (), r->duration) \
	F(TIME, interval_seconds, (.some = true), r->interval) \
	F(INT, exit_code, (), program_exit_code(r->program)) \
	F(INT, signal, (.some = true), killed_by(r)) \
	F(BOOL, core_dumped, (), killed_by(r) && WCOREDUMP(r->program->status)) \
	F(INT, processes_left, (), r->n_left) \
	F(LIST, left, (.group = &left_figures), \
		for (size_t i = 0; i < count_named(r); i++) left_add(v, r, &r->left[i])) \
	F(TEXT, missing, (), receipt_missing(r)) \
	F(TEXT, method, (), method(r)) \
	F(TEXT, boards, (), stand_in(r)) \
	F(TEXT, holders_unknown, (), holders_unknown(r)) \
	F(BOOL, holders_partial, (), r->fleet && r->fleet->processes_partial) \
	F(LIST, cards, (.group = &card_figures), \
		for (size_t i = 0; r->fleet && i < r->fleet->n; i++) \
			if (r->account->chips[i].is_there) \
				card_add(v, r, &r->fleet->chips[i], &r->account->chips[i])) \
	F(INT, cards_not_read, (), r->account->unread) \
	F(OBJECT, sum, (.group = &usage_figures), \
		if (count_cards(r) > 0) usage_add(v, &r->account->sum))
FIGURES(receipt, RECEIPT_FIGURES, const struct receipt *r)

/* For people. */

enum { NAMED = 4 };	/* names in a list */

/* A sum; one of its parts may be unknown. */
static struct figure_amount both(struct figure_amount a, struct figure_amount b)
{
	return (struct figure_amount){ a.known || b.known,
		(a.known ? a.n : 0) + (b.known ? b.n : 0), 1 };
}

static struct figure_amount memory_errors(const struct account_chip *c)
{
	return both(total(c, TALLY_CORRECTED, TALLY_CORRECTED_END),
		total(c, TALLY_UNCORRECTED, TALLY_UNCORRECTED_END));
}

static struct figure_amount pcie_errors(const struct account_chip *c)
{
	return total(c, TALLY_AER, TALLY_AER_END);
}

static struct figure_amount eth_errors(const struct account_chip *c)
{
	return both(counted(c->has_links, c->links_lost),
		counted(c->has_retrained, c->links_retrained));
}

static void put_amount(struct strbuf *to, struct figure_amount a, int width, int decimals)
{
	if (a.known)
		strbuf_printf(to, "%*.*f", width, decimals, (double)a.n / (double)a.scale);
	else
		strbuf_printf(to, "%*s", width, "n/a");
}

/* The columns of the table behind a card's name. */
static void put_columns(struct strbuf *to, const struct account_chip *c)
{
	const struct {
		int width, decimals;
		struct figure_amount amount;
	} columns[] = {
		{ 11, 1, energy(c, ACCOUNT_CORE) },
		{ 10, 1, energy(c, ACCOUNT_BOARD) },
		{ 7, 1, mean(c, ACCOUNT_CORE) },
		{ 7, 1, seen(c, ACCOUNT_CORE_POWER, false) },
		{ 5, 0, seen(c, ACCOUNT_ASIC_TEMP, false) },
		{ 5, 0, seen(c, ACCOUNT_GDDR_TEMP, false) },
		{ 5, 0, seen(c, ACCOUNT_CLOCK, true) },
		{ 5, 0, seen(c, ACCOUNT_CLOCK, false) },
		{ 9, 1, total(c, TALLY_THROTTLED, TALLY_THROTTLED_END) },
		{ 6, 0, memory_errors(c) },
		{ 5, 0, pcie_errors(c) },
		{ 4, 0, eth_errors(c) },
	};

	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		if (i > 0)
			strbuf_putc(to, ' ');
		put_amount(to, columns[i].amount, columns[i].width, columns[i].decimals);
	}
	strbuf_putc(to, '\n');
}

static void put_busy(struct strbuf *to, const char *name, const struct account_chip *c)
{
	if (!share(c, ACCOUNT_BUSY_CORES).known)
		return;
	strbuf_printf(to, "%sbusy (%%): any work ", name);
	put_amount(to, share(c, ACCOUNT_BUSY), 0, 1);
	strbuf_puts(to, ", cores ");
	put_amount(to, share(c, ACCOUNT_BUSY_CORES), 0, 1);
	strbuf_puts(to, "\n");
}

/* The reasons that held its clock down. */
static void put_throttled(struct strbuf *to, const char *name, const struct account_chip *c)
{
	const size_t from = to->len;

	for (int i = THROTTLE_NONE + 1; i < THROTTLE_REASONS; i++) {
		const uint64_t ns = c->now.total[TALLY_THROTTLED + (unsigned)i - 1];

		if (ns > 0)
			strbuf_printf(to, "%s%s%s %.1f s", to->len > from ? ", " : name,
				to->len > from ? "" : "throttled: ", throttle_reason_name(i),
				(double)ns / CLOCK_SECOND);
	}
	strbuf_puts(to, to->len > from ? "\n" : "");
}

static void put_errors(struct strbuf *to, const char *name, const struct account_chip *x)
{
	const unsigned own = TALLY_AER, above = TALLY_AER + AER_KINDS;
	const struct {
		const char *before;
		struct figure_amount amount;
	} counts[] = {
		{ "new errors: memory ", total(x, TALLY_CORRECTED, TALLY_CORRECTED_END) },
		{ " corrected, ", total(x, TALLY_UNCORRECTED, TALLY_UNCORRECTED_END) },
		{ " uncorrected; PCIe ", aer_errors(x, own + AER_CORRECTABLE) },
		{ " correctable, ", aer_errors(x, own + AER_NONFATAL) },
		{ " not fatal, ", aer_errors(x, own + AER_FATAL) },
		{ " fatal, at bridges above ", aer_errors(x, above + AER_CORRECTABLE) },
		{ ", ", aer_errors(x, above + AER_NONFATAL) },
		{ ", ", aer_errors(x, above + AER_FATAL) },
		{ "; ethernet links ", counted(x->has_links, x->links_lost) },
		{ " lost, ", counted(x->has_retrained, x->links_retrained) },
	};

	if (memory_errors(x).n + pcie_errors(x).n + eth_errors(x).n == 0)
		return;
	strbuf_puts(to, name);
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		strbuf_puts(to, counts[i].before);
		put_amount(to, counts[i].amount, 0, 0);
	}
	strbuf_puts(to, " trained again\n");
}

/* Begin the next name of a list; false: the list is full and ends with "and more". */
static bool begin_name(struct strbuf *to, size_t n)
{
	strbuf_puts(to, n == 0 ? "" : n < NAMED ? ", " : ", and more");
	return n < NAMED;
}

/* The processes of one kind that held it. */
static void put_holders(struct strbuf *to, const struct receipt *r, int index,
	enum program_whose whose, const char *name, const char *words)
{
	const struct account_holder *h;
	size_t n = 0;

	for (size_t at = 0; (h = next_holder(r, index, &at));) {
		const struct process *p = &h->process;

		if (h->whose != whose)
			continue;
		if (n == 0)
			strbuf_printf(to, "%s%s: ", name, words);
		if (!begin_name(to, n++))
			break;
		if (p->pid <= 0)
			strbuf_puts(to, "a process of another container");
		else if (r->o->external)
			strbuf_printf(to, "%d", (int)p->pid);
		else
			strbuf_printf(to, "%d (%s) %.100s", (int)p->pid, p->user, p->command);
	}
	strbuf_puts(to, n > 0 ? "\n" : "");
}

/* Lines about cards, of each kind all cards' together. */
enum { ROW, TROUBLE, SHORT, BUSY, THROTTLED, ERRORS, OTHERS, ENDED, LINES };

static void put_card(struct strbuf lines[LINES], const struct receipt *r,
	const struct snapshot *s, const struct account_chip *c)
{
	const char *bdf = *s->bdf ? s->bdf : s->series;
	const int64_t known = c->known[ACCOUNT_CORE];
	char name[64];

	snprintf(name, sizeof(name), "%3d %s: ", s->index, bdf);
	strbuf_printf(&lines[ROW], "%3d %-12s", s->index, bdf);
	put_columns(&lines[ROW], c);
	if (*c->trouble)
		strbuf_printf(&lines[TROUBLE], "%s%s\n", name, c->trouble);
	/* The power is not known for more than a second of the command. */
	if (c->now.has[TALLY_CORE_ENERGY] && r->duration - known > CLOCK_SECOND)
		strbuf_printf(&lines[SHORT], "%sits power is known for %.1f of %.1f s; the energy "
			"is of that time; the longest gap is %.1f s\n", name,
			(double)known / CLOCK_SECOND, (double)r->duration / CLOCK_SECOND,
			(double)c->longest_gap / CLOCK_SECOND);
	put_busy(&lines[BUSY], name, c);
	put_throttled(&lines[THROTTLED], name, c);
	put_errors(&lines[ERRORS], name, c);
	put_holders(&lines[OTHERS], r, s->index, PROGRAM_OTHER, name, "held by others, too");
	put_holders(&lines[ENDED], r, s->index, PROGRAM_UNKNOWN, name, "held by processes that "
		"had ended, of the command or not");
}

/* How all cards together were measured. */
static void put_sampling(struct strbuf *to, const struct receipt *r)
{
	const struct account_chip *sum = &r->account->sum;
	const struct figure_amount idle = idle_share(sum);

	strbuf_puts(to, "  sampled from outside");
	if (r->interval > 0)
		strbuf_printf(to, " every %.3g s", (double)r->interval / CLOCK_SECOND);
	strbuf_printf(to, ": %llu samples, longest gap %.1f s", (unsigned long long)sum->samples,
		(double)sum->longest_gap / CLOCK_SECOND);
	if (idle.known)
		strbuf_printf(to, ", %.0f %% at the idle clock",
			100.0 * (double)idle.n / (double)idle.scale);
	strbuf_putc(to, '\n');
}

static void put_cards(struct strbuf *to, const struct receipt *r)
{
	const size_t cards = count_cards(r);
	struct strbuf lines[LINES] = { { 0 } };

	if (cards == 0)
		return;
	for (size_t i = 0; i < r->fleet->n; i++)
		if (r->account->chips[i].is_there)
			put_card(lines, r, &r->fleet->chips[i], &r->account->chips[i]);
	strbuf_puts(to, "                            energy (J)       power (W)   peak (°C)"
		" clock (MHz) throttled       new errors\n"
		"  card                 chip      board    mean    peak  chip   mem"
		"  from    to       (s) memory  PCIe  eth\n");
	if (cards > 1) {
		strbuf_puts(&lines[ROW], "all             ");
		put_columns(&lines[ROW], &r->account->sum);
	}
	if (cards > 1 && r->account->unread > 0)
		strbuf_printf(&lines[TROUBLE], "all: %zu of %zu cards were not read: the energy "
			"leaves them out, and the counts are not known\n", r->account->unread,
			cards);
	for (int k = 0; k < LINES; k++) {
		strbuf_add(to, lines[k].text, lines[k].len);
		strbuf_clear(&lines[k]);
	}
	put_sampling(to, r);
}

/* The job, and the command's words as a shell takes them: made plain, and cut to a line. */
static void put_command(struct strbuf *to, const struct receipt *r)
{
	struct strbuf words = { 0 };
	char text[1024];

	strbuf_puts(to, "tt-smi: receipt");
	if (r->o->job)
		strbuf_printf(to, " of job %s", text_plain(text, sizeof(text), r->o->job));
	for (size_t i = 0; r->o->command[i]; i++)
		options_put_word(&words, r->o->command[i]);
	if (!r->o->external)
		strbuf_printf(to, ": %s", text_plain(text, sizeof(text), words.text + 1));
	strbuf_clear(&words);
	strbuf_printf(to, "\n  began %s, ended after %.3f s: ", clock_iso_utc(r->began, text,
		sizeof(text)), (double)r->duration / CLOCK_SECOND);
	if (killed_by(r))
		strbuf_printf(to, "killed by signal %d (%s), ", killed_by(r),
			strsignal(killed_by(r)));
	strbuf_printf(to, "exit code %d\n", program_exit_code(r->program));
}

static void put_left(struct strbuf *to, const struct receipt *r)
{
	char plain[40];

	if (r->n_left > 0)
		strbuf_puts(to, "  still running when the command ended: ");
	for (size_t i = 0; i < count_named(r) && begin_name(to, i); i++) {
		strbuf_printf(to, "%d", (int)r->left[i].pid);
		if (!r->o->external)
			strbuf_printf(to, " (%s)", text_plain(plain, sizeof(plain),
				r->left[i].name));
	}
	strbuf_puts(to, r->n_left > 0 ? "\n" : "");
}

void receipt_put_text(struct strbuf *to, const struct receipt *r)
{
	put_command(to, r);
	if (receipt_missing(r))
		strbuf_printf(to, "  %s\n", receipt_missing(r));
	if (stand_in(r))
		strbuf_printf(to, "  the boards are %s\n", stand_in(r));
	put_cards(to, r);
	if (holders_unknown(r))
		strbuf_printf(to, "  who held the cards is not known: %s\n", holders_unknown(r));
	put_left(to, r);
}

void receipt_put_json(struct strbuf *to, const struct receipt *r)
{
	struct figure_value whole = { 0 };
	struct figures figures;

	receipt_add(&whole, r);
	figures = figures_take(&whole);
	figures_print_json(to, &figures);
	figures_clear(&figures);
}
