/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/metrics/listen.h"

#include "base/parse.h"
#include "base/mem.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define HERE	"127.0.0.1"
#define BACKLOG 1024	/* connections not accepted yet; one more tries again in 1 s */
#define KIND	(SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK)

static int listen_bind(struct listen *l, int family, const void *address, socklen_t len)
{
	const int on = 1;
	int err;

	l->fd = socket(family, KIND, 0);
	if (l->fd < 0)
		return -errno;
	setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(l->fd, address, len) == 0 && listen(l->fd, BACKLOG) == 0)
		return 0;
	err = -errno;
	close(l->fd);
	l->fd = -1;
	return err;
}

static int fail_listen(const struct listen *l, int err, struct error *e)
{
	return fail(e, err, "%s: cannot listen: %s", l->where, strerror(-err));
}

static int open_port(struct listen *l, const char *where, struct error *e)
{
	const struct addrinfo want = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
	const bool is_port = where[strspn(where, "0123456789")] == '\0';
	char text[300];
	struct addrinfo *found;
	struct address a;
	int err;

	snprintf(text, sizeof(text), "%s%.250s", is_port ? HERE ":" : "", where);
	if (!address_parse(text, &a) || !*a.port || getaddrinfo(a.host, a.port, &want, &found) != 0)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%.60s' is neither a port (9107), an "
			"address and a port (192.0.2.1:9107, [::1]:9107) nor a path", where);
	snprintf(l->where, sizeof(l->where), "http://%s%s%s:%s", a.is_ipv6 ? "[" : "", a.host,
		a.is_ipv6 ? "]" : "", a.port);
	err = listen_bind(l, found->ai_family, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return err < 0 ? fail_listen(l, err, e) : 0;
}

/* Whether this is a socket that a killed program left. */
static bool is_abandoned(const struct sockaddr_un *a)
{
	struct stat st;
	int fd, err;

	if (lstat(a->sun_path, &st) < 0 || !S_ISSOCK(st.st_mode))
		return false;
	fd = socket(AF_UNIX, KIND, 0);
	if (fd < 0)
		return false;
	err = connect(fd, (const struct sockaddr *)a, sizeof(*a)) < 0 ? errno : 0;
	close(fd);
	return err == ECONNREFUSED;
}

static int open_path(struct listen *l, const char *path, struct error *e)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int err;

	if (strlen(path) >= sizeof(a.sun_path))
		return fail(e, -ENAMETOOLONG, "%.60s...: a socket's path has at most %zu bytes",
			path, sizeof(a.sun_path) - 1);
	mem_copy_text(a.sun_path, sizeof(a.sun_path), path);
	mem_copy_text(l->where, sizeof(l->where), path);
	err = listen_bind(l, AF_UNIX, &a, sizeof(a));
	if (err == -EADDRINUSE && is_abandoned(&a) && unlink(path) == 0)
		err = listen_bind(l, AF_UNIX, &a, sizeof(a));
	if (err < 0)
		return fail_listen(l, err, e);
	l->path = lstat(path, &l->file) == 0 ? path : NULL;
	return 0;
}

int listen_open(struct listen *l, const char *where, struct error *e)
{
	*l = (struct listen){ .fd = -1 };
	return strchr(where, '/') ? open_path(l, where, e) : open_port(l, where, e);
}

void listen_remove(const struct listen *l)
{
	struct stat now;

	if (l->path && lstat(l->path, &now) == 0 && now.st_ino == l->file.st_ino &&
		now.st_dev == l->file.st_dev)
		unlink(l->path);
}
