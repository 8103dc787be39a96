/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h - the machine around the cards, looked up below a root.
 */
#pragma once

#include "telemetry/host.h"

/* Fill *h from <root>/proc, <root>/etc; driver is the driver's version or "". */
void host_read(const char *root, const char *driver, struct host *h);
