/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * totals.c - writes two files in turn.  One grows, record by record, until it is long; then the
 * other is begun with all totals.  The old one stays until its turn comes again, so whatever
 * happens to a new file, an older one is whole.
 *
 * A tick's additions are written before they are shown, so no counter is lower after a kill.
 */
#include "config.h"
#include "src/metrics/mode_metrics.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/state.h"
#include "output/journal.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_LONG  (256 * 1024)		/* then the other file begins */
#define FILE_MAX   (64 * 1024 * 1024)
#define LINKS_TIME (10 * CLOCK_SECOND)	/* between looks; the kernel keeps its counts */
#define SILENCE	   (3 * TALLY_SPARSE)	/* of the process that writes */
#define AGAIN	   (10 * CLOCK_SECOND)	/* after a failure that does not pass by itself */

static void complain(struct totals *t, const struct error *e)
{
	if (!t->has_failed)
		say_as(e->word, "counters are not kept: %s", e->text);
	t->has_failed = true;
}

static struct tally_moment moment(const struct totals *t)
{
	struct tally_moment m = { .mono = clock_mono(), .real = clock_real() };

	mem_copy_text(m.boot, sizeof(m.boot), t->boot);
	return m;
}

static const char *file_path(const struct totals *t, int file, char path[static 4200])
{
	snprintf(path, 4200, "%s/%s.%d", t->dir, t->name, file);
	return path;
}

/* Reading. */

/* The result of reading one of the two files. */
struct file_read {
	struct tally_read r;
	bool good;		/* it has a whole record */
	bool torn;		/* its end is not whole; an empty file, only begun, is not torn */
};

static struct file_read read_file(const struct totals *t, int file, struct tally_book *b)
{
	struct file_read f = { .good = false };
	struct error e;
	char path[4200], *text;
	size_t len;
	const int err = state_read(file_path(t, file, path), STATE_SHARED, FILE_MAX, &text,
		&len, &e);

	b->n = 0;
	if (err < 0 && err != -ENOENT)
		say_error(&e);
	if (err < 0)
		return f;
	f.good = tally_book_parse(text, len, b, &f.r);
	f.torn = f.r.whole < len;
	free(text);
	return f;
}

/*
 * Read the newer of the two files that have whole records, as it goes on now; false: there is none.
 * An older one may stay torn until its turn: that was reported when it was the newer one.
 */
static bool read_newest(struct totals *t, bool says, struct tally_book *to, struct tally_read *r)
{
	struct tally_book *other = mem_calloc(1, sizeof(*other));
	const struct file_read f[2] = { read_file(t, 0, to), read_file(t, 1, other) };
	const struct tally_moment now = moment(t);
	char path[4200];

	t->file = f[1].good && (!f[0].good || f[1].r.number > f[0].r.number);
	*r = f[t->file].r;
	if (t->file)
		tally_book_copy(to, other);
	free(other);
	tally_book_resume(to, &r->when, &now);
	for (int i = 0; says && i < 2; i++)
		if (f[i].torn && (i == t->file || !f[i].good))
			say_as(CODE_CORRUPT, "%s: torn: counting goes on from %s", file_path(t, i,
				path), f[i].good ? "its last whole record" : f[!i].good ? "an "
				"older file" : "0");
	return f[t->file].good;
}

/*
 * Whether another process writes what it once read of this chip, and does not sample it (the
 * second chip of an n300, without --remote).  Acts in a book are ours: see show_totals().
 */
static bool is_frozen(const struct totals *t, const struct tally_entry *e)
{
	const struct tally_entry *first = tally_book_seek(t->written, e->bdf, e->chip);

	return t->followed && clock_mono() - t->followed > TALLY_GAP && first &&
		memcmp(first->tally.total, e->tally.total, TALLY_RESETS * sizeof(uint64_t)) == 0;
}

/* What we have not read ourselves goes on from where the others' totals have it. */
static void follow_counters(struct tally *own, const struct tally *theirs)
{
	for (unsigned id = 0; id < TALLY_COUNT; id++) {
		const enum tally_kind kind = tally_family_of(id)->kind;

		if ((kind == TALLY_GROWTH || kind == TALLY_RISES) && !own->last[id].known)
			own->last[id] = theirs->last[id];
	}
	for (size_t i = 0; i < AER_LINKS; i++)
		if (!*own->links[i].bdf)
			own->links[i] = theirs->links[i];
	memcpy(own->total, theirs->total, sizeof(own->total));
}

