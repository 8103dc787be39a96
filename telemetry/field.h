/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * field.h - the quantities we know, one row each.
 *
 * Screen, JSON, CSV, workbook, --fields, help and the manual's check walk this
 * table; a row added here shows up in each of them.  How a chip encodes a
 * quantity is in the chip's own table, telemetry/chip/chip_*.c.
 */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_id {
	FIELD_NONE,		/* no field; never read */

	/* Values that change from sample to sample. */
	FIELD_VCORE, FIELD_CURRENT, FIELD_POWER, FIELD_BOARD_POWER,
	FIELD_AICLK, FIELD_ARCCLK, FIELD_AXICLK,
	FIELD_L2CPUCLK0, FIELD_L2CPUCLK1, FIELD_L2CPUCLK2, FIELD_L2CPUCLK3,
	FIELD_ASIC_TEMP, FIELD_VREG_TEMP, FIELD_BOARD_TEMP,
	FIELD_INLET_TEMP, FIELD_OUTLET_TEMP1, FIELD_OUTLET_TEMP2,
	FIELD_GDDR_MAX_TEMP,
	FIELD_GDDR_TEMP,	/* 16 in a row: module 0 bottom, 0 top, 1 bottom ... 7 top */
	FIELD_GDDR_TEMP_END = FIELD_GDDR_TEMP + 15,
	FIELD_FAN_RPM, FIELD_FAN_RPM2, FIELD_FAN_TARGET, FIELD_FAN_LEGACY, FIELD_FAN_LEGACY_REMOTE,
	FIELD_HEARTBEAT,
	FIELD_THROTTLE,		/* why the clock is held down: enum throttle_reason */
	FIELD_THERM_TRIPS,
	FIELD_NOP_STARTS, FIELD_NOP_TIME,	/* cores slowed down by idle instructions */
	FIELD_PCIE_RX, FIELD_PCIE_TX,	/* bytes/s into and out of the card; need two samples */
	/* Shares of the time with any work, and of the cores' time; or why they are not known. */
	FIELD_BUSY, FIELD_BUSY_CORES, FIELD_BUSY_SOURCE,

	/* Limits, each the `limit` of a field above. */
	FIELD_VDD_MIN, FIELD_VDD_MAX, FIELD_CURRENT_LIMIT, FIELD_POWER_LIMIT,
	FIELD_BOARD_POWER_LIMIT, FIELD_AICLK_LIMIT, FIELD_AICLK_HOST_LIMIT,
	FIELD_THROTTLE_TEMP,	/* the clock is lowered above it */
	FIELD_SHUTDOWN_TEMP,	/* the card switches itself off above it */

	/* Identity. */
	FIELD_BOARD_ID, FIELD_ASIC_ID, FIELD_ASIC_ID_SHORT, FIELD_ASIC_LOCATION, FIELD_DEVICE_ID,
	FIELD_ASIC_RO, FIELD_ASIC_IDD, FIELD_ENUM_VERSION,

	/* Memory. */
	FIELD_DRAM_STATUS,	/* 1: every channel in use is trained */
	FIELD_DRAM_SPEED, FIELD_DRAM_TRAINED, FIELD_DRAM_FAILED, FIELD_DRAM_BIST,
	FIELD_DRAM_ENABLED,
	FIELD_GDDR_STATUS_WORD,
	/* Up to GDDR_CORR_MOST; 16 in a row: module 0 read, 0 write, 1 read ... 7 write. */
	FIELD_GDDR_CORR_ERRS,
	FIELD_GDDR_CORR_ERRS_END = FIELD_GDDR_CORR_ERRS + 15,
	FIELD_GDDR_UNCORR_ERRS,
	FIELD_GDDR_PORTS,	/* the controllers' own endpoints, four bits a channel */
	FIELD_GDDR_IO_POWER_WEST, FIELD_GDDR_IO_POWER_EAST,

	/* Ethernet. */
	FIELD_ETH_LIVE, FIELD_ETH_LINK, FIELD_ETH_RETRAIN, FIELD_ETH_ENABLED,

	/* Enabled parts. */
	FIELD_TENSIX_COLS, FIELD_TENSIX_ROWS, FIELD_L2CPU_ENABLED, FIELD_HARVESTING_STATE,
	FIELD_NOC_TRANSLATION, FIELD_PCIE_USAGE,

	/* Firmware. */
	FIELD_FW_BUNDLE, FIELD_TT_FLASH, FIELD_CM_FW, FIELD_FW_DATE, FIELD_ETH_FW, FIELD_DM_BL_FW,
	FIELD_DM_APP_FW, FIELD_GDDR_FW, FIELD_L2CPU_FW, FIELD_ARC1_FW, FIELD_ARC2_FW,
	FIELD_ARC3_FW, FIELD_SPIBOOTROM_FW, FIELD_BOOT_DATE, FIELD_RT_SECONDS, FIELD_UPDATE_SPEED,
	FIELD_TAG_COUNT, FIELD_FW_CAPABILITIES, FIELD_FW_CONFIG, FIELD_FLASH_ID,

	/* Arbiters of the Blackhole clock. */
	FIELD_AICLK_ARB_MIN, FIELD_AICLK_ARB_MAX, FIELD_ENABLED_MIN_ARB, FIELD_ENABLED_MAX_ARB,
	FIELD_AICLK_PPM_INFO, FIELD_KERNEL_THROTTLER, FIELD_KERNEL_THROTTLER_STOP,

	/* Words whose bits no public source explains: shown raw. */
	FIELD_ARC0_HEALTH, FIELD_ARC1_HEALTH, FIELD_ARC2_HEALTH, FIELD_ARC3_HEALTH,
	FIELD_FAULTS, FIELD_THROTTLER, FIELD_PCIE_STATUS, FIELD_ETH_STATUS0, FIELD_ETH_STATUS1,
	FIELD_ETH_DEBUG_STATUS0, FIELD_ETH_DEBUG_STATUS1, FIELD_ETH_LOOPBACK_STATUS,
	FIELD_ASIC_TMON0, FIELD_ASIC_TMON1, FIELD_MVDDQ_POWER, FIELD_GDDR_TRAIN_TEMP0,
	FIELD_GDDR_TRAIN_TEMP1, FIELD_AUX_STATUS, FIELD_ASIC_POWER, FIELD_INPUT_CURRENT,
	FIELD_SMBUS_ERRORS,
	FIELD_COUNT
};

