/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/reset/prompt.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>

#define LINE_MAX_BYTES 4096	/* of a terminal in its usual mode */

bool prompt_is_possible(void)
{
	return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static void show(const char *text)
{
	/* One that stands still is not waited for: signals are taken between reads only. */
	int fd = open("/dev/tty", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	file_write_all(fd < 0 ? STDERR_FILENO : fd, text, strlen(text));
	if (fd >= 0)
		close(fd);
}

/* Bytes of standard input; 0: its end, or a signal that ends us. */
static size_t read_some(struct stop *stop, const char *question, char *to, size_t size)
{
	struct pollfd fds[STOP_FDS + 1] = { { .fd = STDIN_FILENO, .events = POLLIN } };
	ssize_t n;

	do {
		stop_poll(stop, fds + 1);
		poll(fds, STOP_FDS + 1, -1);
		if (stop_check(stop))
			return 0;
		if (stop->resumed)
			show(question);
		stop->resumed = false;
	} while (!fds[0].revents);
	n = read(STDIN_FILENO, to, size);
	return n > 0 ? (size_t)n : 0;
}

/* A whole line, however many reads it takes; false: it does not come. */
static bool read_line(struct stop *stop, const char *question, char text[static LINE_MAX_BYTES],
	size_t *len)
{
	*len = 0;
	while (*len < LINE_MAX_BYTES) {
		size_t n = read_some(stop, question, text + *len, LINE_MAX_BYTES - *len);

		*len += n;
		if (n == 0)
			return false;
		if (text[*len - 1] == '\n')
			return true;
	}
	tcflush(STDIN_FILENO, TCIFLUSH);
	return true;
}

static int take(const char *text, size_t len, char *line, size_t size)
{
	while (len > 0 && strchr("\r\n", text[len - 1]))
		len--;
	if (len >= size)
		return -EINVAL;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == '\x7f')
			return -EINVAL;
	memcpy(line, text, len);
	line[len] = '\0';
	return 0;
}

int prompt_line(struct stop *stop, enum prompt_kind kind, const char *question, char *line,
	size_t size)
{
	char text[LINE_MAX_BYTES];
	size_t len;
	bool whole;
	int r;

	*line = '\0';
	stop->resumed = false;
	if (kind == PROMPT_SECRET)
		stop_hide(stop, true);
	if (kind != PROMPT_SHOWN)
		tcflush(STDIN_FILENO, TCIFLUSH);
	show(question);
	whole = read_line(stop, question, text, &len);
	if (kind == PROMPT_SECRET)
		stop_hide(stop, false);
	/* The end of the line was not shown, or there was none. */
	if (kind == PROMPT_SECRET || !whole)
		show("\n");
	r = whole ? take(text, len, line, size) : -ECANCELED;
	explicit_bzero(text, sizeof(text));
	return r;
}

bool prompt_yes(struct stop *stop, const char *question)
{
	char answer[8];

	return prompt_line(stop, PROMPT_NOW, question, answer, sizeof(answer)) == 0 &&
		(strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0);
}
