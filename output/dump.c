/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/dump.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "output/csv.h"
#include "output/journal.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct dump {
	char dir[4096];
	bool made_dir;			/* the folder was made by us */
	bool stopped;
	struct dump_index index;	/* cards: those of the fleet seen so far */
	struct dump_config config;
	struct journal *journal;
	int *slots;			/* of each card in the journal; -1: none yet */
	unsigned part;			/* of all files; 0 without rotation */
	int64_t part_start;		/* ns since start */
	struct tick_clock clock;
	struct strbuf row;
};

/* The default folder: a new one, even if other dumps begin at the same time. */
static int make_default_dir(struct dump *d, struct error *e)
{
	char stamp[64], stem[128];
	int err = file_make_dirs("./tt-smi-logs", e);

	clock_file_stamp(clock_real(), stamp, sizeof(stamp));
	snprintf(stem, sizeof(stem), "./tt-smi-logs/tt-smi-dump_%s", stamp);
	while (err == 0) {
		err = file_free_name(stem, "", d->dir, sizeof(d->dir));
		if (err < 0)
			return fail(e, err, "%s: cannot create: %s", stem, strerror(-err));
		if (mkdir(d->dir, 0777) == 0) {
			d->made_dir = true;
			return 0;
		}
		if (errno != EEXIST)
			return fail_errno(e, "%s: cannot create", d->dir);
	}
	return err;
}

static int refuse_dump_in(const char *dir, struct error *e)
{
	char path[4200];
	struct stat st;

	if ((size_t)snprintf(path, sizeof(path), "%s/" DUMP_INDEX, dir) < sizeof(path) &&
		lstat(path, &st) == 0)
		return fail(e, -EEXIST, "%s: holds a dump already; name another folder", dir);
	return 0;
}

int dump_prove(const char *dir, struct error *e)
{
	char path[4096], *at = path;
	struct stat st;
	int err = dir ? refuse_dump_in(dir, e) : 0;

	if (err < 0)
		return err;
	mem_copy_text(path, sizeof(path), dir ? dir : ".");
	/* New folders are made in the nearest one that exists. */
	while (stat(at, &st) < 0 && errno == ENOENT && strcmp(at, ".") != 0)
		at = dirname(at);
	if (access(at, W_OK | X_OK) < 0)
		return fail_errno(e, "%s: cannot be written to", at);
	return 0;
}

static int make_dir(struct dump *d, const char *dir, struct error *e)
{
	struct stat st;
	size_t len;
	int err;

	if (!dir)
		return make_default_dir(d, e);
	len = strlen(dir);
	while (len > 1 && dir[len - 1] == '/')
		len--;
	if (len == 0 || len > sizeof(d->dir) - 200)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "dump: \"%.40s\" cannot be the name of "
			"a folder", dir);
	memcpy(d->dir, dir, len);
	d->dir[len] = '\0';
	d->made_dir = lstat(d->dir, &st) < 0;
	err = file_make_dirs(d->dir, e);
	return err < 0 ? err : refuse_dump_in(d->dir, e);
}

/* Give a card its (next) file, with the header in it. */
static int begin_file(struct dump *d, size_t i, struct error *e)
{
	struct dump_card *c = &d->index.cards[i];
	char name[128];
	int err;

	dump_card_file(c, d->part, name, sizeof(name));
	if (d->slots[i] < 0) {
		err = journal_add(d->journal, name, e);
		if (err < 0)
			return err;
		d->slots[i] = err;
		c->has_file = true;
		c->first = d->part;
		d->index.counts.cards++;
	} else {
		err = journal_replace(d->journal, d->slots[i], name, e);
		if (err < 0)
			return err;
	}
	c->last = d->part;
	d->row.len = 0;
	csv_put_header(&d->row, &c->columns);
	d->index.counts.bytes += d->row.len;
	return journal_append(d->journal, d->slots[i], d->row.text, d->row.len, e);
}

static bool is_selected(const struct dump *d, int index)
{
	return index >= 0 && index < DEVICE_MAX &&
		(!d->config.selected || d->config.selected[index]);
}

