/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/change_text.h"

#include "base/json.h"
#include "output/card_name.h"

static void put_changes(struct json_out *j, const struct change_item *item)
{
	json_begin(j, "changes", '[');
	for (size_t i = 0; i < item->n; i++) {
		const struct change *c = &item->changes[i];

		json_begin(j, NULL, '{');
		json_text(j, "key", c->key);
		json_text(j, "title", c->title);
		json_text(j, "unit", c->unit);
		json_text(j, "verdict", change_verdict_name(c->verdict));
		json_text(j, "a", *c->was ? c->was : NULL);
		json_text(j, "b", *c->is ? c->is : NULL);
		json_end(j, '}');
	}
	json_end(j, ']');
}

/* The card's name on one side. */
static void put_name(struct json_out *j, const char *key, const struct change_print *p, int side,
	int at)
{
	if (at < 0) {
		json_null(j, key);
		return;
	}
	json_begin(j, key, '{');
	card_name_put_json(j, &p->sides[side]->chips[at], p->external);
	json_end(j, '}');
}

static void put_side(struct json_out *j, const char *key, const struct change_print *p, int side)
{
	json_begin(j, key, '{');
	json_text(j, "name", p->names[side]);
	json_text(j, "time", *p->times[side] ? p->times[side] : NULL);
	json_int(j, "chips", (int64_t)p->sides[side]->n);
	json_end(j, '}');
}

void change_json_put(struct strbuf *to, const struct change_print *p)
{
	const struct change_report *r = p->report;
	struct json_out j;

	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	json_int(&j, "schema_version", 1);
	json_text(&j, "verdict", change_text_verdict(r));
	json_int(&j, "exit_code", p->code);
	put_side(&j, "a", p, 0);
	put_side(&j, "b", p, 1);
	json_begin(&j, "counts", '{');
	for (int v = CHANGE_GONE; v >= CHANGE_ALIKE; v--)
		json_int(&j, change_verdict_name((enum change_verdict)v), (int64_t)r->count[v]);
	json_end(&j, '}');
	json_begin(&j, "host", '{');
	json_text(&j, "verdict", change_verdict_name(r->host.verdict));
	put_changes(&j, &r->host);
	json_end(&j, '}');
	json_begin(&j, "cards", '[');
	for (size_t i = 0; i < r->n; i++) {
		json_begin(&j, NULL, '{');
		json_text(&j, "verdict", change_verdict_name(r->cards[i].verdict));
		json_text(&j, "reason", *r->cards[i].why ? r->cards[i].why : NULL);
		json_code(&j, r->cards[i].code);
		put_name(&j, "a", p, 0, r->cards[i].was);
		put_name(&j, "b", p, 1, r->cards[i].is);
		put_changes(&j, &r->cards[i]);
		json_end(&j, '}');
	}
	json_end(&j, ']');
	json_end(&j, '}');
}
