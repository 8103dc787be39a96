/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf.h - the configuration: the user's file and /etc's, read whole.  Each line is checked by the
 * row of the option whose key it has; options_take_standing() decides which lines count.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "src/option_table.h"
#include "src/options.h"

#include <stdbool.h>
#include <stddef.h>

struct options;

enum { CONF_FILES = 2, CONF_TROUBLES = 100, CONF_MOST_LINES = 2000 };

/* A line that is good. */
struct conf_line {
	enum option_id id;		/* the option of this key; in a section: OPTIONS */
	char *section;			/* "" before the first heading */
	char *name, *value;
	char *where;			/* "/etc/tt-smi.conf:12" */
	size_t file;			/* its place in conf.files; the first beats the others */
};

struct conf_file {
	char *path;
	bool missing;			/* it is not there, and need not be */
	size_t n_troubles;		/* lines that are wrong */
	struct error error;		/* code 0: it was read, or is missing */
};

struct conf {
	const struct options *o;	/* it is for their mode; NULL: for all modes */
	struct conf_line *lines;
	size_t n;
	struct conf_file files[CONF_FILES];
	size_t n_files;
	char *troubles[CONF_TROUBLES];	/* of lines: "/etc/tt-smi.conf:12: what is wrong" */
	size_t n_troubles;		/* in all, also those that have no room */
};

/*
 * The configuration of this user: the file that TT_SMI_CONFIG names, or no file if it is empty.  If
 * it is not set: $XDG_CONFIG_HOME/tt-smi/tt-smi.conf (~/.config) and /etc/tt-smi.conf.  With
 * options, a file that a key of another mode names is not opened: its disk may hang.
 */
struct conf *conf_open(const struct options *o);

/* The same from this file only, for all modes. */
struct conf *conf_open_file(const char *path);

void conf_free(struct conf *c);		/* or NULL */

/* A section, whose lines are used elsewhere. */
struct conf_section {
	const char *name;		/* NULL ends the list of them */
	int (*check)(const char *name, const char *value, struct error *e);	/* checks a line */
	size_t most;			/* lines that can count; 0: any number */
};
extern const struct conf_section conf_sections[];

/* Add the lines of a text, as if read from a file with this name. */
void conf_add_text(struct conf *c, const char *path, const char *text, size_t len);

/*
 * The next line of a section after `after`, in order; `after` is NULL at the beginning, the result
 * at the end.  If several lines have the same name, only the one that counts is returned.
 */
const struct conf_line *conf_next(const struct conf *c, const char *section,
	const struct conf_line *after);

/*
 * Every possible setting and where it is from, in the form of a configuration file: if it is read
 * as one, the settings are the same.  Nothing in it can command a terminal.
 */
void conf_put_settings(struct strbuf *to, const struct options *o);

/* Each wrong line, and how many of them each file has. */
void conf_put_troubles(struct strbuf *to, const struct conf *c);
