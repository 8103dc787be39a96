/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/listed.h"

#include "act/counted.h"
#include "base/mem.h"
#include "src/act.h"
#include "src/say.h"
#include "src/session.h"
#include "telemetry/select.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum named_as named_judge(const struct session *s, const struct snapshot *chip,
	bool by_index, bool has_all)
{
	if (!s->wanted[chip->index])
		return NAMED_HIDDEN;
	if (chip->health == SNAPSHOT_GONE)
		return NAMED_GONE;
	if (snapshot_is_given(chip) && has_all && !by_index)
		return NAMED_GIVEN;
	return chip->local >= 0 && !by_index ? NAMED_SECOND : NAMED_CARD;
}

int named_find(const struct session *s, const char *words, struct named *out, struct error *e)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	const bool has_all = select_has_all(words);
	bool wanted[DEVICE_MAX] = { false };
	int r = select_chips(words, f->chips, f->n, wanted, e);

	*out = (struct named){ .hidden = -1 };
	if (r < 0)
		return r;
	select_indices(words, f->n, out->by_index);
	for (size_t i = 0; i < f->n; i++) {
		if (wanted[i])
			out->chip[i] = named_judge(s, &f->chips[i], out->by_index[i],
				has_all);
		out->n += out->chip[i] == NAMED_CARD;
		if (out->chip[i] == NAMED_HIDDEN && out->hidden < 0 && !has_all)
			out->hidden = (int)i;
	}
	return 0;
}

void named_join(const struct options *o, struct strbuf *words)
{
	for (size_t i = 0; i < o->n_targets; i++)
		strbuf_printf(words, "%s ", o->targets[i]);
	if (o->n_targets == 0)
		strbuf_puts(words, "all");
}

bool named_is_hidden(const struct session *s, const struct named *named, const char *undone)
{
	if (named->hidden >= 0)
		session_say_hidden(s, (size_t)named->hidden, undone);
	return named->hidden >= 0;
}

enum exit_code named_verdict(const struct options *o, const struct session *s,
	const struct named *named)
{
	if (named_is_hidden(s, named, act_words[o->act->kind].undone))
		return EXIT_REFUSED;
	if (named->n > 0)
		return EXIT_DONE;
	if (sampler_fleet(s->sampler)->n == 0 || fleet_is_given(sampler_fleet(s->sampler)))
		session_complain(s);
	else
		say_as(CODE_NO_DEVICE, "none of these cards is here%s%s", *s->selection ? ": " : "",
			s->selection);
	return EXIT_NO_DEVICE;
}

enum exit_code named_limit(struct session *s, const struct options *o)
{
	struct strbuf words = { 0 };
	struct named named;
	struct error e;
	int r;

	if (o->n_targets == 0)
		return EXIT_DONE;
	named_join(o, &words);
	r = named_find(s, words.text, &named, &e);
	strbuf_clear(&words);
	if (r < 0)
		return session_fail_choice(&e);
	s->misses |= named_is_hidden(s, &named, NULL);
	for (size_t k = 0; k < DEVICE_MAX; k++)
		s->wanted[k] = s->wanted[k] && (named.chip[k] == NAMED_CARD ||
			named.chip[k] == NAMED_SECOND || named.chip[k] == NAMED_GONE ||
			named.chip[k] == NAMED_GIVEN);
	sampler_select(s->sampler, s->wanted, DEVICE_MAX, s->selection);
	return EXIT_DONE;
}

void listed_card_of(const struct fleet *f, size_t index, struct listed_card *c)
{
	const struct snapshot *s = &f->chips[index];

	*c = (struct listed_card){ .serial = snapshot_serial(s) };
	mem_copy_text(c->bdf, sizeof(c->bdf), snapshot_first(f->chips, f->n, s)->bdf);
}

bool listed_is_same(const struct listed_card *a, const struct listed_card *b)
{
	return strcmp(a->bdf, b->bdf) == 0 &&
		(!a->serial || !b->serial || a->serial == b->serial);
}

/* "0000:01:00.0 (serial 0100...)" for people. */
static const char *name_of(const struct listed_card *c, char *buf, size_t size)
{
	if (c->serial)
		snprintf(buf, size, "%s (serial %016" PRIx64 ")", c->bdf, c->serial);
	else
		snprintf(buf, size, "%s", c->bdf);
	return buf;
}

/* The file. */

