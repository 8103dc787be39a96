/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_burn.h - the burn of one card on its own cores: a child process loads the
 * kernel, starts the cores column by column, watches each of them, and compares
 * their results with its own reference.  The way it ends counts for the verdict.
 *
 * Any access to a card may block for ever, so the caller makes none.  If the
 * caller dies, the child stops the cores; if the child dies, the cores stop by
 * themselves, because the word that they watch does not change any more.
 */
#pragma once

#include "act/watchdog.h"
#include "base/child.h"
#include "base/error.h"
#include "burnin/cores/card_load.h"
#include "burnin/host/burn.h"
#include "burnin/memory/card_memory.h"
#include "report/ledger.h"
#include "telemetry/snapshot.h"

#include <stdatomic.h>

/* Cores that are switched off, for card_tiles(): touching one of them can hang the chip. */

/* What is known of a Wormhole's rows before its firmware is asked. */
struct card_rows {
	uint32_t off;		/* as telemetry publishes them, by NOC0 coordinate */
	bool is_published;
	bool is_certain;	/* the firmware bundle has correct telemetry: 18.7 or later */
	uint8_t live;		/* rows that this board has; 0: not known */
};

/*
 * Find *off from a live snapshot.  *asks: a Wormhole's firmware must be asked instead, and
 * card_off_rows() checks its answer against *rows.  -ENODATA: it cannot be known.
 */
int card_off(const struct snapshot *s, uint32_t *off, bool *asks, struct card_rows *rows,
	struct error *e);

/*
 * Convert the firmware's answer, a bit for each row that is off, to NOC0 coordinates.  -ENODATA:
 * the board has another number of live rows, or telemetry publishes other rows.
 */
int card_off_rows(uint32_t mask, const struct card_rows *known, uint32_t *off, struct error *e);

/* Of a first light: one core, one pass, backend cleared; a core; a column; all; all streaming. */
#define CARD_LIGHT_STAGES 5

enum card_phase {
	CARD_OPENS,		/* power, tiles */
	CARD_LOADS,		/* programs and operands, read back */
	CARD_STARTS,		/* column by column */
	CARD_RUNS,
	CARD_STOPS,		/* the cores end their pass, and are checked */
	CARD_RESTS,		/* held, until the caller watches again */
	CARD_OVER,
	CARD_PHASES
};

enum card_core_state {
	CARD_CORE_HELD,		/* not started */
	CARD_CORE_RUNS,
	CARD_CORE_DONE,		/* with this round */
	CARD_CORE_STILL		/* stands still: started, but no block for too long */
};

/* Who is to blame for the end of the burn. */
enum card_blame { CARD_NOBODY, CARD_CARD, CARD_OTHERS };

struct card_reference;

struct card_burn_config {
	struct device *device;
	uint32_t off;		/* rows or columns that are switched off: card_tiles() */
	bool asks_off;		/* not known: ask the firmware (Wormhole), */
	struct card_rows known_rows;	/* and check its answer against this */
	bool kinds[CARD_KINDS];
	const struct card_reference *reference;	/* computed instead of all kinds; or NULL */
	uint64_t seed;		/* of the first round; each has its own */
	uint32_t steps;		/* of a block, roughly; each is one tap of 16 input channels */
	uint32_t phases;	/* of fidelity: 1, 2 or 4 */
	uint32_t rows;		/* different blocks */
	bool held;		/* a block's operands stay in the source registers */
	enum load_pattern pattern;	/* all cores start their passes at the same times */
	bool stop_on_error;
	bool first_light;	/* one core, one column, all: for a second each, then the end */
	uint64_t iterations;	/* rounds of each kind; 0: until told to stop */
	int64_t duration;	/* ns after which the caller will stop it; 0: not known */
	int64_t round;		/* ns of load with the same operands, at least */
	uint32_t passes;	/* over the rows in a round; 0: by time */
	int64_t still;		/* ns without a block after which a core stands still */
	int64_t unwatched;	/* ns without card_burn_watch(): the cores rest; 0: never */
	int64_t ramp;		/* ns between the starts of two columns */
	uint32_t deadman;	/* units of 256 cycles until cores stop without a host; 0: never */
	uint32_t enabled;	/* channels of the card's memory that are not switched off */
	uint32_t channels;	/* those of them that may be touched, a bit each */
	struct memory_kept kept;	/* but not through these endpoints */
	bool bursts;		/* memory is read all the time beside the products, and compared */
	uint32_t reload;	/* passes until operands are reloaded from memory; 0: never */
	uint32_t vector;	/* sweeps of the vector unit over each block */
	struct card_memory_plan memory;	/* without kinds: the host's own test */
	uint32_t memory_left;	/* channels that should take part, but are not trained */
	char not_reloaded[200];	/* why no channel is known to reload operands from; "" */
	bool is_simulator;	/* no firmware and no power */
	bool is_timeless;	/* its clock does not measure time, so that rates mean nothing */
	bool computes_nothing;	/* a simulated board: it only takes the power */
};

