/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/cores/card_burn.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "burnin/cores/card_judge.h"
#include "burnin/cores/card_reference.h"
#include "burnin/cores/card_round.h"
#include "device/arc_msg.h"
#include "device/bus.h"
#include "device/kind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/* The cores that are switched off. */

#define WH_ROWS	    0x3ff
#define RIGHT_SINCE 0x12070000	/* firmware bundle 18.7 */

/* Rows of a Wormhole that are off, by a mask of them. */
static uint32_t off_rows(uint32_t mask)
{
	return kind_tensix_off(&kind_wormhole, ~mask, false);
}

int card_off_rows(uint32_t mask, const struct card_rows *known, uint32_t *off, struct error *e)
{
	const unsigned live = kind_wormhole.n_tensix_lines -
		(unsigned)__builtin_popcount(mask & WH_ROWS);

	*off = off_rows(mask);
	if (known->live && live != known->live)
		return fail(e, -ENODATA, "its firmware says that %u rows of its cores live, where "
			"its board has %u: which may be touched is not known", live, known->live);
	if (known->is_published && known->is_certain && known->off != *off)
		return fail(e, -ENODATA, "its firmware says otherwise in a message than in "
			"telemetry which rows of its cores live (off: 0x%x and 0x%x)", *off,
			known->off);
	return 0;
}

/* Telemetry was wrong here before the bundle 18.7, so only the message counts. */
static struct card_rows find_rows(const struct snapshot *s)
{
	const struct reading *rows = &s->r[FIELD_TENSIX_ROWS], *bundle = &s->r[FIELD_FW_BUNDLE];
	const struct board *board = board_find(s->upi);

	return (struct card_rows){ .is_published = reading_is_ok(rows),
		.off = reading_is_ok(rows) ? off_rows(~(uint32_t)rows->value & WH_ROWS) : 0,
		.is_certain = reading_is_ok(bundle) &&
			bundle_order((uint32_t)bundle->value) >= bundle_order(RIGHT_SINCE),
		.live = board ? board->rows : 0 };
}

int card_off(const struct snapshot *s, uint32_t *off, bool *asks, struct card_rows *rows,
	struct error *e)
{
	const struct reading *cols = &s->r[FIELD_TENSIX_COLS];
	const struct reading *translation = &s->r[FIELD_NOC_TRANSLATION];

	*off = 0;
	*asks = s->chip == DEVICE_WORMHOLE;
	*rows = *asks ? find_rows(s) : (struct card_rows){ 0 };
	if (*asks)
		return 0;
	if (s->chip != DEVICE_BLACKHOLE)
		return fail_as(e, CODE_UNSUPPORTED, -ENODATA, "there is no kernel for a %s",
			device_chip_name(s->chip));
	if (cols->state == READING_STALE)
		return fail_as(e, CODE_HUNG, -ENODATA, "the card does not answer in time: its "
			"telemetry is old");
	if (!reading_is_ok(cols) || !reading_is_ok(translation))
		return fail(e, -ENODATA, "the firmware does not report which cores are enabled");
	*off = kind_tensix_off(&kind_blackhole, (uint32_t)cols->value,
		translation->value != 0);
	return 0;
}

/*
 * The child: rounds of operands, load, ramped start, watch, stop and comparison by the host, until
 * there is no reason for another one.
 */

#define TURN_MS	    100
#define RISE	    (CLOCK_SECOND / 2)	/* of the clock; seen: 30 to 66 ms, umd allows 200 */
#define RISE_LOOK_MS 10
#define LOAD_SHARE  10		/* a round lasts at least this many times its load */
#define SAMPLES	    8		/* every eighth core is compared by the host, too */
#define SHORT_ROUNDS 3		/* of each kind */
#define LONG_ROUND  (30 * CLOCK_SECOND)
#define LIGHT_TIME  CLOCK_SECOND	/* of a stage of --first-light */

enum { LIGHT_CLEAN, LIGHT_CORE, LIGHT_COLUMN, LIGHT_HELD, LIGHT_ALL };
enum { MSG_GO_BUSY = 0x52, MSG_GO_IDLE = 0x54, MSG_HARVESTING = 0x57, MSG_RISC_RESET_OFF = 0xba };

