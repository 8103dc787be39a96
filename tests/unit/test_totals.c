/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters that survive: kills at any moment, torn files, a full disk, two at once, other boots
 * and a wall clock that steps.
 */
#include "config.h"
#include "base/mem.h"
#include "base/file.h"
#include "base/state.h"
#include "device/bus.h"
#include "src/metrics/mode_metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define BDF	"0000:01:00.0"
#define SAMPLES 60000			/* of a trace: 6000 s, ten a second */
#define STEP	(100 * CLOCK_MS)
#define KILLS	50

static struct snapshot chip;
static struct roster roster;
static struct fleet fleet;
static struct totals totals;
static char dir[64];

static struct session *make_session(void)
{
	static struct bus bus = { .ops = &transport_sim, .root = "/" };
	static struct session session = { .bus = &bus };

	return &session;
}

static int begin(void **state)
{
	static const bool wanted[1] = { true };

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_totals.XXXXXX");
	assert_non_null(mkdtemp(dir));
	setenv("TT_SMI_STATE_DIR", dir, 1);
	memset(&chip, 0, sizeof(chip));
	memset(&roster, 0, sizeof(roster));
	chip.local = -1;
	chip.health = SNAPSHOT_OK;
	snprintf(chip.bdf, sizeof(chip.bdf), "%s", BDF);
	fleet = (struct fleet){ .n = 1, .chips = &chip, .wanted = wanted, .selection = "" };
	roster_take(&roster, &fleet);
	return 0;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	return system(command);
}

static void set(enum field_id id, int64_t value, int64_t time)
{
	chip.r[id] = (struct reading){ .value = value, .time = time, .state = READING_OK };
}

static void take(int64_t power, int64_t time)
{
	set(FIELD_POWER, power, time);
	totals_take(&totals, &fleet, &roster);
}

static uint64_t joules(void)
{
	assert_non_null(totals.shown[0]);
	return totals.shown[0]->total[TALLY_CORE_ENERGY] / TALLY_ENERGY_SCALE;
}

/* mW: a load that comes and goes within a minute, with noise on top. */
static int64_t power_at(size_t i)
{
	const uint64_t noise = (i * 2654435761u) >> 7;

	return 60000 + (int64_t)(i % 600 < 300 ? i % 300 : 300 - i % 300) * 500 +
		(int64_t)(noise % 5000);
}

struct shared {
	_Atomic size_t next;		/* sample to take */
	_Atomic uint64_t shown;		/* the highest total that anybody could have seen */
	_Atomic bool fell;
};

static void run_until_killed(struct shared *s)
{
	totals_open(&totals, make_session(), 0, true);
	for (size_t i; (i = s->next) < SAMPLES; s->next = i + 1) {
		uint64_t now;

		set(FIELD_HEARTBEAT, (int64_t)i, (int64_t)(i + 1) * STEP);
		take(power_at(i), (int64_t)(i + 1) * STEP);
		now = totals.shown[0]->total[TALLY_CORE_ENERGY];
		if (now < s->shown)
			s->fell = true;
		s->shown = now;
	}
	totals_close(&totals);
	_exit(0);
}

static bool is_running(pid_t child)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		info.si_pid == 0;
}

/* Kill it once it has taken so many samples more; false: that was all. */
static bool run_and_kill(struct shared *s, size_t samples)
{
	const size_t until = s->next + samples;
	const pid_t child = fork();
	int status;

	if (child == 0)
		run_until_killed(s);
	while (s->next < until && s->next < SAMPLES && is_running(child))
		usleep(100);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	return s->next < SAMPLES;
}

static void energy_over_fifty_kills_is_the_integral_of_the_trace(void **state)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double exact = 0;
	unsigned kills = 0;

	(void)state;
	assert_ptr_not_equal(s, MAP_FAILED);
	srand(4711);
	for (; kills < KILLS; kills++) {
		if (!run_and_kill(s, 1 + (size_t)rand() % 1500))
			break;
		/* It is gone for up to 5 s. */
		s->next += (size_t)rand() % 50;
		assert_false(s->fell);
	}
	assert_true(kills >= KILLS / 2);
	run_and_kill(s, SAMPLES);
	assert_false(s->fell);
	for (size_t i = 1; i < SAMPLES; i++)
		exact += (double)(power_at(i - 1) + power_at(i)) / 2 / 1000 / 10;
	assert_true((double)s->shown / TALLY_ENERGY_SCALE > exact * 0.999);
	assert_true((double)s->shown / TALLY_ENERGY_SCALE < exact * 1.001);
	munmap(s, sizeof(*s));
}

