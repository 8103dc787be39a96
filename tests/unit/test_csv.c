/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "output/csv.h"
#include "output/xlsx_book.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

static void set(struct snapshot *s, enum field_id id, int64_t value)
{
	s->r[id] = (struct reading){ .value = value, .time = s->time, .state = READING_OK };
}

/* A card with a few readings; vreg_temp could not be read, inlet_temp is nonsense. */
static struct snapshot *new_card(void)
{
	struct snapshot *s = mem_calloc(1, sizeof(*s));

	s->index = 3;
	s->health = SNAPSHOT_OK;
	mem_copy_text(s->board, sizeof(s->board), "p150a");
	s->skew = 1234567;
	set(s, FIELD_VCORE, 800);
	set(s, FIELD_AICLK, 810);
	set(s, FIELD_POWER, 37 * fields[FIELD_POWER].scale);
	set(s, FIELD_POWER_LIMIT, 150 * fields[FIELD_POWER_LIMIT].scale);
	set(s, FIELD_ASIC_TEMP, -500);
	s->r[FIELD_VREG_TEMP].state = READING_FAILED;
	s->r[FIELD_INLET_TEMP] = (struct reading){ .state = READING_IMPLAUSIBLE, .has_raw = true,
		.raw = 0xffffffff };
	return s;
}

static void the_header_begins_as_the_guide_says(void **state)
{
	static const char guide[] =
		"Timestamp (s),Core Voltage (V),AICLK (MHz),ARCCLK (MHz),AXICLK (MHz),"
		"Core Current (A),Core Power (W),Core Temp (°C),VREG Temp (°C),Inlet Temp (°C),"
		"Outlet Temp 1 (°C),Outlet Temp 2 (°C),";
	struct snapshot *s = new_card();
	struct dump_columns c;
	struct strbuf b = { 0 };

	(void)state;
	dump_columns_build(&c, NULL, s, false);
	csv_put_header(&b, &c);
	assert_memory_equal(b.text, guide, sizeof(guide) - 1);
	assert_non_null(strstr(b.text, ",Skew (ms),State\r\n"));
	assert_string_equal(b.text + b.len - 7, "State\r\n");
	strbuf_clear(&b);
	free(s);
}

static void a_row_names_what_is_empty(void **state)
{
	static const char row[] =
		"0.502691,0.8,810,,,,37,-0.5,,,,,150,1.234,"
		"ok; failed: vreg_temp; implausible: inlet_temp=0xffffffff; "
		"absent: arcclk axiclk current outlet_temp1 outlet_temp2\r\n";
	struct snapshot *s = new_card();
	struct tick t = { .at = 502691999 };
	struct strbuf b = { 0 };
	struct dump_columns c;

	(void)state;
	dump_columns_build(&c, NULL, s, false);
	csv_put_row(&b, &c, s, &t);
	assert_string_equal(b.text, row);
	strbuf_clear(&b);
	free(s);
}

static void a_card_that_failed_has_a_row_with_its_reason(void **state)
{
	struct snapshot *s = new_card();
	struct tick t = { .at = 1, .late = 1500000, .is_late = true, .lost = 12,
		.stepped = -3600 * CLOCK_SECOND };
	struct strbuf b = { 0 };
	struct dump_columns c;

	(void)state;
	dump_columns_build(&c, NULL, s, false);
	s->health = SNAPSHOT_FAILED;
	mem_copy_text(s->reason, sizeof(s->reason), "no answer, within \"1 s\"; left\n");
	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (s->r[i].state == READING_OK)
			s->r[i].state = READING_STALE;
	csv_put_row(&b, &c, s, &t);
	assert_string_equal(b.text,
		"0.000000,,,,,,,,,,,,,,\"failed: no answer, within \"\"1 s\"\", "
		"left\\x0a; lost: 12 before; late: 0.002 s; wall clock stepped: -3600.000 s\"\r\n");
	strbuf_clear(&b);
	free(s);
}