#define GDDR_CORR_MOST 255	/* where a counter of corrected errors stops */

/* How a value is written. */
enum field_kind {
	FIELD_NUMBER,		/* value / scale, in unit */
	FIELD_COUNTER,		/* the same, but a count or a number whose average means nothing */
	FIELD_HEX,		/* a word or mask: 0x3fff */
	FIELD_HEX64,		/* an id: 16 hex digits */
	FIELD_VERSION4,		/* 0xaabbccdd: a.b.c.d */
	FIELD_VERSION3,		/* a in bits 20 to 27, b in 12 to 19, c in 0 to 11: a.b.c */
	FIELD_VERSION2,		/* hi16.lo16 */
	FIELD_DATE,		/* 0xYMDDHHMM, Y from 2020 (chip-facts 3.2) */
	FIELD_BOOL,
	FIELD_REASON,		/* enum throttle_reason */
	FIELD_WHENCE		/* enum busy_source */
};

/* Where a field stands on screens and in lists. */
enum field_group {
	FIELD_GROUP_TELEMETRY, FIELD_GROUP_LIMIT, FIELD_GROUP_IDENTITY, FIELD_GROUP_MEMORY,
	FIELD_GROUP_ETHERNET, FIELD_GROUP_ENABLED, FIELD_GROUP_FIRMWARE, FIELD_GROUP_CLOCK,
	FIELD_GROUP_RAW, FIELD_GROUPS
};

