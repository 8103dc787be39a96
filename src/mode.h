/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode.h - what the program can be asked to do, one file each.  A mode owns
 * policy: when to read, what to print, how to exit.
 */
#pragma once

#include "src/exit.h"
#include "src/options.h"
#include "telemetry/host.h"
#include "telemetry/sampler.h"

enum exit_code mode_live(const struct options *o);
enum exit_code mode_snapshot(const struct options *o);
enum exit_code mode_list(const struct options *o);
enum exit_code mode_dump(const struct options *o);
enum exit_code mode_finish(const struct options *o);
enum exit_code mode_fields(const struct options *o);

/* What is planned and not built: says so, EXIT_FAILED. */
enum exit_code mode_not_built(const struct options *o);
