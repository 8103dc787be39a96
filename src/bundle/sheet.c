/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sheet.c - the process that reads a card's files, and the memory it shares with us.
 *
 * The files are listed in tables: those that the telemetry reader, the card scan, the health checks
 * and the host facts use.  This file is long because it has all the code that decides what may
 * leave the machine this way.
 */
#include "config.h"
#include "src/bundle/bundle.h"

#include "base/mem.h"
#include "base/parse.h"
#include "base/path.h"
#include "device/attr.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_END (16 << 10)	/* longer files are cut, like a list of processors */
#define CONFIG	 256		/* of config space: a serial number may come after it */

struct head {
	enum sheet_kind kind;
	size_t path, data;	/* bytes; the path's with its NUL */
};

/* In the child process. */

struct taker {
	const struct sheet *sheet;
	struct sheet_shared *to;
	int root;		/* descriptor */
	char real[PATH_MAX];	/* the root without links; "" for "/" */
};

static void sheet_put(struct taker *t, enum sheet_kind kind, const char *path, const void *data,
	size_t len)
{
	const struct head head = { kind, strlen(path) + 1, len };
	const size_t used = atomic_load(&t->to->used), whole = sizeof(head) + head.path + len;
	char *to = t->to->bytes + used;

	if (whole > sizeof(t->to->bytes) - used) {
		atomic_store(&t->to->is_cut, true);
		return;
	}
	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), path, head.path);
	if (len > 0)
		memcpy(to + sizeof(head) + head.path, data, len);
	atomic_store(&t->to->used, used + whole);
}

static void put_error(struct taker *t, const char *path, int code)
{
	/* An absent file is not an error: no card has all files. */
	if (code != ENOENT && code != ENOTDIR)
		sheet_put(t, SHEET_ERROR, path, strerror(code), strlen(strerror(code)));
}

/* Refuse links anywhere in the path.  With kernels before 5.6, and in containers with older rules,
 * they are resolved below the root. */
static int open_plain(const struct taker *t, const char *path)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW;
	int fd = path_open_resolved(t->root, path, flags, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);

	if (fd == -ENOSYS || fd == -EPERM)
		fd = path_open_below(t->root, path, flags);
	if (fd < 0)
		errno = -fd;
	return fd;
}

static void sheet_copy(struct taker *t, const char *path)
{
	const char *name = strrchr(path, '/');
	const size_t most = name && strcmp(name, "/config") == 0 ? CONFIG : FILE_END;
	char text[FILE_END];
	struct stat st;
	size_t len = 0;
	ssize_t n = 0;
	int fd;

	mem_copy_text(t->to->now, sizeof(t->to->now), path);
	fd = open_plain(t, path);
	if (fd < 0) {
		put_error(t, path, errno);
		return;
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		while (len < most && (n = read(fd, text + len, most - len)) > 0)
			len += (size_t)n;
		if (n < 0)
			put_error(t, path, errno);
		else
			sheet_put(t, SHEET_FILE, path, text, len);
	}
	close(fd);
	*t->to->now = '\0';
}

static void take_in(struct taker *t, const char *folder, const char *name)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) < sizeof(path))
		sheet_copy(t, path);
}

/* Only characters of sysfs names, none that a terminal or an archive could misinterpret. */
static bool is_plain(const char *path)
{
	for (; *path; path++)
		if (!isalnum((unsigned char)*path) && !strchr("/.:_!-+@,", *path))
			return false;
	return true;
}

/* The path without links, from the root on ("sys/devices/..."); -errno, -EXDEV: outside of it. */
static int resolve(const struct taker *t, const char *path, char *out, size_t size)
{
	char whole[PATH_MAX], real[PATH_MAX];
	const size_t len = strlen(t->real);

	if ((size_t)snprintf(whole, sizeof(whole), "%s/%s", t->real, path) >= sizeof(whole))
		return -ENAMETOOLONG;
	if (!realpath(whole, real))
		return -errno;
	if (strncmp(real, t->real, len) != 0 || real[len] != '/')
		return -EXDEV;
	if (!is_plain(real + len) || strlen(real + len) > size)
		return -EBADMSG;
	mem_copy_text(out, size, real + len + 1);
	return 0;
}

