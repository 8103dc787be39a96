/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_words.c - the words that the firmware publishes: the tag table (chip-facts
 * 2.2) and the legacy struct (2.3), from the model's values; and the memory.
 *
 * tag[n] is the word of tag n.  Only the tags in the chip's table can be read.
 * The legacy struct is made from the same words, so that both agree.
 */
#include "config.h"

#include "base/clock.h"
#include "base/mem.h"
#include "device/kind.h"
#include "device/sim/sim_chip.h"

#include <time.h>

/*
 * The memory of simulated boards.  It is read-only: its contents are a function of the chip's
 * number, the channel and the address.
 *
 * It is read in chunks of 32 bytes.  With SIM_LANE one byte lane returns the
 * data of the chunk that was read two (even chunks) or four (odd ones) earlier.
 */

#define CHUNK	  32
#define LATE_LANE 3

static uint32_t word_at(const struct sim_chip *c, unsigned channel, uint64_t addr)
{
	return (uint32_t)sim_hash(c->sim, c->number, channel + 1, addr / 4);
}

/* The word at the same place in an earlier chunk, which the late lane returns. */
static uint32_t late_word(struct sim_chip *c, unsigned channel, uint64_t addr)
{
	const uint64_t chunk = addr / CHUNK;
	const unsigned late = chunk & 1 ? 4 : 2;

	if (c->begins || c->chunk[c->chunks % SIM_CHUNKS] != chunk)
		c->chunk[++c->chunks % SIM_CHUNKS] = chunk;
	c->begins = false;
	return word_at(c, channel, c->chunk[(c->chunks - late) % SIM_CHUNKS] * CHUNK +
		addr % CHUNK);
}

uint32_t sim_dram_read(struct sim_chip *c, const struct sim_now *now, unsigned channel,
	uint32_t addr)
{
	const uint32_t mask = 0xffu << 8 * LATE_LANE, word = word_at(c, channel, addr);

	if (channel != SIM_BAD_CHANNEL || !sim_has_fault(now, SIM_LANE))
		return word;
	return (word & ~mask) | (late_word(c, channel, addr) & mask);
}

/* The words of the firmware. */

/* Bundle 19.15 has more table entries than older ones, at the end (fleet.md): from this tag on. */
#define NEWEST	   0x130f0000
#define NEWEST_TAG 70

/* The tags in the order of the firmware's table; 0: an unused entry. */
static const uint8_t bh_tags[] = {
	1, 2, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
	26, 27, 28, 29, 30, 31, 32, 34, 35, 36, 37, 38, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50,
	51, 52, 53, 54, 61, 62, 60, 33, 63, 55, 56, 64, 65, 66, 67, 68, 69,
	70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 0, 0, 0, 0, 0,
};

static const uint8_t wh_tags[] = {
	1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 21, 22, 23, 24, 26, 27, 28, 29, 31, 32,
	33, 35, 36, 40, 41, 52, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64,
};

#define WH_FIRST_TAGS 0x12040000	/* older Wormhole firmware has only the legacy struct */
#define BIST_SINCE    0x13070000	/* Blackhole's GDDR_STATUS has BIST results */
#define LINK_SINCE    0x13090000	/* ETH_LIVE_STATUS has link states in its upper half */
#define ABSENT        0xffffffffu

#define BAD_CHANNEL SIM_BAD_CHANNEL

_Static_assert(ARRAY_LEN(bh_tags) <= SIM_ENTRIES && ARRAY_LEN(wh_tags) <= SIM_ENTRIES,
	"a simulated table has room for each entry");

/* The firmware bundle that began to publish a tag. */
static uint32_t bundle_since(bool bh, unsigned tag)
{
	if (!bh)
		return tag >= 63 ? 0x12080000 : 0;
	return tag >= NEWEST_TAG ? NEWEST : tag == 69 ? 0x13060000 : tag >= 65 ? 0x13050000 :
		tag == 64 || tag == 54 ? 0x13000000 : 0;
}

