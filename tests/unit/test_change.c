/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_change.c - what of two snapshots differs in a way that matters, and which card is which. */
#include "config.h"
#include "base/mem.h"
#include "telemetry/change.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#define N 4

/* A p150a, an n300 with its second chip, and another p150a; all that a card can say is known. */
static struct snapshot was[N], is[N];
static struct host hosts[2];
static const struct change_side sides[2] = {
	{ .host = &hosts[0], .chips = was, .n = N }, { .host = &hosts[1], .chips = is, .n = N } };
static struct change_report report;

static void fill(struct snapshot *s, int index)
{
	static const struct {
		enum device_chip chip;
		const char *bdf, *series;
		int local;
		uint64_t serial;
	} cards[N] = {
		{ DEVICE_BLACKHOLE, "0000:01:00.0", "p150a", -1, 0x0000040331921011 },
		{ DEVICE_WORMHOLE, "0000:c1:00.0", "n300 L", -1, 0x010001461192717d },
		{ DEVICE_WORMHOLE, "", "n300 R", 1, 0x010001461192717d },
		{ DEVICE_BLACKHOLE, "0002:41:00.0", "p150a", -1, 0x0000040331921022 },
	};

	*s = (struct snapshot){ .index = index, .local = cards[index].local,
		.chip = cards[index].chip, .health = SNAPSHOT_OK,
		.link = { .known = cards[index].local < 0, .speed = 32000, .width = 16 } };
	mem_copy_text(s->bdf, sizeof(s->bdf), cards[index].bdf);
	mem_copy_text(s->series, sizeof(s->series), cards[index].series);
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		s->r[id] = (struct reading){ .state = READING_OK, .value = 1000 };
	s->r[FIELD_BOARD_ID].value = (int64_t)cards[index].serial;
	s->r[FIELD_ASIC_LOCATION].value = cards[index].local >= 0;
}

static int set_up(void **state)
{
	(void)state;
	for (int i = 0; i < N; i++) {
		fill(&was[i], i);
		fill(&is[i], i);
	}
	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		hosts[i] = (struct host){ .driver = "TT-KMD 2.10.0" };
		mem_copy_text(hosts[i].kernel, sizeof(hosts[i].kernel), "6.8.0");
	}
	return 0;
}

static void compare(void)
{
	change_clear(&report);
	change_find(&sides[0], &sides[1], &report);
}

static const struct change_item *of_now(int place)
{
	static const struct change_item none = { .was = -1, .is = -1 };

	for (size_t i = 0; i < report.n; i++)
		if (report.cards[i].is == place)
			return &report.cards[i];
	return &none;
}

/* The keys of what changed of the first card. */
static const char *keys(char *buf, size_t size)
{
	const struct change_item *c = of_now(0);

	*buf = '\0';
	for (size_t i = 0; i < c->n; i++)
		snprintf(buf + strlen(buf), size - strlen(buf), "%s%s", i > 0 ? " " : "",
			c->changes[i].key);
	return buf;
}

static void the_same_is_alike(void **state)
{
	(void)state;
	compare();
	assert_int_equal(report.count[CHANGE_ALIKE], N);
	assert_false(report.differs || report.unknown);
}

