/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "output/csv.h"
#include "output/dump.h"
#include "output/xlsx.h"
#include "output/journal.h"
#include "output/snapshot_json.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define INTERVAL (CLOCK_SECOND / 10)

/* A machine whose ticks are made by hand. */
static struct {
	char dir[64];
	struct snapshot *chips;
	struct fleet fleet;
} m;

static void set(size_t i, enum field_id id, int64_t value)
{
	m.chips[i].r[id] = (struct reading){ .value = value, .state = READING_OK };
}

static void init_chip(size_t i)
{
	struct snapshot *s = &m.chips[i];

	s->index = (int)i;
	s->health = SNAPSHOT_OK;
	s->chip = DEVICE_BLACKHOLE;
	mem_copy_text(s->board, sizeof(s->board), "p150a");
	snprintf(s->bdf, sizeof(s->bdf), "0000:%02x:00.0", (unsigned)i + 1);
	set(i, FIELD_POWER, 40 * fields[FIELD_POWER].scale);
	set(i, FIELD_ASIC_TEMP, 45 * fields[FIELD_ASIC_TEMP].scale);
	set(i, FIELD_AICLK, 800 * fields[FIELD_AICLK].scale);
}

static int setup(void **state)
{
	(void)state;
	strncpy(m.dir, "/tmp/tt-smi-dump.XXXXXX", sizeof(m.dir) - 1);
	if (!mkdtemp(m.dir))
		return -1;
	m.chips = mem_calloc(4, sizeof(*m.chips));
	for (size_t i = 0; i < 4; i++)
		init_chip(i);
	m.fleet = (struct fleet){ .n = 2, .chips = m.chips, .origin = &origin_sim, .driver = "" };
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	free(m.chips);
	snprintf(command, sizeof(command), "rm -rf '%s'", m.dir);
	return system(command);
}

static struct dump *open_dump(struct dump_config *c)
{
	struct dump *d = NULL;
	struct error e = { 0 };

	c->dir = m.dir;
	c->interval = INTERVAL;
	c->start = CLOCK_SECOND;
	if (dump_open(c, &m.fleet, &d, &e) < 0)
		fail_msg("%s", e.text);
	return d;
}

static int row_at(struct dump *d, int64_t at, struct error *e)
{
	const struct dump_tick t = { .late = at % INTERVAL };

	m.fleet.time = CLOCK_SECOND + at;
	m.fleet.real = 1795000000 * CLOCK_SECOND + m.fleet.time;
	return dump_row(d, &m.fleet, &t, e);
}

static void ticks(struct dump *d, int from, int to)
{
	struct error e = { 0 };

	for (int k = from; k < to; k++)
		if (row_at(d, k * INTERVAL + 1000, &e) < 0)
			fail_msg("%s", e.text);
}

/* Lines of a file in the dump's folder, -1 when it is not there. */
static int lines_of(const char *name, char **last)
{
	char path[256], *text;
	struct error e;
	size_t len;
	int n = 0;

	snprintf(path, sizeof(path), "%s/%s", m.dir, name);
	if (file_read_all(path, 1 << 24, &text, &len, &e) < 0)
		return -1;
	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	if (last) {
		char *at;

		assert_true(len > 2 && text[len - 1] == '\n');
		text[len - 2] = '\0';
		at = strrchr(text, '\n');
		*last = strdup(at ? at + 1 : text);
	}
	free(text);
	return n;
}

#define CARD0 "0_p150a_0000-01-00.0"
#define CARD1 "1_p150a_0000-02-00.0"
#define CARD2 "2_p150a_0000-03-00.0"

