/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_channels.c - touching a channel that is switched off or has not been
 * trained may hang the chip's network, so a channel that is not known to work is
 * left alone.
 */
#include "config.h"
#include "burnin/memory/memory_channels.h"
#include "base/parse.h"
#include "device/kind.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool known(const struct reading *r)
{
	return r->state == READING_OK;
}

/* Four bits per channel say which port of its controller the controller's firmware uses. */
static void find_kept(const struct snapshot *s, const struct device_kind *k,
	struct memory_kept *kept)
{
	const struct reading *ports = &s->r[FIELD_GDDR_PORTS];

	for (unsigned c = 0; known(ports) && c < k->n_dram && c < MEMORY_CHANNELS; c++) {
		const int p = kind_dram_port(k, c, (uint32_t)ports->value >> 4 * c & 15);

		kept->ports[c] = (uint8_t)(p >= 0 ? 1 << p : 0);
	}
}

int memory_channels(const struct snapshot *s, struct memory_channels *c, struct error *e)
{
	const struct device_kind *k = kind_of(s->chip);
	const uint32_t all = (uint32_t)((1ull << k->n_dram) - 1);
	const struct reading *on = &s->r[FIELD_DRAM_ENABLED], *trained = &s->r[FIELD_DRAM_TRAINED];
	const struct reading *translated = &s->r[FIELD_NOC_TRANSLATION];

	*c = (struct memory_channels){ 0 };
	if (!snapshot_is_live(s))
		return fail_as(e, snapshot_code(s), -ENODATA, "the card was not read: %s",
			s->reason);
	if (k->n_dram == 0)
		return fail(e, -EOPNOTSUPP, "how the memory of a %s is reached is not known",
			k->name);
	if (s->local >= 0)
		return fail_as(e, CODE_SECOND_CHIP, -EOPNOTSUPP, "reached over ethernet only: its "
			"memory is not tested");
	if (trained->state == READING_STALE)
		return fail_as(e, CODE_HUNG, -ENODATA, "the card does not answer in time: its "
			"telemetry is old");
	if (!known(trained))
		return fail(e, -ENODATA, "which memory channels are in use is not known%s%s",
			*s->note ? ": " : "", s->note);
	if (k->dram_moves && known(translated) && translated->value == 0)
		return fail(e, -EOPNOTSUPP, "its coordinates are not translated, so its memory"
			" cannot be found");
	c->enabled = known(on) && on->value ? (uint32_t)on->value & all : all;
	c->usable = c->enabled & (uint32_t)trained->value;
	find_kept(s, k, &c->kept);
	/* If the channels' places depend on which are enabled, a guess is not enough. */
	if (k->dram_moves && !known(on) && c->usable != all)
		return fail(e, -ENODATA, "which memory channels are switched off is not known");
	return 0;
}

uint32_t memory_channels_failed(const struct snapshot *s)
{
	const struct reading *on = &s->r[FIELD_DRAM_ENABLED], *failed = &s->r[FIELD_DRAM_FAILED];

	return !known(failed) ? 0 : (uint32_t)failed->value &
		(known(on) && on->value ? (uint32_t)on->value : UINT32_MAX);
}

int memory_channels_choose(struct memory_channels *c, uint32_t wanted, bool is_named,
	struct error *e)
{
	const uint32_t missing = is_named ? wanted & ~c->enabled : 0;

	if (missing)
		return fail_as(e, CODE_NOT_FOUND, -EINVAL, "memory channel %d is switched off, or "
			"the card has none of this number", __builtin_ctz(missing));
	c->chosen = wanted & c->usable;
	c->left = wanted & c->enabled & ~c->usable;
	if (c->usable == 0)
		return fail_as(e, CODE_CHANNEL_SILENT, -ENODATA, "no memory channel is trained");
	return c->chosen ? 0 : fail_as(e, CODE_CHANNEL_SILENT, -ENODATA, "none of these memory "
		"channels is in use");
}

/* The channels of this set whose controller keeps the endpoint. */
static uint32_t keepers(const struct memory_kept *k, uint32_t channels, unsigned port)
{
	uint32_t set = 0;

	for (unsigned c = 0; c < MEMORY_CHANNELS; c++)
		set |= (uint32_t)memory_kept_has(k, c, port) << c;
	return set & channels;
}

char *memory_kept_text(const struct memory_kept *k, uint32_t channels, char *text, size_t size)
{
	size_t at = 0;

	for (unsigned p = 0; p < MEMORY_PORTS; p++) {
		const uint32_t set = keepers(k, channels, p);

		if (set && at < size)
			at += (size_t)snprintf(text + at, size - at, "%sendpoint %u of channel%s",
				at ? "; " : "", p, set & (set - 1) ? "s" : "");
		for (unsigned c = 0; c < MEMORY_CHANNELS && at < size; c++)
			if (set >> c & 1)
				at += (size_t)snprintf(text + at, size - at, "%s %u",
					set & ((1u << c) - 1) ? "," : "", c);
	}
	return at ? text : NULL;
}

struct memory_errors memory_errors_of(const struct snapshot *s, unsigned channel)
{
	const struct reading *corrected = &s->r[FIELD_GDDR_CORR_ERRS + 2 * (int)channel];
	const struct reading *sticky = &s->r[FIELD_GDDR_UNCORR_ERRS];
	struct memory_errors m = { .known = snapshot_is_live(s) && known(sticky) &&
		known(&corrected[0]) && known(&corrected[1]) };

	for (unsigned i = 0; m.known && i < 2; i++) {
		m.corrected[i] = (uint32_t)corrected[i].value;
		m.uncorrected[i] = sticky->value >> (2 * channel + i) & 1;
	}
	return m;
}

int memory_channels_parse(const char *list, uint32_t *channels, struct error *e)
{
	char word[8], *dash;
	uint64_t from, to;

	*channels = list ? 0 : (1u << MEMORY_CHANNELS) - 1;
	while (list && *list) {
		const size_t len = strcspn(list, ",");

		/* A longer word is not a channel, so leave it empty. */
		snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : 0), list);
		dash = strchr(word, '-');
		if (dash)
			*dash = '\0';
		if (!parse_u64(word, &from) || !parse_u64(dash ? dash + 1 : word, &to) ||
			from > to || to >= MEMORY_CHANNELS)
			return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%.40s' is not a list of "
				"memory channels (0,2 or 4-7)", list);
		for (; from <= to; from++)
			*channels |= 1u << from;
		list += len + (list[len] == ',');
	}
	return 0;
}
