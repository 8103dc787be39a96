/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * acts.c - the acts, and the runner that walks the steps of one.
 */
#include "config.h"
#include "src/act.h"

#include "base/array.h"
#include "base/mem.h"
#include "src/mode.h"
#include "src/turn.h"

#include <stdlib.h>

const struct act_ops *const acts[ACTS] = {
	[ACT_RESET] = &act_reset,
	[ACT_TEST_MEMORY] = &act_test_memory,
	[ACT_BURN_CARDS] = &act_burn_cards,
	[ACT_BURN_HOST] = &act_burn_host,
	[ACT_CHECK_MEMORY] = &act_check_memory,
	[ACT_COMPUTE] = &act_compute,
};

static bool act_is_asked(const struct act_ops *x, const struct options *o)
{
	return x->modes >> o->mode & 1 && (!x->commands || x->commands & o->commands) &&
		(!x->is_meant || x->is_meant(o));
}

static const struct act_ops *act_find(const struct options *o)
{
	for (size_t i = 0; i < ACTS; i++)
		if (act_is_asked(acts[i], o))
			return acts[i];
	abort();	/* a mode that no row has */
}

struct act *act_new(const struct options *o, size_t size)
{
	const struct act_ops *ops = act_find(o);
	struct act *a = mem_calloc(1, size ? size : ops->size);

	a->ops = ops;
	a->o = o;
	return a;
}

/* Only a dump and a card that is named need the first sample. */
static enum exit_code act_open(struct act *a)
{
	const struct act_taking *t = a->ops->taking;
	enum exit_code code = t || a->o->dump ? session_open(&a->session, a->o, t && t->is_once)
		: session_start(&a->session, a->o);

	if (code == EXIT_DONE && t && t->awaits_rest)
		session_await_rest(&a->session);
	return code;
}

/* From here on signals are polled; work in progress is finished first. */
static enum exit_code act_hear_stops(struct act *a)
{
	if (!a->stop.open)
		stop_open(&a->stop, false);
	return EXIT_DONE;
}

enum exit_code act_run(struct act *a)
{
	const struct act_steps *x = a->ops->steps;
	enum exit_code (*const steps[])(struct act *) = { x->prepare, act_open, x->choose,
		act_hear_stops, x->prove, x->fit, x->take ? x->take : act_take, x->start, x->watch,
		x->judge, x->report };
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; code == EXIT_DONE && i < ARRAY_LEN(steps); i++)
		if (steps[i])
			code = steps[i](a);
	if (x->end)
		x->end(a);
	hold_give_back(&a->hold);
	stop_end(&a->stop);
	session_close(&a->session);
	return code;
}

enum exit_code mode_act(const struct options *o)
{
	struct act *a = act_new(o, 0);
	enum exit_code code = act_run(a);

	free(a);
	return code;
}

bool act_turns(struct act *a, bool (*beat)(struct act *a), int ms)
{
	while (beat(a))
		if (turn_rest(&a->stop, ms))
			return true;
	return false;
}
