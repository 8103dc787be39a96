/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_chip.c - a chip from a file.  Raw words come first: our own tables decode them, which
 * corrects mistakes of an older tool.  Values that no word holds are taken from our printed
 * readings, then from upstream's strings, with the file as their source.
 */
#include "config.h"
#include "telemetry/load/load.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"
#include "telemetry/chip/chip.h"
#include "telemetry/decode.h"
#include "telemetry/judge.h"
#include "telemetry/link.h"
#include "telemetry/select.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void load_chip_text(const struct json *node, char *out, size_t size)
{
	const char *text = json_get_text(node);

	text_plain(out, size, text ? text : "");
}

/* Identity. */

/* A member of board_info. */
static const struct json *load_chip_info(const struct json *entry, const char *key)
{
	return json_get(json_get(entry, "board_info"), key);
}

/* "n300 R" without its last two characters. */
static void bare_board(const char *series, char *out, size_t size)
{
	size_t len = strlen(series);

	mem_copy_text(out, size, series);
	if (len > 2 && len < size && (strcmp(series + len - 2, " L") == 0 ||
				      strcmp(series + len - 2, " R") == 0))
		out[len - 2] = '\0';
}

bool load_chip_board_id(const struct json *entry, uint64_t *id)
{
	const char *text = json_get_text(load_chip_info(entry, "board_id"));

	return text && parse_hex(text, id) && *id != 0;
}

static enum device_chip chip_of(const struct json *entry, const char *bare)
{
	const char *said = json_get_text(json_get(json_get(entry, "identity"), "chip"));
	const struct json *smbus = json_get(entry, "smbus_telem");
	const struct board *b = NULL;
	uint32_t high;
	uint64_t id;

	for (enum device_chip c = DEVICE_UNKNOWN + 1; said && c < DEVICE_CHIPS; c++)
		if (strcmp(said, device_chip_name(c)) == 0)
			return c;
	if (load_chip_board_id(entry, &id))
		b = board_find(board_upi(id));
	if (!b)
		b = board_find_name(bare);
	if (!b && (json_get_word(json_get(smbus, "BOARD_ID_HIGH"), &high) ||
		   json_get_word(json_get(smbus, "SMBUS_TX_BOARD_ID_HIGH"), &high)))
		b = board_find(board_upi((uint64_t)high << 32));
	if (b)
		return b->chip;
	/* Words that only one chip has. */
	if (json_get_text(json_get(smbus, "TIMER_HEARTBEAT")))
		return DEVICE_BLACKHOLE;
	if (json_get_text(json_get(smbus, "ETH_FW_VERSION")) ||
	    json_get_text(json_get(smbus, "SMBUS_TX_ETH_FW_VERSION")))
		return DEVICE_WORMHOLE;
	if (json_get_text(json_get(smbus, "AUX_STATUS")) ||
	    json_get_text(json_get(smbus, "SMBUS_TX_AUX_STATUS")))
		return DEVICE_GRAYSKULL;
	return DEVICE_UNKNOWN;
}

static int whole(const struct json *node, int low, int high, int otherwise)
{
	double v;

	return json_get_number(node, &v) && v >= low && v <= high && v == (double)(int)v ? (int)v
										   : otherwise;
}