static const struct arc_mailbox mailbox = { .unit = { REG_BAR0, 0, 0, 0x1ff30000 } };

/* Ask a Wormhole's firmware through its scratch registers; other chips are not asked anything. */
static int send_message(struct device *d, uint8_t code, uint32_t *answer, struct error *e)
{
	uint32_t out[2] = { 0 };
	int r = arc_msg_send(d, &mailbox, code, 0, 0, out, e);

	*answer = out[0];
	return r;
}

static void note_power(struct card_round *w, const char *text, const char *why)
{
	snprintf(w->s->power, sizeof(w->s->power), "%s%s%s", text, *why ? ": " : "", why);
}

/* If there are no power states, the handle itself, which is not passive, asks for power. */
static int raise_power(struct card_round *w, struct error *e)
{
	const bool wormhole = w->d->chip == DEVICE_WORMHOLE;
	uint32_t answer;
	int r;

	if (w->c->is_simulator) {
		note_power(w, "the simulator has none", "");
		return 0;
	}
	r = device_power(w->d, DEVICE_POWER_AICLK | DEVICE_POWER_MRISC | DEVICE_POWER_TENSIX |
		DEVICE_POWER_L2CPU);
	if (r == 0)
		note_power(w, "raised by a power state", "");
	else if (r != -EINVAL && r != -EOPNOTSUPP)
		return fail(e, r, "the power cannot be raised: %s", device_strerror(r));
	/* After a reset, a Wormhole holds its cores until it gets this message. */
	if (wormhole && card_kinds_compute(w->c) &&
		send_message(w->d, MSG_RISC_RESET_OFF, &answer, e) < 0)
		return e->code;
	if (wormhole && r < 0) {
		w->s->was_told_busy = true;
		if (send_message(w->d, MSG_GO_BUSY, &answer, e) < 0)
			return e->code;
		note_power(w, "raised by a message to the firmware", "");
	} else if (r < 0) {
		note_power(w, "raised by the open handle alone", device_strerror(r));
	}
	return 0;
}

/*
 * At the idle clock the matrix units of good cards read wrong operands (upstream facts G), so the
 * first product waits for 95 % of the usual clock.  A limit may keep the clock below that, or it
 * may not be known: then the time has to do.
 */
static void await_clock(struct card_round *w)
{
	const int64_t until = clock_steady() + RISE;
	const double least = 950 * card_judge_clock(w->d->chip);	/* MHz */
	char text[ATTR_TEXT];
	uint64_t mhz = 0;

	while ((double)mhz < least && clock_steady() < until && !card_round_must_end(w)) {
		atomic_fetch_add(&w->s->beats, 1);
		card_round_wait(w, RISE_LOOK_MS);
		if (device_attr(w->d, ATTR_TT_AICLK, text, sizeof(text)) <= 0 ||
			!parse_u64(text, &mhz))
			mhz = 0;
	}
}

static void lower_power(const struct card_burn_config *c, const struct card_shared *s)
{
	uint32_t answer;
	struct error e;

	if (c->is_simulator)
		return;
	if (s->was_told_busy)
		send_message(c->device, MSG_GO_IDLE, &answer, &e);
	device_power(c->device, 0);
}

static int find_tiles(struct card_round *w, struct error *e)
{
	uint32_t off = w->c->off, mask = 0;
	int r = 0;

	if (w->c->asks_off) {
		r = send_message(w->d, MSG_HARVESTING, &mask, e);
		r = r ? r : card_off_rows(mask, &w->c->known_rows, &off, e);
		atomic_store(&w->s->off, off);
	}
	if (r < 0)
		return r;
	w->n = card_tiles(w->d->chip, off, w->tiles);
	if (w->n == 0)
		return fail_as(e, CODE_UNSUPPORTED, -ENODEV, "there is no core that could burn");
	for (size_t i = 0; i < w->n; i++) {
		w->s->cores[i].x = w->tiles[i].x;
		w->s->cores[i].y = w->tiles[i].y;
	}
	atomic_store(&w->s->n, w->n);
	return 0;
}

static enum card_kind nth_kind(const struct card_burn_config *c, uint64_t n)
{
	enum card_kind kinds[CARD_KINDS];
	size_t k = 0;

