/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "output/journal_whole.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/want.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define RESERVE_MORE 4096	/* bytes that the next text may have more than this one */

void whole_init(struct whole *w, const char *dir_name, const atomic_bool *hurry)
{
	*w = (struct whole){ .dir = -1, .dir_name = dir_name, .hurry = hurry,
		.reserve = -1 };
	pthread_mutex_init(&w->lock, NULL);
}

static void give_reserve(struct whole *w)
{
	if (w->reserve >= 0)
		close(w->reserve);
	w->reserve = -1;
}

/* Where the file system cannot do it, a full disk may leave an index that does not say so. */
static void take_reserve(struct whole *w, size_t size)
{
	w->reserve = openat(w->dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
	if (w->reserve >= 0 && fallocate(w->reserve, 0, 0, (off_t)size) < 0)
		give_reserve(w);
}

void whole_clear(struct whole *w)
{
	give_reserve(w);
	strbuf_clear(&w->waiting);
	pthread_mutex_destroy(&w->lock);
}

int whole_make(struct whole *w, const char *name, const struct strbuf *text, struct error *e)
{
	struct file_new f;
	int err = file_new_open_at(&f, w->dir, w->dir_name, name, false, e);

	if (err < 0)
		return err;
	f.lazy = true;
	err = file_write_all(f.fd, text->text, text->len);
	if (err < 0) {
		file_new_discard(&f);
		return fail(e, err, "%s/%s: cannot write: %s", w->dir_name, name, strerror(-err));
	}
	err = file_new_keep(&f, e);
	if (err == 0)
		take_reserve(w, text->len + RESERVE_MORE);
	return err;
}

void whole_put(struct whole *w, const char *name, struct strbuf *text)
{
	struct strbuf before;

	pthread_mutex_lock(&w->lock);
	before = w->waiting;
	if (!w->name[0])
		mem_copy_text(w->name, sizeof(w->name), name);
	w->waiting = *text;
	pthread_mutex_unlock(&w->lock);
	*text = (struct strbuf){ 0 };
	strbuf_clear(&before);
}

void whole_drop(struct whole *w)
{
	pthread_mutex_lock(&w->lock);
	strbuf_clear(&w->waiting);
	pthread_mutex_unlock(&w->lock);
}

/* True if no writer is running; with `wait` it waits until that is so. */
static bool writer_is_over(struct whole *w, bool wait)
{
	if (w->has_writer && !wait && !atomic_load(&w->written))
		return false;
	if (w->has_writer)
		pthread_join(w->writer, NULL);
	w->has_writer = false;
	return true;
}

struct strbuf whole_take(struct whole *w, bool wait)
{
	struct strbuf text = { 0 };

	if (!writer_is_over(w, wait))
		return text;
	pthread_mutex_lock(&w->lock);
	text = w->waiting;
	w->waiting = (struct strbuf){ 0 };
	pthread_mutex_unlock(&w->lock);
	return text;
}

void whole_give_back(struct whole *w, struct strbuf *text)
{
	pthread_mutex_lock(&w->lock);
	if (w->waiting.len == 0) {
		strbuf_clear(&w->waiting);
		w->waiting = *text;
		*text = (struct strbuf){ 0 };
	}
	pthread_mutex_unlock(&w->lock);
	strbuf_clear(text);
}

static int replace_file(struct whole *w)
{
	struct file_new f;
	int err = file_new_open_at(&f, w->dir, w->dir_name, w->name, true, NULL);

	if (err < 0)
		return err;
	f.lazy = atomic_load(w->hurry);
	return file_new_finish(&f, w->writing.text, w->writing.len, NULL);
}

static void *write_text(void *arg)
{
	struct whole *w = arg;
	int err = replace_file(w), none = 0;

	/* The text may be what says that the disk is full; the room of the old one is free then. */
	if ((err == -ENOSPC || err == -EDQUOT) && w->reserve >= 0) {
		give_reserve(w);
		err = replace_file(w);
		take_reserve(w, w->writing.len + RESERVE_MORE);
	}
	/* A descriptor that is missing now may be there at the next round. */
	if (err < 0 && want_is(err) && !w->is_last)
		whole_give_back(w, &w->writing);
	else if (err < 0)
		atomic_compare_exchange_strong(&w->error, &none, err);
	strbuf_clear(&w->writing);
	atomic_store(&w->written, true);
	return NULL;
}

void whole_write(struct whole *w, struct strbuf *text, bool aside)
{
	w->writing = *text;
	*text = (struct strbuf){ 0 };
	w->is_last = !aside;
	atomic_store(&w->written, false);
	w->has_writer = aside && pthread_create(&w->writer, NULL, write_text, w) == 0;
	if (!w->has_writer)
		write_text(w);
}
