/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of checks, what it makes of each finding, and the floors. */
#include "config.h"
#include "health/health.h"

#include "base/mem.h"
#include "report/finding.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct world {
	struct snapshot chip;
	bool wanted;
	struct fleet fleet;
	struct roster roster;
	struct floors floors;
	struct health_world w;
};

static struct world *make(void)
{
	struct world *x = mem_calloc(1, sizeof(*x));

	x->chip = (struct snapshot){ .local = -1, .chip = DEVICE_BLACKHOLE, .health = SNAPSHOT_OK,
		.beat = SNAPSHOT_BEAT_ALIVE, .bdf = "0000:01:00.0", .time = 1 };
	x->wanted = true;
	x->fleet = (struct fleet){ .n = 1, .chips = &x->chip, .wanted = &x->wanted,
		.origin = &origin_sim, .driver = "", .selection = "", .processes_unknown = "" };
	x->w = (struct health_world){ .fleet = &x->fleet, .roster = &x->roster,
		.floors = &x->floors };
	return x;
}

static enum verdict result_of(struct world *x, const char *id)
{
	struct health_report r;
	enum verdict result = VERDICTS;
	uint64_t checks;

	assert_int_equal(health_find(id, &checks, NULL), 0);
	health_run(&x->w, checks, &r);
	if (r.n > 0) {
		assert_int_equal(r.n, 1);
		result = r.items[0].result;
		assert_int_equal(r.worst, result);
		assert_int_equal(r.count[result], 1);
	}
	health_clear(&r);
	return result;
}

static void no_iommu_is_praised_for_cards_that_are_gone(void **state)
{
	struct world *x = make();

	(void)state;
	x->w.is_machine = true;
	x->chip.health = SNAPSHOT_GONE;
	assert_int_equal(result_of(x, "dma"), VERDICT_NONE);
	free(x);
}

static void each_finding_is_seen_by_its_check(void **state)
{
	(void)state;
	for (size_t c = 0; c < health_n_checks; c++)
		for (size_t k = 0; k < 3 && health_checks[c].signs[k]; k++) {
			const char *sign = health_checks[c].signs[k];
			struct world *x = make();

			if (health_checks[c].shows)
				x->chip.r[health_checks[c].shows] = (struct reading){ .value = 1,
					.state = READING_OK };
			x->chip.r[FIELD_THROTTLE_TEMP] = (struct reading){ .value = 90000,
				.state = READING_OK };
			x->chip.link = (struct snapshot_link){ .known = true, .speed = 32000,
				.width = 16, .speed_best = 32000, .width_best = 16 };
			x->floors.firmware[DEVICE_BLACKHOLE] = 0;
			assert_int_equal(result_of(x, health_checks[c].id), VERDICT_PASS);
			x->chip.n_findings = 1;
			x->chip.health = SNAPSHOT_WARN;
			mem_copy_text(x->chip.findings[0].id, sizeof(x->chip.findings[0].id),
				sign);
			assert_non_null(finding_kind(sign));
			assert_int_equal(result_of(x, health_checks[c].id),
				finding_kind(sign)->result);
			free(x);
		}
}

/* Why the step of a finding or of a check that is not passed has no code in its row. */
static const struct {
	const char *id, *why;
} without_action[] = {
	{ "over-limit", "no action is to look after the air" },
	{ "gddr-hot", "no action is to look after the air" },
	{ "therm-trips", "no action is to look after the air" },
	{ "throttled", "what holds the clock down is a finding, or somebody's wish" },
	{ "kernels-throttled", "the same" },
	{ "gddr-corrected", "only a test says whether anything is wrong" },
	{ "gddr-growing", "only a test says whether anything is wrong" },
	{ "tables", "the reason says it" },
	{ "driver", "it depends on what the kernel says: check_driver()" },
	{ "expected", "it depends on what is missing: check_expected()" },
	{ "dma", "it depends on the processor: check_dma()" },
	{ "node", "that of the card's state" },
	{ "answer", "that of the card's state" },
	{ "serials", "nothing that can be done here changes it" },
	{ "holders", "a program that has the card is no fault" },
};

static bool may_lack_action(const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(without_action); i++)
		if (strcmp(without_action[i].id, id) == 0)
			return true;
	return false;
}

