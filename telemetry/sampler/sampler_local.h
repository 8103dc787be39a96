/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler_local.h - what the files of the sampler share: one sample (reader.c, tag_table.c), the
 * processes that take them (worker.c), values of several samples (track.c), which process samples
 * which chip and what comes back (schedule.c), the process list (holders.c).
 */
#pragma once

#include "base/child.h"
#include "device/device.h"
#include "telemetry/chip/chip.h"
#include "telemetry/field.h"
#include "telemetry/host/host.h"
#include "telemetry/host/process.h"
#include "telemetry/load/load.h"
#include "telemetry/raw.h"
#include "telemetry/sampler/sampler.h"
#include "telemetry/snapshot.h"

#include <stdatomic.h>

/*
 * One sample of one chip: which accesses, in which order, and when to stop.  Runs in a worker
 * process, because each access may hang.
 */

/* How far a sample may go. */
struct reader_policy {
	bool passive;		/* attributes only */
	bool active;		/* may send the legacy-address message (Grayskull), and read
				   coordinates and remote chips */
	const char *why;	/* why it is not active: "not read: --local"; NULL: no reason */
	bool links;		/* ask the ethernet cores for their links */
	bool busy;		/* read the runtime's counters in its dispatch cores */
	bool fresh;		/* also read static values again (ids, versions, limits) */
	bool keep;		/* keep the device's handle open for the next sample */
};

/*
 * Sample d into raw.  It always fills raw: sample_error says why nothing could be
 * read, table_error why the firmware's tables could not.
 */
void reader_sample(struct device *d, const struct reader_policy *p, struct raw *raw);

/*
 * Read again only the heartbeat that a sample had from this source: from the driver where
 * possible, which opens no node.  False if it cannot be read.
 */
bool reader_beat(struct device *d, enum reading_source source, uint32_t *word);

/* The firmware's telemetry in the chip's memory: the second half of reader.c. */

#define TAG_TABLE_ENTRIES 256	/* more than this is not a table */

/* Where the words are; kept between samples, checked at each. */
struct tag_table_layout {
	bool known;
	uint32_t table, values;		/* ARC addresses */
	size_t n;
	uint16_t tag[RAW_TAGS], offset[RAW_TAGS];
	uint16_t low, high;		/* the lowest and highest offset */
	uint32_t bundle, beat;		/* as last read, to detect new firmware and a reset */
};

/*
 * Read the tag table into raw.  Returns 0; -ENOENT if this firmware has none;
 * -EHOSTDOWN while it is not ready; -EPROTO if it cannot be a table; or the error of
 * the access.  After an error the layout is unknown.
 */
int tag_table_read(struct device *d, const struct chip_map *map, struct tag_table_layout *l,
	struct raw *raw, struct error *e);

/* The ARC address of the heartbeat's word; 0 if the layout is not known or has none. */
uint32_t tag_table_beat(const struct tag_table_layout *l);

/* Where n words at an ARC address can be read; false: that is not its memory. */
bool tag_table_find(const struct chip_map *map, uint32_t at, size_t n, struct reg_addr *found);

/* Read one word at an ARC address; -EPROTO if it is all ones, as from a dead chip. */
int tag_table_read_word(struct device *d, const struct chip_map *map, uint32_t at, uint32_t *word,
	struct error *e);

/* Read the legacy struct at an ARC address into raw; -EPROTO when it is not there. */
int tag_table_read_legacy(struct device *d, const struct chip *chip, const struct chip_map *map,
	uint32_t at, struct raw *raw, struct error *e);

/*
 * A process that touches cards, and the memory it shares with the sampler.  An access that hangs,
 * hangs only there.
 */

#define WORKER_NONE (-1)	/* no chip */
#define WORKER_OWN  0x10000	/* added to a chip: the worker is now its own */

enum worker_job {
	WORKER_ORDER,	/* take chips off the shared order until there are none */
	WORKER_CHIP,	/* sample one chip */
	WORKER_BEATS,	/* look at heartbeats until they move */
	WORKER_LIST	/* list the processes that hold a device */
};

/* One packet to a worker, which answers with a byte when it is done, unless the task is quiet. */
struct worker_task {
	enum worker_job job;
	int chip;		/* of WORKER_CHIP */
	bool fresh;		/* static attributes too */
	bool quiet;		/* of WORKER_LIST: no answer except its number in `made` */
	uint64_t tick;		/* of WORKER_LIST: the number of the list */
	int64_t time;		/* clock_mono() of the tick */
};

/* One chip's results; only one process at a time samples a chip. */
struct worker_slot {
	_Atomic uint64_t sampled;	/* the tick whose sample is in snapshot */
	_Atomic int beat;		/* enum snapshot_beat, of WORKER_BEATS */
	int64_t took;			/* ns of real time */
	struct snapshot snapshot;	/* the parent sets its tick, time and age */
};

