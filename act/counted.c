/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "act/counted.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/state.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define BURNS { "b", "burnin" }

const struct act_words act_words[ACTS] = {
	[ACT_RESET] = { "reset", "nothing was reset", { "r", "reset", "tr", "lr", "wr",
		"warm_reset", "mr", "mobo_nb_reset", "glx_reset", "galaxy_6u_trays_reset",
		"glx_reset_auto", "galaxy_6u_trays_reset_auto", "glx_reset_tray",
		"galaxy_6u_reset_tray" } },
	[ACT_BURN_HOST] = { "burn of the host", "nothing was burnt", BURNS },
	[ACT_BURN_CARDS] = { "burn of cards", "nothing was burnt", BURNS },
	[ACT_TEST_MEMORY] = { "memory test", "nothing was burnt", BURNS },
	[ACT_CHECK_MEMORY] = { "memory check", "nothing was read", { "check-memory" } },
	[ACT_COMPUTE] = { "reference data", "nothing was burnt", BURNS },
	[ACT_DIAG] = { "diag", "nothing was tested", { "diag" } },
};

#define FIRST_LINE "tt-smi acts 1\n"
#define PATH_SIZE  4096
#define TEXT_MAX   (DEVICE_MAX * 512)
#define PATIENCE   (2 * CLOCK_SECOND)	/* others hold the lock no longer than a sync takes */
#define TURN_MS	   10

static struct counted_chip *find_counted(struct counted *c, const char *bdf)
{
	size_t i = 0;

	while (i < c->n && strcmp(c->chips[i].bdf, bdf) != 0)
		i++;
	if (i == DEVICE_MAX)
		return NULL;
	if (i == c->n) {
		c->chips[i] = (struct counted_chip){ 0 };
		mem_copy_text(c->chips[i].bdf, sizeof(c->chips[i].bdf), bdf);
		c->n++;
	}
	return &c->chips[i];
}

void counted_put_text(const struct counted *c, struct strbuf *to)
{
	char labels[TALLY_LABELS];

	strbuf_puts(to, FIRST_LINE);
	for (size_t i = 0; i < c->n; i++)
		for (unsigned k = 0; k < COUNTED_IDS; k++)
			if (c->chips[i].n[k])
				strbuf_printf(to, "%s %s{%s} %" PRIu64 "\n", c->chips[i].bdf,
					tally_name(tally_family_of(TALLY_RESETS + k)),
					tally_labels(TALLY_RESETS + k, labels), c->chips[i].n[k]);
	strbuf_puts(to, "end\n");
}

/* -1: not one of ours, so a later version counted it. */
static int find_name(const char *text)
{
	char name[64 + TALLY_LABELS], labels[TALLY_LABELS];

	for (unsigned k = 0; k < COUNTED_IDS; k++) {
		snprintf(name, sizeof(name), "%s{%s}",
			tally_name(tally_family_of(TALLY_RESETS + k)),
			tally_labels(TALLY_RESETS + k, labels));
		if (strcmp(name, text) == 0)
			return (int)k;
	}
	return -1;
}

static bool parse_line(const char *line, struct counted *c)
{
	char bdf[16], name[128];
	struct counted_chip *chip;
	int end = -1, id;
	uint64_t n;

	if (sscanf(line, "%15[0-9a-f:.] %127s %18" SCNu64 "%n", bdf, name, &n, &end) != 3 ||
		line[end] != '\n' || n > TALLY_MOST)
		return false;
	id = find_name(name);
	chip = find_counted(c, bdf);
	if (chip && id >= 0)
		chip->n[id] = n;
	return chip;
}

bool counted_parse(const char *text, struct counted *c)
{
	c->n = 0;
	if (strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) != 0)
		return false;
	for (text += strlen(FIRST_LINE); strcmp(text, "end\n") != 0; text = strchr(text, '\n') + 1)
		if (!parse_line(text, c)) {
			c->n = 0;
			return false;
		}
	return true;
}

static int make_path(const struct bus *bus, const char *end, char *path, size_t size,
	struct error *e)
{
	char name[64];

	snprintf(name, sizeof(name), "acts-%.16s%s", bus_state_name(bus), end);
	return state_path(name, path, size, e);
}

