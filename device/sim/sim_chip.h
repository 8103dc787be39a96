/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_chip.h - one simulated chip; for device/sim/ only.
 *
 * A chip's answers are a pure function of the seed, its place, the time since the boards were
 * switched on, and a little state that callers can change.  That state is struct sim_state, in
 * shared memory.  Everything else is derived, belongs to one process, and may be lost with it.
 */
#pragma once

#include "device/device.h"
#include "device/sim/sim.h"

#include <stdatomic.h>

/* How a board reports its fan speed (chip-facts 3.4). */
enum sim_fan {
	SIM_FAN_NONE,
	SIM_FAN_PERCENT,	/* legacy word: lo16 */
	SIM_FAN_RPM,		/* Blackhole: tag 41 */
	SIM_FAN_PAIR		/* Wormhole from 19.10 on: hi16 left (absent here), lo16 right */
};

struct sim_board {
	const char *name;
	enum device_chip chip;
	enum device_chip like;	/* the chip whose firmware it imitates */
	uint16_t upi;
	uint8_t revision;
	uint8_t asics;
	bool remote;		/* the second ASIC is reached over ethernet */
	bool galaxy;		/* its chips have the trays' bus numbers */
	uint32_t bundle;	/* 0xaabbccdd */
	uint32_t cm_fw, eth_fw, app_fw, bl_fw, gddr_fw;
	uint16_t mhz_idle, mhz_max;
	uint16_t mv_idle, mv_busy, mv_min, mv_max;
	uint16_t watt_idle, watt_busy, watt_limit, board_watt_limit;
	uint16_t amp_limit;
	uint8_t temp_idle, temp_busy, temp_throttle, temp_shutdown;
	enum sim_fan fan;
	uint16_t tensix, eth;	/* masks: BH columns, WH and GS rows; ethernet channels in use */
	uint8_t gddr;		/* mask of memory channels in use */
	uint16_t gddr_speed;	/* MT/s */
	uint16_t link_speed;	/* MT/s / 100: 320 is 32.0 GT/s */
	uint8_t link_width;
	/* Limits of the port above, if lower; wide_slot: width at a tray's sixth chip. */
	uint16_t slot_speed;
	uint8_t slot_width, wide_slot;
	const char *alias[2];	/* other names, or NULL */
};

#define SIM_STEP    (100 * 1000000LL)	/* ns between refreshes by the firmware */
#define SIM_PHASE   (85 * 1000000LL)	/* ns since the last refresh at our start */
#define SIM_TAGS    81			/* one more than the highest tag number */
#define SIM_ENTRIES 81			/* in a tag table, holes included */
#define SIM_LEGACY  50
#define SIM_PERF    12
#define SIM_ETH_CORES   16
#define SIM_BAD_CHANNEL 2		/* the memory or ethernet channel that faults affect */
#define SIM_CHUNKS      8		/* last chunks kept for a late lane */
#define SIM_ETH_WORDS   144		/* two queues of an ethernet core, and an unused one */
#define SIM_GRID        32		/* places by x and y */

/* A bit for each chip, by the firmware that it has. */
enum {
	SIM_GS = 1 << DEVICE_GRAYSKULL,
	SIM_WH = 1 << DEVICE_WORMHOLE,
	SIM_BH = 1 << DEVICE_BLACKHOLE
};

enum { SIM_TILE_TENSIX = 0x20, SIM_TILE_ETH = 0x40, SIM_TILE_DRAM = 0x80 };

#define SIM_BUFFER_WH 0x130d0000	/* first bundles with a buffer for a runtime */
#define SIM_BUFFER_BH 0x130c0000

/* A Grayskull's tile: its port to each NOC (words from 0x100 on), its cores' soft resets. */
struct sim_tile {
	uint32_t port[2][5], soft;
};

struct sim_tensix {
	bool is_set_up;		/* the rest is valid */
	bool is_slow;		/* the clock is slow: resets may be touched */
	uint32_t aim[2];	/* window 184 */
	uint32_t ddr, tensix[8], riscv[8];
	struct sim_tile tile[12][13];	/* by y and x of NOC0 */
};

