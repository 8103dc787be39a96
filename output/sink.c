/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/sink.h"

#include <string.h>

const struct sink *const sinks[] = {
	&sink_csv,
	&sink_ndjson,
	NULL,
};

const struct sink *sink_find(const char *name)
{
	for (size_t i = 0; sinks[i]; i++)
		if (strcmp(sinks[i]->name, name) == 0)
			return sinks[i];
	return NULL;
}
