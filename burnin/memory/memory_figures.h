/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_figures.h - the figures that the memory test and --check-memory share.
 */
#pragma once

#include "burnin/memory/memory_channels.h"
#include "telemetry/figure.h"

struct memory_findings {
	size_t n;
	struct memory_finding found[MEMORY_CHANNELS * MEMORY_FINDINGS];
};

/* A shifted lane's delays. */
struct memory_late {
	enum memory_kind kind;
	unsigned late[2];
};

/* The channels of a test and what it left out of them. */
struct memory_left_out {
	struct memory_kept kept;
	uint32_t channels;
	char text[160];		/* memory_left_out() */
};

struct memory_left_out memory_left_out(const struct memory_kept *kept, uint32_t channels);

/* struct memory_left_out: channel and endpoint of each. */
extern const struct figure_group memory_left_out_figures;

/* uint64_t[MEMORY_LANES]: wrong bytes. */
extern const struct figure_group memory_lane_figures;

/* struct memory_late: bytes, for even and for odd chunks; none for another kind. */
extern const struct figure_group memory_late_figures;

/* struct memory_findings. */
extern const struct figure_group memory_finding_figures;

/* struct memory_errors: what the memory's controller counted. */
extern const struct figure_group memory_error_figures;
