/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_sample.c - what one card costs at each sample, without any process
 * around it: reader_sample(), decode_snapshot() and track_update() in a loop,
 * processor time of this process per card and sample.
 *
 *   bench_sample SAMPLES sim SPEC | bench_sample SAMPLES root DIR
 */
#include "config.h"
#include "base/clock.h"
#include "base/mem.h"
#include "device/bus.h"
#include "telemetry/decode.h"
#include "telemetry/sampler/sampler_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void sample_all(struct bus *bus, struct snapshot *chips, struct track *tracks, bool fresh)
{
	const struct reader_policy policy = { .fresh = fresh, .keep = true };

	for (size_t i = 0; i < bus->n; i++) {
		reader_sample(&bus->dev[i], &policy, &chips[i].raw);
		chips[i].chip = bus->dev[i].chip;
		chips[i].time = clock_mono();
		decode_snapshot(&chips[i]);
		track_update(&tracks[i], &chips[i]);
	}
}

int main(int argc, char **argv)
{
	struct bus_config config = { .root = "/" };
	struct snapshot *chips;
	struct track *tracks;
	struct bus *bus;
	struct error e;
	unsigned long samples;
	const char *name;
	double began;

	if (argc != 4) {
		fputs("usage: bench_sample SAMPLES sim SPEC | root DIR\n", stderr);
		return 2;
	}
	samples = strtoul(argv[1], NULL, 10);
	if (strcmp(argv[2], "sim") == 0)
		config.sim = argv[3];
	else
		config.root = argv[3];
	clock_init();
	if (bus_open(&config, &bus, &e) < 0) {
		fprintf(stderr, "bench_sample: %s\n", e.text);
		return 1;
	}
	if (bus->n == 0 || samples == 0) {
		fputs("bench_sample: nothing to look at\n", stderr);
		return 3;
	}
	chips = mem_calloc(bus->n, sizeof(*chips));
	tracks = mem_calloc(bus->n, sizeof(*tracks));
	sample_all(bus, chips, tracks, true);
	began = cpu_us();
	for (unsigned long k = 0; k < samples; k++)
		sample_all(bus, chips, tracks, false);
	name = strrchr(argv[3], '/');
	printf("%-28s %6zu %12.2f\n", name ? name + 1 : argv[3], bus->n,
		(cpu_us() - began) / (double)(samples * bus->n));
	free(tracks);
	free(chips);
	bus_close(bus);
	return 0;
}
