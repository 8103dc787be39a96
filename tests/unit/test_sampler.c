/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampler above simulated boards: one bad card costs itself, no other,
 * and nothing is left running.
 */
#include "config.h"
#include "base/mem.h"
#include "base/child.h"
#include "base/clock.h"
#include "device/bus.h"
#include "telemetry/alerts.h"
#include "telemetry/sampler/sampler.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

/*
 * A card that hangs in the kernel: this file's functions stand in front of libc's,
 * in the workers too.  While `immortal` is set nothing can be killed; a
 * simulated slow access takes nap->ns instead of its 30 s, or no time at all when that is negative.
 */
static bool immortal;
static struct {
	_Atomic int64_t ns;
	_Atomic bool moves;	/* to the second processor, instead */
} *nap;

static bool stay_on(pid_t pid, unsigned processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	return sched_setaffinity(pid, sizeof(set), &set) == 0;
}

int kill(pid_t pid, int number)
{
	return immortal && number == SIGKILL ? 0 : (int)syscall(SYS_kill, pid, number);
}

/* Stands in front of libc's: an access to a slow board takes as long as `nap` says. */
int clock_nanosleep(clockid_t id, int flags, const struct timespec *t, struct timespec *left)
{
	const bool is_slow = t->tv_sec - clock_steady() / CLOCK_SECOND > 20;
	int64_t ns = nap && is_slow ? atomic_load(&nap->ns) : 0;
	const struct timespec own = { .tv_nsec = ns };

	if (ns && atomic_load(&nap->moves))
		return stay_on(0, 1) ? 0 : errno;
	if (ns)
		return ns < 0 ? 0 : nanosleep(&own, left);
	return syscall(SYS_clock_nanosleep, id, flags, t, left) < 0 ? errno : 0;
}

static struct bus *bus;
static int64_t interval;

static struct sampler *open_config(const char *spec, struct sampler_config c)
{
	struct sampler *s = NULL;
	struct error e = { 0 };

	if (bus_open(&(struct bus_config){ .root = "/", .sim = spec }, &bus, &e) < 0)
		fail_msg("%s: %s", spec, e.text);
	c.bus = bus;
	if (sampler_open(&c, &s, &e) < 0)
		fail_msg("%s: %s", spec, e.text);
	sampler_await_all(s);
	return s;
}

static struct sampler *open_sim(const char *spec, bool one_shot, int64_t deadline)
{
	return open_config(spec, (struct sampler_config){ .one_shot = one_shot, .asks = one_shot,
		.judges_beats = one_shot, .deadline = deadline, .interval = interval });
}

static void close_sim(struct sampler *s)
{
	sampler_close(s);
	bus_close(bus);
}

static void tick(struct sampler *s)
{
	struct error e = { 0 };

	assert_int_equal(sampler_tick(s, &e), 0);
}

static const struct snapshot *chip(struct sampler *s, size_t i)
{
	assert_true(i < sampler_fleet(s)->n);
	return &sampler_fleet(s)->chips[i];
}