	for (int i = 0; i < CARD_KINDS; i++)
		if (c->kinds[i])
			kinds[k++] = (enum card_kind)i;
	return k ? kinds[n % k] : CARD_CONV;
}

/* Choose the middle column, or its middle core. */
static void choose_part(const struct card_round *w, bool column, struct card_stage *stage)
{
	const uint8_t x = w->tiles[w->n / 2].x;

	stage->first = stage->n = 0;
	for (size_t i = 0; i < w->n; i++) {
		if (w->tiles[i].x != x)
			continue;
		stage->first = stage->n++ == 0 ? i : stage->first;
	}
	if (column)
		return;
	stage->first += stage->n / 2;
	stage->n = 1;
}

/* Plan the next stage; false if none is left. */
static bool plan(const struct card_round *w, uint64_t number, struct card_stage *stage)
{
	const struct card_burn_config *c = w->c;
	const uint64_t kinds = card_kinds_count(c);
	const int64_t least = LOAD_SHARE * atomic_load(&w->s->load_ns);

	*stage = (struct card_stage){ .kind = nth_kind(c, number), .n = w->n, .held = c->held,
		.ns = c->round, .passes = c->passes, .seed = c->seed + number, .nth = 1 };
	if (c->first_light) {
		stage->kind = nth_kind(c, 0);
		stage->ns = LIGHT_TIME;
		stage->held = number != LIGHT_ALL || c->held;
		/* The path that no simulator has run is tried first, on one core for one pass. */
		stage->passes = number == LIGHT_CLEAN ? 1 : c->passes;
		if (number <= LIGHT_COLUMN)
			choose_part(w, number == LIGHT_COLUMN, stage);
		return number < CARD_LIGHT_STAGES;
	}
	/* Each kind has had its turn. */
	if (number >= kinds) {
		stage->ns = stage->ns < least ? least : stage->ns;
		stage->nth = SAMPLES;
		stage->from = number % SAMPLES;
	}
	/* Each load is work for the host, so a long burn makes only few of them. */
	if (c->iterations == 0 && number >= SHORT_ROUNDS * kinds && stage->ns < LONG_ROUND)
		stage->ns = LONG_ROUND;
	return c->iterations == 0 || number < c->iterations * kinds;
}

/* Called between two areas of the memory; false ends the test. */
static bool memory_goes_on(void *arg)
{
	struct card_round *w = arg;

	atomic_fetch_add(&w->s->beats, 1);
	if (!card_round_await_watched(w) || (w->c->stop_on_error &&
		w->s->memory.wrong + w->s->memory.misread > 0))
		return false;
	atomic_store(&w->s->phase, CARD_RUNS);
	return true;
}

/* Cores that still run would write to the memory: hold them, and test it even if that fails. */
static int test_memory(struct card_round *w, struct error *e)
{
	struct error ignored;

	/* The cores of a simulator have only just begun. */
	if (!w->c->is_simulator && find_tiles(w, &ignored) == 0)
		card_hold(w->d, w->tiles, w->n, &ignored);
	w->n = 0;
	atomic_store(&w->s->n, 0);
	atomic_store(&w->s->running, true);
	return card_memory_run(w->d, &w->c->memory, &w->s->memory, memory_goes_on, w, e);
}

/* The wrong words of each core so far, by its own comparison and by the host's. */
static void count_wrong(const struct card_round *w, uint64_t wrong[CARD_TILES])
{
	for (size_t i = 0; i < w->n; i++)
		wrong[i] = atomic_load(&w->s->cores[i].errors) +
			atomic_load(&w->s->cores[i].refuted);
}

/* If the round was the first with wrong words, which cores are wrong with its operands again? */
static int try_again(struct card_round *w, const uint64_t before[CARD_TILES], struct error *e)
{
	struct card_stage stage = w->stage;
	struct card_retry found = { .seed = stage.seed };
	uint64_t once[CARD_TILES], twice[CARD_TILES];
	int r;

	count_wrong(w, once);
	for (size_t i = 0; i < w->n; i++)
		found.wrong += once[i] > before[i];
	if (w->s->retry.is_done || found.wrong == 0 || !card_round_await_watched(w))
		return 0;
	stage.ns = w->c->round;
	stage.nth = 1;
	stage.from = 0;
	r = card_round_run(w, &stage, e);
	if (r < 0 || !w->is_whole)
		return r;
	count_wrong(w, twice);
	for (size_t i = 0; i < w->n; i++)
		*(once[i] > before[i] ? &found.again : &found.others) += twice[i] > once[i];
	w->s->retry = found;
	w->s->retry.is_done = true;
	return 0;
}

