/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * track.c - values that need several samples.
 *
 * The heartbeat is only compared with one of the same source: the firmware has more than one
 * counter.  In a tree or a recording, one that moves proves that the firmware was alive, and one
 * that stands still proves nothing.  A PCIe rate stays unjudged if no link could carry it, or if a
 * counter may have wrapped unseen since the last sample.
 */
#include "config.h"
#include "telemetry/sampler/sampler_local.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "telemetry/decode.h"
#include "telemetry/judge.h"

#include <errno.h>
#include <string.h>

#define FLIT       32			/* bytes a counter counts (chip-facts 1.6) */
#define GAP        (60 * CLOCK_SECOND)
#define BANDWIDTH  64000000000LL	/* bytes/s, where the link is not known: gen 5 x16 */

/* The direction of each counter: false is into the card, true out of it. */
static const bool outward[] = { false, false, true, true, true, true, false, false, false, false,
	true, true };

void track_add_silence(struct snapshot *s, int64_t silent)
{
	s->beat = SNAPSHOT_BEAT_STOPPED;
	if (silent > SNAPSHOT_SILENCE)
		judge_add(s, "heartbeat", "firmware silent for %lld s",
			(long long)(silent / CLOCK_SECOND));
	else
		judge_add(s, "heartbeat", "firmware silent for %.1f s",
			(double)silent / CLOCK_SECOND);
}

void track_take_beat(struct track *t, enum snapshot_beat beat)
{
	t->beat_moved = t->beat_moved || beat == SNAPSHOT_BEAT_ALIVE;
	t->beat_stands = beat == SNAPSHOT_BEAT_STOPPED;
}

static void track_beat(struct track *t, struct snapshot *s)
{
	const struct reading *r = &s->r[FIELD_HEARTBEAT];
	int64_t silent;

	s->beat = SNAPSHOT_BEAT_UNJUDGED;
	s->is_again = false;
	if (!snapshot_is_live(s) || s->raw.repeated)
		return;
	if (!reading_is_ok(r)) {
		if (!t->beat_seen)
			s->beat = SNAPSHOT_BEAT_NONE;
		return;
	}
	if (!t->beat_seen || t->beat_source != r->source) {
		t->beat_seen = true;
		t->beat_moved = t->beat_stands = false;
		t->beat_source = r->source;
		t->beat_word = (uint32_t)r->value;
		t->beat_time = r->time;
		return;
	}
	/* Where none has moved, as in a tree, each sample is one. */
	s->is_again = t->beat_word == (uint32_t)r->value && (t->beat_moved || !s->raw.is_still);
	if (t->beat_word != (uint32_t)r->value) {
		t->beat_moved = true;
		t->beat_stands = false;
		t->beat_word = (uint32_t)r->value;
		t->beat_time = r->time;
	}
	silent = r->time - t->beat_time;
	if (!t->beat_stands && silent <= snapshot_silence(s))
		s->beat = t->beat_moved ? SNAPSHOT_BEAT_ALIVE : SNAPSHOT_BEAT_UNJUDGED;
	else if (!s->raw.is_still)
		track_add_silence(s, silent);
}

/* The link's raw bandwidth in bytes/s, one way. */
static int64_t bandwidth(const struct snapshot *s)
{
	return s->link.known ? (int64_t)s->link.speed * 1000000 * s->link.width / 8 : BANDWIDTH;
}

static bool read_counters(const struct snapshot *s, uint32_t words[static 12])
{
	uint64_t v;

	for (size_t i = 0; i < ARRAY_LEN(outward); i++) {
		if (!parse_u64(s->raw.attr[ATTR_PERF_MST_RD_0 + i], &v) || v > UINT32_MAX)
			return false;
		words[i] = (uint32_t)v;
	}
	return true;
}

static void put_rate(struct snapshot *s, enum field_id id, uint64_t bytes, int64_t ns)
{
	double rate = (double)bytes / (double)ns * CLOCK_SECOND;

	if (!decode_plausible(id, (int64_t)rate))
		return;
	s->r[id] = (struct reading){ .value = (int64_t)rate, .state = READING_OK,
		.source = SOURCE_PCI, .time = s->raw.time };
}

static void track_rates(struct track *t, struct snapshot *s)
{
	uint32_t words[12];
	uint64_t bytes[2] = { 0, 0 };
	int64_t ns = s->raw.time - t->perf_time, most;
	bool first = !t->perf_seen;

	if (s->raw.repeated) {
		for (enum field_id id = FIELD_PCIE_RX; id <= FIELD_BUSY_SOURCE; id++)
			s->r[id] = t->last.r[id];
		return;
	}
	if (!snapshot_is_live(s) || !read_counters(s, words) || (!first && ns <= 0))
		return;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		bytes[outward[i]] += (uint64_t)(words[i] - t->perf_word[i]) * FLIT;
		t->perf_word[i] = words[i];
	}
	t->perf_time = s->raw.time;
	t->perf_seen = true;
	/* If a rate exceeds the bandwidth by more than a fifth, a counter has restarted. */
	most = bandwidth(s) / 1000 * (ns / CLOCK_MS + 1) / 5 * 6;
	if (first || ns > GAP || most >= (int64_t)FLIT << 32 || bytes[0] > (uint64_t)most ||
		bytes[1] > (uint64_t)most)
		return;
	put_rate(s, FIELD_PCIE_RX, bytes[0], ns);
	put_rate(s, FIELD_PCIE_TX, bytes[1], ns);
}