/* All our children are gone, or go within the deadline of this test. */
static void assert_no_children(void)
{
	int64_t end = clock_steady() + 10 * CLOCK_SECOND;

	while (waitpid(-1, NULL, WNOHANG) >= 0 && clock_steady() < end)
		poll(NULL, 0, 1);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void every_board_is_read(void **state)
{
	struct sampler *s = open_sim("n150,p100a,p150a,p300", true, 0);

	(void)state;
	tick(s);
	assert_int_equal(sampler_fleet(s)->n, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(chip(s, i)->index, (int)i);
		assert_true(chip(s, i)->health == SNAPSHOT_OK || chip(s,
			i)->health == SNAPSHOT_WARN);
		assert_true(reading_is_ok(&chip(s, i)->r[FIELD_ASIC_TEMP]));
		assert_int_equal(chip(s, i)->tick, 1);
	}
	close_sim(s);
	assert_no_children();
}

static size_t count_beats(struct sampler *s, enum snapshot_beat beat)
{
	size_t n = 0;

	for (size_t i = 0; i < sampler_fleet(s)->n; i++)
		n += chip(s, i)->beat == beat;
	return n;
}

static void one_shot_modes_tell_a_stopped_firmware_from_a_living_one(void **state)
{
	static const char *const specs[] = { "4*p150a,p150a:stuck,p100a,n150,n300:stuck,n150-old",
		"p150a:stuck" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
		struct sampler *s = open_sim(specs[i], true, 0);

		tick(s);
		assert_int_equal(count_beats(s, SNAPSHOT_BEAT_UNJUDGED), sampler_fleet(s)->n);
		sampler_judge_beats(s);
		for (size_t c = 0; c < sampler_fleet(s)->n; c++) {
			const struct snapshot *one = chip(s, c);
			/* The second chip of the n300 is well, and has a firmware of its own. */
			bool stuck = i == 1 || c == 4 || c == 7;

			assert_int_equal(one->beat, stuck ? SNAPSHOT_BEAT_STOPPED
				: SNAPSHOT_BEAT_ALIVE);
			assert_int_equal(one->health, stuck ? SNAPSHOT_WARN : SNAPSHOT_OK);
			assert_int_equal(snapshot_trouble(one) != NULL, stuck);
			if (stuck)
				assert_memory_equal(snapshot_trouble(one), "firmware silent for",
					19);
		}
		close_sim(s);
	}
	assert_no_children();
}

/* It may be judged before it hangs; the others are judged in any case. */
static void a_card_that_hangs_at_the_second_look_keeps_no_other_from_its_verdict(void **state)
{
	struct sampler *s = open_sim("p150a,p150a:slow@0.01,p150a,p150a:stuck", true,
		5 * CLOCK_SECOND);
	int64_t began;

	(void)state;
	tick(s);
	began = clock_steady();
	while (clock_steady() - began < 20 * CLOCK_MS)
		poll(NULL, 0, 5);
	sampler_judge_beats(s);
	assert_int_equal(chip(s, 0)->beat, SNAPSHOT_BEAT_ALIVE);
	assert_int_not_equal(chip(s, 1)->beat, SNAPSHOT_BEAT_STOPPED);
	assert_int_equal(chip(s, 2)->beat, SNAPSHOT_BEAT_ALIVE);
	assert_int_not_equal(chip(s, 3)->beat, SNAPSHOT_BEAT_ALIVE);
	close_sim(s);
	assert_no_children();
}

static void remote_chips_stand_behind_all_functions(void **state)
{
	struct sampler *s = open_sim("n300,p150a,n300", true, 0);

	(void)state;
	tick(s);
	assert_int_equal(sampler_fleet(s)->n, 5);
	assert_string_equal(chip(s, 0)->series, "n300 L");
	assert_string_equal(chip(s, 1)->series, "p150a");
	assert_string_equal(chip(s, 2)->series, "n300 L");
	assert_string_equal(chip(s, 3)->series, "n300 R");
	assert_int_equal(chip(s, 3)->local, 0);
	assert_int_equal(chip(s, 4)->local, 2);
	close_sim(s);
	assert_no_children();
}

static void live_samples_leave_a_remote_chip_alone_and_say_why(void **state)
{
	struct sampler *s = open_sim("n300", false, 0);

	(void)state;
	tick(s);
	assert_int_equal(sampler_fleet(s)->n, 2);
	assert_int_equal(chip(s, 1)->health, SNAPSHOT_NOT_READ);
	assert_non_null(strstr(chip(s, 1)->reason, "--remote"));
	close_sim(s);
	s = open_sim("n300:held", true, 0);
	tick(s);
	assert_int_equal(chip(s, 1)->health, SNAPSHOT_NOT_READ);
	assert_non_null(strstr(chip(s, 1)->reason, "holds the board"));
	assert_true(sampler_fleet(s)->n_processes >= 1);
	close_sim(s);
	assert_no_children();
}

/* Until the list of processes has as many (or any, most < 0), by ticks as they come. */
static void await_processes(struct sampler *s, int most)
{
	const int64_t until = clock_steady() + 60 * CLOCK_SECOND;

	while (*sampler_fleet(s)->processes_unknown ||
		(most >= 0 && sampler_fleet(s)->n_processes > (size_t)most)) {
		assert_true(clock_steady() < until);
		poll(NULL, 0, 5);
		tick(s);
	}
}

/* Where ticks come often the list is taken at the next one; nothing is woken for it alone. */
static void a_list_of_processes_wakes_nobody_before_the_next_tick(void **state)
{
	const bool none[1] = { false };
	struct pollfd news = { .events = POLLIN };
	struct sampler *s;

	(void)state;
	interval = CLOCK_SECOND / 2;
	s = open_sim("p150a:held", false, 0);
	tick(s);
	await_processes(s, -1);
	assert_int_equal(sampler_fleet(s)->n_processes, 1);
	/* The next list is of no card. */
	sampler_select(s, none, 1, "");
	sampler_refresh(s);
	tick(s);
	news.fd = sampler_fd(s);
	assert_int_equal(poll(&news, 1, 300), 0);
	assert_int_equal(sampler_fleet(s)->n_processes, 1);
	await_processes(s, 0);
	assert_int_equal(sampler_fleet(s)->workers_lost, 0);
	close_sim(s);
	assert_no_children();
	interval = 0;
}

static void a_stuck_card_is_left_behind_and_the_others_go_on(void **state)
{
	struct sampler *s = open_sim("p150a,p150a:slow,p150a,n150", false, 200 * CLOCK_MS);

	(void)state;
	tick(s);
	assert_int_equal(chip(s, 1)->health, SNAPSHOT_FAILED);
	assert_non_null(strstr(chip(s, 1)->reason, "no answer within 0.2 s"));
	assert_int_equal(sampler_fleet(s)->workers_lost, 1);
	for (size_t i = 0; i < 4; i++)
		if (i != 1)
			assert_true(chip(s, i)->health == SNAPSHOT_OK);
	/* It is left alone now: the next tick loses no worker. */
	tick(s);
	assert_int_equal(sampler_fleet(s)->workers_lost, 1);
	assert_int_equal(chip(s, 1)->health, SNAPSHOT_FAILED);
	assert_int_equal(chip(s, 3)->tick, 2);
	close_sim(s);
	assert_no_children();
}

static void each_of_many_stuck_cards_costs_one_worker(void **state)
{
	struct sampler *s = open_sim("p150a:slow,n150:slow,p150a,p100a:slow", true, 100 * CLOCK_MS);

	(void)state;
	tick(s);
	assert_int_equal(sampler_fleet(s)->workers_lost, 3);
	assert_true(chip(s, 2)->health == SNAPSHOT_OK);
	assert_true(chip(s, 3)->health == SNAPSHOT_FAILED);
	close_sim(s);
	assert_no_children();
}

/* The processes that we have, as the kernel lists them. */
static void list_workers(char text[static 256])
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, 256, f));
	fclose(f);
}