static void each_finding_and_each_check_has_an_action_or_there_is_a_reason(void **state)
{
	const struct finding_kind *kind;

	(void)state;
	for (size_t i = 0; (kind = finding_kind_at(i)); i++) {
		const bool has = kind->step.action != ACTION_NONE;

		if (has == may_lack_action(kind->id))
			fail_msg("%s: %s", kind->id, action_name(kind->step.action));
		if (has && !kind->step.text)
			fail_msg("%s: an action without words", kind->id);
	}
	for (size_t c = 0; c < health_n_checks; c++) {
		const struct health_check *check = &health_checks[c];
		const bool has = check->next.action != ACTION_NONE;

		if (has != !!check->next.text)
			fail_msg("%s: an action or words alone", check->id);
		/* A check and a finding may have one name. */
		if (!check->signs[0] && has == may_lack_action(check->id))
			fail_msg("%s: %s", check->id, action_name(check->next.action));
	}
}

/* All findings, on one card and on one of two halves, in each state, held by a program or not. */
static void no_action_is_one_that_the_state_rules_out(void **state)
{
	static const struct {
		enum snapshot_health health;
		enum code code;
		int error;
		bool can_be_reset;
	} states[] = {
		{ SNAPSHOT_WARN, CODE_NONE, 0, true },
		{ SNAPSHOT_FAILED, CODE_HUNG, -EIO, true },
		{ SNAPSHOT_FAILED, CODE_OFF_BUS, -ENODEV, false },
		{ SNAPSHOT_FAILED, CODE_OFF_BUS, -ENOLINK, false },
		{ SNAPSHOT_GONE, CODE_OFF_BUS, 0, false },
		{ SNAPSHOT_FAILED, CODE_NO_DRIVER, -ENODEV, false },
		{ SNAPSHOT_NOT_READ, CODE_NO_DRIVER, 0, false },
		{ SNAPSHOT_FAILED, CODE_LINK_DOWN, -ENOTCONN, false },
	};
	struct process holder = { .device = 0, .pid = 1, .command = "./app" };
	const struct finding_kind *kind;
	bool seen[ACTIONS] = { false };
	struct snapshot two[2];
	struct world *x = make();

	(void)state;
	x->fleet.processes = &holder;
	x->fleet.chips = two;
	for (size_t i = 0; (kind = finding_kind_at(i)); i++)
		for (size_t k = 0; k < 4 * ARRAY_LEN(states); k++) {
			const bool pair = k & 1, held = k & 2;
			struct advice a;

			x->chip.upi = pair ? 0x44 : 0x40;	/* p300b, p150a */
			x->chip.health = states[k / 4].health;
			x->chip.code = states[k / 4].code;
			x->chip.raw.sample_error.code = states[k / 4].error;
			two[0] = two[1] = x->chip;
			two[1].index = 1;
			x->fleet.n = pair ? 2 : 1;
			x->fleet.n_processes = held;
			advice_take(&a, &x->fleet, &two[0], &kind->step);
			seen[a.action] = true;
			if ((a.action == ACTION_RESET || a.action == ACTION_RESET_BOARD) &&
				(held || !states[k / 4].can_be_reset ||
				kind->step.action != ACTION_RESET))
				fail_msg("%s, case %zu: %s", kind->id, k, a.text);
			if (a.action == ACTION_FREE_HOLDER && !held)
				fail_msg("%s, case %zu: nobody has it", kind->id, k);
			if (kind->step.action == ACTION_RESET && states[k / 4].can_be_reset &&
				a.action != (held ? ACTION_FREE_HOLDER : pair ?
				ACTION_RESET_BOARD : ACTION_RESET))
				fail_msg("%s, case %zu: %s", kind->id, k, a.text);
			if (a.action != ACTION_NONE && !*a.text)
				fail_msg("%s, case %zu: no words", kind->id, k);
		}
	for (size_t c = 0; c < health_n_checks; c++)
		seen[health_checks[c].next.action] = true;
	for (int i = 0; i < ACTIONS; i++)
		if (!seen[i])
			fail_msg("no row has the action %s", action_name((enum action)i));
	free(x);
}