static void lost_ticks_are_counted_and_stand_in_the_row(void **state)
{
	const struct dump_tick late = { .late = INTERVAL / 4, .lost = 4 };
	struct dump *d = open_dump(&(struct dump_config){ 0 });
	struct error e;
	char *last;

	(void)state;
	ticks(d, 0, 3);
	m.fleet.time = CLOCK_SECOND + 7 * INTERVAL + late.late;
	m.fleet.real = 1795000000 * CLOCK_SECOND + m.fleet.time;
	assert_int_equal(dump_row(d, &m.fleet, &late, &e), 0);
	assert_int_equal(dump_counts(d)->ticks, 4);
	assert_int_equal(dump_counts(d)->lost, 4);
	assert_int_equal(dump_counts(d)->late, 1);
	assert_int_equal(dump_close(d, &e), 0);
	assert_int_equal(lines_of(CARD0 ".csv", &last), 5);
	assert_non_null(strstr(last, ",ok; lost: 4 before; late: 0.025 s;"));
	assert_memory_equal(last, "0.725000,", 9);
	free(last);
}

static void a_stepped_wall_clock_is_told_and_changes_no_time_stamp(void **state)
{
	struct dump *d = open_dump(&(struct dump_config){ 0 });
	struct error e;
	char *last;

	(void)state;
	ticks(d, 0, 2);
	m.fleet.time = CLOCK_SECOND + 2 * INTERVAL;
	m.fleet.real = 1795000000 * CLOCK_SECOND + m.fleet.time - 3600 * CLOCK_SECOND;
	assert_int_equal(dump_row(d, &m.fleet, &(struct dump_tick){ 0 }, &e), 0);
	assert_int_equal(dump_counts(d)->lost, 0);
	assert_int_equal(dump_close(d, &e), 0);
	lines_of(CARD0 ".csv", &last);
	assert_memory_equal(last, "0.200000,", 9);
	assert_non_null(strstr(last, "wall clock stepped: -3600.000 s"));
	free(last);
}

static void a_card_that_comes_back_goes_on_in_its_file(void **state)
{
	struct dump *d = open_dump(&(struct dump_config){ 0 });
	struct error e;
	char *last;

	(void)state;
	ticks(d, 0, 2);
	m.chips[0].health = SNAPSHOT_GONE;
	ticks(d, 2, 5);
	m.chips[0].health = SNAPSHOT_OK;
	ticks(d, 5, 6);
	assert_int_equal(dump_counts(d)->failed, 3);
	assert_int_equal(dump_close(d, &e), 0);
	assert_int_equal(lines_of(CARD0 ".csv", &last), 7);
	assert_non_null(strstr(last, ",ok;"));
	free(last);
	assert_int_equal(lines_of(CARD1 ".csv", NULL), 7);
}

static void a_card_gets_its_file_when_it_can_be_read(void **state)
{
	static const bool selected[DEVICE_MAX] = { true, true, false, true };
	struct dump_index *x;
	struct error e;
	struct dump *d;

	(void)state;
	m.fleet.n = 3;
	m.chips[1].health = SNAPSHOT_NOT_READ;
	mem_copy_text(m.chips[1].reason, sizeof(m.chips[1].reason), "held by pid 12");
	d = open_dump(&(struct dump_config){ .selected = selected });
	ticks(d, 0, 2);
	assert_int_equal(lines_of(CARD1 ".csv", NULL), -1);
	m.chips[1].health = SNAPSHOT_OK;
	m.fleet.n = 4;
	ticks(d, 2, 4);
	assert_int_equal(dump_counts(d)->cards, 3);
	assert_int_equal(dump_close(d, &e), 0);
	assert_int_equal(lines_of(CARD0 ".csv", NULL), 5);
	assert_int_equal(lines_of(CARD1 ".csv", NULL), 3);
	assert_int_equal(lines_of(CARD2 ".csv", NULL), -1);
	assert_int_equal(dump_index_read(m.dir, &x, &e), 0);
	assert_int_equal(x->n, 4);
	assert_true(x->complete && x->cards[1].has_file && !x->cards[2].has_file);
	assert_int_equal(x->counts.ticks, 4);
	assert_int_equal(x->interval, INTERVAL);
	assert_int_equal(x->start_mono, CLOCK_SECOND);
	dump_index_free(x);
}

