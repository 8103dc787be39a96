/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eth.c - link states, and a chip without PCIe, read through its neighbour.
 *
 * The right chip of an n300 is connected to ethernet channels 8 and 9 of the left one.  Routing
 * firmware on those cores takes commands from a queue in its memory and queues the answers
 * (chip-facts 3.11).  The queue has no owner, so use it only while it holds no other request.
 * After the first failed read the link is not used again until it is acquired anew.
 *
 * All accesses to the left chip go to its transport directly: a recording
 * holds the accesses to the right chip, not the commands that carried them.
 */
#include "config.h"
#include "device/eth.h"

#include "base/clock.h"
#include "base/mem.h"
#include "device/bus.h"
#include "device/kind.h"

#include <errno.h>
#include <string.h>

/*
 * What ethernet cores keep in their memory about their links.
 *
 * Blackhole: github.com/tenstorrent/tt-umd at 3ed9cb6d0533, device/api/umd/device/types/
 * blackhole_eth.hpp: boot_results_t at 0x7cc00 (state, training, speed, the requested speed and, in
 * words 248 to 255, chip_info_t of the other end, by which UMD finds chips), eth_live_status_t at
 * 0x7ce00.  Wormhole: tt-metal at 14632d99, tools/triage/eth_status_sampling.py, and
 * check_eth_status.py.  kind_eth() knows the cores' tiles.
 */

enum eth_word {
	WORD_BEAT, WORD_STATE, WORD_TRAINING, WORD_ERROR, WORD_SPEED, WORD_TARGET,
	WORD_LOW,				/* of the counters, enum eth_count, low half */
	WORD_HIGH = WORD_LOW + ETH_COUNTS,	/* high half */
	WORDS = WORD_HIGH + ETH_COUNTS
};

/* Addresses by chip; 0: there is no such word, it reads as 0. */
static const uint32_t words_at[DEVICE_CHIPS][WORDS] = {
	[DEVICE_WORMHOLE] = { 0x1c, 0x1ed4, 0x1104, 0x1440, 0, 0,
		0x1edc, 0x1f7c, 0x1f94, 0x1f9c, 0, 0, 0x1f90, 0x1f98 },
	[DEVICE_BLACKHOLE] = { 0x7cc70, 0x7cc04, 0x7cc08, 0, 0x7cc0c, 0x7cc8c,
		0x7ce00, 0x7ce60, 0x7ce90, 0x7ce98, 0, 0x7ce64, 0x7ce94, 0x7ce9c },
};

#define WORMHOLE_UP	  6	/* link status; all others are no link */
#define WORMHOLE_NO_CABLE 11	/* training errors from here on: nothing is connected */

/* The results of Blackhole's training by number, then Wormhole's results, and its errors. */
enum { TRAINED = 2, FAILED = 11, NOT_CONNECTED };
static const char *const trainings[] = { "running", "skipped", "passed", "internal loopback",
	"external loopback", "equalizer timed out", "auto-negotiation timed out",
	"clock recovery timed out", "self-test timed out", "link timed out", "chip info timed out",
	"failed", "no signal", "PG receive", "not populated", "masked" };

/* The other end of a Blackhole's link: its words, where they are, and bit offsets in the first. */
enum {
	END_BOARD = 1, END_ASIC = 5, END_WORDS = 7, END_AT = 0x7cfe0, END_PLACE = 8, END_CORE = 16
};

#define MOST_GBPS 1600		/* a larger word is not a speed */

const char *eth_training_text(const struct eth_state *l)
{
	return l->training < ARRAY_LEN(trainings) ? trainings[l->training] : "unknown";
}

static uint16_t speed_of(uint32_t word)
{
	return word <= MOST_GBPS ? (uint16_t)word : 0;
}

static int read_words(struct device *d, const uint8_t xy[2], uint64_t addr, uint32_t *words,
	size_t n)
{
	return device_read(d, (struct reg_addr){ REG_NOC, xy[0], xy[1], addr }, words, n);
}

static int read_end_blackhole(struct device *d, const uint8_t xy[2], struct eth_state *l)
{
	uint32_t w[END_WORDS];
	int r = read_words(d, xy, END_AT, w, END_WORDS);

	if (r < 0)
		return r;
	l->place = (uint8_t)(w[0] >> END_PLACE);
	l->core = (uint8_t)(w[0] >> END_CORE);
	l->board = (uint64_t)w[END_BOARD] << 32 | w[END_BOARD + 1];
	l->asic = (uint64_t)w[END_ASIC] << 32 | w[END_ASIC + 1];
	return 0;
}

