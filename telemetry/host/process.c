/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.c - describes pids from their files in /proc.
 */
#include "config.h"
#include "telemetry/host/process.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Read the start of a process's file, however long that is; the length or -1. */
static ssize_t read_some(const char *root, pid_t pid, const char *name, char *buf, size_t size)
{
	char path[512];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/proc/%d/%s", root, (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n >= 0)
		buf[n] = '\0';
	return n;
}

/* NUL and newline become blanks, unprintable bytes \xNN; outer blanks go (chip-facts 1.7). */
static void put_command(const char *raw, size_t len, char *out, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)raw[i];
		bool plain = c >= 0x20 && c <= 0x7e;

		if (c == '\0' || c == '\n') {
			c = ' ';
			plain = true;
		}
		if (c == ' ' && at == 0)
			continue;
		if (at + (plain ? 1 : 4) >= size)
			break;
		if (plain)
			out[at++] = (char)c;
		else
			at += (size_t)snprintf(out + at, size - at, "\\x%02x", c);
	}
	while (at > 0 && out[at - 1] == ' ')
		at--;
	out[at] = '\0';
}

/* The name of a uid below another root, which NSS does not know: from its passwd file. */
static bool find_user(const char *root, uint64_t uid, char *out, size_t size)
{
	char path[512], line[512];
	bool found = false;
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "%s/etc/passwd", root);
	fd = file_open_read(path, NULL);
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		char *name_end = strchr(line, ':');
		char *id = name_end ? strchr(name_end + 1, ':') : NULL;
		uint64_t v;

		if (!id)
			continue;
		id++;
		id[strcspn(id, ":\n")] = '\0';
		*name_end = '\0';
		found = parse_u64(id, &v) && v == uid;
		if (found)
			mem_copy_text(out, size, line);
	}
	fclose(file);
	return found;
}

static void fill_user(const char *root, uint64_t uid, struct process *p)
{
	char buf[4096];
	struct passwd pw, *found = NULL;

	p->uid = (int64_t)uid;
	snprintf(p->user, sizeof(p->user), "%llu", (unsigned long long)uid);
	if (strcmp(root, "/") != 0)
		find_user(root, uid, p->user, sizeof(p->user));
	else if (getpwuid_r((uid_t)uid, &pw, buf, sizeof(buf), &found) == 0 && found)
		mem_copy_text(p->user, sizeof(p->user), found->pw_name);
}

/* The first number of the line of status that starts with `begin`, or with `last` the last one. */
static bool find_number(const char *text, const char *begin, bool last, uint64_t *number)
{
	const char *line = strstr(text, begin);
	char digits[24];
	size_t len;

	if (!line)
		return false;
	line += strlen(begin);
	for (;;) {
		len = strcspn(line, "\t\n");
		if (!last || line[len] != '\t')
			break;
		line += len + 1;
	}
	mem_copy_text(digits, len < sizeof(digits) ? len + 1 : sizeof(digits), line);
	return parse_u64(digits, number);
}

static void read_status(const char *root, struct process *p)
{
	char text[4096];
	const ssize_t n = read_some(root, p->pid, "status", text, sizeof(text));
	uint64_t number;

	if (n <= 0)
		return;
	if (find_number(text, "\nUid:\t", false, &number) && number <= UINT32_MAX)
		fill_user(root, number, p);
	/* Its pid in each pid namespace, the innermost last; kernels before 4.1 lack the line. */
	if (find_number(text, "\nNSpid:\t", true, &number) && number <= INT32_MAX)
		p->seen_as = (pid_t)number;
	else if (!strstr(text, "\nNSpid:") && (size_t)n < sizeof(text) - 1)
		p->seen_as = p->pid;
}

/* "btime" of a recorded /proc/stat: when the machine was booted, in seconds since 1970. */
static int64_t recorded_boot(const char *root)
{
	char path[512], line[256], digits[24];
	uint64_t seconds = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/stat", root);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "btime %20[0-9]", digits) == 1 && parse_u64(digits, &seconds))
			break;
	if (file)
		fclose(file);
	return seconds < INT64_MAX / CLOCK_SECOND / 2 ? (int64_t)seconds : 0;
}

/* The same for this machine, without reading the long /proc/stat. */
static int64_t own_boot(void)
{
	struct timespec now, up;

	if (clock_gettime(CLOCK_REALTIME, &now) < 0 || clock_gettime(CLOCK_BOOTTIME, &up) < 0)
		return 0;
	return now.tv_sec - up.tv_sec - (now.tv_nsec < up.tv_nsec);
}

/* Word 22 of stat is the start in ticks after boot; word 2, "(name)", may hold any character. */
static int64_t find_start(const char *root, pid_t pid)
{
	const int64_t hertz = sysconf(_SC_CLK_TCK);
	char text[4096], *at, *save = NULL;
	uint64_t ticks = 0;
	int64_t boot;

	if (hertz <= 0 || read_some(root, pid, "stat", text, sizeof(text)) <= 0)
		return 0;
	at = strrchr(text, ')');
	at = at ? strtok_r(at + 1, " ", &save) : NULL;
	for (int word = 3; at && word < 22; word++)
		at = strtok_r(NULL, " ", &save);
	boot = strcmp(root, "/") == 0 ? own_boot() : recorded_boot(root);
	if (!at || !parse_u64(at, &ticks) || ticks > INT64_MAX / CLOCK_SECOND || boot <= 0)
		return 0;
	return (boot + (int64_t)ticks / hertz) * CLOCK_SECOND;
}

bool process_describe(const char *root, pid_t pid, struct process *p)
{
	char text[4096];
	ssize_t n;

	p->pid = pid;
	p->container[0] = '\0';
	memset(&p->group, 0, sizeof(p->group));
	p->started = 0;
	p->pinned = p->uid = -1;
	p->seen_as = 0;
	p->has_memory = false;
	mem_copy_text(p->user, sizeof(p->user), "?");
	mem_copy_text(p->command, sizeof(p->command), "?");
	if (pid <= 0)
		return false;
	p->started = find_start(root, pid);
	read_status(root, p);
	if (read_some(root, pid, "cgroup", text, sizeof(text)) > 0) {
		cgroup_parse(text, &p->group);
		cgroup_label(&p->group, p->container, sizeof(p->container));
	}
	n = read_some(root, pid, "cmdline", text, sizeof(text));
	if (n <= 0)
		n = read_some(root, pid, "comm", text, sizeof(text));
	if (n > 0)
		put_command(text, (size_t)n, p->command, sizeof(p->command));
	return n > 0 || strcmp(p->user, "?") != 0;
}

const char *process_memory_key(enum process_memory kind)
{
	static const char *const keys[PROCESS_MEMORIES] = { "dram", "l1", "l1_small", "trace",
		"cb" };

	return keys[kind];
}

int process_compare(const void *a, const void *b)
{
	const struct process *p = a, *q = b;

	if (p->device != q->device)
		return p->device < q->device ? -1 : 1;
	return p->pid < q->pid ? -1 : p->pid > q->pid;
}
