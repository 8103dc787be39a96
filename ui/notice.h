/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notice.h - what is wrong with a chip, since when and what to do: one line.
 */
#pragma once

#include "ui/canvas.h"
#include "ui/model.h"

/*
 * Fill buf with the sentence for the line below a chip.  Returns false when
 * there is nothing to say; else *style tells how loud.
 */
bool notice_text(const struct model *m, const struct snapshot *s, char *buf, size_t size,
	enum style *style);

/* A span of time in at most 7 cells: "0.5 s", "41 s", "12 min", "3 h", "9 d". */
char *notice_age(int64_t ns, char *buf, size_t size);
