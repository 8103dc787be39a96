/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine's sensors from made-up trees: what is read, and that whatever
 * cannot be read has no value and keeps nobody waiting.
 */
#include "config.h"
#include "base/clock.h"
#include "base/file.h"
#include "telemetry/host/sensors.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define HWMON "sys/class/hwmon/hwmon2/"
#define RAPL  "sys/class/powercap/intel-rapl:0/"
#define CPU   "sys/devices/system/cpu/"

static char root[64];
static struct sensors s;

static ssize_t plain(const struct sensor_files *f, const char *path, char *buf, size_t size)
{
	return file_read_at(f->root, path, buf, size);
}

static struct sensor_files files = { .read = plain };

static void put(const char *path, const char *text)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *p = strchr(full + strlen(root) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void drop(const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	assert_int_equal(unlink(full), 0);
}

static int begin(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/tt-smi-sensors.XXXXXX");
	assert_non_null(mkdtemp(root));
	files.root = open(root, O_PATH | O_DIRECTORY);
	assert_true(files.root >= 0);
	return 0;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	close(files.root);
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command) != 0;
}

/* A server as it comes: two sensors of the processor, a disk, one of our cards, energy, clocks. */
static void put_server(void)
{
	put(HWMON "name", "coretemp\n");
	put(HWMON "temp1_input", "71500\n");
	put(HWMON "temp1_label", "Package id 0\n");
	put(HWMON "temp1_crit", "100000\n");
	put(HWMON "temp10_input", "70000\n");
	put(HWMON "temp10_label", "Core 8\n");
	put(HWMON "temp2_input", "69000\n");
	put("sys/class/hwmon/hwmon3/name", "nvme\n");
	put("sys/class/hwmon/hwmon3/temp1_input", "40850\n");
	put("sys/class/hwmon/hwmon3/temp1_crit", "65261850\n");
	put("sys/class/hwmon/hwmon4/name", "blackhole\n");
	put("sys/class/hwmon/hwmon4/device/vendor", "0x1e52\n");
	put("sys/class/hwmon/hwmon4/temp1_input", "55000\n");
	put("sys/class/hwmon/hwmon5/name", "power_meter\n");
	put("sys/class/hwmon/hwmon5/power1_average", "412000000\n");
	put("sys/class/thermal/thermal_zone0/type", "acpitz\n");
	put("sys/class/thermal/thermal_zone0/temp", "27800\n");
	put("sys/class/thermal/thermal_zone0/trip_point_0_type", "passive\n");
	put("sys/class/thermal/thermal_zone0/trip_point_0_temp", "90000\n");
	put("sys/class/thermal/thermal_zone0/trip_point_1_type", "critical\n");
	put("sys/class/thermal/thermal_zone0/trip_point_1_temp", "105000\n");
	put("sys/class/thermal/thermal_zone1/type", "x86_pkg_temp\n");
	put("sys/class/thermal/thermal_zone1/temp", "71000\n");
	put(RAPL "name", "package-0\n");
	put(RAPL "energy_uj", "1000000\n");
	put(RAPL "max_energy_range_uj", "262143328850\n");
	put("sys/class/powercap/intel-rapl:0:0/name", "core\n");
	put("sys/class/powercap/intel-rapl:0:0/energy_uj", "7\n");
	put(CPU "cpu0/cpufreq/scaling_cur_freq", "3000000\n");
	put(CPU "cpu1/cpufreq/scaling_cur_freq", "3500000\n");
	put(CPU "cpu0/thermal_throttle/core_throttle_count", "3\n");
	put(CPU "cpu1/thermal_throttle/core_throttle_count", "4\n");
	put(CPU "cpufreq/boost", "1\n");
}

/* One without a name where there is none. */
static const struct sensor *named(const char *name)
{
	static const struct sensor none;

	for (size_t i = 0; i < s.n; i++)
		if (strcmp(s.s[i].name, name) == 0)
			return &s.s[i];
	return &none;
}