static void a_row_says_why_its_values_are_no_new_ones(void **state)
{
	struct snapshot *s = new_card();
	struct tick t = { .stand_in = "recorded" };
	struct strbuf b = { 0 };
	struct dump_columns c;

	(void)state;
	dump_columns_build(&c, NULL, s, false);
	s->raw.repeated = true;
	mem_copy_text(s->note, sizeof(s->note), "over; the end");
	csv_put_row(&b, &c, s, &t);
	assert_non_null(strstr(b.text, ",\"ok; repeated; note: over, the end; recorded; "));
	b.len = 0;
	s->raw.repeated = false;
	s->raw.table_error.code = -ECANCELED;	/* --passive */
	csv_put_row(&b, &c, s, &t);
	assert_non_null(strstr(b.text, ",ok; recorded; "));
	strbuf_clear(&b);
	free(s);
}

static void what_a_spreadsheet_would_run_is_defused(void **state)
{
	static const struct {
		const char *text, *cell;
	} cases[] = {
		{ "=cmd()", "'=cmd()" }, { "+1", "'+1" }, { "-1", "'-1" }, { "@a", "'@a" },
		{ "\tx", "'\\x09x" }, { "a,b", "\"a,b\"" }, { "a\"b", "\"a\"\"b\"" },
		{ "\"", "\"\"\"\"" },
		{ " a", "\" a\"" }, { "a ", "\"a \"" }, { "a\r\nb", "a\\x0d\\x0ab" }, { "", "" },
		{ "=\",\"", "\"'=\"\",\"\"\"" }, { "°C", "°C" }, { "a\xff" "b", "a\\xffb" },
		{ "\xc0\x80", "\\xc0\\x80" }, { "\xe2\x82", "\\xe2\\x82" },
		{ "\u200b=1", "\\xe2\\x80\\x8b=1" }, { "a\u202eb", "a\\xe2\\x80\\xaeb" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf b = { 0 };

		csv_put_text(&b, cases[i].text);
		assert_string_equal(b.len ? b.text : "", cases[i].cell);
		strbuf_clear(&b);
	}
}

static void fields_are_chosen_and_limits_follow(void **state)
{
	bool wanted[FIELD_COUNT];
	struct snapshot *s = new_card();
	struct dump_columns c;
	struct error e;

	(void)state;
	assert_int_equal(dump_columns_choose("power, fan_rpm", wanted, &e), 0);
	set(s, FIELD_AICLK_LIMIT, 1350);
	dump_columns_build(&c, wanted, s, false);
	assert_int_equal(c.n, DUMP_COLUMN_GUIDE + 1 + 2 + 2);
	assert_string_equal(dump_column_key(&c.c[DUMP_COLUMN_GUIDE]), "fan_rpm");
	assert_int_not_equal(dump_columns_where(&c, FIELD_POWER_LIMIT), -1);
	assert_int_not_equal(dump_columns_where(&c, FIELD_AICLK_LIMIT), -1);
	assert_int_equal(dump_columns_choose("power,powr", wanted, &e), -EINVAL);
	assert_non_null(strstr(e.text, "powr"));
	assert_int_equal(dump_columns_choose(" ,", wanted, &e), -EINVAL);
	free(s);
}

/* Of a chip that was never read only its kind is known. */
static void a_blind_card_lists_no_field_that_its_chip_never_has(void **state)
{
	static const struct {
		enum device_chip chip;
		const char *never, *may;	/* keys */
	} cases[] = {
		{ DEVICE_GRAYSKULL, "board_power l2cpuclk0 fan_rpm fan2_rpm fan_target "
			"throttle_reason therm_trip_count gddr_max_temp board_temp",
			"pcie_rx pcie_tx" },
		{ DEVICE_WORMHOLE, "l2cpuclk0 l2cpuclk3",
			"fan_rpm fan2_rpm heartbeat board_power pcie_rx" },
		{ DEVICE_BLACKHOLE, "fan2_rpm board_temp",
			"fan_rpm l2cpuclk0 throttle_reason therm_trip_count gddr_max_temp" },
		{ DEVICE_UNKNOWN, "", "fan_rpm fan2_rpm l2cpuclk0 board_temp" },
	};
	struct snapshot *s = mem_calloc(1, sizeof(*s));
	struct dump_columns c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *const lists[] = { cases[i].never, cases[i].may };

		s->chip = cases[i].chip;
		s->health = SNAPSHOT_FAILED;
		dump_columns_build(&c, NULL, s, false);
		for (size_t k = 0; k < 2; k++) {
			char text[256], *rest = text;

			mem_copy_text(text, sizeof(text), lists[k]);
			for (char *key; (key = strtok_r(rest, " ", &rest));)
				if (field_find(key) == FIELD_NONE ||
					(dump_columns_where(&c, field_find(key)) >= 0) != (k == 1))
					fail_msg("%s of chip %d", key, cases[i].chip);
		}
		/* The guide's columns are there whatever the chip has. */
		assert_int_equal(dump_columns_where(&c, FIELD_VREG_TEMP), 8);
	}
	free(s);
}

