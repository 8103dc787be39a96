/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * credentials.h - user and password of a management controller.  They come
 * from a file, the environment or a prompt, and go nowhere but to it.
 */
#pragma once

#include "base/error.h"
#include "src/options.h"

struct credentials {
	char user[64], password[128];
};

/*
 * From --credentials ("user:password", readable by its owner alone), else
 * TT_SMI_USER and TT_SMI_PASSWORD, else asked for on a terminal; what is still missing
 * is taken from `fallback` ("user:password") or, where that is NULL, is -EACCES.
 */
int credentials_get(const struct options *o, const char *host, const char *fallback,
	struct credentials *out, struct error *e);
void credentials_clear(struct credentials *c);
