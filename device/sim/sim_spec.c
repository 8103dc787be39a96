/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_spec.c - what can be simulated: the boards with their sysfs text, the faults,
 * and the argument of --sim that names them.
 */
#include "config.h"
#include "device/sim/sim_chip.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"
#include "device/kind.h"
#include "device/sim/sim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Sysfs text of a simulated board, as driver 2.10 and the kernel write it (chip-facts 1.3
 * to 1.6); for Grayskull as its last driver wrote it.
 *
 * The driver caches no values: it reads the word each time and formats it in
 * 32 bits, so a card off the bus gives the garbage seen on real machines.
 */

enum kind {
	NOTHING,
	NUMBER,		/* the word */
	HALF,		/* its lower half */
	UPPER,		/* upper half */
	FIXED,		/* unsigned 16.16 */
	SIXTEENTH,	/* lower half in 1/16 */
	VERSION4,	/* a.b.c.d */
	ETH_VERSION,	/* 8, 4, 12 bits */
	HEX64,		/* this word and the next tag's */
	CARD		/* the board's name from the upper word of its id */
};

/* How numbers are encoded: (word >> from & mask) >> down. */
static const struct number {
	uint32_t mask;
	uint8_t from, down;
} numbers[] = {
	[NUMBER] = { UINT32_MAX, 0, 0 }, [HALF] = { 0xffff, 0, 0 }, [UPPER] = { 0xffff, 16, 0 },
	[FIXED] = { UINT32_MAX, 0, 16 }, [SIXTEENTH] = { 0xffff, 0, 4 },
};

enum { GS = SIM_GS, WH = SIM_WH, BH = SIM_BH };

/* The source of an attribute: a tag, or on Grayskull a word of the legacy struct. */
static const struct row {
	uint8_t chips, kind, tag, gs_kind, gs_word;
	uint32_t mul;			/* of a number; 0: 1 */
} rows[ATTR_COUNT] = {
	[ATTR_TT_AICLK] = { GS | WH | BH, NUMBER, 14, HALF, 20, 0 },
	[ATTR_TT_AXICLK] = { GS | WH | BH, NUMBER, 15, HALF, 21, 0 },
	[ATTR_TT_ARCCLK] = { GS | WH | BH, NUMBER, 16, HALF, 22, 0 },
	[ATTR_TT_SERIAL] = { GS | WH | BH, HEX64, 1, HEX64, 4, 0 },
	[ATTR_TT_CARD_TYPE] = { GS | WH | BH, CARD, 1, CARD, 4, 0 },
	[ATTR_TT_ASIC_ID] = { WH | BH, HEX64, 61, NOTHING, 0, 0 },
	[ATTR_TT_FW_BUNDLE_VER] = { GS | WH | BH, VERSION4, 28, VERSION4, 39, 0 },
	[ATTR_TT_M3APP_FW_VER] = { WH | BH, VERSION4, 26, NOTHING, 0, 0 },
	[ATTR_TT_M3BL_FW_VER] = { WH, VERSION4, 27, NOTHING, 0, 0 },
	[ATTR_TT_ARC_FW_VER] = { GS | WH, VERSION4, 29, VERSION4, 6, 0 },
	[ATTR_TT_ETH_FW_VER] = { WH, ETH_VERSION, 24, NOTHING, 0, 0 },
	[ATTR_TT_TTFLASH_VER] = { GS | WH, VERSION4, 58, VERSION4, 38, 0 },
	[ATTR_TT_HEARTBEAT] = { WH | BH, NUMBER, 32, NOTHING, 0, 0 },
	[ATTR_TT_THERM_TRIP_COUNT] = { BH, NUMBER, 60, NOTHING, 0, 0 },
	[ATTR_HWMON_TEMP] = { GS | WH | BH, FIXED, 11, SIXTEENTH, 25, 1000 },
	[ATTR_HWMON_TEMP_MAX] = { GS | WH | BH, NUMBER, 56, HALF, 30, 1000 },
	[ATTR_HWMON_VCORE] = { GS | WH | BH, NUMBER, 6, NUMBER, 24, 0 },
	[ATTR_HWMON_VCORE_MAX] = { GS | WH | BH, UPPER, 9, UPPER, 29, 0 },
	[ATTR_HWMON_CURRENT] = { GS | WH | BH, NUMBER, 8, HALF, 28, 1000 },
	[ATTR_HWMON_CURRENT_MAX] = { GS | WH | BH, NUMBER, 55, UPPER, 28, 1000 },
	[ATTR_HWMON_POWER] = { GS | WH | BH, NUMBER, 7, HALF, 27, 1000000 },
	[ATTR_HWMON_POWER_MAX] = { GS | WH | BH, NUMBER, 64, UPPER, 27, 1000000 },
	[ATTR_HWMON_FAN] = { BH, NUMBER, 41, NOTHING, 0, 0 },
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

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (names[i].upi == (high >> 4 & 0xffff))
			return names[i].name;
	return "unknown";
}

