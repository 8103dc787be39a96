/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/reset/setup.h"
#include "reset/outside/listeners.h"
#include "src/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void reset_setup(struct reset_setup *s, struct session *session, const struct plan *plan,
	struct reset_config *c)
{
	const struct fleet *f = sampler_fleet(session->sampler);
	const bool is_sim = fleet_is_simulated(f);
	const char *speed = getenv("TT_SMI_SIM_SPEED"), *state = getenv("TT_SMI_STATE_DIR");
	struct error e = { 0 };

	/* Simulated boards have simulated listeners: no program of this machine is told. */
	snprintf(s->folder, sizeof(s->folder), "%s/" LISTENERS_FOLDER,
		!is_sim ? session->bus->root : state ? state : "/nonexistent");
	c->bus = session->bus;
	c->sampler = session->sampler;
	c->plan = plan;
	c->host = &session->host;
	c->log = &s->log;
	c->listeners = s->folder;
	/* The chips of another simulator take the time that they take. */
	c->hurry = speed && strcmp(f->source, "sim") == 0 ? (unsigned)strtoul(speed, NULL, 10) : 1;
	if (log_open(&s->log, &e) < 0 || log_prove(&s->log, &e) < 0)
		say("no log of this reset is kept: %s", e.text);
}

void reset_setup_end(struct reset_setup *s)
{
	if (s->log.trouble)
		say("%s: not all of this reset could be written: %s", s->log.path,
			strerror(-s->log.trouble));
	log_close(&s->log);
}
