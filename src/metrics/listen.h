/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listen.h - a socket that waits for connections: at a port of this machine, or at a path.
 */
#pragma once

#include "base/error.h"

#include <sys/stat.h>

struct listen {
	int fd;
	char where[300];	/* "http://[::1]:9107", or the path */
	struct stat file;	/* of a socket at a path: what was made there */
	const char *path;	/* the caller's; NULL: a port */
};

/*
 * "9107" (of 127.0.0.1), "192.0.2.1:9107", "[::]:9107", or a path, which has a slash in it.  No
 * name is looked up.  A socket that nobody listens at any more is replaced; nothing else is.
 */
int listen_open(struct listen *l, const char *where, struct error *e);

/* Remove what was made at a path.  The socket itself belongs to whoever took it. */
void listen_remove(const struct listen *l);
