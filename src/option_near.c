/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_near.c - guesses which option was meant by one that does not exist.
 */
#include "config.h"
#include "src/option_table.h"
#include "base/array.h"

#include <stdio.h>
#include <string.h>

#define MOST 40			/* letters of a spelling */
#define FAR  (MOST + 1)

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many letters are changed, left out, added, or swapped with the one beside them. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t row[3][MOST + 1], *before = row[0], *above = row[1], *now = row[2];

	if (na > MOST || nb > MOST)
		return FAR;
	for (size_t k = 0; k <= nb; k++)
		above[k] = k;
	for (size_t i = 1; i <= na; i++) {
		size_t *spare = before;

		now[0] = i;
		for (size_t k = 1; k <= nb; k++) {
			now[k] = least(above[k - 1] + (a[i - 1] != b[k - 1]),
				least(above[k], now[k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				now[k] = least(now[k], before[k - 2] + 1);
		}
		before = above;
		above = now;
		now = spare;
	}
	return above[nb];
}

/* The beginning of a spelling is nearer than any typing error. */
static size_t distance_of(const char *typed, size_t len, const char *name)
{
	if (len > 2 && strncmp(typed, name, len) == 0)
		return 0;
	return distance(typed, len, name, strlen(name)) + 1;
}

/* The first of the nearest spellings, which are less than `best` letters away. */
static const char *option_near_find(const char *typed, size_t best, char *buf, size_t size)
{
	const char *name = typed + strspn(typed, "-");
	const size_t len = strcspn(name, "=");
	bool found = false;

	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];

		for (size_t k = 0; k < ARRAY_LEN(row->names) && row->names[k]; k++) {
			const size_t far = distance_of(name, len, row->names[k]);

			if (row->group == OPTION_HIDDEN || far > best || (found && far == best))
				continue;
			option_spell((enum option_id)i, k, buf, size);
			best = far;
			found = true;
		}
	}
	return found ? buf : NULL;
}

/* "-rall": an option that takes an attached value, but not this one. */
static const char *find_attached(const char *typed, char *buf, size_t size)
{
	for (size_t i = 0; i < OPTIONS && typed[0] == '-'; i++)
		if (option_rows[i].attached && *option_rows[i].attached &&
			strncmp(typed + 1, option_rows[i].names[0], 1) == 0)
			return option_spelling((enum option_id)i, buf, size);
	return NULL;
}

const char *option_nearest(const char *typed, char *buf, size_t size)
{
	const size_t len = strcspn(typed + strspn(typed, "-"), "=");

	/* Everything is near a single letter. */
	if (len < 2 || option_near_find(typed, len < 5 ? 2 : 3, buf, size))
		return len < 2 ? NULL : buf;
	return find_attached(typed, buf, size);
}

const char *option_nearest_key(const char *typed)
{
	const size_t len = strlen(typed);
	size_t best = len < 2 ? 0 : len < 5 ? 2 : 3;
	const char *near = NULL;

	for (size_t i = 0; i < OPTIONS; i++) {
		const char *key = option_rows[i].key;
		const size_t far = key ? distance_of(typed, len, key) : FAR;

		if (far <= best && !(near && far == best)) {
			near = key;
			best = far;
		}
	}
	return near;
}

bool option_is_near(const char *typed)
{
	char near[64];

	return option_near_find(typed, 3, near, sizeof(near)) != NULL;
}
