/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/metrics/in_flight.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/child.h"
#include "base/state.h"
#include "src/say.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LOOK  (64 * 1024)			/* bytes, of a log that was there before us */
#define TURN_MAX    (256 * 1024)		/* bytes read at once */
#define RESET_MOST  (600 * CLOCK_SECOND)	/* no reset takes longer */

static void drop_reset(struct in_flight *x, const char *bdf)
{
	for (size_t i = 0; i < x->n; i++)
		if (strcmp(x->resets[i].bdf, bdf) == 0)
			x->resets[i--] = x->resets[--x->n];
}

static void take_line(struct in_flight *x, const char *source, const char *line, size_t len)
{
	const char *event, *bdf, *of;
	struct json *doc;
	double pid = 0, started = 0;

	if (json_parse(line, len, &doc, NULL) < 0)
		return;
	event = json_get_text(json_get(doc, "event"));
	bdf = json_get_text(json_get(doc, "bdf"));
	of = json_get_text(json_get(doc, "source"));
	json_get_number(json_get(doc, "started"), &started);
	if (event && bdf && of && strcmp(of, source) == 0 &&
		json_get_number(json_get(doc, "pid"), &pid)) {
		drop_reset(x, bdf);
		if (strcmp(event, "fire") == 0 && x->n < IN_FLIGHT_MAX && pid > 0 && pid < 1e9) {
			mem_copy_text(x->resets[x->n].bdf, sizeof(x->resets[0].bdf), bdf);
			x->resets[x->n].pid = (pid_t)pid;
			x->resets[x->n].started = started > 0 && started < 1e18 ?
				(uint64_t)started : 0;
			x->resets[x->n++].since = clock_mono();
		}
	}
	json_free(doc);
}

/* Take the lines that are whole; a reset writes each line at once. */
static void take_text(struct in_flight *x, const char *source, const char *text, size_t len)
{
	const char *end;

	for (; (end = memchr(text, '\n', len)); text = end + 1) {
		const size_t n = (size_t)(end - text) + 1;

		take_line(x, source, text, n - 1);
		len -= n;
		x->at += (off_t)n;
	}
}

/* No log is no error. */
static void take_failure(struct in_flight *x, int error)
{
	if (error != ENOENT && !x->is_unknown)
		say_as(code_find(-errno), "%s: cannot be read: %s: resets in flight are left out",
			x->path, strerror(error));
	x->is_unknown = error != ENOENT;
}

static void read_log(struct in_flight *x, const char *source)
{
	struct stat st;
	char *text;
	ssize_t n;
	int fd;

	if (stat(x->path, &st) < 0) {
		take_failure(x, errno);
		return;
	}
	if (!S_ISREG(st.st_mode))
		return;
	if (x->inode != st.st_ino || x->at > st.st_size)
		x->at = st.st_size > FIRST_LOOK ? st.st_size - FIRST_LOOK : 0;
	x->inode = st.st_ino;
	if (x->at >= st.st_size)
		return;
	fd = open(x->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0) {
		take_failure(x, errno);
		return;
	}
	x->is_unknown = false;
	text = mem_calloc(1, TURN_MAX);
	n = pread(fd, text, TURN_MAX, x->at);
	if (n > 0)
		take_text(x, source, text, (size_t)n);
	free(text);
	close(fd);
}

/* A reset that was killed, or ended with the host, wrote no verdict; its pid may be used again. */
static bool is_over(pid_t pid, uint64_t started, int64_t since)
{
	struct proc_stat now;

	if ((kill(pid, 0) < 0 && errno == ESRCH) || clock_mono() - since > RESET_MOST)
		return true;
	return proc_stat_read(pid, &now) && (now.state == 'Z' || now.started != started);
}

/* False: there is no state directory, so of cards whose resets are kept there nothing is known. */
static bool find_log(struct in_flight *x, const struct bus *bus)
{
	struct error e;

	if (*x->path || state_path("reset.log", x->path, sizeof(x->path), &e) == 0)
		return true;
	*x->path = '\0';
	if (!bus || !bus_state_name(bus))
		return false;
	if (!x->is_unknown)
		say_as(e.word, "%s: resets in flight are left out", e.text);
	x->is_unknown = true;
	return false;
}

void in_flight_mark(struct in_flight *x, const struct bus *bus, const char *source,
	struct roster *r)
{
	if (find_log(x, bus))
		read_log(x, source);
	for (size_t i = 0; i < x->n; i++)
		if (is_over(x->resets[i].pid, x->resets[i].started, x->resets[i].since))
			x->resets[i--] = x->resets[--x->n];
	for (size_t k = 0; k < r->n; k++) {
		r->chips[k].is_reset = false;
		for (size_t i = 0; i < x->n; i++)
			if (strcmp(x->resets[i].bdf, r->chips[k].bdf) == 0)
				r->chips[k].is_reset = true;
	}
}
