/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serve.h - the last text of metrics, over HTTP: /metrics and /ready.
 *
 * It has no thread: the loop that waits for the cards waits for serve_fd(), too.  A request only
 * reads the text of the last tick, so requests never reach a card.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdint.h>

struct serve;

/*
 * Listen at `where` (listen.h).  A text that is older than `fresh` ns is not ready.  *s is the
 * caller's to serve_close(), which takes NULL too.
 */
int serve_open(const char *where, int64_t fresh, struct serve **s, struct error *e);
void serve_close(struct serve *s);

/* "http://127.0.0.1:9107", or the path of the socket. */
const char *serve_where(const struct serve *s);

/* Serve this text from now on; it is taken over, and *text is empty then. */
void serve_publish(struct serve *s, struct strbuf *text);

/* For poll(): readable when serve_turn() has something to do; the longest wait, -1: for ever. */
int serve_fd(const struct serve *s);
int serve_wait_ms(const struct serve *s);
void serve_turn(struct serve *s);
