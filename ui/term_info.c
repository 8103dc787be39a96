/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/term_info.h"

#include <curses.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>

/* tputs() takes the pauses for old terminals out of a sequence, and hands on its characters. */
static char *collected;
static size_t collected_room;

static int collect(int c)
{
	if (collected_room > 1) {
		*collected++ = (char)c;
		*collected = 0;
		collected_room--;
	}
	return c;
}

static const char *text_of(const char *capability)
{
	const char *text = tigetstr(capability);

	return text == (const char *)-1 ? NULL : text;
}

static void add(const char *text)
{
	if (text)
		tputs(text, 1, collect);
}

static void begin(char *text, size_t size)
{
	text[0] = 0;
	collected = text;
	collected_room = size;
}

static int count_colors(void)
{
	const char *offered = getenv("COLORTERM");
	int n = tigetnum("colors");

	if (offered && n >= 8 &&
		(strcmp(offered, "truecolor") == 0 || strcmp(offered, "24bit") == 0))
		return 256;
	return n >= 256 ? 256 : n >= 8 ? 8 : 0;
}

static void read_sequences(struct term_info *info)
{
	const char *mouse = text_of("kmous");

	begin(info->enter, sizeof(info->enter));
	add(text_of("smcup"));
	add(text_of("smkx"));
	add(text_of("civis"));
	add(mouse ? "\033[?1000h\033[?1006h" : NULL);

	begin(info->leave, sizeof(info->leave));
	add(mouse ? "\033[?1006l\033[?1000l" : NULL);
	add("\033[0m");
	add(text_of("cnorm"));
	add(text_of("rmkx"));
	/* Without a second screen the prompt goes below the picture. */
	add(text_of("rmcup") ? text_of("rmcup") : "\033[999;1H\r\n");
}

int term_info_read(const char *name, int fd, struct term_info *info, struct error *e)
{
	static const char usual[] = "\033[%i%p1%d;%p2%dH";
	const char *cup;
	int status = 0;

	*info = (struct term_info){ 0 };
	if (setupterm(name, fd, &status) != OK)
		return fail(e, -ENOTTY,
			"terminal: TERM=%s is not known on this machine (try TERM=vt100)", name);
	cup = text_of("cup");
	info->plain = !cup || strncmp(cup, usual, sizeof(usual) - 1) != 0;
	info->right_margin = tigetflag("am") != 1 || tigetflag("xenl") == 1;
	info->colors = count_colors();
	if (!info->plain)
		read_sequences(info);
	del_curterm(cur_term);
	return 0;
}