static void signal_workers(int number)
{
	char text[256] = "";

	list_workers(text);
	for (char *p = text; *p && *p != '\n';) {
		long pid = strtol(p, &p, 10);

		if (pid > 0)
			kill((pid_t)pid, number);
		p += strspn(p, " ");
	}
}

/* Four ticks; then no worker lists processes: one that stands in that is no loss to a tick. */
static void settle(struct sampler *s)
{
	for (int i = 0; i < 4; i++) {
		tick(s);
		poll(NULL, 0, 50);
	}
}

static void a_killed_worker_is_replaced(void **state)
{
	struct sampler *s = open_sim("2*p150a", false, 0);

	(void)state;
	settle(s);
	signal_workers(SIGKILL);
	tick(s);
	assert_true(chip(s, 0)->health == SNAPSHOT_OK && chip(s, 1)->health == SNAPSHOT_OK);
	assert_int_equal(chip(s, 1)->tick, 5);
	close_sim(s);
	assert_no_children();
}

/* As a reset does, whose session is that of one sample. */
static void ticks_that_follow_one_another_begin_no_process(void **state)
{
	struct sampler *s = open_config("4*p150a", (struct sampler_config){ .one_shot = true });
	char first[256] = "", last[256] = "";

	(void)state;
	sampler_set_brisk(s);
	settle(s);
	list_workers(first);
	settle(s);
	list_workers(last);
	assert_string_equal(first, last);
	close_sim(s);
	assert_no_children();
}

