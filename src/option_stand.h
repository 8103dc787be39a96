/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_stand.h - values of options that were not typed.
 */
#pragma once

#include "src/options.h"

/*
 * Set options that were not typed, from the environment and from o->conf (or NULL).
 *
 * The order is option, variable, the user's file, /etc's file, default: the first that has a value
 * decides.  Variables and lines of the configuration yield to an option that excludes them, except
 * those with env_binds: they were set to forbid something in every call.  -EINVAL: a variable is
 * wrong, as stderr says.  Wrong lines of the configuration are reported there, too, and ignored.
 */
int options_take_standing(struct options *o);
