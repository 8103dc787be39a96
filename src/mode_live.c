/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live display.  One loop waits for keys, signals, readings, messages of
 * libraries and the next tick; nothing in it waits for a card, and a picture
 * is drawn only when one of them had something to say.
 */
#include "config.h"
#include "src/live.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/mem.h"
#include "ui/term.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define INTERVAL  (CLOCK_SECOND / 2)
#define RESCAN    (5 * CLOCK_SECOND)
#define PLAIN_GAP (5 * CLOCK_SECOND)	/* between pictures on a terminal that only scrolls */

const struct fleet *live_fleet(const struct live *l)
{
	return sampler_fleet(l->session.sampler);
}

/* Readings */

static void take_readings(struct live *l)
{
	int r;

	if (sampler_collect(l->session.sampler) == 0 || live_fleet(l)->tick == l->taken)
		return;
	r = l->taken ? 0 : session_choose(&l->session, l->o, &l->error);
	if (r < 0)
		l->quit = true;
	l->taken = live_fleet(l)->tick;
	/* A look may have found a second chip on a board. */
	history_reserve(l->history, live_fleet(l)->n);
	history_push(l->history, live_fleet(l));
	live_dump_add(l);
	l->dirty = true;
}

static void rescan(struct live *l, int64_t now)
{
	struct error e = { 0 };
	int r = sampler_rescan(l->session.sampler, &e);

	l->next_rescan = now + RESCAN;
	if (r < 0 && r != -EBUSY && r != -EOPNOTSUPP)
		view_say(&l->view, &l->model, true, "%s", e.text);
	history_reserve(l->history, live_fleet(l)->n);
	l->dirty = l->dirty || r > 0;
}

static void tick(struct live *l)
{
	int64_t now = clock_mono();

	if (now < l->next_tick)
		return;
	if (now >= l->next_rescan)
		rescan(l, now);
	/* -EBUSY: a card is slow, and the tick goes on; its rows are not due yet. */
	sampler_begin(l->session.sampler);
	l->next_tick += l->model.interval;
	if (l->next_tick <= now)
		l->next_tick = now + l->model.interval;
	/* The clock in the header and the ages of stale rows move even then. */
	l->dirty = l->dirty || sampler_is_busy(l->session.sampler);
}

/* Signals */

static void stop_process(struct live *l)
{
	term_suspend();
	raise(SIGSTOP);
	term_resume();
	l->dirty = l->urgent = true;
}

static void take_signals(struct live *l)
{
	struct signalfd_siginfo info;

	while (read(l->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGTSTP:
			stop_process(l);
			break;
		case SIGCONT:
			term_resume();
			break;
		case SIGWINCH:
			term_forget();
			break;
		case SIGINT:
			l->quit = true;
			break;
		default:
			l->quit = true;
			l->deadly = (int)info.ssi_signo;
		}
		l->dirty = l->urgent = true;
	}
}