static void decode_blackhole(const uint32_t *w, struct eth_state *l)
{
	l->state = w[WORD_STATE] < ETH_LINKS ? (uint8_t)w[WORD_STATE] : ETH_LINK_UNKNOWN;
	l->training = w[WORD_TRAINING] < FAILED ? (uint8_t)w[WORD_TRAINING] : UINT8_MAX;
	l->speed = l->state == ETH_LINK_UP ? speed_of(w[WORD_SPEED]) : 0;
	l->target = speed_of(w[WORD_TARGET]);
}

static void decode_wormhole(const uint32_t *w, struct eth_state *l)
{
	static const uint8_t results[] = { 0, TRAINED, FAILED };
	const uint32_t result = w[WORD_TRAINING], error = w[WORD_ERROR];

	l->training = result < ARRAY_LEN(results) ? results[result] : UINT8_MAX;
	if (result == 2 && error >= WORMHOLE_NO_CABLE && error - WORMHOLE_NO_CABLE <
		ARRAY_LEN(trainings) - NOT_CONNECTED)
		l->training = (uint8_t)(error - WORMHOLE_NO_CABLE + NOT_CONNECTED);
	l->state = w[WORD_STATE] == WORMHOLE_UP ? ETH_LINK_UP :
		l->training == UINT8_MAX || result == 0 ? ETH_LINK_UNKNOWN :
		l->training >= NOT_CONNECTED ? ETH_LINK_UNUSED : ETH_LINK_DOWN;
}

/* The link to a remote chip. */

/* Addresses in the memory of an ethernet core of a Wormhole. */
enum {
	L1_HEARTBEAT = 0x1c,
	L1_QUEUES = 0x170,		/* the address of the queues: QUEUES */
	L1_VERSION = 0x210,
	L1_ROUTING_OFF = 0x104c,
	L1_OWN_PLACE = 0x1108,		/* rack, shelf, x, y: a byte each, lowest first */
	L1_PEER_PLACE = 0x1124,		/* x in bits 16 to 21, y in 22 to 27 */
	L1_PEER_RACK = 0x1128,		/* rack, shelf: a byte each */
	L1_CONNECTED = 0x1200,		/* a word a channel; above 2: to a chip it routes to */
	QUEUES = 0x11000,
	REQUEST_WPTR = 0x110a0,
	REQUEST_RPTR = 0x110b0,
	REQUEST_SLOTS = 0x110c0,
	RESPONSE_WPTR = 0x11220,
	RESPONSE_RPTR = 0x11230,
	RESPONSE_SLOTS = 0x11240
};

#define VERSION_MASK 0xffffffu
#define VERSION_MIN  0x069000u		/* 6.9.0, the oldest that the driver used for routing */

/* The words of a command in a slot; the last three are 0 here. */
enum { ADDR_LOW, ADDR_HIGH, DATA, FLAGS, RACK, SLOT_WORDS = 8 };

#define RD_REQ	    4u
#define RD_DATA	    8u
#define UNAVAILABLE (1u << 30)
#define UNREACHABLE (1u << 31)

#define ANSWER_WITHIN (200 * CLOCK_MS)	/* for a whole read; a word takes some 20 us */
#define BEAT_WITHIN   (300 * CLOCK_MS)

/* This process's link to a remote chip. */
struct eth_link {
	bool acquired, broken;
	uint8_t channel;
	uint32_t place, rack;		/* of the remote chip, as the core reports them */
};

static struct eth_link *link_of(struct device *d)
{
	struct bus_own *own = d->bus->own;

	if (!own->links)
		own->links = mem_calloc(DEVICE_MAX, sizeof(own->links[0]));
	return &own->links[d->index];
}

static struct device *local_of(struct device *d)
{
	return &d->bus->dev[d->local];
}

static struct reg_addr in_core(unsigned channel, uint64_t addr)
{
	return (struct reg_addr){ REG_NOC, eth_xy_wormhole[channel][0], eth_xy_wormhole[channel][1],
		addr };
}

static int eth_get(struct device *local, unsigned channel, uint64_t addr, uint32_t *word)
{
	return local->ops->read(local, in_core(channel, addr), word, 1);
}

