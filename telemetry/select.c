/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select.c - names of chips.  A word of up to four decimal digits is an index;
 * anything longer without a colon is a board serial, so that a serial without
 * letters is not taken for an index.
 */
#include "config.h"
#include "telemetry/select.h"

#include "base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define INDEX_DIGITS 4

static bool is_digits(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

static bool is_index(const char *name)
{
	return is_digits(name) && strlen(name) <= INDEX_DIGITS;
}

static bool is_hex(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isxdigit((unsigned char)text[i]))
			return false;
	return len > 0;
}

bool select_is_bdf(const char *text)
{
	size_t len = strlen(text), domain = len > 7 ? len - 8 : 0;
	const char *p = len >= 7 ? text + len - 7 : "";

	if (strlen(p) != 7 || !is_hex(p, 2) || p[2] != ':' || !is_hex(p + 3, 2) || p[5] != '.' ||
	    p[6] < '0' || p[6] > '7')
		return false;
	return len == 7 || (domain >= 4 && domain <= 8 && text[domain] == ':' &&
			    is_hex(text, domain));
}

static int mark_index(const char *name, size_t n, bool *wanted, struct error *e)
{
	uint64_t index;

	if (!parse_u64(name, &index) || index >= n) {
		if (n == 0)
			return fail(e, -ENODEV, "%s: no such chip: there is none", name);
		return fail(e, -ENODEV, "%s: no such chip: they count from 0 to %zu", name, n - 1);
	}
	wanted[index] = true;
	return 0;
}

static int mark_node(const char *name, const char *number, const struct snapshot *chips, size_t n,
	bool *wanted, struct error *e)
{
	uint64_t node;

	if (!is_digits(number) || !parse_u64(number, &node))
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "%s: not a device: expected "
			"/dev/tenstorrent/N", name);
	for (size_t i = 0; i < n; i++)
		if (chips[i].node >= 0 && (uint64_t)chips[i].node == node) {
			wanted[i] = true;
			return 0;
		}
	return fail(e, -ENODEV, "%s: no chip has this node: tt-smi -ls lists them", name);
}

static int mark_bdf(const char *name, const struct snapshot *chips, size_t n, bool *wanted,
	struct error *e)
{
	size_t len = strlen(name), found = 0, at = 0;

	for (size_t i = 0; i < n; i++) {
		size_t have = strlen(chips[i].bdf);

		if (have >= len && strcasecmp(chips[i].bdf + have - len, name) == 0 &&
		    (have == len || chips[i].bdf[have - len - 1] == ':')) {
			at = i;
			found++;
		}
	}
	if (found == 0)
		return fail(e, -ENODEV, "%s: no chip at this address: tt-smi -ls lists them", name);
	if (found > 1)
		return fail_as(e, CODE_AMBIGUOUS, -EINVAL, "%s: in more than one PCI domain: write "
			"the domain too", name);
	wanted[at] = true;
	return 0;
}

static int mark_serial(const char *name, const struct snapshot *chips, size_t n, bool *wanted,
	struct error *e)
{
	uint64_t serial;
	const struct snapshot *silent = NULL;
	bool found = false;

	if (!parse_hex(name, &serial))
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "%.80s: not a name of a chip: expected "
			"an index, a PCI address, /dev/tenstorrent/N, a board serial or all", name);
	for (size_t i = 0; i < n; i++) {
		const struct snapshot *s = snapshot_serial_chip(chips, n, &chips[i]);

		if (reading_has_value(&s->r[FIELD_BOARD_ID]) && snapshot_serial(s) == serial)
			wanted[i] = found = true;
		else if (!silent && !reading_has_value(&s->r[FIELD_BOARD_ID]) &&
			s->health != SNAPSHOT_GONE)
			silent = s;
	}
	if (!found && silent)
		return fail_as(e, CODE_NOT_READ, -ENODEV, "%s: no board reported this serial; it "
			"may be the board of chip %d (%s), whose serial was not read", name,
			silent->index, *silent->bdf ? silent->bdf : silent->series);
	if (!found)
		return fail(e, -ENODEV, "%s: no board has this serial: tt-smi -ls lists them",
			name);
	return 0;
}

bool select_is_all(const char *name)
{
	return strcmp(name, "all") == 0 || strcmp(name, "cards") == 0;
}

