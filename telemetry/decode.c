/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.c - runs the rows of a chip's tables over the raw words and the attributes.
 *
 * A field takes the first plausible value in the order tag table, legacy struct, attribute.  Where
 * no source has one, the field is implausible and keeps the word of the first source.
 */
#include "config.h"
#include "telemetry/decode.h"

#include "base/mem.h"
#include "base/parse.h"
#include "telemetry/chip/chip.h"
#include "telemetry/judge.h"
#include "telemetry/link.h"

#include <errno.h>
#include <string.h>

#define ALL_ONES UINT32_MAX

/* The words of one table, found by key in constant time. */
struct words {
	const struct raw *raw;
	enum reading_source source;
	bool alike;		/* every word is the same: none can be believed */
	uint8_t at[256];	/* tags: place in raw->tags + 1 by tag; 0: not there */
};

static bool plausible_date(uint32_t v)
{
	uint32_t month = v >> 24 & 0xf, day = v >> 16 & 0xff;

	return month >= 1 && month <= 12 && day >= 1 && day <= 31 && (v >> 8 & 0xff) < 24 &&
		(v & 0xff) < 60;
}

bool decode_plausible(enum field_id id, int64_t value)
{
	const struct field *f = &fields[id];

	if (value == 0 && f->no_zero)
		return false;
	if (f->kind == FIELD_DATE)
		return value >= 0 && value <= ALL_ONES && plausible_date((uint32_t)value);
	if (f->kind == FIELD_HEX64)
		/* Each half is a word of its own, and may be missing alone. */
		return value != 0 && (uint64_t)value >> 32 != ALL_ONES &&
			(uint32_t)value != ALL_ONES;
	return (f->low == 0 && f->high == 0) || (value >= f->low && value <= f->high);
}

/* Set a reading, unless the field has a better one. */
static void decode_put(struct snapshot *s, enum field_id id, enum reading_source source,
	bool believable, int64_t value)
{
	struct reading *r = &s->r[id];

	if (r->state == READING_OK || (r->state == READING_IMPLAUSIBLE && !believable))
		return;
	*r = (struct reading){ .value = believable ? value : 0, .time = s->raw.time,
		.state = believable ? READING_OK : READING_IMPLAUSIBLE, .source = (uint8_t)source };
}

/* The word a reading of this source came from. */
static void decode_put_raw(struct snapshot *s, enum field_id id, enum reading_source source,
	uint32_t word)
{
	struct reading *r = &s->r[id];

	if (r->source == SOURCE_NONE)
		r->source = (uint8_t)source;
	if (r->source == source && !r->has_raw) {
		r->raw = word;
		r->has_raw = true;
	}
}

static bool word_of(const struct words *w, unsigned key, uint32_t *word)
{
	const struct raw *raw = w->raw;

	if (w->source == SOURCE_LEGACY) {
		if (key >= raw->n_legacy || key >= RAW_LEGACY || !raw->legacy_known[key])
			return false;
		*word = raw->legacy[key];
		return true;
	}
	if (key >= ARRAY_LEN(w->at) || !w->at[key])
		return false;
	*word = raw->tags[w->at[key] - 1].word;
	return true;
}

static void words_init(struct words *w, const struct raw *raw, enum reading_source source)
{
	size_t n = raw->n_tags < RAW_TAGS ? raw->n_tags : RAW_TAGS;

	*w = (struct words){ .raw = raw, .source = source,
		.alike = source == SOURCE_TAG ? judge_tags_alike(raw) : judge_legacy_alike(raw) };
	for (size_t i = 0; i < n; i++) {
		uint16_t tag = raw->tags[i].tag;

		if (tag < ARRAY_LEN(w->at) && !w->at[tag])
			w->at[tag] = (uint8_t)(i + 1);
	}
}

static uint32_t cut(const struct decode *row, uint32_t word)
{
	return row->bits && row->bits < 32 ? word >> row->shift & ((1u << row->bits) - 1)
					   : word >> row->shift;
}

