/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keys.h - parses the bytes that a terminal sends into keys, clicks and answers.
 * It uses no terminal and no clock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Switch on and off that the terminal puts pasted text into brackets. */
#define KEYS_PASTE_ON  "\033[?2004h"
#define KEYS_PASTE_OFF "\033[?2004l"

struct keys {
	bool pasting;			/* the bytes are pasted text, not keys */
	size_t n;
	unsigned char buf[256];		/* bytes that are not taken yet */
};

enum keys_kind {
	KEYS_NONE,		/* no complete event yet */
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

/* Add bytes; those that do not fit are dropped. */
void keys_add(struct keys *k, const void *bytes, size_t n);

/*
 * Take the next event.  Returns KEYS_NONE while a sequence is incomplete; its
 * bytes stay in k.  `over` says that nothing more has come in time: a lone ESC
 * is then the key, any other incomplete sequence is dropped, and a paste whose
 * end has not come is over.  Text that is pasted in brackets is ignored.
 */
struct keys_event keys_next(struct keys *k, bool over);
