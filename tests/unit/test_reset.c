/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_reset.c - plans and verdicts of a reset, without any card: which ways
 * are tried for which board and driver, and what counts as back.
 */
#include "config.h"
#include "act/hold.h"
#include "base/mem.h"
#include "base/file.h"
#include "device/bus.h"
#include "reset/plan.h"
#include "reset/preflight.h"
#include "reset/report.h"
#include "reset/reset.h"
#include "base/clock.h"
#include "reset/run.h"
#include "tests/rig/sim_bus.h"
#include "telemetry/sampler/sampler.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#define NONE PLAN_METHODS

/* Boards as the sampler shows them; *f stays good until close_boards(). */
static struct bus *bus;
static struct sampler *sampler;

static struct fleet open_boards(const char *spec)
{
	struct sampler_config c = { .one_shot = true, .asks = true };
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
		{ "n150", "2.0.0", true, -EPERM, NONE, NONE },
		{ "p150a", "2.3.9", true, -EPERM, NONE, NONE },
		{ "e75", "2.1.0", false, 0, PLAN_TENSIX, NONE },
		{ "e150", "1.29", false, 0, PLAN_TENSIX, NONE },
		{ "e75", "2.1.0", true, -EPERM, NONE, NONE },
		{ "e75", "2.1.1", false, -EPERM, NONE, NONE },
		{ "e75", "2.10.0", false, -EPERM, NONE, NONE },
		{ "e75", "", false, -EPERM, NONE, NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fleet f = open_boards(cases[i].board);
		const struct plan_wish wish = { .dmc = cases[i].dmc };
		bool wanted[DEVICE_MAX] = { true };
		struct error e = { 0 };
		static struct reset_plan p;

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
	static struct reset_plan p;

	(void)state;
	assert_int_equal(plan_make(&p, &f, wanted, &wish, &e), -EPERM);
	assert_non_null(strstr(e.text, f.chips[2].bdf));
	fleet_complete(&f, wanted);
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

/* One that is hidden or hangs has no board id: it may be the other half all the same. */
static void a_card_that_was_not_read_may_be_the_other_half(void **state)
{
	static const struct {
		const char *boards;
		int error;
		size_t rungs;
	} cases[] = {
		{ "p300,p150a", -EPERM, 0 },	/* the other half of 0 is 1 */
		{ "p150a,p300", 0, 2 },		/* a p150a has none */
		{ "n150,n150", 0, 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fleet f = open_boards(cases[i].boards);
		const struct plan_wish wish = { 0 };
		bool wanted[DEVICE_MAX] = { true };
		static struct snapshot chips[4];
		struct snapshot *hidden = &chips[1];
		struct error e = { 0 };
		static struct reset_plan p;

		assert_true(f.n <= ARRAY_LEN(chips));
		memcpy(chips, f.chips, f.n * sizeof(chips[0]));
		f.chips = chips;
		hidden->upi = 0;
		hidden->health = SNAPSHOT_NOT_READ;
		hidden->r[FIELD_BOARD_ID].state = READING_ABSENT;
		assert_int_equal(plan_make(&p, &f, wanted, &wish, &e), cases[i].error);
		if (cases[i].error)
			assert_non_null(strstr(e.text, "was not read and may be on the same"));
		else
			assert_int_equal(p.cards[0].n, cases[i].rungs);
		close_boards();
	}
}

/* Boards whose halves are both known have none to spare. */
static void a_hung_half_is_reset_with_its_own_other_half(void **state)
{
	const struct fleet f = open_boards("p300:hang,2*p300");
	const struct plan_wish wish = { 0 };
	bool wanted[DEVICE_MAX] = { true };
	struct error e = { 0 };
	static struct reset_plan p;

	(void)state;
	assert_int_equal(plan_make(&p, &f, wanted, &wish, &e), -EPERM);
	assert_non_null(strstr(e.text, "name both, 0 and 1"));
	wanted[1] = true;
	assert_int_equal(plan_make(&p, &f, wanted, &wish, &e), 0);
	assert_int_equal(p.n, 2);
	assert_int_equal(p.cards[0].n, 1);
	close_boards();
}

static void what_is_forbidden_is_not_planned(void **state)
{
	struct fleet f = open_boards("p150a");
	struct plan_wish wish = { .forbidden = { [PLAN_DMC] = true } };
	bool wanted[DEVICE_MAX] = { true };
	struct error e = { 0 };
	static struct reset_plan p;

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

/* Each set of forbidden ways takes just those from a ladder: none comes in for another. */
static void check_forbidden(const struct fleet *f, bool dmc, unsigned set)
{
	struct plan_wish free = { .dmc = dmc }, wish = { .dmc = dmc };
	bool wanted[DEVICE_MAX] = { true, true };
	static struct reset_plan p, q;
	size_t n = 0;
	int r = plan_make(&p, f, wanted, &free, NULL), r2;

	for (size_t m = 0; m < PLAN_METHODS; m++)
		wish.forbidden[m] = set >> m & 1;
	r2 = plan_make(&q, f, wanted, &wish, NULL);
	if (r < 0) {
		assert_int_equal(r2, r);
		return;
	}
	for (size_t i = 0; i < p.cards[0].n; i++) {
		enum plan_method m = p.cards[0].ladder[i];

		if (wish.forbidden[m])
			continue;
		assert_int_equal(r2, 0);
		assert_true(n < q.cards[0].n);
		assert_int_equal(q.cards[0].ladder[n++], m);
	}
	assert_int_equal(r2, n ? 0 : -EINVAL);
	if (n) {
		assert_int_equal(q.cards[0].n, n);
		assert_int_equal(q.cards[0].can_dmc, p.cards[0].can_dmc &&
			!wish.forbidden[PLAN_DMC]);
	}
}

static void every_way_can_be_forbidden_with_every_board_and_driver(void **state)
{
	static const char *const boards[] = { "e75", "n150", "n300", "p150a", "p300" };
	static const char *const drivers[] = { "1.20", "1.29", "2.0.0", "2.1.0", "2.4.1",
		"2.10.0" };

	(void)state;
	for (size_t b = 0; b < ARRAY_LEN(boards); b++) {
		struct fleet f = open_boards(boards[b]);

		for (size_t d = 0; d < ARRAY_LEN(drivers); d++) {
			f.driver = drivers[d];
			for (unsigned set = 0; set < 1u << PLAN_METHODS; set++) {
				check_forbidden(&f, false, set);
				check_forbidden(&f, true, set);
			}
		}
		close_boards();
	}
}

/* Verdicts, on samples made by hand from one of a healthy card. */

static struct snapshot before, now;

static void beat(int64_t value)
{
	now.r[FIELD_HEARTBEAT].value = value;
}

static void read_at(int64_t time)
{
	now.time = now.raw.time = time;
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		now.r[id].time = time;
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
	/* One sample, or two within a beat, cannot show that it stands still. */
	assert_true(v.is_early);
	read_at(now.raw.time + 600 * CLOCK_MS);
	assert_false(verify_take(&v, &now));
	assert_false(v.is_early);
	v.since = now.raw.time + 1;
	assert_false(verify_take(&v, &now));
	assert_true(v.is_early);
	v.since = now.raw.time;
	beat(101);
	assert_true(verify_take(&v, &now));
	assert_string_equal(v.missing, "");
	/* One that is lost in between begins anew. */
	now.health = SNAPSHOT_FAILED;
	assert_false(verify_take(&v, &now));
	assert_false(v.is_alive || v.is_early);
}

/* A sample since the reset may carry values of before it, where they cannot be read now. */
static void a_stale_value_of_before_the_reset_proves_nothing(void **state)
{
	static const enum field_id ids[] = { FIELD_HEARTBEAT, FIELD_DRAM_STATUS, FIELD_ETH_LINK };
	struct verify v = healthy();

	(void)state;
	before.r[FIELD_ETH_LINK] = now.r[FIELD_ETH_LINK] = (struct reading){
		.state = READING_OK, .value = 0x303 };
	v.require_links = true;
	v.since = now.raw.time;
	read_at(v.since - 1);
	now.raw.time = v.since;
	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		now.r[ids[i]].state = READING_STALE;
	beat(100);
	assert_false(verify_take(&v, &now));
	assert_non_null(strstr(v.missing, "the firmware's heartbeat does not move"));
	assert_non_null(strstr(v.missing, "the memory's state cannot be read"));
	assert_non_null(strstr(v.missing, "are not up"));
	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		now.r[ids[i]].state = READING_OK;
	read_at(v.since);
	/* The first beat of the new firmware may be its last one. */
	beat(5);
	assert_false(verify_take(&v, &now));
	beat(6);
	assert_true(verify_take(&v, &now));
}

/* A value taken over from an earlier sample stands still; it is not one that cannot be read. */
static void a_heartbeat_that_stands_still_is_not_one_that_cannot_be_read(void **state)
{
	static const struct {
		enum reading_state state;
		const char *says;
	} table[] = {
		{ READING_STALE, "the firmware's heartbeat does not move" },
		{ READING_OK, "the firmware's heartbeat does not move" },
		{ READING_FAILED, "no heartbeat can be read" },
		{ READING_ABSENT, "no heartbeat can be read" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct verify v = healthy();

		now.r[FIELD_HEARTBEAT].state = (uint8_t)table[i].state;
		assert_false(verify_take(&v, &now));
		assert_false(verify_take(&v, &now));
		assert_false(v.is_alive);
		assert_string_equal(v.missing, table[i].says);
	}
}

/* On a busy host a card may take longer than each tick: its values are old, and true. */
static void a_sample_counts_from_the_moment_at_which_it_began(void **state)
{
	struct verify v = healthy();

	(void)state;
	for (enum field_id id = FIELD_NONE + 1; id < FIELD_COUNT; id++)
		if (now.r[id].state == READING_OK)
			now.r[id].state = READING_STALE;
	v.since = now.raw.time + 1;
	beat(1);
	assert_false(verify_take(&v, &now));
	assert_string_equal(v.missing, "it has not been read since");
	beat(2);
	assert_false(verify_take(&v, &now));
	read_at(v.since);
	assert_false(verify_take(&v, &now));
	assert_string_equal(v.missing, "the firmware's heartbeat does not move");
	beat(3);
	assert_true(verify_take(&v, &now));
}

/* It did not answer before its reset, and its heart has beaten since. */
static struct verify never_heard(void)
{
	struct verify v = healthy();

	before.health = SNAPSHOT_FAILED;
	memset(before.r, 0, sizeof(before.r));
	beat(1);
	verify_take(&v, &now);
	beat(2);
	return v;
}

static void one_that_never_answered_before_can_be_back(void **state)
{
	struct verify v = never_heard();

	(void)state;
	assert_true(verify_take(&v, &now));
}

/* What nobody saw of it before has to be seen, unless it cannot be, which is said. */
static void one_that_never_answered_before_has_its_tables_read(void **state)
{
	static const struct {
		int code;
		bool lasts, is_blind;
	} cases[] = { { -EPROTO, false, false }, { -ENODEV, false, false },
		{ -EMFILE, false, true }, { -ENOMEM, false, true }, { -ENOENT, true, false },
		{ -EACCES, true, false }, { -ECANCELED, true, false },
		{ -EOPNOTSUPP, true, false } };
	struct verify v = never_heard();

	(void)state;
	now.r[FIELD_DRAM_STATUS].state = READING_ABSENT;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		now.raw.table_error = (struct error){ cases[i].code, CODE_NONE, "not now" };
		assert_int_equal(verify_take(&v, &now), cases[i].lasts);
		assert_int_equal(v.is_blind, cases[i].is_blind);
		assert_string_equal(v.missing, cases[i].lasts ? "" : "firmware tables: not now");
		assert_string_equal(v.note, cases[i].lasts
			? "memory and tables not checked: not now" : "");
	}
	now.raw.table_error.code = 0;
	assert_true(verify_take(&v, &now));
	assert_string_equal(v.note, "memory not checked: the firmware does not report it");
	now.r[FIELD_DRAM_STATUS].state = READING_FAILED;
	assert_false(verify_take(&v, &now));
}

/* Tables that could not be read before are no fault of the reset; what can be read, is. */
static void tables_that_were_not_read_before_are_noted(void **state)
{
	struct verify v = healthy();

	(void)state;
	before.r[FIELD_DRAM_STATUS].state = now.r[FIELD_DRAM_STATUS].state = READING_ABSENT;
	beat(1);
	verify_take(&v, &now);
	beat(2);
	now.raw.table_error = (struct error){ -EACCES, CODE_NONE, "nobody may" };
	assert_false(verify_take(&v, &now));
	before.raw.table_error.code = -EPROTO;
	assert_true(verify_take(&v, &now));
	assert_non_null(strstr(v.note, "tables not checked"));
	now.raw.table_error = (struct error){ -ENODEV, CODE_NONE, "it is away" };
	assert_false(verify_take(&v, &now));
	before.raw.table_error.code = -ENODEV;
	assert_true(verify_take(&v, &now));
	assert_non_null(strstr(v.note, "not checked: it is away"));
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
	now.r[FIELD_DRAM_STATUS].state = READING_FAILED;
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

static void put_finding(struct snapshot *s, const char *id)
{
	s->n_findings = *id != '\0';
	mem_copy_text(s->findings[0].id, sizeof(s->findings[0].id), id);
	mem_copy_text(s->findings[0].text, sizeof(s->findings[0].text),
		"it is so");
}

/* A finding before and after, or the values of a field; 0 as the first one: not known. */
static void what_a_card_was_is_held_against_what_it_is(void **state)
{
	static const struct {
		const char *finding_was, *finding_is;
		enum field_id field;
		int64_t was, is;
		const char *missing, *note;
	} cases[] = {
		{ "", "eth", 0, 0, 0, "it is so", "" },
		{ "eth", "eth", 0, 0, 0, "", "it is so (as before)" },
		{ "eth", "", 0, 0, 0, "", "" },
		{ "", "implausible", 0, 0, 0, "it is so", "" },
		{ "implausible", "implausible", 0, 0, 0, "", "it is so (as before)" },
		{ "dram", "dram", 0, 0, 0, "it is so", "" },
		{ "", "power-cable", 0, 0, 0, "it is so", "" },
		{ "", "over-limit", 0, 0, 0, "it is so", "" },
		{ "", "throttled", 0, 0, 0, "", "it is so" },
		{ "", "alert", 0, 0, 0, "", "" },
		{ "", "", FIELD_DRAM_TRAINED, 0x3f, 0x1f, "memory channel 5: no longer trained",
			"" },
		{ "dram", "", FIELD_DRAM_TRAINED, 0x3f, 0x1f, "", "" },
		{ "", "", FIELD_DRAM_TRAINED, 0x1f, 0x3f, "", "" },
		{ "", "", FIELD_ETH_LIVE, 0xffff, 0xfff0, "ethernet channels 0-3: no heartbeat any "
			"more", "" },
		{ "", "", FIELD_BOARD_ID, 0x10014511711068, 0x10014511711069, "another board is "
			"here: serial 0010014511711069, was 0010014511711068", "" },
		{ "", "", FIELD_FW_BUNDLE, 0x12030000, 0x130b0000, "", "fw_bundle_version is now "
			"19.11.0.0, was 18.3.0.0" },
		{ "", "", FIELD_FW_BUNDLE, 0, 0x130b0000, "", "" },
		{ "", "", FIELD_SHUTDOWN_TEMP, 83, 80, "", "is now 80, was 83" },
		{ "", "", FIELD_TENSIX_COLS, 0x3fff, 0x3ffc, "", "is now" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct verify v = healthy();
		const uint8_t known = cases[i].was ? READING_OK : READING_ABSENT;

		put_finding(&before, cases[i].finding_was);
		put_finding(&now, cases[i].finding_is);
		if (cases[i].field) {
			before.r[cases[i].field] = (struct reading){ .state = known,
				.value = cases[i].was * fields[cases[i].field].scale };
			now.r[cases[i].field].state = READING_OK;
			now.r[cases[i].field].value = cases[i].is * fields[cases[i].field].scale;
		}
		beat(1);
		verify_take(&v, &now);
		beat(2);
		assert_int_equal(verify_take(&v, &now), !*cases[i].missing);
		assert_string_equal(v.missing, cases[i].missing);
		if (!strstr(v.note, cases[i].note) || !*v.note != !*cases[i].note)
			fail_msg("case %zu: note '%s'", i, v.note);
	}
}

/* One that hung, or whose firmware does not say, has no links to compare with. */
static void links_that_nobody_knew_are_not_proved(void **state)
{
	struct verify v = healthy();

	(void)state;
	assert_false(reading_has_value(&before.r[FIELD_ETH_LINK]));
	beat(1);
	verify_take(&v, &now);
	beat(2);
	assert_true(verify_take(&v, &now));
	assert_string_equal(v.unproved, "");
	v.require_links = true;
	now.r[FIELD_ETH_LINK] = (struct reading){ .state = READING_OK, .value = 0xfff };
	assert_true(verify_take(&v, &now));
	assert_non_null(strstr(v.unproved, "which were up before is not known"));
	now.r[FIELD_ETH_ENABLED] = (struct reading){ .state = READING_OK, .value = 0 };
	assert_true(verify_take(&v, &now));
	assert_string_equal(v.unproved, "");
}

/* The port above a card, as a tree of files has it; and what a report makes of it. */

#define ABOVE "/sys/devices/pci0000:00/0000:00:04.0"

static char tree[64];

static void put_file(const char *path, const void *text, size_t len)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", tree, path);
	f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void put_errors(const char *folder, int correctable, int nonfatal, int fatal)
{
	const struct {
		const char *file, *total;
		int n;
	} all[] = { { "correctable", "COR", correctable }, { "nonfatal", "NONFATAL", nonfatal },
		{ "fatal", "FATAL", fatal } };

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		char path[128], text[96];

		snprintf(path, sizeof(path), "%s/aer_dev_%s", folder, all[i].file);
		snprintf(text, sizeof(text), "Undefined 0\nDLP %d\nTOTAL_ERR_%s %d\n", all[i].n,
			all[i].total, all[i].n);
		put_file(path, text, strlen(text));
	}
}

static struct bus *open_tree(void)
{
	static struct bus b;
	char path[256];
	struct error e = { 0 };

	snprintf(tree, sizeof(tree), "/tmp/test_reset.XXXXXX");
	assert_non_null(mkdtemp(tree));
	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices", tree);
	assert_int_equal(file_make_dirs(path, &e), 0);
	snprintf(path, sizeof(path), "%s" ABOVE "/0000:01:00.0", tree);
	assert_int_equal(file_make_dirs(path, &e), 0);
	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/0000:00:04.0", tree);
	assert_int_equal(symlink("../../../devices/pci0000:00/0000:00:04.0", path), 0);
	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/0000:01:00.0", tree);
	assert_int_equal(symlink("../../../devices/pci0000:00/0000:00:04.0/0000:01:00.0", path), 0);
	b = (struct bus){ .ops = &transport_kmd };
	snprintf(b.root, sizeof(b.root), "%s", tree);
	return &b;
}

static void close_tree(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -r '%s'", tree);
	assert_int_equal(system(command), 0);
}

static double number_in(const struct json *doc, const char *a, const char *b, const char *c)
{
	double v = -1;

	json_get_number(c ? json_get(json_get(json_get(doc, a), b), c)
			  : json_get(json_get(doc, a), b), &v);
	return v;
}

static void a_report_has_the_port_and_the_errors_of_both_ends(void **state)
{
	static const struct fleet fleet = { .origin = &origin_machine, .driver = "2.10.0" };
	static const struct host host = { .kernel = "6.1.0" };
	static struct reset_card card = { .bdf = "0000:01:00.0" };
	static struct preflight preflight;
	const struct report_facts facts = { .command = "-r", .result = "", .host = &host,
		.fleet = &fleet, .preflight = &preflight, .exit = 5 };
	uint8_t config[64] = { 0x36, 0x1b, 0x0c, 0, 0x07, [14] = 1 };
	struct bus *b = open_tree();
	struct strbuf text = { 0 };
	struct json_out j;
	struct json *doc;
	const struct json *c;

	(void)state;
	put_file(ABOVE "/power_state", "D0\n", 3);
	put_file(ABOVE "/current_link_speed", "16.0 GT/s PCIe\n", 15);
	put_file(ABOVE "/current_link_width", "16\n", 3);
	put_file(ABOVE "/config", config, sizeof(config));
	put_errors(ABOVE, 1, 0, 0);
	put_errors(ABOVE "/0000:01:00.0", 2, 0, 0);
	port_read(b, card.bdf, &card.before.port);
	aer_read(b, card.bdf, &card.before.aer);
	put_errors(ABOVE, 5, 3, 1);
	put_errors(ABOVE "/0000:01:00.0", 6, 4, 2);
	config[4] = 0x03;
	put_file(ABOVE "/config", config, sizeof(config));
	port_read(b, card.bdf, &card.after.port);
	aer_read(b, card.bdf, &card.after.aer);
	json_out_init(&j, &text, false);
	report_put(&j, &card, 1, &facts);
	assert_int_equal(json_parse(text.text, text.len, &doc, NULL), 0);
	c = json_child(json_get(doc, "cards"));
	assert_true(number_in(c, "aer_before", "correctable", NULL) == 2);
	assert_true(number_in(c, "aer_after", "correctable", NULL) == 6);
	assert_true(number_in(c, "aer_after", "nonfatal", NULL) == 4);
	assert_true(number_in(c, "aer_after", "fatal", NULL) == 2);
	assert_true(number_in(c, "port_before", "aer", "correctable") == 1);
	assert_true(number_in(c, "port_after", "aer", "fatal") == 1);
	assert_string_equal(json_get_text(json_get(json_get(c, "port_before"), "bdf")),
		"0000:00:04.0");
	assert_string_equal(json_get_text(json_get(json_get(c, "port_before"), "link")),
		"Gen4 x16");
	assert_true(card.before.port.passes_dma);
	assert_false(card.after.port.passes_dma);
	/* Reading the config space of a port that sleeps would wake it. */
	put_file(ABOVE "/power_state", "D3cold\n", 7);
	port_read(b, card.bdf, &card.after.port);
	assert_false(card.after.port.has_config);
	json_free(doc);
	strbuf_clear(&text);
	close_tree();
}

static enum preflight_weight weigh(struct preflight *p, const struct fleet *f)
{
	static const struct host host = { .kernel = "6.1.0" };
	static const struct reset_plan plan = { .n = 1 };

	preflight_check(p, &plan, bus, f, &host);
	assert_int_equal(p->n, p->count[PREFLIGHT_NOTE] + p->count[PREFLIGHT_BUSY]);
	return p->count[PREFLIGHT_BUSY] ? PREFLIGHT_BUSY : PREFLIGHT_NOTE;
}

/* Nobody has the card between the two calls of a reset, whether or not the second one comes. */
static void a_reset_that_goes_on_for_too_long_was_left(void **state)
{
	static const struct {
		const char *board;
		int64_t most;
	} cases[] = { { "p150a:left", 40 }, { "n300:left", 40 },
		{ "galaxy-bh:left", 140 } };
	struct preflight p = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fleet f = open_boards(cases[i].board);
		static struct snapshot copy;	/* clang adds the stack of weigh() */
		struct snapshot *s = &copy;

		copy = f.chips[0];
		f.chips = s;
		assert_true(snapshot_is_being_reset(s));
		assert_int_equal(s->reset_since, s->time);
		assert_int_equal(weigh(&p, &f), PREFLIGHT_BUSY);
		assert_int_equal(p.resets, 1);
		s->reset_since = s->time - cases[i].most * CLOCK_SECOND;
		assert_int_equal(weigh(&p, &f), PREFLIGHT_BUSY);
		s->reset_since--;
		assert_int_equal(weigh(&p, &f), PREFLIGHT_NOTE);
		assert_int_equal(p.resets, 0);
		assert_non_null(strstr(p.notes[0].text, "begun and not ended"));
		preflight_clear(&p);
		close_boards();
	}
}

/* What the driver was asked for, in the order of its answers, by the processes of both halves. */
static struct {
	atomic_size_t n;
	enum device_reset kinds[8];
} *asked;

static int reset_half_late(struct device *d, enum device_reset kind, uint32_t *result)
{
	int r;

	if (kind == DEVICE_DMC_RESET && d->index == 1)
		clock_sleep_until(clock_mono() + 300 * CLOCK_MS);
	r = transport_sim.reset(d, kind, result);
	asked->kinds[atomic_fetch_add(&asked->n, 1) % ARRAY_LEN(asked->kinds)] = kind;
	return r;
}

static void tell_nobody(void *arg, const struct reset_card *c, const struct reset_step *s)
{
	(void)arg;
	(void)c;
	(void)s;
}

/* Step through a reset of these cards; *r has what came of it. */
static void carry_out(const struct reset_plan *plan, struct hold *hold, struct reset **r)
{
	struct error e = { 0 };

	assert_int_equal(reset_open(&(struct reset_config){ .bus = bus, .sampler = sampler,
		.plan = plan, .hold = hold, .tell = tell_nobody }, r, &e), 0);
	while (!reset_step(*r)) {
		struct pollfd fds[16];

		clock_wait(fds, reset_fds(*r, fds, ARRAY_LEN(fds)),
			clock_mono() + reset_wait_ms(*r) * CLOCK_MS);
	}
}

static int reset_busy(struct device *d, enum device_reset kind, uint32_t *result)
{
	const bool is_busy = kind == DEVICE_POST_RESET && atomic_fetch_add(&asked->n, 1) < 20;

	return is_busy ? -EAGAIN : transport_sim.reset(d, kind, result);
}

/* Without POST_RESET the driver keeps the card closed. */
static void a_reset_is_completed_once_the_driver_is_free(void **state)
{
	struct transport_ops busy = transport_sim;
	const struct plan_wish wish = { 0 };
	bool wanted[DEVICE_MAX] = { true };
	const struct reset_card *cards;
	static struct reset_plan plan;
	struct hold hold = { 0 };
	struct error e = { 0 };
	struct reset *r;
	struct fleet f;

	(void)state;
	f = open_boards("p150a");
	busy.reset = reset_busy;
	bus->dev[0].ops = &busy;
	asked = mmap(NULL, sizeof(*asked), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		0);
	assert_ptr_not_equal(asked, MAP_FAILED);
	assert_int_equal(plan_make(&plan, &f, wanted, &wish, &e), 0);
	carry_out(&plan, &hold, &r);
	assert_int_equal(reset_cards(r, &cards), 1);
	assert_int_equal(cards[0].verdict, RESET_RECOVERED);
	assert_int_equal(asked->n, 21);
	reset_close(r);
	munmap(asked, sizeof(*asked));
	close_boards();
}

#define THERE "0000:05:00.0"

static int reset_counted(struct device *d, enum device_reset kind, uint32_t *result)
{
	atomic_fetch_add(&asked->n, 1);
	return transport_sim.reset(d, kind, result);
}

static ssize_t scan_moved(struct bus *b, struct device *found, size_t max, struct error *e)
{
	ssize_t n = transport_sim.scan(b, found, max, e);

	if (atomic_load(&asked->n) > 0)
		mem_copy_text(found[0].bdf, sizeof(found[0].bdf), THERE);
	return n;
}

/* A driver that finds a card makes it usable. */
static int attach_moved(struct device *d)
{
	uint32_t result;

	if (strcmp(d->bdf, THERE) != 0)
		return transport_sim.attach(d);
	d->priv = d->bus->dev[0].priv;
	assert_int_equal(device_acquire_for(d, ACCESS_RESET, DEVICE_PASSIVE, NULL), 0);
	assert_int_equal(transport_sim.reset(d, DEVICE_POST_RESET, &result), 0);
	device_release(d);
	return 0;
}

static void a_board_that_comes_back_elsewhere_is_found_by_its_serial(void **state)
{
	static struct transport_ops moving;
	const struct plan_wish wish = { 0 };
	bool wanted[DEVICE_MAX] = { true };
	struct sampler_config c = { .one_shot = true, .asks = true };
	const struct reset_card *cards;
	static struct reset_plan plan;
	struct hold hold = { 0 };
	struct error e = { 0 };
	struct reset *r;

	(void)state;
	moving = transport_sim;
	moving.reset = reset_counted;
	moving.scan = scan_moved;
	moving.attach = attach_moved;
	asked = mmap(NULL, sizeof(*asked), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		0);
	assert_ptr_not_equal(asked, MAP_FAILED);
	bus = c.bus = sim_bus("p150a", 1);
	bus->ops = bus->dev[0].ops = &moving;
	assert_int_equal(sampler_open(&c, &sampler, &e), 0);
	assert_int_equal(sampler_tick(sampler, &e), 0);
	assert_int_equal(plan_make(&plan, sampler_fleet(sampler), wanted, &wish, &e), 0);
	carry_out(&plan, &hold, &r);
	assert_int_equal(reset_cards(r, &cards), 1);
	assert_int_equal(cards[0].verdict, RESET_DEGRADED);
	assert_int_equal(cards[0].code, CODE_MOVED_INDEX);
	assert_string_equal(cards[0].reason, "it is at " THERE " now (card 1), and was not "
		"verified there");
	assert_string_equal(cards[0].advice.text, "tt-smi --health shows how it is there");
	reset_close(r);
	munmap(asked, sizeof(*asked));
	close_boards();
}

/* The second order takes the first half off the bus again: what was restored by then is lost. */
static void a_half_is_completed_once_the_controller_has_both_orders(void **state)
{
	struct transport_ops late = transport_sim;
	const struct plan_wish wish = { .dmc = true };
	bool wanted[DEVICE_MAX] = { true, true };
	const struct reset_card *cards;
	static struct reset_plan plan;
	struct hold hold = { 0 };
	struct error e = { 0 };
	struct reset *r;
	struct fleet f;

	(void)state;
	clock_set_pace(10);	/* from here on */
	f = open_boards("p300b");
	late.reset = reset_half_late;
	for (size_t i = 0; i < 2; i++)
		bus->dev[i].ops = &late;
	asked = mmap(NULL, sizeof(*asked), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		0);
	assert_ptr_not_equal(asked, MAP_FAILED);
	assert_int_equal(plan_make(&plan, &f, wanted, &wish, &e), 0);
	carry_out(&plan, &hold, &r);
	assert_int_equal(reset_cards(r, &cards), 2);
	for (size_t i = 0; i < 2; i++) {
		uint8_t command = 0;

		assert_int_equal(cards[i].verdict, RESET_RECOVERED);
		/* What the last reset took was restored after it. */
		assert_int_equal(device_config(&bus->dev[i], 4, &command, 1), 1);
		assert_int_equal(command, 0x07);
	}
	reset_close(r);
	assert_int_equal(asked->n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(asked->kinds[i], i < 2 ? DEVICE_DMC_RESET : DEVICE_POST_RESET);
	munmap(asked, sizeof(*asked));
	close_boards();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_board_and_driver_has_its_ladder),
		cmocka_unit_test(a_board_of_two_functions_is_reset_whole),
		cmocka_unit_test(a_card_that_was_not_read_may_be_the_other_half),
		cmocka_unit_test(a_hung_half_is_reset_with_its_own_other_half),
		cmocka_unit_test(what_is_forbidden_is_not_planned),
		cmocka_unit_test(every_way_can_be_forbidden_with_every_board_and_driver),
		cmocka_unit_test(a_card_is_back_once_its_heartbeat_moves),
		cmocka_unit_test(a_stale_value_of_before_the_reset_proves_nothing),
		cmocka_unit_test(a_heartbeat_that_stands_still_is_not_one_that_cannot_be_read),
		cmocka_unit_test(a_sample_counts_from_the_moment_at_which_it_began),
		cmocka_unit_test(one_that_never_answered_before_can_be_back),
		cmocka_unit_test(one_that_never_answered_before_has_its_tables_read),
		cmocka_unit_test(tables_that_were_not_read_before_are_noted),
		cmocka_unit_test(each_thing_that_is_missing_is_named),
		cmocka_unit_test(what_a_card_was_is_held_against_what_it_is),
		cmocka_unit_test(links_that_nobody_knew_are_not_proved),
		cmocka_unit_test(a_reset_that_goes_on_for_too_long_was_left),
		cmocka_unit_test(a_half_is_completed_once_the_controller_has_both_orders),
		cmocka_unit_test(a_reset_is_completed_once_the_driver_is_free),
		cmocka_unit_test(a_board_that_comes_back_elsewhere_is_found_by_its_serial),
		cmocka_unit_test(a_report_has_the_port_and_the_errors_of_both_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
