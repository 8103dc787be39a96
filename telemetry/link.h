/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link.h - the PCIe link: its speed and width, the best possible ones, and what limits it.
 */
#pragma once

#include "telemetry/snapshot.h"

#define LINK_TEXT 48

/* Fill s->link from the attributes and what is known of the board. */
void link_judge(struct snapshot *s);

/* Whether it is known, and of the present sample. */
bool link_is_now(const struct snapshot_link *l);

/* PCIe generation of a speed in MT/s (16000 is 4), and back; 0 where there is none. */
int link_generation(int32_t speed);
int32_t link_generation_speed(int generation);

/* "Gen4 x16", or "16.5 GT/s x16" for a speed of no generation.  Returns buf. */
const char *link_text(int32_t speed, int32_t width, char *buf, size_t size);

/* MT/s of the kernel's "16.0 GT/s PCIe"; 0 for anything else. */
int32_t link_speed_of(const char *text);

const char *link_limit_name(enum snapshot_limit limit);	/* "card", "slot", "board" */

/* "slot is x8", "board is Gen4 x1"; "" where only the card is the limit. Returns buf. */
const char *link_limit_text(const struct snapshot_link *l, char *buf, size_t size);

/* "Gen4 x4 of Gen5 x8 (slot is x8)".  Returns buf. */
const char *link_words(const struct snapshot_link *l, char *buf, size_t size);
