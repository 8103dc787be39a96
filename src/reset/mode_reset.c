/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_reset.c - -r, -wr: warm reset of the named cards, or of all, and of the mobos among them;
 * -g and the list of trays.
 */
#include "config.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/file_new.h"
#include "base/json.h"
#include "device/bus.h"
#include "device/kind.h"
#include "output/text.h"
#include "src/mode.h"
#include "src/reset/run.h"
#include "src/reset/targets.h"
#include "src/say.h"
#include "telemetry/select.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * -glx_list_tray_to_device: which cards sit in which tray of a galaxy.  PCI bus numbers show it, so
 * no card is opened.
 */

static size_t find_places(const struct bus *bus, struct list_place places[static DEVICE_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < bus->n; i++) {
		const struct device *d = &bus->dev[i];
		int place, tray = galaxy_tray(d, &place);

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

	if (!bus_origin(bus)->is_machine)
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
	return outlet_print(&text, EXIT_DONE);
}

static enum exit_code open_passive(const struct options *o, const char *record, struct bus **bus)
{
	const struct bus_config config = { .root = o->root, .sim = o->sim, .sim_seed = o->sim_seed,
		.ttsim = o->ttsim, .replay = o->replay, .record = record, .passive = true };
	struct error e = { 0 };

	return bus_open(&config, bus, &e) < 0 ? session_fail_choice(&e) : EXIT_DONE;
}

enum exit_code mode_trays(const struct options *o)
{
	struct bus *bus;
	enum exit_code code = open_passive(o, o->record, &bus);

	if (code != EXIT_DONE)
		return code;
	code = trays_list(bus);
	bus_close(bus);
	return code;
}

/* -g: write a reset configuration in the format of upstream's tool. */

static void put_nodes(struct json_out *j, const char *key, const struct bus *bus, bool grayskull)
{
	json_begin(j, key, '{');
	json_begin(j, "pci_index", '[');
	for (size_t i = 0; i < bus->n; i++)
		if (bus->dev[i].local < 0 && bus->dev[i].node >= 0 &&
			(bus->dev[i].chip == DEVICE_GRAYSKULL) == grayskull)
			json_int(j, NULL, bus->dev[i].node);
	json_end(j, ']');
	json_end(j, '}');
}

/* Readers recognise an entry that was never filled in by "MOBO NAME". */
static void put_template(struct json_out *j)
{
	json_begin(j, "wh_mobo_reset", '[');
	json_begin(j, NULL, '{');
	json_begin(j, "nb_host_pci_idx", '[');
	json_end(j, ']');
	json_text(j, "mobo", "MOBO NAME");
	json_begin(j, "credo", '[');
	json_end(j, ']');
	json_begin(j, "disabled_ports", '[');
	json_end(j, ']');
	json_end(j, '}');
	json_end(j, ']');
}

static void reset_config_put(struct strbuf *text, const struct bus *bus)
{
	char now[40], host[256] = "";
	struct json_out j;

	gethostname(host, sizeof(host) - 1);
	json_out_init(&j, text, false);
	json_begin(&j, NULL, '{');
	json_text(&j, "time", clock_iso_utc(clock_real(), now, sizeof(now)));
	json_text(&j, "host_name", host);
	put_nodes(&j, "gs_tensix_reset", bus, true);
	put_nodes(&j, "wh_link_reset", bus, false);
	json_bool(&j, "re_init_devices", true);
	put_template(&j);
	json_bool(&j, "disable_serial_report", false);
	json_bool(&j, "disable_sw_version_report", false);
	json_end(&j, '}');
}

/* The default path; -EEXIST: there is a file already. */
static int default_path(char *path, size_t size, struct error *e)
{
	const char *home = getenv("HOME");

	snprintf(path, size, "%s/.config/tenstorrent", home ? home : "");
	if (!home || file_make_dirs(path, e) < 0)
		return home ? e->code : fail(e, -ENOENT, "HOME is not set: name a file");
	snprintf(path, size, "%s/.config/tenstorrent/reset_config.json", home);
	return access(path, F_OK) == 0
		? fail(e, -EEXIST, "%s: is there already; name it to replace it", path) : 0;
}

enum exit_code mode_reset_config(const struct options *o)
{
	struct strbuf text = { 0 };
	struct error e = { 0 };
	enum exit_code code;
	struct bus *bus;
	char path[4096];
	int r = 0;

	if (o->reset_config)
		snprintf(path, sizeof(path), "%s", o->reset_config);
	else
		r = default_path(path, sizeof(path), &e);
	if (r < 0) {
		say_error(&e);
		return r == -EEXIST ? EXIT_REFUSED : EXIT_FAILED;
	}
	code = open_passive(o, NULL, &bus);
	if (code != EXIT_DONE)
		return code;
	reset_config_put(&text, bus);
	code = file_new_write(path, text.text, text.len, &e) < 0 ? session_fail_file(&e)
		: EXIT_DONE;
	if (code == EXIT_DONE)
		say_result("%s: written", path);
	strbuf_clear(&text);
	bus_close(bus);
	return code;
}

/* -r, -wr, -mr.  A file among the words may name a mobo. */

static enum exit_code reset_prepare(struct act *a)
{
	struct reset_run *run = (struct reset_run *)a;
	struct error e = { 0 };

	if (a->o->typed[OPT_MOBO_RESET])
		return mobo_prepare(run);
	if (reset_order_read(a->o, &run->order, &e) < 0)
		return session_fail_choice(&e);
	return run->order.n > 0 ? mobo_prepare(run) : EXIT_DONE;
}

static enum exit_code reset_choose(struct act *a)
{
	struct reset_run *run = (struct reset_run *)a;
	enum exit_code code;

	if (a->is_far)
		return reset_run_show(run);
	if (run->order.n > 0)
		return mobo_choose(run);
	if (!reset_run_has_cards(run))
		return EXIT_NO_DEVICE;
	code = reset_targets_choose(a->o, &a->session, &a->stop, &run->order.names, a->wanted);
	run->wish.all = code == EXIT_DONE && select_has_all(run->order.names.text);
	return code;
}

static const struct act_steps steps = {
	.prepare = reset_prepare,
	.choose = reset_choose,
	.prove = act_prove_report,
	.fit = reset_run_plan,
	.take = reset_run_agree,
	.watch = reset_run_fire,
	.report = reset_run_report,
	.leave = reset_run_leave,
	.end = reset_run_end,
};

const struct act_ops act_reset = {
	.kind = ACT_RESET,
	.modes = 1ull << MODE_RESET | 1ull << MODE_MOBO_RESET,
	.size = sizeof(struct reset_run),
	.taking = &reset_taking,
	.steps = &steps,
};
