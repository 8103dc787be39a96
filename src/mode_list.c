/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/list.h"
#include "src/listed.h"
#include "src/mode.h"
#include "src/outlet.h"
#include "src/say.h"

#include <unistd.h>

enum exit_code mode_list(const struct options *o)
{
	struct list_options how = { .local = o->local, .columns = outlet_columns(STDOUT_FILENO),
		.bold = isatty(STDOUT_FILENO) && !o->no_color };
	struct strbuf text = { 0 };
	struct session s;
	enum exit_code code = session_open(&s, o, true);

	if (code != EXIT_DONE)
		return code;
	how.wanted = sampler_fleet(s.sampler)->wanted;
	how.n_wanted = sampler_fleet(s.sampler)->n;
	(o->json ? list_json_put : list_put)(&text, sampler_fleet(s.sampler), &how);
	/* In JSON "source" says it, and callers want stderr to stay empty. */
	if (!o->json && sampler_fleet(s.sampler)->n > 0 &&
		fleet_stand_in(sampler_fleet(s.sampler)))
		say("these boards are %s", fleet_stand_in(sampler_fleet(s.sampler)));
	listed_remember(o, sampler_fleet(s.sampler));
	/* The text below the tables already says why a card failed. */
	return session_print(&s, &text, true);
}
