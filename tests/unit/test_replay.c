/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_replay.c - what is recorded of any transport is what a replay answers.
 */
#include "config.h"
#include "base/mem.h"
#include "base/file.h"
#include "base/text.h"
#include "device/bus.h"
#include "device/record/record.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char path[64];

/* A transport whose answers tell what was asked, and how often before. */
static uint32_t asked;

static ssize_t odd_attr(struct device *d, enum attr a, char *buf, size_t size)
{
	if (a == ATTR_TT_SERIAL)
		return -ENODATA;
	return snprintf(buf, size, "%d \\\x01\xff %u\n", d->index, asked++);
}

static int odd_acquire(struct device *d, enum access_purpose purpose, enum device_handle how,
	struct error *e)
{
	(void)purpose, (void)how;
	return d->index == 0 ? 0 : (fail)(e, -EAGAIN, "%s: held\nelsewhere", d->bdf);
}

static int odd_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	(void)d;
	if (at.addr == 0x100)
		return -EIO;
	for (size_t i = 0; i < n; i++)
		words[i] = (uint32_t)at.addr + at.x + asked++;
	return 0;
}

static int odd_write(struct device *d, struct reg_addr at, uint32_t word)
{
	(void)d;
	return at.addr == 0x200 && word == 7 ? 0 : -EPERM;
}

static ssize_t odd_holders(struct device *d, pid_t *pids, size_t max, bool *partial)
{
	(void)max;
	*partial = true;
	pids[0] = 42;
	pids[1] = 0;
	return d->index == 0 ? 2 : -EACCES;
}

static const struct transport_ops odd = {
	.name = "odd", .attr = odd_attr, .acquire = odd_acquire,
	.read = odd_read, .write = odd_write,
	.holders = odd_holders,
};

static void free_odd(struct bus *bus)
{
	free(bus->own);
	free(bus);
}

static struct bus *odd_bus(void)
{
	struct bus *bus = mem_calloc(1, sizeof(*bus));

	bus->own = mem_calloc(1, sizeof(*bus->own));
	bus->ops = &odd;
	bus->n = 2;
	mem_copy_text(bus->driver, sizeof(bus->driver), "2.10.1-pre");
	for (int i = 0; i < 3; i++)
		bus->dev[i] = (struct device){ .ops = &odd, .bus = bus, .index = i, .local = -1,
			.node = i, .numa_node = -1, .vendor = 0x1e52, .device = 0x401e,
			.chip = DEVICE_WORMHOLE };
	mem_copy_text(bus->dev[0].bdf, sizeof(bus->dev[0].bdf), "0000:01:00.0");
	mem_copy_text(bus->dev[1].bdf, sizeof(bus->dev[1].bdf), "0002:01:00.0");
	mem_copy_text(bus->dev[1].reason, sizeof(bus->dev[1].reason), "no node: pass it in");
	bus->dev[1].trouble = DEVICE_NO_NODE;
	bus->dev[2].local = 1;		/* joins later: a remote chip */
	bus->dev[2].node = -1;
	return bus;
}

/* All accesses of one sample, and their answers as text. */
static void sample(struct device *d, struct strbuf *to)
{
	static const struct reg_addr at[] = {
		{ REG_BAR0, 0, 0, 0x1ff30060 }, { REG_NOC, 8, 0, 0x80030434 },
		{ REG_NOC, 1, 0, 0x80030434 },
		{ REG_BAR0, 0, 0, 0x1ff30060 }, { REG_NOC, 8, 0, 0x100 },
	};
	struct error e = { 0 };
	char text[ATTR_TEXT];
	uint32_t words[3];

	device_begin_sample(d);
	for (enum attr a = ATTR_TT_AICLK; a <= ATTR_TT_SERIAL; a++) {
		ssize_t n = device_attr(d, a, text, sizeof(text));

		strbuf_printf(to, "%zd %s\n", n, n >= 0 ? text : "");
	}
	strbuf_printf(to, "%d %s\n", device_acquire(d, &e), e.text);
	for (size_t i = 0; i < ARRAY_LEN(at); i++) {
		int r = device_read(d, at[i], words, i % 3 + 1);

		strbuf_printf(to, "%d", r);
		for (size_t k = 0; r == 0 && k < i % 3 + 1; k++)
			strbuf_printf(to, " %x", words[k]);
		strbuf_putc(to, '\n');
	}
	strbuf_printf(to, "%d %d\n", device_write(d, (struct reg_addr){ REG_BAR0, 0, 0, 0x200 }, 7),
		device_write(d, (struct reg_addr){ REG_BAR0, 0, 0, 0x204 }, 7));
	device_release(d);
	device_end_sample(d);
}

