/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/host/checkpoint.h"

#include "base/mem.h"
#include "base/parse.h"
#include "burnin/reference/sha256.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND_LINE  "tt-smi burn checkpoint "
#define FIRST_LINE KIND_LINE "3"

_Static_assert(CHECKPOINT_COUNTERS == 12 + 4 * BURN_KINDS, "files of this version have as many");

static uint64_t (*new_counters(int workers))[CHECKPOINT_COUNTERS]
{
	return mem_calloc((size_t)workers, sizeof(uint64_t[CHECKPOINT_COUNTERS]));
}

bool checkpoint_take(struct checkpoint *c, const struct burn *b)
{
	const uint32_t n = burn_error_places(b);
	bool good = true;

	if (!c->counters)
		c->counters = new_counters(b->config.threads);
	c->workers = b->config.threads;
	for (int w = 0; w < c->workers; w++)
		for (int i = 0; i < CHECKPOINT_COUNTERS; i++)
			good = burn_count_get(&b->shared->workers[w].count[i], &c->counters[w][i])
				&& good;
	for (int w = 0; w < c->workers && !*c->gap; w++)
		burn_find_moved(b, w, c->gap, sizeof(c->gap));
	c->n_errors = 0;
	for (uint32_t i = 0; i < n && c->n_errors < CHECKPOINT_ERRORS; i++)
		c->n_errors += burn_error(b, i, &c->errors[c->n_errors]);
	return good;
}

void checkpoint_put(struct strbuf *to, const struct checkpoint *c)
{
	const size_t from = to->len;
	char hash[SHA256_TEXT];

	strbuf_printf(to, FIRST_LINE "\nhost %s\nsettings %s\nkernel %s\n", c->host, c->settings,
		c->kernel);
	strbuf_printf(to, "elapsed %" PRId64 "\nruns %" PRIu64 "\nworkers %d\n", c->elapsed,
		c->runs, c->workers);
	if (*c->fault)
		strbuf_printf(to, "fault %s\n", c->fault);
	if (*c->gap)
		strbuf_printf(to, "gap %s\n", c->gap);
	for (int w = 0; w < c->workers; w++) {
		strbuf_puts(to, "worker");
		for (int i = 0; i < CHECKPOINT_COUNTERS; i++)
			strbuf_printf(to, " %" PRIu64, c->counters[w][i]);
		strbuf_putc(to, '\n');
	}
	for (const struct burn_error *x = c->errors; x < c->errors + c->n_errors; x++)
		strbuf_printf(to, "error %d %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32
			" %" PRIu32 " %" PRId64 ";%s;%s;%s\n", x->kind, x->thread,
			x->cpu < 0 ? 0 : x->cpu, x->index, x->address, x->physical, x->got, x->want,
			x->at, burn_what_name(x->what), burn_error_pattern(x), burn_error_impl(x));
	sha256_text(to->text + from, to->len - from, hash);
	strbuf_printf(to, "sha256 %s\n", hash);
}

/* The rest of the next line if it begins with name and a blank; NULL if not. */
static char *next_line(char **at, const char *name)
{
	const size_t len = strlen(name);
	char *line = *at, *end = line ? strchr(line, '\n') : NULL;

	if (!end || strncmp(line, name, len) != 0 || line[len] != ' ')
		return NULL;
	*end = '\0';
	*at = end + 1;
	return line + len + 1;
}

static bool next_text(char **at, const char *name, char out[static CHECKPOINT_TEXT])
{
	const char *line = next_line(at, name);

	if (!line || strlen(line) >= CHECKPOINT_TEXT)
		return false;
	mem_copy_text(out, CHECKPOINT_TEXT, line);
	return true;
}

static bool next_number(char **at, const char *name, uint64_t most, uint64_t *out)
{
	const char *line = next_line(at, name);

	return line && parse_u64(line, out) && *out <= most;
}

/* A line of exactly n numbers; it may be NULL. */
static bool parse_numbers(char *line, uint64_t *values, int n)
{
	char *save = NULL, *word = line ? strtok_r(line, " ", &save) : NULL;

	for (int i = 0; i < n; i++, word = strtok_r(NULL, " ", &save))
		if (!word || !parse_u64(word, &values[i]))
			return false;
	return !word;
}

/* Numbers, then names, ";output;random;avx512", that become indexes into their tables. */
static bool parse_error(char *line, int workers, struct burn_error *x)
{
	enum { NUMBERS = 9 };
	uint64_t v[NUMBERS];
	char *at = line;
	const char *what, *pattern, *impl;
	int place;

	strsep(&at, ";");
	what = strsep(&at, ";");
	pattern = strsep(&at, ";");
	impl = strsep(&at, ";");
	place = what ? burn_what_find(what) : -1;
	if (!impl || at || place < 0 || !parse_numbers(line, v, NUMBERS)
		|| v[0] > BURN_MEMORY || v[1] >= (uint64_t)workers
		|| v[2] >= INT32_MAX || v[6] > UINT32_MAX || v[7] > UINT32_MAX
		|| v[8] >= INT64_MAX)
		return false;
	*x = (struct burn_error){ .kind = (int)v[0], .thread = (int)v[1], .cpu = (int)v[2],
		.index = v[3], .address = v[4], .physical = v[5], .got = (uint32_t)v[6],
		.want = (uint32_t)v[7], .at = (int64_t)v[8],
		.what = (enum burn_what)place, .pattern = burn_pattern_find((int)v[0], pattern),
		.impl = burn_impl_find(impl) };
	return x->pattern >= 0 && x->impl >= 0;
}

