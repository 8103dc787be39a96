/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_attr.c - sysfs and hwmon attributes.
 *
 * Sampling may run a thousand times a second, so folders and files stay open
 * and are read again with pread().  When the card leaves, all of them answer
 * ENODEV for ever; they are then closed and searched for again.
 */
#include "config.h"
#include "device/kmd/kmd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * kmd_card.dir[] is a descriptor, or DIR_CLOSED, or the -errno of a failed open
 * minus one: it is then not opened again in this sample.
 */
enum { DIR_CLOSED = -1 };

#define SPARE_FDS 64	/* left for the rest of the program */
#define MOST_FDS  16384

void kmd_attr_close(struct kmd_card *card)
{
	for (int i = 0; i < KMD_DIRS; i++) {
		if (card->dir[i] >= 0)
			close(card->dir[i]);
		card->dir[i] = DIR_CLOSED;
	}
	for (int i = 0; i < ATTR_COUNT; i++) {
		if (card->attr[i] >= 0)
			close(card->attr[i]);
		card->attr[i] = -1;
	}
}

/* Retry failed folders: drivers may publish attributes minutes after binding (chip-facts 1.3). */
void kmd_attr_begin_sample(struct kmd_card *card)
{
	for (int i = 0; i < KMD_DIRS; i++)
		if (card->dir[i] < DIR_CLOSED)
			card->dir[i] = DIR_CLOSED;
}

/* The lowest K of the hwmonK below a card; an old driver registered some cards twice. */
static int find_hwmon(const char *path)
{
	struct dirent *entry;
	int k, best = -1;
	DIR *dir = opendir(path);

	while (dir && (entry = readdir(dir)))
		if (strncmp(entry->d_name, "hwmon", 5) == 0 &&
			kmd_is_number(entry->d_name + 5, &k) && (best < 0 || k < best))
			best = k;
	if (dir)
		closedir(dir);
	return best;
}

/* After a reset the driver assigns numbers anew. */
static bool is_its_class_device(struct device *d)
{
	char path[KMD_PATH], bdf[32];

	kmd_path(d->bus->root, path, sizeof(path), "/sys/class/tenstorrent/tenstorrent!%d/device",
		d->node);
	return kmd_link_name(path, bdf, sizeof(bdf)) == 0 && strcmp(bdf, d->bdf) == 0;
}

static int dir_path(struct device *d, enum attr_dir which, char *path, size_t size)
{
	const char *root = d->bus->root;
	int r, k;

	switch (which) {
	case ATTR_CLASS:
	case ATTR_PERF:
		if (d->node < 0)
			return -ENOENT;
		if (!is_its_class_device(d))
			return -ENODEV;
		return kmd_path(root, path, size, "/sys/class/tenstorrent/tenstorrent!%d/%s",
			d->node, which == ATTR_PERF ? "pcie_perf_counters/." : ".");
	case ATTR_HWMON:
		r = kmd_path(root, path, size, "/sys/bus/pci/devices/%s/hwmon/.", d->bdf);
		if (r < 0)
			return r;
		k = find_hwmon(path);
		return k < 0 ? -ENOENT
			     : kmd_path(root, path, size, "/sys/bus/pci/devices/%s/hwmon/hwmon%d/.",
				       d->bdf, k);
	case ATTR_PCI:
		break;
	}
	return kmd_path(root, path, size, "/sys/bus/pci/devices/%s/.", d->bdf);
}

static int open_dir(struct kmd_card *card, struct device *d, enum attr_dir which)
{
	char path[KMD_PATH];
	int r;

	if (card->dir[which] < DIR_CLOSED)
		return card->dir[which] + 1;
	if (card->dir[which] >= 0)
		return card->dir[which];
	r = dir_path(d, which, path, sizeof(path));
	if (r == 0) {
		card->dir[which] = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		r = card->dir[which] < 0 ? -errno : card->dir[which];
	}
	if (r < 0)
		card->dir[which] = r - 1;
	return r;
}

/* 32 cards have more attributes than the usual soft limit allows open files, so raise it. */
static bool may_keep(int fd)
{
	static rlim_t most;
	struct rlimit limit;

	if (most == 0) {
		most = 1024;
		if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
			most = limit.rlim_max < MOST_FDS ? limit.rlim_max : MOST_FDS;
			if (limit.rlim_cur < most) {
				limit.rlim_cur = most;
				setrlimit(RLIMIT_NOFILE, &limit);
			}
		}
	}
	return (rlim_t)fd + SPARE_FDS < most;
}

static ssize_t read_once(struct kmd_card *card, struct device *d, enum attr a, void *buf,
	size_t size)
{
	int fd = card->attr[a], *dir = &card->dir[attrs[a].dir];
	bool kept = fd >= 0;
	ssize_t n;

	if (!kept) {
		int r = open_dir(card, d, attrs[a].dir);

		fd = r < 0 ? r : openat(r, attrs[a].name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (r >= 0 && fd < 0)
			fd = -errno;
		if (r >= 0 && !may_keep(r)) {
			close(r);
			*dir = DIR_CLOSED;
		}
		if (fd < 0)
			return fd;
	}
	do
		n = pread(fd, buf, size, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	if (!kept && n >= 0 && may_keep(fd))
		card->attr[a] = fd;
	else if (!kept)
		close(fd);
	return n;
}

static ssize_t read_again(struct device *d, enum attr a, void *buf, size_t size)
{
	struct kmd_card *card = kmd_card(d);
	ssize_t n = read_once(card, d, a, buf, size);

	/* ENOENT may mean that the folder's card has left, for every card has a config file. */
	if ((n == -ENODEV && card->attr[a] >= 0) || (n == -ENOENT && a == ATTR_CONFIG_ID)) {
		kmd_attr_close(card);
		n = read_once(card, d, a, buf, size);
	}
	return n;
}

ssize_t kmd_attr(struct device *d, enum attr a, char *buf, size_t size)
{
	unsigned char id[4];
	ssize_t n;

	if (a <= ATTR_NONE || a >= ATTR_COUNT || size == 0)
		return -EINVAL;
	if (a == ATTR_CONFIG_ID) {
		n = read_again(d, a, id, sizeof(id));
		if (n < 0)
			return n;
		return n < 4 ? -EIO
			     : snprintf(buf, size, "%02x%02x%02x%02x", id[3], id[2], id[1], id[0]);
	}
	n = read_again(d, a, buf, size);
	if (n < 0)
		return n;
	if ((size_t)n == size)
		return -EFBIG;
	buf[n] = '\0';
	return n;
}
