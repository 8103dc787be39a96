/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linger.h - whether opening a card's node may keep it from powering down.
 *
 * After the last close of a client that asked for power, the driver waits for
 * a while before it powers a Wormhole down.  Any open within that time cancels
 * the power-down, and closing a passive handle does not schedule it again: the
 * board stays at full clock until the next job (driver-behaviour 11).
 */
#pragma once

#include "device/device.h"

/*
 * Returns 0 if the node may be opened; -EINPROGRESS: the board may be about to power
 * down, but sysfs can be read.  To notice that the driver's waiting time is over,
 * call it at intervals below half that time.
 */
int linger_check(struct device *d, struct error *e);
