/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/query.h"
#include "src/mode.h"
#include "src/say.h"

enum exit_code mode_query(const struct options *o)
{
	struct query q = { .local = o->local };
	struct strbuf text = { 0 };
	struct session s;
	enum exit_code code;
	struct error e;

	if (query_choose(&q, o->query, &e) < 0 ||
		(o->format && query_format(&q, o->format, &e) < 0)) {
		say_error(&e);
		return EXIT_USAGE;
	}
	code = session_open(&s, o, true);
	if (code != EXIT_DONE)
		return code;
	query_put(&text, sampler_fleet(s.sampler), &q);
	return session_print(&s, &text, false);
}
