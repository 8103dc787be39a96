/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.c - one sample: the PCI side first, then the firmware's tables, then
 * the attributes for fields that the tables lack.
 *
 * A dead card is recognised by its first word and then left alone.  Static values
 * are kept for each device, in the worker process that reads it.
 */
#include "config.h"
#include "telemetry/sampler/sampler_local.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/want.h"
#include "device/arc_msg.h"
#include "device/eth.h"
#include "device/kind.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TAG_BUNDLE	    28
#define TAG_TENSIX_COLUMNS  34
#define TAG_ENABLED_ETH	    35
#define TAG_NOC_TRANSLATION 40
#define TAG_TENSIX_ROWS	    59
#define BUSY_TRIES	    3	/* readings of a core's counters that may be torn */
#define GAP_EVERY	    (500 * CLOCK_MS)
#define GAP		    (150 * CLOCK_MS)	/* kept handles are of samples < 100 ms apart */
#define GS_FIRST_WITH_STRUCT 0x01030001u	/* firmware above 1.3.0.0 (chip-facts 2.3) */

/* What is kept of a device since its last fresh sample. */
struct memory {
	int node;
	enum device_trouble trouble;
	struct tag_table_layout layout;
	uint32_t legacy;		/* address of the legacy struct; 0: not known yet */
	bool tried_coords, has_coords, has_errors;
	uint32_t errors;
	uint8_t coords[4];
	bool has[ATTR_COUNT], lacks[ATTR_COUNT];
	char text[ATTR_COUNT][ATTR_TEXT];
};

static struct memory *memory_of(struct device *d)
{
	void **own = &d->bus->own->reader[d->index];

	if (!*own)
		*own = mem_calloc(1, sizeof(struct memory));
	return *own;
}

/* Attributes that stay as they are until a reset or new firmware. */
static bool is_static(enum attr a)
{
	switch (a) {
	case ATTR_TT_SERIAL: case ATTR_TT_CARD_TYPE: case ATTR_TT_ASIC_ID:
	case ATTR_TT_FW_BUNDLE_VER: case ATTR_TT_M3APP_FW_VER: case ATTR_TT_M3BL_FW_VER:
	case ATTR_TT_ARC_FW_VER: case ATTR_TT_ETH_FW_VER: case ATTR_TT_TTFLASH_VER:
	case ATTR_HWMON_TEMP_MAX: case ATTR_HWMON_VCORE_MAX: case ATTR_HWMON_CURRENT_MAX:
	case ATTR_HWMON_POWER_MAX: case ATTR_LINK_SPEED_MAX: case ATTR_LINK_WIDTH_MAX:
	case ATTR_SLOT_SPEED_MAX: case ATTR_SLOT_WIDTH_MAX:
		return true;
	default:
		return false;
	}
}

static bool read_attr(struct device *d, struct memory *m, enum attr a, struct raw *raw)
{
	ssize_t r;

	if (is_static(a) && m->has[a]) {
		memcpy(raw->attr[a], m->text[a], ATTR_TEXT);
		return true;
	}
	if (m->lacks[a]) {
		raw->attr_error[a] = -ENOENT;
		return false;
	}
	r = device_attr(d, a, raw->attr[a], ATTR_TEXT);
	if (r <= 0) {
		raw->attr[a][0] = '\0';
		raw->attr_error[a] = (int16_t)(r < 0 ? r : -ENODATA);
		m->lacks[a] = is_static(a) && r == -ENOENT;
		/* Our lack of descriptors says nothing of the card, and much may be missing. */
		if (r == -EMFILE)
			fail(&raw->sample_error, -EMFILE, "cannot be read: %s (ulimit -n)",
				strerror(EMFILE));
		return false;
	}
	if (is_static(a)) {
		memcpy(m->text[a], raw->attr[a], ATTR_TEXT);
		m->has[a] = true;
	}
	return true;
}

/*
 * Between the first and the last call of a reset the driver gives neither
 * firmware values nor counters (ENODATA).  For a card that is off the bus it gives
 * rubbish (driver-behaviour 1 and 14).
 */
