/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cards.c - the cards that a line may name: those of its own --sim, --root, --replay or --load,
 * else those of this machine.
 *
 * A person has pressed a key and waits.  So no card is opened (as with --passive), nothing is
 * written, and a card that was not read in time is offered without its board.
 */
#include "config.h"
#include "src/complete/values.h"
#include "base/array.h"
#include "base/clock.h"
#include "src/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATIENCE (500 * CLOCK_MS)

static const enum option_id cards_sources[] = {
	OPT_SIM, OPT_SIM_SEED, OPT_ROOT, OPT_REPLAY, OPT_LOAD
};

/* Reading from a pipe or a terminal may wait for ever. */
static bool cards_can_be_read(enum option_id source, const char *value)
{
	struct stat st;

	return option_rows[source].kind != OPTION_PATH ||
	       (stat(value, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)));
}

/* Turn the line's source of cards into options of our own; false: it cannot be read. */
static bool cards_choose(struct options *o, const struct line *l)
{
	char names[ARRAY_LEN(cards_sources)][24];
	char *argv[2 * ARRAY_LEN(cards_sources) + 2] = { (char *)(uintptr_t)"tt-smi" };
	int argc = 1;

	for (size_t i = 0; i < ARRAY_LEN(cards_sources); i++) {
		const enum option_id id = cards_sources[i];

		if (!l->values[id])
			continue;
		if (!cards_can_be_read(id, l->values[id]))
			return false;
		option_spelling(id, names[i], sizeof(names[i]));
		argv[argc++] = names[i];
		argv[argc++] = (char *)(uintptr_t)l->values[id];
	}
	if (options_parse(o, argc, argv) < 0 || o->ttsim) {	/* a simulator takes seconds */
		options_clear(o);
		return false;
	}
	o->mode = MODE_COMPLETE;
	o->passive = true;
	return true;
}

static void cards_add(struct offer *to, const struct snapshot *s)
{
	const struct reading *serial = &s->r[FIELD_BOARD_ID];
	const bool has_begun = to->word[to->part] != '\0';
	/* "N/A": sysfs alone does not have it. */
	const char *series = strcmp(s->series, "N/A") == 0 ? "" : s->series;
	char name[40], help[120];

	snprintf(name, sizeof(name), "%d", s->index);
	snprintf(help, sizeof(help), "%s %s", s->bdf, series);
	offer_add(to, name, help);
	snprintf(help, sizeof(help), "%d %s", s->index, series);
	if (*s->bdf)
		offer_add(to, s->bdf, help);
	/* Offer the longer names only when something has been typed. */
	if (has_begun && s->node >= 0) {
		snprintf(name, sizeof(name), "/dev/tenstorrent/%d", s->node);
		offer_add(to, name, help);
	}
	if (has_begun && reading_has_value(serial)) {
		snprintf(name, sizeof(name), "%016" PRIx64, (uint64_t)serial->value);
		offer_add(to, name, help);
	}
}

void cards_offer(struct offer *to, const struct line *l)
{
	struct options o;
	struct session s;
	const struct fleet *f;

	if (l->o.typed[OPT_TTSIM] || !cards_choose(&o, l))
		return;
	if (session_open_until(&s, &o, clock_mono() + PATIENCE) == EXIT_DONE) {
		f = sampler_fleet(s.sampler);
		for (size_t i = 0; i < f->n; i++)
			if (f->wanted[i])
				cards_add(to, &f->chips[i]);
		session_close(&s);
	}
	options_clear(&o);
}
