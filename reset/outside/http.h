/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http.h - one request and its answer, by libcurl, which is loaded at the first
 * request.  Bounded in time and in size; no redirects, no proxy.
 */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define HTTP_ANSWER 65536	/* bytes of an answer, at most */

struct http {
	const char *url;
	const char *body;	/* JSON to POST; NULL: a GET */
	const char *user, *password;
	int64_t limit;		/* ns */
};

/* The status (200 ...) with the answer in out, ended by NUL, or -errno. */
int http_call(const struct http *h, char out[static HTTP_ANSWER + 1], struct error *e);