static bool is_being_reset(struct device *d, struct memory *m, struct raw *raw)
{
	if (read_attr(d, m, ATTR_PERF_MST_RD_0, raw))
		return false;
	if (raw->attr_error[ATTR_PERF_MST_RD_0] == -ENODATA)
		return true;
	return !read_attr(d, m, ATTR_TT_AICLK, raw) && raw->attr_error[ATTR_TT_AICLK] == -ENODATA;
}

static int fail_reset(struct error *e)
{
	return fail(e, -ECONNRESET, "being reset, or left in a reset that nobody ended; it is read "
		"again when that is over");
}

/* Read PCI config space and link; false when the card is off the bus or being reset. */
static bool read_bus(struct device *d, struct memory *m, struct raw *raw)
{
	const bool has_id = read_attr(d, m, ATTR_CONFIG_ID, raw);

	if (has_id && strcmp(raw->attr[ATTR_CONFIG_ID], "ffffffff") == 0) {
		if (is_being_reset(d, m, raw))
			fail_reset(&raw->sample_error);
		else
			fail_as(&raw->sample_error, CODE_OFF_BUS, -ENOLINK, RAW_OFF_REASON);
		return false;
	}
	if (!has_id && raw->attr_error[ATTR_CONFIG_ID] == -ENODEV) {
		fail_as(&raw->sample_error, CODE_OFF_BUS, -ENODEV, RAW_NOT_ON_BUS "; it is read "
			"again when it is back");
		return false;
	}
	for (enum attr a = ATTR_LINK_SPEED; a <= ATTR_SLOT_WIDTH_MAX; a++)
		read_attr(d, m, a, raw);
	return true;
}

static void fail_hang(struct raw *raw)
{
	fail_as(&raw->sample_error, CODE_HUNG, -ETIMEDOUT, "chip seems to hang (a register "
		"answered late, and all ones)");
}

/* Report why registers could not be read. */
static void fail_lost(int code, const char *what, struct raw *raw)
{
	if (code == -ETIMEDOUT && !raw->remote)
		fail_hang(raw);
	else if (code == -ENODEV)
		fail_as(&raw->table_error, CODE_BEING_RESET, code, "not reachable: being reset, or "
			"the driver has let go of it");
	else if (want_is(code) || code == -ENOTCONN)	/* the chip was not asked */
		fail(&raw->table_error, code, "%s cannot be read: %s", what, device_strerror(code));
	else
		fail(&raw->table_error, code, "%s cannot be read (%s)", what,
			device_strerror(code));
}

/*
 * False when the chip is dead and nothing more must be read.  A hung chip answers all ones,
 * however late (chip-facts 1.9); if another word came late, this process lost the processor.
 */
static bool is_alive(struct device *d, const struct chip_map *map, struct raw *raw)
{
	uint32_t word = 0;
	int r = device_read(d, map->hang, &word, 1);

	if (r < 0)
		fail_lost(r, "registers", raw);
	else if (word == UINT32_MAX)
		r = fail_as(&raw->sample_error, CODE_HUNG, -EIO, "chip does not answer (registers "
			"read all ones)");
	return r == 0;
}

static bool firmware_runs(struct device *d, const struct chip_map *map, struct raw *raw)
{
	uint32_t word;
	int r = device_read(d, map->boot, &word, 1);

	if (r < 0)
		fail_lost(r, "the boot status", raw);
	else if ((word & map->boot_mask) != map->boot_value)
		r = fail(&raw->table_error, -EHOSTDOWN, "firmware is not running (boot status "
			"0x%x): wait, or reset the card", word);
	return r == 0;
}

/*
 * The firmware's error word.  It is about the start of the chip's parts, so it is read with the
 * static values: a sample of a healthy card costs no further read.  All ones is the answer of a
 * dead chip; a recording may not have the word.
 */
static void read_errors(struct device *d, const struct chip_map *map, struct memory *m,
	struct raw *raw)
{
	if (map->errors.addr && !m->has_errors) {
		m->has_errors = true;
		if (device_read(d, map->errors, &m->errors, 1) < 0 || m->errors == UINT32_MAX)
			m->errors = 0;
	}
	raw->errors = m->errors;
}

