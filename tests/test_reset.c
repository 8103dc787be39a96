/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_reset.c - plans and verdicts of a reset, without any card: which ways
 * are tried for which board and driver, and what counts as back.
 */
#include "config.h"
#include "base/array.h"
#include "reset/plan.h"
#include "reset/verify.h"
#include "sim_bus.h"
#include "telemetry/sampler/sampler.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define NONE PLAN_METHODS

/* Boards as the sampler shows them; *f stays good until close_boards(). */
static struct bus *bus;
static struct sampler *sampler;

static struct fleet open_boards(const char *spec)
{
	struct sampler_config c = { .one_shot = true };
	struct error e = { 0 };

	bus = c.bus = sim_bus(spec, 1);
	assert_int_equal(sampler_open(&c, &sampler, &e), 0);
	assert_int_equal(sampler_tick(sampler, &e), 0);
	return *sampler_fleet(sampler);
}

static void close_boards(void)
{
	sampler_close(sampler);
	bus_close(bus);
}

static void each_board_and_driver_has_its_ladder(void **state)
{
	static const struct {
		const char *board, *driver;
		bool dmc;
		int error;
		enum plan_method first, second;
	} cases[] = {
		{ "p150a", "2.10.0", false, 0, PLAN_ASIC, PLAN_DMC },
		{ "p150a", "2.10.0", true, 0, PLAN_DMC, NONE },
		{ "n150", "2.8.0", false, 0, PLAN_ASIC, PLAN_DMC },
		{ "n300", "2.4.1", false, 0, PLAN_ASIC, PLAN_DMC },
		{ "p100a", "2.4.0", false, 0, PLAN_ASIC, PLAN_DMC },
		{ "p150a", "2.3.9", false, 0, PLAN_CONFIG_WRITE, NONE },
		{ "p150a", "2.0.0", false, 0, PLAN_CONFIG_WRITE, NONE },
		{ "p150a", "1.31", false, 0, PLAN_CONFIG_WRITE, NONE },
		{ "p150a", "1.30.9", false, -EPERM, NONE, NONE },
		{ "n150", "2.0.0", false, 0, PLAN_MESSAGE, NONE },
		{ "n300", "1.29", false, 0, PLAN_MESSAGE, NONE },
		{ "n150", "1.26", false, 0, PLAN_MESSAGE, NONE },
		{ "n150", "1.25.1", false, -EPERM, NONE, NONE },
		{ "n150", "garbage", false, -EPERM, NONE, NONE },
		{ "n150", "", false, -EPERM, NONE, NONE },
		{ "e75", "2.10.0", false, -EPERM, NONE, NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fleet f = open_boards(cases[i].board);
		const struct plan_wish wish = { .dmc = cases[i].dmc };
		bool wanted[DEVICE_MAX] = { true };
		struct error e = { 0 };
		struct plan p;

		f.driver = cases[i].driver;
		assert_int_equal(plan_make(&p, &f, wanted, &wish, &e), cases[i].error);
		if (cases[i].error) {
			assert_non_null(strstr(e.text, f.chips[0].bdf));
		} else {
			assert_int_equal(p.n, 1);
			assert_int_equal(p.cards[0].ladder[0], cases[i].first);
			assert_int_equal(p.cards[0].n, cases[i].second == NONE ? 1 : 2);
			if (cases[i].second != NONE)
				assert_int_equal(p.cards[0].ladder[1], cases[i].second);
		}
		close_boards();
	}
}

/* A controller resets every function of its board, so it is used only when asked for. */
static void a_board_of_two_functions_is_reset_whole(void **state)
{
	struct fleet f = open_boards("n150,p300");
	const struct plan_wish wish = { 0 };
	bool wanted[DEVICE_MAX] = { false, true };
	struct error e = { 0 };
	char board[64];
	struct plan p;

	(void)state;
	assert_int_equal(plan_make(&p, &f, wanted, &wish, &e), -EPERM);
	assert_non_null(strstr(e.text, f.chips[2].bdf));
	plan_complete(&f, wanted);
	assert_false(wanted[0]);
	assert_true(wanted[2]);
	assert_int_equal(plan_make(&p, &f, wanted, &wish, &e), 0);
	assert_int_equal(p.n, 2);
	assert_int_equal(p.cards[0].n, 1);
	assert_int_equal(p.cards[0].ladder[0], PLAN_ASIC);
	assert_true(p.cards[0].can_dmc);
	snprintf(board, sizeof(board), "%s,%s", f.chips[1].bdf, f.chips[2].bdf);
	assert_string_equal(p.cards[0].board, board);
	close_boards();
}

static void what_is_forbidden_is_not_planned(void **state)
{
	struct fleet f = open_boards("p150a");
	struct plan_wish wish = { .forbidden = { [PLAN_DMC] = true } };
	bool wanted[DEVICE_MAX] = { true };
	struct error e = { 0 };
	struct plan p;

	(void)state;
	assert_int_equal(plan_make(&p, &f, wanted, &wish, &e), 0);
	assert_int_equal(p.cards[0].n, 1);
	assert_false(p.cards[0].can_dmc);
	wish.forbidden[PLAN_ASIC] = true;
	assert_int_equal(plan_make(&p, &f, wanted, &wish, &e), -EINVAL);
	wanted[0] = false;
	assert_int_equal(plan_make(&p, &f, wanted, &wish, &e), -ENODEV);
	close_boards();
}

/* Verdicts, on samples made by hand from one of a healthy card. */

static struct snapshot before, now;

static void beat(int64_t value)
{
	now.r[FIELD_HEARTBEAT].value = value;
}

static struct verify healthy(void)
{
	struct fleet f = open_boards("n300");

	before = now = f.chips[0];
	close_boards();
	assert_true(snapshot_is_live(&before));
	assert_true(reading_is_ok(&before.r[FIELD_HEARTBEAT]));
	return (struct verify){ .before = &before };
}

static void a_card_is_back_once_its_heartbeat_moves(void **state)
{
	struct verify v = healthy();

	(void)state;
	beat(100);
	assert_false(verify_take(&v, &now));
	assert_false(verify_take(&v, &now));
	assert_false(v.is_alive);
	assert_non_null(strstr(v.missing, "heartbeat does not move"));
	beat(101);
	assert_true(verify_take(&v, &now));
	assert_int_equal(v.n_missing, 0);
	/* One that is lost in between begins anew. */
	now.health = SNAPSHOT_FAILED;
	assert_false(verify_take(&v, &now));
	assert_false(v.is_alive);
}

static void one_that_never_answered_before_can_be_back(void **state)
{
	struct verify v = healthy();

	(void)state;
	before.health = SNAPSHOT_FAILED;
	memset(before.r, 0, sizeof(before.r));
	beat(1);
	verify_take(&v, &now);
	beat(2);
	assert_true(verify_take(&v, &now));
}

static void each_thing_that_is_missing_is_named(void **state)
{
	struct verify v = healthy();
	struct reading *eth = &now.r[FIELD_ETH_LINK];

	(void)state;
	beat(1);
	verify_take(&v, &now);
	beat(2);
	now.link.width = before.link.width / 2;
	assert_false(verify_take(&v, &now));
	assert_non_null(strstr(v.missing, "PCIe link at"));
	now.link = before.link;
	now.link.known = false;
	assert_false(verify_take(&v, &now));
	assert_non_null(strstr(v.missing, "the PCIe link is not known"));
	now.link = before.link;
	now.r[FIELD_DRAM_STATUS].state = READING_STALE;
	assert_false(verify_take(&v, &now));
	assert_non_null(strstr(v.missing, "the memory's state"));
	now.r[FIELD_DRAM_STATUS] = before.r[FIELD_DRAM_STATUS];
	/* Ethernet is compared with before, and counts only where it is asked for. */
	before.r[FIELD_ETH_LINK] = (struct reading){ .state = READING_OK, .value = 0x303 };
	*eth = (struct reading){ .state = READING_OK, .value = 0x301 };
	assert_true(verify_take(&v, &now));
	assert_non_null(strstr(v.note, "links 1 are not up"));
	v.require_links = true;
	assert_false(verify_take(&v, &now));
	assert_non_null(strstr(v.missing, "ethernet links 1 "));
	eth->value = 0xfff;
	assert_true(verify_take(&v, &now));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_board_and_driver_has_its_ladder),
		cmocka_unit_test(a_board_of_two_functions_is_reset_whole),
		cmocka_unit_test(what_is_forbidden_is_not_planned),
		cmocka_unit_test(a_card_is_back_once_its_heartbeat_moves),
		cmocka_unit_test(one_that_never_answered_before_can_be_back),
		cmocka_unit_test(each_thing_that_is_missing_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
