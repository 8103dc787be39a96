/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.c - names of a snapshot's states, which programs read, so they never change; and fleets.
 */
#include "config.h"
#include "telemetry/snapshot.h"

#include "base/mem.h"
#include "base/text.h"
#include "base/want.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name, *word;
} healths[] = {
	[SNAPSHOT_PENDING] = { "pending", "pending" },
	[SNAPSHOT_OK] = { "ok", "ok" },
	[SNAPSHOT_WARN] = { "warn", "warn" },
	[SNAPSHOT_NOT_READ] = { "not-read", "not-read" },
	[SNAPSHOT_FAILED] = { "failed", "FAILED" },
	[SNAPSHOT_GONE] = { "gone", "GONE" },
};

static const char *const beats[] = {
	[SNAPSHOT_BEAT_UNJUDGED] = "unknown",
	[SNAPSHOT_BEAT_ALIVE] = "alive",
	[SNAPSHOT_BEAT_STOPPED] = "stopped",
	[SNAPSHOT_BEAT_NONE] = "none",
};

const char *snapshot_health_name(enum snapshot_health h)
{
	return h < ARRAY_LEN(healths) ? healths[h].name : "unknown";
}

const char *snapshot_health_word(enum snapshot_health h)
{
	return h < ARRAY_LEN(healths) ? healths[h].word : "unknown";
}

const char *snapshot_beat_name(enum snapshot_beat b)
{
	return b < ARRAY_LEN(beats) ? beats[b] : "unknown";
}

bool snapshot_is_live(const struct snapshot *s)
{
	return s->health == SNAPSHOT_OK || s->health == SNAPSHOT_WARN;
}

bool snapshot_has(const struct snapshot *s, enum field_id id)
{
	return snapshot_is_live(s) && reading_is_ok(&s->r[id]);
}

bool snapshot_is_being_reset(const struct snapshot *s)
{
	return s->raw.sample_error.code == -ECONNRESET;
}

bool snapshot_is_lost(const struct snapshot *s)
{
	return s->health == SNAPSHOT_FAILED || s->health == SNAPSHOT_GONE;
}

bool snapshot_is_gone(const struct snapshot *s)
{
	return s->health == SNAPSHOT_GONE || (s->health == SNAPSHOT_FAILED &&
		s->code == CODE_OFF_BUS && s->raw.sample_error.code == -ENODEV);
}

bool snapshot_can_be_reset(const struct snapshot *s)
{
	const struct board *board = board_find(s->upi);

	return s->health != SNAPSHOT_GONE && s->raw.sample_error.code != -ENODEV &&
		s->code != CODE_NO_DRIVER && s->code != CODE_OFF_BUS &&
		(!board || board->resettable);
}

bool fleet_wants(const struct fleet *f, size_t index)
{
	return !f->wanted || f->wanted[index];
}

int64_t fleet_busy(const struct fleet *f, const struct process *p, enum field_id id)
{
	const bool has_chip = p->device >= 0 && (size_t)p->device < f->n;
	const struct snapshot *s = has_chip ? &f->chips[p->device] : NULL;
	size_t n = 0;

	for (size_t i = 0; i < f->n_processes; i++)
		n += f->processes[i].device == p->device;
	return has_chip && n == 1 && !f->processes_partial &&
		(!f->processes_unknown || !*f->processes_unknown) && snapshot_has(s, id) ?
		s->r[id].value : -1;
}

bool fleet_is_given(const struct fleet *f)
{
	size_t given = 0, others = 0;

	for (size_t i = 0; i < f->n; i++) {
		given += fleet_wants(f, i) && snapshot_is_given(&f->chips[i]);
		others += fleet_wants(f, i) && !snapshot_is_left_alone(&f->chips[i]);
	}
	return given > 0 && others == 0;
}

/* The fleet whose chips are compared, and what they are compared by. */
struct reasons {
	const struct fleet *f;
	const char *(*why)(const struct snapshot *s);
};

static bool is_alike(const void *all, size_t a, size_t b)
{
	const struct reasons *r = all;
	const char *x = fleet_wants(r->f, a) ? r->why(&r->f->chips[a]) : NULL;
	const char *y = r->why(&r->f->chips[b]);

	return x && y && strcmp(x, y) == 0;
}

