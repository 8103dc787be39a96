/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "act/act_kind.h"

#include <stddef.h>

#define BURNS { "b", "burnin" }

const struct act_words act_words[ACTS] = {
	[ACT_RESET] = { "reset", "nothing was reset", { "r", "reset", "tr", "lr", "wr",
		"warm_reset", "mr", "mobo_nb_reset", "glx_reset", "galaxy_6u_trays_reset",
		"glx_reset_auto", "galaxy_6u_trays_reset_auto", "glx_reset_tray",
		"galaxy_6u_reset_tray" } },
	[ACT_BURN_HOST] = { "burn of the host", "nothing was burnt", BURNS },
	[ACT_BURN_CARDS] = { "burn of cards", "nothing was burnt", BURNS },
	[ACT_TEST_MEMORY] = { "memory test", "nothing was burnt", BURNS },
	[ACT_CHECK_MEMORY] = { "memory check", "nothing was read", { "check-memory" } },
	[ACT_COMPUTE] = { "reference data", "nothing was burnt", BURNS },
	[ACT_DIAG] = { "diag", "nothing was tested", { "diag" } },
};
