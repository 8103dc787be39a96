/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_during.c - --during: run a command, and print what the cards did while it ran.
 *
 * The command comes first: it is started before any card has answered, its exit code is ours,
 * and no card delays its end, whatever is wrong with the cards.
 */
#include "config.h"
#include "base/clock.h"

#include "base/file_new.h"
#include "base/program.h"
#include "src/during/receipt.h"
#include "src/loop.h"
#include "src/mode.h"
#include "src/say.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define USUAL_INTERVAL (CLOCK_SECOND / 2)
#define LAST_PATIENCE  (CLOCK_SECOND / 5)	/* for the cards, after the command has ended */

enum { CANNOT_START = 126, NOT_FOUND = 127 };	/* as in a shell and env(1) */

struct during {
	const struct options *o;
	struct session session;
	bool has_session;		/* the session is open */
	struct loop loop;
	struct program program;
	struct account account;
	struct file_new file;		/* of --report */
	int64_t began;			/* clock_mono() */
	struct receipt receipt;
};

/* Choose after the first sample: serials, and chips behind others, are not known before. */
static void choose_late(struct during *d)
{
	struct error e;

	if (!d->session.chosen && session_choose(&d->session, d->o, &e) < 0)
		say_error(&e);
}

static void take_tick(void *arg)
{
	struct during *d = arg;

	choose_late(d);
	account_take(&d->account, sampler_fleet(d->session.sampler), d->session.bus,
		&d->program);
}

static size_t prepare(void *arg, struct pollfd *fds)
{
	(void)arg;
	fds[0] = (struct pollfd){ .fd = program_fd(), .events = POLLIN };
	return 1;
}

static void wake(void *arg, const struct pollfd *fds)
{
	struct during *d = arg;

	(void)fds;
	d->loop.quit = program_has_ended(&d->program);
}

static const struct loop_ops loop_ops = { .tick = take_tick, .prepare = prepare, .wake = wake };

/* False: the options that choose cards are wrong.  Any other failure does not stop us. */
static bool open_session(struct during *d)
{
	const struct options *o = d->o;
	const enum exit_code code = session_start(&d->session, o);

	d->has_session = code == EXIT_DONE;
	return code != EXIT_USAGE || !(o->devices || o->sim || o->ttsim);
}

static void await_command(struct during *d)
{
	struct pollfd fds[1 + TURN_FDS];

	while (!program_has_ended(&d->program))
		turn_wait(NULL, NULL, fds, prepare(d, fds), -1);
}

/* Collect until the tick under way is over and the holders are listed, or time is up. */
static bool collect_until(struct during *d, int64_t until)
{
	struct sampler *s = d->session.sampler;

	for (;;) {
		const bool is_over = sampler_collect(s) != 0;

		if (is_over && !*sampler_fleet(s)->processes_unknown)
			return true;
		if (clock_mono() >= until)
			return is_over;
		sampler_wait(s, until);
	}
}

/* Sample the cards as the command left them, without waiting for one that hangs. */
static void sample_last(struct during *d)
{
	const int64_t until = clock_mono() + LAST_PATIENCE;
	struct sampler *s = d->session.sampler;

	if (sampler_is_busy(s)) {
		if (!collect_until(d, until))
			return;
		take_tick(d);
	}
	if (sampler_begin(s) == 0 && collect_until(d, until))
		take_tick(d);
}

/* Print the text, but give up at a signal if nobody reads it: nothing else is left to do. */
static void print_receipt(const struct strbuf *text)
{
	size_t at = 0;

	while (at < text->len) {
		struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };
		const ssize_t n = write(STDERR_FILENO, text->text + at, text->len - at);

		at += n > 0 ? (size_t)n : 0;
		if (n < 0 && errno == EAGAIN)
			poll(&fd, 1, -1);
		else if (n < 0 && errno != EINTR)
			return;
		if (n < 0 && program_is_asked_to_end())
			return;
	}
}

static void deliver_receipt(struct during *d)
{
	const bool to_file = d->o->report;
	struct strbuf text = { 0 };
	struct error e;

	receipt_put(&text, &d->receipt, d->o->json || to_file);
	if (to_file && file_new_finish(&d->file, text.text, text.len, &e) == 0) {
		strbuf_clear(&text);
		return;
	}
	if (to_file)
		say_error(&e);
	print_receipt(&text);
	strbuf_clear(&text);
}

static void settle(struct during *d)
{
	struct receipt *r = &d->receipt;

	r->duration = clock_mono() - d->began;
	r->n_left = program_list_left(&d->program, r->left, RECEIPT_LEFT);
	if (d->has_session) {
		sample_last(d);
		r->fleet = sampler_fleet(d->session.sampler);
		r->interval = d->loop.interval;
		account_end(&d->account, r->fleet, d->session.bus);
	}
	deliver_receipt(d);
}

static int start_command(struct during *d)
{
	struct error e;
	int r;

	d->began = clock_mono();
	d->receipt.began = clock_real();
	r = program_start(&d->program, d->o->command, &e);
	if (r < 0)
		say_error(&e);
	return r == -ENOENT ? NOT_FOUND : r < 0 ? CANNOT_START : 0;
}

static int during_run(struct during *d)
{
	const int failed = start_command(d);

	if (failed)
		return failed;
	if (d->has_session) {
		d->loop.sampler = d->session.sampler;
		d->loop.start = clock_mono() + d->loop.interval;
		loop_run(&d->loop);
	}
	await_command(d);
	settle(d);
	return program_exit_code(&d->program);
}

enum exit_code mode_during(const struct options *o)
{
	static struct during d;
	struct error e;
	int code = EXIT_USAGE;

	d.o = o;
	d.loop = (struct loop){ .ops = &loop_ops, .arg = &d, .end = INT64_MAX,
		.interval = o->interval ? o->interval : USUAL_INTERVAL };
	d.receipt = (struct receipt){ .o = o, .program = &d.program, .account = &d.account };
	d.file.fd = -1;
	program_prepare();
	if (o->report && file_new_open(&d.file, o->report, true, &e) < 0)
		return session_fail_file(&e);
	if (open_session(&d))
		code = during_run(&d);
	if (d.file.fd >= 0)
		file_new_discard(&d.file);
	if (d.has_session)
		session_close(&d.session);
	account_clear(&d.account);
	return (enum exit_code)code;
}
