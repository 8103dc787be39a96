/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_runtime_memory.c - the memory that the runtime says, and when it is not believed. */
#include "config.h"
#include "base/mem.h"
#include "telemetry/host/host.h"
#include "tests/rig/runtime_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID    0x0011223344556601
#define TIME  1700000000000000000
#define SOME  4096

static uint8_t data[RUNTIME_FILE_SIZE];
static char tree[] = "/tmp/test_runtime.XXXXXX", path[128];

static char *name_of(const char *root, uint64_t id)
{
	snprintf(path, sizeof(path), "%s/dev/shm/tt_device_%" PRIu64 "_memory", root, id);
	return path;
}

static void write_file(const char *name, size_t len)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

/* One that sees itself as this, started before TIME. */
static struct process holder(pid_t seen_as)
{
	return (struct process){ .pid = 4711, .seen_as = seen_as, .uid = 1000,
		.started = TIME - 1000 };
}

static void each_version_that_is_known_is_read(void **state)
{
	static const struct {
		uint32_t version;
		bool known;
	} versions[] = { { 0, false }, { 1, false }, { 2, true }, { 3, true }, { 4, true },
		{ 5, false }, { UINT32_MAX, false } };
	struct runtime_memory m;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
		runtime_file_make(data, versions[i].version, ID);
		runtime_file_put(data, 63, 77, SOME, TIME);
		assert_int_equal(runtime_memory_parse(data, sizeof(data), ID, &m),
			versions[i].known);
		if (!versions[i].known)
			continue;
		assert_int_equal(m.slots[0].pid, 0);
		assert_int_equal(m.slots[63].pid, 77);
		assert_int_equal(m.slots[63].time, TIME);
		for (int k = 0; k < PROCESS_MEMORIES; k++)
			assert_int_equal(m.slots[63].bytes[k], SOME + k);
	}
}

static void a_file_that_is_not_whole_is_not_read(void **state)
{
	struct runtime_memory m;

	(void)state;
	runtime_file_make(data, 4, ID);
	assert_true(runtime_memory_parse(data, sizeof(data), ID, &m));
	assert_false(runtime_memory_parse(data, sizeof(data), ID + 1, &m));
	assert_false(runtime_memory_parse(data, sizeof(data) - 1, ID, &m));
	assert_false(runtime_memory_parse(data, 0, ID, &m));
	data[8536] = 1;		/* somebody is still at it */
	assert_false(runtime_memory_parse(data, sizeof(data), ID, &m));
}

static void a_slot_that_cannot_be_true_is_of_no_process(void **state)
{
	static const struct {
		int32_t pid;
		uint64_t bytes, time;
	} slots[] = {
		{ 0, SOME, TIME }, { -1, SOME, TIME }, { INT32_MIN, SOME, TIME },
		{ 7, UINT64_MAX - 9, TIME }, { 7, (uint64_t)1 << 63, TIME },
		{ 7, (uint64_t)1 << 41, TIME }, { 7, SOME, (uint64_t)1 << 63 },
	};
	struct runtime_memory m;

	(void)state;
	runtime_file_make(data, 3, ID);
	for (size_t i = 0; i < ARRAY_LEN(slots); i++)
		runtime_file_put(data, i, slots[i].pid, slots[i].bytes, slots[i].time);
	assert_true(runtime_memory_parse(data, sizeof(data), ID, &m));
	for (size_t i = 0; i < ARRAY_LEN(slots); i++)
		assert_int_equal(m.slots[i].pid, 0);
}

static void what_is_being_written_is_not_believed(void **state)
{
	struct runtime_memory before = { .slots = { { .pid = 5, .bytes = { SOME } },
		{ .pid = 6, .bytes = { 0, 0, 0, 0, 1 } }, { .pid = 7 }, { .pid = 8, .time = 1 } } };
	struct runtime_memory m = before;

	(void)state;
	assert_true(runtime_memory_settle(&before, &m));
	m.slots[0].bytes[0]++;
	m.slots[1].bytes[PROCESS_MEMORIES - 1]++;
	m.slots[2].pid = 9;
	m.slots[3].time++;
	assert_false(runtime_memory_settle(&before, &m));
	for (int i = 0; i < 3; i++)
		assert_int_equal(m.slots[i].pid, 0);
	assert_int_equal(m.slots[3].pid, 8);
}

