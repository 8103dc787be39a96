/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_json.h - what the reports of the memory test and of --check-memory tell alike.
 */
#pragma once

#include "base/json.h"
#include "burnin/memory/memory_channels.h"

/* "lanes": wrong bytes of each. */
void memory_json_lanes(struct json_out *j, const uint64_t lane[MEMORY_LANES]);

/* "late_bytes": of a lane that is shifted, in even and in odd chunks; else empty. */
void memory_json_late(struct json_out *j, enum memory_kind kind, const unsigned late[2]);

/* "findings": the faults, each with its words. */
void memory_json_findings(struct json_out *j, const struct memory_finding *found, size_t n);

/* What the memory's controller counted; null where that is not known. */
void memory_json_errors(struct json_out *j, const char *key, const struct memory_errors *m);
