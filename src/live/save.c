/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * save.c - a snapshot saved beside the screen: a thread waits for the
 * disk, so that keys, pictures and readings do not.
 */
#include "config.h"
#include "src/live/live.h"
#include "base/clock.h"
#include "base/file_new.h"
#include "base/mem.h"
#include "base/child.h"
#include "src/say.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct live_save {
	pthread_t thread;
	int over;		/* eventfd, readable once path and result are set */
	struct strbuf text;
	int64_t real;
	char path[4096];
	int result;
	struct error error;
};

static void *live_save_run(void *arg)
{
	struct live_save *s = arg;
	uint64_t one = 1;

	s->result = snapshot_save(&s->text, s->real, s->path, sizeof(s->path), &s->error);
	while (write(s->over, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	return NULL;
}

static void live_save_free(struct live_save *s)
{
	if (s->over >= 0)
		close(s->over);
	strbuf_clear(&s->text);
	free(s);
}

void live_save_start(struct live *l)
{
	const struct fleet *f = live_fleet(l);
	struct live_save *s;

	if (l->taken == 0 || l->save) {
		view_say(&l->view, &l->model, true, l->save ?
			"snapshot: the last one is being written" :
			"snapshot: the first reading is not over");
		return;
	}
	s = mem_calloc(1, sizeof(*s));
	s->real = f->real;
	snapshot_put(&s->text, l->o, f, &l->session.host);
	s->over = eventfd(0, EFD_CLOEXEC);
	if (s->over < 0 || thread_start(&s->thread, live_save_run, s) < 0) {
		live_lose(l, LIVE_SNAPSHOT, "snapshot: cannot start a thread");
		live_save_free(s);
		return;
	}
	l->save = s;
}

int live_save_fd(const struct live *l)
{
	return l->save ? l->save->over : -1;
}

void live_save_take(struct live *l)
{
	struct live_save *s = l->save;

	if (!s || !live_is_readable(s->over))
		return;
	pthread_join(s->thread, NULL);
	if (s->result < 0)
		live_lose(l, LIVE_SNAPSHOT, "snapshot: %s", s->error.text);
	else
		view_say(&l->view, &l->model, false, "snapshot saved to %.180s", s->path);
	live_save_free(s);
	l->save = NULL;
	l->dirty = l->urgent = true;
}

/* Remove the temporary file that the thread may be writing. */
static void sweep_temporary(const struct live_save *s)
{
	const char *name = strrchr(s->path, '/');
	char folder[4096];
	int dir;

	if (!name)
		return;
	mem_copy_text(folder, sizeof(folder), s->path);
	folder[name - s->path] = '\0';
	dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return;
	file_new_sweep(dir, name + 1, getpid());
	close(dir);
}

void live_save_end(struct live *l)
{
	struct live_save *s = l->save;

	if (!s)
		return;
	l->save = NULL;
	if (!live_wait_for(l, s->over)) {
		/* The thread goes on using it: it may be in a sync that never returns. */
		pthread_detach(s->thread);
		sweep_temporary(s);
		live_lose(l, LIVE_SNAPSHOT, "snapshot: not saved: the disk takes too long");
		return;
	}
	pthread_join(s->thread, NULL);
	if (s->result < 0)
		live_lose(l, LIVE_SNAPSHOT, "snapshot: %s", s->error.text);
	else
		say("snapshot: %s", s->path);
	live_save_free(s);
}
