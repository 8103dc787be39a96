/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keys.h - what a terminal sends, as keys, clicks and answers.  No terminal and
 * no clock: bytes in, events out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From here on a terminal puts what is pasted into brackets; or not. */
#define KEYS_PASTE_ON  "\033[?2004h"
#define KEYS_PASTE_OFF "\033[?2004l"

struct keys {
	bool pasting;			/* what comes is pasted text, and no key */
	size_t n;
	unsigned char buf[256];		/* bytes that are not taken yet */
};

enum keys_kind {
	KEYS_NONE,		/* nothing whole is there */
	KEYS_KEY,		/* key: a code point or one of enum ui_key */
	KEYS_CLICK,		/* at x, y, both from 0 */
	KEYS_BACKGROUND,	/* rgb: 0xRRGGBB, the answer to OSC 11 */
	KEYS_ATTRIBUTES		/* the answer to DA1 */
};

struct keys_event {
	enum keys_kind kind;
	uint32_t key;
	int x, y;
	uint32_t rgb;
};

/* Add bytes; those for which there is no room are dropped. */
void keys_add(struct keys *k, const void *bytes, size_t n);

/*
 * Take the next event.  While a sequence is not whole the answer is KEYS_NONE
 * and bytes stay in k; `over` says that nothing more has come in time: an ESC
 * that stands alone is then the key, what else is not whole is dropped, and so is
 * the end of a paste that has not come.  Text that is pasted in brackets means
 * nothing.
 */
struct keys_event keys_next(struct keys *k, bool over);
