/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_parse.c - parse a recording's text into tables; record.c has the format.
 * Recordings come by mail from strangers, so nothing in them is trusted.
 *
 * This file has over 400 lines because each kind of line has its function.
 */
#include "config.h"

#include "base/mem.h"
#include "device/bus.h"
#include "device/record/record.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Small steps: take an expected item off the front of a text, or return false. */

static bool line_word(char **at, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(*at, text, len) != 0)
		return false;
	*at += len;
	return true;
}

/* Digits of the base, without a sign; at most max. */
static bool line_number(char **at, int base, uint64_t max, uint64_t *out)
{
	char *end = *at;

	errno = 0;
	if (isxdigit((unsigned char)**at))
		*out = strtoull(*at, &end, base);
	if (end == *at || errno || *out > max)
		return false;
	*at = end;
	return true;
}

/* Decode \xNN in place; returns the new length, or -1 at a \ without xNN. */
static ssize_t line_unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		unsigned byte;

		if (*from != '\\') {
			*to = *from++;
			continue;
		}
		if (from[1] != 'x' || !isxdigit((unsigned char)from[2]) ||
			!isxdigit((unsigned char)from[3]) || sscanf(from + 2, "%2x", &byte) != 1)
			return -1;
		*to = (char)byte;
		from += 4;
	}
	*to = '\0';
	return to - text;
}

/* The kinds of line. */

#define RESULT_MAX 4095		/* largest errno */

struct parser {
	struct replay *r;
	char *p;			/* the rest of the line */
	int line;
	struct replay_track *in_page;	/* of the page that is open, or NULL */
	struct replay_entry entry;	/* of the line, if that is an access */
	struct error *e;
};

static int bad(struct parser *s, const char *what)
{
	return fail(s->e, -EINVAL, "line %d of the recording: %s", s->line, what);
}

/* Make room for one more element in an array that has n; it is full at 0 and powers of two. */
static void *grow(void *array, size_t n, size_t size)
{
	return n & (n - 1) ? array : mem_realloc(array, (n ? 2 * n : 1) * size);
}

static int keep_text(struct parser *s)
{
	struct replay *r = s->r;
	ssize_t n = line_unescape(s->p);

	if (n < 0)
		return bad(s, "a \\ that is not \\xNN");
	s->entry.data = r->texts.len;
	s->entry.n = (uint32_t)n;
	strbuf_add(&r->texts, s->p, (size_t)n + 1);
	return 0;
}

static void keep_word(struct replay *r, uint32_t word)
{
	r->words = grow(r->words, r->n_words, sizeof(*r->words));
	r->words[r->n_words++] = word;
}

/* " =" leaves *result at 0; " ! 61" sets it to -61. */
static int take_result(struct parser *s, int *result)
{
	uint64_t v;

	*result = 0;
	if (line_word(&s->p, " ="))
		return 0;
	if (!line_word(&s->p, " ! ") || !line_number(&s->p, 10, RESULT_MAX, &v) || v == 0)
		return bad(s, "neither \"=\" nor \"! ERRNO\" follows");
	*result = -(int)v;
	return 0;
}

static int end_of_line(struct parser *s)
{
	return *s->p ? bad(s, "more than belongs there") : 0;
}

bool replay_has(const struct replay *r, int index)
{
	return (size_t)index < r->n_devices &&
		(*r->devices[index].bdf || r->devices[index].local >= 0);
}

static int add_device(struct parser *s, struct device *d)
{
	struct replay *r = s->r;
	const struct device *local = NULL;

	if (d->index < 0 || d->index >= DEVICE_MAX)
		return bad(s, "no device has this number");
	if (d->local < -1 || d->local >= d->index || (d->local >= 0 && !replay_has(r, d->local)))
		return bad(s, "a remote chip comes after its local one");
	if (d->local >= 0)
		local = &r->devices[d->local];
	if ((d->local >= 0) != !*d->bdf || (local && local->local >= 0))
		return bad(s, "a chip has a BDF, or else a local chip that has one");
	for (size_t i = 0; i < r->n_devices; i++)
		if ((int)i != d->index && (*d->bdf ? strcmp(r->devices[i].bdf, d->bdf) == 0
						   : r->devices[i].local == d->local))
			return bad(s, "this device has another number already");
	if (replay_has(r, d->index) && (strcmp(r->devices[d->index].bdf, d->bdf) != 0 ||
					      r->devices[d->index].local != d->local))
		return bad(s, "this number belongs to another device");
	for (; r->n_devices <= (size_t)d->index; r->n_devices++) {
		r->devices[r->n_devices].index = (int)r->n_devices;
		r->devices[r->n_devices].local = -1;
	}
	d->chip = local ? local->chip : device_chip_of(d->device);
	r->devices[d->index] = *d;
	return 0;
}

static int parse_driver(struct parser *s)
{
	if (line_unescape(s->p) < 0)
		return bad(s, "a \\ that is not \\xNN");
	mem_copy_text(s->r->driver, sizeof(s->r->driver), s->p);
	return 0;
}

