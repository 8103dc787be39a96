/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tag_table.c - two pointers, a table of tags and offsets, and an array of words
 * (chip-facts 2.2); or the older struct at a fixed place (2.3).
 *
 * Nothing from the chip is trusted: a pointer or an offset that leaves its memory
 * is not an address.  The layout is read once.  Later samples read the pointers
 * and the values, and the layout again if the firmware seems to have restarted.
 */
#include "config.h"
#include "telemetry/sampler/sampler_local.h"

#include "base/mem.h"
#include "device/kind.h"

#include <errno.h>
#include <string.h>

#define CSM_BASE 0x10000000u
#define CSM_SIZE 0x80000u	/* chip-facts 2.1 */
#define SPAN_MAX 512		/* words worth reading in one go, unused ones included */

enum { TAG_BUNDLE = 28, TAG_HEARTBEAT = 32 };

static bool in_csm(uint32_t at, uint64_t words)
{
	return at >= CSM_BASE && (at & 3) == 0 && at - CSM_BASE + 4 * words <= CSM_SIZE;
}

static struct reg_addr csm(const struct chip_map *map, uint32_t at)
{
	struct reg_addr r = map->csm;

	r.addr += at - CSM_BASE;
	return r;
}

static int fail_table(int code, struct error *e)
{
	if (code == -ENODEV)
		return fail_as(e, CODE_BEING_RESET, code, "not reachable: being reset, or the "
			"driver has let go of it");
	return fail(e, code, "reading the firmware's telemetry: %s", device_strerror(code));
}

static int read_pointers(struct device *d, const struct chip_map *map, uint32_t *table,
	uint32_t *values, struct error *e)
{
	int r = device_read(d, map->table_ptr, table, 1);

	if (r == 0)
		r = device_read(d, map->values_ptr, values, 1);
	if (r < 0)
		return fail_table(r, e);
	/* Older Wormhole firmware has something else in these registers. */
	if (map->legacy && (!in_csm(*table, 2) || !in_csm(*values, 1)))
		return fail_as(e, CODE_FIRMWARE_OLD, -ENOENT, "this firmware has no tag table");
	if (*table == 0 || *values == 0)
		return fail(e, -EHOSTDOWN, "firmware has not published its telemetry yet");
	if (!in_csm(*table, 2) || !in_csm(*values, 1))
		return fail(e, -EPROTO, "telemetry pointers 0x%x and 0x%x lead nowhere", *table,
			*values);
	return 0;
}

static void add_entry(struct tag_table_layout *l, uint32_t entry)
{
	uint16_t tag = (uint16_t)entry, offset = (uint16_t)(entry >> 16);

	if (tag == 0 || l->n == RAW_TAGS || !in_csm(l->values, offset + 1u))
		return;
	if (l->n == 0 || offset < l->low)
		l->low = offset;
	if (l->n == 0 || offset > l->high)
		l->high = offset;
	l->tag[l->n] = tag;
	l->offset[l->n++] = offset;
}

static int read_layout(struct device *d, const struct chip_map *map, struct tag_table_layout *l,
	struct error *e)
{
	uint32_t head[2], entries[TAG_TABLE_ENTRIES];
	int r = device_read(d, csm(map, l->table), head, 2);

	if (r < 0)
		return fail_table(r, e);
	if (head[0] == UINT32_MAX || (head[0] >> 16 & 0xff) > 1)
		return fail(e, -EPROTO, "telemetry table version 0x%x is not known", head[0]);
	if (head[1] == 0 || head[1] > TAG_TABLE_ENTRIES || !in_csm(l->table, 2 + (uint64_t)head[1]))
		return fail(e, -EPROTO, "telemetry table claims %u entries", head[1]);
	r = device_read(d, csm(map, l->table + 8), entries, head[1]);
	if (r < 0)
		return fail_table(r, e);
	l->n = 0;
	for (size_t i = 0; i < head[1]; i++)
		add_entry(l, entries[i]);
	l->known = l->n > 0;
	return l->known ? 0 : fail(e, -EPROTO, "telemetry table has no usable entry");
}

static int read_values(struct device *d, const struct chip_map *map, struct tag_table_layout *l,
	struct raw *raw, struct error *e)
{
	uint32_t words[SPAN_MAX], at = l->values + 4u * l->low;
	size_t span = (size_t)(l->high - l->low) + 1;
	bool whole = span <= ARRAY_LEN(words) && span <= 2 * l->n + 32;
	int r = whole ? device_read(d, csm(map, at), words, span) : 0;

