/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workbook.h - makes the workbook of a dump, waits for it and shows the progress.
 */
#pragma once

#include "src/exit.h"
#include "src/stop.h"
#include "telemetry/figure.h"

/*
 * Make it, with the figures of the burn that the dump ran beside (or NULL), and report the
 * result; a stop leaves the CSV files for --finish.
 */
enum exit_code workbook_make(const char *dir, const struct figures *burn, struct stop *stop);
