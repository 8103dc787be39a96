/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_stand.h - what stands for options that were not typed.
 */
#pragma once

#include "src/options.h"

/*
 * Fill what was not typed from the environment and from o->conf (or NULL).
 *
 * Option, variable, the user's file, /etc's file, default: the first that says something decides.
 * Variables yield to an option that excludes them, and so do lines of the configuration; but for
 * what binds: it was set to forbid something in every call.  -EINVAL: stderr says what is wrong
 * with a variable.  What is wrong with the configuration is said there, too, and stands for
 * nothing.
 */
int options_take_standing(struct options *o);
