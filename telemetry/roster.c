/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "telemetry/roster.h"

#include "base/mem.h"
#include "device/kind.h"

#include <stdio.h>
#include <string.h>

size_t roster_expected(const struct roster *r)
{
	return r->asked ? r->asked : r->highest - r->unread;
}

size_t roster_present(const struct roster *r, const struct fleet *f)
{
	return r->asked ? fleet_present(f) : r->present;
}

bool roster_knows_expected(const struct roster *r)
{
	return r->asked || !r->is_unknown;
}

static int compare_identities(const struct roster_chip *a, const struct roster_chip *b)
{
	const int by_bdf = strcmp(a->bdf, b->bdf);

	return by_bdf ? by_bdf : a->chip - b->chip;
}

/* Find the chip with this name; if it is new and `adds`, insert it in order while there is room. */
static struct roster_chip *roster_find(struct roster *r, const struct roster_chip *like, bool adds)
{
	size_t i = 0;

	while (i < r->n && compare_identities(&r->chips[i], like) < 0)
		i++;
	if (i < r->n && compare_identities(&r->chips[i], like) == 0)
		return &r->chips[i];
	if (!adds || r->n == DEVICE_MAX)
		return NULL;
	memmove(&r->chips[i + 1], &r->chips[i], (r->n - i) * sizeof(r->chips[0]));
	r->n++;
	r->chips[i] = *like;
	return &r->chips[i];
}

static void take_text(char *to, size_t size, enum field_id id, const struct snapshot *s)
{
	struct strbuf text = { 0 };

	if (!reading_has_value(&s->r[id]))
		return;
	field_put_value(id, s->r[id].value, &text);
	mem_copy_text(to, size, text.text);
	strbuf_clear(&text);
}

static void take_names(struct roster_chip *c, const struct roster *r, const struct snapshot *s)
{
	if (s->upi)
		mem_copy_text(c->board, sizeof(c->board), s->board);
	take_text(c->serial, sizeof(c->serial), FIELD_BOARD_ID, s);
	take_text(c->asic, sizeof(c->asic), FIELD_ASIC_ID, s);
	if (r->has_trays && s->local < 0)
		c->tray = galaxy_place(s->chip, s->subsys_device, c->bdf, &c->position);
}

static void count_miss(struct roster_chip *c, const char *reason)
{
	if (c->is_reset)
		return;
	if (c->misses < ROSTER_DEAD)
		c->misses++;
	if (c->misses == ROSTER_DEAD)
		c->reason = reason;
}

/*
 * Note whether the chip could be read and its firmware is alive; a heartbeat that is not judged
 * does not tell.  A chip that failed is left alone for a while: until it is sampled again, a tick
 * says nothing new of it.
 */
static void take_health(struct roster_chip *c, const struct snapshot *s)
{
	if (!snapshot_trouble(s)) {
		c->misses = 0;
		c->reason = NULL;
		c->was_well = s->beat != SNAPSHOT_BEAT_UNJUDGED || s->raw.is_still;
	} else if (s->tick != c->tick) {
		count_miss(c, snapshot_is_blind(s) ? "unread" :
			snapshot_is_lost(s) ? "failed" : "heartbeat");
	}
	c->tick = s->tick;
}

static void take_chip(struct roster *r, const struct fleet *f, size_t i)
{
	const struct snapshot *s = &f->chips[i];
	struct roster_chip like = { .chip = s->local < 0 ? 0 : 1, .index = -1 }, *c;
	const bool is_judged = f->wanted[i] && s->health != SNAPSHOT_NOT_READ &&
		s->health != SNAPSHOT_PENDING;

	if (s->health == SNAPSHOT_GONE)
		return;
	mem_copy_text(like.bdf, sizeof(like.bdf),
		s->local < 0 ? s->bdf : f->chips[s->local].bdf);
	/* A chip that is not read now stays on the roster, but is not added to it. */
	c = roster_find(r, &like, is_judged);
	if (!c)
		return;
	/* A card that was given to another driver is not expected here any more. */
	if (snapshot_is_given(snapshot_first(f->chips, f->n, s))) {
		memmove(c, c + 1, (size_t)(&r->chips[r->n] - (c + 1)) * sizeof(*c));
		r->n--;
		r->highest -= r->highest > 0;
		return;
	}
	if (c->chip && !c->was_read && s->health == SNAPSHOT_NOT_READ) {
		c->index = (int)i;
		r->unread++;
		return;
	}
	if (!f->wanted[i])
		return;
	if (snapshot_is_gone(s)) {
		r->left++;
		return;
	}
	c->index = (int)i;
	r->present++;
	if (!is_judged)
		return;
	c->was_read = true;
	take_names(c, r, s);
	take_health(c, s);
}