bool fleet_put_alike(const struct fleet *f, size_t index,
	const char *(*why)(const struct snapshot *s), struct strbuf *names)
{
	const struct reasons reasons = { .f = f, .why = why };
	const struct snapshot *s = &f->chips[index];
	const char *text = why(s);
	int alike[DEVICE_MAX];
	size_t n;

	if (!text || !*text)
		return false;
	n = text_group(&reasons, f->n, index, is_alike, alike);
	if (n > 1)
		text_put_cards(names, alike, n);
	else if (n == 1)
		strbuf_printf(names, "%d %s", s->index, *s->bdf ? s->bdf : s->series);
	return n > 0;
}

size_t fleet_present(const struct fleet *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += fleet_wants(f, i) && !snapshot_is_gone(&f->chips[i]) &&
			!snapshot_is_given(snapshot_first(f->chips, f->n, &f->chips[i]));
	return n;
}

size_t fleet_unread(const struct fleet *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += fleet_wants(f, i) && f->chips[i].local >= 0 &&
			f->chips[i].health == SNAPSHOT_NOT_READ;
	return n;
}

bool fleet_shows(const struct fleet *f, size_t index, bool local)
{
	return fleet_wants(f, index) && !(local && f->chips[index].local >= 0);
}

bool snapshot_is_restless(const struct snapshot *s)
{
	return s->raw.table_error.code == -EINPROGRESS;
}

bool snapshot_is_blind(const struct snapshot *s)
{
	return s->health == SNAPSHOT_FAILED && want_is(s->raw.sample_error.code);
}

const struct finding *snapshot_finding(const struct snapshot *s, const char *id)
{
	for (size_t i = 0; i < s->n_findings; i++)
		if (strcmp(s->findings[i].id, id) == 0)
			return &s->findings[i];
	return NULL;
}

const char *snapshot_trouble(const struct snapshot *s)
{
	const struct finding *stopped = s->beat == SNAPSHOT_BEAT_STOPPED ?
		snapshot_finding(s, "heartbeat") : NULL;

	if (snapshot_is_lost(s))
		return s->reason;
	return stopped ? stopped->text : NULL;
}

bool snapshot_is_given(const struct snapshot *s)
{
	return s->health == SNAPSHOT_NOT_READ && s->code == CODE_NO_DRIVER;
}

bool snapshot_is_left_alone(const struct snapshot *s)
{
	return s->health == SNAPSHOT_NOT_READ && (s->local >= 0 || snapshot_is_given(s));
}

const char *snapshot_death(const struct snapshot *s)
{
	const enum code code = snapshot_code(s);

	return !snapshot_is_blind(s) && (code == CODE_OFF_BUS || code == CODE_HUNG ||
		code == CODE_FIRMWARE_DOWN || code == CODE_IO_ERROR) ? snapshot_trouble(s) : NULL;
}

const char *snapshot_miss(const struct snapshot *s)
{
	return s->health == SNAPSHOT_NOT_READ && !snapshot_is_left_alone(s) ? s->reason
		: snapshot_trouble(s);
}

enum code snapshot_code(const struct snapshot *s)
{
	return !snapshot_is_lost(s) && snapshot_trouble(s) ? CODE_FIRMWARE_DOWN : s->code;
}

bool snapshot_is_new(const struct snapshot *s, enum field_id id)
{
	return snapshot_is_live(s) && reading_has_value(&s->r[id]) &&
		s->r[id].time >= s->raw.time;
}

bool snapshot_is_old(const struct snapshot *s)
{
	return s->age > 0 || s->is_again;
}

bool snapshot_is_current(const struct snapshot *s)
{
	return snapshot_is_live(s) && !snapshot_trouble(s) && !s->raw.repeated &&
		!snapshot_is_old(s);
}

int64_t snapshot_silence(const struct snapshot *s)
{
	const struct reading *period = &s->r[FIELD_UPDATE_SPEED];
	const int64_t two = reading_is_ok(period) ? 2 * period->value * CLOCK_MS : 0;

	return two > SNAPSHOT_SILENCE ? two : SNAPSHOT_SILENCE;
}

