/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/reset/setup.h"
#include "reset/outside/listeners.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int reset_setup(struct reset_setup *s, struct session *session, const struct plan *plan,
	struct reset_config *c, struct error *e)
{
	const struct fleet *f = sampler_fleet(session->sampler);
	const bool is_sim = fleet_is_simulated(f);
	const char *speed = getenv("TT_SMI_SIM_SPEED"), *state = getenv("TT_SMI_STATE_DIR");
	int r;

	/* Simulated boards have simulated listeners: no program of this machine is told. */
	snprintf(s->folder, sizeof(s->folder), "%s/" LISTENERS_FOLDER,
		!is_sim ? session->bus->root : state ? state : "/nonexistent");
	*c = (struct reset_config){ .bus = session->bus, .sampler = session->sampler,
		.plan = plan, .host = &session->host, .log = &s->log, .listeners = s->folder,
		/* The chips of another simulator take the time that they take. */
		.hurry = speed && strcmp(f->source, "sim") == 0 ?
			(unsigned)strtoul(speed, NULL, 10) : 1 };
	r = log_open(&s->log, e);
	return r < 0 ? r : log_prove(&s->log, e);
}
