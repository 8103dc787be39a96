/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_replay.c - the reader of recordings: whatever it takes, all that its
 * tables point at is inside of them.
 */
#include "config.h"
#include "device/bus.h"
#include "device/record/record.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
	if (!truth)
		abort();
}

static void check_entry(const struct replay *r, const struct replay_entry *entry)
{
	switch ((enum replay_verb)entry->verb) {
	case REPLAY_ATTR:
	case REPLAY_ACQUIRE:
		must(entry->n == 0 || entry->data + entry->n < r->texts.len);
		break;
	case REPLAY_READ:
		must(entry->result < 0 || entry->data + entry->n <= r->n_words);
		break;
	case REPLAY_WRITE:
		break;
	case REPLAY_NONE:
		must(false);
	}
	must(entry->result <= 0 && entry->attr < ATTR_COUNT);
}

static void check_track(const struct replay *r, const struct replay_track *t)
{
	for (size_t i = 0; i < t->n_pages; i++)
		must(t->pages[i].first + t->pages[i].n <= r->n_entries);
	for (size_t i = 0; i < t->n_holders; i++)
		must((t->holders[i].result < 0 ||
			t->holders[i].first + (size_t)t->holders[i].result <= r->n_words) &&
			(t->holders[i].pinned < 0 || t->holders[i].first_pinned +
				2 * (size_t)t->holders[i].result <= r->n_words));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error e = { 0 };
	struct replay *r = NULL;

	if (replay_parse((const char *)data, size, &r, &e) < 0) {
		must(e.code < 0 && *e.text);
		return 0;
	}
	must(r->n_devices <= DEVICE_MAX);
	for (size_t i = 0; i < r->n_devices; i++)
		must(r->devices[i].local < (int)i && r->devices[i].index == (int)i &&
			strlen(r->devices[i].bdf) < sizeof(r->devices[i].bdf));
	for (size_t i = 0; i < r->n_entries; i++)
		check_entry(r, &r->entries[i]);
	for (size_t i = 0; i < r->n_devices; i++)
		check_track(r, &r->tracks[i]);
	replay_free(r);
	return 0;
}
