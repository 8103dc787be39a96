/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_say.c - a fault of a card's memory in words.
 */
#include "config.h"
#include "burnin/card/memory_fault.h"

#include <stdio.h>

const char *memory_kind_name(enum memory_kind k)
{
	static const char *const names[] = { "fine", "stuck", "shifted", "aliased", "transient",
		"random", "unknown" };

	return names[k];
}

const char *memory_path_name(enum memory_path p)
{
	return p == MEMORY_READ ? "read" : p == MEMORY_WRITE ? "write" : NULL;
}

static bool is_one_bit(uint32_t bits)
{
	return bits && !(bits & (bits - 1));
}

static void put_kind(const struct memory_finding *f, char *text, size_t size)
{
	switch (f->kind) {
	case MEMORY_STUCK:
		snprintf(text, size, is_one_bit(f->bits) ? "a bit is stuck" : "bits are stuck");
		break;
	case MEMORY_SHIFTED:
		if (f->late[0] == f->late[1])
			snprintf(text, size, "late by %u bytes", f->late[0]);
		else
			snprintf(text, size, "late by %u and %u bytes in alternating chunks",
				f->late[0], f->late[1]);
		break;
	case MEMORY_ALIASED:
		snprintf(text, size, "0x%llx and 0x%llx are one cell",
			(unsigned long long)f->alias_at, (unsigned long long)f->alias_of);
		break;
	case MEMORY_TRANSIENT:
		snprintf(text, size, "wrong once, right when read again");
		break;
	case MEMORY_RANDOMLY:
		snprintf(text, size, "wrong without a rule");
		break;
	case MEMORY_UNNAMED:
		snprintf(text, size, "wrong, of an unknown kind");
		break;
	case MEMORY_FINE:
		snprintf(text, size, "right");
		break;
	}
}

/* "1, 17" */
static void put_list(uint32_t bits, char *text, size_t size)
{
	size_t len = 0;

	*text = '\0';
	for (unsigned i = 0; i < 32 && len < size; i++)
		if (bits >> i & 1)
			len += (size_t)snprintf(text + len, size - len, "%s%u", len ? ", " : "", i);
}

/* "byte lane 2", "byte lanes 0, 3", "byte lane 1, bit 13" */
static void put_place(const struct memory_finding *f, char *text, size_t size)
{
	uint32_t lanes = 0;
	char list[24], bits[24];

	for (unsigned k = 0; k < MEMORY_LANES; k++)
		lanes |= (uint32_t)(f->lane[k] > 0) << k;
	put_list(lanes, list, sizeof(list));
	if (is_one_bit(f->bits) || (f->kind == MEMORY_STUCK && is_one_bit(lanes))) {
		put_list(f->bits, bits, sizeof(bits));
		snprintf(text, size, "byte lane %s, bit%s %s", list,
			is_one_bit(f->bits) ? "" : "s", bits);
	} else if (lanes == (1u << MEMORY_LANES) - 1) {
		snprintf(text, size, "all byte lanes");
	} else {
		snprintf(text, size, "byte lane%s %s", is_one_bit(lanes) ? "" : "s", list);
	}
}

char *memory_finding_text(const struct memory_finding *f, char *text, size_t size)
{
	char kind[80], place[80], end[32] = "";

	put_kind(f, kind, sizeof(kind));
	put_place(f, place, sizeof(place));
	if (f->endpoint >= 0)
		snprintf(end, sizeof(end), ", endpoint %d alone", f->endpoint);
	snprintf(text, size, "channel %u%s: %s: %s%s: %llu of %llu words", f->channel, end, place,
		kind, f->path == MEMORY_READ ? " (when read)"
		: f->path == MEMORY_WRITE ? " (when written)" : "",
		(unsigned long long)f->wrong, (unsigned long long)f->words);
	return text;
}
