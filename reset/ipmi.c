/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "reset/ipmi.h"
#include "base/array.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX 4096		/* of ipmitool, that is kept */
#define OUTPUT_END 65536	/* more than this is no answer */
#define ARGS	   20

/* What ipmitool says, and what to do about it. */
static const struct {
	const char *says, *hint;
} hints[] = {
	{ "Could not open device", "load the modules ipmi_devintf and ipmi_si, and run as root" },
	{ "password invalid", "check user and password" },
	{ "HMAC is invalid", "check user and password" },
	{ "unauthorized name", "check user and password" },
	{ "Unable to establish", "check the controller's name, user and password" },
	{ "Address lookup", "check the controller's name" },
	{ "Invalid command", "this controller has no reset of trays" },
};

int ipmi_find(struct ipmi *i, struct error *e)
{
	const char *path = getenv("PATH");
	char all[4096];

	snprintf(all, sizeof(all), "%s:/usr/sbin:/usr/bin:/sbin", path ? path : "");
	for (char *save, *dir = strtok_r(all, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
		int n = snprintf(i->program, sizeof(i->program), "%s/ipmitool", dir);

		if (n > 0 && (size_t)n < sizeof(i->program) && access(i->program, X_OK) == 0)
			return 0;
	}
	return fail(e, -ENOENT, "ipmitool is not here: install it (package ipmitool)");
}

struct args {
	char units[8];
	const char *v[ARGS];
	size_t n;
};

static void add(struct args *a, const char *word)
{
	if (a->n + 1 < ARGS)
		a->v[a->n++] = word;
}

static void make_args(const struct ipmi *i, unsigned trays, struct args *a)
{
	static const char *const raw[] = { "raw", "0x30", "0x8B" };

	*a = (struct args){ .n = 0 };
	add(a, "ipmitool");
	if (i->host) {
		add(a, "-I");
		add(a, "lanplus");
		add(a, "-H");
		add(a, i->host);
		if (i->port) {
			add(a, "-p");
			add(a, i->port);
		}
		add(a, "-U");
		add(a, i->user);
		add(a, "-E");
	}
	for (size_t k = 0; k < ARRAY_LEN(raw); k++)
		add(a, raw[k]);
	snprintf(a->units, sizeof(a->units), "0x%X", trays & 0xf);
	add(a, a->units);
	add(a, "0xFF");	/* all devices of these trays */
	add(a, "0x0");	/* a pulse */
	add(a, "0xF");	/* of 150 ms */
}

void ipmi_describe(const struct ipmi *i, unsigned trays, char *out, size_t size)
{
	struct args a;
	size_t at = 0;

	make_args(i, trays, &a);
	out[0] = '\0';
	for (size_t k = 0; k < a.n && at < size; k++)
		at += (size_t)snprintf(out + at, size - at, "%s%s", k ? " " : "", a.v[k]);
}

struct start {
	const struct ipmi *ipmi;
	struct args *args;
	int output;
};

static int become(void *arg, int fd)
{
	struct start *s = arg;
	/* execv() wants them without const, and changes nothing. */
	char *v[ARGS];

	(void)fd;
	if (dup2(s->output, 1) < 0 || dup2(s->output, 2) < 0)
		return 127;
	unsetenv("TT_SMI_PASSWORD");
	if (s->ipmi->host)
		setenv("IPMI_PASSWORD", s->ipmi->password, 1);
	setenv("LC_ALL", "C", 1);
	memcpy(v, s->args->v, sizeof(v));
	execv(s->ipmi->program, v);
	dprintf(2, "%s: %s\n", s->ipmi->program, strerror(errno));
	return 127;
}

/* All that it prints, at most size - 1 of it kept; false: it prints without end. */
static bool read_output(int fd, char *out, size_t size)
{
	size_t len = 0, seen = 0;
	char block[512];
	ssize_t n;

	while (seen <= OUTPUT_END) {
		n = read(fd, block, sizeof(block));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		seen += (size_t)n;
		if ((size_t)n > size - 1 - len)
			n = (ssize_t)(size - 1 - len);
		memcpy(out + len, block, (size_t)n);
		len += (size_t)n;
	}
	out[len] = '\0';
	return seen <= OUTPUT_END;
}

/* Its last line is the cause; those before it are what else did not work. */
static int judge(int status, char *output, struct error *e)
{
	const char *hint = "";
	size_t len = strlen(output);

	for (size_t k = 0; k < ARRAY_LEN(hints) && !*hint; k++)
		if (strstr(output, hints[k].says))
			hint = hints[k].hint;
	while (len > 0 && strchr(" \r\n", output[len - 1]))
		output[--len] = '\0';
	if (strrchr(output, '\n'))
		output = strrchr(output, '\n') + 1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFSIGNALED(status))
		return fail(e, -EINTR, "ipmitool was ended by signal %d", WTERMSIG(status));
	return fail(e, -EIO, "ipmitool failed (exit code %d)%s%.120s%s%s", WEXITSTATUS(status),
		*output ? ": " : "", output, *hint ? ": " : "", hint);
}

int ipmi_reset(const struct ipmi *i, unsigned trays, struct outside_line *line, struct error *e)
{
	char output[OUTPUT_MAX];
	struct args args;
	struct start start = { .ipmi = i, .args = &args };
	struct child_config how = { .run = become, .arg = &start, .keep = &start.output,
		.n_keep = 1, .dies_with_parent = true, .ignores_terminal = true };
	struct child child;
	int ends[2], r;
	bool whole;

	make_args(i, trays, &args);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_errno(e, "ipmitool: cannot make a pipe");
	start.output = ends[1];
	outside_tell(line, true, "ipmitool runs");
	r = child_start(&child, &how, e);
	close(ends[1]);
	whole = r == 0 && read_output(ends[0], output, sizeof(output));
	close(ends[0]);
	if (r < 0) {
		line->has_fired = false;
		return r;
	}
	child_end(&child, whole ? 2 * CLOCK_SECOND : 0);
	if (!whole)
		return fail(e, -EPROTO, "ipmitool prints without end");
	r = judge(child.status, output, e);
	/* It answered that it did nothing. */
	if (r == -EIO)
		line->has_fired = false;
	return r;
}
