/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_board.c - the boards, with the limits of chip-facts 3.3 and readings as in
 * published snapshots.
 *
 * The boards have firmware of different ages, so that each path of the reader has
 * a board: only the legacy struct (n300, n150-old), tags on Wormhole (n150, n300-new),
 * Blackhole without clock arbiters (p150a-old), with them (p100a), with BIST
 * results (p150a ...), with ethernet link states (p300, galaxy) and with the
 * newest tags (p150c).
 */
#include "config.h"
#include "device/sim/sim_board.h"
#include "base/array.h"
#include "device/sim/sim.h"

#include <string.h>

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

const struct sim_board sim_boards[] = {
	{ "e75", NULL, GRAYSKULL, .upi = 0x07, .tensix = 0x3dd, .watt_idle = 18, .watt_busy = 62,
		.watt_limit = 75, .amp_limit = 80, .temp_idle = 38, .temp_busy = 66 },
	{ "e150", NULL, GRAYSKULL, .upi = 0x03, .tensix = 0x3ff, .watt_idle = 24, .watt_busy = 120,
		.watt_limit = 150, .amp_limit = 160, .temp_idle = 38, .temp_busy = 68 },
	{ "n150", NULL, WORMHOLE, WORMHOLE_NEW, .upi = 0x18, .asics = 1, .revision = 6,
		.bundle = 0x130a0000,
		.tensix = 0x3fd, .watt_idle = 20, .watt_busy = 96, .watt_limit = 160,
		.board_watt_limit = 160, .amp_limit = 160, .temp_idle = 38, .temp_busy = 64,
		.fan = SIM_FAN_PAIR },
	{ "n150-old", NULL, WORMHOLE, WORMHOLE_OLD, .upi = 0x18, .asics = 1, .revision = 6,
		.tensix = 0x3fd,
		.watt_idle = 20, .watt_busy = 96, .watt_limit = 160, .amp_limit = 160,
		.temp_idle = 38, .temp_busy = 64, .fan = SIM_FAN_PERCENT },
	{ "n300", NULL, WORMHOLE, WORMHOLE_OLD, .upi = 0x14, .asics = 2, .revision = 6,
		.remote = true,
		.tensix = 0x3ee, .watt_idle = 22, .watt_busy = 74, .watt_limit = 85,
		.amp_limit = 160, .temp_idle = 41, .temp_busy = 66, .fan = SIM_FAN_PERCENT },
	{ "n300-new", NULL, WORMHOLE, WORMHOLE_NEW, .upi = 0x14, .asics = 2, .revision = 6,
		.remote = true,
		.bundle = 0x13060000, .tensix = 0x3ee, .watt_idle = 22, .watt_busy = 74,
		.watt_limit = 85, .board_watt_limit = 300, .amp_limit = 160, .temp_idle = 41,
		.temp_busy = 66 },
	{ "p100", NULL, BLACKHOLE, BLACKHOLE_OLD, P150, .upi = 0x36 },
	{ "p100a", NULL, BLACKHOLE, BLACKHOLE_NEW, .upi = 0x43, .bundle = 0x13060000, .asics = 1,
		.tensix = 0x0fff, .eth = 0, .gddr = 0xf7, .link_width = 16, .watt_idle = 24,
		.watt_busy = 110, .watt_limit = 150, .board_watt_limit = 300, .amp_limit = 200,
		.temp_idle = 41, .temp_busy = 68, .fan = SIM_FAN_RPM, .gddr_speed = 16000,
		.revision = 1 },
	{ "p150a", NULL, BLACKHOLE, BLACKHOLE_NEW, P150, .upi = 0x40, .bundle = 0x130b0000,
		.fan = SIM_FAN_RPM },
	{ "p150a-old", NULL, BLACKHOLE, BLACKHOLE_OLD, P150, .upi = 0x40, .fan = SIM_FAN_RPM },
	{ "p150b", NULL, BLACKHOLE, BLACKHOLE_NEW, P150, .upi = 0x41, .bundle = 0x13080000 },
	{ "p150c", NULL, BLACKHOLE, BLACKHOLE_NEW, P150, .upi = 0x42, .bundle = 0x130f0000 },
	{ "p300a", "p300", BLACKHOLE, BLACKHOLE_NEW, P300, .upi = 0x45, .fan = SIM_FAN_RPM },
	{ "p300b", NULL, BLACKHOLE, BLACKHOLE_NEW, P300, .upi = 0x44 },
	{ "p300c", NULL, BLACKHOLE, BLACKHOLE_NEW, P300, .upi = 0x46 },
	{ "p150a-x8", NULL, BLACKHOLE, BLACKHOLE_NEW, P150, .upi = 0x40, .bundle = 0x130b0000,
		.fan = SIM_FAN_RPM, .slot_width = 8 },
	{ "tt-galaxy-wh", "galaxy-wh galaxy-wormhole", WORMHOLE, WORMHOLE_NEW, .upi = 0x35,
		.asics = 32, .galaxy = true, .revision = 1, .bundle = 0x130a0000, .tensix = 0x3ff,
		.watt_idle = 24, .watt_busy = 100, .watt_limit = 130, .amp_limit = 200,
		.temp_idle = 34, .temp_busy = 60, .slot_width = 1 },
	{ "tt-galaxy-bh", "galaxy-bh galaxy-blackhole", BLACKHOLE, BLACKHOLE_NEW, GALAXY_BH,
		.upi = 0x47, .gddr = 0xff, .gddr_speed = 14000, .revision = 1, .slot_speed = 160 },
	{ "tt-galaxy-bh-c", "galaxy-bh-c", BLACKHOLE, BLACKHOLE_NEW, GALAXY_BH, .upi = 0x47,
		.gddr = 0xff, .gddr_speed = 16000, .revision = 3 },
	{ "tt-galaxy-bh-bin6", "galaxy-bh-bin6", BLACKHOLE, BLACKHOLE_NEW, GALAXY_BH, .upi = 0x202,
		.gddr = 0xf7, .gddr_speed = 16000, .revision = 3 },
};
const size_t sim_boards_len = ARRAY_LEN(sim_boards);

const char *sim_board_name(size_t i)
{
	return i < sim_boards_len ? sim_boards[i].name : NULL;
}

/* Whether `name` is one of the words in `list`. */
static bool is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	while (list && *list) {
		size_t word = strcspn(list, " ");

		if (word == len && memcmp(list, name, len) == 0)
			return true;
		list += word + strspn(list + word, " ");
	}
	return false;
}

const struct sim_board *sim_board_find(const char *name)
{
	for (size_t i = 0; i < sim_boards_len; i++)
		if (strcmp(sim_boards[i].name, name) == 0 || is_listed(sim_boards[i].alias, name))
			return &sim_boards[i];
	return NULL;
}
