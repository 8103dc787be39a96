/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/address.h"
#include "base/mem.h"
#include "base/parse.h"

#include <arpa/inet.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LABEL	63	/* longest part of a name between two dots */

static bool take_host(struct address *out, const char *text, size_t len)
{
	if (len == 0 || len >= sizeof(out->host))
		return false;
	memcpy(out->host, text, len);
	out->host[len] = '\0';
	return true;
}

static bool take_port(struct address *out, const char *text)
{
	uint64_t port;

	if (*text < '1' || *text > '9' || strlen(text) >= sizeof(out->port) ||
		!parse_u64(text, &port) || port > 65535)
		return false;
	mem_copy_text(out->port, sizeof(out->port), text);
	return true;
}

static bool is_ipv6(const char *host)
{
	struct in6_addr unused;

	return inet_pton(AF_INET6, host, &unused) == 1;
}

/* Labels of letters, digits, - and _; the last one may be empty: "host.example." */
static bool is_name(const char *host)
{
	for (size_t len; *host; host += len + (host[len] == '.')) {
		len = strcspn(host, ".");
		if (len == 0 || len > LABEL || *host == '-' ||
			strspn(host, LETTERS "0123456789-_") != len)
			return false;
	}
	return true;
}

bool address_parse(const char *text, struct address *out)
{
	const char *colon = strchr(text, ':'), *end;

	*out = (struct address){ .is_ipv6 = *text == '[' || (colon && strchr(colon + 1, ':')) };
	if (*text == '[') {
		end = strchr(text, ']');
		if (!end || (end[1] && end[1] != ':') || (end[1] && !take_port(out, end + 2)))
			return false;
		text++;
	} else {
		end = out->is_ipv6 || !colon ? text + strlen(text) : colon;
		if (*end && !take_port(out, end + 1))
			return false;
	}
	return take_host(out, text, (size_t)(end - text)) &&
		(out->is_ipv6 ? is_ipv6(out->host) : is_name(out->host));
}