static void open_and_take(int64_t power, int64_t time)
{
	totals_open(&totals, make_session(), 0, true);
	take(power, time);
}

static char *newest(char path[static 128])
{
	snprintf(path, 128, "%s/counters-sim.%d", dir, totals.file);
	return path;
}

/* What stderr says while something is done. */
static char said[4096];

static int hear_begin(void)
{
	const int before = dup(2), fd = open("said", O_RDWR | O_CREAT | O_TRUNC, 0600);

	dup2(fd, 2);
	close(fd);
	return before;
}

static void hear_end(int before)
{
	ssize_t n;

	lseek(2, 0, SEEK_SET);
	n = read(2, said, sizeof(said) - 1);
	said[n > 0 ? n : 0] = '\0';
	dup2(before, 2);
	close(before);
	unlink("said");
}

static void a_torn_file_counts_up_to_its_last_whole_record(void **state)
{
	static char whole[16384];
	char path[128];
	ssize_t len;
	int fd;

	(void)state;
	open_and_take(100000, CLOCK_SECOND);
	take(100000, 2 * CLOCK_SECOND);
	take(100000, 3 * CLOCK_SECOND);
	totals_close(&totals);
	newest(path);
	fd = open(path, O_RDONLY);
	len = read(fd, whole, sizeof(whole));
	close(fd);
	assert_true(len > 0);
	/* Cut anywhere: never more than was there, and no less than a record before. */
	for (ssize_t cut = len; cut > 0; cut -= 37) {
		struct tally_book *b = calloc(1, sizeof(*b));
		struct tally_read r;
		const bool good = tally_book_parse(whole, (size_t)cut, b, &r);
		const struct tally_entry *t = tally_book_seek(b, BDF, 0);

		assert_true(r.whole <= (size_t)cut);
		if (good)
			assert_true(t->tally.total[TALLY_CORE_ENERGY] <= 200 * TALLY_ENERGY_SCALE);
		free(b);
	}
	assert_int_equal(truncate(path, len - 3), 0);
	fd = hear_begin();
	open_and_take(100000, 4 * CLOCK_SECOND);
	hear_end(fd);
	assert_non_null(strstr(said, "torn: counting goes on from its last whole record"));
	/* From the second sample, 2 s before. */
	assert_int_equal(joules(), 300);
	totals_close(&totals);
}

static void a_bit_that_flips_is_seen(void **state)
{
	static char text[16384];
	char path[128];
	struct tally_book *b = calloc(1, sizeof(*b));
	struct tally_read r;
	ssize_t len;
	int fd;

	(void)state;
	open_and_take(100000, CLOCK_SECOND);
	take(100000, 2 * CLOCK_SECOND);
	totals_close(&totals);
	fd = open(newest(path), O_RDONLY);
	len = read(fd, text, sizeof(text));
	close(fd);
	assert_true(tally_book_parse(text, (size_t)len, b, &r));
	assert_int_equal(r.whole, len);
	for (ssize_t i = 0; i < len; i++) {
		text[i] ^= 4;
		tally_book_parse(text, (size_t)len, b, &r);
		assert_true(r.whole < (size_t)len);
		text[i] ^= 4;
	}
	free(b);
}

static void a_full_disk_loses_nothing_that_was_there(void **state)
{
	const struct rlimit small = { 6000, RLIM_INFINITY };
	struct rlimit before;
	int heard;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	open_and_take(100000, CLOCK_SECOND);
	take(100000, 2 * CLOCK_SECOND);
	setrlimit(RLIMIT_FSIZE, &small);
	heard = hear_begin();
	for (int i = 3; i < 100; i++)
		take(100000, i * CLOCK_SECOND);
	hear_end(heard);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_non_null(strstr(said, "counters are not kept: "));
	assert_null(strstr(strstr(said, "not kept") + 1, "not kept"));
	assert_int_equal(joules(), 98 * 100);
	totals_close(&totals);
	open_and_take(100000, 101 * CLOCK_SECOND);
	assert_true(joules() >= 100);
	assert_int_equal(totals.shown[0]->total[TALLY_GAPS], 1);
	totals_close(&totals);
}