void load_chip_identity(struct snapshot *s, const struct json *entry)
{
	const struct json *ours = json_get(entry, "identity");
	const char *node = json_get_text(json_get(ours, "node"));
	static const char dev[] = "/dev/tenstorrent/";
	const char *coords = json_get_text(load_chip_info(entry, "coords"));
	unsigned c[4];
	uint64_t number;
	uint32_t word;
	char end;

	load_chip_text(load_chip_info(entry, "bus_id"), s->bdf, sizeof(s->bdf));
	if (!select_is_bdf(s->bdf) || strlen(s->bdf) < sizeof("0000:00:00.0") - 1)
		s->bdf[0] = '\0';
	load_chip_text(load_chip_info(entry, "board_type"), s->series, sizeof(s->series));
	bare_board(s->series, s->board, sizeof(s->board));
	s->chip = chip_of(entry, s->board);
	s->raw.chip = s->chip;
	s->raw.remote = !s->bdf[0] && strlen(s->series) > strlen(s->board) &&
			strcmp(s->series + strlen(s->board), " R") == 0;
	s->local = s->node = -1;
	if (node && strncmp(node, dev, sizeof(dev) - 1) == 0 &&
	    parse_u64(node + sizeof(dev) - 1, &number) && number < 100000)
		s->node = (int)number;
	s->numa_node = whole(json_get(ours, "numa_node"), 0, 4096, -1);
	if (json_get_word(json_get(ours, "pci_device"), &word) && word <= UINT16_MAX)
		s->pci_device = (uint16_t)word;
	if (json_get_word(json_get(ours, "subsystem_device"), &word) && word <= UINT16_MAX)
		s->subsys_device = (uint16_t)word;
	if (coords &&
		sscanf(coords, "(%3u, %3u, %3u, %3u%c", &c[0], &c[1], &c[2], &c[3], &end) == 5 &&
		end == ')' && c[0] < 256 && c[1] < 256 && c[2] < 256 && c[3] < 256) {
		s->raw.has_coords = s->has_coords = true;
		for (size_t i = 0; i < ARRAY_LEN(c); i++)
			s->raw.coords[i] = s->coords[i] = (uint8_t)c[i];
	}
}

/*
 * The raw words of a snapshot file, by the names of any version: words of the legacy struct are
 * stored by index, all others by tag.
 */

/* Blackhole words under names that older versions of upstream's tool gave them. */
static const struct {
	const char *name;
	uint16_t tag;
} old_tags[] = {
	{ "ARC0_FW_VERSION", 29 }, { "FW_BUNDLE_VERSION", 28 }, { "DDR_FW_VERSION", 25 },
	{ "TENSIX_ENABLED_COL", 34 },
};

static void add_tag(struct raw *raw, int tag, uint32_t word)
{
	if (tag > 0 && tag <= UINT16_MAX && raw->n_tags < RAW_TAGS && !raw_find_tag(raw, tag))
		raw->tags[raw->n_tags++] = (struct raw_tag){ (uint16_t)tag, word };
}

static int tag_of(const char *name)
{
	int tag;

	if (strncmp(name, "TAG_", 4) == 0) {
		uint64_t n;

		if (parse_u64(name + 4, &n))
			return n <= UINT16_MAX ? (int)n : -1;
		name += 4;
	}
	tag = tag_find_name(name);
	for (size_t i = 0; tag < 0 && i < ARRAY_LEN(old_tags); i++)
		if (strcmp(name, old_tags[i].name) == 0)
			tag = old_tags[i].tag;
	return tag;
}

static void add_legacy(struct raw *raw, const struct chip *chip, int i, uint32_t word)
{
	if (i < 0 || (size_t)i >= chip->n_legacy || i >= RAW_LEGACY)
		return;
	raw->n_legacy = chip->n_legacy < RAW_LEGACY ? chip->n_legacy : RAW_LEGACY;
	raw->legacy[i] = word;
	raw->legacy_known[i] = true;
}

static bool has_word(const struct raw *raw, const struct chip *chip, const char *name)
{
	const int i = chip_legacy_find(chip, name);

	if (i >= 0 && i < RAW_LEGACY)
		return raw->legacy_known[i];
	return raw_find_tag(raw, tag_of(name));
}

static void add_named(struct raw *raw, const struct chip *chip, const char *name, uint32_t word)
{
	const int i = chip_legacy_find(chip, name);

	if (i >= 0)
		add_legacy(raw, chip, i, word);
	else
		add_tag(raw, tag_of(name), word);
}

/*
 * Files written through luwen have null for a word of zero, such as the low half
 * of a galaxy's board id; the printed id has both halves (chip-facts 6.1).
 */
