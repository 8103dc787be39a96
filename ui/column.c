/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/column.h"

#include "base/mem.h"
#include "base/text.h"
#include "telemetry/change.h"
#include "telemetry/identity.h"
#include "telemetry/link.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Modules with temperatures and error counts on Blackhole; Wormhole has none. */
#define MEASURED 8

/* A name or a number of a chip; "-" if there is none. */
__attribute__((format(printf, 4, 5)))
static enum style name_text(bool known, char *buf, size_t size, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf, size, known ? fmt : "-", args);
	va_end(args);
	return known ? STYLE_NORMAL : STYLE_DIM;
}

/* Get a mask; 0 and false if it is not known. */
static bool mask_of(const struct snapshot *s, enum field_id id, uint64_t *mask)
{
	const struct reading *r = &s->r[id];

	*mask = reading_has_value(r) ? (uint64_t)r->value : 0;
	return reading_has_value(r);
}

static enum memory_state state_of(bool known, uint64_t passed, uint64_t failed, uint64_t bit)
{
	if (failed & bit)
		return MEMORY_FAILED;
	return passed & bit ? MEMORY_PASSED : known ? MEMORY_UNUSED : MEMORY_UNKNOWN;
}

size_t memory_modules(const struct snapshot *s, struct memory_module m[static MEMORY_MODULES])
{
	uint64_t trained, failed, tested, enabled, uncorrected, all;
	bool know_trained = mask_of(s, FIELD_DRAM_TRAINED, &trained);
	bool know_tested = mask_of(s, FIELD_DRAM_BIST, &tested);
	bool know_enabled = mask_of(s, FIELD_DRAM_ENABLED, &enabled);
	bool know_uncorrected = mask_of(s, FIELD_GDDR_UNCORR_ERRS, &uncorrected);
	size_t n = 0;

	mask_of(s, FIELD_DRAM_FAILED, &failed);
	all = trained | failed | enabled;
	for (size_t i = 0; i < MEMORY_MODULES; i++)
		if (all >> i & 1 || (i < MEASURED && reading_has_value(
			&s->r[FIELD_GDDR_TEMP + 2 * i])))
			n = i + 1;
	for (size_t i = 0; i < n; i++) {
		uint64_t bit = 1ULL << i;
		bool used = !know_enabled || enabled & bit;

		m[i] = (struct memory_module){ .bottom = FIELD_NONE, .top = FIELD_NONE };
		m[i].training = used ? state_of(know_trained, trained, failed, bit) :
			MEMORY_UNUSED;
		m[i].test = !used ? MEMORY_UNUSED : !know_tested ? MEMORY_UNKNOWN :
			state_of(true, tested, ~tested, bit);
		if (i >= MEASURED)
			continue;
		m[i].bottom = (enum field_id)(FIELD_GDDR_TEMP + 2 * i);
		m[i].top = (enum field_id)(FIELD_GDDR_TEMP + 2 * i + 1);
		m[i].corrected_read = (enum field_id)(FIELD_GDDR_CORR_ERRS + 2 * i);
		m[i].corrected_write = (enum field_id)(FIELD_GDDR_CORR_ERRS + 2 * i + 1);
		if (!know_uncorrected)
			continue;
		m[i].read = uncorrected >> 2 * i & 1 ? MEMORY_FAILED : MEMORY_PASSED;
		m[i].write = uncorrected >> (2 * i + 1) & 1 ? MEMORY_FAILED : MEMORY_PASSED;
	}
	return n;
}

/* "7 of 8": how many of the modules in use are trained, or have passed their test. */
static enum style memory_count_text(const struct snapshot *s, bool test, char *buf, size_t size)
{
	struct memory_module m[MEMORY_MODULES];
	size_t n = memory_modules(s, m), count[MEMORY_FAILED + 1] = { 0 }, used;

	for (size_t i = 0; i < n; i++)
		count[test ? m[i].test : m[i].training]++;
	used = count[MEMORY_PASSED] + count[MEMORY_FAILED];
	name_text(used > 0, buf, size, "%zu of %zu", count[MEMORY_PASSED], used);
	return count[MEMORY_FAILED] ? STYLE_BAD : STYLE_DIM;
}

