/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check_pins.c - compares the installed versions with the pins of --expect: behind, equal, ahead,
 * missing.
 */
#include "config.h"
#include "health/checks_local.h"

#include "device/device.h"
#include "device/kind.h"
#include "health/installed.h"

#include <errno.h>
#include <string.h>

/* The result for a version that is older than its pin or missing; a newer one is a WARN. */
static const enum health_result behind[PINS] = {
	[PIN_DRIVER] = HEALTH_FAIL, [PIN_FIRMWARE] = HEALTH_FAIL, [PIN_SMI] = HEALTH_WARN,
	[PIN_FLASH] = HEALTH_WARN, [PIN_SFPI] = HEALTH_WARN, [PIN_TOOLS] = HEALTH_WARN
};

static bool is_pinned(const struct health_world *w, struct health_item *i)
{
	if (w->floors->pins && w->floors->pins->version[i->check->pin])
		return true;
	health_say(i, HEALTH_NONE, "nobody pinned it: --expect FILE");
	return false;
}

static void hold_against(const struct health_world *w, uint32_t now, struct health_item *i)
{
	const enum pin pin = i->check->pin;
	const uint32_t want = w->floors->pins->version[pin];
	char has[STRBUF_NUMBER], wants[STRBUF_NUMBER];

	health_say(i, now < want ? behind[pin] : now > want ? HEALTH_WARN : HEALTH_PASS,
		"%s: %s, pinned %s", now < want ? "behind" : now > want ? "ahead" : "equal",
		pins_text(now, has, sizeof(has)), pins_text(want, wants, sizeof(wants)));
}

static void say_missing(const struct health_world *w, struct health_item *i)
{
	char wants[STRBUF_NUMBER];

	health_say(i, behind[i->check->pin], "missing, pinned %s",
		pins_text(w->floors->pins->version[i->check->pin], wants, sizeof(wants)));
}

/* driver_version() has three parts, a pin has four. */
static int version_of_driver(const struct health_world *w, uint32_t *version)
{
	*version = (uint32_t)driver_version(w->fleet->driver) << 8;
	return *version ? 0 : *w->fleet->driver ? -ENODATA : -ENOENT;
}

static int version_of_ours(const struct health_world *w, uint32_t *version)
{
	return pins_version(w->serves, strlen(w->serves), version) ? 0 : -ENODATA;
}

static int version_of_flash(const struct health_world *w, uint32_t *version)
{
	return installed_python(w->bus->root, w->search, "tt-flash", "tt_flash", version);
}

static int version_of_sfpi(const struct health_world *w, uint32_t *version)
{
	return installed_package(w->bus->root, "sfpi", version);
}

static int version_of_tools(const struct health_world *w, uint32_t *version)
{
	return installed_package(w->bus->root, "tenstorrent-tools", version);
}

static int (*const version_of[PINS])(const struct health_world *w, uint32_t *version) = {
	[PIN_DRIVER] = version_of_driver, [PIN_SMI] = version_of_ours,
	[PIN_FLASH] = version_of_flash, [PIN_SFPI] = version_of_sfpi,
	[PIN_TOOLS] = version_of_tools
};

void check_pin(const struct health_world *w, struct health_item *i)
{
	uint32_t now = 0;
	int r;

	if (!is_pinned(w, i))
		return;
	if (!w->is_machine) {
		health_say(i, HEALTH_NONE, "these cards are not this machine's");
		return;
	}
	r = version_of[i->check->pin](w, &now);
	if (r == 0)
		hold_against(w, now, i);
	else if (r == -ENOENT)
		say_missing(w, i);
	else
		health_say(i, HEALTH_SKIP, "which version is installed cannot be seen");
}

void check_pin_firmware(const struct health_world *w, const struct snapshot *s,
	struct health_item *i)
{
	const struct reading *r = &s->r[FIELD_FW_BUNDLE];

	if (!is_pinned(w, i) || check_is_unread(s, i))
		return;
	if (reading_is_ok(r))
		hold_against(w, (uint32_t)r->value, i);
	else if (check_is_unseen(s, FIELD_FW_BUNDLE))
		health_say(i, HEALTH_SKIP, "which version it has cannot be read");
	else
		say_missing(w, i);
}
