/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.c - the kernel's messages about the driver and the cards' PCI functions, newest last.
 *
 * /dev/kmsg gives one message per read, "6,1234,5678901,-;text", with lines of properties that
 * begin with a blank.  Messages that programs wrote there have another facility than the kernel's
 * and are left out.
 */
#include "config.h"
#include "src/bundle/bundle.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD	(8 << 10)	/* the kernel's longest message */
#define MOST	(8 << 20)
#define SECONDS 2		/* for a log that grows faster than it is read */

static bool is_ours(const struct fleet *f, const char *text)
{
	if (strstr(text, "tenstorrent"))
		return true;
	for (size_t k = 0; k < f->n; k++)
		if (*f->chips[k].bdf && strstr(text, f->chips[k].bdf))
			return true;
	return false;
}

static void put_line(struct strbuf *to, const struct fleet *f, const char *line)
{
	const char *text = strchr(line, ';');
	unsigned long long at;
	unsigned level;
	char plain[1024];

	if (!text || sscanf(line, "%u,%*u,%llu", &level, &at) != 2 || level >= 8 ||
		!is_ours(f, text))
		return;
	strbuf_printf(to, "[%5llu.%06llu] <%u> %s\n", at / 1000000, at % 1000000, level,
		text_plain(plain, sizeof(plain), text + 1));
}

static void put_lines(struct strbuf *to, const struct fleet *f, char *record)
{
	for (char *save, *line = strtok_r(record, "\n", &save); line;
		line = strtok_r(NULL, "\n", &save))
		put_line(to, f, line);
}

/*
 * 0, or -errno; -EFBIG: there is more than was read.  If new messages replace unread ones (EPIPE),
 * go on with the oldest that is left.
 */
static int read_log(int fd, struct strbuf *all)
{
	const int64_t end = clock_steady() + SECONDS * CLOCK_SECOND;

	while (all->len < MOST && clock_steady() < end) {
		const ssize_t n = read(fd, strbuf_room(all, RECORD), RECORD);

		if (n == 0 || (n < 0 && errno == EAGAIN))
			return 0;
		if (n < 0 && errno != EPIPE && errno != EINTR)
			return -errno;
		if (n > 0)
			strbuf_took(all, all->text + all->len + n);
	}
	return -EFBIG;
}

static int open_log(const struct bus *bus)
{
	const bool is_tree = strcmp(bus->root, "/") != 0;
	char path[sizeof(bus->root) + 16];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/dev/kmsg", is_tree ? bus->root : "");
	if (lstat(path, &st) < 0)
		return -errno;
	if (is_tree ? !S_ISREG(st.st_mode) : !S_ISCHR(st.st_mode))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

void bundle_put_log(struct bundle *b)
{
	const struct fleet *f = sampler_fleet(b->session->sampler);
	struct strbuf all = { 0 }, text = { 0 };
	int fd, r;

	if (strcmp(f->source, "kmd") != 0) {
		bundle_miss(b, "driver.log", bundle_elsewhere(b), "these cards are not this "
			"machine's");
		return;
	}
	fd = open_log(b->session->bus);
	r = fd < 0 ? fd : read_log(fd, &all);
	if (fd >= 0)
		close(fd);
	if (r == -EFBIG)
		bundle_miss(b, "driver.log", CODE_TOO_LARGE, "ends early: /dev/kmsg was not read "
			"to its end");
	else if (r < 0)
		bundle_miss(b, "driver.log", code_find(r), "/dev/kmsg: %s%s", strerror(-r),
			r == -EPERM || r == -EACCES ? ": run it as root" : "");
	if (all.len > 0)
		put_lines(&text, f, all.text);
	if (r == 0 || r == -EFBIG)
		bundle_put(b, "driver.log", text.text ? text.text : "", text.len);
	strbuf_clear(&all);
	strbuf_clear(&text);
}
