/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term_keys.c - keys and clicks of the terminal as keys of ours.  What a click
 * hits stands in the cells of the picture that is shown.
 */
#include "config.h"
#include "ui/term_local.h"
#include "base/array.h"

#include <poll.h>
#include <unistd.h>

static uint32_t mouse_key(unsigned *hit)
{
	const struct cell *cell;
	MEVENT event;

	if (getmouse(&event) != OK)
		return UI_KEY_RESIZE;
	if (event.bstate & BUTTON4_PRESSED)
		return UI_KEY_WHEEL_UP;
	if (event.bstate & BUTTON5_PRESSED)
		return UI_KEY_WHEEL_DOWN;
	cell = canvas_at(&term.last, event.x, event.y);
	*hit = cell && event.bstate & BUTTON1_PRESSED ? cell->hit : 0;
	return UI_KEY_RESIZE;
}

static uint32_t special_key(wint_t key)
{
	static const struct {
		int curses;
		uint32_t key;
	} keys[] = {
		{ KEY_UP, UI_KEY_UP }, { KEY_DOWN, UI_KEY_DOWN }, { KEY_LEFT, UI_KEY_LEFT },
		{ KEY_RIGHT, UI_KEY_RIGHT }, { KEY_PPAGE, UI_KEY_PAGE_UP },
		{ KEY_NPAGE, UI_KEY_PAGE_DOWN }, { KEY_HOME, UI_KEY_HOME }, { KEY_END, UI_KEY_END },
		{ KEY_BACKSPACE, UI_KEY_BACKSPACE },
		{ KEY_BTAB, UI_KEY_BACKTAB }, { KEY_F(1), UI_KEY_F1 }, { KEY_ENTER, UI_KEY_ENTER },
		{ KEY_RESIZE, UI_KEY_RESIZE },
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (keys[i].curses == (int)key)
			return keys[i].key;
	return UI_KEY_RESIZE;	/* a key without a meaning: nothing but a new picture */
}

static uint32_t plain_key(void)
{
	struct pollfd in = { .fd = fileno(term.in), .events = POLLIN };
	unsigned char c;

	if (poll(&in, 1, 0) <= 0 || read(in.fd, &c, 1) != 1)
		return UI_KEY_NONE;
	return c == '\r' ? UI_KEY_ENTER : c;
}

uint32_t term_key(unsigned *hit)
{
	wint_t key = 0;
	int kind;

	*hit = 0;
	if (term.plain)
		return plain_key();
	kind = get_wch(&key);
	if (kind == ERR)
		return UI_KEY_NONE;
	if (kind == KEY_CODE_YES)
		return key == KEY_MOUSE ? mouse_key(hit) : special_key(key);
	if (key == '\r' || key == '\n')
		return UI_KEY_ENTER;
	return key == 0x7f || key == 8 ? UI_KEY_BACKSPACE : (uint32_t)key;
}
