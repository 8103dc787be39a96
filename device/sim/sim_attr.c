/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_attr.c - sysfs text of a simulated board, as driver 2.10 and the kernel
 * write it (chip-facts 1.3 to 1.6); for Grayskull as its last driver wrote it.
 *
 * The driver caches no values: it reads the word each time and formats it in
 * 32 bits, so a card off the bus gives the garbage seen on real machines.
 */
#include "config.h"
#include "device/galaxy.h"
#include "device/kind.h"
#include "device/sim/sim_chip.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum kind {
	NOTHING,
	NUMBER,		/* the word */
	HALF,		/* its lower half */
	TIMES,		/* word * mul, in 32 bits */
	UPPER,		/* upper half */
	FIXED,		/* unsigned 16.16 to m degrees C */
	SIXTEENTH,	/* lower half in 1/16 degrees C to m degrees C */
	VERSION4,	/* a.b.c.d */
	ETH_VERSION,	/* 8, 4, 12 bits */
	HEX64,		/* this word and the next tag's */
	CARD		/* the board's name from the upper word of its id */
};

enum { GS = 1 << DEVICE_GRAYSKULL, WH = 1 << DEVICE_WORMHOLE, BH = 1 << DEVICE_BLACKHOLE };

/* The source of an attribute: a tag, or on Grayskull a word of the legacy struct. */
static const struct row {
	uint8_t chips, kind, tag;
	uint32_t mul;
	uint8_t gs_kind, gs_word;
} rows[ATTR_COUNT] = {
	[ATTR_TT_AICLK] = { GS | WH | BH, NUMBER, 14, 0, HALF, 20 },
	[ATTR_TT_AXICLK] = { GS | WH | BH, NUMBER, 15, 0, HALF, 21 },
	[ATTR_TT_ARCCLK] = { GS | WH | BH, NUMBER, 16, 0, HALF, 22 },
	[ATTR_TT_SERIAL] = { GS | WH | BH, HEX64, 1, 0, HEX64, 4 },
	[ATTR_TT_CARD_TYPE] = { GS | WH | BH, CARD, 1, 0, CARD, 4 },
	[ATTR_TT_ASIC_ID] = { WH | BH, HEX64, 61, 0, NOTHING, 0 },
	[ATTR_TT_FW_BUNDLE_VER] = { GS | WH | BH, VERSION4, 28, 0, VERSION4, 39 },
	[ATTR_TT_M3APP_FW_VER] = { WH | BH, VERSION4, 26, 0, NOTHING, 0 },
	[ATTR_TT_M3BL_FW_VER] = { WH, VERSION4, 27, 0, NOTHING, 0 },
	[ATTR_TT_ARC_FW_VER] = { GS | WH, VERSION4, 29, 0, VERSION4, 6 },
	[ATTR_TT_ETH_FW_VER] = { WH, ETH_VERSION, 24, 0, NOTHING, 0 },
	[ATTR_TT_TTFLASH_VER] = { GS | WH, VERSION4, 58, 0, VERSION4, 38 },
	[ATTR_TT_HEARTBEAT] = { WH | BH, NUMBER, 32, 0, NOTHING, 0 },
	[ATTR_TT_THERM_TRIP_COUNT] = { BH, NUMBER, 60, 0, NOTHING, 0 },
	[ATTR_HWMON_TEMP] = { GS | WH | BH, FIXED, 11, 0, SIXTEENTH, 25 },
	[ATTR_HWMON_TEMP_MAX] = { GS | WH | BH, TIMES, 56, 1000, HALF, 30 },
	[ATTR_HWMON_VCORE] = { GS | WH | BH, NUMBER, 6, 0, NUMBER, 24 },
	[ATTR_HWMON_VCORE_MAX] = { GS | WH | BH, UPPER, 9, 0, UPPER, 29 },
	[ATTR_HWMON_CURRENT] = { GS | WH | BH, TIMES, 8, 1000, HALF, 28 },
	[ATTR_HWMON_CURRENT_MAX] = { GS | WH | BH, TIMES, 55, 1000, UPPER, 28 },
	[ATTR_HWMON_POWER] = { GS | WH | BH, TIMES, 7, 1000000, HALF, 27 },
	[ATTR_HWMON_POWER_MAX] = { GS | WH | BH, TIMES, 64, 1000000, UPPER, 27 },
	[ATTR_HWMON_FAN] = { BH, NUMBER, 41, 0, NOTHING, 0 },
};