/* By a debugger, or a cgroup that is frozen: a tenth of the deadline, not all of it. */
static void a_stopped_worker_is_passed_by(void **state)
{
	struct sampler *s = open_sim("2*p150a", false, 10 * CLOCK_SECOND);
	int64_t began;

	(void)state;
	settle(s);
	signal_workers(SIGSTOP);
	/* Many: the last one may still be on its way when a tick begins. */
	for (uint64_t n = 5; n <= 60; n++) {
		began = clock_steady();
		tick(s);
		assert_true(clock_steady() - began < 6 * CLOCK_SECOND);
		for (size_t i = 0; i < 2; i++) {
			assert_int_equal(chip(s, i)->health, SNAPSHOT_OK);
			assert_int_equal(chip(s, i)->tick, n);
		}
	}
	assert_int_equal(sampler_fleet(s)->workers_lost, 0);
	/* One that goes on finds nothing left to do, and is as good as any other. */
	signal_workers(SIGCONT);
	tick(s);
	assert_int_equal(chip(s, 1)->tick, 61);
	assert_int_equal(sampler_fleet(s)->workers_lost, 0);
	close_sim(s);
	assert_no_children();
}

static void values_of_a_failed_card_are_stale_not_gone(void **state)
{
	struct sampler *s;

	(void)state;
	setenv("TT_SMI_VIRTUAL_TIME", "1795252364", 1);
	clock_init();
	s = open_sim("p150a:eio@5,p150a", false, 0);
	tick(s);
	assert_true(chip(s, 0)->health == SNAPSHOT_OK);
	clock_sleep_until(clock_mono() + 6 * CLOCK_SECOND);
	tick(s);
	assert_int_equal(chip(s, 0)->health, SNAPSHOT_FAILED);
	assert_int_equal(chip(s, 0)->r[FIELD_ASIC_TEMP].state, READING_STALE);
	assert_true(chip(s, 0)->r[FIELD_ASIC_TEMP].time < sampler_fleet(s)->time);
	assert_true(chip(s, 1)->health == SNAPSHOT_OK);
	close_sim(s);
	assert_no_children();
}

static void a_card_that_vanishes_keeps_its_place_and_returns(void **state)
{
	struct sampler *s = open_sim("p150a,n150:gone@5-20", false, 0);
	struct error e;

	(void)state;
	tick(s);
	assert_true(chip(s, 1)->health == SNAPSHOT_OK);
	clock_sleep_until(clock_mono() + 6 * CLOCK_SECOND);
	assert_int_equal(sampler_rescan(s, &e), 1);
	tick(s);
	assert_int_equal(sampler_fleet(s)->n, 2);
	assert_int_equal(chip(s, 1)->health, SNAPSHOT_GONE);
	clock_sleep_until(clock_mono() + 20 * CLOCK_SECOND);
	assert_int_equal(sampler_rescan(s, &e), 1);
	tick(s);
	assert_true(chip(s, 1)->health == SNAPSHOT_OK);
	close_sim(s);
	assert_no_children();
}

static void unwanted_cards_are_not_sampled(void **state)
{
	static const bool wanted[] = { false, true };
	struct sampler *s = open_sim("p150a:slow,p150a", true, 5 * CLOCK_SECOND);

	(void)state;
	sampler_select(s, wanted, 2, "");
	tick(s);
	assert_int_equal(sampler_fleet(s)->workers_lost, 0);
	assert_int_equal(chip(s, 0)->health, SNAPSHOT_PENDING);
	assert_true(chip(s, 1)->health == SNAPSHOT_OK);
	close_sim(s);
	assert_no_children();
}

