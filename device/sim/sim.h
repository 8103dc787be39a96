/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim.h - simulated boards: what can be requested.
 *
 * --sim SPEC is a list of boards separated by commas, each [N*]BOARD[:FAULT...]
 * and FAULT is NAME[=WORD[+WORD...]][@FROM[-TO]] in seconds since the start.  A fault without a
 * time begins right after discovery.  On a board with several chips only the
 * first one has the fault.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct device;
struct sim_board;

enum sim_fault_kind {
	SIM_OFF,	/* off the bus with the driver bound: every word reads all-ones */
	SIM_HANG,	/* the chip reads all-ones, its PCIe side is fine */
	SIM_STUCK,	/* the firmware has stopped: words do not change, messages get no answer */
	SIM_SLOW,	/* each access takes 30 s */
	SIM_GONE,	/* -ENODEV, and not on the bus any more */
	SIM_VFIO,	/* vfio-pci has the card */
	SIM_NODELESS,	/* there is no node for it, as in a container that got none */
	SIM_EIO,	/* each access fails with -EIO */
	SIM_DRAM,	/* a memory channel is not trained */
	SIM_ETH,	/* an ethernet link is down */
	SIM_ETHSTUCK,	/* the firmware of an ethernet core has stopped, its link is up */
	SIM_RETRAIN,	/* an ethernet link has errors and trains again and again */
	SIM_HOT,	/* over the throttle limit, clock lowered */
	SIM_MEMHOT,	/* the memory is over its limit; the rest is not */
	SIM_FAN,	/* the fan stands although the firmware asks it to turn */
	SIM_OVERPOWER,	/* it draws more than its limit */
	SIM_CABLE,	/* Blackhole: no 12V-2x6 cable, so neither memory nor ethernet starts */
	SIM_REGULATOR,	/* Blackhole: the firmware's error word names the regulators */
	SIM_BIST,	/* Blackhole: a trained memory channel has failed its self-test */
	SIM_WIRE,	/* one link to another chip of the board is down */
	SIM_NOPEER,	/* n300: all of them are, so the second chip cannot be reached */
	SIM_GARBAGE,	/* words of the tag table instead of some values */
	SIM_WIDTH,	/* the PCIe link is slower and narrower than possible */
	SIM_RESETFAIL,	/* does not come back from a reset */
	SIM_BITFLIP,	/* memory loses bits: correctable errors are counted */
	SIM_LANE,	/* a byte lane of a memory channel reads late, until a reset */
	SIM_HELD,	/* another process has the card */
	SIM_LATE,	/* the chip reads all-ones, and each word takes 0.15 s */
	SIM_JOB,	/* a program computes, none before and after; full clock until power-down */
	SIM_RUNTIME,	/* the same, and it counts its work in dispatch cores */
	SIM_EXCLUSIVE,	/* a program tries to open it exclusively, every 10 ms */
	SIM_RESET,	/* another program resets the card; 3 s if no end is given */
	SIM_LEFT,	/* the same, but that program was ended meanwhile: until a reset */

	/* Faults that only show in a reset (driver-behaviour 17). */
	SIM_NORESET,	/* reported as done, but the chip was not reset: the marker stays */
	SIM_DMC,	/* the same, unless the board's controller does it: then 13 s off the bus */
	SIM_FALSEFAIL,	/* done, but reported as failed */
	SIM_EINTR,	/* the first reset call is interrupted before it does anything */
	SIM_VANISH,	/* the driver lets go of the card in the middle: ENODEV until it is back */
	SIM_UNBOUND,	/* the driver is unbound from it in the middle, and stays so */
	SIM_RENUMBER,	/* leaves the bus and comes back as another node */
	SIM_NARROW,	/* comes back with a slower and narrower link */
	SIM_DEADBEAT,	/* the firmware stops right after it */
	SIM_MUTE,	/* from then on the firmware answers no message; its heartbeat moves */
	SIM_UNTRAINED,	/* comes back with a memory channel that is not trained */
	SIM_LINKLOST,	/* comes back with an ethernet link down */
	SIM_PEERLOST,	/* comes back without the links to its second chip */
	SIM_EXPORTED,	/* a process has exported its memory: the driver refuses to reset it */
	SIM_OLDDRIVER,	/* the driver is 2.0.0, without ASIC_RESET */
	SIM_FAULTS
};

#define SIM_CHIPS        256	/* in one SPEC; an n300 counts as two */
#define SIM_BOARD_FAULTS 8

/* A fault's name in a SPEC, and its description for help. */
struct sim_fault_info {
	const char *name, *help;
};
extern const struct sim_fault_info sim_faults[SIM_FAULTS];

/* How a SIM_RUNTIME counts, and where it departs from what is expected; a bit each. */
enum sim_runtime {
	SIM_RUNTIME_A = 1 << 0,		/* the layout that does not count any work */
	SIM_RUNTIME_C = 1 << 1,		/* a layout that is not known */
	SIM_RUNTIME_Q2 = 1 << 2,	/* two queues; three */
	SIM_RUNTIME_Q3 = 1 << 3,
	SIM_RUNTIME_EARLY = 1 << 4,	/* a control block without the counters' address */
	SIM_RUNTIME_SLOW = 1 << 5,	/* slow dispatch */
	SIM_RUNTIME_MUTE = 1 << 6,	/* a block without counters */
	SIM_RUNTIME_DEAD = 1 << 7,	/* the counters stand still from then on */
	SIM_RUNTIME_TORN = 1 << 8,	/* each second reading of the clock is torn */
	SIM_RUNTIME_ONES = 1 << 9,	/* its cores read all-ones */
	SIM_RUNTIME_RAW = 1 << 10,	/* Wormhole: NOC0 coordinates */
	SIM_RUNTIME_OFF = 1 << 11	/* it names a core that is off */
};

/* Times are ns since the start; to is INT64_MAX if there is no end. */
struct sim_fault {
	enum sim_fault_kind kind;
	uint8_t any, cores;	/* SIM_RUNTIME: its shares, in percent */
	uint16_t runtime;	/* enum sim_runtime */
	int64_t from, to;
};

struct sim_spec_board {
	const struct sim_board *board;
	size_t n_faults;
	struct sim_fault faults[SIM_BOARD_FAULTS];
};

struct sim_spec {
	size_t n, n_chips;
	struct sim_spec_board boards[SIM_CHIPS];
};

/*
 * In the environment: TT_SMI_SIM_DRIVER is the driver's version ("2.10.0"),
 * TT_SMI_SIM_SPEED is how many times faster than real time passes (1).
 */

/* Set the pace of time from TT_SMI_SIM_SPEED (clock_set_pace()); -EINVAL if that is no pace. */
int sim_set_pace(struct error *e);

/* Parse a SPEC; -EINVAL with the wrong piece and the valid choices. */
int sim_spec_parse(const char *text, struct sim_spec *out, struct error *e);

/* The name of the i-th board that can be simulated, in the order of help; NULL after the last. */
const char *sim_board_name(size_t i);

/*
 * Reset the chip from outside, as a galaxy's management controller does:
 * without the driver's knowledge.
 */
void sim_reset_outside(struct device *d);
