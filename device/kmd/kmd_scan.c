/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_scan.c - find the cards.
 *
 * Three lists are joined by BDF: the PCI functions, the driver's class devices, and the nodes in
 * /dev.  A card that is only in the first is still listed, with the reason why it cannot be read.
 * Only files that the kernel answers from memory are read.  If sysfs is not mounted, libpci still
 * finds the cards in /proc.
 */
#include "config.h"

#include "base/dl.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/want.h"
#include "device/kind.h"
#include "device/kmd/kmd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pci/pci.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * Paths of sysfs below a root.
 *
 * A recorded tree that went through an archive or a checkout without symbolic links has plain files
 * in their place, each holding the link's target.  To read such a tree as well, a path that cannot
 * be opened is walked part by part, following those files.
 */

#define LINKS_MAX 16	/* more on one path are taken for a loop */

/* Whether a path is a link that became a plain file; reads its target. */
static bool read_plain(const char *path, char target[static KMD_PATH])
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		file_read_at(AT_FDCWD, path, target, KMD_PATH) > 0 && strchr(target, '/');
}

/* The first `least` bytes of out are the root, above which no ".." leads. */
static int walk_path(char *out, size_t least, size_t size)
{
	char rest[2 * KMD_PATH], longer[2 * KMD_PATH], target[KMD_PATH], *next = rest, *part;
	int links = 0;

	snprintf(rest, sizeof(rest), "%s", out + least);
	out[least] = '\0';
	while ((part = strsep(&next, "/"))) {
		const size_t have = strlen(out);
		const bool up = strcmp(part, "..") == 0;

		if (*part && !up && strcmp(part, ".") != 0)
			snprintf(out + have, size - have, "/%s", part);
		if (!up && (!next || !*next || !read_plain(out, target)))
			continue;
		part = strrchr(out + least, '/');
		if (part)
			*part = '\0';
		if (up)
			continue;
		/* The target is walked before what follows the link. */
		if (++links > LINKS_MAX || (size_t)snprintf(longer, sizeof(longer), "%s/%s",
			target, next) >= sizeof(longer))
			return -ELOOP;
		memcpy(rest, longer, sizeof(rest));
		next = rest;
	}
	return access(out, F_OK) == 0 ? 0 : -errno;
}

int kmd_path(const char *root, char *out, size_t size, const char *fmt, ...)
{
	size_t len = strlen(root);
	va_list ap;
	int n;

	while (len > 0 && root[len - 1] == '/')
		len--;
	if (len >= size)
		return -ENAMETOOLONG;
	memcpy(out, root, len);
	va_start(ap, fmt);
	n = vsnprintf(out + len, size - len, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= size - len)
		return -ENAMETOOLONG;
	if (len == 0)
		return access(out, F_OK) == 0 ? 0 : -errno;
	n = path_resolve_below(out, size, len);
	if (n != -ENOTDIR)
		return n;
	n = walk_path(out, len, size);
	return n < 0 ? n : path_resolve_below(out, size, len);
}

int kmd_link_name(const char *root, const char *folder, const char *link, char *name, size_t size)
{
	char path[KMD_PATH + 16], target[KMD_PATH];
	const char *slash;
	ssize_t n = kmd_path(root, path, KMD_PATH, "%s/.", folder);

	if (n < 0)
		return (int)n;
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%.14s", link);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0 && errno == EINVAL)
		n = file_read_at(AT_FDCWD, path, target, sizeof(target));
	else if (n < 0)
		n = -errno;
	if (n < 0)
		return (int)n;
	target[n] = '\0';
	slash = strrchr(target, '/');
	n = snprintf(name, size, "%s", slash ? slash + 1 : target);
	return (size_t)n < size ? 0 : -ENAMETOOLONG;
}

bool kmd_is_number(const char *text, int *out)
{
	uint64_t v;

	if (strchr(text, '\n') || !parse_u64(text, &v) || v > INT_MAX)
		return false;
	*out = (int)v;
	return true;
}

