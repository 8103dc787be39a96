/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.h - all that is known of one chip, or of all, at one moment: plain data, handed over
 * whole, never changed by its readers.
 */
#pragma once

#include "base/clock.h"
#include "telemetry/chip/chip.h"
#include "telemetry/field.h"
#include "telemetry/host/process.h"
#include "telemetry/raw.h"

/* Whether the chip could be read, and whether all is well with it. */
enum snapshot_health {
	SNAPSHOT_PENDING,	/* not sampled yet */
	SNAPSHOT_OK,
	SNAPSHOT_WARN,		/* works, but something is wrong: see findings */
	SNAPSHOT_NOT_READ,	/* left alone on purpose (remote, held, --local ...): see reason */
	SNAPSHOT_FAILED,	/* could not be read: see reason */
	SNAPSHOT_GONE		/* no longer on the bus */
};

enum snapshot_beat {
	SNAPSHOT_BEAT_UNJUDGED,	/* one sample is not enough (a file, a recording, a tree) */
	SNAPSHOT_BEAT_ALIVE,
	SNAPSHOT_BEAT_STOPPED,
	SNAPSHOT_BEAT_NONE	/* no heartbeat word here */
};

/* One thing that is wrong, in words, with a stable name for programs. */
struct finding {
	char id[24];		/* "link-downgraded", "over-limit", "dram", "eth" ... */
	char text[136];
};
#define SNAPSHOT_FINDINGS 12

/* What keeps a link below the card's own speed or width. */
enum snapshot_limit {
	SNAPSHOT_LIMIT_CARD,	/* nothing but the card itself */
	SNAPSHOT_LIMIT_SLOT,	/* the port above it */
	SNAPSHOT_LIMIT_BOARD	/* how its board is wired */
};

/* The PCIe link; speeds in MT/s (32000 is 32.0 GT/s), 0 where unknown. */
struct snapshot_link {
	bool known;
	bool stale;				/* of an earlier sample */
	int32_t speed, width;			/* now */
	int32_t speed_max, width_max;		/* what the card can do */
	int32_t speed_slot, width_slot;		/* what the port above it can do */
	int32_t speed_best, width_best;		/* what both and the board allow */
	enum snapshot_limit limit;
	bool downgraded;			/* slower or narrower than best */
};

struct snapshot {
	/* Identity. */
	int index, local;		/* as in struct device */
	enum device_chip chip;
	uint16_t pci_device, subsys_device;
	char bdf[16];			/* "" for a remote chip */
	int node;
	int numa_node;
	uint32_t upi;			/* board type; 0 while unknown */
	char board[32];			/* "n300", "p150a"; "N/A" while unknown */
	char series[32];		/* with L or R on Wormhole: "n300 R" */
	int tray, place;		/* of a galaxy: UBB1 to UBB4, U1 to U8; elsewhere 0 */
	bool has_coords;
	uint8_t coords[4];

	int64_t time, skew;		/* clock_mono() of the tick; how much later it was read */
	int64_t age;			/* ns, of values from an earlier tick; else 0 */
	uint64_t tick;

	/* Health. */
	enum snapshot_health health;
	char reason[192];		/* for NOT_READ, FAILED, GONE; else "" */
	enum code code;			/* of the reason, or else of the note */
	int64_t since;			/* clock_mono() when this health began */
	int64_t reset_since;		/* the same of snapshot_is_being_reset(); 0: it is not */
	enum snapshot_beat beat;
	bool is_again;			/* the firmware has written nothing since the last one */
	size_t n_findings;
	struct finding findings[SNAPSHOT_FINDINGS];
	char note[160];			/* why values are from sysfs alone, or repeated; or "" */

	struct snapshot_link link;
	struct reading r[FIELD_COUNT];
	struct raw raw;
};

const char *snapshot_health_name(enum snapshot_health h);	/* "ok", "not-read" ... */
const char *snapshot_health_word(enum snapshot_health h);	/* for people: "ok", "FAILED" */
const char *snapshot_beat_name(enum snapshot_beat b);

