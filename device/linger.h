/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linger.h - whether opening a card's node may keep it from powering down.
 *
 * After the last close of a client that asked for power, the driver waits for
 * a while before it powers a Wormhole down.  Any open within that time cancels
 * this, and the close of a passive handle does not begin it anew: the board
 * stays at full clock until the next job (driver-behaviour 11).
 */
#pragma once

#include "device/device.h"

/*
 * 0: the node may be opened.  -EINPROGRESS: the board may be about to power down;
 * sysfs can be read.  Asked again and again, at intervals below half the
 * driver's time, it notices when that time is over.
 */
int linger_check(struct device *d, struct error *e);