/* What holds the AI clock down; the numbers are Blackhole's max arbiters (chip-facts 2.2.1). */
enum throttle_reason {
	THROTTLE_NONE, THROTTLE_TDP, THROTTLE_FAST_TDC, THROTTLE_TDC, THROTTLE_THERMAL,
	THROTTLE_BOARD_POWER, THROTTLE_VOLTAGE, THROTTLE_GDDR_THERMAL, THROTTLE_DOPPLER_SLOW,
	THROTTLE_DOPPLER_CRITICAL, THROTTLE_HOST, THROTTLE_REASONS
};

/* Where the shares of busy time come from, or why there are none (telemetry/busy.h). */
enum busy_source {
	BUSY_NOT_ASKED,
	BUSY_COUNTERS,		/* the runtime's counters: both shares */
	BUSY_LEAST,		/* several queues work: any work is at least this */
	BUSY_CORES,		/* the runtime does not count any work */
	BUSY_FIRST,		/* the first look of two */
	BUSY_NO_BUFFER,		/* the firmware has no buffer for a runtime */
	BUSY_NO_RUNTIME,	/* no runtime has written to it */
	BUSY_SLOW_DISPATCH,	/* a runtime without dispatch cores counts nothing */
	BUSY_NO_COUNTERS,	/* dispatch without a spare core, or counting is switched off */
	BUSY_STOPPED,		/* the runtime's clock stands still: it has died or is suspended */
	BUSY_RESTARTED,		/* another run of the runtime than at the last look */
	BUSY_DIVIDED,		/* it divided the cores otherwise since the last look */
	BUSY_TORN,		/* the words changed with each reading */
	BUSY_LAYOUT,		/* a layout that is not known here */
	BUSY_CORE_OFF,		/* it names a core that is not enabled */
	BUSY_UNREADABLE,
	BUSY_NOT_RECORDED,	/* the recording was made without --busy */
	BUSY_IMPLAUSIBLE,	/* less than nothing, or more than all */
	BUSY_SECOND_CHIP,	/* not read over ethernet */
	BUSY_SOURCES
};

/* How a field is exported to engines that collect metrics (output/metrics.c). */
enum metric_type {
	METRIC_NONE,		/* not exported: a raw word, or a value that other metrics have */
	METRIC_GAUGE,		/* the number, in base units: hertz, not MHz */
	METRIC_COUNTER,		/* the same, but it only grows until the firmware restarts */
	METRIC_COUNT,		/* how many of its bits are set */
	METRIC_BITS,		/* each bit, 0 or 1; the label's value is the bit's number */
	METRIC_REASON,		/* each throttle reason, 0 or 1 */
	METRIC_LABEL		/* no series of its own, but a label of an _info series */
};

struct field_metric {
	enum metric_type type;
	const char *name;	/* without METRICS_PREFIX; METRIC_LABEL: of the _info series */
	const char *label;	/* `channel="0"`; for bits, reasons and labels the name alone */
	enum field_id of;	/* the field that masks the valid bits; FIELD_NONE: all are valid */
	const char *help;	/* in the first row of a name, if the field's own does not fit */
};

struct field {
	const char *key;	/* JSON key and --fields name; never renamed */
	const char *title;	/* column heading, without the unit: "Core Voltage" */
	const char *brief;	/* heading of a narrow column: "Vcore" */
	const char *unit;	/* "V"; "" for a bare count */
	int32_t scale;		/* stored steps in one unit: 1000 for mV; a power of ten */
	uint8_t decimals;	/* digits shown after the point */
	uint8_t width;		/* terminal cells that any plausible value needs */
	uint8_t kind, group;	/* enum field_kind, enum field_group */
	bool engineering;	/* left out by --external */
	enum field_id limit;	/* the reading that bounds this one from above */
	int64_t low, high;	/* plausible range in stored steps; both 0: anything goes */
	bool no_zero;		/* 0 is within that range, but no living chip reports it */
	const char *help;	/* one sentence */
	struct field_metric metric;
};

