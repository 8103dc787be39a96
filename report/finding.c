/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "report/finding.h"

#include "base/mem.h"

#include <string.h>

static const char *const actions[ACTIONS] = {
	[ACTION_NONE] = "none",
	[ACTION_RESET] = "reset",
	[ACTION_RESET_BOARD] = "reset-board",
	[ACTION_RESCAN] = "rescan",
	[ACTION_POWER_CYCLE] = "power-cycle",
	[ACTION_RESEAT_CABLE] = "reseat-cable",
	[ACTION_UPDATE_FIRMWARE] = "update-firmware",
	[ACTION_UPDATE_DRIVER] = "update-driver",
	[ACTION_CONFIGURE_HOST] = "configure-host",
	[ACTION_FREE_HOLDER] = "free-holder",
	[ACTION_CONTACT_SUPPORT] = "contact-support",
};

const char *action_name(enum action a)
{
	return actions[a];
}

/* No action is to look after the air. */
#define AIR   { ACTION_NONE, "check fans, airflow and power" }
#define CABLE "power the host off, and check the board's 12V-2x6 power cable"
#define TEST  "tt-smi --check-memory #"
#define WRONG { ACTION_CONTACT_SUPPORT, TEST "; if it finds wrong data, contact support" }

static const struct finding_kind kinds[] = {
	{ "link-downgraded", VERDICT_FAIL, CODE_LINK_SLOW,
		{ ACTION_RESET, "tt-smi -wr #; if that does not help, reseat the card" } },
	{ "heartbeat", VERDICT_FAIL, CODE_NO_HEARTBEAT, STEP_RESET },
	{ "firmware-error", VERDICT_FAIL, CODE_FAILED, STEP_POWER },
	{ "over-limit", VERDICT_FAIL, CODE_TOO_HOT, AIR },
	{ "fan", VERDICT_WARN, CODE_FAN_STOPPED,
		{ ACTION_RESEAT_CABLE, "check the fan's plug, and what blocks it" } },
	{ "power-cable", VERDICT_FAIL, CODE_MEMORY_UNTRAINED, { ACTION_RESEAT_CABLE, CABLE } },
	{ "over-power", VERDICT_WARN, CODE_NONE,
		{ ACTION_RESEAT_CABLE, "check its power cable and the power supply" } },
	{ "throttled", VERDICT_WARN, CODE_NONE, { 0 } },
	{ "kernels-throttled", VERDICT_WARN, CODE_NONE, { 0 } },
	{ "therm-trips", VERDICT_WARN, CODE_NONE, AIR },
	{ "dram", VERDICT_FAIL, CODE_MEMORY_UNTRAINED, STEP_RESET },
	{ "dram-test", VERDICT_FAIL, CODE_MEMORY_WRONG, WRONG },
	{ "gddr-hot", VERDICT_FAIL, CODE_TOO_HOT, AIR },
	{ "gddr-uncorrected", VERDICT_FAIL, CODE_MEMORY_WRONG, WRONG },
	{ "gddr-corrected", VERDICT_WARN, CODE_NONE, { ACTION_NONE, TEST } },
	{ "gddr-growing", VERDICT_WARN, CODE_NONE, { ACTION_NONE, TEST } },
	{ "eth", VERDICT_FAIL, CODE_LINK_DOWN, STEP_RESET },
	{ "eth-link", VERDICT_FAIL, CODE_LINK_DOWN, STEP_RESET },
	{ "implausible", VERDICT_WARN, CODE_IMPLAUSIBLE, STEP_RESET },
	{ "tables", VERDICT_INCOMPLETE, CODE_NOT_READ, { 0 } },
};

const struct finding_kind *finding_kind_at(size_t i)
{
	return i < ARRAY_LEN(kinds) ? &kinds[i] : NULL;
}

const struct finding_kind *finding_kind(const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i].id, id) == 0)
			return &kinds[i];
	return NULL;
}
