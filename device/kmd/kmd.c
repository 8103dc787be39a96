/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd.c - the transport through the driver: sysfs, hwmon and the device node.
 */
#include "config.h"
#include "device/kmd/kmd.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/path.h"
#include "device/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
		if (path_resolve_below(fds, sizeof(fds), strlen(bus->root)) < 0)
			continue;
		if (!note_files(kmd, fds, pid))
			kmd->held_partial = true;
	}
	closedir(dir);
	kmd->held_at = clock_steady();
	return 0;
}

static ssize_t kmd_holders(struct device *d, pid_t *pids, size_t max, bool *partial)
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

/*
 * The memory of processes that the driver has pinned for a card.
 *
 * It is listed in one file, "mappings" of drivers from 2.5.0 in debugfs, which only root
 * may read.  The driver warns that its format may change, so a file without the known
 * heading, or with a row of pages without a size, is rejected as a whole.
 */

#define FILE_MOST (4 << 20)

/* Where the parts of a row begin: "4242     python3          PIN_PAGES      VA: ..." */
enum { AT_COMM = 9, AT_TYPE = 26 };

/* In place of bytes; SKIPPED: the driver left rows of the process out. */
enum { UNKNOWN = -1, SKIPPED = -2 };

static bool is_type(const char *row, const char *type)
{
	const size_t n = strlen(type);

	return strncmp(row + AT_TYPE, type, n) == 0 && (row[AT_TYPE + n] == ' ' ||
		row[AT_TYPE + n] == '+' || row[AT_TYPE + n] == '\0');
}

static bool is_heading(const char *row)
{
	return strncmp(row + AT_COMM, "Comm", 4) == 0 && is_type(row, "Type");
}

/* "... (size=0x4000)" */
static bool parse_row_size(const char *row, uint64_t *size)
{
	const char *at = strstr(row + AT_TYPE, "(size=0x");
	char end;

	return at && sscanf(at, "(size=0x%" SCNx64 "%c", size, &end) == 2 && end == ')' &&
		*size <= INT64_MAX / 2;
}

static int64_t *find_place(const pid_t *pids, size_t n, int64_t *bytes, long pid)
{
	for (size_t i = 0; i < n && pid > 0; i++)
		if (pids[i] == pid)
			return &bytes[i];
	return NULL;
}

/* Returns false if there is no heading, or a row that matters cannot be understood. */
static bool add_rows(char *text, const pid_t *pids, size_t n, int64_t *bytes)
{
	int64_t *at = NULL;		/* of the process that the last row named */
	bool headed = false;
	uint64_t size;

	for (char *row; (row = strsep(&text, "\n"));) {
		if (strlen(row) <= AT_TYPE)
			continue;
		if (strncmp(row, "PID ", 4) == 0) {
			headed = is_heading(row);
			if (!headed)
				return false;
		}
		if (row[0] == ' ' && strncmp(row + AT_TYPE, "...", 3) == 0 && at &&
			!strstr(row, "TLBs") && !strstr(row, "VMA"))
			*at = SKIPPED;
		if (row[0] < '0' || row[0] > '9')
			continue;
		at = find_place(pids, n, bytes, strtol(row, NULL, 10));
		if (at && *at == UNKNOWN)
			*at = 0;
		if (!is_type(row, "PIN_PAGES") && !is_type(row, "DMA_BUF"))
			continue;
		if (!parse_row_size(row, &size))
			return false;
		if (at && *at >= 0)
			*at += (int64_t)size;
	}
	return headed;
}

static int kmd_pinned(struct device *d, const pid_t *pids, size_t n, int64_t *bytes)
{
	char path[KMD_PATH], *text;
	bool known;
	size_t len;
	int err = kmd_path(d->bus->root, path, sizeof(path),
		"/sys/kernel/debug/tenstorrent/%d/mappings", d->node);

	if (err == 0)
		err = file_read_all(path, FILE_MOST, &text, &len, NULL);
	if (err < 0)
		return err;
	known = add_rows(text, pids, n, bytes);
	free(text);
	for (size_t i = 0; i < n; i++)
		if (!known || bytes[i] < 0)
			bytes[i] = UNKNOWN;
	return known ? 0 : -EBADMSG;
}

/* The transport. */

/*
 * A card is locked by locking these files of it, which every process on the machine sees.  Any user
 * can open the first, only root the second; for a lock nothing of it is read or mapped.
 */
#define CONFIG "/sys/bus/pci/devices/%s/config"
#define BAR0   "/sys/bus/pci/devices/%s/resource0"

