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
	struct stat file;	/* of a socket at a path: the file that we made */
	const char *path;	/* the caller's; NULL: a port */
};

/*
 * "9107" (of 127.0.0.1), "192.0.2.1:9107", "[::]:9107", or a path, which has a slash in it.  No
 * name is looked up.  A socket without a listener is replaced; any other file is not.
 */
int listen_open(struct listen *l, const char *where, struct error *e);

/* Remove the socket's file, if we made it at a path.  fd stays open: its user closes it. */
void listen_remove(const struct listen *l);
