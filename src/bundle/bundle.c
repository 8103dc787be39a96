/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/bundle/bundle.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "device/kind.h"
#include "reset/outside/outside.h"
#include "telemetry/external.h"
#include "telemetry/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is put in, and what is missing. */

#define MISSING_MOST 1000

/* Note a path; NULL if it was noted before. */
static struct bundle_path *note_path(struct bundle *b, const char *path)
{
	for (size_t i = 0; i < b->n_paths; i++)
		if (strcmp(b->paths[i].path, path) == 0)
			return NULL;
	b->paths = mem_realloc(b->paths, (b->n_paths + 1) * sizeof(*b->paths));
	b->paths[b->n_paths] = (struct bundle_path){ .path = mem_dup_text(path) };
	return &b->paths[b->n_paths++];
}

static void put_file(struct bundle *b, const char *path, const void *data, size_t len)
{
	struct strbuf name = { 0 };

	strbuf_printf(&name, BUNDLE_TOP "%s", path);
	b->error.code = tar_out_file(b->tar, name.text, data, len, &b->error);
	strbuf_clear(&name);
}

/*
 * Whether an entry goes in; with --external, `listed` gets what the list has of it, and the rest is
 * counted.  The name of a file that is not listed may be as private as its text.
 */
static bool admit(struct bundle *b, const char *path, const void *data, size_t len,
	struct strbuf *listed)
{
	struct bundle_path *p = b->error.code < 0 ? NULL : note_path(b, path);

	if (!p)
		return false;
	p->is_in = !b->o->external || external_put(listed, path, data, len, &p->lines);
	b->unlisted += !p->is_in;
	p->is_in = p->is_in && (p->lines == 0 || listed->len > 0);
	return p->is_in;
}

void bundle_put(struct bundle *b, const char *path, const void *data, size_t len)
{
	struct strbuf listed = { 0 };

	strbuf_puts(&listed, "");
	if (admit(b, path, data, len, &listed))
		put_file(b, path, b->o->external ? listed.text : data,
			b->o->external ? listed.len : len);
	strbuf_clear(&listed);
}

void bundle_put_text(struct bundle *b, const char *path, struct strbuf *text)
{
	bundle_put(b, path, text->text ? text->text : "", text->len);
	strbuf_clear(text);
}

static void bundle_put_link(struct bundle *b, const char *path, const char *target)
{
	struct strbuf name = { 0 }, listed = { 0 };

	if (admit(b, path, target, strlen(target), &listed)) {
		strbuf_printf(&name, BUNDLE_TOP "%s", path);
		b->error.code = tar_out_link(b->tar, name.text, target, &b->error);
	}
	strbuf_clear(&name);
	strbuf_clear(&listed);
}

void bundle_miss(struct bundle *b, const char *what, enum code code, const char *fmt, ...)
{
	struct bundle_miss *m;
	char why[sizeof(m->why)];
	va_list ap;

	if (b->n_missing == MISSING_MOST)
		return;
	b->missing = mem_realloc(b->missing, (b->n_missing + 1) * sizeof(*b->missing));
	m = &b->missing[b->n_missing++];
	m->code = code;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	text_plain(m->what, sizeof(m->what), what);
	text_plain(m->why, sizeof(m->why), why);
}

/* Of cards that are not this machine's: whether they are simulated or recorded. */
static enum code bundle_elsewhere(const struct bundle *b)
{
	return sampler_fleet(b->session->sampler)->origin->stand_in ? CODE_SIMULATED
		: CODE_RECORDED;
}

/* The lists of a galaxy's management controller. */

#define OUTPUT (256 << 10)

static bool is_galaxy(const struct bus *bus)
{
	for (size_t i = 0; i < bus->n; i++)
		if (galaxy_tray(&bus->dev[i], NULL))
			return true;
	return false;
}

static void put_answer(struct bundle *b, const char *path, char *output)
{
	struct strbuf text = { 0 };

	for (char *save, *line = strtok_r(output, "\n", &save); line;
		line = strtok_r(NULL, "\n", &save))
		text_put_plain_in(&text, "", line, "\n");
	bundle_put_text(b, path, &text);
}

