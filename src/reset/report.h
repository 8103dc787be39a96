/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - the file of --report, written once a reset is over.
 */
#pragma once

#include "src/exit.h"

struct reset_run;

/* Remember the cards of a try that is over; they replace those of an earlier one. */
void reset_report_take(struct reset_run *run);

/* Write the file if one is wanted; a failure is reported, and turns EXIT_DONE into EXIT_FAILED. */
void reset_report_write(struct reset_run *run, enum exit_code *code);
