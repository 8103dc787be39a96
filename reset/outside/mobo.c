/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "reset/outside/outside.h"

#include "base/clock.h"
#include "base/dl.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One request by libcurl, bounded in time and in size, without redirects and proxy. */

#define HTTP_ANSWER 65536	/* bytes of an answer, at most */

/* CURLOPT_PROTOCOLS has a successor, which Ubuntu 22.04's libcurl does not know. */
#define CURL_DISABLE_DEPRECATION
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#define CURL_FUNCTIONS(F) \
	F(curl_easy_init) F(curl_easy_setopt) F(curl_easy_perform) F(curl_easy_getinfo) \
	F(curl_easy_cleanup) F(curl_easy_strerror) F(curl_slist_append) F(curl_slist_free_all)
DL_LIBRARY(DL_CURL, CURL_FUNCTIONS)

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

/*
 * 0, with the answer in out, ended by NUL, or -errno.  body: JSON to POST; NULL: a GET.  limit: ns
 * for all of it.
 */
static int http_call(const struct mobo *m, const char *url, const char *body, int64_t limit,
	char out[static HTTP_ANSWER + 1], struct error *e)
{
	struct answer a = { .text = out };
	long status = 0, ms = limit < CLOCK_MS ? 1 : (long)(limit / CLOCK_MS);
	struct curl_slist *headers;
	int loaded = lib_load(e);
	CURLcode r;
	CURL *c;

	if (loaded < 0)
		return loaded;
	c = lib.curl_easy_init();
	if (!c)
		return fail(e, -ENOMEM, "libcurl does not start");
	headers = lib.curl_slist_append(NULL, "Content-Type: application/json");
	lib.curl_easy_setopt(c, CURLOPT_URL, url);
	lib.curl_easy_setopt(c, CURLOPT_PROTOCOLS, (long)CURLPROTO_HTTP);
	lib.curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	lib.curl_easy_setopt(c, CURLOPT_PROXY, "");
	lib.curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	lib.curl_easy_setopt(c, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
	lib.curl_easy_setopt(c, CURLOPT_USERNAME, m->user);
	lib.curl_easy_setopt(c, CURLOPT_PASSWORD, m->password);
	lib.curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, ms);
	lib.curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, ms);
	lib.curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, http_take_bytes);
	lib.curl_easy_setopt(c, CURLOPT_WRITEDATA, (void *)&a);
	lib.curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, take_header);
	lib.curl_easy_setopt(c, CURLOPT_HEADERDATA, (void *)&a);
	if (body) {
		lib.curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
		lib.curl_easy_setopt(c, CURLOPT_POSTFIELDS, body);
	}
	r = lib.curl_easy_perform(c);
	lib.curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
	lib.curl_slist_free_all(headers);
	lib.curl_easy_cleanup(c);
	out[a.len] = '\0';
	if (r == CURLE_WRITE_ERROR)
		return fail(e, -EPROTO, "its answer is longer than %d bytes", HTTP_ANSWER);
	if (r == CURLE_OPERATION_TIMEDOUT)
		return fail(e, -ETIMEDOUT, "no whole answer within %.1f s",
			(double)limit / CLOCK_SECOND);
	if (r != CURLE_OK)
		return fail(e, -EIO, "%s", lib.curl_easy_strerror(r));
	if (status == 401 || status == 403)
		return fail(e, -EACCES, "it refuses user and password: give --credentials FILE");
	return status == 200 ? 0 : fail(e, -EPROTO, "it answers HTTP %d", (int)status);
}

/* The management host. */

#define ABOUT_LIMIT (30 * CLOCK_SECOND)
#define BOOT_LIMIT  (600 * CLOCK_SECOND)
#define POLL_EVERY  CLOCK_SECOND
#define MODULES	    "{\"groups\":null}"	/* all of them */
#define TEMPLATE    "MOBO NAME"		/* of an entry that was never filled in */

#define HAS_PROGRESS 0x00030000	/* 0.3.0, as parse_version4() encodes it */
#define HAS_DISABLE  0x01030200	/* 1.3.2 */

int64_t mobo_limit(void)
{
	return 2 * BOOT_LIMIT + 2 * ABOUT_LIMIT;
}

bool mobo_is_host(const char *name)
{
	struct address unused;

	return strlen(name) < sizeof(((struct mobo *)0)->host) && !mobo_is_port(name) &&
		address_parse(name, &unused);
}

bool mobo_is_port(const char *text)
{
	size_t a = strspn(text, "0123456789"), b = text[a] == ':' ?
		strspn(text + a + 1, "0123456789") : 0;

	return a >= 1 && a <= 3 && b >= 1 && b <= 3 && text[a + 1 + b] == '\0';
}

