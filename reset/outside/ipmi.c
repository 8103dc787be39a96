/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "reset/outside/outside.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX 4096		/* bytes kept of ipmitool's output */
#define OUTPUT_END 65536	/* more than this is not an answer */
#define ARGS	   20
#define SENT	   "Unable to send RAW command"	/* ipmitool's message, even if it was sent */
#define BAD_MODE   0xc9	/* parameter out of range: a controller older than the mode */
#define NOT_STARTED "ipmitool was not started"	/* our own message, if ipmitool did not run */

/* Messages of ipmitool from before the command is sent, and what to do about them. */
static const struct {
	const char *says, *hint;
} hints[] = {
	{ "Could not open device", "load the modules ipmi_devintf and ipmi_si, and run as root" },
	{ "password invalid", "check user and password" },
	{ "HMAC is invalid", "check user and password" },
	{ "unauthorized name", "check user and password" },
	{ "is longer than", "a controller takes 16 bytes of a user's name, 20 of a password" },
	{ "Unable to establish", "check the controller's name, user and password" },
	{ "Address lookup", "check the controller's name" },
	{ NOT_STARTED, "" },
};

/* Completion codes of a controller that did nothing (IPMI 2.0, table 5-2). */
static const struct {
	unsigned code;
	const char *hint;
} refusals[] = {
	{ 0xc0, "it is busy: try again" }, { 0xc1, "this controller has no reset of trays" },
	{ 0xc2, "" }, { 0xc7, "" }, { 0xc9, "" }, { 0xcc, "" },
	{ 0xd4, "this user may not do that: use an administrator of the controller" },
	{ 0xd5, "" }, { 0xd6, "" },
};

