/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/reset/screen.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "src/loop.h"
#include "src/say.h"
#include "src/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FDS (DEVICE_MAX + 2)

int reset_setup_open(struct reset_setup *s, struct session *session, const struct reset_plan *plan,
	struct reset_config *c, struct error *e)
{
	const struct fleet *f = sampler_fleet(session->sampler);
	/* Simulated boards have simulated listeners: no program of this machine is notified. */
	const char *root = f->origin->is_simulated ? getenv("TT_SMI_STATE_DIR")
		: session->bus->root;
	struct error why = { 0 };
	int r;

	snprintf(s->folder, sizeof(s->folder), "%s/" LISTENERS_FOLDER, root ? root : "");
	c->bus = session->bus;
	c->sampler = session->sampler;
	c->host = &session->host;
	c->log = &s->log;
	c->listeners = root ? s->folder : NULL;
	c->plan = plan;
	if (log_open(&s->log, &why) < 0)
		say_as(why.word, "no log of this reset is kept: %s", why.text);
	r = reset_open(c, &s->reset, e);
	if (r < 0)
		log_close(&s->log);
	return r;
}

bool reset_setup_turn(const struct reset_setup *s, struct stop *stop, struct outlet *out, int ms)
{
	struct pollfd fds[MAX_FDS + TURN_FDS];
	const size_t n = reset_fds(s->reset, fds, MAX_FDS);
	const int due = reset_wait_ms(s->reset);

	return turn_wait(stop, out, fds, n, ms < 0 || due < ms ? due : ms);
}

void reset_setup_close(struct reset_setup *s)
{
	if (!s->reset)
		return;
	reset_close(s->reset);
	s->reset = NULL;
	if (s->log.trouble)
		say_as(code_find(-s->log.trouble), "%s: not all of this reset could be "
			"written: %s", s->log.path, strerror(-s->log.trouble));
	log_close(&s->log);
}

#define FRAME	 (CLOCK_SECOND / 10)
#define PATIENCE (10 * CLOCK_SECOND)	/* in a pipe, until the first message about waiting */
#define LONGEST	 (80 * CLOCK_SECOND)	/* the pause doubles each time, up to this */

/* The lines for cards; the cursor's line stays free. */
static size_t room(void)
{
	const size_t rows = outlet_rows(STDOUT_FILENO);

	return rows > 1 ? rows - 1 : 0;
}

static bool has_room(void)
{
	return outlet_is_screen() && outlet_rows(STDOUT_FILENO) >= 4 &&
		outlet_columns(STDOUT_FILENO) >= 60;
}

static double seconds(int64_t ns)
{
	return (double)ns / CLOCK_SECOND;
}

static void draw_card(struct strbuf *out, const struct reset_card *c)
{
	strbuf_printf(out, "%3d %s %-10.10s ", c->index, c->bdf, c->series);
	if (c->verdict != RESET_PENDING)
		strbuf_printf(out, "%s in %.1f s", reset_verdict_name(c->verdict),
			seconds(c->took));
	else
		strbuf_printf(out, "%-7s %5.1f of %.0f s  %s", reset_phase_name(c->phase),
			seconds(clock_mono() - c->began), seconds(c->limit),
			plan_method_title(c->plan.ladder[c->rung]));
	strbuf_puts(out, "\033[K\n");
}

static int rank_of(const struct reset_card *c)
{
	return c->verdict == RESET_PENDING ? 0 : c->verdict == RESET_RECOVERED ? 2 : 1;
}

static void draw_rest(struct strbuf *out, const struct reset_card *cards, size_t n,
	size_t hidden)
{
	size_t count[3] = { 0 };

	for (size_t i = 0; i < n; i++)
		count[rank_of(&cards[i])]++;
	strbuf_printf(out, "    and %zu more: of all %zu, %zu recovered, %zu did not, %zu not done"
		"\033[K\n", hidden, n, count[2], count[1], count[0]);
}

