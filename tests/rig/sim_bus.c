/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/rig/sim_bus.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "device/sim/sim_chip.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static int64_t opened;

struct bus *sim_bus(const char *spec, uint64_t seed)
{
	const struct bus_config c = { .sim = spec, .sim_seed = seed };
	struct bus *bus = NULL;
	struct error e = { 0 };

	opened = clock_mono();
	if (bus_open(&c, &bus, &e) < 0)
		fail_msg("'%s': %s", spec, e.text);
	return bus;
}

struct reg_addr bar0(uint64_t addr)
{
	return (struct reg_addr){ REG_BAR0, 0, 0, addr };
}

struct reg_addr noc(unsigned x, unsigned y, uint64_t addr)
{
	return (struct reg_addr){ REG_NOC, (uint8_t)x, (uint8_t)y, addr };
}

uint32_t word(struct device *d, struct reg_addr at)
{
	uint32_t value = 0;

	assert_int_equal(device_acquire(d, NULL), 0);
	assert_int_equal(device_read(d, at, &value, 1), 0);
	return value;
}

void put(struct device *d, struct reg_addr at, uint32_t value)
{
	assert_int_equal(device_acquire(d, NULL), 0);
	assert_int_equal(device_write(d, at, value), 0);
}

struct reg_addr csm(const struct device *d, uint32_t arc)
{
	return d->chip == DEVICE_BLACKHOLE ? noc(8, 0, arc) : bar0(CSM_BAR0 + arc - 0x10000000);
}

bool tag(struct device *d, unsigned number, uint32_t *value)
{
	bool bh = d->chip == DEVICE_BLACKHOLE;
	uint32_t table = word(d, bh ? noc(8, 0, 0x80030434) : bar0(UNIT + 0x1d0));
	uint32_t values = word(d, bh ? noc(8, 0, 0x80030430) : bar0(UNIT + 0x1d4));
	uint32_t n;

	assert_in_range(table, 0x10000000, 0x1007ffff);
	assert_in_range(values, 0x10000000, 0x1007ffff);
	assert_int_equal(word(d, csm(d, table)), 0x100);
	n = word(d, csm(d, table + 4));
	assert_in_range(n, 1, 256);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t entry = word(d, csm(d, table + 8 + 4 * i));

		if ((entry & 0xffff) != number)
			continue;
		*value = word(d, csm(d, values + 4 * (entry >> 16)));
		return true;
	}
	return false;
}

const char *text(struct device *d, enum attr a)
{
	static char buf[ATTR_TEXT];
	ssize_t r = device_attr(d, a, buf, sizeof(buf));

	if (r < 0)
		snprintf(buf, sizeof(buf), "%s", r == -ENOENT ? "-ENOENT" :
			r == -ENODATA ? "-ENODATA" :
			r == -ENODEV ? "-ENODEV" : r == -EIO ? "-EIO" : "another error");
	else
		assert_int_equal(r, strlen(buf));
	return buf;
}

int64_t number(struct device *d, enum attr a)
{
	int64_t value = 0;

	if (!parse_i64(text(d, a), &value))
		fail_msg("%s: %s is no number: %s", d->bdf, attrs[a].name, text(d, a));
	return value;
}

void wait_until(int64_t ns)
{
	clock_sleep_until(opened + ns);
}

struct sim_counts counts(const struct bus *bus)
{
	const struct sim_shared *sh = ((const struct sim *)bus->priv)->shared;
	struct sim_counts c = { .violations = sh->violations, .writes = sh->writes,
		.messages = sh->messages, .opens = sh->opens, .reads = sh->reads,
		.cancelled = sh->cancelled, .refused = sh->refused };

	mem_copy_text(c.last_violation, sizeof(c.last_violation), sh->last_violation);
	return c;
}
