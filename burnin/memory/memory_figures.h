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

/* uint64_t[MEMORY_LANES]: wrong bytes. */
extern const struct figure_group memory_lane_figures;

/* struct memory_late: bytes, for even and for odd chunks; none for another kind. */
extern const struct figure_group memory_late_figures;

/* struct memory_findings. */
extern const struct figure_group memory_finding_figures;

/* struct memory_errors: what the memory's controller counted. */
extern const struct figure_group memory_error_figures;
