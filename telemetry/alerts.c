/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "telemetry/alerts.h"

#include "base/mem.h"
#include "base/parse.h"
#include "device/ident.h"
#include "telemetry/judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGREE	 2	/* samples in a row that raise or clear */
#define NEWS	 (DEVICE_MAX * ALERTS_RULES)

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

/* How an alert of one card stands. */
struct state {
	bool raised;
	uint8_t seen;		/* samples in a row that ask for the other state */
};

struct alerts {
	size_t n, n_news;
	size_t cards[ALERTS_RULES];	/* with the alert raised */
	struct alerts_rule rules[ALERTS_RULES];
	struct state states[DEVICE_MAX][ALERTS_RULES];
	struct alerts_event news[NEWS];	/* entries that are not used are never touched */
};

/* Parsing rules. */

/* The next word, up to a blank or an operator, which is a word of its own. */
static bool take_word(const char **at, char *word, size_t size)
{
	size_t len;

	*at += strspn(*at, " \t");
	len = strcspn(*at, " \t<>");
	if (len == 0 && **at)
		len = 1;
	snprintf(word, size, "%.*s", (int)len, *at);
	*at += len;
	return len > 0 && len < size;
}

static int bad_form(const char *name, struct error *e)
{
	return fail_as(e, CODE_BAD_CONFIG, -EINVAL, "alert '%.40s': a rule is FIELD > VALUE clear "
		"VALUE, FIELD < VALUE clear VALUE, or lost", name);
}

static int take_value(const char **at, const struct alerts_rule *rule, char *text, size_t size,
	int64_t *value, struct error *e)
{
	const struct field *f = &fields[rule->field];

	if (!take_word(at, text, size) || !parse_decimal(text, f->scale, value))
		return fail_as(e, CODE_BAD_CONFIG, -EINVAL, "alert '%s': '%.30s' is not a "
			"number%s%s", rule->name, text, *f->unit ? ", which counts " : "", f->unit);
	return 0;
}

static int check_values(const struct alerts_rule *rule, struct error *e)
{
	const struct field *f = &fields[rule->field];
	const bool above = rule->kind == ALERTS_ABOVE;
	const bool bounded = f->low != 0 || f->high != 0;
	char low[STRBUF_NUMBER], high[STRBUF_NUMBER];

	if (above ? rule->clear > rule->raise : rule->clear < rule->raise)
		return fail_as(e, CODE_BAD_CONFIG, -EINVAL, "alert '%s': clear %s lies %s %s: it "
			"would be raised and cleared by the same values", rule->name,
			rule->clear_text, above ? "above" : "below", rule->raise_text);
	if (bounded && (above ? rule->raise >= f->high || rule->clear < f->low :
			rule->raise <= f->low || rule->clear > f->high))
		return fail_as(e, CODE_BAD_CONFIG, -EINVAL, "alert '%s': %s is from %s to %s%s%s: "
			"it would never be raised, or never be cleared", rule->name, f->key,
			strbuf_rounded(low, f->low, f->scale, f->decimals),
			strbuf_rounded(high, f->high, f->scale, f->decimals),
			*f->unit ? " " : "", f->unit);
	return 0;
}

static int parse_field(const char *at, struct alerts_rule *rule, struct error *e)
{
	char word[48];
	int r;

	if (!take_word(&at, word, sizeof(word)))
		return bad_form(rule->name, e);
	rule->field = field_find(word);
	if (rule->field == FIELD_NONE)
		return fail_as(e, CODE_BAD_CONFIG, -EINVAL, "alert '%s': '%s' is not a field; "
			"--fields help lists them", rule->name, word);
	if (!field_is_number(rule->field))
		return fail_as(e, CODE_BAD_CONFIG, -EINVAL, "alert '%s': %s is not a number, and "
			"has no threshold", rule->name, word);
	if (!take_word(&at, word, sizeof(word)) || !strchr("<>", word[0]))
		return bad_form(rule->name, e);
	rule->kind = word[0] == '>' ? ALERTS_ABOVE : ALERTS_BELOW;
	r = take_value(&at, rule, rule->raise_text, sizeof(rule->raise_text), &rule->raise, e);
	if (r < 0)
		return r;
	if (!take_word(&at, word, sizeof(word)) || strcmp(word, "clear") != 0)
		return bad_form(rule->name, e);
	r = take_value(&at, rule, rule->clear_text, sizeof(rule->clear_text), &rule->clear, e);
	if (r < 0)
		return r;
	return take_word(&at, word, sizeof(word)) || word[0] ? bad_form(rule->name, e) :
		check_values(rule, e);
}