/* v * mul / div, rounded to nearest. */
static int64_t decode_scaled(const struct decode *row, int64_t v)
{
	int64_t mul = row->mul ? row->mul : 1, div = row->div ? row->div : 1;

	return (v * mul + (v < 0 ? -div / 2 : div / 2)) / div;
}

/* The state of the memory channels according to one word, a bit each. */
struct channels {
	uint32_t all, trained, bist, silent;	/* silent: neither trained, tested nor failed */
	bool has_bist;
	bool may_spare;		/* one of them may be harvested */
};

/*
 * Not every firmware says which channels are enabled, and some report all on a
 * board that has one less.  So a single silent channel counts as harvested
 * (chip-facts 3.6).
 */
static uint32_t channels_in_use(const struct snapshot *s, const struct channels *c)
{
	const struct reading *on = &s->r[FIELD_DRAM_ENABLED];
	uint32_t enabled = on->state == READING_OK ? (uint32_t)on->value & c->all : 0;

	if (enabled && enabled != c->all)
		return enabled;
	return c->may_spare && (c->silent & (c->silent - 1)) == 0 ? c->all & ~c->silent : c->all;
}

/*
 * A channel in use that is not good has failed.  Good means trained and, where there
 * is a self-test at all, passed: the general rule of chip-facts 3.6.
 */
static void put_channels(struct snapshot *s, enum reading_source source, const struct channels *c)
{
	uint32_t used = channels_in_use(s, c);
	uint32_t good = c->has_bist ? c->trained & c->bist : c->trained;

	decode_put(s, FIELD_DRAM_STATUS, source, true, (good & used) == used);
	decode_put(s, FIELD_DRAM_TRAINED, source, true, c->trained);
	decode_put(s, FIELD_DRAM_FAILED, source, true, used & ~good);
	if (c->has_bist)
		decode_put(s, FIELD_DRAM_BIST, source, true, c->bist);
}

static void decode_channels(struct snapshot *s, const struct decode *row,
	enum reading_source source, uint32_t word)
{
	const bool two = row->kind == DECODE_DDR_2BIT || row->kind == DECODE_DDR_2BIT_SPARE;
	const uint32_t used = (uint32_t)((1ull << 2 * row->bits) - 1);
	struct channels c = { .all = (1u << row->bits) - 1, .has_bist = two && word >> 16,
		.may_spare = row->kind == DECODE_DDR_2BIT_SPARE };

	if (reading_is_ok(&s->r[FIELD_DRAM_STATUS]))
		return;
	/* Each half may have two bits a channel, and no other bits. */
	if (word == ALL_ONES || (two && word & ~(used | used << 16))) {
		decode_put(s, FIELD_DRAM_STATUS, source, false, 0);
		decode_put_raw(s, FIELD_DRAM_STATUS, source, word);
		return;
	}
	for (unsigned i = 0; i < row->bits; i++) {
		uint32_t nibble = word >> 4 * (i & 7) & 15;

		if (two) {
			uint32_t training = word >> 2 * i & 3, test = word >> (16 + 2 * i) & 3;

			c.trained |= (uint32_t)(training == 1) << i;
			c.bist |= (uint32_t)(test == 1) << i;
			c.silent |= (uint32_t)(training == 0 && test == 0) << i;
		} else if (row->kind == DECODE_DDR_4BIT_WH) {
			c.trained |= (uint32_t)(nibble == 2 || nibble == 3) << i;
		} else {
			c.trained |= (uint32_t)(nibble == 1) << i;
		}
	}
	put_channels(s, source, &c);
	decode_put_raw(s, FIELD_DRAM_STATUS, source, word);
}

