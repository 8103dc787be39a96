/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pickle.c - a stack machine, as the format requires.  Values lie in one array and are
 * referred to by their index; the elements of a tuple, list or dictionary are a chain of
 * cells.  An opcode makes at most one value, and one cell for each value that it takes off
 * the stack.  Both arrays are thus bounded by the length of the pickle, and nothing is
 * followed twice.
 */
#include "config.h"
#include "burnin/reference/array.h"

#include "base/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NONE, BOOL, INT, REAL, TEXT, TUPLE, LIST, DICT, NAME, STORAGE, TENSOR, MARK };

/* A list can name a tensor again in 2 bytes; to describe another one takes about 40. */
enum { TENSOR_LEAST = 24 };

static const char *const kinds[] = { "None", "a boolean", "a number", "a number", "a text",
	"a tuple", "a list", "a dictionary", "a name", "a storage", "a tensor", "a mark" };

/* The names that a pickle may use: a kind of storage, or one of these. */
enum { REBUILD = ARRAY_TYPES, ORDERED_DICT };

struct value {
	enum kind kind;
	int64_t number;		/* of a name: enum array_type, or REBUILD ... */
	const char *text;
	size_t len;		/* of a text; elements of a container */
	uint32_t first, last;	/* cells; 0: none */
};

struct cell {
	uint32_t value, next;
};

struct machine {
	const char *at, *end;
	size_t len;		/* of the whole pickle */
	struct value *values;
	struct cell *cells;
	uint32_t *stack, *memo;
	uint32_t n_values, n_cells, n_stack, n_memo;
	struct error *e;
};

static int refuse(struct machine *m, const char *what)
{
	return fail(m->e, -EINVAL, "the pickle %s", what);
}

/* There is room: each value takes at least one byte of the pickle. */
static uint32_t push(struct machine *m, struct value v)
{
	m->values[m->n_values] = v;
	m->stack[m->n_stack++] = m->n_values;
	return m->n_values++;
}

static int push_kind(struct machine *m, enum kind kind, int64_t v)
{
	push(m, (struct value){ .kind = kind, .number = v });
	return 0;
}

static struct value *top(struct machine *m, uint32_t below)
{
	return &m->values[m->stack[m->n_stack - 1 - below]];
}

static void add_cell(struct machine *m, struct value *to, uint32_t value)
{
	const uint32_t cell = ++m->n_cells;

	m->cells[cell] = (struct cell){ .value = value };
	if (to->last)
		m->cells[to->last].next = cell;
	else
		to->first = cell;
	to->last = cell;
	to->len++;
}

/* Count the values above the uppermost mark; false if there is no mark. */
static bool count_above_mark(const struct machine *m, uint32_t *n)
{
	for (*n = 0; *n < m->n_stack; ++*n)
		if (m->values[m->stack[m->n_stack - 1 - *n]].kind == MARK)
			return true;
	return false;
}

static const struct value *child(const struct machine *m, const struct value *v, size_t i)
{
	uint32_t cell = v->first;

	while (i-- > 0)
		cell = m->cells[cell].next;
	return &m->values[m->cells[cell].value];
}

/* Take n bytes of the pickle; NULL if it has fewer. */
static const char *pickle_take(struct machine *m, uint64_t n)
{
	const char *at = m->at;

	if (n > (uint64_t)(m->end - m->at))
		return NULL;
	m->at += n;
	return at;
}

static int take_text(struct machine *m, size_t size_of_length)
{
	const char *at = pickle_take(m, size_of_length), *text = NULL;
	uint64_t len = at ? array_number(at, size_of_length) : 0;

	if (at)
		text = pickle_take(m, len);
	if (!text)
		return refuse(m, "is cut off");
	push(m, (struct value){ .kind = TEXT, .text = text, .len = (size_t)len });
	return 0;
}

/* is_signed: two's complement. */
static int take_integer(struct machine *m, size_t bytes, bool is_signed)
{
	const char *at = pickle_take(m, bytes);
	uint64_t v;

	if (!at)
		return refuse(m, "is cut off");
	if (bytes > 8)
		return refuse(m, "has a number beyond 64 bits");
	v = array_number(at, bytes);
	if (is_signed && bytes > 0 && bytes < 8 && at[bytes - 1] & 0x80)
		v |= ~0ull << 8 * bytes;
	push(m, (struct value){ .kind = INT, .number = (int64_t)v });
	return 0;
}

