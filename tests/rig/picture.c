/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.c - the picture at the top of the README: the live display on simulated boards after
 * five minutes, as SVG on stdout.  Time is virtual, and no tick ends before all cards are read, so
 * it is the same in every run: `make picture` writes it, tests/tree/check_picture.sh compares.
 */
#include "config.h"
#include "base/clock.h"
#include "device/bus.h"
#include "src/say.h"
#include "telemetry/sampler/sampler.h"
#include "tests/rig/svg.h"
#include "ui/screen.h"
#include "ui/tab.h"

#include <stdio.h>
#include <stdlib.h>

#define BEGIN	"1795252364"	/* Sat 2026-11-21 09:12:44 UTC */
#define BOARDS	"n150,n300,p150a,p150a:hot@210"
#define MINUTES 5
#define TICK	(CLOCK_SECOND / 2)

enum { COLUMNS = 108, LINES = 24 };

static void give_up(const char *what, const struct error *e)
{
	fprintf(stderr, "picture: %s: %s\n", what, e->text);
	exit(1);
}

static struct sampler *open_boards(struct bus **bus)
{
	struct sampler_config c = { .interval = TICK, .deadline = 60 * CLOCK_SECOND };
	struct sampler *s = NULL;
	struct error e = { 0 };

	if (bus_open(&(struct bus_config){ .root = "/", .sim = BOARDS }, bus, &e) < 0)
		give_up(BOARDS, &e);
	c.bus = *bus;
	if (sampler_open(&c, &s, &e) < 0)
		give_up(BOARDS, &e);
	return s;
}

/* However busy the machine is, each tick has all cards: none is late, so nothing depends on it. */
static void sample(struct sampler *s, struct history *history)
{
	int64_t start = clock_mono();
	struct error e = { 0 };

	for (int tick = 0; tick < MINUTES * 60 * (int)(CLOCK_SECOND / TICK); tick++) {
		clock_sleep_until(start + tick * TICK);
		sampler_await_all(s);
		if (sampler_tick(s, &e) < 0)
			give_up("a tick", &e);
		history_reserve(history, sampler_fleet(s)->n);
		history_push(history, sampler_fleet(s));
	}
}

static void draw(const struct sampler *s, const struct history *history, struct canvas *c)
{
	static struct host host;
	static struct ui_log log;
	static struct ui_dump dump;
	static struct view view;
	const struct model model = { .version = VERSION_SHOWN, .fleet = sampler_fleet(s),
		.host = &host, .history = history, .log = &log, .dump = &dump,
		.now = clock_mono(), .real = clock_real(), .interval = TICK };

	view_init(&view, tabs);
	canvas_resize(c, COLUMNS, LINES, CHARSET_UTF8);
	screen_draw(c, &model, &view);
}

int main(void)
{
	struct history *history = history_new();
	struct strbuf svg = { 0 };
	struct canvas c = { 0 };
	struct sampler *s;
	struct bus *bus;

	setenv("TT_SMI_VIRTUAL_TIME", BEGIN, true);
	setenv("TZ", "UTC0", true);
	clock_init();
	s = open_boards(&bus);
	sample(s, history);
	draw(s, history, &c);
	svg_draw(&c, "tt-smi on four simulated boards, one of them too hot", &svg);
	fputs(svg.text, stdout);
	strbuf_clear(&svg);
	canvas_clear(&c);
	sampler_close(s);
	bus_close(bus);
	history_free(history);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
