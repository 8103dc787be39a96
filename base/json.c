/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/json.h"

#include "base/dl.h"
#include "base/mem.h"
#include "base/parse.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <string.h>

static const char *(*list)(const char *key, const char *text);

void json_set_list(const char *(*of)(const char *key, const char *text))
{
	list = of;
}

/* What may be written of a text; an element of an array goes by the array's key. */
static const char *listed(const struct json_out *j, const char *key, const char *text)
{
	return list && !j->whole ? list(key ? key : j->array, text) : text;
}

void json_out_init(struct json_out *j, struct strbuf *to, bool compact)
{
	*j = (struct json_out){ .to = to, .compact = compact, .first = true };
}

/* Put the comma, newline, indent and key in front of a value, in one piece. */
static void lead(struct json_out *j, const char *key)
{
	size_t indent = j->compact || j->depth <= 0 ? 0 : (size_t)j->depth * 4;
	size_t len = key ? strlen(key) : 0;
	char *at = strbuf_room(j->to, indent + len + 8);

	if (!j->first) {
		*at++ = ',';
		if (j->compact)
			*at++ = ' ';
	}
	if (indent > 0) {
		*at++ = '\n';
		memset(at, ' ', indent);
		at += indent;
	}
	j->first = false;
	if (key) {
		*at++ = '"';
		memcpy(at, key, len);
		at += len;
		*at++ = '"';
		*at++ = ':';
		*at++ = ' ';
	}
	strbuf_took(j->to, at);
}

void json_begin(struct json_out *j, const char *key, char bracket)
{
	lead(j, key);
	if (bracket == '[')
		j->array = key;
	strbuf_putc(j->to, bracket);
	j->depth++;
	j->first = true;
}

void json_end(struct json_out *j, char bracket)
{
	bool empty = j->first;

	j->depth--;
	j->first = true;
	if (!empty && !j->compact) {
		int depth = j->depth;

		strbuf_putc(j->to, '\n');
		for (; depth > 0; depth--)
			strbuf_add(j->to, "    ", 4);
	}
	strbuf_putc(j->to, bracket);
	j->first = false;
	if (j->depth == 0)
		strbuf_putc(j->to, '\n');
}

/* A code point beyond 16 bits is a pair of surrogates. */
static void put_code(struct strbuf *to, uint32_t c)
{
	if (c > 0xffff) {
		strbuf_printf(to, "\\u%04x", 0xd7c0 + (c >> 10));
		c = 0xdc00 + (c & 0x3ff);
	}
	strbuf_printf(to, "\\u%04x", c);
}

static void put_quoted(struct strbuf *to, const char *value)
{
	const unsigned char *p = (const unsigned char *)value;

	strbuf_putc(to, '"');
	while (*p) {
		const unsigned char *plain = p;
		size_t n;

		while (*p >= 0x20 && *p < 0x7f && *p != '"' && *p != '\\')
			p++;
		strbuf_add(to, (const char *)plain, (size_t)(p - plain));
		if (!*p)
			break;
		n = utf8_len((const char *)p);
		if (*p == '"' || *p == '\\') {
			strbuf_putc(to, '\\');
			strbuf_putc(to, (char)*p++);
		} else if (n == 0) {
			strbuf_puts(to, "\\ufffd");
			p++;
		} else if (utf8_len_printed((const char *)p) == 0) {
			put_code(to, utf8_code((const char *)p, n));
			p += n;
		} else {
			strbuf_add(to, (const char *)p, n);
			p += n;
		}
	}
	strbuf_putc(to, '"');
}

void json_text(struct json_out *j, const char *key, const char *value)
{
	value = listed(j, key, value);
	lead(j, key);
	if (value)
		put_quoted(j->to, value);
	else
		strbuf_add(j->to, "null", 4);
}

void json_code(struct json_out *j, enum code code)
{
	json_text(j, "code", code != CODE_NONE ? code_word(code) : NULL);
}

void json_int(struct json_out *j, const char *key, int64_t value)
{
	lead(j, key);
	strbuf_put_i64(j->to, value);
}

void json_decimal(struct json_out *j, const char *key, int64_t value, int64_t scale)
{
	lead(j, key);
	strbuf_put_decimal(j->to, value, scale);
}

void json_fixed(struct json_out *j, const char *key, int64_t value, int64_t scale, int decimals,
	int width)
{
	char text[STRBUF_NUMBER];

	lead(j, key);
	strbuf_rounded(text, value, scale, decimals);
	strbuf_putc(j->to, '"');
	for (size_t len = strlen(text); len < (size_t)(width > 0 ? width : 0); len++)
		strbuf_putc(j->to, ' ');
	strbuf_puts(j->to, text);
	strbuf_putc(j->to, '"');
}

