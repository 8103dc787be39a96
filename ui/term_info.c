/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term_info.c - the only file that uses curses.  Its terminfo half is loaded only
 * when a screen is taken over, so no other mode pays for it.
 */
#include "config.h"
#include "ui/term_info.h"
#include "base/array.h"
#include "base/dl.h"
#include "ui/keys.h"

#include <curses.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>

static struct {
	int (*setupterm)(NCURSES_CONST char *name, int fd, int *status);
	char *(*tigetstr)(NCURSES_CONST char *capability);
	int (*tigetflag)(NCURSES_CONST char *capability);
	int (*tigetnum)(NCURSES_CONST char *capability);
	int (*tputs)(const char *text, int affected, int (*put)(int));
	TERMINAL *(*set_curterm)(TERMINAL *terminal);
	int (*del_curterm)(TERMINAL *terminal);
} lib;

static int load_libtinfo(struct error *e)
{
	static const struct dl_slot slots[] = {
		{ "setupterm", &lib.setupterm }, { "tigetstr", &lib.tigetstr },
		{ "tigetflag", &lib.tigetflag }, { "tigetnum", &lib.tigetnum },
		{ "tputs", &lib.tputs }, { "set_curterm", &lib.set_curterm },
		{ "del_curterm", &lib.del_curterm },
	};

	return dl_load(DL_TINFO, slots, ARRAY_LEN(slots), e);
}

/* tputs() removes the padding for old terminals from a sequence and passes on its characters. */
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
	const char *text = lib.tigetstr(capability);

	return text == (const char *)-1 ? NULL : text;
}

static void term_add_sequence(const char *text)
{
	if (text)
		lib.tputs(text, 1, collect);
}

static void collect_into(char *text, size_t size)
{
	text[0] = 0;
	collected = text;
	collected_room = size;
}

static int count_colors(void)
{
	const char *offered = getenv("COLORTERM");
	int n = lib.tigetnum("colors");

	if (offered && n >= 8 &&
		(strcmp(offered, "truecolor") == 0 || strcmp(offered, "24bit") == 0))
		return 256;
	return n >= 256 ? 256 : n >= 8 ? 8 : 0;
}

static void read_sequences(struct term_info *info)
{
	const char *mouse = text_of("kmous");

	collect_into(info->enter, sizeof(info->enter));
	term_add_sequence(text_of("smcup"));
	term_add_sequence(text_of("smkx"));
	term_add_sequence(text_of("civis"));
	term_add_sequence(mouse ? "\033[?1000h\033[?1006h" : NULL);
	term_add_sequence(KEYS_PASTE_ON);

	collect_into(info->leave, sizeof(info->leave));
	term_add_sequence(KEYS_PASTE_OFF);
	term_add_sequence(mouse ? "\033[?1006l\033[?1000l" : NULL);
	term_add_sequence("\033[0m");
	term_add_sequence(text_of("cnorm"));
	term_add_sequence(text_of("rmkx"));
	/* Without a second screen the prompt goes below the picture. */
	term_add_sequence(text_of("rmcup") ? text_of("rmcup") : "\033[999;1H\r\n");
}

int term_info_read(const char *name, int fd, struct term_info *info, struct error *e)
{
	static const char usual[] = "\033[%i%p1%d;%p2%dH";
	const char *cup;
	int status = 0, r = load_libtinfo(e);

	*info = (struct term_info){ 0 };
	if (r < 0)
		return r;
	if (lib.setupterm((NCURSES_CONST char *)name, fd, &status) != OK)
		return fail_as(e, CODE_UNSUPPORTED, -ENOTTY, "terminal: TERM=%s is not known on "
			"this machine (try TERM=vt100)", name);
	cup = text_of("cup");
	info->plain = !cup || strncmp(cup, usual, sizeof(usual) - 1) != 0;
	info->right_margin = lib.tigetflag("am") != 1 || lib.tigetflag("xenl") == 1;
	info->colors = count_colors();
	if (!info->plain)
		read_sequences(info);
	lib.del_curterm(lib.set_curterm(NULL));
	return 0;
}