/* Begin to follow: what we count from here on is added to what others have counted. */
static void begin_to_follow(struct totals *t)
{
	t->followed = clock_mono();
	tally_book_copy(t->written, t->theirs);
	for (size_t i = 0; i < t->theirs->n; i++) {
		const struct tally_entry *e = &t->theirs->entries[i];
		struct tally *own = tally_book_find(t->own, e->bdf, e->chip);

		if (own)
			follow_counters(own, &e->tally);
	}
}

/* Go on from what is kept: for the chips in it, its totals replace ours. */
static void take_over(struct totals *t)
{
	struct tally_read r;

	t->number = 0;
	if (!read_newest(t, true, t->theirs, &r))
		return;
	t->number = r.number;
	for (size_t i = 0; i < t->theirs->n; i++) {
		const struct tally_entry *e = &t->theirs->entries[i];
		struct tally *own = tally_book_find(t->own, e->bdf, e->chip);

		if (own && !is_frozen(t, e))
			*own = e->tally;
	}
	t->followed = 0;
}

/* Read what the writing process has written, if it is new. */
static void follow_writer(struct totals *t)
{
	char path[4200];
	struct stat now[2] = { 0 };
	struct tally_read r;

	for (int i = 0; i < 2; i++)
		stat(file_path(t, i, path), &now[i]);
	if (now[0].st_size + now[1].st_size == t->seen.st_size &&
		now[0].st_ino + now[1].st_ino == t->seen.st_ino)
		return;
	t->seen.st_size = now[0].st_size + now[1].st_size;
	t->seen.st_ino = now[0].st_ino + now[1].st_ino;
	t->heard = clock_mono();
	if (read_newest(t, false, t->theirs, &r) && !t->followed)
		begin_to_follow(t);
}

/* Writing. */

static void close_file(struct totals *t)
{
	journal_close(t->journal, NULL);
	t->journal = NULL;
	t->slot = -1;
}

/* Begin the other file anew; the one before it stays. */
static int begin_file(struct totals *t, int folder, struct error *e)
{
	const int next = !t->file;
	char name[72];
	int r = t->journal ? 0 : journal_open(folder, t->dir, &t->journal, e);

	snprintf(name, sizeof(name), "%s.%d", t->name, next);
	if (r == 0)
		r = journal_remove(t->journal, name, e);
	if (r == 0)
		r = t->slot < 0 ? journal_add(t->journal, name, e) :
			journal_replace(t->journal, t->slot, name, e);
	if (r < 0)
		return r;
	t->slot = t->slot < 0 ? r : t->slot;
	t->file = next;
	t->number++;
	return 0;
}

static int write_record(struct totals *t, struct error *e)
{
	const struct tally_moment now = moment(t);
	const bool is_first = journal_size(t->journal, t->slot) == 0;

	t->text.len = 0;
	if (is_first)
		tally_book_put_head(&t->text, t->number);
	tally_book_put(&t->text, t->own, is_first ? NULL : t->written, &now);
	return journal_append(t->journal, t->slot, t->text.text, t->text.len, e);
}

static int write_tick(struct totals *t, struct error *e)
{
	struct state_dir d;
	char path[4200];
	int r = 0;

	if (t->slot < 0 || journal_size(t->journal, t->slot) > FILE_LONG) {
		r = state_enter(&d, file_path(t, 0, path), STATE_SHARED, e);
		if (r < 0)
			return r;
		r = begin_file(t, d.fd, e);
		state_leave(&d);
	}
	return r < 0 ? r : write_record(t, e);
}

/* A full disk may get room again; after a removed file or a failed disk, begin another file. */
static void keep_totals(struct totals *t)
{
	const int64_t now = clock_mono();
	struct error e;
	int r;

	if (now < t->next_try)
		return;
	r = write_tick(t, &e);
	if (r < 0) {
		complain(t, &e);
		if (r != -ENOSPC && r != -EDQUOT) {
			close_file(t);
			t->next_try = now + AGAIN;
		}
		return;
	}
	if (t->has_failed)
		say("counters are kept again");
	t->has_failed = false;
	tally_book_copy(t->written, t->own);
}

/* True: this process is the one that writes. */
static bool is_writer(struct totals *t)
{
	char path[4200];
	struct error e;

	if (t->lock >= 0)
		return true;
	snprintf(path, sizeof(path), "%s/%s", t->dir, t->name);
	t->lock = state_lock(path, 0, &e);
	if (t->lock < 0 && t->lock != -EWOULDBLOCK)
		complain(t, &e);
	if (t->lock >= 0)
		take_over(t);
	return t->lock >= 0;
}

