/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "telemetry/identity.h"

#include "base/mem.h"
#include "telemetry/link.h"

#include <stdio.h>

const struct identity identities[IDENTITIES] = {
	[IDENTITY_INDEX] = { "index", "", "Number of the chip, as -ls has it." },
	[IDENTITY_BDF] = { "bdf", NULL, "PCI address." },
	[IDENTITY_NODE] = { "node", "/dev/tenstorrent/", "Device node." },
	[IDENTITY_CHIP] = { "chip", NULL, "Blackhole, Wormhole ..." },
	[IDENTITY_BOARD] = { "board", NULL, "Board, with the side of a Wormhole: n300 L." },
	[IDENTITY_HEALTH] = { "health", NULL, "ok, warn, failed, gone or not-read." },
	[IDENTITY_FIRMWARE] = { "firmware_state", NULL,
		"Its heartbeat: alive, stopped, unknown, or none." },
	[IDENTITY_REASON] = { "reason", NULL, "Why the chip could not be read, or was not." },
	[IDENTITY_ACTION] = { "action", NULL, "What to do next, as a code: none, reset ..." },
	[IDENTITY_SERIAL] = { "serial", NULL, "Serial number of the board." },
	[IDENTITY_LOCAL] = { "local", "", "Chip through which a second chip is reached." },
	[IDENTITY_NUMA] = { "numa_node", "", "NUMA node of the slot." },
	[IDENTITY_PCI_DEVICE] = { "pci_device", NULL, "PCI device ID." },
	[IDENTITY_SUBSYSTEM] = { "subsystem_device", NULL, "PCI subsystem ID." },
	[IDENTITY_COORDS] = { "coords", NULL, "Coordinates on the ethernet network." },
	[IDENTITY_TRAY] = { "tray", "UBB", "Tray of a galaxy." },
	[IDENTITY_POSITION] = { "position", "U", "Position in that tray." },
	[IDENTITY_PCIE_GEN] = { "pcie_gen", "", "Generation of the PCIe link's present speed." },
	[IDENTITY_PCIE_WIDTH] = { "pcie_width", "", "Lanes of the PCIe link." },
	[IDENTITY_PCIE_GEN_MAX] = { "pcie_gen_max", "",
		"Highest generation that card, slot and board allow." },
	[IDENTITY_PCIE_WIDTH_MAX] = { "pcie_width_max", "",
		"Most lanes that card, slot and board allow." },
};

/* A link's number; -1 if it is not known, or not of the present sample. */
static int of_link(const struct snapshot *s, int number)
{
	return link_is_now(&s->link) && number > 0 ? number : -1;
}

int identity_number(enum identity_id id, const struct snapshot *s)
{
	switch (id) {
	case IDENTITY_INDEX:
		return s->index;
	case IDENTITY_NODE:
		return s->node;
	case IDENTITY_LOCAL:
		return s->local;
	case IDENTITY_NUMA:
		return s->numa_node;
	case IDENTITY_TRAY:
		return s->tray ? s->tray : -1;
	case IDENTITY_POSITION:
		return s->tray ? s->place : -1;
	case IDENTITY_PCIE_GEN:
		return of_link(s, link_generation(s->link.speed));
	case IDENTITY_PCIE_WIDTH:
		return of_link(s, s->link.width);
	case IDENTITY_PCIE_GEN_MAX:
		return of_link(s, link_generation(s->link.speed_best));
	case IDENTITY_PCIE_WIDTH_MAX:
		return of_link(s, s->link.width_best);
	default:
		return -1;
	}
}

/* A PCI id of 0 is not known. */
static void put_pci_id(uint16_t id, char *buf, size_t size)
{
	if (id)
		snprintf(buf, size, "0x%x", id);
}

static void put_text(enum identity_id id, const struct snapshot *s, char *buf, size_t size)
{
	switch (id) {
	case IDENTITY_BDF:
		mem_copy_text(buf, size, s->bdf);
		break;
	case IDENTITY_CHIP:
		mem_copy_text(buf, size, device_chip_name(s->chip));
		break;
	case IDENTITY_BOARD:
		mem_copy_text(buf, size, s->series);
		break;
	case IDENTITY_HEALTH:
		mem_copy_text(buf, size, snapshot_health_name(s->health));
		break;
	case IDENTITY_FIRMWARE:
		mem_copy_text(buf, size, snapshot_beat_name(s->beat));
		break;
	case IDENTITY_REASON:
		mem_copy_text(buf, size, s->reason);
		break;
	case IDENTITY_SERIAL:
		if (reading_has_value(&s->r[FIELD_BOARD_ID]))
			field_text(FIELD_BOARD_ID, &s->r[FIELD_BOARD_ID], buf, size);
		break;
	case IDENTITY_PCI_DEVICE:
		put_pci_id(s->pci_device, buf, size);
		break;
	case IDENTITY_SUBSYSTEM:
		put_pci_id(s->subsys_device, buf, size);
		break;
	case IDENTITY_COORDS:
		if (s->has_coords)
			snprintf(buf, size, "%d,%d,%d,%d", s->coords[0], s->coords[1],
				s->coords[2], s->coords[3]);
		break;
	default:
		break;
	}
}

char *identity_text(enum identity_id id, const struct snapshot *s, char *buf, size_t size)
{
	const int number = identity_number(id, s);

	buf[0] = '\0';
	if (!identities[id].before)
		put_text(id, s, buf, size);
	else if (number >= 0)
		snprintf(buf, size, "%s%d", identities[id].before, number);
	return buf;
}

void identity_put_json(struct json_out *j, const char *key, enum identity_id id,
	const struct snapshot *s)
{
	const char *before = identities[id].before;
	char text[IDENTITY_TEXT];

	if (before && !*before && identity_number(id, s) >= 0)
		json_int(j, key, identity_number(id, s));
	else
		json_text(j, key, *identity_text(id, s, text, sizeof(text)) ? text : NULL);
}
