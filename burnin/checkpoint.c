/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/checkpoint.h"

#include "base/array.h"
#include "base/mem.h"
#include "base/parse.h"
#include "burnin/reference/sha256.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "tt-smi burn checkpoint 1"

static const struct {
	size_t at;
	int n;
} counters[] = {
	{ offsetof(struct burn_worker, rounds), 1 },
	{ offsetof(struct burn_worker, errors), 1 },
	{ offsetof(struct burn_worker, words), 1 },
	{ offsetof(struct burn_worker, sums), 1 },
	{ offsetof(struct burn_worker, cpu_ns), 1 },
	{ offsetof(struct burn_worker, blocks), BURN_KINDS },
	{ offsetof(struct burn_worker, flops), BURN_KINDS },
	{ offsetof(struct burn_worker, ns), BURN_KINDS },
	{ offsetof(struct burn_worker, dwells), BURN_KINDS },
	{ offsetof(struct burn_worker, memory_bytes), 2 },
	{ offsetof(struct burn_worker, memory_ns), 2 },
	{ offsetof(struct burn_worker, memory_passes), 1 },
};

_Static_assert(5 + 4 * BURN_KINDS + 5 == CHECKPOINT_COUNTERS, "every counter has its place");

static _Atomic uint64_t *counter(struct burn_worker *w, int i)
{
	size_t k = 0;

	for (; i >= counters[k].n; k++)
		i -= counters[k].n;
	return (_Atomic uint64_t *)(void *)((char *)w + counters[k].at) + i;
}

static uint64_t (*new_counters(int workers))[CHECKPOINT_COUNTERS]
{
	return mem_calloc((size_t)workers, sizeof(uint64_t[CHECKPOINT_COUNTERS]));
}

void checkpoint_take(struct checkpoint *c, const struct burn *b)
{
	const uint32_t n = atomic_load(&b->shared->n_errors);

	if (!c->counters)
		c->counters = new_counters(b->config.threads);
	c->workers = b->config.threads;
	for (int w = 0; w < c->workers; w++)
		for (int i = 0; i < CHECKPOINT_COUNTERS; i++)
			c->counters[w][i] = atomic_load(counter(&b->shared->workers[w], i));
	c->n_errors = 0;
	for (uint32_t i = 0; i < n && i < CHECKPOINT_ERRORS; i++) {
		struct checkpoint_error *x = &c->errors[c->n_errors];

		if (!atomic_load(&b->shared->errors[i].complete))
			continue;
		if (b->shared->errors[i].pattern != x->pattern) {
			mem_copy_text(x->pattern, sizeof(x->pattern), b->shared->errors[i].pattern);
			mem_copy_text(x->impl, sizeof(x->impl), b->shared->errors[i].impl);
		}
		x->error = b->shared->errors[i];
		c->n_errors++;
	}
}

static void put_error(struct strbuf *to, const struct checkpoint_error *x)
{
	const struct burn_error *e = &x->error;

	strbuf_printf(to, "error %d %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32
		" %" PRId64 ";%s;%s;%s\n", e->kind, e->thread, e->cpu, e->index, e->address,
		e->physical, e->got, e->want, e->at, e->what, x->pattern, x->impl);
}