static void an_id_of_digits_keeps_its_zeros(void **state)
{
	bool wanted[FIELD_COUNT];
	struct snapshot *s = new_card();
	struct tick t = { 0 };
	struct strbuf b = { 0 };
	struct dump_columns c;
	struct error e;

	(void)state;
	assert_int_equal(dump_columns_choose("board_id,asic_id", wanted, &e), 0);
	set(s, FIELD_BOARD_ID, 0x0100014511702010);
	set(s, FIELD_ASIC_ID, 0x10);
	dump_columns_build(&c, wanted, s, false);
	csv_put_row(&b, &c, s, &t);
	assert_non_null(strstr(b.text, ",0x0100014511702010,0x0000000000000010,"));
	strbuf_clear(&b);
	free(s);
}

static void the_time_of_day_is_a_column_on_request(void **state)
{
	struct tick t = { .at = 500000000, .real = 1795000000 * CLOCK_SECOND + 250000000 };
	struct snapshot *s = new_card();
	struct strbuf b = { 0 };
	struct dump_columns c;

	(void)state;
	dump_columns_build(&c, NULL, s, false);
	dump_columns_add_utc(&c);
	assert_string_equal(dump_column_key(&c.c[DUMP_COLUMN_GUIDE]), "utc");
	assert_int_equal(dump_column_find("utc").kind, DUMP_COLUMN_UTC);
	assert_false(dump_column_is_number(&c.c[DUMP_COLUMN_GUIDE], NULL, NULL));
	csv_put_header(&b, &c);
	assert_non_null(strstr(b.text, ",Outlet Temp 2 (°C),UTC,"));
	assert_non_null(strstr(b.text, ",Skew (ms),State\r\n"));
	b.len = 0;
	csv_put_row(&b, &c, s, &t);
	assert_non_null(strstr(b.text, ",2026-11-18T11:06:40.250000Z,"));
	strbuf_clear(&b);
	free(s);
}

static void every_field_finds_its_column_again(void **state)
{
	(void)state;
	for (int f = FIELD_NONE + 1; f < FIELD_COUNT; f++) {
		struct dump_column c = dump_column_find(fields[f].key);

		assert_int_equal(c.kind, DUMP_COLUMN_FIELD);
		assert_int_equal(c.field, f);
	}
	assert_int_equal(dump_column_find("state").kind, DUMP_COLUMN_STATE);
	assert_int_equal(dump_column_find("from tomorrow").kind, DUMP_COLUMN_OTHER);
}

/* A reader of this text, which stands in a file without a name. */
static struct csv_reader *read_text(const char *text, size_t len)
{
	const int fd = memfd_create("csv", MFD_CLOEXEC);
	struct csv_reader *r = NULL;
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, text, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0)
		csv_read_open(path, &r, NULL);
	close(fd);
	return r;
}

