/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much memory a burn may test: no more than is free, in its control groups and limits.
 */
#include "config.h"
#include "burnin/host/burn_room.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define MIB (1ULL << 20)

static void put(const char *path, const char *text)
{
	char folder[256];
	FILE *f;

	for (size_t i = 1; path[i]; i++)
		if (path[i] == '/') {
			snprintf(folder, sizeof(folder), "%.*s", (int)i, path);
			mkdir(folder, 0755);
		}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* 8 GiB are free; groups and limits lower that. */
static void the_room_is_what_groups_and_limits_leave(void **state)
{
	struct rlimit old, low = { 1 << 30, RLIM_INFINITY };
	char folder[] = "/tmp/test_burn_room_XXXXXX", remove[sizeof(folder) + 16];
	const char *by;
	uint64_t room;
	struct error e;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_true(burn_room_free("none", &room, &by, &e) < 0);
	put("room/proc/meminfo", "MemTotal: 16777216 kB\nMemAvailable:    8388608 kB\n");
	put("room/proc/self/status", "VmSize:\t    524288 kB\nVmData:\t 100 kB\n");
	assert_int_equal(burn_room_free("room", &room, &by, &e), 0);
	assert_int_equal(room, 8192 * MIB / 16 * 15);
	assert_string_equal(by, "free memory");
	put("room/proc/self/cgroup", "0::/a/b\n");
	put("room/sys/fs/cgroup/a/b/memory.max", "max\n");
	put("room/sys/fs/cgroup/a/b/memory.current", "1000\n");
	put("room/sys/fs/cgroup/a/memory.max", "4294967296\n");
	put("room/sys/fs/cgroup/a/memory.current", "1073741824\n");
	assert_int_equal(burn_room_free("room", &room, &by, &e), 0);
	assert_int_equal(room, 3072 * MIB / 16 * 15);
	assert_string_equal(by, "control group");
	/* 2 of its 4 GiB are page cache, and the kernel's own cache of names. */
	put("room/sys/fs/cgroup/a/memory.current", "4294967296\n");
	put("room/sys/fs/cgroup/a/memory.stat", "anon 2147483648\nfile 1610612736\nshmem 4096\n"
		"inactive_anon 7\ninactive_file 536870912\nactive_file 1073741824\n"
		"slab_reclaimable 536870912\nslab 536870912\n");
	assert_int_equal(burn_room_free("room", &room, &by, &e), 0);
	assert_int_equal(room, 2048 * MIB / 16 * 15);
	assert_false(burn_room_is_short("room"));
	put("room/proc/self/cgroup", "4:memory:/c\n");
	put("room/sys/fs/cgroup/memory/c/memory.stat", "cache 1\ninactive_file 5\nactive_file 5\n"
		"total_inactive_file 536870912\ntotal_active_file 536870912\n");
	put("room/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "2147483648\n");
	put("room/sys/fs/cgroup/memory/c/memory.usage_in_bytes", "2147483648\n");
	assert_int_equal(burn_room_free("room", &room, &by, &e), 0);
	assert_int_equal(room, 1024 * MIB / 16 * 15);
	put("room/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "2147483648\n");
	put("room/sys/fs/cgroup/memory/c/memory.usage_in_bytes", "4294967296\n");
	assert_int_equal(burn_room_free("room", &room, &by, &e), 0);
	assert_int_equal(room, 0);
	assert_true(burn_room_is_short("room"));
	put("room/proc/self/cgroup", "");
	assert_false(burn_room_is_short("room"));
	assert_int_equal(getrlimit(RLIMIT_DATA, &old), 0);
	low.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_DATA, &low), 0);
	assert_int_equal(burn_room_free("room", &room, &by, &e), 0);
	assert_int_equal(setrlimit(RLIMIT_DATA, &old), 0);
	assert_string_equal(by, "data limit");
	assert_true(room < 1024 * MIB);
	snprintf(remove, sizeof(remove), "rm -rf %s", folder);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(system(remove), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_room_is_what_groups_and_limits_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
