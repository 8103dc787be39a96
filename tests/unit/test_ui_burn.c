/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen of a burn: what it looked like when somebody looked at it
 * (UPDATE_GOLDEN=1 rewrites, the diff is the review), and every size from 1x1
 * on for text over text and numbers cut in two.
 */
#include "config.h"
#include "tests/rig/golden.h"
#include "tests/rig/ui_fleet.h"

#include "base/clock.h"
#include "base/mem.h"
#include "ui/burn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct canvas canvas;
static struct sensors sensors;
static struct ui_burn_thread threads[64];
static struct history_bin bins[UI_BURN_BINS];
static struct ui_burn_chip chips[UI_BURN_CHIPS];

static void add_sensor(enum sensor_kind kind, const char *name, enum reading_state state,
	int64_t value, int64_t limit)
{
	struct sensor *x = &sensors.s[sensors.n++];

	*x = (struct sensor){ .kind = (uint8_t)kind, .state = (uint8_t)state, .value = value,
		.limit = limit, .has_limit = limit > 0, .time = 1, .least = value, .most = value };
	snprintf(x->name, sizeof(x->name), "%s", name);
	x->package = kind == SENSOR_ENERGY;
}

static void add_work(struct ui_burn *b, const char *name, const char *rate, int percent)
{
	struct ui_burn_work *w = &b->work[b->n_work++];

	snprintf(w->name, sizeof(w->name), "%s", name);
	snprintf(w->rate, sizeof(w->rate), "%s", rate);
	snprintf(w->by, sizeof(w->by), "avx512");
	w->percent = percent;
}

/* A server of 8 threads that is well, two thirds through its minute. */
static struct ui_burn healthy(void)
{
	struct ui_burn b = { .phase = UI_BURN_LOAD, .elapsed = 41 * CLOCK_SECOND,
		.duration = 60 * CLOCK_SECOND, .rounds = 2, .rate = 2003400, .peak = 2057200,
		.words = 12345678901, .n_threads = 8, .threads = threads, .share = 100,
		.n_bins = 82, .bin = CLOCK_SECOND / 2, .bins = bins, .sensors = &sensors,
		.sensors_trouble = "" };

	snprintf(b.what, sizeof(b.what), "Burn-in of the host: 8 threads, seed 42");
	sensors.n = 0;
	add_sensor(SENSOR_TEMP, "coretemp Package id 0", READING_OK, 71500, 100000);
	add_sensor(SENSOR_TEMP, "coretemp Core 0", READING_OK, 69000, 100000);
	add_sensor(SENSOR_TEMP, "coretemp Core 1", READING_OK, 92500, 100000);
	add_sensor(SENSOR_TEMP, "nvme Composite", READING_OK, 41850, 84850);
	add_sensor(SENSOR_TEMP, "acpitz zone", READING_FAILED, 0, 105000);
	add_sensor(SENSOR_ENERGY, "package-0", READING_OK, 188200, 0);
	add_sensor(SENSOR_CLOCK, "processor clock", READING_OK, 2740000, 0);
	b.throttled = 0;
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		threads[i] = (struct ui_burn_thread){ .cpu = (int)i,
			.rate = 250400 + (int)i * 100 };
	for (int64_t i = 0; i < UI_BURN_BINS; i++)
		bins[i] = (struct history_bin){ 960 + i * 7 % 20, 980 + i * 5 % 13,
			970 + i * 7 % 18, 1 };
	add_work(&b, "conv2d float32", "2021.5 GFLOP/s", 982);
	add_work(&b, "conv2d bfloat16", "2000.1 GFLOP/s", 972);
	add_work(&b, "matmul float32", "1990.8 GFLOP/s", 967);
	add_work(&b, "matmul bfloat16", "1988.0 GFLOP/s", 966);
	return b;
}

/* 64 threads of which one computes wrong and one stands still; hot, throttled, and it ends. */
static struct ui_burn in_trouble(void)
{
	struct ui_burn b = healthy();