/* A chip that is not read, or not read yet, gets its file when that changes. */
static bool deserves_file(const struct snapshot *s)
{
	return s->health != SNAPSHOT_PENDING && s->health != SNAPSHOT_NOT_READ;
}

/* Add chips that are new, and files of chips that now deserve one; *changed: there was one. */
static int take_in(struct dump *d, const struct fleet *fleet, bool *changed, struct error *e)
{
	struct dump_index *x = &d->index;
	int err = 0;

	for (size_t i = x->n; i < fleet->n && i < DEVICE_MAX; i++) {
		dump_card_init(&x->cards[i], &fleet->chips[i], d->config.external);
		d->slots[i] = -1;
		x->n++;
		*changed = true;
	}
	for (size_t i = 0; i < x->n && i < fleet->n && err == 0; i++) {
		const struct snapshot *s = &fleet->chips[i];
		struct dump_card *c = &x->cards[i];

		if (d->slots[i] >= 0 || !deserves_file(s) || !is_selected(d, s->index))
			continue;
		dump_card_init(c, s, d->config.external);
		dump_columns_build(&c->columns, d->config.wanted, s, d->config.external);
		if (d->config.utc)
			dump_columns_add_utc(&c->columns);
		err = begin_file(d, i, e);
		*changed = true;
	}
	return err;
}

static void init_index(struct dump *d, const struct dump_config *c, const struct fleet *fleet)
{
	struct dump_index *x = &d->index;

	mem_copy_text(x->tool, sizeof(x->tool), c->tool ? c->tool : "tt-smi");
	mem_copy_text(x->source, sizeof(x->source), fleet->origin->name);
	mem_copy_text(x->stand_in, sizeof(x->stand_in),
		fleet->origin->stand_in ? fleet->origin->stand_in : "");
	if (c->host)
		x->host = *c->host;
	if (c->external)
		x->host.hostname[0] = '\0';
	x->interval = c->interval;
	x->start_mono = c->start ? c->start : clock_mono();
	x->start_real = clock_real() - (clock_mono() - x->start_mono);
	x->cards = mem_calloc(DEVICE_MAX, sizeof(*x->cards));
	d->slots = mem_calloc(DEVICE_MAX, sizeof(*d->slots));
}

static void release_dump(struct dump *d)
{
	strbuf_clear(&d->row);
	free(d->index.cards);
	free(d->slots);
	free(d);
}

/* The journal's thread writes and syncs it, so that no tick waits for a disk. */
static int put_index(struct dump *d, bool fresh, struct error *e)
{
	struct strbuf text = { 0 };
	int err = 0;

	dump_index_put(&d->index, &text);
	if (fresh)
		err = journal_new_file(d->journal, DUMP_INDEX, &text, e);
	else
		journal_put_file(d->journal, &text);
	strbuf_clear(&text);
	return err;
}

int dump_open(const struct dump_config *c, const struct fleet *fleet, struct dump **out,
	struct error *e)
{
	struct dump *d = mem_calloc(1, sizeof(*d));
	bool changed = false;
	int err;

	d->config = *c;
	d->part = c->rotate_bytes || c->rotate_ns ? 1 : 0;
	init_index(d, c, fleet);
	err = make_dir(d, c->dir, e);
	if (err == 0)
		err = journal_open(-1, d->dir, &d->journal, e);
	if (err == 0)
		err = take_in(d, fleet, &changed, e);
	if (err == 0)
		err = put_index(d, true, e);
	if (err < 0) {
		/* A folder without a whole index is not a dump, and would block the name. */
		journal_discard(d->journal);
		if (d->made_dir)
			rmdir(d->dir);
		release_dump(d);
		return err;
	}
	*out = d;
	return 0;
}

