/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Silence must be seen, not computed from the clock: if this process did not run for
 * a while, it reads keys late that came close together.  So time passes only when a
 * look finds the input empty (consent_rest()).
 */
#include "config.h"
#include "base/consent.h"

void consent_ask(struct consent *c)
{
	c->asked = true;
	c->open = c->spoilt = false;
	c->shown = 0;
}

void consent_show(struct consent *c, int64_t now)
{
	if (c->asked && c->shown == 0)
		c->shown = now;
}

void consent_end(struct consent *c)
{
	c->asked = c->open = c->spoilt = false;
}

bool consent_hear(struct consent *c, int64_t now)
{
	bool is_typed = c->rested && (!c->asked || c->open);

	c->spoilt = !is_typed || (c->asked && c->spoilt);
	c->rested = false;
	c->heard = now;
	return !c->spoilt;
}

void consent_rest(struct consent *c, int64_t now)
{
	c->rested = c->rested || now - c->heard >= CONSENT_GAP;
	c->open = c->open || (c->asked && c->shown && now - c->shown >= CONSENT_READ);
}

bool consent_is_given(const struct consent *c)
{
	return c->rested && !c->spoilt;
}

int consent_wait_ms(const struct consent *c, int64_t now)
{
	int64_t left = -1;

	if (!c->rested)
		left = c->heard + CONSENT_GAP - now;
	else if (c->asked && c->shown && !c->open)
		left = c->shown + CONSENT_READ - now;
	else
		return -1;
	return left > 0 ? (int)((left + CLOCK_MS - 1) / CLOCK_MS) : 0;
}
