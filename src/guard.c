/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/guard.h"

#include "base/clock.h"
#include "base/mem.h"
#include "src/say.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The end of the socket without a word before it: the other process has died. */
static int watch_over(void *arg, int fd)
{
	char word;
	ssize_t n;

	clock_leave();
	mem_unshare_others(NULL);
	prctl(PR_SET_NAME, "tt-smi guard");
	do
		n = read(fd, &word, sizeof(word));
	while (n < 0 && errno == EINTR);
	/* A terminal that takes nothing more does not keep this process. */
	alarm(10);
	if (n == 0)
		say_as(CODE_NOT_FINISHED, "the %s ended without a verdict", (const char *)arg);
	return 0;
}

void guard_start(struct child *guard, const char *what)
{
	static const int kept[] = { STDERR_FILENO };
	const struct child_config how = { .run = watch_over, .arg = (void *)(uintptr_t)what,
		.keep = kept, .n_keep = 1, .ignores_terminal = true };

	if (child_start(guard, &how, NULL) < 0)
		*guard = (struct child){ .pid = 0 };
}

void guard_end(struct child *guard)
{
	if (guard->pid == 0)
		return;
	send(guard->fd, "", 1, MSG_NOSIGNAL);
	child_end(guard, CLOCK_SECOND);
}
