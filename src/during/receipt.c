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

/* For people. */

#define COLUMNS "{core_energy_joules:11.1|n/a} {board_energy_joules:10.1|n/a} " \
	"{core_mean_watts:7.1|n/a} {core_peak_watts:7.1|n/a} {asic_peak_celsius:5.0|n/a} " \
	"{gddr_peak_celsius:5.0|n/a} {aiclk_least_mhz:5.0|n/a} {aiclk_most_mhz:5.0|n/a} " \
	"{throttled_seconds:9.1|n/a} {memory_errors:6|n/a} {all_pcie_errors:5|n/a} " \
	"{eth_errors:4|n/a}\n"

const char *const receipt_lines[] = {
	"tt-smi: receipt[ of job {job_plain}][: {command_line}]\n",
	"  began {began}, ended after {duration_seconds:.3} s: "
		"[killed by signal {signal} ({signal_words}), ]exit code {exit_code}\n",
	"  {missing}\n",
	"{?cards}                            energy (J)       power (W)   peak (°C)"
		" clock (MHz) throttled       new errors\n",
	"{?cards}  card                 chip      board    mean    peak  chip   mem"
		"  from    to       (s) memory  PCIe  eth\n",
	"{@cards}{index:3} {name:-12}" COLUMNS,
	"{@total}all             " COLUMNS,
	"{@cards}{index:3} {name}: {trouble}\n",
	"{@cards}{?is_short}{index:3} {name}: its power is known for {core_energy_seconds:.1} of "
		"{of_seconds:.1} s; the energy is of that time\n",
	"{@cards}{index:3} {name}: throttled: {throttled_by}\n",
	"{@cards}{?has_errors}{index:3} {name}: new errors: memory {gddr_corrected_errors:|n/a} "
		"corrected, {gddr_uncorrected_errors:|n/a} uncorrected; PCIe "
		"{pcie_errors.correctable:|n/a} correctable, {pcie_errors.nonfatal:|n/a} not "
		"fatal, {pcie_errors.fatal:|n/a} fatal, at bridges above "
		"{pcie_bridge_errors.correctable:|n/a}, {pcie_bridge_errors.nonfatal:|n/a}, "
		"{pcie_bridge_errors.fatal:|n/a}; ethernet links {eth_links_lost:|n/a} lost, "
		"{eth_links_retrained:|n/a} trained again\n",
	"{@cards}{index:3} {name}: held by others, too: {others}\n",
	"{@cards}{index:3} {name}: held by processes that had ended, of the command or not: "
		"{ended}\n",
	"  who held the cards is not known: {holders_unknown}\n",
	"  still running when the command ended: {left_names}\n",
};

const size_t receipt_lines_len = ARRAY_LEN(receipt_lines);

enum { NAMES = 1024, NAMED = 4 };	/* bytes of a list of names, and names in it */

/* Totals. */

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

static struct figure_amount mean(const struct account_chip *c, int power)
{
	return (struct figure_amount){ c->mean[power] >= 0, c->mean[power], 1000 };
}

static struct figure_amount known_for(const struct account_chip *c, int power)
{
	return (struct figure_amount){ c->now.has[TALLY_CORE_ENERGY + power], c->known[power],
		CLOCK_SECOND };
}

/* One sample, or samples too far apart, give no energy. */
static struct figure_amount energy(const struct account_chip *c, int power)
{
	const unsigned id = TALLY_CORE_ENERGY + (unsigned)power;

	return (struct figure_amount){ c->known[power] > 0, (int64_t)c->now.total[id],
		TALLY_ENERGY_SCALE };
}

static struct figure_amount counted(bool known, uint64_t n)
{
	return (struct figure_amount){ known, (int64_t)n, 1 };
}

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

