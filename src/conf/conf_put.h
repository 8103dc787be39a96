/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_put.h - the configuration in words, of which none can command a terminal.
 */
#pragma once

#include "base/strbuf.h"
#include "src/conf/conf.h"
#include "src/options.h"

/*
 * Each setting that there may be, with where it is from, in the form of a configuration: read as
 * one it says the same again.
 */
void conf_put_settings(struct strbuf *to, const struct options *o);

/* What is wrong, a line each, and how many lines of each file that is. */
void conf_put_troubles(struct strbuf *to, const struct conf *c);
