/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each field makes of a word that is 0, all ones, 0x80000000 or
 * 0xdeadbeef, from each source and on each chip, while the rest of the chip is
 * well.  A field that is new has to be decided here: no row, no pass.
 */
#include "config.h"
#include "base/mem.h"
#include "telemetry/chip/chip.h"
#include "telemetry/decode.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const uint32_t hostile[] = { 0, 0xffffffff, 0x80000000, 0xdeadbeef };

/*
 * One letter for each hostile word: o it is a value, i implausible, - there is
 * none.  NULL: no chip has it from there.  Of fields in a row (the temperatures
 * and counters of the memory modules) four stand for all.
 */
static const struct expected {
	enum field_id id;
	const char *tag, *legacy, *attr;
} table[] = {
	{ FIELD_VCORE, "iiii", "iiii", "iiii" },
	{ FIELD_CURRENT, "oiii", "oioi", "oiii" },
	{ FIELD_POWER, "oiii", "oioi", "oiii" },
	{ FIELD_BOARD_POWER, "-iii", NULL, NULL },
	{ FIELD_AICLK, "iiii", "iiii", "iiii" },
	{ FIELD_ARCCLK, "iiii", "iiii", "iiii" },
	{ FIELD_AXICLK, "iiii", "iiii", "iiii" },
	{ FIELD_L2CPUCLK0, "-iii", NULL, NULL },
	{ FIELD_L2CPUCLK1, "-iii", NULL, NULL },
	{ FIELD_L2CPUCLK2, "-iii", NULL, NULL },
	{ FIELD_L2CPUCLK3, "-iii", NULL, NULL },
	{ FIELD_ASIC_TEMP, "iiii", "iiii", "iiii" },
	{ FIELD_VREG_TEMP, "-iii", "-i-i", NULL },
	{ FIELD_BOARD_TEMP, "-iii", NULL, NULL },
	{ FIELD_INLET_TEMP, NULL, "-i-i", NULL },
	{ FIELD_OUTLET_TEMP1, NULL, "-i-i", NULL },
	{ FIELD_OUTLET_TEMP2, NULL, "-i-i", NULL },
	{ FIELD_GDDR_MAX_TEMP, "-iii", NULL, NULL },
	{ FIELD_GDDR_TEMP, "-i-i", NULL, NULL },
	{ FIELD_GDDR_TEMP + 1, "-i-i", NULL, NULL },
	{ FIELD_GDDR_TEMP + 2, "-i-i", NULL, NULL },
	{ FIELD_GDDR_TEMP + 3, "-ioi", NULL, NULL },
	{ FIELD_FAN_RPM, "o-ii", NULL, "o-ii" },
	{ FIELD_FAN_RPM2, "o-oi", NULL, NULL },
	{ FIELD_FAN_TARGET, "o-ii", NULL, NULL },
	{ FIELD_FAN_LEGACY, NULL, "o-oi", NULL },
	{ FIELD_FAN_LEGACY_REMOTE, NULL, "o-ii", NULL },
	{ FIELD_HEARTBEAT, "oioo", "oioo", "oioo" },
	{ FIELD_THROTTLE, "oiii", NULL, NULL },
	{ FIELD_THERM_TRIPS, "oiii", NULL, "oiii" },
	{ FIELD_PCIE_RX, NULL, NULL, NULL },
	{ FIELD_PCIE_TX, NULL, NULL, NULL },
	{ FIELD_BUSY, NULL, NULL, NULL },
	{ FIELD_BUSY_CORES, NULL, NULL, NULL },
	{ FIELD_BUSY_SOURCE, NULL, NULL, NULL },
	{ FIELD_VDD_MIN, "---i", "---i", NULL },
	{ FIELD_VDD_MAX, "--ii", "--ii", "-iii" },
	{ FIELD_CURRENT_LIMIT, "-iii", "-iii", "-iii" },
	{ FIELD_POWER_LIMIT, "-iii", "-iii", "-iii" },
	{ FIELD_BOARD_POWER_LIMIT, "-iii", NULL, NULL },
	{ FIELD_AICLK_LIMIT, "-iii", "-iii", NULL },
	{ FIELD_THROTTLE_TEMP, "-iii", "-i-i", "-iii" },
	{ FIELD_SHUTDOWN_TEMP, "-iii", "-iii", NULL },
	{ FIELD_BOARD_ID, "iioo", "iioo", "iioo" },
	{ FIELD_ASIC_ID, "iioo", NULL, "iioo" },
	{ FIELD_ASIC_ID_SHORT, "oioo", NULL, NULL },
	{ FIELD_ASIC_LOCATION, "oiii", NULL, NULL },
	{ FIELD_DEVICE_ID, NULL, "oioo", NULL },
	{ FIELD_ASIC_RO, NULL, "oioo", NULL },
	{ FIELD_ASIC_IDD, NULL, "oioo", NULL },
	{ FIELD_ENUM_VERSION, NULL, "oioo", NULL },
	{ FIELD_DRAM_STATUS, "oioo", "oioo", NULL },
	{ FIELD_DRAM_SPEED, "-iii", "i---", NULL },
	{ FIELD_DRAM_TRAINED, "o-oo", "o-oo", NULL },
	{ FIELD_DRAM_FAILED, "o-oo", "o-oo", NULL },
	{ FIELD_DRAM_BIST, "--oo", NULL, NULL },
	{ FIELD_DRAM_ENABLED, "-iii", NULL, NULL },
	{ FIELD_GDDR_STATUS_WORD, "oioo", "oioo", NULL },
	{ FIELD_GDDR_CORR_ERRS, "oooo", NULL, NULL },
	{ FIELD_GDDR_CORR_ERRS + 1, "oooo", NULL, NULL },
	{ FIELD_GDDR_CORR_ERRS + 2, "oooo", NULL, NULL },
	{ FIELD_GDDR_CORR_ERRS + 3, "oooo", NULL, NULL },
	{ FIELD_GDDR_UNCORR_ERRS, "oiii", NULL, NULL },
	{ FIELD_ETH_LIVE, "oioo", "oooo", NULL },
	{ FIELD_ETH_LINK, "oioo", "oooo", NULL },
	{ FIELD_ETH_RETRAIN, "oooo", "oooo", NULL },
	{ FIELD_ETH_ENABLED, "oiii", NULL, NULL },
	{ FIELD_TENSIX_COLS, "-iii", NULL, NULL },
	{ FIELD_TENSIX_ROWS, "-iii", NULL, NULL },
	{ FIELD_L2CPU_ENABLED, "oiii", NULL, NULL },
	{ FIELD_HARVESTING_STATE, "oioo", NULL, NULL },
	{ FIELD_NOC_TRANSLATION, "oiii", NULL, NULL },
	{ FIELD_PCIE_USAGE, "oiii", NULL, NULL },
	{ FIELD_FW_BUNDLE, "o-ii", "o-ii", "o-ii" },
	{ FIELD_TT_FLASH, "--oo", "--oo", "o-oo" },
	{ FIELD_CM_FW, "o-oo", "o-oo", "o-oo" },
	{ FIELD_FW_DATE, "--ii", "--ii", NULL },
	{ FIELD_ETH_FW, "o-ii", "o-ii", "o-oo" },
	{ FIELD_DM_BL_FW, "o-oo", "o-oo", "o-oo" },
	{ FIELD_DM_APP_FW, "o-oo", "o-oo", "o-oo" },
	{ FIELD_GDDR_FW, "--ii", NULL, NULL },
	{ FIELD_L2CPU_FW, "o-oo", NULL, NULL },
	{ FIELD_ARC1_FW, NULL, "o-oo", NULL },
	{ FIELD_ARC2_FW, NULL, "o-oo", NULL },
	{ FIELD_ARC3_FW, NULL, "o-oo", NULL },
	{ FIELD_SPIBOOTROM_FW, NULL, "o-oo", NULL },
	{ FIELD_BOOT_DATE, NULL, "--ii", NULL },
	{ FIELD_RT_SECONDS, NULL, "o-oo", NULL },
	{ FIELD_UPDATE_SPEED, "-iii", NULL, NULL },
	{ FIELD_TAG_COUNT, "-iii", NULL, NULL },
	{ FIELD_AICLK_ARB_MIN, "oioo", NULL, NULL },
	{ FIELD_AICLK_ARB_MAX, "oioo", NULL, NULL },
	{ FIELD_ENABLED_MIN_ARB, "oioo", NULL, NULL },
	{ FIELD_ENABLED_MAX_ARB, "oioo", NULL, NULL },
	{ FIELD_AICLK_PPM_INFO, "oioo", NULL, NULL },
	{ FIELD_AICLK_HOST_LIMIT, "-iii", NULL, NULL },
	{ FIELD_SMBUS_ERRORS, "oioo", NULL, NULL },
	{ FIELD_GDDR_PORTS, "oioo", NULL, NULL },
	{ FIELD_GDDR_IO_POWER_WEST, "oiii", NULL, NULL },
	{ FIELD_GDDR_IO_POWER_EAST, "oiii", NULL, NULL },
	{ FIELD_KERNEL_THROTTLER, "oioo", NULL, NULL },
	{ FIELD_KERNEL_THROTTLER_STOP, "-iii", NULL, NULL },
	{ FIELD_NOP_STARTS, "oioo", NULL, NULL },
	{ FIELD_NOP_TIME, "oiii", NULL, NULL },
	{ FIELD_FW_CAPABILITIES, "oioo", NULL, NULL },
	{ FIELD_FW_CONFIG, "oioo", NULL, NULL },
	{ FIELD_FLASH_ID, "-iii", NULL, NULL },
	{ FIELD_ARC0_HEALTH, NULL, "oioo", NULL },
	{ FIELD_ARC1_HEALTH, NULL, "oioo", NULL },
	{ FIELD_ARC2_HEALTH, NULL, "oioo", NULL },
	{ FIELD_ARC3_HEALTH, NULL, "oioo", NULL },
	{ FIELD_FAULTS, NULL, "oioo", NULL },
	{ FIELD_THROTTLER, NULL, "oioo", NULL },
	{ FIELD_PCIE_STATUS, NULL, "oioo", NULL },
	{ FIELD_ETH_STATUS0, NULL, "oioo", NULL },
	{ FIELD_ETH_STATUS1, NULL, "oioo", NULL },
	{ FIELD_ETH_DEBUG_STATUS0, NULL, "oioo", NULL },
	{ FIELD_ETH_DEBUG_STATUS1, NULL, "oioo", NULL },
	{ FIELD_ETH_LOOPBACK_STATUS, NULL, "oioo", NULL },
	{ FIELD_ASIC_TMON0, NULL, "oioo", NULL },
	{ FIELD_ASIC_TMON1, NULL, "oioo", NULL },
	{ FIELD_MVDDQ_POWER, NULL, "oioo", NULL },
	{ FIELD_GDDR_TRAIN_TEMP0, NULL, "oioo", NULL },
	{ FIELD_GDDR_TRAIN_TEMP1, NULL, "oioo", NULL },
	{ FIELD_AUX_STATUS, NULL, "oioo", NULL },
	{ FIELD_ASIC_POWER, NULL, "oioo", NULL },
	{ FIELD_INPUT_CURRENT, "oioo", NULL, NULL },
};

