/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_credentials.c - the first bytes of a file that is to hold user:password: what
 * is taken is its first line, to the byte.
 */
#include "config.h"
#include "src/reset/prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct credentials c = { .user = "" };
	char line[sizeof(c.user) + sizeof(c.password) + 1];
	size_t len;

	if (credentials_parse((const char *)data, size, &c) < 0)
		return 0;
	if (!*c.user || strchr(c.user, ':'))
		abort();
	snprintf(line, sizeof(line), "%s:%s", c.user, c.password);
	len = strlen(line);
	if (len > size || memcmp(line, data, len) != 0 ||
		(len < size && data[len] != '\n' && data[len] != '\r'))
		abort();
	credentials_clear(&c);
	return 0;
}
