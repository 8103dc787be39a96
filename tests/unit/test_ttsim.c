/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simulator ttsim as a card, against a library with its interface
 * (fake_ttsim.c): what is carried is carried rightly, however the simulator
 * ends we live on and know why, and no process is left.
 */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "base/file.h"
#include "device/bus.h"
#include "telemetry/sampler/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define TTSIM_TEST_WORDS 3000
#define MANY 10000	/* words: more than fit into two messages */
#define RESET_REG 0xffb121b0

static char folder[] = "/tmp/tt-smi-ttsim.XXXXXX";
static const char *built;

static struct reg_addr noc(unsigned x, unsigned y, uint64_t addr)
{
	return (struct reg_addr){ REG_NOC, (uint8_t)x, (uint8_t)y, addr };
}

/* A copy of the fake under a name that says what it does. */
static const char *library(const char *name)
{
	static char path[128];
	char command[512];

	snprintf(path, sizeof(path), "%s/%s.so", folder, name);
	snprintf(command, sizeof(command), "cp '%s/tests/rig/fake_ttsim.so' '%s'", built, path);
	assert_int_equal(system(command), 0);
	return path;
}

static struct bus *open_bus(const char *libraries)
{
	const struct bus_config c = { .ttsim = libraries };
	struct bus *bus = NULL;
	struct error e = { 0 };

	if (bus_open(&c, &bus, &e) < 0)
		fail_msg("'%s': %s", libraries, e.text);
	return bus;
}

static struct bus *open_one(const char *name)
{
	return open_bus(library(name));
}

static void acquire(struct device *d, enum access_purpose purpose)
{
	struct error e = { 0 };

	if (device_acquire_for(d, purpose, DEVICE_ACTIVE, &e) < 0)
		fail_msg("%s: %s", d->bdf, e.text);
}

static uint32_t word(struct device *d, struct reg_addr at)
{
	uint32_t value = 0;

	assert_int_equal(device_read(d, at, &value, 1), 0);
	return value;
}

/* Every process of a bus ends with it; orphans would become ours (a subreaper's). */
static void close_bus(struct bus *bus)
{
	pid_t left;
	int status;

	bus_close(bus);
	left = waitpid(-1, &status, WNOHANG);
	assert_int_equal(left, -1);
	assert_int_equal(errno, ECHILD);
}

static void test_identity(void **state)
{
	struct bus *bus;
	char both[256];

	(void)state;
	snprintf(both, sizeof(both), "%s", library("wh"));
	snprintf(both + strlen(both), sizeof(both) - strlen(both), ",2*%s", library("bh"));
	bus = open_bus(both);
	assert_int_equal(bus->n, 3);
	assert_int_equal(bus->dev[0].chip, DEVICE_WORMHOLE);
	assert_int_equal(bus->dev[2].chip, DEVICE_BLACKHOLE);
	assert_string_equal(bus->dev[2].bdf, "0000:03:00.0");
	assert_int_equal(bus_rescan(bus, NULL), 0);
	assert_int_equal(bus->n, 3);
	close_bus(bus);
}

/* Each chip's windows, a block larger than a message, a rectangle; other tiles stay as they are. */
static void check_carried(const char *name)
{
	struct bus *bus = open_one(name);
	struct device *d = &bus->dev[0];
	bool bh = d->chip == DEVICE_BLACKHOLE;
	const struct reg_rect all = bh ? (struct reg_rect){ 1, 2, 16, 11 }
				       : (struct reg_rect){ 1, 1, 9, 11 };
	static uint32_t out[MANY], in[MANY];

	for (uint32_t i = 0; i < MANY; i++)
		out[i] = i * 2654435761u;
	acquire(d, ACCESS_BURN);
	assert_int_equal(device_write_block(d, noc(2, 3, 0x20000), out, MANY), 0);
	assert_int_equal(device_read(d, noc(2, 3, 0x20000), in, MANY), 0);
	assert_memory_equal(in, out, sizeof(out));
	assert_int_equal(word(d, noc(3, 3, 0x20000)), 0);
	assert_int_equal(device_multicast(d, all, 0x40000, out, MANY), 0);
	assert_int_equal(device_read(d, noc(all.x1, all.y1, 0x40000), in, MANY), 0);
	assert_memory_equal(in, out, sizeof(out));
	assert_int_equal(word(d, noc(all.x0, all.y0, 0x40004)), out[1]);
	/* A register beside memory, through the same window. */
	assert_int_equal(device_write(d, noc(2, 3, RESET_REG), 0x47800), 0);
	assert_int_equal(word(d, noc(2, 3, RESET_REG)), 0x47800);
	assert_int_equal(word(d, noc(2, 3, 0x20004)), out[1]);
	close_bus(bus);
}

