/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * identity.h - what a chip is, where it is and how it is: a row for each name, as fields[] has one
 * for each quantity.  --query, lists, JSON and the screen take their texts from here.
 */
#pragma once

#include "base/json.h"
#include "telemetry/snapshot.h"

enum identity_id {
	IDENTITY_INDEX, IDENTITY_BDF, IDENTITY_NODE, IDENTITY_CHIP, IDENTITY_BOARD, IDENTITY_HEALTH,
	IDENTITY_FIRMWARE, IDENTITY_REASON, IDENTITY_ACTION, IDENTITY_SERIAL, IDENTITY_LOCAL,
	IDENTITY_NUMA, IDENTITY_PCI_DEVICE, IDENTITY_SUBSYSTEM, IDENTITY_COORDS, IDENTITY_TRAY,
	IDENTITY_POSITION, IDENTITY_PCIE_GEN, IDENTITY_PCIE_WIDTH, IDENTITY_PCIE_GEN_MAX,
	IDENTITY_PCIE_WIDTH_MAX,
	IDENTITIES
};

struct identity {
	const char *key;	/* a name of --query, and in JSON; never renamed */
	const char *before;	/* what stands before a number; NULL: it is a text */
	const char *help;	/* one sentence */
};

extern const struct identity identities[IDENTITIES];

/* Room for any text of identity_text(). */
#define IDENTITY_TEXT 192

/* The number of such a row, or -1 if it is not known or the row is a text. */
int identity_number(enum identity_id id, const struct snapshot *s);

/* "0000:41:00.0", "/dev/tenstorrent/3"; "" if it is not known.  Returns buf. */
char *identity_text(enum identity_id id, const struct snapshot *s, char *buf, size_t size);

/* Add a member: a number if the row is a bare one, else its text; null if it is not known. */
void identity_put_json(struct json_out *j, const char *key, enum identity_id id,
	const struct snapshot *s);
