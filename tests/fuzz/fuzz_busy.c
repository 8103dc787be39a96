/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_busy.c - any words as a runtime's control block and as two looks at its counters: a share
 * that is known is between nothing and all.
 */
#include "config.h"
#include "telemetry/busy.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t words[BUSY_CONTROL_WORDS + 4 * BUSY_CORE_WORDS] = { 0 };
	struct busy looks[2] = { { .cores = 152 }, { .cores = 152 } };
	struct busy_shares x;
	bool are_good = true;

	memcpy(words, data, size < sizeof(words) ? size : sizeof(words));
	if (busy_parse_control(words, &looks[0].control) == BUSY_FIRST &&
		(looks[0].control.n < 1 || looks[0].control.n > BUSY_QUEUES))
		abort();
	for (size_t i = 0; i < 2; i++) {
		const uint32_t *block = words + BUSY_CONTROL_WORDS + 2 * i * BUSY_CORE_WORDS;

		looks[i].control.n = 1;
		looks[i].control.at = looks[0].control.at;
		looks[i].control.core[0] = looks[0].control.core[0];
		are_good &= busy_parse_core(block, block + BUSY_CORE_WORDS, looks[i].cores,
			&looks[i].queue[0]) == BUSY_FIRST;
	}
	if (are_good && busy_compare(&looks[0], &looks[1], &x) <= BUSY_CORES &&
		(x.any < -1 || x.any > 100000 || x.cores < 0 || x.cores > 100000))
		abort();
	return 0;
}