void sim_words_init(struct sim_chip *c)
{
	bool bh = c->board->like == DEVICE_BLACKHOLE;
	const uint8_t *tags = bh ? bh_tags : wh_tags;
	size_t n = bh ? ARRAY_LEN(bh_tags) : ARRAY_LEN(wh_tags);

	if (c->board->like == DEVICE_GRAYSKULL || (!bh && c->board->bundle < WH_FIRST_TAGS))
		return;
	if (bh && c->board->bundle < NEWEST)
		n -= SIM_TAGS - NEWEST_TAG;
	if (bh && c->board->bundle < 0x13000000)
		n -= 5;
	c->table[0] = 0x100;
	c->table[1] = (uint32_t)n;
	c->n_entries = n;
	for (size_t i = 0; i < n; i++) {
		/* On Wormhole the offset is the index in the table, on Blackhole the tag. */
		uint32_t offset = bh ? tags[i] : (uint32_t)i;

		if (!tags[i] || c->board->bundle < bundle_since(bh, tags[i]))
			continue;
		c->table[2 + i] = offset << 16 | tags[i];
		c->tag_at[offset] = tags[i];
	}
}

static uint64_t sim_beats(const struct sim_now *now)
{
	/* Firmware that has just started has no beats yet, whatever its phase. */
	int64_t began = now->ready > 0 ? (now->ready + SIM_PHASE) / SIM_STEP :
		now->ready / SIM_STEP;

	return now->step > began ? (uint64_t)(now->step - began) : 0;
}

/* Two bits per channel: 1 trained, 2 failed, 0 absent (chip-facts 3.6). */
static uint32_t gddr_results(const struct sim_chip *c, bool failed)
{
	uint32_t word = 0;

	for (unsigned i = 0; i < 8; i++)
		if (c->board->gddr >> i & 1)
			word |= (failed && i == BAD_CHANNEL ? 2u : 1u) << (2 * i);
	return word;
}

static uint32_t gddr_status(const struct sim_chip *c, const struct sim_now *now)
{
	const bool untrained = sim_has_fault(now, SIM_DRAM);
	uint32_t word = gddr_results(c, untrained);

	if (c->board->like != DEVICE_BLACKHOLE)
		return word;
	if (c->board->bundle >= BIST_SINCE)
		word |= gddr_results(c, untrained || sim_has_fault(now, SIM_BIST)) << 16;
	return sim_has_fault(now, SIM_CABLE) ? 0 : word;
}

static uint32_t eth_live(const struct sim_chip *c, const struct sim_now *now)
{
	const struct sim_board *b = c->board;
	uint32_t link = 0, live = b->eth;

	if (b->like == DEVICE_BLACKHOLE && b->bundle < LINK_SINCE)
		return 0;
	for (unsigned core = 0; core < SIM_ETH_CORES; core++) {
		if (b->bundle >= LINK_SINCE && sim_has_link(c, now, core))
			link |= 1u << core;
		if (sim_eth_is_dead(c, now, core))
			live &= ~(1u << core);
	}
	return link << 16 | live;
}

/* What never changes: identity and limits. */
static void fill_constant(const struct sim_chip *c, uint32_t *tag)
{
	const struct sim_board *b = c->board;
	bool bh = b->like == DEVICE_BLACKHOLE;

	tag[1] = (uint32_t)(c->board_id >> 32);
	tag[2] = (uint32_t)c->board_id;
	tag[61] = (uint32_t)(c->asic_id >> 32);
	tag[62] = (uint32_t)c->asic_id;
	tag[24] = b->eth_fw;
	tag[25] = b->gddr_fw;
	tag[26] = b->app_fw;
	tag[27] = b->bl_fw;
	tag[28] = b->bundle;
	tag[29] = b->cm_fw;
	tag[33] = (uint32_t)c->n_entries;
	tag[57] = 0x620b1318;
	tag[58] = 0x00030a00;
	tag[75] = 960u << 16;
	tag[78] = 0x3;
	tag[80] = 0x20bb20;
	tag[34] = tag[59] = b->tensix;
	tag[35] = b->eth;
	tag[36] = b->gddr;
	tag[37] = 0xf;
	tag[38] = b->asics == 2 && c->place == 1 ? 0x4 : 0x1;
	tag[40] = bh || b->bundle >= SIM_BUFFER_WH;
	tag[52] = b->asics == 2 ? c->place : b->galaxy ? c->place % 8 + 1 : 0;
	tag[5] = 100;
	tag[9] = (uint32_t)b->mv_max << 16 | b->mv_min;
	tag[10] = b->temp_shutdown;
	tag[53] = b->board_watt_limit;
	tag[55] = b->amp_limit;
	tag[56] = b->temp_throttle;
	tag[63] = b->mhz_max;
	tag[64] = b->watt_limit;
}

