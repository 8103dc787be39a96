/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * address.h - "HOST" or "HOST:PORT" as people type it: a name, an IPv4 address,
 * or an IPv6 address (in brackets where a port follows).
 */
#pragma once

#include <stdbool.h>

struct address {
	char host[254];		/* without brackets */
	char port[6];		/* 1 to 65535, or "" if none was given */
	bool is_ipv6;
};

/* False if text is not an address; *out must not be used then.  No name is looked up. */
bool address_parse(const char *text, struct address *out);