static int kmd_open(struct bus *bus, const char *where, struct error *e)
{
	struct stat st;
	struct kmd *kmd;

	(void)where;
	if (stat(bus->root, &st) < 0)
		return fail_errno(e, "%s: cannot be the root of a machine", bus->root);
	if (!S_ISDIR(st.st_mode))
		return fail(e, -ENOTDIR, "%s: is not a folder", bus->root);
	kmd = mem_calloc(1, sizeof(*kmd));
	kmd->pid = getpid();
	kmd->shared = mem_share(DEVICE_MAX * sizeof(kmd->shared[0]));
	bus->priv = kmd;
	return 0;
}

static void kmd_close(struct bus *bus)
{
	struct kmd *kmd = bus->priv;

	if (!kmd)
		return;
	for (size_t i = 0; i < DEVICE_MAX; i++) {
		if (kmd->card[i]) {
			kmd_io_drop(kmd->card[i]);
			lock_leave(&kmd->card[i]->claim);
		}
		free(kmd->card[i]);
	}
	mem_unshare(kmd->shared, DEVICE_MAX * sizeof(kmd->shared[0]));
	free(kmd->held);
	free(kmd);
}

static int kmd_attach(struct device *d)
{
	struct kmd_shared *shared = &((struct kmd *)d->bus->priv)->shared[d->index];

	shared->noc_read = shared->noc_write = KMD_UNTRIED;
	atomic_fetch_add(&shared->generation, 1);
	return 0;
}

static void kmd_detach(struct device *d)
{
	struct kmd *kmd = d->bus->priv;

	if (kmd->card[d->index])
		kmd_io_drop(kmd->card[d->index]);
}

static ssize_t kmd_config(struct device *d, size_t offset, uint8_t *buf, size_t n)
{
	char path[KMD_PATH];
	ssize_t r;
	int fd;

	/* Open it each time: a card that left and came back has a new file. */
	r = kmd_path(d->bus->root, path, sizeof(path), CONFIG, d->bdf);
	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = pread(fd, buf, n, (off_t)offset);
	if (r < 0)
		r = -errno;
	close(fd);
	return r;
}

static bool read_parameter(struct device *d, const char *name, char *text, size_t size)
{
	char path[KMD_PATH];

	return kmd_path(d->bus->root, path, sizeof(path), "/sys/module/tenstorrent/parameters/%s",
		       name) == 0 && file_read_at(AT_FDCWD, path, text, size) > 0;
}

/*
 * Drivers before 2.9 do not wait.  With power_policy off no driver powers down, and
 * none does while our own burn-in asks for power: that card must stay readable.
 */
static int kmd_grace(struct device *d)
{
	const pid_t active = atomic_load(&kmd_card(d)->shared->active);
	char text[32];
	uint64_t ms;

	if (active && (kill(active, 0) == 0 || errno != ESRCH))
		return 0;
	if (read_parameter(d, "power_policy", text, sizeof(text)) && *text == 'N')
		return 0;
	if (!read_parameter(d, "idle_power_down_grace_ms", text, sizeof(text)))
		return 0;
	return parse_u64(text, &ms) && ms <= INT_MAX ? (int)ms : INT_MAX;
}

static int kmd_lock_path(struct device *d, enum device_lock which, char *path, size_t size,
	struct error *e)
{
	int r = kmd_path(d->bus->root, path, size, which == DEVICE_LOCK_ROOTS ? BAR0 : CONFIG,
		d->bdf);

	return r < 0 ? fail(e, r, "%s: no such folder in sysfs", d->bdf) : 0;
}

const struct transport_ops transport_kmd = {
	.name = "kmd",
	.has_node = true,
	.origin = &origin_machine,
	.open = kmd_open,
	.close = kmd_close,
	.scan = kmd_scan,
	.attach = kmd_attach,
	.detach = kmd_detach,
	.attr = kmd_attr,
	.acquire = kmd_acquire,
	.release = kmd_release,
	.read = kmd_read,
	.read_block = kmd_read_block,
	.write = kmd_write,
	.write_block = kmd_write_block,
	.multicast = kmd_multicast,
	.reset = kmd_reset,
	.config = kmd_config,
	.power = kmd_power,
	.grace = kmd_grace,
	.lock_path = kmd_lock_path,
	.claim = kmd_claim,
	.holders = kmd_holders,
	.pinned = kmd_pinned,
	.begin_sample = kmd_begin_sample,
};