static void reset_screen_draw(struct reset_screen *s)
{
	const struct reset_card *cards;
	size_t n = reset_cards(s->setup->reset, &cards);
	size_t lines = room(), shown = 0, most = n <= lines ? n : lines - 1;
	struct strbuf *out = &s->out.text;

	if (s->drawn)
		strbuf_printf(out, "\033[%zuA", s->drawn < lines ? s->drawn : lines);
	/* If not all cards fit, show first those not done, then those that did not recover. */
	for (int rank = 0; rank < 3; rank++)
		for (size_t i = 0; i < n && shown < most; i++)
			if (n <= lines ? rank == 0 : rank_of(&cards[i]) == rank) {
				draw_card(out, &cards[i]);
				shown++;
			}
	if (shown < n)
		draw_rest(out, cards, n, n - shown);
	s->drawn = shown + (shown < n);
	outlet_push(&s->out);
}

/* In a pipe: name slow phases from time to time, so that silence is not taken for a hang. */
static void name_waiting(struct reset_screen *s)
{
	const struct reset_card *cards, *last = NULL;
	size_t n = reset_cards(s->setup->reset, &cards), waiting = 0;

	for (size_t i = 0; i < n; i++) {
		if (cards[i].verdict != RESET_PENDING)
			continue;
		waiting++;
		last = &cards[i];
	}
	if (last)
		strbuf_printf(&s->out.text, "%zu card%s not done: %d %s in %s for %.0f s of "
			"%.0f s\n", waiting, waiting == 1 ? "" : "s", last->index, last->bdf,
			reset_phase_name(last->phase), seconds(clock_mono() - last->began),
			seconds(last->limit));
	outlet_push(&s->out);
}

static void put_remarks(struct strbuf *out, const struct reset_card *c)
{
	if (*c->note)
		strbuf_printf(out, "%d %s: %s\n", c->index, c->bdf, c->note);
	if (*c->advice.text)
		strbuf_printf(out, "%d %s: %s\n", c->index, c->bdf, c->advice.text);
}

void reset_screen_tell(void *arg, const struct reset_card *c, const struct reset_step *step)
{
	struct reset_screen *s = arg;
	struct strbuf *out = &s->out.text;

	if (s->is_live)
		return;
	strbuf_printf(out, "%d %s %s: ", c->index, c->bdf, c->series);
	if (step) {
		strbuf_printf(out, "%s%s%s %.2f s of %.*f s: %s%s%s\n",
			reset_phase_name(step->phase), step->phase == RESET_FIRE ? " " : "",
			step->phase == RESET_FIRE ? plan_method_title(step->method) : "",
			seconds(step->took), c->limit % CLOCK_SECOND ? 1 : 0, seconds(c->limit),
			step->ok ? "done" : "failed",
			*step->text ? ", " : "", step->text);
	} else {
		strbuf_printf(out, "%s in %.1f s%s%s\n", reset_verdict_name(c->verdict),
			seconds(c->took), *c->reason ? ": " : "", c->reason);
		put_remarks(out, c);
	}
	outlet_push(&s->out);
}

static void refresh(struct reset_screen *s)
{
	int64_t now = clock_mono();

	if (now < s->next)
		return;
	if (!s->is_live && s->pause < LONGEST)
		s->pause *= 2;
	s->next = now + s->pause;
	/* Draw nothing more for a stopped terminal until it took the last picture. */
	if (s->is_live && outlet_push(&s->out))
		reset_screen_draw(s);
	else if (!s->is_live)
		name_waiting(s);
}

/* A second signal does not end a reset, but the wait for a controller. */
static void stop_it(struct reset_screen *s, bool is_second)
{
	struct reset *r = s->setup->reset;

	reset_stop(r);
	if (is_second)
		reset_leave_outside(r);
	if (reset_is_hot(r) && !s->said_wait && outlet_is_free(STDERR_FILENO))
		say("a reset is under way and cannot be stopped safely: waiting for its end; "
		    "no other begins%s", reset_is_outside(r)
			? "; a second signal leaves the controller half way" : "");
	s->said_wait = true;
}

