/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/credentials.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static int split(const char *text, struct credentials *out)
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

static int read_file(const char *path, struct credentials *out, struct error *e)
{
	char line[256] = "";
	struct stat st;
	int r = 0, fd = file_open_read(path, e);
	FILE *f;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & 077)
		r = fail(e, -EACCES, "%s: others may read this password: chmod 600 it", path);
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return fail(e, -EIO, "%s: cannot be read", path);
	}
	if (r == 0 && !fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	line[strcspn(line, "\r\n")] = '\0';
	if (r == 0 && split(line, out) < 0)
		r = fail(e, -EINVAL, "%s: its first line is not user:password", path);
	explicit_bzero(line, sizeof(line));
	return r;
}

/* On the terminal itself: standard output is for data. */
static int ask(const char *host, struct credentials *out)
{
	struct termios before, quiet;
	FILE *tty = isatty(STDIN_FILENO) ? fopen("/dev/tty", "r+e") : NULL;
	bool ok;

	if (!tty)
		return -ENOTTY;
	fprintf(tty, "User of %s: ", host);
	fflush(tty);
	ok = fgets(out->user, sizeof(out->user), tty);
	if (ok && tcgetattr(fileno(tty), &before) == 0) {
		quiet = before;
		quiet.c_lflag &= (tcflag_t)~(tcflag_t)ECHO;
		tcsetattr(fileno(tty), TCSAFLUSH, &quiet);
		fprintf(tty, "Password: ");
		fflush(tty);
		ok = fgets(out->password, sizeof(out->password), tty);
		tcsetattr(fileno(tty), TCSAFLUSH, &before);
		fputc('\n', tty);
	}
	fclose(tty);
	out->user[strcspn(out->user, "\n")] = '\0';
	out->password[strcspn(out->password, "\n")] = '\0';
	return ok && *out->user ? 0 : -EACCES;
}

int credentials_get(const struct options *o, const char *host, const char *fallback,
	struct credentials *out, struct error *e)
{
	const char *user = getenv("TT_SMI_USER"), *password = getenv("TT_SMI_PASSWORD");

	*out = (struct credentials){ .user = "" };
	if (o->credentials)
		return read_file(o->credentials, out, e);
	if (user && password && *user && strlen(user) < sizeof(out->user) &&
		strlen(password) < sizeof(out->password)) {
		mem_copy_text(out->user, sizeof(out->user), user);
		mem_copy_text(out->password, sizeof(out->password), password);
		return 0;
	}
	if (ask(host, out) == 0)
		return 0;
	if (fallback)
		return split(fallback, out);
	return fail(e, -EACCES, "%s: no user and password: give --credentials FILE, or set "
		"TT_SMI_USER and TT_SMI_PASSWORD", host);
}

void credentials_clear(struct credentials *c)
{
	explicit_bzero(c, sizeof(*c));
}
