/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_holders.c - the processes that hold a card's node.
 *
 * Drivers from 2.5.0 list them, one line for each open descriptor; with older
 * ones the links below /proc are looked through, which shows other people's
 * processes to root only.  This program's own processes are left out: those
 * that are, or descend from, the one that opened the bus.
 */
#include "config.h"
#include "base/file.h"
#include "base/parse.h"
#include "device/kmd.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pids {
	struct bus *bus;
	pid_t *pid;
	size_t n, max;
};

#define ANCESTORS 8	/* a worker's worker is as deep as we nest */

static pid_t parent_of(pid_t pid)
{
	char path[64], text[1024];
	const char *end;
	int64_t parent;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	if (file_read_at(-1, path, text, sizeof(text)) < 0)
		return 0;
	end = strrchr(text, ')');	/* the name in brackets may hold anything */
	if (!end || strlen(end) < 5)
		return 0;
	parent = strtol(end + 4, NULL, 10);
	return (pid_t)parent;
}

static bool is_ours(const struct bus *bus, pid_t pid)
{
	const struct kmd *kmd = bus->priv;

	if (strcmp(bus->root, "/") != 0)
		return false;
	for (int i = 0; pid > 1 && i < ANCESTORS; i++) {
		if (pid == kmd->pid || pid == getpid())
			return true;
		pid = parent_of(pid);
	}
	return false;
}

static void add(struct pids *p, pid_t pid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->pid[i] == pid)
			return;
	if (p->n < p->max && !is_ours(p->bus, pid))
		p->pid[p->n++] = pid;
}

/* The driver's list; lines that are no number are passed over. */
static void parse_list(struct pids *p, char *text)
{
	char *save = NULL;
	int pid;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (kmd_is_number(line, &pid))
			add(p, pid);
}

static bool holds(const char *fd_dir, const char *node, bool *readable)
{
	char path[KMD_PATH], target[KMD_PATH];
	DIR *dir = opendir(fd_dir);
	struct dirent *entry;
	bool found = false;

	*readable = dir || errno == ENOENT;	/* gone meanwhile is fine */
	while (dir && !found && (entry = readdir(dir))) {
		ssize_t n;

		if (snprintf(path, sizeof(path), "%s/%s", fd_dir, entry->d_name) >= (int)sizeof(path))
			continue;
		n = readlink(path, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		found = strcmp(target, node) == 0;
	}
	if (dir)
		closedir(dir);
	return found;
}

static int look_through_proc(struct pids *p, int node, bool *partial)
{
	char path[KMD_PATH], fds[KMD_PATH + 16], name[64];
	struct dirent *entry;
	DIR *dir;
	int r = kmd_path(p->bus->root, path, sizeof(path), "/proc"), pid;

	if (r < 0)
		return r;
	dir = opendir(path);
	if (!dir)
		return -errno;
	snprintf(name, sizeof(name), "/dev/tenstorrent/%d", node);
	while ((entry = readdir(dir))) {
		bool readable;

		if (!kmd_is_number(entry->d_name, &pid))
			continue;
		snprintf(fds, sizeof(fds), "%s/%d/fd", path, pid);
		if (holds(fds, name, &readable))
			add(p, pid);
		else if (!readable)
			*partial = true;
	}
	closedir(dir);
	return 0;
}

ssize_t kmd_holders(struct device *d, pid_t *pids, size_t max, bool *partial)
{
	struct pids p = { d->bus, pids, 0, max };
	char path[KMD_PATH], *text;
	size_t len;
	int r;

	*partial = false;
	if (d->node < 0)
		return 0;
	if (kmd_path(d->bus->root, path, sizeof(path), "/proc/driver/tenstorrent/%d/pids", d->node) == 0 &&
	    file_read_all(path, 1 << 20, &text, &len, NULL) == 0) {
		parse_list(&p, text);
		free(text);
		return (ssize_t)p.n;
	}
	r = look_through_proc(&p, d->node, partial);
	return r < 0 ? r : (ssize_t)p.n;
}