void bundle_put_ipmi(struct bundle *b, int64_t until)
{
	static const struct {
		const char *words[2], *path;
	} asked[] = {
		{ { "fru", "print" }, "ipmi/fru.txt" },
		{ { "sel", "list" }, "ipmi/sel.txt" },
	};
	const struct bus *bus = b->session->bus;
	/* This machine's controller knows nothing about another machine's tree. */
	const bool is_here = !bus_origin(bus)->is_machine || strcmp(bus->root, "/") == 0;
	struct ipmi ipmi = { 0 };
	char *output;
	struct error e;

	if (!is_galaxy(bus) || bus_origin(bus)->is_recorded || !is_here)
		return;
	if (ipmi_find_of(bus, &ipmi, &e) < 0) {
		bundle_miss(b, "ipmi", e.word, "%s", e.text);
		return;
	}
	if (!*ipmi.program) {
		bundle_miss(b, "ipmi", CODE_SIMULATED, "these cards are simulated: they have no "
			"controller");
		return;
	}
	output = mem_calloc(1, OUTPUT);
	for (size_t i = 0; i < ARRAY_LEN(asked); i++) {
		*output = '\0';
		if (ipmi_print(&ipmi, asked[i].words, until, output, OUTPUT, &e) < 0)
			bundle_miss(b, asked[i].path, e.word, "%s", e.text);
		if (*output)
			put_answer(b, asked[i].path, output);
	}
	free(output);
}

/*
 * The kernel's messages about the driver and the cards' PCI functions, newest last.
 * /dev/kmsg gives one message per read, "6,1234,5678901,-;text", with lines of properties that
 * begin with a blank.  Messages that programs wrote there have another facility than the kernel's
 * and are left out.
 */

#define RECORD	(8 << 10)	/* the kernel's longest message */
#define MOST	(8 << 20)
#define SECONDS 2		/* for a log that grows faster than it is read */

static bool is_ours(const struct fleet *f, const char *text)
{
	if (strstr(text, "tenstorrent"))
		return true;
	for (size_t k = 0; k < f->n; k++)
		if (*f->chips[k].bdf && strstr(text, f->chips[k].bdf))
			return true;
	return false;
}

static void put_line(struct strbuf *to, const struct fleet *f, const char *line)
{
	const char *text = strchr(line, ';');
	unsigned long long at;
	unsigned level;
	char plain[1024];

	if (!text || sscanf(line, "%u,%*u,%llu", &level, &at) != 2 || level >= 8 ||
		!is_ours(f, text))
		return;
	strbuf_printf(to, "[%5llu.%06llu] <%u> %s\n", at / 1000000, at % 1000000, level,
		text_plain(plain, sizeof(plain), text + 1));
}

void bundle_put_messages(struct strbuf *to, const struct fleet *f, char *record)
{
	for (char *save, *line = strtok_r(record, "\n", &save); line;
		line = strtok_r(NULL, "\n", &save))
		put_line(to, f, line);
}

/* -EFBIG: there is more.  After EPIPE, as new messages replace unread ones, go on with the rest. */
static int read_log(int fd, struct strbuf *all)
{
	const int64_t end = clock_steady() + SECONDS * CLOCK_SECOND;

	while (all->len < MOST && clock_steady() < end) {
		const ssize_t n = read(fd, strbuf_room(all, RECORD), RECORD);

		if (n == 0 || (n < 0 && errno == EAGAIN))
			return 0;
		if (n < 0 && errno != EPIPE && errno != EINTR)
			return -errno;
		if (n > 0)
			strbuf_took(all, all->text + all->len + n);
	}
	return -EFBIG;
}

