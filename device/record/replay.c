/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.c - the transport that answers from a recording.
 *
 * The n-th sample of a device is answered from its n-th page, and the last page
 * answers for ever.  Each device's position is in shared memory, because the
 * worker process that reads may be replaced at any time.  An access that a page
 * lacks is answered from the device's first page, because some modes read
 * constant values only once.
 */
#include "config.h"
#include "device/record/record.h"

#include "base/file.h"
#include "base/mem.h"
#include "device/bus.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define FILE_LIMIT ((size_t)1 << 30)

/* A device's position, shared by all processes: pages and lists answered so far. */
struct place {
	atomic_size_t samples, holders;
};

/* This process's position on the track of a device. */
struct track {
	const struct replay_track *of;
	struct place *place;
	size_t page, at;		/* the page, and the position there */
	uint64_t sample;		/* stamp of the current sample, in used[] */
};

/* bus->priv */
struct tape {
	struct replay *r;
	struct track tracks[DEVICE_MAX];	/* by index in the recording */
	uint64_t *used;			/* by entry: the last sample it answered */
	struct place *places;		/* shared */
	int recorded[DEVICE_MAX];	/* index in the recording, by index on the bus */
};

static int tape_open(struct bus *bus, const char *where, struct error *e)
{
	struct replay *r;
	struct tape *t;
	int result = file_parse(where, FILE_LIMIT, replay_parse, &r, e);

	if (result < 0)
		return result;
	t = mem_calloc(1, sizeof(*t));
	t->r = r;
	t->used = mem_calloc(r->n_entries + 1, sizeof(*t->used));
	t->places = mem_share(DEVICE_MAX * sizeof(*t->places));
	for (size_t i = 0; i < r->n_devices; i++)
		t->tracks[i] = (struct track){ .of = &r->tracks[i], .place = &t->places[i] };
	bus->priv = t;
	mem_copy_text(bus->driver, sizeof(bus->driver), r->driver);
	return 0;
}

static void tape_close(struct bus *bus)
{
	struct tape *t = bus->priv;

	if (!t)
		return;
	free(t->used);
	mem_unshare(t->places, DEVICE_MAX * sizeof(*t->places));
	replay_free(t->r);
	free(t);
}

/* The index that a remote chip's local one will have on the bus, which sorts by BDF. */
static int rank(const struct replay *r, int local)
{
	int n = 0;

	for (size_t i = 0; i < r->n_devices; i++)
		n += *r->devices[i].bdf && strcmp(r->devices[i].bdf, r->devices[local].bdf) < 0;
	return n;
}

static ssize_t tape_scan(struct bus *bus, struct device *found, size_t max, struct error *e)
{
	const struct tape *t = bus->priv;
	size_t n = 0;

	(void)e;
	for (size_t i = 0; i < t->r->n_devices && n < max; i++) {
		if (!replay_has(t->r, (int)i))
			continue;
		found[n] = t->r->devices[i];
		if (found[n].local >= 0)
			found[n].local = rank(t->r, found[n].local);
		n++;
	}
	return (ssize_t)n;
}

static int tape_attach(struct device *d)
{
	struct tape *t = d->bus->priv;

	for (size_t i = 0; i < t->r->n_devices; i++) {
		const struct device *r = &t->r->devices[i];

		if (*d->bdf ? strcmp(r->bdf, d->bdf) == 0
			    : r->local >= 0 && rank(t->r, r->local) == d->local)
			t->recorded[d->index] = (int)i;
	}
	return 0;
}

static struct track *track_of(const struct device *d)
{
	struct tape *t = d->bus->priv;

	return &t->tracks[t->recorded[d->index]];
}

static int tape_begin_sample(struct device *d)
{
	struct track *k = track_of(d);
	const size_t n = atomic_fetch_add(&k->place->samples, 1), n_pages = k->of->n_pages;

	k->page = n < n_pages ? n : n_pages ? n_pages - 1 : 0;
	k->at = 0;
	k->sample = n + 1;
	return n > 0 && n >= n_pages ? -ENODATA : 0;
}

static bool is_same(const struct replay_entry *a, const struct replay_entry *b)
{
	return a->verb == b->verb && a->attr == b->attr && a->at.space == b->at.space &&
		a->at.x == b->at.x && a->at.y == b->at.y && a->at.addr == b->at.addr &&
		(a->verb != REPLAY_READ || a->n == b->n);
}