static void decode_fans(struct snapshot *s, const struct decode *row, enum reading_source source,
	uint32_t word)
{
	enum field_id id = row->field;

	for (unsigned shift = 16;; shift = 0) {
		uint32_t rpm = word >> shift & 0xffff;

		decode_put_raw(s, id, source, word);
		if (rpm != 0xffff) {
			decode_put(s, id, source, decode_plausible(id, rpm), rpm);
			decode_put_raw(s, id, source, word);
			id = row->field + 1;
		}
		if (!shift)
			break;
	}
}

/* One number out of one word; false when the word says that there is none. */
static bool number_of(const struct decode *row, const struct words *w, uint32_t word,
	int64_t *value)
{
	static const uint16_t speeds[] = { 16000, 14000, 12000, 10000, 8000 };
	uint32_t v = cut(row, word), arc;

	switch ((enum decode_kind)row->kind) {
	case DECODE_SIGNED:
		*value = decode_scaled(row, row->bits == 16 ? (int16_t)v : (int32_t)v);
		return true;
	case DECODE_S16_16_NONZERO:
	case DECODE_S16_16:
		*value = ((int64_t)(int32_t)word * row->mul + (1 << 15)) >> 16;
		return word || row->kind == DECODE_S16_16;
	case DECODE_ETH_VERSION:
		*value = (int64_t)(v >> 16) << 20 | (v >> 12 & 0xf) << 12 | (v & 0xfff);
		break;
	case DECODE_ETH_VERSION8:
		*value = (int64_t)(v >> 16) << 20 | (v >> 8 & 0xff) << 12 | (v & 0xff);
		break;
	case DECODE_BUNDLE:
		*value = v;
		if (!word_of(w, 6, &arc) || arc == ALL_ONES || arc < (uint32_t)row->mul)
			return false;
		break;
	case DECODE_DDR_SPEED_CODE:
		/* Code 0 in a word that is all 0 is not a speed: nothing is trained. */
		*value = v < ARRAY_LEN(speeds) && word ? speeds[v] : 0;
		return v < ARRAY_LEN(speeds);
	default:
		*value = decode_scaled(row, v);
		if (row->kind == DECODE_NONZERO && v == 0)
			return false;
		break;
	}
	return !row->absent || v != row->absent;
}

static void decode_id64(struct snapshot *s, const struct decode *row, const struct words *w)
{
	const struct decode *low = row + 1;	/* stands right below, see the tables */
	uint32_t hi, lo;

	if (low->kind == DECODE_LOW64 && low->field == row->field && word_of(w, row->key, &hi) &&
		word_of(w, low->key, &lo)) {
		int64_t id = (int64_t)((uint64_t)hi << 32 | lo);

		decode_put(s, row->field, w->source, decode_plausible(row->field, id), id);
	}
}

static void decode_word(struct snapshot *s, const struct decode *row, const struct words *w)
{
	uint32_t word;
	int64_t value;

	if (!word_of(w, row->key, &word))
		return;
	if (w->alike) {
		decode_put(s, row->field, w->source, false, 0);
		decode_put_raw(s, row->field, w->source, word);
		return;
	}
	if (row->kind == DECODE_HIGH64)
		decode_id64(s, row, w);
	if (row->kind == DECODE_HIGH64 || row->kind == DECODE_LOW64)
		return;
	switch ((enum decode_kind)row->kind) {
	case DECODE_DDR_2BIT:
	case DECODE_DDR_2BIT_SPARE:
	case DECODE_DDR_4BIT_WH:
	case DECODE_DDR_4BIT_GS:
		decode_channels(s, row, w->source, word);
		return;
	case DECODE_FAN_PAIR:
		decode_fans(s, row, w->source, word);
		return;
	default:
		break;
	}
	if (reading_is_ok(&s->r[row->field]))
		return;
	if (number_of(row, w, word, &value))
		decode_put(s, row->field, w->source,
			decode_plausible(row->field, value) && (word != ALL_ONES || row->ones),
			value);
	decode_put_raw(s, row->field, w->source, word);
}

