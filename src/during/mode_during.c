/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_during.c - --during: run a command, and print what the cards did while it ran.
 *
 * The command comes first: it is started before any card has answered, its exit code is ours,
 * and no card delays its end by more than half a second, whatever is wrong with the cards.
 */
#include "config.h"

#include "act/hold.h"
#include "base/clock.h"
#include "base/file_new.h"
#include "base/mem.h"
#include "base/program.h"
#include "device/kind.h"
#include "src/during/receipt.h"
#include "src/loop.h"
#include "src/mode.h"
#include "src/say.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the cards do while the command runs. */

#define HOLDERS_MOST 4096


/* Chips that are left alone on purpose are not in the receipt. */
static bool is_read(const struct fleet *f, size_t i)
{
	return f->wanted[i] && f->chips[i].health != SNAPSHOT_NOT_READ;
}

/* Count a total from its present value, if it is known now for the first time. */
static void begin_totals(struct account_chip *c)
{
	for (unsigned id = 0; id < TALLY_COUNT; id++) {
		if (c->had[id] || !c->now.has[id])
			continue;
		c->had[id] = true;
		c->before.total[id] = c->now.total[id];
		if (id == TALLY_CORE_ENERGY || id == TALLY_BOARD_ENERGY)
			c->since[id - TALLY_CORE_ENERGY] = c->now.last[id].time;
	}
	for (size_t i = 0; i < AER_LINKS; i++)
		if (strcmp(c->before.links[i].bdf, c->now.links[i].bdf) != 0)
			c->before.links[i] = c->now.links[i];
}

/* Remember the new mask; returns how many bits were set (up) or cleared since the last one. */
static uint64_t risen(bool *known, uint32_t *mask, uint32_t now, bool up)
{
	const uint32_t changed = up ? now & ~*mask : *mask & ~now;
	const uint64_t n = *known ? (uint64_t)__builtin_popcount(changed) : 0;

	*known = true;
	*mask = now;
	return n;
}

static void take_links(struct account_chip *c, const struct snapshot *s, const struct bus *bus)
{
	struct aer links[AER_LINKS];

	if (bus && *s->bdf)
		tally_take_links(&c->now, links, aer_read_all(bus, s->bdf, links));
}

static void add_gap(struct account_chip *c, int64_t ns)
{
	if (ns > 0 && (uint64_t)ns > c->longest_gap)
		c->longest_gap = (uint64_t)ns;
}

/* Add the chip's sample to its totals; a gap is known when it has ended. */
static void take_totals(struct account_chip *c, const struct snapshot *s, int64_t interval)
{
	const uint64_t before = c->now.total[TALLY_GAP_TIME];

	tally_take(&c->now, s, interval);
	begin_totals(c);
	add_gap(c, (int64_t)(c->now.total[TALLY_GAP_TIME] - before));
	if (snapshot_miss(s))
		mem_copy_text(c->trouble, sizeof(c->trouble), snapshot_miss(s));
}

/* What was counted is not known. */
static void forget_counts(struct account_chip *c)
{
	for (unsigned id = TALLY_GAP_TIME_END + 1; id < TALLY_COUNT; id++)
		c->now.has[id] = c->had[id] = false;
	c->has_links = c->has_retrained = false;
}

/* Firmware whose heartbeat has never moved had stopped before: what it left behind is no sample. */
static void take_back(struct account *a, struct account_chip *c)
{
	forget_counts(c);
	c->samples = c->clocked = c->idle = 0;
	memset(c->seen, 0, sizeof(c->seen));
	memset(a->sum.seen, 0, sizeof(a->sum.seen));
}

/* Take in the chip's sample, unless it is no new one. */
static void take_chip(struct account *a, struct account_chip *c, const struct snapshot *s,
	const struct bus *bus, int64_t interval)
{
	const struct reading *link = &s->r[FIELD_ETH_LINK], *again = &s->r[FIELD_ETH_RETRAIN];

	if (s->beat == SNAPSHOT_BEAT_STOPPED && c->samples == 1)
		take_back(a, c);
	if (snapshot_is_current(s) && c->samples++ == 0)
		take_links(c, s, bus);
	take_totals(c, s, interval);
	if (!snapshot_is_current(s))
		return;
	for (int k = 0; k < ACCOUNT_SEEN; k++)
		range_take(&c->seen[k], &s->r[account_fields[k]]);
	if (kind_of(s->chip)->idle_mhz && reading_is_ok(&s->r[FIELD_AICLK])) {
		c->clocked++;
		c->idle += s->r[FIELD_AICLK].value <= kind_of(s->chip)->idle_mhz;
	}
	if (reading_is_ok(link))
		c->links_lost += risen(&c->has_links, &c->links, (uint32_t)link->value, false);
	if (reading_is_ok(again))
		c->links_retrained += risen(&c->has_retrained, &c->retrained,
			(uint32_t)again->value, true);
}

