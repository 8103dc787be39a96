/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/option_value.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"
#include "src/option_table.h"
#include "src/options.h"
#include "src/mode.h"
#include "src/say.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t option_find(const char *typed)
{
	const char *name = typed + strspn(typed, "-");
	const size_t len = strcspn(name, "=");

	for (size_t i = 0; i < OPTIONS && *typed == '-'; i++) {
		const struct option_row *row = &option_rows[i];

		for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++)
			if (strlen(row->names[k]) == len && strncmp(row->names[k], name, len) == 0)
				return i;
	}
	return OPTIONS;
}

unsigned option_commands(const struct options *o)
{
	unsigned burn = o->n_targets > 0 ? 0 : 1u << COMMAND_HOST | 1u << COMMAND_CARDS;
	const struct command_row *rows = o->does->commands;

	for (int c = 0; c < COMMANDS && rows && o->n_targets > 0; c++)
		if (rows[c].run && strcmp(o->targets[0], rows[c].name) == 0)
			return 1u << c | (c == COMMAND_GENERATE && o->devices ?
				1u << COMMAND_ON_CARD : 0);
	for (size_t i = 0; i < o->n_targets; i++) {
		const bool host = strcmp(o->targets[i], "host") == 0;

		if (host || strcmp(o->targets[i], "all") == 0)
			burn |= 1u << COMMAND_HOST;
		if (!host)
			burn |= 1u << COMMAND_CARDS;
	}
	return burn | (o->dump ? 1u << COMMAND_DUMP : 0);
}

bool option_goes_with(const struct options *o, const struct option_row *row, enum mode mode)
{
	return row->from ? o->modes[mode].sources >> row->from & 1 : row->modes >> mode & 1;
}

bool option_fits_mode(const struct options *o, const struct option_row *row)
{
	if (o->does->takes_keys && row->key)
		return true;
	return option_goes_with(o, row, o->mode) &&
	       (!o->does->commands || !row->commands || row->commands & o->commands);
}

bool option_is_beside(enum mode before, enum mode now)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (option_rows[i].mode == before && option_rows[i].beside == now)
			return true;
	return false;
}

static bool names(const struct option_row *row, enum option_id id)
{
	for (size_t k = 0; k < ARRAY_LEN(row->not_with) && row->not_with[k]; k++)
		if (row->not_with[k] == id)
			return true;
	return false;
}

bool option_excludes(enum option_id a, enum option_id b)
{
	return names(&option_rows[a], b) || names(&option_rows[b], a);
}

size_t option_conflict(const struct options *o, enum option_id id)
{
	for (size_t k = 0; k < OPTIONS; k++)
		if (o->typed[k] && option_excludes(id, (enum option_id)k))
			return k;
	return OPTIONS;
}

/* Guesses about which option was meant by one that does not exist. */

#define MOST 40			/* letters of a spelling */
#define FAR  (MOST + 1)

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many letters are changed, left out, added, or swapped with the one beside them. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t row[3][MOST + 1], *before = row[0], *above = row[1], *now = row[2];

	if (na > MOST || nb > MOST)
		return FAR;
	for (size_t k = 0; k <= nb; k++)
		above[k] = k;
	for (size_t i = 1; i <= na; i++) {
		size_t *spare = before;

		now[0] = i;
		for (size_t k = 1; k <= nb; k++) {
			now[k] = least(above[k - 1] + (a[i - 1] != b[k - 1]),
				least(above[k], now[k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				now[k] = least(now[k], before[k - 2] + 1);
		}
		before = above;
		above = now;
		now = spare;
	}
	return above[nb];
}

/* The beginning of a spelling is nearer than any typing error. */
static size_t distance_of(const char *typed, size_t len, const char *name)
{
	if (len > 2 && strncmp(typed, name, len) == 0)
		return 0;
	return distance(typed, len, name, strlen(name)) + 1;
}

/* The first of the nearest spellings, which are less than `best` letters away. */
static const char *option_near_find(const char *typed, size_t best, char *buf, size_t size)
{
	const char *name = typed + strspn(typed, "-");
	const size_t len = strcspn(name, "=");
	bool found = false;

	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];

		for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++) {
			const size_t far = distance_of(name, len, row->names[k]);

			if (row->group == OPTION_HIDDEN || far > best || (found && far == best))
				continue;
			option_spell((enum option_id)i, k, buf, size);
			best = far;
			found = true;
		}
	}
	return found ? buf : NULL;
}

