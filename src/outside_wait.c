/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/outside_wait.h"
#include "base/clock.h"
#include "base/mem.h"
#include "src/say.h"
#include "src/turn.h"

#include <unistd.h>

/* Show its reports; true: it is over, and *last says why. */
static bool outside_look(struct outside_run *run, struct outlet *out, struct outside_report *last)
{
	while (outside_take(run, last)) {
		if (last->kind == OUTSIDE_OVER)
			return true;
		strbuf_printf(&out->text, "%s\n", last->text);
	}
	return false;
}

static void stop_it(struct outside_run *run, struct outside_report *last)
{
	int64_t limit = run->step_limit ? run->step_limit : run->limit;

	if (!run->is_resting && run->is_stopped)
		outside_leave(run, last);
	else if (!run->is_resting && outlet_is_free(STDERR_FILENO))
		say("this step cannot be undone: waiting for its end (%.0f s at most); a second "
		    "signal leaves it half way", (double)limit / CLOCK_SECOND);
	outside_stop(run);
}

void outside_wait(const struct outside *what, struct stop *stop, struct outside_report *last)
{
	struct outside_run run;
	struct outlet out;
	struct error e = { 0 };
	unsigned seen = stop->times;

	*last = (struct outside_report){ .kind = OUTSIDE_OVER };
	last->error = outside_start(&run, what, &e);
	mem_copy_text(last->text, sizeof(last->text), e.text);
	if (last->error < 0)
		return;
	outlet_open(&out);
	while (!run.is_over && !outside_look(&run, &out, last)) {
		struct pollfd fds[1 + TURN_FDS] = { { .fd = run.child.fd, .events = POLLIN } };

		if (turn_wait(stop, &out, fds, 1, clock_poll_ms(outside_wake(&run))) &&
			stop->times > seen)
			stop_it(&run, last);
		seen = stop->times;
	}
	outside_end(&run);
	outlet_close(&out);
}
