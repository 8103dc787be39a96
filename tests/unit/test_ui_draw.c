/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From one picture to the next: what goes out is read by a small terminal here,
 * which must show the same cells in the same colours after every step.
 */
#include "config.h"
#include "tests/rig/ui_fleet.h"
#include "tests/rig/ui_floor.h"

#include "base/clock.h"
#include "base/mem.h"
#include "telemetry/judge.h"
#include "ui/screen.h"
#include "ui/tab.h"
#include "ui/term_local.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#define W 120
#define H 40

static struct shown {
	uint32_t ch;
	struct look look;
} shown[H][W];
static int x, y;
static struct look pen;

static const struct look plain = { .fg = -1, .bg = -1 };

/* "38;5;N" and "48;5;N" are colours, 3N too; 1, 2, 4, 7 attributes; 0 or nothing ends all. */
static void set_look(const int *p, int n)
{
	static const unsigned attr[] = { [1] = LOOK_BOLD, [2] = LOOK_DIM, [4] = LOOK_UNDERLINE,
		[7] = LOOK_REVERSE };

	for (int i = 0; i < n; i++) {
		if (p[i] == 0) {
			pen = plain;
		} else if (p[i] == 38 || p[i] == 48) {
			assert_true(i + 2 < n && p[i + 1] == 5);
			*(p[i] == 38 ? &pen.fg : &pen.bg) = p[i + 2];
			i += 2;
		} else if (p[i] >= 30 && p[i] < 38) {
			pen.fg = p[i] - 30;
		} else {
			assert_in_range(p[i], 1, 7);
			assert_int_not_equal(attr[p[i]], 0);
			pen.attr |= attr[p[i]];
		}
	}
}

/* One sequence from ESC [ on; returns the byte after it. */
static const char *sequence(const char *at)
{
	int p[8] = { 0 }, n = 1, steps;

	for (; (*at >= '0' && *at <= '9') || *at == ';'; at++) {
		if (*at == ';')
			n++;
		else
			p[n - 1] = p[n - 1] * 10 + *at - '0';
		assert_true(n <= 8);
	}
	steps = p[0] ? p[0] : 1;
	switch (*at) {
	case 'J':
		for (int i = 0; i < W * H; i++)
			shown[i / W][i % W] = (struct shown){ ' ', plain };
		break;
	case 'H':
		y = steps - 1;
		x = p[1] ? p[1] - 1 : 0;
		break;
	case 'A':
		y -= steps;
		break;
	case 'B':
		y += steps;
		break;
	case 'C':
		x += steps;
		break;
	case 'D':
		x -= steps;
		break;
	case 'm':
		set_look(p, n);
		break;
	default:
		fail();
	}
	/* A terminal stops at its edge: a step beyond would be a mistake. */
	if (strchr("ABCDH", *at)) {
		assert_in_range(x, 0, W - 1);
		assert_in_range(y, 0, H - 1);
	}
	return at + 1;
}

static void show(const char *at)
{
	while (*at) {
		uint32_t ch;

		if (at[0] == '\033' && at[1] == '[') {
			at = sequence(at + 2);
			continue;
		}
		if (*at == '\b') {
			/* After the last column a cursor stands on it, or beyond: who knows. */
			assert_in_range(x, 1, W - 1);
			x--;
			at++;
			continue;
		}
		ch = glyph_next(&at);
		assert_in_range(y, 0, H - 1);
		assert_in_range(x, 0, W - glyph_width(ch));
		shown[y][x] = (struct shown){ ch, pen };
		if (glyph_width(ch) == 2)
			shown[y][x + 1] = (struct shown){ .ch = 0 };
		x += glyph_width(ch);
	}
}

