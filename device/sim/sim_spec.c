/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_spec.c - parse the argument of --sim.
 */
#include "config.h"
#include "device/sim/sim.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "device/sim/sim_board.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PIECE 48	/* fits the longest valid word, and a wrong one to quote */

#define RESET_TIME (3 * CLOCK_SECOND)	/* of SIM_RESET if no end is given */

const struct sim_fault_info sim_faults[SIM_FAULTS] = {
	[SIM_OFF] = { "off", "off the bus: every word reads all-ones" },
	[SIM_HANG] = { "hang", "the chip reads all-ones, PCIe is fine" },
	[SIM_STUCK] = { "stuck", "the firmware has stopped" },
	[SIM_SLOW] = { "slow", "each access takes 30 s" },
	[SIM_GONE] = { "gone", "not on the bus any more" },
	[SIM_EIO] = { "eio", "each access fails" },
	[SIM_DRAM] = { "dram", "a memory channel is not trained" },
	[SIM_ETH] = { "eth", "an ethernet link is down" },
	[SIM_HOT] = { "hot", "over the throttle limit" },
	[SIM_GARBAGE] = { "garbage", "impossible values beside good ones" },
	[SIM_WIDTH] = { "width", "a slower and narrower PCIe link" },
	[SIM_RESETFAIL] = { "resetfail", "does not come back from a reset" },
	[SIM_BITFLIP] = { "bitflip", "memory loses bits" },
	[SIM_LANE] = { "lane", "a byte lane of a memory channel is late, until a reset" },
	[SIM_HELD] = { "held", "another process has the card" },
	[SIM_LATE] = { "late", "each register reads all-ones after 0.15 s" },
	[SIM_JOB] = { "job", "a program computes on it, and none before and after" },
	[SIM_EXCLUSIVE] = { "exclusive", "a program tries to open it alone, every 10 ms" },
	[SIM_RESET] = { "reset", "another program resets the card" },
	[SIM_LEFT] = { "left", "a reset of it was begun and not ended, until another" },
	[SIM_NORESET] = { "noreset", "a reset is reported as done, but is not" },
	[SIM_DMC] = { "dmc", "only its controller resets it, and it is back after 13 s" },
	[SIM_FALSEFAIL] = { "falsefail", "a reset is done, but reported as failed" },
	[SIM_EINTR] = { "eintr", "the first reset call is interrupted" },
	[SIM_VANISH] = { "vanish", "the driver lets go of the card in the middle of a reset" },
	[SIM_UNBOUND] = { "unbound", "the driver is unbound from it in the middle of a reset" },
	[SIM_RENUMBER] = { "renumber", "comes back from a reset as another node" },
	[SIM_NARROW] = { "narrow", "comes back from a reset with a narrower link" },
	[SIM_DEADBEAT] = { "deadbeat", "its firmware stops right after a reset" },
	[SIM_UNTRAINED] = { "untrained", "comes back from a reset with memory not trained" },
	[SIM_LINKLOST] = { "linklost", "comes back from a reset with an ethernet link down" },
	[SIM_PEERLOST] = { "peerlost", "comes back from a reset without its second chip" },
	[SIM_EXPORTED] = { "exported", "the driver refuses to reset it: its memory is exported" },
	[SIM_OLDDRIVER] = { "olddriver", "driver 2.0.0, which knows no reset of the chip" },
};

/* Copy len bytes; a longer text ends in dots, so that a message stays one line. */
static const char *piece(char *buf, const char *text, size_t len)
{
	snprintf(buf, PIECE, "%.*s%s", (int)(len < PIECE - 4 ? len : PIECE - 4), text,
		len < PIECE - 4 ? "" : "...");
	return buf;
}

static void add_word(char *list, size_t size, const char *word)
{
	size_t n = strlen(list);

	snprintf(list + n, size - n, "%s%s", n ? " " : "", word);
}

static int bad_board(const char *word, struct error *e)
{
	char list[256] = "";

	for (size_t i = 0; i < sim_boards_len; i++)
		add_word(list, sizeof(list), sim_boards[i].name);
	return fail_as(e, CODE_BAD_VALUE, -EINVAL, "no board is called '%s': %s", word, list);
}

static int bad_fault(const char *word, struct error *e)
{
	char list[512] = "";

	for (size_t i = 0; i < SIM_FAULTS; i++)
		add_word(list, sizeof(list), sim_faults[i].name);
	/* Cut the word short to leave room for the names. */
	return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%.8s': none of %s", word, list);
}