/* Each state, of a card that could be reset or not, has one step: in words if it has a code. */
static void a_step_is_one_that_the_state_allows(void **state)
{
	struct world *x = make();
	struct process holder = { .device = 0, .pid = 1, .command = "./app" };
	static const struct {
		enum snapshot_health health;
		enum code code;
		int error;
		enum action is;
	} cases[] = {
		{ SNAPSHOT_FAILED, CODE_HUNG, 0, ACTION_RESET },
		{ SNAPSHOT_FAILED, CODE_TIMEOUT, -ETIMEDOUT, ACTION_RESET },
		{ SNAPSHOT_FAILED, CODE_OFF_BUS, -ENODEV, ACTION_RESCAN },
		{ SNAPSHOT_FAILED, CODE_OFF_BUS, -ENOLINK, ACTION_POWER_CYCLE },
		{ SNAPSHOT_GONE, CODE_OFF_BUS, 0, ACTION_RESCAN },
		{ SNAPSHOT_FAILED, CODE_NO_DRIVER, -ENODEV, ACTION_CONFIGURE_HOST },
		{ SNAPSHOT_FAILED, CODE_NO_DESCRIPTORS, -EMFILE, ACTION_CONFIGURE_HOST },
		{ SNAPSHOT_FAILED, CODE_LOAD_ENDED, -ECHILD, ACTION_NONE },
		{ SNAPSHOT_FAILED, CODE_BEING_RESET, -ECONNRESET, ACTION_NONE },
		{ SNAPSHOT_FAILED, CODE_LINK_DOWN, -ENOTCONN, ACTION_NONE },
		{ SNAPSHOT_NOT_READ, CODE_NO_DRIVER, 0, ACTION_NONE },
		{ SNAPSHOT_NOT_READ, CODE_HELD, 0, ACTION_NONE },
		{ SNAPSHOT_PENDING, CODE_NONE, 0, ACTION_NONE },
		{ SNAPSHOT_OK, CODE_NONE, 0, ACTION_NONE },
	};

	(void)state;
	x->fleet.processes = &holder;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct advice a;

		x->chip.health = cases[i].health;
		x->chip.code = cases[i].code;
		x->chip.raw.sample_error.code = cases[i].error;
		x->fleet.n_processes = 0;
		advice_take_chip(&a, &x->fleet, &x->chip);
		if (a.action != cases[i].is)
			fail_msg("case %zu: %s", i, action_name(a.action));
		assert_true(a.action == ACTION_NONE || *a.text);
		/* Only what an act does to the card waits for the program that has it. */
		x->fleet.n_processes = 1;
		advice_take_chip(&a, &x->fleet, &x->chip);
		if (a.action != (cases[i].is == ACTION_RESET ? ACTION_FREE_HOLDER : cases[i].is))
			fail_msg("case %zu, held: %s", i, action_name(a.action));
	}
	free(x);
}

static void each_reading_is_judged_or_there_is_a_reason(void **state)
{
	unsigned times[FIELD_COUNT] = { 0 };
	struct error e = { 0 };
	uint64_t checks;

	(void)state;
	for (size_t i = 0; i < health_n_readings; i++) {
		const struct health_reading *r = &health_readings[i];

		for (enum field_id id = r->first; id <= r->last; id++)
			times[id]++;
		assert_true((r->check != NULL) != (r->why_not != NULL));
		if (r->check && health_find(r->check, &checks, &e) < 0)
			fail_msg("%s: %s", fields[r->first].key, e.text);
	}
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		if (times[id] != 1)
			fail_msg("%s stands %u times in health_readings[]", fields[id].key,
				times[id]);
}