static void compare(const struct canvas *c)
{
	for (int i = 0; i < W * H; i++) {
		const struct cell *cell = &c->cells[i];
		const struct term_look *look = &term.look[cell->lit][cell->style];
		const struct shown *s = &shown[i / W][i % W];

		if (s->ch != cell->ch)
			print_message("# %d,%d shows U+%04x, not U+%04x\n", i % W, i / W,
				(unsigned)s->ch, (unsigned)cell->ch);
		assert_int_equal(s->ch, cell->ch);
		/* A blank may have any style that colours nothing but text. */
		if (cell->ch == ' ' && !look->ground) {
			assert_int_equal(s->look.bg, -1);
			assert_int_equal(s->look.attr & (LOOK_UNDERLINE | LOOK_REVERSE), 0);
		} else if (cell->ch != 0) {
			assert_int_equal(s->look.fg, look->look.fg);
			assert_int_equal(s->look.bg, look->look.bg);
			assert_int_equal(s->look.attr, look->look.attr);
		}
	}
}

/* Draw it, show it, and return how many bytes that took. */
static size_t draw(const struct canvas *c)
{
	static char bytes[1 << 20];
	ssize_t n;

	assert_int_equal(ftruncate(term.out, 0), 0);
	lseek(term.out, 0, SEEK_SET);
	term_draw(c);
	n = pread(term.out, bytes, sizeof(bytes) - 1, 0);
	assert_true(n >= 0);
	bytes[n] = 0;
	show(bytes);
	compare(c);
	return (size_t)n;
}

static int begin(void **state)
{
	(void)state;
	term.out = memfd_create("terminal", MFD_CLOEXEC);
	term.colors = 256;
	term.right_margin = true;
	term.forget = true;
	term_look_init();
	return term.out < 0;
}

static int end(void **state)
{
	(void)state;
	close(term.out);
	canvas_clear(&term.last);
	strbuf_clear(&term.bytes);
	return 0;
}

/* Texts of all kinds anywhere, some of the last picture's, wide ones among them. */
static void scribble(struct canvas *c)
{
	static const char *const texts[] = { "p150a", "71.5", " ", "  12 ", "●", "漢字", "x" };

	for (int i = rand() % 60; i >= 0; i--) {
		c->lit = rand() % 4 == 0;
		canvas_text(c, rand() % W, rand() % H, (enum style)(rand() % STYLES),
			texts[(size_t)rand() % ARRAY_LEN(texts)]);
	}
}

static void any_picture_after_any_other_arrives(void **state)
{
	struct canvas c = { 0 };

	(void)state;
	srand(7);
	canvas_resize(&c, W, H, CHARSET_UTF8);
	for (int i = 0; i < 500; i++) {
		if (i % 50 == 0)
			canvas_erase(&c);
		scribble(&c);
		term.forget = term.forget || i % 37 == 0;
		draw(&c);
	}
	canvas_clear(&c);
}

static void what_stays_costs_nothing_and_a_digit_little(void **state)
{
	struct canvas c = { 0 };

	(void)state;
	canvas_resize(&c, W, H, CHARSET_UTF8);
	scribble(&c);
	draw(&c);
	assert_int_equal(draw(&c), 0);
	canvas_put(&c, 50, 20, STYLE_HEADING, '7');
	assert_in_range(draw(&c), 1, 32);
	canvas_put(&c, 52, 20, STYLE_HEADING, '8');
	assert_in_range(draw(&c), 1, 8);
	canvas_clear(&c);
}

/* A second later on every tab: the clock's digit, and those of the history's axis. */
static void a_second_without_news_costs_few_bytes(void **state)
{
	struct canvas c = { 0 };
	struct ui_fleet f;
	struct view v;

	(void)state;
	ui_fleet_make(&f, 4);
	view_init(&v, tabs);
	for (int tab = 0; tab < UI_TABS; tab++) {
		v.tab = (enum ui_tab)tab;
		for (int second = 0; second < 5; second++) {
			size_t cost;

			f.model.real += CLOCK_SECOND;
			canvas_resize(&c, W, H, CHARSET_UTF8);
			screen_draw(&c, &f.model, &v);
			cost = draw(&c);
			if (second > 0 && cost > 80)
				print_message("# tab %d: %zu bytes\n", tab + 1, cost);
			assert_true(second == 0 || (cost > 0 && cost <= 80));
		}
	}
	canvas_clear(&c);
	ui_fleet_free(&f);
}