int ipmi_find(struct ipmi *i, struct error *e)
{
	const char *path = getenv("PATH");
	char all[4096];
	int r = 0;

	snprintf(all, sizeof(all), "%s:/usr/sbin:/usr/bin:/sbin", path ? path : "");
	for (char *save, *dir = strtok_r(all, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
		int n = snprintf(i->program, sizeof(i->program), "%s/ipmitool", dir);

		/* Never from a folder relative to the current one. */
		if (*dir != '/' || (size_t)n >= sizeof(i->program) || access(i->program, X_OK) < 0)
			continue;
		r = file_prove_program(i->program, e);
		if (r == 0)
			return 0;
	}
	return r < 0 ? r : fail_as(e, CODE_NO_PROGRAM, -ENOENT,
		"ipmitool is not installed (package ipmitool)");
}

int ipmi_find_of(const struct bus *bus, struct ipmi *i, struct error *e)
{
	const char *fake = getenv("TT_SMI_SIM_IPMITOOL");

	if (!bus_origin(bus)->is_simulated)
		return ipmi_find(i, e);
	mem_copy_text(i->program, sizeof(i->program), fake ? fake : "");
	return 0;
}

/* Modes of the command, the best first; a later one is for controllers that lack the earlier. */
static const char *const modes[] = {
	"0x3",	/* a pulse that leaves the retimers of the links alone */
	"0x0",	/* a pulse for all */
};

struct args {
	char units[8];
	const char *v[ARGS];
	size_t n;
};

/* Add words up to a NULL. */
static void add_words(struct args *a, const char *const *words)
{
	for (; *words && a->n + 1 < ARGS; words++)
		a->v[a->n++] = *words;
}

static void make_args(const struct ipmi *i, unsigned trays, size_t mode, struct args *a)
{
	/* All devices of these trays, for 150 ms. */
	const char *const command[] = { "raw", "0x30", "0x8B", a->units, "0xFF", modes[mode],
		"0xF", NULL };

	*a = (struct args){ .n = 0 };
	snprintf(a->units, sizeof(a->units), "0x%X", trays & 0xf);
	add_words(a, (const char *const[]){ "ipmitool", NULL });
	if (i->host)
		add_words(a, (const char *const[]){ "-I", "lanplus", "-H", i->host, NULL });
	if (i->host && i->port)
		add_words(a, (const char *const[]){ "-p", i->port, NULL });
	if (i->host)
		add_words(a, (const char *const[]){ "-U", i->user, "-E", NULL });
	add_words(a, command);
}

void ipmi_describe(const struct ipmi *i, unsigned trays, char *out, size_t size)
{
	struct args a;

	make_args(i, trays, 0, &a);
	out[0] = '\0';
	for (size_t k = 0; k < a.n; k++)
		text_join(out, size, " ", "%s", a.v[k]);
	text_join(out, size, " ", "(%s instead of %s where the controller does not know that)",
		modes[1], modes[0]);
}

struct start {
	const struct ipmi *ipmi;
	struct args *args;
	int output;
};

static int become(void *arg, int fd)
{
	struct start *s = arg;
	/* execve() takes them without const, but does not change them. */
	char *v[ARGS];
	struct error e;

	(void)fd;
	if (dup2(s->output, 1) < 0 || dup2(s->output, 2) < 0)
		return 127;
	setpgid(0, 0);	/* so that its children are killed with it */
	unsetenv("TT_SMI_PASSWORD");
	unsetenv("IPMITOOL_PASSWORD");	/* -E would prefer it */
	if (s->ipmi->host)
		setenv("IPMI_PASSWORD", s->ipmi->password, 1);
	setenv("LC_ALL", "C", 1);
	memcpy(v, s->args->v, sizeof(v));
	child_become(s->ipmi->program, v, environ, &e);
	dprintf(2, NOT_STARTED ": %s\n", e.text);
	return 127;
}

/* How to read ipmitool's output. */
struct reader {
	int caller;		/* readable once the caller is gone or wants no more; -1: none */
	int64_t until;		/* clock_steady(); INT64_MAX: it waits for ever */
	size_t end;		/* more than this is not an answer */
};

/* Wait for something to read; false: the caller is gone or the time is over. */
static bool wait_for_output(int fd, const struct reader *who)
{
	struct pollfd fds[] = { { .fd = fd, .events = POLLIN }, { .fd = who->caller } };
	int n;

	do
		n = clock_wait_steady(fds, ARRAY_LEN(fds), who->until);
	while (n == -EINTR);
	return n > 0 && !fds[1].revents;
}

/* Read all output and keep size - 1 bytes; false: it is too long, or wait_for_output() failed. */
static bool read_output(int fd, const struct reader *who, char *out, size_t size)
{
	size_t len = 0, seen = 0;
	char block[512];
	ssize_t n = 1;

	while (seen <= who->end && n > 0) {
		n = wait_for_output(fd, who) ? read(fd, block, sizeof(block)) : -1;
		if (n <= 0)
			break;
		seen += (size_t)n;
		if ((size_t)n > size - 1 - len)
			n = (ssize_t)(size - 1 - len);
		memcpy(out + len, block, (size_t)n);
		len += (size_t)n;
		n = 1;
	}
	out[len] = '\0';
	return seen <= who->end && n == 0;
}

/* The controller's completion code; 0: it gave none, or all is well. */
static unsigned long completion_code(const char *output)
{
	const char *sent = strstr(output, SENT), *code = sent ? strstr(sent, " rsp=0x") : NULL;

	return code ? strtoul(code + 5, NULL, 16) : 0;
}

/* True: the controller did nothing, *hint says what to do.  False: trays may have been reset. */
static bool did_nothing(const char *output, const char **hint)
{
	const char *sent = strstr(output, SENT);
	unsigned long code = completion_code(output);

	*hint = sent && !code ? "the controller stopped answering" : "";
	for (size_t k = 0; k < ARRAY_LEN(refusals) && code; k++)
		if (code == refusals[k].code) {
			*hint = refusals[k].hint;
			return true;
		}
	for (size_t k = 0; k < ARRAY_LEN(hints) && !sent; k++)
		if (strstr(output, hints[k].says)) {
			*hint = hints[k].hint;
			return true;
		}
	return false;
}

/* The line about the command, else the last line; earlier lines report other failures. */
static const char *find_cause(char *output)
{
	char *line = strstr(output, SENT);
	size_t len = strlen(output);

	while (len > 0 && strchr(" \r\n", output[len - 1]))
		output[--len] = '\0';
	if (line)
		line[strcspn(line, "\r\n")] = '\0';
	else if (strrchr(output, '\n'))
		line = strrchr(output, '\n') + 1;
	return line ? line : output;
}

int ipmi_judge(int status, char *output, struct outside_line *line, struct error *e)
{
	const char *hint, *cause;

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFSIGNALED(status))
		return fail_as(e, CODE_LOAD_ENDED, -EINTR, "ipmitool was ended by signal %d",
			WTERMSIG(status));
	if (did_nothing(output, &hint))
		line->has_fired = false;
	cause = find_cause(output);
	return fail(e, -EIO, "ipmitool failed (exit code %d)%s%.120s%s%s", WEXITSTATUS(status),
		*cause ? ": " : "", cause, *hint ? ": " : "", hint);
}

