/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/rig/ui_fleet.h"

#include "base/clock.h"
#include "base/mem.h"
#include "ui/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define NOW  (1000 * CLOCK_SECOND)
#define REAL (1795252364LL * CLOCK_SECOND)	/* Sat 2026-11-21 09:12:44 UTC */

static void put(struct snapshot *s, enum field_id id, int64_t value)
{
	s->r[id] = (struct reading){ .value = value, .time = NOW, .raw = (uint32_t)value,
		.state = READING_OK, .source = SOURCE_TAG, .has_raw = true };
}

static void put_blackhole(struct snapshot *s, int64_t i)
{
	mem_copy_text(s->board, sizeof(s->board), "p150a");
	mem_copy_text(s->series, sizeof(s->series), "p150a");
	s->chip = DEVICE_BLACKHOLE;
	s->upi = 0x40;
	s->link = (struct snapshot_link){ .known = true, .speed = 32000, .width = 16,
		.speed_max = 32000, .width_max = 16, .speed_best = 32000, .width_best = 16 };
	put(s, FIELD_VCORE, 860 - i % 5);
	put(s, FIELD_VDD_MAX, 900);
	put(s, FIELD_CURRENT, 68000 + i * 100);
	put(s, FIELD_CURRENT_LIMIT, 200 * (int64_t)fields[FIELD_CURRENT_LIMIT].scale);
	put(s, FIELD_POWER, 58000 + i * 900);
	put(s, FIELD_POWER_LIMIT, 150 * (int64_t)fields[FIELD_POWER_LIMIT].scale);
	put(s, FIELD_BOARD_POWER, 91000);
	put(s, FIELD_BOARD_POWER_LIMIT, 300 * (int64_t)fields[FIELD_BOARD_POWER_LIMIT].scale);
	put(s, FIELD_AICLK, 1350);
	put(s, FIELD_AICLK_LIMIT, 1350);
	put(s, FIELD_ASIC_TEMP, 63400 + i * 300);
	put(s, FIELD_THROTTLE_TEMP, 90 * (int64_t)fields[FIELD_THROTTLE_TEMP].scale);
	put(s, FIELD_FAN_RPM, 2758);
	put(s, FIELD_GDDR_MAX_TEMP, 61000);
	for (int k = 0; k < 16; k++)
		put(s, (enum field_id)(FIELD_GDDR_TEMP + k), 46000 + k * 1000);
	for (int k = 0; k < 16; k++)
		put(s, (enum field_id)(FIELD_GDDR_CORR_ERRS + k), 0);
	put(s, FIELD_GDDR_UNCORR_ERRS, 0);
	put(s, FIELD_DRAM_TRAINED, 0xff);
	put(s, FIELD_DRAM_FAILED, 0);
	put(s, FIELD_DRAM_BIST, 0xff);
	put(s, FIELD_DRAM_ENABLED, 0xff);
	put(s, FIELD_ETH_ENABLED, 0x3edf);
	put(s, FIELD_ETH_LIVE, 0x3edf);
	put(s, FIELD_ETH_LINK, 0x0edf);
	put(s, FIELD_THROTTLE, THROTTLE_NONE);
	put(s, FIELD_FW_BUNDLE, 0x13080000);
	put(s, FIELD_GDDR_FW, 0x0002000f);
}

static void put_wormhole(struct snapshot *s, bool remote)
{
	mem_copy_text(s->board, sizeof(s->board), "n300");
	mem_copy_text(s->series, sizeof(s->series), remote ? "n300 R" : "n300 L");
	s->chip = DEVICE_WORMHOLE;
	s->upi = 0x14;
	if (!remote)
		s->link = (struct snapshot_link){ .known = true, .speed = 8000, .width = 16,
			.speed_max = 16000, .width_max = 16, .speed_best = 16000, .width_best = 16,
			.downgraded = true };
	s->has_coords = true;
	s->coords[0] = remote;
	put(s, FIELD_VCORE, 920);
	put(s, FIELD_VDD_MAX, 950);
	put(s, FIELD_CURRENT, 26000);
	put(s, FIELD_CURRENT_LIMIT, 160 * (int64_t)fields[FIELD_CURRENT_LIMIT].scale);
	put(s, FIELD_POWER, 24000);
	put(s, FIELD_POWER_LIMIT, 85 * (int64_t)fields[FIELD_POWER_LIMIT].scale);
	put(s, FIELD_AICLK, 1000);
	put(s, FIELD_AICLK_LIMIT, 1000);
	put(s, FIELD_ASIC_TEMP, 44300);
	put(s, FIELD_THROTTLE_TEMP, 75 * (int64_t)fields[FIELD_THROTTLE_TEMP].scale);
	put(s, FIELD_VREG_TEMP, 43000);
	put(s, FIELD_DRAM_TRAINED, 0x3f);
	put(s, FIELD_FW_BUNDLE, 0x12070000);
	put(s, FIELD_ETH_FW, 0x00060e00);
	put(s, FIELD_ETH_LIVE, 0xffff);
}