/* The driver's names (chip-facts 3.1). */
static const char *card_name(uint32_t high)
{
	static const struct {
		uint16_t upi;
		const char *name;
	} names[] = {
		{ 0x03, "e150" }, { 0x07, "e75" }, { 0x14, "n300" }, { 0x18, "n150" },
		{ 0x35, "galaxy-wormhole" }, { 0x36, "p100" }, { 0x40, "p150a" },
		{ 0x41, "p150b" }, { 0x42, "p150c" }, { 0x43, "p100a" }, { 0x44, "p300b" },
		{ 0x45, "p300a" }, { 0x46, "p300c" }, { 0x47, "galaxy-blackhole" },
		{ 0x202, "galaxy-blackhole" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].upi == (high >> 4 & 0xffff))
			return names[i].name;
	return "unknown";
}

static int format_word(enum kind kind, uint32_t w, uint32_t next, uint32_t mul, char *buf,
	size_t size)
{
	switch (kind) {
	case NOTHING:
		break;
	case NUMBER:
		return snprintf(buf, size, "%" PRIu32 "\n", w);
	case HALF:
		return snprintf(buf, size, "%" PRIu32 "\n", (w & 0xffff) * mul);
	case TIMES:
		return snprintf(buf, size, "%" PRIu32 "\n", w * mul);
	case UPPER:
		return snprintf(buf, size, "%" PRIu32 "\n", (w >> 16) * mul);
	case FIXED:
		return snprintf(buf, size, "%" PRIu32 "\n",
			(w >> 16) * 1000 + ((w & 0xffff) * 1000 >> 16));
	case SIXTEENTH:
		return snprintf(buf, size, "%" PRIu32 "\n", (w & 0xffff) * 1000 / 16);
	case VERSION4:
		return snprintf(buf, size, "%u.%u.%u.%u\n", w >> 24, w >> 16 & 0xff, w >> 8 & 0xff,
			w & 0xff);
	case ETH_VERSION:
		return snprintf(buf, size, "%u.%u.%u\n", w >> 16 & 0xff, w >> 12 & 0xf, w & 0xfff);
	case HEX64:
		return snprintf(buf, size, "%08" PRIX32 "%08" PRIX32 "\n", w, next);
	case CARD:
		return snprintf(buf, size, "%s\n", card_name(w));
	}
	return -ENOENT;
}

static bool has_tag(const struct sim_chip *c, unsigned tag)
{
	for (size_t i = 0; i < c->n_entries; i++)
		if ((c->table[2 + i] & 0xffff) == tag)
			return true;
	return false;
}

/* An attribute of the class and hwmon folders. */
static int firmware_attr(struct sim_chip *c, const struct sim_now *now, enum attr a, char *buf,
	size_t size)
{
	const struct row *r = &rows[a];
	bool gs = c->board->like == DEVICE_GRAYSKULL;
	const struct sim_words *w;
	uint32_t mul = r->mul ? r->mul : 1;

	if (!(r->chips >> c->board->like & 1) || (!gs && !has_tag(c, r->tag)))
		return -ENOENT;
	if (now->window)
		return -ENODATA;
	if (now->dead && !now->no_table)
		return format_word(gs ? r->gs_kind : r->kind, UINT32_MAX, UINT32_MAX, mul, buf,
			size);
	if (!now->booted || now->no_table)
		return format_word(gs ? r->gs_kind : r->kind, 0, 0, mul, buf, size);
	w = sim_words(c, now);
	if (gs)
		return format_word(r->gs_kind, w->legacy[r->gs_word], w->legacy[r->gs_word + 1],
			mul, buf, size);
	return format_word(r->kind, w->tag[r->tag], w->tag[r->tag + 1], mul, buf, size);
}

