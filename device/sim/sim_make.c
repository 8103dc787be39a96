/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_make.c - make the chips of a SPEC: their ids, and their places on the PCI
 * bus and in the driver.
 */
#include "config.h"
#include "device/sim/sim_chip.h"
#include "base/mem.h"
#include "device/galaxy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Used bus numbers by PCI domain; there are as many domains as the boards need. */
struct buses {
	bool used[SIM_CHIPS + 1][256];
};

static unsigned galaxy_bus(const struct sim_board *b, unsigned place)
{
	return galaxy_buses(b->chip)[place / GALAXY_CHIPS] + place % GALAXY_CHIPS + 1;
}

static bool galaxy_fits(const struct buses *b, unsigned domain, const struct sim_board *board)
{
	for (unsigned i = 0; i < GALAXY_TRAYS * GALAXY_CHIPS; i++)
		if (b->used[domain][galaxy_bus(board, i)])
			return false;
	return true;
}

/* Give a chip the next free bus number, or in a galaxy its tray's (chip-facts 1.2). */
static void place_chip(struct buses *b, struct sim_chip *c, unsigned first_domain)
{
	unsigned domain = first_domain, bus = 1;

	if (c->board->galaxy) {
		bus = galaxy_bus(c->board, c->place);
	} else {
		while (b->used[domain][bus])
			if (++bus == 256) {
				bus = 1;
				domain++;
			}
	}
	b->used[domain][bus] = true;
	snprintf(c->bdf, sizeof(c->bdf), "%04x:%02x:00.0", domain & 0xffff, bus & 0xff);
}

/*
 * Board id (chip-facts 3.1): UPI, revision and a serial number, different for each
 * board; a Wormhole galaxy has no serial number.
 */
static uint64_t board_id(const struct sim *s, const struct sim_board *b, unsigned board)
{
	uint64_t serial = 0x11900000u + board * 0x101u + sim_hash(s, board, 0, 0) % 0xf000 * 16;
	bool has_serial = !b->galaxy || b->like != DEVICE_WORMHOLE;
	uint64_t prefix = b->like == DEVICE_BLACKHOLE ? 0 : 0x01000000;

	return (prefix | (uint64_t)b->upi << 4 | b->revision) << 32 | (has_serial ? serial : 0);
}

static void init_chip(struct sim *s, struct sim_chip *c, const struct sim_spec_board *from,
	unsigned board, unsigned place)
{
	c->sim = s;
	c->number = (unsigned)(c - s->chips);
	c->state = &s->shared->chips[c->number];
	c->board = from->board;
	c->board_number = board;
	c->place = place;
	c->board_id = board_id(s, c->board, board);
	c->asic_id = sim_hash(s, c->number, 0, 1);
	memset(c->lock, -1, sizeof(c->lock));
	if (place == 0) {
		c->faults = from->faults;
		c->n_faults = from->n_faults;
	}
	c->remote = c->board->remote && place == 1;
	if (c->remote) {
		c->peer = c - 1;
		c->peer->peer = c;
		memcpy(c->bdf, c->peer->bdf, sizeof(c->bdf));
	}
	sim_words_init(c);
}

void sim_make_chips(struct sim *s)
{
	struct buses *buses = mem_calloc(1, sizeof(*buses));
	int node = 0;

	for (unsigned i = 0; i < s->spec.n; i++) {
		const struct sim_board *b = s->spec.boards[i].board;
		unsigned domain = 0;

		while (b->galaxy && !galaxy_fits(buses, domain, b))
			domain++;
		for (unsigned place = 0; place < b->asics; place++) {
			struct sim_chip *c = &s->chips[s->n++];

			init_chip(s, c, &s->spec.boards[i], i, place);
			c->node = c->remote ? -1 : node++;
			if (!c->remote)
				place_chip(buses, c, domain);
		}
	}
	free(buses);
}
