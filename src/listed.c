/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/listed.h"

#include "act/counted.h"
#include "base/file.h"
#include "base/file_new.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/state.h"
#include "src/act.h"
#include "src/say.h"
#include "src/session.h"
#include "telemetry/select.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum named_as named_judge(const struct session *s, const struct snapshot *chip,
	bool by_index)
{
	if (!s->wanted[chip->index])
		return NAMED_HIDDEN;
	if (chip->health == SNAPSHOT_GONE)
		return NAMED_GONE;
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
			out->chip[i] = named_judge(s, &f->chips[i], out->by_index[i]);
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
	const struct snapshot *c = &sampler_fleet(s->sampler)->chips[
		named->hidden < 0 ? 0 : named->hidden];

	if (named->hidden < 0)
		return false;
	say_as(CODE_HIDDEN, "%d %s: may not be seen here (%s)%s%s", c->index, *c->bdf ? c->bdf :
		c->series, *s->selection ? s->selection : "--device", undone ? ": " : "", undone ?
		undone : "");
	return true;
}

enum exit_code named_verdict(const struct options *o, const struct session *s,
	const struct named *named)
{
	if (named->n > 0)
		return named_is_hidden(s, named, act_words[o->act->kind].undone) ? EXIT_REFUSED
			: EXIT_DONE;
	if (sampler_fleet(s->sampler)->n == 0)
		session_complain(s);
	else
		say_as(CODE_NO_DEVICE, "none of these cards is here%s%s", *s->selection ? ": " : "",
			s->selection);
	return EXIT_NO_DEVICE;
}

bool named_is_recorded(const struct options *o, char text[static NAMED_TEXT])
{
	/* The plan of a reset may be shown for a tree. */
	const bool is_tree = o->root && strcmp(o->root, "/") != 0 && !o->sim && !o->ttsim &&
		!o->dry_run;
	const enum option_id id = o->load ? OPT_LOAD : o->replay ? OPT_REPLAY : OPT_ROOT;
	const char *does = o->load ? "shows a saved file" : o->replay ? "plays a recording"
		: "reads a recorded tree";

	if (!o->load && !o->replay && !is_tree)
		return false;
	snprintf(text, NAMED_TEXT, "%.*s %s: its cards cannot be reset or tested",
		(int)strcspn(o->typed[id], "="), o->typed[id], does);
	return true;
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
	s->misses = named_is_hidden(s, &named, NULL);
	for (size_t k = 0; k < DEVICE_MAX; k++)
		s->wanted[k] = s->wanted[k] && (named.chip[k] == NAMED_CARD ||
			named.chip[k] == NAMED_SECOND || named.chip[k] == NAMED_GONE);
	sampler_select(s->sampler, s->wanted, DEVICE_MAX, s->selection);
	return EXIT_DONE;
}

#define FILE_NAME  "listed"
#define FIRST_LINE "tt-smi listed 1"
#define FILE_MAX   (64 * (DEVICE_MAX + 4))

