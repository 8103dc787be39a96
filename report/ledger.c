/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "report/ledger.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

enum { MIB = 1 << 20 };

const struct ledger_row ledger_rows[LEDGER_ITEMS] = {
	[LEDGER_TIME] = { "seconds", "s of load", CLOCK_SECOND, true },
	[LEDGER_ROUNDS] = { "rounds", "rounds", 1, true },
	[LEDGER_THREADS] = { "threads", "threads verified everything at their end", 1, false },
	[LEDGER_WORKED] = { "worked", "threads worked until the end", 1, false },
	[LEDGER_PLACES] = { "places", "threads stayed on their processor", 1, false },
	[LEDGER_WORDS] = { "words", "words of results were compared", 1, false },
	[LEDGER_SUMS] = { "checksums", "checksums of operands were verified", 1, true },
	[LEDGER_JUDGES] = { "judges", "checks reported a word made wrong on purpose", 1, true },
	[LEDGER_CORES] = { "cores", "cores were compared", 1, false },
	[LEDGER_IDENTITIES] = { "identities", "cores reported their own coordinates", 1, false },
	[LEDGER_KINDS] = { "kinds", "kinds of work ran, counted on each thread or core", 1,
		false },
	[LEDGER_MOVERS] = { "movers", "cores' second data movers did their part", 1, false },
	[LEDGER_VECTORS] = { "vectors", "cores' vector units did their part", 1, false },
	[LEDGER_RELOADS] = { "reloads", "cores had their operands from the card's memory at "
		"each start", 1, false },
	[LEDGER_CHANNELS] = { "channels", "memory channels were verified", 1, false },
	[LEDGER_MARKS] = { "marks", "memory channels kept a mark of their own", 1, false },
	[LEDGER_ENDPOINTS] = { "endpoints", "endpoints of memory channels were verified", 1,
		false },
	[LEDGER_PATTERNS] = { "patterns", "patterns were verified, counted for each endpoint", 1,
		false },
	[LEDGER_BYTES] = { "bytes", "MiB of memory verified", MIB, true },
};

void ledger_ask(struct ledger *l, enum ledger_item item, uint64_t amount)
{
	l->asked[item] += amount;
}

void ledger_count(struct ledger *l, enum ledger_item item, uint64_t amount)
{
	l->done[item] += amount;
}

void ledger_choose_end(struct ledger *l)
{
	if (l->asked[LEDGER_TIME] == 0 || l->asked[LEDGER_ROUNDS] == 0)
		return;
	if (l->done[LEDGER_TIME] >= l->asked[LEDGER_TIME])
		l->asked[LEDGER_ROUNDS] = 0;
	else
		l->asked[LEDGER_TIME] = 0;
}

static bool item_is_met(const struct ledger *l, enum ledger_item item)
{
	return ledger_rows[item].is_least ? l->done[item] >= l->asked[item] :
		l->done[item] == l->asked[item];
}

bool ledger_is_met(const struct ledger *l)
{
	bool any = false;

	for (int i = 0; i < LEDGER_ITEMS; i++) {
		if (!item_is_met(l, (enum ledger_item)i))
			return false;
		any = any || l->asked[i] > 0;
	}
	return any;
}

/* In the item's unit; with decimals if a whole number would hide the gap. */
static void put_amount(char *to, size_t size, uint64_t amount, uint64_t unit)
{
	if (amount % unit == 0)
		snprintf(to, size, "%llu", (unsigned long long)(amount / unit));
	else
		snprintf(to, size, "%.*f", amount < unit / 100 ? 6 : 2,
			(double)amount / (double)unit);
}

void ledger_put_gaps(const struct ledger *l, char *text, size_t size)
{
	size_t at = 0;
	bool any = false;

	text[0] = '\0';
	for (int i = 0; i < LEDGER_ITEMS; i++) {
		const struct ledger_row *row = &ledger_rows[i];
		char part[160], done[32], asked[32];
		size_t n;

		any = any || l->asked[i] > 0;
		if (item_is_met(l, (enum ledger_item)i))
			continue;
		put_amount(done, sizeof(done), l->done[i], row->unit);
		put_amount(asked, sizeof(asked), l->asked[i], row->unit);
		snprintf(part, sizeof(part), "%s%s of %s %s", at ? "; " : "", done, asked,
			row->title);
		n = strlen(part);
		if (at + n >= size)
			return;
		memcpy(text + at, part, n + 1);
		at += n;
	}
	if (!any && at == 0)
		snprintf(text, size, "nothing was asked for");
}

static struct figure_amount ledger_amount(enum ledger_item item, uint64_t n)
{
	return (struct figure_amount){ true, (int64_t)n, item == LEDGER_TIME ? CLOCK_SECOND : 1 };
}

#define LEDGER_FIGURES(F) \
	F(TEXT, item, ("Coverage", .hidden = true), ledger_rows[i].key) \
	F(AMOUNT, asked, ("Asked for", .decimals = 2), ledger_amount(i, l->asked[i])) \
	F(AMOUNT, done, ("Done", .decimals = 2), ledger_amount(i, l->done[i]))
FIGURES_SHARED(ledger, LEDGER_FIGURES, const struct ledger *l, enum ledger_item i)

void ledger_add_all(struct figure_value *to, const struct ledger *l)
{
	for (int i = 0; i < LEDGER_ITEMS; i++)
		if (l->asked[i] > 0 || l->done[i] > 0)
			ledger_add(to, l, (enum ledger_item)i);
}

/* Convert to the ledger's units; false: not an amount. */
static bool read_amount(const struct figures *f, const char *key, enum ledger_item item,
	uint64_t *out)
{
	const struct figure_value *v = figures_known(f, key);
	const int64_t scale = item == LEDGER_TIME ? CLOCK_SECOND : 1;
	int64_t n;

	if (!v || v->text || v->n < 0)
		return false;
	n = v->n;
	if (v->scale < scale ? __builtin_mul_overflow(n, scale / v->scale, &n) :
		n % (v->scale / scale) != 0)
		return false;
	*out = (uint64_t)(v->scale < scale ? n : n / (v->scale / scale));
	return true;
}

bool ledger_read(struct ledger *l, const struct figure_value *list)
{
	*l = (struct ledger){ .asked = { 0 } };
	for (size_t k = 0; k < list->n_nodes; k++) {
		const struct figures *f = &list->nodes[k];
		int i = 0;

		while (i < LEDGER_ITEMS &&
			strcmp(ledger_rows[i].key, figures_text(f, "item")) != 0)
			i++;
		if (i == LEDGER_ITEMS ||
			!read_amount(f, "asked", (enum ledger_item)i, &l->asked[i]) ||
			!read_amount(f, "done", (enum ledger_item)i, &l->done[i]))
			return false;
	}
	return true;
}