/* The number that a value of kind NAME has for this text; -1: the name is not allowed. */
static int find_name(const char *text)
{
	for (int t = 0; t < ARRAY_TYPES && strncmp(text, "torch.", 6) == 0; t++)
		if (strcmp(text + 6, array_types[t].torch) == 0)
			return t;
	if (strcmp(text, "torch._utils._rebuild_tensor_v2") == 0)
		return REBUILD;
	return strcmp(text, "collections.OrderedDict") == 0 ? ORDERED_DICT : -1;
}

/* "collections\nOrderedDict\n" */
static int take_name(struct machine *m)
{
	const char *module = m->at, *name, *end;
	char text[80];
	int which;

	name = memchr(module, '\n', (size_t)(m->end - module));
	end = name ? memchr(name + 1, '\n', (size_t)(m->end - name - 1)) : NULL;
	if (!end)
		return refuse(m, "is cut off");
	m->at = end + 1;
	snprintf(text, sizeof(text), "%.*s.%.*s", (int)(name - module < 60 ? name - module : 60),
		module, (int)(end - name - 1 < 60 ? end - name - 1 : 60), name + 1);
	which = find_name(text);
	return which >= 0 ? push_kind(m, NAME, which) : fail(m->e, -EINVAL, "the pickle names %s: "
		"only plain tensors are read, and no program is run", text);
}

/* ('storage', torch.FloatStorage, '0', 'cpu', 1024): the file '0'. */
static bool is_storage(const struct machine *m, const struct value *v)
{
	static const enum kind wanted[] = { TEXT, NAME, TEXT, TEXT, INT };

	if (v->kind != TUPLE || v->len != ARRAY_LEN(wanted))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
		if (child(m, v, i)->kind != wanted[i])
			return false;
	return child(m, v, 0)->len == 7 && memcmp(child(m, v, 0)->text, "storage", 7) == 0 &&
		child(m, v, 1)->number < ARRAY_TYPES && child(m, v, 4)->number >= 0;
}

static int take_storage(struct machine *m)
{
	const struct value *v = m->n_stack > 0 ? top(m, 0) : NULL;

	if (!v || !is_storage(m, v))
		return refuse(m, "has a storage that is not described as torch does");
	m->n_stack--;
	push(m, (struct value){ .kind = STORAGE, .number = child(m, v, 1)->number,
		.text = child(m, v, 2)->text, .len = child(m, v, 2)->len,
		/* The tuple's cells, to find the number of elements later. */
		.first = v->first });
	return 0;
}

/* Call a name with a tuple, which makes a tensor or an empty dictionary. */
static int call_name(struct machine *m)
{
	const struct value *name, *args;

	if (m->n_stack < 2 || top(m, 0)->kind != TUPLE || top(m, 1)->kind != NAME)
		return refuse(m, "calls what has no name");
	name = top(m, 1);
	args = top(m, 0);
	m->n_stack -= 2;
	if (name->number == REBUILD)
		push(m, (struct value){ .kind = TENSOR, .first = args->first, .len = args->len });
	else if (name->number == ORDERED_DICT && args->len == 0)
		push(m, (struct value){ .kind = DICT });
	else
		return refuse(m, "calls a name in a way that is not known");
	return 0;
}

/* Move the values above a mark, or the n uppermost, to v, or to the container below them. */
static int take_values(struct machine *m, struct value *v, enum kind kind, bool marked, uint32_t n)
{
	if (marked && !count_above_mark(m, &n))
		return refuse(m, "has no mark where one is needed");
	if (m->n_stack < n + marked + !v)
		return refuse(m, "takes more than there is");
	v = v ? v : top(m, n + marked);
	if (v->kind != kind || (kind == DICT && n % 2))
		return refuse(m, "adds to what cannot hold it");
	m->n_stack -= n;
	for (uint32_t i = 0; i < n; i++)
		add_cell(m, v, m->stack[m->n_stack + i]);
	m->n_stack -= marked;
	return 0;
}

static int make_tuple(struct machine *m, bool marked, uint32_t n)
{
	struct value v = { .kind = TUPLE };
	int r = take_values(m, &v, TUPLE, marked, n);

	if (r == 0)
		push(m, v);
	return r;
}

/* Drop an ordered dictionary's attributes (a model's _metadata), which are not tensors. */
static int drop_attributes(struct machine *m)
{
	if (m->n_stack < 2 || top(m, 0)->kind != DICT || top(m, 1)->kind != DICT)
		return refuse(m, "builds what is not known");
	m->n_stack--;
	return 0;
}

