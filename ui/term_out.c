/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output to the terminal.  It may take no output for any length of time: the
 * bytes wait here, and no picture is added to them.
 */
#include "config.h"
#include "ui/term_local.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

struct terminal term = { .out = -1, .in = -1, .log_read = -1, .real_stderr = -1 };

bool term_flush(void)
{
	while (term.sent < term.bytes.len && !term.broken) {
		ssize_t n = write(term.out, term.bytes.text + term.sent,
			term.bytes.len - term.sent);

		if (n > 0)
			term.sent += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			return false;
		else if (n < 0 && errno != EINTR)
			term.broken = true;
	}
	term.bytes.len = term.sent = 0;
	return true;
}

void term_bell(void)
{
	/* Never inside a sequence that is only half sent. */
	if (!term_flush())
		return;
	strbuf_putc(&term.bytes, '\a');
	term_flush();
}

bool term_drain(int ms)
{
	int64_t end = clock_steady() + ms * CLOCK_MS;

	while (!term_flush()) {
		struct pollfd out = { .fd = term.out, .events = POLLOUT };
		int64_t left = (end - clock_steady()) / CLOCK_MS;

		if (left <= 0 || poll(&out, 1, (int)left) < 0)
			return term_flush();
	}
	return true;
}