static void what_was_not_seen_has_not_passed(void **state)
{
	struct world *x = make();

	(void)state;
	x->chip.r[FIELD_DRAM_STATUS].state = READING_FAILED;
	assert_int_equal(result_of(x, "memory"), VERDICT_INCOMPLETE);
	x->chip.r[FIELD_DRAM_STATUS].state = READING_IMPLAUSIBLE;
	assert_int_equal(result_of(x, "memory"), VERDICT_INCOMPLETE);
	x->chip.r[FIELD_DRAM_STATUS].state = READING_ABSENT;
	assert_int_equal(result_of(x, "memory"), VERDICT_NONE);
	x->chip.beat = SNAPSHOT_BEAT_UNJUDGED;
	assert_int_equal(result_of(x, "heartbeat"), VERDICT_INCOMPLETE);
	x->fleet.processes_unknown = "not known";
	assert_int_equal(result_of(x, "holders"), VERDICT_INCOMPLETE);
	x->chip.health = SNAPSHOT_PENDING;
	assert_int_equal(result_of(x, "answer"), VERDICT_INCOMPLETE);
	assert_int_equal(result_of(x, "temperature"), VERDICT_INCOMPLETE);
	x->chip.health = SNAPSHOT_FAILED;
	assert_int_equal(result_of(x, "answer"), VERDICT_FAIL);
	/* What we lack says nothing of the card. */
	x->chip.raw.sample_error.code = -EAGAIN;
	assert_int_equal(result_of(x, "answer"), VERDICT_INCOMPLETE);
	x->chip.health = SNAPSHOT_NOT_READ;
	x->chip.code = CODE_NO_DRIVER;
	/* Another driver has it. */
	assert_int_equal(result_of(x, "answer"), VERDICT_NONE);
	assert_int_equal(result_of(x, "temperature"), VERDICT_NONE);
	assert_int_equal(result_of(x, "node"), VERDICT_NONE);
	x->chip.code = CODE_LEFT_ALONE;
	x->chip.local = 0;
	/* A second chip is no card of its own. */
	assert_int_equal(result_of(x, "answer"), VERDICTS);
	free(x);
}

static void set(struct world *x, enum field_id id, enum reading_state state, int64_t value)
{
	x->chip.r[id] = (struct reading){ .value = value, .state = (uint8_t)state };
}

/* Each of these passed although what it rests on was not known. */
static void what_a_check_rests_on_has_to_be_known(void **state)
{
	struct world *x = make();

	(void)state;
	set(x, FIELD_ASIC_TEMP, READING_OK, 95000);
	set(x, FIELD_THROTTLE_TEMP, READING_OK, 100000);
	assert_int_equal(result_of(x, "temperature"), VERDICT_PASS);
	set(x, FIELD_THROTTLE_TEMP, READING_IMPLAUSIBLE, 0);
	assert_int_equal(result_of(x, "temperature"), VERDICT_INCOMPLETE);
	set(x, FIELD_THROTTLE_TEMP, READING_ABSENT, 0);
	assert_int_equal(result_of(x, "temperature"), VERDICT_NONE);

	set(x, FIELD_AICLK, READING_OK, 800);
	set(x, FIELD_AICLK_LIMIT, READING_OK, 1350);
	assert_int_equal(result_of(x, "throttle"), VERDICT_PASS);
	set(x, FIELD_THROTTLE, READING_IMPLAUSIBLE, 0);
	assert_int_equal(result_of(x, "throttle"), VERDICT_INCOMPLETE);
	set(x, FIELD_THROTTLE, READING_OK, THROTTLE_HOST);
	assert_int_equal(result_of(x, "throttle"), VERDICT_WARN);
	set(x, FIELD_THROTTLE, READING_OK, THROTTLE_NONE);
	set(x, FIELD_NOP_TIME, READING_OK, 5);
	assert_int_equal(result_of(x, "throttle"), VERDICT_WARN);
	set(x, FIELD_NOP_TIME, READING_FAILED, 0);
	assert_int_equal(result_of(x, "throttle"), VERDICT_INCOMPLETE);

	/* Only sysfs was read: what the table would say is not what this firmware lacks. */
	set(x, FIELD_NOP_TIME, READING_ABSENT, 0);
	assert_int_equal(result_of(x, "memory"), VERDICT_NONE);
	assert_int_equal(result_of(x, "throttle"), VERDICT_PASS);
	x->chip.raw.table_error = (struct error){ -EINPROGRESS, CODE_NONE, "it powers down" };
	assert_int_equal(result_of(x, "memory"), VERDICT_INCOMPLETE);
	assert_int_equal(result_of(x, "memory-errors"), VERDICT_INCOMPLETE);
	assert_int_equal(result_of(x, "throttle"), VERDICT_INCOMPLETE);
	x->chip.raw.table_error.code = 0;
	x->chip.beat = SNAPSHOT_BEAT_NONE;
	assert_int_equal(result_of(x, "heartbeat"), VERDICT_NONE);
	set(x, FIELD_HEARTBEAT, READING_IMPLAUSIBLE, 0);
	assert_int_equal(result_of(x, "heartbeat"), VERDICT_INCOMPLETE);

	set(x, FIELD_ETH_LIVE, READING_OK, 0);
	set(x, FIELD_ETH_ENABLED, READING_OK, 0);
	assert_int_equal(result_of(x, "ethernet"), VERDICT_PASS);
	set(x, FIELD_ETH_ENABLED, READING_OK, 0x3fff);
	assert_int_equal(result_of(x, "ethernet"), VERDICT_INCOMPLETE);

	x->chip.link = (struct snapshot_link){ .known = true, .speed = 2500, .width = 1 };
	assert_int_equal(result_of(x, "link"), VERDICT_INCOMPLETE);

	set(x, FIELD_BOARD_ID, READING_OK, 7);
	set(x, FIELD_FW_BUNDLE, READING_OK, 7);
	assert_int_equal(result_of(x, "serials"), VERDICT_PASS);
	assert_int_equal(result_of(x, "same-firmware"), VERDICT_PASS);
	free(x);
}