	b.n_threads = 64;
	b.iterations = 100;
	b.duration = 0;
	b.elapsed = 93784 * CLOCK_SECOND;
	b.bin = 512 * CLOCK_SECOND;
	b.n_bins = 184;
	b.errors = 1234567;
	b.throttled = 37;
	b.share = 61;
	b.peak = 0;
	sensors.s[0].value = 100500;
	threads[17].errors = 1234567;
	threads[40].stands = true;
	for (int i = 0; i < 3; i++)
		snprintf(b.first[b.n_first++], sizeof(b.first[0]), "thread 17, cpu 17: conv2d "
			"output [%d] got 0x43a40000, want 0x43a00000, after 5123.4 s", 1877 + i);
	snprintf(b.ending, sizeof(b.ending),
		"coretemp Package id 0 is at 100.5 °C, its critical temperature");
	snprintf(b.others, sizeof(b.others),
		"32 cards are INCOMPLETE: the card is recorded and computes nothing");
	return b;
}

/* The first second on a machine without a single sensor. */
static struct ui_burn beginning(void)
{
	struct ui_burn b = healthy();

	b.phase = UI_BURN_MAKING;
	snprintf(b.making, sizeof(b.making), "operands are being made");
	b.elapsed = b.rate = b.peak = 0;
	b.words = b.rounds = 0;
	b.n_bins = 0;
	sensors.n = 0;
	b.throttled = b.share = -1;
	for (size_t i = 0; i < b.n_work; i++) {
		snprintf(b.work[i].rate, sizeof(b.work[i].rate), "-");
		b.work[i].percent = -1;
	}
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		threads[i].rate = 0;
	snprintf(b.unwatched, sizeof(b.unwatched),
		"Not watched: host temperature: there is no sensor");
	return b;
}

/* Memory alone, and somebody has stopped one that also computes. */
static struct ui_burn of_memory(void)
{
	struct ui_burn b = healthy();

	b.rate = b.peak = 0;
	b.memory = 137840;
	b.ceiling = 143300;
	b.n_work = 0;
	add_work(&b, "memory in order", "137.84 GB/s", 961);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		threads[i].rate = 0;
		threads[i].memory = 17230;
	}
	return b;
}

static struct ui_burn stopped(void)
{
	struct ui_burn b = healthy();

	b.stopped = true;
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		threads[i].stands = true;
	return b;
}

static struct ui_burn_chip *add_chip(struct ui_burn *b, int index, const char *name,
	const char *state)
{
	struct ui_burn_chip *c = &chips[b->n_chips++];

	*c = (struct ui_burn_chip){ .index = index };
	snprintf(c->name, sizeof(c->name), "%s", name);
	snprintf(c->state, sizeof(c->state), "%s", state);
	b->chips = chips;
	return c;
}

static void put_parts(struct ui_burn_chip *c, const char *done, const char *wrong,
	const char *mvmul, const char *tflops)
{
	snprintf(c->part[UI_BURN_DONE], sizeof(c->part[0]), "%s", done);
	snprintf(c->part[UI_BURN_WRONG], sizeof(c->part[0]), "%s", wrong);
	snprintf(c->part[UI_BURN_MVMUL], sizeof(c->part[0]), "%s", mvmul);
	snprintf(c->part[UI_BURN_TFLOPS], sizeof(c->part[0]), "%s", tflops);
}

static struct ui_burn_chip *add_cores(struct ui_burn *b, int index, const char *name,
	const char *state, bool wide)
{
	struct ui_burn_chip *c = add_chip(b, index, name, state);

	c->w = wide ? 16 : 9;
	c->h = 10;
	c->first = 1;
	put_parts(c, "61.7 M", "0", wide ? "0.999" : "0.998", wide ? "773.2" : "327.0");
	for (int y = 0; y < c->h; y++) {
		c->rows[y] = (uint8_t)(wide ? y + 2 : y < 5 ? y + 1 : y + 2);
		for (int x = 0; x < c->w; x++)
			c->map[y * c->w + x] = (wide ? x == 7 || x == 8 : x == 4) ? UI_CORE_NONE
				: UI_CORE_WELL;
	}
	return c;
}

static struct ui_burn cards_alone(const char *what)
{
	struct ui_burn b = healthy();

	b.n_threads = b.n_work = b.n_chips = 0;
	b.share = -1;
	snprintf(b.what, sizeof(b.what), "%s", what);
	b.rate = 1822300000;
	b.peak = 1843100000;
	return b;
}

