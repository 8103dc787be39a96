/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 512	/* a pipe, terminal or socket that is writable has room for so much */

/* O_NONBLOCK on the file that we were given would be set for the shell as well. */
static int open_again(int fd)
{
	char path[64];
	struct stat st;

	if (!isatty(fd) && (fstat(fd, &st) < 0 || !S_ISFIFO(st.st_mode)))
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? STDOUT_FILENO : fd;
}

void outlet_open(struct outlet *o)
{
	fflush(stdout);
	*o = (struct outlet){ .fd = open_again(STDOUT_FILENO) };
}

void outlet_close(struct outlet *o)
{
	if (o->sent < o->text.len)
		fwrite(o->text.text + o->sent, 1, o->text.len - o->sent, stdout);
	fflush(stdout);
	if (o->fd > 2)
		close(o->fd);
	strbuf_clear(&o->text);
	*o = (struct outlet){ .fd = -1 };
}

bool outlet_is_free(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, 0) > 0;
}

bool outlet_push(struct outlet *o)
{
	while (o->sent < o->text.len && !o->is_broken && outlet_is_free(o->fd)) {
		size_t left = o->text.len - o->sent;
		ssize_t n = write(o->fd, o->text.text + o->sent, left < CHUNK ? left : CHUNK);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			o->is_broken = true;
		else if (n < 0 && errno == EAGAIN)
			break;
		o->sent += n > 0 ? (size_t)n : 0;
	}
	if (o->sent < o->text.len)
		return false;
	o->sent = o->text.len = 0;
	return true;
}

struct pollfd outlet_poll(const struct outlet *o)
{
	bool waits = o->sent < o->text.len && !o->is_broken;

	return (struct pollfd){ .fd = waits ? o->fd : -1, .events = POLLOUT };
}
