/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link.c - the speed and width of a PCIe link, and the best possible ones.
 *
 * A link is downgraded when it is slower or narrower than card, slot and board
 * together allow.  A card in a slot of eight lanes is fine, and so is a galaxy's
 * chip that has one lane on its board: the limit is shown, but is not a finding.
 */
#include "config.h"
#include "telemetry/link.h"

#include "base/mem.h"
#include "base/parse.h"

#include <stdio.h>
#include <string.h>

static const int32_t generations[] = { 0, 2500, 5000, 8000, 16000, 32000, 64000 };

int link_generation(int32_t speed)
{
	for (size_t i = 1; i < ARRAY_LEN(generations); i++)
		if (speed == generations[i])
			return (int)i;
	return 0;
}

int32_t link_generation_speed(int generation)
{
	return generation > 0 && (size_t)generation < ARRAY_LEN(generations)
		? generations[generation] : 0;
}

int32_t link_speed_of(const char *text)
{
	const char *space = strchr(text, ' ');
	char number[16];
	int64_t v;

	if (!space || (size_t)(space - text) >= sizeof(number) || strncmp(space, " GT/s", 5) != 0)
		return 0;
	memcpy(number, text, (size_t)(space - text));
	number[space - text] = '\0';
	return parse_decimal(number, 1000, &v) && v > 0 && v <= 1000000 ? (int32_t)v : 0;
}

/* The kernel shows 63 lanes for a card off the bus (driver-behaviour 1). */
static int32_t width_of(const char *text)
{
	int64_t v;

	return parse_i64(text, &v) && v > 0 && v <= 32 ? (int32_t)v : 0;
}

/* The lower one of the known values; 0: neither is known. */
static int32_t least(int32_t a, int32_t b)
{
	return a <= 0 ? b : b <= 0 || a < b ? a : b;
}

/* The allowed value is known, and lower than what would be possible without it. */
static bool holds(int32_t allowed, int32_t otherwise)
{
	return allowed > 0 && allowed < otherwise;
}

/* The best that all three allow; notes in l->limit which of them is the limit. */
static int32_t judge_best(struct snapshot_link *l, int32_t now, int32_t card, int32_t slot,
	int32_t board)
{
	/* Some links run faster than our table says the board allows. */
	int32_t wired = board > 0 && board < now ? now : board;
	int32_t best = least(least(card, slot), wired);

	if (holds(best, card) && l->limit != SNAPSHOT_LIMIT_BOARD)
		l->limit = best == wired ? SNAPSHOT_LIMIT_BOARD : SNAPSHOT_LIMIT_SLOT;
	return best;
}

static struct board_link wiring(const struct snapshot *s)
{
	const struct reading *id = &s->r[FIELD_BOARD_ID], *place = &s->r[FIELD_ASIC_LOCATION];

	return board_link(s->upi,
		reading_has_value(id) ? (int)board_revision((uint64_t)id->value) : -1,
		reading_has_value(place) ? (int)place->value : 0);
}

void link_judge(struct snapshot *s)
{
	const struct board_link board = wiring(s);
	struct snapshot_link *l = &s->link;

	l->speed = link_speed_of(s->raw.attr[ATTR_LINK_SPEED]);
	l->speed_max = link_speed_of(s->raw.attr[ATTR_LINK_SPEED_MAX]);
	l->speed_slot = link_speed_of(s->raw.attr[ATTR_SLOT_SPEED_MAX]);
	l->width = width_of(s->raw.attr[ATTR_LINK_WIDTH]);
	l->width_max = width_of(s->raw.attr[ATTR_LINK_WIDTH_MAX]);
	l->width_slot = width_of(s->raw.attr[ATTR_SLOT_WIDTH_MAX]);
	l->known = l->speed > 0 && l->width > 0;
	l->stale = false;

	l->limit = SNAPSHOT_LIMIT_CARD;
	l->speed_best = judge_best(l, l->speed, l->speed_max, l->speed_slot, board.speed);
	l->width_best = judge_best(l, l->width, l->width_max, l->width_slot, board.width);
	l->downgraded = l->known && (l->speed < l->speed_best || l->width < l->width_best);
}

bool link_is_now(const struct snapshot_link *l)
{
	return l->known && !l->stale;
}

const char *link_limit_name(enum snapshot_limit limit)
{
	static const char *const names[] = {
		[SNAPSHOT_LIMIT_CARD] = "card",
		[SNAPSHOT_LIMIT_SLOT] = "slot",
		[SNAPSHOT_LIMIT_BOARD] = "board",
	};

	return names[limit];
}

const char *link_text(int32_t speed, int32_t width, char *buf, size_t size)
{
	if (link_generation(speed))
		snprintf(buf, size, "Gen%d x%d", link_generation(speed), width);
	else
		snprintf(buf, size, "%d.%d GT/s x%d", speed / 1000, speed / 100 % 10, width);
	return buf;
}

const char *link_limit_text(const struct snapshot_link *l, char *buf, size_t size)
{
	char speed[20] = "", width[16] = "";

	buf[0] = '\0';
	if (l->limit == SNAPSHOT_LIMIT_CARD)
		return buf;
	if (holds(l->speed_best, l->speed_max))
		snprintf(speed, sizeof(speed), " Gen%d", link_generation(l->speed_best));
	if (holds(l->width_best, l->width_max))
		snprintf(width, sizeof(width), " x%d", l->width_best);
	snprintf(buf, size, "%s is%s%s", link_limit_name(l->limit), speed, width);
	return buf;
}

const char *link_words(const struct snapshot_link *l, char *buf, size_t size)
{
	char held[LINK_TEXT] = "slot not known", now[LINK_TEXT], best[LINK_TEXT];

	if (l->speed_slot > 0 || l->width_slot > 0 || l->limit != SNAPSHOT_LIMIT_CARD)
		link_limit_text(l, held, sizeof(held));
	snprintf(buf, size, "%s of %s%s%s%s", link_text(l->speed, l->width, now, sizeof(now)),
		link_text(l->speed_best, l->width_best, best, sizeof(best)), *held ? " (" : "",
		held, *held ? ")" : "");
	return buf;
}