/* Both chips of a board report the same input power, so count it once. */
static bool is_first_of_board(const struct account *a, const struct fleet *f, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (a->chips[k].had[TALLY_BOARD_ENERGY] &&
			snapshot_is_of_board(&f->chips[k], &f->chips[i]))
			return false;
	return true;
}

/* Add the power that all chips draw at the same time. */
static void take_sum(struct account *a, const struct fleet *f)
{
	for (int power = 0; power < ACCOUNT_POWERS; power++) {
		const enum account_seen k = ACCOUNT_CORE_POWER + (unsigned)power;
		int64_t sum = 0;
		size_t n = 0;

		for (size_t i = 0; i < f->n; i++) {
			const struct reading *r = &f->chips[i].r[account_fields[k]];

			if (!is_read(f, i) || !snapshot_is_current(&f->chips[i]) ||
				!reading_is_ok(r) ||
				(power == ACCOUNT_BOARD && !is_first_of_board(a, f, i)))
				continue;
			sum += r->value;
			n++;
		}
		if (n > 0)
			range_add(&a->sum.seen[k], sum);
	}
}

static bool is_known_holder(const struct account *a, const struct process *p)
{
	for (size_t i = 0; i < a->n_holders; i++) {
		const struct process *h = &a->holders[i].process;

		if (h->device == p->device && h->pid == p->pid && h->started == p->started)
			return true;
	}
	return false;
}

static void take_holders(struct account *a, const struct fleet *f, int index,
	const struct program *program)
{
	const struct process *p;

	for (size_t at = 0; (p = holder_next(f, index, &at));) {
		if (a->n_holders == HOLDERS_MOST || is_known_holder(a, p))
			continue;
		a->holders = mem_realloc(a->holders, (a->n_holders + 1) * sizeof(*a->holders));
		a->holders[a->n_holders++] = (struct account_holder){ .process = *p,
			.whose = program_whose(program, p->pid) };
	}
}

/* Add the gaps before the first reading of the power and after the last, if there are any. */
static void end_gaps(struct account_chip *c, int64_t now)
{
	const struct tally_last *last = &c->now.last[TALLY_CORE_ENERGY];
	const int64_t until = c->now.has[TALLY_CORE_ENERGY] ? c->since[ACCOUNT_CORE] : now;
	const int64_t gaps[] = { c->first ? until - c->first : 0,
		last->known && last->is_broken ? now - last->time : 0 };

	for (size_t i = 0; i < ARRAY_LEN(gaps); i++) {
		if (gaps[i] <= 0)
			continue;
		c->now.has[TALLY_GAP_TIME] = true;
		c->now.total[TALLY_GAP_TIME] += (uint64_t)gaps[i];
		add_gap(c, gaps[i]);
	}
}

static void end_trouble(struct account_chip *c, const struct snapshot *s)
{
	const char *now = s->health == SNAPSHOT_NOT_READ ? s->reason : snapshot_trouble(s);
	const size_t len = strlen(c->trouble);

	if (now)
		mem_copy_text(c->trouble, sizeof(c->trouble), now);
	else if (len > 0)
		mem_copy_text(c->trouble + len, sizeof(c->trouble) - len, "; it answers again");
	else if (c->samples == 0)
		mem_copy_text(c->trouble, sizeof(c->trouble), "no sample was finished in time");
	else if (c->longest_gap > CLOCK_SECOND)
		snprintf(c->trouble, sizeof(c->trouble), "no sample for %.1f s",
			(double)c->longest_gap / CLOCK_SECOND);
}