extern const struct field fields[FIELD_COUNT];

/* The field with this key, or FIELD_NONE. */
enum field_id field_find(const char *key);

/* A number or a counter: value / scale. */
bool field_is_number(enum field_id id);

const char *field_group_title(enum field_group g);
extern const char *const throttle_reasons[THROTTLE_REASONS + 1];	/* ended by NULL */
const char *throttle_reason_name(int64_t reason);	/* "thermal", or "unknown" */
extern const char *const busy_sources[BUSY_SOURCES + 1];	/* the same */

/* The value of a FIELD_REASON or FIELD_WHENCE that has this name; false: none has. */
bool field_find_word(enum field_id id, const char *word, int64_t *value);

/*
 * Whether a reading can be believed: failed (could not be read this time),
 * implausible (read, but impossible; the raw word is kept), stale (an older
 * value, see its time), unjudged (a rate, which needs a second sample).
 */
enum reading_state {
	READING_ABSENT,		/* this chip or firmware has no such thing */
	READING_OK,
	READING_FAILED,
	READING_IMPLAUSIBLE,
	READING_STALE,
	READING_UNJUDGED
};

/* Where a reading comes from. */
enum reading_source {
	SOURCE_NONE,
	SOURCE_TAG,		/* the firmware's tag table */
	SOURCE_LEGACY,		/* the SMBus struct */
	SOURCE_SYSFS,		/* tt_* */
	SOURCE_HWMON,
	SOURCE_PCI,		/* PCI sysfs and the driver's PCIe counters */
	SOURCE_RUNTIME,		/* counters of the program that computes */
	SOURCE_DERIVED,		/* worked out from other readings */
	SOURCE_FILE,		/* a printed value of a loaded snapshot */
	SOURCES
};

struct reading {
	int64_t value;		/* in 1/scale units; means something in OK and STALE only */
	int64_t time;		/* clock_mono() when it was read; 0: never */
	uint32_t raw;		/* the word it came from, where has_raw */
	uint8_t state;		/* enum reading_state */
	uint8_t source;		/* enum reading_source */
	bool has_raw;
};

const char *reading_state_name(enum reading_state s);
const char *reading_source_name(enum reading_source s);

/* True in the states that have a value, to be shown and computed with. */
bool reading_has_value(const struct reading *r);
bool reading_is_ok(const struct reading *r);

/* A value as people see it ("71.5", "18.7.0.0", "thermal"), unit left out. */
void field_put_value(enum field_id id, int64_t value, struct strbuf *to);

/*
 * A reading as people see it in a small buffer: its value, "-" when absent,
 * "err" when failed, "?" when implausible, "..." when not judged.  Returns buf.
 */
char *field_text(enum field_id id, const struct reading *r, char *buf, size_t size);

/*
 * A firmware bundle's version as a number that grows with time: those from 80 on came before all
 * others (chip-facts 2.2).  What is older or newer is found by it.
 */
uint64_t bundle_order(uint32_t version);

/* A reading in percent of its limit, or -1 where either is unknown. */
int field_load(enum field_id id, const struct reading all[static FIELD_COUNT]);

/* How near a value is to its limit. */
enum field_level {
	FIELD_LEVEL_FINE,	/* also where there is no limit */
	FIELD_LEVEL_WARM,
	FIELD_LEVEL_HIGH,	/* for a burn: it may stay there for a while only */
	FIELD_LEVEL_OVER	/* must not be */
};

/* Who asks: screens and findings, or a burn, which ends before a card throttles for long. */
enum field_use { FIELD_USE_SHOWN, FIELD_USE_BURN };

/* The level of a value beside a limit, both in 1/scale units of this field. */
enum field_level field_level(enum field_use use, enum field_id id, int64_t value, int64_t limit);

/* The same of a reading of now; a value or a limit that is not known is fine. */
enum field_level field_level_now(enum field_use use, enum field_id id,
	const struct reading all[static FIELD_COUNT]);