static void one_writes_and_the_others_read_it(void **state)
{
	static struct totals second;

	(void)state;
	open_and_take(100000, CLOCK_SECOND);
	totals_open(&second, make_session(), 0, true);
	take(100000, 2 * CLOCK_SECOND);
	take(100000, 3 * CLOCK_SECOND);
	/* Its own samples are others, but it shows what is kept. */
	set(FIELD_POWER, 999000, 3 * CLOCK_SECOND + 1);
	totals_take(&second, &fleet, &roster);
	set(FIELD_POWER, 999000, 4 * CLOCK_SECOND);
	totals_take(&second, &fleet, &roster);
	assert_true(second.lock < 0);
	assert_int_equal(second.shown[0]->total[TALLY_CORE_ENERGY], 200 * TALLY_ENERGY_SCALE);
	assert_int_equal(totals_kept(&totals), 1);
	second.heard -= 60 * CLOCK_SECOND;
	assert_int_equal(totals_kept(&second), 0);
	take(100000, 4 * CLOCK_SECOND);
	totals_take(&second, &fleet, &roster);
	assert_int_equal(totals_kept(&second), 1);
	/* And it takes over. */
	totals_close(&totals);
	set(FIELD_POWER, 100000, 5 * CLOCK_SECOND);
	totals_take(&second, &fleet, &roster);
	assert_true(second.lock >= 0);
	assert_int_equal(second.shown[0]->total[TALLY_CORE_ENERGY], 400 * TALLY_ENERGY_SCALE);
	totals_close(&second);
}

static void a_follower_counts_a_chip_that_the_writer_does_not_sample(void **state)
{
	static struct totals second;

	(void)state;
	/* What an earlier program counted, and the writer only keeps. */
	open_and_take(100000, CLOCK_SECOND);
	take(100000, 3 * CLOCK_SECOND);
	totals_close(&totals);
	totals_open(&totals, make_session(), 0, true);
	chip.health = SNAPSHOT_FAILED;
	take(100000, 4 * CLOCK_SECOND);
	chip.health = SNAPSHOT_OK;
	totals_open(&second, make_session(), 0, true);
	for (int i = 4; i < 8; i++) {
		set(FIELD_POWER, 100000, i * CLOCK_SECOND);
		totals_take(&second, &fleet, &roster);
		assert_int_equal(second.shown[0]->total[TALLY_CORE_ENERGY],
			200 * TALLY_ENERGY_SCALE);
	}
	/* A record that stays as it was for longer than any writer waits is not followed. */
	second.followed -= TALLY_GAP;
	set(FIELD_POWER, 100000, 8 * CLOCK_SECOND);
	totals_take(&second, &fleet, &roster);
	assert_true(second.lock < 0);
	assert_int_equal(second.shown[0]->total[TALLY_CORE_ENERGY], 600 * TALLY_ENERGY_SCALE);
	/* And nothing of it is lost when the writer ends. */
	totals_close(&totals);
	set(FIELD_POWER, 100000, 9 * CLOCK_SECOND);
	totals_take(&second, &fleet, &roster);
	assert_true(second.lock >= 0);
	assert_int_equal(second.shown[0]->total[TALLY_CORE_ENERGY], 700 * TALLY_ENERGY_SCALE);
	assert_int_equal(second.shown[0]->total[TALLY_GAPS], 0);
	totals_close(&second);
}

