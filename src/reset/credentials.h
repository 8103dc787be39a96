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

/* The same from the first line of a file's first bytes. */
int credentials_parse_file(const char *text, size_t len, struct credentials *out);

/*
 * From --credentials ("user:password" in a file that its owner alone may read), else
 * TT_SMI_USER and TT_SMI_PASSWORD, else asked for on a terminal.  What is still missing
 * is `fallback` ("user:password") or, where that is NULL, -EACCES; -ECANCELED: the
 * person left.  From here on this process leaves no core dump.
 */
int credentials_get(const struct options *o, const char *host, const char *fallback,
	struct stop *stop, struct credentials *out, struct error *e);
void credentials_clear(struct credentials *c);
