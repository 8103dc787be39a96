/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "reset/log.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/child.h"
#include "base/state.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int log_open(struct log *l, struct error *e)
{
	struct proc_stat own = { 0 };
	int r;

	proc_stat_read(getpid(), &own);
	*l = (struct log){ .fd = -1, .started = own.started };
	r = state_path("reset.log", l->path, sizeof(l->path), e);
	if (r < 0)
		return r;
	l->fd = state_append(l->path, e);
	return l->fd < 0 ? l->fd : 0;
}

int log_prove(struct log *l, struct error *e)
{
	int r;

	log_begin(l, "begin");
	log_end(l);
	log_sync(l);
	r = l->trouble;
	if (r == 0)
		return 0;
	log_close(l);
	return fail(e, r, "%s: cannot be written: %s", l->path, strerror(-r));
}

void log_close(struct log *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	strbuf_clear(&l->line);
}

struct json_out *log_begin(struct log *l, const char *event)
{
	char now[40];

	l->line.len = 0;
	json_out_init(&l->json, &l->line, true);
	json_begin(&l->json, NULL, '{');
	json_text(&l->json, "time", clock_iso_utc(clock_real(), now, sizeof(now)));
	json_int(&l->json, "pid", getpid());
	json_int(&l->json, "started", (int64_t)l->started);
	json_text(&l->json, "event", event);
	return &l->json;
}

void log_end(struct log *l)
{
	int r;

	json_end(&l->json, '}');
	if (l->fd < 0)
		return;
	r = file_write_all(l->fd, l->line.text, l->line.len);
	if (r < 0 && l->trouble == 0)
		l->trouble = r;
}

void log_sync(struct log *l)
{
	if (l->fd >= 0 && fdatasync(l->fd) < 0 && l->trouble == 0)
		l->trouble = -errno;
}
