/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_load.c - any text as a snapshot file: what is taken must come out of the
 * writer as a snapshot that is taken again.
 */
#include "config.h"
#include "output/text.h"
#include "output/snapshot_json.h"
#include "telemetry/load/load.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct list_options all = { 0 };
	static const struct snapshot_json_options o = { .version = "1" };
	struct loaded *l = NULL, *again = NULL;
	struct strbuf text = { 0 };
	struct error e;

	if (load_text((const char *)data, size, &l, &e) < 0)
		return 0;
	load_move(l, 5000000000);
	snapshot_json_put(&text,
		&(struct fleet){ .n = l->n, .chips = l->chips, .n_processes = l->n_processes,
			.processes = l->processes, .driver = "", .origin = &origin_file,
			.time = l->now,
			.file_time = l->time },
		&l->host, &o);
	if (load_text(text.text, text.len, &again, &e) < 0 || again->n != l->n)
		abort();
	strbuf_clear(&text);
	list_put(&text, &(struct fleet){ .n = l->n, .chips = l->chips, .origin = &origin_file },
		&all);
	strbuf_clear(&text);
	load_free(l);
	load_free(again);
	return 0;
}
