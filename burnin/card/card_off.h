/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_off.h - which rows or columns of a chip's cores are switched off, for
 * card_tiles(): touching one of them can hang the chip.
 */
#pragma once

#include "base/error.h"
#include "telemetry/snapshot.h"

/*
 * From a live snapshot.  *asks: a Wormhole whose firmware does not publish it must
 * be asked; see card_off_rows().  -ENODATA: it cannot be known.
 */
int card_off(const struct snapshot *s, uint32_t *off, bool *asks, struct error *e);

/* Wormhole: rows by NOC0 coordinate from the firmware's bits, one for each row that is off. */
uint32_t card_off_rows(uint32_t mask);