/* The worker processes that the sampler starts later inherit the mask, and want none of these. */
static int catch_signals(struct live *l, struct error *e)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT,
		SIGWINCH };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
		sigaddset(&set, wanted[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	l->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return l->signals < 0 ? fail_errno(e, "signals: cannot be waited for") : 0;
}

static void take_messages(struct live *l)
{
	char text[1024];
	ssize_t n;

	while (term_log_fd() >= 0 && (n = read(term_log_fd(), text, sizeof(text))) > 0) {
		ui_log_add(&l->log, text, (size_t)n);
		l->dirty = true;
	}
}

/* The picture */

static void draw(struct live *l)
{
	int64_t now = clock_mono();
	int w, h;

	if (!l->dirty || !term_is_ready() ||
		(term_is_plain() && !l->urgent && now - l->drawn < PLAIN_GAP))
		return;
	if (!l->view.paused) {
		l->model.now = now;
		l->model.real = clock_real();
	}
	l->model.fleet = l->view.paused ? &l->held : live_fleet(l);
	term_size(&w, &h);
	canvas_resize(&l->canvas, w, h, term_charset());
	screen_draw(&l->canvas, &l->model, &l->view);
	term_draw(&l->canvas);
	l->drawn = now;
	l->dirty = l->urgent = false;
}

static int earlier(int a, int b)
{
	return a < 0 ? b : b < 0 ? a : a < b ? a : b;
}

static void wait_for_news(struct live *l)
{
	struct pollfd fds[] = {
		{ .fd = term_input_fd(), .events = POLLIN },
		{ .fd = l->signals, .events = POLLIN },
		{ .fd = sampler_fd(l->session.sampler), .events = POLLIN },
		{ .fd = term_log_fd(), .events = POLLIN },
		{ .fd = l->book ? dump_book_fd(l->book) : -1, .events = POLLIN },
		{ .fd = term_output_fd(), .events = POLLOUT },
	};
	int ms = earlier(clock_poll_ms(l->next_tick), sampler_wait_ms(l->session.sampler));

	ms = earlier(ms, term_wait_ms());
	if (poll(fds, ARRAY_LEN(fds), earlier(ms, 1000)) < 0)
		return;
	/* The terminal has gone without a signal. */
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		l->quit = true;
	if (fds[0].revents & POLLIN || term_wait_ms() == 0)
		live_keys_take(l);
	if (fds[1].revents)
		take_signals(l);
	if (fds[3].revents)
		take_messages(l);
}

static void run(struct live *l)
{
	history_reserve(l->history, live_fleet(l)->n);
	l->dirty = true;
	l->next_tick = clock_mono() + l->model.interval;
	l->next_rescan = clock_mono() + RESCAN;
	while (!l->quit) {
		draw(l);
		wait_for_news(l);
		take_readings(l);
		live_dump_take_book(l);
		tick(l);
	}
}

static void init(struct live *l)
{
	view_init(&l->view);
	l->view.compact = l->o->compact;
	l->history = history_new();
	l->model = (struct model){ .version = PACKAGE_VERSION, .fleet = live_fleet(l),
		.host = &l->session.host, .history = l->history, .log = &l->log,
		.dump = &l->shown_dump, .charset = term_charset(),
		.interval = l->o->interval ? l->o->interval : INTERVAL,
		.now = clock_mono(), .real = clock_real(),
		.ended = strcmp(live_fleet(l)->source, "load") == 0 };
}

/* The terminal first: closing files may take a while. */
static void finish(struct live *l)
{
	take_messages(l);
	term_close();
	/* What nobody has seen is not lost. */
	for (size_t i = 0; i < l->log.n; i++)
		fprintf(stderr, "%s\n", ui_log_line(&l->log, i));
	live_dump_end(l);
	live_keys_let_go(l);
	canvas_clear(&l->canvas);
	history_free(l->history);
}

static void die_of(int signal_number)
{
	sigset_t all;

	/* Who sent it is to see that it worked. */
	sigfillset(&all);
	signal(signal_number, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	raise(signal_number);
}

enum exit_code mode_live(const struct options *o)
{
	const struct term_config config = { .theme = o->theme == THEME_DARK ? TERM_THEME_ON_LIGHT :
			o->theme == THEME_DEFAULT ? TERM_THEME_ON_DARK : TERM_THEME_AUTO,
		.no_color = o->no_color || (getenv("NO_COLOR") && *getenv("NO_COLOR")) };
	struct error e = { 0 };
	enum exit_code code;
	struct live *l;

	l = mem_calloc(1, sizeof(*l));
	l->o = o;
	code = session_start(&l->session, o);
	if (code != EXIT_DONE) {
		free(l);
		return code;
	}
	if (catch_signals(l, &e) < 0 || term_open(&config, &e) < 0) {
		term_close();
		code = session_fail(&e);
	} else {
		init(l);
		run(l);
		finish(l);
		if (session_verdict(&l->session) == EXIT_NO_DEVICE)
			code = EXIT_NO_DEVICE;
	}
	session_close(&l->session);
	if (l->error.code < 0)
		code = session_fail_choice(&l->error);
	close(l->signals);
	if (l->deadly)
		die_of(l->deadly);
	free(l);
	return code;
}