void checkpoint_put(struct strbuf *to, const struct checkpoint *c)
{
	const size_t from = to->len;
	char hash[SHA256_TEXT];

	strbuf_printf(to, FIRST_LINE "\nhost %s\nsettings %s\nkernel %s\n", c->host, c->settings,
		c->kernel);
	strbuf_printf(to, "elapsed %" PRId64 "\nruns %" PRIu64 "\nworkers %d\n", c->elapsed,
		c->runs, c->workers);
	for (int w = 0; w < c->workers; w++) {
		strbuf_puts(to, "worker");
		for (int i = 0; i < CHECKPOINT_COUNTERS; i++)
			strbuf_printf(to, " %" PRIu64, c->counters[w][i]);
		strbuf_putc(to, '\n');
	}
	for (int i = 0; i < c->n_errors; i++)
		put_error(to, &c->errors[i]);
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

static bool parse_worker(char *line, uint64_t values[CHECKPOINT_COUNTERS])
{
	char *save = NULL, *word = line ? strtok_r(line, " ", &save) : NULL;

	for (int i = 0; i < CHECKPOINT_COUNTERS; i++, word = strtok_r(NULL, " ", &save))
		if (!word || !parse_u64(word, &values[i]))
			return false;
	return !word;
}

static bool take_text(char **line, char *out, size_t size)
{
	const size_t len = *line ? strcspn(*line, ";") : 0;

	if (len == 0 || len >= size)
		return false;
	mem_copy_text(out, len + 1, *line);
	*line += len + ((*line)[len] == ';');
	return true;
}

static bool parse_error(char *line, int workers, struct checkpoint_error *x)
{
	enum { NUMBERS = 9 };
	uint64_t v[NUMBERS];
	char *texts = strchr(line, ';'), *save = NULL, *word;

	if (!texts)
		return false;
	*texts++ = '\0';
	word = strtok_r(line, " ", &save);
	for (int i = 0; i < NUMBERS; i++, word = strtok_r(NULL, " ", &save))
		if (!word || !parse_u64(word, &v[i]))
			return false;
	x->error = (struct burn_error){ .kind = (int)v[0], .thread = (int)v[1], .cpu = (int)v[2],
		.index = v[3], .address = v[4], .physical = v[5], .got = (uint32_t)v[6],
		.want = (uint32_t)v[7], .at = (int64_t)v[8] };
	atomic_store(&x->error.complete, true);
	return !word && v[0] <= BURN_MEMORY && v[1] < (uint64_t)workers && v[2] < INT32_MAX
		&& v[6] <= UINT32_MAX && v[7] <= UINT32_MAX && v[8] < INT64_MAX
		&& take_text(&texts, x->error.what, sizeof(x->error.what))
		&& take_text(&texts, x->pattern, sizeof(x->pattern))
		&& take_text(&texts, x->impl, sizeof(x->impl)) && !*texts;
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
	c->counters = new_counters(c->workers);
	for (int w = 0; w < c->workers; w++)
		if (!parse_worker(next_line(&at, "worker"), c->counters[w]))
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
	if (len < head || memcmp(text, FIRST_LINE "\n", head) != 0 || memchr(text, '\0', len))
		return fail(e, -EINVAL, "no checkpoint of a burn");
	if (len < head + tail || memcmp(text + len - tail, "sha256 ", 7) != 0
		|| text[len - 1] != '\n')
		return fail(e, -EINVAL, "a checkpoint that is cut off");
	sha256_text(text, len - tail, hash);
	if (memcmp(text + len - tail + 7, hash, SHA256_TEXT - 1) != 0)
		return fail(e, -EINVAL, "a checkpoint whose hash is not that of its lines");
	copy = mem_calloc(1, len - tail - head + 1);
	memcpy(copy, text + head, len - tail - head);
	good = parse_lines(copy, c);
	free(copy);
	if (good)
		return 0;
	checkpoint_clear(c);
	return fail(e, -EINVAL, "a checkpoint with lines that make no sense");
}

/* The first part, between semicolons, in which a is not b. */
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
	struct error *e)
{
	char what[2 * CHECKPOINT_TEXT + 16];

	if (strcmp(c->host, host) != 0)
		return fail(e, -EXDEV, "of another host: %s", c->host);
	if (strcmp(c->settings, settings) != 0) {
		first_difference(c->settings, settings, what, sizeof(what));
		return fail(e, -EINVAL, "of another burn: %s", what);
	}
	return 0;
}

void checkpoint_apply(const struct checkpoint *c, struct burn_shared *shared)
{
	for (int w = 0; w < c->workers; w++)
		for (int i = 0; i < CHECKPOINT_COUNTERS; i++)
			atomic_store(counter(&shared->workers[w], i), c->counters[w][i]);
	for (int i = 0; i < c->n_errors; i++) {
		shared->errors[i] = c->errors[i].error;
		shared->errors[i].pattern = c->errors[i].pattern;
		shared->errors[i].impl = c->errors[i].impl;
	}
	atomic_store(&shared->n_errors, (uint32_t)c->n_errors);
	shared->started -= c->elapsed;
}

void checkpoint_clear(struct checkpoint *c)
{
	free(c->counters);
	memset(c, 0, sizeof(*c));
}