uint64_t snapshot_serial(const struct snapshot *s)
{
	const struct reading *id = &s->r[FIELD_BOARD_ID];

	return reading_has_value(id) ? (uint64_t)id->value : 0;
}

const struct snapshot *snapshot_first(const struct snapshot *chips, size_t n,
	const struct snapshot *s)
{
	return s->local >= 0 && (size_t)s->local < n ? &chips[s->local] : s;
}

const struct snapshot *snapshot_serial_chip(const struct snapshot *chips, size_t n,
	const struct snapshot *s)
{
	return reading_has_value(&s->r[FIELD_BOARD_ID]) ? s : snapshot_first(chips, n, s);
}

bool snapshot_shares_board(const struct snapshot *a, const struct snapshot *b)
{
	return (a->local >= 0 && a->local == b->index) || (b->local >= 0 && b->local == a->index) ||
		(snapshot_serial(a) && snapshot_serial(a) == snapshot_serial(b));
}

/* The chip on PCIe that leads to it: itself, or that of a second chip. */
static int way_to(const struct snapshot *s)
{
	return s->local >= 0 ? s->local : s->index;
}

/* The board has only one chip on PCIe, or both say that they are in the same place on it. */
static bool is_elsewhere(const struct snapshot *a, const struct snapshot *b)
{
	const struct reading *x = &a->r[FIELD_ASIC_LOCATION], *y = &b->r[FIELD_ASIC_LOCATION];
	const unsigned n = board_on_pcie(a->upi);

	/* The trays of a galaxy each count their places from 1. */
	return way_to(a) != way_to(b) && (n == 1 ||
		(n == 2 && reading_is_ok(x) && reading_is_ok(y) && x->value == y->value));
}

bool snapshot_is_of_board(const struct snapshot *a, const struct snapshot *b)
{
	return (snapshot_shares_board(a, b) && !is_elsewhere(a, b)) ||
		(a->tray > 0 && b->tray > 0 && strcmp(a->board, b->board) == 0);
}

/* Fleets. */

bool fleet_can_be_reset(const struct fleet *f, size_t index)
{
	return snapshot_can_be_reset(snapshot_first(f->chips, f->n, &f->chips[index]));
}

bool snapshot_is_of_galaxy(const struct snapshot *s)
{
	const struct board *board = board_find(s->upi);

	return board && board->asics > 2;
}

/* Only Blackhole has boards with two PCI functions; a card of an unknown board may be on one. */
static bool may_have_other_half(const struct snapshot *s)
{
	const struct board *board = board_find(s->upi);

	return s->chip == DEVICE_BLACKHOLE && (!board || board->asics == 2);
}

static bool has_other_half(const struct fleet *f, const struct snapshot *s)
{
	for (size_t i = 0; i < f->n; i++)
		if (&f->chips[i] != s && f->chips[i].local < 0 &&
			snapshot_shares_board(s, &f->chips[i]))
			return true;
	return false;
}

/*
 * Whether o may be on the board of s, since one of them was not read (it hangs, or is hidden).
 * One whose other half is known is not: no board has more than two.
 */
static bool may_share_board(const struct fleet *f, const struct snapshot *s,
	const struct snapshot *o)
{
	return may_have_other_half(s) && may_have_other_half(o) && !has_other_half(f, s) &&
		!has_other_half(f, o) && !(snapshot_serial(s) && snapshot_serial(o));
}

bool fleet_takes_along(const struct fleet *f, const struct snapshot *s, const struct snapshot *o)
{
	return o != s && o->local < 0 && (snapshot_shares_board(s, o) || may_share_board(f, s, o));
}

bool fleet_needs_both(const struct fleet *f, const struct snapshot *s, const struct snapshot *o)
{
	return o != s && o->local < 0 && o->health != SNAPSHOT_GONE && !snapshot_is_of_galaxy(s) &&
		(snapshot_shares_board(s, o) || (board_find(s->upi) && may_share_board(f, s, o)));
}

