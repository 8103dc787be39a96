/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen of a burn: what it looked like when somebody looked at it
 * (UPDATE_GOLDEN=1 rewrites, the diff is the review), and every size from 1x1
 * on for text over text and numbers cut in two.
 */
#include "config.h"
#include "tests/rig/ui_fleet.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/file.h"
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
	snprintf(b.rules[b.n_rules++], sizeof(b.rules[0]),
		"not watched: host temperature: there is no sensor");
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

static void add_chip(struct ui_burn *b, const char *name, const char *rate, const char *found,
	bool wide)
{
	struct ui_burn_chip *c = &chips[b->n_chips++];

	*c = (struct ui_burn_chip){ .w = wide ? 16 : 9, .h = 10 };
	snprintf(c->name, sizeof(c->name), "%s", name);
	snprintf(c->rate, sizeof(c->rate), "%s", rate);
	snprintf(c->found, sizeof(c->found), "%s", found);
	for (int y = 0; y < c->h; y++) {
		c->rows[y] = (uint8_t)(wide ? y + 2 : y < 5 ? y + 1 : y + 2);
		for (int x = 0; x < c->w; x++)
			c->map[y * c->w + x] = (wide ? x == 7 || x == 8 : x == 4) ? UI_CORE_NONE
				: UI_CORE_WELL;
	}
	b->chips = chips;
}

/* Cards alone: one is well, one has a wrong core, one that stands still and a slow one. */
static struct ui_burn of_cards(void)
{
	struct ui_burn b = healthy();

	b.n_threads = b.n_work = b.n_chips = 0;
	b.share = -1;
	snprintf(b.what, sizeof(b.what), "Burn-in of 3 cards");
	b.rate = 1822300000;
	b.peak = 1843100000;
	b.errors = 1;
	snprintf(b.first[b.n_first++], sizeof(b.first[0]), "card 1, core 7-4: conv2d block 18231, "
		"word 1877 got 0x43a40000, want 0x43a00000");
	add_chip(&b, "0 p150a burns", "0.999 MVMUL/cycle 773.2 TFLOP/s", "12041 blocks, 0 wrong",
		true);
	add_chip(&b, "1 p150a burns", "0.991 MVMUL/cycle 767.1 TFLOP/s", "12040 blocks, 1 wrong",
		true);
	chips[1].is_bad = true;
	chips[1].map[2 * 16 + 6] = UI_CORE_WRONG;
	chips[1].map[5 * 16 + 12] = UI_CORE_STILL;
	chips[1].map[9 * 16] = UI_CORE_SLOW;
	add_chip(&b, "2 n150 L is loaded", "", "0 blocks, 0 wrong", false);
	for (int i = 0; i < 90; i++)
		if (chips[2].map[i] == UI_CORE_WELL)
			chips[2].map[i] = i / 9 == 9 ? UI_CORE_OFF : UI_CORE_IDLE;
	return b;
}

/* The host and 32 of them: not all have room. */
static struct ui_burn of_many(void)
{
	struct ui_burn b = healthy();
	char name[32];

	b.n_chips = 0;
	for (int i = 0; i < 32; i++) {
		snprintf(name, sizeof(name), "%d galaxy-wh burns", i);
		add_chip(&b, name, "0.998 MVMUL/cycle 327.0 TFLOP/s", "98012 blocks, 0 wrong",
			false);
	}
	chips[30].is_bad = true;
	chips[30].map[40] = UI_CORE_STILL;
	return b;
}

static void add_lanes(struct ui_burn *b, const char *name, const char *rate, const char *found,
	int channels)
{
	struct ui_burn_chip *c = &chips[b->n_chips++];

	*c = (struct ui_burn_chip){ .w = 4, .h = channels, .lanes = true };
	snprintf(c->name, sizeof(c->name), "%s", name);
	snprintf(c->rate, sizeof(c->rate), "%s", rate);
	snprintf(c->found, sizeof(c->found), "%s", found);
	for (int y = 0; y < channels; y++)
		c->rows[y] = (uint8_t)y;
	memset(c->map, UI_CORE_WELL, sizeof(c->map));
	b->chips = chips;
}

