/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "base/clock.h"
#include "base/program.h"
#include "burnin/kernels/cpu.h"
#include "device/sim/sim.h"
#include "src/act.h"
#include "src/burnin/run.h"
#include "src/mode.h"
#include "src/say.h"
#include "src/session.h"
#include "telemetry/external.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum exit_code flush(enum exit_code code, bool has_own_code)
{
	if (has_own_code)
		return code;
	return outlet_flush(session_has_cut() ? exit_unwritten(code) : code);
}

/*
 * If a standard descriptor is closed, the next file that is opened would get its
 * number, and output would land in that file.  So open /dev/null there, in a way
 * that reading from 0 and writing to 1 or 2 remain errors.
 */
static int keep_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != fd)
			return -1;
	return 0;
}

/* What the environment says about the processor, and about the time of simulated boards. */
static int apply_environment(const struct options *o)
{
	unsigned set;
	struct error e;
	int r = cpu_read_level(&set, &e);

	if (r == 0 && o->sim)
		r = sim_set_pace(&e);
	if (r < 0)
		say_error(&e);
	return r;
}

int main(int argc, char **argv)
{
	const char *shows_codes = getenv("TT_SMI_CODES");
	struct options o;
	enum exit_code code;

	if (keep_standard_descriptors() < 0)
		return EXIT_FAILED;
	/* A file at its size limit is an error like a full disk. */
	program_ignore(SIGXFSZ);
	clock_init();
	charset_open();
	if (shows_codes && strcmp(shows_codes, "1") == 0)
		say_codes();
	if (options_parse(&o, modes, argc, argv) == 0 && apply_environment(&o) == 0) {
		if (o.json || o.ndjson || (o.does->is_parsed && !isatty(STDOUT_FILENO)))
			charset_keep_stdout();
		external_set(o.external);
		o.act = act_find(&o);
		burnin_draw_seed(&o);
		code = flush(o.does->run(&o), o.nagios || o.does->has_own_code);
	} else {
		code = flush(mode_refused(argv), false);
	}
	options_clear(&o);
	return (int)code;
}