/* The first tick finds the second chips. */
static void chips_that_come_later_are_of_visible_boards(void **state)
{
	static const bool none[3] = { false };
	struct sampler *s = open_config("p150a,n300,n300",
		(struct sampler_config){ .one_shot = true, .asks = true, .visible = "0,2" });

	(void)state;
	tick(s);
	assert_int_equal(sampler_fleet(s)->n, 5);
	assert_false(sampler_fleet(s)->wanted[3]);
	assert_true(sampler_fleet(s)->wanted[4]);
	close_sim(s);
	/* What was not wanted before is not, either. */
	s = open_config("n300", (struct sampler_config){ .one_shot = true, .visible = "0" });
	sampler_select(s, none, 3, "");
	tick(s);
	assert_false(sampler_fleet(s)->wanted[0]);
	assert_false(sampler_fleet(s)->wanted[1]);
	close_sim(s);
	assert_no_children();
}

/* The pids of our children that live, or are zombies. */
static size_t list_children(pid_t *pids, size_t max)
{
	char path[64], text[4096] = "";
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "r");
	assert_non_null(f);
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	for (char *p = text; *p && n < max;) {
		pids[n++] = (pid_t)strtol(p, &p, 10);
		p += strspn(p, " \n");
	}
	return n;
}

static size_t n_children(void)
{
	pid_t pids[512];

	return list_children(pids, 512);
}

/* Rows of the healthy cards, the first tick included; how late they are is the bench's. */
static void healthy_cards_have_every_row_beside_hung_ones(void **state)
{
	static const size_t hung[] = { 1, 8, 32 };

	(void)state;
	interval = CLOCK_SECOND / 10;
	for (size_t k = 0; k < 3; k++) {
		size_t n = hung[k], most = 0;
		struct sampler *s;
		char spec[64];

		snprintf(spec, sizeof(spec), "p150a,%zu*p150a:slow,p150a", n);
		s = open_sim(spec, false, 300 * CLOCK_MS);
		for (uint64_t t = 1; t <= 30; t++) {
			size_t now;

			tick(s);
			assert_int_equal(chip(s, 0)->tick, t);
			assert_int_equal(chip(s, n + 1)->tick, t);
			assert_true(reading_is_ok(&chip(s, 0)->r[FIELD_ASIC_TEMP]));
			assert_true(reading_is_ok(&chip(s, n + 1)->r[FIELD_ASIC_TEMP]));
			now = n_children();
			most = now > most ? now : most;
			poll(NULL, 0, 20);
		}
		for (size_t i = 1; i <= n; i++)
			assert_int_equal(chip(s, i)->health, SNAPSHOT_FAILED);
		/* One for each hung card, one at work, the list's, and two at rest. */
		assert_in_range(most, 1, n + 4);
		close_sim(s);
		assert_no_children();
	}
	interval = 0;
}

static void cards_that_hang_and_return_cost_the_others_no_row(void **state)
{
	struct sampler *s;

	(void)state;
	interval = CLOCK_SECOND / 10;
	s = open_sim("p150a:slow@0.2-0.6,p150a:slow@0.4-0.9,p150a,p150a:gone@0.3-1", false,
		200 * CLOCK_MS);
	for (uint64_t t = 1; t <= 40; t++) {
		tick(s);
		assert_int_equal(chip(s, 2)->tick, t);
		assert_true(reading_is_ok(&chip(s, 2)->r[FIELD_ASIC_TEMP]));
		if (t % 10 == 0)
			sampler_rescan(s, NULL);
		poll(NULL, 0, 50);
	}
	for (size_t i = 0; i < 4; i++)
		assert_true(snapshot_is_live(chip(s, i)));
	close_sim(s);
	assert_no_children();
	interval = 0;
}