/* Shared; changed only by what callers do. */
struct sim_state {
	uint32_t resets;	/* by the driver: each makes older handles stale */
	uint32_t changes;	/* number of changes that make cached words wrong */
	bool was_reset;
	int64_t down, up, ready; /* ns, of the last reset: off the bus from..to, firmware up */
	int64_t was_up, was_ready; /* the same of the one before, until `down`; 0: none */
	bool is_settled;	/* the state that this reset clears has been cleared */
	bool marker;		/* config byte 4 bit 6; a chip reset clears it */
	bool unrestored;	/* a chip reset has cleared the rest of that byte */
	bool needs_init;	/* driver: reset begun, POST_RESET not done */
	bool no_table;		/* driver: see struct sim_now */
	bool was_interrupted;	/* SIM_EINTR has happened */
	int64_t held;		/* the driver holds its reset lock until then, ns */
	uint32_t handles;	/* open handles of all processes */
	int64_t opened;		/* since when any was open, ns */
	int64_t cancelled;	/* end of the job whose power-down an open cancelled; 0: none */
	int64_t at_once;	/* end of a job during which a handle was open: no grace time */
	int64_t vote_end;	/* close of the last handle that asked for power */
	bool busy;		/* GO_BUSY or MAX_AI_CLK */
	int64_t burn_from, burn_to;	/* when a burn-in asked for the clock; both 0: never */
	uint32_t scratch[8];
	uint32_t misc;
	uint32_t eth[SIM_ETH_CORES][SIM_ETH_WORDS];
	struct sim_tensix tensix;
	int64_t cores;		/* last reset of its cores, ns + 1; 0: never */
};

/*
 * Counts of all processes' accesses since bus_open(), for tests.  A violation is an access that
 * chip-facts 1.9 forbids or that no reader has a reason for.  Violations, opens, closes, writes and
 * messages are also lines in the file that TT_SMI_SIM_LOG names.
 */
struct sim_shared {
	_Atomic uint64_t violations, writes, messages, opens, reads;
	_Atomic uint64_t cancelled;	/* power-downs cancelled by an open */
	_Atomic uint64_t refused;	/* attempts of SIM_EXCLUSIVE */
	_Atomic uint32_t scans;
	char last_violation[128];
	struct sim_state chips[];
};

/* The words that one refresh of the firmware publishes. */
struct sim_words {
	bool valid;
	int64_t step, ready;	/* the words were computed for these */
	uint64_t faults;
	uint32_t changes;
	uint32_t tag[SIM_TAGS];
	uint32_t legacy[SIM_LEGACY];
};

struct sim {
	struct sim_spec spec;
	struct sim_shared *shared;
	size_t shared_size;
	uint64_t seed;
	int64_t start;		/* clock_mono() of the open */
	int64_t start_real;
	unsigned driver;	/* its version as 0xaabbcc */
	int log;		/* fd of TT_SMI_SIM_LOG, or -1 */
	size_t n;
	struct sim_chip *chips;
};

struct sim_chip {
	struct sim *sim;
	struct sim_state *state;
	const struct sim_board *board;
	unsigned number;	/* among all chips */
	unsigned board_number, place;	/* the board, and the chip's index on it */
	char bdf[16];		/* a remote chip has that of its local one */
	int node;
	uint64_t board_id, asic_id;
	size_t n_faults;
	const struct sim_fault *faults;
	struct sim_chip *peer;	/* n300: the other one */
	bool remote;

	/* This process's handle.  was_told: an access has already returned -ENODEV. */
	bool is_open, was_told;
	enum access_purpose purpose;
	enum device_handle how;
	bool was_late;		/* SIM_LATE has delayed an access through it */
	unsigned power;		/* flags that this handle asks for, enum device_power_flag */
	uint32_t open_resets;

	/* The tag table; empty if the firmware has none. */
	size_t n_entries;
	uint32_t table[2 + SIM_ENTRIES];
	uint8_t tag_at[SIM_ENTRIES];	/* tag by offset; 0: none */

	/* Numbers of the memory chunks that this process read last, for SIM_LANE. */
	uint64_t chunk[SIM_CHUNKS], chunks;
	bool begins;			/* the next read begins a transaction */
	bool is_torn;			/* the last reading of a runtime's clock was */
	/* By x and y: SIM_TILE_ETH, SIM_TILE_DRAM and the channel's number; 0: another tile. */
	uint8_t tile[SIM_GRID][SIM_GRID];

	struct sim_words words;
	int64_t perf_slot, perf_ready;	/* perf_sum is the load of all slots before perf_slot */
	uint64_t perf_sum;
};

/* The state at the time of an access. */
struct sim_now {
	int64_t t, step;	/* ns and refreshes since the boards were switched on */
	uint64_t faults;	/* bit per enum sim_fault_kind */
	bool window;		/* the driver regards it as being reset */
	bool no_table;		/* the driver found no firmware after a reset: its values are 0 */
	bool off;		/* not on the bus: all-ones */
	bool away;		/* the kernel has removed it */
	bool unbound;		/* present, but without its driver */
	int64_t held;		/* opens and tt_* wait until then, ns */
	bool dead;		/* off, or on the bus but all-ones */
	bool booted;
	int64_t ready;		/* start of the running firmware; negative: before ours */
	uint32_t resets;
};