/* The errors of all modules together: corrected ones, or flags of uncorrected ones. */
static enum style memory_errors_text(const struct snapshot *s, bool uncorrected, char *buf,
	size_t size)
{
	uint64_t flags;
	bool known = mask_of(s, FIELD_GDDR_UNCORR_ERRS, &flags) && uncorrected;
	int64_t sum = known ? __builtin_popcountll(flags) : 0;

	for (size_t id = FIELD_GDDR_CORR_ERRS; id <= FIELD_GDDR_CORR_ERRS_END && !uncorrected; id++)
		if (reading_has_value(&s->r[id])) {
			sum += s->r[id].value;
			known = true;
		}
	name_text(known, buf, size, "%" PRId64, sum);
	return sum == 0 ? STYLE_DIM : uncorrected ? STYLE_BAD : STYLE_WARN;
}

char *column_value_text(enum field_id id, int64_t value, char *buf, size_t size)
{
	const struct reading r = { .value = value, .state = READING_OK };

	return field_text(id, &r, buf, size);
}

const char *const memory_state_names[] = {
	[MEMORY_UNKNOWN] = "-", [MEMORY_UNUSED] = "unused", [MEMORY_PASSED] = "ok",
	[MEMORY_FAILED] = "FAILED",
};

const char *column_title(const struct column *col)
{
	return col->title ? col->title : fields[col->field].brief;
}

const char *column_unit(const struct column *col)
{
	return col->kind == COLUMN_FIELD ? fields[col->field].unit : "";
}

/* Cells that any value and the heading need. */
static int column_width(const struct column *col)
{
	int title = glyph_text_width(column_title(col));
	int unit = glyph_text_width(column_unit(col)) + (int)strlen(col->limit);
	int width = col->width ? col->width : fields[col->field].width;

	width = width > title ? width : title;
	width = width > unit ? width : unit;
	return width + (col->odd ? 2 : 0);
}

bool column_is_like(const struct column *a, const struct column *b, const struct fleet *f)
{
	char left[80], right[80] = "-";

	for (size_t i = 0; i < f->n; i++) {
		column_text(a, &f->chips[i], left, sizeof(left));
		if (b)
			column_text(b, &f->chips[i], right, sizeof(right));
		if (strcmp(left, right) != 0)
			return false;
	}
	return true;
}

void column_join_limits(struct column *col, const struct fleet *f, const int16_t *chips, size_t n)
{
	enum field_id id = column_limit(col);
	const struct reading *limit = NULL;
	bool same = id != FIELD_NONE, lacks = false;
	char text[sizeof(col->limit) - 2];

	for (size_t i = 0; i < n && same; i++) {
		const struct snapshot *s = &f->chips[chips[i]];
		const struct reading *r = &s->r[id];

		if (s->r[col->field].state == READING_ABSENT)
			continue;
		lacks = lacks || !reading_has_value(r);
		if (!reading_has_value(r))
			continue;
		same = !limit || limit->value == r->value;
		limit = r;
		col->near = col->near || column_limit_style(column_text(col, s, text,
			sizeof(text))) == STYLE_LIMIT_NEAR;
	}
	col->unlimited = !limit;
	if (limit && same && !lacks)
		snprintf(col->limit, sizeof(col->limit), " /%s",
			field_text(id, limit, text, sizeof(text)));
}

bool column_is_same(const struct column *a, const struct column *b)
{
	return a->kind == b->kind && a->field == b->field &&
		(a->kind == COLUMN_FIELD || strcmp(a->title, b->title) == 0);
}

enum field_id column_limit(const struct column *col)
{
	return col->kind == COLUMN_FIELD ? fields[col->field].limit : FIELD_NONE;
}

enum style column_level_style(enum field_level level)
{
	static const enum style styles[] = {
		[FIELD_LEVEL_FINE] = STYLE_NORMAL, [FIELD_LEVEL_WARM] = STYLE_WARM,
		[FIELD_LEVEL_HIGH] = STYLE_WARN, [FIELD_LEVEL_OVER] = STYLE_BAD,
	};

	return styles[level];
}

enum style column_limit_style(enum style value)
{
	return value == STYLE_WARM || value == STYLE_WARN || value == STYLE_BAD ?
		STYLE_LIMIT_NEAR : STYLE_LIMIT;
}

static enum style field_style(enum field_id id, const struct snapshot *s)
{
	const struct reading *r = &s->r[id];

