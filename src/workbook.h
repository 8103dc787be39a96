/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workbook.h - the workbook of a dump, waited for with a word on how it goes.
 */
#pragma once

#include "src/exit.h"
#include "src/stop.h"
#include "telemetry/figure.h"

/*
 * Make it, with the burn that the dump ran beside (or NULL), and say what came of it; a stop
 * leaves the CSV files for --finish.
 */
enum exit_code workbook_make(const char *dir, const struct figures *burn, struct stop *stop);
