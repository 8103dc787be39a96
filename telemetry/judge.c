/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge.c - which board this is and what is wrong with it; report/advice.c has the next step.
 *
 * This file judges a single sample.  A port without a cable has no link either, so a missing link
 * is a finding only after the link was up (track.c) or if the board has a wire there; an ethernet
 * channel whose firmware is silent always is one.  A few corrected memory errors are not a finding,
 * since the code is there to correct them.  Counters at their maximum are one, and so are counters
 * that grow (track.c).
 */
#include "config.h"
#include "telemetry/judge.h"

#include "base/mem.h"
#include "base/parse.h"
#include "device/kind.h"
#include "telemetry/change.h"
#include "telemetry/chip/chip.h"
#include "telemetry/link.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * Why a chip is slow, by a table of causes: each has its finding and the function that writes its
 * text.
 *
 * A Blackhole's clock is the lower one of the requested clock (the highest lower bound, word
 * AICLK_ARB_MIN) and the allowed clock (the lowest upper bound, AICLK_ARB_MAX); each word names
 * its arbiter.  Of arbiters with the same clock the last one is named, so even a card that nothing
 * holds down names one.  Only a bound below the requested clock is a reason (lib/tenstorrent/
 * bh_arc/aiclk_ppm.c of tt-system-firmware; chip-facts 2.2.1).
 */

#define MHZ	 0xffff		/* mask of an arbiter's word; the arbiter is in the high half */
#define PPM_HIGH 16		/* shift of AICLK_PPM_INFO: the rule that set the clock */

enum { PPM_SWEEP = 3, PPM_FORCED = 4 };

static bool clock_of(const struct snapshot *s, enum field_id id, int64_t *mhz)
{
	const struct reading *r = &s->r[id];
	const bool is_word = fields[id].kind == FIELD_HEX;

	if (!reading_is_ok(r))
		return false;
	*mhz = is_word ? r->value & MHZ : r->value;
	return true;
}

/* The requested clock does not exceed the allowed one, or the chip's highest clock is allowed. */
static bool is_allowed(const struct snapshot *s)
{
	int64_t asked, allowed, most;

	return clock_of(s, FIELD_AICLK_ARB_MAX, &allowed) &&
		((clock_of(s, FIELD_AICLK_ARB_MIN, &asked) && asked <= allowed) ||
			(clock_of(s, FIELD_AICLK_LIMIT, &most) && most <= allowed));
}

void slow_settle(struct snapshot *s)
{
	if (reading_is_ok(&s->r[FIELD_THROTTLE]) && is_allowed(s))
		s->r[FIELD_THROTTLE].value = THROTTLE_NONE;
}

static bool is_below_most(const struct snapshot *s)
{
	int64_t now, most;

	return clock_of(s, FIELD_AICLK, &now) && clock_of(s, FIELD_AICLK_LIMIT, &most) &&
		now < most;
}

/* The rule that set a lower clock in place of the arbiters; NULL: none did. */
static const char *set_by_hand(const struct snapshot *s)
{
	const struct reading *r = &s->r[FIELD_AICLK_PPM_INFO];
	const int64_t rule = reading_is_ok(r) ? r->value >> PPM_HIGH : 0;

	return !is_below_most(s) ? NULL : rule == PPM_FORCED ? "forced" :
		rule == PPM_SWEEP ? "sweep" : NULL;
}

static bool put_clock(const struct snapshot *s, char *buf, size_t size)
{
	const struct reading *r = &s->r[FIELD_THROTTLE];
	const char *hand = set_by_hand(s);
	char reason[32], clock[16];

	if (!hand && (!reading_is_ok(r) || r->value == THROTTLE_NONE))
		return false;
	if (!hand)
		hand = field_text(FIELD_THROTTLE, r, reason, sizeof(reason));
	if (reading_is_ok(&s->r[FIELD_AICLK]))
		snprintf(buf, size, "clock held at %s MHz (%s)",
			field_text(FIELD_AICLK, &s->r[FIELD_AICLK], clock, sizeof(clock)), hand);
	else
		snprintf(buf, size, "clock held down (%s)", hand);
	return true;
}