/* Numbers of a chip: its own, its board's, and the board's with its place. */
static void a_chip_may_have_its_file_under_three_numbers(void **state)
{
	static struct snapshot s;
	uint64_t ids[4][RUNTIME_MEMORY_IDS];

	(void)state;
	runtime_memory_ids(&s, ids[0]);
	for (int k = 0; k < RUNTIME_MEMORY_IDS; k++)
		assert_int_equal(ids[0][k], 0);
	s.r[FIELD_ASIC_ID] = (struct reading){ .state = READING_OK, .value = ID };
	s.r[FIELD_ASIC_LOCATION] = (struct reading){ .state = READING_OK, .value = 1 };
	runtime_memory_ids(&s, ids[0]);
	assert_int_equal(ids[0][0], ID);
	assert_int_equal(ids[0][1] | ids[0][2], 0);
	s.r[FIELD_BOARD_ID] = (struct reading){ .state = READING_STALE,
		.value = 0x0000040112345678 };
	runtime_memory_ids(&s, ids[0]);
	assert_int_equal(ids[0][1], 0x0000040112345678);
	assert_int_equal(ids[0][2], 0x00008022468acf01);

	/* The board's number is that of two chips here, and no number of theirs. */
	memcpy(ids[1], ids[0], sizeof(ids[0]));
	memcpy(ids[2], ids[0], sizeof(ids[0]));
	ids[1][0] = ids[0][0] + 1;
	ids[1][2] = ids[0][2] - 1;
	ids[2][0] = ids[2][2] = ids[3][0] = ids[3][1] = ids[3][2] = 0;
	runtime_memory_part(ids, 4);
	assert_int_equal(ids[0][0], ID);
	assert_int_equal(ids[1][0], ID + 1);
	for (int i = 0; i < 4; i++)
		assert_int_equal(ids[i][1], 0);
	assert_int_equal(ids[0][2], 0x00008022468acf01);
	assert_int_equal(ids[1][2], 0x00008022468acf00);
}

static void only_a_process_that_is_meant_has_memory(void **state)
{
	struct process p[4] = { holder(77), holder(78), holder(79), holder(79) };
	const uint64_t ids[RUNTIME_MEMORY_IDS] = { ID, 0, ID + 1 };

	(void)state;
	runtime_file_make(data, 4, ID);
	runtime_file_put(data, 0, 4711, SOME, TIME);	/* holds it, in another pid namespace */
	runtime_file_put(data, 1, 77, SOME, TIME);
	runtime_file_put(data, 2, 78, SOME, TIME - 1001);	/* of one that ended before */
	runtime_file_put(data, 3, 79, SOME, TIME);	/* of one of two */
	runtime_file_put(data, 4, 1, SOME, TIME);	/* holds no card */
	write_file(name_of(tree, ID), sizeof(data));
	runtime_memory_fill(tree, ids, p, 4);
	assert_true(p[0].has_memory);
	for (int k = 0; k < PROCESS_MEMORIES; k++)
		assert_int_equal(p[0].memory[k], SOME + k);
	assert_false(p[1].has_memory || p[2].has_memory || p[3].has_memory);

	p[0] = holder(77);
	p[0].started = 0;	/* who knows whose the entry is? */
	runtime_memory_fill(tree, ids, p, 1);
	assert_false(p[0].has_memory);

	/* Two that speak of it. */
	runtime_file_make(data, 4, ID + 1);
	runtime_file_put(data, 0, 77, 2 * SOME, TIME);
	write_file(name_of(tree, ID + 1), sizeof(data));
	p[0] = holder(77);
	runtime_memory_fill(tree, ids, p, 1);
	assert_false(p[0].has_memory);
	remove(name_of(tree, ID));
	p[0] = holder(77);
	runtime_memory_fill(tree, ids, p, 1);
	assert_true(p[0].has_memory);
	assert_int_equal(p[0].memory[0], 2 * SOME);
	remove(name_of(tree, ID + 1));
}