static void a_card_left_alone_after_a_job_has_all_its_columns(void **state)
{
	static const enum field_id later[] = { FIELD_FAN_RPM, FIELD_AICLK_LIMIT };
	struct dump_columns all, sysfs;
	struct snapshot *s = &m.chips[0];

	(void)state;
	s->chip = DEVICE_WORMHOLE;
	dump_columns_build(&sysfs, NULL, s, false);
	s->raw.table_error = (struct error){ -EINPROGRESS, CODE_NONE, "only sysfs is read" };
	dump_columns_build(&all, NULL, s, false);
	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
		assert_int_equal(dump_columns_where(&sysfs, later[i]), -1);
		assert_true(dump_columns_where(&all, later[i]) >= 0);
	}
}

static void a_folder_that_holds_a_dump_is_left_alone(void **state)
{
	struct dump_config c = { 0 };
	struct dump *d = open_dump(&c), *other = NULL;
	struct error e;

	(void)state;
	ticks(d, 0, 1);
	assert_int_equal(dump_open(&c, &m.fleet, &other, &e), -EEXIST);
	assert_non_null(strstr(e.text, m.dir));
	assert_int_equal(dump_close(d, &e), 0);
	assert_int_equal(lines_of(CARD0 ".csv", NULL), 2);
}

static void parts_follow_each_other_and_the_oldest_go(void **state)
{
	struct dump *d = open_dump(&(struct dump_config){ .rotate_ns = CLOCK_SECOND, .keep = 2 });
	struct dump_index *x;
	struct error e;

	(void)state;
	ticks(d, 0, 45);
	assert_int_equal(dump_close(d, &e), 0);
	assert_int_equal(lines_of(CARD0 ".0003.csv", NULL), -1);
	assert_int_equal(lines_of(CARD0 ".0004.csv", NULL), 11);
	assert_int_equal(lines_of(CARD0 ".0005.csv", NULL), 6);
	assert_int_equal(dump_index_read(m.dir, &x, &e), 0);
	assert_int_equal(x->cards[1].first, 4);
	assert_int_equal(x->cards[1].last, 5);
	dump_index_free(x);
}

static void a_part_ends_when_it_is_large_enough(void **state)
{
	struct dump *d = open_dump(&(struct dump_config){ .rotate_bytes = 4096 });
	char path[256];
	struct error e;
	struct stat st;

	(void)state;
	ticks(d, 0, 100);
	assert_int_equal(dump_close(d, &e), 0);
	snprintf(path, sizeof(path), "%s/" CARD0 ".0001.csv", m.dir);
	assert_int_equal(stat(path, &st), 0);
	assert_in_range(st.st_size, 4096, 4096 + 1000);
}

static void what_does_not_fit_is_taken_back_whole(void **state)
{
	struct dump *d = open_dump(&(struct dump_config){ 0 });
	struct rlimit before, small;
	struct error e = { 0 };
	int err = 0;
	char *last;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 100000;	/* more than the index has, which is written beside it */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (int k = 0; k < 1000 && err == 0; k++)
		err = row_at(d, k * INTERVAL, &e);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(err, -EFBIG);
	assert_non_null(strstr(e.text, CARD0 ".csv: cannot write: "));
	dump_close(d, &e);
	assert_true(lines_of(CARD0 ".csv", &last) > 5);
	assert_non_null(strstr(last, ",ok"));
	free(last);
}