/* Where one chip differs from the others. */
static const struct {
	enum device_chip chip;
	struct expected is;
} exceptions[] = {
	/* Grayskull's firmware writes 0xffff in half a word for "there is none". */
	{ DEVICE_GRAYSKULL, { FIELD_VREG_TEMP, NULL, "---i", NULL } },
	{ DEVICE_GRAYSKULL, { FIELD_CURRENT_LIMIT, NULL, "--ii", NULL } },
	{ DEVICE_GRAYSKULL, { FIELD_POWER_LIMIT, NULL, "--ii", NULL } },
	{ DEVICE_GRAYSKULL, { FIELD_AICLK_LIMIT, NULL, "--ii", NULL } },
	{ DEVICE_GRAYSKULL, { FIELD_THROTTLE_TEMP, NULL, "---i", NULL } },
	{ DEVICE_GRAYSKULL, { FIELD_SHUTDOWN_TEMP, NULL, "--ii", NULL } },
	{ DEVICE_GRAYSKULL, { FIELD_DRAM_SPEED, NULL, "--ii", NULL } },
	/* Wormhole has six memory channels, and 16 bits of ethernet that may all be set. */
	{ DEVICE_WORMHOLE, { FIELD_DRAM_STATUS, "oiii", NULL, NULL } },
	{ DEVICE_WORMHOLE, { FIELD_DRAM_TRAINED, "o---", NULL, NULL } },
	{ DEVICE_WORMHOLE, { FIELD_DRAM_FAILED, "o---", NULL, NULL } },
	{ DEVICE_WORMHOLE, { FIELD_DRAM_BIST, "----", NULL, NULL } },
	{ DEVICE_WORMHOLE, { FIELD_ETH_LIVE, "oooo", NULL, NULL } },
	{ DEVICE_WORMHOLE, { FIELD_ETH_LINK, "oooo", NULL, NULL } },
};