/* A wrong core, one that stands still and a slow one. */
static void make_sick(struct ui_burn *b, struct ui_burn_chip *c)
{
	c->is_bad = true;
	put_parts(c, "61.6 M", "1", "0.991", "767.1");
	snprintf(c->note, sizeof(c->note), "core 7-4 wrong");
	c->map[2 * 16 + 6] = UI_CORE_WRONG;
	c->map[5 * 16 + 12] = UI_CORE_STILL;
	c->map[9 * 16] = UI_CORE_SLOW;
	b->errors++;
	snprintf(b->first[b->n_first++], sizeof(b->first[0]), "card %d, core 7-4: conv2d block "
		"18231, word 1877 got 0x43a40000, want 0x43a00000", c->index);
}

/* Cards alone: one is well, one is sick, one is being loaded. */
static struct ui_burn of_cards(void)
{
	struct ui_burn b = cards_alone("Burn-in of 3 cards");
	struct ui_burn_chip *c;

	add_cores(&b, 1, "p150a", "burns", true);
	make_sick(&b, add_cores(&b, 2, "p150a", "burns", true));
	c = add_cores(&b, 0, "n300 L", "is loaded", false);
	put_parts(c, "0", "0", "", "");
	for (int i = 0; i < 90; i++)
		if (c->map[i] == UI_CORE_WELL)
			c->map[i] = i / 9 == 9 ? UI_CORE_OFF : UI_CORE_IDLE;
	return b;
}

static struct ui_burn of_one(void)
{
	struct ui_burn b = cards_alone("Burn-in of 1 card");

	make_sick(&b, add_cores(&b, 0, "p150a", "burns", true));
	return b;
}

/* So many of them, of which so many are sick. */
static struct ui_burn of_many(int n, int sick)
{
	struct ui_burn b = cards_alone("");

	snprintf(b.what, sizeof(b.what), "Burn-in of %d cards", n);
	b.rate *= n;
	b.peak *= n;
	for (int i = 0; i < n; i++) {
		struct ui_burn_chip *c = add_cores(&b, i, "p150a", "burns", true);

		if (i >= n - sick)
			make_sick(&b, c);
	}
	return b;
}

static struct ui_burn of_4(void) { return of_many(4, 0); }
static struct ui_burn of_4_sick(void) { return of_many(4, 3); }
static struct ui_burn of_32(void) { return of_many(32, 0); }
static struct ui_burn of_32_sick(void) { return of_many(32, 3); }
static struct ui_burn of_128(void) { return of_many(128, 0); }
static struct ui_burn of_128_sick(void) { return of_many(128, 3); }

/* The host and 32 of them: not all have room. */
static struct ui_burn with_many(void)
{
	struct ui_burn b = healthy();

	b.n_chips = 0;
	for (int i = 0; i < 32; i++)
		add_cores(&b, i, "galaxy-wh", "burns", false);
	chips[30].is_bad = true;
	snprintf(chips[30].note, sizeof(chips[30].note), "1 core stands still");
	chips[30].map[40] = UI_CORE_STILL;
	return b;
}

static struct ui_burn_chip *add_lanes(struct ui_burn *b, int index, const char *name,
	const char *state, int channels)
{
	struct ui_burn_chip *c = add_chip(b, index, name, state);

	c->w = 4;
	c->h = channels;
	c->lanes = true;
	put_parts(c, "15.7 M", "0", "", "");
	for (int y = 0; y < channels; y++)
		c->rows[y] = (uint8_t)y;
	memset(c->map, UI_CORE_WELL, sizeof(c->map));
	return c;
}

/* The memory of cards: one has a lane that is late, one is a harvested one, one has not begun. */
static struct ui_burn of_card_memory(void)
{
	struct ui_burn b = cards_alone("Burn-in of 3 cards");
	struct ui_burn_chip *c;

	b.rate = b.peak = 0;
	b.errors = 4711;
	snprintf(b.first[b.n_first++], sizeof(b.first[0]), "card 1, memory channel 3: byte lane 2: "
		"late by 64 and 128 bytes in alternating chunks (when read): 4711 of 15728640 "
		"words");
	c = add_lanes(&b, 1, "p150a", "is tested", 8);
	c->is_bad = true;
	c->map[3 * 4 + 2] = UI_CORE_WRONG;
	put_parts(c, "15.7 M", "4711", "", "");
	snprintf(c->note, sizeof(c->note), "memory wrong");
	c = add_lanes(&b, 2, "p100a", "is tested", 7);
	c->rows[5] = 6;
	c->rows[6] = 7;
	c = add_lanes(&b, 0, "n300 L", "is opened", 6);
	put_parts(c, "0", "0", "", "");
	memset(c->map, UI_CORE_IDLE, sizeof(c->map));
	return b;
}

