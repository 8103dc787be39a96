/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * figure_json.h - the figures of an act as JSON, and back: both by the same table.
 */
#pragma once

#include "base/json.h"
#include "telemetry/figure.h"

/* The members of an object that has begun. */
void figures_put_json(struct json_out *j, const struct figures *f);

/* The whole, with its line's end. */
void figures_print_json(struct strbuf *to, const struct figures *f);

/* What the object says of the group; what it does not say is not known. */
void figures_read_json(struct figures *f, const struct figure_group *group,
	const struct json *object);

/*
 * Whether it is what figures_print_json() would make of such a group: every key of it, once, of
 * its kind, and no other.  A file that only resembles one is refused with the first key at fault.
 */
int figures_check_json(const struct figure_group *group, const struct json *object,
	struct error *e);
