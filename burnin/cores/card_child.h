/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_child.h - what the child process of a card's burn does.
 */
#pragma once

#include "burnin/cores/card_burn.h"

/* Burn until all is done, s->stop, or the end of the socket.  Returns the exit status. */
int card_child_run(const struct card_burn_config *c, struct card_shared *s, int fd);

/* Hold the cores that another child started before it was killed. */
int card_child_hold(const struct card_burn_config *c, struct card_shared *s);