/* The two chips of an n300, whose firmware says of no port that it has a link. */
static void a_second_chip_that_was_read_has_a_link(void **state)
{
	struct world *x = make();
	struct snapshot two[2];
	bool wanted[2] = { true, false };

	(void)state;
	x->chip.chip = DEVICE_WORMHOLE;
	x->chip.upi = 0x14;
	set(x, FIELD_ETH_LIVE, READING_OK, 0xffff);
	set(x, FIELD_ETH_LINK, READING_OK, 0);
	assert_int_equal(result_of(x, "ethernet"), VERDICT_INCOMPLETE);
	two[0] = two[1] = x->chip;
	two[1].index = 1;
	two[1].local = 0;
	x->fleet.chips = two;
	x->fleet.wanted = wanted;
	x->fleet.n = 2;
	assert_int_equal(result_of(x, "ethernet"), VERDICT_PASS);
	two[1].health = SNAPSHOT_FAILED;
	assert_int_equal(result_of(x, "ethernet"), VERDICT_INCOMPLETE);
	free(x);
}

/* Of a card that does not answer nobody knows whether it is like the others. */
static void what_all_have_alike_is_not_said_of_some(void **state)
{
	struct world *x = make();
	struct snapshot two[2] = { x->chip, x->chip };
	bool wanted[2] = { true, true };

	(void)state;
	two[0].r[FIELD_BOARD_ID] = (struct reading){ .value = 7, .state = READING_OK };
	two[0].r[FIELD_FW_BUNDLE] = two[0].r[FIELD_BOARD_ID];
	two[1].health = SNAPSHOT_FAILED;
	x->fleet.chips = two;
	x->fleet.wanted = wanted;
	x->fleet.n = 2;
	assert_int_equal(result_of(x, "serials"), VERDICT_INCOMPLETE);
	assert_int_equal(result_of(x, "same-firmware"), VERDICT_INCOMPLETE);
	wanted[1] = false;
	assert_int_equal(result_of(x, "serials"), VERDICT_PASS);
	assert_int_equal(result_of(x, "same-firmware"), VERDICT_PASS);
	x->w.expected = 2;
	assert_int_equal(result_of(x, "expected"), VERDICT_PASS);
	free(x);
}

static void a_number_is_expected_or_not(void **state)
{
	struct world *x = make();

	(void)state;
	assert_int_equal(result_of(x, "expected"), VERDICT_NONE);
	x->w.expected_unknown = "roster-kmd: torn or not ours";
	assert_int_equal(result_of(x, "expected"), VERDICT_INCOMPLETE);
	x->w.expected_unknown = NULL;
	x->w.expected = 1;
	assert_int_equal(result_of(x, "expected"), VERDICT_PASS);
	x->chip.health = SNAPSHOT_PENDING;	/* it is there, whatever else */
	assert_int_equal(result_of(x, "expected"), VERDICT_PASS);
	x->chip.health = SNAPSHOT_GONE;
	assert_int_equal(result_of(x, "expected"), VERDICT_FAIL);
	free(x);
}