static void fill_memory(const struct sim_chip *c, const struct sim_now *now,
	const struct sim_model *m, uint32_t *tag)
{
	tag[22] = gddr_status(c, now);
	tag[23] = c->board->gddr_speed;
	tag[72] = 0x2;		/* channel 0's firmware has moved to port 2 */
	if (!tag[22])
		return;
	tag[51] = (uint32_t)m->gddr_temp;
	for (unsigned i = 0; i < 8; i++) {
		uint32_t bottom = (uint32_t)m->gddr_temp - i % 5, top = bottom - (i % 3 == 2);
		unsigned shift = i % 2 * 16;

		if (c->board->gddr >> i & 1)
			tag[42 + i / 2] |= (bottom | top << 8) << shift;
	}
	/* Such a channel reports nothing but its error counters, which are at their maximum. */
	if (sim_has_fault(now, SIM_LANE)) {
		tag[46 + BAD_CHANNEL / 2] |= 0xffffu << BAD_CHANNEL % 2 * 16;
		tag[50] |= 3u << 2 * BAD_CHANNEL;
	}
	for (size_t i = 0; i < c->n_faults; i++) {
		int64_t flips = (now->t - c->faults[i].from) / (5 * CLOCK_SECOND) + 1;

		if (c->faults[i].kind == SIM_BITFLIP && sim_has_fault(now, SIM_BITFLIP))
			tag[46] |= (uint32_t)(flips > 255 ? 255 : flips) << 8 * 2;
	}
}

static uint32_t fan_word(const struct sim_chip *c, const struct sim_model *m)
{
	switch (c->board->fan) {
	case SIM_FAN_PERCENT: return m->fan_percent;
	case SIM_FAN_RPM: return m->fan_rpm;
	case SIM_FAN_PAIR: return 0xffffu << 16 | m->fan_rpm;
	case SIM_FAN_NONE: break;
	}
	return ABSENT;
}

static void fill_moving(const struct sim_chip *c, const struct sim_now *now,
	const struct sim_model *m, uint32_t *tag)
{
	bool bh = c->board->like == DEVICE_BLACKHOLE;

	tag[6] = m->mv;
	tag[7] = m->watt;
	tag[8] = m->amp;
	tag[11] = (uint32_t)((int64_t)m->temp * 65536 / 1000);
	tag[13] = bh ? 0 : (uint32_t)(m->temp / 1000 - 4) << 16;
	tag[14] = m->mhz;
	tag[15] = bh ? 960 : 900;
	tag[16] = bh ? 800 : 540;
	tag[17] = tag[18] = tag[19] = tag[20] = 800;
	tag[21] = eth_live(c, now);
	tag[31] = c->board->fan ? m->fan_percent : ABSENT;
	tag[41] = fan_word(c, m);
	tag[32] = (uint32_t)sim_beats(now);
	tag[54] = m->board_watt;
	/*
	 * If several arbiters want the same clock, the firmware reports the last one.  If nothing
	 * limits the clock, all upper bounds are at the maximum: it reports 8 (doppler-slow), and
	 * 1 (busy) for the lower bounds.  4 is the thermal arbiter; 9 and 10 are switched off.
	 */
	tag[65] = 1u << 16 | (m->throttled ? c->board->mhz_max : m->mhz);
	tag[66] = m->throttled ? 4u << 16 | m->mhz : 8u << 16 | c->board->mhz_max;
	tag[67] = 0x3;
	tag[68] = 0x1ff;
	tag[69] = m->throttled ? 1u << 16 | 4 : 1;
	tag[73] = tag[74] = m->mhz == c->board->mhz_idle ? 2 : 5;
}