static int burn(struct card_round *w, struct error *e)
{
	uint64_t before[CARD_TILES];
	struct card_stage stage;
	int r = 0;

	for (uint64_t number = 0;
		r == 0 && card_round_await_watched(w) && plan(w, number, &stage);) {
		count_wrong(w, before);
		r = card_round_run(w, &stage, e);
		if (r == 0 && w->is_whole) {
			number++;
			atomic_store(&w->s->rounds, number);
		}
		/* Do not try on more cores what failed on one. */
		if ((w->c->first_light || w->c->stop_on_error) && card_round_is_bad(w))
			break;
		if (r == 0)
			r = try_again(w, before, e);
	}
	return r;
}

/* Stay at full power until the end, as a load would. */
static int idle(struct card_round *w, struct error *e)
{
	int r = device_power(w->d, DEVICE_POWER_AICLK | DEVICE_POWER_TENSIX);

	if (r < 0)
		return fail(e, r, "the power cannot be raised: %s", device_strerror(r));
	atomic_store(&w->s->phase, CARD_RUNS);
	atomic_store(&w->s->running, true);
	while (w->c->iterations == 0 && !w->c->first_light && !card_round_must_end(w)) {
		card_round_wait(w, TURN_MS);
		atomic_fetch_add(&w->s->beats, 1);
	}
	device_power(w->d, 0);
	return 0;
}

/* Of an access that failed.  A card that the driver has closed (-ENODEV) was taken from us. */
static enum card_blame blame(const struct card_round *w, int code)
{
	if (code == -EILSEQ)
		return CARD_CARD;
	return code != -ENODEV && !w->c->is_simulator && atomic_load(&w->s->running) ? CARD_CARD
		: CARD_OTHERS;
}

/* Burn until all is done, s->stop, or the end of the socket.  Returns the exit status. */
static int card_child_run(void *arg, int fd)
{
	const struct card_burn *b = arg;
	const struct card_burn_config *c = &b->config;
	struct card_shared *s = b->shared;
	struct card_round *w = mem_calloc(1, sizeof(*w));
	struct error e = { 0 };
	int r;

	prctl(PR_SET_NAME, "tt-smi card");
	r = device_acquire_for(c->device, ACCESS_BURN, DEVICE_ACTIVE, &e);
	*w = (struct card_round){ .c = c, .s = s, .d = c->device, .fd = fd };
	if (r == 0 && c->computes_nothing) {
		r = idle(w, &e);
		s->finished = true;
		device_release(w->d);
	} else if (r == 0) {
		r = raise_power(w, &e);
		if (r == 0 && card_kinds_compute(c))
			r = find_tiles(w, &e);
		if (r == 0 && card_kinds_compute(c) && !c->is_simulator)
			await_clock(w);
		if (r == 0)
			r = c->reference ? card_reference_run(w, &e) :
				card_kinds_compute(c) ? burn(w, &e) : test_memory(w, &e);
		s->finished = card_hold(w->d, w->tiles, w->n, NULL) == 0;
		lower_power(c, s);
		device_release(w->d);
	}
	/* A simulator that ended gives the reason when it is opened again. */
	if (r < 0 && r != -EILSEQ && c->is_simulator)
		device_acquire_for(w->d, ACCESS_BURN, DEVICE_ACTIVE, &e);
	if (r < 0) {
		s->blame = blame(w, r);
		s->trouble = e;
	}
	atomic_store(&s->phase, CARD_OVER);
	card_data_clear(&w->data);
	free(w);
	return r < 0;
}