/* What reading `text` gives: cells joined by '|', lines by '/', errors as '!'. */
static void read_all(const char *text, size_t len, struct strbuf *out, size_t *torn)
{
	struct csv_reader *r = read_text(text, len);
	const char *const *cells = NULL;
	struct error e;
	size_t n = 0;
	int got;

	while ((got = csv_read_row(r, &cells, &n, &e)) != 0) {
		if (got < 0) {
			assert_int_equal(got, -EBADMSG);
			strbuf_puts(out, "!/");
			continue;
		}
		for (size_t i = 0; i < n; i++)
			strbuf_printf(out, "%s%s", i ? "|" : "", cells[i]);
		strbuf_putc(out, '/');
	}
	*torn = csv_read_torn(r);
	csv_read_close(r);
}

static void the_reader_takes_what_was_written_and_nothing_else(void **state)
{
	static const struct {
		const char *text, *rows;
		size_t torn;
	} cases[] = {
		{ "a,b\r\n1,2\r\n", "a|b/1|2/", 0 },
		{ "a,b\r\n1,\r\n", "a|b/1|/", 0 },
		{ "a\r\n\"x,\"\"y\"\"\"\r\n", "a/x,\"y\"/", 0 },
		{ "a,b\r\n1,2\r\n1,", "a|b/1|2/", 2 },
		{ "a,b\r\n1,2", "a|b/", 3 },
		{ "a,b\r\n1,2\r", "a|b/", 4 },
		{ "a,b\r\n1\r\n1,2\r\n", "a|b/!/1|2/", 0 },
		{ "a,b\r\n1,2,3\r\n", "a|b/!/", 0 },
		{ "a,b\n1,2\r\n", "!/1|2/", 0 },
		{ "a\r\n\"x\r\n", "a/!/", 0 },
		{ "a\r\nx\"y\r\n", "a/!/", 0 },
		{ "a\r\n\"x\"y\r\n", "a/!/", 0 },
		{ "a\r\n\r\n", "a/!/", 0 },
		{ "a\r\n\xff\r\n", "a/!/", 0 },
		{ "a\r\nx\ty\r\n", "a/!/", 0 },
		{ "\xef\xbb\xbf" "a\r\n", "\xef\xbb\xbf" "a/", 0 },
		{ "", "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf b = { 0 };
		size_t torn;

		read_all(cases[i].text, strlen(cases[i].text), &b, &torn);
		assert_string_equal(b.len ? b.text : "", cases[i].rows);
		assert_int_equal(torn, cases[i].torn);
		strbuf_clear(&b);
	}
}

static void zeros_after_a_power_cut_are_a_torn_line(void **state)
{
	static const char text[] = "a,b\r\n1,2\r\n\0\0\0\0\0\0";
	struct strbuf b = { 0 };
	size_t torn;

	(void)state;
	read_all(text, sizeof(text) - 1, &b, &torn);
	assert_string_equal(b.text, "a|b/1|2/");
	assert_int_equal(torn, 6);
	strbuf_clear(&b);
}

static void percentiles_are_exact_for_what_cards_tell(void **state)
{
	struct stats s = { 0 };

	(void)state;
	for (int i = 1000; i >= 1; i--)
		stats_add(&s, i);
	assert_int_equal(s.min, 1);
	assert_int_equal(s.max, 1000);
	assert_true(stats_mean(&s) == 500.5);
	assert_int_equal(stats_percentile(&s, 50), 500);
	assert_int_equal(stats_percentile(&s, 99), 990);
	assert_int_equal(stats_percentile(&s, 100), 1000);
	assert_true(s.quantum <= 1);
	stats_clear(&s);
	stats_add(&s, -7);
	assert_int_equal(stats_percentile(&s, 50), -7);
	assert_int_equal(stats_percentile(&s, 99), -7);
	stats_clear(&s);
}

static void percentiles_of_many_values_keep_their_bound(void **state)
{
	const int64_t n = 1000000, step = 4001;
	struct stats s = { 0 };
	int64_t off;

	(void)state;
	/* A walk through all of -n/2 .. n/2 in an order that is no order, times step. */
	for (int64_t i = 0; i < n; i++)
		stats_add(&s, (i * 7919 % n - n / 2) * step);
	assert_true(s.quantum > 1);
	assert_true(s.size <= 2 * STATS_VALUES);
	off = stats_percentile(&s, 99) - (n * 99 / 100 - 1 - n / 2) * step;
	assert_true(llabs(off) < n * step / 8192);
	off = stats_percentile(&s, 50) - (n / 2 - 1 - n / 2) * step;
	assert_true(llabs(off) < n * step / 8192);
	stats_clear(&s);
}

static size_t feed(struct summary *sum, const char *time, const char *power, const char *limit,
	const char *st)
{
	const char *cells[DUMP_COLUMN_MAX];
	struct summary_cell out[DUMP_COLUMN_MAX];

	for (size_t i = 0; i < sum->columns->n; i++)
		cells[i] = "";
	cells[0] = time;
	cells[dump_columns_where(sum->columns, FIELD_POWER)] = power;
	cells[dump_columns_where(sum->columns, FIELD_POWER_LIMIT)] = limit;
	cells[dump_columns_where(sum->columns, FIELD_THROTTLE)] = power[0] ? "thermal" : "";
	cells[sum->columns->n - 1] = st;
	return summary_add(sum, cells, out);
}

/* Of a card that is throttled by its temperature, with one sample a second. */
static struct summary *new_hot_summary(struct snapshot *s, struct dump_columns *c)
{
	set(s, FIELD_THROTTLE, THROTTLE_THERMAL);
	dump_columns_build(c, NULL, s, false);
	return summary_new(c, CLOCK_SECOND);
}

static void energy_is_not_integrated_over_gaps(void **state)
{
	struct snapshot *s = new_card();
	struct summary *sum;
	struct dump_columns c;

	(void)state;
	sum = new_hot_summary(s, &c);
	feed(sum, "0.000000", "100", "150", "ok");
	feed(sum, "1.000000", "200", "150", "ok");			/* 150 J */
	feed(sum, "2.000000", "200", "150", "ok; late: 0.2 s");		/* 200 J, above */
	feed(sum, "12.000000", "200", "150", "ok; lost: 9 before");	/* a gap: nothing */
	feed(sum, "13.000000", "", "", "failed: gone");			/* no power: nothing */
	feed(sum, "14.000000", "100", "150", "ok");
	feed(sum, "15.000000", "100", "150", "ok; lost: 1 before");	/* said to be a gap */
	summary_end(sum);
	assert_true(sum->energy == 350.0);
	assert_int_equal(sum->energy_time, 2000000);
	assert_int_equal(sum->covered, 2000000);	/* not to, nor from, a failed row */
	assert_int_equal(sum->lost, 10);
	assert_int_equal(sum->late, 1);
	assert_int_equal(sum->bad, 1);
	/* From 1 s to 2 s. */
	assert_int_equal(sum->above[dump_columns_where(&c, FIELD_POWER)], 1000000);
	assert_int_equal(sum->throttled[THROTTLE_THERMAL], 2000000);
	summary_free(sum);
	free(s);
}

static void values_of_an_earlier_time_do_not_count(void **state)
{
	const struct stats *power;
	struct snapshot *s = new_card();
	struct summary *sum;
	struct dump_columns c;

	(void)state;
	sum = new_hot_summary(s, &c);
	feed(sum, "0.000000", "100", "150", "ok");
	feed(sum, "1.000000", "100", "150", "warn: eth; absent: heartbeat");	/* 100 J */
	feed(sum, "2.000000", "200", "150", "ok");		/* written before it stopped */
	feed(sum, "3.000000", "200", "150", "warn: eth");
	assert_int_equal(feed(sum, "4.000000", "200", "150", "warn: eth heartbeat; simulated"), 2);
	assert_int_equal(feed(sum, "5.000000", "200", "150", "warn: heartbeat"), 0);
	feed(sum, "6.000000", "100", "150", "ok");
	feed(sum, "7.000000", "100", "150", "ok; alert raised: heartbeat");	/* 100 J */
	feed(sum, "8.000000", "100", "150", "ok; repeated; recorded");
	summary_end(sum);
	assert_true(sum->energy == 200.0);
	assert_int_equal(sum->covered, 2000000);
	assert_int_equal(sum->throttled[THROTTLE_THERMAL], 2000000);
	assert_int_equal(sum->above[dump_columns_where(&c, FIELD_POWER)], 0);
	assert_int_equal(sum->bad, 4);
	assert_int_equal(sum->warned, 1);
	assert_int_equal(sum->repeated, 1);
	/* They are in no average, percentile or chart, either. */
	power = &sum->stats[dump_columns_where(&c, FIELD_POWER)];
	assert_int_equal(power->n, 4);
	assert_int_equal(stats_percentile(power, 99), 100 * fields[FIELD_POWER].scale);
	assert_false(sum->trend[3].known[TREND_POWER]);
	summary_free(sum);
	/* Nor is the first row of firmware that had stopped before. */
	sum = summary_new(&c, 5 * CLOCK_SECOND);
	feed(sum, "0.000000", "100", "150", "ok");
	assert_int_equal(feed(sum, "5.000000", "200", "150", "warn: heartbeat"), 1);
	summary_end(sum);
	assert_int_equal(sum->stats[dump_columns_where(&c, FIELD_POWER)].n, 0);
	summary_free(sum);
	free(s);
}

static void the_trend_of_a_long_dump_keeps_its_peaks(void **state)
{
	struct snapshot *s = new_card();
	struct summary *sum;
	struct dump_columns c;
	bool seen = false;
	char time[32];

	(void)state;
	set(s, FIELD_THROTTLE, THROTTLE_NONE);
	dump_columns_build(&c, NULL, s, false);
	sum = summary_new(&c, CLOCK_SECOND);
	for (int i = 0; i < 100000; i++) {
		snprintf(time, sizeof(time), "%d.000100", i);
		feed(sum, time, i == 77777 ? "999" : "50", "150", "ok");
	}
	summary_end(sum);
	assert_true(sum->points <= SUMMARY_TREND && sum->points > SUMMARY_TREND / 4);
	for (size_t i = 0; i < sum->points; i++) {
		assert_true(sum->trend[i].known[TREND_POWER]);
		seen |= sum->trend[i].value[TREND_POWER] == 999 * fields[FIELD_POWER].scale;
	}
	assert_true(seen);
	summary_free(sum);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_header_begins_as_the_guide_says),
		cmocka_unit_test(a_row_names_what_is_empty),
		cmocka_unit_test(a_card_that_failed_has_a_row_with_its_reason),
		cmocka_unit_test(a_row_says_why_its_values_are_no_new_ones),
		cmocka_unit_test(what_a_spreadsheet_would_run_is_defused),
		cmocka_unit_test(fields_are_chosen_and_limits_follow),
		cmocka_unit_test(a_blind_card_lists_no_field_that_its_chip_never_has),
		cmocka_unit_test(an_id_of_digits_keeps_its_zeros),
		cmocka_unit_test(the_time_of_day_is_a_column_on_request),
		cmocka_unit_test(every_field_finds_its_column_again),
		cmocka_unit_test(the_reader_takes_what_was_written_and_nothing_else),
		cmocka_unit_test(zeros_after_a_power_cut_are_a_torn_line),
		cmocka_unit_test(percentiles_are_exact_for_what_cards_tell),
		cmocka_unit_test(percentiles_of_many_values_keep_their_bound),
		cmocka_unit_test(energy_is_not_integrated_over_gaps),
		cmocka_unit_test(values_of_an_earlier_time_do_not_count),
		cmocka_unit_test(the_trend_of_a_long_dump_keeps_its_peaks),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
