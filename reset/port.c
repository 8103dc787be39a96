/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "reset/port.h"
#include "base/file.h"
#include "base/parse.h"
#include "device/bus.h"
#include "telemetry/link.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "%s/sys/bus/pci/devices/%s"

/* Offsets in a bridge's config space; every user may read up to CONFIG_HEADER. */
#define COMMAND	       4
#define HEADER_TYPE    14
#define BRIDGE_CONTROL 62
#define CONFIG_HEADER  64

static bool read_word(const struct bus *bus, const char *bdf, const char *name, char *text,
	size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), FOLDER "/%s", bus->root, bdf, name);
	if (file_read_at(AT_FDCWD, path, text, size) < 0)
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return *text;
}

static void read_config(const struct bus *bus, struct pcie_port *p)
{
	uint8_t space[CONFIG_HEADER];
	char path[512];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), FOLDER "/config", bus->root, p->bdf);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	n = fd < 0 ? 0 : read(fd, space, sizeof(space));
	if (fd >= 0)
		close(fd);
	if (n != (ssize_t)sizeof(space))
		return;
	p->is_off = space[0] == 0xff && space[1] == 0xff;
	if (!p->is_off && (space[HEADER_TYPE] & 0x7f) != 1)
		return;
	p->has_config = true;
	p->passes_memory = space[COMMAND] & 0x02;
	p->passes_dma = space[COMMAND] & 0x04;
	p->holds_reset = space[BRIDGE_CONTROL] & 0x40;
}

/* Format a link as that of a card; keep the kernel's words if they do not parse. */
static void put_link(struct pcie_port *p, const char *speed, const char *width)
{
	const int32_t rate = link_speed_of(speed);
	int64_t lanes;

	if (rate > 0 && parse_i64(width, &lanes) && lanes > 0 && lanes <= 32)
		link_text(rate, (int32_t)lanes, p->link, sizeof(p->link));
	else
		snprintf(p->link, sizeof(p->link), "%s x%s", speed, width);
}

void port_read(const struct bus *bus, const char *bdf, struct pcie_port *out)
{
	char speed[24], width[8];

	*out = (struct pcie_port){ 0 };
	if (bus->ops != &transport_kmd || !aer_find_above(bus, bdf, out->bdf, sizeof(out->bdf)))
		return;
	out->known = true;
	read_word(bus, out->bdf, "power_state", out->power, sizeof(out->power));
	if (read_word(bus, out->bdf, "current_link_speed", speed, sizeof(speed)) &&
		read_word(bus, out->bdf, "current_link_width", width, sizeof(width)))
		put_link(out, speed, width);
	aer_read(bus, out->bdf, &out->aer);
	if (strcmp(out->power, "D0") == 0)
		read_config(bus, out);
}

const char *port_trouble(const struct pcie_port *p, bool *unsafe)
{
	*unsafe = true;
	if (p->known && strncmp(p->power, "D3", 2) == 0)
		return "is powered down: the card cannot be reached through it";
	if (p->known && p->has_config && p->is_off)
		return "does not answer: its config space reads all ones";
	if (p->known && p->has_config && p->holds_reset)
		return "holds the card in reset";
	*unsafe = false;
	if (p->known && p->has_config && !p->passes_memory)
		return "forwards no loads and stores: the card cannot be read through it";
	if (p->known && p->has_config && !p->passes_dma)
		return "is not a bus master: the card's DMA and interrupts do not arrive";
	return NULL;
}
