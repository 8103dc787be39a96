/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seen.h - what a text has, for tests of what is printed and drawn.
 */
#pragma once

#include <stddef.h>

/* How often a word is in a text. */
size_t count(const char *text, const char *word);
