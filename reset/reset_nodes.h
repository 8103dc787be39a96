/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reset_nodes.h - find the cards named in a reset configuration of upstream's tool
 * (chip-facts 5.5).
 */
#pragma once

#include "base/json.h"

/* Add "/dev/tenstorrent/N " for each card, if any; -EINVAL: a list of cards is malformed. */
int reset_nodes_take(const struct json *doc, struct strbuf *names, struct error *e);
