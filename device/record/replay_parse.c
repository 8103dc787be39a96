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

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
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

static int digit(char c, unsigned base)
{
	int v = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

	return v < (int)base ? v : -1;
}

/* Digits of the base (lower case), at most max. */
static bool line_number(char **at, unsigned base, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;
	const char *start = *at;

	for (int d; (d = digit(**at, base)) >= 0; ++*at) {
		if (v > (max - (uint64_t)d) / base)
			return false;
		v = v * base + (uint64_t)d;
	}
	*out = v;
	return *at > start;
}

/* Decimal, maybe negative. */
static bool line_int(char **at, int *out)
{
	bool negative = line_word(at, "-");
	uint64_t v;

	if (!line_number(at, 10, INT_MAX, &v))
		return false;
	*out = negative ? -(int)v : (int)v;
	return true;
}

/* Hex. */
static bool line_u16(char **at, uint16_t *out)
{
	uint64_t v;

	if (!line_number(at, 16, UINT16_MAX, &v))
		return false;
	*out = (uint16_t)v;
	return true;
}

/* Decode \xNN in place; returns the new length, or -1 at a \ without xNN. */
static ssize_t line_unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		int hi, lo;

		if (*from != '\\') {
			*to = *from++;
			continue;
		}
		if (from[1] != 'x' || (hi = digit(from[2], 16)) < 0 ||
			(lo = digit(from[3], 16)) < 0)
			return -1;
		*to = (char)(hi << 4 | lo);
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
	bool in_page;
	struct error *e;
};

static int bad(struct parser *s, const char *what)
{
	return fail(s->e, -EINVAL, "line %d of the recording: %s", s->line, what);
}

/* Full at 0 elements and at each power of two. */
void *replay_grow(void *array, size_t n, size_t size)
{
	return n & (n - 1) ? array : mem_realloc(array, (n ? 2 * n : 1) * size);
}

static int keep_text(struct parser *s, struct replay_entry *entry)
{
	struct replay *r = s->r;
	ssize_t n = line_unescape(s->p);

	if (n < 0)
		return bad(s, "a \\ that is not \\xNN");
	entry->data = r->texts.len;
	entry->n = (uint32_t)n;
	strbuf_add(&r->texts, s->p, (size_t)n + 1);
	return 0;
}

