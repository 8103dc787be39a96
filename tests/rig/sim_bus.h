/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_bus.h - what the simulator's tests share: boards opened by a SPEC, and
 * short ways to a word and an attribute.  Each failure to get there fails the test.
 */
#pragma once

#include "device/bus.h"
#include "device/sim/sim.h"

/* Where the reader begins, by chip (chip-facts 2.1). */
#define UNIT     0x1ff30000u	/* reset unit, BAR0 of Grayskull and Wormhole */
#define CSM_BAR0 0x1fe80000u

struct bus *sim_bus(const char *spec, uint64_t seed);

struct reg_addr bar0(uint64_t addr);
struct reg_addr noc(unsigned x, unsigned y, uint64_t addr);

/* Acquires if need be. */
uint32_t word(struct device *d, struct reg_addr at);
void put(struct device *d, struct reg_addr at, uint32_t value);

/* Where an ARC address of CSM (0x10000000...) can be read on this chip. */
struct reg_addr csm(const struct device *d, uint32_t arc);

/* The word of a tag by a walk of the table from its pointers; false if it is not in there. */
bool tag(struct device *d, unsigned number, uint32_t *value);

/* The text of an attribute, or "-ENODATA" and the like; valid until the next call. */
const char *text(struct device *d, enum attr a);
int64_t number(struct device *d, enum attr a);

/* Virtual time moves to so many ns since the last sim_bus(). */
void wait_until(int64_t ns);

/* Counts of all processes' accesses since sim_bus(), as in struct sim_shared. */
struct sim_counts {
	uint64_t violations, writes, messages, opens, reads, cancelled, refused;
	char last_violation[128];
};
struct sim_counts counts(const struct bus *bus);
