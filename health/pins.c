/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "health/pins.h"

#include "base/file.h"
#include "base/json.h"
#include "base/parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 65536

/* The manifest's keys; upstream has had two names for one of them. */
static const struct {
	const char *key, *older;
} keys[PINS] = {
	[PIN_DRIVER] = { "kmd", NULL },
	[PIN_FIRMWARE] = { "firmware", NULL },
	[PIN_SMI] = { "smi", NULL },
	[PIN_FLASH] = { "flash", NULL },
	[PIN_SFPI] = { "sfpi", NULL },
	[PIN_TOOLS] = { "hugepages", "tools" },
};

bool pins_version(const char *text, size_t len, uint32_t *version)
{
	const char *colon = memchr(text, ':', len);
	char plain[32];
	size_t n = 0;

	if (colon) {
		len -= (size_t)(colon + 1 - text);
		text = colon + 1;
	} else if (len > 0 && *text == 'v') {
		len--;
		text++;
	}
	while (n < len && !memchr("-+~", text[n], 3))
		n++;
	if (n >= sizeof(plain) || memchr(text, '\0', n))
		return false;
	snprintf(plain, sizeof(plain), "%.*s", (int)n, text);
	return !strchr(plain, '\n') && parse_version4(plain, version) && *version != 0;
}

const char *pins_text(uint32_t version, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%u.%u.%u", version >> 24, version >> 16 & 0xff,
		version >> 8 & 0xff);

	if (version & 0xff && n > 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, ".%u", version & 0xff);
	return buf;
}

static enum pin pin_of(const char *key)
{
	for (enum pin p = PIN_NONE + 1; p < PINS; p++)
		if (strcmp(keys[p].key, key) == 0 ||
			(keys[p].older && strcmp(keys[p].older, key) == 0))
			return p;
	return PIN_NONE;
}

static void note_other(struct pins *p, const char *key)
{
	const size_t at = strlen(p->others);

	snprintf(p->others + at, sizeof(p->others) - at, "%s%.24s", at ? ", " : "", key);
}

static int take_member(const struct json *member, struct pins *p, struct error *e)
{
	const char *key = json_key(member), *text = json_get_text(member);
	enum pin pin;

	if (!key)
		return fail(e, -EINVAL, "is not an object of versions");
	pin = pin_of(key);
	if (pin == PIN_NONE) {
		note_other(p, key);
		return 0;
	}
	if (p->version[pin])
		return fail(e, -EINVAL, "\"%s\" is pinned twice", keys[pin].key);
	if (!text || !pins_version(text, strlen(text), &p->version[pin]))
		return fail(e, -EINVAL, "\"%s\" is not a version of up to four numbers: %.40s", key,
			text ? text : "not a text");
	return 0;
}

int pins_parse(const char *text, size_t len, struct pins *p, struct error *e)
{
	struct pins all = { .others = "" };
	bool any = false;
	struct json *doc;
	int r = json_parse(text, len, &doc, e);

	if (r < 0)
		return fail(e, -EINVAL, "is not JSON");
	if (!json_is_object(doc))
		r = fail(e, -EINVAL, "is not an object of versions");
	for (const struct json *m = json_child(doc); r == 0 && m; m = json_next(m))
		r = take_member(m, &all, e);
	json_free(doc);
	for (enum pin pin = PIN_NONE + 1; pin < PINS; pin++)
		any = any || all.version[pin];
	if (r == 0 && !any)
		r = fail(e, -EINVAL, "pins neither driver nor firmware nor a tool");
	if (r == 0)
		*p = all;
	return r;
}

static int parse_file(const char *text, size_t len, void *to, struct error *e)
{
	return pins_parse(text, len, to, e);
}

int pins_read(const char *path, struct pins *p, struct error *e)
{
	return file_parse(path, TEXT_MAX, parse_file, p, e);
}