static void complete_board_id(struct raw *raw, const struct chip *chip, const struct json *entry)
{
	uint64_t id;

	if (!load_chip_board_id(entry, &id) || has_word(raw, chip, "BOARD_ID_HIGH") ==
						has_word(raw, chip, "BOARD_ID_LOW"))
		return;
	if (!has_word(raw, chip, "BOARD_ID_HIGH"))
		add_named(raw, chip, "BOARD_ID_HIGH", (uint32_t)(id >> 32));
	else
		add_named(raw, chip, "BOARD_ID_LOW", (uint32_t)id);
}

/* Copy all words of an entry to raw, whose chip must be set. */
static void load_words(struct raw *raw, const struct json *entry)
{
	const struct chip *chip = chip_find(raw->chip);
	const struct json *m;
	uint32_t word;

	if (!chip)
		return;
	for (m = json_child(json_get(entry, "tags")); m && json_key(m); m = json_next(m))
		if (json_get_word(m, &word))
			add_tag(raw, tag_of(json_key(m)), word);
	m = json_get(entry, "smbus_telem");
	for (m = json_is_object(m) ? json_child(m) : NULL; m && json_key(m); m = json_next(m))
		if (json_get_word(m, &word))
			add_named(raw, chip, json_key(m), word);
	complete_board_id(raw, chip, entry);
}

/* Printed values: our typed readings, which lose nothing, and upstream's rounded strings. */

static bool parse_version2(const char *text, int64_t *out)
{
	const char *dot = strchr(text, '.');
	uint64_t high, low;
	char first[12];

	if (!dot || (size_t)(dot - text) >= sizeof(first))
		return false;
	snprintf(first, sizeof(first), "%.*s", (int)(dot - text), text);
	if (!parse_u64(first, &high) || !parse_u64(dot + 1, &low) || high > 65535 || low > 65535)
		return false;
	*out = (int64_t)(high << 16 | low);
	return true;
}

/* "2026-02-11" with or without " 13:45". */
static bool parse_date(const char *text, int64_t *out)
{
	unsigned y, mo, d, h = 0, mi = 0;
	int n = sscanf(text, "%4u-%2u-%2u %2u:%2u", &y, &mo, &d, &h, &mi);

	if (n < 3 || y < 2020 || y > 2035 || mo < 1 || mo > 12 || d < 1 || d > 31 || h > 23 ||
		mi > 59)
		return false;
	*out = (int64_t)(y - 2020) << 28 | (int64_t)mo << 24 | (int64_t)d << 16 | (int64_t)h << 8 |
	       mi;
	return true;
}

/* Parse a printed value of any kind of field; false if it is not one. */
static bool value_of(enum field_id id, const struct json *node, int64_t *out)
{
	const char *text = json_get_text(node);
	uint64_t wide;
	uint32_t v;
	bool yes;

	switch ((enum field_kind)fields[id].kind) {
	case FIELD_NUMBER:
	case FIELD_COUNTER:
	case FIELD_HEX:
		return json_get_scaled(node, fields[id].scale, out);
	case FIELD_HEX64:
		if (!text || !parse_hex(text, &wide))
			return false;
		*out = (int64_t)wide;
		return true;
	case FIELD_BOOL:
		if (!json_get_bool(node, &yes))
			return false;
		*out = yes;
		return true;
	case FIELD_VERSION4:
		if (!text || !parse_version4(text, &v))
			return false;
		*out = v;
		return true;
	case FIELD_VERSION3:
		return text && parse_version3(text, out);
	case FIELD_VERSION2:
		return text && parse_version2(text, out);
	case FIELD_DATE:
		return text && parse_date(text, out);
	case FIELD_REASON:
	case FIELD_WHENCE:
		return text && field_find_word(id, text, out);
	}
	return false;
}

static bool is_open(const struct snapshot *s, enum field_id id)
{
	return s->r[id].state == READING_ABSENT || s->r[id].state == READING_FAILED;
}

static void load_put_value(struct snapshot *s, enum field_id id, int64_t value)
{
	s->r[id] = (struct reading){ .source = SOURCE_FILE };
	if (decode_plausible(id, value)) {
		s->r[id].state = READING_OK;
		s->r[id].value = value;
	} else {
		s->r[id].state = READING_IMPLAUSIBLE;
	}
}