/* The memory of cards: one has a lane that is late, one is a harvested one, one has not begun. */
static struct ui_burn of_card_memory(void)
{
	struct ui_burn b = healthy();

	b.n_threads = b.n_work = b.n_chips = 0;
	b.share = -1;
	b.rate = b.peak = 0;
	snprintf(b.what, sizeof(b.what), "Burn-in of 3 cards");
	b.errors = 4711;
	snprintf(b.first[b.n_first++], sizeof(b.first[0]), "card 0, memory channel 3: byte lane 2: "
		"late by 64 and 128 bytes in alternating chunks (when read): 4711 of 15728640 "
		"words");
	add_lanes(&b, "0 p150a burns", "15.7 M words", "4711 wrong", 8);
	chips[0].is_bad = true;
	chips[0].map[3 * 4 + 2] = UI_CORE_WRONG;
	add_lanes(&b, "1 p100a burns", "14.2 M words", "0 wrong", 7);
	chips[1].rows[5] = 6;
	chips[1].rows[6] = 7;
	add_lanes(&b, "2 n150 L is opened", "0.0 M words", "0 wrong", 6);
	memset(chips[2].map, UI_CORE_IDLE, sizeof(chips[2].map));
	return b;
}

/* 32 of them, and what is the longest that is told. */
static struct ui_burn of_much_memory(void)
{
	struct ui_burn b = of_card_memory();
	char name[32];

	b.n_chips = 0;
	for (int i = 0; i < 32; i++) {
		snprintf(name, sizeof(name), "%d galaxy-wh burns", i);
		add_lanes(&b, name, "9912.4 M words", "0 wrong", 6);
	}
	chips[30].is_bad = true;
	memset(chips[30].map + 5 * 4, UI_CORE_WRONG, 4);
	snprintf(chips[30].found, sizeof(chips[30].found), "4711.1 M wrong");
	return b;
}

static const struct {
	const char *name;
	struct ui_burn (*make)(void);
	size_t boards;
} scenes[] = {
	{ "healthy", healthy, 1 },
	{ "trouble", in_trouble, 32 },
	{ "beginning", beginning, 0 },
	{ "memory", of_memory, 1 },
	{ "stopped", stopped, 1 },
	{ "cards", of_cards, 3 },
	{ "many-cards", of_many, 32 },
	{ "card-memory", of_card_memory, 3 },
	{ "much-card-memory", of_much_memory, 32 },
};

static void draw(struct ui_fleet *f, size_t scene, int w, int h, enum charset set)
{
	struct ui_burn b = scenes[scene].make();
	struct model m = f->model;
	struct fleet none = *m.fleet;

	none.n = 0;
	if (scenes[scene].boards == 0)
		m.fleet = &none;
	canvas_resize(&canvas, w, h, set);
	burn_draw(&canvas, &m, &b);
	if (canvas.overlaps > 0 || canvas.cuts > 0)
		print_message("# %s at %dx%d\n", scenes[scene].name, w, h);
	assert_int_equal(canvas.overlaps, 0);
	assert_int_equal(canvas.cuts, 0);
}

static void compare_golden(const char *name, const struct strbuf *got)
{
	char path[512];
	char *want = NULL;
	size_t len;

	snprintf(path, sizeof(path), "%s/tests/golden/ui/%s", getenv("top_srcdir"), name);
	if (getenv("UPDATE_GOLDEN")) {
		FILE *f = fopen(path, "we");

		assert_non_null(f);
		fwrite(got->text, 1, got->len, f);
		fclose(f);
	}
	assert_int_equal(file_read_all(path, 1 << 22, &want, &len, NULL), 0);
	if (strcmp(want, got->text) != 0)
		print_message("# %s differs: UPDATE_GOLDEN=1 and git diff show how\n", name);
	assert_int_equal(strcmp(want, got->text), 0);
	free(want);
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
			snprintf(name, sizeof(name), "burn-%s-%dx%d.txt", scenes[i].name,
				sizes[k][0], sizes[k][1]);
			compare_golden(name, &text);
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
	canvas_clear(&canvas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size_looks_as_it_did),
		cmocka_unit_test(no_size_cuts_a_number_or_writes_over_text),
		cmocka_unit_test(verdict_and_errors_are_at_every_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