static int format_word(enum kind kind, uint32_t w, uint32_t next, uint64_t mul, char *buf,
	size_t size)
{
	const struct number *n;

	switch (kind) {
	case NOTHING:
		return -ENOENT;
	case VERSION4:
		return snprintf(buf, size, "%u.%u.%u.%u\n", w >> 24, w >> 16 & 0xff, w >> 8 & 0xff,
			w & 0xff);
	case ETH_VERSION:
		return snprintf(buf, size, "%u.%u.%u\n", w >> 16 & 0xff, w >> 12 & 0xf, w & 0xfff);
	case HEX64:
		return snprintf(buf, size, "%08" PRIX32 "%08" PRIX32 "\n", w, next);
	case CARD:
		return snprintf(buf, size, "%s\n", card_name(w));
	default:
		n = &numbers[kind];
		return snprintf(buf, size, "%" PRIu32 "\n",
			(uint32_t)((w >> n->from & n->mask) * mul >> n->down));
	}
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
	const bool gs = c->board->like == DEVICE_GRAYSKULL;
	uint32_t none[2] = { 0 };
	const uint32_t *w = none;

	if (!(r->chips >> c->board->like & 1) || (!gs && !has_tag(c, r->tag)))
		return -ENOENT;
	if (now->window)
		return -ENODATA;
	if (now->dead && !now->no_table)
		none[0] = none[1] = UINT32_MAX;
	else if (now->booted && !now->no_table)
		w = gs ? &sim_words(c, now)->legacy[r->gs_word] : &sim_words(c, now)->tag[r->tag];
	return format_word(gs ? r->gs_kind : r->kind, w[0], w[1], r->mul ? r->mul : 1, buf, size);
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
	int n = -ENOENT;

	switch (attrs[a].dir) {
	case ATTR_CLASS:
	case ATTR_HWMON:
		n = firmware_attr(c, now, a, buf, size);
		break;
	case ATTR_PERF:
		n = perf_attr(c, now, a, buf, size);
		break;
	case ATTR_PCI:
		n = pci_attr(c, now, a, buf, size);
		break;
	}
	return n < 0 || (size_t)n < size ? n : -EFBIG;
}

/*
 * The boards, with the limits of chip-facts 3.3 and readings as in published snapshots.
 *
 * They have firmware of different ages, so that each path of the reader has a board: only the
 * legacy struct (n300, n150-old), tags on Wormhole (n300-new), with ethernet link states there
 * (n150, n300-links), Blackhole without clock arbiters (p150a-old), with them (p100a), with BIST
 * results (p150a ...), with ethernet link states (p300, galaxy) and with the newest tags (p150c).
 */

