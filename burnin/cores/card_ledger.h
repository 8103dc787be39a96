/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_ledger.h - the request to a card's burn, known before its start, and the work
 * that it did, by its counters.
 */
#pragma once

#include "burnin/cores/card_burn.h"

/* Record the request, only from the configuration, the kind of chip and its parts that are off. */
void card_ledger_ask(const struct card_burn_config *c, struct ledger *l);

/* Count the work seen so far; the request is that of the burn. */
void card_ledger_count(const struct card_burn *b, struct ledger *l);

/* Whether this kind of work is asked for; a first light has only the first one. */
bool card_ledger_has_kind(const struct card_burn_config *c, int kind);
