/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "reset/reset_nodes.h"

#include <errno.h>

#define NODES_MAX 4096		/* more than any machine has: the file would be hostile */

/* Upstream's tool writes null for what it does not know. */
static bool is_known(const struct json *node)
{
	return node && !json_is_null(node);
}

/* Add the cards of the section `key`, if there is one. */
static int add_nodes(const struct json *doc, const char *key, struct strbuf *names, size_t *n,
	struct error *e)
{
	const struct json *section = json_get(doc, key), *list = json_get(section, "pci_index");

	if (is_known(section) && !json_is_object(section))
		return fail(e, -EINVAL, "%s is not an object with pci_index", key);
	if (is_known(list) && !json_is_array(list))
		return fail(e, -EINVAL, "pci_index is not a list of card numbers");
	for (const struct json *i = json_child(list); i; i = json_next(i)) {
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
	int r = add_nodes(doc, "wh_link_reset", names, &n, e);

	return r < 0 ? r : add_nodes(doc, "gs_tensix_reset", names, &n, e);
}