#define GRAYSKULL DEVICE_GRAYSKULL, .like = DEVICE_GRAYSKULL, \
	.cm_fw = 0x01070000, .bundle = 0x50040000, \
	.mhz_idle = 500, .mhz_max = 1200, .mv_idle = 750, .mv_busy = 860, .mv_min = 700, \
	.mv_max = 950, .temp_throttle = 75, .temp_shutdown = 83, .gddr = 0x3f, \
	.link_speed = 160, .link_width = 16, .asics = 1, .revision = 1, .fan = SIM_FAN_PERCENT

#define WORMHOLE DEVICE_WORMHOLE, .like = DEVICE_WORMHOLE, .app_fw = 0x050c0000, \
	.bl_fw = 0x81020000, .mhz_idle = 500, .mhz_max = 1000, .mv_idle = 800, \
	.mv_busy = 915, .mv_min = 800, .mv_max = 1000, \
	.temp_throttle = 75, .temp_shutdown = 83, .gddr = 0x3f, .eth = 0xffff, \
	.gddr_speed = 12000, .link_speed = 160, .link_width = 16

#define WORMHOLE_OLD .bundle = 0x12030000, .cm_fw = 0x02200000, .eth_fw = 0x0006e000
#define WORMHOLE_NEW .cm_fw = 0x02270000, .eth_fw = 0x00075000

#define N150 .upi = 0x18, .asics = 1, .revision = 6, .tensix = 0x3fd, .watt_idle = 20, \
	.watt_busy = 96, .watt_limit = 160, .amp_limit = 160, .temp_idle = 38, .temp_busy = 64

#define N300 .upi = 0x14, .asics = 2, .revision = 6, .remote = true, .tensix = 0x3ee, \
	.watt_idle = 22, .watt_busy = 74, .watt_limit = 85, .amp_limit = 160, .temp_idle = 41, \
	.temp_busy = 66

#define BLACKHOLE DEVICE_BLACKHOLE, .like = DEVICE_BLACKHOLE, .bl_fw = 0, \
	.mhz_idle = 800, .mhz_max = 1350, .mv_idle = 720, .mv_busy = 860, .mv_min = 700, \
	.mv_max = 900, .temp_throttle = 90, \
	.temp_shutdown = 110, .link_speed = 320

#define BLACKHOLE_OLD .bundle = 0x12080000, .cm_fw = 0x00110000, .app_fw = 0x000b0000, \
	.eth_fw = 0, .gddr_fw = 0x00020009
#define BLACKHOLE_NEW .cm_fw = 0x00200000, .app_fw = 0x00180000, .eth_fw = 0x00010800, \
	.gddr_fw = 0x0002000f

#define P150 .asics = 1, .tensix = 0x3fff, .eth = 0x3edf, .gddr = 0xff, .link_width = 16, \
	.watt_idle = 26, .watt_busy = 124, .watt_limit = 150, .board_watt_limit = 300, \
	.amp_limit = 200, .temp_idle = 42, .temp_busy = 71, .gddr_speed = 16000, .revision = 1

#define P300 .asics = 2, .tensix = 0x3ffc, .eth = 0x3edf, .gddr = 0xff, .link_width = 8, \
	.watt_idle = 22, .watt_busy = 80, .watt_limit = 86, .board_watt_limit = 450, \
	.amp_limit = 500, .temp_idle = 43, .temp_busy = 74, .bundle = 0x130b0000, \
	.gddr_speed = 16000, .revision = 1

/* Chips capable of x16 on boards that route one lane to most of them. */
#define GALAXY_BH .asics = 32, .galaxy = true, .tensix = 0x1fff, .eth = 0x3edf, \
	.bundle = 0x130b0000, .link_width = 16, .slot_width = 1, .wide_slot = 8, \
	.watt_idle = 24, .watt_busy = 112, .watt_limit = 130, .amp_limit = 500, \
	.temp_idle = 35, .temp_busy = 68