/* 32 of them, and what is the longest that is said. */
static struct ui_burn of_much_memory(void)
{
	struct ui_burn b = of_card_memory();

	b.n_chips = 0;
	for (int i = 0; i < 32; i++)
		put_parts(add_lanes(&b, i, "galaxy-wh", "is tested", 6), "9912.4 M", "0", "", "");
	chips[30].is_bad = true;
	memset(chips[30].map + 5 * 4, UI_CORE_WRONG, 4);
	put_parts(&chips[30], "9912.4 M", "4711.1 M", "", "");
	snprintf(chips[30].note, sizeof(chips[30].note), "memory wrong");
	return b;
}

static const struct {
	const char *name;
	struct ui_burn (*make)(void);
	size_t boards;
	bool page;		/* of the first card */
} scenes[] = {
	{ "healthy", healthy, 1, false },
	{ "trouble", in_trouble, 32, false },
	{ "beginning", beginning, 0, false },
	{ "memory", of_memory, 1, false },
	{ "stopped", stopped, 1, false },
	{ "one-card", of_one, 1, false },
	{ "cards", of_cards, 3, false },
	{ "cards-page", of_cards, 3, true },
	{ "4-cards", of_4, 4, false },
	{ "4-cards-3-sick", of_4_sick, 4, false },
	{ "32-cards", of_32, 32, false },
	{ "32-cards-3-sick", of_32_sick, 32, false },
	{ "128-cards", of_128, 128, false },
	{ "128-cards-3-sick", of_128_sick, 128, false },
	{ "host-and-cards", with_many, 32, false },
	{ "card-memory", of_card_memory, 3, false },
	{ "card-memory-page", of_card_memory, 3, true },
	{ "much-card-memory", of_much_memory, 32, false },
};

static void draw_view(struct ui_fleet *f, size_t scene, int w, int h, enum charset set,
	struct ui_burn_view *v)
{
	struct ui_burn b = scenes[scene].make();
	struct model m = f->model;
	struct fleet none = *m.fleet;

	none.n = 0;
	if (scenes[scene].boards == 0)
		m.fleet = &none;
	canvas_resize(&canvas, w, h, set);
	burn_draw(&canvas, &m, &b, v);
	if (canvas.overlaps > 0 || canvas.cuts > 0)
		print_message("# %s at %dx%d\n", scenes[scene].name, w, h);
	assert_int_equal(canvas.overlaps, 0);
	assert_int_equal(canvas.cuts, 0);
}

static void draw(struct ui_fleet *f, size_t scene, int w, int h, enum charset set)
{
	struct ui_burn_view v = { .page = scenes[scene].page };

	draw_view(f, scene, w, h, set, &v);
}

static void every_size_looks_as_it_did(void **state)
{
	static const int sizes[][2] = { { 40, 10 }, { 46, 30 }, { 80, 24 }, { 120, 40 },
		{ 200, 60 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scenes); i++) {
		struct ui_fleet f;

		ui_fleet_make(&f, scenes[i].boards ? scenes[i].boards : 1);
		for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
			struct strbuf text = { 0 };
			char name[64];

			draw(&f, i, sizes[k][0], sizes[k][1], CHARSET_UTF8);
			canvas_to_text(&canvas, &text);
			strbuf_puts(&text, "-- styles\n");
			ui_fleet_put_styles(&canvas, &text);
			snprintf(name, sizeof(name), "ui/burn-%s-%dx%d.txt", scenes[i].name,
				sizes[k][0], sizes[k][1]);
			golden_compare(name, &text);
			strbuf_clear(&text);
		}
		ui_fleet_free(&f);
	}
}

