/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "device/sim/sim.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted holds what the rest of the simulator takes for granted. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sim_spec spec;
	struct error e = { 0 };
	char *text = calloc(1, size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	if (sim_spec_parse(text, &spec, &e) < 0) {
		if (!e.text[0] || strchr(e.text, '\0') >= e.text + sizeof(e.text))
			abort();
	} else {
		if (spec.n == 0 || spec.n > spec.n_chips || spec.n_chips > SIM_CHIPS)
			abort();
		for (size_t i = 0; i < spec.n; i++)
			for (size_t k = 0; k < spec.boards[i].n_faults; k++)
				if (spec.boards[i].faults[k].from >= spec.boards[i].faults[k].to)
					abort();
	}
	free(text);
	return 0;
}