static const struct sim_board sim_boards[] = {
	{ "e75", GRAYSKULL, .upi = 0x07, .tensix = 0x3dd, .watt_idle = 18, .watt_busy = 62,
		.watt_limit = 75, .amp_limit = 80, .temp_idle = 38, .temp_busy = 66 },
	{ "e150", GRAYSKULL, .upi = 0x03, .tensix = 0x3ff, .watt_idle = 24, .watt_busy = 120,
		.watt_limit = 150, .amp_limit = 160, .temp_idle = 38, .temp_busy = 68 },
	{ "n150", WORMHOLE, WORMHOLE_NEW, N150, .bundle = 0x130a0000, .board_watt_limit = 160,
		.fan = SIM_FAN_PAIR },
	{ "n150-new", WORMHOLE, WORMHOLE_NEW, N150, .bundle = 0x130d0000, .board_watt_limit = 160,
		.fan = SIM_FAN_PAIR },
	{ "n150-old", WORMHOLE, WORMHOLE_OLD, N150, .fan = SIM_FAN_PERCENT },
	{ "n300", WORMHOLE, WORMHOLE_OLD, N300, .fan = SIM_FAN_PERCENT },
	{ "n300-new", WORMHOLE, WORMHOLE_NEW, N300, .bundle = 0x13060000, .board_watt_limit = 300 },
	{ "n300-links", WORMHOLE, WORMHOLE_NEW, N300, .bundle = 0x130a0000,
		.board_watt_limit = 300 },
	{ "p100", BLACKHOLE, BLACKHOLE_OLD, P150, .upi = 0x36 },
	{ "p100a", BLACKHOLE, BLACKHOLE_NEW, .upi = 0x43, .bundle = 0x13060000, .asics = 1,
		.tensix = 0x0fff, .eth = 0, .gddr = 0xf7, .link_width = 16, .watt_idle = 24,
		.watt_busy = 110, .watt_limit = 150, .board_watt_limit = 300, .amp_limit = 200,
		.temp_idle = 41, .temp_busy = 68, .fan = SIM_FAN_RPM, .gddr_speed = 16000,
		.revision = 1 },
	{ "p150a", BLACKHOLE, BLACKHOLE_NEW, P150, .upi = 0x40, .bundle = 0x130b0000,
		.fan = SIM_FAN_RPM },
	{ "p150a-old", BLACKHOLE, BLACKHOLE_OLD, P150, .upi = 0x40, .fan = SIM_FAN_RPM },
	{ "p150b", BLACKHOLE, BLACKHOLE_NEW, P150, .upi = 0x41, .bundle = 0x13080000 },
	{ "p150c", BLACKHOLE, BLACKHOLE_NEW, P150, .upi = 0x42, .bundle = 0x130f0000 },
	{ "p300a", BLACKHOLE, BLACKHOLE_NEW, P300, .upi = 0x45, .fan = SIM_FAN_RPM,
		.alias = { "p300" } },
	{ "p300b", BLACKHOLE, BLACKHOLE_NEW, P300, .upi = 0x44 },
	{ "p300c", BLACKHOLE, BLACKHOLE_NEW, P300, .upi = 0x46 },
	{ "p150a-x8", BLACKHOLE, BLACKHOLE_NEW, P150, .upi = 0x40, .bundle = 0x130b0000,
		.fan = SIM_FAN_RPM, .slot_width = 8 },
	{ "tt-galaxy-wh", WORMHOLE, WORMHOLE_NEW, .upi = 0x35, .asics = 32, .galaxy = true,
		.revision = 1, .bundle = 0x130a0000, .tensix = 0x3ff, .watt_idle = 24,
		.watt_busy = 100, .watt_limit = 130, .amp_limit = 200, .temp_idle = 34,
		.temp_busy = 60, .slot_width = 1, .alias = { "galaxy-wh", "galaxy-wormhole" } },
	{ "tt-galaxy-bh", BLACKHOLE, BLACKHOLE_NEW, GALAXY_BH, .upi = 0x47, .gddr = 0xff,
		.gddr_speed = 14000, .revision = 1, .slot_speed = 160,
		.alias = { "galaxy-bh", "galaxy-blackhole" } },
	{ "tt-galaxy-bh-c", BLACKHOLE, BLACKHOLE_NEW, GALAXY_BH, .upi = 0x47,
		.gddr = 0xff, .gddr_speed = 16000, .revision = 3, .alias = { "galaxy-bh-c" } },
	{ "tt-galaxy-bh-bin6", BLACKHOLE, BLACKHOLE_NEW, GALAXY_BH, .upi = 0x202,
		.gddr = 0xf7, .gddr_speed = 16000, .revision = 3, .alias = { "galaxy-bh-bin6" } },
};