static void nothing_but_a_whole_file_is_opened(void **state)
{
	static const uint64_t ids[RUNTIME_MEMORY_IDS] = { ID };
	struct process p = holder(77);
	char target[160];

	(void)state;
	runtime_file_make(data, 4, ID);
	runtime_file_put(data, 0, 77, SOME, TIME);
	snprintf(target, sizeof(target), "%s/elsewhere", tree);
	write_file(target, sizeof(data));
	runtime_memory_fill(tree, ids, &p, 1);	/* there is none */
	assert_int_equal(symlink(target, name_of(tree, ID)), 0);
	runtime_memory_fill(tree, ids, &p, 1);
	remove(path);
	remove(target);
	assert_int_equal(mkfifo(path, 0600), 0);
	runtime_memory_fill(tree, ids, &p, 1);
	remove(path);
	assert_int_equal(mkdir(path, 0700), 0);
	runtime_memory_fill(tree, ids, &p, 1);
	rmdir(path);
	write_file(path, sizeof(data) - 1);
	runtime_memory_fill(tree, ids, &p, 1);
	assert_int_equal(truncate(path, 1 << 20), 0);
	runtime_memory_fill(tree, ids, &p, 1);
	assert_false(p.has_memory);
	write_file(path, sizeof(data));
	runtime_memory_fill(tree, ids, &p, 1);
	assert_true(p.has_memory);
	remove(path);
}

/* On the machine itself, where anybody may put a file. */
static void a_file_is_believed_of_its_owner_alone(void **state)
{
	const uint64_t id = 0x7700000000000000 + (uint64_t)getpid();
	const uint64_t ids[RUNTIME_MEMORY_IDS] = { id };
	const uid_t owner = geteuid() ? geteuid() : 12345;
	struct process p = holder(77);
	FILE *file;

	(void)state;
	file = fopen(name_of("", id), "wx");
	if (!file)
		skip();
	fclose(file);
	runtime_file_make(data, 4, id);
	runtime_file_put(data, 0, 77, SOME, TIME);
	write_file(path, sizeof(data));
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(chown(path, owner, (gid_t)-1), 0);
	p.uid = owner;
	runtime_memory_fill("/", ids, &p, 1);
	assert_true(p.has_memory);
	p = holder(77);
	p.uid = owner + 1;
	runtime_memory_fill("/", ids, &p, 1);
	assert_false(p.has_memory);
	p.uid = -1;
	runtime_memory_fill("/", ids, &p, 1);
	assert_false(p.has_memory);
	p.uid = owner;
	assert_int_equal(chmod(path, 0606), 0);
	runtime_memory_fill("/", ids, &p, 1);
	assert_false(p.has_memory);
	assert_int_equal(chmod(path, 0660), 0);
	runtime_memory_fill("/", ids, &p, 1);
	assert_false(p.has_memory);
	/* root's is believed of everybody */
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 0, 0), 0);
		assert_int_equal(chmod(path, 0600), 0);
		runtime_memory_fill("/", ids, &p, 1);
		assert_true(p.has_memory);
	}
	remove(path);
}

static int make_tree(void **state)
{
	(void)state;
	if (!mkdtemp(tree))
		return -1;
	snprintf(path, sizeof(path), "%s/dev", tree);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/dev/shm", tree);
	return mkdir(path, 0755);
}

static int remove_tree(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "%s/dev/shm", tree);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/dev", tree);
	rmdir(path);
	return rmdir(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_version_that_is_known_is_read),
		cmocka_unit_test(a_file_that_is_not_whole_is_not_read),
		cmocka_unit_test(a_slot_that_cannot_be_true_is_of_no_process),
		cmocka_unit_test(what_is_being_written_is_not_believed),
		cmocka_unit_test(a_chip_may_have_its_file_under_three_numbers),
		cmocka_unit_test(only_a_process_that_is_meant_has_memory),
		cmocka_unit_test(nothing_but_a_whole_file_is_opened),
		cmocka_unit_test(a_file_is_believed_of_its_owner_alone),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
