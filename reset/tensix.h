/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tensix.h - the reset of a Grayskull: its compute cores are reset, register by
 * register, while the chip itself keeps running and stays on the bus.
 */
#pragma once

#include "device/device.h"

/*
 * Reset all cores, through a handle for ACCESS_RESET, and hold them in reset.
 * 0 or -errno, -ETIMEDOUT after 10 s; on an error, part of it may have been done.
 */
int tensix_reset(struct device *d, struct error *e);

/*
 * Check that each usable tile is in the state that tensix_reset() leaves.  Returns the
 * number of tiles or -errno; -EIO: *e names the first tile or register that is not.
 */
int tensix_check(struct device *d, struct error *e);