/* True when the chip's last sample succeeded: its health is ok or warn. */
bool snapshot_is_live(const struct snapshot *s);

/* True when that sample has a value of this field that can be believed. */
bool snapshot_has(const struct snapshot *s, enum field_id id);

/* True when the chip should answer and does not: it has failed or is gone. */
bool snapshot_is_lost(const struct snapshot *s);

/*
 * True when it is not on the bus any more.  The sample that finds this out still has the health
 * "failed": the bus was scanned before.
 */
bool snapshot_is_gone(const struct snapshot *s);

/*
 * True when the last sample met the card in a reset: a program is resetting it, or was ended
 * before it was done.  Only time tells these apart (reset/preflight.c).
 */
bool snapshot_is_being_reset(const struct snapshot *s);

/*
 * False when no reset can be done or help, so none is advised: another driver has the card, or
 * none, it has no node here, it is off the bus, or its board is only reset by trays.  For a second
 * chip see fleet_can_be_reset().
 */
bool snapshot_can_be_reset(const struct snapshot *s);

/* True when it is read from sysfs alone for a while: a job has ended, and it may power down. */
bool snapshot_is_restless(const struct snapshot *s);

/*
 * True when the chip could not be read because this program lacks a resource (want_is()): whether
 * the chip would answer is not known.
 */
bool snapshot_is_blind(const struct snapshot *s);

/* The first finding of that name, or NULL. */
const struct finding *snapshot_finding(const struct snapshot *s, const char *id);

/* Why a chip's values cannot be relied on: it is lost, or its firmware has stopped; else NULL. */
const char *snapshot_trouble(const struct snapshot *s);

/*
 * Why a card that lived when an act began is dead now, which is the act's FAIL: it is off the
 * bus, hangs, each read fails, or its firmware has stopped.  NULL: it lives, or the cause may be
 * another program (a reset, an unloaded driver) or our own lack.
 */
const char *snapshot_death(const struct snapshot *s);

/*
 * True when another driver has the card, as vfio-pci has one of a virtual machine.  It is not ours:
 * no gate, alert or count of cards includes it.
 */
bool snapshot_is_given(const struct snapshot *s);

/* True when nobody expects readings: a second chip that is not read, or snapshot_is_given(). */
bool snapshot_is_left_alone(const struct snapshot *s);

/* snapshot_trouble(), or why a card was not read, unless it is left alone. */
const char *snapshot_miss(const struct snapshot *s);

/* The code of its reason, of stopped firmware, or of its note; CODE_NONE: it has none of these. */
enum code snapshot_code(const struct snapshot *s);

/*
 * True when the chip's last sample read this value.  A stale value of an earlier sample, which this
 * one could not read, is not new; all of a sample that came late are (`age`).
 */
bool snapshot_is_new(const struct snapshot *s, enum field_id id);

/*
 * True when it only shows an earlier sample: this tick's came late, or read what the firmware had
 * written before the last one.  Nothing is wrong with the card.
 */
bool snapshot_is_old(const struct snapshot *s);

/*
 * True when it is a sample of its own, written by firmware that runs: what adds up, averages or
 * alerts takes no other.  A repeated sample, an old one and one of a chip in trouble are none.
 */
bool snapshot_is_current(const struct snapshot *s);

/*
 * How long (ns) firmware may write nothing before it counts as stopped: SNAPSHOT_SILENCE, or two
 * of its periods if it seldom writes its table.
 */
#define SNAPSHOT_SILENCE (2 * CLOCK_SECOND)	/* chip-facts 3.5 */
int64_t snapshot_silence(const struct snapshot *s);

/* The serial number of its board; 0: not known. */
uint64_t snapshot_serial(const struct snapshot *s);

/* The chip on PCIe through which s is reached, if it is one of these; else s itself. */
const struct snapshot *snapshot_first(const struct snapshot *chips, size_t n,
	const struct snapshot *s);