/* A look at torn words leaves the last one for the next comparison. */
static void track_busy(struct track *t, struct snapshot *s)
{
	const struct busy *is = &s->raw.busy;
	enum busy_source source = is->source;
	struct busy_shares x;

	if (!snapshot_is_live(s) || s->raw.repeated)
		return;
	if (source == BUSY_FIRST && t->busy.source == BUSY_FIRST) {
		source = busy_compare(&t->busy, is, &x);
		decode_put_busy(s, source, &x);
	}
	if (source != BUSY_TORN)
		t->busy = *is;
}

/* Remember links that were up, and report those that have gone down. */
static void track_links(struct track *t, struct snapshot *s)
{
	const struct reading *r = &s->r[FIELD_ETH_LINK];
	uint32_t lost;

	if (!snapshot_is_live(s) || !reading_is_ok(r))
		return;
	lost = t->eth_up & ~(uint32_t)r->value;
	t->eth_up |= (uint32_t)r->value;
	for (unsigned i = 0; lost && i < 16; i++)
		if (lost >> i & 1)
			judge_add(s, "eth-link", "ethernet link %u was up and went down", i);
}

/* Whether the firmware of each ethernet core runs; 0 and all ones are no heartbeat. */
static void track_pulse(struct track *t, struct snapshot *s)
{
	if (!s->raw.has_links || s->raw.repeated)
		return;
	for (size_t i = 0; i < ETH_LINKS_MOST; i++) {
		struct eth_state *l = &s->raw.links[i];

		if (!t->eth_time)
			t->eth_beat[i] = l->beat;
		else if (l->beat != t->eth_beat[i] && l->beat && l->beat != UINT32_MAX)
			l->pulse = ETH_PULSE_MOVES;
		else if (s->raw.time - t->eth_time >= ETH_FROZEN_AFTER)
			l->pulse = ETH_PULSE_FROZEN;
	}
	if (!t->eth_time)
		t->eth_time = s->raw.time;
}

/* Count new corrected memory errors; a counter that fell has restarted. */
static void track_memory(struct track *t, struct snapshot *s)
{
	if (!snapshot_is_live(s))
		return;
	for (unsigned i = 0; i < ARRAY_LEN(t->corr_word); i++) {
		const struct reading *r = &s->r[FIELD_GDDR_CORR_ERRS + i];

		if (!reading_is_ok(r))
			continue;
		if (t->corr_seen >> i & 1 && r->value > t->corr_word[i])
			t->corr_grown[i / 2] += (uint32_t)(r->value - t->corr_word[i]);
		t->corr_seen |= (uint16_t)(1u << i);
		t->corr_word[i] = (uint8_t)r->value;
	}
	judge_memory_growth(s, t->corr_grown);
}

static bool is_reading_lost(const struct snapshot *s, const struct reading *r)
{
	if (!snapshot_is_live(s) || r->state == READING_FAILED)
		return true;
	return r->state == READING_ABSENT && s->raw.table_error.code &&
		s->raw.table_error.code != -ECANCELED;
}

/* Values that could not be read this time are the last ones, marked stale. */
static void track_stale(const struct track *t, struct snapshot *s)
{
	if (!snapshot_is_live(&t->last))
		return;
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++) {
		if (!reading_has_value(&t->last.r[id]) || !is_reading_lost(s, &s->r[id]))
			continue;
		s->r[id] = t->last.r[id];
		s->r[id].state = READING_STALE;
	}
	if (s->upi == 0 && t->last.upi) {
		s->upi = t->last.upi;
		memcpy(s->board, t->last.board, sizeof(s->board));
		memcpy(s->series, t->last.series, sizeof(s->series));
	}
	if (!s->link.known && !snapshot_is_live(s)) {
		s->link = t->last.link;
		s->link.stale = true;
	}
	if (!s->has_coords) {
		s->has_coords = t->last.has_coords;
		memcpy(s->coords, t->last.coords, sizeof(s->coords));
	}
}

void track_update(struct track *t, struct snapshot *s)
{
	track_beat(t, s);
	track_rates(t, s);
	track_busy(t, s);
	track_links(t, s);
	track_pulse(t, s);
	track_memory(t, s);
	track_stale(t, s);
	if (!t->judged || s->health != t->health) {
		t->judged = true;
		t->health = s->health;
		t->since = s->time;
	}
	s->since = t->since;
	if (snapshot_is_live(s))
		t->last = *s;
}
