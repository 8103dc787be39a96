/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns keys and clicks of the terminal into ours.  The cells of the picture on
 * the screen hold what a click on them means.
 */
#include "config.h"
#include "ui/term_local.h"

#include "base/clock.h"

#include <poll.h>
#include <unistd.h>

#define ESCAPE_MS 25		/* without more bytes a lone ESC is the key */
#define ANSWER_MS 500		/* and an incomplete sequence is dropped */
#define PASTE_MS  2000		/* and pasted text is over */

static void take_bytes(void)
{
	struct pollfd in = { .fd = term.in, .events = POLLIN };
	unsigned char bytes[128];
	size_t room = sizeof(term.keys.buf) - term.keys.n;
	ssize_t n;

	if (room == 0 || poll(&in, 1, 0) <= 0 || !(in.revents & POLLIN))
		return;
	n = read(term.in, bytes, room < sizeof(bytes) ? room : sizeof(bytes));
	if (n <= 0)
		return;
	keys_add(&term.keys, bytes, (size_t)n);
	term.keys_since = clock_steady();
}

/* Take the terminal's answer to our query; true if it changes the picture. */
static bool take_answer(const struct keys_event *e)
{
	enum palette_ground ground = palette_ground_of(e->rgb);
	bool asked = term.asked;

	term.asked = asked && e->kind != KEYS_ATTRIBUTES;
	if (!asked || e->kind != KEYS_BACKGROUND || ground == term.ground)
		return false;
	term.ground = ground;
	term_look_init();
	term.forget = true;
	return true;
}

int term_wait_ms(void)
{
	int64_t patience = term.keys.pasting ? PASTE_MS : term.keys.n == 1 ? ESCAPE_MS : ANSWER_MS;
	int64_t left;

	if (term.keys.n == 0 && !term.keys.pasting)
		return -1;
	left = (term.keys_since - clock_steady()) / CLOCK_MS + patience;
	return left > 0 ? (int)left : 0;
}

bool term_is_quiet(void)
{
	struct pollfd in = { .fd = term.in, .events = POLLIN };

	return term.keys.n == 0 && !term.keys.pasting && poll(&in, 1, 0) == 0;
}

uint32_t term_key(unsigned *hit)
{
	*hit = 0;
	take_bytes();
	for (;;) {
		struct keys_event e = keys_next(&term.keys, term_wait_ms() == 0);
		const struct cell *cell;

		switch (e.kind) {
		case KEYS_NONE:
			return UI_KEY_NONE;
		case KEYS_KEY:
			return e.key;
		case KEYS_CLICK:
			cell = canvas_at(&term.last, e.x, e.y);
			*hit = cell && cell->hit ? cell->hit : UI_HIT_NOTHING;
			return UI_KEY_RESIZE;
		case KEYS_BACKGROUND:
		case KEYS_ATTRIBUTES:
			if (take_answer(&e))
				return UI_KEY_RESIZE;
		}
	}
}
