/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_mobo.c - an entry of wh_mobo_reset, from a file that anybody wrote: what is
 * taken can be put into a URL and into a request.
 */
#include "config.h"
#include "reset/outside/outside.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
	if (!truth)
		abort();
}

static void check(const struct mobo *m)
{
	must(memchr(m->host, '\0', sizeof(m->host)) && mobo_is_host(m->host));
	must(!strpbrk(m->host, "/@?#% \\\""));
	must(m->n_ports <= MOBO_PORTS && m->n_disabled <= MOBO_PORTS && m->n_cards <= MOBO_CARDS);
	for (size_t i = 0; i < m->n_ports; i++)
		must(mobo_is_port(m->ports[i]));
	for (size_t i = 0; i < m->n_disabled; i++)
		must(mobo_is_port(m->disabled[i]));
	for (size_t i = 0; i < m->n_cards; i++)
		must(m->cards[i] >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error e = { 0 };
	struct json *doc = NULL;
	struct mobo m;
	int r;

	if (json_parse((const char *)data, size, &doc, &e) < 0)
		return 0;
	r = mobo_parse(doc, &m, &e);
	must(r <= 1 && (r >= 0 || *e.text));
	if (r == 0)
		check(&m);
	json_free(doc);
	return 0;
}