int alerts_parse(const char *name, const char *text, struct alerts_rule *rule, struct error *e)
{
	const char *at = text;
	char word[48];

	*rule = (struct alerts_rule){ .kind = ALERTS_LOST };
	if (!*name || strlen(name) >= sizeof(rule->name) || name[strspn(name, letters)])
		return fail_as(e, CODE_BAD_CONFIG, -EINVAL, "alert '%.40s': a name is up to %zu "
			"letters, digits, - and _", name, sizeof(rule->name) - 1);
	mem_copy_text(rule->name, sizeof(rule->name), name);
	if (take_word(&at, word, sizeof(word)) && strcmp(word, "lost") == 0)
		return take_word(&at, word, sizeof(word)) || word[0] ? bad_form(name, e) : 0;
	return parse_field(text, rule, e);
}

/* Judging. */

struct alerts *alerts_new(const struct alerts_rule *rules, size_t n)
{
	struct alerts *a = mem_calloc(1, sizeof(*a));

	a->n = n < ALERTS_RULES ? n : ALERTS_RULES;
	memcpy(a->rules, rules, a->n * sizeof(*rules));
	return a;
}

void alerts_free(struct alerts *a)
{
	free(a);
}

/* What a sample asks for; ASKS_NOTHING if it does not have the reading. */
enum asks { ASKS_NOTHING, ASKS_NEITHER, ASKS_RAISE, ASKS_CLEAR };

static enum asks find_asks(const struct alerts_rule *rule, const struct snapshot *s)
{
	const struct reading *r = &s->r[rule->field];
	const int64_t way = rule->kind == ALERTS_BELOW ? -1 : 1;

	/* A card that was given to another driver is lost to nobody. */
	if (rule->kind == ALERTS_LOST && snapshot_is_given(s))
		return ASKS_CLEAR;
	/* That this process lacks resources says nothing of the card. */
	if (rule->kind == ALERTS_LOST && snapshot_trouble(s) && !snapshot_is_blind(s) &&
		!s->raw.repeated)
		return ASKS_RAISE;
	if (!snapshot_is_current(s))
		return ASKS_NOTHING;
	if (rule->kind == ALERTS_LOST)
		return ASKS_CLEAR;
	if (!reading_is_ok(r))
		return ASKS_NOTHING;
	return way * r->value > way * rule->raise ? ASKS_RAISE :
		way * r->value <= way * rule->clear ? ASKS_CLEAR : ASKS_NEITHER;
}

static void add_news(struct alerts *a, const struct alerts_rule *rule, bool raised,
	const struct snapshot *s)
{
	struct alerts_event *event = &a->news[a->n_news];

	if (a->n_news == NEWS)
		return;
	a->n_news++;
	*event = (struct alerts_event){ .rule = rule, .raised = raised, .chip = s->index,
		.value = rule->kind == ALERTS_LOST ? 0 : s->r[rule->field].value };
}

static void judge_rule(struct alerts *a, size_t i, struct snapshot *s)
{
	struct state *state = &a->states[s->index][i];
	const enum asks asks = find_asks(&a->rules[i], s);

	if (asks == ASKS_NOTHING)
		return;
	if (asks != (state->raised ? ASKS_CLEAR : ASKS_RAISE)) {
		state->seen = 0;
		return;
	}
	if (++state->seen < AGREE)
		return;
	state->seen = 0;
	state->raised = !state->raised;
	if (state->raised)
		a->cards[i]++;
	else
		a->cards[i]--;
	add_news(a, &a->rules[i], state->raised, s);
}

