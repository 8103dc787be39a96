/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live display.  One loop waits for keys, signals, readings, messages of
 * libraries and the next tick; nothing in it waits for a card, and a picture
 * is drawn only when one of them had something to say.
 */
#include "config.h"
#include "base/clock.h"
#include "base/mem.h"
#include "output/dump.h"
#include "output/dump_book.h"
#include "src/mode.h"
#include "ui/screen.h"
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

struct live {
	const struct options *o;
	struct session session;
	struct model model;
	struct view view;
	struct canvas canvas;
	struct history *history;
	struct ui_log log;
	struct ui_dump shown_dump;
	struct dump *dump;
	struct dump_book *book;		/* the workbook of the last dump, while it is being made */
	struct fleet held;		/* the picture while paused */
	int signals;
	int64_t next_tick, next_rescan, drawn;
	uint64_t taken;			/* the last tick that was taken in; 0: none is over */
	bool dirty, urgent, quit;
	struct error error;		/* what ended us, if anything did */
	int deadly;			/* the signal that ends us, 0 for none */
};

static const struct fleet *fleet_of(const struct live *l)
{
	return sampler_fleet(l->session.sampler);
}

/* The dump */

static void stop_dump(struct live *l)
{
	struct error e = { 0 };
	int r;

	if (!l->dump)
		return;
	r = dump_close(l->dump, &e);
	l->dump = NULL;
	l->shown_dump.on = false;
	if (r < 0)
		view_say(&l->view, &l->model, true, "dump: %s", e.text);
	else if (dump_book_start(l->shown_dump.path, &l->book, &e) < 0)
		view_say(&l->view, &l->model, true, "%s (tt-smi --finish makes it)", e.text);
	else
		view_say(&l->view, &l->model, false, "dump saved in %s; its workbook is being made",
			l->shown_dump.path);
}

/* Returns 1 when the workbook is made, 0 while it is not, -errno when it will not be. */
static int take_book(struct live *l, struct error *e)
{
	int r;

	if (!l->book)
		return 0;
	r = dump_book_collect(l->book, e);
	if (r == 0)
		return 0;
	if (r < 0)
		view_say(&l->view, &l->model, true, "%s", e->text);
	else
		view_say(&l->view, &l->model, false, "the workbook is made: %s",
			dump_book_report(l->book)->path);
	dump_book_close(l->book);
	l->book = NULL;
	l->dirty = l->urgent = true;
	return r;
}

/* Below the screen that was: the workbook is waited for, another signal ends that. */
static void finish_book(struct live *l)
{
	struct signalfd_siginfo info;
	struct error e = { 0 };
	int r = 0;

	if (!l->book)
		return;
	fprintf(stderr, "tt-smi: making the workbook\n");
	while ((r = take_book(l, &e)) == 0) {
		struct pollfd fds[] = {
			{ .fd = dump_book_fd(l->book), .events = POLLIN },
			{ .fd = l->signals, .events = POLLIN },
		};

		poll(fds, 2, 1000);
		if (fds[1].revents && read(l->signals, &info, sizeof(info)) > 0 &&
			info.ssi_signo != SIGWINCH && info.ssi_signo != SIGCONT)
			break;
	}
	if (r < 0)
		fprintf(stderr, "tt-smi: %s\n", e.text);
	else if (r == 0)
		fprintf(stderr, "tt-smi: stopped before the workbook was made; "
			"tt-smi --finish %s makes it\n", l->shown_dump.path);
	dump_book_close(l->book);
	l->book = NULL;
}