/* The clock does not show this: idle instructions slow the cores down at any clock. */
static bool put_cores(const struct snapshot *s, char *buf, size_t size)
{
	const struct reading *r = &s->r[FIELD_NOP_TIME], *period = &s->r[FIELD_UPDATE_SPEED];
	char time[16], of[32] = "";

	if (!reading_is_ok(r) || r->value == 0)
		return false;
	if (reading_is_ok(period) && period->value > 0)
		snprintf(of, sizeof(of), " of %lld", (long long)period->value);
	snprintf(buf, size, "the firmware slows the cores down: idle instructions for %s%s ms",
		field_text(FIELD_NOP_TIME, r, time, sizeof(time)), of);
	return true;
}

static bool put_link(const struct snapshot *s, char *buf, size_t size)
{
	char words[96];

	if (!s->link.downgraded)
		return false;
	snprintf(buf, size, "PCIe link DOWNGRADED to %s",
		link_words(&s->link, words, sizeof(words)));
	return true;
}

static const struct {
	const char *finding;
	bool (*put)(const struct snapshot *s, char *buf, size_t size);
} causes[SLOW_CAUSES] = {
	{ .finding = "throttled", .put = put_clock },
	{ .finding = "kernels-throttled", .put = put_cores },
	{ .finding = "link-downgraded", .put = put_link },
};

const char *slow_cause(const struct snapshot *s, size_t i, char buf[static SLOW_TEXT])
{
	return causes[i].put(s, buf, SLOW_TEXT) ? causes[i].finding : NULL;
}

bool slow_tells(const char *finding)
{
	for (size_t i = 0; i < ARRAY_LEN(causes); i++)
		if (strcmp(causes[i].finding, finding) == 0)
			return true;
	return false;
}

/* Append how busy it is, if that is known: slow and busy is another case than slow and idle. */
static void add_busy(const struct snapshot *s, char buf[static SLOW_TEXT])
{
	const struct reading *any = &s->r[FIELD_BUSY], *cores = &s->r[FIELD_BUSY_CORES];
	char share[16];

	if (reading_is_ok(any))
		text_join(buf, SLOW_TEXT, "; ", "busy %s %%",
			field_text(FIELD_BUSY, any, share, sizeof(share)));
	if (reading_is_ok(cores))
		text_join(buf, SLOW_TEXT, "; ", "busy cores %s %%",
			field_text(FIELD_BUSY_CORES, cores, share, sizeof(share)));
}

/* Why the clock is below its highest although no cause holds it down: its cores work, or not. */
static enum slow why_low(const struct snapshot *s, char buf[static SLOW_TEXT])
{
	static const char *const why[] = {
		[SLOW_IDLE] = "idle, no program asks for more",
		[SLOW_UNASKED] = "no program asks for more, but its cores work",
		[SLOW_UNSAID] = "the firmware does not say why",
	};
	const struct reading *cores = &s->r[FIELD_BUSY_CORES];
	enum slow slow = SLOW_UNSAID;
	int64_t now, most, asked;

	if (!is_below_most(s) || !clock_of(s, FIELD_AICLK, &now) ||
		!clock_of(s, FIELD_AICLK_LIMIT, &most))
		return SLOW_NOT;
	if (clock_of(s, FIELD_AICLK_ARB_MIN, &asked) && asked < most && now >= asked)
		slow = reading_is_ok(cores) && cores->value > 0 ? SLOW_UNASKED : SLOW_IDLE;
	snprintf(buf, SLOW_TEXT, "clock at %lld of %lld MHz: %s", (long long)now, (long long)most,
		why[slow]);
	add_busy(s, buf);
	return slow;
}

enum slow slow_why(const struct snapshot *s, char buf[static SLOW_TEXT])
{
	char text[SLOW_TEXT];

	buf[0] = '\0';
	if (!snapshot_is_live(s))
		return SLOW_NOT;
	for (size_t i = 0; i < ARRAY_LEN(causes); i++)
		if (slow_cause(s, i, text))
			text_join(buf, SLOW_TEXT, "; ", "%s", text);
	if (!*buf)
		return why_low(s, buf);
	add_busy(s, buf);
	return SLOW_HELD;
}

/* What is wrong. */

