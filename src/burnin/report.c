/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c - the report of a burn as a file: the one of --report, and one beside a dump.
 */
#include "config.h"
#include "src/burnin/report.h"

#include "output/dump_index.h"
#include "output/figure_json.h"
#include "src/burnin/figures.h"
#include "src/say.h"

#include <stdio.h>

static int write_with(int (*write)(struct file_new *, const char *, size_t, struct error *),
	struct file_new *file, const struct burnin_facts *f, struct error *e)
{
	struct figures figures = { 0 };
	struct strbuf text = { 0 };
	int r;

	burnin_figures_take(&figures, f);
	figures_print_json(&text, &figures);
	figures_clear(&figures);
	r = write(file, text.text, text.len, e);
	strbuf_clear(&text);
	return r;
}

int burnin_report_write(struct file_new *file, const struct burnin_facts *f, struct error *e)
{
	return write_with(file_new_finish, file, f, e);
}

int burnin_report_draft(struct file_new *file, const struct burnin_facts *f, struct error *e)
{
	return write_with(file_new_draft, file, f, e);
}

void burnin_report_write_beside_dump(const struct burnin_facts *f)
{
	char path[4096 + 16];
	struct file_new file;
	struct error e;

	snprintf(path, sizeof(path), "%s/" DUMP_BURN, f->dump);
	if (file_new_open(&file, path, true, &e) < 0) {
		say_error(&e);
		return;
	}
	/* The burn does not wait for the disk: the kernel syncs the file in its own time. */
	file.lazy = true;
	if (burnin_report_write(&file, f, &e) < 0)
		say_error(&e);
}
