/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.c - runs a program in our place.
 *
 * While it runs we are the reaper of all its descendants (PR_SET_CHILD_SUBREAPER), which is the
 * only way to know what a program leaves behind when it ends.
 */
#include "config.h"
#include "base/program.h"

#include "base/child.h"
#include "base/mem.h"
#include "base/parse.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIGNALS	  65
#define MOST_DEEP 64	/* generations between a process and the program */

/* Signals that ask a program for something, and that would kill us. */
static const int passed_on[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM };

/* State for the handlers, and the settings that are restored for the program. */
static struct {
	volatile sig_atomic_t pid;	/* gets the signals sent to us; 0: none does */
	volatile sig_atomic_t asked;	/* a signal came that was not passed on */
	int bell[2];
	bool changed[SIGNALS], was_ignored[SIGNALS];
	struct rlimit files;
	bool knows_files;
} mine = { .bell = { -1, -1 } };

static bool program_set_signal(int number, const struct sigaction *a)
{
	struct sigaction before;

	if (sigaction(number, a, &before) < 0)
		return false;
	if (!mine.changed[number])
		mine.was_ignored[number] = before.sa_handler == SIG_IGN;
	mine.changed[number] = true;
	return true;
}

void program_ignore(int number)
{
	program_set_signal(number, &(struct sigaction){ .sa_handler = SIG_IGN });
}

void program_prepare(void)
{
	mine.knows_files = getrlimit(RLIMIT_NOFILE, &mine.files) == 0;
}

/* Handlers. */

static void ring(int number)
{
	const int was = errno;

	(void)number;
	(void)!write(mine.bell[1], "", 1);
	errno = was;
}

/* The kernel sends the terminal's signals, and sends them to the whole group. */
static bool is_of_terminal(const siginfo_t *info)
{
	return info->si_code == SI_KERNEL;
}

static void pass_on(int number, siginfo_t *info, void *context)
{
	const int was = errno;

	(void)context;
	if (!mine.pid)
		mine.asked = 1;
	else if (!is_of_terminal(info))
		kill((pid_t)mine.pid, number);
	errno = was;
}

static void stop_too(int number, siginfo_t *info, void *context);

static const struct sigaction on_stop = { .sa_sigaction = stop_too,
	.sa_flags = SA_SIGINFO | SA_RESTART };

/* Stop as the default action would: it does not stop an orphaned process group. */
static void stop_too(int number, siginfo_t *info, void *context)
{
	const int was = errno;
	sigset_t one;

	(void)context;
	if (mine.pid && !is_of_terminal(info))
		kill((pid_t)mine.pid, number);
	signal(number, SIG_DFL);
	raise(number);
	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);	/* it stops here */
	sigaction(number, &on_stop, NULL);
	errno = was;
}

/* A SIGCONT for us alone also continues the program, unless that is not stopped any more. */
static void go_on(int number)
{
	const int was = errno;

	if (child_is_stopped(&(struct child){ .pid = (pid_t)mine.pid }))
		kill((pid_t)mine.pid, number);
	errno = was;
}