static void each_field_matters_or_does_not(void **state)
{
	/* What --compare is for; the rest moves, or is as engineers name it. */
	static const enum field_group groups[] = { FIELD_GROUP_LIMIT, FIELD_GROUP_ETHERNET };
	static const enum field_id matter[] = { FIELD_FW_BUNDLE, FIELD_CM_FW, FIELD_ETH_FW,
		FIELD_GDDR_FW, FIELD_DM_APP_FW, FIELD_FW_CONFIG, FIELD_TENSIX_COLS,
		FIELD_TENSIX_ROWS, FIELD_L2CPU_ENABLED, FIELD_DRAM_ENABLED, FIELD_DRAM_TRAINED,
		FIELD_DRAM_STATUS, FIELD_DRAM_SPEED, FIELD_GDDR_CORR_ERRS,
		FIELD_GDDR_CORR_ERRS_END, FIELD_GDDR_UNCORR_ERRS, FIELD_THERM_TRIPS };
	static const enum field_id move[] = { FIELD_VCORE, FIELD_POWER, FIELD_ASIC_TEMP,
		FIELD_GDDR_TEMP, FIELD_GDDR_TEMP_END, FIELD_HEARTBEAT, FIELD_AICLK, FIELD_FAN_RPM,
		FIELD_THROTTLE, FIELD_PCIE_RX, FIELD_RT_SECONDS, FIELD_BOOT_DATE,
		FIELD_AICLK_ARB_MAX, FIELD_FAULTS };
	bool must[FIELD_COUNT] = { false };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(matter); i++)
		must[matter[i]] = true;
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		for (size_t g = 0; g < ARRAY_LEN(groups); g++)
			must[id] = must[id] || fields[id].group == groups[g];
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++) {
		bool moves = false;

		for (size_t i = 0; i < ARRAY_LEN(move); i++)
			moves = moves || move[i] == id;
		is[0].r[id].value++;
		compare();
		if ((must[id] && !report.differs) || (moves && report.differs))
			fail_msg("%s: %s", fields[id].key, moves ? "moves" : "matters");
		if (report.differs && id != FIELD_BOARD_ID && id != FIELD_ASIC_LOCATION)
			assert_string_equal(of_now(0)->changes[0].key, fields[id].key);
		is[0].r[id].value--;
	}
}

static void what_is_not_known_is_not_alike(void **state)
{
	static const uint8_t states[] = { READING_ABSENT, READING_FAILED, READING_IMPLAUSIBLE };
	char buf[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(states); i++) {
		is[0].r[FIELD_GDDR_UNCORR_ERRS].state = states[i];
		compare();
		assert_true(report.unknown && !report.differs);
		assert_int_equal(of_now(0)->verdict, CHANGE_UNKNOWN);
		assert_string_equal(keys(buf, sizeof(buf)), "gddr_uncorr_errs");
		assert_string_equal(of_now(0)->changes[0].is, "");
	}
	/* What neither side has there is nothing to say of; what both could not read there is. */
	was[0].r[FIELD_GDDR_UNCORR_ERRS].state = is[0].r[FIELD_GDDR_UNCORR_ERRS].state =
		READING_ABSENT;
	compare();
	assert_false(report.unknown);
	was[0].r[FIELD_GDDR_UNCORR_ERRS].state = is[0].r[FIELD_GDDR_UNCORR_ERRS].state =
		READING_FAILED;
	compare();
	assert_true(report.unknown);
	/* Of a word that cannot be true nothing is known, also where both sides have it. */
	was[0].r[FIELD_GDDR_UNCORR_ERRS] = is[0].r[FIELD_GDDR_UNCORR_ERRS] = (struct reading){
		.state = READING_IMPLAUSIBLE, .has_raw = true, .raw = UINT32_MAX };
	compare();
	assert_true(report.unknown && of_now(0)->verdict == CHANGE_UNKNOWN);
}

static void a_card_that_was_not_read_is_unknown(void **state)
{
	static const enum snapshot_health healths[] = { SNAPSHOT_PENDING, SNAPSHOT_NOT_READ,
		SNAPSHOT_FAILED };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(healths); i++)
		for (int side = 0; side < 3; side++) {
			set_up(NULL);
			if (side != 1)
				was[0].health = healths[i];
			if (side != 0)
				is[0].health = healths[i];
			snprintf(is[0].reason, sizeof(is[0].reason), "%s", side != 0 ? "held" : "");
			compare();
			assert_int_equal(of_now(0)->verdict, CHANGE_UNKNOWN);
			assert_int_equal(report.count[CHANGE_ALIKE], N - 1);
			assert_true(report.unknown && !report.differs);
			assert_non_null(strstr(of_now(0)->why, side != 0 ? "B: held" : "A: "));
		}
	/* Its firmware has stopped: its values are old. */
	set_up(NULL);
	is[0].beat = SNAPSHOT_BEAT_STOPPED;
	is[0].n_findings = 1;
	is[0].findings[0] = (struct finding){ "heartbeat", "the firmware has stopped" };
	compare();
	assert_int_equal(of_now(0)->verdict, CHANGE_UNKNOWN);
}

static void a_lost_link_is_seen_of_a_card_that_does_not_answer(void **state)
{
	char buf[200];

	(void)state;
	is[0].health = SNAPSHOT_FAILED;
	is[0].link.width = 4;
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		is[0].r[id].state = READING_ABSENT;
	compare();
	assert_string_equal(keys(buf, sizeof(buf)), "link_width");
	assert_true(report.differs && report.unknown);
}

