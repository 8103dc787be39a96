/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chip.h - how each chip's firmware encodes its telemetry, in tables only; and the known boards.
 *
 * A row takes a word (a tag, a word of the legacy struct, an attribute) and
 * says which of its bits are which field.  An encoding that does not fit a row
 * gets a new decode kind in decode.c, never an `if (chip == ...)`.
 */
#pragma once

#include "device/ident.h"
#include "telemetry/field.h"
#include "telemetry/raw.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A board, by the UPI inside the board id (chip-facts 3.1). */
struct board {
	uint32_t upi;
	const char *name;	/* as upstream's tool prints it: "n300", "tt-galaxy-wh" */
	const char *kmd_name;	/* the driver's tt_card_type */
	enum device_chip chip;
	uint8_t asics;		/* on the board; 32 for a galaxy */
	bool remote;		/* the second ASIC has no PCIe of its own */
	bool resettable;	/* by -r (a wh_4u module is not) */
	uint8_t rows;		/* Wormhole: enabled rows of compute tiles, of 10; 0: not known */
	int8_t spares;		/* memory channels of its chip that are off; -1: one may be */
	uint8_t fans;		/* that its firmware turns; a Wormhole's variants may have none */
};

/* Board id: UPI in bits 36 to 55, revision in 32 to 35. */
uint32_t board_upi(uint64_t board_id);
unsigned board_revision(uint64_t board_id);

/* What a board's wiring allows a chip's PCIe link, where that is less than the chip can do. */
struct board_link {
	int32_t speed;		/* MT/s; 0: not known */
	int32_t width;		/* lanes; 0: not known */
};

/* `place` is the chip's place on the board, 0: not known; revision -1: not known. */
struct board_link board_link(uint32_t upi, int revision, int place);

/* NULL where unknown. */
const struct board *board_find(uint32_t upi);
const struct board *board_find_name(const char *name);	/* either name */

/* How many of its chips are on PCIe; 1 if the board is not known. */
unsigned board_on_pcie(uint32_t upi);

enum decode_kind {
	DECODE_BITS,		/* (word >> shift & mask(bits)) * mul / div, rounded */
	DECODE_NONZERO,		/* the same, and 0 means "there is none" */
	DECODE_SIGNED,		/* the same bits as two's complement */
	DECODE_S16_16,		/* signed 16.16 of the word * mul; 0x80000000 is a sensor error */
	DECODE_S16_16_NONZERO,	/* the same, and 0 means "there is none" */
	DECODE_HIGH64,		/* upper half of a 64-bit id; the row right below completes it */
	DECODE_LOW64,
	DECODE_ETH_VERSION,	/* Wormhole's 8/4/12 bits to FIELD_VERSION3's 8/8/12 */
	DECODE_ETH_VERSION8,	/* Blackhole's 8/8/8 to the same */
	DECODE_BUNDLE,		/* legacy bundle; valid when word 6, ARC0_FW, is >= mul */
	DECODE_DDR_2BIT,	/* GDDR_STATUS, two bits for each of `bits` channels */
	DECODE_DDR_2BIT_SPARE,	/* the same, and one channel may be harvested */
	DECODE_DDR_4BIT_WH,	/* legacy DDR_STATUS: nibbles 0 none, 1 fail, 2 pass, 3 skip */
	DECODE_DDR_4BIT_GS,	/* nibbles 0 fail, 1 pass */
	DECODE_DDR_SPEED_CODE,	/* Wormhole legacy bits 31-24: 0 is 16G ... 4 is 8G */
	DECODE_FAN_PAIR,	/* hi16 left, lo16 right fan, 0xffff absent: two fields */
	DECODE_TEXT_INT,	/* an attribute: whole number * mul / div */
	DECODE_TEXT_NONZERO,	/* the same, and 0 means "there is none" */
	DECODE_TEXT_HEX,
	DECODE_TEXT_VERSION4,
	DECODE_TEXT_VERSION3
};

struct decode {
	enum field_id field;
	uint16_t key;		/* tag number, word index or enum attr */
	uint8_t kind;		/* enum decode_kind */
	uint8_t shift, bits;	/* bits 0 means all 32 */
	int32_t mul, div;	/* word steps to field steps; 0 means 1 */
	uint32_t absent;	/* this value means "there is none"; 0: no value does */
	bool ones;		/* a word of all ones is a value, not a missing answer */
	/*
	 * The driver makes an attribute of a word * step in 32 bits; a value between two steps
	 * has wrapped (driver-behaviour 1).  0: no value wraps.
	 */
	int32_t step;
	/*
	 * The firmware bundles that encode it this way, as 0xaabbccdd, from
	 * inclusive and to exclusive; 0: no bound (chip-facts 2.2.2).
	 */
	uint32_t from, to;
};

