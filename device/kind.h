/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kind.h - the facts about a kind of chip below its telemetry: its PCI id, how
 * it is reached, which registers may be touched, its place in a galaxy.
 */
#pragma once

#include "device/device.h"

enum kind_tile {
	TILE_NONE,	/* BAR0 */
	TILE_ARC,
	TILE_ETH,
	TILE_TENSIX,	/* also harvested ones: the caller must know them and not read them */
	TILE_DRAM	/* the same */
};

/* Purposes of a rule, one bit per enum access_purpose. */
enum {
	FOR_ANY = 1 << ACCESS_TELEMETRY | 1 << ACCESS_RESET | 1 << ACCESS_BURN |
		1 << ACCESS_MEMORY | 1 << ACCESS_BUSY,
	FOR_RESET = 1 << ACCESS_RESET,
	FOR_BURN = 1 << ACCESS_BURN,
	FOR_ACTS = FOR_RESET | FOR_BURN,
	FOR_CORES = FOR_BURN | 1 << ACCESS_BUSY,
	FOR_MEMORY = FOR_BURN | 1 << ACCESS_MEMORY
};

/* Registers that are known to be harmless, and the purposes they serve. */
struct kind_rule {
	enum kind_tile tile;
	uint64_t start, end;	/* end is exclusive; 0 ends a table of rules */
	bool store;		/* may be written too */
	unsigned purposes;
};

#define KIND_PORTS 3	/* endpoints of a memory channel */

struct device_kind {
	const char *name;		/* "Wormhole", as users write it */
	uint16_t pci_device;
	const char *last_driver;	/* the newest that binds it; NULL: today's still do */
	unsigned power_since;		/* first driver whose power states work, 0xaabbcc; 0: any */
	uint16_t idle_mhz;		/* idle clock (chip-facts 2.2.2); 0: not known */
	bool lingers;			/* drivers delay its power-down */
	uint64_t hang;			/* in BAR0; all ones only if the chip hangs; 0: none */
	uint64_t windows[3];		/* sizes that the driver lends, smallest first */
	bool in_bar0;			/* telemetry is in BAR0; else it needs a window */
	uint8_t arc_x, arc_y;		/* the ARC's tile, NOC0 */
	const struct kind_rule *rules;
	const char *no_reset;		/* why it is not reset, for users; NULL: it is reset */
	bool cores_only;		/* no driver resets it; registers reset only its cores */
	uint64_t reset_bar0;		/* start of the BAR0 mapping for a reset; 0: as always */
	/* First driver that resets it by this call, 0xaabbcc; only below 2.4; 0: none does. */
	unsigned reset_since[DEVICE_RESETS];
	const uint8_t (*eth_xy)[2];	/* tiles of the ethernet channels */
	size_t n_eth;
	uint8_t eth_moved[2];		/* first core's tile with translation; 0: not moved */
	uint16_t eth_spare[2];		/* masks: one core of each is off and not translated */
	struct reg_rect tensix;		/* the compute tiles, except these: */
	uint16_t other_columns, other_rows;	/* bit masks */
	uint32_t tensix_memory;		/* bytes of each */
	/* The NOC0 row (Wormhole) or column of the die's n-th line of tiles, which may be off. */
	const uint8_t *tensix_lines;
	uint8_t n_tensix_lines;
	bool tensix_in_rows;		/* else columns, and translation puts live ones first */
	/* Wormhole: the first translated tile: two rows of ethernet cores, then live tiles. */
	uint8_t moved[2];
	const uint8_t (*dram_xy)[KIND_PORTS][2];	/* tiles of the memory channels */
	size_t n_dram;
	uint64_t dram_size;		/* bytes of a channel */
	bool dram_moves;		/* firmware moves a channel that is off to the last place */
	bool dram_turns;		/* in the second half ports count from the other end */
	uint16_t galaxy[2];		/* PCI subsystem ids of a galaxy's chips; 0: none */
	uint8_t galaxy_bus[4];		/* high digit of the bus number, by tray */
};

/* Never NULL: the kind of an unknown chip allows no access. */
const struct device_kind *kind_of(enum device_chip chip);

/*
 * The address of a memory channel's byte through one of its endpoints, on a chip
 * that has the channels in this bit mask.
 */
struct reg_addr kind_dram(const struct device_kind *k, uint32_t enabled, unsigned channel,
	unsigned port, uint64_t addr);

/*
 * The tile of an ethernet core, on a chip that has the cores in this bit mask.  False: there is no
 * such core, or its tile is not known for certain.
 */
bool kind_eth(const struct device_kind *k, uint32_t on, bool translated, unsigned core,
	uint8_t xy[2]);

/* Which cores firmware reports as enabled, and whether it translates their coordinates. */
struct kind_cores {
	uint32_t tensix;	/* the lines of compute tiles, a bit each */
	uint32_t eth;
	bool translated;
};

/* Coordinates of compute tiles that are off, a bit each: rows if tensix_in_rows, else columns. */
uint32_t kind_tensix_off(const struct device_kind *k, uint32_t live, bool translated);

/* How many compute tiles and ethernet cores are enabled. */
unsigned kind_count_cores(const struct device_kind *k, const struct kind_cores *on);

/*
 * Find the tile of an enabled core by the coordinates that a runtime uses, translated or not, where
 * both are valid.  False: no enabled core has them.
 */
bool kind_find_core(const struct device_kind *k, const struct kind_cores *on, unsigned x,
	unsigned y, uint8_t xy[2]);

/* The endpoint that has this number in the channel's controller; -1: there is none. */
int kind_dram_port(const struct device_kind *k, unsigned channel, unsigned number);

extern const struct device_kind kind_grayskull, kind_wormhole, kind_blackhole;

/* In a galaxy the digits of the bus number are tray and chip (chip-facts 1.2 and 5.4). */

#define GALAXY_TRAYS 4
#define GALAXY_CHIPS 8	/* of a tray */

/* Bus numbers by tray, without the chip's digit; NULL: this chip is not built into galaxies. */
const uint8_t *galaxy_buses(enum device_chip chip);

/* The tray, 1 to 4, and in *chip (may be NULL) its chip, 1 to 8; 0: not in a galaxy. */
int galaxy_tray(const struct device *d, int *chip);

/* The same for a chip with this subsystem id at this address. */
int galaxy_place(enum device_chip kind, uint16_t subsystem, const char *bdf, int *chip);

/* "2.10.0" or "1.29" as 0xaabbcc; 0 where it is not a version. */
unsigned driver_version(const char *text);