static int parse_device(struct parser *s)
{
	struct device d = { 0 };
	int trouble, at = 0;

	sscanf(s->p, "%9d %15[0-9a-f:.-] %4hx:%4hx %4hx:%4hx %2hhx node %9d numa %9d local %9d "
		"trouble %9d%n", &d.index, d.bdf, &d.vendor, &d.device, &d.subsys_vendor,
		&d.subsys_device, &d.revision, &d.node, &d.numa_node, &d.local, &trouble, &at);
	if (at == 0 || s->p[at] != ' ' || trouble < DEVICE_FINE || trouble > DEVICE_GIVEN ||
		d.node < -1 || d.numa_node < -1)
		return bad(s, "not a device");
	s->p += at + 1;
	if (line_unescape(s->p) < 0)
		return bad(s, "a \\ that is not \\xNN");
	if (strcmp(d.bdf, "-") == 0)
		*d.bdf = '\0';
	d.trouble = (enum device_trouble)trouble;
	mem_copy_text(d.reason, sizeof(d.reason), s->p);
	return add_device(s, &d);
}

/* The track of a device by its number, or NULL. */
static struct replay_track *take_track(struct parser *s)
{
	uint64_t index;

	return line_number(&s->p, 10, INT_MAX, &index) && replay_has(s->r, (int)index)
		? &s->r->tracks[index] : NULL;
}

static int parse_page(struct parser *s)
{
	struct replay_track *t;

	if (s->in_page)
		return bad(s, "a page within a page");
	t = take_track(s);
	if (!t)
		return bad(s, "a page of a device that is not in the recording");
	t->pages = grow(t->pages, t->n_pages, sizeof(*t->pages));
	t->pages[t->n_pages++] = (struct replay_page){ .first = s->r->n_entries };
	s->in_page = t;
	return end_of_line(s);
}

static int parse_end(struct parser *s)
{
	struct replay_page *page;

	if (!s->in_page)
		return bad(s, "an end outside of a page");
	page = &s->in_page->pages[s->in_page->n_pages - 1];
	page->n = s->r->n_entries - page->first;
	s->in_page = NULL;
	return end_of_line(s);
}

static int parse_holders(struct parser *s)
{
	struct replay_holders h = { .first = s->r->n_words, .pinned = -ENODATA };
	struct replay_track *t = take_track(s);
	uint64_t pid;
	int result;

	if (!t)
		return bad(s, "holders of a device that is not in the recording");
	h.partial = line_word(&s->p, " partial");
	if (take_result(s, &result) < 0)
		return -EINVAL;
	h.result = result;
	while (result == 0 && line_word(&s->p, " ")) {
		if (!line_number(&s->p, 10, INT_MAX, &pid))
			return bad(s, "not a process");
		keep_word(s->r, (uint32_t)pid);
		h.result++;
	}
	t->holders = grow(t->holders, t->n_holders, sizeof(*t->holders));
	t->holders[t->n_holders++] = h;
	return end_of_line(s);
}

static int parse_pinned(struct parser *s)
{
	const struct replay_track *t = take_track(s);
	struct replay_holders *h = t && t->n_holders ? &t->holders[t->n_holders - 1] : NULL;
	ssize_t left;

	if (!h || h->result <= 0 || h->first_pinned)
		return bad(s, "pinned memory of no processes");
	if (take_result(s, &h->pinned) < 0)
		return -EINVAL;
	h->first_pinned = s->r->n_words;
	for (left = h->pinned < 0 ? 0 : h->result; left > 0 && line_word(&s->p, " "); left--) {
		uint64_t bytes = UINT64_MAX;

		if (!line_word(&s->p, "-") && !line_number(&s->p, 10, INT64_MAX, &bytes))
			return bad(s, "not a number of bytes");
		keep_word(s->r, (uint32_t)bytes);
		keep_word(s->r, (uint32_t)(bytes >> 32));
	}
	return left > 0 ? bad(s, "not as many as there are processes") : end_of_line(s);
}

static int parse_attr(struct parser *s)
{
	size_t len = strcspn(s->p, " ");
	char name[64] = "";

	if (len < sizeof(name))
		mem_copy_text(name, len + 1, s->p);
	s->entry.attr = (uint8_t)attr_find(name);
	if (s->entry.attr == ATTR_NONE)
		return bad(s, "unknown attribute");
	s->p += len;
	if (take_result(s, &s->entry.result) < 0)
		return -EINVAL;
	if (s->entry.result < 0)
		return end_of_line(s);
	return line_word(&s->p, " ") ? keep_text(s) : bad(s, "no value");
}

/* "[held] ", if it is there. */
static enum code take_code(struct parser *s)
{
	const size_t len = s->p[0] == '[' ? strcspn(s->p, "]") : 0;
	enum code code;
	char word[32];

	if (len < 2 || len > sizeof(word) || s->p[len] != ']' || s->p[len + 1] != ' ')
		return CODE_NONE;
	mem_copy_text(word, len, s->p + 1);
	code = code_named(word);
	if (code != CODE_NONE)
		s->p += len + 2;
	return code;
}