/* One of our own typed readings. */
static void load_reading(struct snapshot *s, enum field_id id, const struct json *node)
{
	const char *said = json_get_text(json_get(node, "state"));
	struct reading *r = &s->r[id];
	int64_t value, age;
	uint32_t raw;

	if (!said || !is_open(s, id))
		return;
	for (enum reading_state state = READING_OK; state <= READING_UNJUDGED; state++)
		if (strcmp(said, reading_state_name(state)) == 0)
			*r = (struct reading){ .state = (uint8_t)state, .source = SOURCE_FILE };
	if (reading_has_value(r)) {
		if (value_of(id, json_get(node, "value"), &value) && decode_plausible(id, value))
			r->value = value;
		else
			r->state = READING_IMPLAUSIBLE;
	}
	if (json_get_scaled(json_get(node, "age_ms"), 1, &age) && age > 0 &&
		age < INT64_MAX / CLOCK_MS)
		r->time = -age * CLOCK_MS;
	if (json_get_word(json_get(node, "raw"), &raw)) {
		r->raw = raw;
		r->has_raw = true;
	}
}

static void load_readings(struct snapshot *s, const struct json *entry)
{
	const struct json *m = json_get(entry, "readings");

	for (m = json_is_object(m) ? json_child(m) : NULL; m && json_key(m); m = json_next(m)) {
		enum field_id id = field_find(json_key(m));

		if (id != FIELD_NONE)
			load_reading(s, id, m);
	}
}

static void load_printed(struct snapshot *s, const struct json *entry)
{
	const struct chip *chip = chip_find(s->chip);

	/* The first key present in the file counts. */
	for (const struct chip_printed *p = NULL; (p = chip_printed_next(NULL, p));) {
		const struct json *node = json_get(json_get(entry, p->section), p->key);
		const enum field_id id = chip_printed_as(chip, p->id);
		int64_t value;
		double zero;

		/* A missing limit is the number 0, a real one a string. */
		if (id == FIELD_NONE || !is_open(s, id) || json_get_number(node, &zero))
			continue;
		if (value_of(id, node, &value))
			load_put_value(s, id, value);
	}
}

static void load_fan(struct snapshot *s, const struct json *entry, bool fan_percent)
{
	int64_t v;

	if (!json_get_scaled(json_get(json_get(entry, "telemetry"), "fan_speed"), 1, &v) ||
		v == 65535)
		return;
	if (s->chip == DEVICE_BLACKHOLE && is_open(s, FIELD_FAN_RPM))
		load_put_value(s, FIELD_FAN_RPM, fan_percent && v <= 100 ? v * 50 : v);
	if (s->chip == DEVICE_WORMHOLE && is_open(s, FIELD_FAN_RPM)) {
		enum field_id id = s->raw.remote ? FIELD_FAN_LEGACY_REMOTE : FIELD_FAN_LEGACY;

		if (is_open(s, id))
			load_put_value(s, id, v);
	}
}

/* Values that upstream does not print as plain values. */
static void load_special(struct snapshot *s, const struct json *entry, bool fan_percent)
{
	const struct chip *chip = chip_find(s->chip);
	const char *speed = json_get_text(load_chip_info(entry, "dram_speed"));
	int64_t v;
	uint64_t id;
	bool yes;

	if (is_open(s, FIELD_BOARD_ID) && load_chip_board_id(entry, &id))
		load_put_value(s, FIELD_BOARD_ID, (int64_t)id);
	if (is_open(s, FIELD_DRAM_STATUS) &&
		json_get_bool(load_chip_info(entry, "dram_status"), &yes) &&
		json_get_scaled(json_get(json_get(entry, "telemetry"), "aiclk"), 1, &v))
		load_put_value(s, FIELD_DRAM_STATUS, yes);
	if (is_open(s, FIELD_DRAM_SPEED) && speed) {
		char text[16];
		size_t len = strlen(speed);
		bool giga = len > 1 && len < sizeof(text) && speed[len - 1] == 'G';

		snprintf(text, sizeof(text), "%.*s", (int)(giga ? len - 1 : len < 15 ? len : 15),
			speed);
		if (parse_decimal(text, 1, &v) && v > 0 && v < 1000000)
			load_put_value(s, FIELD_DRAM_SPEED, giga ? v * 1000 : v);
	}
	load_fan(s, entry, fan_percent);
	if (chip && is_open(s, chip->heartbeat_raw) &&
	    json_get_scaled(json_get(json_get(entry, "telemetry"), "heartbeat"), 1, &v) && v >= 0 &&
	    v <= UINT32_MAX) {
		load_put_value(s, chip->heartbeat_raw, v * chip->heartbeat_div);
		if (is_open(s, FIELD_HEARTBEAT))
			load_put_value(s, FIELD_HEARTBEAT, v * chip->heartbeat_div);
	}
}