static void put_chip(struct snapshot *s, int index, int local, size_t boards)
{
	bool wormhole = boards >= 2 && (index == 0 || local == 0);

	*s = (struct snapshot){ .index = index, .local = local, .node = local < 0 ? index : -1,
		.numa_node = local < 0 ? 0 : -1, .time = NOW, .tick = 240,
		.since = NOW - 41 * CLOCK_SECOND, .health = SNAPSHOT_OK,
		.beat = SNAPSHOT_BEAT_ALIVE };
	if (local < 0)
		snprintf(s->bdf, sizeof(s->bdf), "0000:%02x:00.0", 1 + index);
	if (wormhole)
		put_wormhole(s, local >= 0);
	else
		put_blackhole(s, index);
	put(s, FIELD_BOARD_ID, 0x100004611901000LL + (local < 0 ? index : local));
	put(s, FIELD_DRAM_STATUS, 1);
	put(s, FIELD_DRAM_SPEED, wormhole ? 12000 : 16000);
	put(s, FIELD_CM_FW, 0x02200000);
	put(s, FIELD_HEARTBEAT, 4711 + index);
}

static void lose(struct snapshot *s, enum snapshot_health health, const char *reason)
{
	s->health = health;
	mem_copy_text(s->reason, sizeof(s->reason), reason);
	for (size_t id = 0; id < FIELD_COUNT; id++)
		if (s->r[id].state == READING_OK) {
			s->r[id].state = READING_STALE;
			s->r[id].time = NOW - 42 * CLOCK_SECOND;
		}
}

static void find(struct snapshot *s, const char *id, const char *text)
{
	struct finding *f = &s->findings[s->n_findings++];

	mem_copy_text(f->id, sizeof(f->id), id);
	mem_copy_text(f->text, sizeof(f->text), text);
	s->health = SNAPSHOT_WARN;
}

static void put_troubles(struct snapshot *chips)
{
	lose(&chips[3], SNAPSHOT_FAILED, "did not answer within 1 s");
	lose(&chips[5], SNAPSHOT_GONE, "gone from the bus");
	put(&chips[2], FIELD_ASIC_TEMP, 91200);
	put(&chips[2], FIELD_AICLK, 800);
	put(&chips[2], FIELD_THROTTLE, THROTTLE_THERMAL);
	find(&chips[2], "throttled", "over the throttle limit: clock held at 800 MHz (thermal)");
	find(&chips[2], "over-limit", "core temperature 91.2 over its limit of 90");
	put(&chips[7], FIELD_FW_BUNDLE, 0x13070000);
	chips[8].r[FIELD_CURRENT].state = READING_IMPLAUSIBLE;
	chips[8].r[FIELD_POWER].state = READING_FAILED;
	chips[9].beat = SNAPSHOT_BEAT_STOPPED;
}

static void put_host(struct host *h)
{
	*h = (struct host){ .os = "Linux", .distro = "Ubuntu 24.04.1 LTS",
		.kernel = "6.8.0-94-generic", .hostname = "lab-7", .platform = "x86_64",
		.memory = "125.49 GB",
		.driver = "TT-KMD 2.10.0", .n_checks = 5,
		.checks = {
			{ "OS", HOST_PASS, "Linux" },
			{ "Distro", HOST_PASS, "Ubuntu 24.04.1 LTS" },
			{ "Memory", HOST_PASS, "125.49 GB" },
			{ "Driver", HOST_PASS, "TT-KMD 2.10.0" },
			{ "Reset", HOST_NOTE, "in a container: reset from the host" },
		} };
}

/* Two minutes at two readings a second, going up and down. */
static void put_history(struct ui_fleet *f)
{
	int64_t wave;

	f->history = history_new();
	history_reserve(f->history, f->fleet.n);
	for (int64_t k = -239; k <= 0; k++) {
		f->fleet.time = NOW + k * CLOCK_SECOND / 2;
		wave = (k + 240) % 80 < 40 ? (k + 240) % 40 : 40 - (k + 240) % 40;
		for (int sign = 1; sign >= -1 && f->fleet.n > 0; sign -= 2) {
			f->chips[0].r[FIELD_ASIC_TEMP].value += sign * wave * 500;
			f->chips[0].r[FIELD_POWER].value += sign * wave * 1000;
			if (sign > 0)
				history_push(f->history, &f->fleet);
		}
	}
	f->fleet.time = NOW;
	f->fleet.real = REAL;
}

/* Two of the first board, one that is in a container, and one that nobody can name. */
static void put_processes(struct ui_fleet *f, size_t n)
{
	f->processes[0] = (struct process){ .pid = 4242, .user = "ada",
		.command = "python3 train.py --layers 24",
		.started = REAL - 3 * 3600 * CLOCK_SECOND, .pinned = 96LL << 20 };
	f->processes[1] = (struct process){ .pid = 4300, .user = "root",
		.container = "docker:vllm-tt-3", .command = "vllm serve",
		.started = REAL - 40 * 3600 * CLOCK_SECOND, .pinned = 3LL << 29 };
	f->processes[2] = (struct process){ .device = 1, .user = "?", .pinned = -1 };
	f->fleet.n_processes = n;
}