/* -ENOENT: there is no file yet. */
static int read_file(struct counted *c, const char *path, struct error *e)
{
	char *text;
	size_t len;
	int r = state_read(path, TEXT_MAX, &text, &len, e);

	if (r < 0)
		return r;
	if (memchr(text, '\0', len) || !counted_parse(text, c))
		r = fail(e, -EBADMSG, "%s: torn or not ours: acts are counted anew", path);
	free(text);
	return r;
}

/* Wait for the lock; returns the descriptor, or closes it and returns -errno. */
static int await_lock(int fd, const char *path, struct error *e)
{
	const int64_t until = clock_steady() + PATIENCE;
	int r;

	while ((r = flock(fd, LOCK_EX | LOCK_NB)) < 0 && clock_steady() < until &&
		(errno == EWOULDBLOCK || errno == EINTR))
		poll(NULL, 0, TURN_MS);
	if (r == 0)
		return fd;
	r = fail_errno(e, "%s: cannot be locked", path);
	close(fd);
	return r;
}

/* The lock is a separate file, because each write replaces the file of counts. */
static int take_lock(const struct bus *bus, struct error *e)
{
	char *path = mem_calloc(1, PATH_SIZE);
	int r = make_path(bus, ".lock", path, PATH_SIZE, e);

	if (r == 0)
		r = state_append(path, e);
	if (r >= 0)
		r = await_lock(r, path, e);
	free(path);
	return r;
}

static int add_locked(const struct bus *bus, const struct counted_act *acts, size_t n,
	struct error *e)
{
	struct counted *c = mem_calloc(1, sizeof(*c));
	struct strbuf text = { 0 };
	struct counted_chip *chip;
	int r = make_path(bus, "", c->path, sizeof(c->path), e), torn = 0;

	if (r == 0)
		r = read_file(c, c->path, e);
	if (r == -EBADMSG)
		torn = r;
	if (r == -ENOENT || r == -EBADMSG)
		r = 0;
	for (size_t i = 0; r == 0 && i < n; i++) {
		chip = find_counted(c, acts[i].bdf);
		if (chip)
			chip->n[acts[i].id - TALLY_RESETS]++;
	}
	counted_put_text(c, &text);
	if (r == 0)
		r = state_write(c->path, text.text, text.len, e);
	strbuf_clear(&text);
	free(c);
	return r < 0 ? r : torn;
}

int counted_add(const struct bus *bus, const struct counted_act *acts, size_t n, struct error *e)
{
	struct error why = { 0 };
	int lock, r;

	if (n == 0 || !bus_state_name(bus))
		return 0;
	lock = take_lock(bus, &why);
	r = lock;
	if (lock >= 0) {
		r = add_locked(bus, acts, n, &why);
		close(lock);
	}
	if (r == -EBADMSG)
		return fail_because(e, r, &why, "%s", why.text);
	return r < 0 ? fail_because(e, r, &why, "not counted for metrics: %s", why.text) : 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size &&
		a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int read_changed(struct counted *c, struct error *e)
{
	struct counted *fresh;
	struct stat now;
	int r;

	if (stat(c->path, &now) < 0)
		return errno == ENOENT ? 0 : fail_errno(e, "%s", c->path);
	if (!c->is_unknown && is_same(&now, &c->seen))
		return 0;
	c->seen = now;
	fresh = mem_calloc(1, sizeof(*fresh));
	r = read_file(fresh, c->path, e);
	if (r == 0) {
		c->n = fresh->n;
		memcpy(c->chips, fresh->chips, sizeof(c->chips));
	}
	free(fresh);
	return r;
}

int counted_read(struct counted *c, const struct bus *bus, struct error *e)
{
	int r = 0;

	if (!bus_state_name(bus))
		return 0;
	if (!*c->path)
		r = make_path(bus, "", c->path, sizeof(c->path), e);
	if (r == 0)
		r = read_changed(c, e);
	c->is_unknown = r < 0 && r != -EBADMSG;
	return r;
}

void counted_put(const struct counted *c, const char *bdf, struct tally *to)
{
	for (unsigned k = 0; k < COUNTED_IDS; k++)
		to->has[TALLY_RESETS + k] = !c->is_unknown;
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->chips[i].bdf, bdf) == 0)
			memcpy(&to->total[TALLY_RESETS], c->chips[i].n, sizeof(c->chips[i].n));
}
