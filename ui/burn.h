/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn.h - the screen of a burn-in: what it does, how fast, what it found, and
 * how the machine and its cards bear it.
 *
 * The model says all of it in figures and words; drawing is a function of the
 * model and the size.
 */
#pragma once

#include "telemetry/figure.h"
#include "telemetry/host/sensors.h"
#include "ui/canvas.h"
#include "ui/view.h"

#define UI_BURN_THREADS 1024
#define UI_BURN_WORK    8	/* kinds of work */
#define UI_BURN_FIRST   8	/* the first errors, in words */
#define UI_BURN_BINS    512	/* of the rate over time */
#define UI_BURN_CHIPS   DEVICE_MAX	/* cards that burn */
#define UI_BURN_COLUMNS 16	/* of cores */
#define UI_BURN_ROWS    12

enum ui_burn_phase { UI_BURN_MAKING, UI_BURN_LOAD, UI_BURN_ENDING };

struct ui_burn_work {
	char name[24];			/* "conv float32" */
	char by[24];			/* the implementation */
	char rate[24];			/* "248.1 GFLOP/s": on average while it ran */
	int percent;			/* tenths of a percent of the peak; -1: not known */
};

struct ui_burn_thread {
	int cpu;			/* -1: not known */
	int64_t rate;			/* MFLOP/s */
	int64_t memory;			/* MB/s of memory written and compared */
	uint64_t errors;
	bool stands;			/* still, for seconds */
};

/* What is known of a core, the worst last; NONE: there is none in this place of any such chip. */
enum ui_core {
	UI_CORE_NONE, UI_CORE_OFF, UI_CORE_WELL, UI_CORE_IDLE, UI_CORE_SLOW, UI_CORE_STILL,
	UI_CORE_WRONG, UI_CORES
};

/* What a card's line has in words and numbers of its own. */
enum ui_burn_part { UI_BURN_DONE, UI_BURN_WRONG, UI_BURN_MVMUL, UI_BURN_TFLOPS, UI_BURN_PARTS };

struct ui_burn_chip {
	int index;			/* of the chip */
	char name[32];			/* "p150a" */
	char state[16];			/* "burns" */
	char part[UI_BURN_PARTS][20];	/* "12041", "0", "0.998", "771.0"; "": not known */
	char note[48];			/* "core 7-4 wrong", "no time, no rate"; "" */
	bool is_bad;			/* a core is wrong or stands still */
	bool lanes;			/* the map: channels of its memory by byte lanes */
	int w, h;			/* of the map */
	unsigned first;			/* the number of its first column */
	uint8_t rows[UI_BURN_ROWS];	/* their numbers on the chip */
	uint8_t map[UI_BURN_ROWS * UI_BURN_COLUMNS];	/* enum ui_core, row by row */
};

/* What of it is shown, and where: keys change it. */
struct ui_burn_view {
	bool chosen;			/* a card was; else it is the worst */
	int selected;			/* index of its chip */
	bool page;			/* that card alone, with its map and its numbers */
	int page_top;			/* the first of these */
	int top;			/* the first card of the list */
	int room, page_room, lines;	/* left by drawing: of the list, of the page's numbers */
};

struct ui_burn {
	char what[160];			/* "2 threads, seed 42, steady" */
	enum ui_burn_phase phase;
	int64_t elapsed, duration;	/* ns; duration 0: no limit of time */
	uint64_t rounds, iterations;	/* iterations 0: no limit of rounds */
	char making[64];		/* what, before the load begins; "" for cards alone */
	int64_t rate, peak;		/* MFLOP/s now; 0: not known yet */
	char no_peak[80];		/* why the peak is not known, or cannot be true; "" */
	int64_t memory, ceiling;	/* MB/s of memory now, and of one value; 0: not known */
	bool stopped;			/* by a signal from outside */
	uint64_t errors, words;		/* wrong, and verified */
	size_t n_first;
	char first[UI_BURN_FIRST][160];
	size_t n_work;
	struct ui_burn_work work[UI_BURN_WORK];
	size_t n_threads;
	const struct ui_burn_thread *threads;
	size_t n_chips;
	const struct ui_burn_chip *chips;
	const struct figures *figures;	/* of the card whose page is open; NULL: not taken yet */
	int share;			/* percent of the processors' time that we had; or -1 */
	size_t n_bins;			/* of the rate from the start: 1000 is the peak */
	int64_t bin;			/* ns that one takes */
	const struct history_bin *bins;

	const struct sensors *sensors;	/* NULL: not known yet */
	const char *sensors_trouble;	/* why there are none; "" */
	int64_t throttled;		/* events since the start; -1: not known */
	char unwatched[480];		/* "Not watched: host temperature: no sensor"; "" */
	char others[200];		/* "2 cards do not burn; " and the worst of them; "" */
	bool others_fail;		/* it has its verdict */
	char ending[240];		/* why it ends now; "" while it does not */
};

/* In tenths of a percent; -1: not known, or more than all of it, which cannot be. */
int burn_share(int64_t rate, int64_t most);

/* The words and the letter of a core's state, the same on screens, in texts and in reports. */
const char *burn_core_name(enum ui_core core);
char burn_core_letter(enum ui_core core);

/* The whole screen, on an erased canvas. */
void burn_draw(struct canvas *c, const struct model *m, const struct ui_burn *b,
	struct ui_burn_view *v);

/* Carry out a key; true: the burn shall end. */
bool burn_key(struct ui_burn_view *v, const struct model *m, const struct ui_burn *b,
	uint32_t key);

/* The chip whose page is open or would be; NULL: none burns. */
const struct ui_burn_chip *burn_selected(const struct ui_burn_view *v, const struct model *m,
	const struct ui_burn *b);