#define TTSIM_TEST_PIECES 1500

/* Many pieces at once: more than go into a message, of all lengths, one longer than a message. */
static void check_gathered(const char *name)
{
	static uint32_t out[MANY], in[TTSIM_TEST_PIECES * 8], longer[MANY];
	static struct device_piece pieces[TTSIM_TEST_PIECES + 1], places[TTSIM_TEST_PIECES];
	struct bus *bus = open_one(name);
	struct device *d = &bus->dev[0];
	size_t failed;

	for (uint32_t i = 0; i < MANY; i++)
		out[i] = i * 2654435761u;
	acquire(d, ACCESS_BURN);
	for (unsigned x = 1; x < 4; x++)
		assert_int_equal(device_write_block(d, noc(x, 3, 0x20000 + 0x100 * x), out, MANY),
			0);
	for (unsigned i = 0; i < TTSIM_TEST_PIECES; i++)
		pieces[i] = (struct device_piece){ noc(1 + i % 3, 3, 0x20000 + 0x100 * (1 + i % 3)
			+ 4 * i), in + (size_t)8 * i, 1 + i % 8 };
	pieces[TTSIM_TEST_PIECES] = pieces[700];
	pieces[700] = (struct device_piece){ noc(2, 3, 0x20200), longer, MANY };
	assert_int_equal(device_gather(d, pieces, ARRAY_LEN(pieces), &failed), 0);
	assert_memory_equal(longer, out, sizeof(out));
	for (unsigned i = 0; i < TTSIM_TEST_PIECES; i++)
		assert_memory_equal(in + (size_t)8 * i, out + i, 4 * (1 + i % 8));
	/* The same written: nothing lands beside the pieces. */
	for (unsigned i = 0; i < TTSIM_TEST_PIECES; i++)
		places[i] = (struct device_piece){ noc(1 + i % 3, 3, 0x40000 + 64 * i), out + i,
			1 + i % 8 };
	places[700] = (struct device_piece){ noc(2, 3, 0x80000), out, MANY };
	assert_int_equal(device_scatter(d, places, TTSIM_TEST_PIECES, &failed), 0);
	for (unsigned i = 0; i < TTSIM_TEST_PIECES; i++) {
		const struct reg_addr at = places[i].at;

		assert_int_equal(device_read_block(d, at, longer, places[i].n), 0);
		assert_memory_equal(longer, places[i].words, 4 * places[i].n);
		assert_int_equal(word(d, noc(at.x, 3, at.addr + 4 * places[i].n)), 0);
	}
	places[1400].at = noc(0, 2, 0x20);
	places[0].words = out + 9;
	assert_int_equal(device_scatter(d, places, TTSIM_TEST_PIECES, &failed), -EPERM);
	assert_int_equal(failed, 1400);
	assert_int_equal(word(d, places[0].at), out[0]);
	/* One that may not be read: named, and nothing is. */
	pieces[900].at = noc(0, 2, 0x20);
	pieces[900].n = 1;
	assert_int_equal(device_gather(d, pieces, ARRAY_LEN(pieces), &failed), -EPERM);
	assert_int_equal(failed, 900);
	pieces[900].at = noc(1, 3, 0x20002);
	assert_int_equal(device_gather(d, pieces, ARRAY_LEN(pieces), &failed), -EINVAL);
	assert_int_equal(device_gather(d, pieces, 0, &failed), 0);
	close_bus(bus);
}