/* The link, in the text of sysfs, so that the decoder judges it. */

static void load_link(struct raw *raw, const struct json *entry)
{
	const struct json *link = json_get(entry, "link");
	int32_t speed = link_generation_speed(whole(load_chip_info(entry, "pcie_speed"), 1, 99, 0));
	int64_t v;

	static const struct {
		const char *key;
		enum attr attr;
		bool speed;
	} ours[] = {
		{ "speed_gts", ATTR_LINK_SPEED, true },
		{ "speed_max_gts", ATTR_LINK_SPEED_MAX, true },
		{ "width", ATTR_LINK_WIDTH, false },
		{ "width_max", ATTR_LINK_WIDTH_MAX, false },
		{ "speed_slot_gts", ATTR_SLOT_SPEED_MAX, true },
		{ "width_slot", ATTR_SLOT_WIDTH_MAX, false },
	};

	if (speed > 0)
		snprintf(raw->attr[ATTR_LINK_SPEED], ATTR_TEXT, "%d.%d GT/s PCIe", speed / 1000,
			speed / 100 % 10);
	if (json_get_scaled(load_chip_info(entry, "pcie_width"), 1, &v) && v > 0 && v <= 64)
		snprintf(raw->attr[ATTR_LINK_WIDTH], ATTR_TEXT, "%d", (int)v);
	for (size_t i = 0; i < ARRAY_LEN(ours); i++) {
		if (!json_get_scaled(json_get(link, ours[i].key), 10, &v) || v <= 0 || v > 10000)
			continue;
		if (ours[i].speed)
			snprintf(raw->attr[ours[i].attr], ATTR_TEXT, "%d.%d GT/s PCIe",
				(int)(v / 10), (int)(v % 10));
		else
			snprintf(raw->attr[ours[i].attr], ATTR_TEXT, "%d", (int)(v / 10));
	}
}

/* Health. */

static void load_findings(struct snapshot *s, const struct json *health)
{
	const struct json *m = json_get(health, "findings");

	s->n_findings = 0;
	for (m = json_is_array(m) ? json_child(m) : NULL; m && s->n_findings < SNAPSHOT_FINDINGS;
	     m = json_next(m)) {
		struct finding *f = &s->findings[s->n_findings];

		load_chip_text(json_get(m, "id"), f->id, sizeof(f->id));
		load_chip_text(json_get(m, "text"), f->text, sizeof(f->text));
		s->n_findings += f->id[0] && f->text[0];
	}
}

/* Keep those findings of the file that its words alone do not show: several samples did. */
static void keep_findings(struct snapshot *s, const struct json *health)
{
	struct snapshot file = { .n_findings = 0 };

	load_findings(&file, health);
	for (size_t i = 0; i < file.n_findings; i++)
		if (!snapshot_finding(s, file.findings[i].id))
			judge_add(s, file.findings[i].id, "%s", file.findings[i].text);
}

/* Find out that no driver has it, or that it is off the bus; older files have no code. */
static void load_loss(struct snapshot *s)
{
	const size_t off = sizeof(RAW_OFF_BUS) - 1, gone = sizeof(RAW_NOT_ON_BUS) - 1;
	const bool is_off = strncmp(s->reason, RAW_OFF_BUS, off) == 0;

	if (s->code == CODE_NO_DRIVER || s->code == CODE_OFF_BUS || is_off ||
		strncmp(s->reason, RAW_NOT_ON_BUS, gone) == 0 ||
		(s->health == SNAPSHOT_FAILED && s->local < 0 && s->node < 0))
		s->raw.sample_error.code = is_off ? -ENOLINK : -ENODEV;
	if (s->code == CODE_NONE)
		s->code = is_off ? CODE_OFF_BUS : CODE_NOT_READ;
	/* Files of older versions advise a reset there. */
	if (is_off)
		mem_copy_text(s->reason, sizeof(s->reason), RAW_OFF_REASON);
}

