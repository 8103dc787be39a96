/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "report/finding.h"

#include "base/mem.h"

#include <string.h>

static const struct finding_kind kinds[] = {
	{ "link-downgraded", VERDICT_FAIL, CODE_LINK_SLOW },
	{ "heartbeat", VERDICT_FAIL, CODE_NO_HEARTBEAT },
	{ "firmware-error", VERDICT_FAIL, CODE_FAILED },
	{ "over-limit", VERDICT_FAIL, CODE_TOO_HOT },
	{ "gddr-hot", VERDICT_FAIL, CODE_TOO_HOT },
	{ "fan", VERDICT_WARN, CODE_FAN_STOPPED },
	{ "power-cable", VERDICT_FAIL, CODE_MEMORY_UNTRAINED },
	{ "over-power", VERDICT_WARN, CODE_NONE },
	{ "throttled", VERDICT_WARN, CODE_NONE },
	{ "kernels-throttled", VERDICT_WARN, CODE_NONE },
	{ "therm-trips", VERDICT_WARN, CODE_NONE },
	{ "dram", VERDICT_FAIL, CODE_MEMORY_UNTRAINED },
	{ "dram-test", VERDICT_FAIL, CODE_MEMORY_WRONG },
	{ "gddr-uncorrected", VERDICT_FAIL, CODE_MEMORY_WRONG },
	{ "gddr-corrected", VERDICT_WARN, CODE_NONE },
	{ "gddr-growing", VERDICT_WARN, CODE_NONE },
	{ "eth", VERDICT_FAIL, CODE_LINK_DOWN },
	{ "eth-link", VERDICT_FAIL, CODE_LINK_DOWN },
	{ "implausible", VERDICT_WARN, CODE_IMPLAUSIBLE },
	{ "tables", VERDICT_INCOMPLETE, CODE_NOT_READ },
};

const struct finding_kind *finding_kind(const char *id)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i].id, id) == 0)
			return &kinds[i];
	return NULL;
}
