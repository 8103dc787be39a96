/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "telemetry/port_change.h"

#include "base/mem.h"

#include <stdlib.h>

/* The ports of a chip by state, a bit each. */
struct masks {
	uint32_t of[PORT_STATES];
};

static struct masks masks_of(const struct change_side *side, int at)
{
	struct masks m = { { 0 } };
	struct port ports[PORT_MOST];
	const size_t n = at < 0 ? 0 : port_list(side->chips, side->n, (size_t)at, ports);

	for (int s = 0; s < PORT_STATES; s++)
		m.of[s] = port_mask(ports, n, (enum port_state)s);
	return m;
}

/* Whether the firmware reports the links of all ports in use. */
static bool knows_links(const struct masks *m)
{
	return !m->of[PORT_UNKNOWN] && !m->of[PORT_ALIVE] &&
		(m->of[PORT_UP] || m->of[PORT_NO_LINK] || m->of[PORT_UNUSED] || m->of[PORT_DOWN]);
}

static void judge_ports(struct port_change *c, const struct masks *was, const struct masks *is)
{
	const uint32_t dead = is->of[PORT_DOWN] | is->of[PORT_UNUSED];
	const uint32_t dim = is->of[PORT_ALIVE] | is->of[PORT_UNKNOWN];
	const uint32_t lived = was->of[PORT_ALIVE] | was->of[PORT_NO_LINK];

	c->lost = (was->of[PORT_UP] & (dead | is->of[PORT_NO_LINK])) | (lived & dead);
	c->unknown = was->of[PORT_UP] & (dim | ~(dim | dead | is->of[PORT_NO_LINK] |
		is->of[PORT_UP]));
	c->found = is->of[PORT_UP] & (was->of[PORT_NO_LINK] | was->of[PORT_DOWN] |
		was->of[PORT_UNUSED]);
}

static void blame(struct port_change *c, enum code code, const char *why)
{
	c->code = code;
	c->why = why;
}

static void judge_links(struct port_change *c, const struct change_side *was,
	const struct change_side *is, bool unseen)
{
	const struct masks before = masks_of(was, c->was), now = masks_of(is, c->is);
	const char *trouble = c->is < 0 ? NULL : change_trouble(&is->chips[c->is]);

	/* A new card cannot have lost a link. */
	if (c->was < 0 && !unseen) {
		c->found = now.of[PORT_UP];
	} else if (c->was < 0 || change_trouble(&was->chips[c->was])) {
		blame(c, CODE_NOT_READ, "it was not read when the links were saved");
	} else if (unseen) {
		blame(c, CODE_SECOND_CHIP, "the chip that leads to it was not read");
		c->unknown = before.of[PORT_UP] | before.of[PORT_ALIVE];
	} else if (c->is < 0) {
		c->lost = before.of[PORT_UP] | before.of[PORT_ALIVE];
		c->unknown = before.of[PORT_UNKNOWN];
		blame(c, CODE_OFF_BUS, "it is gone");
	} else if (trouble) {
		blame(c, snapshot_code(&is->chips[c->is]), trouble);
		c->unknown = before.of[PORT_UP];
	} else if (port_any(&is->chips[c->is])) {
		judge_ports(c, &before, &now);
		if (!knows_links(&before))
			blame(c, CODE_NOT_KNOWN, "which links it had was not known when they were "
				"saved");
		else if (!knows_links(&now))
			blame(c, CODE_NOT_KNOWN, "its firmware does not say which links it has");
	}
}

static void port_take(struct port_report *r, struct port_change c, const struct change_side *was,
	const struct change_side *is, bool unseen)
{
	judge_links(&c, was, is, unseen);
	r->cards[r->n++] = c;
	r->lost += (size_t)__builtin_popcount(c.lost);
	r->found += (size_t)__builtin_popcount(c.found);
	r->unknown |= c.unknown || (c.why && c.is >= 0);
}

void port_change_find(const struct change_side *was, const struct change_side *is,
	const bool *wanted, struct port_report *r)
{
	int *of_was = mem_calloc(was->n + 1, sizeof(*of_was));
	int *of_is = mem_calloc(is->n + 1, sizeof(*of_is));

	*r = (struct port_report){ .cards = mem_calloc(was->n + is->n + 1, sizeof(*r->cards)) };
	change_match(was, is, of_was, of_is);
	for (size_t i = 0; i < is->n; i++) {
		const bool gone = is->chips[i].health == SNAPSHOT_GONE;

		if ((!wanted || wanted[i]) && (!gone || of_is[i] >= 0))
			port_take(r, (struct port_change){ .was = of_is[i],
				.is = gone ? -1 : (int)i }, was, is,
				of_is[i] < 0 && change_is_unseen(is, i, was, of_is));
	}
	for (size_t i = 0; i < was->n; i++) {
		const int first = change_first(was, i, of_was);

		if (of_was[i] < 0 && (!wanted || first < 0 || wanted[first]))
			port_take(r, (struct port_change){ .was = (int)i, .is = -1 }, was, is,
				change_is_unseen(was, i, is, of_was));
	}
	free(of_was);
	free(of_is);
}

void port_change_clear(struct port_report *r)
{
	free(r->cards);
	*r = (struct port_report){ .n = 0 };
}