static void start_dump(struct live *l)
{
	const struct dump_config c = { .dir = l->o->dump_dir, .tool = "tt-smi " PACKAGE_VERSION,
		.interval = l->model.interval, .external = l->o->external, .selected = fleet_of(l)->wanted,
		.n_selected = fleet_of(l)->n, .host = &l->session.host };
	struct error e = { 0 };

	if (fleet_of(l)->n == 0 || l->taken == 0) {
		view_say(&l->view, &l->model, true, l->taken ? "dump: no device to dump" :
			"dump: the first reading is not over");
		return;
	}
	if (l->book) {
		view_say(&l->view, &l->model, true, "dump: the last one's workbook is being made");
		return;
	}
	if (dump_open(&c, fleet_of(l), &l->dump, &e) < 0) {
		l->dump = NULL;
		view_say(&l->view, &l->model, true, "dump: %s", e.text);
		return;
	}
	l->shown_dump = (struct ui_dump){ .on = true, .since = clock_mono() };
	mem_copy_text(l->shown_dump.path, sizeof(l->shown_dump.path), dump_dir(l->dump));
}

static void add_to_dump(struct live *l)
{
	struct error e = { 0 };

	if (!l->dump)
		return;
	if (dump_row(l->dump, fleet_of(l), NULL, &e) < 0) {
		dump_close(l->dump, NULL);
		l->dump = NULL;
		l->shown_dump.on = false;
		view_say(&l->view, &l->model, true, "dump stopped: %s", e.text);
		return;
	}
	l->shown_dump.rows = dump_counts(l->dump)->rows;
}

/* Pause: the picture stands on a copy, the readings go on. */

static void let_go(struct live *l)
{
	free((void *)(uintptr_t)l->held.chips);
	free((void *)(uintptr_t)l->held.processes);
	l->held = (struct fleet){ 0 };
}

static void *copy(const void *from, size_t n, size_t size)
{
	void *to;

	if (n == 0)
		return NULL;
	to = mem_calloc(n, size);
	memcpy(to, from, n * size);
	return to;
}

static void pause_picture(struct live *l)
{
	let_go(l);
	if (!l->view.paused)
		return;
	l->held = *fleet_of(l);
	l->held.chips = copy(l->held.chips, l->held.n, sizeof(*l->held.chips));
	l->held.processes = copy(l->held.processes, l->held.n_processes, sizeof(*l->held.processes));
}

/* Readings */

static void take_readings(struct live *l)
{
	int r;

	if (sampler_collect(l->session.sampler) == 0 || fleet_of(l)->tick == l->taken)
		return;
	r = l->taken ? 0 : session_choose(&l->session, l->o, &l->error);
	if (r < 0)
		l->quit = true;
	l->taken = fleet_of(l)->tick;
	/* A look may have found a second chip on a board. */
	history_reserve(l->history, fleet_of(l)->n);
	history_push(l->history, fleet_of(l));
	add_to_dump(l);
	l->dirty = true;
}

static void rescan(struct live *l, int64_t now)
{
	struct error e = { 0 };
	int r = sampler_rescan(l->session.sampler, &e);

	l->next_rescan = now + RESCAN;
	if (r < 0 && r != -EBUSY && r != -EOPNOTSUPP)
		view_say(&l->view, &l->model, true, "%s", e.text);
	history_reserve(l->history, fleet_of(l)->n);
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
	l->dirty = l->dirty || sampler_wait_ms(l->session.sampler) >= 0;
}

/* Keys */

static void save_snapshot(struct live *l)
{
	struct error e = { 0 };
	char path[4096];

	if (l->taken == 0)
		view_say(&l->view, &l->model, true, "snapshot: the first reading is not over");
	else if (snapshot_save(l->o, fleet_of(l), &l->session.host, path, sizeof(path), &e) < 0)
		view_say(&l->view, &l->model, true, "snapshot: %s", e.text);
	else
		view_say(&l->view, &l->model, false, "snapshot saved to %.180s", path);
}

static void carry_out(struct live *l, enum ui_request request)
{
	l->model.now = clock_mono();
	switch (request) {
	case UI_NONE:
		break;
	case UI_QUIT:
		l->quit = true;
		break;
	case UI_SNAPSHOT:
		save_snapshot(l);
		break;
	case UI_DUMP:
		if (l->dump)
			stop_dump(l);
		else
			start_dump(l);
		break;
	case UI_PAUSE:
		pause_picture(l);
		break;
	case UI_RESTART_STATS:
		history_restart_stats(l->history);
		break;
	case UI_REDRAW:
		term_forget();
		break;
	}
	l->dirty = l->urgent = true;
}