static void server(void **state)
{
	char text[32];
	int64_t mw;

	(void)state;
	put_server();
	sensors_scan(&s, &files);
	assert_int_equal(s.n, 9);
	assert_false(s.cut);
	sensors_read(&s, &files, CLOCK_SECOND);
	assert_int_equal(named("coretemp Package id 0")->value, 71500);
	assert_int_equal(named("coretemp Package id 0")->limit, 100000);
	assert_ptr_equal(&s.s[2], named("coretemp Core 8"));	/* after temp2, by number */
	assert_false(named("coretemp temp2")->has_limit);
	assert_int_equal(named("nvme temp1")->value, 40850);
	assert_false(named("nvme temp1")->has_limit);		/* 65261 °C is no limit */
	assert_string_equal(named("blackhole temp1")->name, "");
	assert_string_equal(named("x86_pkg_temp zone")->name, "");
	assert_int_equal(named("acpitz zone")->limit, 105000);
	assert_int_equal(named("power_meter power1")->value, 412000);
	assert_int_equal(named("processor clock")->value, 3250000);
	assert_int_equal(named("processor clock")->low, 3000000);
	assert_int_equal(named("core throttle events")->value, 7);
	/* One reading of a counter is no power; nor is there a sum without it. */
	assert_int_equal(named("package-0")->state, READING_UNJUDGED);
	assert_false(sensors_power(&s, &mw));
	put(RAPL "energy_uj", "119200000\n");
	sensors_read(&s, &files, 2 * CLOCK_SECOND);
	assert_int_equal(named("package-0")->state, READING_OK);
	assert_true(sensors_power(&s, &mw));
	assert_int_equal(mw, 118200);
	assert_string_equal(sensor_text(named("package-0"), text, sizeof(text)), "118.2 W");
	assert_ptr_equal(sensors_hottest(&s), named("coretemp Package id 0"));
}

static void counters_that_wrap(void **state)
{
	(void)state;
	put(RAPL "name", "package-0\n");
	put(RAPL "energy_uj", "262143000000\n");
	put(RAPL "max_energy_range_uj", "262143328850\n");
	sensors_scan(&s, &files);
	sensors_read(&s, &files, CLOCK_SECOND);
	put(RAPL "energy_uj", "99671150\n");
	sensors_read(&s, &files, 2 * CLOCK_SECOND);
	assert_int_equal(s.s[0].state, READING_OK);
	assert_int_equal(s.s[0].value, 100000);
	/* Standing still, or read again after so long that it may have wrapped more than once. */
	sensors_read(&s, &files, 3 * CLOCK_SECOND);
	assert_int_equal(s.s[0].state, READING_IMPLAUSIBLE);
	put(RAPL "energy_uj", "399671150\n");
	sensors_read(&s, &files, 300 * CLOCK_SECOND);
	assert_int_equal(s.s[0].state, READING_UNJUDGED);
	/* It wraps, nobody says where: not known. */
	s.s[0].range = 0;
	put(RAPL "energy_uj", "5\n");
	sensors_read(&s, &files, 301 * CLOCK_SECOND);
	assert_int_equal(s.s[0].state, READING_IMPLAUSIBLE);
}

static void values_that_are_none(void **state)
{
	static const struct {
		const char *text;
		enum reading_state want;
	} cases[] = { { "", READING_IMPLAUSIBLE }, { "0\n", READING_IMPLAUSIBLE },
		{ "71500 \n", READING_IMPLAUSIBLE }, { "hot\n", READING_IMPLAUSIBLE },
		{ "-273150\n", READING_IMPLAUSIBLE }, { "4294967295\n", READING_IMPLAUSIBLE },
		{ "99999999999999999999999\n", READING_IMPLAUSIBLE }, { "71500\n", READING_OK },
		{ "-5000\n", READING_OK } };

	(void)state;
	put(HWMON "name", "k10temp\n");
	put(HWMON "temp1_input", "50000\n");
	sensors_scan(&s, &files);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[16];

		put(HWMON "temp1_input", cases[i].text);
		sensors_read(&s, &files, (int64_t)i + 1);
		assert_int_equal(s.s[0].state, cases[i].want);
		if (cases[i].want != READING_OK) {
			assert_string_equal(sensor_text(&s.s[0], text, sizeof(text)), "-");
			assert_null(sensors_hottest(&s));
		}
	}
	assert_int_equal(s.s[0].most, 71500);
	assert_int_equal(s.s[0].least, -5000);
	drop(HWMON "temp1_input");
	sensors_read(&s, &files, 100);
	assert_int_equal(s.s[0].state, READING_FAILED);
	/* A folder, and one that may not be read. */
	mkdir(root, 0755);
	put(HWMON "temp1_input/x", "");
	sensors_read(&s, &files, 101);
	assert_int_equal(s.s[0].state, READING_FAILED);
}

