/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/reset/config.h"
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CONFIG_MAX (1 << 20)	/* bytes */

bool reset_config_is(const char *word)
{
	size_t len = strlen(word);

	return len > 5 && strcmp(word + len - 5, ".json") == 0;
}

int reset_config_read(const char *path,
	int (*take)(void *arg, const struct json *doc, struct error *e), void *arg,
	struct error *e)
{
	struct error why = { 0 };
	struct json *doc = NULL;
	char *text = NULL;
	size_t len;
	int r = file_read_all(path, CONFIG_MAX, &text, &len, e);

	if (r < 0)
		return r;
	r = json_parse(text, len, &doc, &why);
	if (r == 0 && !json_is_object(doc))
		r = fail(&why, -EINVAL, "is not a JSON object");
	if (r == 0)
		r = take(arg, doc, &why);
	json_free(doc);
	free(text);
	return r < 0 ? fail(e, -EINVAL, "%s: %.180s", path, why.text) : 0;
}
