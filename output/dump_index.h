/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump_index.h - index.json of a dump: which file belongs to which card, what
 * its columns are, and when and where the dump was made.
 */
#pragma once

#include "output/dump_column.h"
#include "telemetry/host/host.h"

#define DUMP_BURN  "burn.json"		/* the report of a burn that ran during the dump */
#define DUMP_FILE  ".csv"
#define DUMP_INDEX    "index.json"
#define DUMP_WORKBOOK "telemetry"	/* + ".xlsx" */

#define DUMP_UNSYNCED INT64_C(1000000000)	/* longer waits for the disk (ns) are reported */

struct dump_text {
	char key[40], text[64];
};

struct dump_card {
	int index, node;	/* node: N of /dev/tenstorrent/N or -1 */
	char board[32], series[32], chip[16], bdf[16];
	char stem[96];		/* of its files' names */
	char extension[16];	/* DUMP_FILE, unless the index names another */
	unsigned first, last;	/* parts that are there: STEM.0001.csv ...; both 0: STEM.csv */
	bool has_file;
	char reason[192];	/* why it has none */
	size_t n_facts;		/* identity and firmware, as text */
	struct dump_text facts[40];
	struct dump_columns columns;
};

struct dump_counts {
	uint64_t ticks;		/* with a row in every file */
	uint64_t rows;
	uint64_t late;		/* ticks that began later than a tenth of the interval */
	uint64_t lost;
	uint64_t failed;	/* rows of a chip that could not be read */
	size_t unread;		/* cards of the last tick that were not read, and have no row */
	uint64_t bytes;		/* written in all */
	size_t cards;		/* with a file */
	int64_t unsynced;	/* ns that the oldest row has waited for the disk; 0: none waits */
	int64_t unsynced_most;	/* the longest wait of any row */
};

struct dump_index {
	char tool[64];
	bool complete;		/* the dump reached its end without an error */
	bool ended;		/* it was closed; otherwise it was cut off, or still runs */
	char error[256];	/* what ended it early */
	bool is_rebuilt;	/* from the files, since the index was torn; error says why */
	int64_t start_real, start_mono, interval;	/* ns */
	char source[16];
	char stand_in[32];	/* the origin's: "simulated"; "": a machine's own cards */
	struct host host;
	struct dump_counts counts;	/* read back: ticks, late, lost, unsynced_most */
	size_t n;
	struct dump_card *cards;
};

/* The name of a part of a card's journal, without the folder. */
void dump_card_file(const struct dump_card *c, unsigned part, char *out, size_t size);

/* The same in a folder. */
void dump_card_path(const struct dump_card *c, unsigned part, const char *dir, char *out,
	size_t size);

/*
 * Fill in the card's identity from its snapshot; the caller fills columns and
 * parts.  external leaves engineering fields out.
 */
void dump_card_init(struct dump_card *c, const struct snapshot *s, bool external);

/* Put the text of the file into `to`, which must be empty. */
void dump_index_put(const struct dump_index *x, struct strbuf *to);

/*
 * Read it back; if the dump is not complete, look for parts that came or went after
 * it was last written.  If it is torn or gone, take the cards from the names and the headers of
 * the files.  Free *x with dump_index_free().
 */
int dump_index_read(const char *dir, struct dump_index **x, struct error *e);
void dump_index_free(struct dump_index *x);
