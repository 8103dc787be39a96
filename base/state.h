/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - where this program keeps files that must survive it: logs of resets, locks.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The path of `name` in the state directory, which is created if it is missing:
 * $TT_SMI_STATE_DIR, else for root /var/lib/tt-smi, for others
 * $XDG_STATE_HOME/tt-smi or ~/.local/state/tt-smi.
 */
int state_path(const char *name, char *out, size_t size, struct error *e);

/* Replace such a file; programs of other users, as the exporter of metrics, may read a new one. */
int state_write(const char *path, const char *data, size_t len, struct error *e);

/* Whether TT_SMI_STATE_DIR names it: then state of simulated and recorded cards is kept too. */
bool state_is_chosen(void);