static bool has_errors(const struct account_chip *c)
{
	return memory_errors(c).n + pcie_errors(c).n + eth_errors(c).n > 0;
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

#define AER_FIGURES(F) \
	F(AMOUNT, correctable, (), total(c, first + AER_CORRECTABLE, first + AER_CORRECTABLE)) \
	F(AMOUNT, nonfatal, (), total(c, first + AER_NONFATAL, first + AER_NONFATAL)) \
	F(AMOUNT, fatal, (), total(c, first + AER_FATAL, first + AER_FATAL))
FIGURES(aer, AER_FIGURES, const struct account_chip *c, unsigned first)

#define USAGE_FIGURES(F) \
	F(INT, samples, (), c->samples) \
	F(AMOUNT, core_energy_joules, (), energy(c, ACCOUNT_CORE)) \
	F(AMOUNT, core_energy_seconds, (), known_for(c, ACCOUNT_CORE)) \
	F(AMOUNT, core_mean_watts, (), mean(c, ACCOUNT_CORE)) \
	F(AMOUNT, core_peak_watts, (), seen(c, ACCOUNT_CORE_POWER, false)) \
	F(AMOUNT, board_energy_joules, (), energy(c, ACCOUNT_BOARD)) \
	F(AMOUNT, board_energy_seconds, (), known_for(c, ACCOUNT_BOARD)) \
	F(AMOUNT, board_mean_watts, (), mean(c, ACCOUNT_BOARD)) \
	F(AMOUNT, board_peak_watts, (), seen(c, ACCOUNT_BOARD_POWER, false)) \
	F(AMOUNT, gap_seconds, (), total(c, TALLY_GAP_TIME, TALLY_GAP_TIME)) \
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
	F(AMOUNT, eth_links_retrained, (), counted(c->has_retrained, c->links_retrained)) \
	F(AMOUNT, memory_errors, (.hidden = true), memory_errors(c)) \
	F(AMOUNT, all_pcie_errors, (.hidden = true), pcie_errors(c)) \
	F(AMOUNT, eth_errors, (.hidden = true), eth_errors(c)) \
	F(BOOL, has_errors, (.hidden = true), has_errors(c))
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

/* Add a name to a list in words; false: the list is full and ends with "and more". */
static bool put_name(char *text, size_t *n, const char *name)
{
	const size_t at = strlen(text);

	if (++*n > NAMED) {
		snprintf(text + at, NAMES - at, ", and more");
		return false;
	}
	snprintf(text + at, NAMES - at, "%s%s", at ? ", " : "", name);
	return true;
}

/* The processes of one kind that held it, in words; "": none. */
static const char *holders(const struct receipt *r, int index, enum program_whose whose,
	char text[static NAMES])
{
	const struct account_holder *h;
	char name[NAMES / NAMED - 8];
	size_t n = 0;

	*text = '\0';
	for (size_t at = 0; (h = next_holder(r, index, &at));) {
		const struct process *p = &h->process;

		if (h->whose != whose)
			continue;
		if (p->pid <= 0)
			snprintf(name, sizeof(name), "a process of another container");
		else if (r->o->external)
			snprintf(name, sizeof(name), "%d", (int)p->pid);
		else
			snprintf(name, sizeof(name), "%d (%s) %.100s", (int)p->pid, p->user,
				p->command);
		if (!put_name(text, &n, name))
			break;
	}
	return text;
}

/* The reasons that held its clock down, in words; "": none. */
static const char *throttled_by(const struct account_chip *c, char text[static NAMES])
{
	*text = '\0';
	for (int i = THROTTLE_NONE + 1; i < THROTTLE_REASONS; i++) {
		const uint64_t ns = c->now.total[TALLY_THROTTLED + (unsigned)i - 1];

		if (ns > 0)
			text_join(text, NAMES, ", ", "%s %.1f s", throttle_reason_name(i),
				(double)ns / CLOCK_SECOND);
	}
	return text;
}

/* The power is not known for more than a second of the command. */
static bool is_short(const struct receipt *r, const struct account_chip *c)
{
	return c->now.has[TALLY_CORE_ENERGY] &&
		r->duration - c->known[ACCOUNT_CORE] > CLOCK_SECOND;
}

static const char *why_unread(const struct snapshot *s, const struct account_chip *c)
{
	const char *trouble = snapshot_trouble(s);

	return trouble ? trouble : s->health == SNAPSHOT_NOT_READ ? s->reason :
		c->samples == 0 ? "no sample was finished in time" : NULL;
}

#define CARD_FIGURES(F) \
	F(INT, index, (), s->index) \
	F(TEXT, bdf, (.some = true), s->bdf) \
	F(TEXT, name, (.hidden = true), *s->bdf ? s->bdf : s->series) \
	F(TEXT, board, (), s->board) \
	F(PART, usage, (.group = &usage_figures), usage_add(v, c)) \
	F(TEXT, trouble, (), why_unread(s, c)) \
	F(LIST, holders, (.group = &holder_figures), add_holders(v, r, s->index)) \
	F(TEXT, others, (.some = true, .hidden = true), \
		holders(r, s->index, PROGRAM_OTHER, text)) \
	F(TEXT, ended, (.some = true, .hidden = true), \
		holders(r, s->index, PROGRAM_UNKNOWN, text)) \
	F(TEXT, throttled_by, (.some = true, .hidden = true), throttled_by(c, text)) \
	F(BOOL, is_short, (.hidden = true), is_short(r, c)) \
	F(TIME, of_seconds, (.hidden = true), r->duration)
FIGURES(card, CARD_FIGURES, const struct receipt *r, const struct snapshot *s,
	const struct account_chip *c, char *text)

static size_t count_cards(const struct receipt *r)
{
	size_t n = 0;

	for (size_t i = 0; r->fleet && i < r->fleet->n; i++)
		n += r->account->chips[i].is_there;
	return n;
}

static void add_cards(struct figure_value *to, const struct receipt *r)
{
	char text[NAMES];

	for (size_t i = 0; r->fleet && i < r->fleet->n; i++)
		if (r->account->chips[i].is_there)
			card_add(to, r, &r->fleet->chips[i], &r->account->chips[i], text);
}

/* The command. */

#define WORD_FIGURES(F) F(TEXT, , (), word)
FIGURES(word, WORD_FIGURES, const char *word)

static void add_words(struct figure_value *to, const struct options *o)
{
	for (size_t i = 0; !o->external && o->command[i]; i++)
		word_add(to, o->command[i]);
}

/* The command's words in one line, fit for a shell and for a terminal. */
static const char *command_line(const struct options *o, char text[static NAMES])
{
	struct strbuf words = { 0 };

	for (size_t i = 0; o->command[i]; i++)
		options_put_word(&words, o->command[i]);
	text_plain(text, NAMES, words.text + 1);
	strbuf_clear(&words);
	return o->external ? NULL : text;
}

#define LEFT_FIGURES(F) \
	F(INT, pid, (), left->pid) \
	F(TEXT, name, (), r->o->external ? NULL : left->name)
FIGURES(left, LEFT_FIGURES, const struct receipt *r, const struct program_left *left)

static size_t count_named(const struct receipt *r)
{
	return r->n_left < RECEIPT_LEFT ? r->n_left : RECEIPT_LEFT;
}

static const char *left_names(const struct receipt *r, char text[static NAMES])
{
	char name[64];
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < count_named(r); i++) {
		const struct program_left *left = &r->left[i];
		char plain[40];

		snprintf(name, sizeof(name), r->o->external ? "%d" : "%d (%s)", (int)left->pid,
			text_plain(plain, sizeof(plain), left->name));
		if (!put_name(text, &n, name))
			break;
	}
	return text;
}