/* The chip that has the serial of s: a second chip that was not read shares that of its first. */
const struct snapshot *snapshot_serial_chip(const struct snapshot *chips, size_t n,
	const struct snapshot *s);

/*
 * True if both are chips of one board: one is reached through the other, or they report the same
 * serial.  Chips whose serial is not known may share a board all the same.  A reset goes by this.
 */
bool snapshot_shares_board(const struct snapshot *a, const struct snapshot *b);

/*
 * The same for whoever counts boards.  Chips that cannot be on one board are on two, although by a
 * mistake both have one serial.  All trays of a galaxy are one board, even without a serial.
 */
bool snapshot_is_of_board(const struct snapshot *a, const struct snapshot *b);

/* Each chip of a galaxy has a controller of its own. */
bool snapshot_is_of_galaxy(const struct snapshot *s);

/* All chips, as screens and files are made from them: one snapshot per chip, by index. */
struct fleet {
	size_t n;
	const struct snapshot *chips;
	uint64_t tick;			/* 0 before the first */
	int64_t time, real;		/* clock_mono() and clock_real() of the tick */
	const char *file_time;		/* of a loaded file, as printed in it; else NULL */
	size_t n_processes;
	const struct process *processes;	/* that hold a device, by device and pid */
	bool processes_partial;		/* some could not be seen for lack of privilege */
	const char *pinned_unknown;	/* why their pinned memory is not known; or NULL */
	const char *processes_unknown;	/* why the list is not known, current or whole; else "" */
	const bool *wanted;		/* DEVICE_MAX by index: the chips to sample; NULL: all */
	const char *selection;		/* what limits them ("TT_VISIBLE_DEVICES=0,2"), or "" */
	const char *driver;		/* driver version or "" */
	const struct origin *origin;
	bool is_away;			/* of another machine or time: no act takes these cards */
	uint64_t workers_lost;
};

bool fleet_wants(const struct fleet *f, size_t index);

/*
 * A share of its chip's busy time, FIELD_BUSY or FIELD_BUSY_CORES, as that of a process: -1 if that
 * is not known, or others hold the chip or may hold it, too.
 */
int64_t fleet_busy(const struct fleet *f, const struct process *p, enum field_id id);

/* True when another driver has every card that is wanted. */
bool fleet_is_given(const struct fleet *f);

/*
 * Name a chip whose why() has a text, "0 0000:01:00.0", or "cards 0-5, 9" if TEXT_ALIKE or more
 * have this one.  False: why() has none, or the chip was named with an earlier one.
 */
bool fleet_put_alike(const struct fleet *f, size_t index,
	const char *(*why)(const struct snapshot *s), struct strbuf *names);

/* How many chips are there, read or not, except those that another driver has. */
size_t fleet_present(const struct fleet *f);

/* How many second chips were left alone: no fault of their boards, but their state is not known. */
size_t fleet_unread(const struct fleet *f);

/* Whether to show this chip: it is wanted, and with `local`, its card has a link of its own. */
bool fleet_shows(const struct fleet *f, size_t index, bool local);

/* snapshot_can_be_reset() of this chip's card. */
bool fleet_can_be_reset(const struct fleet *f, size_t index);

/* Whether the controller that resets the board of s resets the card o as well, or may do so. */
bool fleet_takes_along(const struct fleet *f, const struct snapshot *s, const struct snapshot *o);

/* Whether a reset of s has to name the card o as well: it is the board's other half, or may be. */
bool fleet_needs_both(const struct fleet *f, const struct snapshot *s, const struct snapshot *o);

/* The indices that a reset of this chip has to name, with blanks between: "0", "2 3". */
void fleet_name_board(const struct fleet *f, size_t index, char *buf, size_t size);

/* Add the chips that must be reset with the wanted ones: a board's other functions, first chips. */
void fleet_complete(const struct fleet *f, bool *wanted);

/*
 * A digest that changes with anything but time that a screen could show; without readings, only
 * with a state, a message or a process.
 */
uint64_t fleet_digest(const struct fleet *f, bool readings);
