/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/burnin/figures.h"
#include "src/mode.h"
#include "src/workbook.h"

enum exit_code mode_finish(const struct options *o)
{
	struct figures burn = { 0 };
	struct stop stop;
	enum exit_code code;

	stop_open(&stop, false);
	code = workbook_make(o->finish, burnin_figures_read(&burn, o->finish) ? &burn : NULL,
		&stop);
	figures_clear(&burn);
	stop_end(&stop);
	return code;
}