/* Whether a link stays below the root, wherever the tree is unpacked. */
static bool stays_within(const char *path, const char *target)
{
	int depth = 0;

	for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/'))
		depth++;
	for (; strncmp(target, "../", 3) == 0; target += 3)
		depth--;
	return *target != '/' && depth >= 0 && !strstr(target, "..") && is_plain(target);
}

static void take_link(struct taker *t, const char *folder, const char *name)
{
	char path[PATH_MAX], target[1024];
	ssize_t n;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return;
	n = readlinkat(t->root, path, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = '\0';
	if (n > 0 && stays_within(path, target))
		sheet_put(t, SHEET_LINK, path, target, (size_t)n);
	else if (n > 0)
		put_error(t, path, EXDEV);
	else if (errno == EINVAL)
		sheet_copy(t, path);	/* a tree without links has a file that names the target */
}

/* Resolve a folder that sysfs lists by a link; put that in: "sys/class/x/y" to "sys/devices/y". */
static bool take_folder(struct taker *t, const char *path, const char *up, char *real, size_t size)
{
	static const char no_folder[] = "is not a folder";
	char target[PATH_MAX + 32];
	const int r = resolve(t, path, real, size);
	struct stat st;

	if (r < 0) {
		put_error(t, path, -r);
		return false;
	}
	if (fstatat(t->root, real, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode)) {
		sheet_put(t, SHEET_ERROR, path, no_folder, sizeof(no_folder) - 1);
		return false;
	}
	if (strcmp(real, path) != 0 && strncmp(real, "sys/", 4) == 0) {
		snprintf(target, sizeof(target), "%s%s", up, real + 4);
		sheet_put(t, SHEET_LINK, path, target, strlen(target));
	}
	return true;
}

static void take_attrs(struct taker *t, const char *folder, enum attr_dir which)
{
	for (enum attr a = ATTR_NONE + 1; a < ATTR_COUNT; a++)
		if (attrs[a].dir == which && a != ATTR_CONFIG_ID && attrs[a].name[0] != '.')
			take_in(t, folder, attrs[a].name);
}

/* The files of a card, or of a bridge above one. */
static void take_function(struct taker *t, const char *folder)
{
	static const char *const files[] = { "vendor", "device", "class", "subsystem_vendor",
		"subsystem_device", "revision", "numa_node", "resource", "config",
		"aer_dev_correctable", "aer_dev_nonfatal", "aer_dev_fatal" };

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		take_in(t, folder, files[i]);
	take_attrs(t, folder, ATTR_PCI);
	take_link(t, folder, "driver");
}

static void take_hwmon(struct taker *t, const char *folder)
{
	char path[PATH_MAX], each[PATH_MAX];
	const struct dirent *entry;
	DIR *dir;
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/hwmon", folder) >= sizeof(path))
		return;
	fd = open_plain(t, path);
	dir = fd < 0 ? NULL : fdopendir(fd);
	while (dir && (entry = readdir(dir))) {
		uint64_t k;

		if (strncmp(entry->d_name, "hwmon", 5) != 0 || !parse_u64(entry->d_name + 5, &k) ||
			(size_t)snprintf(each, sizeof(each), "%s/hwmon%llu", path,
				(unsigned long long)k) >= sizeof(each))
			continue;
		take_in(t, each, "name");
		take_attrs(t, each, ATTR_HWMON);
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

static void take_node(struct taker *t, int node)
{
	char path[96], real[PATH_MAX], perf[PATH_MAX + 32];

	snprintf(path, sizeof(path), "sys/class/tenstorrent/tenstorrent!%d", node);
	if (take_folder(t, path, "../../", real, sizeof(real))) {
		take_link(t, real, "device");
		take_attrs(t, real, ATTR_CLASS);
		snprintf(perf, sizeof(perf), "%s/pcie_perf_counters", real);
		take_attrs(t, perf, ATTR_PERF);
	}
	snprintf(path, sizeof(path), "proc/driver/tenstorrent/%d/pids", node);
	sheet_copy(t, path);
	/* The node itself is never opened: an empty file in its place shows that it exists. */
	snprintf(path, sizeof(path), "dev/tenstorrent/%d", node);
	if (faccessat(t->root, path, F_OK, 0) == 0)
		sheet_put(t, SHEET_FILE, path, "", 0);
}

static void take_iommu(struct taker *t, const char *folder)
{
	char path[PATH_MAX], real[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/iommu_group", folder) >= sizeof(path))
		return;
	take_link(t, folder, "iommu_group");
	if (resolve(t, path, real, sizeof(real)) == 0)
		take_in(t, real, "type");
}

static void take_card(struct taker *t)
{
	char path[96], real[PATH_MAX], above[16];
	const struct sheet *s = t->sheet;
	char *slash;

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", s->bdf);
	if (take_folder(t, path, "../../../", real, sizeof(real))) {
		take_function(t, real);
		take_iommu(t, real);
		take_hwmon(t, real);
	}
	if (s->node >= 0)
		take_node(t, s->node);
	/* sysfs nests a card in the folder of its port, up to the host bridge's "pci0000:00". */
	while (strncmp(path, "sys/bus", 7) == 0 && (slash = strrchr(real, '/'))) {
		*slash = '\0';
		slash = strrchr(real, '/');
		if (!slash || strlen(slash + 1) >= sizeof(above) || !strchr(slash, '.'))
			return;
		mem_copy_text(above, sizeof(above), slash + 1);
		snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", above);
		if (!take_folder(t, path, "../../../", real, sizeof(real)))
			return;
		take_function(t, real);
	}
}

static void take_host(struct taker *t)
{
	static const char *const files[] = { "etc/os-release", "usr/lib/os-release",
		"proc/cpuinfo", "proc/meminfo", "proc/sys/kernel/osrelease",
		"proc/sys/kernel/hostname", "sys/module/tenstorrent/version", "sys/hypervisor/type",
		"sys/hypervisor/guest_type",
		"sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages" };
	char to[2];

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		/* A link, like etc/os-release, leads to another file of this list. */
		if (readlinkat(t->root, files[i], to, sizeof(to)) < 0)
			sheet_copy(t, files[i]);
}

static int sheet_run(void *arg, int fd)
{
	const struct sheet *s = arg;
	struct taker t = { .sheet = s, .to = s->shared };

	(void)fd;
	t.root = open(s->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t.root < 0 || !realpath(s->root, t.real)) {
		put_error(&t, s->root, errno);
		return 1;
	}
	if (strcmp(t.real, "/") == 0)
		*t.real = '\0';
	(*s->bdf ? take_card : take_host)(&t);
	atomic_store(&s->shared->is_done, true);
	return 0;
}

/* In the parent process. */

int sheet_start(struct sheet **out, const char *root, const struct device *card,
	struct error *e)
{
	struct sheet *s = mem_calloc(1, sizeof(*s));
	struct child_config how = { .run = sheet_run, .arg = s, .dies_with_parent = true,
		.ignores_terminal = true };
	int r;

	*s = (struct sheet){ .node = card ? card->node : -1 };
	mem_copy_text(s->bdf, sizeof(s->bdf), card ? card->bdf : "");
	s->root = mem_dup_text(root);
	s->shared = mem_share(sizeof(*s->shared));
	r = child_start(&s->child, &how, e);
	if (r < 0) {
		sheet_free(s);
		return r;
	}
	*out = s;
	return 0;
}

bool sheet_next(struct sheet *s, enum sheet_kind *kind, const char **path, const char **data,
	size_t *len)
{
	const char *at = s->shared->bytes + s->at;
	struct head head;

	if (s->at >= atomic_load(&s->shared->used))
		return false;
	memcpy(&head, at, sizeof(head));
	*kind = head.kind;
	*path = at + sizeof(head);
	*data = *path + head.path;
	*len = head.data;
	s->at += sizeof(head) + head.path + head.data;
	return true;
}

void sheet_free(struct sheet *s)
{
	mem_unshare(s->shared, sizeof(*s->shared));
	free(s->root);
	free(s);
}