/*
 * Text attributes of driver and kernel.  The driver makes them from the same words as the tables,
 * so a dead card's garbage shows here too.
 */

static bool parse_attr(const struct decode *row, const char *text, int64_t *value)
{
	uint64_t hex;
	uint32_t version;
	bool good;

	switch ((enum decode_kind)row->kind) {
	case DECODE_TEXT_INT:
	case DECODE_TEXT_NONZERO:
		return parse_i64(text, value);
	case DECODE_TEXT_HEX:
		good = parse_hex(text, &hex);
		*value = good ? (int64_t)hex : 0;
		return good;
	case DECODE_TEXT_VERSION4:
		good = parse_version4(text, &version);
		*value = good ? version : 0;
		return good;
	default:
		return parse_version3(text, value);
	}
}

/* One row of a chip's attribute table. */
static void decode_attr(struct snapshot *s, const struct decode *row)
{
	enum attr a = row->key;
	enum reading_source source = attrs[a].dir == ATTR_HWMON ? SOURCE_HWMON : SOURCE_SYSFS;
	const char *text = s->raw.attr[a];
	int error = s->raw.attr_error[a];
	int64_t v;

	if (reading_is_ok(&s->r[row->field]))
		return;
	if (!*text) {
		/* Where firmware lacks the tag, the file is missing or its read gives ENODATA. */
		if (error && error != -ENOENT && error != -ENODATA && error != -EOPNOTSUPP &&
			s->r[row->field].state == READING_ABSENT)
			s->r[row->field] = (struct reading){ .state = READING_FAILED,
				.time = s->raw.time, .source = (uint8_t)source };
		return;
	}
	if (!parse_attr(row, text, &v)) {
		decode_put(s, row->field, source, false, 0);
		return;
	}
	if ((row->kind != DECODE_TEXT_HEX && row->absent && v == row->absent) ||
		(row->kind == DECODE_TEXT_NONZERO && v == 0))
		return;
	if (v > INT64_MAX / 1000 || v < INT64_MIN / 1000) {
		decode_put(s, row->field, source,
			row->kind == DECODE_TEXT_HEX && decode_plausible(row->field, v), v);
		return;
	}
	decode_put(s, row->field, source, v != UINT32_MAX && (!row->step || v % row->step == 0) &&
			decode_plausible(row->field, decode_scaled(row, v)),
		decode_scaled(row, v));
	if ((row->kind == DECODE_TEXT_INT || row->kind == DECODE_TEXT_NONZERO) && v >= 0 &&
		v <= UINT32_MAX)
		decode_put_raw(s, row->field, source, (uint32_t)v);
}

/* The tables of a chip. */

/* Decode the rows that apply to this bundle; `only` picks one field, FIELD_NONE all. */
static void walk_rows(struct snapshot *s, const struct chip *chip, uint32_t bundle,
	enum field_id only)
{
	struct words tags, legacy;
	const struct words *const words[CHIP_TABLES] = {
		[CHIP_COMMON_TAGS] = &tags, [CHIP_TAGS] = &tags, [CHIP_LEGACY] = &legacy,
	};

	words_init(&tags, &s->raw, SOURCE_TAG);
	words_init(&legacy, &s->raw, SOURCE_LEGACY);
	for (enum chip_table t = 0; t < CHIP_TABLES; t++) {
		for (const struct decode *row = chip_rows(chip, t);
			row->field != FIELD_NONE; row++) {
			if ((only && row->field != only) || (row->from && bundle < row->from) ||
				(row->to && bundle >= row->to))
				continue;
			if (words[t])
				decode_word(s, row, words[t]);
			else
				decode_attr(s, row);
		}
	}
}

