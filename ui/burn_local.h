/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_local.h - the parts of the burn's screen; each draws into a rectangle
 * and needs no other.
 */
#pragma once

#include "ui/burn.h"

/* "00:04:31" */
char *burn_clock(int64_t ns, char *buf, size_t size);
/* "501.2 GFLOP/s" of MFLOP/s; "-" for 0. */
char *burn_rate(int64_t mflops, char *buf, size_t size);
char *burn_memory_rate(int64_t mb, char *buf, size_t size);
/* "12,345,678" */
char *burn_count(uint64_t n, char *buf, size_t size);

int burn_head_height(const struct ui_burn *b, int room);
void burn_draw_head(struct canvas *c, struct rect r, const struct ui_burn *b);
void burn_draw_plot(struct canvas *c, struct rect r, const struct ui_burn *b);
void burn_draw_work(struct canvas *c, struct rect r, const struct ui_burn *b);

/* Lines they would like to have. */
int burn_cores_height(const struct ui_burn *b, int w);
void burn_draw_cores(struct canvas *c, struct rect r, const struct ui_burn *b);
void burn_put_core(struct canvas *c, int x, int y, enum ui_core core);
/* Cards of which the memory is tested. */
bool burn_has_lanes(const struct ui_burn *b);
int burn_lanes_height(const struct ui_burn *b, int w);
void burn_draw_lanes(struct canvas *c, struct rect r, const struct ui_burn *b);
int burn_host_height(const struct ui_burn *b, int w);
void burn_draw_host(struct canvas *c, struct rect r, const struct ui_burn *b);
int burn_threads_height(const struct ui_burn *b, int w);
void burn_draw_threads(struct canvas *c, struct rect r, const struct ui_burn *b);
int burn_cards_height(const struct model *m, int w);
void burn_draw_cards(struct canvas *c, struct rect r, const struct model *m);
