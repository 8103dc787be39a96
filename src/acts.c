/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * acts.c - the acts.  This file names all of them, so only main() uses it: the files of one act
 * do not know the others.
 */
#include "config.h"
#include "src/act.h"

#include <stdlib.h>

/* If the options ask for several, the first in this table is done. */
static const struct act_ops *const acts[ACTS] = {
	[ACT_RESET] = &act_reset,
	[ACT_TEST_MEMORY] = &act_test_memory,
	[ACT_BURN_CARDS] = &act_burn_cards,
	[ACT_BURN_HOST] = &act_burn_host,
	[ACT_CHECK_MEMORY] = &act_check_memory,
	[ACT_COMPUTE] = &act_compute,
	[ACT_DIAG] = &act_diag,
};

static bool act_is_asked(const struct act_ops *x, const struct options *o)
{
	return x->modes >> o->mode & 1 && (!x->commands || x->commands & o->commands) &&
		(!x->is_meant || x->is_meant(o));
}

const struct act_ops *act_find(const struct options *o)
{
	for (size_t i = 0; i < ACTS; i++)
		if (act_is_asked(acts[i], o))
			return acts[i];
	return NULL;
}

enum exit_code mode_act(const struct options *o)
{
	struct act *a = act_new(o, o->act->size);
	enum exit_code code = act_run(a);

	free(a);
	return code;
}