/* Upstream's tool writes null for a list that it does not know. */
static bool is_list(const struct json *list)
{
	return !list || json_is_null(list) || json_is_array(list);
}

static int parse_ports(const struct json *list, char out[][8], size_t *n, struct error *e)
{
	if (!is_list(list))
		return fail(e, -EINVAL, "ports of wh_mobo_reset are not a list");
	for (const struct json *i = json_child(list); i; i = json_next(i)) {
		const char *text = json_get_text(i);

		if (!text || !mobo_is_port(text))
			return fail(e, -EINVAL, "wh_mobo_reset has a port that is not \"6:0\"");
		if (*n == MOBO_PORTS)
			return fail(e, -EINVAL, "wh_mobo_reset has too many ports");
		mem_copy_text(out[(*n)++], sizeof(out[0]), text);
	}
	return 0;
}

static int parse_cards(const struct json *list, struct mobo *m, struct error *e)
{
	if (!is_list(list))
		return fail(e, -EINVAL, "nb_host_pci_idx is not a list of card numbers");
	for (const struct json *i = json_child(list); i; i = json_next(i)) {
		double v;

		if (!json_get_number(i, &v) || v < 0 || v > 9999 || v != (int)v ||
			m->n_cards == MOBO_CARDS)
			return fail(e, -EINVAL, "nb_host_pci_idx is not a list of card numbers");
		m->cards[m->n_cards++] = (int)v;
	}
	return 0;
}

int mobo_parse(const struct json *entry, struct mobo *m, struct error *e)
{
	const char *host = json_get_text(json_get(entry, "mobo"));
	int r;

	*m = (struct mobo){ .n_ports = 0 };
	if (host && strstr(host, TEMPLATE))
		return 1;
	if (!host || !mobo_is_host(host))
		return fail(e, -EINVAL, "wh_mobo_reset has no host name as its \"mobo\"");
	mem_copy_text(m->host, sizeof(m->host), host);
	r = parse_cards(json_get(entry, "nb_host_pci_idx"), m, e);
	if (r < 0)
		return r;
	r = parse_ports(json_get(entry, "credo"), m->ports, &m->n_ports, e);
	return r < 0 ? r : parse_ports(json_get(entry, "disabled_ports"), m->disabled,
		&m->n_disabled, e);
}

static int fail_at(const struct mobo *m, const char *command, int code, const char *why,
	struct error *e)
{
	return fail(e, code, "%s: %s: %.150s", m->host, command, why);
}

int mobo_parse_answer(const char *text, size_t len, struct json **doc, struct error *e)
{
	struct error why = { 0 };
	const struct json *exception;
	int r = json_parse(text, len, doc, &why);

	if (r < 0 || !json_is_object(*doc)) {
		json_free(*doc);
		*doc = NULL;
		return fail(e, -EPROTO, "its answer is not a JSON object");
	}
	exception = json_get(*doc, "exception");
	if (!exception || json_is_null(exception))
		return 0;
	r = fail(e, -EREMOTEIO, "it reports an exception: %.120s",
		json_get_text(exception) ? json_get_text(exception) : "(not a text)");
	json_free(*doc);
	*doc = NULL;
	return r;
}

/* Send a command; its answer goes to *doc.  NULL: it need not be JSON, but for an exception. */
static int call_mobo(const struct mobo *m, const char *command, const char *body, int64_t limit,
	struct json **doc, struct error *e)
{
	char url[384], *out = mem_calloc(1, HTTP_ANSWER + 1);
	struct json *answer = NULL;
	struct error why = { 0 };
	struct address a = { .host = "" };
	int r;

	address_parse(m->host, &a);
	snprintf(url, sizeof(url), "http://%s%s%s:%s/%s", a.is_ipv6 ? "[" : "", a.host,
		a.is_ipv6 ? "]" : "", *a.port ? a.port : "8000", command);
	r = http_call(m, url, body, clock_span(limit), out, &why);
	if (r == 0) {
		r = mobo_parse_answer(out, strlen(out), &answer, &why);
		r = doc || r == -EREMOTEIO ? r : 0;
	}
	free(out);
	if (doc)
		*doc = answer;
	else
		json_free(answer);
	return r < 0 ? fail_at(m, command, r, why.text, e) : 0;
}

static int ask_version(const struct mobo *m, uint32_t *version, struct error *e)
{
	struct json *doc;
	const char *text;
	int r = call_mobo(m, "about", NULL, ABOUT_LIMIT, &doc, e);

	if (r < 0)
		return r;
	text = json_get_text(json_get(doc, "version"));
	if (!text || !parse_version4(text, version))
		r = fail_at(m, "about", -EPROTO, "its answer has no version", e);
	json_free(doc);
	return r;
}