static void a_slow_card_that_answers_is_shown_with_the_age_of_its_values(void **state)
{
	struct sampler *s;
	size_t old = 0, renewed = 0, in_time = 0;
	uint64_t last;

	(void)state;
	interval = CLOCK_SECOND / 10;
	nap = mem_share(sizeof(*nap));
	atomic_store(&nap->ns, CLOCK_MS);
	s = open_sim("p150a:slow,p150a", false, 60 * CLOCK_SECOND);
	tick(s);
	last = chip(s, 0)->tick;
	for (int i = 0; i < 1000 && (old < 5 || renewed < 3); i++) {
		tick(s);
		assert_int_equal(chip(s, 1)->age, 0);
		assert_true(snapshot_is_live(chip(s, 0)));
		if (chip(s, 0)->tick != sampler_fleet(s)->tick) {
			assert_true(chip(s, 0)->age > 0);
			assert_int_equal(chip(s, 0)->r[FIELD_ASIC_TEMP].state, READING_STALE);
			old++;
		}
		renewed += chip(s, 0)->tick != last;
		last = chip(s, 0)->tick;
		poll(NULL, 0, 20);
	}
	assert_true(old >= 5 && renewed >= 3);
	/* Quick again: it is one of the others, sampled in every tick. */
	atomic_store(&nap->ns, -1);
	for (int i = 0; i < 1000 && in_time < 10; i++) {
		tick(s);
		in_time = chip(s, 0)->age ? 0 : in_time + 1;
		poll(NULL, 0, 10);
	}
	assert_int_equal(in_time, 10);
	assert_int_equal(sampler_fleet(s)->workers_lost, 0);
	close_sim(s);
	assert_no_children();
	mem_unshare(nap, sizeof(*nap));
	nap = NULL;
	interval = 0;
}

/* As on a host where each access takes long: no card is quick, and none is hung. */
static void where_every_card_is_slow_each_is_read_in_every_tick(void **state)
{
	const struct sampler_config configs[] = {
		{ .interval = 8 * CLOCK_SECOND, .deadline = 60 * CLOCK_SECOND },
		{ .one_shot = true, .interval = CLOCK_SECOND / 2, .deadline = 4 * CLOCK_SECOND },
	};

	(void)state;
	nap = mem_share(sizeof(*nap));
	for (size_t i = 0; i < ARRAY_LEN(configs); i++) {
		struct sampler *s = open_config("2*p150a:slow", configs[i]);
		size_t in_time = 0;

		atomic_store(&nap->ns, (configs[i].one_shot ? 40 : 3) * CLOCK_MS);
		if (configs[i].one_shot)	/* as a reset does */
			sampler_set_brisk(s);
		tick(s);
		for (int k = 0; k < 100 && in_time < 3; k++) {
			tick(s);
			in_time = chip(s, 0)->age || chip(s, 1)->age ? 0 : in_time + 1;
			poll(NULL, 0, 50);
		}
		assert_int_equal(in_time, 3);
		assert_int_equal(sampler_fleet(s)->workers_lost, 0);
		close_sim(s);
		assert_no_children();
	}
	mem_unshare(nap, sizeof(*nap));
	nap = NULL;
}

static void a_worker_that_dies_between_ticks_leaves_no_news_behind(void **state)
{
	struct sampler *s = open_sim("2*p150a", false, 0);
	struct pollfd p = { .events = POLLIN };
	pid_t pids[64];
	size_t n;

	(void)state;
	tick(s);
	n = list_children(pids, 64);
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	p.fd = sampler_fd(s);
	assert_int_equal(poll(&p, 1, 30000), 1);
	for (size_t i = 0; i < 100 && poll(&p, 1, 100) == 1; i++)
		sampler_collect(s);
	assert_int_equal(poll(&p, 1, 0), 0);
	tick(s);
	assert_int_equal(chip(s, 1)->tick, 2);
	close_sim(s);
	assert_no_children();
}