static void checks_have_names_of_their_own(void **state)
{
	uint64_t checks;
	struct error e;

	(void)state;
	for (size_t c = 0; c < health_n_checks; c++) {
		assert_int_equal(health_find(health_checks[c].id, &checks, &e), 0);
		assert_int_equal(checks, 1ull << c);
		assert_true(strlen(health_checks[c].id) < 15);
		assert_non_null(health_checks[c].help);
	}
	assert_int_equal(health_find("link,memory", &checks, &e), 0);
	assert_int_equal(__builtin_popcountll(checks), 2);
	assert_int_equal(health_find("link,mem", &checks, &e), -EINVAL);
	assert_string_equal(e.text, "'mem' is not a check");
	assert_int_equal(health_find("link,,memory", &checks, &e), -EINVAL);
}

static int parse(const char *text, struct floors *f, struct error *e)
{
	return floors_parse(text, strlen(text), f, e);
}

static void floors_are_read_strictly(void **state)
{
	struct floors f = { 0 };
	struct error e;

	(void)state;
	floors_init(&f);
	assert_true(f.driver > 0 && f.firmware[DEVICE_WORMHOLE] > 0 &&
		f.firmware[DEVICE_BLACKHOLE] > 0);
	assert_true(f.pcie[DEVICE_WORMHOLE][FLOORS_TO_CARD] > 0 &&
		f.pcie[DEVICE_BLACKHOLE][FLOORS_FROM_CARD] > 0);
	assert_int_equal(parse("", &f, &e), 0);
	assert_int_equal(f.driver, 0);
	assert_int_equal(parse("# a\n\n  driver 2.9.0\r\nfirmware Wormhole 19.11", &f, &e), 0);
	assert_int_equal(f.driver, 0x02090000);
	assert_int_equal(f.firmware[DEVICE_WORMHOLE], 0x130b0000);
	assert_int_equal(parse("driver 2.9.0\ndriver new\n", &f, &e), -EINVAL);
	assert_string_equal(e.text, "line 2: neither a version (driver, firmware CHIP) nor MB/s "
		"(pcie-to CHIP, pcie-from CHIP)");
	assert_int_equal(f.driver, 0x02090000);
	assert_int_equal(parse("driver 2.9.0 2.10.0\n", &f, &e), -EINVAL);
	assert_int_equal(parse("firmware 19.11.0\n", &f, &e), -EINVAL);
	assert_int_equal(parse("firmware unknown 19.11.0\n", &f, &e), -EINVAL);
	assert_int_equal(floors_parse("driver 2.9.0\0x\n", 15, &f, &e), -EINVAL);
	assert_int_equal(parse("pcie-to blackhole 900\npcie-from Wormhole 4", &f, &e), 0);
	assert_int_equal(f.pcie[DEVICE_BLACKHOLE][FLOORS_TO_CARD], 900);
	assert_int_equal(f.pcie[DEVICE_WORMHOLE][FLOORS_FROM_CARD], 4);
	assert_int_equal(f.pcie[DEVICE_BLACKHOLE][FLOORS_FROM_CARD], 0);
	assert_int_equal(parse("pcie-to blackhole 1 GB/s\n", &f, &e), -EINVAL);
	assert_int_equal(parse("pcie-to blackhole -1\n", &f, &e), -EINVAL);
	assert_int_equal(parse("pcie-from 900\n", &f, &e), -EINVAL);
	assert_int_equal(parse("pcie-from blackhole 4294967296\n", &f, &e), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_iommu_is_praised_for_cards_that_are_gone),
		cmocka_unit_test(each_finding_is_seen_by_its_check),
		cmocka_unit_test(each_finding_and_each_check_has_an_action_or_there_is_a_reason),
		cmocka_unit_test(no_action_is_one_that_the_state_rules_out),
		cmocka_unit_test(a_step_is_one_that_the_state_allows),
		cmocka_unit_test(each_reading_is_judged_or_there_is_a_reason),
		cmocka_unit_test(what_was_not_seen_has_not_passed),
		cmocka_unit_test(what_a_check_rests_on_has_to_be_known),
		cmocka_unit_test(a_second_chip_that_was_read_has_a_link),
		cmocka_unit_test(what_all_have_alike_is_not_said_of_some),
		cmocka_unit_test(a_number_is_expected_or_not),
		cmocka_unit_test(checks_have_names_of_their_own),
		cmocka_unit_test(floors_are_read_strictly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
