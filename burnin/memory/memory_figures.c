/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/memory/card_check.h"

#define NUMBER_FIGURES(F) F(INT, , (), n)
FIGURES_SHARED(memory_number, NUMBER_FIGURES, uint64_t n)

void memory_add_number(struct figure_value *to, uint64_t n)
{
	memory_number_add(to, n);
}

#define ERROR_FIGURES(F) \
	F(INT, corr_rd, (), e->corrected[0]) \
	F(INT, corr_wr, (), e->corrected[1]) \
	F(BOOL, uncorr_rd, (), e->uncorrected[0]) \
	F(BOOL, uncorr_wr, (), e->uncorrected[1])
FIGURES_SHARED(memory_error, ERROR_FIGURES, const struct memory_errors *e)

void memory_add_errors(struct figure_value *to, const struct memory_errors *e)
{
	if (e->known)
		memory_error_add(to, e);
}

#define KEPT_FIGURES(F) \
	F(INT, channel, (), channel) \
	F(INT, endpoint, (), port)
FIGURES_SHARED(memory_kept, KEPT_FIGURES, unsigned channel, unsigned port)

void memory_add_kept(struct figure_value *to, const struct memory_kept *kept, uint32_t channels)
{
	for (unsigned i = 0; i < MEMORY_CHANNELS * MEMORY_PORTS; i++)
		if ((channels >> i / MEMORY_PORTS & 1) &&
			memory_kept_has(kept, i / MEMORY_PORTS, i % MEMORY_PORTS))
			memory_kept_add(to, i / MEMORY_PORTS, i % MEMORY_PORTS);
}

#define ADDRESS_FIGURES(F) F(INT, , (.hex = true), address)
FIGURES(address, ADDRESS_FIGURES, uint64_t address)

#define FINDING_FIGURES(F) \
	F(INT, channel, (.place = true), f->kind == MEMORY_DARK ? -1 : (int)f->channel) \
	F(INT, endpoint, (.place = true), f->endpoint) \
	F(INT, other_channel, (.place = true), f->other) \
	F(TEXT, kind, (), memory_kind_name(f->kind)) \
	F(TEXT, path, (), memory_path_name(f->path)) \
	F(INT, words, (), f->words) \
	F(INT, wrong, (), f->wrong) \
	F(INT, events, (.some = true), f->events) \
	MEMORY_LANE_FIGURES(F, f->lane) \
	F(INT, bits, (.hex = true), f->bits) \
	MEMORY_LATE_FIGURES(F, f->kind, f->late) \
	F(LIST, aliases, (.group = &address_figures), \
		if (f->kind == MEMORY_ALIASED) { \
			address_add(v, f->alias_at); \
			address_add(v, f->alias_of); \
		}) \
	F(TEXT, text, ("What is wrong with the memory"), \
		memory_finding_text(f, (char[200]){ "" }, 200))
FIGURES_SHARED(memory_finding, FINDING_FIGURES, const struct memory_finding *f)

void memory_add_findings(struct figure_value *to, const struct memory_finding *found, size_t n)
{
	for (size_t i = 0; i < n; i++)
		memory_finding_add(to, &found[i]);
}