	for (size_t i = 0; r == 0 && i < l->n; i++) {
		uint32_t word = whole ? words[l->offset[i] - l->low] : 0;

		if (!whole)
			r = device_read(d, csm(map, l->values + 4u * l->offset[i]), &word, 1);
		raw->tags[i] = (struct raw_tag){ .tag = l->tag[i], .word = word };
	}
	if (r < 0)
		return fail_table(r, e);
	raw->n_tags = l->n;
	return 0;
}

static uint32_t word_of(const struct raw *raw, uint16_t tag)
{
	const struct raw_tag *found = raw_find_tag(raw, tag);

	return found ? found->word : 0;
}

/* Whether these values come from the same run of the firmware as the layout. */
static bool same_firmware(const struct tag_table_layout *l, const struct raw *raw)
{
	return word_of(raw, TAG_BUNDLE) == l->bundle && word_of(raw, TAG_HEARTBEAT) >= l->beat;
}

int tag_table_read(struct device *d, const struct chip_map *map, struct tag_table_layout *l,
	struct raw *raw, struct error *e)
{
	uint32_t table, values;
	int r = read_pointers(d, map, &table, &values, e);
	bool old = l->known && l->table == table && l->values == values;

	if (r == 0 && old) {
		r = read_values(d, map, l, raw, e);
		old = r < 0 || same_firmware(l, raw);
	}
	if (r == 0 && !old) {
		*l = (struct tag_table_layout){ .table = table, .values = values };
		r = read_layout(d, map, l, e);
		if (r == 0)
			r = read_values(d, map, l, raw, e);
	}
	if (r < 0) {
		raw->n_tags = 0;
		l->known = false;
		return r;
	}
	l->bundle = word_of(raw, TAG_BUNDLE);
	l->beat = word_of(raw, TAG_HEARTBEAT);
	return 0;
}

uint32_t tag_table_beat(const struct tag_table_layout *l)
{
	for (size_t i = 0; l->known && i < l->n; i++)
		if (l->tag[i] == TAG_HEARTBEAT)
			return l->values + 4u * l->offset[i];
	return 0;
}

bool tag_table_find(const struct chip_map *map, uint32_t at, size_t n, struct reg_addr *found)
{
	if (!in_csm(at, n))
		return false;
	*found = csm(map, at);
	return true;
}

int tag_table_read_word(struct device *d, const struct chip_map *map, uint32_t at, uint32_t *word,
	struct error *e)
{
	int r;

	if (!in_csm(at, 1))
		return fail(e, -EPROTO, "telemetry at 0x%x: no such address", at);
	r = device_read(d, csm(map, at), word, 1);
	if (r < 0)
		return fail_table(r, e);
	return *word == UINT32_MAX ? fail(e, -EPROTO, "telemetry at 0x%x: all ones", at) : 0;
}

/* Word 1 holds the device id in either half (0 on a remote chip), words 4 and 5 the board id. */
static bool is_legacy(const struct chip *chip, const struct raw *raw, const uint32_t *w)
{
	uint16_t id = kind_of(chip->id)->pci_device;
	uint64_t board = (uint64_t)w[4] << 32 | w[5];

	if (board == 0 || board == UINT64_MAX)
		return false;
	if (w[1] >> 16 == id || (w[1] & 0xffff) == id)
		return true;
	return raw->remote && w[1] == 0 && board_find(board_upi(board));
}

int tag_table_read_legacy(struct device *d, const struct chip *chip, const struct chip_map *map,
	uint32_t at, struct raw *raw, struct error *e)
{
	size_t n = chip->n_legacy;
	bool ones = true;
	int r;

	if (n > RAW_LEGACY || !in_csm(at, n))
		return fail(e, -EPROTO, "legacy telemetry at 0x%x: no such address", at);
	r = device_read(d, csm(map, at), raw->legacy, n);
	if (r < 0)
		return fail_table(r, e);
	for (size_t i = 0; i < n; i++)
		ones = ones && raw->legacy[i] == UINT32_MAX;
	/* All ones is the answer of a dead chip; the decoder reports that. */
	if (!ones && !is_legacy(chip, raw, raw->legacy))
		return fail(e, -EPROTO, "no telemetry where this firmware should have it");
	raw->n_legacy = n;
	memset(raw->legacy_known, 1, n * sizeof(raw->legacy_known[0]));
	return 0;
}
