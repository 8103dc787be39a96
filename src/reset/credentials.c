/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/reset/credentials.h"
#include "base/file.h"
#include "base/mem.h"
#include "src/reset/prompt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_LEN 256	/* longest line of the file, with user and password */

/* Parse "user:password"; 0 or -EINVAL. */
static int credentials_parse(const char *text, struct credentials *out)
{
	const char *colon = strchr(text, ':');
	size_t n = colon ? (size_t)(colon - text) : 0;

	if (n == 0 || n >= sizeof(out->user) || strlen(colon + 1) >= sizeof(out->password))
		return -EINVAL;
	memcpy(out->user, text, n);
	out->user[n] = '\0';
	mem_copy_text(out->password, sizeof(out->password), colon + 1);
	return 0;
}

int credentials_parse_file(const char *text, size_t len, struct credentials *out)
{
	char line[LINE_LEN];
	size_t n = 0;
	int r;

	while (n < len && !strchr("\r\n", text[n]))
		n++;
	/* strchr() stops at a NUL too, which no password contains. */
	if (n >= sizeof(line) || (n < len && !text[n]))
		return -EINVAL;
	memcpy(line, text, n);
	line[n] = '\0';
	r = credentials_parse(line, out);
	explicit_bzero(line, sizeof(line));
	return r;
}

static int read_file(const char *path, struct stop *stop, struct credentials *out,
	struct error *e)
{
	int fd = file_open_read(path, e), r = 0;
	char text[LINE_LEN];
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & 077)
		r = fail_as(e, CODE_UNSAFE_PATH, -EACCES, "%s: others may read this password: "
			"chmod 600 it", path);
	if (r == 0)
		n = prompt_read_line(fd, stop, text, sizeof(text));
	close(fd);
	if (n < 0)
		return fail(e, (int)n, "%s: %s", path, n == -ECANCELED ? "nothing was reset"
			: strerror((int)-n));
	if (r == 0 && credentials_parse_file(text, (size_t)n, out) < 0)
		r = fail(e, -EINVAL, "%s: its first line is not user:password", path);
	explicit_bzero(text, sizeof(text));
	return r;
}

/* -ENOENT: only Enter was pressed at the first question. */
static int ask_user(const char *host, bool has_default, struct stop *stop, struct credentials *out,
	struct error *e)
{
	char question[320];
	int r;

	snprintf(question, sizeof(question), "User of %s%s: ", host,
		has_default ? " (Enter: its default)" : "");
	r = prompt_line(stop, PROMPT_SHOWN, question, out->user, sizeof(out->user));
	if (r == 0 && !*out->user)
		return -ENOENT;
	if (r == 0 && !strchr(out->user, ':'))
		r = prompt_line(stop, PROMPT_SECRET, "Password: ", out->password,
			sizeof(out->password));
	if (r == -ECANCELED)
		return fail(e, r, "nothing was reset");
	if (r < 0 || strchr(out->user, ':'))
		return fail(e, -EINVAL, "this cannot be %s: nothing was reset",
			*out->user && !strchr(out->user, ':') ? "a password" : "a user's name");
	return 0;
}

int credentials_get(const struct options *o, const char *host, const char *fallback,
	struct stop *stop, struct credentials *out, struct error *e)
{
	const char *user = getenv("TT_SMI_USER"), *password = getenv("TT_SMI_PASSWORD");
	const struct rlimit none = { 0, 0 };
	int r = -ENOENT;

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	*out = (struct credentials){ .user = "" };
	if (o->credentials)
		return read_file(o->credentials, stop, out, e);
	if (user && *user && password) {
		if (strlen(user) >= sizeof(out->user) || strlen(password) >= sizeof(out->password))
			return fail(e, -EINVAL, "TT_SMI_USER or TT_SMI_PASSWORD is too long");
		mem_copy_text(out->user, sizeof(out->user), user);
		mem_copy_text(out->password, sizeof(out->password), password);
		return 0;
	}
	if (prompt_is_possible())
		r = ask_user(host, fallback, stop, out, e);
	if (r != -ENOENT)
		return r;
	if (fallback)
		return credentials_parse(fallback, out);
	return fail_as(e, CODE_NEEDS_OPTION, -EACCES, "%s: no user and password: give "
		"--credentials FILE, or set TT_SMI_USER and TT_SMI_PASSWORD", host);
}

void credentials_clear(struct credentials *c)
{
	explicit_bzero(c, sizeof(*c));
}