static void no_size_cuts_a_number_or_writes_over_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scenes); i++) {
		struct ui_fleet f;

		ui_fleet_make(&f, scenes[i].boards ? scenes[i].boards : 1);
		for (int h = 1; h <= 70; h += h < 30 ? 1 : 7)
			for (int w = 1; w <= 220; w += w < 130 ? 1 : 13)
				draw(&f, i, w, h, h % 2 ? CHARSET_UTF8 : CHARSET_ASCII);
		ui_fleet_free(&f);
	}
}

/* The one line that matters is there wherever a person can read anything. */
static void verdict_and_errors_are_at_every_size(void **state)
{
	struct ui_fleet f;

	(void)state;
	ui_fleet_make(&f, 32);
	for (int h = 6; h <= 60; h += 3)
		for (int w = 40; w <= 200; w += 20) {
			struct strbuf text = { 0 };

			draw(&f, 1, w, h, CHARSET_UTF8);
			canvas_to_text(&canvas, &text);
			assert_non_null(strstr(text.text, "1,234,567 w"));
			assert_non_null(strstr(text.text, "will be FAIL"));
			strbuf_clear(&text);
		}
	ui_fleet_free(&f);
}

/* Of 32 cards nine are in sight beside the host, and what is wrong with the first is whole. */
static void many_cards_have_room_and_the_chosen_one_its_reason(void **state)
{
	static const char *const sees[] = { "24 below", "cards in trouble: 3",
		"clock held at 800 MHz (thermal); core           │",
		"│     temperature 91.2 over its limit of 90 " };
	struct ui_fleet f;

	(void)state;
	ui_fleet_make(&f, 32);
	for (size_t i = 0; i < ARRAY_LEN(scenes); i++) {
		struct strbuf text = { 0 };

		draw(&f, i, 80, 24, CHARSET_UTF8);
		canvas_to_text(&canvas, &text);
		if (strcmp(scenes[i].name, "host-and-cards") == 0)
			assert_non_null(strstr(text.text, sees[0]));
		for (size_t k = 1; k < ARRAY_LEN(sees); k++)
			if (strcmp(scenes[i].name, "32-cards") == 0)
				assert_non_null(strstr(text.text, sees[k]));
		strbuf_clear(&text);
	}
	ui_fleet_free(&f);
}

/* The scene after this key: drawn, as text that the caller frees. */
static char *press(struct ui_fleet *f, struct ui_burn_view *v, size_t scene, uint32_t key,
	bool *ends)
{
	struct ui_burn b = scenes[scene].make();
	struct strbuf text = { 0 };

	*ends = key && burn_key(v, &f->model, &b, key);
	draw_view(f, scene, 80, 24, CHARSET_UTF8, v);
	canvas_to_text(&canvas, &text);
	return text.text;
}

static void keys_lead_to_each_card_and_back(void **state)
{
	static const struct {
		uint32_t key;
		const char *sees, *misses;
		bool ends;
	} steps[] = {
		{ 0, "▸ 29 p150a", "above", false },
		{ 0, "22 below", "▸ 30", false },
		{ UI_KEY_DOWN, "▸ 30 p150a", "▸ 29", false },
		{ UI_KEY_UP, "▸ 29 p150a", "▸ 30", false },
		{ UI_KEY_UP, "▸ 29 p150a", "above", false },
		{ UI_KEY_PAGE_DOWN, "▸  7 p150a", "above", false },
		{ UI_KEY_PAGE_DOWN, "▸ 17 p150a", "▸ 29", false },
		{ 0, "10 above, 12 below", "29 p150a", false },
		{ UI_KEY_END, "▸ 32 n300 R", "below", false },
		{ 0, "22 above", "below", false },
		/* It is not burnt: it has no page. */
		{ UI_KEY_ENTER, "▸ 32 n300 R", "q back", false },
		{ UI_KEY_PAGE_UP, "▸ 19 p150a", "▸ 32", false },
		{ UI_KEY_HOME, "▸ 29 p150a", "above", false },
		{ UI_KEY_ESC, "▸ 29 p150a", "q back", false },
		{ UI_KEY_ENTER, "Card 29 p150a 0000:1e:00.0", "Burn-in of", false },
		{ 0, "✗ 1 wrong", "Burn-in of", false },
		{ UI_KEY_DOWN, "Card 30 p150a", "Card 29", false },
		{ UI_KEY_ESC, "▸ 30 p150a", "q back", false },
		{ UI_KEY_ENTER, "Card 30 p150a", "Burn-in of", false },
		{ 'q', "▸ 30 p150a", "q back", false },
		{ 'q', "▸ 30 p150a", "q back", true },
	};
	struct ui_burn_view v = { .page = false };
	struct ui_fleet f;
	size_t scene = 0;

	(void)state;
	while (strcmp(scenes[scene].name, "32-cards-3-sick") != 0)
		scene++;
	ui_fleet_make(&f, 32);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		bool ends;
		char *text = press(&f, &v, scene, steps[i].key, &ends);

		if (!strstr(text, steps[i].sees) || strstr(text, steps[i].misses))
			print_message("# step %zu: %s\n%s", i, steps[i].sees, text);
		assert_non_null(strstr(text, steps[i].sees));
		assert_null(strstr(text, steps[i].misses));
		assert_int_equal(ends, steps[i].ends);
		free(text);
	}
	ui_fleet_free(&f);
}