const char *sim_board_name(size_t i)
{
	return i < ARRAY_LEN(sim_boards) ? sim_boards[i].name : NULL;
}

/* The board with this name or alias, or NULL. */
static const struct sim_board *sim_board_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(sim_boards); i++) {
		const struct sim_board *b = &sim_boards[i];

		if (strcmp(b->name, name) == 0 || (b->alias[0] && strcmp(b->alias[0], name) == 0) ||
			(b->alias[1] && strcmp(b->alias[1], name) == 0))
			return b;
	}
	return NULL;
}

/* The faults, and the argument of --sim. */

#define MOST  43	/* characters of the longest valid word */
#define PIECE 48	/* fits it, and a wrong one to quote */

#define RESET_TIME (3 * CLOCK_SECOND)	/* of SIM_RESET if no end is given */

const struct sim_fault_info sim_faults[SIM_FAULTS] = {
	[SIM_OFF] = { "off", "off the bus: every word reads all-ones" },
	[SIM_HANG] = { "hang", "the chip reads all-ones, PCIe is fine" },
	[SIM_STUCK] = { "stuck", "the firmware has stopped" },
	[SIM_SLOW] = { "slow", "each access takes 30 s" },
	[SIM_GONE] = { "gone", "not on the bus any more" },
	[SIM_VFIO] = { "vfio", "another driver has it, vfio-pci" },
	[SIM_NODELESS] = { "nodeless", "its device node is missing, as in a container" },
	[SIM_EIO] = { "eio", "each access fails" },
	[SIM_DRAM] = { "dram", "a memory channel is not trained" },
	[SIM_ETH] = { "eth", "an ethernet link is down" },
	[SIM_ETHSTUCK] = { "ethstuck", "the firmware of an ethernet core has stopped" },
	[SIM_RETRAIN] = { "retrain", "an ethernet link has errors and retrains" },
	[SIM_HOT] = { "hot", "over the throttle limit" },
	[SIM_MEMHOT] = { "memhot", "its memory is over the throttle limit" },
	[SIM_FAN] = { "fan", "its fan does not turn" },
	[SIM_OVERPOWER] = { "overpower", "draws more power than its limit allows" },
	[SIM_CABLE] = { "cable", "its power cable is not connected" },
	[SIM_REGULATOR] = { "regulator", "its firmware reports a fault of its regulators" },
	[SIM_BIST] = { "bist", "a memory channel failed its self-test" },
	[SIM_WIRE] = { "wire", "a link to another chip of its board is down" },
	[SIM_NOPEER] = { "nopeer", "its second chip cannot be reached" },
	[SIM_GARBAGE] = { "garbage", "impossible values beside good ones" },
	[SIM_WIDTH] = { "width", "a slower and narrower PCIe link" },
	[SIM_RESETFAIL] = { "resetfail", "does not come back from a reset" },
	[SIM_BITFLIP] = { "bitflip", "memory loses bits" },
	[SIM_LANE] = { "lane", "a byte lane of a memory channel is late, until a reset" },
	[SIM_HELD] = { "held", "another process has the card" },
	[SIM_LATE] = { "late", "each register reads all-ones after 0.15 s" },
	[SIM_JOB] = { "job", "a program computes on it, and none before and after" },
	[SIM_RUNTIME] = { "runtime", "a runtime counts its work: =ANY/CORES percent" },
	[SIM_EXCLUSIVE] = { "exclusive", "a program tries to open it alone, every 10 ms" },
	[SIM_RESET] = { "reset", "another program resets the card" },
	[SIM_LEFT] = { "left", "a reset of it was begun and not ended, until another" },
	[SIM_NORESET] = { "noreset", "a reset is reported as done, but is not" },
	[SIM_DMC] = { "dmc", "only its controller resets it, and it is back after 13 s" },
	[SIM_FALSEFAIL] = { "falsefail", "a reset is done, but reported as failed" },
	[SIM_EINTR] = { "eintr", "the first reset call is interrupted" },
	[SIM_VANISH] = { "vanish", "the driver lets go of the card in the middle of a reset" },
	[SIM_UNBOUND] = { "unbound", "the driver is unbound from it in the middle of a reset" },
	[SIM_RENUMBER] = { "renumber", "comes back from a reset as another node" },
	[SIM_NARROW] = { "narrow", "comes back from a reset with a narrower link" },
	[SIM_DEADBEAT] = { "deadbeat", "its firmware stops right after a reset" },
	[SIM_MUTE] = { "mute", "its firmware answers no message after a reset" },
	[SIM_UNTRAINED] = { "untrained", "comes back from a reset with memory not trained" },
	[SIM_LINKLOST] = { "linklost", "comes back from a reset with an ethernet link down" },
	[SIM_PEERLOST] = { "peerlost", "comes back from a reset without its second chip" },
	[SIM_EXPORTED] = { "exported", "the driver refuses to reset it: its memory is exported" },
	[SIM_OLDDRIVER] = { "olddriver", "driver 2.0.0, which knows no reset of the chip" },
};

