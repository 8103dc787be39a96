/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_node.c - the device node: opening it, and requests for resets and power.
 *
 * With O_APPEND this client asks the driver for no power, so that reading
 * changes nothing on the card; with O_NONBLOCK it does not wait for a client
 * that holds the node exclusively (chip-facts 1.8.5, 1.9).
 */
#include "config.h"
#include "base/array.h"
#include "device/kmd/kmd_node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

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
		return fail_as(e, CODE_RECORDED, -ENOTTY, "%s is not a device node (a recorded "
			"tree?): only sysfs is read", path);
	return fail(e, -cause, "cannot open /dev/tenstorrent/%d: %s", d->node, strerror(cause));
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
	/* A plain file in a recorded tree never becomes a device, so keep the error. */
	if (r == -ENOTTY && strcmp(d->bus->root, "/") != 0)
		kmd_node_fail(d, r, &card->recorded);
	return kmd_node_fail(d, r, e);
}

/* An interrupted request is not tried again: the caller decides whether to go on. */
int kmd_node_reset(struct kmd_card *card, enum device_reset kind, uint32_t *result)
{
	static const uint32_t flags[DEVICE_RESETS] = {
		[DEVICE_RESTORE_STATE] = KMD_RESET_RESTORE_STATE,
		[DEVICE_RESET_LINK] = KMD_RESET_PCIE_LINK,
		[DEVICE_CONFIG_WRITE] = KMD_RESET_CONFIG_WRITE,
		[DEVICE_USER_RESET] = KMD_RESET_USER_RESET,
		[DEVICE_ASIC_RESET] = KMD_RESET_ASIC_RESET,
		[DEVICE_DMC_RESET] = KMD_RESET_ASIC_DMC_RESET,
		[DEVICE_POST_RESET] = KMD_RESET_POST_RESET,
	};
	struct kmd_reset_device arg = {
		.output_size_bytes_in =
			sizeof(arg) - offsetof(struct kmd_reset_device, output_size_bytes),
		.flags = flags[kind],
	};

	if (ioctl(card->fd, (unsigned long)KMD_RESET_DEVICE, &arg) < 0)
		return -errno;
	*result = arg.result;
	return 0;
}

int kmd_node_power(struct kmd_card *card, unsigned flags)
{
	struct kmd_power_state arg = { .argsz = sizeof(arg), .validity = KMD_POWER_FLAGS,
		.power_flags = (uint16_t)flags };
	int r = kmd_ioctl(card->fd, KMD_SET_POWER_STATE, &arg);

	return r == -ENOTTY ? -EOPNOTSUPP : r;
}

/* A duplicate of the descriptor keeps the lock after the first one is closed. */
int kmd_node_claim(struct kmd_card *card)
{
	struct kmd_lock_ctl arg = {
		.output_size_bytes_in = sizeof(arg) - offsetof(struct kmd_lock_ctl, value),
		.flags = KMD_LOCK_ACQUIRE, .index = KMD_LOCK_RESET };
	int r;

	if (card->claim >= 0)
		return 0;
	r = kmd_ioctl(card->fd, KMD_LOCK_CTL, &arg);
	if (r < 0)
		return r == -ENODEV ? r : -EOPNOTSUPP;
	if (arg.value == 0)
		return -EALREADY;
	card->claim = fcntl(card->fd, F_DUPFD_CLOEXEC, 3);
	return card->claim < 0 ? -errno : 0;
}
