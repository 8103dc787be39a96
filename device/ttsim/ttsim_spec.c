/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttsim_spec.c - the list of simulators: library paths separated by commas, each
 * with a count in front if it is wanted more than once.
 */
#include "config.h"
#include "device/ttsim/ttsim.h"
#include "base/mem.h"
#include "base/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Take the N off N*PATH; a path may contain a star itself. */
static const char *take_count(const char *text, uint64_t *count)
{
	size_t digits = strspn(text, "0123456789");
	char word[8];

	*count = 1;
	if (digits == 0 || text[digits] != '*' || digits >= sizeof(word))
		return text;
	memcpy(word, text, digits);
	word[digits] = '\0';
	return parse_u64(word, count) ? text + digits + 1 : text;
}

static int spec_add_library(struct ttsim *out, const char *word, struct error *e)
{
	uint64_t count;
	const char *path = take_count(word, &count);
	char *whole;
	struct stat st;
	int r = 0;

	if (!*path)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "a library is missing: the list is "
			"[N*]LIBRARY with commas between, as in 2*/opt/ttsim/libttsim_wh.so");
	if (count < 1 || count > TTSIM_CARDS - out->n)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%s': there can be 1 to %d simulated "
			"cards", word, TTSIM_CARDS);
	whole = realpath(path, NULL);
	if (!whole || stat(whole, &st) < 0)
		r = fail_errno(e, "%s", path);
	else if (!S_ISREG(st.st_mode) || strlen(whole) >= TTSIM_PATH)
		r = fail_as(e, CODE_WRONG_KIND, -EINVAL, "%s: is not a library", path);
	for (; r == 0 && count > 0; count--)
		mem_copy_text(out->path[out->n++], TTSIM_PATH, whole);
	free(whole);
	return r;
}

int ttsim_spec_parse(const char *text, struct ttsim *out, struct error *e)
{
	char *copy = strdup(text), *at = copy, *word;
	int r = copy ? 0 : fail_errno(e, "--ttsim");

	while (r == 0 && (word = strsep(&at, ",")))
		r = spec_add_library(out, word, e);
	free(copy);
	return r;
}