/* Copy a text; a long one ends in dots, so that a message stays one line. */
static const char *piece(char buf[static PIECE], const char *text)
{
	const bool fits = strlen(text) <= MOST;

	snprintf(buf, PIECE, "%.*s%s", fits ? MOST : MOST + 1, text, fits ? "" : "...");
	return buf;
}

static int bad_board(const char *word, struct error *e)
{
	char list[256] = "";

	for (size_t i = 0; i < ARRAY_LEN(sim_boards); i++)
		text_join(list, sizeof(list), " ", "%s", sim_boards[i].name);
	return fail_as(e, CODE_BAD_VALUE, -EINVAL, "no board is called '%s': %s", word, list);
}

static int bad_fault(const char *word, struct error *e)
{
	char list[512] = "";

	for (size_t i = 0; i < SIM_FAULTS; i++)
		text_join(list, sizeof(list), " ", "%s", sim_faults[i].name);
	/* Cut the word short to leave room for the names. */
	return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%.8s': none of %s", word, list);
}

static int find_fault(const char *name)
{
	for (int i = 0; i < SIM_FAULTS; i++)
		if (strcmp(sim_faults[i].name, name) == 0)
			return i;
	return -1;
}

/* "5" or "5-10" after the @ of a fault; both ends may have a fraction. */
static bool parse_time(char *text, struct sim_fault *f)
{
	const bool fits = strlen(text) <= MOST;
	const char *from = strsep(&text, "-");

	return fits && parse_seconds(from, &f->from) &&
		(!text || (parse_seconds(text, &f->to) && f->to > f->from));
}

/* "60/20" or "60/20+a+q2": the shares of a runtime in percent, and how it counts. */
static bool parse_runtime(char *text, struct sim_fault *f)
{
	static const char *const words[] = { "a", "c", "q2", "q3", "early", "slow", "mute", "dead",
		"torn", "ones", "raw", "off" };
	uint64_t any, cores;
	char *word, *second;

	while ((word = strsep(&text, "+"))) {
		size_t i = 0;

		while (i < ARRAY_LEN(words) && strcmp(words[i], word) != 0)
			i++;
		if (i < ARRAY_LEN(words)) {
			f->runtime |= (uint16_t)(1U << i);
			continue;
		}
		second = strchr(word, '/');
		if (!second)
			return false;
		*second++ = '\0';
		if (strlen(word) > 3 || strlen(second) > 3 || !parse_u64(word, &any) ||
			!parse_u64(second, &cores) || any > 100 || cores > any)
			return false;
		f->any = (uint8_t)any;
		f->cores = (uint8_t)cores;
	}
	return true;
}