/*
 * The list of functions that libpci makes.  It is loaded on first use: it and the libraries that it
 * pulls in cost a tenth of what -s takes, and where sysfs lists the functions, they are not needed.
 *
 * libpci prints and ends the program when it meets a tree that it does not like.  Its hook for that
 * must not return, so it jumps back out of the library; the access is then cleaned up as far as it
 * came.
 */

#define PCI_FUNCTIONS(F) \
	F(pci_alloc) F(pci_set_param) F(pci_init) F(pci_scan_bus) F(pci_fill_info) F(pci_cleanup)
DL_LIBRARY(DL_PCI, PCI_FUNCTIONS)

static jmp_buf out_of_libpci;
static char complaint[128];

__attribute__((noreturn, format(printf, 1, 2))) static void on_error(char *msg, ...)
{
	va_list ap;

	va_start(ap, msg);
	vsnprintf(complaint, sizeof(complaint), msg, ap);
	va_end(ap);
	longjmp(out_of_libpci, 1);
}

__attribute__((format(printf, 1, 2))) static void on_warning(char *msg, ...)
{
	(void)msg;
}

static struct pci_access *open_tree(char *path)
{
	static char param[] = "proc.path";
	struct pci_access *a = lib.pci_alloc();

	a->method = PCI_ACCESS_PROC_BUS_PCI;
	a->error = on_error;
	a->warning = a->debug = on_warning;
	lib.pci_set_param(a, param, path);
	return a;
}

static int scan(struct pci_access *a)
{
	if (setjmp(out_of_libpci) != 0)
		return -EIO;
	lib.pci_init(a);
	lib.pci_scan_bus(a);
	return 0;
}

/* Find out vendor and device; false: the function does not tell them. */
static bool identify_function(struct pci_dev *d)
{
	if (setjmp(out_of_libpci) != 0)
		return false;
	lib.pci_fill_info(d, PCI_FILL_IDENT);
	return true;
}

/* The scan. */

struct list {
	struct bus *bus;
	struct device *dev;
	size_t n, max;
};

static struct device *place_device(struct list *l, const char *bdf)
{
	struct device *d;

	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->dev[i].bdf, bdf) == 0)
			return &l->dev[i];
	if (l->n == l->max)
		return NULL;
	d = &l->dev[l->n++];
	*d = (struct device){ .local = -1, .node = -1, .numa_node = -1 };
	mem_copy_text(d->bdf, sizeof(d->bdf), bdf);
	return d;
}

static bool is_bdf(const char *text)
{
	unsigned domain, bus, dev, fn;
	char end;

	return strlen(text) < sizeof(((struct device *)NULL)->bdf) &&
		sscanf(text, "%6x:%2x:%2x.%1x%c", &domain, &bus, &dev, &fn, &end) == 4;
}

/* An id, or -errno. */
static int read_id(int folder, const char *file)
{
	char text[32];
	uint64_t v;
	ssize_t r = file_read_at(folder, file, text, sizeof(text));

	if (r < 0)
		return (int)r;
	return parse_hex(text, &v) && v <= UINT16_MAX ? (int)v : -EPROTO;
}

/* The same, but 0 if it cannot be read. */
static uint16_t pci_id(int folder, const char *file)
{
	int id = read_id(folder, file);

	return id < 0 ? 0 : (uint16_t)id;
}

/*
 * List our functions, and those whose vendor cannot be read: identify_device() may follow
 * their links.
 */
static int list_sysfs(struct list *l, DIR *functions)
{
	struct dirent *entry;
	char file[32];

	while ((entry = readdir(functions))) {
		struct device *d;
		int vendor;

		if (!is_bdf(entry->d_name))
			continue;
		snprintf(file, sizeof(file), "%.15s/vendor", entry->d_name);
		vendor = read_id(dirfd(functions), file);
		/* Our own lack of descriptors or memory says nothing about the card. */
		if (vendor == -EMFILE || vendor == -ENFILE || vendor == -ENOMEM)
			return vendor;
		if (vendor > 0 && vendor != DEVICE_VENDOR)
			continue;
		d = place_device(l, entry->d_name);
		if (d)
			d->vendor = vendor > 0 ? DEVICE_VENDOR : 0;
	}
	return 0;
}

