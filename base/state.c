/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.c - the state directory.
 */
#include "config.h"
#include "base/state.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/file_new.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_TURN_MS 10

static const char *set(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static int directory(char *out, size_t size, const char *of_root)
{
	const char *own = set("TT_SMI_STATE_DIR"), *xdg = set("XDG_STATE_HOME");
	const char *home = set("HOME");

	if (own)
		return snprintf(out, size, "%s", own);
	if (geteuid() == 0)
		return snprintf(out, size, "%s", of_root);
	/* The specification says to ignore a relative XDG_STATE_HOME. */
	if (xdg && *xdg == '/')
		return snprintf(out, size, "%s/tt-smi", xdg);
	return home ? snprintf(out, size, "%s/.local/state/tt-smi", home) : -1;
}

bool state_is_chosen(void)
{
	return set("TT_SMI_STATE_DIR");
}

static int make_path(const char *of_root, const char *name, char *out, size_t size,
	struct error *e)
{
	int n = directory(out, size, of_root), r, more;

	if (n < 0)
		return fail(e, -ENOENT, "no state directory: neither TT_SMI_STATE_DIR nor"
			" XDG_STATE_HOME nor HOME is set");
	if ((size_t)n >= size)
		return fail(e, -ENAMETOOLONG, "the state directory's name is too long");
	r = file_make_dirs(out, e);
	if (r < 0)
		return r;
	more = snprintf(out + n, size - (size_t)n, "/%s", name);
	if (more < 0 || (size_t)(n + more) >= size)
		return fail(e, -ENAMETOOLONG, "the state directory's name is too long");
	return 0;
}

int state_path(const char *name, char *out, size_t size, struct error *e)
{
	return make_path("/var/lib/tt-smi", name, out, size, e);
}

int state_boot_path(const char *name, char *out, size_t size, struct error *e)
{
	return make_path("/run/tt-smi", name, out, size, e);
}

static const char *name_in(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* The directory without a slash behind it; the caller frees it. */
static char *directory_of(const char *path)
{
	const size_t len = (size_t)(name_in(path) - path);
	char *out = mem_calloc(1, len);

	mem_copy_text(out, len, path);
	return out;
}

/*
 * setfsuid() and setfsgid() do not return whether they failed, but an invalid id makes them return
 * the present one.  They also clear the signal of a parent's death and forbid core dumps.
 */
static bool take_rights(uid_t uid, gid_t gid)
{
	const uid_t ask_uid = (uid_t)-1;
	const gid_t ask_gid = (gid_t)-1;
	const int dumpable = prctl(PR_GET_DUMPABLE);
	int signal = 0;

	prctl(PR_GET_PDEATHSIG, &signal);
	setfsgid(gid);
	setfsuid(uid);
	prctl(PR_SET_PDEATHSIG, signal);
	if (dumpable == 1)
		prctl(PR_SET_DUMPABLE, 1);
	return (uid_t)setfsuid(ask_uid) == uid && (gid_t)setfsgid(ask_gid) == gid;
}

int state_enter(struct state_dir *d, const char *path, enum state_share share, struct error *e)
{
	char *directory = directory_of(path);
	struct stat st;
	int r = 0;

	*d = (struct state_dir){ .fd = file_open_folder(directory, e) };
	if (d->fd < 0)
		r = d->fd;
	else if (fstat(d->fd, &st) < 0)
		r = fail_errno(e, "%s: cannot use folder", directory);
	else
		d->is_foreign = geteuid() == 0 && st.st_uid != 0;
	if (d->is_foreign && (share == STATE_OWN || !take_rights(st.st_uid, st.st_gid)))
		r = fail_as(e, CODE_UNSAFE_PATH, -EPERM, "%s: belongs to user %lu, whose rights "
			"root cannot take here", directory, (unsigned long)st.st_uid);
	free(directory);
	if (r < 0)
		state_leave(d);
	return r;
}

void state_leave(const struct state_dir *d)
{
	if (d->is_foreign)
		take_rights(geteuid(), getegid());
	if (d->fd >= 0)
		close(d->fd);
}

int state_append(const char *path, struct error *e)
{
	struct state_dir d;
	int fd = state_enter(&d, path, STATE_SHARED, e);
	char old[64];

	if (fd < 0)
		return fd;
	fd = file_open_append_at(d.fd, name_in(path), path, e);
	/* Up to version 1.1.0 root's files in a foreign directory belonged to root. */
	snprintf(old, sizeof(old), "%.58s.old", name_in(path));
	if (fd == -EACCES && d.is_foreign && renameat(d.fd, name_in(path), d.fd, old) == 0)
		fd = file_open_append_at(d.fd, name_in(path), path, e);
	state_leave(&d);
	return fd;
}

static int await_lock(int fd, const char *path, int64_t patience, struct error *e)
{
	const int64_t until = clock_steady() + patience;
	int r;

	while ((r = flock(fd, LOCK_EX | LOCK_NB)) < 0 && clock_steady() < until &&
		(errno == EWOULDBLOCK || errno == EINTR))
		poll(NULL, 0, LOCK_TURN_MS);
	if (r == 0)
		return fd;
	r = fail_errno(e, "%s: cannot be locked", path);
	close(fd);
	return r;
}

int state_lock(const char *path, int64_t patience, struct error *e)
{
	struct strbuf lock = { 0 };
	int r;

	strbuf_printf(&lock, "%s.lock", path);
	r = state_append(lock.text, e);
	/* Who may read a file may lock it.  Up to version 1.1.1 all users could. */
	if (r >= 0 && fchmod(r, S_IRUSR | S_IWUSR) < 0) {
		close(r);
		r = fail_errno(e, "%s: cannot be kept from other users", lock.text);
	}
	if (r >= 0)
		r = await_lock(r, lock.text, patience, e);
	strbuf_clear(&lock);
	return r;
}

bool state_boot_id(char id[static STATE_BOOT])
{
	if (file_read_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id", id, STATE_BOOT) < 0)
		*id = '\0';
	id[strcspn(id, " \n")] = '\0';
	return *id;
}

int state_read(const char *path, enum state_share share, size_t max, char **text, size_t *len,
	struct error *e)
{
	struct state_dir d;
	struct stat st;
	int r = state_enter(&d, path, share, e), fd;

	if (r < 0)
		return r;
	fd = openat(d.fd, name_in(path),
		O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0)
		r = fail_errno(e, "%s: cannot open", path);
	else if (!S_ISREG(st.st_mode))
		r = fail_as(e, CODE_WRONG_KIND, -EINVAL, "%s: is not a file but a %s", path,
			file_kind_name(st.st_mode));
	else if (share == STATE_OWN && st.st_uid != geteuid())
		r = fail_as(e, CODE_UNSAFE_PATH, -EPERM, "%s: is another user's", path);
	else
		r = file_read_open(fd, path, max, text, len, e);
	if (fd >= 0)
		close(fd);
	state_leave(&d);
	return r;
}

int state_write(const char *path, enum state_share share, const char *data, size_t len,
	struct error *e)
{
	struct file_new f;
	struct state_dir d;
	char *directory;
	int r = state_enter(&d, path, share, e);

	if (r < 0)
		return r;
	directory = directory_of(path);
	r = file_new_open_at(&f, d.fd, directory, name_in(path), true, e);
	free(directory);
	if (r == 0) {
		f.lazy = share == STATE_OWN;
		if (share == STATE_SHARED)
			file_new_publish(&f);
		r = file_new_finish(&f, data, len, e);
	}
	state_leave(&d);
	return r;
}