/* The mean power: the energy over the time that it was integrated for. */
static void end_power(struct account_chip *c, int power)
{
	const unsigned id = TALLY_CORE_ENERGY + (unsigned)power;

	c->mean[power] = -1;
	if (!c->now.has[id])
		return;
	c->known[power] = c->now.last[id].time - c->since[power] -
		(int64_t)c->now.total[TALLY_GAP_TIME + (unsigned)power];
	if (c->known[power] > 0)
		c->mean[power] = (int64_t)((double)c->now.total[id] * 1e6 /
			(double)c->known[power] + 0.5);
}

/* Links that several cards share count once. */
static void add_links(struct account *a, const struct account_chip *c)
{
	struct tally *sum = &a->sum.now;

	for (size_t i = 0; i < AER_LINKS; i++) {
		const struct tally_link *now = &c->now.links[i];
		bool is_known = !*now->bdf;

		for (const struct account_chip *o = a->chips; o < c && !is_known; o++)
			for (size_t k = 0; k < AER_LINKS; k++)
				is_known = is_known || strcmp(o->now.links[k].bdf, now->bdf) == 0;
		for (unsigned k = 0; k < AER_KINDS && !is_known; k++) {
			const unsigned id = TALLY_AER + (i > 0 ? AER_KINDS : 0u) + k;

			sum->has[id] = true;
			sum->total[id] += now->errors[k] - c->before.links[i].errors[k];
		}
	}
}

static void add_chip(struct account *a, const struct fleet *f, size_t i)
{
	const struct account_chip *c = &a->chips[i];
	struct account_chip *to = &a->sum;
	const bool counts_board = is_first_of_board(a, f, i);

	for (unsigned id = 0; id < TALLY_COUNT; id++) {
		if (!c->now.has[id] || (id >= TALLY_AER && id <= TALLY_AER_END) ||
			(id == TALLY_BOARD_ENERGY && !counts_board))
			continue;
		to->now.has[id] = true;
		to->now.total[id] += c->now.total[id];
	}
	add_links(a, c);
	for (int k = 0; k < ACCOUNT_SEEN; k++) {
		if (k != ACCOUNT_CORE_POWER && k != ACCOUNT_BOARD_POWER)
			range_merge(&to->seen[k], &c->seen[k]);
	}
	for (int k = 0; k < ACCOUNT_POWERS; k++) {
		to->known[k] = c->known[k] > to->known[k] ? c->known[k] : to->known[k];
		if (c->mean[k] >= 0 && (k == ACCOUNT_CORE || counts_board))
			to->mean[k] = (to->mean[k] > 0 ? to->mean[k] : 0) + c->mean[k];
	}
	to->has_links = to->has_links || c->has_links;
	to->has_retrained = to->has_retrained || c->has_retrained;
	to->links_lost += c->links_lost;
	to->links_retrained += c->links_retrained;
	to->samples += c->samples;
	to->clocked += c->clocked;
	to->idle += c->idle;
	to->longest_gap = c->longest_gap > to->longest_gap ? c->longest_gap : to->longest_gap;
}

/* After the last tick: compute what was added, and the sum. */
static void account_end(struct account *a, const struct fleet *f, const struct bus *bus)
{
	for (int k = 0; k < ACCOUNT_POWERS; k++)
		a->sum.mean[k] = -1;
	for (size_t i = 0; i < f->n; i++) {
		struct account_chip *c = &a->chips[i];

		if (!c->is_there)
			continue;
		if (c->samples > 0)
			take_links(c, &f->chips[i], bus);
		begin_totals(c);
		tally_subtract(&c->now, &c->before);
		for (int k = 0; k < ACCOUNT_POWERS; k++)
			end_power(c, k);
		end_gaps(c, f->time);
		end_trouble(c, &f->chips[i]);
		add_chip(a, f, i);
		a->unread += c->samples == 0;
	}
	/* A card that was not read may have counted something, too. */
	if (a->unread > 0)
		forget_counts(&a->sum);
}

/* The command. */

#define USUAL_INTERVAL (CLOCK_SECOND / 2)
#define LAST_PATIENCE  (CLOCK_SECOND / 5)	/* for the cards, after the command has ended */
#define TWO_BEATS      (CLOCK_SECOND / 4)	/* in less, firmware that is alive may be silent */

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

