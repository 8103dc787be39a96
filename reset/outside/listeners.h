/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listeners.h - notify programs that use upstream's library of a reset: each
 * listens on a socket client_<pid>.sock in a common folder (chip-facts 5.2).
 */
#pragma once

#include <stddef.h>

#define LISTENERS_FOLDER "tmp/tt_umd_listeners"	/* below the root */

enum listeners_event {
	LISTENERS_BEFORE = 1,	/* a reset is about to begin: let go of the cards */
	LISTENERS_AFTER = 2
};

/*
 * Notify all listeners in a folder; returns how many took the message.  Listeners
 * that are gone, or do not take it at once, are skipped.
 */
size_t listeners_tell(const char *folder, enum listeners_event event);