/* Only the firmware knows where Grayskull's struct is: ask once, and only when allowed. */
static int ask_legacy(struct device *d, const struct chip_map *map, const struct reader_policy *p,
	struct memory *m, struct error *e)
{
	const struct arc_mailbox box = {
		.unit = { REG_BAR0, 0, 0, map->boot.addr - 0x60 },
		.dma = { REG_BAR0, 0, 0, map->csm.addr + 0x784cc },	/* chip-facts 4.1 */
		/* Half a sample's deadline: firmware without an answer is not a lost chip. */
		.wait = CLOCK_SECOND / 2,
	};
	uint32_t out[2];
	int r;

	if (m->legacy)
		return 0;
	if (!p->active)
		return fail_as(e, CODE_LEFT_ALONE, -ECANCELED, "firmware tables %s; only a message "
			"tells their address", p->why ? p->why : "not read");
	r = arc_msg_send(d, &box, ARC_MSG_FW_VERSION, 0, 0, out, e);
	if (r < 0)
		return r;
	if (out[0] < GS_FIRST_WITH_STRUCT)
		return fail_as(e, CODE_FIRMWARE_OLD, -ENOENT, "this firmware (0x%08x) publishes no "
			"telemetry: update it", out[0]);
	r = arc_msg_send(d, &box, ARC_MSG_LEGACY_ADDRESS, 0xffff, 0xffff, out, e);
	if (r == 0)
		m->legacy = out[0];
	return r;
}

static void read_tables(struct device *d, const struct chip *chip, const struct chip_map *map,
	const struct reader_policy *p, struct memory *m, struct raw *raw)
{
	struct error tags = { .code = -ENOENT }, legacy = { .code = 0 };

	if (map->table_ptr.addr && tag_table_read(d, map, &m->layout, raw, &tags) < 0 &&
		tags.code != -ENOENT) {
		raw->table_error = tags;
		return;
	}
	if (!chip->n_legacy)
		return;
	if (map->legacy)
		m->legacy = map->legacy;
	else if (ask_legacy(d, map, p, m, &legacy) < 0)
		raw->table_error = legacy;
	if (m->legacy && tag_table_read_legacy(d, chip, map, m->legacy, raw, &legacy) < 0) {
		m->legacy = 0;
		if (!raw->n_tags || legacy.code != -EPROTO)
			raw->table_error = legacy;
	}
}

static void read_coords(struct device *d, const struct reader_policy *p, struct memory *m,
	struct raw *raw)
{
	if (p->active && !m->tried_coords) {
		m->tried_coords = true;
		m->has_coords = eth_coords(d, m->coords) == 0;
	}
	raw->has_coords = m->has_coords;
	memcpy(raw->coords, m->coords, sizeof(raw->coords));
}

/*
 * Some cores of a Blackhole are off: the tag table has to say which, and where the others are.
 * No other tile is touched.  A Wormhole has all, at coordinates that stay valid.
 */
static void read_links(struct device *d, struct raw *raw)
{
	const struct device_kind *k = kind_of(d->chip);
	const struct raw_tag *on = raw_find_tag(raw, TAG_ENABLED_ETH);
	const struct raw_tag *translated = raw_find_tag(raw, TAG_NOC_TRANSLATION);
	const bool all = !k->eth_spare[0];
	int r;

	if (k->n_eth == 0)
		return;
	if (!all && (!on || !translated)) {
		fail(&raw->links_error, -ENODATA,
			"its firmware does not report which ethernet cores it has, and where");
		return;
	}
	r = eth_read_links(d, all ? (1u << k->n_eth) - 1 : on->word, !all && translated->word,
		raw->links);
	raw->has_links = r == 0;
	if (r < 0)
		fail(&raw->links_error, r, "its ethernet cores cannot be read: %s", strerror(-r));
}