/* The bundle; 0: not known, or older than all that the tables tell apart. */
static uint32_t find_bundle(struct snapshot *s, const struct chip *chip)
{
	struct reading *r = &s->r[FIELD_FW_BUNDLE];

	walk_rows(s, chip, 0, FIELD_FW_BUNDLE);
	walk_rows(s, chip, 0, FIELD_TT_FLASH);
	/* A wh_4u module has its bundle's version in the tt-flash slot (chip-facts 6.1). */
	if (r->state == READING_ABSENT && r->has_raw && r->raw == ALL_ONES &&
		reading_is_ok(&s->r[FIELD_TT_FLASH])) {
		decode_put(s, FIELD_FW_BUNDLE, SOURCE_DERIVED, true, s->r[FIELD_TT_FLASH].value);
		s->r[FIELD_FW_BUNDLE].raw = ALL_ONES;
		s->r[FIELD_FW_BUNDLE].has_raw = true;
	}
	return r->state == READING_OK && bundle_order((uint32_t)r->value) > UINT32_MAX ?
		(uint32_t)r->value : 0;
}

/* Mark the tables' fields as failed if the tables could not be read this time. */
static void mark_failed(struct snapshot *s, const struct chip *chip)
{
	int code = s->raw.table_error.code;

	if (code == 0 || code == -ECANCELED || code == -EACCES || code == -EPERM ||
		code == -EOPNOTSUPP || code == -ENOENT || code == -EINPROGRESS)
		return;
	for (enum chip_table t = CHIP_COMMON_TAGS; t <= CHIP_TAGS; t++)
		for (const struct decode *row = chip_rows(chip, t); row->field != FIELD_NONE; row++)
			if (s->r[row->field].state == READING_ABSENT)
				s->r[row->field] = (struct reading){ .state = READING_FAILED,
					.time = s->raw.time, .source = SOURCE_TAG };
}

/* Without a runtime that counts there is no share; otherwise it is only unknown for now. */
static bool has_no_counters(enum busy_source source)
{
	return source == BUSY_NO_BUFFER || source == BUSY_NO_RUNTIME ||
		source == BUSY_SLOW_DISPATCH || source == BUSY_NO_COUNTERS ||
		source == BUSY_SECOND_CHIP;
}

void decode_put_busy(struct snapshot *s, enum busy_source source, const struct busy_shares *x)
{
	const bool known = source >= BUSY_COUNTERS && source <= BUSY_CORES;
	const uint8_t instead = has_no_counters(source) ? READING_ABSENT : READING_UNJUDGED;
	struct reading r = { .time = s->raw.time, .source = SOURCE_RUNTIME, .state = READING_OK,
		.value = source };

	s->r[FIELD_BUSY_SOURCE] = r;
	r.state = known ? READING_OK : instead;
	r.value = known ? x->cores : 0;
	s->r[FIELD_BUSY_CORES] = r;
	if (source == BUSY_CORES)
		r.state = READING_ABSENT;
	r.value = r.state == READING_OK ? x->any : 0;
	s->r[FIELD_BUSY] = r;
}

void decode_snapshot(struct snapshot *s)
{
	const struct chip *chip = chip_find(s->raw.chip);

	memset(s->r, 0, sizeof(s->r));
	if (chip) {
		walk_rows(s, chip, find_bundle(s, chip), FIELD_NONE);
		mark_failed(s, chip);
	}
	if (*s->raw.attr[ATTR_PERF_MST_RD_0])
		for (enum field_id id = FIELD_PCIE_RX; id <= FIELD_PCIE_TX; id++)
			s->r[id] = (struct reading){ .state = READING_UNJUDGED,
				.source = SOURCE_PCI, .time = s->raw.time };
	if (s->raw.busy.source != BUSY_NOT_ASKED)
		decode_put_busy(s, s->raw.busy.source, NULL);
	if (judge_all_ones(&s->raw))
		for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
			if (s->r[id].state != READING_ABSENT)
				s->r[id].state = READING_IMPLAUSIBLE;
	slow_settle(s);
	judge_identity(s);
	link_judge(s);
	judge_health(s);
}