/* Start ipmitool and read its output: the result of read_output(), or -errno if not started. */
static int take_output(const struct ipmi *i, struct args *args, const struct reader *who,
	char *out, size_t size, int *status, struct error *e)
{
	struct start start = { .ipmi = i, .args = args };
	struct child_config how = { .run = become, .arg = &start, .keep = &start.output,
		.n_keep = 1, .dies_with_parent = true, .ignores_terminal = true };
	struct child child;
	int ends[2], r;
	bool whole;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_errno(e, "ipmitool: cannot make a pipe");
	start.output = ends[1];
	r = child_start(&child, &how, e);
	close(ends[1]);
	whole = r == 0 && read_output(ends[0], who, out, size);
	close(ends[0]);
	if (r < 0)
		return r;
	if (!whole)
		kill(-child.pid, SIGKILL);
	child_end(&child, whole ? 2 * CLOCK_SECOND : 0);
	*status = child.status;
	return whole;
}

/* 0 or -errno; -EBADRQC: the controller does not know the mode, and did nothing. */
static int run_tool(const struct ipmi *i, struct args *args, struct outside_line *line,
	struct error *e)
{
	const struct reader who = { line->fd, INT64_MAX, OUTPUT_END };
	char output[OUTPUT_MAX];
	int status, r;

	r = outside_put(line, OUTSIDE_ASKS, 0, "ipmitool runs") ?
		take_output(i, args, &who, output, sizeof(output), &status, e)
		: fail(e, -ECANCELED, "stopped before it was reset");
	if (r < 0) {
		line->has_fired = false;
		return r;
	}
	if (!r)
		return fail(e, -EPROTO, "ipmitool prints without end");
	r = ipmi_judge(status, output, line, e);
	return r < 0 && completion_code(output) == BAD_MODE ? -EBADRQC : r;
}

int ipmi_reset(const struct ipmi *i, unsigned trays, struct outside_line *line, struct error *e)
{
	static const char old[] = "the controller's firmware is old (it answers 0xc9 to a reset "
		"without retimers): they are reset, too; update it";
	struct args args;
	int r = -EBADRQC;

	for (size_t mode = 0; mode < ARRAY_LEN(modes) && r == -EBADRQC; mode++) {
		make_args(i, trays, mode, &args);
		if (mode > 0)
			outside_put(line, OUTSIDE_SAYS, 0, "%s", old);
		r = run_tool(i, &args, line, e);
		if (mode > 0 && r == 0)
			fail(e, 0, "%s", old);
	}
	return r;
}

int ipmi_print(const struct ipmi *i, const char *const words[2], int64_t until, char *out,
	size_t size, struct error *e)
{
	const struct reader who = { -1, until, size - 1 };
	struct args args = { .n = 0 };
	int status, r;

	add_words(&args, (const char *const[]){ "ipmitool", words[0], words[1], NULL });
	r = take_output(i, &args, &who, out, size, &status, e);
	if (r < 0)
		return r;
	if (!r)
		return fail(e, -ETIMEDOUT, "ipmitool %s %s prints without end, or nothing for too "
			"long", words[0], words[1]);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return fail(e, -EIO, "ipmitool %s %s failed: %.120s", words[0], words[1],
		find_cause(out));
}