/* One NAME[=WORD[+WORD...]][@FROM[-TO]]. */
static int parse_fault(char *text, struct sim_spec_board *b, struct error *e)
{
	struct sim_fault f = { .to = INT64_MAX };
	char whole[PIECE];
	char *name, *value;
	int kind;

	piece(whole, text);
	value = strsep(&text, "@");
	name = strsep(&value, "=");
	kind = find_fault(name);
	if (kind < 0)
		return bad_fault(name, e);
	f.kind = (enum sim_fault_kind)kind;
	if (value && (kind != SIM_RUNTIME || strlen(value) > MOST || !parse_runtime(value, &f)))
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%s': only a runtime takes a value, as "
			"in runtime=60/20+a (see tt-smi-sim(7))", whole);
	if (text && !parse_time(text, &f))
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%s': a fault's time is @SECONDS or "
			"@FROM-TO, as in hang@5 or gone@5-10.5", whole);
	if (b->n_faults == SIM_BOARD_FAULTS)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%s': a board takes at most %d faults",
			whole, SIM_BOARD_FAULTS);
	if (f.kind == SIM_RESET && f.to == INT64_MAX && f.from < INT64_MAX - RESET_TIME)
		f.to = f.from + RESET_TIME;
	b->faults[b->n_faults++] = f;
	return 0;
}

/* Take the N off N*BOARD, or 1 if there is none; *text becomes the rest. */
static int parse_count(char **text, uint64_t *count, struct error *e)
{
	const char *number;
	char whole[PIECE];

	*count = 1;
	if (!strchr(*text, '*'))
		return 0;
	piece(whole, *text);
	number = strsep(text, "*");
	if (strlen(number) > MOST || !parse_u64(number, count) || *count < 1 || *count > SIM_CHIPS)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%s': a count is 1 to %d, as in "
			"4*p150a",
			whole, SIM_CHIPS);
	return 0;
}

/* One [N*]BOARD[:FAULT...]. */
static int parse_board(char *text, struct sim_spec *out, struct error *e)
{
	struct sim_spec_board b = { 0 };
	char whole[PIECE], word[PIECE], *next;
	uint64_t count;
	int r = parse_count(&text, &count, e);

	if (r < 0)
		return r;
	piece(whole, text);
	next = strsep(&text, ":");
	b.board = sim_board_find(next);
	if (!b.board)
		return bad_board(piece(word, next), e);
	while ((next = strsep(&text, ":"))) {
		r = parse_fault(next, &b, e);
		if (r < 0)
			return r;
	}
	out->n_chips += count * b.board->asics;
	if (out->n_chips > SIM_CHIPS)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%s': more than %d chips in all", whole,
			SIM_CHIPS);
	while (count--)
		out->boards[out->n++] = b;
	return 0;
}

int sim_spec_parse(const char *text, struct sim_spec *out, struct error *e)
{
	char *copy = mem_dup_text(text), *next = copy, *word;
	int r = 0;

	memset(out, 0, sizeof(*out));
	while (r == 0 && (word = strsep(&next, ","))) {
		size_t len;

		word += strspn(word, " ");
		for (len = strlen(word); len > 0 && word[len - 1] == ' '; len--)
			word[len - 1] = '\0';
		r = *word ? parse_board(word, out, e) :
			fail_as(e, CODE_BAD_VALUE, -EINVAL, "a board is missing: the list is "
				"[N*]BOARD[:FAULT...] with commas between, as in "
				"2*p150a,n300:hang@5");
	}
	free(copy);
	return r;
}