static void holders(struct device *d, struct strbuf *to)
{
	pid_t pids[4] = { 0 };
	bool partial = false;
	ssize_t n = device_holders(d, pids, 4, &partial);

	strbuf_printf(to, "%zd %d", n, partial);
	for (ssize_t i = 0; i < n; i++)
		strbuf_printf(to, " %d", (int)pids[i]);
	strbuf_putc(to, '\n');
}

/* Two samples of each of three devices, the last of which joins late, from two processes. */
static void record(struct strbuf *told)
{
	struct bus *bus = odd_bus();
	struct error e = { 0 };
	int status;
	pid_t child;

	if (record_open(bus, path, &e) < 0)
		fail_msg("%s", e.text);
	holders(&bus->dev[0], told);
	sample(&bus->dev[0], told);
	sample(&bus->dev[1], told);
	child = fork();
	if (child == 0) {
		struct strbuf theirs = { 0 };

		asked = 1000;
		sample(&bus->dev[1], &theirs);
		_exit(record_trouble(bus) != 0);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	asked = 1000;
	sample(&bus->dev[2], told);
	sample(&bus->dev[0], told);
	holders(&bus->dev[1], told);
	assert_int_equal(record_trouble(bus), 0);
	record_close(bus);
	free_odd(bus);
}

static struct bus *replayed(void)
{
	struct bus_config c = { .replay = path };
	struct error e = { 0 };
	struct bus *bus = NULL;

	if (bus_open(&c, &bus, &e) < 0)
		fail_msg("%s", e.text);
	return bus;
}

static int new_path(void **state)
{
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/test_replay.XXXXXX");
	fd = mkstemp(path);
	close(fd);
	unlink(path);
	asked = 0;
	return fd < 0 ? -1 : 0;
}

static int remove_path(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static void a_replay_answers_what_was_recorded(void **state)
{
	struct strbuf told = { 0 }, again = { 0 }, skipped = { 0 };
	struct bus *bus;

	(void)state;
	record(&told);
	bus = replayed();
	assert_int_equal(bus->n, 3);
	assert_string_equal(bus->driver, "2.10.1-pre");
	assert_string_equal(bus->dev[1].bdf, "0002:01:00.0");
	assert_string_equal(bus->dev[1].reason, "no node: pass it in");
	assert_int_equal(bus->dev[1].trouble, DEVICE_NO_NODE);
	assert_int_equal(bus->dev[2].local, 1);
	assert_int_equal(bus->dev[2].chip, DEVICE_WORMHOLE);
	assert_ptr_equal(bus_add_remote(bus, 1), &bus->dev[2]);
	assert_int_equal(bus_rescan(bus, NULL), 0);
	holders(&bus->dev[0], &again);
	sample(&bus->dev[0], &again);
	sample(&bus->dev[1], &again);
	sample(&bus->dev[1], &skipped);
	sample(&bus->dev[2], &again);
	sample(&bus->dev[0], &again);
	holders(&bus->dev[1], &again);
	assert_string_equal(again.text, told.text);
	bus_close(bus);
	strbuf_clear(&told);
	strbuf_clear(&again);
	strbuf_clear(&skipped);
}

static void the_last_page_answers_for_ever(void **state)
{
	struct strbuf told = { 0 }, first = { 0 }, last = { 0 }, more = { 0 };
	struct bus *bus;

	(void)state;
	record(&told);
	bus = replayed();
	sample(&bus->dev[0], &first);
	sample(&bus->dev[0], &last);
	sample(&bus->dev[0], &more);
	assert_string_not_equal(first.text, last.text);
	assert_string_equal(last.text, more.text);
	strbuf_clear(&more);
	sample(&bus->dev[0], &more);
	assert_string_equal(last.text, more.text);
	assert_int_equal(device_begin_sample(&bus->dev[0]), -ENODATA);
	assert_int_equal(device_begin_sample(&bus->dev[1]), 0);
	bus_close(bus);
	strbuf_clear(&told);
	strbuf_clear(&first);
	strbuf_clear(&last);
	strbuf_clear(&more);
}

/* The successor of a worker that was given up must not begin at page one. */
static void the_place_in_a_recording_is_shared_between_processes(void **state)
{
	struct strbuf told = { 0 }, first = { 0 }, last = { 0 };
	struct bus *bus;
	pid_t child;

	(void)state;
	record(&told);
	bus = replayed();
	child = fork();
	if (child == 0) {
		sample(&bus->dev[0], &first);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	sample(&bus->dev[0], &last);
	bus_close(bus);
	bus = replayed();
	sample(&bus->dev[0], &first);
	assert_string_not_equal(first.text, last.text);
	bus_close(bus);
	strbuf_clear(&told);
	strbuf_clear(&first);
	strbuf_clear(&last);
}

static void what_was_not_recorded_is_not_made_up(void **state)
{
	struct strbuf told = { 0 };
	char text[ATTR_TEXT];
	struct error e = { 0 };
	struct bus *bus;
	uint32_t word;
	pid_t pids[2];
	bool partial;

	(void)state;
	record(&told);
	bus = replayed();
	device_begin_sample(&bus->dev[0]);
	assert_int_equal(device_attr(&bus->dev[0], ATTR_HWMON_FAN, text, sizeof(text)), -ENODATA);
	assert_int_equal(device_read(&bus->dev[0],
		(struct reg_addr){ REG_BAR0, 0, 0, 0x1ff30064 }, &word, 1), -ENODATA);
	assert_int_equal(device_write(&bus->dev[0], (struct reg_addr){ REG_BAR0, 0, 0, 0x200 }, 8),
		-ENODATA);
	assert_int_equal(device_holders(&bus->dev[2], pids, 2, &partial), -ENODATA);
	bus_close(bus);
	unlink(path);
	bus = odd_bus();
	assert_int_equal(record_open(bus, path, &e), 0);
	record_close(bus);
	free_odd(bus);
	bus = replayed();		/* devices, and no sample of any */
	device_begin_sample(&bus->dev[0]);
	assert_int_equal(device_acquire(&bus->dev[0], &e), -ENODATA);
	assert_int_equal(device_attr(&bus->dev[0], ATTR_TT_AICLK, text, sizeof(text)), -ENODATA);
	bus_close(bus);
	strbuf_clear(&told);
}

static void a_recording_never_overwrites(void **state)
{
	struct bus *bus = odd_bus();
	struct error e = { 0 };

	(void)state;
	assert_int_equal(record_open(bus, path, &e), 0);
	record_close(bus);
	assert_int_equal(record_open(bus, path, &e), -EEXIST);
	assert_non_null(strstr(e.text, path));
	free_odd(bus);
}

/* A limit on the file's size fails a write as a full disk does. */
static void a_write_that_fails_is_told_and_not_hidden(void **state)
{
	struct strbuf told = { 0 };
	struct bus *bus = odd_bus();
	struct error e = { 0 };
	struct rlimit was, small;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	small = (struct rlimit){ 1024, was.rlim_max };
	assert_int_equal(record_open(bus, path, &e), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (int i = 0; i < 8; i++)
		sample(&bus->dev[0], &told);
	setrlimit(RLIMIT_FSIZE, &was);
	assert_int_equal(record_trouble(bus), -EFBIG);
	record_close(bus);
	free_odd(bus);
	bus = replayed();		/* what came before is still worth something */
	assert_int_equal(bus->n, 2);
	bus_close(bus);
	strbuf_clear(&told);
}

#define HEAD "tt-smi recording 1\ndriver 2.10.0\n"
#define DEVICE0 "device 0 0000:01:00.0 1e52:b140 1e52:0040 00 node 0 numa -1 local -1 trouble 0 \n"

static void what_is_no_recording_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "not a recording" },
		{ "{}\n", "line 1 " },
		{ "tt-smi recording 2\n", "newer" },
		{ HEAD "hello\n", "line 3 of the recording: unknown word" },
		{ HEAD "look 0\n", "not in the recording" },
		{ HEAD "attr tt_aiclk = 5\n", "outside of a page" },
		{ HEAD "end\n", "outside of a page" },
		{ HEAD "device 9999 0000:01:00.0 1e52:b140 1e52:0040 00 node 0 numa -1 local -1 trouble 0 \n",
			"no device has this" },
		{ HEAD "device 0 - 1e52:b140 1e52:0040 00 node 0 numa -1 local -1 trouble 0 \n", "BDF" },
		{ HEAD "device 0 - 1e52:b140 1e52:0040 00 node 0 numa -1 local 0 trouble 0 \n", "after its" },
		{ HEAD "device 0 0000:01:00.0 1e52:b140 1e52:0040 00 node 0 numa -1 local -1 trouble 9 \n",
			"not a device" },
		{ HEAD DEVICE0 "device 1 0000:01:00.0 1e52:b140 1e52:0040 00 node 0 numa -1 local -1"
			" trouble 0 \n", "another number" },
		{ HEAD DEVICE0 "look 0\nlook 0\n", "line 5 of the recording: a page within" },
		{ HEAD DEVICE0 "look 0\nattr tt_nothing = 5\n", "unknown attribute" },
		{ HEAD DEVICE0 "look 0\nattr tt_aiclk ? 5\n", "neither" },
		{ HEAD DEVICE0 "look 0\nattr tt_aiclk = \\q\n", "\\xNN" },
		{ HEAD DEVICE0 "look 0\nattr tt_aiclk ! 0\n", "neither" },
		{ HEAD DEVICE0 "look 0\nattr tt_aiclk ! 99999\n", "neither" },
		{ HEAD DEVICE0 "look 0\nread bar0 10 2 = 1\n", "fewer words" },
		{ HEAD DEVICE0 "look 0\nread bar0 10 1 = 1 2\n", "more than" },
		{ HEAD DEVICE0 "look 0\nread bar0 10 1 = 100000000\n", "fewer words" },
		{ HEAD DEVICE0 "look 0\nread 300,1 10 1 = 1\n", "not a register" },
		{ HEAD DEVICE0 "look 0\nread bar0 10 4000000000 =\n", "fewer words" },
		{ HEAD DEVICE0 "holders 0 = 1 x\n", "not a process" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct error e = { 0 };
		struct replay *r = NULL;

		if (replay_parse(cases[i].text, strlen(cases[i].text), &r, &e) != -EINVAL ||
		    !strstr(e.text, cases[i].want))
			fail_msg("case %zu: \"%s\"", i, e.text);
	}
}

/* The third one of these was never looked at. */
static void second_chips_come_in_any_order(void **state)
{
	static const char text[] = HEAD DEVICE0
		"device 1 0000:02:00.0 1e52:401e 1e52:0014 00 node 1 numa -1 local -1 trouble 0 \n"
		"device 4 - 0000:0000 0000:0000 00 node -1 numa -1 local 1 trouble 0 \n"
		"look 4\nend\n"
		"device 2 - 0000:0000 0000:0000 00 node -1 numa -1 local 0 trouble 0 \n";
	struct error e = { 0 };
	struct replay *r = NULL;

	(void)state;
	assert_int_equal(replay_parse(text, sizeof(text) - 1, &r, &e), 0);
	assert_true(replay_has(r, 2) && !replay_has(r, 3) && replay_has(r, 4));
	assert_int_equal(r->devices[2].local, 0);
	assert_int_equal(r->devices[4].local, 1);
	assert_int_equal(r->tracks[4].n_pages, 1);
	replay_free(r);
}

/* A process killed while it wrote, or a full disk. */
static void a_last_page_that_was_cut_short_is_left_out(void **state)
{
	static const char text[] = HEAD DEVICE0 "look 0\nattr tt_aiclk = 800\nend\n"
		"look 0\nattr tt_aiclk = 900\nattr tt_axi";
	struct error e = { 0 };
	struct replay *r = NULL;

	(void)state;
	assert_int_equal(replay_parse(text, sizeof(text) - 1, &r, &e), 0);
	assert_int_equal(r->tracks[0].n_pages, 1);
	assert_int_equal(r->tracks[0].pages[0].n, 1);
	replay_free(r);
}

/* Each bus has its own recording, or none. */
static void two_buses_are_recorded_each_for_itself(void **state)
{
	struct bus *quiet = odd_bus(), *bus = odd_bus();
	struct strbuf told = { 0 };
	struct error e = { 0 };
	char *text;
	size_t len;

	(void)state;
	assert_int_equal(record_open(bus, path, &e), 0);
	sample(&quiet->dev[0], &told);
	sample(&bus->dev[1], &told);
	assert_int_equal(record_trouble(quiet), 0);
	record_close(quiet);
	sample(&bus->dev[1], &told);
	record_close(bus);
	assert_int_equal(file_read_all(path, 1 << 20, &text, &len, &e), 0);
	assert_null(strstr(text, "look 0"));
	assert_non_null(strstr(strstr(text, "look 1") + 1, "look 1"));
	free(text);
	strbuf_clear(&told);
	free_odd(quiet);
	free_odd(bus);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, new_path, remove_path)
	const struct CMUnitTest tests[] = {
		CASE(a_replay_answers_what_was_recorded),
		CASE(the_last_page_answers_for_ever),
		CASE(the_place_in_a_recording_is_shared_between_processes),
		CASE(what_was_not_recorded_is_not_made_up),
		CASE(a_recording_never_overwrites),
		CASE(two_buses_are_recorded_each_for_itself),
		CASE(a_write_that_fails_is_told_and_not_hidden),
		CASE(what_is_no_recording_is_refused_with_its_line),
		CASE(second_chips_come_in_any_order),
		CASE(a_last_page_that_was_cut_short_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