static int eth_put(struct device *local, unsigned channel, uint64_t addr, uint32_t word)
{
	return local->ops->write(local, in_core(channel, addr), word);
}

static bool all_ones(uint32_t word)
{
	return word == UINT32_MAX;
}

/* A core without running firmware would take a command and never answer. */
static int wait_for_beat(struct device *local, unsigned channel)
{
	int64_t until = clock_mono() + BEAT_WITHIN;
	uint32_t first, now;
	int r = eth_get(local, channel, L1_HEARTBEAT, &first);

	while (r == 0) {
		r = eth_get(local, channel, L1_HEARTBEAT, &now);
		if (r < 0 || first == 0 || all_ones(first) || all_ones(now))
			break;
		if (now != first)
			return 0;
		if (clock_mono() >= until)
			break;
		clock_sleep_until(clock_mono() + 2 * CLOCK_MS);
	}
	return r < 0 ? r : -EHOSTDOWN;
}

/* Check that this channel can be used.  Only reads. */
static int try_channel(struct device *d, unsigned channel, struct eth_link *k, struct error *e)
{
	static const uint16_t at[] = { L1_VERSION, L1_ROUTING_OFF, L1_QUEUES, L1_PEER_PLACE,
		L1_PEER_RACK };
	struct device *local = local_of(d);
	uint32_t word[ARRAY_LEN(at)] = { 0 }, connected = 0;
	int r = eth_get(local, channel, L1_CONNECTED + 4 * channel, &connected);

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(at); i++)
		r = eth_get(local, channel, at[i], &word[i]);
	if (r < 0)
		return fail(e, r, "ethernet core %u of the left chip cannot be read: %s", channel,
			strerror(-r));
	if (all_ones(connected) || connected <= 2)
		return fail(e, -ENETDOWN, "the link to this chip is down (channel %u)", channel);
	if (all_ones(word[0]) || (word[0] & VERSION_MASK) < VERSION_MIN)
		return fail_as(e, CODE_FIRMWARE_OLD, -EOPNOTSUPP, "ethernet firmware 0x%06x cannot "
			"route (6.9.0 can): update it", word[0] & VERSION_MASK);
	if (word[1] == 1)
		return fail(e, -ENETDOWN,
			"routing over ethernet is switched off (a program runs there?)");
	if (word[2] != QUEUES)
		return fail(e, -EPROTO, "ethernet firmware has its queues at 0x%x, not at 0x%x",
			word[2], QUEUES);
	k->channel = (uint8_t)channel;
	k->place = word[3];
	k->rack = word[4];
	r = wait_for_beat(local, channel);
	if (r == -EHOSTDOWN)
		return fail_as(e, CODE_FIRMWARE_DOWN, r, "ethernet firmware does not run (channel "
			"%u: its heartbeat stands still)", channel);
	return r < 0 ? fail(e, r, "ethernet core %u of the left chip: %s", channel, strerror(-r))
		     : 0;
}

static int link_acquire(struct device *d, enum access_purpose purpose, enum device_handle how,
	struct error *e)
{
	static const uint8_t to_right[] = { 8, 9 };
	struct device *local = local_of(d);
	struct eth_link *k = link_of(d);
	struct error first = { 0 }, next = { 0 };

	if (purpose != ACCESS_TELEMETRY)
		return fail_as(e, CODE_SECOND_CHIP, -EOPNOTSUPP, "a chip reached over ethernet is "
			"reset and tested with its board");
	if (k->acquired)
		return 0;
	if (!local->ops->read || !local->ops->write || d->chip != DEVICE_WORMHOLE)
		return fail(e, -EOPNOTSUPP, "%s cannot reach a chip over ethernet",
			local->ops->name);
	if (local->ops->acquire && local->ops->acquire(local, purpose, how, &next) < 0)
		return fail_because(e, next.code, &next, "%s", next.text);
	for (size_t i = 0; i < ARRAY_LEN(to_right); i++) {
		if (try_channel(d, to_right[i], k, i ? &next : &first) < 0)
			continue;
		k->acquired = true;
		k->broken = false;
		return 0;
	}
	if (local->ops->release)
		local->ops->release(local);
	return fail_because(e, first.code, &first, "%s", first.text);
}

static void link_release(struct device *d)
{
	struct device *local = local_of(d);
	struct eth_link *k = link_of(d);

	if (k->acquired && local->ops->release)
		local->ops->release(local);
	k->acquired = false;
}