static struct snapshot s;

static char letter_of(uint8_t state)
{
	static const char letters[] = {
		[READING_ABSENT] = '-', [READING_OK] = 'o', [READING_FAILED] = 'f',
		[READING_IMPLAUSIBLE] = 'i', [READING_STALE] = 's', [READING_UNJUDGED] = 'u',
	};

	return state < ARRAY_LEN(letters) ? letters[state] : '?';
}

/* The first four of several fields in a row stand for all. */
static enum field_id folded(enum field_id id)
{
	if (id >= FIELD_GDDR_TEMP && id <= FIELD_GDDR_TEMP_END)
		return FIELD_GDDR_TEMP + (id - FIELD_GDDR_TEMP) % 4;
	if (id >= FIELD_GDDR_CORR_ERRS && id <= FIELD_GDDR_CORR_ERRS_END)
		return FIELD_GDDR_CORR_ERRS + (id - FIELD_GDDR_CORR_ERRS) % 4;
	return id;
}

static const char *by_table(const struct expected *e, enum chip_table t)
{
	return t == CHIP_LEGACY ? e->legacy : t < CHIP_LEGACY ? e->tag : e->attr;
}

/* What this source of this chip has to give for the field; NULL where that was not decided. */
static const char *expected(enum device_chip chip, enum chip_table t, enum field_id id)
{
	for (size_t i = 0; i < ARRAY_LEN(exceptions); i++)
		if (exceptions[i].chip == chip && exceptions[i].is.id == folded(id) &&
			by_table(&exceptions[i].is, t))
			return by_table(&exceptions[i].is, t);
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (table[i].id == folded(id))
			return by_table(&table[i], t);
	return NULL;
}

