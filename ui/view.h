/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.h - what is shown: which tab, which switches are on, where the
 * selection is; and what a key or a click changes in it.  It uses no terminal
 * and no clock: keys in, requests out.
 */
#pragma once

#include "ui/model.h"

/* Characters are themselves (code points); these lie above Unicode. */
enum ui_key {
	UI_KEY_NONE = 0,
	UI_KEY_TAB = '\t', UI_KEY_ENTER = '\n', UI_KEY_ESC = 27, UI_KEY_REDRAW = 12,
	UI_KEY_UP = 0x110000, UI_KEY_DOWN, UI_KEY_LEFT, UI_KEY_RIGHT, UI_KEY_PAGE_UP,
	UI_KEY_PAGE_DOWN, UI_KEY_HOME, UI_KEY_END, UI_KEY_BACKSPACE, UI_KEY_BACKTAB,
	UI_KEY_F1, UI_KEY_WHEEL_UP, UI_KEY_WHEEL_DOWN, UI_KEY_RESIZE
};

/* What the loop is asked to do. */
enum ui_request {
	UI_NONE,		/* draw again, nothing else */
	UI_QUIT,
	UI_SNAPSHOT,
	UI_DUMP,		/* start it or stop it */
	UI_PAUSE,		/* view.paused has changed: hold or release the picture */
	UI_RESTART_STATS,
	UI_RESET_ASK,		/* the selected board: see view_ask() */
	UI_RESET,		/* the answer was yes */
	UI_REMOTE,		/* read second chips of boards, or stop */
	UI_BUSY,		/* read how busy chips are, or stop */
	UI_REDRAW		/* the whole terminal */
};

enum ui_tab {
	UI_TAB_DEVICES, UI_TAB_TELEMETRY, UI_TAB_FIRMWARE, UI_TAB_PROCESSES, UI_TAB_HISTORY,
	UI_TAB_MEMORY, UI_TAB_LINKS, UI_TABS
};

/* Which chips share a line. */
enum ui_group {
	UI_GROUP_AUTO,		/* boards of one type that are well, if not all rows fit */
	UI_GROUP_NONE,
	UI_GROUP_BOARD,		/* chips of one board */
	UI_GROUP_TYPE,		/* boards of one type */
	UI_GROUPS
};

enum ui_panel { UI_PANEL_NONE, UI_PANEL_HELP, UI_PANEL_LOG, UI_PANEL_CHIP };

/* What a click on a cell means: one of these plus a number. */
enum ui_hit {
	UI_HIT_TAB = 0x0100,		/* + enum ui_tab */
	UI_HIT_CHIP = 0x0200,		/* + index of the chip */
	UI_HIT_COLUMN = 0x0600,		/* + number of the column in its table */
	UI_HIT_PLOT = 0x1000,		/* + column of the plot */
	UI_HIT_KEY = 0x2000,		/* + the character */
	UI_HIT_PANEL = 0x3000,
	UI_HIT_NOTHING = 0xffff		/* nothing; a click there withdraws a question */
};

/* How lines are sorted; by is a column of any tab's table. */
struct view_order {
	const struct column *by;	/* NULL: they are not */
	bool descending;
};

struct tab_ops;

struct view {
	const struct tab_ops *const *tabs;	/* by enum ui_tab: tabs need the view */
	enum ui_tab tab;
	enum ui_panel panel;
	bool compact;			/* no header, no sidebar, no frames */
	bool sidebar_set, sidebar;	/* t was pressed; else the width decides */
	bool limits, averages, paused;
	enum ui_group group;

	int selected;			/* index of a chip */
	int chosen;			/* the one that drawing selected; -1: a person did */
	uint64_t left_out[UI_TABS];	/* columns that are not wanted, bits by number */
	int top[UI_TABS];		/* first line shown of each tab */
	int panel_top;
	struct view_order order[2];	/* of all tables of chips; of the processes */

	char filter[64];		/* only lines that contain it; "" for all */
	bool typing;			/* keys go to the filter */

	size_t metric;			/* history: the first plot's */
	bool across;			/* history: one metric of many cards, not many of one */
	size_t zoom;			/* history: which span */
	int64_t back;			/* history: ns between now and the right end */
	int cursor;			/* history: column of the plot from the right; -1: none */

	char message[200];		/* for the footer until message_until */
	bool asking;			/* it is a question: the next key answers */
	bool message_bad;
	int64_t message_until;		/* clock_mono() */
	uint64_t log_seen;		/* log lines that were on the screen */

	/* Set by drawing, for keys: lines of a page, of all, columns of a plot, sidebar. */
	int page, lines, plot_columns;
	bool sidebar_now, sidebar_fits;
	bool crowded;	/* lines for each chip would not all fit */
	bool tight;	/* not all rows have room, so those with trouble come first */
};

void view_init(struct view *v, const struct tab_ops *const *all);

/* Carry out a key. */
enum ui_request view_key(struct view *v, uint32_t key, const struct model *m);

/* Carry out a click on a cell that was drawn with this hit. */
enum ui_request view_click(struct view *v, unsigned hit, const struct model *m);

/* Whether least, mean and most are shown below the row of each chip. */
bool view_averages(const struct view *v);

/* Whether chips that are well share a line because not all rows fit. */
bool view_folds(const struct view *v);

/* Whether they would in UI_GROUP_AUTO. */
bool view_would_fold(const struct view *v);

/* The group that key g switches to; the present one if there is no other picture. */
enum ui_group view_next_group(const struct view *v, const struct model *m);

/* Show a sentence in the footer for some seconds. */
void view_say(struct view *v, const struct model *m, bool bad, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Ask for y in the footer until a key comes; yes is UI_RESET. */
void view_ask(struct view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
