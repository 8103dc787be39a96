/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * change_text.h - the output of --compare, as text and as JSON.
 */
#pragma once

#include "base/text.h"
#include "telemetry/change.h"

struct change_print {
	const struct change_report *report;
	const struct change_side *sides[2];
	const char *names[2];	/* a file, or a name for the machine */
	const char *times[2];	/* when it was; "" if not known */
	bool external;		/* without serial numbers */
	int code;		/* the exit code */
};

void change_text_put(struct strbuf *to, const struct change_print *p);
void change_json_put(struct strbuf *to, const struct change_print *p);

/* The verdict on all together: "alike", "different" or "unknown". */
const char *change_text_verdict(const struct change_report *r);