static int find_fault(const char *name)
{
	for (int i = 0; i < SIM_FAULTS; i++)
		if (strcmp(sim_faults[i].name, name) == 0)
			return i;
	return -1;
}

/* "5" or "5-10" after the @ of a fault; both ends may have a fraction. */
static bool parse_time(const char *text, size_t len, struct sim_fault *f)
{
	const char *dash = memchr(text, '-', len);
	size_t first = dash ? (size_t)(dash - text) : len;
	char word[PIECE];

	if (len >= PIECE - 4 || !parse_seconds(piece(word, text, first), &f->from))
		return false;
	if (!dash)
		return true;
	return parse_seconds(piece(word, dash + 1, len - first - 1), &f->to) && f->to > f->from;
}

/* One NAME[@FROM[-TO]]. */
static int parse_fault(const char *text, size_t len, struct sim_spec_board *b, struct error *e)
{
	struct sim_fault f = { .to = INT64_MAX };
	const char *at = memchr(text, '@', len);
	size_t name_len = at ? (size_t)(at - text) : len;
	char word[PIECE];
	int kind = find_fault(piece(word, text, name_len));

	if (kind < 0)
		return bad_fault(word, e);
	f.kind = (enum sim_fault_kind)kind;
	if (at && !parse_time(at + 1, len - name_len - 1, &f))
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%s': a fault's time is @SECONDS or "
			"@FROM-TO, as in hang@5 or gone@5-10.5", piece(word, text, len));
	if (b->n_faults == SIM_BOARD_FAULTS)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%s': a board takes at most %d faults",
			piece(word, text, len), SIM_BOARD_FAULTS);
	if (f.kind == SIM_RESET && f.to == INT64_MAX && f.from < INT64_MAX - RESET_TIME)
		f.to = f.from + RESET_TIME;
	b->faults[b->n_faults++] = f;
	return 0;
}

/* Take the N off N*BOARD, or 1 if there is none; *text and *len shrink to the rest. */
static int parse_count(const char **text, size_t *len, size_t *count, struct error *e)
{
	const char *star = memchr(*text, '*', *len);
	size_t n = star ? (size_t)(star - *text) : 0;
	char word[PIECE];
	uint64_t v = 1;

	if (star && (!parse_u64(piece(word, *text, n), &v) || v < 1 || v > SIM_CHIPS))
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%s': a count is 1 to %d, as in "
			"4*p150a",
			piece(word, *text, *len), SIM_CHIPS);
	*count = (size_t)v;
	if (star) {
		*text += n + 1;
		*len -= n + 1;
	}
	return 0;
}

/* One [N*]BOARD[:FAULT...]. */
static int parse_board(const char *text, size_t len, struct sim_spec *out, struct error *e)
{
	struct sim_spec_board b = { 0 };
	size_t count = 1, name_len;
	char word[PIECE];
	int r = parse_count(&text, &len, &count, e);

	if (r < 0)
		return r;
	name_len = memchr(text, ':', len) ? (size_t)((char *)memchr(text, ':', len) - text) : len;
	b.board = sim_board_find(piece(word, text, name_len));
	if (!b.board)
		return bad_board(word, e);
	for (size_t at = name_len; at < len;) {
		const char *fault = text + at + 1;
		const char *next = memchr(fault, ':', len - at - 1);
		size_t fault_len = next ? (size_t)(next - fault) : len - at - 1;

		r = parse_fault(fault, fault_len, &b, e);
		if (r < 0)
			return r;
		at += 1 + fault_len;
	}
	out->n_chips += count * b.board->asics;
	if (out->n_chips > SIM_CHIPS)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%s': more than %d chips in all",
			piece(word, text, len), SIM_CHIPS);
	while (count--)
		out->boards[out->n++] = b;
	return 0;
}

int sim_spec_parse(const char *text, struct sim_spec *out, struct error *e)
{
	memset(out, 0, sizeof(*out));
	for (;;) {
		size_t len = strcspn(text, ",");
		size_t lead = strspn(text, " ");
		size_t end = len;
		int r;

		while (end > lead && text[end - 1] == ' ')
			end--;
		if (lead >= end)
			return fail_as(e, CODE_BAD_VALUE, -EINVAL, "a board is missing: the list "
				"is [N*]BOARD[:FAULT...] with commas between, as in "
				"2*p150a,n300:hang@5");
		r = parse_board(text + lead, end - lead, out, e);
		if (r < 0)
			return r;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}
