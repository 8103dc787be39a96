/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet.c - what a fleet is, in words.
 */
#include "config.h"
#include "telemetry/fleet.h"
#include "base/array.h"

#include <string.h>

const char *fleet_stand_in(const struct fleet *f)
{
	static const struct {
		const char *source, *words;
	} sources[] = {
		{ "sim", "simulated" }, { "ttsim", "simulated" },
		{ "replay", "recorded" }, { "load", "loaded from a file" },
	};

	for (size_t i = 0; f->source && i < ARRAY_LEN(sources); i++)
		if (strcmp(f->source, sources[i].source) == 0)
			return sources[i].words;
	return NULL;
}

bool fleet_is_simulated(const struct fleet *f)
{
	const char *words = fleet_stand_in(f);

	return words && strcmp(words, "simulated") == 0;
}