static int parse_acquire(struct parser *s)
{
	if (take_result(s, &s->entry.result) < 0)
		return -EINVAL;
	if (s->entry.result < 0 && line_word(&s->p, " ")) {
		s->entry.code = take_code(s);
		return keep_text(s);
	}
	return end_of_line(s);
}

static bool take_address(struct parser *s, struct reg_addr *at)
{
	uint64_t x = 0, y = 0;

	*at = (struct reg_addr){ .space = REG_BAR0 };
	if (!line_word(&s->p, "bar0")) {
		if (!line_number(&s->p, 10, UINT8_MAX, &x) || !line_word(&s->p, ",") ||
		    !line_number(&s->p, 10, UINT8_MAX, &y))
			return false;
		*at = (struct reg_addr){ REG_NOC, (uint8_t)x, (uint8_t)y, 0 };
	}
	return line_word(&s->p, " ") && line_number(&s->p, 16, UINT64_MAX, &at->addr) &&
	       line_word(&s->p, " ");
}

static int parse_read(struct parser *s)
{
	uint64_t n, word;

	if (!take_address(s, &s->entry.at) || !line_number(&s->p, 10, UINT32_MAX, &n))
		return bad(s, "not a register");
	s->entry.n = (uint32_t)n;
	s->entry.data = s->r->n_words;
	if (take_result(s, &s->entry.result) < 0)
		return -EINVAL;
	for (uint64_t i = 0; s->entry.result == 0 && i < n; i++) {
		if (!line_word(&s->p, " ") || !line_number(&s->p, 16, UINT32_MAX, &word))
			return bad(s, "fewer words than were read");
		keep_word(s->r, (uint32_t)word);
	}
	return end_of_line(s);
}

static int parse_write(struct parser *s)
{
	uint64_t word;

	if (!take_address(s, &s->entry.at) || !line_number(&s->p, 16, UINT32_MAX, &word))
		return bad(s, "not a register");
	s->entry.data = word;
	s->entry.n = 1;
	return take_result(s, &s->entry.result) < 0 ? -EINVAL : end_of_line(s);
}

static int parse_line(struct parser *s)
{
	static const struct {
		const char *word;
		int (*parse)(struct parser *s);
		enum replay_verb verb;		/* REPLAY_NONE: not an access */
	} kinds[] = {
		{ "attr ", parse_attr, REPLAY_ATTR }, { "read ", parse_read, REPLAY_READ },
		{ "acquire", parse_acquire, REPLAY_ACQUIRE },
		{ "write ", parse_write, REPLAY_WRITE },
		{ "driver ", parse_driver, REPLAY_NONE }, { "device ", parse_device, REPLAY_NONE },
		{ "look ", parse_page, REPLAY_NONE }, { "end", parse_end, REPLAY_NONE },
		{ "holders ", parse_holders, REPLAY_NONE },
		{ "pinned ", parse_pinned, REPLAY_NONE },
	};
	struct replay *r = s->r;

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		int result;

		if (!line_word(&s->p, kinds[i].word))
			continue;
		s->entry = (struct replay_entry){ .verb = (uint8_t)kinds[i].verb };
		if (kinds[i].verb && !s->in_page)
			return bad(s, "an access outside of a page");
		result = kinds[i].parse(s);
		if (result < 0 || !kinds[i].verb)
			return result;
		r->entries = grow(r->entries, r->n_entries, sizeof(*r->entries));
		r->entries[r->n_entries++] = s->entry;
		return 0;
	}
	return *s->p == '#' || *s->p == '\0' ? 0 : bad(s, "unknown word");
}

int replay_parse(const char *text, size_t len, void *out, struct error *e)
{
	struct parser s = { .r = mem_calloc(1, sizeof(*s.r)), .e = e };
	char *copy = mem_calloc(len + 1, 1), *next = copy;
	int r = 0;

	memcpy(copy, text, len);
	if (len == 0 || memchr(text, '\0', len))
		r = fail(e, -EINVAL, "not a recording");
	while (r == 0 && *next) {
		char *newline = strchr(next, '\n');

		s.line++;
		s.p = next;
		next = newline ? newline + 1 : next + strlen(next);
		if (!newline && s.line > 1)
			break;		/* cut short within a line by a killed process */
		if (newline)
			*newline = '\0';
		if (s.line > 1)
			r = parse_line(&s);
		else if (strcmp(s.p, "tt-smi recording 1") != 0)
			r = bad(&s, "not a recording of this tool, or of a newer one");
	}
	if (s.in_page)
		s.in_page->n_pages--;
	free(copy);
	if (r < 0)
		replay_free(s.r);
	else
		*(struct replay **)out = s.r;
	return r;
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_devices; i++) {
		free(r->tracks[i].pages);
		free(r->tracks[i].holders);
	}
	free(r->entries);
	free(r->words);
	strbuf_clear(&r->texts);
	free(r);
}
