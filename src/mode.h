/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode.h - what the program can be asked to do, one file each.  A mode owns
 * policy: when to read, what to print, how to exit.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "src/options.h"
#include "src/say.h"
#include "src/session.h"

enum exit_code mode_live(const struct options *o);
enum exit_code mode_trays(const struct options *o);
enum exit_code mode_overview(const struct options *o);
enum exit_code mode_snapshot(const struct options *o);
enum exit_code mode_list(const struct options *o);
enum exit_code mode_query(const struct options *o);
enum exit_code mode_metrics(const struct options *o);
enum exit_code mode_during(const struct options *o);
enum exit_code mode_health(const struct options *o);
enum exit_code mode_compare(const struct options *o);
enum exit_code mode_bundle(const struct options *o);
enum exit_code mode_links(const struct options *o);
enum exit_code mode_image(const struct options *o);
enum exit_code mode_dump(const struct options *o);
enum exit_code mode_finish(const struct options *o);
enum exit_code mode_merge(const struct options *o);
enum exit_code mode_fields(const struct options *o);
enum exit_code mode_config_print(const struct options *o);
enum exit_code mode_config_check(const struct options *o);
enum exit_code mode_completion(const struct options *o);
enum exit_code mode_complete(const struct options *o);
enum exit_code mode_burnin(const struct options *o);
enum exit_code mode_reset(const struct options *o);
enum exit_code mode_mobo(const struct options *o);
enum exit_code mode_reset_config(const struct options *o);
/* Whether a file among the words names a mobo. */
bool mode_mobo_is_meant(const struct options *o);
enum exit_code mode_galaxy(const struct options *o);

/* The JSON of a snapshot. */
void snapshot_put(struct strbuf *to, const struct options *o, const struct fleet *f,
	const struct host *h);

/*
 * Save it under its default name below ./tt-smi-logs; path gets the name, real
 * is clock_real() of the readings.  It waits for the disk; a thread may call it, too.
 */
int snapshot_save(const struct strbuf *text, int64_t real, char *path, size_t size,
	struct error *e);

/* Save it under this name, replacing a file that is there. */
int snapshot_save_as(const struct strbuf *text, const char *path, struct error *e);

/* The exit code after a usage error: EXIT_USAGE, but UNKNOWN with --nagios. */
enum exit_code mode_refused(char **argv);