static int keep_value(struct machine *m, size_t bytes)
{
	const char *at = pickle_take(m, bytes);
	const uint64_t i = at ? array_number(at, bytes) : 0;

	if (!at || m->n_stack == 0 || i > m->n_memo)
		return refuse(m, "keeps what is not there");
	m->memo[i] = m->stack[m->n_stack - 1];
	m->n_memo += i == m->n_memo;
	return 0;
}

static int pickle_get(struct machine *m, size_t bytes)
{
	const char *at = pickle_take(m, bytes);
	const uint64_t i = at ? array_number(at, bytes) : 0;

	if (!at || i >= m->n_memo)
		return refuse(m, "gets what was not kept");
	m->stack[m->n_stack++] = m->memo[i];
	return 0;
}

static int take_long(struct machine *m)
{
	const char *at = pickle_take(m, 1);

	return at ? take_integer(m, (unsigned char)*at, true) : refuse(m, "is cut off");
}

/* Read one opcode; 1: it was the end. */
static int step(struct machine *m)
{
	const unsigned char op = (unsigned char)*m->at++;

	switch (op) {
	case 0x80:		/* PROTO */
		return pickle_take(m, 1) && m->at[-1] == 2 ? 0 :
			refuse(m, "is of another protocol than 2, which torch.save() writes");
	case '.': return 1;
	case '(': return push_kind(m, MARK, 0);
	case 'N': return push_kind(m, NONE, 0);
	case 0x88: return push_kind(m, BOOL, 1);
	case 0x89: return push_kind(m, BOOL, 0);
	case ')': return push_kind(m, TUPLE, 0);
	case ']': return push_kind(m, LIST, 0);
	case '}': return push_kind(m, DICT, 0);
	case 'K': return take_integer(m, 1, false);
	case 'M': return take_integer(m, 2, false);
	case 'J': return take_integer(m, 4, true);
	case 0x8a: return take_long(m);
	case 'G': return pickle_take(m, 8) ? push_kind(m, REAL, 0) : refuse(m, "is cut off");
	case 'X': return take_text(m, 4);
	case 'c': return take_name(m);
	case 'Q': return take_storage(m);
	case 'R': return call_name(m);
	case 'b': return drop_attributes(m);
	case 0x85: return make_tuple(m, false, 1);
	case 0x86: return make_tuple(m, false, 2);
	case 0x87: return make_tuple(m, false, 3);
	case 't': return make_tuple(m, true, 0);
	case 'a': return take_values(m, NULL, LIST, false, 1);
	case 'e': return take_values(m, NULL, LIST, true, 0);
	case 's': return take_values(m, NULL, DICT, false, 2);
	case 'u': return take_values(m, NULL, DICT, true, 0);
	case 'q': return keep_value(m, 1);
	case 'r': return keep_value(m, 4);
	case 'h': return pickle_get(m, 1);
	case 'j': return pickle_get(m, 4);
	default:
		return fail(m->e, -EINVAL, "the pickle has an opcode, 0x%02x, that plain tensors "
			"do not need", op);
	}
}

/* A tuple of sizes, none below 0. */
static bool take_sizes(const struct machine *m, const struct value *v, int *n,
	size_t out[static ARRAY_DIMS])
{
	if (v->kind != TUPLE || v->len > ARRAY_DIMS)
		return false;
	*n = (int)v->len;
	for (int i = 0; i < *n; i++) {
		const struct value *x = child(m, v, (size_t)i);

		if (x->kind != INT || x->number < 0)
			return false;
		out[i] = (size_t)x->number;
	}
	return true;
}

/* True if all its elements are among those stored, and it has no more than are stored. */
static bool lies_within(struct array *t)
{
	uint64_t last = t->offset, far;

	t->elements = 1;
	for (int i = 0; i < t->n_dims; i++) {
		if (__builtin_mul_overflow(t->elements, t->dims[i], &t->elements))
			return false;
		if (t->dims[i] == 0)
			continue;
		if (__builtin_mul_overflow(t->dims[i] - 1, t->strides[i], &far) ||
			__builtin_add_overflow(last, far, &last))
			return false;
	}
	return t->elements == 0 || (last < t->stored && t->elements <= t->stored);
}