int mobo_parse_progress(const struct json *doc, struct mobo_progress *p, struct error *e)
{
	const char *step = json_get_text(json_get(doc, "step"));

	*p = (struct mobo_progress){ .percent = 0 };
	mem_copy_text(p->step, sizeof(p->step), step ? step : "");
	if (!json_get_number(json_get(doc, "boot_percent"), &p->percent) ||
		!(p->percent >= 0 && p->percent <= 100))
		return fail(e, -EPROTO, "its progress has no percentage");
	return 0;
}

static int wait_for_boot(const struct mobo *m, struct outside_line *line, struct error *e)
{
	int64_t end = clock_mono() + BOOT_LIMIT;
	struct mobo_progress p = { .percent = 0 }, last = { .percent = -1 };

	while (p.percent < 100) {
		struct error why = { 0 };
		struct json *doc;
		int r;

		if (clock_mono() > end)
			return fail_at(m, "boot/progress", -ETIMEDOUT, "it does not finish", e);
		outside_put(line, OUTSIDE_RESTS, ABOUT_LIMIT + POLL_EVERY, "%s: its ports go on "
			"booting, its modules were left alone", m->host);
		r = call_mobo(m, "boot/progress", NULL, ABOUT_LIMIT, &doc, e);
		if (r < 0)
			return r;
		r = mobo_parse_progress(doc, &p, &why);
		json_free(doc);
		if (r < 0)
			return fail_at(m, "boot/progress", r, why.text, e);
		if (p.percent > last.percent)
			outside_put(line, OUTSIDE_SAYS, 0, "%s: boots, %.0f %%%s%.60s", m->host,
				p.percent, *p.step ? ", " : "", p.step);
		last = p;
		if (p.percent < 100)
			clock_sleep_until(clock_mono() + POLL_EVERY);
	}
	return 0;
}

static void put_ports(struct json_out *j, const char *key, const char ports[][8], size_t n)
{
	json_begin(j, key, '[');
	for (size_t i = 0; i < n; i++)
		json_text(j, NULL, ports[i]);
	json_end(j, ']');
}

static void put_boot(const struct mobo *m, uint32_t version, struct strbuf *body)
{
	struct json_out j;

	json_out_init(&j, body, true);
	json_begin(&j, NULL, '{');
	json_null(&j, "groups");
	json_bool(&j, "credo", true);
	put_ports(&j, "retimer_sel", m->ports, m->n_ports);
	if (version >= HAS_DISABLE)
		put_ports(&j, "disable_sel", m->disabled, m->n_disabled);
	json_end(&j, '}');
}

int mobo_boot(void *mobo, struct outside_line *line, struct error *e)
{
	const struct mobo *m = mobo;
	struct strbuf body = { 0 };
	uint32_t version = 0;
	int r;

	outside_put(line, OUTSIDE_RESTS, ABOUT_LIMIT, "%s: nothing was done to it", m->host);
	r = ask_version(m, &version, e);
	if (r < 0)
		return r;
	if (!outside_put(line, OUTSIDE_ASKS, BOOT_LIMIT, "%s: server %u.%u.%u, boots its ports%s",
		m->host, version >> 24, version >> 16 & 0xff, version >> 8 & 0xff,
		m->n_disabled && version < HAS_DISABLE ? "; it is too old to disable ports" : ""))
		return fail(e, -ECANCELED, "%s: nothing was done to it", m->host);
	put_boot(m, version, &body);
	r = call_mobo(m, "boot", body.text, BOOT_LIMIT, NULL, e);
	strbuf_clear(&body);
	return r < 0 || version < HAS_PROGRESS ? r : wait_for_boot(m, line, e);
}

int mobo_shut_modules(void *mobo, struct outside_line *line, struct error *e)
{
	const struct mobo *m = mobo;
	struct error ignored = { 0 };

	(void)e;
	outside_put(line, OUTSIDE_BEGINS, ABOUT_LIMIT, "%s: shuts its modules down", m->host);
	if (call_mobo(m, "shutdown/modules", MODULES, ABOUT_LIMIT, NULL, &ignored) < 0)
		outside_put(line, OUTSIDE_SAYS, 0, "%.200s (goes on)", ignored.text);
	return 0;
}

int mobo_start_modules(void *mobo, struct outside_line *line, struct error *e)
{
	const struct mobo *m = mobo;
	int r;

	outside_put(line, OUTSIDE_BEGINS, BOOT_LIMIT, "%s: starts its modules", m->host);
	r = call_mobo(m, "boot/modules", MODULES, BOOT_LIMIT, NULL, e);
	if (r == 0)
		outside_put(line, OUTSIDE_SAYS, 0, "%s: its modules run", m->host);
	return r;
}
