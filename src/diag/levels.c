/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * levels.c - the stages in their order, and how much of each stage a level includes.
 */
#include "config.h"
#include "src/diag/diag.h"

#include "base/clock.h"

#define S CLOCK_SECOND

const struct diag_stage diag_stages[DIAG_STAGES] = {
	[DIAG_HEALTH] = { "health", "host and cards by the checks of --health",
		"whatever shows under load alone", .run = diag_run_health },
	[DIAG_CHECK_MEMORY] = { "check-memory",
		"part of each memory channel read in four ways and compared; nothing is written",
		"memory that reads wrong the same each time, and all of it that was not read",
		.run = diag_run_check_memory },
	[DIAG_PCIE] = { "pcie",
		"pieces of the card's memory written, read back, compared and put back; the rates "
		"against their floors",
		"transfers that the card makes by itself, and a link that is slow but above its "
		"floor",
		.is_timed = true, .run = diag_run_pcie },
	[DIAG_BURN] = { "burn",
		"conv2d and matmul on all processors of the host that this process may use and all "
		"cores of the cards at once, every result compared",
		"faults that need longer, other operands or other temperatures; ethernet; the "
		"cards' other cores",
		.is_timed = true, .run = diag_run_burn },
	[DIAG_TEST_MEMORY] = { "test-memory",
		"part of each memory channel overwritten with patterns and compared through each "
		"endpoint; not put back",
		"cells that lose their data slowly, and all of the memory that was not written",
		.run = diag_run_test_memory },
	[DIAG_HEALTH_AFTER] = { "health-after", "the checks of --health again, after the load",
		"what a reset has hidden", .run = diag_run_health },
};

const struct diag_level diag_levels[] = {
	{ "some seconds", { [DIAG_HEALTH] = S, [DIAG_CHECK_MEMORY] = 3 * S, [DIAG_PCIE] = 2 * S },
		.reads = 1 << 20, .loads = false },
	{ "about 2 minutes", { [DIAG_HEALTH] = S, [DIAG_CHECK_MEMORY] = 10 * S,
		[DIAG_PCIE] = 5 * S, [DIAG_BURN] = 60 * S, [DIAG_TEST_MEMORY] = 30 * S,
		[DIAG_HEALTH_AFTER] = S },
		.reads = 4 << 20, .tests = 4 << 20, .loads = true },
	{ "about 15 minutes", { [DIAG_HEALTH] = S, [DIAG_CHECK_MEMORY] = 40 * S,
		[DIAG_PCIE] = 20 * S, [DIAG_BURN] = 600 * S, [DIAG_TEST_MEMORY] = 200 * S,
		[DIAG_HEALTH_AFTER] = S },
		.reads = 16 << 20, .tests = 32 << 20, .loads = true },
};