/* How often we wake up for a tick; each time costs a system call or two. */
static void a_tick_is_waited_for_and_not_polled(void **state)
{
	static const char *const specs[] = { "2*p150a", "p150a:held,n300", "p150a:slow,p150a",
		"8*p150a:slow" };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(specs) / sizeof(specs[0]); i++) {
		struct sampler *s = open_sim(specs[i / 2], i % 2 == 0, 300 * CLOCK_MS);
		unsigned wakes = 0;

		assert_int_equal(sampler_begin(s), 0);
		while (sampler_collect(s) == 0) {
			struct pollfd p = { .fd = sampler_fd(s), .events = POLLIN };

			assert_true(poll(&p, 1, sampler_wait_ms(s)) >= 0);
			wakes++;
		}
		assert_in_range(wakes, 0, 100);
		close_sim(s);
	}
	assert_no_children();
}

/* Takes the second processor from all others, says so, and keeps it for 0.4 s. */
static int keep_a_processor(void *arg, int fd)
{
	const struct sched_param first = { .sched_priority = 1 };
	const bool is_taken = stay_on(0, 1) && sched_setscheduler(0, SCHED_FIFO, &first) == 0;
	int64_t end;

	(void)arg;
	if (send(fd, &is_taken, sizeof(is_taken), MSG_NOSIGNAL) < 0)
		return 1;
	for (end = clock_steady() + 400 * CLOCK_MS; is_taken && clock_steady() < end;)
		;
	return 0;
}

/* In the middle of a sample a worker waits for a processor: that is no card's fault. */
static void a_host_that_is_busy_is_not_taken_for_cards_that_hang(void **state)
{
	struct child thief;
	struct sampler *s;
	bool is_taken;

	(void)state;
	interval = CLOCK_SECOND / 10;
	nap = mem_share(sizeof(*nap));
	atomic_store(&nap->ns, -1);
	s = open_sim("p150a,p150a:slow,p150a", false, 10 * CLOCK_SECOND);
	tick(s);
	assert_int_equal(child_start(&thief, &(struct child_config){ .run = keep_a_processor },
		NULL), 0);
	assert_int_equal(recv(thief.fd, &is_taken, sizeof(is_taken), 0), sizeof(is_taken));
	atomic_store(&nap->moves, is_taken);
	tick(s);
	child_end(&thief, 60 * CLOCK_SECOND);
	for (size_t i = 0; i < 3; i++) {
		assert_true(snapshot_is_live(chip(s, i)));
		assert_int_equal(chip(s, i)->tick, 2);
	}
	assert_int_equal(sampler_fleet(s)->workers_lost, 0);
	close_sim(s);
	assert_no_children();
	mem_unshare(nap, sizeof(*nap));
	nap = NULL;
	interval = 0;
	if (!is_taken) {
		print_message("SKIP: no second processor can be taken from others here\n");
		skip();
	}
}

/* An hour of virtual time, tick by tick, with a card in D state. */
static void a_process_that_cannot_be_killed_stays_the_only_one_on_its_card(void **state)
{
	struct sampler *s;
	size_t n = 0;

	(void)state;
	assert_true(clock_is_virtual());
	interval = CLOCK_SECOND / 10;
	s = open_sim("p150a:slow,p150a", false, 100 * CLOCK_MS);
	immortal = true;
	for (int i = 0; i < 120; i++) {
		tick(s);
		assert_int_equal(chip(s, 1)->tick, i + 1);
		clock_sleep_until(clock_mono() + 30 * CLOCK_SECOND);
		poll(NULL, 0, 5);
		n = n_children();
		assert_in_range(n, 1, 5);
	}
	assert_int_equal(chip(s, 0)->health, SNAPSHOT_FAILED);
	assert_non_null(strstr(chip(s, 0)->reason, "hangs in the kernel"));
	/* Each look that finds the process still there is a sample that failed. */
	assert_int_equal(chip(s, 0)->tick, sampler_fleet(s)->tick);
	assert_int_equal(sampler_fleet(s)->workers_lost, 1);
	immortal = false;
	close_sim(s);
	assert_no_children();
	interval = 0;
}