static void link_and_place_and_board_matter(void **state)
{
	char buf[200];

	(void)state;
	is[0].link.speed = 16000;
	is[0].link.width = 8;
	compare();
	assert_string_equal(keys(buf, sizeof(buf)), "link_speed link_width");
	/* Speed and width of 0 are of a link that is down: there is no such value. */
	is[0].link.speed = is[0].link.width = 0;
	compare();
	assert_string_equal(of_now(0)->changes[0].is, "");
	assert_string_equal(of_now(0)->changes[1].is, "");
	set_up(NULL);
	mem_copy_text(is[0].bdf, sizeof(is[0].bdf), "0000:09:00.0");
	compare();
	assert_string_equal(keys(buf, sizeof(buf)), "bdf");
	set_up(NULL);
	is[0].r[FIELD_BOARD_ID].value++;
	compare();
	assert_string_equal(keys(buf, sizeof(buf)), "board_id");
	set_up(NULL);
	is[0].chip = DEVICE_WORMHOLE;
	mem_copy_text(is[0].series, sizeof(is[0].series), "n150");
	compare();
	assert_string_equal(keys(buf, sizeof(buf)), "board chip");
}

static void the_host_matters(void **state)
{
	(void)state;
	mem_copy_text(hosts[1].driver, sizeof(hosts[1].driver), "TT-KMD 2.9.0");
	compare();
	assert_int_equal(report.host.verdict, CHANGE_DIFFERENT);
	assert_string_equal(report.host.changes[0].key, "driver");
	assert_true(report.differs);
	hosts[1].driver[0] = '\0';
	compare();
	assert_true(report.unknown && !report.differs);
}

/* Cards in another order, under other indices: by serial and part of the board. */
static void cards_are_found_by_serial_and_place(void **state)
{
	static const int order[N] = { 3, 1, 2, 0 };

	(void)state;
	for (int i = 0; i < N; i++) {
		fill(&is[i], order[i]);
		is[i].index = i;
	}
	compare();
	assert_int_equal(report.count[CHANGE_ALIKE], N);
	for (int i = 0; i < N; i++)
		assert_int_equal(of_now(i)->was, order[i]);
	/* Two cards have changed their slots. */
	mem_copy_text(is[0].bdf, sizeof(is[0].bdf), was[0].bdf);
	mem_copy_text(is[3].bdf, sizeof(is[3].bdf), was[3].bdf);
	compare();
	assert_int_equal(of_now(0)->was, 3);
	assert_int_equal(of_now(3)->was, 0);
	assert_int_equal(report.count[CHANGE_DIFFERENT], 2);
}

/* Each card of the later side is found by one of the earlier side, also its first. */
static void no_card_is_found_twice(void **state)
{
	struct change_side fewer = sides[1];

	(void)state;
	was[3].r[FIELD_BOARD_ID] = was[0].r[FIELD_BOARD_ID];
	fewer.n = 3;
	change_clear(&report);
	change_find(&sides[0], &fewer, &report);
	assert_int_equal(of_now(0)->was, 0);
	assert_int_equal(report.count[CHANGE_ALIKE], 3);
	assert_int_equal(report.count[CHANGE_GONE], 1);
	assert_int_equal(report.cards[3].was, 3);
}

static void a_card_that_was_not_asked_for_is_not_known(void **state)
{
	const bool wanted[N] = { true, false, true, false };
	struct change_side chosen = sides[1];

	(void)state;
	chosen.wanted = wanted;
	change_clear(&report);
	change_find(&sides[0], &chosen, &report);
	for (size_t i = 0; i < report.n; i++)
		if (report.cards[i].verdict == CHANGE_UNKNOWN)
			assert_int_equal(report.cards[i].code, CODE_HIDDEN);
	assert_int_equal(report.count[CHANGE_UNKNOWN], 2);
	assert_int_equal(report.count[CHANGE_ALIKE], 2);
	/* Nor is it new beside a file that has fewer. */
	chosen = sides[0];
	chosen.n = 1;
	change_clear(&report);
	change_find(&chosen, &(struct change_side){ .host = &hosts[1], .chips = is, .n = N,
		.wanted = (const bool[N]){ true } }, &report);
	assert_int_equal(report.n, 1);
	assert_int_equal(report.count[CHANGE_ALIKE], 1);
}

