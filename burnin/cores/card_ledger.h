/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_ledger.h - what a card's burn is asked for, known before its start, and what
 * its counters say that it did.
 */
#pragma once

#include "burnin/cores/card_burn.h"

/* From the configuration, the kind of chip and what of it is switched off alone. */
void card_ledger_ask(const struct card_burn_config *c, struct ledger *l);

/* What was seen so far; what was asked for comes from the burn. */
void card_ledger_count(const struct card_burn *b, struct ledger *l);

/* Whether this kind of work is asked for; a first light has the first one alone. */
bool card_ledger_has_kind(const struct card_burn_config *c, int kind);
