/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tab.h - what a tab can do.  All of them are listed by hand in tab.c.
 */
#pragma once

#include "base/error.h"
#include "ui/canvas.h"
#include "ui/column.h"
#include "ui/rows.h"

/* Remarks for the line below a tab, separated by commas. */
struct foot {
	char left[300], right[100];
	char brief[300];	/* used if left does not fit; "": none */
	struct rows_sum above, below;	/* chips with trouble out of sight */
};

/* Below a table, blocks of lines for the selected chip and for as many chips after it as fit. */
struct blocks {
	int w;		/* cells of a block and the blank after it */
	int (*height)(const struct fleet *f, size_t chip);	/* lines */
	void (*draw)(struct canvas *c, struct rect r, const struct fleet *f, size_t chip);
};

struct tab_ops {
	const char *name, *brief;	/* "Telemetry", and for narrow screens */
	const struct column *columns;	/* of its table, or NULL */
	size_t n_columns;
	bool overview;		/* shown below the table if there is room */
	bool limits;		/* w shows and hides limits */
	bool averages;		/* its lines can have least, mean and most below them */
	bool calm;		/* its numbers change once a second, to be easy to read */
	bool apart;		/* no line for each chip: trouble is shown above */

	const struct blocks *blocks;	/* below its table, or NULL */

	/* Fill in remarks of its own, which those of its table follow; NULL: it has none. */
	void (*remark)(struct foot *foot, const struct model *m, const struct view *v);

	/*
	 * Draw into r; NULL: its table and blocks are drawn.  Changes only what view.h says
	 * drawing sets in v.
	 */
	void (*draw)(struct canvas *c, struct rect r, const struct model *m, struct view *v,
		struct foot *foot);

	/* Carry out a key of this tab's own; false: not its key.  NULL: it has none. */
	bool (*key)(struct view *v, uint32_t key, const struct model *m);
};

extern const struct tab_ops tab_processes, tab_history, tab_memory;

/* Spans of time the history can show, shortest first, and how each is divided into round times. */
extern const struct tab_span {
	int64_t ns;
	int ticks, each;		/* each: of the unit */
	const char *unit;
} tab_spans[];
extern const size_t tab_spans_len;

/* The tab of this name, in any case, if it has columns; otherwise -EINVAL and UI_TABS. */
int tab_find(const char *name, enum ui_tab *out, struct error *e);

/*
 * Get the columns that a list such as "Temp, power, Bus ID" leaves out (struct view).  Its words
 * are titles as on the screen or keys of fields, in any case.  Columns that name a line always
 * stay; `joined` and `like` columns follow the column before them.  -EINVAL: *e names a word that
 * is not a column of the tab.
 */
int tab_choose(enum ui_tab tab, const char *list, uint64_t *left_out, struct error *e);

/* By enum ui_tab. */
extern const struct tab_ops *const tabs[UI_TABS];