static void begin(struct ui_fleet *f, size_t chips)
{
	*f = (struct ui_fleet){ .fleet = { .n = chips, .tick = 240, .driver = "2.10.0",
		.origin = &origin_sim, .selection = "" } };
	f->chips = mem_calloc(chips ? chips : 1, sizeof(*f->chips));
	f->fleet.chips = f->chips;
	f->fleet.processes = f->processes;
}

static void finish(struct ui_fleet *f)
{
	put_host(&f->host);
	f->model = (struct model){ .version = "1.0.0", .fleet = &f->fleet, .host = &f->host,
		.history = f->history, .log = &f->log, .dump = &f->dump, .now = NOW, .real = REAL,
		.interval = CLOCK_SECOND / 2 };
}

void ui_fleet_make(struct ui_fleet *f, size_t boards)
{
	size_t remote = boards >= 2;

	begin(f, boards + remote);
	for (size_t i = 0; i < boards; i++)
		put_chip(&f->chips[i], (int)i, -1, boards);
	if (remote)
		put_chip(&f->chips[boards], (int)boards, 0, boards);
	if (boards >= 10)
		put_troubles(f->chips);
	put_processes(f, boards > 1 ? 3 : boards);
	put_history(f);
	finish(f);
}

/* Idle, at work, or at work by turns, for five minutes at one reading in five seconds. */
static void put_loads(struct ui_fleet *f)
{
	f->history = history_new();
	history_reserve(f->history, f->fleet.n);
	for (int64_t k = 59; k >= 0; k--) {
		f->fleet.time = NOW - k * 5 * CLOCK_SECOND;
		for (size_t i = 0; i < f->fleet.n; i++) {
			int64_t kind = (int64_t)i % 3, beat = (k / 6 + (int64_t)i) % 5;
			int64_t load = kind == 0 ? 2 : kind == 1 ? 90 : beat * 20;

			put(&f->chips[i], FIELD_POWER, 5000 + load * 1400);
			put(&f->chips[i], FIELD_ASIC_TEMP, 40000 + load * 300);
			put(&f->chips[i], FIELD_AICLK, load < 10 ? 800 : 1350);
		}
		history_push(f->history, &f->fleet);
	}
	f->fleet.time = NOW;
	f->fleet.real = REAL;
}

void ui_fleet_make_rack(struct ui_fleet *f, size_t boards, size_t sick)
{
	begin(f, boards);
	for (size_t i = 0; i < boards; i++)
		put_chip(&f->chips[i], (int)i, -1, 0);
	put_processes(f, 3);
	put_loads(f);
	if (sick > 0 && boards >= 3) {
		put(&f->chips[boards - 3], FIELD_ASIC_TEMP, 93700);
		put(&f->chips[boards - 3], FIELD_AICLK, 810);
		find(&f->chips[boards - 3], "throttled",
			"94 °C, throttles at 90; clock held at 810 MHz");
	}
	if (sick > 1 && boards >= 3)
		lose(&f->chips[boards - 2], SNAPSHOT_FAILED, "chip does not answer");
	if (sick > 2 && boards >= 3) {
		put(&f->chips[boards - 1], FIELD_DRAM_STATUS, 0);
		find(&f->chips[boards - 1], "dram", "memory channel 2 not trained");
	}
	finish(f);
}

void ui_fleet_free(struct ui_fleet *f)
{
	history_free(f->history);
	free(f->chips);
	*f = (struct ui_fleet){ 0 };
}

void ui_fleet_end(struct ui_fleet *f, struct canvas *c, struct strbuf *text)
{
	ui_fleet_free(f);
	strbuf_clear(text);
	canvas_clear(c);
}

const char *ui_fleet_draw(const struct ui_fleet *f, struct view *v, struct canvas *c, int w, int h,
	struct strbuf *text)
{
	canvas_resize(c, w, h, CHARSET_UTF8);
	screen_draw(c, &f->model, v);
	assert_int_equal(c->overlaps, 0);
	assert_int_equal(c->cuts, 0);
	strbuf_clear(text);
	canvas_to_text(c, text);
	return text->text;
}

void ui_fleet_put_styles(const struct canvas *c, struct strbuf *to)
{
	/* In the order of enum style; capitals on the selected line. */
	static const char letters[2][STYLES + 1] = { ".dhlwbgtfnaKpcmx", ",DHLWBGTFNAkPCMX" };

	for (int y = 0; y < c->h; y++) {
		const struct cell *row = canvas_at(c, 0, y);

		for (int x = 0; x < c->w; x++)
			strbuf_putc(to, row[x].ch == ' ' && !row[x].lit ? ' ' :
				letters[row[x].lit][row[x].style]);
		while (to->len > 0 && to->text[to->len - 1] == ' ')
			to->text[--to->len] = 0;
		strbuf_putc(to, '\n');
	}
}