/* Which cores may be read; false: the tag table does not say it. */
static bool find_cores(const struct device_kind *k, const struct raw *raw, struct kind_cores *on)
{
	const struct raw_tag *tensix = raw_find_tag(raw, k->tensix_in_rows ? TAG_TENSIX_ROWS
		: TAG_TENSIX_COLUMNS);
	const struct raw_tag *eth = raw_find_tag(raw, TAG_ENABLED_ETH);
	const struct raw_tag *translated = raw_find_tag(raw, TAG_NOC_TRANSLATION);

	if (!tensix || !eth || !translated)
		return false;
	*on = (struct kind_cores){ tensix->word, eth->word, translated->word != 0 };
	return true;
}

static enum busy_source why_unread(int r)
{
	return r == -ENODATA ? BUSY_NOT_RECORDED : r == -EPERM ? BUSY_LAYOUT : BUSY_UNREADABLE;
}

/* Read the counters of one queue.  Its core writes at the same time. */
static enum busy_source read_core(struct device *d, struct reg_addr at, unsigned cores,
	struct busy_queue *q)
{
	uint32_t words[2][BUSY_CORE_WORDS];
	enum busy_source source = BUSY_FIRST;
	int r = device_read(d, at, words[0], BUSY_CORE_WORDS);

	for (int i = 1; r == 0 && i <= BUSY_TRIES; i++) {
		r = device_read(d, at, words[i & 1], BUSY_CORE_WORDS);
		if (r == 0)
			source = busy_parse_core(words[~i & 1], words[i & 1], cores, q);
		if (source != BUSY_TORN && source != BUSY_STOPPED && source != BUSY_LAYOUT)
			break;
	}
	return r < 0 ? why_unread(r) : source;
}

/* Find the control block in the firmware's buffer. */
static enum busy_source read_control(struct device *d, const struct chip_map *map,
	const struct raw *raw, struct busy_control *c)
{
	const struct raw_tag *bundle = raw_find_tag(raw, TAG_BUNDLE);
	uint32_t buffer[2], words[BUSY_CONTROL_WORDS];
	struct reg_addr at;
	int r;

	if (raw->remote)
		return BUSY_SECOND_CHIP;
	if (!map->runtime.addr || !bundle ||
		bundle_order(bundle->word) < bundle_order(map->runtime_since))
		return BUSY_NO_BUFFER;
	r = device_read(d, map->runtime, buffer, 2);
	if (r < 0 || buffer[1] == UINT32_MAX)
		return why_unread(r);
	if (buffer[1] == 0)
		return BUSY_NO_BUFFER;
	if (buffer[1] < BUSY_CONTROL_BYTES ||
		!tag_table_find(map, buffer[0], BUSY_CONTROL_WORDS, &at))
		return BUSY_LAYOUT;
	r = device_read(d, at, words, BUSY_CONTROL_WORDS);
	return r < 0 ? why_unread(r) : busy_parse_control(words, c);
}

static enum busy_source read_busy(struct device *d, const struct chip_map *map,
	const struct raw *raw, struct busy *b)
{
	const struct device_kind *k = kind_of(d->chip);
	enum busy_source source = read_control(d, map, raw, &b->control);
	struct kind_cores on;

	if (source == BUSY_FIRST && !find_cores(k, raw, &on))
		source = BUSY_CORE_OFF;
	if (source == BUSY_FIRST)
		b->cores = (uint16_t)kind_count_cores(k, &on);
	for (unsigned i = 0; source == BUSY_FIRST && i < b->control.n; i++) {
		const uint32_t xy = b->control.core[i];
		uint8_t tile[2];

		if (!kind_find_core(k, &on, xy >> 16, xy & 0xffff, tile))
			return BUSY_CORE_OFF;
		source = read_core(d, (struct reg_addr){ REG_NOC, tile[0], tile[1],
			b->control.at }, b->cores, &b->queue[i]);
	}
	return source;
}

/* Take a handle for this policy; one that is kept may allow less. */
static int acquire(struct device *d, const struct reader_policy *p, struct error *e)
{
	const enum access_purpose purpose = p->busy && d->local < 0 ? ACCESS_BUSY
		: ACCESS_TELEMETRY;
	int r = device_acquire_for(d, purpose, DEVICE_PASSIVE, e);

	if (r == -EBUSY && purpose == ACCESS_BUSY) {
		device_release(d);
		r = device_acquire_for(d, purpose, DEVICE_PASSIVE, e);
	}
	return r;
}

