/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/memory.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>

/* Modules with temperatures and error counts on Blackhole; Wormhole has none. */
#define MEASURED 8

/* Get a mask; 0 and false if it is not known. */
static bool mask_of(const struct snapshot *s, enum field_id id, uint64_t *mask)
{
	const struct reading *r = &s->r[id];

	*mask = reading_has_value(r) ? (uint64_t)r->value : 0;
	return reading_has_value(r);
}

static enum memory_state state_of(bool known, uint64_t passed, uint64_t failed, uint64_t bit)
{
	if (failed & bit)
		return MEMORY_FAILED;
	return passed & bit ? MEMORY_PASSED : known ? MEMORY_UNUSED : MEMORY_UNKNOWN;
}

size_t memory_modules(const struct snapshot *s, struct memory_module m[static MEMORY_MODULES])
{
	uint64_t trained, failed, tested, enabled, uncorrected, all;
	bool know_trained = mask_of(s, FIELD_DRAM_TRAINED, &trained);
	bool know_tested = mask_of(s, FIELD_DRAM_BIST, &tested);
	bool know_enabled = mask_of(s, FIELD_DRAM_ENABLED, &enabled);
	bool know_uncorrected = mask_of(s, FIELD_GDDR_UNCORR_ERRS, &uncorrected);
	size_t n = 0;

	mask_of(s, FIELD_DRAM_FAILED, &failed);
	all = trained | failed | enabled;
	for (size_t i = 0; i < MEMORY_MODULES; i++)
		if (all >> i & 1 || (i < MEASURED && reading_has_value(
			&s->r[FIELD_GDDR_TEMP + 2 * i])))
			n = i + 1;
	for (size_t i = 0; i < n; i++) {
		uint64_t bit = 1ULL << i;
		bool used = !know_enabled || enabled & bit;

		m[i] = (struct memory_module){ .bottom = FIELD_NONE, .top = FIELD_NONE };
		m[i].training = used ? state_of(know_trained, trained, failed, bit) :
			MEMORY_UNUSED;
		m[i].test = !used ? MEMORY_UNUSED : !know_tested ? MEMORY_UNKNOWN :
			state_of(true, tested, ~tested, bit);
		if (i >= MEASURED)
			continue;
		m[i].bottom = (enum field_id)(FIELD_GDDR_TEMP + 2 * i);
		m[i].top = (enum field_id)(FIELD_GDDR_TEMP + 2 * i + 1);
		m[i].corrected_read = (enum field_id)(FIELD_GDDR_CORR_ERRS + 2 * i);
		m[i].corrected_write = (enum field_id)(FIELD_GDDR_CORR_ERRS + 2 * i + 1);
		if (!know_uncorrected)
			continue;
		m[i].read = uncorrected >> 2 * i & 1 ? MEMORY_FAILED : MEMORY_PASSED;
		m[i].write = uncorrected >> (2 * i + 1) & 1 ? MEMORY_FAILED : MEMORY_PASSED;
	}
	return n;
}

enum style memory_count_text(const struct snapshot *s, bool test, char *buf, size_t size)
{
	struct memory_module m[MEMORY_MODULES];
	size_t n = memory_modules(s, m), count[MEMORY_FAILED + 1] = { 0 }, used;

	for (size_t i = 0; i < n; i++)
		count[test ? m[i].test : m[i].training]++;
	used = count[MEMORY_PASSED] + count[MEMORY_FAILED];
	if (used == 0) {
		mem_copy_text(buf, size, "-");
		return STYLE_DIM;
	}
	snprintf(buf, size, "%zu of %zu", count[MEMORY_PASSED], used);
	return count[MEMORY_FAILED] ? STYLE_BAD : STYLE_DIM;
}

enum style memory_errors_text(const struct snapshot *s, bool uncorrected, char *buf, size_t size)
{
	int64_t sum = 0;
	bool known = false;

	for (size_t id = FIELD_GDDR_CORR_ERRS; id <= FIELD_GDDR_CORR_ERRS_END && !uncorrected; id++)
		if (reading_has_value(&s->r[id])) {
			sum += s->r[id].value;
			known = true;
		}
	if (uncorrected && reading_has_value(&s->r[FIELD_GDDR_UNCORR_ERRS])) {
		sum = __builtin_popcountll((uint64_t)s->r[FIELD_GDDR_UNCORR_ERRS].value);
		known = true;
	}
	if (!known) {
		mem_copy_text(buf, size, "-");
		return STYLE_DIM;
	}
	snprintf(buf, size, "%" PRId64, sum);
	return sum == 0 ? STYLE_DIM : uncorrected ? STYLE_BAD : STYLE_WARN;
}

const char *memory_state_name(enum memory_state state)
{
	static const char *const names[] = {
		[MEMORY_UNKNOWN] = "-", [MEMORY_UNUSED] = "unused", [MEMORY_PASSED] = "ok",
		[MEMORY_FAILED] = "FAILED",
	};

	return names[state];
}