/* A minute of readings that do not change: the area grows, and moves once in a jump. */
static void the_history_moves_in_jumps_and_sends_little_between_them(void **state)
{
	struct canvas c = { 0 };
	struct ui_fleet f;
	struct view v;
	int moved = 0;

	(void)state;
	ui_fleet_make(&f, 1);
	view_init(&v, tabs);
	v.tab = UI_TAB_HISTORY;
	v.zoom = 1;
	for (int i = 0; i < 121; i++) {
		size_t cost;

		f.model.now += CLOCK_SECOND / 2;
		f.model.real += CLOCK_SECOND / 2;
		f.fleet.time = f.model.now;
		history_push(f.history, &f.fleet);
		canvas_resize(&c, W, H, CHARSET_UTF8);
		screen_draw(&c, &f.model, &v);
		cost = draw(&c);
		moved += cost > 250;
	}
	/* The first picture, and a jump every 1.5 s or a little more. */
	assert_in_range(moved, 10, 41);
	canvas_clear(&c);
	ui_fleet_free(&f);
}

/* Every value that a running board changes, each by its own steps. */
static void let_time_pass(struct ui_fleet *f, int64_t interval)
{
	static const enum field_id ids[] = { FIELD_POWER, FIELD_CURRENT, FIELD_VCORE,
		FIELD_ASIC_TEMP, FIELD_FAN_RPM, FIELD_PCIE_RX, FIELD_PCIE_TX };

	f->model.now += interval;
	f->model.real += interval;
	f->fleet.time = f->model.now;
	for (size_t i = 0; i < f->fleet.n; i++)
		for (size_t k = 0; k < ARRAY_LEN(ids); k++) {
			struct reading *r = &f->chips[i].r[ids[k]];

			if (r->state == READING_OK && rand() % 3 == 0)
				r->value += (rand() % 7 - 3) * fields[ids[k]].scale / 4;
		}
	history_push(f->history, &f->fleet);
}

/* Each tab for 20 s, at 2 and at 10 pictures a second: near to the fewest bytes there can be. */
static void changes_cost_little_more_than_they_must(void **state)
{
	const int64_t intervals[] = { CLOCK_SECOND / 2, CLOCK_SECOND / 10 };

	(void)state;
	srand(11);
	for (int run = 0; run < 2 * UI_TABS; run++) {
		struct canvas c = { 0 }, last = { 0 };
		int64_t interval = intervals[run / UI_TABS], ticks = 20 * CLOCK_SECOND / interval;
		struct ui_floor floor = { 0 };
		size_t sent = 0;
		struct ui_fleet f;
		struct view v;

		ui_fleet_make(&f, 3);
		f.model.interval = interval;
		view_init(&v, tabs);
		v.tab = (enum ui_tab)(run % UI_TABS);
		canvas_resize(&last, W, H, CHARSET_UTF8);
		for (int64_t i = 0; i < ticks; i++) {
			struct ui_floor least;
			struct look now = pen;
			int from_x = x, from_y = y;
			size_t cost;

			let_time_pass(&f, interval);
			canvas_resize(&c, W, H, CHARSET_UTF8);
			screen_draw(&c, &f.model, &v);
			cost = draw(&c);
			least = ui_floor_of(&last, &c, from_x, from_y, &now);
			memcpy(last.cells, c.cells, (size_t)(W * H) * sizeof(*c.cells));
			if (i == 0)
				continue;
			sent += cost;
			floor.bytes += least.bytes;
			floor.cells += least.cells;
		}
		print_message("# tab %d at %g s: %.1f cells, %.1f bytes a second, %.1f at least\n",
			run % UI_TABS + 1, (double)interval / CLOCK_SECOND,
			(double)floor.cells / 20, (double)sent / 20, (double)floor.bytes / 20);
		assert_true(floor.cells > 0);
		assert_true(sent <= floor.bytes + floor.bytes / 3);
		canvas_clear(&c);
		canvas_clear(&last);
		ui_fleet_free(&f);
	}
}

