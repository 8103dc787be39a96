/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn.h - the screen of a burn-in: its work, rate and errors, and how the
 * machine and its cards bear the load.
 *
 * The model holds all of it as numbers and text; drawing is a function of the
 * model and the size.
 */
#pragma once

#include "telemetry/host/sensors.h"
#include "ui/canvas.h"
#include "ui/view.h"

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
	bool stands;			/* no progress for seconds */
};

/* The state of a core, the worst last; NONE: no chip of this kind has a core in this place. */
enum ui_core {
	UI_CORE_NONE, UI_CORE_OFF, UI_CORE_WELL, UI_CORE_IDLE, UI_CORE_SLOW, UI_CORE_STILL,
	UI_CORE_WRONG, UI_CORES
};

/* The columns of a card's line that come from the burn, not from telemetry. */
enum ui_burn_part { UI_BURN_DONE, UI_BURN_WRONG, UI_BURN_MVMUL, UI_BURN_TFLOPS, UI_BURN_PARTS };

struct ui_burn_chip {
	int index;			/* of the chip */
	char name[32];			/* "p150a" */
	char state[16];			/* "burning" */
	char part[UI_BURN_PARTS][20];	/* "12041", "0", "0.998", "771.0"; "": not known */
	char note[48];			/* "core 7-4 wrong", "no time, no rate"; "" */
	bool is_bad;			/* a core is wrong or stands still */
	bool lanes;			/* the map: channels of its memory by byte lanes */
	int w, h;			/* of the map */
	unsigned first;			/* the number of its first column */
	uint8_t rows[UI_BURN_ROWS];	/* their numbers on the chip */
	uint8_t map[UI_BURN_ROWS * UI_BURN_COLUMNS];	/* enum ui_core, row by row */
};

/* What the screen shows of the burn; keys change it. */
struct ui_burn_view {
	bool chosen;			/* the user chose a card; else the worst is selected */
	int selected;			/* index of the chosen chip */
	bool page;			/* show that card alone, with its map and numbers */
	int page_top;			/* the first of these numbers in sight */
	int top;			/* the first card of the list in sight */
	int room;			/* set by drawing: cards of the list in sight */
};

struct ui_burn {
	char what[160];			/* "2 threads, seed 42, steady" */
	enum ui_burn_phase phase;
	int64_t elapsed, duration;	/* ns; duration 0: no limit of time */
	uint64_t rounds, iterations;	/* iterations 0: no limit of rounds */
	char making[64];		/* what is prepared before the load; "" for cards alone */
	int64_t rate, peak;		/* MFLOP/s now; 0: not known yet */
	char no_peak[80];		/* why the peak is not known, or cannot be true; "" */
	int64_t memory, ceiling;	/* MB/s of memory now, and with one value; 0: not known */
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
	const char *numbers;		/* of the selected card: lines "name|value", or sentences */
	int share;			/* percent of processor time that the load had; or -1 */
	size_t n_bins;			/* of the rate since the start; 1000 is the peak */
	int64_t bin;			/* ns per bin */
	const struct history_bin *bins;

	const struct sensors *sensors;	/* NULL: not known yet */
	const char *sensors_trouble;	/* why there are none; "" */
	int64_t throttled;		/* events since the start; -1: not known */
	char unwatched[480];		/* "Not watched: host temperature: no sensor"; "" */
	char others[200];		/* "2 cards do not burn; " and the worst of them; "" */
	bool others_fail;		/* the worst of them failed */
	char ending[256];		/* why the burn ends now; "" while it goes on */
};

/* Tenths of a percent that rate is of most; -1: most is not known, or rate is above it. */
int burn_share(int64_t rate, int64_t most);

/* How a core's state is shown, the same on screens, in texts and in reports. */
extern const struct burn_core_look {
	enum mark mark;
	char letter;
	const char *name;
} burn_cores[UI_CORES];

/* The whole screen, on an erased canvas. */
void burn_draw(struct canvas *c, const struct model *m, const struct ui_burn *b,
	struct ui_burn_view *v);

/* Carry out a key; returns true if the burn is to end. */
bool burn_key(struct ui_burn_view *v, const struct model *m, const struct ui_burn *b,
	uint32_t key);

/* The chip whose page is open or would be opened; NULL: the selected card does not burn. */
const struct ui_burn_chip *burn_selected(const struct ui_burn_view *v, const struct model *m,
	const struct ui_burn *b);