	switch (r->state) {
	case READING_OK:
		if (id == FIELD_THROTTLE)
			return r->value == THROTTLE_NONE ? STYLE_DIM : STYLE_WARN;
		return column_level_style(field_level_now(FIELD_USE_SHOWN, id, s->r));
	case READING_FAILED:
		return STYLE_BAD;
	case READING_IMPLAUSIBLE:
		return STYLE_WARN;
	default:
		return STYLE_DIM;
	}
}

static void put_link(const struct snapshot *s, int32_t speed, int32_t width, char *buf, size_t size)
{
	mem_copy_text(buf, size, "-");
	if (s->link.known && speed > 0)
		link_text(speed, width, buf, size);
}

static enum style dram_text(const struct snapshot *s, char *buf, size_t size)
{
	const struct reading *r = &s->r[FIELD_DRAM_STATUS];

	if (!reading_has_value(r)) {
		field_text(FIELD_DRAM_STATUS, r, buf, size);
		return field_style(FIELD_DRAM_STATUS, s);
	}
	mem_copy_text(buf, size, r->value ? "trained" : "FAILED");
	if (r->state == READING_STALE)
		return STYLE_DIM;
	return r->value ? STYLE_DIM : STYLE_BAD;
}

/* How a chip in each state is shown: its mark, its state and its board. */
static const struct health_look {
	enum mark mark;
	enum style state, board;
} health_looks[] = {
	[SNAPSHOT_PENDING] = { MARK_WAITS, STYLE_DIM, STYLE_DIM },
	[SNAPSHOT_OK] = { MARK_NONE, STYLE_DIM, STYLE_NORMAL },
	[SNAPSHOT_WARN] = { MARK_WARN, STYLE_WARN, STYLE_NORMAL },
	[SNAPSHOT_NOT_READ] = { MARK_NONE, STYLE_DIM, STYLE_DIM },
	[SNAPSHOT_FAILED] = { MARK_BAD, STYLE_BAD, STYLE_BAD },
	[SNAPSHOT_GONE] = { MARK_BAD, STYLE_BAD, STYLE_BAD },
};

/* Trouble goes before the heartbeat: a chip that cannot be read has none. */
static enum style mark_text(const struct snapshot *s, char *buf, size_t size)
{
	static const enum mark beats[] = {
		[SNAPSHOT_BEAT_UNJUDGED] = MARK_WAITS,
		[SNAPSHOT_BEAT_ALIVE] = MARK_ALIVE,
		[SNAPSHOT_BEAT_STOPPED] = MARK_STILL,
		[SNAPSHOT_BEAT_NONE] = MARK_NONE,
	};
	bool beat = s->health == SNAPSHOT_OK ||
		(s->health == SNAPSHOT_WARN && s->beat == SNAPSHOT_BEAT_STOPPED);
	const struct mark_look *look =
		&mark_looks[beat ? beats[s->beat] : health_looks[s->health].mark];

	mem_copy_text(buf, size, look->text);
	return look->style;
}

static enum style link_state_text(const struct snapshot *s, char *buf, size_t size)
{
	static const char *const whole[] = {
		[SNAPSHOT_LIMIT_CARD] = "full",
		[SNAPSHOT_LIMIT_SLOT] = "slot",
		[SNAPSHOT_LIMIT_BOARD] = "board",
	};

	mem_copy_text(buf, size, !s->link.known ? "-" : s->link.downgraded ? "DOWNGRADED" :
		whole[s->link.limit]);
	return link_is_now(&s->link) && s->link.downgraded ? STYLE_WARN : STYLE_DIM;
}

static enum style identity_cell(enum identity_id id, const struct snapshot *s, char *buf,
	size_t size)
{
	if (*identity_text(id, s, buf, size))
		return STYLE_NORMAL;
	mem_copy_text(buf, size, "-");
	return STYLE_DIM;
}

/* A field's value, rounded to whole units if the column asks for that. */
static void number_text(const struct column *col, const struct reading *r, char *buf, size_t size)
{
	const int64_t scale = fields[col->field].scale;

	if (col->whole && reading_has_value(r))
		snprintf(buf, size, "%" PRId64,
			(r->value + (r->value < 0 ? -scale : scale) / 2) / scale);
	else
		field_text(col->field, r, buf, size);
}