/* What is to be said of a card after its reset. */
struct remark {
	const struct reset_card *c;
	const char *text;
};

/* Where an advice names the card's board; NULL: nowhere. */
static const char *board_in(const struct remark *r)
{
	return *r->c->plan.board ? strstr(r->text, r->c->plan.board) : NULL;
}

/* The same text, but for the name of the board. */
static bool is_alike(const void *all, size_t a, size_t b)
{
	const struct remark *x = (const struct remark *)all + a;
	const struct remark *y = (const struct remark *)all + b;
	const char *x_at = board_in(x), *y_at = board_in(y);

	if (!x_at || !y_at)
		return strcmp(x->text, y->text) == 0;
	return x_at - x->text == y_at - y->text &&
		strncmp(x->text, y->text, (size_t)(x_at - x->text)) == 0 &&
		strcmp(x_at + strlen(x->c->plan.board), y_at + strlen(y->c->plan.board)) == 0;
}

/* Put the text of the first one with the names of all boards, each of them once. */
static void put_remark(struct strbuf *to, const struct remark *all, const int *group, size_t n)
{
	const struct remark *first = &all[group[0]];
	const char *at = board_in(first);
	const size_t from = to->len;

	if (!at) {
		strbuf_puts(to, first->text);
		return;
	}
	strbuf_printf(to, "%.*s", (int)(at - first->text), first->text);
	for (size_t k = 0; k < n; k++) {
		const struct reset_card *c = all[group[k]].c;

		if (k == 0 || !strstr(to->text + from, c->bdf))
			strbuf_printf(to, "%s%s", k ? " " : "", c->plan.board);
	}
	strbuf_puts(to, at + strlen(first->c->plan.board));
}

/* Print reasons and remarks, for which the table has no room; cards that are alike share a line. */
static void print_reasons(struct reset_screen *s)
{
	const struct reset_card *cards;
	struct strbuf *out = &s->out.text;
	size_t n = reset_cards(s->setup->reset, &cards), count = 0;
	struct remark *all = mem_calloc(3 * n + 1, sizeof(*all));
	int *group = mem_calloc(3 * n + 1, sizeof(*group)), index[DEVICE_MAX];

	for (size_t i = 0; i < n; i++) {
		const char *texts[] = { cards[i].reason, cards[i].note, cards[i].advice.text };

		for (size_t k = 0; k < ARRAY_LEN(texts); k++)
			if (*texts[k])
				all[count++] = (struct remark){ &cards[i], texts[k] };
	}
	for (size_t i = 0; i < count; i++) {
		const size_t alike = text_group(all, count, i, is_alike, group);

		for (size_t k = 0; k < alike; k++)
			index[k] = all[group[k]].c->index;
		if (alike > 1)
			text_put_cards(out, index, alike);
		else if (alike == 1)
			strbuf_printf(out, "%d %s", all[i].c->index, all[i].c->bdf);
		if (alike > 0) {
			strbuf_puts(out, ": ");
			put_remark(out, all, group, alike);
			strbuf_putc(out, '\n');
		}
	}
	free(group);
	free(all);
}

void reset_screen_run(struct reset_screen *s, const struct reset_setup *setup, struct stop *stop)
{
	const unsigned seen = stop->times;

	*s = (struct reset_screen){ .setup = setup, .is_live = has_room() };
	outlet_open(&s->out);
	s->pause = s->is_live ? FRAME : PATIENCE;
	s->next = clock_mono() + (s->is_live ? 0 : PATIENCE);
	while (!reset_step(setup->reset)) {
		refresh(s);
		if (reset_setup_turn(setup, stop, &s->out, clock_poll_ms(s->next)))
			stop_it(s, stop->times - seen > 1);
	}
	if (!s->is_live)
		return;
	reset_screen_draw(s);
	print_reasons(s);
}