/* Of a chip that did not answer when it began to follow, a counter is not counted from 0 again. */
static void a_follower_goes_on_from_the_counter_that_was_counted(void **state)
{
	static struct totals second;

	(void)state;
	set(FIELD_HEARTBEAT, 1000, CLOCK_SECOND);
	open_and_take(100000, CLOCK_SECOND);
	totals_open(&second, make_session(), 0, true);
	chip.health = SNAPSHOT_FAILED;
	totals_take(&second, &fleet, &roster);
	chip.health = SNAPSHOT_OK;
	second.followed -= TALLY_GAP;
	set(FIELD_HEARTBEAT, 1010, 2 * CLOCK_SECOND);
	totals_take(&second, &fleet, &roster);
	assert_true(second.lock < 0);
	assert_int_equal(second.shown[0]->total[TALLY_HEARTBEATS], 1010);
	totals_close(&second);
	totals_close(&totals);
}

/* Nor is what was counted lost between an earlier program and the first sample of a follower. */
static void a_follower_counts_on_with_its_first_sample(void **state)
{
	static struct totals second;

	(void)state;
	set(FIELD_HEARTBEAT, 1000, CLOCK_SECOND);
	open_and_take(100000, CLOCK_SECOND);
	chip.health = SNAPSHOT_FAILED;
	take(100000, 2 * CLOCK_SECOND);
	chip.health = SNAPSHOT_OK;
	totals_open(&second, make_session(), 0, true);
	set(FIELD_HEARTBEAT, 1010, 3 * CLOCK_SECOND);
	totals_take(&second, &fleet, &roster);
	assert_true(second.lock < 0);
	second.followed -= TALLY_GAP;
	set(FIELD_HEARTBEAT, 1011, 4 * CLOCK_SECOND);
	totals_take(&second, &fleet, &roster);
	assert_int_equal(second.shown[0]->total[TALLY_HEARTBEATS], 1011);
	totals_close(&second);
	totals_close(&totals);
}

static void who_does_not_sample_all_counts_for_itself(void **state)
{
	static struct totals second;

	(void)state;
	totals_open(&second, make_session(), 0, false);
	set(FIELD_POWER, 100000, CLOCK_SECOND);
	totals_take(&second, &fleet, &roster);
	open_and_take(100000, 2 * CLOCK_SECOND);
	assert_true(totals.lock >= 0);
	take(100000, 3 * CLOCK_SECOND);
	totals_take(&second, &fleet, &roster);
	assert_int_equal(second.shown[0]->total[TALLY_CORE_ENERGY], 200 * TALLY_ENERGY_SCALE);
	totals_close(&totals);
	totals_take(&second, &fleet, &roster);
	assert_true(second.lock < 0);
	totals_close(&second);
}

static void a_file_that_is_long_makes_way_for_the_other(void **state)
{
	char path[128];
	struct stat st;
	int first;

	(void)state;
	open_and_take(100000, CLOCK_SECOND);
	first = totals.file;
	for (int i = 2; i < 3000; i++)
		take(100000, i * CLOCK_SECOND);
	assert_true(totals.number > 1);
	assert_int_equal(stat(newest(path), &st), 0);
	assert_true(st.st_size < 300 * 1024);
	assert_true(first == 0 || first == 1);
	totals_close(&totals);
	open_and_take(100000, 3000 * CLOCK_SECOND);
	assert_int_equal(joules(), 2999 * 100);
	totals_close(&totals);
}

/* A book of one chip that drew 100 W at this moment of an earlier process. */
static void make_book(struct tally_book *b, int64_t time)
{
	struct tally *t;

	memset(b, 0, sizeof(*b));
	t = tally_book_find(b, BDF, 0);
	set(FIELD_POWER, 100000, time);
	tally_take(t, &chip, 0);
}

