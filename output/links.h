/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * links.h - the output of --links: the ethernet ports of each card and where they lead, and what
 * happened to links that were up.
 */
#pragma once

#include "base/text.h"
#include "telemetry/change.h"
#include "telemetry/port.h"

struct change_print {
	const struct change_report *report;
	const struct change_side *sides[2];
	const char *names[2];	/* a file, or a name for the machine */
	const char *times[2];	/* when it was; "" if not known */
	bool external;		/* without serial numbers */
	int code;		/* the exit code */
};

struct links {
	struct change_side now;
	const bool *wanted;		/* by place; NULL: all */
	const char *against;		/* the file to compare with; NULL: none */
	struct change_side before;
	const struct port_report *report;	/* with `against` */
	bool external;			/* without serial numbers */
	int code;			/* the exit code */
};

void links_put_text(struct strbuf *to, const struct links *l);
void links_put_json(struct strbuf *to, const struct links *l);

void change_text_put(struct strbuf *to, const struct change_print *p);

void change_json_put(struct strbuf *to, const struct change_print *p);
