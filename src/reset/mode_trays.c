/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_trays.c - -glx_list_tray_to_device: which cards sit in which tray of a
 * galaxy.  PCI bus numbers show it, so no card is opened.
 */
#include "config.h"
#include "base/file.h"
#include "device/bus.h"
#include "device/kind.h"
#include "output/list.h"
#include "src/mode.h"
#include "src/say.h"

#include <string.h>
#include <unistd.h>

static size_t find_places(const struct bus *bus, struct list_place places[static DEVICE_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < bus->n; i++) {
		const struct device *d = &bus->dev[i];
		int place, tray = d->local < 0 ? galaxy_tray(d, &place) : 0;

		if (tray)
			places[n++] = (struct list_place){ .tray = tray, .place = place,
				.bus = galaxy_buses(d->chip)[tray - 1], .index = (int)i,
				.node = d->node, .bdf = d->bdf };
	}
	return n;
}

/* A virtual machine numbers its buses as it likes. */
static bool is_virtual(const struct bus *bus)
{
	struct host host;

	if (strcmp(bus_source(bus), "kmd") != 0)
		return false;
	host_read(bus->root, bus->driver, &host);
	return host.virtual_machine;
}

static enum exit_code trays_list(const struct bus *bus)
{
	struct list_place places[DEVICE_MAX];
	size_t n = find_places(bus, places);
	struct strbuf text = { 0 };

	if (n == 0) {
		say_as(CODE_UNSUPPORTED, "no galaxy: none of the %zu cards here is in a tray "
			"of one", bus->n);
		return EXIT_NO_DEVICE;
	}
	if (is_virtual(bus)) {
		say_as(CODE_UNSAFE_HERE, "this is a virtual machine: its bus numbers do not say "
			"which tray a card is in");
		return EXIT_REFUSED;
	}
	list_trays_put(&text, places, n);
	return session_put(&text, EXIT_DONE);
}

enum exit_code mode_trays(const struct options *o)
{
	const struct bus_config config = { .root = o->root, .sim = o->sim,
		.sim_seed = o->sim_seed, .ttsim = o->ttsim,
		.replay = o->replay, .record = o->record,
		.passive = true };
	struct error e = { 0 };
	enum exit_code code;
	struct bus *bus;

	if (bus_open(&config, &bus, &e) < 0)
		return session_fail_choice(&e);
	code = trays_list(bus);
	bus_close(bus);
	return code;
}
