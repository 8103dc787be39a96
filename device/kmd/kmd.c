/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd.c - the transport through the driver: sysfs, hwmon and the device node.
 */
#include "config.h"
#include "base/mem.h"
#include "device/kmd/kmd_io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
	kmd->generation = mem_share(DEVICE_MAX * sizeof(kmd->generation[0]));
	bus->priv = kmd;
	return 0;
}

static void drop(struct kmd_card *card)
{
	kmd_attr_close(card);
	kmd_node_close(card);
}

static void kmd_close(struct bus *bus)
{
	struct kmd *kmd = bus->priv;

	if (!kmd)
		return;
	for (size_t i = 0; i < DEVICE_MAX; i++) {
		if (kmd->card[i])
			drop(kmd->card[i]);
		free(kmd->card[i]);
	}
	mem_unshare(kmd->generation, DEVICE_MAX * sizeof(kmd->generation[0]));
	free(kmd->held);
	free(kmd);
	bus->priv = NULL;
}

struct kmd_card *kmd_card(struct device *d)
{
	struct kmd *kmd = d->bus->priv;
	struct kmd_card *card = kmd->card[d->index];

	if (!card) {
		card = kmd->card[d->index] = mem_calloc(1, sizeof(*card));
		card->fd = -1;
		memset(card->dir, -1, sizeof(card->dir));
		memset(card->attr, -1, sizeof(card->attr));
		card->generation = kmd->generation[d->index];
	} else if (card->generation != kmd->generation[d->index]) {
		drop(card);
		card->generation = kmd->generation[d->index];
	}
	return card;
}

static int kmd_attach(struct device *d)
{
	struct kmd *kmd = d->bus->priv;

	kmd->generation[d->index]++;
	return 0;
}

static void kmd_detach(struct device *d)
{
	struct kmd *kmd = d->bus->priv;

	if (kmd->card[d->index])
		drop(kmd->card[d->index]);
}

static int kmd_look(struct device *d)
{
	kmd_attr_look(kmd_card(d));
	return 0;
}

const struct transport_ops transport_kmd = {
	.name = "kmd",
	.help = "the machine's own cards, through the tt-kmd driver",
	.open = kmd_open,
	.close = kmd_close,
	.scan = kmd_scan,
	.attach = kmd_attach,
	.detach = kmd_detach,
	.attr = kmd_attr,
	.acquire = kmd_acquire,
	.release = kmd_release,
	.read = kmd_read,
	.write = kmd_write,
	.holders = kmd_holders,
	.look = kmd_look,
};