static void put_word(enum chip_table t, unsigned key, uint32_t word)
{
	if (t == CHIP_LEGACY) {
		s.raw.n_legacy = RAW_LEGACY;
		s.raw.legacy[key] = word;
		s.raw.legacy_known[key] = true;
	} else {
		s.raw.tags[s.raw.n_tags++] = (struct raw_tag){ (uint16_t)key, word };
	}
}

/* The text that the driver makes of the word, or the word as a number. */
static void put_attr(const struct decode *row, uint32_t w)
{
	char *text = s.raw.attr[row->key];

	switch ((enum decode_kind)row->kind) {
	case DECODE_TEXT_HEX:
		snprintf(text, ATTR_TEXT, "%08" PRIX32 "%08" PRIX32, w, w);
		break;
	case DECODE_TEXT_VERSION4:
		snprintf(text, ATTR_TEXT, "%u.%u.%u.%u", w >> 24, w >> 16 & 255, w >> 8 & 255,
			w & 255);
		break;
	case DECODE_TEXT_VERSION3:
		snprintf(text, ATTR_TEXT, "%u.%u.%u", w >> 16 & 255, w >> 12 & 15, w & 4095);
		break;
	default:
		snprintf(text, ATTR_TEXT, "%" PRIu32, w);
		break;
	}
}

/* A chip that lives, and whose firmware is one that the row is about. */
static void begin(const struct chip *chip, const struct decode *row)
{
	uint32_t bundle = row->from ? row->from : row->to ? row->to - 1 : 0;

	memset(&s, 0, sizeof(s));
	s.local = -1;
	s.chip = s.raw.chip = chip->id;
	put_word(CHIP_TAGS, 200, 1);
	if (bundle)
		snprintf(s.raw.attr[ATTR_TT_FW_BUNDLE_VER], ATTR_TEXT, "%u.%u.0.0", bundle >> 24,
			bundle >> 16 & 255);
}

static void sample(const struct chip *chip, enum chip_table t, const struct decode *row,
	uint32_t word)
{
	begin(chip, row);
	if (t >= CHIP_COMMON_ATTRS)
		put_attr(row, word);
	else
		put_word(t, row->key, word);
	if (row->kind == DECODE_HIGH64)
		put_word(t, row[1].key, word);
	if (row->kind == DECODE_BUNDLE)
		put_word(t, 6, (uint32_t)row->mul);
	decode_snapshot(&s);
}

static void compare(const struct chip *chip, enum chip_table t, const struct decode *row,
	enum field_id id)
{
	const char *expect = expected(chip->id, t, id);
	char got[ARRAY_LEN(hostile) + 1] = "";
	bool finding = false;