/* Hold the cores that another child started before it was killed. */
static int card_child_hold(void *arg, int fd)
{
	const struct card_burn *b = arg;
	const struct card_burn_config *c = &b->config;
	struct card_shared *s = b->shared;
	struct card_tile tiles[CARD_TILES];
	const size_t n = card_cores(s);
	struct error e;

	(void)fd;
	for (size_t i = 0; i < n; i++)
		tiles[i] = (struct card_tile){ s->cores[i].x, s->cores[i].y };
	if (device_acquire_for(c->device, ACCESS_BURN, DEVICE_ACTIVE, &e) < 0)
		return 1;
	s->finished = card_hold(c->device, tiles, n, NULL) == 0;
	lower_power(c, s);
	device_release(c->device);
	return 0;
}

/* The caller. */

#define LOAD_FACTOR 10			/* a load is one long piece of work */
#define HOLD_TIME   (5 * CLOCK_SECOND)	/* to hold the cores of a child that was killed */

static int card_burn_start_child(struct child *child, struct card_burn *b, int (*work)(void *, int),
	struct error *e)
{
	int keep[DEVICE_KEEP];
	/* The card is locked until its cores are held, even if we are killed before that. */
	const struct child_config how = { .run = work, .arg = b, .keep = keep,
		.n_keep = device_keep(b->config.device, keep), .ignores_terminal = true };

	return child_start(child, &how, e);
}

int card_burn_start(struct card_burn *b, const struct card_burn_config *c, struct error *e)
{
	int r;

	*b = (struct card_burn){ .config = *c, .shared = mem_share(sizeof(*b->shared)) };
	card_ledger_ask(c, &b->asked);
	b->shared->kept = c->kept;
	watchdog_open(&b->watchdog, 1, clock_mono());
	atomic_store(&b->shared->watched, b->watchdog.looked);
	/* The child does not die with us: first it stops the cores. */
	r = card_burn_start_child(&b->child, b, card_child_run, e);
	if (r < 0) {
		watchdog_close(&b->watchdog);
		mem_unshare(b->shared, sizeof(*b->shared));
		b->shared = NULL;
	}
	return r;
}

/* The child has ended.  True if another child was started, which holds the cores in its place. */
static bool go_on(struct card_burn *b)
{
	struct card_shared *s = b->shared;
	struct error e;

	if (!b->holds)
		b->status = b->child.status;
	/* Whatever the child wrote, its texts end. */
	s->trouble.text[sizeof(s->trouble.text) - 1] = '\0';
	s->power[sizeof(s->power) - 1] = '\0';
	if (!b->holds && !s->finished && (atomic_load(&s->n) > 0 || s->was_told_busy) &&
		card_burn_start_child(&b->child, b, card_child_hold, &e) == 0) {
		b->holds = true;
		watchdog_close(&b->watchdog);
		watchdog_open(&b->watchdog, 1, clock_mono());
		return true;
	}
	b->is_over = true;
	return false;
}

bool card_burn_watch(struct card_burn *b, int64_t patience)
{
	const int phase = atomic_load(&b->shared->phase);
	const int64_t now = clock_mono();

	if (b->is_over)
		return false;
	watchdog_look(&b->watchdog, now);
	atomic_store(&b->shared->watched, now);
	if (child_has_ended(&b->child)) {
		child_end(&b->child, 0);
		return go_on(b);
	}
	watchdog_see(&b->watchdog, 0, atomic_load(&b->shared->beats), false);
	if (watchdog_stands(&b->watchdog, 0) < patience * (phase == CARD_LOADS ? LOAD_FACTOR : 1))
		return true;
	b->was_killed = b->was_killed || !b->holds;
	child_kill(&b->child);
	child_end(&b->child, 0);
	return go_on(b);
}

void card_burn_stop(struct card_burn *b)
{
	/* Wake the child once: it may be long until its next turn. */
	if (!atomic_exchange(&b->shared->stop, true) && b->child.fd >= 0)
		(void)!send(b->child.fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void card_burn_end(struct card_burn *b, int64_t patience)
{
	card_burn_stop(b);
	while (!b->is_over) {
		child_end(&b->child, b->holds ? HOLD_TIME : patience);
		go_on(b);
	}
}

void card_burn_close(struct card_burn *b)
{
	if (!b->shared)
		return;
	card_burn_end(b, 0);
	watchdog_close(&b->watchdog);
	mem_unshare(b->shared, sizeof(*b->shared));
	b->shared = NULL;
}