/* Change one thing of what a sample brings; the tick and all times stay. */
static void change_one(struct ui_fleet *f)
{
	struct snapshot *s = &f->chips[(size_t)rand() % f->fleet.n];
	struct reading *r = &s->r[FIELD_NONE + 1 + rand() % (FIELD_COUNT - 1)];
	struct process *p = &f->processes[rand() % 3];

	switch (rand() % 13) {
	case 0: s->health = (enum snapshot_health)(rand() % 6); break;
	case 1: s->beat = (enum snapshot_beat)(rand() % 4); break;
	case 2: s->reason[0] = (char)('a' + rand() % 26); break;
	case 3: s->note[0] = (char)('a' + rand() % 26); break;
	case 4: s->findings[0].text[0] = (char)('a' + rand() % 26); break;
	case 5: s->n_findings = (size_t)rand() % 3; break;
	case 6: s->link.speed = rand() % 2 ? 16000 : 32000; break;
	case 7: s->link.downgraded = !s->link.downgraded; break;
	case 8: p->pid = 1000 + rand() % 3; break;
	case 9: p->user[0] = (char)('a' + rand() % 26); break;
	case 10: p->has_memory = !p->has_memory; break;
	case 11: r->state = (uint8_t)(rand() % (READING_UNJUDGED + 1)); break;
	default: r->value += rand() % 2000 - 1000;
	}
}

/* The live display leaves a picture out where the digest is that of the last one. */
static void pictures_differ_only_where_the_digest_does(void **state)
{
	struct canvas c = { 0 }, before[UI_TABS] = { 0 };
	struct ui_fleet f;
	struct view v;
	uint64_t silent[2];
	int differed = 0;

	(void)state;
	srand(23);
	ui_fleet_make(&f, 4);
	view_init(&v, tabs);
	for (int i = 0; i < 600; i++) {
		uint64_t digest = fleet_digest(&f.fleet, true), calm;
		bool differs = false;

		if (i > 0)
			change_one(&f);
		for (int tab = 0; tab < UI_TABS; tab++) {
			v.tab = (enum ui_tab)tab;
			canvas_resize(&c, W, H, CHARSET_UTF8);
			screen_draw(&c, &f.model, &v);
			if (i > 0 && memcmp(c.cells, before[tab].cells,
				(size_t)(W * H) * sizeof(*c.cells)) != 0)
				differs = true;
			canvas_resize(&before[tab], W, H, CHARSET_UTF8);
			memcpy(before[tab].cells, c.cells, (size_t)(W * H) * sizeof(*c.cells));
		}
		if (i > 0 && differs)
			assert_true(fleet_digest(&f.fleet, true) != digest);
		calm = fleet_digest(&f.fleet, false);
		f.chips[0].r[FIELD_POWER].value++;
		assert_true(fleet_digest(&f.fleet, false) == calm);
		f.chips[0].r[FIELD_POWER].value--;
		f.chips[0].n_findings++;
		assert_true(fleet_digest(&f.fleet, false) != calm);
		f.chips[0].n_findings--;
		differed += differs;
	}
	assert_true(differed > 100);
	/* How long firmware has been silent is time, and waits for the clock. */
	for (int i = 0; i < 2; i++) {
		f.chips[0].n_findings = 0;
		judge_add(&f.chips[0], "heartbeat", "firmware silent for %d s", 3 + i);
		silent[i] = fleet_digest(&f.fleet, true);
	}
	assert_true(silent[0] == silent[1]);
	for (int tab = 0; tab < UI_TABS; tab++)
		canvas_clear(&before[tab]);
	canvas_clear(&c);
	ui_fleet_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(any_picture_after_any_other_arrives, begin, end),
		cmocka_unit_test_setup_teardown(what_stays_costs_nothing_and_a_digit_little, begin,
			end),
		cmocka_unit_test_setup_teardown(a_second_without_news_costs_few_bytes, begin, end),
		cmocka_unit_test_setup_teardown(
			the_history_moves_in_jumps_and_sends_little_between_them, begin, end),
		cmocka_unit_test_setup_teardown(changes_cost_little_more_than_they_must, begin,
			end),
		cmocka_unit_test(pictures_differ_only_where_the_digest_does),
	};

	setlocale(LC_CTYPE, "");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