static int sample_without_processes(void *arg, int fd)
{
	const struct rlimit none = { 1, 1 };
	const struct alerts_rule lost = { .name = "gone", .kind = ALERTS_LOST };
	struct alerts *alerts = alerts_new(&lost, 1);
	char text[192] = "";
	struct sampler *s;
	size_t n_news = 0;

	(void)arg;
	if (geteuid() == 0 && setuid(65534) < 0)
		return 1;
	setrlimit(RLIMIT_NPROC, &none);
	s = open_config("2*p150a", (struct sampler_config){ .one_shot = true, .alerts = alerts });
	for (int i = 0; i < 4; i++) {
		sampler_tick(s, NULL);
		clock_sleep_until(clock_mono() + 30 * CLOCK_SECOND);
	}
	alerts_news(alerts, &n_news);
	if (snapshot_is_live(chip(s, 1)))
		mem_copy_text(text, sizeof(text), "processes are not counted here");
	else if (n_news > 0)
		mem_copy_text(text, sizeof(text), "an alert was raised");
	else if (snapshot_is_blind(chip(s, 1)))
		mem_copy_text(text, sizeof(text), chip(s, 1)->reason);
	if (send(fd, text, sizeof(text), MSG_NOSIGNAL) < 0)
		return 1;
	close_sim(s);
	alerts_free(alerts);
	return 0;
}

/* Nor is that raised as an alert of the card. */
static void without_a_process_left_the_chips_say_so(void **state)
{
	struct child c;
	char text[192] = "";

	(void)state;
	assert_int_equal(child_start(&c, &(struct child_config){ .run = sample_without_processes },
		NULL), 0);
	assert_int_equal(clock_wait(&(struct pollfd){ .fd = c.fd, .events = POLLIN }, 1,
		INT64_MAX), 1);
	assert_int_equal(recv(c.fd, text, sizeof(text), 0), sizeof(text));
	child_end(&c, 10 * CLOCK_SECOND);
	assert_int_equal(c.status, 0);
	if (strstr(text, "not counted"))
		skip();
	assert_non_null(strstr(text, "cannot start a process"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_board_is_read),
		cmocka_unit_test(one_shot_modes_tell_a_stopped_firmware_from_a_living_one),
		cmocka_unit_test(
			a_card_that_hangs_at_the_second_look_keeps_no_other_from_its_verdict),
		cmocka_unit_test(remote_chips_stand_behind_all_functions),
		cmocka_unit_test(live_samples_leave_a_remote_chip_alone_and_say_why),
		cmocka_unit_test(a_list_of_processes_wakes_nobody_before_the_next_tick),
		cmocka_unit_test(a_stuck_card_is_left_behind_and_the_others_go_on),
		cmocka_unit_test(each_of_many_stuck_cards_costs_one_worker),
		cmocka_unit_test(a_killed_worker_is_replaced),
		cmocka_unit_test(ticks_that_follow_one_another_begin_no_process),
		cmocka_unit_test(a_stopped_worker_is_passed_by),
		cmocka_unit_test(healthy_cards_have_every_row_beside_hung_ones),
		cmocka_unit_test(cards_that_hang_and_return_cost_the_others_no_row),
		cmocka_unit_test(a_slow_card_that_answers_is_shown_with_the_age_of_its_values),
		cmocka_unit_test(where_every_card_is_slow_each_is_read_in_every_tick),
		cmocka_unit_test(a_worker_that_dies_between_ticks_leaves_no_news_behind),
		cmocka_unit_test(a_tick_is_waited_for_and_not_polled),
		cmocka_unit_test(a_host_that_is_busy_is_not_taken_for_cards_that_hang),
		/* From here on time is virtual. */
		cmocka_unit_test(values_of_a_failed_card_are_stale_not_gone),
		cmocka_unit_test(a_card_that_vanishes_keeps_its_place_and_returns),
		cmocka_unit_test(unwanted_cards_are_not_sampled),
		cmocka_unit_test(chips_that_come_later_are_of_visible_boards),
		cmocka_unit_test(a_process_that_cannot_be_killed_stays_the_only_one_on_its_card),
		cmocka_unit_test(without_a_process_left_the_chips_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