static bool has_values(const struct snapshot *s)
{
	for (enum field_id id = 1; id < FIELD_COUNT; id++)
		if (reading_is_ok(&s->r[id]) && id != FIELD_BOARD_ID && id != FIELD_DRAM_STATUS)
			return true;
	return false;
}

/*
 * If there are words the decoder's verdict counts, with the file's other findings; else the file's
 * own.  A chip that had failed stays failed, with its reason.
 */
static void load_health(struct snapshot *s, const struct json *entry, bool has_words)
{
	const struct json *health = json_get(entry, "health");
	const char *state = json_get_text(json_get(health, "state"));
	const char *beat = json_get_text(json_get(health, "heartbeat"));
	enum snapshot_health said = SNAPSHOT_PENDING;

	for (enum snapshot_beat b = SNAPSHOT_BEAT_UNJUDGED; beat && b <= SNAPSHOT_BEAT_NONE; b++)
		if (strcmp(beat, snapshot_beat_name(b)) == 0)
			s->beat = b;
	for (enum snapshot_health h = SNAPSHOT_PENDING; state && h <= SNAPSHOT_GONE; h++)
		if (strcmp(state, snapshot_health_name(h)) == 0)
			said = h;
	if (said > SNAPSHOT_WARN) {
		s->health = said;
		load_chip_text(json_get(health, "reason"), s->reason, sizeof(s->reason));
		if (!s->reason[0])
			mem_copy_text(s->reason, sizeof(s->reason), "the file does not say why");
		s->code = code_named(json_get_text(json_get(health, "code")));
		load_loss(s);
		load_findings(s, health);
	} else if (!has_words && has_values(s)) {
		s->health = said == SNAPSHOT_PENDING ? SNAPSHOT_OK : said;
		s->reason[0] = '\0';
		s->code = CODE_NONE;
		load_findings(s, health);
	} else if (!has_words) {
		s->health = SNAPSHOT_FAILED;
		s->code = CODE_NOT_READ;
		mem_copy_text(s->reason, sizeof(s->reason), "the file has no values of this chip");
	} else {
		keep_findings(s, health);
	}
	if (!s->note[0] && said != SNAPSHOT_PENDING) {
		load_chip_text(json_get(health, "note"), s->note, sizeof(s->note));
		if (s->note[0] && s->code == CODE_NONE)
			s->code = code_named(json_get_text(json_get(health, "code")));
	}
}

void load_chip(struct snapshot *s, const struct json *entry, bool fan_percent)
{
	char series[sizeof(s->series)], board[sizeof(s->board)];
	bool has_words;

	mem_copy_text(series, sizeof(series), s->series);
	mem_copy_text(board, sizeof(board), s->board);
	load_words(&s->raw, entry);
	has_words = s->raw.n_tags > 0 || s->raw.n_legacy > 0;
	if (!s->raw.remote)
		load_link(&s->raw, entry);
	decode_snapshot(s);
	if (!s->upi || !s->series[0] || strcmp(s->series, "N/A") == 0) {
		mem_copy_text(s->series, sizeof(s->series), series[0] ? series : "N/A");
		mem_copy_text(s->board, sizeof(s->board), board[0] ? board : "N/A");
	}
	/* Readings that are still absent or failed get the file as their source. */
	load_readings(s, entry);
	load_printed(s, entry);
	load_special(s, entry, fan_percent);
	if (!s->upi && reading_has_value(&s->r[FIELD_BOARD_ID]))
		s->upi = board_upi((uint64_t)s->r[FIELD_BOARD_ID].value);
	load_health(s, entry, has_words);
}