/* Begin the next part of every file; remove the oldest part if there are too many. */
static int rotate_parts(struct dump *d, int64_t at, struct error *e)
{
	unsigned keep = d->config.keep;
	int err = 0;

	d->part++;
	d->part_start = at;
	for (size_t i = 0; i < d->index.n && err == 0; i++) {
		if (d->slots[i] < 0)
			continue;
		err = begin_file(d, i, e);
	}
	for (size_t i = 0; i < d->index.n && err == 0; i++) {
		struct dump_card *c = &d->index.cards[i];
		char name[128];

		if (!c->has_file || !keep || c->last - c->first < keep)
			continue;
		dump_card_file(c, c->first++, name, sizeof(name));
		err = journal_remove(d->journal, name, e);
	}
	if (err == 0)
		put_index(d, false, e);
	return err;
}

static bool rotate_is_due(const struct dump *d, int64_t at)
{
	if (d->config.rotate_ns && at - d->part_start >= d->config.rotate_ns)
		return true;
	for (size_t i = 0; i < d->index.n && d->config.rotate_bytes; i++)
		if (d->slots[i] >= 0 &&
			journal_size(d->journal, d->slots[i]) >= d->config.rotate_bytes)
			return true;
	return false;
}

/* Add a row for each card that has a file. */
static int put_rows(struct dump *d, const struct fleet *fleet, const struct tick *t,
	struct error *e)
{
	int err = 0;

	d->index.counts.unread = 0;
	for (size_t i = 0; i < d->index.n && i < fleet->n && err == 0; i++) {
		const struct snapshot *s = &fleet->chips[i];

		if (d->slots[i] < 0) {
			d->index.counts.unread += is_selected(d, s->index) && snapshot_miss(s);
			continue;
		}
		d->row.len = 0;
		csv_put_row(&d->row, &d->index.cards[i].columns, s, t);
		err = journal_append(d->journal, d->slots[i], d->row.text, d->row.len, e);
		if (err == 0) {
			d->index.counts.rows++;
			d->index.counts.bytes += d->row.len;
			d->index.counts.failed += snapshot_miss(s) != NULL;
		}
	}
	return err;
}

int dump_row(struct dump *d, const struct fleet *fleet, const struct dump_tick *of,
	struct error *e)
{
	bool changed = false;
	struct tick t;
	int err = 0;

	tick_judge(&d->clock, fleet, d->index.start_mono, d->config.interval, of->late, of->lost,
		&t);
	t.alerts = d->config.alerts;
	d->index.counts.lost += t.lost;
	if (d->index.counts.ticks > 0 && rotate_is_due(d, t.at))
		err = rotate_parts(d, t.at, e);
	if (err == 0)
		err = take_in(d, fleet, &changed, e);
	if (err == 0 && changed)
		put_index(d, false, e);
	if (err == 0)
		err = put_rows(d, fleet, &t, e);
	if (err < 0) {
		/* This tick is not in every file, so it is not counted. */
		mem_copy_text(d->index.error, sizeof(d->index.error), e->text);
		return err;
	}
	d->index.counts.ticks++;
	d->index.counts.late += t.is_late;
	return 0;
}

void dump_lose(struct dump *d, uint64_t ticks)
{
	d->index.counts.lost += ticks;
}

const char *dump_dir(const struct dump *d)
{
	return d->dir;
}

bool dump_is_elsewhere(const struct dump *d, char *path, size_t size)
{
	return journal_is_elsewhere(d->journal, path, size);
}

const struct dump_counts *dump_counts(struct dump *d)
{
	d->index.counts.unsynced = journal_age(d->journal, &d->index.counts.unsynced_most);
	return &d->index.counts;
}

void dump_stop(struct dump *d)
{
	if (d->stopped)
		return;
	d->stopped = true;
	d->index.complete = !d->index.error[0];
	d->index.ended = true;
	dump_counts(d);		/* that of the waits for the disk */
	put_index(d, false, NULL);
	journal_end(d->journal);
}

int dump_stop_fd(const struct dump *d)
{
	return journal_end_fd(d->journal);
}

int dump_close(struct dump *d, struct error *e)
{
	int err;

	if (!d)
		return 0;
	dump_stop(d);
	err = journal_close(d->journal, e);
	release_dump(d);
	return err;
}

void dump_leave(struct dump *d)
{
	dump_stop(d);
	journal_leave(d->journal);
	release_dump(d);
}
