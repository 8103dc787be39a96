/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_say.c - a fault of a card's memory in words.
 */
#include "config.h"
#include "burnin/memory/memory_fault.h"

#include <stdio.h>

const char *memory_kind_name(enum memory_kind k)
{
	static const char *const names[] = { "fine", "stuck", "shifted", "aliased", "transient",
		"random", "unknown", "constant", "lost", "shared", "astray",
		"dark" };

	return names[k];
}

const char *memory_path_name(enum memory_path p)
{
	static const char *const names[] = { NULL, "read", "write", "both" };

	return names[p];
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
		snprintf(text, size, f->endpoint < 0 ? "0x%llx and 0x%llx are one cell"
			: "0x%llx leads to 0x%llx", (unsigned long long)f->alias_at,
			(unsigned long long)f->alias_of);
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
	case MEMORY_CONSTANT:
		snprintf(text, size, "reads as 0x%08x, whatever is written", f->constant);
		break;
	case MEMORY_LOST:
		snprintf(text, size, "what is written does not arrive");
		break;
	case MEMORY_SHARED:
		snprintf(text, size, "leads to one memory with channel %d", f->other);
		break;
	case MEMORY_ASTRAY:
		if (f->other >= 0)
			snprintf(text, size, "leads to channel %d", f->other);
		else
			snprintf(text, size, "leads to other memory than the others");
		break;
	case MEMORY_DARK:
		snprintf(text, size, "does not answer: every channel reads as all ones");
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

/* Whether reads or writes go wrong, for kinds where that is open. */
static const char *say_path(const struct memory_finding *f)
{
	static const char *const words[] = { " (when read or when written: not known)",
		" (when read)", " (when written)", " (when read and when written)" };
	const bool is_open = f->kind == MEMORY_SHIFTED || f->kind == MEMORY_RANDOMLY ||
		f->kind == MEMORY_UNNAMED;

	return f->path != MEMORY_UNKNOWN || is_open ? words[f->path] : "";
}

/* Kinds found from marks: they concern the whole way to the memory, not lanes. */
static bool is_of_marks(enum memory_kind k)
{
	return k == MEMORY_LOST || k == MEMORY_SHARED || k == MEMORY_ASTRAY;
}

char *memory_finding_text(const struct memory_finding *f, char *text, size_t size)
{
	char kind[80], place[80] = "", end[32] = "", events[48] = "";

	put_kind(f, kind, sizeof(kind));
	if (f->kind == MEMORY_DARK) {
		snprintf(text, size, "%s", kind);
		return text;
	}
	if (!is_of_marks(f->kind))
		put_place(f, place, sizeof(place));
	if (f->endpoint >= 0)
		snprintf(end, sizeof(end), ", endpoint %d alone", f->endpoint);
	if (f->events > 0)
		snprintf(events, sizeof(events), ", in %llu event%s",
			(unsigned long long)f->events, f->events == 1 ? "" : "s");
	snprintf(text, size, "channel %u%s: %s%s%s%s: %llu of %llu words%s", f->channel, end, place,
		*place ? ": " : "", kind, say_path(f), (unsigned long long)f->wrong,
		(unsigned long long)f->words, events);
	return text;
}