void listed_card_of(const struct fleet *f, size_t index, struct listed_card *c)
{
	const struct snapshot *s = &f->chips[index];
	const struct reading *id = &s->r[FIELD_BOARD_ID];
	const bool is_second = s->local >= 0 && (size_t)s->local < f->n;

	*c = (struct listed_card){ .serial = reading_has_value(id) ? (uint64_t)id->value : 0 };
	mem_copy_text(c->bdf, sizeof(c->bdf), is_second ? f->chips[s->local].bdf : s->bdf);
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

void listed_put(const struct listed *l, struct strbuf *text)
{
	strbuf_printf(text, FIRST_LINE "\nboot %s\nuser %" PRIu64 "\nsource %s\n", l->boot, l->user,
		l->source);
	for (size_t i = 0; i < DEVICE_MAX; i++)
		if (*l->cards[i].bdf)
			strbuf_printf(text, "%zu %s %" PRIx64 "\n", i, l->cards[i].bdf,
				l->cards[i].serial);
	strbuf_puts(text, "end\n");
}

/* The next word of a line, which ends in `end`; false: there is none, or it is too long. */
static bool take_word(const char **at, char end, char *word, size_t size)
{
	size_t len = strcspn(*at, " \n");

	if (len == 0 || len >= size || (*at)[len] != end)
		return false;
	mem_copy_text(word, len + 1, *at);
	*at += len + 1;
	return true;
}

/* "NAME VALUE" */
static bool take_pair(const char **at, const char *name, char *value, size_t size)
{
	char word[16];

	return take_word(at, ' ', word, sizeof(word)) && strcmp(word, name) == 0 &&
		take_word(at, '\n', value, size);
}

static bool take_card(const char **at, struct listed *l, uint64_t *least)
{
	char index[8], serial[20];
	struct listed_card c = { .bdf = "" };
	uint64_t i;

	if (!take_word(at, ' ', index, sizeof(index)) || !parse_u64(index, &i) || i < *least ||
		i >= DEVICE_MAX || !take_word(at, ' ', c.bdf, sizeof(c.bdf)) ||
		c.bdf[strspn(c.bdf, "0123456789abcdef:.")] ||
		!take_word(at, '\n', serial, sizeof(serial)) || !parse_hex(serial, &c.serial))
		return false;
	l->cards[i] = c;
	*least = i + 1;
	return true;
}

static bool parse(const char *at, struct listed *l)
{
	uint64_t least = 0;
	char user[24];

	if (strncmp(at, FIRST_LINE "\n", sizeof(FIRST_LINE)) != 0)
		return false;
	at += sizeof(FIRST_LINE);
	if (!take_pair(&at, "boot", l->boot, sizeof(l->boot)) ||
		!take_pair(&at, "user", user, sizeof(user)) || !parse_u64(user, &l->user) ||
		!take_pair(&at, "source", l->source, sizeof(l->source)))
		return false;
	while (strcmp(at, "end\n") != 0)
		if (!take_card(&at, l, &least))
			return false;
	return true;
}

bool listed_parse(const char *text, size_t len, struct listed *l)
{
	char *copy = mem_calloc(len + 1, 1);
	bool is_whole;

	memset(l, 0, sizeof(*l));
	memcpy(copy, text, len);
	is_whole = strlen(copy) == len && parse(copy, l);
	free(copy);
	return is_whole;
}

/* Ignore another user's file, and do not wait for a FIFO. */
static bool read_own(int dir, struct listed *l)
{
	int fd = openat(dir, FILE_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	char text[FILE_MAX];
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		n = read(fd, text, sizeof(text));
	close(fd);
	return n > 0 && (size_t)n < sizeof(text) && listed_parse(text, (size_t)n, l);
}

/* Memory. */

/* Only this machine's cards, and in tests also simulated boards. */
static bool counts(const struct options *o, const struct fleet *f)
{
	return f->origin->is_machine ? !o->root
		: f->origin->is_simulated && getenv("TT_SMI_LISTED_SIM");
}

/* Fill in boot, user and source; false: the boot id is unknown. */
static bool name_owner(const struct fleet *f, struct listed *l)
{
	ssize_t n = file_read_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id", l->boot,
		sizeof(l->boot));

	if (n <= 0)
		return false;
	l->boot[strcspn(l->boot, " \n")] = '\0';
	l->user = geteuid();
	mem_copy_text(l->source, sizeof(l->source), f->origin->name);
	return *l->boot;
}

/* In a foreign directory its owner would decide what root remembers, so there nothing is. */
static bool enter_own(struct state_dir *d)
{
	char path[4096];

	if (state_boot_path(FILE_NAME, path, sizeof(path), NULL) < 0 ||
		state_enter(d, path, NULL) < 0)
		return false;
	if (d->is_foreign)
		state_leave(d);
	return !d->is_foreign;
}

/* Read the cards remembered for this boot, user and source; false: there are none. */
static bool recall(const struct options *o, const struct fleet *f, struct listed *l)
{
	struct listed *owner = mem_calloc(1, sizeof(*owner));
	struct state_dir d;
	bool known = false;

	if (counts(o, f) && name_owner(f, owner) && enter_own(&d)) {
		known = read_own(d.fd, l) && strcmp(l->boot, owner->boot) == 0 &&
			l->user == owner->user && strcmp(l->source, owner->source) == 0;
		state_leave(&d);
	}
	free(owner);
	return known;
}

/* The file is of no use after this boot, so do not wait for the disk. */
static void write_lazily(const struct listed *l)
{
	struct strbuf text = { 0 };
	struct file_new file;
	struct state_dir d;

	if (!enter_own(&d))
		return;
	listed_put(l, &text);
	if (file_new_open_at(&file, d.fd, ".", FILE_NAME, true, NULL) == 0) {
		file.lazy = true;
		file_new_finish(&file, text.text, text.len, NULL);
	}
	strbuf_clear(&text);
	state_leave(&d);
}

void listed_remember(const struct options *o, const struct fleet *f)
{
	struct listed *before, *now;

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
	if (name_owner(f, now) && memcmp(before, now, sizeof(*now)) != 0)
		write_lazily(now);
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
