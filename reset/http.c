/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "reset/http.h"
#include "base/array.h"
#include "base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* Of libcurl's interface, stable since 7.x, so that building needs no header of it. */
enum {
	OPT_WRITEDATA = 10001, OPT_URL = 10002, OPT_PROXY = 10004, OPT_POSTFIELDS = 10015,
	OPT_HTTPHEADER = 10023, OPT_HEADERDATA = 10029, OPT_USERNAME = 10173,
	OPT_PASSWORD = 10174, OPT_WRITEFUNCTION = 20011, OPT_HEADERFUNCTION = 20079,
	OPT_HTTP_VERSION = 84, OPT_NOSIGNAL = 99,
	OPT_HTTPAUTH = 107, OPT_TIMEOUT_MS = 155, OPT_CONNECTTIMEOUT_MS = 156,
	OPT_PROTOCOLS = 181,
	INFO_RESPONSE_CODE = 0x200002,
	VERSION_1_1 = 2, AUTH_BASIC = 1, PROTOCOL_HTTP = 1, E_WRITE = 23, E_TIMEDOUT = 28
};

static struct {
	void *(*init)(void);
	int (*setopt)(void *, int, ...);
	int (*perform)(void *);
	int (*getinfo)(void *, int, ...);
	void (*cleanup)(void *);
	const char *(*strerror)(int);
	void *(*append)(void *, const char *);
	void (*free_all)(void *);
} curl;

static const struct {
	const char *name;
	void *at;
} functions[] = {
	{ "curl_easy_init", &curl.init }, { "curl_easy_setopt", &curl.setopt },
	{ "curl_easy_perform", &curl.perform }, { "curl_easy_getinfo", &curl.getinfo },
	{ "curl_easy_cleanup", &curl.cleanup }, { "curl_easy_strerror", &curl.strerror },
	{ "curl_slist_append", &curl.append }, { "curl_slist_free_all", &curl.free_all },
};

static int load(struct error *e)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };
	void *handle = NULL;

	for (size_t i = 0; i < ARRAY_LEN(names) && !handle; i++)
		handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return fail(e, -ENOENT, "cannot load %s: install libcurl4", names[0]);
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		void *f = dlsym(handle, functions[i].name);

		if (!f)
			return fail(e, -ENOENT, "%s has no %s", names[0], functions[i].name);
		memcpy(functions[i].at, &f, sizeof(f));
	}
	return 0;
}

struct answer {
	char *text;
	size_t len, headers;	/* bytes */
};

static size_t take(char *data, size_t size, size_t n, void *arg)
{
	struct answer *a = arg;

	/* Less than was given ends the transfer. */
	if (size * n > HTTP_ANSWER - a->len)
		return 0;
	memcpy(a->text + a->len, data, size * n);
	a->len += size * n;
	return size * n;
}

/* libcurl keeps them all, so they are limited as well; they tell nothing that is wanted. */
static size_t take_header(char *data, size_t size, size_t n, void *arg)
{
	struct answer *a = arg;

	(void)data;
	a->headers += size * n;
	return a->headers > HTTP_ANSWER ? 0 : size * n;
}

static int perform(void *c, const struct http *h, struct answer *a, struct error *e)
{
	void *headers = curl.append(NULL, "Content-Type: application/json");
	long status = 0, ms = h->limit < CLOCK_MS ? 1 : (long)(h->limit / CLOCK_MS);
	int r;

	curl.setopt(c, OPT_URL, h->url);
	curl.setopt(c, OPT_PROTOCOLS, (long)PROTOCOL_HTTP);
	curl.setopt(c, OPT_HTTP_VERSION, (long)VERSION_1_1);
	curl.setopt(c, OPT_PROXY, "");
	curl.setopt(c, OPT_NOSIGNAL, 1L);
	curl.setopt(c, OPT_HTTPAUTH, (long)AUTH_BASIC);
	curl.setopt(c, OPT_USERNAME, h->user);
	curl.setopt(c, OPT_PASSWORD, h->password);
	curl.setopt(c, OPT_TIMEOUT_MS, ms);
	curl.setopt(c, OPT_CONNECTTIMEOUT_MS, ms);
	curl.setopt(c, OPT_WRITEFUNCTION, take);
	curl.setopt(c, OPT_WRITEDATA, (void *)a);
	curl.setopt(c, OPT_HEADERFUNCTION, take_header);
	curl.setopt(c, OPT_HEADERDATA, (void *)a);
	if (h->body) {
		curl.setopt(c, OPT_HTTPHEADER, headers);
		curl.setopt(c, OPT_POSTFIELDS, h->body);
	}
	r = curl.perform(c);
	curl.getinfo(c, INFO_RESPONSE_CODE, &status);
	curl.free_all(headers);
	if (r == E_WRITE)
		return fail(e, -EPROTO, "its answer is longer than %d bytes", HTTP_ANSWER);
	if (r == E_TIMEDOUT)
		return fail(e, -ETIMEDOUT, "no whole answer within %.1f s",
			(double)h->limit / CLOCK_SECOND);
	if (r != 0)
		return fail(e, -EIO, "%s", curl.strerror(r));
	return (int)status;
}

int http_call(const struct http *h, char out[static HTTP_ANSWER + 1], struct error *e)
{
	struct answer a = { .text = out };
	int r = curl.init ? 0 : load(e);
	void *c;

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
