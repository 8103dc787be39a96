/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * split.h - one piece of work on several threads, and back when all is done.
 */
#pragma once

enum { SPLIT_MOST = 64 };

/* CPUs that this process may run on, 1 to SPLIT_MOST. */
int split_cpus(void);

/* Call work(arg, i) for i from 0 to n - 1 at once; where no thread is to be had, in turn. */
void split_run(int n, void (*work)(void *arg, int i), void *arg);
