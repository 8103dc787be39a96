/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_scan.c - find the cards.
 *
 * Three lists are joined by BDF: the PCI functions, the driver's class devices,
 * and the nodes in /dev.  A card that is only in the first is still listed, with
 * the reason why it cannot be read.  Only files that the kernel answers from
 * memory are read.  If sysfs is not mounted, libpci still finds the cards in
 * /proc.
 */
#include "config.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "device/kind.h"
#include "device/kmd/kmd.h"
#include "device/kmd/pci.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static int list_proc(struct list *l, struct error *e)
{
	struct pci_function *f = mem_calloc(l->max, sizeof(*f));
	ssize_t n = pci_list(l->bus->root, DEVICE_VENDOR, f, l->max, e);

	for (ssize_t i = 0; i < n; i++) {
		struct device *d = place_device(l, f[i].bdf);

		if (d) {
			d->vendor = f[i].vendor;
			d->device = f[i].device;
		}
	}
	free(f);
	return n < 0 ? (int)n : 0;
}

static int list_pci(struct list *l, struct error *e)
{
	char path[KMD_PATH];
	DIR *functions;
	int r;

	if (kmd_path(l->bus->root, path, sizeof(path), "/sys/bus/pci/devices") < 0)
		return list_proc(l, e);
	functions = opendir(path);
	r = functions ? list_sysfs(l, functions) : -errno;
	if (functions)
		closedir(functions);
	return r < 0 ? fail(e, r, "%s: cannot be read: %s", path, strerror(-r)) : 0;
}

/* "tenstorrent!3" stands for "tenstorrent/3"; other entries there are ignored. */
static void list_class(struct list *l)
{
	static const char prefix[] = "tenstorrent!";
	char path[KMD_PATH], bdf[32];
	struct dirent *entry;
	DIR *dir;
	int n;

	if (kmd_path(l->bus->root, path, sizeof(path), "/sys/class/tenstorrent") < 0)
		return;
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		struct device *d;

		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
		    !kmd_is_number(entry->d_name + strlen(prefix), &n) ||
		    kmd_path(l->bus->root, path, sizeof(path),
			    "/sys/class/tenstorrent/tenstorrent!%d/device", n) < 0 ||
		    kmd_link_name(path, bdf, sizeof(bdf)) < 0 || !is_bdf(bdf))
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

static void set_trouble(struct device *d, enum device_trouble trouble, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
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
	kmd_path(bus->root, path, sizeof(path), "/sys/bus/pci/devices/%s/driver", d->bdf);
	kmd_link_name(path, driver, sizeof(driver));
	if (kmd_path(bus->root, path, sizeof(path), "/sys/bus/pci/devices") < 0)
		set_trouble(d, DEVICE_NO_DRIVER, "no sysfs here, which says all about a card:"
			" `mount -t sysfs sysfs /sys`, or pass /sys into the container");
	else if (strcmp(driver, "tenstorrent") == 0)
		set_trouble(d, DEVICE_NO_NODE, "the driver has it, but offers no device:"
			" see its messages with `dmesg | grep tenstorrent`");
	else if (*driver)
		set_trouble(d, DEVICE_NO_DRIVER, "bound to %s, not to the tenstorrent driver:"
			" unbind it there to see it here", driver);
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
		set_trouble(d, DEVICE_NO_NODE,
			"no /dev/tenstorrent/%d: only sysfs is read; in a container"
			" pass the device in, else see that udev runs",
			d->node);
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
	ssize_t n = -ENOENT;

	if (kmd_path(bus->root, path, sizeof(path), "/sys/module/tenstorrent/version") == 0)
		n = file_read_at(AT_FDCWD, path, bus->driver, sizeof(bus->driver));
	if (n < 0)
		n = 0;
	bus->driver[n] = '\0';
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