/* What firmware reports as faulty, a bit each (chip-facts 2.1). */
enum chip_error {
	CHIP_ERROR_REGULATOR, CHIP_ERROR_CABLE, CHIP_ERROR_CORES, CHIP_ERROR_CONTROLLERS,
	CHIP_ERROR_TRAINING, CHIP_ERRORS
};

/* Where the telemetry is; addresses from chip-facts 2.1 to 2.3. */
struct chip_map {
	struct reg_addr table_ptr, values_ptr;	/* addr 0: this chip has no tag table */
	struct reg_addr csm;			/* where ARC address 0x10000000 can be read */
	uint32_t legacy;			/* of the legacy struct; 0: none, or the firmware
						   has to be asked for it */
	struct reg_addr hang;			/* reads all-ones only when the chip hangs */
	struct reg_addr boot;			/* boot status word */
	struct reg_addr errors;			/* its error word, enum chip_error; addr 0: none */
	struct reg_addr runtime;		/* address and size of the buffer for a runtime */
	uint32_t runtime_since;			/* the first bundle that has one */
	uint32_t boot_mask, boot_value;		/* (word & mask) == value: telemetry is ready */
};

/* In the order in which they are tried: the first plausible value is kept. */
enum chip_table {
	CHIP_COMMON_TAGS, CHIP_TAGS, CHIP_LEGACY, CHIP_COMMON_ATTRS, CHIP_ATTRS, CHIP_TABLES
};

struct chip {
	enum device_chip id;
	const char *name;		/* "Blackhole" */
	struct chip_map map, remote;	/* remote: the same, seen from the other side of a link */
	const struct decode *rows[CHIP_TABLES];	/* each ended by FIELD_NONE; see chip_rows() */
	const enum field_id *never;	/* fields of common tags that this chip lacks; NULL: none */
	const char *const *legacy_names;		/* n_legacy upstream names by index */
	size_t n_legacy;
	enum field_id heartbeat_raw;	/* the field with the heartbeat */
	uint16_t heartbeat_div;		/* upstream shows value / this (chip-facts 3.5) */
	bool has_sides;			/* upstream's names of its boards end in L or R */
	bool swaps_limits;		/* upstream prints two limits swapped (chip-facts 3.3) */
	bool date_is_version;		/* upstream prints a version in place of the date (6.1) */
	uint8_t gddr_limit;		/* °C at which it throttles for its memory; 0: not known */
	uint8_t gddr_channels;		/* in upstream's gddr_telemetry; 0: it prints none */
	bool gddr_is_training;		/* which has speed and training alone */
	bool prints_ethernet;		/* upstream prints the ethernet of local chips */
	uint8_t eth_channels;
	const uint8_t (*eth_xy)[2];	/* NOC0 coordinates of each ethernet channel */
};

extern const struct chip chip_grayskull, chip_wormhole, chip_blackhole;
extern const struct decode chip_common_tags[], chip_common_attrs[];

/* NULL for DEVICE_UNKNOWN. */
const struct chip *chip_find(enum device_chip id);

/*
 * Where and how upstream prints readings, in its order.  FIELD_NONE: always 0.  Keys of its older
 * versions are only read.
 */
struct chip_printed {
	const char *section, *key;
	enum field_id id;
	int decimals, width;
	bool is_old;
};

/* The row after this one, or the first after NULL, of a section, or of all for NULL; or NULL. */
const struct chip_printed *chip_printed_next(const char *section, const struct chip_printed *row);

/* The field that upstream prints as `id` of this chip, or FIELD_NONE; c may be NULL. */
enum field_id chip_printed_as(const struct chip *c, enum field_id id);

/* A table of a chip; empty where the chip does not have it. */
const struct decode *chip_rows(const struct chip *c, enum chip_table t);

/* Whether any firmware of the chip has this field; true for one in no chip's table (a rate). */
bool chip_may_have(const struct chip *c, enum field_id id);

/*
 * The index of a legacy word by upstream's name of any era ("DM_APP_FW_VERSION",
 * "M3_APP_FW_VERSION"), with or without "SMBUS_TX_"; -1 where unknown.
 */
int chip_legacy_find(const struct chip *c, const char *name);

/* Names of the tags (chip-facts 2.2.1): the firmware's and, where it differs, upstream's tool's. */
struct tag_name {
	uint16_t tag;
	const char *name;
	const char *smi_name;	/* NULL: the same */
};
extern const size_t tag_names_len;
const struct tag_name *tag_find(uint16_t tag);

/* A tag by either name, or by "SMBUS_TX_" plus one of them; -1 where unknown. */
int tag_find_name(const char *name);
