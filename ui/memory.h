/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h - the state of each memory module of a chip.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/model.h"

#define MEMORY_MODULES 16

enum memory_state { MEMORY_UNKNOWN, MEMORY_UNUSED, MEMORY_PASSED, MEMORY_FAILED };

struct memory_module {
	enum memory_state training, test;	/* test: the built-in one */
	enum field_id bottom, top;		/* its readings; FIELD_NONE: has none */
	enum field_id corrected_read, corrected_write;
	enum memory_state read, write;		/* FAILED: uncorrected errors */
};

/* Fill m for the modules of a chip; returns how many there are, 0 if nothing is known. */
size_t memory_modules(const struct snapshot *s, struct memory_module m[static MEMORY_MODULES]);

/* "7 of 8": how many of the modules in use are trained, or have passed their test. */
enum style memory_count_text(const struct snapshot *s, bool test, char *buf, size_t size);

/* The errors of all modules together: corrected ones, or flags of uncorrected ones. */
enum style memory_errors_text(const struct snapshot *s, bool uncorrected, char *buf, size_t size);

const char *memory_state_name(enum memory_state state);
