/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sensors.c - finds and reads the sensors.  A reading that fails, is not a number or is
 * impossible counts as unknown, never as 0 or as the last value.
 */
#include "config.h"
#include "telemetry/host/sensors.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
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

/* A number from a file of sysfs, or a state other than READING_OK. */
static enum reading_state sensors_number(const struct sensor_files *f, const char *path,
	int64_t *value)
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
	int fd = path_open_below(f->root, CPU_FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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

/*
 * Which sensors a machine has: hwmon, thermal zones that hwmon does not have, energy counters
 * (powercap), clocks and throttle counters of the processors.
 */

#define NAMES_MOST 512
#define OUR_VENDOR 0x1e52

/* Plausible limits; others are placeholders (0, 127, 65261 °C ...). */
#define LIMIT_LEAST 40000
#define LIMIT_MOST  126000

struct scan {
	struct sensors *s;
	const struct sensor_files *f;
};

/* Names of a folder in order of their numbers: temp2 comes before temp10. */
struct names {
	size_t n;
	char name[NAMES_MOST][64];
};

static int by_number(const void *a, const void *b)
{
	return strverscmp(a, b);
}

/* The names that begin with `start` and end with `end`. */
static void list(int root, const char *path, const char *start, const char *end, struct names *out)
{
	int fd = path_open_below(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	out->n = 0;
	if (!dir && fd >= 0)
		close(fd);
	while (dir && out->n < NAMES_MOST && (d = readdir(dir))) {
		size_t len = strlen(d->d_name), least = strlen(start) + strlen(end);

		if (len > least && len < sizeof(out->name[0]) &&
			strncmp(d->d_name, start, strlen(start)) == 0 &&
			strcmp(d->d_name + len - strlen(end), end) == 0)
			mem_copy_text(out->name[out->n++], sizeof(out->name[0]), d->d_name);
	}
	if (dir)
		closedir(dir);
	qsort(out->name, out->n, sizeof(out->name[0]), by_number);
}

/* The first line of a file; false where there is none. */
static bool line(const struct scan *c, const char *path, char *out, size_t size)
{
	char text[128];

	if (c->f->read(c->f, path, text, sizeof(text)) <= 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	/* The text goes to terminals and files, so it must not contain control characters. */
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f || *p == ',')
			*p = '?';
	mem_copy_text(out, size, text);
	return out[0] != '\0';
}

static struct sensor *scan_add_sensor(const struct scan *c, enum sensor_kind kind, const char *path)
{
	struct sensor *x;

	if (c->s->n == SENSORS_MOST || strlen(path) >= sizeof(x->path)) {
		c->s->cut = true;
		return NULL;
	}
	x = &c->s->s[c->s->n++];
	*x = (struct sensor){ .kind = (uint8_t)kind, .state = READING_UNJUDGED };
	mem_copy_text(x->path, sizeof(x->path), path);
	return x;
}

static void take_limit(const struct scan *c, struct sensor *x, const char *path)
{
	int64_t limit;

	if (x->has_limit || sensors_number(c->f, path, &limit) != READING_OK ||
		limit < LIMIT_LEAST || limit > LIMIT_MOST)
		return;
	x->limit = limit;
	x->has_limit = true;
}

/* Add the sensor "temp1_input" of one hwmon folder, with its label and limits. */
static void add_hwmon(const struct scan *c, const char *dir, const char *chip, const char *file,
	enum sensor_kind kind)
{
	const int stem = (int)strcspn(file, "_");
	char path[300], label[40];
	struct sensor *x;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	x = scan_add_sensor(c, kind, path);
	if (!x)
		return;
	snprintf(path, sizeof(path), "%s/%.*s_label", dir, stem, file);
	if (!line(c, path, label, sizeof(label)))
		snprintf(label, sizeof(label), "%.*s", stem < 30 ? stem : 30, file);
	snprintf(x->name, sizeof(x->name), "%.20s %.26s", chip, label);
	if (kind != SENSOR_TEMP)
		return;
	snprintf(path, sizeof(path), "%s/%.*s_crit", dir, stem, file);
	take_limit(c, x, path);
	snprintf(path, sizeof(path), "%s/%.*s_emergency", dir, stem, file);
	take_limit(c, x, path);
}

/* Sensors of our cards are the cards' telemetry, not the machine's. */
static bool is_ours(const struct scan *c, const char *dir)
{
	char path[200], text[32];
	uint64_t vendor;

	snprintf(path, sizeof(path), "%s/device/vendor", dir);
	return line(c, path, text, sizeof(text)) && parse_hex(text, &vendor) &&
		vendor == OUR_VENDOR;
}

static void scan_hwmon(const struct scan *c, struct names *dirs, struct names *files)
{
	static const struct {
		const char *start, *end;
		enum sensor_kind kind;
	} wanted[] = { { "temp", "_input", SENSOR_TEMP }, { "power", "_input", SENSOR_POWER },
		{ "power", "_average", SENSOR_POWER } };
	char dir[128], path[200], chip[40];

	list(c->f->root, "sys/class/hwmon", "hwmon", "", dirs);
	for (size_t i = 0; i < dirs->n; i++) {
		snprintf(dir, sizeof(dir), "sys/class/hwmon/%s", dirs->name[i]);
		snprintf(path, sizeof(path), "%s/name", dir);
		if (!line(c, path, chip, sizeof(chip)))
			mem_copy_text(chip, sizeof(chip), dirs->name[i]);
		if (is_ours(c, dir))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(wanted); k++) {
			list(c->f->root, dir, wanted[k].start, wanted[k].end, files);
			for (size_t n = 0; n < files->n; n++)
				add_hwmon(c, dir, chip, files->name[n], wanted[k].kind);
		}
	}
}

/* Whether hwmon already has a sensor for a thermal zone of this type. */
static bool is_doubled(const struct scan *c, const char *type)
{
	size_t len = strlen(type);

	for (size_t i = 0; i < c->s->n; i++) {
		const char *name = c->s->s[i].name;

		if ((strncmp(name, type, len) == 0 && name[len] == ' ') ||
			(strcmp(type, "x86_pkg_temp") == 0 && strncmp(name, "coretemp ", 9) == 0))
			return true;
	}
	return false;
}

static void scan_zones(const struct scan *c, struct names *dirs, struct names *files)
{
	char path[200], type[40], trip[24];
	struct sensor *x;

	list(c->f->root, "sys/class/thermal", "thermal_zone", "", dirs);
	for (size_t i = 0; i < dirs->n; i++) {
		snprintf(path, sizeof(path), "sys/class/thermal/%s/type", dirs->name[i]);
		if (!line(c, path, type, sizeof(type)))
			mem_copy_text(type, sizeof(type), dirs->name[i]);
		if (is_doubled(c, type))
			continue;
		snprintf(path, sizeof(path), "sys/class/thermal/%s/temp", dirs->name[i]);
		x = scan_add_sensor(c, SENSOR_TEMP, path);
		if (!x)
			return;
		snprintf(x->name, sizeof(x->name), "%.30s zone", type);
		snprintf(path, sizeof(path), "sys/class/thermal/%s", dirs->name[i]);
		list(c->f->root, path, "trip_point_", "_type", files);
		for (size_t n = 0; n < files->n; n++) {
			int stem = (int)strlen(files->name[n]) - 5;

			snprintf(path, sizeof(path), "sys/class/thermal/%s/%s", dirs->name[i],
				files->name[n]);
			if (!line(c, path, trip, sizeof(trip)) || strcmp(trip, "critical") != 0)
				continue;
			snprintf(path, sizeof(path), "sys/class/thermal/%s/%.*s_temp",
				dirs->name[i], stem, files->name[n]);
			take_limit(c, x, path);
		}
	}
}

/* Packages, memory ("dram") and "psys"; a package's other parts are in its own count. */
static void scan_energy(const struct scan *c, struct names *dirs)
{
	char path[200], name[40];
	struct sensor *x;
	int64_t range;

	list(c->f->root, "sys/class/powercap", "intel-rapl:", "", dirs);
	for (size_t i = 0; i < dirs->n; i++) {
		bool package;

		snprintf(path, sizeof(path), "sys/class/powercap/%s/name", dirs->name[i]);
		if (!line(c, path, name, sizeof(name)))
			continue;
		package = strncmp(name, "package", 7) == 0;
		if (!package && strcmp(name, "dram") != 0 && strcmp(name, "psys") != 0)
			continue;
		snprintf(path, sizeof(path), "sys/class/powercap/%s/energy_uj", dirs->name[i]);
		x = scan_add_sensor(c, SENSOR_ENERGY, path);
		if (!x)
			return;
		x->package = package;
		snprintf(x->name, sizeof(x->name), "%.30s", name);
		snprintf(path, sizeof(path), "sys/class/powercap/%s/max_energy_range_uj",
			dirs->name[i]);
		if (sensors_number(c->f, path, &range) == READING_OK && range > 0)
			x->range = (uint64_t)range;
	}
}

/* These files are below each processor's folder; one that can be read makes it a sensor. */
static void scan_cpus(const struct scan *c, struct names *cpus)
{
	static const struct {
		const char *path, *name;
		enum sensor_kind kind;
	} wanted[] = {
		{ "cpufreq/scaling_cur_freq", "processor clock", SENSOR_CLOCK },
		{ "thermal_throttle/core_throttle_count", "core throttle events", SENSOR_THROTTLE },
		{ "thermal_throttle/package_throttle_count", "package throttle events",
			SENSOR_THROTTLE },
	};
	char path[200];
	struct sensor *x;
	int64_t value;

	list(c->f->root, "sys/devices/system/cpu", "cpu", "", cpus);
	for (size_t k = 0; k < ARRAY_LEN(wanted); k++)
		for (size_t i = 0; i < cpus->n; i++) {
			snprintf(path, sizeof(path), "sys/devices/system/cpu/%s/%s", cpus->name[i],
				wanted[k].path);
			if (sensors_number(c->f, path, &value) != READING_OK)
				continue;
			x = scan_add_sensor(c, wanted[k].kind, wanted[k].path);
			if (x)
				snprintf(x->name, sizeof(x->name), "%s", wanted[k].name);
			break;
		}
}

void sensors_scan(struct sensors *s, const struct sensor_files *f)
{
	const struct scan c = { .s = s, .f = f };
	struct names *outer = mem_calloc(1, sizeof(*outer));
	struct names *inner = mem_calloc(1, sizeof(*inner));

	*s = (struct sensors){ 0 };
	scan_hwmon(&c, outer, inner);
	scan_zones(&c, outer, inner);
	scan_energy(&c, outer);
	scan_cpus(&c, outer);
	free(outer);
	free(inner);
}

/*
 * Before each access the process publishes which file it reads.  If a read takes longer than the
 * deadline, the process is killed, and the next process skips that file.
 */

#define INTERVAL CLOCK_SECOND
#define DEADLINE (3 * CLOCK_SECOND)
#define AGAIN    CLOCK_SECOND		/* pause before another process is started */

enum { STUCK_MOST = 16, STALE_AFTER = 5 /* intervals */ };

/* The memory that both processes share. */
struct sensor_share {
	_Atomic int64_t since;	/* clock_mono() when it began to read `at`; 0: idle */
	char at[128];
	int n_stuck;			/* files that blocked a process; written by the parent */
	char stuck[STUCK_MOST][128];
	struct sensors all;		/* used by the reading process alone */
};

static ssize_t read_one(const struct sensor_files *f, const char *path, char *buf, size_t size)
{
	const struct sensor_watch *w = f->arg;
	struct sensor_share *share = w->share;
	ssize_t n;

	for (int i = 0; i < share->n_stuck; i++)
		if (strcmp(share->stuck[i], path) == 0)
			return -ETIMEDOUT;
	mem_copy_text(share->at, sizeof(share->at), path);
	atomic_store(&share->since, clock_mono());
	n = w->config.read ? w->config.read(f->root, path, buf, size) :
		file_read_at(f->root, path, buf, size);
	atomic_store(&share->since, 0);
	return n;
}

static int sensor_watch_serve(void *arg, int fd)
{
	struct sensor_watch *w = arg;
	struct sensor_files f = { .read = read_one, .arg = w,
		.root = open(w->config.root, O_PATH | O_DIRECTORY | O_CLOEXEC) };
	struct sensors *s = &w->share->all;
	int64_t next = clock_mono();
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (f.root < 0)
		return errno;
	sensors_scan(s, &f);
	for (;;) {
		sensors_read(s, &f, clock_mono());
		/* A parent that reads too slowly misses this one and gets a later one. */
		if (send(fd, s, sizeof(*s), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN)
			return 0;
		next += w->config.interval;
		if (next < clock_mono())
			next = clock_mono();
		if (clock_wait(&p, 1, next) > 0)
			return 0;
	}
}

static void sensor_watch_start_child(struct sensor_watch *w)
{
	const struct child_config how = { .run = sensor_watch_serve, .arg = w,
		.dies_with_parent = true, .ignores_terminal = true };
	struct error e;

	w->started = clock_mono();
	atomic_store(&w->share->since, 0);
	if (child_start(&w->child, &how, &e) < 0)
		mem_copy_text(w->trouble, sizeof(w->trouble), e.text);
	else
		w->trouble[0] = '\0';
}

void sensor_watch_open(struct sensor_watch *w, const struct sensor_watch_config *c)
{
	*w = (struct sensor_watch){ .config = *c, .child = { .fd = -1 } };
	if (!w->config.root)
		w->config.root = "/";
	if (w->config.interval == 0)
		w->config.interval = INTERVAL;
	if (w->config.deadline == 0)
		w->config.deadline = DEADLINE;
	w->share = mem_share(sizeof(*w->share));
	sensor_watch_start_child(w);
}

void sensor_watch_close(struct sensor_watch *w)
{
	if (!w->share)
		return;
	child_end(&w->child, 0);
	mem_unshare(w->share, sizeof(*w->share));
	w->share = NULL;
}

/* Keep the least, most and last values when a new process starts from none. */
static void carry_over(const struct sensors *from, struct sensors *to)
{
	for (size_t i = 0; i < to->n; i++) {
		struct sensor *x = &to->s[i];

		for (size_t k = 0; k < from->n; k++) {
			const struct sensor *old = &from->s[k];

			if (old->time == 0 || strcmp(old->path, x->path) != 0)
				continue;
			x->least = x->time == 0 || old->least < x->least ? old->least : x->least;
			x->most = x->time == 0 || old->most > x->most ? old->most : x->most;
			if (x->time == 0) {
				x->time = old->time;
				x->value = old->value;
			}
		}
	}
}

static void sensor_watch_take_values(struct sensor_watch *w)
{
	static struct sensors s;
	ssize_t n;

	while (w->child.fd >= 0 &&
		(n = recv(w->child.fd, &s, sizeof(s), MSG_DONTWAIT)) != 0) {
		if (n < 0)
			return;
		if (n != (ssize_t)sizeof(s) || s.n > SENSORS_MOST)
			continue;
		carry_over(&w->now, &s);
		w->now = s;
		w->known = true;
	}
}

/* The process is blocked in the kernel, maybe for ever, so do not wait for it. */
static void give_up(struct sensor_watch *w)
{
	struct sensor_share *share = w->share;

	if (share->n_stuck == STUCK_MOST) {
		snprintf(w->trouble, sizeof(w->trouble), "%d sensors do not answer", STUCK_MOST);
	} else {
		mem_copy_text(share->stuck[share->n_stuck], sizeof(share->stuck[0]), share->at);
		share->n_stuck++;
	}
	child_kill(&w->child);
	child_leave(&w->child);
	w->child = (struct child){ .fd = -1 };
	w->started = clock_mono();
}

static void age(struct sensor_watch *w, int64_t now)
{
	for (size_t i = 0; i < w->now.n; i++) {
		struct sensor *x = &w->now.s[i];

		if (x->state == READING_OK &&
			now - x->time > STALE_AFTER * w->config.interval + w->config.deadline)
			x->state = READING_STALE;
	}
}

void sensor_watch_update(struct sensor_watch *w)
{
	const int64_t now = clock_mono();
	int64_t since;

	sensor_watch_take_values(w);
	since = atomic_load(&w->share->since);
	child_reap_lost();
	if (w->child.pid && since > 0 && now - since > w->config.deadline) {
		give_up(w);
	} else if (w->child.pid && child_has_ended(&w->child)) {
		child_end(&w->child, 0);
		w->started = now;
	}
	if (w->child.pid == 0 && now - w->started >= AGAIN && w->share->n_stuck < STUCK_MOST)
		sensor_watch_start_child(w);
	age(w, now);
}

int sensor_watch_fd(const struct sensor_watch *w)
{
	return w->child.pid ? w->child.fd : -1;
}