/* Add what has to be named with s, and with those; a row of the matrix at a time. */
static void add_needed(const struct fleet *f, size_t index, bool *named)
{
	named[index] = true;
	for (size_t k = 0; k < f->n; k++)
		if (!named[k] && fleet_needs_both(f, &f->chips[index], &f->chips[k]))
			add_needed(f, k, named);
}

void fleet_name_board(const struct fleet *f, size_t index, char *buf, size_t size)
{
	bool named[DEVICE_MAX] = { false };

	add_needed(f, (size_t)snapshot_first(f->chips, f->n, &f->chips[index])->index, named);
	*buf = '\0';
	for (size_t k = 0; k < f->n; k++)
		if (named[k])
			text_join(buf, size, " ", "%zu", k);
}

void fleet_complete(const struct fleet *f, bool *wanted)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *s = &f->chips[i];

		if (wanted[i] && s->local >= 0)
			wanted[s->local] = true;
		for (size_t k = 0; wanted[i] && !snapshot_is_of_galaxy(s) && k < f->n; k++)
			if (f->chips[k].health != SNAPSHOT_GONE &&
				snapshot_shares_board(s, &f->chips[k]))
				wanted[k] = true;
	}
}

/* FNV-1a, by words. */
static uint64_t mix(uint64_t digest, uint64_t word)
{
	digest = (digest ^ word) * 0x100000001b3;
	return digest ^ digest >> 32;
}

static uint64_t mix_text(uint64_t digest, const char *text)
{
	for (; *text; text++)
		digest = mix(digest, (unsigned char)*text);
	return mix(digest, 0);
}

/* In the text of a silent heartbeat only the time differs, so take the finding's id instead. */
static const char *timeless(const struct finding *f)
{
	return strcmp(f->id, "heartbeat") == 0 ? f->id : f->text;
}

static uint64_t mix_chip(uint64_t digest, const struct snapshot *s, bool readings)
{
	digest = mix(digest, (uint64_t)s->health << 32 | (uint64_t)s->beat << 16 | s->n_findings);
	digest = mix(digest, (uint64_t)s->upi << 32 | (uint64_t)s->link.known << 2 |
		(uint64_t)s->link.downgraded << 1 | (s->age != 0));
	digest = mix(digest, (uint64_t)s->link.speed << 32 | (uint32_t)s->link.width);
	digest = mix(digest, (uint64_t)s->link.speed_best << 32 | (uint32_t)s->link.width_best);
	digest = mix(digest, (uint64_t)s->node << 32 | (uint32_t)s->numa_node);
	digest = mix_text(digest, s->reason);
	digest = mix_text(digest, s->note);
	for (size_t i = 0; i < s->n_findings; i++)
		digest = mix_text(digest, timeless(&s->findings[i]));
	for (size_t id = FIELD_NONE + 1; id < FIELD_COUNT && readings; id++) {
		const struct reading *r = &s->r[id];

		digest = mix(digest, (uint64_t)r->value);
		digest = mix(digest, (uint64_t)r->state << 32 | r->raw);
	}
	return digest;
}

uint64_t fleet_digest(const struct fleet *f, bool readings)
{
	uint64_t digest = mix(f->n, f->workers_lost);

	for (size_t i = 0; i < f->n; i++)
		digest = mix_chip(digest, &f->chips[i], readings);
	digest = mix(digest, f->n_processes << 1 | f->processes_partial);
	for (size_t i = 0; i < f->n_processes; i++) {
		const struct process *p = &f->processes[i];

		digest = mix(digest, (uint64_t)p->device << 32 | (uint32_t)p->pid);
		digest = mix(digest, (uint64_t)p->pinned);
		digest = mix(digest, p->has_memory);
		for (size_t k = 0; k < PROCESS_MEMORIES && p->has_memory; k++)
			digest = mix(digest, (uint64_t)p->memory[k]);
		digest = mix_text(digest, p->user);
		digest = mix_text(digest, p->container);
		digest = mix_text(digest, p->command);
	}
	return mix_text(digest, f->processes_unknown ? f->processes_unknown : "");
}