void json_hex(struct json_out *j, const char *key, uint64_t value)
{
	char text[24], *at = text + sizeof(text);

	*--at = '\0';
	do {
		*--at = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	*--at = 'x';
	*--at = '0';
	json_text(j, key, at);
}

void json_bool(struct json_out *j, const char *key, bool value)
{
	lead(j, key);
	strbuf_puts(j->to, value ? "true" : "false");
}

void json_null(struct json_out *j, const char *key)
{
	json_text(j, key, NULL);
}

/* Only reading needs the library, so a snapshot starts without it. */
#define JSON_FUNCTIONS(F) F(cJSON_ParseWithLengthOpts) F(cJSON_Delete)
DL_LIBRARY(DL_CJSON, JSON_FUNCTIONS)

/* struct json is cJSON under our own name, so that the header does not need cJSON's. */
static const cJSON *node_of(const struct json *j)
{
	return (const cJSON *)(const void *)j;
}

static const struct json *json_of(const cJSON *c)
{
	return (const struct json *)(const void *)c;
}

static bool is_any(const struct json *node, int types)
{
	return node && (node_of(node)->type & 0xff & types) != 0;
}

int json_parse(const char *text, size_t len, struct json **doc, struct error *e)
{
	const char *end = NULL;
	cJSON *c;
	int r = lib_load(e);

	*doc = NULL;
	if (r < 0)
		return r;
	if (len > JSON_MOST)
		return fail(e, -EFBIG, "larger than %d MB", JSON_MOST >> 20);
	if (memchr(text, '\0', len))
		return fail(e, -EINVAL, "not JSON: a NUL byte in the text");
	c = lib.cJSON_ParseWithLengthOpts(text, len, &end, false);
	if (!c) {
		int line = 1;

		for (const char *p = text; end && p < end; p++)
			line += *p == '\n';
		return fail(e, -EINVAL, "not JSON: line %d", line);
	}
	while (end < text + len && strchr(" \t\r\n", *end))
		end++;
	if (end != text + len) {
		lib.cJSON_Delete(c);
		return fail(e, -EINVAL, "not JSON: text after the end");
	}
	*doc = (struct json *)(void *)c;
	return 0;
}

void json_free(struct json *doc)
{
	if (doc)
		lib.cJSON_Delete((cJSON *)(void *)doc);
}

const struct json *json_get(const struct json *object, const char *key)
{
	const struct json *member = json_is_object(object) ? json_child(object) : NULL;

	while (member && (!json_key(member) || strcmp(json_key(member), key) != 0))
		member = json_next(member);
	return member;
}

const struct json *json_child(const struct json *node)
{
	return node ? json_of(node_of(node)->child) : NULL;
}

const struct json *json_next(const struct json *node)
{
	return node ? json_of(node_of(node)->next) : NULL;
}

const char *json_key(const struct json *member)
{
	return member ? node_of(member)->string : NULL;
}

bool json_is_object(const struct json *node)
{
	return is_any(node, cJSON_Object);
}

bool json_is_array(const struct json *node)
{
	return is_any(node, cJSON_Array);
}

bool json_is_null(const struct json *node)
{
	return is_any(node, cJSON_NULL);
}

const char *json_get_text(const struct json *node)
{
	return is_any(node, cJSON_String) ? node_of(node)->valuestring : NULL;
}

bool json_get_bool(const struct json *node, bool *out)
{
	if (!is_any(node, cJSON_True | cJSON_False))
		return false;
	*out = is_any(node, cJSON_True);
	return true;
}

bool json_get_number(const struct json *node, double *out)
{
	if (!is_any(node, cJSON_Number))
		return false;
	*out = node_of(node)->valuedouble;
	return true;
}

bool json_get_scaled(const struct json *node, int64_t scale, int64_t *out)
{
	const char *text = json_get_text(node);
	double v;

	if (text)
		return parse_decimal(text + strspn(text, " "), scale, out);
	if (!json_get_number(node, &v) || !(v < 9e18 / (double)scale && v > -9e18 / (double)scale))
		return false;
	v *= (double)scale;
	*out = (int64_t)(v < 0 ? v - 0.5 : v + 0.5);
	return true;
}

bool json_get_word(const struct json *node, uint32_t *out)
{
	const char *text = json_get_text(node);
	uint64_t v;
	double d;

	if (text) {
		if (strncmp(text, "0x", 2) != 0 || !parse_hex(text, &v) || v > UINT32_MAX)
			return false;
		*out = (uint32_t)v;
		return true;
	}
	if (!json_get_number(node, &d) || !(d >= 0 && d <= (double)UINT32_MAX) ||
		d != (double)(uint32_t)d)
		return false;
	*out = (uint32_t)d;
	return true;
}
