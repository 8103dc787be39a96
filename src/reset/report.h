/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - the file of --report, written once a reset is over or was refused.
 */
#pragma once

#include "src/exit.h"

#include <stddef.h>

struct reset_card;
struct reset_run;

/* Remember what came of the act outside of the driver in a try that is over. */
void reset_report_take(struct reset_run *run, const struct reset_card *cards, size_t n);

/* Before anything is done: open the file if one is wanted (act_prove_report()). */
enum exit_code reset_report_prove(struct reset_run *run);

/*
 * Right before the first act: put a report there that says so if we are killed, where an earlier
 * reset may have left "recovered".  If that fails, the reset is not begun.
 */
enum exit_code reset_report_draft(struct reset_run *run);

/* Write the file if one is wanted; a failure is reported, and makes *code exit_unwritten(). */
void reset_report_write(struct reset_run *run, enum exit_code *code);

/*
 * At the end: write it if it is not written yet, as after a refusal, so that no earlier report
 * stays and is taken for this one's.  A usage error and a dry run leave the file alone.
 */
void reset_report_end(struct reset_run *run, enum exit_code code);
