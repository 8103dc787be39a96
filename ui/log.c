/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/model.h"

#include <string.h>

/* The line being filled is at `next`; it counts once its newline has come. */
void ui_log_add(struct ui_log *log, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char *line = log->line[log->next];
		size_t at = strlen(line);

		if (text[i] == '\n') {
			log->next = (log->next + 1) % UI_LOG_LINES;
			log->n += log->n + 1 < UI_LOG_LINES;
			log->total++;
			log->line[log->next][0] = 0;
		} else if (at + 1 < sizeof(log->line[0])) {
			line[at] = text[i];
			line[at + 1] = 0;
		}
	}
}

const char *ui_log_line(const struct ui_log *log, size_t i)
{
	return log->line[(log->next + UI_LOG_LINES - log->n + i) % UI_LOG_LINES];
}