	for (size_t i = 0; i < ARRAY_LEN(hostile); i++) {
		sample(chip, t, row, hostile[i]);
		got[i] = letter_of(s.r[id].state);
		for (size_t f = 0; f < s.n_findings; f++)
			finding |= strcmp(s.findings[f].id, "implausible") == 0;
		if (got[i] == 'i' && !finding)
			fail_msg("%s: 0x%x is implausible without a finding", fields[id].key,
				hostile[i]);
	}
	if (!expect || strcmp(expect, got) != 0)
		fail_msg("%s of %s, table %d: gives %s, to be %s", fields[id].key, chip->name,
			(int)t, got, expect ? expect : "decided in this test");
}

static void compare_row(const struct chip *chip, enum chip_table t, const struct decode *row)
{
	switch ((enum decode_kind)row->kind) {
	case DECODE_LOW64:	/* goes with the row above it */
		return;
	case DECODE_DDR_2BIT:
	case DECODE_DDR_2BIT_SPARE:
	case DECODE_DDR_4BIT_WH:
	case DECODE_DDR_4BIT_GS:
		compare(chip, t, row, FIELD_DRAM_TRAINED);
		compare(chip, t, row, FIELD_DRAM_FAILED);
		if (row->kind != DECODE_DDR_4BIT_WH && row->kind != DECODE_DDR_4BIT_GS)
			compare(chip, t, row, FIELD_DRAM_BIST);
		break;
	case DECODE_FAN_PAIR:
		compare(chip, t, row, FIELD_FAN_RPM2);
		break;
	default:
		break;
	}
	compare(chip, t, row, row->field);
}

static void each_field_of_each_source_makes_of_hostile_words_what_was_decided(void **state)
{
	(void)state;
	for (enum device_chip c = DEVICE_UNKNOWN + 1; c < DEVICE_CHIPS; c++)
		for (enum chip_table t = 0; t < CHIP_TABLES; t++)
			for (const struct decode *row = chip_rows(chip_find(c), t);
				row->field != FIELD_NONE; row++)
				compare_row(chip_find(c), t, row);
}

static void each_field_is_decided(void **state)
{
	(void)state;
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++) {
		bool found = false;

		for (size_t i = 0; i < ARRAY_LEN(table); i++)
			found |= table[i].id == folded(id);
		if (!found)
			fail_msg("%s is not in the table", fields[id].key);
	}
}

static size_t count_ok(void)
{
	size_t n = 0;

	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		n += s.r[id].state == READING_OK;
	return n;
}

static void expect_nothing_believed(void)
{
	assert_int_equal(count_ok(), 0);
	assert_int_equal(s.health, SNAPSHOT_WARN);
	assert_string_equal(s.findings[0].id, "implausible");
	assert_non_null(strstr(s.findings[0].text, "says the same of everything"));
}

/* Entries that point nowhere give zeros; those that point at one place, its word. */
static void a_table_that_says_one_word_throughout_is_not_believed(void **state)
{
	static const uint32_t cases[] = { 0, 1, 1025, 0x80000000, 0xdeadbeef };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (enum device_chip c = DEVICE_UNKNOWN + 1; c < DEVICE_CHIPS; c++) {
			const struct chip *chip = chip_find(c);

			memset(&s, 0, sizeof(s));
			s.local = -1;
			s.chip = s.raw.chip = c;
			for (unsigned key = 1; chip->n_legacy == 0 && key < 70; key++)
				put_word(CHIP_TAGS, key, cases[i]);
			for (unsigned key = 0; key < chip->n_legacy; key++)
				put_word(CHIP_LEGACY, key, cases[i]);
			decode_snapshot(&s);
			expect_nothing_believed();
			/* What another source says stands. */
			snprintf(s.raw.attr[ATTR_HWMON_VCORE], ATTR_TEXT, "720");
			decode_snapshot(&s);
			assert_int_equal(count_ok(), 1);
			assert_int_equal(s.r[FIELD_VCORE].value, 720);
		}
	}
}

static void a_table_of_one_tag_over_and_over_is_not_believed(void **state)
{
	(void)state;
	memset(&s, 0, sizeof(s));
	s.local = -1;
	s.chip = s.raw.chip = DEVICE_BLACKHOLE;
	for (uint32_t i = 0; i < 70; i++)
		put_word(CHIP_TAGS, 7, 1025 + i);
	decode_snapshot(&s);
	expect_nothing_believed();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_field_of_each_source_makes_of_hostile_words_what_was_decided),
		cmocka_unit_test(each_field_is_decided),
		cmocka_unit_test(a_table_that_says_one_word_throughout_is_not_believed),
		cmocka_unit_test(a_table_of_one_tag_over_and_over_is_not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
