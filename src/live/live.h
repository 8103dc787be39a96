/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - what the parts of the live display share: the loop, keys, the held picture and alerts
 * (mode_live.c), what is written: dump, workbook and snapshot (dump.c), a reset (reset.c).
 */
#pragma once

#include "base/consent.h"
#include "output/dump.h"
#include "output/xlsx.h"
#include "src/listed.h"
#include "src/loop.h"
#include "src/mode.h"
#include "src/recording.h"
#include "src/stop.h"
#include "ui/screen.h"

/* What may fail to be written; of each the last failure is said again after the display. */
enum live_loss { LIVE_SNAPSHOT, LIVE_DUMP, LIVE_WORKBOOK, LIVE_LOSSES };

struct live {
	const struct options *o;
	struct session session;
	struct model model;
	struct ui_act acts[DEVICE_MAX];	/* of the reset that is under way */
	struct view view;
	struct history *history;
	struct ui_log log;
	struct ui_dump shown_dump;
	struct recording recording;	/* stopped: while the disk takes its last rows */
	struct live_save *save;		/* a snapshot that is being written */
	int64_t wait_until;		/* clock_steady() when waits after a deadly signal end */
	struct dump_book *book;		/* the workbook of the last dump, while it is being made */
	struct live_reset *reset;	/* one that is under way */
	int resets;			/* the chip that was asked about */
	struct listed_card asked;	/* the same, by its names */
	struct consent consent;		/* whether a person typed the keys that ask and answer */
	enum ui_request pending;	/* the one of such a key, until the silence after it ends */
	bool refused;			/* the last key was part of refused input */
	bool warned;			/* that the reset goes on when we leave */
	struct fleet held;		/* the picture while paused */
	struct stop stop;
	struct loop loop;
	int64_t drawn;
	uint64_t taken;			/* the last tick that was taken in; 0: none is over */
	uint64_t digest;		/* of the last readings; if equal, drawing can wait */
	bool is_new;			/* a card has come or gone since the last tick */
	bool dirty;			/* there is something new to draw */
	bool urgent;			/* draw it at once, even if the terminal only scrolls */
	bool quit;
	struct error error;		/* what ended us, if anything did */
	char lost[LIVE_LOSSES][320];
	bool has_lost;			/* something was not written: the exit code says so */
};

/* The cards as they are known now, whatever the picture shows. */
static inline const struct fleet *live_fleet(const struct live *l)
{
	return sampler_fleet(l->session.sampler);
}

/* Start the dump, or stop it and begin its workbook; the footer shows trouble. */
void live_dump_toggle(struct live *l);

/* A tick is over: add rows to the dump. */
void live_dump_add(struct live *l);

/* Readable when there is something to take in; -1: nothing is under way. */
int live_dump_fd(const struct live *l);

/* Take in what became of a dump that was stopped, and of its workbook. */
void live_dump_take(struct live *l);

/*
 * The display has ended and the terminal is given back: close a dump and say
 * on stderr where it is.  Its workbook is waited for, unless a signal ends us:
 * then it is left to --finish.
 */
void live_dump_end(struct live *l);

/* Save a snapshot in a thread; the other functions are as for the dump. */
void live_save_start(struct live *l);
int live_save_fd(const struct live *l);
void live_save_take(struct live *l);
void live_save_end(struct live *l);

/* Ask whether to reset the selected board; then do it, beside the loop. */
void live_reset_ask(struct live *l);
void live_reset_start(struct live *l);
size_t live_reset_fds(const struct live *l, struct pollfd *fds, size_t max);
int live_reset_wait_ms(const struct live *l);
void live_reset_step(struct live *l);
void live_reset_tick(struct live *l);		/* a tick is over */
bool live_reset_lets_quit(struct live *l);	/* false: the person has been warned */
void live_reset_end(struct live *l);		/* after the display, before the session ends */