static void test_gathered(void **state)
{
	(void)state;
	check_gathered("wh");
	check_gathered("bh");
}

static void test_carried(void **state)
{
	(void)state;
	check_carried("wh");
	check_carried("bh");
}

static void test_purposes(void **state)
{
	struct bus *bus = open_one("wh");
	struct device *d = &bus->dev[0];
	uint32_t w = 1;

	(void)state;
	assert_int_equal(device_read(d, noc(1, 1, 0), &w, 1), -EPERM);
	acquire(d, ACCESS_TELEMETRY);
	assert_int_equal(device_read(d, noc(1, 1, 0), &w, 1), -EPERM);
	assert_int_equal(device_write(d, noc(1, 1, 0x20), 1), -EPERM);
	assert_int_equal(device_acquire_for(d, ACCESS_BURN, DEVICE_ACTIVE, NULL), -EBUSY);
	device_release(d);
	acquire(d, ACCESS_BURN);
	assert_int_equal(device_write(d, noc(1, 1, 0x20), 1), 0);
	/* The firmware's word, no tile of ours, and what is not aligned. */
	assert_int_equal(device_write(d, noc(1, 1, 0x10), 1), -EPERM);
	assert_int_equal(device_write(d, noc(0, 2, 0x20), 1), -EPERM);
	assert_int_equal(device_write(d, noc(1, 1, 0x22), 1), -EINVAL);
	device_release(d);
	assert_int_equal(device_read(d, noc(1, 1, 0x20), &w, 1), -EPERM);
	/* The card's memory: a burn writes it, a check of it reads, telemetry does neither. */
	acquire(d, ACCESS_BURN);
	assert_int_equal(device_write(d, noc(5, 1, 0x7ffffff0), 0x12345678), 0);
	device_release(d);
	acquire(d, ACCESS_MEMORY);
	assert_int_equal(word(d, noc(5, 1, 0x7ffffff0)), 0x12345678);
	assert_int_equal(device_read_block(d, noc(5, 1, 0x7ffffff0), &w, 1), 0);
	assert_int_equal(w, 0x12345678);
	assert_int_equal(device_write(d, noc(5, 1, 0x7ffffff0), 1), -EPERM);
	assert_int_equal(device_write(d, noc(1, 1, 0x20), 1), -EPERM);
	device_release(d);
	acquire(d, ACCESS_TELEMETRY);
	assert_int_equal(device_read(d, noc(5, 1, 0x7ffffff0), &w, 1), -EPERM);
	close_bus(bus);
}