static void a_workbook_goes_on_in_further_sheets(void **state)
{
	struct dump *d = open_dump(&(struct dump_config){ 0 });
	struct xlsx_report report;
	struct xlsx_request q = { .dir = m.dir, .max_rows = 10 };
	struct error e = { 0 };

	(void)state;
	ticks(d, 0, 25);
	assert_int_equal(dump_close(d, &e), 0);
	if (xlsx_make(&q, &report, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(report.sheets, 2 * 3);
	assert_int_equal(report.rows, 2 * 25);
	assert_int_equal(report.bad.n + report.torn.n + report.missing.n, 0);
	assert_true(report.complete);
	assert_int_equal(access(report.path, R_OK), 0);
}

static void a_workbook_is_made_of_what_is_left(void **state)
{
	struct dump *d = open_dump(&(struct dump_config){ 0 });
	struct xlsx_report report;
	struct xlsx_request q = { .dir = m.dir };
	struct error e = { 0 };
	char path[256];
	FILE *f;

	(void)state;
	ticks(d, 0, 3);
	assert_int_equal(dump_close(d, &e), 0);
	snprintf(path, sizeof(path), "%s/" CARD1 ".csv", m.dir);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/" CARD0 ".csv", m.dir);
	f = fopen(path, "a");
	assert_non_null(f);
	fputs("not,a,row\r\n0.3", f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(xlsx_make(&q, &report, &e), 0);
	assert_int_equal(report.rows, 3);
	assert_int_equal(report.bad.n, 1);
	assert_non_null(strstr(report.bad.first, "line 5 "));
	assert_int_equal(report.torn.n, 1);
	assert_int_equal(report.missing.n, 1);
}

static void an_index_that_points_elsewhere_is_refused(void **state)
{
	static const char *const bad[] = {
		"{\"format\":\"tt-smi dump\",\"version\":1,\"cards\":[{\"index\":0,"
		"\"stem\":\"../../etc/passwd\",\"files\":[\"x\"],\"columns\":[{\"key\":\"timestamp\"}]}]}",
		"{\"format\":\"tt-smi dump\",\"version\":1,\"cards\":[{\"index\":0,\"stem\":\"a\","
		"\"first_part\":1,\"last_part\":900000000,\"files\":[\"x\"]}]}",
		"{\"format\":\"tt-smi dump\",\"version\":2}", "{\"format\":\"other\"}",
		"[]", "{", "",
	};
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/index.json", m.dir);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct dump_index *x = NULL;
		struct error e = { 0 };
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fputs(bad[i], f);
		assert_int_equal(fclose(f), 0);
		assert_true(dump_index_read(m.dir, &x, &e) < 0);
		assert_true(e.text[0] != '\0');
	}
}

static void put_index(const char *text);

/* The names and the headers of the files say the same; -1: there is no index. */
static void a_torn_index_is_made_from_the_files(void **state)
{
	static const int kept[] = { 1500, 1, 0, -1 };
	struct dump *d = open_dump(&(struct dump_config){ .rotate_bytes = 4096 });
	struct dump_index *was, *is;
	struct error e;
	char path[256], text[1600];
	FILE *f;

	(void)state;
	ticks(d, 0, 100);
	assert_int_equal(dump_close(d, &e), 0);
	assert_int_equal(dump_index_read(m.dir, &was, &e), 0);
	assert_true(!was->is_rebuilt && was->cards[0].last > 1);
	snprintf(path, sizeof(path), "%s/index.json", m.dir);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fread(text, 1, sizeof(text), f), sizeof(text));
	fclose(f);
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		if (kept[i] >= 0) {
			text[kept[i]] = '\0';
			put_index(text);
		} else {
			assert_int_equal(unlink(path), 0);
		}
		assert_int_equal(dump_index_read(m.dir, &is, &e), 0);
		assert_true(is->is_rebuilt && !is->complete && strstr(is->error, path));
		assert_int_equal(is->n, was->n);
		for (size_t k = 0; k < is->n; k++) {
			const struct dump_card *a = &was->cards[k], *b = &is->cards[k];

			assert_string_equal(b->stem, a->stem);
			assert_string_equal(b->board, a->board);
			assert_string_equal(b->bdf, a->bdf);
			assert_int_equal(b->index, a->index);
			assert_true(b->first == a->first && b->last == a->last);
			assert_int_equal(b->columns.n, a->columns.n);
			for (size_t c = 0; c < a->columns.n; c++)
				assert_string_equal(dump_column_key(&b->columns.c[c]),
					dump_column_key(&a->columns.c[c]));
		}
		dump_index_free(is);
	}
	dump_index_free(was);
}