/* Ticks. */

static void take_chip(struct totals *t, const struct roster_chip *c, const struct snapshot *s,
	bool looks_at_links)
{
	struct tally *own = tally_book_find(t->own, c->bdf, c->chip);
	struct aer links[AER_LINKS];

	if (own && !s)
		tally_break(own);
	if (!own || !s)
		return;
	tally_take(own, s, t->interval);
	if (looks_at_links && t->bus && c->chip == 0)
		tally_take_links(own, links, aer_read_all(t->bus, c->bdf, links));
}

/* The totals of this chip as another process writes them; NULL: it does not sample this one. */
static struct tally *find_theirs(const struct totals *t, const struct roster_chip *c)
{
	struct tally_entry *e = tally_book_seek(t->theirs, c->bdf, c->chip);

	return e && !is_frozen(t, e) ? &e->tally : NULL;
}

static void show_totals(struct totals *t, const struct roster *r, bool is_ours)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct roster_chip *c = &r->chips[i];
		struct tally *one = is_ours ? NULL : find_theirs(t, c);

		if (!one)
			one = tally_book_find(t->own, c->bdf, c->chip);
		if (one && c->chip == 0)
			counted_put(&t->counted, c->bdf, one);
		t->shown[i] = one;
	}
}

/* An error is said once while it lasts. */
static void read_acts(struct totals *t)
{
	const bool was_unknown = t->counted.is_unknown;
	struct error e;

	if (counted_read(&t->counted, t->bus, &e) < 0 && !was_unknown)
		say_as(e.word, "%s%s", e.text, t->counted.is_unknown ?
			": resets and burn-ins are left out" : ": acts are counted anew");
}

int totals_kept(const struct totals *t)
{
	return !t->keeps ? -1 : t->lock >= 0 ? !t->has_failed : clock_mono() - t->heard <= SILENCE;
}

/* Nobody has written for long, and yet the lock is held. */
static void complain_silence(struct totals *t)
{
	struct error e;

	fail_as(&e, CODE_HELD, -EBUSY, "another process holds %s/%s.lock, and writes nothing",
		t->dir, t->name);
	complain(t, &e);
}

void totals_take(struct totals *t, const struct fleet *f, const struct roster *r)
{
	const int64_t now = clock_mono();
	const bool looks_at_links = now >= t->next_links;
	const bool writes = t->keeps && is_writer(t);

	if (looks_at_links)
		t->next_links = now + LINKS_TIME;
	/* What others have counted comes first: our first sample goes on from it. */
	if (t->keeps && !writes)
		follow_writer(t);
	for (size_t i = 0; i < r->n; i++)
		take_chip(t, &r->chips[i], r->chips[i].index < 0 || r->chips[i].is_reset ? NULL :
			&f->chips[r->chips[i].index], looks_at_links);
	if (t->bus)
		read_acts(t);
	if (writes)
		keep_totals(t);
	else if (t->keeps && totals_kept(t) == 0)
		complain_silence(t);
	show_totals(t, r, writes || !t->keeps);
}

void totals_open(struct totals *t, const struct session *s, int64_t interval, bool keeps)
{
	const char *name = s->bus ? bus_state_name(s->bus) : NULL;
	struct error e;

	*t = (struct totals){ .lock = -1, .slot = -1, .bus = s->bus, .interval = interval };
	t->own = mem_calloc(1, sizeof(*t->own));
	t->written = mem_calloc(1, sizeof(*t->written));
	t->theirs = mem_calloc(1, sizeof(*t->theirs));
	/* Virtual time may begin anew in each process. */
	if (!clock_is_virtual())
		state_boot_id(t->boot);
	if (!name)
		return;
	snprintf(t->name, sizeof(t->name), "counters-%.16s", name);
	if (state_path("", t->dir, sizeof(t->dir), &e) < 0) {
		complain(t, &e);
		*t->dir = '\0';
	}
	t->keeps = keeps && *t->dir;
	t->heard = clock_mono();
}

void totals_close(struct totals *t)
{
	close_file(t);
	if (t->lock >= 0)
		close(t->lock);
	free(t->own);
	free(t->written);
	free(t->theirs);
	strbuf_clear(&t->text);
}
