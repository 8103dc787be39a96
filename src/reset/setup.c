/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/reset/setup.h"
#include "reset/outside/outside.h"
#include "src/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FDS (DEVICE_MAX + 2)

/* Set the members that are the same for every caller. */
static void reset_setup_complete(struct reset_setup *s, struct session *session,
	struct reset_config *c)
{
	const struct fleet *f = sampler_fleet(session->sampler);
	const bool is_sim = fleet_is_simulated(f);
	const char *state = getenv("TT_SMI_STATE_DIR");

	/* Simulated boards have simulated listeners: no program of this machine is notified. */
	snprintf(s->folder, sizeof(s->folder), "%s/" LISTENERS_FOLDER,
		!is_sim ? session->bus->root : state ? state : "/nonexistent");
	c->bus = session->bus;
	c->sampler = session->sampler;
	c->host = &session->host;
	c->log = &s->log;
	c->listeners = s->folder;
}

int reset_setup_open(struct reset_setup *s, struct session *session, const struct reset_plan *plan,
	struct reset_config *c, struct error *e)
{
	struct error why = { 0 };
	int r;

	reset_setup_complete(s, session, c);
	c->plan = plan;
	if (log_open(&s->log, &why) < 0 || log_prove(&s->log, &why) < 0)
		say_as(why.word, "no log of this reset is kept: %s", why.text);
	r = reset_open(c, &s->reset, e);
	if (r < 0)
		log_close(&s->log);
	return r;
}

bool reset_setup_turn(const struct reset_setup *s, struct stop *stop, struct outlet *out, int ms)
{
	struct pollfd fds[MAX_FDS + TURN_FDS];
	const size_t n = reset_fds(s->reset, fds, MAX_FDS);
	const int due = reset_wait_ms(s->reset);

	return turn_wait(stop, out, fds, n, ms < 0 || due < ms ? due : ms);
}

void reset_setup_close(struct reset_setup *s)
{
	if (!s->reset)
		return;
	reset_close(s->reset);
	s->reset = NULL;
	if (s->log.trouble)
		say_as(code_find(-s->log.trouble), "%s: not all of this reset could be "
			"written: %s", s->log.path,
			strerror(-s->log.trouble));
	log_close(&s->log);
}
