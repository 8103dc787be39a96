/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mutant.h - included before each source of a build with mutants (pick.py).
 *
 * Each place where a mutant differs from the product tests MUTANT(n).  In the environment
 * TT_SMI_MUTANT selects the mutant of this run, from 1, and TT_SMI_MUTANT_SEEN names a file with
 * one byte for each mutant.  A process that reaches the place sets the byte to 1.
 */
#pragma once

#define MUTANTS_MOST 4096

__attribute__((weak)) int mutant_now;
__attribute__((weak)) unsigned char mutant_unseen[MUTANTS_MOST];
__attribute__((weak)) unsigned char *mutant_seen = mutant_unseen;

#define MUTANT(n) (mutant_seen[n] = 1, mutant_now == (n))