static void list_function(struct list *l, struct pci_dev *f)
{
	struct device *d;
	char bdf[16];

	if (!identify_function(f) || f->vendor_id != DEVICE_VENDOR)
		return;
	snprintf(bdf, sizeof(bdf), "%04x:%02x:%02x.%x", (unsigned)f->domain & 0xffffff, f->bus,
		f->dev, f->func & 7U);
	d = place_device(l, bdf);
	if (d) {
		d->vendor = f->vendor_id;
		d->device = f->device_id;
	}
}

/* List our functions below <root>/proc/bus/pci, if it is there, touching no config space. */
static int list_proc(struct list *l, struct error *e)
{
	char path[512];
	struct pci_access *a;
	struct stat st;
	int r;

	snprintf(path, sizeof(path), "%s/proc/bus/pci/devices", l->bus->root);
	/* libpci would wait for the writer of a FIFO. */
	if (path_resolve_below(path, sizeof(path), strlen(l->bus->root)) < 0 ||
		stat(path, &st) < 0 || !S_ISREG(st.st_mode) || access(path, R_OK) < 0)
		return 0;
	r = lib_load(e);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/proc/bus/pci", l->bus->root);
	r = path_resolve_below(path, sizeof(path), strlen(l->bus->root));
	if (r < 0)
		return fail(e, r, "%s: cannot open: %s", path, strerror(-r));
	a = open_tree(path);
	r = scan(a);
	if (r < 0)
		fail(e, r, "%s: cannot list the PCI functions: %s", path, complaint);
	for (struct pci_dev *f = a->devices; r == 0 && f; f = f->next)
		list_function(l, f);
	lib.pci_cleanup(a);
	return r;
}

static int list_pci(struct list *l, struct error *e)
{
	char path[KMD_PATH];
	DIR *functions;
	int r = kmd_path(l->bus->root, path, sizeof(path), "/sys/bus/pci/devices");

	if (r < 0 && !want_is(r))
		return list_proc(l, e);
	functions = r < 0 ? NULL : opendir(path);
	if (functions) {
		r = list_sysfs(l, functions);
		closedir(functions);
	} else if (r == 0) {
		r = -errno;
	}
	return r < 0 ? fail(e, r, "%s: cannot be read: %s", path, strerror(-r)) : 0;
}

/* "tenstorrent!3" stands for "tenstorrent/3"; other entries there are ignored. */
static void list_class(struct list *l)
{
	static const char prefix[] = "tenstorrent!";
	char path[KMD_PATH], name[96], bdf[32];
	struct dirent *entry;
	DIR *dir;
	int n;

	if (kmd_path(l->bus->root, path, sizeof(path), "/sys/class/tenstorrent") < 0)
		return;
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		struct device *d;

		snprintf(name, sizeof(name), "/sys/class/tenstorrent/%.64s", entry->d_name);
		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
		    !kmd_is_number(entry->d_name + strlen(prefix), &n) ||
		    kmd_link_name(l->bus->root, name, "device", bdf, sizeof(bdf)) < 0 ||
		    !is_bdf(bdf))
			continue;
		d = place_device(l, bdf);
		if (d && (d->node < 0 || n < d->node))
			d->node = n;
	}
	if (dir)
		closedir(dir);
}

static int numa_node(int function)
{
	char text[32];
	int64_t v;

	if (file_read_at(function, "numa_node", text, sizeof(text)) < 0 || !parse_i64(text, &v) ||
		v < 0 || v > 65535)
		return -1;
	return (int)v;
}

static void identify_device(struct bus *bus, struct device *d)
{
	char path[KMD_PATH];
	int function = -1;

	if (kmd_path(bus->root, path, sizeof(path), "/sys/bus/pci/devices/%s/.", d->bdf) == 0)
		function = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (d->vendor == 0 && function >= 0)
		d->vendor = pci_id(function, "vendor");
	if (d->device == 0 && function >= 0)
		d->device = pci_id(function, "device");
	if (d->vendor == DEVICE_VENDOR) {
		d->subsys_vendor = pci_id(function, "subsystem_vendor");
		d->subsys_device = pci_id(function, "subsystem_device");
		d->revision = (uint8_t)pci_id(function, "revision");
		d->numa_node = numa_node(function);
		d->chip = device_chip_of(d->device);
	}
	if (function >= 0)
		close(function);
}

