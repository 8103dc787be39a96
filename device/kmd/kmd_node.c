/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_node.c - the device node: who holds it, opening it, and requests to the driver.
 *
 * With O_APPEND this client asks the driver for no power, so that reading
 * changes nothing on the card; with O_NONBLOCK it does not wait for a client
 * that holds the node exclusively (chip-facts 1.8.5, 1.9).
 */
#include "config.h"
#include "device/kmd/kmd.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The processes that hold a card's node.
 *
 * Drivers from 2.5.0 list them, one line for each open descriptor.  With older
 * drivers read the links below /proc, where only root sees other users'
 * processes.  This program's own processes are left out: the one that opened
 * the bus, and its children, but no command that a user named (--during, --on-alert).
 */

struct pids {
	struct bus *bus;
	pid_t *pid;
	size_t n, max;
};

#define FRESH	  (200 * CLOCK_MS)	/* a walk up to this old is used again */
#define ANCESTORS 8	/* enough: we nest no deeper than a worker's worker */

bool kmd_is_ours(const struct kmd *kmd, pid_t pid)
{
	struct proc_stat stat;

	for (int i = 0; pid > 1 && i < ANCESTORS; i++, pid = stat.parent) {
		if (pid == kmd->pid || pid == getpid())
			return true;
		if (!child_is_known(pid) || !proc_stat_read(pid, &stat))
			return false;
	}
	return false;
}

static void holders_add_pid(struct pids *p, pid_t pid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->pid[i] == pid)
			return;
	/* Pids of a recorded tree are not processes of this machine. */
	if (strcmp(p->bus->root, "/") == 0 && kmd_is_ours(p->bus->priv, pid))
		return;
	if (p->n < p->max)
		p->pid[p->n++] = pid;
}

/* Read the driver's list; skip lines that are not a number. */
static void parse_list(struct pids *p, char *text)
{
	char *save = NULL;
	int pid;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (kmd_is_number(line, &pid))
			holders_add_pid(p, pid);
}

static void note_holder(struct kmd *kmd, int node, pid_t pid)
{
	for (size_t i = kmd->n_held; i > 0 && kmd->held[i - 1].pid == pid; i--)
		if (kmd->held[i - 1].node == node)
			return;
	if (kmd->n_held == kmd->max_held) {
		kmd->max_held = kmd->max_held * 2 + 64;
		kmd->held = mem_realloc(kmd->held, kmd->max_held * sizeof(*kmd->held));
	}
	kmd->held[kmd->n_held++] = (struct kmd_held){ node, pid };
}