static void set_signals(void)
{
	const struct sigaction chld = { .sa_handler = ring, .sa_flags = SA_RESTART | SA_NOCLDSTOP },
		pass = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO },
		cont = { .sa_handler = go_on, .sa_flags = SA_RESTART };
	struct sigaction now;

	/* If SIGCHLD were ignored, there would be no exit status. */
	program_set_signal(SIGCHLD, &chld);
	program_set_signal(SIGCONT, &cont);
	program_ignore(SIGPIPE);
	/* A signal that was ignored when we started stays ignored, for both. */
	for (size_t i = 0; i < ARRAY_LEN(passed_on); i++)
		if (sigaction(passed_on[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			program_set_signal(passed_on[i], &pass);
	if (sigaction(SIGTSTP, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
		program_set_signal(SIGTSTP, &on_stop);
}

/* The start. */

static _Noreturn void exec_program(char *const *argv, const sigset_t *mask, int fd)
{
	int code;

	for (int n = 1; n < SIGNALS; n++)
		if (mine.changed[n])
			signal(n, mine.was_ignored[n] ? SIG_IGN : SIG_DFL);
	if (mine.knows_files)
		setrlimit(RLIMIT_NOFILE, &mine.files);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	code = errno;
	(void)!write(fd, &code, sizeof(code));
	_exit(127);
}

/* 0 once the program runs, or the -errno of its start. */
static int read_start(int fd)
{
	int code = 0;
	ssize_t n;

	do
		n = read(fd, &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	return n == sizeof(code) ? -code : 0;
}

static int start_program(struct program *p, char *const *argv, const sigset_t *mask,
	struct error *e)
{
	struct proc_stat stat;
	int ends[2], r;

	if (pipe2(mine.bell, O_CLOEXEC | O_NONBLOCK) < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return fail_errno(e, "%s: cannot start it: no pipe", argv[0]);
	set_signals();
	prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
	p->pid = fork();
	if (p->pid == 0)
		exec_program(argv, mask, ends[1]);
	r = p->pid < 0 ? -errno : 0;
	close(ends[1]);
	if (r == 0)
		r = read_start(ends[0]);
	close(ends[0]);
	if (r < 0 && p->pid > 0)
		waitpid(p->pid, NULL, 0);
	if (r < 0) {
		p->pid = 0;
		return fail_as(e, CODE_NO_PROGRAM, r, "%s: cannot start it: %s", argv[0],
			strerror(-r));
	}
	mine.pid = (sig_atomic_t)p->pid;
	p->started = proc_stat_read(p->pid, &stat) ? stat.started : 0;
	return 0;
}

int program_start(struct program *p, char *const *argv, struct error *e)
{
	sigset_t all, mask;
	int r;

	/* Hold back signals until there is a program to pass them on to. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	*p = (struct program){ 0 };
	r = start_program(p, argv, &mask, e);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return r;
}

int program_fd(void)
{
	return mine.bell[0];
}

/* The end, and what is left. */

static void empty_bell(void)
{
	char bytes[64];

	while (read(mine.bell[0], bytes, sizeof(bytes)) > 0)
		;
}

/* Its pid can be reused once it is reaped, so the handlers have to forget it first. */
static void take_end(struct program *p)
{
	mine.pid = 0;
	p->has_ended = waitpid(p->pid, &p->status, 0) == p->pid;
}

bool program_has_ended(struct program *p)
{
	siginfo_t info;

	empty_bell();
	for (;;) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0)
			break;
		if (info.si_pid == p->pid && !p->has_ended)
			take_end(p);
		else if (child_is_ours(info.si_pid))
			break;		/* its owner reaps it soon, and then we go on */
		else
			waitpid(info.si_pid, NULL, WNOHANG);
	}
	info.si_pid = 0;
	if (!p->has_ended && waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		info.si_pid == p->pid)
		take_end(p);
	return p->has_ended;
}

enum program_whose program_whose(const struct program *p, pid_t pid)
{
	const pid_t own = getpid();
	struct proc_stat stat;

	for (int i = 0; i < MOST_DEEP && pid > 1; i++, pid = stat.parent) {
		if (pid == p->pid)
			return PROGRAM_OWN;
		if (!proc_stat_read(pid, &stat))
			return PROGRAM_UNKNOWN;
		/* Processes that it left behind have become our children. */
		if (stat.parent == own)
			return stat.started >= p->started && !child_is_ours(pid) ? PROGRAM_OWN :
				PROGRAM_OTHER;
	}
	return pid < 1 ? PROGRAM_UNKNOWN : PROGRAM_OTHER;
}

size_t program_list_left(const struct program *p, struct program_left *left, size_t most)
{
	DIR *dir = opendir("/proc");
	struct proc_stat stat;
	struct dirent *entry;
	uint64_t pid;
	size_t n = 0;

	while (dir && (entry = readdir(dir)))
		if (parse_u64(entry->d_name, &pid) && proc_stat_read((pid_t)pid, &stat) &&
			stat.parent == getpid() && stat.state != 'Z' &&
			stat.started >= p->started && !child_is_ours((pid_t)pid) && n++ < most) {
			left[n - 1].pid = (pid_t)pid;
			mem_copy_text(left[n - 1].name, sizeof(left->name), stat.name);
		}
	if (dir)
		closedir(dir);
	return n;
}

bool program_is_asked_to_end(void)
{
	return mine.asked;
}

int program_exit_code(const struct program *p)
{
	return WIFSIGNALED(p->status) ? 128 + WTERMSIG(p->status) : WEXITSTATUS(p->status);
}