/* Put table entries in place of values, as seen on real boards; the temperature stays valid. */
static void spoil_tags(uint32_t *tag)
{
	tag[6] = 0x00310031;
	tag[7] = 0x00320032;
	tag[8] = 0x00330033;
	tag[11] = 54u << 16;
	tag[16] = ABSENT;
	tag[31] = ABSENT;
	tag[41] = 0x002b002b;
	tag[54] = 0x00360036;
	tag[60] = ABSENT;
}

static uint32_t boot_date(const struct sim_chip *c, const struct sim_now *now)
{
	time_t boot = (time_t)((c->sim->start_real + now->ready) / CLOCK_SECOND);
	struct tm tm = { 0 };

	gmtime_r(&boot, &tm);
	return (uint32_t)(tm.tm_year - 120) << 28 | (uint32_t)(tm.tm_mon + 1) << 24 |
		(uint32_t)tm.tm_mday << 16 | (uint32_t)tm.tm_hour << 8 | (uint32_t)tm.tm_min;
}

static uint32_t pair(uint32_t high, uint32_t low)
{
	return high << 16 | (low & 0xffff);
}

/* Four bits per channel; Wormhole: 1 fail, 2 pass; Grayskull: 0 fail, 1 pass. */
static uint32_t ddr_nibbles(const struct sim_chip *c, bool failed)
{
	uint32_t pass = c->board->like == DEVICE_WORMHOLE ? 2 : 1, word = 0;

	for (unsigned i = 0; i < 6; i++)
		word |= (failed && i == BAD_CHANNEL ? pass - 1 : pass) << (4 * i);
	return word;
}

/* The offsets at which groups of words begin that both layouts have. */
static uint32_t *clock_words(const struct sim_chip *c, uint32_t *legacy)
{
	return legacy + (c->board->like == DEVICE_WORMHOLE ? 24 : 20);
}

static uint32_t *power_words(const struct sim_chip *c, uint32_t *legacy)
{
	return legacy + (c->board->like == DEVICE_WORMHOLE ? 32 : 27);
}

static void fill_legacy_common(const struct sim_chip *c, const struct sim_model *m,
	const uint32_t *tag, uint32_t *w)
{
	uint32_t *clock = clock_words(c, w), *power = power_words(c, w);

	w[0] = 0xba5e0001;
	w[1] = c->remote ? 0 : pair(kind_of(c->board->chip)->pci_device, DEVICE_VENDOR);
	w[2] = 0x2d2fb + c->number * 0x3b;
	w[3] = 0xe31 + c->number * 0x11;
	w[4] = tag[1];
	w[5] = tag[2];
	w[6] = w[7] = w[9] = tag[29];
	w[10] = 0x030e0000;
	clock[0] = pair(tag[63], tag[14]);
	clock[1] = tag[15];
	clock[2] = tag[16];
	clock[3] = m->throttled;
	clock[4] = tag[6];
	clock[5] = (uint32_t)m->temp * 2 / 125;
	power[0] = pair(tag[64], tag[7]);
	power[1] = pair(tag[55], tag[8]);
	power[2] = tag[9];
	power[3] = pair(tag[10], tag[56]);
}