/* The page's next answer to this access, or the last one again; NULL if there is none. */
static const struct replay_entry *find_in(struct tape *t, struct track *k, size_t page,
	const struct replay_entry *key)
{
	const struct replay_page *p = &k->of->pages[page];
	const struct replay_entry *last = NULL;

	for (size_t i = 0; i < p->n; i++) {
		size_t at = p->first + (k->at + i) % p->n;
		const struct replay_entry *entry = &t->r->entries[at];

		if (!is_same(entry, key))
			continue;
		if (t->used[at] != k->sample) {
			t->used[at] = k->sample;
			k->at = at - p->first + 1;
			return entry;
		}
		if (!last || entry > last)
			last = entry;
	}
	return last;
}

static const struct replay_entry *find_entry(struct device *d, const struct replay_entry *key)
{
	struct tape *t = d->bus->priv;
	struct track *k = track_of(d);
	const struct replay_entry *found;

	if (k->of->n_pages == 0)
		return NULL;
	found = find_in(t, k, k->page, key);
	return found || k->page == 0 ? found : find_in(t, k, 0, key);
}

static ssize_t tape_attr(struct device *d, enum attr a, char *buf, size_t size)
{
	const struct replay_entry key = { .verb = REPLAY_ATTR, .attr = (uint8_t)a };
	const struct replay_entry *found = find_entry(d, &key);
	const struct tape *t = d->bus->priv;

	if (!found)
		return -ENODATA;
	if (found->result < 0)
		return found->result;
	if (found->n >= size)
		return -EFBIG;
	memcpy(buf, t->r->texts.text + found->data, found->n + 1);
	return (ssize_t)found->n;
}

static int tape_acquire(struct device *d, enum access_purpose purpose, enum device_handle how,
	struct error *e)
{
	const struct replay_entry key = { .verb = REPLAY_ACQUIRE };
	const struct replay_entry *found = find_entry(d, &key);
	const struct tape *t = d->bus->priv;

	(void)purpose, (void)how;
	if (!found)
		return fail_as(e, CODE_RECORDED, -ENODATA, "the recording has no register accesses "
			"here");
	if (found->result < 0)
		return fail_as(e, found->code ? found->code : code_find(found->result),
			found->result, "%s", found->n ? t->r->texts.text + found->data
						     : strerror(-found->result));
	return 0;
}

static int tape_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	const struct replay_entry key = { .verb = REPLAY_READ, .at = at, .n = (uint32_t)n };
	const struct replay_entry *found = find_entry(d, &key);
	const struct tape *t = d->bus->priv;

	if (!found)
		return -ENODATA;
	if (found->result == 0)
		memcpy(words, t->r->words + found->data, n * sizeof(*words));
	return found->result;
}

static int tape_write(struct device *d, struct reg_addr at, uint32_t word)
{
	const struct replay_entry key = { .verb = REPLAY_WRITE, .at = at };
	const struct replay_entry *found = find_entry(d, &key);

	return found && found->data == word ? found->result : -ENODATA;
}

static ssize_t tape_holders(struct device *d, pid_t *pids, size_t max, bool *partial)
{
	const struct tape *t = d->bus->priv;
	const struct track *k = track_of(d);
	const struct replay_holders *h;
	size_t n;

	if (k->of->n_holders == 0)
		return -ENODATA;
	n = atomic_fetch_add(&k->place->holders, 1);
	h = &k->of->holders[n < k->of->n_holders ? n : k->of->n_holders - 1];
	*partial = h->partial;
	for (ssize_t i = 0; i < h->result && (size_t)i < max; i++)
		pids[i] = (pid_t)t->r->words[h->first + (size_t)i];
	return h->result < (ssize_t)max ? h->result : (ssize_t)max;
}

/* The bytes belong to the list that tape_holders() returned last. */
static int tape_pinned(struct device *d, const pid_t *pids, size_t n, int64_t *bytes)
{
	const struct tape *t = d->bus->priv;
	const struct track *k = track_of(d);
	const size_t at = atomic_load(&k->place->holders);
	const struct replay_holders *h;
	const uint32_t *word;

	(void)pids;
	if (k->of->n_holders == 0 || at == 0)
		return -ENODATA;
	h = &k->of->holders[(at < k->of->n_holders ? at : k->of->n_holders) - 1];
	word = t->r->words + h->first_pinned;
	for (size_t i = 0; h->pinned == 0 && i < n && (ssize_t)i < h->result; i++)
		bytes[i] = (int64_t)((uint64_t)word[2 * i + 1] << 32 | word[2 * i]);
	return h->pinned;
}

const struct transport_ops transport_replay = {
	.name = "replay",
	.origin = &origin_replay,
	.open = tape_open,
	.close = tape_close,
	.scan = tape_scan,
	.attach = tape_attach,
	.attr = tape_attr,
	.acquire = tape_acquire,
	.read = tape_read,
	.write = tape_write,
	.holders = tape_holders,
	.pinned = tape_pinned,
	.begin_sample = tape_begin_sample,
};