/* The four pointers of a core's two queues, and when this read began. */
struct queue {
	struct device *local;
	unsigned channel;
	uint32_t request_w, request_r, response_w, response_r;
	int64_t start, steady;	/* of the access: clock_mono(), clock_steady() */
};

/* Poll without a pause while a good answer may still come, then with pauses. */
static void pause_since(const struct queue *q)
{
	if (clock_steady() - q->steady > CLOCK_MS)
		clock_pause(q->start, CLOCK_MS / 20, CLOCK_MS);
}

static bool is_late(const struct queue *q)
{
	return clock_mono() - q->start > ANSWER_WITHIN;
}

static int get_pointer(const struct queue *q, uint64_t addr, uint32_t *pointer)
{
	int r = eth_get(q->local, q->channel, addr, pointer);

	return r == 0 && *pointer > 7 ? -EPROTO : r;
}

/* Wait until no request is under way, so that our answers do not mix with another program's. */
static int wait_for_silence(struct queue *q)
{
	for (;;) {
		int r = get_pointer(q, REQUEST_WPTR, &q->request_w);

		if (r == 0)
			r = get_pointer(q, REQUEST_RPTR, &q->request_r);
		if (r == 0)
			r = get_pointer(q, RESPONSE_WPTR, &q->response_w);
		if (r == 0)
			r = get_pointer(q, RESPONSE_RPTR, &q->response_r);
		if (r < 0)
			return r;
		if (q->request_w == q->request_r && q->response_w == q->response_r)
			return 0;
		if (is_late(q))
			return -EBUSY;
		pause_since(q);
	}
}

static int send_request(struct queue *q, const struct eth_link *k, struct reg_addr at)
{
	uint64_t address = (at.addr & 0xfffffffff) | (uint64_t)at.x << 36 | (uint64_t)at.y << 42 |
		(uint64_t)(k->place >> 16 & 0x3f) << 48 | (uint64_t)(k->place >> 22 & 0x3f) << 54;
	const uint32_t command[SLOT_WORDS] = { [ADDR_LOW] = (uint32_t)address,
		[ADDR_HIGH] = (uint32_t)(address >> 32), [DATA] = 4, [FLAGS] = RD_REQ,
		[RACK] = k->rack & 0xffff };
	uint64_t slot = REQUEST_SLOTS + (q->request_w & 3) * sizeof(command);
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(command); i++)
		r = eth_put(q->local, q->channel, slot + 4 * i, command[i]);
	return r < 0 ? r : eth_put(q->local, q->channel, REQUEST_WPTR, (q->request_w + 1) & 7);
}

/* The firmware clears the flags, moves its pointer, fills in the data, and sets the flags last. */
static int take_response(struct queue *q, uint32_t *word)
{
	uint64_t slot = RESPONSE_SLOTS + (q->response_r & 3) * (SLOT_WORDS * 4);
	uint32_t pointer = q->response_w, flags = 0;
	int r;

	for (;;) {
		r = pointer == q->response_w ? get_pointer(q, RESPONSE_WPTR, &pointer) : 0;
		if (r == 0 && pointer != q->response_w)
			r = eth_get(q->local, q->channel, slot + 4 * FLAGS, &flags);
		if (r < 0)
			return r;
		if (flags)
			break;
		if (is_late(q))
			return -ETIMEDOUT;
		pause_since(q);
	}
	r = eth_get(q->local, q->channel, slot + 4 * DATA, word);
	if (r == 0)
		r = eth_put(q->local, q->channel, RESPONSE_RPTR, (q->response_r + 1) & 7);
	if (r < 0)
		return r;
	if (all_ones(flags))
		return -EIO;
	if (flags & (UNREACHABLE | UNAVAILABLE))
		return -EHOSTUNREACH;
	return flags & RD_DATA ? 0 : -EPROTO;
}

static int link_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	struct eth_link *k = link_of(d);
	struct queue q = { .local = local_of(d), .channel = k->channel,
		.start = clock_mono(), .steady = clock_steady() };
	int r = 0;

	if (at.space != REG_NOC || !access_allowed(d->chip, ACCESS_TELEMETRY, at, n, false))
		return -EPERM;
	if (!k->acquired)
		return -EBADF;
	if (k->broken)
		return -ETIMEDOUT;
	for (size_t i = 0; r == 0 && i < n; i++, at.addr += 4) {
		r = wait_for_silence(&q);
		if (r == 0)
			r = send_request(&q, k, at);
		if (r == 0)
			r = take_response(&q, &words[i]);
	}
	if (device_is_gone(r))
		link_release(d);
	k->broken = r < 0 && !device_is_gone(r);
	return r;
}

