/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_overview.c - tt-smi without a terminal at stdout, or with one that cannot
 * move its cursor: print the cards once, as text.  This stands in for the live
 * display, so cards are read in the same way: no request is sent to a board.
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
	/* Each card's block says why it failed. */
	return session_print(&s, &text, true);
}
