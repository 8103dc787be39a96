/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/display.h"
#include "base/text.h"

#include <stdio.h>
#include <unistd.h>

int display_open(const struct options *o, struct error *e)
{
	static const enum term_theme themes[] = {
		[THEME_AUTO] = TERM_THEME_AUTO,
		[THEME_DEFAULT] = TERM_THEME_ON_DARK,
		[THEME_DARK] = TERM_THEME_ON_LIGHT,
	};
	const struct term_config config = { .theme = themes[o->theme], .no_color = o->no_color };
	int r = term_open(&config, e);

	if (r < 0)
		term_close();
	return r;
}

bool display_take_messages(struct ui_log *log)
{
	char text[1024];
	bool any = false;
	ssize_t n;

	while (term_log_fd() >= 0 && (n = read(term_log_fd(), text, sizeof(text))) > 0) {
		ui_log_add(log, text, (size_t)n);
		any = true;
	}
	return any;
}

void display_close(struct stop *stop, struct ui_log *log)
{
	char plain[1000];	/* a message may hold control characters */

	display_take_messages(log);
	term_close();
	stop->screen = false;
	for (size_t i = 0; i < log->n; i++)
		fprintf(stderr, "%s\n", text_plain(plain, sizeof(plain), ui_log_line(log, i)));
}