static int read_end_wormhole(struct device *d, const uint8_t xy[2], unsigned core,
	struct eth_state *l)
{
	uint32_t connected, place = 0, rack = 0;
	int r = read_words(d, xy, L1_CONNECTED + 4 * core, &connected, 1);

	if (r == 0)
		r = read_words(d, xy, L1_PEER_PLACE, &place, 1);
	if (r == 0)
		r = read_words(d, xy, L1_PEER_RACK, &rack, 1);
	if (r < 0 || all_ones(connected) || connected <= 2 || all_ones(place))
		return r;
	for (uint8_t i = 0; i < ETH_CHANNELS_WORMHOLE; i++)
		if (eth_xy_wormhole[i][0] == (place >> 4 & 0x3f) &&
			eth_xy_wormhole[i][1] == (place >> 10 & 0x3f)) {
			l->core = i;
			l->has_end = true;
		}
	l->end[0] = place >> 16 & 0x3f;
	l->end[1] = place >> 22 & 0x3f;
	l->end[2] = rack & 0xff;
	l->end[3] = rack >> 8 & 0xff;
	return 0;
}

static int read_link(struct device *d, const uint8_t xy[2], unsigned core, struct eth_state *l)
{
	const bool wormhole = d->chip == DEVICE_WORMHOLE;
	uint32_t words[WORDS] = { 0 };
	int r = 0;

	for (int i = 0; r == 0 && i < WORDS; i++)
		if (words_at[d->chip][i])
			r = read_words(d, xy, words_at[d->chip][i], &words[i], 1);
	if (r < 0)
		return r;
	l->beat = words[WORD_BEAT];
	(wormhole ? decode_wormhole : decode_blackhole)(words, l);
	for (int i = 0; i < ETH_COUNTS; i++)
		l->count[i] = (uint64_t)words[WORD_HIGH + i] << 32 | words[WORD_LOW + i];
	if (l->state != ETH_LINK_UP)
		return 0;
	return wormhole ? read_end_wormhole(d, xy, core, l) : read_end_blackhole(d, xy, l);
}

int eth_read_links(struct device *d, uint32_t on, bool translated,
	struct eth_state links[static ETH_LINKS_MOST])
{
	const struct device_kind *k = kind_of(d->chip);
	uint8_t xy[ETH_LINKS_MOST][2];
	int r = 0;

	memset(links, 0, ETH_LINKS_MOST * sizeof(*links));
	if (k->n_eth == 0 || k->n_eth > ETH_LINKS_MOST)
		return -EOPNOTSUPP;
	/* Read all cores or none: reading a wrong tile can stop the whole NOC. */
	for (unsigned i = 0; i < k->n_eth; i++) {
		links[i].is_on = on >> i & 1;
		if (links[i].is_on && !kind_eth(k, on, translated, i, xy[i]))
			return -EOPNOTSUPP;
	}
	for (unsigned i = 0; i < k->n_eth && r == 0; i++)
		if (links[i].is_on)
			r = read_link(d, xy[i], i, &links[i]);
	return r;
}

int eth_coords(struct device *d, uint8_t coords[4])
{
	if (d->chip != DEVICE_WORMHOLE)
		return -ENODATA;
	for (unsigned channel = 0; channel < ETH_CHANNELS_WORMHOLE; channel++) {
		uint32_t beat, place;
		int r = device_read(d, in_core(channel, L1_HEARTBEAT), &beat, 1);

		if (r == 0)
			r = device_read(d, in_core(channel, L1_OWN_PLACE), &place, 1);
		if (r < 0)
			return r;
		if (beat == 0 || all_ones(beat) || all_ones(place))
			continue;
		coords[0] = place >> 16 & 0xff;
		coords[1] = (uint8_t)(place >> 24);
		coords[2] = place & 0xff;
		coords[3] = place >> 8 & 0xff;
		return 0;
	}
	return -ENODATA;
}

const struct transport_ops transport_eth = {
	.name = "eth",
	.origin = &origin_machine,
	.detach = link_release,
	.acquire = link_acquire,
	.release = link_release,
	.read = link_read,
};