/* Sick cards are on the first picture at every size that shows a list. */
static void the_worst_are_seen_first(void **state)
{
	struct ui_fleet f;

	(void)state;
	ui_fleet_make(&f, 128);
	for (size_t scene = 0; scene < ARRAY_LEN(scenes); scene++)
		for (int h = 8; h <= 60 && strcmp(scenes[scene].name, "128-cards-3-sick") == 0; h++)
			for (int w = 40; w <= 200; w += 20) {
				struct strbuf text = { 0 };

				draw(&f, scene, w, h, CHARSET_UTF8);
				canvas_to_text(&canvas, &text);
				assert_non_null(strstr(text.text, "125 p150a"));
				strbuf_clear(&text);
			}
	ui_fleet_free(&f);
	canvas_clear(&canvas);
}

/* A card that should burn and cannot be read is not hidden below all that are well. */
static void the_sick_that_do_not_burn_are_seen_before_the_well(void **state)
{
	struct ui_burn_view v = { .page = false };
	struct ui_burn b = of_many(29, 0);
	struct strbuf text = { 0 };
	struct ui_fleet f;

	(void)state;
	ui_fleet_make_rack(&f, 32, 3);
	canvas_resize(&canvas, 80, 24, CHARSET_UTF8);
	snprintf(b.others, sizeof(b.others), "3 cards do not burn");
	b.others_fail = true;
	burn_draw(&canvas, &f.model, &b, &v);
	canvas_to_text(&canvas, &text);
	assert_non_null(strstr(text.text, "will be FAIL"));
	for (int i = 29; i < 32; i++) {
		char card[12];

		snprintf(card, sizeof(card), " %d p150a", i);
		assert_non_null(strstr(text.text, card));
		assert_true(strstr(text.text, card) < strstr(text.text, " 0 p150a"));
	}
	strbuf_clear(&text);
	ui_fleet_free(&f);
	canvas_clear(&canvas);
}

/* The letters of a map are those of the text at the end. */
static void a_map_in_ascii_has_the_letters_of_the_report(void **state)
{
	struct ui_fleet f;
	struct strbuf text = { 0 };
	size_t scene = 0;

	(void)state;
	while (strcmp(scenes[scene].name, "cards-page") != 0)
		scene++;
	ui_fleet_make(&f, 3);
	draw(&f, scene, 80, 24, CHARSET_ASCII);
	canvas_to_text(&canvas, &text);
	assert_non_null(strstr(text.text, " 4 ++++++X  +++++++ "));
	assert_non_null(strstr(text.text, " 7 +++++++  +++O+++ "));
	assert_non_null(strstr(text.text, "11 -++++++  +++++++ "));
	strbuf_clear(&text);
	ui_fleet_free(&f);
	canvas_clear(&canvas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size_looks_as_it_did),
		cmocka_unit_test(no_size_cuts_a_number_or_writes_over_text),
		cmocka_unit_test(verdict_and_errors_are_at_every_size),
		cmocka_unit_test(many_cards_have_room_and_the_chosen_one_its_reason),
		cmocka_unit_test(keys_lead_to_each_card_and_back),
		cmocka_unit_test(the_worst_are_seen_first),
		cmocka_unit_test(the_sick_that_do_not_burn_are_seen_before_the_well),
		cmocka_unit_test(a_map_in_ascii_has_the_letters_of_the_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