void judge_add(struct snapshot *s, const char *id, const char *fmt, ...)
{
	struct finding *f;
	va_list ap;

	if (s->health == SNAPSHOT_OK)
		s->health = SNAPSHOT_WARN;
	if (s->n_findings == SNAPSHOT_FINDINGS)
		return;
	f = &s->findings[s->n_findings++];
	mem_copy_text(f->id, sizeof(f->id), id);
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

static const struct board *find_board(const struct snapshot *s)
{
	const struct reading *id = &s->r[FIELD_BOARD_ID];
	const struct board *b = NULL;

	if (id->state == READING_OK)
		return board_find(board_upi((uint64_t)id->value));
	if (*s->raw.attr[ATTR_TT_CARD_TYPE])
		b = board_find_name(s->raw.attr[ATTR_TT_CARD_TYPE]);
	/* Newer boards carry their type in PCI config space as well (chip-facts 1.1). */
	if (!b && s->subsys_device >= 0x35)
		b = board_find(s->subsys_device);
	return b && b->chip == s->raw.chip ? b : NULL;
}

/* Reject the id of a board type that does not have this chip. */
static void judge_board_id(struct snapshot *s)
{
	struct reading *id = &s->r[FIELD_BOARD_ID];
	const struct board *b = board_find(board_upi((uint64_t)id->value));

	if (id->state == READING_OK && b && b->chip != s->raw.chip) {
		id->state = READING_IMPLAUSIBLE;
		id->value = 0;
	}
}

void judge_identity(struct snapshot *s)
{
	const struct reading *id = &s->r[FIELD_BOARD_ID];
	const struct board *b;
	const struct chip *chip;

	judge_board_id(s);
	b = find_board(s);
	chip = b ? chip_find(b->chip) : NULL;
	s->upi = b ? b->upi : id->state == READING_OK ? board_upi((uint64_t)id->value) : 0;
	mem_copy_text(s->board, sizeof(s->board), b ? b->name : "N/A");
	/* Upstream puts L or R after the name of every Wormhole, an n150 included. */
	snprintf(s->series, sizeof(s->series), "%.28s%s", s->board,
		!chip || !chip->has_sides ? "" : s->raw.remote ? " R" : " L");
	s->place = 0;
	s->tray = galaxy_place(s->chip, s->subsys_device, s->bdf, &s->place);
	s->has_coords = s->raw.has_coords;
	memcpy(s->coords, s->raw.coords, sizeof(s->coords));
}

bool judge_all_ones(const struct raw *raw)
{
	uint64_t serial;

	for (size_t i = 0; i < raw->n_tags && i < RAW_TAGS; i++)
		if (raw->tags[i].word != UINT32_MAX)
			return false;
	for (size_t i = 0; i < raw->n_legacy && i < RAW_LEGACY; i++)
		if (raw->legacy_known[i] && raw->legacy[i] != UINT32_MAX)
			return false;
	if (raw->n_tags + raw->n_legacy > 0)
		return true;
	return parse_hex(raw->attr[ATTR_TT_SERIAL], &serial) && serial == UINT64_MAX;
}

/* Fewer words than this may be alike by chance; real tables are longer. */
#define ALIKE_LEAST 8

bool judge_tags_alike(const struct raw *raw)
{
	size_t n = raw->n_tags < RAW_TAGS ? raw->n_tags : RAW_TAGS;
	bool words = true, tags = true;

	for (size_t i = 1; i < n; i++) {
		words = words && raw->tags[i].word == raw->tags[0].word;
		tags = tags && raw->tags[i].tag == raw->tags[0].tag;
	}
	return n >= ALIKE_LEAST && (words || tags);
}

bool judge_legacy_alike(const struct raw *raw)
{
	uint32_t first = 0;
	size_t n = 0;

	for (size_t i = 0; i < raw->n_legacy && i < RAW_LEGACY; i++) {
		if (!raw->legacy_known[i])
			continue;
		if (n++ == 0)
			first = raw->legacy[i];
		else if (raw->legacy[i] != first)
			return false;
	}
	return n >= ALIKE_LEAST;
}

/* A mask as "3, 5 and 7". */
static const char *list_bits(uint32_t mask, char *buf, size_t size)
{
	buf[0] = '\0';
	for (unsigned i = 0; i < 32; i++)
		if (mask >> i & 1)
			text_join(buf, size, mask >> i == 1 ? " and " : ", ", "%u", i);
	return buf;
}

static const char *plural(uint32_t mask)
{
	return mask & (mask - 1) ? "s" : "";
}

static uint32_t mask_of(const struct snapshot *s, enum field_id id, uint32_t unknown)
{
	return s->r[id].state == READING_OK ? (uint32_t)s->r[id].value : unknown;
}

/* The hottest of the memory's readings in 1/scale units, or INT64_MIN. */
static int64_t memory_heat(const struct snapshot *s)
{
	int64_t most = reading_is_ok(&s->r[FIELD_GDDR_MAX_TEMP]) ?
		s->r[FIELD_GDDR_MAX_TEMP].value : INT64_MIN;

	for (enum field_id id = FIELD_GDDR_TEMP; id <= FIELD_GDDR_TEMP_END; id++)
		if (reading_is_ok(&s->r[id]) && s->r[id].value > most)
			most = s->r[id].value;
	return most;
}

static void find_heat(struct snapshot *s)
{
	const struct reading *t = &s->r[FIELD_ASIC_TEMP], *limit = &s->r[FIELD_THROTTLE_TEMP];
	const struct chip *chip = chip_find(s->raw.chip);
	const int gddr_limit = chip ? chip->gddr_limit : 0;
	const int64_t memory = memory_heat(s);
	const int32_t degree = fields[FIELD_GDDR_MAX_TEMP].scale;
	const struct reading *trips = &s->r[FIELD_THERM_TRIPS];
	char now[16], max[16];

	if (field_level_now(FIELD_USE_SHOWN, FIELD_ASIC_TEMP, s->r) == FIELD_LEVEL_OVER)
		judge_add(s, "over-limit", "chip at %s °C, throttle limit %s °C",
			field_text(FIELD_ASIC_TEMP, t, now, sizeof(now)),
			field_text(FIELD_THROTTLE_TEMP, limit, max, sizeof(max)));
	if (gddr_limit && memory >= (int64_t)gddr_limit * degree)
		judge_add(s, "gddr-hot", "memory at %d °C, throttle limit %d °C",
			(int)(memory / degree), gddr_limit);
	if (reading_is_ok(trips) && trips->value > 0)
		judge_add(s, "therm-trips", "shut down %d time%s by overheating since power-on",
			(int)trips->value, trips->value == 1 ? "" : "s");
}

static void find_power(struct snapshot *s)
{
	static const enum field_id drawn[] = { FIELD_VCORE, FIELD_CURRENT, FIELD_POWER,
		FIELD_BOARD_POWER };
	char now[16], max[16];

	for (size_t i = 0; i < ARRAY_LEN(drawn); i++) {
		const struct field *f = &fields[drawn[i]];

		if (field_level_now(FIELD_USE_SHOWN, drawn[i], s->r) == FIELD_LEVEL_OVER)
			judge_add(s, "over-power", "%s of %s %s, limit %s %s", f->key,
				field_text(drawn[i], &s->r[drawn[i]], now, sizeof(now)), f->unit,
				field_text(f->limit, &s->r[f->limit], max, sizeof(max)), f->unit);
	}
}

/* A fan that stands although the firmware asks it to turn. */
static void find_fan(struct snapshot *s)
{
	static const enum field_id fans[] = { FIELD_FAN_RPM, FIELD_FAN_RPM2 };
	const struct reading *target = &s->r[FIELD_FAN_TARGET];
	const struct board *b = find_board(s);

	if (!b || !b->fans || !reading_is_ok(target) || target->value <= 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(fans); i++)
		if (reading_is_ok(&s->r[fans[i]]) && s->r[fans[i]].value == 0)
			judge_add(s, "fan", "fan%s stands, and the firmware asks for %d %%",
				i > 0 ? " 2" : "", (int)target->value);
}

static void find_slow(struct snapshot *s)
{
	char text[SLOW_TEXT];

	for (size_t i = 0; i < SLOW_CAUSES; i++) {
		const char *finding = slow_cause(s, i, text);

		if (finding)
			judge_add(s, finding, "%s", text);
	}
}

/* All 8 memory channels are reported as trained, although this board always has one off. */
static bool is_one_too_many(const struct snapshot *s)
{
	const struct board *b = find_board(s);

	return b && b->spares > 0 && mask_of(s, FIELD_DRAM_TRAINED, 0) == 0xff;
}

/*
 * The firmware runs, and has started neither memory nor ethernet: so a board is that draws its
 * power from the slot alone.
 */
static bool is_unpowered(const struct snapshot *s)
{
	const struct board *b = find_board(s);
	const struct reading *trained = &s->r[FIELD_DRAM_TRAINED], *live = &s->r[FIELD_ETH_LIVE];

	return s->raw.chip == DEVICE_BLACKHOLE && b && b->asics < 32 &&
		mask_of(s, FIELD_DRAM_FAILED, 0) && reading_is_ok(trained) && !trained->value &&
		reading_is_ok(live) && !live->value && mask_of(s, FIELD_ETH_ENABLED, 0) &&
		memory_heat(s) <= 0;
}

/*
 * Channels that are off on a board whose chips have all of them, or one more than is off there.
 * decode.c takes a single silent one for harvested, as upstream's keys do.
 */
static uint32_t not_spared(const struct snapshot *s)
{
	const struct board *b = find_board(s);
	const struct chip *chip = chip_find(s->raw.chip);
	const uint32_t all = chip ? (1u << chip->gddr_channels) - 1 : 0;
	const uint32_t off = all & mask_of(s, FIELD_DRAM_ENABLED, all) &
		~mask_of(s, FIELD_DRAM_TRAINED, all);

	return b && b->spares >= 0 && __builtin_popcount(off) > b->spares &&
		s->raw.chip == DEVICE_BLACKHOLE ? off : 0;
}

static void find_memory(struct snapshot *s)
{
	const struct reading *status = &s->r[FIELD_DRAM_STATUS];
	const uint32_t trained = mask_of(s, FIELD_DRAM_TRAINED, 0);
	const uint32_t bad = mask_of(s, FIELD_DRAM_FAILED, 0) | not_spared(s);
	const uint32_t untrained = bad & ~trained, failed = bad & trained;
	uint32_t errs = mask_of(s, FIELD_GDDR_UNCORR_ERRS, 0), modules = 0;
	char list[64];

	if (reading_is_ok(status) && is_one_too_many(s)) {
		s->r[FIELD_DRAM_STATUS].value = 0;
		judge_add(s, "dram", "all 8 memory channels are reported as trained, and this "
			"board has 7");
	} else if (is_unpowered(s) || s->raw.errors >> CHIP_ERROR_CABLE & 1) {
		judge_add(s, "power-cable", "%s", is_unpowered(s) ?
			"neither memory nor ethernet has started, as without the power cable" :
			"the firmware reports a fault of the power cable");
	} else if (untrained) {
		judge_add(s, "dram", "memory channel%s %s not trained",
			plural(untrained), list_bits(untrained, list, sizeof(list)));
	} else if (!failed && reading_is_ok(status) && !status->value) {
		judge_add(s, "dram", "memory is not trained");
	}
	if (failed)
		judge_add(s, "dram-test", "memory channel%s %s failed the self-test",
			plural(failed), list_bits(failed, list, sizeof(list)));
	for (unsigned i = 0; i < 8; i++)
		modules |= (uint32_t)((errs >> 2 * i & 3) != 0) << i;
	if (modules)
		judge_add(s, "gddr-uncorrected", "uncorrected errors in memory module%s %s",
			plural(modules), list_bits(modules, list, sizeof(list)));
	modules = 0;
	for (unsigned i = 0; i < 16; i++)
		modules |= (uint32_t)(mask_of(s, FIELD_GDDR_CORR_ERRS + i, 0) >= GDDR_CORR_MOST)
			   << i / 2;
	if (modules)
		judge_add(s, "gddr-corrected", "%d or more corrected errors in memory module%s %s",
			GDDR_CORR_MOST, plural(modules), list_bits(modules, list, sizeof(list)));
}

void judge_memory_growth(struct snapshot *s, const uint32_t grown[static 8])
{
	uint32_t modules = 0, sum = 0;
	char list[64];

	for (unsigned i = 0; i < 8; i++) {
		modules |= (uint32_t)(grown[i] > 0) << i;
		sum += grown[i];
	}
	if (modules)
		judge_add(s, "gddr-growing", "corrected errors grow in memory module%s %s: "
			"%u since the first sample", plural(modules),
			list_bits(modules, list, sizeof(list)), sum);
}

bool judge_knows_ethernet(const struct snapshot *s)
{
	return s->r[FIELD_ETH_ENABLED].state == READING_OK ||
		!kind_of(s->raw.chip)->eth_spare[0];
}

static void find_ethernet(struct snapshot *s)
{
	const struct chip *chip = chip_find(s->raw.chip);
	uint32_t all = chip && chip->eth_channels ? (1u << chip->eth_channels) - 1 : 0;
	uint32_t live = mask_of(s, FIELD_ETH_LIVE, 0);
	uint32_t silent = mask_of(s, FIELD_ETH_ENABLED, all) & all & ~live, wires = 0;
	struct port ports[PORT_MOST];
	char list[64];

	/* No heartbeat at all: the firmware does not use ethernet, or does not report it. */
	if (live && silent && judge_knows_ethernet(s))
		judge_add(s, "eth", "ethernet channel%s %s down: no heartbeat", plural(silent),
			list_bits(silent, list, sizeof(list)));
	for (size_t p = 0, n = port_list(s, 1, 0, ports); p < n; p++)
		wires |= (uint32_t)(ports[p].medium >= PORT_BOARD &&
			ports[p].state == PORT_DOWN) << p;
	wires &= ~silent;
	if (wires)
		judge_add(s, "eth-link", "no link to another chip on wired ethernet "
			"channel%s %s", plural(wires), list_bits(wires, list, sizeof(list)));
}

static void find_implausible(struct snapshot *s)
{
	char list[100] = "";
	size_t n = 0;

	if (judge_tags_alike(&s->raw) || judge_legacy_alike(&s->raw)) {
		judge_add(s, "implausible", "the firmware's telemetry table says the same of "
			"everything");
		return;
	}
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++) {
		if (s->r[id].state != READING_IMPLAUSIBLE)
			continue;
		if (n++ < 3)
			text_join(list, sizeof(list), ", ", "%s", fields[id].key);
	}
	if (n > 3)
		judge_add(s, "implausible", "%zu readings are impossible: %.60s ...", n, list);
	else if (n)
		judge_add(s, "implausible", "impossible reading%s: %.90s", n == 1 ? "" : "s", list);
}

