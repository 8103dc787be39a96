/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.c - the kernel's files about the cards; a separate process reads those of each card.
 */
#include "config.h"
#include "src/bundle/bundle.h"

#include "base/clock.h"
#include "base/mem.h"
#include "src/bundle/sheet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUND 64	/* processes at a time */

/* A serial number without a replacement, since the card was not read. */
static bool is_secret(const struct bundle *b, const char *path, const char *data, size_t len)
{
	const char *name = strrchr(path, '/');
	struct strbuf scrubbed = { 0 };
	bool is_same;

	if (!b->o->external || !name ||
		(strcmp(name, "/tt_serial") != 0 && strcmp(name, "/tt_asic_id") != 0))
		return false;
	scrub_put(&b->scrub, &scrubbed, data, len);
	is_same = scrubbed.len == len && (len == 0 || memcmp(scrubbed.text, data, len) == 0);
	strbuf_clear(&scrubbed);
	return is_same;
}

static void put_entry(struct bundle *b, enum sheet_kind kind, const char *path, const char *data,
	size_t len)
{
	struct strbuf name = { 0 }, text = { 0 };

	strbuf_printf(&name, "tree/%s", path);
	strbuf_add(&text, data, len);
	if (kind == SHEET_ERROR)
		bundle_miss(b, name.text, CODE_NOT_READ, "%s", text.text ? text.text : "");
	else if (kind == SHEET_LINK)
		bundle_put_link(b, name.text, text.text);
	else if (is_secret(b, path, data, len))
		bundle_miss(b, name.text, CODE_LEFT_ALONE, "left out by --external");
	else
		bundle_put(b, name.text, data, len);
	strbuf_clear(&name);
	strbuf_clear(&text);
}

/* Put in all that a sheet has read; if it did not finish, note the file that blocked it. */
static void take_sheet(struct bundle *b, struct sheet *s, const char *of)
{
	enum sheet_kind kind;
	const char *path, *data;
	size_t len;

	while (sheet_next(s, &kind, &path, &data, &len))
		put_entry(b, kind, path, data, len);
	if (!sheet_is_done(s))
		bundle_miss(b, of, CODE_TIMEOUT, "no answer when it was time to end, reading "
			"%.120s", *sheet_now(s) ? sheet_now(s) : "nothing");
	if (sheet_is_cut(s))
		bundle_miss(b, of, CODE_TOO_LARGE, "has more files than any card: the rest is "
			"left out");
	sheet_free(s);
}

/* Start n sheets (NULL: the host's), wait up to `patience` ns for all, and take their entries. */
static void run_round(struct bundle *b, const struct device *const *d, size_t n, int64_t patience)
{
	const char *root = b->session->bus->root;
	struct sheet *sheets[ROUND];
	struct child *children[ROUND];
	const char *of[ROUND];
	size_t started = 0;
	struct error e;

	for (size_t i = 0; i < n; i++) {
		const int r = d[i] ? sheet_start(&sheets[started], root, d[i]->bdf, d[i]->node, &e)
				   : sheet_start_host(&sheets[started], root, b->o->external, &e);

		of[started] = d[i] ? d[i]->bdf : "tree of the host";
		if (r < 0) {
			bundle_miss(b, of[started], e.word, "%s", e.text);
			continue;
		}
		children[started] = sheet_child(sheets[started]);
		started++;
	}
	child_end_all(children, started, patience);
	for (size_t i = 0; i < started; i++)
		take_sheet(b, sheets[i], of[i]);
}

void bundle_put_tree(struct bundle *b, int64_t patience)
{
	const struct bus *bus = b->session->bus;
	const struct fleet *f = sampler_fleet(b->session->sampler);
	const struct device *round[ROUND];
	size_t n = 0;

	if (strcmp(bus_source(bus), "kmd") != 0) {
		bundle_miss(b, "tree", bundle_elsewhere(b), "these cards are not this machine's");
		return;
	}
	round[n++] = NULL;
	for (size_t i = 0; i < bus->n; i++) {
		if (!*bus->dev[i].bdf || (i < f->n && !f->wanted[i]))
			continue;
		round[n++] = &bus->dev[i];
		if (n == ROUND) {
			run_round(b, round, n, patience);
			n = 0;
		}
	}
	run_round(b, round, n, patience);
}
