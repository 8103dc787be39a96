/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_overview.c - tt-smi whose stdout is no terminal, or one that cannot
 * move its cursor: the cards once, as text.  It is the live display's first
 * picture, so cards are read as there: nothing is asked of a board.
 */
#include "config.h"
#include "base/file.h"
#include "output/overview.h"
#include "src/mode.h"
#include "src/say.h"

#include <langinfo.h>
#include <string.h>
#include <unistd.h>

enum exit_code mode_overview(const struct options *o)
{
	const struct overview_options how = { .version = PACKAGE_STRING, .local = o->local,
		.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0 };
	struct strbuf text = { 0 };
	struct session s;
	enum exit_code code = session_open(&s, o, true);
	int r;

	if (code != EXIT_DONE)
		return code;
	overview_put(&text, sampler_fleet(s.sampler), &how);
	r = file_write_all(STDOUT_FILENO, text.text, text.len);
	strbuf_clear(&text);
	code = session_verdict(&s);
	/* Why a card failed stands in its block. */
	session_complain_none(&s);
	session_close(&s);
	if (r < 0) {
		say("stdout: cannot write: %s", strerror(-r));
		return EXIT_FAILED;
	}
	return code;
}
