/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load_words.c - the raw words of a snapshot file, by the names of any version:
 * words of the legacy struct are stored by index, all others by tag.
 */
#include "config.h"
#include "telemetry/load/load_chip.h"

#include "base/array.h"
#include "base/parse.h"
#include "telemetry/chip/chip.h"

#include <string.h>

/* Blackhole words under names that older versions of upstream's tool gave them. */
static const struct {
	const char *name;
	uint16_t tag;
} old_tags[] = {
	{ "ARC0_FW_VERSION", 29 }, { "FW_BUNDLE_VERSION", 28 }, { "DDR_FW_VERSION", 25 },
	{ "TENSIX_ENABLED_COL", 34 },
};

static void add_tag(struct raw *raw, int tag, uint32_t word)
{
	if (tag <= 0 || tag > UINT16_MAX || raw->n_tags >= RAW_TAGS)
		return;
	for (size_t i = 0; i < raw->n_tags; i++)
		if (raw->tags[i].tag == tag)
			return;
	raw->tags[raw->n_tags++] = (struct raw_tag){ (uint16_t)tag, word };
}

static int tag_of(const char *name)
{
	int tag;

	if (strncmp(name, "TAG_", 4) == 0) {
		uint64_t n;

		if (parse_u64(name + 4, &n))
			return n <= UINT16_MAX ? (int)n : -1;
		name += 4;
	}
	tag = tag_find_name(name);
	for (size_t i = 0; tag < 0 && i < ARRAY_LEN(old_tags); i++)
		if (strcmp(name, old_tags[i].name) == 0)
			tag = old_tags[i].tag;
	return tag;
}

static void add_legacy(struct raw *raw, const struct chip *chip, int i, uint32_t word)
{
	if (i < 0 || (size_t)i >= chip->n_legacy || i >= RAW_LEGACY)
		return;
	raw->n_legacy = chip->n_legacy < RAW_LEGACY ? chip->n_legacy : RAW_LEGACY;
	raw->legacy[i] = word;
	raw->legacy_known[i] = true;
}

static bool has_word(const struct raw *raw, const struct chip *chip, const char *name)
{
	int i = chip->n_legacy > 0 ? chip_legacy_find(chip, name) : -1, tag = tag_of(name);

	if (i >= 0 && i < RAW_LEGACY)
		return raw->legacy_known[i];
	for (size_t t = 0; t < raw->n_tags; t++)
		if (raw->tags[t].tag == tag)
			return true;
	return false;
}

static void add_named(struct raw *raw, const struct chip *chip, const char *name, uint32_t word)
{
	int i = chip->n_legacy > 0 ? chip_legacy_find(chip, name) : -1;

	if (i >= 0)
		add_legacy(raw, chip, i, word);
	else
		add_tag(raw, tag_of(name), word);
}

/*
 * Files written through luwen have null for a word of zero, such as the low half
 * of a galaxy's board id; the printed id has both halves (chip-facts 6.1).
 */
static void complete_board_id(struct raw *raw, const struct chip *chip, const struct json *entry)
{
	uint64_t id;

	if (!load_chip_board_id(entry, &id) || has_word(raw, chip, "BOARD_ID_HIGH") ==
						has_word(raw, chip, "BOARD_ID_LOW"))
		return;
	if (!has_word(raw, chip, "BOARD_ID_HIGH"))
		add_named(raw, chip, "BOARD_ID_HIGH", (uint32_t)(id >> 32));
	else
		add_named(raw, chip, "BOARD_ID_LOW", (uint32_t)id);
}

void load_words(struct raw *raw, const struct json *entry)
{
	const struct chip *chip = chip_find(raw->chip);
	const struct json *m;
	uint32_t word;

	if (!chip)
		return;
	for (m = json_child(json_get(entry, "tags")); m && json_key(m); m = json_next(m))
		if (json_get_word(m, &word))
			add_tag(raw, tag_of(json_key(m)), word);
	m = json_get(entry, "smbus_telem");
	for (m = json_is_object(m) ? json_child(m) : NULL; m && json_key(m); m = json_next(m))
		if (json_get_word(m, &word))
			add_named(raw, chip, json_key(m), word);
	complete_board_id(raw, chip, entry);
}