/* Parts that the firmware calls faulty, except those that another finding names. */
static void find_errors(struct snapshot *s)
{
	static const char *const parts[CHIP_ERRORS] = {
		[CHIP_ERROR_REGULATOR] = "voltage regulators",
		[CHIP_ERROR_CORES] = "compute cores",
		[CHIP_ERROR_CONTROLLERS] = "memory controllers",
		[CHIP_ERROR_TRAINING] = "memory training",
	};
	char list[80] = "";

	for (unsigned i = 0; i < CHIP_ERRORS; i++)
		if (s->raw.errors >> i & 1 && parts[i] && !(i == CHIP_ERROR_TRAINING &&
			mask_of(s, FIELD_DRAM_FAILED, 0)))
			text_join(list, sizeof(list), ", ", "%s", parts[i]);
	if (*list)
		judge_add(s, "firmware-error", "the firmware reports a fault: %s", list);
}

static void fail_with(struct snapshot *s, enum snapshot_health health, enum code code,
	const char *reason)
{
	s->health = health;
	s->code = code;
	mem_copy_text(s->reason, sizeof(s->reason), reason);
}

static bool any_reading(const struct snapshot *s)
{
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		if (s->r[id].state != READING_ABSENT && s->r[id].state != READING_FAILED &&
			s->r[id].source != SOURCE_PCI)
			return true;
	return false;
}