static void put_index(const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/index.json", m.dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void an_index_of_odd_shapes_is_read_without_a_crash(void **state)
{
	static const char *const facts[] = { "[\"a\"]", "[[]]", "\"a\"", "1", "null", "{}" };
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		struct dump_index *x = NULL;
		struct error e = { 0 };

		snprintf(text, sizeof(text), "{\"format\":\"tt-smi dump\",\"version\":1,\"cards\":"
			"[{\"index\":0,\"stem\":\"a\",\"facts\":%s}]}", facts[i]);
		put_index(text);
		if (dump_index_read(m.dir, &x, &e) < 0)
			fail_msg("%s", e.text);
		assert_int_equal(x->cards[0].n_facts, 0);
		dump_index_free(x);
	}
}

static void no_control_character_gets_out_of_an_index(void **state)
{
	struct dump_index *x = NULL;
	struct error e = { 0 };

	(void)state;
	put_index("{\"format\":\"tt-smi dump\",\"version\":1,"
		"\"host\":{\"hostname\":\"a\\u0001b\\u001b\\uffff\xff\"},\"cards\":"
		"[{\"index\":0,\"stem\":\"a\",\"board\":\"p\\u0008q\","
		"\"facts\":{\"k\\u0002\":\"v\\u0003\"}}]}");
	assert_int_equal(dump_index_read(m.dir, &x, &e), 0);
	assert_string_equal(x->host.hostname, "a\\x01b\\x1b\\xef\\xbf\\xbf\\xff");
	assert_string_equal(x->cards[0].board, "p\\x08q");
	assert_string_equal(x->cards[0].facts[0].key, "k\\x02");
	assert_string_equal(x->cards[0].facts[0].text, "v\\x03");
	dump_index_free(x);
}

static void a_dump_that_failed_is_not_called_complete(void **state)
{
	struct dump *d = open_dump(&(struct dump_config){ 0 });
	struct rlimit before, small;
	struct dump_index *x;
	struct error e = { 0 };
	int err = 0, k, lines[2];

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 16000;		/* the index, which another thread writes, fits */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (k = 0; k < 1000 && err == 0; k++)
		err = row_at(d, k * INTERVAL, &e);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(err, -EFBIG);
	dump_close(d, NULL);
	assert_int_equal(dump_index_read(m.dir, &x, &e), 0);
	assert_false(x->complete);
	assert_true(x->ended);
	assert_non_null(strstr(x->error, "cannot write"));
	/* Whichever file failed: it has a header and a row of each tick but the last. */
	assert_int_equal(x->counts.ticks, k - 1);
	lines[0] = lines_of(CARD0 ".csv", NULL);
	lines[1] = lines_of(CARD1 ".csv", NULL);
	assert_int_equal(lines[0] < lines[1] ? lines[0] : lines[1], k);
	assert_in_range(lines[0] + lines[1], 2 * k, 2 * k + 1);
	dump_index_free(x);
}

