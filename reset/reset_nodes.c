/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "reset/reset_nodes.h"

#include <errno.h>

#define NODES_MAX 4096		/* more than any machine has: the file would be hostile */

static int add_nodes(const struct json *list, struct strbuf *names, size_t *n, struct error *e)
{
	for (const struct json *i = json_child(json_get(list, "pci_index")); i; i = json_next(i)) {
		double v;

		if (!json_get_number(i, &v) || !(v >= 0 && v <= 9999) || v != (int)v)
			return fail(e, -EINVAL, "pci_index has an entry that is not a number");
		if (++*n > NODES_MAX)
			return fail(e, -EINVAL, "pci_index has more than %d cards", NODES_MAX);
		strbuf_printf(names, "/dev/tenstorrent/%d ", (int)v);
	}
	return 0;
}

int reset_nodes_take(const struct json *doc, struct strbuf *names, struct error *e)
{
	size_t n = 0;
	int r = add_nodes(json_get(doc, "wh_link_reset"), names, &n, e);

	if (r == 0)
		r = add_nodes(json_get(doc, "gs_tensix_reset"), names, &n, e);
	return r;
}
