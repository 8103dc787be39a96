/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - what the parts of the live display share: the loop (mode_live.c),
 * keys and the held picture (live_keys.c), dump and workbook (live_dump.c).
 */
#pragma once

#include "output/dump.h"
#include "output/dump_book.h"
#include "src/loop.h"
#include "src/mode.h"
#include "ui/screen.h"

struct live {
	const struct options *o;
	struct session session;
	struct model model;
	struct view view;
	struct canvas canvas;
	struct history *history;
	struct ui_log log;
	struct ui_dump shown_dump;
	struct dump *dump;
	struct dump_book *book;		/* the workbook of the last dump, while it is being made */
	struct fleet held;		/* the picture while paused */
	int signals;			/* signalfd */
	struct loop loop;
	int64_t drawn;
	uint64_t taken;			/* the last tick that was taken in; 0: none is over */
	bool dirty;			/* there is something new to draw */
	bool urgent;			/* by a person: one that only scrolls prints it at once */
	bool quit;
	struct error error;		/* what ended us, if anything did */
	int deadly;			/* the signal that ends us, 0 for none */
};

/* The cards as they are known now, whatever the picture shows. */
const struct fleet *live_fleet(const struct live *l);

/* Take in all keys and clicks that wait. */
void live_keys_take(struct live *l);

/* Let go of a held picture. */
void live_keys_let_go(struct live *l);

/* Start the dump, or stop it and begin its workbook; trouble is said in the footer. */
void live_dump_toggle(struct live *l);

/* A tick is over: rows for the dump. */
void live_dump_add(struct live *l);

/* Take in what became of the workbook. */
void live_dump_take_book(struct live *l);

/*
 * The display has ended and the terminal is given back: close a dump and say
 * on stderr where it is.  Its workbook is waited for, unless a signal ends us:
 * then it is left to --finish.
 */
void live_dump_end(struct live *l);
