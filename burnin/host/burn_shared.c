/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/host/burn_shared.h"

#include "base/mem.h"
#include "base/text.h"
#include "burnin/host/burn_set.h"
#include "burnin/host/burn_work.h"
#include "burnin/kernels/impl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	BITS = 64,
	TRIES = 16	/* to read equal copies of a count while its writer goes on */
};

static const char *const whats[BURN_WHATS] = {
	[BURN_IS_OUTPUT] = "output", [BURN_IS_INPUT] = "input", [BURN_IS_WEIGHT] = "weight",
	[BURN_IS_BIAS] = "bias", [BURN_IS_PACKED] = "packed", [BURN_IS_PANELS_A] = "panels A",
	[BURN_IS_PANELS_B] = "panels B", [BURN_IS_EXPECTED] = "expected",
	[BURN_IS_SET] = "set", [BURN_IS_MEMORY] = "memory",
	[BURN_IS_MEMORY_ONCE] = "memory, once", [BURN_IS_OUTPUT_ONCE] = "output, once",
	[BURN_IS_SUM_ONCE] = "checksum, once", [BURN_IS_PLANTED] = "planted, not reported",
};

const char *burn_what_name(enum burn_what what)
{
	return whats[(unsigned)what < BURN_WHATS ? what : BURN_IS_SET];
}

int burn_what_find(const char *name)
{
	for (int i = 0; i < BURN_WHATS; i++)
		if (strcmp(whats[i], name) == 0)
			return i;
	return -1;
}

static const char *pattern_name(int kind, int pattern)
{
	return kind == BURN_MEMORY ? burn_memory_pattern((uint64_t)pattern) :
		burn_set_pattern(pattern);
}

static int patterns_of(int kind)
{
	return kind == BURN_MEMORY ? BURN_MEMORY_PATTERNS : BURN_PATTERNS;
}

int burn_pattern_find(int kind, const char *name)
{
	for (int i = 0; i < patterns_of(kind); i++)
		if (strcmp(pattern_name(kind, i), name) == 0)
			return i;
	return -1;
}

int burn_impl_find(const char *name)
{
	for (int i = 0; impls[i]; i++)
		if (strcmp(impls[i]->name, name) == 0)
			return i;
	return -1;
}

const char *burn_error_pattern(const struct burn_error *x)
{
	return pattern_name(x->kind, x->pattern);
}

const char *burn_error_impl(const struct burn_error *x)
{
	return (size_t)x->impl < impls_len ? impls[x->impl]->name : "";
}

void burn_flag_set(struct burn_flag *f)
{
	atomic_store(&f->bits, ~0ULL);
}

bool burn_flag_is_set(const struct burn_flag *f)
{
	const uint64_t bits = atomic_load_explicit(&f->bits, memory_order_acquire);

	return __builtin_popcountll(bits) > BITS / 2;
}

uint64_t burn_count_add(struct burn_count *c, uint64_t n)
{
	const uint64_t was = atomic_fetch_add(&c->n, n);

	atomic_fetch_add(&c->twin, n);
	return was;
}

void burn_count_set(struct burn_count *c, uint64_t n)
{
	atomic_store(&c->n, n);
	atomic_store(&c->twin, n);
}

bool burn_count_get(const struct burn_count *c, uint64_t *n)
{
	for (int i = 0; i < TRIES; i++) {
		*n = atomic_load(&c->n);
		if (atomic_load(&c->twin) == *n)
			return true;
	}
	*n = 0;
	return false;
}

void burn_worker_add(struct burn_worker *w, int id, uint64_t n)
{
	burn_count_add(&w->count[id], n);
}

uint64_t burn_worker_get(const struct burn_worker *w, int id)
{
	uint64_t n;

	burn_count_get(&w->count[id], &n);
	return n;
}

/* FNV-1a, never 0. */
static uint64_t seal_of(const void *at, size_t size)
{
	const unsigned char *p = at;
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ p[i]) * 0x100000001b3;
	return hash ? hash : 1;
}

void burn_record_seal(struct burn_record *r)
{
	atomic_store(&r->seal, seal_of(&r->error, sizeof(r->error)));
}

/* An error that was damaged before it was sealed must not index outside a table either. */
static bool is_sane(const struct burn_error *x, int threads)
{
	return x->kind >= 0 && x->kind <= BURN_MEMORY && x->thread >= 0 && x->thread < threads
		&& x->cpu >= -1 && (unsigned)x->what < BURN_WHATS && x->pattern >= 0
		&& x->pattern < patterns_of(x->kind) && (size_t)x->impl < impls_len;
}

enum burn_seal burn_record_read(const struct burn_record *r, int threads, struct burn_error *out)
{
	const uint64_t seal = atomic_load(&r->seal);

	if (seal == 0)
		return BURN_SEAL_NONE;
	memcpy(out, &r->error, sizeof(*out));
	return seal_of(out, sizeof(*out)) == seal && is_sane(out, threads) ? BURN_SEAL_GOOD :
		BURN_SEAL_BROKEN;
}

void burn_text_put(struct burn_text *t, const struct error *e)
{
	t->is = *e;
	atomic_store(&t->seal, seal_of(&t->is, sizeof(t->is)));
}

enum burn_seal burn_text_read(const struct burn_text *t, struct error *out)
{
	const uint64_t seal = atomic_load(&t->seal);
	struct error copy;

	*out = (struct error){ 0 };
	if (seal == 0)
		return BURN_SEAL_NONE;
	memcpy(&copy, &t->is, sizeof(copy));
	if (seal_of(&copy, sizeof(copy)) != seal)
		return BURN_SEAL_BROKEN;
	/* It may have been damaged before it was sealed. */
	copy.text[sizeof(copy.text) - 1] = '\0';
	fail_as(out, copy.word, -ECHILD, "%s", copy.text);
	return BURN_SEAL_GOOD;
}

uint32_t burn_error_places(const struct burn *b)
{
	uint64_t n;

	return burn_count_get(&b->shared->n_errors, &n) && n < BURN_RECORDS ? (uint32_t)n :
		BURN_RECORDS;
}

bool burn_error(const struct burn *b, uint32_t place, struct burn_error *out)
{
	return place < BURN_RECORDS && burn_record_read(&b->shared->records[place],
		b->config.threads, out) == BURN_SEAL_GOOD;
}

bool burn_find_moved(const struct burn *b, int thread, char *out, size_t size)
{
	const struct burn_worker *w = &b->shared->workers[thread];

	if (burn_worker_get(w, BURN_AWAY) == 0)
		return false;
	snprintf(out, size, "thread %d was moved from CPU %d to CPU %d", thread,
		b->config.homes[thread], atomic_load(&w->cpu));
	return true;
}
