/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * display.h - the terminal of a mode that draws: taken over as the options say, and given back
 * with what was written to stderr meanwhile.
 */
#pragma once

#include "src/options.h"
#include "src/stop.h"
#include "ui/model.h"
#include "ui/term.h"

/* Take it over (errors as of term_open()); on an error it is left as it was. */
int display_open(const struct options *o, struct error *e);

/* Take in messages that were written to stderr; true: there were some. */
bool display_take_messages(struct ui_log *log);

/* Give it back, end its signal handling, and print all messages on it, shown before or not. */
void display_close(struct stop *stop, struct ui_log *log);