/* sim_model.c */
struct sim_now sim_now(const struct sim_chip *c);
uint64_t sim_hash(const struct sim *s, uint64_t chip, uint64_t what, uint64_t when);
struct sim_model {
	uint32_t mhz, mv, watt, amp, board_watt;
	int32_t temp;		/* m degrees C */
	int32_t gddr_temp;	/* degrees C of the hottest */
	uint32_t fan_percent, fan_rpm;
	bool throttled;
};
void sim_model(const struct sim_chip *c, const struct sim_now *now, struct sim_model *m);

/* Value of one PCIe counter in flits; index as in attrs[] from ATTR_PERF_MST_RD_0. */
uint32_t sim_perf(struct sim_chip *c, const struct sim_now *now, unsigned index);
bool sim_has_fault(const struct sim_now *now, enum sim_fault_kind kind);
/* Whether the firmware answers no messages. */
bool sim_is_mute(const struct sim_chip *c, const struct sim_now *now);
bool sim_joins_peer(const struct sim_chip *c, unsigned core);
/* An ethernet core has no heartbeat, or at least no link. */
bool sim_eth_is_dead(const struct sim_chip *c, const struct sim_now *now, unsigned core);
bool sim_has_link(const struct sim_chip *c, const struct sim_now *now, unsigned core);
bool sim_link_is_down(const struct sim_chip *c, const struct sim_now *now, unsigned core);

/* The log. */
int sim_log_open(struct sim *s, struct error *e);	/* the file in TT_SMI_SIM_LOG */
void sim_log(const struct sim_chip *c, const char *word, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));	/* a line "<word> <bdf> <text>" */
int sim_violation(const struct sim_chip *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));	/* counts, logs, returns -EFAULT */

/* sim_words.c */
void sim_words_init(struct sim_chip *c);
const struct sim_words *sim_words(struct sim_chip *c, const struct sim_now *now);

/* The contents of a memory channel. */
uint32_t sim_dram_read(struct sim_chip *c, const struct sim_now *now, unsigned channel,
	uint32_t addr);

/* sim_spec.c: text as the driver formats it; returns the length or -errno. */
ssize_t sim_attr(struct sim_chip *c, const struct sim_now *now, enum attr a, char *buf,
	size_t size);

/* sim_regs.c: access one word, without checking handles; -errno after a violation. */
void sim_regs_init(struct sim_chip *c);	/* fill in tile[] */
int sim_regs_read(struct sim_chip *c, const struct sim_now *now, struct reg_addr at,
	uint32_t *word);
int sim_regs_write(struct sim_chip *c, const struct sim_now *now, struct reg_addr at,
	uint32_t word);

/* sim_tensix.c: Grayskull's tiles, by BAR0 address. */
bool sim_tensix_has(struct sim_chip *c, uint64_t addr);
int sim_tensix_read(struct sim_chip *c, uint32_t addr, uint32_t *word);
int sim_tensix_write(struct sim_chip *c, const struct sim_now *now, uint32_t addr, uint32_t word);

/* The doorbell rang: answer the message in the mailbox. */
void sim_arc_doorbell(struct sim_chip *c, const struct sim_now *now);

/* sim_driver.c: reset the chip; all: the board's controller resets each chip of the board. */
void sim_reset_chip(struct sim_chip *c, const struct sim_now *now, bool all);
void sim_reset_settle(struct sim_chip *c, const struct sim_now *now);
#define SIM_OFF_TIME (1000 * 1000000LL)	/* off the bus */
#define SIM_LOCK_TIME (12000 * 1000000LL)	/* for a Wormhole with mute firmware */
int sim_reset(struct device *d, enum device_reset kind, uint32_t *result);
ssize_t sim_reset_config(struct device *d, size_t offset, uint8_t *buf, size_t n);

/* The rest of the driver: node numbers, power, locks. */
int sim_driver_init(struct sim *s, struct bus *bus, struct error *e);
int sim_driver_node(const struct sim_chip *c, const struct sim_now *now);
int sim_driver_grace(struct device *d);
/* Power was requested until `end`: whether the driver has not powered the board down since. */
bool sim_driver_waits_since(const struct sim_chip *c, int64_t end, int64_t t);
void sim_driver_opened(struct sim_chip *c, const struct sim_now *now, enum device_handle how);
void sim_driver_closed(struct sim_chip *c, const struct sim_now *now);
int sim_driver_power(struct device *d, unsigned flags);
int sim_driver_lock_path(struct device *d, enum device_lock which, char *path, size_t size,
	struct error *e);
