/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_memory.c - the test of a card's memory where the way to that memory is
 * memcpy(): what the test itself costs, beside memcpy() of the same memory in the
 * same transactions.  Over PCIe the way is slower, and the test must not be slower yet.
 *
 *   bench_memory MIB
 */
#include "config.h"
#include "base/clock.h"
#include "base/mem.h"
#include "burnin/memory/card_memory.h"
#include "device/bus.h"
#include "device/kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define CHANNEL 0

static uint8_t *window;		/* as large as a channel, and sparse */
static uint64_t moved;

static int window_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	(void)d;
	memcpy(words, window + at.addr, 4 * n);
	moved += 4 * n;
	return 0;
}

static int window_write(struct device *d, struct reg_addr at, const uint32_t *words, size_t n)
{
	(void)d;
	memcpy(window + at.addr, words, 4 * n);
	moved += 4 * n;
	return 0;
}

static int window_store(struct device *d, struct reg_addr at, uint32_t word)
{
	return window_write(d, at, &word, 1);
}

static const struct transport_ops ops = {
	.name = "memcpy", .read = window_read, .read_block = window_read, .write = window_store,
	.write_block = window_write,
};

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* As many bytes to and fro as the test moved, of as much memory: all of it in, then out. */
static double copy(uint32_t *words, size_t size, uint32_t cut)
{
	double began = cpu();

	for (uint64_t done = 0; done < moved; done += 2 * size) {
		for (size_t at = 0; at < size; at += cut)
			memcpy(window + at, words, cut);
		for (size_t at = 0; at < size; at += cut) {
			memcpy(words, window + at, cut);
			__asm__ volatile("" : : "r"(words) : "memory");
		}
	}
	return cpu() - began;
}

int main(int argc, char **argv)
{
	static struct bus_own own;
	static struct bus bus = { .own = &own };
	static struct device d = { .ops = &ops, .bus = &bus, .chip = DEVICE_BLACKHOLE };
	const size_t size = argc == 2 ? strtoul(argv[1], NULL, 10) << 20 : 0;
	const struct card_memory_plan plan = { .enabled = 0xff, .channels = 1 << CHANNEL,
		.size = size, .seed = 42, .iterations = 1 };
	struct card_memory *m = mem_share(sizeof(*m));
	uint32_t *words = mem_calloc(1, 16384);
	struct error e = { 0 };
	double took;

	if (size == 0) {
		fputs("usage: bench_memory MIB\n", stderr);
		return 2;
	}
	clock_init();
	window = mmap(NULL, kind_of(d.chip)->dram_size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (window == MAP_FAILED)
		return 1;
	took = cpu();
	if (card_memory_run(&d, &plan, m, always, NULL, &e) < 0 || m->wrong) {
		fprintf(stderr, "bench_memory: %s\n", m->wrong ? "wrong words" : e.text);
		return 1;
	}
	took = cpu() - took;
	printf("the test, %zu MiB, %.1f GB to and fro   %8.2f GB/s\n", size >> 20,
		(double)moved / 1e9, (double)moved / took / 1e9);
	for (size_t i = 0; i < CARD_MEMORY_CUTS; i++) {
		const double bare = copy(words, size, card_memory_cuts[i]);

		printf("memcpy() by %5u bytes %22.2f GB/s  (the test takes %.2f of its time)\n",
			card_memory_cuts[i], (double)moved / bare / 1e9, took / bare);
	}
	free(words);
	mem_unshare(m, sizeof(*m));
	return 0;
}