/* "-rall": an option that takes an attached value, but not this one. */
static const char *find_attached(const char *typed, char *buf, size_t size)
{
	for (size_t i = 0; i < OPTIONS && typed[0] == '-'; i++)
		if (option_rows[i].attached && *option_rows[i].attached &&
			strncmp(typed + 1, option_rows[i].names[0], 1) == 0)
			return option_spelling((enum option_id)i, buf, size);
	return NULL;
}

const char *option_nearest(const char *typed, char *buf, size_t size)
{
	const size_t len = strcspn(typed + strspn(typed, "-"), "=");

	/* Everything is near a single letter. */
	if (len < 2 || option_near_find(typed, len < 5 ? 2 : 3, buf, size))
		return len < 2 ? NULL : buf;
	return find_attached(typed, buf, size);
}

const char *option_nearest_key(const char *typed)
{
	const size_t len = strlen(typed);
	size_t best = len < 2 ? 0 : len < 5 ? 2 : 3;
	const char *near = NULL;

	for (size_t i = 0; i < OPTIONS; i++) {
		const char *key = option_rows[i].key;
		const size_t far = key ? distance_of(typed, len, key) : FAR;

		if (far <= best && !(near && far == best)) {
			near = key;
			best = far;
		}
	}
	return near;
}

bool option_is_near(const char *typed)
{
	char near[64];

	return option_near_find(typed, 3, near, sizeof(near)) != NULL;
}

/* Values. */

#define MOST_SECONDS (10LL * 366 * 86400 * CLOCK_SECOND)
#define LEAST_PERIOD 4096	/* bytes */
#define MOST_DIGITS  4		/* of a part of a version */

static bool set_seconds(const struct option_row *row, const char *value, int64_t *out,
	char *trouble, size_t size)
{
	int64_t most = row->most ? row->most : MOST_SECONDS, v;

	if (parse_duration(value, &v) && v >= row->least && v <= most) {
		*out = v;
		return true;
	}
	snprintf(trouble, size, "'%.40s' is not a time of at least %g s (30, 500ms, 10m)", value,
		(double)row->least / 1e9);
	return false;
}

static bool set_count(const struct option_row *row, const char *value, uint64_t *out,
	char *trouble, size_t size)
{
	uint64_t least = (uint64_t)row->least;
	uint64_t most = row->most ? (uint64_t)row->most : UINT64_MAX, v;

	if (parse_u64(value, &v) && v >= least && v <= most) {
		*out = v;
		return true;
	}
	if (row->most)
		snprintf(trouble, size, "'%.40s' is not a number%s%s from %llu to %llu", value,
			row->unit ? " of " : "", row->unit ? row->unit : "",
			(unsigned long long)least, (unsigned long long)most);
	else
		snprintf(trouble, size, "'%.40s' is not a whole number", value);
	return false;
}

/* "100M" is a size, "30s", "10m", "1h" a time: only a time ends in a small letter but k. */
static bool parse_period(const char *text, struct option_period *out)
{
	const size_t len = strlen(text);

	*out = (struct option_period){ 0 };
	if (len > 0 && islower((unsigned char)text[len - 1]) && text[len - 1] != 'k')
		return parse_duration(text, &out->ns) && out->ns > 0;
	return parse_size(text, &out->bytes) && out->bytes >= LEAST_PERIOD;
}

/* The place of a word in the row's choices; -1: it is not there, and trouble ends with them. */
static int find_choice(const struct option_row *row, const char *word, char *trouble, size_t size)
{
	for (int i = 0; row->choices[i]; i++) {
		if (strcmp(word, row->choices[i]) == 0)
			return i;
		text_join(trouble, size, i ? ", " : " ", "%s", row->choices[i]);
	}
	return -1;
}

static bool set_choice(const struct option_row *row, const char *value, unsigned *out,
	char *trouble, size_t size)
{
	int i;

	snprintf(trouble, size, "'%.40s' is not one of", value);
	i = find_choice(row, value, trouble, size);
	if (i >= 0)
		*out = (unsigned)i;
	return i >= 0;
}

/* "4G", "50%", "all". */
static bool parse_amount(const char *text, struct option_amount *out)
{
	const size_t len = strlen(text);
	char number[24];

	*out = (struct option_amount){ 0 };
	if (strcmp(text, "all") == 0)
		text = "100%";
	else if (len == 0 || text[len - 1] != '%')
		return parse_size(text, &out->bytes);
	if (len >= sizeof(number))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)strlen(text) - 1, text);
	return parse_decimal(number, 1000, &out->share) && out->share > 0 && out->share <= 100000;
}

