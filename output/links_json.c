/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/links.h"

#include "base/json.h"
#include "output/card_name.h"

#include <stdio.h>

static void put_port(struct json_out *j, const struct snapshot *chips, size_t at,
	const struct port *p)
{
	char core[16];

	snprintf(core, sizeof(core), "%u-%u", p->x, p->y);
	json_begin(j, NULL, '{');
	json_int(j, "port", (int64_t)at);
	json_text(j, "core", core);
	json_text(j, "state", port_state_name(p->state));
	json_text(j, "medium", port_medium_name(p->medium));
	if (p->partner < 0) {
		json_null(j, "partner");
	} else {
		json_begin(j, "partner", '{');
		json_int(j, "index", chips[p->partner].index);
		json_int(j, "port", p->partner_port);
		json_end(j, '}');
	}
	json_end(j, '}');
}

static void put_card(struct json_out *j, const struct links *l, size_t at)
{
	const struct snapshot *s = &l->now.chips[at];
	const char *trouble = change_trouble(s);
	struct port ports[PORT_MOST];
	const size_t n = trouble ? 0 : port_list(l->now.chips, l->now.n, at, ports);

	json_begin(j, NULL, '{');
	card_name_put_json(j, s, l->external);
	json_text(j, "reason", trouble ? trouble : *s->note ? s->note : NULL);
	json_code(j, snapshot_code(s));
	json_begin(j, "ports", '[');
	for (size_t p = 0; p < n; p++)
		put_port(j, l->now.chips, p, &ports[p]);
	json_end(j, ']');
	json_end(j, '}');
}

static void put_mask(struct json_out *j, const char *key, uint32_t mask)
{
	json_begin(j, key, '[');
	for (int p = 0; p < PORT_MOST; p++)
		if (mask >> p & 1)
			json_int(j, NULL, p);
	json_end(j, ']');
}

static void put_changes(struct json_out *j, const struct links *l)
{
	const struct port_report *r = l->report;

	json_begin(j, "against", '{');
	json_text(j, "name", l->against);
	json_int(j, "lost", (int64_t)r->lost);
	json_int(j, "new", (int64_t)r->found);
	json_bool(j, "all_known", !r->unknown);
	json_begin(j, "cards", '[');
	for (size_t i = 0; i < r->n; i++) {
		const struct port_change *c = &r->cards[i];

		json_begin(j, NULL, '{');
		card_name_put_json(j, c->is >= 0 ? &l->now.chips[c->is] :
			&l->before.chips[c->was], l->external);
		json_text(j, "reason", c->why);
		json_code(j, c->code);
		put_mask(j, "lost", c->lost);
		put_mask(j, "unknown", c->unknown);
		put_mask(j, "new", c->found);
		json_end(j, '}');
	}
	json_end(j, ']');
	json_end(j, '}');
}

void links_put_json(struct strbuf *to, const struct links *l)
{
	struct json_out j;

	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	json_int(&j, "schema_version", 1);
	json_int(&j, "exit_code", l->code);
	json_begin(&j, "cards", '[');
	for (size_t i = 0; i < l->now.n; i++)
		if (!l->wanted || l->wanted[i])
			put_card(&j, l, i);
	json_end(&j, ']');
	if (l->against)
		put_changes(&j, l);
	json_end(&j, '}');
}
