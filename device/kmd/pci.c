/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pci.c - the only file that sees libpci, which is loaded on first use: it and
 * the libraries that it pulls in cost a tenth of what -s takes, and where sysfs
 * lists the functions, they are not needed.
 *
 * libpci prints and ends the program when it meets a tree that it does not
 * like.  Its hook for that must not return, so it jumps back out of the
 * library; the access is then cleaned up as far as it came.
 */
#include "config.h"
#include "device/kmd/pci.h"
#include "base/array.h"
#include "base/dl.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pci/pci.h>

static struct {
	struct pci_access *(*alloc)(void);
	int (*set_param)(struct pci_access *a, char *param, char *value);
	void (*init)(struct pci_access *a);
	void (*scan_bus)(struct pci_access *a);
	int (*fill_info)(struct pci_dev *d, int flags);
	void (*cleanup)(struct pci_access *a);
} lib;

static int load_libpci(struct error *e)
{
	static const struct dl_slot slots[] = {
		{ "pci_alloc", &lib.alloc }, { "pci_set_param", &lib.set_param },
		{ "pci_init", &lib.init }, { "pci_scan_bus", &lib.scan_bus },
		{ "pci_fill_info", &lib.fill_info }, { "pci_cleanup", &lib.cleanup },
	};

	return lib.cleanup ? 0 : dl_load(DL_PCI, slots, ARRAY_LEN(slots), e);
}

static jmp_buf out_of_libpci;
static char complaint[128];

static void on_error(char *msg, ...) __attribute__((noreturn, format(printf, 1, 2)));
static void on_error(char *msg, ...)
{
	va_list ap;

	va_start(ap, msg);
	vsnprintf(complaint, sizeof(complaint), msg, ap);
	va_end(ap);
	longjmp(out_of_libpci, 1);
}

static void on_warning(char *msg, ...) __attribute__((format(printf, 1, 2)));
static void on_warning(char *msg, ...)
{
	(void)msg;
}

static struct pci_access *open_tree(char *path)
{
	static char param[] = "proc.path";
	struct pci_access *a = lib.alloc();

	a->method = PCI_ACCESS_PROC_BUS_PCI;
	a->error = on_error;
	a->warning = a->debug = on_warning;
	lib.set_param(a, param, path);
	return a;
}

static int scan(struct pci_access *a)
{
	if (setjmp(out_of_libpci) != 0)
		return -EIO;
	lib.init(a);
	lib.scan_bus(a);
	return 0;
}

/* Vendor and device; a function that does not tell them keeps zeros. */
static void identify_function(struct pci_dev *d, struct pci_function *f)
{
	snprintf(f->bdf, sizeof(f->bdf), "%04x:%02x:%02x.%x", (unsigned)d->domain & 0xffffff,
		d->bus, d->dev, d->func & 7U);
	f->vendor = f->device = 0;
	if (setjmp(out_of_libpci) != 0)
		return;
	lib.fill_info(d, PCI_FILL_IDENT);
	f->vendor = d->vendor_id;
	f->device = d->device_id;
}

ssize_t pci_list(const char *root, uint16_t vendor, struct pci_function *out, size_t max,
	struct error *e)
{
	char path[512];
	struct pci_access *a;
	struct stat st;
	size_t n = 0;
	int r;

	snprintf(path, sizeof(path), "%s/proc/bus/pci/devices", root);
	/* libpci would wait for the writer of a FIFO. */
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || access(path, R_OK) < 0)
		return 0;
	r = load_libpci(e);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/proc/bus/pci", root);
	a = open_tree(path);
	if (scan(a) < 0) {
		lib.cleanup(a);
		return fail(e, -EIO, "%s: cannot list the PCI functions: %s", path, complaint);
	}
	for (struct pci_dev *d = a->devices; d && n < max; d = d->next) {
		identify_function(d, &out[n]);
		if (out[n].vendor == vendor)
			n++;
	}
	lib.cleanup(a);
	return (ssize_t)n;
}
