/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One look at one chip: on simulated boards, and on a hostile memory. */
#include "config.h"
#include "base/array.h"
#include "device/bus.h"
#include "device/sim.h"
#include "device/transport.h"
#include "telemetry/decode.h"
#include "telemetry/reader.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct snapshot s;

static void look(struct bus *bus, int index, struct reader_policy p)
{
	struct device *d = &bus->dev[index];

	memset(&s, 0, sizeof(s));
	s.index = d->index;
	s.local = d->local;
	s.chip = d->chip;
	reader_look(d, &p, &s.raw);
	decode_snapshot(&s);
}

static struct bus *simulate(const char *spec)
{
	struct bus_config c = { .root = "/", .sim = spec, .sim_seed = 1 };
	struct bus *bus = NULL;
	struct error e = { 0 };

	if (bus_open(&c, &bus, &e) < 0)
		fail_msg("%s", e.text);
	return bus;
}

static void every_simulated_board_is_read_well_and_within_the_rules(void **state)
{
	struct sim_counts counts;

	(void)state;
	for (size_t i = 0; sim_board_name(i); i++) {
		struct bus *bus = simulate(sim_board_name(i));

		for (size_t k = 0; k < bus->n && k < 2; k++) {
			look(bus, (int)k, (struct reader_policy){ .active = true, .fresh = true });
			if (!snapshot_is_live(&s))
				fail_msg("%s: %s", sim_board_name(i), s.reason);
			if (s.note[0])
				fail_msg("%s: %s", sim_board_name(i), s.note);
			assert_string_not_equal(s.board, "N/A");
			assert_int_equal(s.r[FIELD_VCORE].state, READING_OK);
			assert_int_equal(s.r[FIELD_ASIC_TEMP].state, READING_OK);
			assert_int_equal(s.r[FIELD_DRAM_STATUS].value, 1);
		}
		sim_count(bus, &counts);
		if (counts.violations)
			fail_msg("%s: %s", sim_board_name(i), counts.last_violation);
		bus_close(bus);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_simulated_board_is_read_well_and_within_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