/* What one worker is doing. */
struct worker_doing {
	_Atomic int chip;		/* or WORKER_NONE; the sampler adds WORKER_OWN */
	_Atomic int64_t began;		/* clock_mono() */
};

struct worker_list {
	_Atomic uint64_t made;		/* the number of the last complete list */
	size_t n;
	bool partial;			/* some could not be examined for lack of privilege */
	bool cut;			/* there may be more than there is room for */
	int error;			/* -errno if no device could list its holders */
	int unpinned;			/* -errno why pinned memory is not known, or 0 */
	struct process processes[PROCESS_LISTED];
};

/* The chips of WORKER_BEATS, and its deadline (clock_mono()). */
struct worker_beats {
	size_t n;
	int chips[DEVICE_MAX];
	int64_t until;
};

#define WORKERS (DEVICE_MAX + 16)

struct worker_shared {
	bool links;			/* ask ethernet cores, too */
	bool busy;			/* read counters of runtimes */
	bool keep;			/* handles stay open between samples */
	const char *inactive;		/* why a sample may only be passive; NULL: it may be
					   active where no process holds the board */
	bool wanted[DEVICE_MAX];
	uint64_t runtime_ids[DEVICE_MAX][RUNTIME_MEMORY_IDS];	/* of WORKER_LIST; 0: none */
	struct worker_task task;	/* of WORKER_ORDER */
	_Atomic uint64_t order;		/* number of chips << 32 | index of the next one */
	int chips[DEVICE_MAX];
	struct worker_doing doings[WORKERS];
	struct worker_list list;
	struct worker_beats beats;
	struct worker_slot slots[DEVICE_MAX];
};

struct worker {
	struct child child;
	struct bus *bus;
	struct worker_shared *shared;
	struct worker_doing *doing;
	bool reserved;			/* kept for one chip, or for the list, between jobs */
	bool busy;			/* has a job that is not done */
	bool passed;			/* has taken no chip off the order for long; others do */
	bool dying;			/* was killed; the kernel may keep it for long */
	enum worker_job job;
	int chip;			/* of WORKER_CHIP, or that it hung on */
	int64_t since;			/* clock_mono() when it got the job */
	struct {
		int64_t began;		/* clock_mono() when the work it was at began */
		int64_t used;		/* the processor time it had used then */
		int64_t until;		/* it counts as starved until then */
	} starved;			/* set when it was found to wait for a processor */
};

/* Fill s for a chip that is not, or could not be, sampled: identity, health and reason alone. */
void worker_describe(const struct device *d, enum snapshot_health health, enum code code,
	const char *reason, struct snapshot *s);

/* Give it a job; -EPIPE if it is dead. */
int worker_give(struct worker *w, const struct worker_task *t);

/*
 * Whether the work begun at `began` is late because the worker had no processor, which is not
 * the card's fault.  Ask when `patience` ns have passed, and then again: it is no longer starved
 * once it has used as much processor time since, or waits for the card.
 */
bool worker_is_starved(struct worker *w, int64_t began, int64_t patience, int64_t now);

/*
 * The worker processes of a sampler, started when one is needed and kept for the next time; and one
 * descriptor that is readable when any has news.
 */
struct pool {
	struct bus *bus;
	struct worker_shared *shared;
	int epoll;
	size_t n;			/* places of workers[] that were used so far */
	struct worker workers[WORKERS];
};

int pool_open(struct pool *p, struct bus *bus, struct worker_shared *shared, struct error *e);

/* End all workers: wait for idle ones, kill busy ones. */
void pool_close(struct pool *p);

/* An idle worker, or a new one; NULL with a reason when none can be started. */
struct worker *pool_get(struct pool *p, struct error *e);

/*
 * The next worker with news, or NULL: its job is done, or (*ended) it has died.
 * A place is free again once its process is gone and it is not reserved.
 */
struct worker *pool_news(struct pool *p, bool *ended);

/* Kill a worker that hangs; child_has_ended() is true once it is gone. */
void pool_kill(struct worker *w);

/* Reap the workers that have ended. */
void pool_reap(struct pool *p);

/* Let all idle workers but `most` end; they are reaped later. */
void pool_trim(struct pool *p, size_t most);

/*
 * Values that need several samples: heartbeat, rates, age, and when something began.  One per chip,
 * kept with the history.
 */