static void take_keys(struct live *l)
{
	unsigned hit;
	uint32_t key;

	while (!l->quit && (key = term_key(&hit)) != UI_KEY_NONE)
		carry_out(l, hit ? view_click(&l->view, hit, &l->model) :
			view_key(&l->view, key, &l->model));
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
			term_resize();
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
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
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

	if (!l->dirty || (term_is_plain() && !l->urgent && now - l->drawn < PLAIN_GAP))
		return;
	if (!l->view.paused) {
		l->model.now = now;
		l->model.real = clock_real();
	}
	l->model.fleet = l->view.paused ? &l->held : fleet_of(l);
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
	};
	int ms = earlier(clock_poll_ms(l->next_tick), sampler_wait_ms(l->session.sampler));

	if (poll(fds, sizeof(fds) / sizeof(fds[0]), earlier(ms, 1000)) < 0)
		return;
	/* The terminal has gone without a signal. */
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		l->quit = true;
	if (fds[0].revents & POLLIN)
		take_keys(l);
	if (fds[1].revents)
		take_signals(l);
	if (fds[3].revents)
		take_messages(l);
}

static void run(struct live *l)
{
	history_reserve(l->history, fleet_of(l)->n);
	l->dirty = true;
	l->next_tick = clock_mono() + l->model.interval;
	l->next_rescan = clock_mono() + RESCAN;
	while (!l->quit) {
		struct error e = { 0 };

		draw(l);
		wait_for_news(l);
		take_readings(l);
		take_book(l, &e);
		tick(l);
	}
}

static void init(struct live *l)
{
	view_init(&l->view);
	l->view.compact = l->o->compact;
	l->history = history_new();
	l->model = (struct model){ .version = PACKAGE_VERSION, .fleet = fleet_of(l),
		.host = &l->session.host, .history = l->history, .log = &l->log, .dump = &l->shown_dump,
		.interval = l->o->interval ? l->o->interval : INTERVAL, .charset = term_charset(),
		.now = clock_mono(), .real = clock_real(),
		.ended = strcmp(fleet_of(l)->source, "load") == 0 };
}

static void finish(struct live *l)
{
	stop_dump(l);
	take_messages(l);
	term_close();
	/* What nobody has seen is not lost. */
	for (size_t i = 0; i < l->log.n; i++)
		fprintf(stderr, "%s\n", ui_log_line(&l->log, i));
	if (l->shown_dump.path[0])
		fprintf(stderr, "tt-smi: dump: %s\n", l->shown_dump.path);
	finish_book(l);
	let_go(l);
	canvas_clear(&l->canvas);
	history_free(l->history);
}

enum exit_code mode_live(const struct options *o)
{
	const struct term_config config = { .dark = o->theme == THEME_DARK,
		.no_color = o->no_color || (getenv("NO_COLOR") && *getenv("NO_COLOR")) };
	struct error e = { 0 };
	enum exit_code code;
	struct live *l;

	if (!isatty(STDOUT_FILENO)) {
		fprintf(stderr, "tt-smi: the live display needs a terminal and stdout is not one\n"
			"tt-smi: hint: tt-smi -s prints a snapshot, tt-smi -d records readings\n");
		return EXIT_USAGE;
	}
	l = mem_calloc(1, sizeof(*l));
	l->o = o;
	code = session_start(&l->session, o, false);
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
	}
	session_close(&l->session);
	if (l->error.code < 0)
		code = session_fail_choice(&l->error);
	close(l->signals);
	if (l->deadly) {
		sigset_t all;

		/* Who sent it is to see that it worked. */
		sigfillset(&all);
		signal(l->deadly, SIG_DFL);
		sigprocmask(SIG_UNBLOCK, &all, NULL);
		raise(l->deadly);
	}
	free(l);
	return code;
}
