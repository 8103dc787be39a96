/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_reset_config.c - -g: write a reset configuration in the format of upstream's tool.
 */
#include "config.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/file_new.h"
#include "base/json.h"
#include "src/mode.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	const struct bus_config config = { .root = o->root, .sim = o->sim,
		.sim_seed = o->sim_seed, .ttsim = o->ttsim, .replay = o->replay, .passive = true };
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
	if (bus_open(&config, &bus, &e) < 0)
		return session_fail_choice(&e);
	reset_config_put(&text, bus);
	code = file_new_write(path, text.text, text.len, &e) < 0 ? session_fail_file(&e)
		: EXIT_DONE;
	if (code == EXIT_DONE)
		printf("%s: written\n", path);
	strbuf_clear(&text);
	bus_close(bus);
	return code;
}
