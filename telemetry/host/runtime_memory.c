/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runtime_memory.c - the layout of these files, and which entries are believed.
 *
 * Facts: github.com/tenstorrent/tt-metal, tt_metal/impl/memory_tracking/memory_stats_shm.{hpp,cpp}
 * (the header as of 0dfca167ee1a): the layout and its versions (2 to 4 have the table of processes
 * in the same place, 4 says when it is ready), mode 0600, the pid from getpid(), time since 1970,
 * and that a killed process leaves its entry behind.  The number in a file's name is UMD's
 * "chip unique id": github.com/tenstorrent/tt-umd at 3ed9cb6d0533, device/topology/
 * topology_discovery*.cpp: the chip's own number (a Blackhole without a link, a galaxy); board
 * and place (any other Blackhole); the board's number (a Wormhole without a link); and on a
 * Wormhole with a link two words of an ethernet core, which telemetry does not have: its file is
 * found only where these words equal the chip's number.
 */
#include "config.h"
#include "telemetry/host/host.h"

#include "base/file.h"
#include "base/path.h"
#include "telemetry/field.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	AT_VERSION = 0, AT_ID = 32, AT_SLOTS = 856, AT_READY = 8536, FILE_SIZE = 8576,
	SLOT_SIZE = 120, SLOT_PID = 0, SLOT_BYTES = 8, SLOT_TIME = 48,
	VERSION_FIRST = 2, VERSION_READY = 4, VERSION_LAST = 4
};

#define READY		0x52454459U
#define MOST_BYTES	((uint64_t)1 << 40)	/* more than any chip has */
#define PLACE_BITS	5	/* of a chip's place on its board, below the board's number */
#define PAIRS		3	/* of readings at most, until both agree */

void runtime_memory_ids(const struct snapshot *s, uint64_t ids[static RUNTIME_MEMORY_IDS])
{
	const struct reading *asic = &s->r[FIELD_ASIC_ID], *board = &s->r[FIELD_BOARD_ID];
	const struct reading *place = &s->r[FIELD_ASIC_LOCATION];

	memset(ids, 0, RUNTIME_MEMORY_IDS * sizeof(*ids));
	if (reading_has_value(asic))
		ids[0] = (uint64_t)asic->value;
	if (!reading_has_value(board))
		return;
	ids[1] = (uint64_t)board->value;
	if (reading_has_value(place))
		ids[2] = (uint64_t)board->value << PLACE_BITS |
			((uint64_t)place->value & ((1 << PLACE_BITS) - 1));
}

static bool is_of_another(uint64_t id, uint64_t (*ids)[RUNTIME_MEMORY_IDS], size_t n, size_t at)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < RUNTIME_MEMORY_IDS && i != at; k++)
			if (ids[i][k] == id)
				return true;
	return false;
}

void runtime_memory_part(uint64_t (*ids)[RUNTIME_MEMORY_IDS], size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < RUNTIME_MEMORY_IDS; k++) {
			const uint64_t id = ids[i][k];

			if (id == 0 || !is_of_another(id, ids, n, i))
				continue;
			for (size_t j = i; j < n; j++)
				for (size_t l = 0; l < RUNTIME_MEMORY_IDS; l++)
					if (ids[j][l] == id)
						ids[j][l] = 0;
		}
}

static uint32_t word_at(const uint8_t *data)
{
	uint32_t word;

	memcpy(&word, data, sizeof(word));
	return word;
}

static uint64_t number_at(const uint8_t *data)
{
	uint64_t number;

	memcpy(&number, data, sizeof(number));
	return number;
}

/* A slot that cannot be true gets pid 0. */
static void parse_slot(const uint8_t *data, struct runtime_memory_slot *slot)
{
	const uint64_t time = number_at(data + SLOT_TIME);
	const pid_t pid = (pid_t)word_at(data + SLOT_PID);

	*slot = (struct runtime_memory_slot){ .time = (int64_t)time };
	if (pid <= 0 || time > INT64_MAX)
		return;
	for (size_t i = 0; i < PROCESS_MEMORIES; i++) {
		const uint64_t bytes = number_at(data + SLOT_BYTES + i * sizeof(bytes));

		if (bytes > MOST_BYTES)
			return;
		slot->bytes[i] = (int64_t)bytes;
	}
	slot->pid = pid;
}

