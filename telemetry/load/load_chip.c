/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_chip.c - a chip from a file.  Raw words come first: our own tables decode
 * them, which corrects mistakes of an older tool.  Values that no word holds are
 * taken from our printed readings, then from upstream's strings, with the file as
 * their source.
 */
#include "config.h"
#include "telemetry/load/load_chip.h"

#include "base/array.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"
#include "telemetry/chip/chip.h"
#include "telemetry/decode.h"
#include "telemetry/judge.h"
#include "telemetry/link.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

void load_chip_text(const struct json *node, char *out, size_t size)
{
	const char *p = json_get_text(node);
	size_t at = 0;

	while (p && *p) {
		size_t n = utf8_len_printed(p), all = n ? n : utf8_len(p);

		if (at + (n ? n : 1) >= size)
			break;
		memcpy(out + at, n ? p : "?", n ? n : 1);
		at += n ? n : 1;
		p += all ? all : 1;
	}
	out[at] = '\0';
}

/* ---- identity ---- */

const struct json *load_chip_info(const struct json *entry, const char *key)
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

/* Four to eight hex digits, then BB:DD.F. */
static bool is_bdf(const char *text)
{
	size_t n = strspn(text, "0123456789abcdefABCDEF");

	return n >= 4 && n <= 8 && text[n] == ':' && strlen(text) == n + 8 &&
	       isxdigit((unsigned char)text[n + 1]) && isxdigit((unsigned char)text[n + 2]) &&
	       text[n + 3] == ':' && isxdigit((unsigned char)text[n + 4]) &&
	       isxdigit((unsigned char)text[n + 5]) && text[n + 6] == '.' &&
	       text[n + 7] >= '0' && text[n + 7] <= '7';
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
	if (!is_bdf(s->bdf))
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

/* ---- the link, in the text of sysfs, so that the decoder judges it ---- */

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

/* ---- health ---- */

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

/* Take over the finding that the firmware had stopped, which no single sample shows. */
static void load_stopped(struct snapshot *s, const struct json *health)
{
	struct snapshot file = { .n_findings = 0 };

	load_findings(&file, health);
	for (size_t i = 0; i < file.n_findings; i++)
		if (strcmp(file.findings[i].id, "heartbeat") == 0)
			judge_add(s, "heartbeat", "%s", file.findings[i].text);
}

/* Find out that no driver has it, or that it is off the bus; older files have no code. */
static void load_loss(struct snapshot *s)
{
	const size_t off = sizeof(RAW_OFF_BUS) - 1, gone = sizeof(RAW_NOT_ON_BUS) - 1;
	const bool is_off = strncmp(s->reason, RAW_OFF_BUS, off) == 0;

	if (s->code == CODE_NO_DRIVER || s->code == CODE_OFF_BUS || is_off ||
		strncmp(s->reason, RAW_NOT_ON_BUS, gone) == 0 ||
		(s->health == SNAPSHOT_FAILED && s->local < 0 && s->node < 0))
		s->raw.sample_error.code = -ENODEV;
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
 * If there are words the decoder's verdict counts, else the file's own.  A chip
 * that had failed stays failed, with its reason.
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
	} else if (s->beat == SNAPSHOT_BEAT_STOPPED) {
		load_stopped(s, health);
	}
	if (!s->note[0] && said != SNAPSHOT_PENDING) {
		load_chip_text(json_get(health, "note"), s->note, sizeof(s->note));
		if (s->note[0] && s->code == CODE_NONE)
			s->code = code_named(json_get_text(json_get(health, "code")));
	}
}

void load_chip(struct snapshot *s, const struct json *entry, const struct load_era *era)
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
	load_values(s, entry, era);
	if (!s->upi && reading_has_value(&s->r[FIELD_BOARD_ID]))
		s->upi = board_upi((uint64_t)s->r[FIELD_BOARD_ID].value);
	load_health(s, entry, has_words);
}