static void a_second_chip_that_is_left_alone_is_found(void **state)
{
	(void)state;
	is[2].health = SNAPSHOT_NOT_READ;
	memset(is[2].r, 0, sizeof(is[2].r));
	compare();
	assert_int_equal(of_now(2)->was, 2);
	assert_int_equal(of_now(2)->verdict, CHANGE_UNKNOWN);
	assert_int_equal(report.count[CHANGE_GONE] + report.count[CHANGE_NEW], 0);
}

static void cards_are_gone_and_new(void **state)
{
	struct change_side fewer = sides[1];

	(void)state;
	fewer.n = 3;
	change_clear(&report);
	change_find(&sides[0], &fewer, &report);
	assert_int_equal(report.count[CHANGE_GONE], 1);
	assert_int_equal(report.cards[3].was, 3);
	change_clear(&report);
	change_find(&fewer, &sides[0], &report);
	assert_int_equal(report.count[CHANGE_NEW], 1);
	assert_true(report.differs);
	/* It left the bus while we looked. */
	is[3].health = SNAPSHOT_GONE;
	compare();
	assert_int_equal(report.count[CHANGE_GONE], 1);
	assert_int_equal(report.n, N);
	/* Another card in another place is no change of this one. */
	set_up(NULL);
	is[0].r[FIELD_BOARD_ID].value++;
	mem_copy_text(is[0].bdf, sizeof(is[0].bdf), "0000:09:00.0");
	compare();
	assert_int_equal(report.count[CHANGE_GONE], 1);
	assert_int_equal(report.count[CHANGE_NEW], 1);
	fewer.n = 0;
	change_clear(&report);
	change_find(&fewer, &fewer, &report);
	assert_false(report.differs || report.unknown);
}

/* Very old files have neither. */
static void without_serial_and_place_the_index_counts(void **state)
{
	(void)state;
	for (int i = 0; i < N; i++) {
		was[i].r[FIELD_BOARD_ID].state = is[i].r[FIELD_BOARD_ID].state = READING_ABSENT;
		was[i].bdf[0] = is[i].bdf[0] = '\0';
	}
	compare();
	assert_int_equal(report.count[CHANGE_ALIKE], N);
	/* The second side says which card it is: another one, for all that is known. */
	mem_copy_text(is[0].bdf, sizeof(is[0].bdf), "0000:01:00.0");
	compare();
	assert_int_equal(report.count[CHANGE_NEW], 1);
	assert_int_equal(report.count[CHANGE_GONE], 1);
}

static void the_same_change_is_known_as_such(void **state)
{
	(void)state;
	is[0].r[FIELD_FW_BUNDLE].value++;
	is[3].r[FIELD_FW_BUNDLE].value++;
	compare();
	assert_true(change_is_same(of_now(0), of_now(3)));
	is[3].r[FIELD_FW_BUNDLE].value++;
	compare();
	assert_false(change_is_same(of_now(0), of_now(3)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_same_is_alike, set_up),
		cmocka_unit_test_setup(each_field_matters_or_does_not, set_up),
		cmocka_unit_test_setup(what_is_not_known_is_not_alike, set_up),
		cmocka_unit_test_setup(a_card_that_was_not_read_is_unknown, set_up),
		cmocka_unit_test_setup(a_lost_link_is_seen_of_a_card_that_does_not_answer, set_up),
		cmocka_unit_test_setup(link_and_place_and_board_matter, set_up),
		cmocka_unit_test_setup(the_host_matters, set_up),
		cmocka_unit_test_setup(cards_are_found_by_serial_and_place, set_up),
		cmocka_unit_test_setup(no_card_is_found_twice, set_up),
		cmocka_unit_test_setup(a_card_that_was_not_asked_for_is_not_known, set_up),
		cmocka_unit_test_setup(a_second_chip_that_is_left_alone_is_found, set_up),
		cmocka_unit_test_setup(cards_are_gone_and_new, set_up),
		cmocka_unit_test_setup(without_serial_and_place_the_index_counts, set_up),
		cmocka_unit_test_setup(the_same_change_is_known_as_such, set_up),
	};

	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	change_clear(&report);
	return failed;
}
