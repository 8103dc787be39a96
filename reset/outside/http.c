/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "reset/outside/http.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/dl.h"

/* CURLOPT_PROTOCOLS has a successor, which Ubuntu 22.04's libcurl does not know. */
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <errno.h>
#include <string.h>

static struct {
	__typeof__(curl_easy_init) *init;
	__typeof__(curl_easy_setopt) *setopt;
	__typeof__(curl_easy_perform) *perform;
	__typeof__(curl_easy_getinfo) *getinfo;
	__typeof__(curl_easy_cleanup) *cleanup;
	__typeof__(curl_easy_strerror) *strerror;
	__typeof__(curl_slist_append) *append;
	__typeof__(curl_slist_free_all) *free_all;
} curl;

static int http_load(struct error *e)
{
	static const struct dl_slot slots[] = {
		{ "curl_easy_init", &curl.init }, { "curl_easy_setopt", &curl.setopt },
		{ "curl_easy_perform", &curl.perform }, { "curl_easy_getinfo", &curl.getinfo },
		{ "curl_easy_cleanup", &curl.cleanup },
		{ "curl_easy_strerror", &curl.strerror },
		{ "curl_slist_append", &curl.append },
		{ "curl_slist_free_all", &curl.free_all },
	};

	return curl.free_all ? 0 : dl_load(DL_CURL, slots, ARRAY_LEN(slots), e);
}

struct answer {
	char *text;
	size_t len, headers;	/* bytes */
};

static size_t http_take_bytes(char *data, size_t size, size_t n, void *arg)
{
	struct answer *a = arg;

	/* Returning less than was given ends the transfer. */
	if (size * n > HTTP_ANSWER - a->len)
		return 0;
	memcpy(a->text + a->len, data, size * n);
	a->len += size * n;
	return size * n;
}

/* libcurl keeps all headers, so limit them as well; we need nothing from them. */
static size_t take_header(char *data, size_t size, size_t n, void *arg)
{
	struct answer *a = arg;

	(void)data;
	a->headers += size * n;
	return a->headers > HTTP_ANSWER ? 0 : size * n;
}

static int perform(CURL *c, const struct http *h, struct answer *a, struct error *e)
{
	struct curl_slist *headers = curl.append(NULL, "Content-Type: application/json");
	long status = 0, ms = h->limit < CLOCK_MS ? 1 : (long)(h->limit / CLOCK_MS);
	CURLcode r;

	curl.setopt(c, CURLOPT_URL, h->url);
	curl.setopt(c, CURLOPT_PROTOCOLS, (long)CURLPROTO_HTTP);
	curl.setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl.setopt(c, CURLOPT_PROXY, "");
	curl.setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl.setopt(c, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
	curl.setopt(c, CURLOPT_USERNAME, h->user);
	curl.setopt(c, CURLOPT_PASSWORD, h->password);
	curl.setopt(c, CURLOPT_TIMEOUT_MS, ms);
	curl.setopt(c, CURLOPT_CONNECTTIMEOUT_MS, ms);
	curl.setopt(c, CURLOPT_WRITEFUNCTION, http_take_bytes);
	curl.setopt(c, CURLOPT_WRITEDATA, (void *)a);
	curl.setopt(c, CURLOPT_HEADERFUNCTION, take_header);
	curl.setopt(c, CURLOPT_HEADERDATA, (void *)a);
	if (h->body) {
		curl.setopt(c, CURLOPT_HTTPHEADER, headers);
		curl.setopt(c, CURLOPT_POSTFIELDS, h->body);
	}
	r = curl.perform(c);
	curl.getinfo(c, CURLINFO_RESPONSE_CODE, &status);
	curl.free_all(headers);
	if (r == CURLE_WRITE_ERROR)
		return fail(e, -EPROTO, "its answer is longer than %d bytes", HTTP_ANSWER);
	if (r == CURLE_OPERATION_TIMEDOUT)
		return fail(e, -ETIMEDOUT, "no whole answer within %.1f s",
			(double)h->limit / CLOCK_SECOND);
	if (r != CURLE_OK)
		return fail(e, -EIO, "%s", curl.strerror(r));
	return (int)status;
}

int http_call(const struct http *h, char out[static HTTP_ANSWER + 1], struct error *e)
{
	struct answer a = { .text = out };
	int r = http_load(e);
	CURL *c;

	if (r < 0)
		return r;
	c = curl.init();
	if (!c)
		return fail(e, -ENOMEM, "libcurl does not start");
	r = perform(c, h, &a, e);
	curl.cleanup(c);
	out[a.len] = '\0';
	return r;
}
