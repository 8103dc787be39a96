/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice.h - what to do next about a chip: as a code for programs, and in words for people.  Both
 * come from one row, of the finding (report/finding.c) or of the chip's state.  A step that this
 * state rules out is not given.
 */
#pragma once

#include "report/finding.h"
#include "telemetry/snapshot.h"

#define ADVICE_TEXT 256

struct advice {
	enum action action;
	char text[ADVICE_TEXT];		/* "": there is no step */
	int name_at, name_len;		/* where it names the card or its board; 0: nowhere */
};

void advice_set(struct advice *a, enum action action, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put words before the step. */
void advice_begin(struct advice *a, const char *words);

/*
 * Take this step for a chip.  A second chip has none that an act takes, so its card is named, and a
 * reset names the whole board.  Programs that have the card have to end first.  Where no reset can
 * be done or help, the step is that of the chip's state.
 */
void advice_take(struct advice *a, const struct fleet *f, const struct snapshot *s,
	const struct step *step);

/* The step for a chip that cannot be read, or whose driver offers no device. */
void advice_take_state(struct advice *a, const struct fleet *f, const struct snapshot *s);

/* The step for a finding of this id. */
void advice_take_finding(struct advice *a, const struct fleet *f, const struct snapshot *s,
	const char *id);

/* The step for a chip: of its state if it is lost, or else of its worst finding. */
void advice_take_chip(struct advice *a, const struct fleet *f, const struct snapshot *s);

/*
 * The step for what an act found on a chip, by its code; a trouble that the chip still has has the
 * step of the chip.
 */
void advice_take_code(struct advice *a, const struct fleet *f, const struct snapshot *s,
	enum code code);

/* Whether two steps are the same, but for the name of the card. */
bool advice_is_alike(const struct advice *a, const struct advice *b);

/*
 * Put n steps that are alike behind what was found, with the names of all their cards; two chips
 * of one board have one name: " -> tt-smi -wr 0 1".  Nothing if there is no step.
 */
void advice_put(struct strbuf *to, const struct advice *const *all, size_t n);

/* The step for a chip that has left the bus. */
extern const struct step advice_rescan;

/* Begin a step that runs tt-smi with "on its machine: " if these cards are not of this one. */
void advice_place(struct advice *a, const struct fleet *f);

/* The code of a reset that names these cards. */
enum action advice_of_reset(const char *names);