struct track {
	struct snapshot last;		/* the last one that was live; pending: none was yet */
	uint32_t beat_word;
	int64_t beat_time;		/* when the heartbeat word last changed */
	uint8_t beat_source;		/* of that word: enum reading_source */
	bool beat_seen, beat_moved;
	bool beat_stands;		/* as of track_take_beat(); it has not moved since */
	uint32_t perf_word[12];
	int64_t perf_time;
	bool perf_seen;
	struct busy busy;		/* the last look at the runtime's counters */
	uint32_t eth_up;		/* ethernet links that were up once */
	uint32_t eth_beat[ETH_LINKS_MOST];	/* heartbeats of its cores in the first sample */
	int64_t eth_time;		/* of that sample; 0: there was none */
	uint8_t corr_word[16];		/* counters of corrected memory errors as last read */
	uint16_t corr_seen;		/* the counters that were read, one bit each */
	uint32_t corr_grown[8];		/* corrected errors by module since the first sample */
	bool judged;			/* health and since are valid */
	enum snapshot_health health;
	int64_t since;
};

/*
 * Complete a fresh snapshot from earlier ones: beat, PCIe rates, since.  Values
 * that could not be read this time are replaced by the last ones, which become
 * stale and keep their times.
 */
void track_update(struct track *t, struct snapshot *s);

/* Remember what sampler_judge_beats() found between two samples. */
void track_take_beat(struct track *t, enum snapshot_beat beat);

/* Firmware that runs now has been silent for that long (ns): it has stopped, which is a finding. */
void track_add_silence(struct snapshot *s, int64_t silent);

/* What the parent remembers of a chip between ticks. */
struct chip_state {
	struct track *track;		/* NULL in one-shot modes: nothing came before */
	struct worker *own;		/* its process while it is in quarantine, or NULL */
	bool quarantined;		/* sampled by a process of its own, off the order */
	bool awaited;			/* the tick is not over before this chip's result is in */
	unsigned quick;			/* quick samples in a row, in quarantine */
	uint64_t taken;			/* the tick of the last result that was taken in */
	int64_t retry;			/* not sampled before this clock_mono() */
	int64_t failing;		/* clock_mono() since when it fails; 0: it does not */
	int64_t reset_since;		/* as in struct snapshot */
};

/* The list of processes that hold a device. */
struct holders {
	struct worker *worker;		/* that makes the list, or hangs at it; else NULL */
	bool asked;			/* a list is under way */
	bool waits;			/* until a hung worker makes room for another */
	uint64_t number;		/* of the last list that was asked for */
	bool quiet;			/* it comes without an answer from the worker */
	int64_t next, pause;		/* clock_mono() of the next one; the wait after a failure */
	char reason[160];		/* why the list is not known, or "" */
};

struct sampler {
	struct sampler_config config;
	struct bus *bus;
	struct loaded *loaded;
	struct worker_shared *shared;
	struct pool pool;

	struct fleet fleet;
	struct snapshot *chips;
	struct process *processes;
	struct chip_state states[DEVICE_MAX];
	struct holders holders;
	bool wanted[DEVICE_MAX];
	char selection[96];

	bool running;			/* a tick is under way */
	bool waits, awaits_all;		/* it waits for every chip; and the next one will */
	bool is_brisk;			/* a one-shot mode that does not wait any more */
	size_t hung_in_tick;		/* chips that went to quarantine */
	int64_t began;			/* clock_mono() of the tick */
	int64_t slowest[2];		/* ns, healthy samples of this half minute and the last */
	int64_t slowest_until;		/* clock_mono() */
	int64_t last_collect;		/* clock_mono() */
	int64_t gap_end;		/* we were stopped until then: no chip is late before */
	int64_t next_fresh;		/* clock_mono() of the next static attributes */
};

/* sampler.c: give a second chip that was not read the name of its board. */
void sampler_name_remote(struct snapshot *chip, const struct snapshot *local);

/* schedule.c: which process samples which chip. */
void schedule_begin(struct sampler *s);			/* give out the tick's samples */
void schedule_add(struct sampler *s, size_t from);	/* and those of chips added in the tick */
void schedule_done(struct sampler *s, struct worker *w);	/* a job is done */
void schedule_lost(struct sampler *s, struct worker *w);	/* a worker has died */
void schedule_check(struct sampler *s, int64_t now);	/* take results; patience and deadlines */
bool schedule_is_idle(const struct sampler *s);		/* no worker works on the order */
bool schedule_is_over(const struct sampler *s);		/* nothing is awaited any more */
int64_t schedule_due(const struct sampler *s);		/* clock_mono() of the next check */
bool schedule_room_comes(const struct sampler *s);	/* a hung worker will be gone soon */

/* holders.c: the process list. */
void holders_begin(struct sampler *s);			/* ask for a list when it is time */
void holders_done(struct sampler *s);
void holders_take(struct sampler *s);			/* a list that came without an answer */
void holders_lost(struct sampler *s, const char *why);
void holders_check(struct sampler *s, int64_t now);
