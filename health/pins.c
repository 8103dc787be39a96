/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "health/pins.h"

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/text.h"
#include "device/device.h"
#include "device/kind.h"
#include "health/checks_local.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

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

static int take_member(const struct json *member, struct pins *p, struct error *e)
{
	const char *key = json_key(member), *text = json_get_text(member);
	enum pin pin;

	if (!key)
		return fail(e, -EINVAL, "is not an object of versions");
	pin = pin_of(key);
	if (pin == PIN_NONE) {
		text_join(p->others, sizeof(p->others), ", ", "%.24s", key);
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

/* Installed versions, by the files of a tool's installer: no program is run, no network used. */

#define LIST	 "/var/lib/dpkg/status"
#define LIST_MAX (64u << 20)

static const char *below(const char *root)
{
	return strcmp(root, "/") == 0 ? "" : root;
}

/* The value, if the line has this key; else NULL. */
static const char *value_of(const char *line, size_t len, const char *key, size_t *value_len)
{
	const size_t n = strlen(key);

	if (len < n || memcmp(line, key, n) != 0)
		return NULL;
	*value_len = len - n;
	return line + n;
}

struct stanza {
	bool is_it, is_installed;
	uint32_t version;
};

static void take_line(struct stanza *s, const char *line, size_t len, const char *name)
{
	static const char installed[] = "install ok installed";
	const char *value;
	size_t n;

	if (len == 0)
		*s = (struct stanza){ .version = 0 };
	else if ((value = value_of(line, len, "Package: ", &n)))
		s->is_it = n == strlen(name) && memcmp(value, name, n) == 0;
	else if ((value = value_of(line, len, "Status: ", &n)))
		s->is_installed = n == strlen(installed) && memcmp(value, installed, n) == 0;
	else if ((value = value_of(line, len, "Version: ", &n)))
		if (!pins_version(value, n, &s->version))
			s->version = 0;
}

/* Of a Debian package below `root`.  -ENOENT: not installed; else: the list cannot be read. */
static int installed_package(const char *root, const char *name, uint32_t *version)
{
	struct stanza s = { .version = 0 };
	char path[4096], *text;
	int r, found = -ENOENT;
	size_t len;

	snprintf(path, sizeof(path), "%s" LIST, root);
	r = path_resolve_below(path, sizeof(path), strlen(root));
	if (r == 0)
		r = file_read_all(path, LIST_MAX, &text, &len, NULL);
	if (r < 0)
		return r == -ENOENT ? -ENODATA : r;
	for (const char *at = text, *end = text + len; at < end && found == -ENOENT;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		const size_t n = (size_t)((stop ? stop : end) - at);

		take_line(&s, at, n, name);
		if (s.is_it && s.is_installed && s.version) {
			*version = s.version;
			found = 0;
		}
		at += n + 1;
	}
	free(text);
	return found;
}

/* "tt_flash-4.0.0.dist-info" */
static bool take_info(const char *entry, const char *package, uint32_t *version)
{
	static const char *const ends[] = { ".dist-info", ".egg-info" };
	const size_t n = strlen(package), len = strlen(entry);

	if (len <= n || strncmp(entry, package, n) != 0 || entry[n] != '-')
		return false;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		const size_t end = strlen(ends[i]);

		if (len > n + 1 + end && strcmp(entry + len - end, ends[i]) == 0)
			return pins_version(entry + n + 1, len - n - 1 - end, version);
	}
	return false;
}

static DIR *open_below(const char *root, const char *path)
{
	char real[4096];

	mem_copy_text(real, sizeof(real), path);
	return path_resolve_below(real, sizeof(real), strlen(root)) < 0 ? NULL : opendir(real);
}

static bool search_folder(const char *root, const char *path, const char *package,
	uint32_t *version)
{
	DIR *dir = open_below(root, path);
	const struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = take_info(entry->d_name, package, version);
	if (dir)
		closedir(dir);
	return found;
}

/* PREFIX/lib/python3.N/{site,dist}-packages */
static bool search_library(const char *root, const char *lib, const char *package,
	uint32_t *version)
{
	static const char *const kinds[] = { "site-packages", "dist-packages" };
	DIR *dir = open_below(root, lib);
	const struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		for (size_t k = 0; k < ARRAY_LEN(kinds) && !found &&
			strncmp(entry->d_name, "python3", 7) == 0; k++) {
			struct strbuf path = { 0 };

			strbuf_printf(&path, "%s/%s/%s", lib, entry->d_name, kinds[k]);
			found = search_folder(root, path.text, package, version);
			strbuf_clear(&path);
		}
	if (dir)
		closedir(dir);
	return found;
}

/* Search the library beside a program's folder; a tool installed for one user is behind a link. */
static int version_beside(const char *root, const char *program, const char *package,
	uint32_t *version)
{
	char *real = *below(root) ? strdup(program) : realpath(program, NULL);
	struct strbuf lib = { 0 };
	char *slash;
	bool found;

	for (int up = 0; real && up < 2; up++)
		if ((slash = strrchr(real, '/')))
			*slash = '\0';
	strbuf_printf(&lib, "%s/lib", real ? real : "");
	found = real && search_library(root, lib.text, package, version);
	strbuf_clear(&lib);
	free(real);
	return found ? 0 : -ENODATA;
}

/*
 * Of a Python package, from the library beside the first `program` that is found in `search` (in
 * the form of PATH).  -ENOENT: there is no such program; -ENODATA: its version was not found.
 */
static int installed_python(const char *root, const char *search, const char *program,
	const char *package, uint32_t *version)
{
	int r = -ENOENT;

	while (r == -ENOENT && *search) {
		const size_t n = strcspn(search, ":");
		char path[4096];

		snprintf(path, sizeof(path), "%s%.*s/%s", below(root), (int)n, search, program);
		if (*search == '/' && path_resolve_below(path, sizeof(path), strlen(root)) == 0 &&
			access(path, F_OK) == 0)
			r = version_beside(root, path, package, version);
		search += n + (search[n] == ':');
	}
	return r;
}

/* The installed versions against the pins of --expect: behind, equal, ahead, missing. */

/* The result for a version that is older than its pin or missing; a newer one is a WARN. */
static const enum verdict behind[PINS] = {
	[PIN_DRIVER] = VERDICT_FAIL, [PIN_FIRMWARE] = VERDICT_FAIL, [PIN_SMI] = VERDICT_WARN,
	[PIN_FLASH] = VERDICT_WARN, [PIN_SFPI] = VERDICT_WARN, [PIN_TOOLS] = VERDICT_WARN
};

static bool is_pinned(const struct health_world *w, struct health_item *i)
{
	if (w->floors->pins && w->floors->pins->version[i->check->pin])
		return true;
	health_say(i, VERDICT_NONE, "nobody pinned it: --expect FILE");
	return false;
}

static void hold_against(const struct health_world *w, uint32_t now, struct health_item *i)
{
	const enum pin pin = i->check->pin;
	const uint32_t want = w->floors->pins->version[pin];
	const bool is_bundle = pin == PIN_FIRMWARE;
	const uint64_t is = is_bundle ? bundle_order(now) : now;
	const uint64_t should = is_bundle ? bundle_order(want) : want;
	char has[STRBUF_NUMBER], wants[STRBUF_NUMBER];

	health_say(i, is < should ? behind[pin] : is > should ? VERDICT_WARN : VERDICT_PASS,
		"%s: %s, pinned %s", is < should ? "behind" : is > should ? "ahead" : "equal",
		pins_text(now, has, sizeof(has)), pins_text(want, wants, sizeof(wants)));
}

static void say_missing(const struct health_world *w, struct health_item *i)
{
	char wants[STRBUF_NUMBER];

	health_say(i, behind[i->check->pin], "missing, pinned %s",
		pins_text(w->floors->pins->version[i->check->pin], wants, sizeof(wants)));
}

/* -ENOENT: it is not installed; another error: its version is not known. */
static int find_version(const struct health_world *w, enum pin pin, uint32_t *version)
{
	switch (pin) {
	case PIN_DRIVER:
		/* driver_version() has three parts, a pin has four. */
		*version = (uint32_t)driver_version(w->fleet->driver) << 8;
		return *version ? 0 : *w->fleet->driver ? -ENODATA : -ENOENT;
	case PIN_SMI:
		return installed_python(w->bus->root, w->search, "tt-smi", "tt_smi", version);
	case PIN_FLASH:
		return installed_python(w->bus->root, w->search, "tt-flash", "tt_flash", version);
	case PIN_SFPI:
		return installed_package(w->bus->root, "sfpi", version);
	case PIN_TOOLS:
		return installed_package(w->bus->root, "tenstorrent-tools", version);
	default:
		return -ENODATA;
	}
}

/*
 * The pin of tt-smi is upstream's program.  Where that is not installed, this one takes its place:
 * if it serves the interface of another release, that is no fault of the host.
 */
static void hold_served(const struct health_world *w, struct health_item *i)
{
	const uint32_t want = w->floors->pins->version[PIN_SMI];
	char wants[STRBUF_NUMBER];
	uint32_t now;

	if (pins_version(w->serves, strlen(w->serves), &now) && now == want)
		hold_against(w, now, i);
	else
		health_say(i, VERDICT_NONE, "not installed, pinned %s; this program serves the "
			"interface of %s", pins_text(want, wants, sizeof(wants)), w->serves);
}

void check_pin(const struct health_world *w, struct health_item *i)
{
	uint32_t now = 0;
	int r;

	if (!is_pinned(w, i))
		return;
	if (!w->is_machine) {
		health_say(i, VERDICT_NONE, "these cards are not this machine's");
		return;
	}
	r = find_version(w, i->check->pin, &now);
	if (r == 0)
		hold_against(w, now, i);
	else if (i->check->pin == PIN_SMI)
		hold_served(w, i);
	else if (r == -ENOENT)
		say_missing(w, i);
	else
		health_say(i, VERDICT_INCOMPLETE, "which version is installed cannot be seen");
}

void check_pin_firmware(const struct health_world *w, const struct snapshot *s,
	struct health_item *i)
{
	const struct reading *r = &s->r[FIELD_FW_BUNDLE];

	if (!is_pinned(w, i) || check_is_unread(s, i))
		return;
	if (reading_is_ok(r))
		hold_against(w, (uint32_t)r->value, i);
	else if (check_is_unseen(s, FIELD_FW_BUNDLE))
		health_say(i, VERDICT_INCOMPLETE, "which version it has cannot be read");
	else
		say_missing(w, i);
}

/* Floors: oldest versions, and least rates between host and card. */

static enum device_chip chip_named(const char *name)
{
	for (enum device_chip c = DEVICE_UNKNOWN + 1; c < DEVICE_CHIPS; c++)
		if (strcasecmp(device_chip_name(c), name) == 0)
			return c;
	return DEVICE_UNKNOWN;
}

static bool take_rate(const char *line, struct floors *f)
{
	static const char *const ways[] = { [FLOORS_TO_CARD] = "to", [FLOORS_FROM_CARD] = "from" };
	char way[8], name[32], rate[32], more[2];
	enum device_chip chip;
	uint64_t n;

	if (sscanf(line, " pcie-%7s %31s %31s %1s", way, name, rate, more) != 3)
		return false;
	chip = chip_named(name);
	if (chip == DEVICE_UNKNOWN || !parse_u64(rate, &n) || n > UINT32_MAX)
		return false;
	for (int i = 0; i < FLOORS_WAYS; i++)
		if (strcmp(way, ways[i]) == 0) {
			f->pcie[chip][i] = (uint32_t)n;
			return true;
		}
	return false;
}

/* False: the line has none of the known forms. */
static bool take_floor(const char *line, struct floors *f)
{
	char name[32], version[32], more[2];
	const int chip_words = sscanf(line, " firmware %31s %31s %1s", name, version, more);
	enum device_chip chip;

	if (line[strspn(line, " \t\r")] == '\0' || line[strspn(line, " \t")] == '#')
		return true;
	if (sscanf(line, " driver %31s %1s", version, more) == 1)
		return parse_version4(version, &f->driver);
	if (chip_words != 2)
		return take_rate(line, f);
	chip = chip_named(name);
	return chip != DEVICE_UNKNOWN && parse_version4(version, &f->firmware[chip]);
}

int floors_parse(const char *text, size_t len, struct floors *f, struct error *e)
{
	struct floors all = { 0 };
	char line[256];
	unsigned number = 1;

	for (const char *p = text, *end = text + len; p < end; number++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		const size_t n = (size_t)((stop ? stop : end) - p);

		if (n < sizeof(line)) {
			memcpy(line, p, n);
			line[n] = '\0';
		}
		if (n >= sizeof(line) || memchr(p, '\0', n) || !take_floor(line, &all))
			return fail(e, -EINVAL, "line %u: neither a version (driver, "
				"firmware CHIP) nor MB/s (pcie-to CHIP, pcie-from CHIP)", number);
		p += n + 1;
	}
	*f = all;
	return 0;
}

static int parse_floors(const char *text, size_t len, void *to, struct error *e)
{
	return floors_parse(text, len, to, e);
}

int floors_read(const char *path, struct floors *f, struct error *e)
{
	return file_parse(path, TEXT_MAX, parse_floors, f, e);
}

void floors_init(struct floors *f)
{
	if (floors_parse(floors_text, strlen(floors_text), f, NULL) < 0)
		abort();	/* tests/unit/test_health.c reads it */
}