static bool set_amount(const struct option_row *row, const char *value,
	struct option_amount *out, char *trouble, size_t size)
{
	if (parse_amount(value, out) && (out->share > 0 || out->bytes >= (uint64_t)row->least))
		return true;
	snprintf(trouble, size, "'%.40s' is neither a size of at least %lldk (4G) nor a share "
		"(50%%, all)", value, (long long)row->least >> 10);
	return false;
}

static bool set_decimal(const struct option_row *row, const char *value, int64_t *out,
	char *trouble, size_t size)
{
	int64_t v;

	if (parse_decimal(value, OPTION_DECIMALS, &v) && v >= row->least && v <= row->most) {
		*out = v;
		return true;
	}
	snprintf(trouble, size, "'%.40s' is not a number from %g to %g", value,
		(double)row->least / OPTION_DECIMALS, (double)row->most / OPTION_DECIMALS);
	return false;
}

static uint32_t bit_of_choice(const struct option_row *row, const char *word, char *trouble,
	size_t size)
{
	int i;

	snprintf(trouble, size, "is none of");
	i = find_choice(row, word, trouble, size);
	return i < 0 ? 0 : 1u << i;
}

/* "8,64", which replaces the default and adds to what was given before. */
static bool set_bits(const struct option_row *row, const char *list, bool again, uint32_t *out,
	char *trouble, size_t size)
{
	uint32_t all = again ? *out : 0, some;
	char word[48], why[160];

	do {
		const size_t len = strcspn(list, ",");

		snprintf(word, sizeof(word), "%.*s", (int)(len < 40 ? len : 40), list);
		some = row->bits ? row->bits(word, why, sizeof(why)) :
			bit_of_choice(row, word, why, sizeof(why));
		if (some == 0) {
			snprintf(trouble, size, "'%s' %s", word, why);
			return false;
		}
		all |= some;
		list += len + (list[len] == ',');
	} while (*list);
	*out = all;
	return true;
}

/* "16x32x32"; true if nothing follows it. */
static bool parse_shape(const char *word, int sides[static 3])
{
	for (int i = 0; i < 3; i++) {
		const size_t len = strcspn(word, "xX");
		char digits[24];
		uint64_t v;

		if (len >= sizeof(digits) || (word[len] != '\0') != (i < 2))
			return false;
		snprintf(digits, sizeof(digits), "%.*s", (int)len, word);
		if (!parse_u64(digits, &v) || v < 1 || v > OPTION_MOST_SIDE)
			return false;
		sides[i] = (int)v;
		word += len + 1;
	}
	return true;
}

static bool set_shapes(const char *list, struct option_shapes *out, char *trouble, size_t size)
{
	do {
		const size_t len = strcspn(list, ",");
		char word[64];
		int sides[3];

		snprintf(word, sizeof(word), "%.*s", (int)(len < 60 ? len : 60), list);
		if (!parse_shape(word, sides)) {
			snprintf(trouble, size, "'%.40s' is not MxKxN, each from 1 to %d "
				"(16x32x32)", word, OPTION_MOST_SIDE);
			return false;
		}
		if (out->n == OPTION_MOST_SHAPES) {
			snprintf(trouble, size, "takes %d shapes at most", OPTION_MOST_SHAPES);
			return false;
		}
		out->of[out->n].m = sides[0];
		out->of[out->n].k = sides[1];
		out->of[out->n++].n = sides[2];
		list += len + (list[len] == ',');
	} while (*list);
	return true;
}

static bool is_version(const char *text)
{
	static const char ends[] = { '.', '.', '\0' };

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		size_t n = strspn(text, "0123456789");

		if (n == 0 || n > MOST_DIGITS || text[n] != ends[i])
			return false;
		text += n + 1;
	}
	return true;
}

static void add_to_list(char **list, const char *value)
{
	size_t have = *list ? strlen(*list) + 1 : 0, len = strlen(value);

	*list = mem_realloc(*list, have + len + 1);
	if (have)
		(*list)[have - 1] = ',';
	memcpy(*list + have, value, len + 1);
}

/* Also keep the value as it was given, for reports. */
static void keep_text(struct options *o, const struct option_row *row, const char *value)
{
	char **given = &o->given[row - option_rows];

	if (row->kind != OPTION_LIST && row->kind != OPTION_SET && row->kind != OPTION_SHAPES) {
		free(*given);
		*given = NULL;
	}
	add_to_list(given, value);
}

void options_set_usual(struct options *o)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];
		void *at = (char *)o + row->at;

		if (row->usual && row->kind == OPTION_SET)
			*(uint32_t *)at = (uint32_t)row->usual;
		else if (row->usual)
			*(int64_t *)at = row->usual;
	}
}

const char option_no_dash[] = "'-' is not a file here, but for -f, where it is stdout; ./- is one "
	"of that name";

