/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "act/counted.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE (2 * CLOCK_SECOND)	/* others hold the lock no longer than a sync takes */

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

static void put_counts(const void *from, struct strbuf *to)
{
	const struct counted *c = from;
	char name[TALLY_NAME];

	for (size_t i = 0; i < c->n; i++)
		for (unsigned k = 0; k < COUNTED_IDS; k++)
			if (c->chips[i].n[k])
				strbuf_printf(to, "%s %s %" PRIu64 "\n", c->chips[i].bdf,
					tally_full_name(TALLY_RESETS + k, name), c->chips[i].n[k]);
}

static bool parse_line(const char *line, struct counted *c)
{
	char bdf[16], name[128];
	struct counted_chip *chip;
	int end = -1, id;
	uint64_t n;

	if (sscanf(line, "%15[0-9a-f:.] %127s %18" SCNu64 "%n", bdf, name, &n, &end) != 3 ||
		line[end] || n > TALLY_MOST)
		return false;
	id = tally_find(name);
	chip = find_counted(c, bdf);
	if (chip && id >= TALLY_RESETS)
		chip->n[id - TALLY_RESETS] = n;
	return chip;
}

static bool parse_counts(char *lines, void *to)
{
	struct counted *c = to;
	const char *line;

	c->n = 0;
	while ((line = record_file_line(&lines)))
		if (!parse_line(line, c))
			return false;
	return true;
}

const struct record_file counted_file = {
	.head = "tt-smi acts 1",
	.max = DEVICE_MAX * 512,
	.put = put_counts,
	.parse = parse_counts
};

static int make_path(const struct bus *bus, struct counted *c, struct error *e)
{
	char name[64];

	snprintf(name, sizeof(name), "acts-%.16s", bus_state_name(bus));
	return state_path(name, c->path, sizeof(c->path), e);
}

static int add_locked(struct counted *c, const struct counted_act *acts, size_t n,
	struct error *e)
{
	const int read = record_file_read(&counted_file, c->path, c, e);
	struct counted_chip *chip;
	int r;

	if (read < 0 && read != -ENOENT && read != -EBADMSG)
		return read;
	if (read < 0)
		c->n = 0;
	for (size_t i = 0; i < n; i++) {
		chip = find_counted(c, acts[i].bdf);
		if (chip)
			chip->n[acts[i].id - TALLY_RESETS]++;
	}
	r = record_file_write(&counted_file, c->path, c, e);
	return r < 0 || read == -ENOENT ? r : read;
}

static int add(const struct bus *bus, const struct counted_act *acts, size_t n, struct error *e)
{
	struct counted *c = mem_calloc(1, sizeof(*c));
	int r = make_path(bus, c, e), lock = -1;

	if (r == 0)
		r = lock = state_lock(c->path, PATIENCE, e);
	if (lock >= 0) {
		r = add_locked(c, acts, n, e);
		close(lock);
	}
	free(c);
	return r;
}

int counted_add(const struct bus *bus, const struct counted_act *acts, size_t n, struct error *e)
{
	struct error why = { 0 };
	const int r = n > 0 && bus_state_name(bus) ? add(bus, acts, n, &why) : 0;

	if (r == -EBADMSG)
		return fail_because(e, r, &why, "%s: acts are counted anew", why.text);
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
	r = record_file_read(&counted_file, c->path, fresh, e);
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
		r = make_path(bus, c, e);
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
