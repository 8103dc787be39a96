/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/host/burn_room.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { KIB = 1024, SPARE_PART = 16, TEXT = 8192 };
#define SPARE_LEAST (64ULL << 20)	/* bytes left to others */

/* Read the small file whose path is the three texts together, behind a newline. */
static bool read_small(const char *root, const char *folder, const char *name, char text[TEXT])
{
	char full[2 * PATH_MAX + 64];

	snprintf(full, sizeof(full), "%s%s%s", root, folder, name);
	text[0] = '\n';
	return file_read_at(AT_FDCWD, full, text + 1, TEXT - 1) >= 0;
}

/* The number behind the key, which begins with a newline; UINT64_MAX: none, as in "max". */
static uint64_t number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	uint64_t n;
	char *end;

	if (!at)
		return UINT64_MAX;
	n = strtoull(at + strlen(key), &end, 10);
	return end > at + strlen(key) ? n : UINT64_MAX;
}

static uint64_t number_in(const char *root, const char *folder, const char *name, const char *key)
{
	char text[TEXT];

	return read_small(root, folder, name, text) ? number_after(text, key) : UINT64_MAX;
}

/* The same in bytes, for a number in KiB. */
static uint64_t kib_in(const char *root, const char *path, const char *key)
{
	const uint64_t n = number_in(root, path, "", key);

	return n == UINT64_MAX ? n : n * KIB;
}

static void lower(uint64_t *bytes, uint64_t to, const char **by, const char *name)
{
	if (to < *bytes) {
		*bytes = to;
		*by = name;
	}
}

enum { GIVEN_BACK = 3 };

/* Files of one version of control groups, and the kinds of memory that the kernel can reclaim. */
struct group_names {
	const char *most, *used, *given_back[GIVEN_BACK];
};

static const struct group_names version_2 = { "/memory.max", "/memory.current",
	{ "\ninactive_file ", "\nactive_file ", "\nslab_reclaimable " } };

/* total_ includes the groups below; the kernel's own reclaimable memory is not listed. */
static const struct group_names version_1 = { "/memory.limit_in_bytes", "/memory.usage_in_bytes",
	{ "\ntotal_inactive_file ", "\ntotal_active_file ", NULL } };

/* Bytes of a group that the kernel can reclaim, mostly page cache. */
static uint64_t given_back(const char *groups, const char *folder, const struct group_names *names)
{
	char text[TEXT];
	uint64_t sum = 0;

	if (!read_small(groups, folder, "/memory.stat", text))
		return 0;
	for (int i = 0; i < GIVEN_BACK && names->given_back[i]; i++) {
		const uint64_t n = number_after(text, names->given_back[i]);

		sum += n == UINT64_MAX ? 0 : n;
	}
	return sum;
}

/* Apply the limits of a group and of all groups above it. */
static void ask_group(const char *groups, char *folder, const struct group_names *names,
	uint64_t *bytes, const char **by)
{
	for (;;) {
		const uint64_t limit = number_in(groups, folder, names->most, "\n");
		uint64_t taken = number_in(groups, folder, names->used, "\n");
		char *last = strrchr(folder, '/');

		if (limit != UINT64_MAX && taken != UINT64_MAX) {
			const uint64_t back = given_back(groups, folder, names);

			taken -= back < taken ? back : taken;
			lower(bytes, limit > taken ? limit - taken : 0, by, "control group");
		}
		if (!last || !*folder)
			return;
		*last = '\0';
	}
}

static void ask_groups(const char *root, uint64_t *bytes, const char **by)
{
	char text[TEXT], groups[PATH_MAX], folder[PATH_MAX], *line, *save = NULL;

	if (!read_small(root, "/proc/self/cgroup", "", text))
		return;
	snprintf(groups, sizeof(groups), "%s/sys/fs/cgroup", root);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const bool is_2 = strncmp(line, "0::", 3) == 0;
		const char *path = is_2 ? line + 2 : strstr(line, ":memory:");

		if (!path)
			continue;
		path += strlen(is_2 ? ":" : ":memory:");
		snprintf(folder, sizeof(folder), "%s%s", is_2 ? "" : "/memory",
			strcmp(path, "/") ? path : "");
		ask_group(groups, folder, is_2 ? &version_2 : &version_1, bytes, by);
	}
}

static void ask_limits(const char *root, uint64_t *bytes, const char **by)
{
	static const struct {
		unsigned which;
		const char *name, *line;
	} limits[] = { { RLIMIT_AS, "address space limit", "\nVmSize:" },
		{ RLIMIT_DATA, "data limit", "\nVmData:" } };

	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		const uint64_t used = kib_in(root, "/proc/self/status", limits[i].line);
		struct rlimit l;

		if (getrlimit(limits[i].which, &l) < 0 || l.rlim_cur == RLIM_INFINITY)
			continue;
		lower(bytes, used < l.rlim_cur ? l.rlim_cur - used : 0, by, limits[i].name);
	}
}

int burn_room_free(const char *root, uint64_t *bytes, const char **by, struct error *e)
{
	uint64_t spare;

	*bytes = kib_in(root, "/proc/meminfo", "\nMemAvailable:");
	*by = "free memory";
	if (*bytes == UINT64_MAX)
		return fail(e, -ENODATA, "/proc/meminfo: has no MemAvailable");
	ask_groups(root, bytes, by);
	ask_limits(root, bytes, by);
	spare = *bytes / SPARE_PART > SPARE_LEAST ? *bytes / SPARE_PART : SPARE_LEAST;
	*bytes = *bytes > spare ? *bytes - spare : 0;
	return 0;
}

bool burn_room_is_short(const char *root)
{
	uint64_t bytes = kib_in(root, "/proc/meminfo", "\nMemAvailable:");
	const char *by;

	ask_groups(root, &bytes, &by);
	return bytes < SPARE_LEAST / 4;
}

uint64_t burn_room_kills(const char *root)
{
	const uint64_t n = number_in(root, "/proc/vmstat", "", "\noom_kill ");

	return n == UINT64_MAX ? 0 : n;
}

uint64_t burn_room_swapped(void)
{
	const uint64_t n = kib_in("", "/proc/self/status", "\nVmSwap:");

	return n == UINT64_MAX ? 0 : n;
}
