/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sensors.c - reads the sensors.  A reading that fails, is not a number or is
 * impossible counts as unknown, never as 0 or as the last value.
 */
#include "config.h"
#include "telemetry/host/sensors.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/parse.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENERGY_GAP (60 * CLOCK_SECOND)	/* after more than this a counter may have wrapped twice */
#define CPU_FOLDER "sys/devices/system/cpu"

/* The range of plausible values; 0 is left out, since a dead sensor reads 0. */
static const struct {
	int64_t low, high;
	const char *unit;
	int64_t scale;
	int decimals;
} kinds[SENSOR_KINDS] = {
	[SENSOR_TEMP] = { -60000, 200000, "°C", 1000, 1 },
	[SENSOR_POWER] = { 1, 20000000, "W", 1000, 1 },
	[SENSOR_ENERGY] = { 1, 20000000, "W", 1000, 1 },
	[SENSOR_CLOCK] = { 1000, 20000000, "GHz", 1000000, 2 },
	[SENSOR_THROTTLE] = { 0, INT64_MAX, "", 1, 0 },
};

enum reading_state sensors_number(const struct sensor_files *f, const char *path, int64_t *value)
{
	char text[64];
	ssize_t n = f->read(f, path, text, sizeof(text));

	if (n < 0)
		return READING_FAILED;
	return n > 0 && parse_i64(text, value) ? READING_OK : READING_IMPLAUSIBLE;
}

static void sensor_set(struct sensor *s, enum reading_state state, int64_t value, int64_t now)
{
	if (state == READING_OK && (value < kinds[s->kind].low || value > kinds[s->kind].high ||
		(value == 0 && s->kind != SENSOR_THROTTLE)))
		state = READING_IMPLAUSIBLE;
	s->state = (uint8_t)state;
	if (state != READING_OK)
		return;
	s->least = s->time == 0 || value < s->least ? value : s->least;
	s->most = s->time == 0 || value > s->most ? value : s->most;
	s->value = value;
	s->time = now;
}

/* The mean power between two readings of a counter (uJ per ns); it may wrap to 0 between them. */
static void read_energy(struct sensor *s, const struct sensor_files *f, int64_t now)
{
	const int64_t gap = now - s->counted;
	int64_t count = 0, power = 0;
	enum reading_state state = sensors_number(f, s->path, &count);
	uint64_t grown;

	if (state == READING_OK && count < 0)
		state = READING_IMPLAUSIBLE;
	if (state == READING_OK) {
		grown = (uint64_t)count - s->count;
		if ((uint64_t)count < s->count)
			grown = s->range > s->count ? s->range - s->count + (uint64_t)count : 0;
		if (s->counted == 0 || gap <= 0 || gap > ENERGY_GAP)
			state = READING_UNJUDGED;
		else
			power = (int64_t)((double)grown * 1e6 / (double)gap);
		s->count = (uint64_t)count;
		s->counted = now;
	} else {
		s->counted = 0;
	}
	sensor_set(s, state, power, now);
}

/* "cpu12", but not "cpufreq". */
static bool is_cpu(const char *name)
{
	return strncmp(name, "cpu", 3) == 0 && name[3] >= '0' && name[3] <= '9' &&
		strspn(name + 3, "0123456789") == strlen(name + 3);
}

/* The average, lowest and highest of one file of each processor; of counters the sum. */
static void read_cpus(struct sensor *s, const struct sensor_files *f, int64_t now)
{
	int fd = openat(f->root, CPU_FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	enum reading_state state = READING_FAILED;
	int64_t sum = 0, n = 0, value;
	struct dirent *d;
	char path[300];

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (d = readdir(dir))) {
		if (!is_cpu(d->d_name))
			continue;
		snprintf(path, sizeof(path), CPU_FOLDER "/%.60s/%s", d->d_name, s->path);
		/* A processor that is switched off has no such file. */
		if (sensors_number(f, path, &value) != READING_OK || value < kinds[s->kind].low ||
			value > kinds[s->kind].high)
			continue;
		s->low = n == 0 || value < s->low ? value : s->low;
		s->high = n == 0 || value > s->high ? value : s->high;
		sum += value;
		n++;
		state = READING_OK;
	}
	if (dir)
		closedir(dir);
	sensor_set(s, state, n == 0 || s->kind == SENSOR_THROTTLE ? sum : sum / n, now);
}

void sensors_read(struct sensors *s, const struct sensor_files *f, int64_t now)
{
	for (size_t i = 0; i < s->n; i++) {
		struct sensor *x = &s->s[i];
		enum reading_state state;
		int64_t value = 0;

		if (x->kind == SENSOR_ENERGY) {
			read_energy(x, f, now);
		} else if (x->kind == SENSOR_CLOCK || x->kind == SENSOR_THROTTLE) {
			read_cpus(x, f, now);
		} else {
			state = sensors_number(f, x->path, &value);
			if (x->kind == SENSOR_POWER)
				value /= 1000;			/* hwmon has µW */
			sensor_set(x, state, value, now);
		}
	}
}

const struct sensor *sensors_hottest(const struct sensors *s)
{
	const struct sensor *best = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct sensor *x = &s->s[i];

		if (x->kind != SENSOR_TEMP || x->state != READING_OK)
			continue;
		if (!best || x->has_limit > best->has_limit ||
			(x->has_limit == best->has_limit && (x->has_limit ?
				x->limit - x->value < best->limit - best->value :
				x->value > best->value)))
			best = x;
	}
	return best;
}

bool sensors_power(const struct sensors *s, int64_t *mw)
{
	size_t n = 0;

	*mw = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (!s->s[i].package)
			continue;
		if (s->s[i].state != READING_OK)
			return false;
		*mw += s->s[i].value;
		n++;
	}
	return n > 0;
}

const struct sensor *sensors_find(const struct sensors *s, enum sensor_kind kind)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->s[i].kind == kind)
			return &s->s[i];
	return NULL;
}

const char *sensor_unit(const struct sensor *s)
{
	return kinds[s->kind].unit;
}

int64_t sensor_scale(const struct sensor *s)
{
	return kinds[s->kind].scale;
}

char *sensor_text(const struct sensor *s, char *buf, size_t size)
{
	char number[STRBUF_NUMBER];

	if (!s || s->state != READING_OK) {
		snprintf(buf, size, "-");
		return buf;
	}
	strbuf_rounded(number, s->value, kinds[s->kind].scale, kinds[s->kind].decimals);
	snprintf(buf, size, "%s%s%s", number, kinds[s->kind].unit[0] ? " " : "",
		kinds[s->kind].unit);
	return buf;
}