static void keep_word(struct replay *r, uint32_t word)
{
	r->words = replay_grow(r->words, r->n_words, sizeof(*r->words));
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

static bool take_bdf(struct parser *s, char *bdf, size_t size)
{
	size_t len = strcspn(s->p, " ");

	if (len == 0 || len >= size || strspn(s->p, "0123456789abcdef:.-") < len)
		return false;
	mem_copy_text(bdf, len + 1, s->p);
	if (strcmp(bdf, "-") == 0)
		*bdf = '\0';
	s->p += len;
	return true;
}

static int add_device(struct parser *s, struct device *d)
{
	struct replay *r = s->r;
	const struct device *local = NULL;

	if (d->index < 0 || (size_t)d->index > r->n_devices || d->index >= DEVICE_MAX)
		return bad(s, "devices are numbered one after the other");
	if (d->local < -1 || d->local >= d->index)
		return bad(s, "a remote chip comes after its local one");
	if (d->local >= 0)
		local = &r->devices[d->local];
	if ((d->local >= 0) != !*d->bdf || (local && local->local >= 0))
		return bad(s, "a chip has a BDF, or else a local chip that has one");
	for (size_t i = 0; i < r->n_devices; i++)
		if ((int)i != d->index && (*d->bdf ? strcmp(r->devices[i].bdf, d->bdf) == 0
						   : r->devices[i].local == d->local))
			return bad(s, "this device has another number already");
	if ((size_t)d->index < r->n_devices && (strcmp(r->devices[d->index].bdf, d->bdf) != 0 ||
						       r->devices[d->index].local != d->local))
		return bad(s, "this number belongs to another device");
	d->chip = local ? local->chip : device_chip_of(d->device);
	r->devices[d->index] = *d;
	if ((size_t)d->index == r->n_devices)
		r->n_devices++;
	return 0;
}

static int parse_device(struct parser *s)
{
	struct device d = { 0 };
	uint64_t revision;
	int trouble = 0;

	if (!line_int(&s->p, &d.index) || !line_word(&s->p, " ") ||
		!take_bdf(s, d.bdf, sizeof(d.bdf)) || !line_word(&s->p, " ") ||
		!line_u16(&s->p, &d.vendor) || !line_word(&s->p, ":") ||
		!line_u16(&s->p, &d.device) || !line_word(&s->p, " ") ||
		!line_u16(&s->p, &d.subsys_vendor) || !line_word(&s->p, ":") ||
		!line_u16(&s->p, &d.subsys_device) || !line_word(&s->p, " ") ||
		!line_number(&s->p, 16, UINT8_MAX, &revision) || !line_word(&s->p, " node ") ||
		!line_int(&s->p, &d.node) || !line_word(&s->p, " numa ") ||
		!line_int(&s->p, &d.numa_node) || !line_word(&s->p, " local ") ||
		!line_int(&s->p, &d.local) || !line_word(&s->p, " trouble ") ||
		!line_int(&s->p, &trouble) || !line_word(&s->p, " ") || trouble < DEVICE_FINE ||
		trouble > DEVICE_GONE || d.node < -1 || d.numa_node < -1)
		return bad(s, "not a device");
	if (line_unescape(s->p) < 0)
		return bad(s, "a \\ that is not \\xNN");
	d.revision = (uint8_t)revision;
	d.trouble = (enum device_trouble)trouble;
	mem_copy_text(d.reason, sizeof(d.reason), s->p);
	return add_device(s, &d);
}

static bool take_index(struct parser *s, int *index)
{
	return line_int(&s->p, index) && *index >= 0 && (size_t)*index < s->r->n_devices;
}

static int parse_page(struct parser *s)
{
	struct replay *r = s->r;
	struct replay_page page = { .first = r->n_entries };

	if (s->in_page)
		return bad(s, "a page within a page");
	if (!take_index(s, &page.device))
		return bad(s, "a page of a device that is not in the recording");
	r->pages = replay_grow(r->pages, r->n_pages, sizeof(*r->pages));
	r->pages[r->n_pages++] = page;
	s->in_page = true;
	return end_of_line(s);
}

static int parse_end(struct parser *s)
{
	struct replay_page *page;

	if (!s->in_page)
		return bad(s, "an end outside of a page");
	page = &s->r->pages[s->r->n_pages - 1];
	page->n = s->r->n_entries - page->first;
	s->in_page = false;
	return 0;
}

static int parse_holders(struct parser *s)
{
	struct replay *r = s->r;
	struct replay_holders h = { .first = r->n_words, .pinned = -ENODATA };
	uint64_t pid;
	int result;

	if (!take_index(s, &h.device))
		return bad(s, "holders of a device that is not in the recording");
	h.partial = line_word(&s->p, " partial");
	if (take_result(s, &result) < 0)
		return -EINVAL;
	h.result = result;
	while (result == 0 && line_word(&s->p, " ")) {
		if (!line_number(&s->p, 10, INT_MAX, &pid))
			return bad(s, "not a process");
		keep_word(r, (uint32_t)pid);
		h.result++;
	}
	r->holders = replay_grow(r->holders, r->n_holders, sizeof(*r->holders));
	r->holders[r->n_holders++] = h;
	return end_of_line(s);
}

static struct replay_holders *last_holders(const struct replay *r, int device)
{
	for (size_t i = r->n_holders; i > 0; i--)
		if (r->holders[i - 1].device == device)
			return &r->holders[i - 1];
	return NULL;
}

static int parse_pinned(struct parser *s)
{
	struct replay_holders *h = NULL;
	ssize_t left;
	int device;

	if (take_index(s, &device))
		h = last_holders(s->r, device);
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

static int parse_attr(struct parser *s, struct replay_entry *entry)
{
	size_t len = strcspn(s->p, " ");
	char name[64] = "";

	if (len < sizeof(name))
		mem_copy_text(name, len + 1, s->p);
	entry->attr = (uint8_t)attr_find(name);
	if (entry->attr == ATTR_NONE)
		return bad(s, "unknown attribute");
	s->p += len;
	if (take_result(s, &entry->result) < 0)
		return -EINVAL;
	if (entry->result < 0)
		return end_of_line(s);
	return line_word(&s->p, " ") ? keep_text(s, entry) : bad(s, "no value");
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

static int parse_acquire(struct parser *s, struct replay_entry *entry)
{
	if (take_result(s, &entry->result) < 0)
		return -EINVAL;
	if (entry->result < 0 && line_word(&s->p, " ")) {
		entry->code = take_code(s);
		return keep_text(s, entry);
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

static int parse_read(struct parser *s, struct replay_entry *entry)
{
	uint64_t n, word;

	if (!take_address(s, &entry->at) || !line_number(&s->p, 10, UINT32_MAX, &n))
		return bad(s, "not a register");
	entry->n = (uint32_t)n;
	entry->data = s->r->n_words;
	if (take_result(s, &entry->result) < 0)
		return -EINVAL;
	for (uint64_t i = 0; entry->result == 0 && i < n; i++) {
		if (!line_word(&s->p, " ") || !line_number(&s->p, 16, UINT32_MAX, &word))
			return bad(s, "fewer words than were read");
		keep_word(s->r, (uint32_t)word);
	}
	return end_of_line(s);
}

static int parse_write(struct parser *s, struct replay_entry *entry)
{
	uint64_t word;

	if (!take_address(s, &entry->at) || !line_number(&s->p, 16, UINT32_MAX, &word))
		return bad(s, "not a register");
	entry->data = word;
	entry->n = 1;
	return take_result(s, &entry->result) < 0 ? -EINVAL : end_of_line(s);
}

static int parse_access(struct parser *s)
{
	static const struct {
		const char *word;
		enum replay_verb verb;
		int (*parse)(struct parser *s, struct replay_entry *entry);
	} verbs[] = {
		{ "attr ", REPLAY_ATTR, parse_attr },
		{ "read ", REPLAY_READ, parse_read },
		{ "acquire", REPLAY_ACQUIRE, parse_acquire },
		{ "write ", REPLAY_WRITE, parse_write },
	};
	struct replay *r = s->r;

	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		struct replay_entry entry = { .verb = (uint8_t)verbs[i].verb };
		int result;

		if (!line_word(&s->p, verbs[i].word))
			continue;
		if (!s->in_page)
			return bad(s, "an access outside of a page");
		result = verbs[i].parse(s, &entry);
		if (result < 0)
			return result;
		r->entries = replay_grow(r->entries, r->n_entries, sizeof(*r->entries));
		r->entries[r->n_entries++] = entry;
		return 0;
	}
	return bad(s, "unknown word");
}

static int parse_line(struct parser *s)
{
	if (s->line == 1)
		return strcmp(s->p, "tt-smi recording 1") == 0
			? 0 : bad(s, "not a recording of this tool, or of a newer one");
	if (*s->p == '#' || *s->p == '\0')
		return 0;
	if (line_word(&s->p, "driver ")) {
		if (line_unescape(s->p) < 0)
			return bad(s, "a \\ that is not \\xNN");
		mem_copy_text(s->r->driver, sizeof(s->r->driver), s->p);
		return 0;
	}
	if (line_word(&s->p, "device "))
		return parse_device(s);
	if (line_word(&s->p, "look "))
		return parse_page(s);
	if (strcmp(s->p, "end") == 0)
		return parse_end(s);
	if (line_word(&s->p, "holders "))
		return parse_holders(s);
	return line_word(&s->p, "pinned ") ? parse_pinned(s) : parse_access(s);
}

int replay_parse(const char *text, size_t len, void *out, struct error *e)
{
	struct parser s = { .r = mem_calloc(1, sizeof(*s.r)), .e = e };
	char *copy = mem_calloc(len + 1, 1), *next = copy;
	int r = 0;

	memcpy(copy, text, len);
	s.r->devices = mem_calloc(DEVICE_MAX, sizeof(*s.r->devices));
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
		r = parse_line(&s);
	}
	if (s.in_page)
		s.r->n_pages--;
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
	free(r->devices);
	free(r->entries);
	free(r->words);
	strbuf_clear(&r->texts);
	free(r->pages);
	free(r->holders);
	free(r);
}
