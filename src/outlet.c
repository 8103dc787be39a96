/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/outlet.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CHUNK 512	/* a pipe, terminal or socket that is writable has room for this much */

void outlet_open(struct outlet *o)
{
	const int own = file_open_nowait(STDOUT_FILENO);

	fflush(stdout);
	*o = (struct outlet){ .fd = own < 0 ? STDOUT_FILENO : own };
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

size_t outlet_columns(int fd)
{
	struct winsize w = { 0 };

	return ioctl(fd, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}
