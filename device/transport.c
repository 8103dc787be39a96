/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "device/transport.h"

#include <stddef.h>

const struct transport_ops *const transports[] = {
	&transport_kmd,
	&transport_sim,
	&transport_ttsim,
	&transport_replay,
	NULL,
};