static void take_tick(void *arg)
{
	struct during *d = arg;
	const struct fleet *f = sampler_fleet(d->session.sampler);
	struct account *a = &d->account;
	struct error e;

	if (d->receipt.is_copy)
		return;
	/* After the first sample: serials, and chips behind others, are not known before. */
	if (!d->session.chosen && session_choose(&d->session, d->o, &e) < 0)
		say_error(&e);
	for (size_t i = 0; i < f->n; i++) {
		if (!is_read(f, i)) {
			tally_break(&a->chips[i].now);
			continue;
		}
		if (!a->chips[i].is_there && !snapshot_is_current(&f->chips[i]))
			a->chips[i].first = f->time;
		a->chips[i].is_there = true;
		take_chip(a, &a->chips[i], &f->chips[i], d->session.bus, d->loop.interval);
		take_holders(a, f, f->chips[i].index, &d->program);
	}
	take_sum(a, f);
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
	if (sampler_begin(s) != 0 || !collect_until(d, until))
		return;
	if (clock_mono() - d->began > TWO_BEATS)
		sampler_judge_beats(s);
	take_tick(d);
}

/* Print the text, but give up at a signal if nobody reads it: nothing else is left to do. */
static void print_receipt(struct strbuf *text)
{
	size_t at = 0;

	charset_fit_message(text);
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

static void settle(struct during *d)
{
	struct receipt *r = &d->receipt;
	const bool to_file = d->o->report;
	struct strbuf text = { 0 };
	struct error e;
	int err = -1;

	r->duration = clock_mono() - d->began;
	r->n_left = program_list_left(&d->program, r->left, RECEIPT_LEFT);
	if (d->has_session) {
		sample_last(d);
		r->fleet = sampler_fleet(d->session.sampler);
		r->interval = d->loop.interval;
		account_end(&d->account, r->fleet, d->session.bus);
	}
	(d->o->json || to_file ? receipt_put_json : receipt_put_text)(&text, r);
	if (to_file)
		err = file_new_finish(&d->file, text.text, text.len, &e);
	if (to_file && err < 0)
		say_error(&e);
	if (err < 0)
		print_receipt(&text);
	strbuf_clear(&text);
}

/* Cards were chosen, and one of them is hidden or none of them was there: a caller must know. */
static bool misses_chosen(const struct during *d)
{
	const char *visible = getenv("TT_VISIBLE_DEVICES");

	if (!d->o->devices && !(visible && *visible))
		return false;
	return d->session.misses || receipt_missing(&d->receipt);
}

static int during_run(struct during *d)
{
	struct pollfd fds[1 + TURN_FDS];
	struct error e;
	int err, code;

	d->began = clock_mono();
	d->receipt.began = clock_real();
	err = program_start(&d->program, d->o->command, &e);
	if (err < 0) {
		say_error(&e);
		return err == -ENOENT ? NOT_FOUND : CANNOT_START;
	}
	if (d->has_session) {
		d->receipt.is_copy = session_is_copy(&d->session);
		d->loop.sampler = d->session.sampler;
		d->loop.start = clock_mono() + d->loop.interval;
		loop_run(&d->loop);
	}
	while (!program_has_ended(&d->program))
		turn_wait(NULL, NULL, fds, prepare(d, fds), -1);
	settle(d);
	code = program_exit_code(&d->program);
	return code == 0 && misses_chosen(d) ? EXIT_PARTIAL : code;
}

enum exit_code mode_during(const struct options *o)
{
	static struct during d;
	struct error e;
	int code;

	d.o = o;
	d.loop = (struct loop){ .ops = &loop_ops, .arg = &d, .end = INT64_MAX,
		.interval = o->interval ? o->interval : USUAL_INTERVAL };
	d.receipt = (struct receipt){ .o = o, .program = &d.program, .account = &d.account };
	d.file.fd = -1;
	program_prepare();
	if (o->report && file_new_open(&d.file, o->report, true, &e) < 0)
		return session_fail_file(&e);
	code = (int)session_start(&d.session, o);
	d.has_session = code == EXIT_DONE;
	/* A wrong choice of cards stops us; cards that are missing do not. */
	if (code != EXIT_USAGE)
		code = during_run(&d);
	if (d.file.fd >= 0)
		file_new_discard(&d.file);
	if (d.has_session)
		session_close(&d.session);
	free(d.account.holders);
	return (enum exit_code)code;
}
