/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_reset.c - warm reset of the named cards, or of all; a file among the words may name a mobo.
 */
#include "config.h"
#include "src/reset/run.h"
#include "src/reset/targets.h"

#include <stdlib.h>

static enum exit_code reset_choose_named(struct reset_run *run)
{
	return reset_run_has_cards(run)
		? reset_targets_choose(run->act.o, &run->act.session, &run->act.stop,
			run->act.wanted)
		: EXIT_NO_DEVICE;
}

enum exit_code mode_reset(const struct options *o)
{
	struct reset_run *run;
	enum exit_code code;

	if (o->n_targets > 0 && mode_mobo_is_meant(o))
		return mode_mobo(o);
	run = (struct reset_run *)act_new(o, sizeof(*run));
	run->choose = reset_choose_named;
	code = act_run(&run->act);
	free(run);
	return code;
}
