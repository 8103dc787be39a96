/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * say.h - what the program says of itself: lines on stderr, its version, exit codes.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "report/verdict.h"
#include "src/options.h"

/*
 * The program writes UTF-8; where the locale has another character set, text for people becomes
 * ASCII just before it is written.  Text for programs stays UTF-8.
 */

/* Look up the character set of the locale.  Before, everything is UTF-8. */
void charset_open(void);

/* Leave stdout UTF-8 from now on: programs read it. */
void charset_keep_stdout(void);

/* Make what `text` holds from this byte on fit stdout; text that fits already stays as it is. */
void charset_fit(struct strbuf *text, size_t from);

/* The same for all of a text for stderr, which is always for people. */
void charset_fit_message(struct strbuf *text);

/*
 * "tt-smi: <text>" and a newline on stderr, cut at 5000 bytes.  Whatever the
 * text quotes, nothing in it can command the terminal.
 */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same on stdout, through stdio and without "tt-smi: ". */
void say_result(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Put codes after the texts of say_as() and say_error(), as in "tt-smi: <text> [held]". */
void say_codes(void);

/* The same for trouble, which has a code. */
void say_as(enum code code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void say_error(const struct error *e);

/*
 * Which version this is.  Callers refuse a tt-smi that is older than the interface they need.  So
 * the version that they compare begins with the upstream release whose options and keys are served
 * here; our own version follows it.
 */

#define VERSION_SERVES "6.4.1"	/* upstream's release whose interface this is */

#define VERSION_SHOWN  VERSION_SERVES "+c" PACKAGE_VERSION	/* on screens */

/* It includes the commit it was built from, except in a tarball and at a release's tag. */
extern const char version_own[];	/* "1.1.1", "1.1.0.g0123456789" */

extern const char version_whole[];	/* "6.4.1+c1.1.1.g0123456789" */

/* The version that -v prints, and that of host_sw_vers.tt_smi; --version-as replaces both. */
const char *version_said(const struct options *o);

const char *version_served(const struct options *o);

/* The exit codes, as in the manual's table. */

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_NO_DEVICE = 3,
	EXIT_PARTIAL = 4,
	EXIT_NEGATIVE = 5,
	EXIT_REFUSED = 6
};

/* The code of a verdict, in every mode; where nothing was judged, nothing was seen. */
enum exit_code exit_of_verdict(enum verdict v);

/* The same of what was judged: something failed, or a part could not be judged. */
static inline enum exit_code exit_judged(bool failed, bool unjudged)
{
	return exit_of_verdict(failed ? VERDICT_FAIL : unjudged ? VERDICT_INCOMPLETE :
		VERDICT_PASS);
}

/*
 * The code of an error before anything was done: a wrong name or word is a usage error; what
 * another user, program or a person forbids is refused.
 */
enum exit_code exit_of_error(int r);

/*
 * The code if output could not be written, as on a full disk: that is a failure, but does not hide
 * a verdict or that nothing was done.
 */
static inline enum exit_code exit_unwritten(enum exit_code code)
{
	return code == EXIT_DONE || code == EXIT_PARTIAL ? EXIT_FAILED : code;
}
