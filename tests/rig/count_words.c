/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count_words.c - the device's own transport, with a count before it.
 */
#include "config.h"
#include "tests/rig/count_words.h"
#include "base/mem.h"
#include "device/bus.h"

static const struct transport_ops *real;
static struct transport_ops counting;
static struct count_words *count;	/* shared with children */

static int count_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	count->accesses++;
	count->read += n;
	return real->read(d, at, words, n);
}

static int count_gather(struct device *d, const struct device_piece *pieces, size_t n,
	size_t *failed)
{
	count->accesses++;
	for (size_t i = 0; i < n; i++)
		count->read += pieces[i].n;
	return real->gather(d, pieces, n, failed);
}

static int count_write(struct device *d, struct reg_addr at, uint32_t word)
{
	count->accesses++;
	count->stores++;
	return real->write(d, at, word);
}

static int count_scatter(struct device *d, const struct device_piece *pieces, size_t n,
	size_t *failed)
{
	count->accesses++;
	for (size_t i = 0; i < n; i++)
		*(pieces[i].n == 1 ? &count->stores : &count->written) += pieces[i].n;
	return real->scatter(d, pieces, n, failed);
}

static int count_write_block(struct device *d, struct reg_addr at, const uint32_t *words, size_t n)
{
	count->accesses++;
	count->written += n;
	return real->write_block(d, at, words, n);
}

static int count_multicast(struct device *d, struct reg_rect to, uint64_t addr,
	const uint32_t *words, size_t n)
{
	count->accesses++;
	count->multicast += n;
	return real->multicast(d, to, addr, words, n);
}

struct count_words *count_words_begin(struct device *d)
{
	real = d->ops == &counting ? real : d->ops;
	counting = *real;
	counting.read = count_read;
	counting.read_block = NULL;
	counting.gather = real->gather ? count_gather : NULL;
	counting.write = count_write;
	counting.scatter = real->scatter ? count_scatter : NULL;
	counting.write_block = count_write_block;
	counting.multicast = count_multicast;
	if (!count)
		count = mem_share(sizeof(*count));
	*count = (struct count_words){ 0 };
	d->ops = &counting;
	return count;
}