/* How many ports are in this state; "-" if nothing is known or no port is in use. */
static enum style ports_text(const struct snapshot *s, enum port_state state, char *buf,
	size_t size)
{
	const bool of_links = state == PORT_UP || state == PORT_NO_LINK;
	struct port ports[PORT_MOST];
	const size_t n = port_list(s, 1, 0, ports);
	const size_t unused = port_count(ports, n, PORT_UNUSED);
	const size_t count = port_count(ports, n, state);
	const size_t dim = port_count(ports, n, PORT_ALIVE) + port_count(ports, n, PORT_UNKNOWN);

	mem_copy_text(buf, size, "-");
	if (n == 0 || (unused == n && state != PORT_UNUSED) || (of_links && dim > 0) ||
		(state == PORT_ALIVE && count == 0))
		return STYLE_DIM;
	snprintf(buf, size, state == PORT_UP ? "%zu of %zu" : "%zu", count, n - unused);
	return state == PORT_DOWN && count ? STYLE_BAD : STYLE_DIM;
}

enum style column_text(const struct column *col, const struct snapshot *s, char *buf, size_t size)
{
	switch (col->kind) {
	case COLUMN_FIELD:
		number_text(col, &s->r[col->field], buf, size);
		return field_style(col->field, s);
	case COLUMN_INDEX:
		return identity_cell(IDENTITY_INDEX, s, buf, size);
	case COLUMN_BOARD:
		/* It has the colour of its state, because the eye finds it first. */
		mem_copy_text(buf, size, s->series[0] ? s->series : s->board[0] ? s->board : "?");
		return health_looks[s->health].board;
	case COLUMN_NODE:
		if (s->node < 0)
			return identity_cell(IDENTITY_NODE, s, buf, size);
		snprintf(buf, size, "%d", s->node);
		return STYLE_NORMAL;
	case COLUMN_DRAM:
		return dram_text(s, buf, size);
	case COLUMN_LINK:
		put_link(s, s->link.speed, s->link.width, buf, size);
		return !link_is_now(&s->link) ? STYLE_DIM :
			s->link.downgraded ? STYLE_WARN : STYLE_NORMAL;
	case COLUMN_LINK_MAX:
		put_link(s, s->link.speed_best, s->link.width_best, buf, size);
		return !link_is_now(&s->link) || s->link.speed_best <= 0 ? STYLE_DIM :
			s->link.downgraded ? STYLE_LIMIT_NEAR : STYLE_LIMIT;
	case COLUMN_LINK_STATE:
		return link_state_text(s, buf, size);
	case COLUMN_TRAINED:
	case COLUMN_TESTED:
		return memory_count_text(s, col->kind == COLUMN_TESTED, buf, size);
	case COLUMN_CORRECTED:
	case COLUMN_UNCORRECTED:
		return memory_errors_text(s, col->kind == COLUMN_UNCORRECTED, buf, size);
	case COLUMN_PORTS:
		return ports_text(s, (enum port_state)col->state, buf, size);
	case COLUMN_STATE:
		mem_copy_text(buf, size, snapshot_health_word(s->health));
		return health_looks[s->health].state;
	case COLUMN_MARK:
		return mark_text(s, buf, size);
	default:
		return identity_cell((enum identity_id)(col->kind - COLUMN_NAME), s, buf, size);
	}
}

int column_compare(const struct column *col, const struct snapshot *a, const struct snapshot *b)
{
	char left[80], right[80];
	int order;

	if (col->kind == COLUMN_FIELD) {
		const struct reading *x = &a->r[col->field], *y = &b->r[col->field];
		bool has_x = reading_has_value(x), has_y = reading_has_value(y);

		if (!has_x || !has_y)
			order = has_y - has_x;
		else
			order = (x->value > y->value) - (x->value < y->value);
	} else if (col->kind == COLUMN_INDEX) {
		order = 0;
	} else if (col->kind == COLUMN_STATE || col->kind == COLUMN_MARK) {
		order = (int)b->health - (int)a->health;
	} else if (col->kind == COLUMN_NODE) {
		order = (a->node > b->node) - (a->node < b->node);
	} else {
		column_text(col, a, left, sizeof(left));
		column_text(col, b, right, sizeof(right));
		order = strcmp(left, right);
	}
	return order ? order : (a->index > b->index) - (a->index < b->index);
}

bool column_is_odd(const struct column *col, const struct model *m, size_t chip)
{
	const struct snapshot *me = &m->fleet->chips[chip];
	const struct reading *mine = &me->r[col->field];
	size_t same = 0, like = 0;

	if (!reading_has_value(mine) || me->upi == 0)
		return false;
	for (size_t i = 0; i < m->fleet->n; i++) {
		const struct snapshot *s = &m->fleet->chips[i];

		if (s->upi != me->upi || !reading_has_value(&s->r[col->field]))
			continue;
		like++;
		same += s->r[col->field].value == mine->value;
	}
	return same < like && same * 2 <= like;
}

