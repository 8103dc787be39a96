/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttsim_lib.c - the simulator's C interface, and its chip behind the windows of
 * BAR0 (facts: the simulator's docs/libttsim_api.md; burn-in study 4.1).
 *
 * Two windows of 2 MiB are enough: one on a tile, one on a rectangle.  All accesses
 * have passed access.c; one that the simulator does not model ends the process.
 */
#include "config.h"
#include "device/ttsim/ttsim.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/dl.h"
#include "base/mem.h"
#include "device/kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BAR0	     0x10		/* in config space; the high half follows */
#define TLB_REGS     0x1fc00000u	/* in BAR0 */
#define WINDOW	     0x200000u
#define WH_FIRST     156		/* first window of this size, and its address */
#define WH_FIRST_AT  0x9c00000u
#define STRICT	     1ULL
#define SLICE	     (5 * CLOCK_MS)	/* run clocks this long, then poll the sockets */
#define CLOCKS_MAX   100000u

/* The target of a window. */
struct aim {
	bool multicast;
	struct reg_rect to;
	uint64_t page;
};

struct ttsim_lib {
	void (*init)(void);
	uint32_t (*config)(uint32_t bdf, uint32_t offset);
	void (*load)(uint64_t at, void *to, uint32_t n);
	void (*store)(uint64_t at, const void *from, uint32_t n);
	void (*clock)(uint32_t n);
	const struct device_kind *kind;
	bool blackhole;
	uint64_t bar0;
	struct aim aim[2];		/* of the window on a tile, and of the one on several */
	bool aimed[2];
	uint32_t clocks;		/* how many take about a slice */
};

static int find_all(struct ttsim_lib *l, void *handle, struct error *e)
{
	const struct dl_slot slots[] = {
		{ "libttsim_init", &l->init },
		{ "libttsim_pci_config_rd32", &l->config },
		{ "libttsim_pci_mem_rd_bytes", &l->load },
		{ "libttsim_pci_mem_wr_bytes", &l->store },
		{ "libttsim_clock", &l->clock },
	};
	const char *missing = dl_fill(handle, slots, ARRAY_LEN(slots));

	return missing ? fail_as(e, CODE_INVALID, -ENOENT, "is not a chip simulator: it has no "
		"%s()",
		missing) : 0;
}

/* Find out which chip the initialised library has. */
static int identify_chip(struct ttsim_lib *l, struct error *e)
{
	uint32_t id = l->config(0, 0);

	if (l->config(1 << 3, 0) != UINT32_MAX)
		return fail(e, -EOPNOTSUPP,
			"has several PCI functions: only single-chip builds are served");
	l->kind = kind_of(device_chip_of((uint16_t)(id >> 16)));
	l->blackhole = l->kind == &kind_blackhole;
	if ((id & 0xffff) != DEVICE_VENDOR || (!l->blackhole && l->kind != &kind_wormhole))
		return fail(e, -EOPNOTSUPP, "has an unknown chip: PCI id %04x:%04x", id & 0xffff,
			id >> 16);
	l->bar0 = (uint64_t)l->config(0, BAR0 + 4) << 32 | (l->config(0, BAR0) & ~0xfu);
	return 0;
}

struct ttsim_lib *ttsim_lib_open(const char *path, struct error *e)
{
	struct ttsim_lib *l = mem_calloc(1, sizeof(*l));
	const char *why;
	void *handle = dl_open(path, &why);
	int r = handle ? find_all(l, handle, e) : fail_as(e, CODE_NO_LIBRARY, -ENOENT, "cannot be "
		"loaded: %s", why);

	l->clocks = 1;
	if (r == 0) {
		l->init();
		r = identify_chip(l, e);
	}
	if (r == 0)
		return l;
	free(l);
	return NULL;
}

static void ttsim_put_register(struct ttsim_lib *l, uint64_t offset, uint32_t word)
{
	l->store(l->bar0 + offset, &word, sizeof(word));
}

static void point(struct ttsim_lib *l, unsigned which, const struct aim *aim)
{
	uint64_t x1 = aim->to.x1, y1 = aim->to.y1;
	uint64_t x0 = aim->multicast ? aim->to.x0 : 0, y0 = aim->multicast ? aim->to.y0 : 0;

	if (l->blackhole) {
		uint64_t high = aim->page >> 32 | x1 << 11 | y1 << 17 | x0 << 23 | y0 << 29 |
			(uint64_t)aim->multicast << 37 | STRICT << 38;

		ttsim_put_register(l, TLB_REGS + 12 * which, (uint32_t)aim->page);
		ttsim_put_register(l, TLB_REGS + 12 * which + 4, (uint32_t)high);
		ttsim_put_register(l, TLB_REGS + 12 * which + 8, (uint32_t)(high >> 32));
	} else {
		uint64_t all = aim->page | x1 << 15 | y1 << 21 | x0 << 27 | y0 << 33 |
			(uint64_t)aim->multicast << 40 | STRICT << 41;

		ttsim_put_register(l, TLB_REGS + 8 * (WH_FIRST + which), (uint32_t)all);
		ttsim_put_register(l, TLB_REGS + 8 * (WH_FIRST + which) + 4, (uint32_t)(all >> 32));
	}
	l->aim[which] = *aim;
	l->aimed[which] = true;
}

/* The BAR0 offset of a byte of a tile, or of the tiles of a rectangle. */
static uint64_t window(struct ttsim_lib *l, const struct reg_rect *to, bool multicast,
	uint64_t addr)
{
	const struct aim aim = { .multicast = multicast, .to = *to, .page = addr / WINDOW };
	const struct aim *is = &l->aim[multicast];

	if (!l->aimed[multicast] || is->page != aim.page ||
		memcmp(&is->to, &aim.to, sizeof(aim.to)) != 0)
		point(l, multicast, &aim);
	return (l->blackhole ? 0 : WH_FIRST_AT) + (uint64_t)multicast * WINDOW + addr % WINDOW;
}

/* Memory can be accessed in any length, registers only word by word. */
static bool is_memory(const struct ttsim_lib *l, const struct reg_addr *at)
{
	bool arc = at->x == l->kind->arc_x && at->y == l->kind->arc_y;

	return at->space == REG_NOC && !arc && (at->addr < 0xff000000 || at->addr > UINT32_MAX);
}

/* Read n words to `out`, or write them from `in`; if `to` is not NULL, on that rectangle. */
static void move_words(struct ttsim_lib *l, struct reg_addr from, const struct reg_rect *to,
	uint32_t n, uint32_t *out, const uint32_t *in)
{
	const struct reg_rect tile = { from.x, from.y, from.x, from.y };
	const bool bulk = is_memory(l, &from);

	for (uint32_t i = 0, piece; i < n; i += piece) {
		uint64_t addr = from.addr + 4ULL * i;
		uint64_t left = (WINDOW - addr % WINDOW) / 4;
		uint64_t at = l->bar0 + (from.space == REG_BAR0 ? addr
			: window(l, to ? to : &tile, to, addr));

		piece = !bulk ? 1 : left < n - i ? (uint32_t)left : n - i;
		if (out)
			l->load(at, out + i, piece * 4);
		else
			l->store(at, in + i, piece * 4);
	}
}

/* Read the words of each piece into the answer, or write those that follow it. */
static int serve_pieces(struct ttsim_lib *l, const struct ttsim_request *q, struct ttsim_answer *a)
{
	const bool reads = q->op == TTSIM_OP_GATHER;
	uint32_t n = 0;

	for (uint32_t i = 0; i + TTSIM_PIECE <= q->n;) {
		struct ttsim_piece p;
		struct reg_addr at;

		memcpy(&p, q->words + i, sizeof(p));
		i += TTSIM_PIECE;
		if (p.n > (reads ? TTSIM_WORDS - n : q->n - i))
			return -EINVAL;
		at = (struct reg_addr){ (enum reg_space)p.space, p.x, p.y, p.addr };
		move_words(l, at, NULL, p.n, reads ? a->words + n : NULL, q->words + i);
		n += reads ? p.n : 0;
		i += reads ? 0 : p.n;
	}
	a->n = n;
	return 0;
}

int ttsim_lib_serve(struct ttsim_lib *l, const struct ttsim_request *q, struct ttsim_answer *a)
{
	a->n = 0;
	switch (q->op) {
	case TTSIM_OP_CONFIG:
		for (a->n = 0; a->n < TTSIM_CONFIG; a->n++)
			a->words[a->n] = l->config(0, 4 * a->n);
		return 0;
	case TTSIM_OP_READ:
		a->n = q->n;
		move_words(l, q->at, NULL, q->n, a->words, NULL);
		return 0;
	case TTSIM_OP_GATHER:
	case TTSIM_OP_SCATTER:
		return serve_pieces(l, q, a);
	case TTSIM_OP_WRITE:
		move_words(l, q->at, NULL, q->n, NULL, q->words);
		return 0;
	case TTSIM_OP_MULTICAST:
		move_words(l, q->at, &q->to, q->n, NULL, q->words);
		return 0;
	default:
		return -EINVAL;
	}
}

/* Adapt the number of clocks to SLICE: one takes from microseconds to a second. */
void ttsim_lib_run(struct ttsim_lib *l)
{
	int64_t began = clock_steady(), took;

	l->clock(l->clocks);
	took = clock_steady() - began;
	if (took < SLICE / 2 && l->clocks < CLOCKS_MAX)
		l->clocks *= 2;
	else if (took > SLICE && l->clocks > 1)
		l->clocks /= 2;
}
