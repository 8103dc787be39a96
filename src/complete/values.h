/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * values.h - the values that an option may have, as far as tables know them.
 */
#pragma once

#include "src/complete/line.h"
#include "src/complete/offer.h"

void values_offer(struct offer *to, const struct line *l, enum option_id id);

/* The names of the cards that the line is about; reads sysfs only, and waits for no card. */
void cards_offer(struct offer *to, const struct line *l);

void kernels_offer_cases(struct offer *to, const struct line *l);
void kernels_offer_dtypes(struct offer *to, const struct line *l);
void kernels_offer_impls(struct offer *to, const struct line *l);