void judge_health(struct snapshot *s)
{
	const struct error *table = &s->raw.table_error;

	s->n_findings = 0;
	s->reason[0] = s->note[0] = '\0';
	s->code = CODE_NONE;
	if (s->raw.sample_error.code) {
		fail_with(s, SNAPSHOT_FAILED, s->raw.sample_error.word, s->raw.sample_error.text);
		return;
	}
	if (judge_all_ones(&s->raw)) {
		fail_with(s, SNAPSHOT_FAILED, CODE_HUNG,
			"firmware does not answer (all reads are ones)");
		return;
	}
	if (!any_reading(s)) {
		fail_with(s, table->code == -ECANCELED ? SNAPSHOT_NOT_READ : SNAPSHOT_FAILED,
			table->code ? table->word : CODE_NOT_READ,
			table->code ? table->text : "no telemetry could be read");
		if (s->health == SNAPSHOT_NOT_READ)
			snprintf(s->reason, sizeof(s->reason), "no readings in sysfs, and %.160s",
				table->text);
		return;
	}
	s->health = SNAPSHOT_OK;
	if (table->code) {
		s->code = table->word;
		mem_copy_text(s->note, sizeof(s->note), table->text);
		if (s->r[FIELD_GDDR_STATUS_WORD].state == READING_FAILED)
			judge_add(s, "tables", "%.130s", table->text);
	}
	if (s->raw.repeated) {
		s->code = CODE_RECORDED;
		mem_copy_text(s->note, sizeof(s->note),
			"the recording is over: its last sample is shown");
	}
	find_heat(s);
	find_power(s);
	find_fan(s);
	find_slow(s);
	find_memory(s);
	find_ethernet(s);
	find_errors(s);
	find_implausible(s);
}
