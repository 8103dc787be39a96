/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * credentials.h - user and password of a management controller.  They come
 * from a file, the environment or a prompt, and go nowhere but to it.
 */
#pragma once

#include "base/error.h"
#include "src/options.h"
#include "src/stop.h"

struct credentials {
	char user[64], password[128];
};

/* Parse "user:password" in the first line of a file's first bytes; 0 or -EINVAL. */
int credentials_parse_file(const char *text, size_t len, struct credentials *out);

/*
 * Take them from --credentials ("user:password" in a file that only its owner may read),
 * else from TT_SMI_USER and TT_SMI_PASSWORD, else ask on a terminal.  If none of these has
 * them, use `fallback` ("user:password"); -EACCES: it is NULL.  -ECANCELED: the person
 * left.  From this call on the process leaves no core dump.
 */
int credentials_get(const struct options *o, const char *host, const char *fallback,
	struct stop *stop, struct credentials *out, struct error *e);
void credentials_clear(struct credentials *c);