static bool set_value(struct options *o, const struct option_row *row, const char *value,
	char *trouble, size_t size)
{
	void *at = (char *)o + row->at;

	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)at = true;
		break;
	case OPTION_PATH:
		if (strcmp(value, "-") == 0 && !row->dash) {
			snprintf(trouble, size, "%s", option_no_dash);
			return false;
		}
		*(const char **)at = value;
		break;
	case OPTION_TEXT:
		*(const char **)at = value;
		break;
	case OPTION_LIST:
		add_to_list(at, value);
		break;
	case OPTION_CHOICE:
		return set_choice(row, value, at, trouble, size);
	case OPTION_SECONDS:
		return set_seconds(row, value, at, trouble, size);
	case OPTION_COUNT:
		return set_count(row, value, at, trouble, size);
	case OPTION_DECIMAL:
		return set_decimal(row, value, at, trouble, size);
	case OPTION_AMOUNT:
		return set_amount(row, value, at, trouble, size);
	case OPTION_SET:
		return set_bits(row, value, o->given[row - option_rows], at, trouble, size);
	case OPTION_PERIOD:
		if (parse_period(value, at))
			break;
		snprintf(trouble, size, "'%.40s' is neither a size of at least 4k (100M) nor a "
			"time (10m)", value);
		return false;
	case OPTION_VERSION:
		if (!is_version(value)) {
			snprintf(trouble, size, "'%.40s' is not a version of three numbers, as "
				"6.2.1 is", value);
			return false;
		}
		*(const char **)at = value;
		break;
	case OPTION_SHAPES:
		return set_shapes(value, at, trouble, size);
	case OPTION_WORDS:
		break;
	}
	return true;
}

/* "f,d" becomes "float32,float64", so that reports have one word for each. */
static void put_whole_words(struct strbuf *to, const struct option_row *row, const char *list)
{
	for (;;) {
		const size_t len = strcspn(list, ",");
		const char *word = list;
		size_t length = len;

		for (size_t i = 0; row->letters[i] && word == list; i += 2)
			if (strlen(row->letters[i]) == len &&
				strncmp(row->letters[i], list, len) == 0) {
				word = row->letters[i + 1];
				length = strlen(word);
			}
		strbuf_add(to, word, length);
		list += len;
		if (!*list)
			return;
		strbuf_putc(to, *list++);
	}
}

bool option_set_value(struct options *o, const struct option_row *row, const char *value,
	char *trouble, size_t size)
{
	struct strbuf whole = { 0 };
	bool good;

	if (!row->at || (!value && row->kind != OPTION_FLAG))
		return true;
	if (row->letters) {
		put_whole_words(&whole, row, value);
		value = whole.text;
	}
	good = set_value(o, row, value, trouble, size);
	if (good && value)
		keep_text(o, row, value);
	strbuf_clear(&whole);
	return good;
}

void option_clear_values(struct options *o)
{
	free(o->targets);
	o->targets = NULL;
	for (size_t i = 0; i < OPTIONS; i++) {
		free(o->given[i]);
		o->given[i] = NULL;
		if (option_rows[i].kind == OPTION_LIST && option_rows[i].at) {
			char **list = (char **)(void *)((char *)o + option_rows[i].at);

			free(*list);
			*list = NULL;
		}
	}
}

int option_complain(enum code code, const char *typed, const char *trouble)
{
	say_as(code, "%.*s: %s (tt-smi -h lists the options)", (int)strcspn(typed, "="),
		typed, trouble);
	return -EINVAL;
}

int option_set_said(struct options *o, const struct option_row *row, const char *typed,
	const char *value)
{
	char trouble[240];

	if (value && !*value)
		return option_complain(CODE_BAD_VALUE, typed, "the value is empty");
	return option_set_value(o, row, value, trouble, sizeof(trouble)) ?
		0 : option_complain(CODE_BAD_VALUE, typed, trouble);
}

bool option_is_on(const struct option_row *row, const char *value)
{
	return row->kind != OPTION_FLAG || strcmp(value, "yes") == 0;
}

bool option_can_stand(const struct option_row *row, const char *value, char *trouble, size_t size)
{
	struct options *o;
	bool good;

	if (row->kind == OPTION_FLAG) {
		snprintf(trouble, size, "'%.40s' is neither yes nor no", value);
		return strcmp(value, "yes") == 0 || strcmp(value, "no") == 0;
	}
	if (row->kept && !row->kept(value, trouble, size))
		return false;
	o = mem_calloc(1, sizeof(*o));
	good = option_set_value(o, row, value, trouble, size);
	option_clear_values(o);
	free(o);
	return good;
}
