/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reset_nodes.h - the cards that a reset configuration of upstream's tool names
 * (chip-facts 5.5).
 */
#pragma once

#include "base/json.h"

/* Add "/dev/tenstorrent/N " for each, which may be none; -EINVAL: it is another configuration. */
int reset_nodes_take(const struct json *doc, struct strbuf *names, struct error *e);