static bool parse_lines(char *at, struct checkpoint *c)
{
	uint64_t elapsed, workers;
	char *line;

	if (!next_text(&at, "host", c->host) || !next_text(&at, "settings", c->settings)
		|| !next_text(&at, "kernel", c->kernel)
		|| !next_number(&at, "elapsed", INT64_MAX / 2, &elapsed)
		|| !next_number(&at, "runs", INT64_MAX, &c->runs)
		|| !next_number(&at, "workers", CHECKPOINT_WORKERS, &workers) || workers == 0)
		return false;
	c->elapsed = (int64_t)elapsed;
	c->workers = (int)workers;
	next_text(&at, "fault", c->fault);
	next_text(&at, "gap", c->gap);
	c->counters = new_counters(c->workers);
	for (int w = 0; w < c->workers; w++)
		if (!parse_numbers(next_line(&at, "worker"), c->counters[w], CHECKPOINT_COUNTERS))
			return false;
	while ((line = next_line(&at, "error"))) {
		if (c->n_errors == CHECKPOINT_ERRORS
			|| !parse_error(line, c->workers, &c->errors[c->n_errors]))
			return false;
		c->n_errors++;
	}
	return !*at;
}

int checkpoint_parse(const char *text, size_t len, struct checkpoint *c, struct error *e)
{
	const size_t tail = strlen("sha256 ") + SHA256_TEXT, head = strlen(FIRST_LINE "\n");
	char hash[SHA256_TEXT], *copy;
	bool good;

	memset(c, 0, sizeof(*c));
	if (len < head || memcmp(text, KIND_LINE, strlen(KIND_LINE)) != 0
		|| memchr(text, '\0', len))
		return fail(e, -EINVAL, "not a burn checkpoint");
	if (memcmp(text, FIRST_LINE "\n", head) != 0)
		return fail_as(e, CODE_OTHER_VERSION, -EINVAL, "a burn checkpoint of another "
			"version of this program");
	if (len < head + tail || memcmp(text + len - tail, "sha256 ", 7) != 0
		|| text[len - 1] != '\n')
		return fail_as(e, CODE_CORRUPT, -EINVAL, "a checkpoint that is cut off");
	sha256_text(text, len - tail, hash);
	if (memcmp(text + len - tail + 7, hash, SHA256_TEXT - 1) != 0)
		return fail_as(e, CODE_CORRUPT, -EINVAL, "a checkpoint whose hash is not that of "
			"its lines");
	copy = mem_calloc(1, len - tail - head + 1);
	memcpy(copy, text + head, len - tail - head);
	good = parse_lines(copy, c);
	free(copy);
	if (good)
		return 0;
	checkpoint_clear(c);
	return fail_as(e, CODE_CORRUPT, -EINVAL, "a checkpoint with lines that make no sense");
}

/* Describe the first part, between semicolons, in which a and b differ. */
static int first_difference(const char *a, const char *b, char *out, size_t size)
{
	while (*a && *b) {
		const size_t x = strcspn(a, ";"), y = strcspn(b, ";");

		if (x != y || memcmp(a, b, x) != 0)
			return snprintf(out, size, "%.*s, not %.*s", (int)x, a, (int)y, b);
		a += x + (a[x] == ';');
		b += y + (b[y] == ';');
	}
	return snprintf(out, size, "%s, not %s", *a ? a : "nothing", *b ? b : "nothing");
}

int checkpoint_match(const struct checkpoint *c, const char *host, const char *settings,
	int workers, struct error *e)
{
	char what[2 * CHECKPOINT_TEXT + 16];

	if (strcmp(c->host, host) != 0)
		return fail(e, -EXDEV, "of another host: %s", c->host);
	if (strcmp(c->settings, settings) != 0) {
		first_difference(c->settings, settings, what, sizeof(what));
		return fail_as(e, CODE_OTHER_SETTINGS, -EINVAL, "of another burn: %s", what);
	}
	if (c->workers != workers)
		return fail_as(e, CODE_OTHER_SETTINGS, -EINVAL, "of another burn: it has %d "
			"workers, not %d", c->workers, workers);
	return 0;
}

void checkpoint_apply(const struct checkpoint *c, struct burn_shared *shared, int workers)
{
	for (int w = 0; w < c->workers && w < workers; w++)
		for (int i = 0; i < CHECKPOINT_COUNTERS; i++)
			burn_count_set(&shared->workers[w].count[i], c->counters[w][i]);
	for (int i = 0; i < c->n_errors; i++) {
		shared->records[i].error = c->errors[i];
		burn_record_seal(&shared->records[i]);
	}
	burn_count_set(&shared->n_errors, (uint64_t)c->n_errors);
	shared->started -= c->elapsed;
}

void checkpoint_clear(struct checkpoint *c)
{
	free(c->counters);
	memset(c, 0, sizeof(*c));
}