static void what_was_between_two_boots_is_known_by_the_wall_clock(void **state)
{
	static const struct {
		int64_t away;		/* by the wall clock */
		const char *boot;
		int64_t mono;		/* of now */
		uint64_t joules, gaps;
	} cases[] = {
		{ 5, "a", 1005, 500, 0 },	/* the same boot: the clock that does not step */
		{ 5000, "a", 1005, 500, 0 },
		{ -5000, "a", 1005, 500, 0 },
		{ 8, "b", 3, 0, 1 },
		{ 60, "b", 3, 0, 1 },
		{ -60, "b", 3, 0, 1 },
		{ 8, "", 3, 800, 0 },
	};
	static struct tally_book b;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct tally_moment then = { "a", 1000 * CLOCK_SECOND,
			1795000000 * CLOCK_SECOND }, now = { "", cases[i].mono * CLOCK_SECOND,
			then.real + cases[i].away * CLOCK_SECOND };

		snprintf(now.boot, sizeof(now.boot), "%s", cases[i].boot);
		make_book(&b, then.mono);
		tally_book_resume(&b, &then, &now);
		set(FIELD_POWER, 100000, now.mono);
		tally_take(&b.entries[0].tally, &chip, 0);
		assert_int_equal(b.entries[0].tally.total[TALLY_CORE_ENERGY],
			cases[i].joules * TALLY_ENERGY_SCALE);
		assert_int_equal(b.entries[0].tally.total[TALLY_GAPS], cases[i].gaps);
	}
}