/* A wrong word, with what is needed to make the same operands again. */
struct card_wrong {
	uint64_t seed;
	enum card_kind kind;
	struct kernel_mismatch word;
};

/* The work of one core in all rounds; only the child writes here. */
struct card_core {
	uint8_t x, y;
	_Atomic int state;			/* enum card_core_state */
	_Atomic uint64_t blocks[CARD_KINDS];	/* compared by the core, word by word */
	_Atomic uint64_t errors;		/* wrong words that the core found */
	_Atomic uint64_t mvmuls, cycles;	/* by the core's own counters */
	_Atomic uint64_t clock;			/* its own, at the end of a pass */
	_Atomic uint64_t throttled;		/* rests that the firmware asked for */
	_Atomic uint64_t rechecked, refuted;	/* blocks, and wrong words in them, by the host */
	_Atomic uint64_t stood;			/* rounds in which it stood still */
	_Atomic uint64_t starts;		/* how often it was started, to compute */
	_Atomic uint64_t named, misnamed;	/* starts it ended with its own name; another */
	_Atomic uint64_t blind;			/* starts that did not report the trial word */
	_Atomic uint64_t early;			/* starts that did not end as they should */
	_Atomic uint64_t stood_at;		/* its blocks when it last stood still */
	_Atomic uint64_t vectors;		/* sweeps of its vector unit */
	_Atomic uint32_t moved, lame;		/* starts: its second data mover worked, or not */
	_Atomic uint32_t brought, dry;		/* starts: operands came from memory, or did not */
	_Atomic uint32_t misread;		/* channels that it read wrong, a bit each */
	_Atomic uint64_t exchanged;		/* bytes of its peer's memory, at both levels */
	_Atomic uint32_t toggled;		/* different ones, the most of one start */
	_Atomic uint32_t walks;			/* over all spare memory of its peer */
	_Atomic uint64_t spare_errors;		/* wrong words there */
	_Atomic uint32_t unanswered;		/* starts at which its peer gave no answer */
	_Atomic uint8_t is_suspect;		/* may be to blame for a wrong word of that kind */
	_Atomic uint32_t n_wrong;
	struct card_wrong wrong[KERNEL_MISMATCHES];
};

/* A channel of the card's memory, summed up over all cores that read it. */
struct card_channel {
	_Atomic uint64_t words, errors;
	_Atomic uint32_t bits;		/* all that were wrong */
	_Atomic uint32_t mute;		/* cores that it gave no answer */
	_Atomic uint32_t missed;	/* starts of cores that did not read all its endpoints */
};

struct card_port {
	_Atomic uint64_t words, errors;
};

/* The first wrong word that a core found in the spare memory of its peer. */
struct card_spare_wrong {
	uint8_t x, y;			/* the peer, which holds the word */
	uint8_t by_x, by_y;		/* the core that wrote it */
	uint8_t is_kept;		/* by the peer, when the host wrote it and its complement */
	uint8_t by_host;		/* the writer found it right, the host did not */
	struct kernel_wrong word;
};

/*
 * The first round that found wrong words, once more: the same operands on all cores.  Valid with
 * is_done.
 */
struct card_retry {
	uint8_t is_done;
	uint64_t seed;
	uint32_t wrong;			/* cores that were wrong */
	uint32_t again, others;		/* of these, and of all others, that were wrong this time */
};

/* The first wrong word of the card's memory. */
struct card_memory_wrong {
	uint8_t x, y;			/* the core that read it */
	struct kernel_wrong word;
};

/*
 * The child's reports.  Any bit of them may be flipped, so the caller takes no index, count or
 * end of a text from here except through the functions below.  Flags are bytes, because a flip
 * of most bits of a bool makes it invalid.
 */
