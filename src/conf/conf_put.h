/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_put.h - prints the configuration, with nothing in it that could command a terminal.
 */
#pragma once

#include "base/text.h"
#include "src/conf/conf.h"
#include "src/options.h"

/*
 * Every possible setting and where it is from, in the form of a configuration file: if it is read
 * as one, the settings are the same.
 */
void conf_put_settings(struct strbuf *to, const struct options *o);

/* Each wrong line, and how many of them each file has. */
void conf_put_troubles(struct strbuf *to, const struct conf *c);
