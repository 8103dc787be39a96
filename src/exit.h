/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exit.h - the exit codes, as in the manual's table.
 */
#pragma once

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NO_DEVICE = 3,
	EXIT_PARTIAL = 4,
	EXIT_NEGATIVE = 5,
	EXIT_REFUSED = 6
};

/*
 * The code if output could not be written, as on a full disk: that is a failure, but does not hide
 * a verdict or that nothing was done.
 */
static inline enum exit_code exit_unwritten(enum exit_code code)
{
	return code == EXIT_DONE || code == EXIT_PARTIAL ? EXIT_FAILED : code;
}