/* _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks[, metadata]) */
static int take_tensor(struct machine *m, const struct value *v, const char *name, struct array *t)
{
	const struct value *storage, *extra;
	int n_strides;

	*t = (struct array){ 0 };
	mem_copy_text(t->name, sizeof(t->name), name);
	if (v->kind != TENSOR)
		return fail(m->e, -EINVAL, "the pickle has %s where a tensor is wanted%s%s",
			kinds[v->kind], *name ? ": " : "", name);
	if ((v->len != 6 && v->len != 7) || child(m, v, 0)->kind != STORAGE ||
		child(m, v, 1)->kind != INT || child(m, v, 1)->number < 0 ||
		!take_sizes(m, child(m, v, 2), &t->n_dims, t->dims) ||
		!take_sizes(m, child(m, v, 3), &n_strides, t->strides) || n_strides != t->n_dims)
		return fail(m->e, -EINVAL, "the pickle's tensor '%s' is not described as "
			"torch does", name);
	extra = v->len == 7 ? child(m, v, 6) : NULL;
	if (extra && extra->kind != NONE && (extra->kind != DICT || extra->len > 0))
		return fail(m->e, -EINVAL, "the pickle's tensor '%s' is conjugated or negated",
			name);
	storage = child(m, v, 0);
	t->type = (enum array_type)storage->number;
	t->offset = (uint64_t)child(m, v, 1)->number;
	t->stored = (uint64_t)child(m, storage, 4)->number;
	if (storage->len == 0 || storage->len >= sizeof(t->storage) ||
		memchr(storage->text, '\0', storage->len))
		return refuse(m, "names a storage as torch does not");
	memcpy(t->storage, storage->text, storage->len);
	if (!lies_within(t))
		return fail(m->e, -EINVAL, "the pickle's tensor '%s' has more than is stored",
			name);
	return 0;
}

static void name_child(const struct machine *m, const struct value *of, size_t i, uint32_t cell,
	char name[static ARRAY_NAME])
{
	const struct value *key = &m->values[m->cells[cell].value];

	if (of->kind == DICT && key->kind == TEXT)
		snprintf(name, ARRAY_NAME, "%.*s", (int)(key->len < ARRAY_NAME ? key->len :
			ARRAY_NAME - 1), key->text);
	else
		snprintf(name, ARRAY_NAME, "%zu", i);
}

static int take_all(struct machine *m, const struct value *v, struct array_file *f)
{
	const size_t each = v->kind == DICT ? 2 : 1;
	char name[ARRAY_NAME];
	uint32_t cell = v->first;
	int r = 0;

	if (v->kind != TUPLE && v->kind != LIST && v->kind != DICT) {
		f->arrays = mem_calloc(1, sizeof(*f->arrays));
		f->n = 1;
		return take_tensor(m, v, "", f->arrays);
	}
	if (v->len / each > m->len / TENSOR_LEAST)
		return fail(m->e, -EINVAL, "the pickle lists %zu tensors, more than its %zu bytes "
			"can describe", v->len / each, m->len);
	f->arrays = mem_calloc(v->len / each + 1, sizeof(*f->arrays));
	for (; r == 0 && f->n < v->len / each; f->n++) {
		name_child(m, v, f->n, cell, name);
		if (each == 2)
			cell = m->cells[cell].next;
		r = take_tensor(m, &m->values[m->cells[cell].value], name, &f->arrays[f->n]);
		cell = m->cells[cell].next;
	}
	return r == 0 && f->n == 0 ? refuse(m, "holds no tensor") : r;
}

int pickle_parse(const char *bytes, size_t len, struct array_file *f, struct error *e)
{
	struct machine m = { .at = bytes, .end = bytes + len, .len = len, .e = e };
	int r = 0;

	if (len > PICKLE_MOST)
		return fail(e, -EINVAL, "a pickle of %zu bytes is too long", len);
	m.values = mem_calloc(len + 1, sizeof(*m.values));
	m.cells = mem_calloc(len + 2, sizeof(*m.cells));
	m.stack = mem_calloc(len + 1, sizeof(*m.stack));
	m.memo = mem_calloc(len + 1, sizeof(*m.memo));
	while (r == 0)
		r = m.at < m.end ? step(&m) : refuse(&m, "is cut off");
	if (r == 1)
		r = m.n_stack == 1 && m.at == m.end ? take_all(&m, top(&m, 0), f) :
			refuse(&m, "does not end in one thing");
	free(m.values);
	free(m.cells);
	free(m.stack);
	free(m.memo);
	return r;
}