__attribute__((format(printf, 3, 4)))
static void set_trouble(struct device *d, enum device_trouble trouble, const char *fmt, ...)
{
	va_list ap;

	d->trouble = trouble;
	va_start(ap, fmt);
	vsnprintf(d->reason, sizeof(d->reason), fmt, ap);
	va_end(ap);
}

/* A function without a class device: say whether another driver has it, or none. */
static void judge_undriven(struct bus *bus, struct device *d)
{
	char path[KMD_PATH], driver[32] = "";

	/* A recorded tree may lack the link's target; its name is enough. */
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s", d->bdf);
	kmd_link_name(bus->root, path, "driver", driver, sizeof(driver));
	if (kmd_path(bus->root, path, sizeof(path), "/sys/bus/pci/devices") < 0)
		set_trouble(d, DEVICE_NO_DRIVER, "no sysfs here, which says all about a card:"
			" `mount -t sysfs sysfs /sys`, or pass /sys into the container");
	else if (strcmp(driver, "tenstorrent") == 0)
		set_trouble(d, DEVICE_NO_NODE, "the driver has it, but offers no device:"
			" see its messages with `dmesg | grep tenstorrent`");
	else if (*driver)
		set_trouble(d, DEVICE_GIVEN, DEVICE_GIVEN_TO, driver);
	else if (*bus->driver && kind_of(d->chip)->last_driver)
		set_trouble(d, DEVICE_NO_DRIVER, "no driver: %s needs tt-kmd %s or older,"
			" this machine has %s", device_chip_name(d->chip),
			kind_of(d->chip)->last_driver, bus->driver);
	else if (*bus->driver)
		set_trouble(d, DEVICE_NO_DRIVER, "driver %s has not taken it:"
			" see `dmesg | grep tenstorrent`", bus->driver);
	else
		set_trouble(d, DEVICE_NO_DRIVER, "no driver: install tt-kmd, then"
			" `modprobe tenstorrent`");
}

/* In a recorded tree the node is a plain file, which need not be writable. */
static void judge_node(struct bus *bus, struct device *d)
{
	char path[KMD_PATH];
	struct stat st;
	int r = kmd_path(bus->root, path, sizeof(path), "/dev/tenstorrent/%d", d->node);

	if (r < 0 || stat(path, &st) < 0)
		set_trouble(d, DEVICE_NO_NODE, DEVICE_NODELESS, d->node);
	else if (access(path, S_ISREG(st.st_mode) ? R_OK : R_OK | W_OK) < 0)
		set_trouble(d, DEVICE_NO_PERMISSION,
			"/dev/tenstorrent/%d: %s: only sysfs is read; %s",
			d->node, strerror(errno), geteuid() == 0
			? "not even root may open it: allow the device in the container"
			: "install the driver's udev rule, or run as root");
}

static void read_driver(struct bus *bus)
{
	char path[KMD_PATH];

	if (kmd_path(bus->root, path, sizeof(path), "/sys/module/tenstorrent/version") < 0 ||
		file_read_at(AT_FDCWD, path, bus->driver, sizeof(bus->driver)) < 0)
		bus->driver[0] = '\0';
	bus->driver[strcspn(bus->driver, "\n")] = '\0';
}

ssize_t kmd_scan(struct bus *bus, struct device *found, size_t max, struct error *e)
{
	struct list l = { bus, found, 0, max };
	size_t n = 0;
	int r;

	read_driver(bus);
	r = list_pci(&l, e);
	if (r < 0)
		return r;
	list_class(&l);
	for (size_t i = 0; i < l.n; i++) {
		struct device *d = &found[i];

		identify_device(bus, d);
		/* A tree may have class devices but no PCI; the driver has only our cards. */
		if (d->vendor != DEVICE_VENDOR && (d->vendor != 0 || d->node < 0))
			continue;
		if (d->node < 0)
			judge_undriven(bus, d);
		else
			judge_node(bus, d);
		found[n++] = *d;
	}
	return (ssize_t)n;
}