static void put_listed(const void *from, struct strbuf *to)
{
	const struct listed *l = from;

	strbuf_printf(to, "boot %s\nuser %" PRIu64 "\nsource %s\n", l->boot, l->user, l->source);
	for (size_t i = 0; i < DEVICE_MAX; i++)
		if (*l->cards[i].bdf)
			strbuf_printf(to, "%zu %s %" PRIx64 "\n", i, l->cards[i].bdf,
				l->cards[i].serial);
}

static bool parse_card(const char *line, struct listed *l, size_t *least)
{
	struct listed_card c = { .bdf = "" };
	size_t i;
	int end = -1;

	if (sscanf(line, "%3zu %15[0-9a-f:.] %16" SCNx64 "%n", &i, c.bdf, &c.serial, &end) != 3 ||
		line[end] || i < *least || i >= DEVICE_MAX)
		return false;
	l->cards[i] = c;
	*least = i + 1;
	return true;
}

static bool parse_listed(char *lines, void *to)
{
	struct listed *l = to;
	size_t least = 0;
	int end = -1;
	const char *line;

	memset(l, 0, sizeof(*l));
	if (sscanf(lines, "boot %39s user %19" SCNu64 " source %15s%n", l->boot, &l->user,
		l->source, &end) != 3 || lines[end] != '\n')
		return false;
	lines += end + 1;
	while ((line = record_file_line(&lines)))
		if (!parse_card(line, l, &least))
			return false;
	return true;
}

const struct record_file listed_file = {
	.head = "tt-smi listed 1",
	.max = 64 * (DEVICE_MAX + 4),
	.share = STATE_OWN,
	.put = put_listed,
	.parse = parse_listed
};

/* Memory. */

/* Only this machine's cards, and in tests also simulated boards. */
static bool counts(const struct options *o, const struct fleet *f)
{
	return f->origin->is_machine ? !o->root
		: f->origin->is_simulated && getenv("TT_SMI_LISTED_SIM");
}

static bool find_file(char path[static PATH_MAX])
{
	return state_boot_path("listed", path, PATH_MAX, NULL) == 0;
}

/* Read the cards remembered for this boot, user and source; false: there are none. */
static bool recall(const struct options *o, const struct fleet *f, struct listed *l)
{
	char path[PATH_MAX], boot[STATE_BOOT];

	return counts(o, f) && state_boot_id(boot) && find_file(path) &&
		record_file_read(&listed_file, path, l, NULL) == 0 && strcmp(l->boot, boot) == 0 &&
		l->user == geteuid() && strcmp(l->source, f->origin->name) == 0;
}

void listed_remember(const struct options *o, const struct fleet *f)
{
	struct listed *before, *now;
	char path[PATH_MAX];

	if (!isatty(STDOUT_FILENO) || !counts(o, f))
		return;
	before = mem_calloc(1, sizeof(*before));
	now = mem_calloc(1, sizeof(*now));
	/* Cards that are not shown now stay as remembered. */
	if (recall(o, f, before))
		memcpy(now->cards, before->cards, sizeof(now->cards));
	for (size_t i = 0; i < DEVICE_MAX; i++) {
		if (i >= f->n)
			now->cards[i] = (struct listed_card){ .bdf = "" };
		else if (f->wanted[i])
			listed_card_of(f, i, &now->cards[i]);
	}
	now->user = geteuid();
	mem_copy_text(now->source, sizeof(now->source), f->origin->name);
	if (state_boot_id(now->boot) && memcmp(before, now, sizeof(*now)) != 0 && find_file(path))
		record_file_write(&listed_file, path, now, NULL);
	free(before);
	free(now);
}

bool listed_has_moved(const struct options *o, const struct fleet *f, const char *names)
{
	bool named[DEVICE_MAX] = { false }, has_moved = false;
	struct listed *before;
	size_t n;

	if (o->force)
		return false;
	before = mem_calloc(1, sizeof(*before));
	n = recall(o, f, before) ? f->n : 0;
	select_indices(names, n, named);
	for (size_t i = 0; i < n; i++) {
		char was[64], is[64];
		struct listed_card now;

		listed_card_of(f, i, &now);
		if (!named[i] || !*before->cards[i].bdf || listed_is_same(&before->cards[i], &now))
			continue;
		say_as(CODE_MOVED_INDEX, "%zu: was %s when it was last listed, and is %s now", i,
			name_of(&before->cards[i], was, sizeof(was)), name_of(&now, is,
			sizeof(is)));
		has_moved = true;
	}
	free(before);
	return has_moved;
}
