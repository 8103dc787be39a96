/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "device/transport.h"

const struct transport_ops transport_sim = {
	.name = "sim",
};
