/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernels.c - the values that are in the burn-in's tables.
 */
#include "config.h"
#include "src/complete/values.h"
#include "burnin/kernels/case.h"
#include "burnin/kernels/impl.h"

#include <stdio.h>
#include <string.h>

void kernels_offer_cases(struct offer *to, const struct line *l)
{
	char channels[12];

	(void)l;
	for (size_t i = 0; i < BURN_CASES; i++) {
		snprintf(channels, sizeof(channels), "%d", burn_cases[i].channels);
		offer_add(to, channels, "input channels");
	}
}

void kernels_offer_dtypes(struct offer *to, const struct line *l)
{
	(void)l;
	for (int t = 0; t < BURN_COMPUTED; t++)
		offer_add(to, burn_dtype_name((enum burn_dtype)t), "");
}

void kernels_offer_impls(struct offer *to, const struct line *l)
{
	(void)l;
	for (size_t i = 0; impls[i]; i++) {
		offer_add(to, impls[i]->name, impls[i]->version);
		if (i == 0 || strcmp(impls[i]->version, impls[i - 1]->version) != 0)
			offer_add(to, impls[i]->version, "all of this version");
	}
}