/* Read all that needs registers; false when the chip is dead. */
static bool read_registers(struct device *d, const struct chip *chip, const struct reader_policy *p,
	struct memory *m, struct raw *raw)
{
	const struct chip_map *map = raw->remote ? &chip->remote : &chip->map;
	struct error e = { .code = 0 };
	uint32_t word;
	bool alive;

	if (!map->csm.addr) {
		fail(&raw->table_error, -EOPNOTSUPP, "a remote %s cannot be read", chip->name);
		return true;
	}
	if (acquire(d, p, &e) < 0) {
		raw->table_error = e;
		/* Who resets it may have it exclusively: the open is refused, not the handle. */
		if ((e.code == -ENODEV || e.code == -EAGAIN) && !raw->remote &&
			is_being_reset(d, m, raw))
			fail_reset(&raw->table_error);
		return true;
	}
	alive = is_alive(d, map, raw);
	if (alive)
		read_errors(d, map, m, raw);
	if (alive && firmware_runs(d, map, raw)) {
		read_tables(d, chip, map, p, m, raw);
		if (chip->remote.csm.addr && !raw->table_error.code)
			read_coords(d, p, m, raw);
		if (p->links && !raw->remote && !raw->table_error.code)
			read_links(d, raw);
		if (p->busy && !raw->table_error.code)
			raw->busy.source = (uint8_t)read_busy(d, map, raw, &raw->busy);
	}
	/* If the chip hung between two words, the transport answers at once, without a read. */
	if (raw->table_error.code == -ETIMEDOUT && !raw->remote &&
		device_read(d, map->hang, &word, 1) == -ETIMEDOUT)
		fail_hang(raw);
	return !raw->sample_error.code;
}

/* Mark fields that the tables have, believable or not: attributes have nothing better. */
static void mark_given(const struct chip *chip, const struct raw *raw, bool given[FIELD_COUNT])
{
	bool tags[256] = { false };

	for (size_t i = 0; i < raw->n_tags; i++)
		if (raw->tags[i].tag < sizeof(tags))
			tags[raw->tags[i].tag] = true;
	for (enum chip_table t = CHIP_COMMON_TAGS; t <= CHIP_LEGACY; t++)
		for (const struct decode *row = chip_rows(chip, t); row->field != FIELD_NONE; row++)
			given[row->field] |= t == CHIP_LEGACY ? row->key < raw->n_legacy
				: row->key < sizeof(tags) && tags[row->key];
}

/*
 * Read the attributes; returns how many with telemetry in them could be read.  Static ones
 * have none, and most are only remembered.
 */
static unsigned read_attrs(struct device *d, const struct chip *chip, struct memory *m,
	struct raw *raw)
{
	bool given[FIELD_COUNT] = { false };
	unsigned n = 0;

	mark_given(chip, raw, given);
	for (enum chip_table t = CHIP_COMMON_ATTRS; t <= CHIP_ATTRS; t++)
		for (const struct decode *row = chip_rows(chip, t); row->field != FIELD_NONE; row++)
			if (!given[row->field])
				n += read_attr(d, m, row->key, raw) && !is_static(row->key);
	if (!given[FIELD_BOARD_ID] && !*raw->attr[ATTR_TT_SERIAL])
		read_attr(d, m, ATTR_TT_CARD_TYPE, raw);
	for (enum attr a = ATTR_PERF_MST_RD_0; a <= ATTR_PERF_SLV_RD_1; a++)
		if (!read_attr(d, m, a, raw) && a == ATTR_PERF_MST_RD_0)
			break;
	return n;
}

static void sample(struct device *d, const struct reader_policy *p, struct memory *m,
	struct raw *raw)
{
	const struct chip *chip = chip_find(d->chip);