static void a_dump_that_cannot_begin_leaves_nothing(void **state)
{
	struct dump_config c = { .dir = m.dir };
	struct rlimit before, small;
	struct error e = { 0 };
	struct dump *d = NULL;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 1000;		/* the headers fit, the index does not */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(dump_open(&c, &m.fleet, &d, &e), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_non_null(strstr(e.text, "index.json"));
	assert_int_equal(rmdir(m.dir), 0);
	assert_int_equal(mkdir(m.dir, 0700), 0);
}

/* As beside 32 cards whose parts are completed on a slow disk: none is left for a while. */
static void an_index_waits_for_a_descriptor(void **state)
{
	struct strbuf first = { 0 }, next = { 0 };
	struct journal *j = NULL;
	struct error e = { 0 };
	struct rlimit before, few;
	int taken[64], n = 0, slot;

	(void)state;
	strbuf_puts(&first, "first\n");
	assert_int_equal(journal_open(-1, m.dir, &j, &e), 0);
	slot = journal_add(j, "rows", &e);
	assert_true(slot >= 0);
	assert_int_equal(journal_new_file(j, "index", &first, &e), 0);
	poll(NULL, 0, 700);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 64;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	while (n < 64 && (taken[n] = dup(0)) >= 0)
		n++;
	assert_int_equal(errno, EMFILE);
	strbuf_puts(&next, "next\nand more\n");
	journal_put_file(j, &next);
	poll(NULL, 0, 1500);
	assert_int_equal(journal_append(j, slot, "a\n", 2, &e), 0);
	while (n > 0)
		close(taken[--n]);
	setrlimit(RLIMIT_NOFILE, &before);
	for (int i = 0; i < 600 && lines_of("index", NULL) != 2; i++)
		poll(NULL, 0, 100);
	assert_int_equal(lines_of("index", NULL), 2);
	assert_int_equal(journal_close(j, &e), 0);
}

static void a_workbook_can_be_made_aside(void **state)
{
	struct dump *d = open_dump(&(struct dump_config){ 0 });
	struct dump_book *b = NULL;
	struct error e = { 0 };
	int r;

	(void)state;
	ticks(d, 0, 3);
	assert_int_equal(dump_close(d, &e), 0);
	assert_int_equal(dump_book_start(m.dir, NULL, &b, &e), 0);
	while ((r = dump_book_collect(b, &e)) == 0) {
		struct pollfd p = { .fd = dump_book_fd(b), .events = POLLIN };

		assert_true(poll(&p, 1, 60000) == 1);
	}
	assert_int_equal(r, 1);
	assert_int_equal(dump_book_report(b)->rows, 6);
	assert_int_equal(access(dump_book_report(b)->path, R_OK), 0);
	dump_book_close(b);
}

static void a_line_of_ndjson_is_an_object_with_bare_readings(void **state)
{
	const struct tick_choice o = { 0 };
	struct tick t = { .at = 1500000, .lost = 3 };
	struct strbuf b = { 0 };
	struct json *doc;
	struct error e;
	double v;

	(void)state;
	m.chips[0].r[FIELD_VREG_TEMP].state = READING_FAILED;
	m.chips[0].findings[0] = (struct finding){ "heartbeat", "its firmware has stopped" };
	m.chips[0].n_findings = 1;
	ndjson_put(&b, &m.chips[0], &t, &o);
	assert_ptr_equal(strchr(b.text, '\n'), b.text + b.len - 1);
	assert_int_equal(json_parse(b.text, b.len, &doc, &e), 0);
	assert_true(json_get_number(json_get(json_get(doc, "readings"), "power"), &v) && v == 40);
	assert_true(json_is_null(json_get(json_get(doc, "readings"), "vreg_temp")));
	assert_string_equal(json_get_text(json_get(json_get(doc, "states"), "vreg_temp")),
		"failed");
	assert_null(json_get(json_get(doc, "readings"), "inlet_temp"));
	assert_string_equal(json_get_text(json_child(json_get(doc, "findings"))), "heartbeat");
	assert_true(json_get_number(json_get(doc, "timestamp"), &v) && v == 0.0015);
	assert_true(json_get_number(json_get(doc, "lost"), &v) && v == 3);
	json_free(doc);
	strbuf_clear(&b);
}

static void boards_that_are_not_real_are_said_to_be_so(void **state)
{
	static const struct {
		const struct origin *origin;
		const char *word;
	} cases[] = { { &origin_sim, "simulated" }, { &origin_replay, "recorded" },
		{ &origin_machine, NULL } };
	char path[256], want[256], *last;

	(void)state;
	snprintf(path, sizeof(path), "%s/index.json", m.dir);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dump_index *x;
		struct error e;
		struct dump *d;

		m.fleet.origin = cases[i].origin;
		d = open_dump(&(struct dump_config){ 0 });
		ticks(d, 0, 2);
		assert_int_equal(dump_close(d, &e), 0);
		lines_of(CARD0 ".csv", &last);
		snprintf(want, sizeof(want), ",ok; %s;", cases[i].word ? cases[i].word : "absent:");
		assert_true(cases[i].word ? strstr(last, want) != NULL :
			!strstr(last, "simulated") && !strstr(last, "recorded"));
		free(last);
		assert_int_equal(dump_index_read(m.dir, &x, &e), 0);
		assert_string_equal(x->stand_in, cases[i].word ? cases[i].word : "");
		dump_index_free(x);
		assert_int_equal(unlink(path), 0);
		snprintf(want, sizeof(want), "%s/" CARD0 ".csv", m.dir);
		assert_int_equal(unlink(want), 0);
		snprintf(want, sizeof(want), "%s/" CARD1 ".csv", m.dir);
		assert_int_equal(unlink(want), 0);
	}
}

