/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print.h - the request and the results of a burn, its figures, its
 * report, and its end in words.
 */
#pragma once

#include "burnin/host/burn.h"
#include "burnin/host/stop_rules.h"
#include "report/figure.h"
#include "src/burnin/cards.h"
#include "src/say.h"
#include "ui/burn.h"

/* A target and its result. */
struct burnin_target {
	char name[80];			/* "host", or "0 0000:01:00.0 p150a" */
	int index;			/* of the chip; -1: none */
	char bdf[16], board[24];	/* of the card; "" */
	char second[80];		/* the board's second chip, which was passed over; "" */
	struct burn_result result;
	struct advice next;		/* what to do about a reason */
	bool ran;			/* it was judged: there are figures */
	struct burnin_card *card;	/* the card that burns; NULL: the host, or none */
};

struct burnin_facts {
	const struct options *o;
	const struct burn *burn;	/* NULL: no load was started */
	int64_t duration;		/* ns asked for; 0: none */
	bool computes;			/* conv or matmul */
	int64_t begun;			/* clock_real() */
	int64_t took, clock_step;	/* ns; how far the system's clock was moved meanwhile */
	int64_t before;			/* ns of load, and runs, of earlier processes (--resume) */
	uint64_t runs_before;
	int64_t paused;			/* ns that the load rested because we did not watch it */
	bool continued;			/* the program was stopped, and continued */
	int64_t stood;			/* ns that a thread of the load stood still */
	int64_t stopped;		/* ns that the load itself was stopped from outside */
	const struct sensors *sensors;	/* of the host, at the end; NULL: no load was started */
	size_t n_rules;
	struct stop_rule *rules;
	const char *dump;		/* the folder of the dump; NULL: none */
	size_t n_targets;
	struct burnin_target *targets;
	enum verdict verdict;
	enum exit_code exit;
};

/* Put the last lines for stdout; `earlier` comes first, but below several targets' verdict. */
void burnin_report_print(struct strbuf *to, const struct burnin_facts *f, const char *earlier);

/* The end of a burn of many targets: one table, the verdict first and last. */

struct burnin_table {
	size_t columns;		/* cells of a line; 0: do not wrap reasons */
	bool is_styled;		/* colours for verdicts */
	bool has_lines;		/* the targets have lines, which say the reasons */
};

/* The head says what was burnt and the verdict of all, and comes before all other lines. */
void burnin_table_put_head(struct strbuf *to, const struct burnin_facts *f,
	const struct burnin_table *look);
void burnin_table_put(struct strbuf *to, const struct burnin_facts *f,
	const struct burnin_table *look);

/*
 * Put what was not watched, if anything.  Cards with the same text share one: "its memory's
 * temperature, whose limit is not published (all 32 cards)".  `first` comes before the first text,
 * `between` before each other one.  cards: how many burn.
 */
void burnin_put_unwatched(struct strbuf *to, const struct stop_rule *rules, size_t n, size_t cards,
	const char *first, const char *between);
void burnin_put_facts_unwatched(struct strbuf *to, const struct burnin_facts *f, const char *first,
	const char *between);

/* A card in words: at the end, with a map; and as "name|value" lines of its page on the screen. */
void burnin_card_put(struct strbuf *to, const struct burnin_card *c);
void burnin_card_put_numbers(struct strbuf *to, const struct burnin_card *c);

/* The bits of its operands and results that were both 0 and 1: "bits toggled: ...". */
void burnin_card_put_toggled(struct strbuf *to, const struct burnin_card *c);

/* Whether its cores compute; whether the host tests its memory.  Not if it is simulated. */
bool burnin_card_computes(const struct burnin_card *c);
bool burnin_card_is_tested(const struct burnin_card *c);

/* How much L1 of its cores was written by others as 0 and as 1 in each bit. */
void burnin_card_put_l1(struct strbuf *to, const struct burnin_card *c);

double burnin_mib(uint64_t bytes);
double burnin_gb_per_s(uint64_t bytes, int64_t ns);	/* 0: no time */

/* Percent of the peak: "85.1", or "-" as figure_percent() does not know it. */
enum { BURNIN_PERCENT = 16 };
const char *burnin_percent(double rate, double peak, char text[static BURNIN_PERCENT]);

/* The figures, from which JSON and workbook are made. */

/* Of the whole, and of a target. */
extern const struct figure_group burnin_figures, burnin_target_figures;

void burnin_figures_take(struct figures *to, const struct burnin_facts *f);

/* Read the text of a report's file, unless it is too large; the caller frees it. */
int burnin_report_text(const char *path, char **text, size_t *len, struct error *e);

/* Read the report in a dump's folder; false: there is none that can be read. */
bool burnin_figures_read(struct figures *to, const char *dir);

/* A kind of work of the host: "conv", "bfloat16". */
const char *burnin_op_name(int kind);
const char *burnin_dtype_name(int kind);

/* The figures that a burn reports of one card. */

/* MVMUL per cycle, the mean of its cores; 0 if that is not known. */
double burnin_card_mvmul(const struct burnin_card *c);
double burnin_card_per_core(const struct burnin_card *c);	/* TFLOP/s */

/* Its rate is below CARD_SLOW of the median of its kind: an outlier, not a verdict. */
bool burnin_card_is_slow(const struct burnin_card *c);

extern const struct figure_group burnin_card_figures;
void burnin_add_card(struct figure_value *to, const struct burnin_card *c);

extern const enum field_id burnin_seen_fields[BURNIN_SEEN];

/* What a card's process does now: "burning". */
enum card_phase burnin_card_phase(const struct burnin_card *c);
extern const char *const burnin_phase_names[CARD_PHASES];

/* The state of a core, during the burn and at its end; of a byte lane of a memory channel. */
enum ui_core burnin_core_of(const struct burnin_card *c, const struct card_core *core,
	const struct card_result *now);

enum ui_core burnin_lane_of(const struct card_memory_sum *sum, unsigned lane);

/* Fill the map of the cores on the chip with their states. */
void burnin_fill_map(const struct burnin_card *c, const struct card_result *now,
	struct ui_burn_chip *to);