static void no_sensor_at_all(void **state)
{
	int64_t mw;

	(void)state;
	sensors_scan(&s, &files);
	assert_int_equal(s.n, 0);
	sensors_read(&s, &files, 1);
	assert_null(sensors_hottest(&s));
	for (size_t i = 0; i < s.n; i++)
		assert_int_not_equal(s.s[i].kind, SENSOR_CLOCK);
	assert_false(sensors_power(&s, &mw));
}

static void more_than_we_keep(void **state)
{
	char path[80];

	(void)state;
	for (int i = 1; i <= SENSORS_MOST + 5; i++) {
		snprintf(path, sizeof(path), HWMON "temp%d_input", i);
		put(path, "40000\n");
	}
	put(HWMON "name", "\033[2J,evil\n");
	sensors_scan(&s, &files);
	assert_int_equal(s.n, SENSORS_MOST);
	assert_true(s.cut);
	assert_null(strchr(s.s[0].name, '\033'));
}

/* Half a minute for a loaded machine. */
static bool until(struct sensor_watch *w, bool (*is)(const struct sensor_watch *))
{
	for (int i = 0; i < 3000; i++) {
		sensor_watch_update(w);
		if (is(w))
			return true;
		usleep(10000);
	}
	return false;
}

static bool knows(const struct sensor_watch *w)
{
	return w->known && w->now.n > 0 && w->now.s[0].state == READING_OK;
}

static ssize_t keeps_the_reader(int dir, const char *path, char *buf, size_t size)
{
	while (strstr(path, "temp2_input"))
		sleep(1000);
	return file_read_at(dir, path, buf, size);
}

static bool knows_but_one(const struct sensor_watch *w)
{
	return knows(w) && w->now.n == 2 && w->now.s[1].state == READING_FAILED;
}

static void one_that_keeps_its_reader(void **state)
{
	const struct sensor_watch_config c = { .root = root, .read = keeps_the_reader,
		.interval = 10 * CLOCK_MS, .deadline = 100 * CLOCK_MS };
	struct sensor_watch w;
	int64_t longest = 0;

	(void)state;
	put(HWMON "name", "coretemp\n");
	put(HWMON "temp1_input", "50000\n");
	put(HWMON "temp2_input", "60000\n");
	sensor_watch_open(&w, &c);
	for (int i = 0; i < 3000 && !knows_but_one(&w); i++) {
		const int64_t from = clock_steady();

		sensor_watch_update(&w);
		if (clock_steady() - from > longest)
			longest = clock_steady() - from;
		usleep(10000);
	}
	assert_true(knows_but_one(&w));
	/* The reader hangs for 1000 s; nobody ever waited for anything like that. */
	assert_true(longest < 20 * CLOCK_SECOND);
	put(HWMON "temp1_input", "99000\n");
	for (int i = 0; i < 3000 && w.now.s[0].value != 99000; i++) {
		sensor_watch_update(&w);
		usleep(10000);
	}
	assert_int_equal(w.now.s[0].value, 99000);
	assert_int_equal(w.now.s[0].least, 50000);
	sensor_watch_close(&w);
	assert_int_equal(child_reap_lost(), 0);
}

static bool is_stale(const struct sensor_watch *w)
{
	return w->now.n > 0 && w->now.s[0].state == READING_STALE;
}

static void a_process_that_is_stopped_or_killed(void **state)
{
	const struct sensor_watch_config c = { .root = root, .interval = 10 * CLOCK_MS,
		.deadline = 100 * CLOCK_MS };
	struct sensor_watch w;
	pid_t first;

	(void)state;
	put(HWMON "name", "coretemp\n");
	put(HWMON "temp1_input", "50000\n");
	sensor_watch_open(&w, &c);
	assert_true(until(&w, knows));
	kill(w.child.pid, SIGSTOP);
	assert_true(until(&w, is_stale));
	kill(w.child.pid, SIGCONT);
	assert_true(until(&w, knows));
	first = w.child.pid;
	kill(first, SIGKILL);
	assert_true(until(&w, is_stale));
	assert_true(until(&w, knows));
	assert_int_not_equal(w.child.pid, first);
	sensor_watch_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(server, begin, end),
		cmocka_unit_test_setup_teardown(counters_that_wrap, begin, end),
		cmocka_unit_test_setup_teardown(values_that_are_none, begin, end),
		cmocka_unit_test_setup_teardown(no_sensor_at_all, begin, end),
		cmocka_unit_test_setup_teardown(more_than_we_keep, begin, end),
		cmocka_unit_test_setup_teardown(one_that_keeps_its_reader, begin, end),
		cmocka_unit_test_setup_teardown(a_process_that_is_stopped_or_killed, begin, end),
	};

	clock_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
