/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tensix.h - a Grayskull's own way: its compute cores are reset, register by
 * register, while the chip goes on and stays on the bus.
 */
#pragma once

#include "device/device.h"

/*
 * Reset all cores, through a handle for ACCESS_RESET, and hold them in reset.
 * 0 or -errno, -ETIMEDOUT after 10 s; some of it may have been done in either case.
 */
int tensix_reset(struct device *d, struct error *e);

/*
 * Ask each usable tile whether it is as that leaves it: how many there are, or
 * -errno; -EIO names the first that is not.
 */
int tensix_check(struct device *d, struct error *e);
