/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * card_traffic.c - fill the card's memory with words, each different from all others
 * of its channel.
 */
#include "config.h"
#include "burnin/cores/card_load.h"

#include "base/mem.h"
#include "device/kind.h"

#include <errno.h>
#include <stdlib.h>

_Static_assert((int)KERNEL_PORTS == KIND_PORTS, "endpoints of a channel");

#define PIECE 4096	/* words of one write */
#define INVERSE 0x0e8b2f51u	/* of the step from word to word, modulo 2^32 */

static int traffic_check(const struct kernel_loads *l, struct error *e)
{
	if (l->channels == 0 && (l->bursts || l->reload))
		return fail_as(e, CODE_CHANNEL_SILENT, -EINVAL, "no channel of the card's memory "
			"is there to be read");
	return 0;
}

int card_traffic_aim(struct card_data *data, enum device_chip chip, uint32_t enabled,
	uint32_t channels, struct error *e)
{
	const struct device_kind *k = kind_of(chip);
	struct kernel_loads *l = &data->loads;

	l->channels = 0;
	for (uint32_t c = 0; c < k->n_dram && c < KERNEL_CHANNELS_MAX; c++) {
		uint16_t *slot = l->channel[l->channels];

		if (!((channels & enabled) >> c & 1))
			continue;
		for (unsigned p = 0; p < KERNEL_PORTS; p++) {
			struct reg_addr at = kind_dram(k, enabled, c,
				memory_kept_near(&data->kept, c, p), 0);

			slot[p] = (uint16_t)(at.x | at.y << 6);
		}
		slot[KERNEL_PORTS] = (uint16_t)c;
		l->channels++;
	}
	return traffic_check(l, e);
}

static int traffic_put(struct device *d, const uint16_t *channel, uint64_t at,
	const uint32_t *words, size_t n, struct error *e)
{
	struct reg_addr to = { REG_NOC, channel[0] & 63, channel[0] >> 6 & 63, at };
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i += PIECE, to.addr += 4 * PIECE)
		r = device_write_block(d, to, words + i, n - i < PIECE ? n - i : PIECE);
	return r < 0 ? fail(e, r, "memory channel %u: cannot be written: %s",
		channel[KERNEL_PORTS], device_strerror(r)) : 0;
}

/* Write the random words that the bursts read, in both halves. */
static int fill_words(struct device *d, const struct card_data *data, const uint16_t *channel,
	uint32_t *words, struct error *e)
{
	int r = 0;

	for (uint32_t half = 0; r == 0 && half < 2; half++) {
		uint32_t from = KERNEL_DRAM_AT + half * KERNEL_DRAM_HALF;

		for (uint32_t i = 0; i < KERNEL_DRAM_SIZE / 4; i++)
			words[i] = kernel_dram_word(data->loads.seed, channel[KERNEL_PORTS],
				from + 4 * i);
		r = traffic_put(d, channel, from, words, KERNEL_DRAM_SIZE / 4, e);
	}
	return r;
}

/* Write the operands that the cores reload. */
static int fill_operands(struct device *d, const struct card_data *data, const uint16_t *channel,
	struct error *e)
{
	const uint64_t at = KERNEL_DRAM_OPERANDS;
	int r = traffic_put(d, channel, at, data->weights, data->n_weights, e);

	return r ? r : traffic_put(d, channel, at + 4 * data->n_weights, data->input,
		data->n_input, e);
}

int card_traffic_fill(struct device *d, const struct card_data *data, struct error *e)
{
	uint32_t *words = mem_calloc(KERNEL_DRAM_SIZE / 4, 4);
	int r = traffic_check(&data->loads, e);

	for (uint32_t i = 0; r == 0 && i < data->loads.channels; i++) {
		const uint16_t *channel = data->loads.channel[i];

		if (data->loads.bursts)
			r = fill_words(d, data, channel, words, e);
		if (r == 0 && data->loads.reload)
			r = fill_operands(d, data, channel, e);
	}
	free(words);
	return r;
}

bool card_traffic_find(uint32_t seed, uint32_t channel, uint32_t word, uint64_t *addr)
{
	*addr = 4 * (uint64_t)((word - kernel_dram_word(seed, channel, 0)) * INVERSE);
	return *addr <= UINT32_MAX;
}