/* Note the nodes among a process's open files; false if we may not see them. */
static bool note_files(struct kmd *kmd, const char *fd_dir, pid_t pid)
{
	static const char prefix[] = "/dev/tenstorrent/";
	char target[64];
	DIR *dir = opendir(fd_dir);
	struct dirent *entry;
	int node;

	if (!dir)
		return errno == ENOENT;		/* ended meanwhile */
	while ((entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		if (n < 0)
			continue;
		target[n] = '\0';
		if (strncmp(target, prefix, strlen(prefix)) == 0 &&
		    kmd_is_number(target + strlen(prefix), &node))
			note_holder(kmd, node, pid);
	}
	closedir(dir);
	return true;
}

/*
 * Does this /proc show every process of the machine?  Not with hidepid, which
 * also hides init, and not in a container with its own pid namespace.
 */
bool kmd_proc_is_whole(const char *proc)
{
	static const char initial[] = "pid:[4026531836]";	/* the kernel's PROC_PID_INIT_INO */
	char path[KMD_PATH + 16], name[32] = "";

	snprintf(path, sizeof(path), "%s/1", proc);
	if (access(path, F_OK) < 0)
		return false;
	snprintf(path, sizeof(path), "%s/self/ns/pid", proc);
	return readlink(path, name, sizeof(name) - 1) > 0 && strcmp(name, initial) == 0;
}

/* A walk costs milliseconds, so its result also serves other cards for a short time. */
static int search_proc(struct bus *bus)
{
	struct kmd *kmd = bus->priv;
	char path[KMD_PATH], fds[KMD_PATH + 16];
	struct dirent *entry;
	DIR *dir;
	int r, pid;

	if (kmd->held_at && clock_steady() - kmd->held_at < FRESH)
		return 0;
	r = kmd_path(bus->root, path, sizeof(path), "/proc");
	if (r < 0)
		return r;
	dir = opendir(path);
	if (!dir)
		return -errno;
	kmd->n_held = 0;
	kmd->held_partial = strcmp(bus->root, "/") == 0 && !kmd_proc_is_whole(path);
	while ((entry = readdir(dir))) {
		if (!kmd_is_number(entry->d_name, &pid))
			continue;
		snprintf(fds, sizeof(fds), "%s/%d/fd", path, pid);
		if (!note_files(kmd, fds, pid))
			kmd->held_partial = true;
	}
	closedir(dir);
	kmd->held_at = clock_steady();
	return 0;
}

ssize_t kmd_holders(struct device *d, pid_t *pids, size_t max, bool *partial)
{
	const struct kmd *kmd = d->bus->priv;
	struct pids p = { d->bus, pids, 0, max };
	char path[KMD_PATH], *text;
	size_t len;
	int r;

	if (d->node < 0)
		return 0;
	if (kmd_path(d->bus->root, path, sizeof(path), "/proc/driver/tenstorrent/%d/pids",
		    d->node) == 0 &&
		file_read_all(path, 1 << 20, &text, &len, NULL) == 0) {
		parse_list(&p, text);
		free(text);
		return (ssize_t)p.n;
	}
	r = search_proc(d->bus);
	if (r < 0)
		return r;
	for (size_t i = 0; i < kmd->n_held; i++)
		if (kmd->held[i].node == d->node)
			holders_add_pid(&p, kmd->held[i].pid);
	*partial = kmd->held_partial;
	return (ssize_t)p.n;
}

/* Opening and requests. */

int kmd_ioctl(int fd, enum kmd_ioctl request, void *arg)
{
	int r;

	do
		r = ioctl(fd, (unsigned long)request, arg);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

void kmd_node_close(struct kmd_card *card)
{
	pid_t self = getpid();

	if (card->fd >= 0)
		close(card->fd);
	card->fd = -1;
	card->hung = false;
	atomic_compare_exchange_strong(&card->shared->active, &self, 0);
}

/* After a reset the driver assigns node numbers anew: is this still this card's node? */
static int check_identity(struct device *d, struct kmd_card *card)
{
	struct kmd_get_device_info info = {
		.output_size_bytes_in =
			sizeof(info) - offsetof(struct kmd_get_device_info, output_size_bytes)
	};
	int r = kmd_ioctl(card->fd, KMD_GET_DEVICE_INFO, &info);
	bool has_domain = info.output_size_bytes >= offsetof(struct kmd_get_device_info, reserved) -
		offsetof(struct kmd_get_device_info, output_size_bytes);
	unsigned domain, bus, dev, fn;

	if (r < 0)
		return r;
	if (sscanf(d->bdf, "%x:%x:%x.%x", &domain, &bus, &dev, &fn) != 4 ||
	    info.bus_dev_fn != (bus << 8 | dev << 3 | fn) ||
	    (has_domain && info.pci_domain != (domain & 0xffff)))
		return -ESTALE;
	return 0;
}

static void node_path(const struct device *d, char *path, size_t size)
{
	kmd_path(d->bus->root, path, size, "/dev/tenstorrent/%d", d->node);
}

int kmd_node_fail(struct device *d, int r, struct error *e)
{
	char path[KMD_PATH];

	if (r == -ENOTTY) {
		node_path(d, path, sizeof(path));
		return fail_as(e, CODE_RECORDED, r, "%s is not a device node (a recorded tree?): "
			"only sysfs is read", path);
	}
	if (r == -ENODEV)
		return fail_as(e, CODE_HELD, r, DEVICE_SHUT);
	if (r == -ESTALE)
		return fail_as(e, CODE_MOVED_INDEX, -ENODEV, "/dev/tenstorrent/%d is another "
			"card's now: it is found again by the next scan", d->node);
	return fail(e, r, "/dev/tenstorrent/%d does not say what it is: %s", d->node,
		strerror(-r));
}

static int fail_open(struct device *d, const char *path, struct error *e)
{
	int cause = errno;
	struct stat st;

	if (cause == EAGAIN || cause == EBUSY)
		return fail_as(e, CODE_HELD, -EAGAIN, "/dev/tenstorrent/%d is held by a process "
			"that wants it alone: only sysfs is read until it lets go", d->node);
	/* The card left after the last scan; the next rescan will see it. */
	if (cause == ENOENT)
		return fail_as(e, CODE_NO_DRIVER, -cause, "/dev/tenstorrent/%d has gone: the "
			"driver has let go of the card", d->node);
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		return kmd_node_fail(d, -ENOTTY, e);
	return fail(e, -cause, "cannot open /dev/tenstorrent/%d: %s", d->node, strerror(cause));
}

int kmd_node_open(struct device *d, struct kmd_card *card, enum access_purpose purpose,
	enum device_handle how, struct error *e)
{
	char path[KMD_PATH];
	int r;

	node_path(d, path, sizeof(path));
	card->fd = open(path,
		O_RDWR | O_CLOEXEC | O_NONBLOCK | (how == DEVICE_PASSIVE ? O_APPEND : 0));
	if (card->fd < 0)
		return fail_open(d, path, e);
	card->purpose = purpose;
	card->how = how;
	if (how == DEVICE_ACTIVE)
		atomic_store(&card->shared->active, getpid());
	r = check_identity(d, card);
	if (r == 0)
		return 0;
	kmd_node_close(card);
	return kmd_node_fail(d, r, e);
}