bool runtime_memory_parse(const void *data, size_t len, uint64_t id, struct runtime_memory *m)
{
	const uint8_t *at = data;
	uint32_t version;

	if (len != FILE_SIZE)
		return false;
	version = word_at(at + AT_VERSION);
	if (version < VERSION_FIRST || version > VERSION_LAST || number_at(at + AT_ID) != id)
		return false;
	if (version >= VERSION_READY && word_at(at + AT_READY) != READY)
		return false;
	for (size_t i = 0; i < RUNTIME_MEMORY_SLOTS; i++)
		parse_slot(at + AT_SLOTS + i * SLOT_SIZE, &m->slots[i]);
	return true;
}

static bool read_once(int fd, uint64_t id, struct runtime_memory *m)
{
	uint8_t data[FILE_SIZE];

	return file_read_exact(fd, data, sizeof(data), 0) == 0 &&
		runtime_memory_parse(data, sizeof(data), id, m);
}

bool runtime_memory_settle(const struct runtime_memory *before, struct runtime_memory *m)
{
	bool settled = true;

	for (size_t i = 0; i < RUNTIME_MEMORY_SLOTS; i++) {
		const struct runtime_memory_slot *was = &before->slots[i];
		struct runtime_memory_slot *is = &m->slots[i];

		if (was->pid == is->pid && memcmp(was->bytes, is->bytes, sizeof(is->bytes)) == 0)
			continue;
		is->pid = 0;
		settled = false;
	}
	return settled;
}

/* Read twice: a slot that its owner is just writing differs between the readings. */
static bool read_settled(int fd, uint64_t id, struct runtime_memory *m)
{
	struct runtime_memory before;

	for (int i = 0; i < PAIRS; i++)
		if (!read_once(fd, id, &before) || !read_once(fd, id, m))
			return false;
		else if (runtime_memory_settle(&before, m))
			break;
	return true;
}

/* The processes that hold a chip, and which of them already have an entry in a file. */
struct holding {
	struct process *p;
	size_t n;
	bool is_tree;
	bool is_claimed[RUNTIME_MEMORY_SLOTS];
};

/* The owner of a recorded tree's files is just the user who unpacked it: they are trusted. */
static bool is_trusted(const struct holding *h, const struct stat *st, const struct process *p)
{
	return h->is_tree || (!(st->st_mode & (S_IWGRP | S_IWOTH)) &&
		(st->st_uid == 0 || (int64_t)st->st_uid == p->uid));
}

static void claim(struct holding *h, const struct stat *st, const struct runtime_memory_slot *slot)
{
	size_t whose = h->n;

	for (size_t i = 0; i < h->n; i++) {
		if (h->p[i].seen_as != slot->pid)
			continue;
		if (whose < h->n)
			return;		/* two processes, in different pid namespaces */
		whose = i;
	}
	if (whose == h->n || !h->p[whose].started || slot->time < h->p[whose].started ||
		!is_trusted(h, st, &h->p[whose]))
		return;
	/* Two entries for one process: its memory is not known. */
	h->p[whose].has_memory = !h->is_claimed[whose];
	h->is_claimed[whose] = true;
	memcpy(h->p[whose].memory, slot->bytes, sizeof(slot->bytes));
}

static void take_file(struct holding *h, const char *path, uint64_t id)
{
	struct runtime_memory m;
	struct stat st;
	/* Never mapped: the file's owner may truncate it at any moment. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == FILE_SIZE &&
		read_settled(fd, id, &m))
		for (size_t i = 0; i < RUNTIME_MEMORY_SLOTS; i++)
			if (m.slots[i].pid > 0)
				claim(h, &st, &m.slots[i]);
	close(fd);
}

void runtime_memory_fill(const char *root, const uint64_t ids[static RUNTIME_MEMORY_IDS],
	struct process *p, size_t n)
{
	struct holding h = { .p = p, .n = n < RUNTIME_MEMORY_SLOTS ? n : RUNTIME_MEMORY_SLOTS,
		.is_tree = strcmp(root, "/") != 0 };
	char path[512];

	for (size_t k = 0; k < RUNTIME_MEMORY_IDS && n > 0; k++) {
		if (ids[k] == 0)
			continue;
		snprintf(path, sizeof(path), "%s/dev/shm/tt_device_%" PRIu64 "_memory", root,
			ids[k]);
		if (path_resolve_below(path, sizeof(path), strlen(root)) == 0)
			take_file(&h, path, ids[k]);
	}
}