/* After a boot the kernel counts from 0; as many errors as before are not the same ones. */
static void link_errors_of_another_boot_are_new_ones(void **state)
{
	static const struct {
		const char *then, *now;
		uint64_t errors, total;
	} cases[] = {
		{ "a", "a", 7, 7 }, { "a", "b", 7, 14 }, { "a", "b", 9, 16 }, { "a", "b", 2, 9 },
		{ "a", "", 9, 9 }, { "", "b", 9, 9 },
	};
	static struct tally_book b;
	struct aer link = { BDF, true, { 7, 0, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct tally_moment then = { .mono = 1000 }, now = { .mono = 3, .real = 60 };

		snprintf(then.boot, sizeof(then.boot), "%s", cases[i].then);
		snprintf(now.boot, sizeof(now.boot), "%s", cases[i].now);
		make_book(&b, then.mono);
		link.errors[0] = 7;
		tally_take_links(&b.entries[0].tally, &link, 1);
		tally_book_resume(&b, &then, &now);
		link.errors[0] = cases[i].errors;
		tally_take_links(&b.entries[0].tally, &link, 1);
		assert_int_equal(b.entries[0].tally.total[TALLY_AER], cases[i].total);
	}
}

static void acts_are_counted_by_any_number_of_processes(void **state)
{
	static const struct counted_act lost = { BDF, TALLY_RESETS + TALLY_RESET_LOST },
		both[] = { { BDF, TALLY_BURNINS_END }, { "0000:02:00.0", TALLY_BURNINS } };
	struct session *s = make_session();
	struct error e = { 0 };
	pid_t children[8];
	int status;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(children); i++) {
		children[i] = fork();
		for (int k = 0; children[i] == 0 && k < 5; k++)
			if (counted_add(s->bus, &lost, 1, &e) < 0)
				_exit(1);
		if (children[i] == 0)
			_exit(counted_add(s->bus, &both[1], 1, &e) < 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(children); i++) {
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	open_and_take(100000, CLOCK_SECOND);
	assert_int_equal(totals.shown[0]->total[TALLY_RESETS + TALLY_RESET_LOST], 40);
	assert_int_equal(totals.shown[0]->total[TALLY_RESETS], 0);
	assert_true(totals.shown[0]->has[TALLY_BURNINS_END]);
	assert_int_equal(counted_add(s->bus, both, 2, &e), 0);
	take(100000, 2 * CLOCK_SECOND);
	assert_int_equal(totals.shown[0]->total[TALLY_BURNINS_END], 1);
	totals_close(&totals);
	setenv("TT_SMI_STATE_DIR", "/proc/nothing", 1);
	assert_true(counted_add(s->bus, &lost, 1, &e) < 0);
	unsetenv("TT_SMI_STATE_DIR");
	assert_int_equal(counted_add(s->bus, &lost, 1, &e), 0);
}

static void a_lock_that_another_process_keeps_is_named(void **state)
{
	static const struct counted_act lost = { BDF, TALLY_RESETS + TALLY_RESET_LOST };
	struct session *s = make_session();
	struct error e = { 0 };
	char path[PATH_MAX];
	int fd;

	(void)state;
	assert_int_equal(state_path("acts-sim.lock", path, sizeof(path), &e), 0);
	fd = state_append(path, &e);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(counted_add(s->bus, &lost, 1, &e), -EWOULDBLOCK);
	assert_non_null(strstr(e.text, path));
	close(fd);
	assert_int_equal(counted_add(s->bus, &lost, 1, &e), 0);
}

static void other_users_cannot_hold_a_lock(void **state)
{
	struct error e = { 0 };
	char path[PATH_MAX];
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(state_path("acts-sim", path, sizeof(path), &e), 0);
	fd = state_lock(path, 0, &e);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	close(fd);
}

static void an_act_on_a_simulated_card_is_none_of_the_card_at_its_address(void **state)
{
	static const struct counted_act lost = { BDF, TALLY_RESETS + TALLY_RESET_LOST };
	static const struct bus real = { .ops = &transport_kmd, .root = "/" };
	static struct counted counted[2];
	struct session *s = make_session();
	struct error e = { 0 };

	(void)state;
	assert_int_equal(counted_add(s->bus, &lost, 1, &e), 0);
	assert_int_equal(counted_read(&counted[0], s->bus, &e), 0);
	assert_int_equal(counted_read(&counted[1], &real, &e), 0);
	assert_int_equal(counted[0].n, 1);
	assert_int_equal(counted[1].n, 0);
}

static void a_torn_count_of_acts_is_said_and_begun_anew(void **state)
{
	static const struct counted_act lost = { BDF, TALLY_RESETS + TALLY_RESET_LOST };
	static struct counted counted;
	struct session *s = make_session();
	struct error e = { 0 };

	(void)state;
	assert_int_equal(counted_add(s->bus, &lost, 1, &e), 0);
	assert_int_equal(counted_add(s->bus, &lost, 1, &e), 0);
	assert_int_equal(counted_read(&counted, s->bus, &e), 0);
	assert_int_equal(truncate(counted.path, counted.seen.st_size - 5), 0);
	assert_int_equal(counted_add(s->bus, &lost, 1, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "torn"));
	assert_null(strstr(e.text, "not counted"));
	assert_int_equal(counted_add(s->bus, &lost, 1, &e), 0);
	assert_int_equal(counted_read(&counted, s->bus, &e), 0);
	assert_int_equal(counted.chips[0].n[TALLY_RESET_LOST], 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			energy_over_fifty_kills_is_the_integral_of_the_trace, begin, end),
		cmocka_unit_test_setup_teardown(a_torn_file_counts_up_to_its_last_whole_record,
			begin, end),
		cmocka_unit_test_setup_teardown(a_bit_that_flips_is_seen, begin, end),
		cmocka_unit_test_setup_teardown(a_full_disk_loses_nothing_that_was_there, begin,
			end),
		cmocka_unit_test_setup_teardown(one_writes_and_the_others_read_it, begin, end),
		cmocka_unit_test_setup_teardown(
			a_follower_counts_a_chip_that_the_writer_does_not_sample, begin, end),
		cmocka_unit_test_setup_teardown(
			a_follower_goes_on_from_the_counter_that_was_counted, begin, end),
		cmocka_unit_test_setup_teardown(a_follower_counts_on_with_its_first_sample, begin,
			end),
		cmocka_unit_test_setup_teardown(who_does_not_sample_all_counts_for_itself, begin,
			end),
		cmocka_unit_test_setup_teardown(other_users_cannot_hold_a_lock, begin, end),
		cmocka_unit_test_setup_teardown(a_lock_that_another_process_keeps_is_named, begin,
			end),
		cmocka_unit_test_setup_teardown(
			a_torn_count_of_acts_is_said_and_begun_anew, begin, end),
		cmocka_unit_test_setup_teardown(
			an_act_on_a_simulated_card_is_none_of_the_card_at_its_address, begin, end),
		cmocka_unit_test_setup_teardown(a_file_that_is_long_makes_way_for_the_other, begin,
			end),
		cmocka_unit_test_setup_teardown(
			what_was_between_two_boots_is_known_by_the_wall_clock, begin, end),
		cmocka_unit_test_setup_teardown(link_errors_of_another_boot_are_new_ones, begin,
			end),
		cmocka_unit_test_setup_teardown(acts_are_counted_by_any_number_of_processes, begin,
			end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("totals", tests, NULL, NULL);
}
