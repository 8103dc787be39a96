/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checks_local.h - the checks that do more than report findings; health_checks[] describes them.
 */
#pragma once

#include "health/health.h"

void check_driver(const struct health_world *w, struct health_item *i);
void check_driver_floor(const struct health_world *w, struct health_item *i);
void check_expected(const struct health_world *w, struct health_item *i);
void check_trays(const struct health_world *w, struct health_item *i);
void check_serials(const struct health_world *w, struct health_item *i);
void check_same_firmware(const struct health_world *w, struct health_item *i);
void check_dma(const struct health_world *w, struct health_item *i);
void check_pin(const struct health_world *w, struct health_item *i);

void check_node(const struct health_world *w, const struct snapshot *s, struct health_item *i);
void check_answer(const struct health_world *w, const struct snapshot *s, struct health_item *i);
void check_bars(const struct health_world *w, const struct snapshot *s, struct health_item *i);
void check_link(const struct health_world *w, const struct snapshot *s, struct health_item *i);
void check_aer(const struct health_world *w, const struct snapshot *s, struct health_item *i);
void check_beat(const struct health_world *w, const struct snapshot *s, struct health_item *i);
void check_firmware(const struct health_world *w, const struct snapshot *s, struct health_item *i);
void check_pin_firmware(const struct health_world *w, const struct snapshot *s,
	struct health_item *i);
void check_temperature(const struct health_world *w, const struct snapshot *s,
	struct health_item *i);
void check_ethernet(const struct health_world *w, const struct snapshot *s, struct health_item *i);
void check_throttle(const struct health_world *w, const struct snapshot *s, struct health_item *i);
void check_holders(const struct health_world *w, const struct snapshot *s, struct health_item *i);
void check_awake(const struct health_world *w, const struct snapshot *s, struct health_item *i);

/* True if the sample has no data for this card; the item is then a SKIP with the reason. */
bool check_is_unread(const struct snapshot *s, struct health_item *i);

/* True if this chip may have the reading, but it could not be read or believed. */
bool check_is_unseen(const struct snapshot *s, enum field_id id);

/* Why a check that needs a sample was not done. */
#define CHECK_LATE   "not reached before the deadline"
#define CHECK_UNREAD "the card was not read"

/*
 * Read a file below the machine's root as text of less than `size` bytes; 0 or -errno.  Only for
 * files that the kernel answers from memory, so that no read waits for a card.
 */
int check_read_all(const struct health_world *w, const char *path, char *text, size_t size);