static int open_log(const struct bus *bus)
{
	const bool is_tree = strcmp(bus->root, "/") != 0;
	char path[sizeof(bus->root) + 16];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/dev/kmsg", is_tree ? bus->root : "");
	if (lstat(path, &st) < 0)
		return -errno;
	if (is_tree ? !S_ISREG(st.st_mode) : !S_ISCHR(st.st_mode))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

void bundle_put_log(struct bundle *b)
{
	const struct fleet *f = sampler_fleet(b->session->sampler);
	struct strbuf all = { 0 }, text = { 0 };
	int fd, r;

	if (!f->origin->is_machine) {
		bundle_miss(b, "driver.log", bundle_elsewhere(b), "these cards are not this "
			"machine's");
		return;
	}
	fd = open_log(b->session->bus);
	r = fd < 0 ? fd : read_log(fd, &all);
	if (fd >= 0)
		close(fd);
	if (r == -EFBIG)
		bundle_miss(b, "driver.log", CODE_TOO_LARGE, "ends early: /dev/kmsg was not read "
			"to its end");
	else if (r < 0)
		bundle_miss(b, "driver.log", code_find(r), "/dev/kmsg: %s%s", strerror(-r),
			r == -EPERM || r == -EACCES ? ": run it as root" : "");
	if (all.len > 0)
		bundle_put_messages(&text, f, all.text);
	if (r == 0 || r == -EFBIG)
		bundle_put_text(b, "driver.log", &text);
	strbuf_clear(&all);
	strbuf_clear(&text);
}

/* The kernel's files about the cards; a separate process reads those of each card. */

#define ROUND 64	/* processes at a time */

static void put_entry(struct bundle *b, enum sheet_kind kind, const char *path, const char *data,
	size_t len)
{
	struct strbuf name = { 0 }, text = { 0 };

	strbuf_printf(&name, "tree/%s", path);
	strbuf_add(&text, data, len);
	if (kind == SHEET_ERROR)
		bundle_miss(b, name.text, CODE_NOT_READ, "%s", text.text ? text.text : "");
	else if (kind == SHEET_LINK)
		bundle_put_link(b, name.text, text.text);
	else
		bundle_put(b, name.text, data, len);
	strbuf_clear(&name);
	strbuf_clear(&text);
}

/* Put in all that a sheet has read; if it did not finish, note the file that blocked it. */
static void take_sheet(struct bundle *b, struct sheet *s, const char *of)
{
	enum sheet_kind kind;
	const char *path, *data;
	size_t len;

	while (sheet_next(s, &kind, &path, &data, &len))
		put_entry(b, kind, path, data, len);
	if (!atomic_load(&s->shared->is_done))
		bundle_miss(b, of, CODE_TIMEOUT, "no answer when it was time to end, reading "
			"%.120s", *s->shared->now ? s->shared->now : "nothing");
	if (atomic_load(&s->shared->is_cut))
		bundle_miss(b, of, CODE_TOO_LARGE, "has more files than any card: the rest is "
			"left out");
	sheet_free(s);
}

/* Start n sheets (NULL: the host's), wait up to `patience` ns for all, and take their entries. */
static void run_round(struct bundle *b, const struct device *const *d, size_t n, int64_t patience)
{
	const char *root = b->session->bus->root;
	struct sheet *sheets[ROUND];
	struct child *children[ROUND];
	const char *of[ROUND];
	size_t started = 0;
	struct error e;

	for (size_t i = 0; i < n; i++) {
		const int r = sheet_start(&sheets[started], root, d[i], &e);

		of[started] = d[i] ? d[i]->bdf : "tree of the host";
		if (r < 0) {
			bundle_miss(b, of[started], e.word, "%s", e.text);
			continue;
		}
		children[started] = &sheets[started]->child;
		started++;
	}
	child_end_all(children, started, patience);
	for (size_t i = 0; i < started; i++)
		take_sheet(b, sheets[i], of[i]);
}

void bundle_put_tree(struct bundle *b, int64_t patience)
{
	const struct bus *bus = b->session->bus;
	const struct fleet *f = sampler_fleet(b->session->sampler);
	const struct device *round[ROUND];
	size_t n = 0;

	if (!bus_origin(bus)->is_machine) {
		bundle_miss(b, "tree", bundle_elsewhere(b), "these cards are not this machine's");
		return;
	}
	round[n++] = NULL;
	for (size_t i = 0; i < bus->n; i++) {
		if (!*bus->dev[i].bdf || (i < f->n && !f->wanted[i]))
			continue;
		round[n++] = &bus->dev[i];
		if (n == ROUND) {
			run_round(b, round, n, patience);
			n = 0;
		}
	}
	run_round(b, round, n, patience);
}
