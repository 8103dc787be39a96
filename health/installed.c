/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "health/installed.h"

#include "base/array.h"
#include "base/file.h"
#include "base/text.h"
#include "health/pins.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int installed_package(const char *root, const char *name, uint32_t *version)
{
	struct stanza s = { .version = 0 };
	struct strbuf path = { 0 };
	int r, found = -ENOENT;
	char *text;
	size_t len;

	strbuf_printf(&path, "%s" LIST, below(root));
	r = file_read_all(path.text, LIST_MAX, &text, &len, NULL);
	strbuf_clear(&path);
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

static bool search_folder(const char *path, const char *package, uint32_t *version)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = take_info(entry->d_name, package, version);
	if (dir)
		closedir(dir);
	return found;
}

/* PREFIX/lib/python3.N/{site,dist}-packages */
static bool search_library(const char *lib, const char *package, uint32_t *version)
{
	static const char *const kinds[] = { "site-packages", "dist-packages" };
	DIR *dir = opendir(lib);
	const struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		for (size_t k = 0; k < ARRAY_LEN(kinds) && !found &&
			strncmp(entry->d_name, "python3", 7) == 0; k++) {
			struct strbuf path = { 0 };

			strbuf_printf(&path, "%s/%s/%s", lib, entry->d_name, kinds[k]);
			found = search_folder(path.text, package, version);
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
	found = real && search_library(lib.text, package, version);
	strbuf_clear(&lib);
	free(real);
	return found ? 0 : -ENODATA;
}

int installed_python(const char *root, const char *search, const char *program,
	const char *package, uint32_t *version)
{
	int r = -ENOENT;

	while (r == -ENOENT && *search) {
		const size_t n = strcspn(search, ":");
		struct strbuf path = { 0 };

		strbuf_printf(&path, "%s%.*s/%s", below(root), (int)n, search, program);
		if (*search == '/' && access(path.text, F_OK) == 0)
			r = version_beside(root, path.text, package, version);
		strbuf_clear(&path);
		search += n + (search[n] == ':');
	}
	return r;
}