/* "Core Temp 94.1 °C" or "Core Temp not known now". */
static char *put_reading(const struct alerts_rule *rule, const struct reading *r, char *buf,
	size_t size)
{
	const struct field *f = &fields[rule->field];
	char value[48];

	if (reading_is_ok(r))
		snprintf(buf, size, "%s %s%s%s", f->title,
			field_text(rule->field, r, value, sizeof(value)), *f->unit ? " " : "",
			f->unit);
	else
		snprintf(buf, size, "%s not known now", f->title);
	return buf;
}

/* A lost card needs no finding: its health says so already. */
static void add_finding(const struct alerts_rule *rule, struct snapshot *s)
{
	const char *unit = fields[rule->field].unit, *blank = *unit ? " " : "";
	char reading[96];

	if (rule->kind == ALERTS_LOST)
		return;
	judge_add(s, "alert", "alert %s: %s, raised %s %s%s%s, clears at %s%s%s", rule->name,
		put_reading(rule, &s->r[rule->field], reading, sizeof(reading)),
		rule->kind == ALERTS_ABOVE ? "above" : "below", rule->raise_text, blank, unit,
		rule->clear_text, blank, unit);
}

void alerts_judge(struct alerts *a, struct snapshot *s)
{
	if (!a || s->index < 0 || s->index >= DEVICE_MAX)
		return;
	for (size_t i = 0; i < a->n; i++) {
		judge_rule(a, i, s);
		if (a->states[s->index][i].raised && snapshot_is_live(s))
			add_finding(&a->rules[i], s);
	}
}

/* Results. */

const struct alerts_event *alerts_news(const struct alerts *a, size_t *n)
{
	*n = a ? a->n_news : 0;
	return a ? a->news : NULL;
}

void alerts_forget_news(struct alerts *a)
{
	if (a)
		a->n_news = 0;
}

char *alerts_standing(const struct alerts *a, char *buf, size_t size)
{
	size_t len = 0, raised = 0;

	buf[0] = '\0';
	for (size_t i = 0; a && i < a->n; i++) {
		char count[24] = "";

		if (a->cards[i] == 0)
			continue;
		if (a->cards[i] > 1)
			snprintf(count, sizeof(count), " %zu", a->cards[i]);
		if (len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s%s",
				raised ? ", " : "", a->rules[i].name, count);
		raised += a->cards[i];
	}
	if (len >= size)
		snprintf(buf, size, "%zu alerts", raised);
	return buf;
}

char *alerts_event_text(const struct alerts_event *event, const struct snapshot *s,
	char buf[static ALERTS_TEXT])
{
	static const char *const sides[2][2] = {
		[ALERTS_ABOVE] = { "not above", "above" },
		[ALERTS_BELOW] = { "not below", "below" },
	};
	const struct alerts_rule *rule = event->rule;
	const struct reading r = { .value = event->value, .state = READING_OK };
	const char *unit = fields[rule->field].unit, *trouble = snapshot_trouble(s);
	char reading[96], what[ALERTS_TEXT / 2];

	if (rule->kind == ALERTS_LOST)
		snprintf(what, sizeof(what), "%s", event->raised ?
			trouble ? trouble : "it does not answer" :
			snapshot_is_given(s) ? s->reason : "it answers again");
	else
		snprintf(what, sizeof(what), "%s is %s %s%s%s",
			put_reading(rule, &r, reading, sizeof(reading)),
			sides[rule->kind][event->raised],
			event->raised ? rule->raise_text : rule->clear_text, *unit ? " " : "",
			unit);
	snprintf(buf, ALERTS_TEXT, "alert %s %s: %d %s%s%s: %s", rule->name,
		event->raised ? "raised" : "cleared", s->index, s->series[0] ? s->series : s->board,
		s->bdf[0] ? " " : "", s->bdf, what);
	return buf;
}