static void no_workbook_is_made_of_files_that_are_not_csv(void **state)
{
	struct xlsx_request q = { .dir = m.dir };
	struct xlsx_report report;
	struct error e = { 0 };

	(void)state;
	put_index("{\"format\":\"tt-smi dump\",\"version\":1,\"cards\":[{\"index\":0,"
		"\"stem\":\"a\",\"files\":[\"a.ndjson\"],\"columns\":[{\"key\":\"timestamp\"}]}]}");
	assert_int_equal(xlsx_make(&q, &report, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "holds ndjson files"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lost_ticks_are_counted_and_stand_in_the_row,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_stepped_wall_clock_is_told_and_changes_no_time_stamp, setup, teardown),
		cmocka_unit_test_setup_teardown(a_card_that_comes_back_goes_on_in_its_file,
			setup, teardown),
		cmocka_unit_test_setup_teardown(a_card_gets_its_file_when_it_can_be_read,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_card_left_alone_after_a_job_has_all_its_columns, setup, teardown),
		cmocka_unit_test_setup_teardown(a_folder_that_holds_a_dump_is_left_alone,
			setup, teardown),
		cmocka_unit_test_setup_teardown(parts_follow_each_other_and_the_oldest_go,
			setup, teardown),
		cmocka_unit_test_setup_teardown(a_part_ends_when_it_is_large_enough,
			setup, teardown),
		cmocka_unit_test_setup_teardown(what_does_not_fit_is_taken_back_whole,
			setup, teardown),
		cmocka_unit_test_setup_teardown(a_workbook_goes_on_in_further_sheets,
			setup, teardown),
		cmocka_unit_test_setup_teardown(a_workbook_is_made_of_what_is_left,
			setup, teardown),
		cmocka_unit_test_setup_teardown(a_torn_index_is_made_from_the_files,
			setup, teardown),
		cmocka_unit_test_setup_teardown(an_index_that_points_elsewhere_is_refused,
			setup, teardown),
		cmocka_unit_test_setup_teardown(an_index_of_odd_shapes_is_read_without_a_crash,
			setup, teardown),
		cmocka_unit_test_setup_teardown(no_control_character_gets_out_of_an_index,
			setup, teardown),
		cmocka_unit_test_setup_teardown(a_dump_that_failed_is_not_called_complete,
			setup, teardown),
		cmocka_unit_test_setup_teardown(a_dump_that_cannot_begin_leaves_nothing,
			setup, teardown),
		cmocka_unit_test_setup_teardown(an_index_waits_for_a_descriptor, setup, teardown),
		cmocka_unit_test_setup_teardown(a_workbook_can_be_made_aside, setup, teardown),
		cmocka_unit_test_setup_teardown(a_line_of_ndjson_is_an_object_with_bare_readings,
			setup, teardown),
		cmocka_unit_test_setup_teardown(boards_that_are_not_real_are_said_to_be_so,
			setup, teardown),
		cmocka_unit_test_setup_teardown(no_workbook_is_made_of_files_that_are_not_csv,
			setup, teardown),
	};

	return cmocka_run_group_tests_name("dump", tests, NULL, NULL);
}