static void test_ends(void **state)
{
	static const struct {
		const char *name, *reason;
	} cases[] = {
		{ "bh+exit@5", "has ended: [28] ERROR: UnimplementedFunctionality: fake: offset" },
		{ "bh+silent@5", "has ended (exit status 3) and said nothing" },
		{ "wh+abort@5", "was ended by signal 6" },
		{ "wh+segv@5", "was ended by signal 11" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char two[256];
		struct bus *bus;
		struct error e = { 0 };
		uint32_t w, result;
		int r = 0;

		snprintf(two, sizeof(two), "%s,", library(cases[i].name));
		snprintf(two + strlen(two), sizeof(two) - strlen(two), "%s", library("wh"));
		bus = open_bus(two);
		acquire(&bus->dev[0], ACCESS_BURN);
		for (int k = 0; k < 5 && r == 0; k++)
			r = device_read(&bus->dev[0], noc(1, 2, 0x40), &w, 1);
		assert_int_equal(r, -EIO);
		device_release(&bus->dev[0]);
		assert_int_equal(device_acquire(&bus->dev[0], &e), -EIO);
		if (!strstr(e.text, cases[i].reason))
			fail_msg("%s: '%s'", cases[i].name, e.text);
		/* The other card is none the worse. */
		acquire(&bus->dev[1], ACCESS_BURN);
		assert_int_equal(word(&bus->dev[1], noc(1, 2, 0x40)), 0);
		/* And a reset is what helps. */
		acquire(&bus->dev[0], ACCESS_RESET);
		assert_int_equal(device_reset(&bus->dev[0], DEVICE_ASIC_RESET, &result), 0);
		assert_int_equal(result, 0);
		assert_int_equal(device_reset(&bus->dev[0], DEVICE_POST_RESET, &result), 0);
		device_release(&bus->dev[0]);
		acquire(&bus->dev[0], ACCESS_BURN);
		assert_int_equal(word(&bus->dev[0], noc(1, 2, 0x40)), 0);
		close_bus(bus);
	}
}

/* Neither a simulator that says nothing nor one that says anything is waited for, or believed. */
static void test_misleads(void **state)
{
	static const struct {
		const char *name;
		int error;
	} cases[] = { { "wh+hang@3", -ETIMEDOUT }, { "wh+junk@3", -EPROTO } };

	(void)state;
	setenv("TT_SMI_TTSIM_PATIENCE", "0.3", 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bus *bus = open_one(cases[i].name);
		struct device *d = &bus->dev[0];
		uint32_t w, result;

		acquire(d, ACCESS_TELEMETRY);
		word(d, (struct reg_addr){ REG_BAR0, 0, 0, 0x1ff30060 });
		word(d, (struct reg_addr){ REG_BAR0, 0, 0, 0x1ff30060 });
		w = 0;
		assert_int_equal(device_read(d, (struct reg_addr){ REG_BAR0, 0, 0, 0x1ff30060 },
			&w, 1), cases[i].error);
		assert_int_not_equal(w, 0xc0de0001);
		device_release(d);
		acquire(d, ACCESS_RESET);
		assert_int_equal(device_reset(d, DEVICE_ASIC_RESET, &result), 0);
		assert_int_equal(result, 0);
		device_reset(d, DEVICE_POST_RESET, &result);
		device_release(d);
		acquire(d, ACCESS_TELEMETRY);
		assert_int_equal(word(d, (struct reg_addr){ REG_BAR0, 0, 0, 0x1ff30060 }),
			0xc0de0001);
		close_bus(bus);
	}
	unsetenv("TT_SMI_TTSIM_PATIENCE");
}

static void test_cannot_begin(void **state)
{
	static const struct {
		const char *name, *reason;
		int error;
	} cases[] = {
		{ "wh+initexit", "ConfigurationError: fake: no chip today", -EIO },
		{ "wh+inithang", "does not answer", -ETIMEDOUT },
		{ "wh+two", "has several PCI functions", -EIO },
	};

	(void)state;
	setenv("TT_SMI_TTSIM_PATIENCE", "0.3", 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct bus_config c = { .ttsim = library(cases[i].name) };
		struct bus *bus = NULL;
		struct error e = { 0 };

		assert_int_equal(bus_open(&c, &bus, &e), cases[i].error);
		if (!strstr(e.text, cases[i].reason))
			fail_msg("%s: '%s'", cases[i].name, e.text);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	}
	unsetenv("TT_SMI_TTSIM_PATIENCE");
}

/* What a simulator prints is read, else it would sit in write() for ever. */
static void test_chatter(void **state)
{
	struct bus *bus = open_one("wh+chatter@2");

	(void)state;
	acquire(&bus->dev[0], ACCESS_BURN);
	for (int i = 0; i < 4; i++)
		assert_int_equal(word(&bus->dev[0], noc(1, 2, 0x40)), 0);
	close_bus(bus);
}

/* Reads its own tile again and again; the exit status counts answers that were another's. */
static int read_own(struct bus *bus, unsigned who, int64_t until)
{
	static uint32_t words[TTSIM_TEST_WORDS];
	struct device *d = &bus->dev[0];
	int wrong = 0;

	while (clock_steady() < until) {
		acquire(d, ACCESS_BURN);
		if (device_read(d, noc(1 + who, 3, 0x1000), words, ARRAY_LEN(words)) < 0)
			return 99;
		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			wrong += words[i] != (who << 16 | i);
		device_release(d);
		if (wrong)
			return 98;
	}
	return 0;
}

/* Many processes at once, two of them killed at any moment: nobody gets another's answer. */
static void test_many(void **state)
{
	struct bus *bus = open_one("bh");
	static uint32_t words[TTSIM_TEST_WORDS];
	int64_t until = clock_steady() + CLOCK_SECOND;
	pid_t pid[6];
	int status;

	(void)state;
	acquire(&bus->dev[0], ACCESS_BURN);
	for (unsigned who = 0; who < ARRAY_LEN(pid); who++) {
		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			words[i] = who << 16 | (uint32_t)i;
		assert_int_equal(device_write_block(&bus->dev[0], noc(1 + who, 3, 0x1000), words,
			ARRAY_LEN(words)), 0);
	}
	/* Forked while we hold the card: the children must not use our socket. */
	for (unsigned who = 0; who < ARRAY_LEN(pid); who++) {
		pid[who] = fork();
		if (pid[who] == 0)
			_exit(read_own(bus, who, until));
	}
	for (unsigned i = 0; i < 2; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
		kill(pid[i], SIGKILL);
	}
	assert_int_equal(read_own(bus, 5, until), 0);
	for (unsigned i = 0; i < ARRAY_LEN(pid); i++) {
		waitpid(pid[i], &status, 0);
		if (i >= 2)
			assert_int_equal(status, 0);
	}
	close_bus(bus);
}

static uint32_t count(struct device *d)
{
	uint32_t value;

	acquire(d, ACCESS_BURN);
	value = word(d, noc(4, 4, 0x100));
	device_release(d);
	return value;
}

/* The cores run while someone holds the card for a burn, and stand still otherwise. */
static void test_clock(void **state)
{
	struct bus *bus = open_one("wh");
	struct device *d = &bus->dev[0];
	uint32_t before, after = 0;

	(void)state;
	acquire(d, ACCESS_BURN);
	assert_int_equal(device_write(d, noc(4, 4, RESET_REG), 0x47000), 0);
	before = word(d, noc(4, 4, 0x100));
	for (int i = 0; i < 2000 && word(d, noc(4, 4, 0x100)) == before; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	assert_true(word(d, noc(4, 4, 0x100)) > before);
	/* A core in reset does not run. */
	assert_int_equal(word(d, noc(3, 4, 0x100)), 0);
	assert_int_equal(device_write(d, noc(4, 4, RESET_REG), 0x47800), 0);
	before = word(d, noc(4, 4, 0x100));
	device_release(d);
	assert_int_equal(count(d), before);
	/* Nor does any clock once nobody burns; a reader of telemetry does not make it. */
	acquire(d, ACCESS_TELEMETRY);
	for (int i = 0; i < 100 && before != after; i++) {
		before = word(d, noc(1, 0, 0x100));
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
		after = word(d, noc(1, 0, 0x100));
	}
	assert_int_not_equal(before, 0);
	assert_int_equal(after, before);
	close_bus(bus);
}

static uint8_t command(struct device *d)
{
	uint8_t byte = 0;

	assert_int_equal(device_config(d, 4, &byte, 1), 1);
	return byte;
}

static void test_reset(void **state)
{
	struct bus *bus = open_one("bh");
	struct device *d = &bus->dev[0];
	uint32_t result, w;

	(void)state;
	assert_int_equal(command(d), 0x06);
	acquire(d, ACCESS_BURN);
	assert_int_equal(device_write(d, noc(1, 2, 0x1000), 0x1234), 0);
	assert_int_equal(device_reset(d, DEVICE_ASIC_RESET, &result), -EPERM);
	device_release(d);
	acquire(d, ACCESS_RESET);
	assert_int_equal(device_reset(d, DEVICE_CONFIG_WRITE, &result), -EINVAL);
	assert_int_equal(device_reset(d, DEVICE_ASIC_RESET, &result), 0);
	assert_int_equal(result, 0);
	assert_int_equal(command(d), 0);
	device_release(d);
	/* Shut until the driver has made it usable again. */
	assert_int_equal(device_acquire(d, NULL), -ENODEV);
	acquire(d, ACCESS_RESET);
	assert_int_equal(device_reset(d, DEVICE_POST_RESET, &result), 0);
	assert_int_equal(result, 0);
	assert_int_equal(command(d), 0x06);
	device_release(d);
	acquire(d, ACCESS_BURN);
	assert_int_equal(word(d, noc(1, 2, 0x1000)), 0);
	/* A handle from before another process's reset stays dead. */
	if (fork() == 0) {
		acquire(d, ACCESS_RESET);
		device_reset(d, DEVICE_ASIC_RESET, &result);
		device_reset(d, DEVICE_POST_RESET, &result);
		_exit(0);
	}
	wait(NULL);
	assert_int_equal(device_read(d, noc(1, 2, 0x1000), &w, 1), -ENODEV);
	assert_int_equal(device_read(d, noc(1, 2, 0x1000), &w, 1), -ENODEV);
	close_bus(bus);
}

/* No firmware runs, so its silence is no fault of the card. */
static void test_still(void **state)
{
	struct bus *bus = open_one("bh");
	const struct sampler_config c = { .bus = bus, .deadline = 20 * CLOCK_SECOND,
		.interval = CLOCK_SECOND };
	struct sampler *s = NULL;
	struct error e = { 0 };

	(void)state;
	if (sampler_open(&c, &s, &e) < 0)
		fail_msg("%s", e.text);
	sampler_await_all(s);
	for (int i = 0; i < 5; i++) {
		const struct snapshot *chip = &sampler_fleet(s)->chips[0];

		assert_int_equal(sampler_tick(s, &e), 0);
		assert_string_equal(chip->reason, "");
		assert_int_equal(chip->r[FIELD_AICLK].value, 1000);
		assert_int_equal(chip->beat, SNAPSHOT_BEAT_UNJUDGED);
		assert_int_equal(chip->n_findings, 0);
		clock_sleep_until(clock_mono() + 2 * CLOCK_SECOND);
	}
	sampler_close(s);
	close_bus(bus);
}

static int prepare(void **state)
{
	(void)state;
	built = getenv("top_builddir");
	built = built ? built : ".";
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setenv("TT_SMI_VIRTUAL_TIME", "1795252364", 1);
	clock_init();
	return mkdtemp(folder) ? 0 : -1;
}

static int clean(void **state)
{
	char command_line[128];

	(void)state;
	snprintf(command_line, sizeof(command_line), "rm -rf '%s'", folder);
	return system(command_line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "each library is a card with its chip's identity", test_identity, NULL, NULL, NULL },
		{ "many places are read and written together", test_gathered, NULL, NULL, NULL },
		{ "words, blocks and multicasts arrive, and nowhere else", test_carried, NULL, NULL,
			NULL },
		{ "a purpose gets its registers and no others", test_purposes, NULL, NULL, NULL },
		{ "a simulator that ends is a failed card with its reason, until a reset", test_ends,
			NULL, NULL, NULL },
		{ "one that hangs or answers rubbish is neither waited for nor believed",
			test_misleads, NULL, NULL, NULL },
		{ "one that cannot begin is refused with its reason", test_cannot_begin, NULL, NULL,
			NULL },
		{ "one that prints without end is not blocked by that", test_chatter, NULL, NULL,
			NULL },
		{ "processes that read at once, and are killed, get no other's answers", test_many,
			NULL, NULL, NULL },
		{ "the clock runs while the card is held for a burn", test_clock, NULL, NULL, NULL },
		{ "a reset begins anew, shuts the card, and makes handles stale", test_reset, NULL,
			NULL, NULL },
		{ "firmware that is not there is not called silent", test_still, NULL, NULL, NULL },
	};

	return cmocka_run_group_tests_name("ttsim", tests, prepare, clean);
}