/* MT/s / 100 as the kernel writes it. */
static int format_speed(unsigned speed, char *buf, size_t size)
{
	return snprintf(buf, size, "%u.%u GT/s PCIe\n", speed / 10, speed % 10);
}

/* The limit of the port above the chip. */
static unsigned slot_speed(const struct sim_board *b)
{
	return b->slot_speed ? b->slot_speed : b->link_speed;
}

static unsigned slot_width(const struct sim_chip *c)
{
	const struct sim_board *b = c->board;
	bool wide = b->wide_slot && c->place % GALAXY_CHIPS + 1 == 6;

	return wide ? b->wide_slot : b->slot_width ? b->slot_width : b->link_width;
}

/* The speed or width that a link trains to; half of it with SIM_WIDTH, but at least one lane. */
static unsigned trained(unsigned card, unsigned slot, const struct sim_now *now)
{
	unsigned both = card < slot ? card : slot;

	return sim_has_fault(now, SIM_WIDTH) && both > 1 ? both / 2 : both;
}

static int pci_attr(const struct sim_chip *c, const struct sim_now *now, enum attr a, char *buf,
	size_t size)
{
	const struct sim_board *b = c->board;

	switch (a) {
	case ATTR_LINK_SPEED:
		return now->off ? snprintf(buf, size, "Unknown\n")
				: format_speed(trained(b->link_speed, slot_speed(b), now), buf,
					size);
	case ATTR_LINK_SPEED_MAX:
		return format_speed(now->off ? 640 : b->link_speed, buf, size);
	case ATTR_LINK_WIDTH:
		return snprintf(buf, size, "%u\n", now->off ? 63 :
			trained(b->link_width, slot_width(c), now));
	case ATTR_LINK_WIDTH_MAX:
		return snprintf(buf, size, "%u\n", now->off ? 63u : b->link_width);
	case ATTR_SLOT_SPEED_MAX:
		return format_speed(slot_speed(b), buf, size);
	case ATTR_SLOT_WIDTH_MAX:
		return snprintf(buf, size, "%u\n", slot_width(c));
	case ATTR_CONFIG_ID:
		return now->off ? snprintf(buf, size, "ffffffff\n")
				: snprintf(buf, size, "%04x%04x\n",
					kind_of(b->chip)->pci_device, DEVICE_VENDOR);
	default:
		return -ENOENT;
	}
}

static int perf_attr(struct sim_chip *c, const struct sim_now *now, enum attr a, char *buf,
	size_t size)
{
	if (c->board->like == DEVICE_GRAYSKULL)
		return -ENOENT;
	if (now->window)
		return -ENODATA;
	return snprintf(buf, size, "%" PRIu32 "\n",
		now->dead ? UINT32_MAX : sim_perf(c, now, a - ATTR_PERF_MST_RD_0));
}

ssize_t sim_attr(struct sim_chip *c, const struct sim_now *now, enum attr a, char *buf,
	size_t size)
{
	char text[ATTR_TEXT + 1];
	int n = -ENOENT;

	switch (attrs[a].dir) {
	case ATTR_CLASS:
	case ATTR_HWMON:
		n = firmware_attr(c, now, a, text, sizeof(text));
		break;
	case ATTR_PERF:
		n = perf_attr(c, now, a, text, sizeof(text));
		break;
	case ATTR_PCI:
		n = pci_attr(c, now, a, text, sizeof(text));
		break;
	}
	if (n < 0)
		return n;
	if ((size_t)n >= size)
		return -EFBIG;
	memcpy(buf, text, (size_t)n + 1);
	return n;
}