static int mark(const char *name, const struct snapshot *chips, size_t n, bool *wanted,
	struct error *e)
{
	static const char dev[] = "/dev/tenstorrent/";

	if (select_is_all(name)) {
		for (size_t i = 0; i < n; i++)
			wanted[i] = true;
		return 0;
	}
	if (is_index(name))
		return mark_index(name, n, wanted, e);
	if (strncmp(name, dev, sizeof(dev) - 1) == 0)
		return mark_node(name, name + sizeof(dev) - 1, chips, n, wanted, e);
	if (select_is_bdf(name))
		return mark_bdf(name, chips, n, wanted, e);
	return mark_serial(name, chips, n, wanted, e);
}

/* What stands between names in a list. */
static const char apart[] = ", \t\n";

int select_chips(const char *names, const struct snapshot *chips, size_t n, bool *wanted,
	struct error *e)
{
	char word[64];
	bool any = false;

	while (parse_word(&names, apart, word, sizeof(word))) {
		int err = mark(word, chips, n, wanted, e);

		if (err < 0)
			return err;
		any = true;
	}
	return any ? 0 : fail_as(e, CODE_NOTHING_NAMED, -EINVAL, "no chip is named");
}

bool select_has_all(const char *names)
{
	char word[64];

	while (parse_word(&names, apart, word, sizeof(word)))
		if (select_is_all(word))
			return true;
	return false;
}

void select_indices(const char *names, size_t n, bool *named)
{
	uint64_t index;
	char word[64];

	while (parse_word(&names, apart, word, sizeof(word)))
		if (is_index(word) && parse_u64(word, &index) && index < n)
			named[index] = true;
}

/* "2" or "0-3". */
static bool parse_range(const char *word, uint64_t *from, uint64_t *to)
{
	const char *dash = strchr(word, '-');
	char first[32];

	if (!dash) {
		*to = 0;
		return is_digits(word) && parse_u64(word, from) && (*to = *from, true);
	}
	snprintf(first, sizeof(first), "%.*s", (int)(dash - word), word);
	return is_digits(first) && is_digits(dash + 1) && parse_u64(first, from) &&
	       parse_u64(dash + 1, to) && *from <= *to;
}

/* Mark the boards that a word of TT_VISIBLE_DEVICES names; false: it is malformed. */
static bool mark_visible(const char *word, const struct snapshot *chips, size_t n,
	const size_t *board_of, bool *visible)
{
	/* Upstream: a word with one of these is part of an address, a whole tray "0000:c". */
	const bool is_address = word[strcspn(word, ":.")] != '\0';
	uint64_t from = 0, to = 0;

	if (is_address ? word[strspn(word, "0123456789abcdefABCDEF:.")] != '\0'
		: !parse_range(word, &from, &to))
		return false;
	for (size_t i = 0; i < n; i++)
		if (is_address ? strcasestr(chips[i].bdf, word) != NULL
			: board_of[i] >= from && board_of[i] <= to)
			visible[board_of[i]] = true;
	return true;
}

int select_visible(const char *list, const struct snapshot *chips, size_t n, bool *wanted,
	struct error *e)
{
	bool visible[DEVICE_MAX] = { false }, any = false;	/* by board */
	size_t board_of[DEVICE_MAX] = { 0 }, boards = 0;
	const char *rest = list;
	char word[64];

	if (n > DEVICE_MAX)
		n = DEVICE_MAX;
	for (size_t i = 0; i < n; i++) {
		int local = chips[i].local;

		board_of[i] = local >= 0 && (size_t)local < i ? board_of[local] : boards++;
	}
	while (parse_word(&rest, apart, word, sizeof(word)))
		if (!mark_visible(word, chips, n, board_of, visible))
			return fail_as(e, CODE_BAD_VALUE, -EINVAL, "TT_VISIBLE_DEVICES=%.60s: not "
				"a list of boards: expected 0,2 or 0-3, PCI addresses or parts of "
				"them", list);
	for (size_t i = 0; i < n; i++) {
		any = any || visible[board_of[i]];
		wanted[i] = wanted[i] && visible[board_of[i]];
	}
	if (!any && n > 0)
		return fail(e, -ENODEV, "TT_VISIBLE_DEVICES=%.60s: no such board: there are %zu "
			"here, from 0", list, boards);
	return 0;
}