static void take_missing(struct roster *r, const struct fleet *f)
{
	const bool is_whole = roster_present(r, f) >= roster_expected(r);
	size_t kept = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct roster_chip *c = &r->chips[i];

		if (c->index < 0 && is_whole)
			continue;
		if (c->index < 0)
			count_miss(c, "missing");
		r->chips[kept++] = *c;
	}
	r->n = kept;
}

/* The file. */

/* A word of the file: never empty, and without blanks. */
static void put_word(struct strbuf *to, const char *text)
{
	strbuf_putc(to, ' ');
	if (!*text)
		strbuf_putc(to, '-');
	for (; *text; text++)
		strbuf_putc(to, *text <= ' ' ? '_' : *text);
}

static void put_roster(const void *from, struct strbuf *to)
{
	const struct roster *r = from;

	strbuf_printf(to, "highest %zu\n", r->highest);
	for (size_t i = 0; i < r->n; i++) {
		const struct roster_chip *c = &r->chips[i];

		strbuf_printf(to, "%s %d", c->bdf, c->chip);
		put_word(to, c->board);
		put_word(to, c->serial);
		put_word(to, c->asic);
		strbuf_printf(to, " %d %d\n", c->tray, c->position);
	}
}

static bool parse_chip(const char *line, struct roster_chip *c)
{
	char *const words[] = { c->board, c->serial, c->asic };
	int end = -1;

	if (sscanf(line, "%15[0-9a-f:.] %1d %31s %19s %19s %1d %1d%n", c->bdf, &c->chip, c->board,
		c->serial, c->asic, &c->tray, &c->position, &end) != 7 || line[end])
		return false;
	for (size_t i = 0; i < 3; i++)
		if (strcmp(words[i], "-") == 0)
			*words[i] = '\0';
	c->index = -1;
	c->misses = ROSTER_DEAD - 1;	/* known from the file: one tick without it is enough */
	return true;
}

static bool parse_roster(char *lines, void *to)
{
	struct roster *r = to;
	const char *line = record_file_line(&lines);
	int end = -1;

	r->n = 0;
	if (!line || sscanf(line, "highest %3zu%n", &r->highest, &end) != 1 || line[end] ||
		r->highest > DEVICE_MAX)
		return false;
	while ((line = record_file_line(&lines))) {
		struct roster_chip c = { 0 };

		if (!parse_chip(line, &c) || !roster_find(r, &c, true))
			return false;
	}
	return true;
}

const struct record_file roster_file = {
	.head = "tt-smi roster 1",
	.max = DEVICE_MAX * 128,
	.put = put_roster,
	.parse = parse_roster
};

bool roster_take(struct roster *r, const struct fleet *f)
{
	struct strbuf before = { 0 }, after = { 0 };
	bool has_changed;

	put_roster(r, &before);
	for (size_t i = 0; i < r->n; i++)
		r->chips[i].index = -1;
	r->present = r->unread = r->left = 0;
	for (size_t i = 0; i < f->n; i++)
		take_chip(r, f, i);
	if (r->highest < r->present + r->unread + r->left)
		r->highest = r->present + r->unread + r->left;
	take_missing(r, f);
	put_roster(r, &after);
	has_changed = strcmp(before.text, after.text) != 0;
	strbuf_clear(&before);
	strbuf_clear(&after);
	return has_changed;
}
