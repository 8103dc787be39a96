/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mutant.h - included before each source of a build with mutants (pick.py).
 *
 * Each place where a mutant differs from the product asks MUTANT(n).  The environment names the one
 * that is wrong in this run (TT_SMI_MUTANT, from 1), and a file of one byte a mutant, which becomes
 * 1 once a process passes the place (TT_SMI_MUTANT_SEEN).
 */
#pragma once

#define MUTANTS_MOST 4096

__attribute__((weak)) int mutant_now;
__attribute__((weak)) unsigned char mutant_unseen[MUTANTS_MOST];
__attribute__((weak)) unsigned char *mutant_seen = mutant_unseen;

#define MUTANT(n) (mutant_seen[n] = 1, mutant_now == (n))