	if (!raw->remote && !read_bus(d, m, raw))
		return;
	if (d->trouble == DEVICE_NO_DRIVER) {
		fail_as(&raw->sample_error, device_code(d), -ENODEV, "%s", d->reason);
		return;
	}
	if (!chip) {
		fail(&raw->sample_error, -EOPNOTSUPP,
			"PCI device %04x:%04x is not a chip that is known here", d->vendor,
			d->device);
		return;
	}
	if (d->trouble != DEVICE_FINE)
		fail(&raw->table_error, -EACCES, "%s", d->reason);
	else if (p->passive)
		fail_as(&raw->table_error, CODE_LEFT_ALONE, -ECANCELED, "firmware tables not read: "
			"--passive");
	else if (!read_registers(d, chip, p, m, raw))
		return;
	/* Without sysfs to fall back on, the sample failed for the reason that the tables did. */
	if ((raw->remote || read_attrs(d, chip, m, raw) == 0) && !raw->n_tags && !raw->n_legacy &&
		raw->table_error.code && raw->table_error.code != -ECANCELED &&
		!raw->sample_error.code)
		raw->sample_error = raw->table_error;
}

static void forget(struct memory *m, const struct device *d)
{
	*m = (struct memory){ .node = d->node, .trouble = d->trouble };
}

void reader_sample(struct device *d, const struct reader_policy *p, struct raw *raw)
{
	struct memory *m = memory_of(d);
	bool keep;

	memset(raw, 0, sizeof(*raw));
	raw->chip = d->chip;
	raw->remote = d->local >= 0;
	raw->time = clock_mono();
	if (p->fresh || m->node != d->node || m->trouble != d->trouble)
		forget(m, d);
	sample(d, p, m, raw);
	/*
	 * Another program may need the card alone: for this all of us have to close it at the same
	 * time, which the clock tells that all processes share.
	 */
	keep = p->keep && raw->time % GAP_EVERY >= GAP;
	/* A handle from before a reset fails for ever: the next sample takes a new one. */
	if (!keep || raw->sample_error.code || raw->table_error.code)
		device_release(d);
	if (raw->sample_error.code || raw->table_error.code == -EIO)
		forget(m, d);
	raw->took = clock_mono() - raw->time;
}

/* The heartbeat's address, from the tables as last read; 0: not known yet. */
static uint32_t beat_address(const struct chip *chip, enum reading_source source,
	const struct memory *m)
{
	if (source != SOURCE_LEGACY)
		return tag_table_beat(&m->layout);
	for (const struct decode *row = chip_rows(chip, CHIP_LEGACY); row->field != FIELD_NONE;
		row++)
		if (row->field == FIELD_HEARTBEAT && m->legacy && row->key < chip->n_legacy)
			return m->legacy + 4u * row->key;
	return 0;
}

/* Read that word alone; a process that does not know its address yet reads the tables first. */
static bool read_beat(struct device *d, enum reading_source source, uint32_t *word)
{
	const struct reader_policy look = { .passive = false };
	const struct chip *chip = chip_find(d->chip);
	const struct chip_map *map = d->local >= 0 ? &chip->remote : &chip->map;
	struct raw raw = { .chip = d->chip, .remote = d->local >= 0 };
	struct memory *m = memory_of(d);
	struct error e = { 0 };

	if (beat_address(chip, source, m) == 0)
		read_tables(d, chip, map, &look, m, &raw);
	return tag_table_read_word(d, map, beat_address(chip, source, m), word, &e) == 0;
}

bool reader_beat(struct device *d, enum reading_source source, uint32_t *word)
{
	char text[ATTR_TEXT];
	struct error e = { 0 };
	uint64_t v;
	bool known;

	/* The driver reads the same word of the table. */
	if (source != SOURCE_LEGACY && d->local < 0 &&
		device_attr(d, ATTR_TT_HEARTBEAT, text, sizeof(text)) > 0) {
		if (!parse_u64(text, &v) || v >= UINT32_MAX)
			return false;
		*word = (uint32_t)v;
		return true;
	}
	if (source == SOURCE_SYSFS || d->bus->passive || device_acquire(d, &e) < 0)
		return false;
	known = read_beat(d, source, word);
	device_release(d);
	return known;
}
