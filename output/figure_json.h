/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figure_json.h - converts the figures of an act to JSON and back, both by the same table.
 */
#pragma once

#include "base/file_new.h"
#include "base/json.h"
#include "report/figure.h"

/* Add the members to an object that has begun. */
void figures_put_json(struct json_out *j, const struct figures *f);

/* Add the whole object and a newline. */
void figures_print_json(struct strbuf *to, const struct figures *f);

/*
 * The same to a file that was opened for it, and clear the figures.  is_draft: as
 * file_new_draft() keeps it, else as file_new_finish() does.
 */
int figures_write_json(struct file_new *file, struct figures *f, bool is_draft, struct error *e);

/* Read the figures of the group from the object; figures that it lacks are not known. */
void figures_read_json(struct figures *f, const struct figure_group *group,
	const struct json *object);

/*
 * Check that the object is what figures_print_json() writes for such a group: every key once, with
 * a value of its kind, and no other key.  If it is not, *e names the first key at fault.
 */
int figures_check_json(const struct figure_group *group, const struct json *object,
	struct error *e);