static void fill_legacy_wh(const struct sim_chip *c, const struct sim_now *now,
	const struct sim_model *m, const uint32_t *tag, uint32_t *w)
{
	uint32_t speed = tag[23] == 16000 ? 0 : tag[23] == 14000 ? 1 : tag[23] == 12000 ? 2 : 3;
	uint32_t celsius = (uint32_t)(m->temp / 1000);
	uint64_t beats = sim_beats(now);

	w[11] = tag[24];
	w[12] = tag[27];
	w[13] = tag[26];
	w[14] = speed << 24 | ddr_nibbles(c, sim_has_fault(now, SIM_DRAM));
	w[15] = c->remote ? 0x11111122 : 0x11111111;
	w[16] = c->peer && !c->remote ? 0x11111133 : 0x11111111;
	w[17] = c->remote ? 0 : 0x11040000;
	w[19] = (uint32_t)(beats * 421);
	w[20] = (uint32_t)(beats * 156);
	w[22] = (uint32_t)beats;
	w[23] = c->board->fan ? pair(c->peer ? m->fan_percent : 0, m->fan_percent) : ABSENT;
	w[29] = pair(w[29] + 9, w[29]);
	w[31] = (celsius - 6) << 16 | (celsius - 5) << 8 | (celsius - 7);
	w[36] = tag[57];
	w[37] = celsius << 24 | (celsius - 1) << 16 | celsius << 8 | (celsius + 1);
	w[38] = celsius << 8 | celsius;
	w[39] = 0x190000;
	w[42] = boot_date(c, now);
	w[43] = (uint32_t)((now->t - now->ready) / CLOCK_SECOND);
	w[44] = 0xccddddcc;
	w[45] = 0xccdddd00;
	w[46] = tag[58];
	w[48] = tag[21];
	w[49] = tag[28];
}

static void fill_legacy_gs(const struct sim_chip *c, const struct sim_now *now,
	const struct sim_model *m, const uint32_t *tag, uint32_t *w)
{
	uint64_t beats = sim_beats(now);

	w[12] = ddr_nibbles(c, sim_has_fault(now, SIM_DRAM));
	w[13] = 0x11040000;
	w[15] = (uint32_t)(beats * 100);
	w[16] = (uint32_t)(beats * 61);
	w[19] = m->fan_percent;
	w[26] = (uint32_t)(m->temp / 1000 + 5);
	w[31] = 0x31180f1e;
	w[32] = 0x2b2d2c2e;
	w[34] = tag[7];
	w[36] = boot_date(c, now);
	w[37] = (uint32_t)((now->t - now->ready) / CLOCK_SECOND);
	w[38] = tag[58];
	w[39] = tag[28];
}

/* A fan that does not exist and an impossible voltage; the 54 degrees stay valid. */
static void spoil_legacy(const struct sim_chip *c, uint32_t *w)
{
	uint32_t *clock = clock_words(c, w), *power = power_words(c, w);

	clock[-1] = ABSENT;	/* the fan */
	clock[2] = ABSENT;
	clock[4] = 0x00310031;
	clock[5] = 54 * 16;
	power[0] |= 0xffff;
	power[1] |= 0xffff;
}

const struct sim_words *sim_words(struct sim_chip *c, const struct sim_now *now)
{
	struct sim_words *w = &c->words;
	struct sim_model m;

	if (w->valid && w->step == now->step && w->ready == now->ready &&
	    w->faults == now->faults && w->changes == c->state->changes)
		return w;
	*w = (struct sim_words){ .valid = true, .step = now->step, .ready = now->ready,
		.faults = now->faults, .changes = c->state->changes };
	sim_model(c, now, &m);
	fill_constant(c, w->tag);
	fill_memory(c, now, &m, w->tag);
	fill_moving(c, now, &m, w->tag);
	fill_legacy_common(c, &m, w->tag, w->legacy);
	if (c->board->like == DEVICE_WORMHOLE)
		fill_legacy_wh(c, now, &m, w->tag, w->legacy);
	if (c->board->like == DEVICE_GRAYSKULL)
		fill_legacy_gs(c, now, &m, w->tag, w->legacy);
	if (sim_has_fault(now, SIM_GARBAGE)) {
		spoil_tags(w->tag);
		spoil_legacy(c, w->legacy);
	}
	return w;
}