/* The places of columns. */

#define UNPLACED INT_MAX

static int limit_width(const struct column *col)
{
	enum field_id id = column_limit(col);

	if (id == FIELD_NONE || col->limit[0] || col->unlimited)
		return 0;
	/* At least "max", its heading. */
	return fields[id].width > 3 ? fields[id].width : 3;
}

/* Cells of a column with its limit. */
static int full_width(const struct layout_column *lc)
{
	return lc->w + (lc->limit_w > 0 ? 1 + lc->limit_w : 0);
}

/*
 * Fill one band, by rank, with groups of joined columns that have no place yet; returns how many
 * were placed.  *gap becomes smaller if the band has no room for it between its columns.
 */
static size_t fill_band(struct layout_table *t, int width, int band, int *gap)
{
	int used = -1, columns = 0;
	size_t placed = 0, end;

	for (size_t i = 0; i < t->n; i++)
		if (t->col[i].band == LAYOUT_EVERY) {
			used += 1 + full_width(&t->col[i]);
			columns++;
		}
	for (int rank = 0, next; rank < COLUMN_NOWHERE; rank = next) {
		next = COLUMN_NOWHERE;
		for (size_t i = 0; i < t->n; i = end) {
			const int own = t->col[i].col->rank;
			int need = 0;

			for (end = i + 1; end < t->n && t->col[end].col->joined;)
				end++;
			if (t->col[i].band != UNPLACED)
				continue;
			next = own > rank && own < next ? own : next;
			if (own != rank)
				continue;
			for (size_t k = i; k < end; k++)
				need += 1 + full_width(&t->col[k]);
			/* Skip a group that is too wide: a narrower one may still fit. */
			if (used + need > width)
				continue;
			used += need;
			columns += (int)(end - i);
			placed++;
			for (size_t k = i; k < end; k++)
				t->col[k].band = rank == 0 ? LAYOUT_EVERY : band;
		}
	}
	if (columns > 1 && 1 + (width - used) / (columns - 1) < *gap)
		*gap = 1 + (width - used) / (columns - 1);
	return placed;
}

/* Give each column the next free place in its band, and drop those without a band. */
static void place_in_bands(struct layout_table *t, int gap)
{
	int x[LAYOUT_COLUMNS] = { 0 };
	const size_t n = t->n;

	t->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct layout_column lc = t->col[i];

		if (lc.band == UNPLACED && lc.col->rank != COLUMN_NOWHERE) {
			text_join(t->hidden, sizeof(t->hidden), ", ", "%s", column_title(lc.col));
			t->n_hidden++;
		}
		if (lc.band == UNPLACED)
			continue;
		lc.x = x[lc.band == LAYOUT_EVERY ? 0 : lc.band];
		lc.limit_x = lc.x + lc.w + 1;
		t->col[t->n++] = lc;
		for (int band = 0; band < t->bands; band++)
			if (lc.band == LAYOUT_EVERY || lc.band == band)
				x[band] += full_width(&lc) + gap;
	}
}

void layout_leave_out(struct column *columns, size_t n, uint64_t left_out)
{
	for (size_t i = 0; i < n; i++)
		if (left_out >> i & 1)
			columns[i].rank = COLUMN_NOWHERE;
}

void layout_columns(struct layout_table *t, const struct column *columns, size_t n, int width,
	int bands, bool limits)
{
	/* The widest gap with which every band fits; all use it so that columns align. */
	int gap = 3;

	t->n = n < LAYOUT_COLUMNS ? n : LAYOUT_COLUMNS;
	t->n_hidden = 0;
	t->hidden[0] = 0;
	for (size_t i = 0; i < t->n; i++)
		t->col[i] = (struct layout_column){ .col = &columns[i], .number = (int)i,
			.band = UNPLACED, .w = column_width(&columns[i]),
			.limit_w = limits ? limit_width(&columns[i]) : 0 };
	for (t->bands = 0; t->bands < bands && t->bands < LAYOUT_COLUMNS; t->bands++)
		if (fill_band(t, width, t->bands, &gap) == 0)
			break;
	t->bands += t->bands == 0;
	place_in_bands(t, gap);
}
