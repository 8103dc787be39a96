/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_overview.c - tt-smi whose stdout is not a terminal, or one that cannot
 * move its cursor: the cards once, as text.  It is the live display's first
 * picture, so cards are read as there: nothing is asked of a board.
 */
#include "config.h"
#include "output/overview.h"
#include "src/mode.h"
#include "src/version.h"

#include <langinfo.h>
#include <string.h>

enum exit_code mode_overview(const struct options *o)
{
	const struct overview_options how = { .version = PACKAGE " " VERSION_SHOWN,
		.local = o->local, .external = o->external,
		.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0 };
	struct strbuf text = { 0 };
	struct session s;
	enum exit_code code = session_open(&s, o, true);

	if (code != EXIT_DONE)
		return code;
	overview_put(&text, sampler_fleet(s.sampler), &how);
	/* The block of a card says why it failed. */
	return session_print(&s, &text, true);
}