static int killed_by(const struct receipt *r)
{
	return WIFSIGNALED(r->program->status) ? WTERMSIG(r->program->status) : 0;
}

static const char *missing(const struct receipt *r)
{
	return !r->fleet ? "the cards could not be looked for" :
		count_cards(r) == 0 ? "there was no card to read" : NULL;
}

static const char *job_plain(const struct options *o, char text[static NAMES])
{
	return o->job ? text_plain(text, NAMES, o->job) : NULL;
}

static const char *holders_unknown(const struct receipt *r)
{
	return r->fleet && *r->fleet->processes_unknown && count_cards(r) > 0 ?
		r->fleet->processes_unknown : NULL;
}

#define RECEIPT_FIGURES(F) \
	F(TEXT, version, (), version_own) \
	F(TEXT, job, (), r->o->job) \
	F(LIST, command, (.group = &word_figures), add_words(v, r->o)) \
	F(TEXT, command_line, (.hidden = true), command_line(r->o, text)) \
	F(TEXT, job_plain, (.hidden = true), job_plain(r->o, text)) \
	F(TEXT, began, (), clock_iso_utc(r->began, text, NAMES)) \
	F(TIME, duration_seconds, (), r->duration) \
	F(TIME, interval_seconds, (.some = true), r->interval) \
	F(INT, exit_code, (), program_exit_code(r->program)) \
	F(INT, signal, (.some = true), killed_by(r)) \
	F(TEXT, signal_words, (.hidden = true), killed_by(r) ? strsignal(killed_by(r)) : NULL) \
	F(BOOL, core_dumped, (), killed_by(r) && WCOREDUMP(r->program->status)) \
	F(INT, processes_left, (), r->n_left) \
	F(LIST, left, (.group = &left_figures), \
		for (size_t i = 0; i < count_named(r); i++) left_add(v, r, &r->left[i])) \
	F(TEXT, left_names, (.some = true, .hidden = true), left_names(r, text)) \
	F(TEXT, missing, (), missing(r)) \
	F(TEXT, holders_unknown, (), holders_unknown(r)) \
	F(BOOL, holders_partial, (), r->fleet && r->fleet->processes_partial) \
	F(LIST, cards, (.group = &card_figures), add_cards(v, r)) \
	F(OBJECT, total, (.group = &usage_figures, .hidden = true), \
		if (count_cards(r) > 1) usage_add(v, &r->account->sum)) \
	F(OBJECT, sum, (.group = &usage_figures), \
		if (count_cards(r) > 0) usage_add(v, &r->account->sum))
FIGURES(receipt, RECEIPT_FIGURES, const struct receipt *r, char *text)

void receipt_put(struct strbuf *to, const struct receipt *r, bool json)
{
	struct figure_value whole = { 0 };
	struct figures figures;
	char text[NAMES];

	receipt_add(&whole, r, text);
	figures = figures_take(&whole);
	if (json)
		figures_print_json(to, &figures);
	else
		figures_put_lines(to, &figures, receipt_lines, receipt_lines_len);
	figures_clear(&figures);
}
