/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - JSON in (cJSON, hidden in json.c) and JSON out.
 *
 * The writer prints one key a line, four spaces a level, `"key": value` with
 * one space, because people grep our snapshots.  A compact writer prints
 * everything on one line.  Writing never fails: it fills a strbuf.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_out {
	struct strbuf *to;
	bool compact;		/* all on one line */
	int depth;
	bool first;		/* nothing yet at this level */
	bool whole;		/* no list limits it: it stays on this machine */
	const char *array;	/* key of the last array that was begun */
};

void json_out_init(struct json_out *j, struct strbuf *to, bool compact);

/* Whatever is written from now on as text goes through this: another text, or NULL for null. */
void json_set_list(const char *(*list)(const char *key, const char *text));

/* key is NULL inside an array and for the outermost value; keys are written as they are. */
void json_begin(struct json_out *j, const char *key, char bracket);	/* '{' or '[' */
void json_end(struct json_out *j, char bracket);			/* '}' or ']' */
void json_text(struct json_out *j, const char *key, const char *value);	/* NULL is null */
void json_code(struct json_out *j, enum code code);	/* "code", beside its text; or null */
void json_int(struct json_out *j, const char *key, int64_t value);
void json_decimal(struct json_out *j, const char *key, int64_t value, int64_t scale);

/* A string: value / scale as printf("%*.*f") prints it: " 25.0"; scale is a power of ten. */
void json_fixed(struct json_out *j, const char *key, int64_t value, int64_t scale, int decimals,
	int width);
void json_hex(struct json_out *j, const char *key, uint64_t value);	/* "0x1f", lower case */
void json_bool(struct json_out *j, const char *key, bool value);
void json_null(struct json_out *j, const char *key);

/*
 * Reading.  A node belongs to its document.  Every getter accepts NULL and a
 * node of the wrong type, and then reports the value as absent.
 */
struct json;			/* a parsed document or any node of it */

/* Bytes of a document, which takes up to 42 times its size; a snapshot of 320 chips has 13 MB. */
enum { JSON_MOST = 32 << 20 };

/* -EINVAL: it is not JSON; -EFBIG: it is longer than JSON_MOST. */
int json_parse(const char *text, size_t len, struct json **doc, struct error *e);
void json_free(struct json *doc);

const struct json *json_get(const struct json *object, const char *key);
const struct json *json_child(const struct json *node);		/* first member or element */
const struct json *json_next(const struct json *node);
const char *json_key(const struct json *member);
bool json_is_object(const struct json *node);
bool json_is_array(const struct json *node);
bool json_is_null(const struct json *node);
const char *json_get_text(const struct json *node);		/* NULL if not a string */
bool json_get_bool(const struct json *node, bool *out);
bool json_get_number(const struct json *node, double *out);	/* numbers only */

/* A number, or a string that holds one (" 85", "0.70"), in units of 1/scale. */
bool json_get_scaled(const struct json *node, int64_t scale, int64_t *out);

/* "0x3f59ea" or a non-negative whole number. */
bool json_get_word(const struct json *node, uint32_t *out);
