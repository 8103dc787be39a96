/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count_words.c - the device's own transport, with a count before it.
 */
#include "config.h"
#include "tests/count_words.h"
#include "device/transport.h"

static const struct transport_ops *real;
static struct transport_ops counting;
static struct count_words count;

static int count_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	count.read += n;
	return real->read(d, at, words, n);
}

static int count_write(struct device *d, struct reg_addr at, uint32_t word)
{
	count.stores++;
	return real->write(d, at, word);
}

static int count_write_block(struct device *d, struct reg_addr at, const uint32_t *words, size_t n)
{
	count.written += n;
	return real->write_block(d, at, words, n);
}

static int count_multicast(struct device *d, struct reg_rect to, uint64_t addr,
	const uint32_t *words, size_t n)
{
	count.multicast += n;
	return real->multicast(d, to, addr, words, n);
}

struct count_words *count_words_begin(struct device *d)
{
	real = d->ops == &counting ? real : d->ops;
	counting = *real;
	counting.read = count_read;
	counting.read_block = NULL;
	counting.write = count_write;
	counting.write_block = count_write_block;
	counting.multicast = count_multicast;
	count = (struct count_words){ 0 };
	d->ops = &counting;
	return &count;
}