struct card_shared {
	_Atomic uint8_t stop;
	_Atomic uint8_t running;		/* all cores were started: the load has begun */
	_Atomic int64_t watched;	/* clock_mono() of the last card_burn_watch() */
	_Atomic uint64_t beats;		/* grow while the child is alive */
	_Atomic int phase;		/* enum card_phase */
	_Atomic uint64_t rounds;	/* that were completed */
	uint8_t was_told_busy;		/* by a message, which the end has to undo */
	_Atomic int64_t load_ns;	/* the longest load */
	_Atomic int64_t run_ns;		/* while the cores were running */
	_Atomic uint8_t deserted;	/* cores have ended by themselves: they had no host */
	_Atomic size_t n;		/* cores */
	_Atomic uint32_t off;		/* with asks_off: the firmware's answer */
	_Atomic uint64_t reloads;	/* good ones, of operands from the card's memory */
	_Atomic uint64_t agreed;	/* words of reference data, the same on two cores */
	_Atomic uint64_t misread;	/* words of cores' blocks: right when read again */
	struct memory_kept kept;	/* as configured */
	struct card_channel channels[KERNEL_CHANNELS_MAX];
	/* Wrong words that cores kept, and all words read through an endpoint: card_gather(). */
	struct memory_tally traffic[KERNEL_CHANNELS_MAX][MEMORY_PORTS];
	struct card_port ports[KERNEL_CHANNELS_MAX][MEMORY_PORTS];
	/* Other channels, a bit each, whose memory is read through an endpoint. */
	_Atomic uint8_t leads[KERNEL_CHANNELS_MAX][MEMORY_PORTS];
	_Atomic uint8_t has_wrong;
	struct card_memory_wrong wrong;
	_Atomic uint32_t tile_memory, spare;	/* bytes of a core's memory; the most left spare */
	_Atomic uint8_t has_spare_wrong;
	struct card_spare_wrong spare_wrong;
	struct card_retry retry;
	struct card_bits bits[CARD_PARTS];	/* of all rounds that were compared */
	int steps[CARD_KINDS];		/* of a block, as made */
	uint32_t pulse;			/* as ordered: struct kernel_order */
	struct card_memory memory;
	/* Valid once the child has ended. */
	uint8_t finished;			/* by itself; the cores were held */
	enum card_blame blame;
	struct error trouble;			/* text "": none */
	char power[128];		/* how it was raised, or why not */
	struct card_core cores[CARD_TILES];
};

struct card_burn {
	struct card_burn_config config;
	struct ledger asked;		/* the request, where the child cannot write */
	int64_t lasted;			/* ns of load by the caller's clock; the caller sets it */
	struct card_shared *shared;
	struct child child;
	int status;			/* of the child that burnt, once it has ended */
	bool holds;			/* the child is now a second one, which holds the cores */
	bool is_over;
	bool was_killed;		/* by us: it stood still */
	struct watchdog watchdog;	/* of the child, as card_burn_watch() saw it */
};

/* Start the child.  Lock the card before, and create threads only afterwards. */
int card_burn_start(struct card_burn *b, const struct card_burn_config *c, struct error *e);

/* False once it is over.  Kill it if nothing moved for `patience` ns (ten times that in a load). */
bool card_burn_watch(struct card_burn *b, int64_t patience);

/* Ask the cores to end with their current pass. */
void card_burn_stop(struct card_burn *b);

/* Stop it: wait up to `patience` ns, then kill it and hold the cores.  Counters stay readable. */
void card_burn_end(struct card_burn *b, int64_t patience);
void card_burn_close(struct card_burn *b);

/* How many kinds of work this burn has. */
size_t card_kinds_count(const struct card_burn_config *c);

/* Whether its cores compute: a kind of work, or reference data. */
static inline bool card_kinds_compute(const struct card_burn_config *c)
{
	return c->reference || card_kinds_count(c) > 0;
}

/* The numbers of cores reported, and of wrong words kept for one; no more than have room. */
static inline size_t card_cores(const struct card_shared *s)
{
	const size_t n = atomic_load(&s->n);

	return n < CARD_TILES ? n : CARD_TILES;
}

static inline uint32_t card_wrong_words(const struct card_core *c)
{
	const uint32_t n = atomic_load(&c->n_wrong);

	return n < KERNEL_MISMATCHES ? n : KERNEL_MISMATCHES;
}
