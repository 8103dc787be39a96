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

/* Take it over (term_open(), also its errors); on an error it is as it was. */
int display_open(const struct options *o, struct error *e);

/* Take in what was written to stderr; true: there was something. */
bool display_take_messages(struct ui_log *log);

/* Give it back, from signals too, and print the messages there, shown or not. */
void display_close(struct stop *stop, struct ui_log *log);
