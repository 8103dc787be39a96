/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/workbook.h"
#include "output/xlsx.h"
#include "src/say.h"
#include "src/session.h"
#include "src/turn.h"

#include <stdio.h>
#include <unistd.h>

static enum exit_code report(const struct xlsx_report *r)
{
	if (r->torn_files)
		say_as(CODE_CORRUPT, "%s: last line is torn and was left out%s", r->torn,
			r->torn_files > 1 ? " (and so in other files)" : "");
	if (r->bad_lines)
		say_as(CODE_CORRUPT, "%s (%llu such lines were left out)", r->bad,
			(unsigned long long)r->bad_lines);
	if (r->missing_files)
		say_as(CODE_NOT_FOUND, "%s (%u such files were left out)", r->missing,
			r->missing_files);
	say("workbook %s: %llu sample%s", r->path,
		(unsigned long long)r->rows, r->rows == 1 ? "" : "s");
	return r->bad_lines || r->missing_files ? EXIT_PARTIAL : EXIT_DONE;
}

enum exit_code workbook_make(const char *dir, const struct figures *burn, struct stop *stop)
{
	bool line = isatty(STDERR_FILENO);
	struct error e = { 0 };
	struct dump_book *b = NULL;
	enum exit_code code;
	int r = dump_book_start(dir, burn, &b, &e);

	if (r < 0)
		return session_fail_file(&e);
	while ((r = dump_book_collect(b, &e)) == 0) {
		struct pollfd fds[1 + TURN_FDS] = { { .fd = dump_book_fd(b), .events = POLLIN } };

		if (line)
			fprintf(stderr, "\rmaking the workbook: %u %% ", dump_book_percent(b));
		if (turn_wait_steady(stop, NULL, fds, 1, 1000))
			break;
	}
	if (line)
		fprintf(stderr, "\r\033[K");
	if (r > 0) {
		code = report(dump_book_report(b));
	} else if (r < 0) {
		code = session_fail_file(&e);
	} else {
		say_as(CODE_STOPPED, "stopped before the workbook was made; tt-smi --finish %s "
			"makes it", dir);
		code = EXIT_FAILED;
	}
	dump_book_close(b);
	return code;
}
