/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check_host.c - the checks of the machine and of all its cards together.
 */
#include "config.h"
#include "health/checks_local.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/path.h"
#include "device/device.h"
#include "device/kind.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int check_read_all(const struct health_world *w, const char *path, char *text, size_t size)
{
	const int root = open(w->bus->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ssize_t n = root < 0 ? -errno : file_read_at(root, path, text, size);

	if (root >= 0)
		close(root);
	return n < 0 ? (int)n : 0;
}

/* The first line of such a file. */
static int check_read(const struct health_world *w, const char *path, char *text, size_t size)
{
	const int r = check_read_all(w, path, text, size);

	if (r == 0)
		text[strcspn(text, "\n")] = '\0';
	return r;
}

/* A chip that does not answer counts as present; one that is left alone does not. */
static bool is_present(const struct health_world *w, size_t index)
{
	const struct snapshot *s = &w->fleet->chips[index];

	return !snapshot_is_gone(s) && !snapshot_is_left_alone(s) &&
		!(w->bus && w->bus->dev[index].trouble == DEVICE_GONE);
}

static void no_machine(struct health_item *i)
{
	health_say(i, VERDICT_NONE, "these cards are not this machine's");
}

void check_driver(const struct health_world *w, struct health_item *i)
{
	const struct fleet *f = w->fleet;
	const struct device *first = NULL;
	char cards[HEALTH_TEXT / 2] = "";

	if (!w->is_machine) {
		no_machine(i);
		return;
	}
	for (size_t k = 0; k < f->n; k++)
		if (f->wanted[k] && w->bus->dev[k].trouble == DEVICE_NO_DRIVER) {
			first = first ? first : &w->bus->dev[k];
			text_join(cards, sizeof(cards), ", ", "%s", f->chips[k].bdf);
		}
	if (fleet_is_given(f)) {
		health_say(i, VERDICT_NONE, "another driver has every card");
	} else if (!*f->driver) {
		health_say(i, VERDICT_FAIL, "the driver is not loaded");
		if (first || f->n == 0)
			advice_set(&i->next, ACTION_CONFIGURE_HOST, "modprobe tenstorrent");
	} else if (first) {
		health_say(i, VERDICT_FAIL, "it does not have %s: %s", cards, first->reason);
		advice_take_state(&i->next, f, &f->chips[first->index]);
	} else {
		health_say(i, VERDICT_PASS, "tt-kmd %s", f->driver);
	}
}

void check_driver_floor(const struct health_world *w, struct health_item *i)
{
	/* driver_version() has three parts, a floor has four. */
	const uint32_t now = (uint32_t)driver_version(w->fleet->driver) << 8;
	const uint32_t floor = w->floors->driver;

	if (!w->is_machine)
		no_machine(i);
	else if (!floor)
		health_say(i, VERDICT_NONE, "there is no floor");
	else if (!now)
		health_say(i, VERDICT_INCOMPLETE, "%s", *w->fleet->driver ?
			"the driver's version cannot be read" : "the driver is not loaded");
	else
		health_say(i, now < floor ? VERDICT_WARN : VERDICT_PASS, "%s, floor %u.%u.%u",
			w->fleet->driver, floor >> 24, floor >> 16 & 0xff, floor >> 8 & 0xff);
}

/* Whether this card is present, even if it was not chosen for this run. */
static bool is_here(const struct health_world *w, const char *bdf)
{
	for (size_t k = 0; k < w->fleet->n; k++)
		if (strcmp(w->fleet->chips[k].bdf, bdf) == 0 && is_present(w, k))
			return true;
	return false;
}

static void put_missing(const struct health_world *w, char *names, size_t size)
{
	const struct roster *r = w->roster;

	for (size_t k = 0; k < r->n; k++) {
		const struct roster_chip *c = &r->chips[k];
		char name[64];

		if (c->index >= 0 || (!c->chip && is_here(w, c->bdf)))
			continue;
		snprintf(name, sizeof(name), "%s%s%s%s", c->bdf, c->chip ? " (second chip)" : "",
			*c->board ? " " : "", c->board);
		if (c->tray)
			snprintf(name + strlen(name), sizeof(name) - strlen(name), " UBB%d U%d",
				c->tray, c->position);
		text_join(names, size, ", ", "%s", name);
	}
}

/* Who says how many there should be counts the second chip of a board that is here, read or not. */
static bool is_counted(const struct health_world *w, size_t index)
{
	const struct snapshot *s = &w->fleet->chips[index];

	return w->roster->asked && s->local >= 0 && s->health == SNAPSHOT_NOT_READ &&
		is_present(w, (size_t)s->local);
}

void check_expected(const struct health_world *w, struct health_item *i)
{
	const size_t expected = w->expected;
	size_t present = 0;
	char names[HEALTH_TEXT / 2] = "";

	if (w->expected_unknown) {
		health_say(i, VERDICT_INCOMPLETE, "%s", w->expected_unknown);
		advice_set(&i->next, ACTION_NONE, "say how many there should be: --expected N");
		return;
	}
	if (!expected) {
		health_say(i, VERDICT_NONE, "nobody said how many: --expected N");
		return;
	}
	put_missing(w, names, sizeof(names));
	for (size_t k = 0; k < w->fleet->n; k++)
		present += is_present(w, k) || is_counted(w, k);
	if (present < expected) {
		health_say(i, VERDICT_FAIL, "%zu of %zu chips are here%s%s", present, expected,
			*names ? "; missing: " : "", names);
		advice_set(&i->next, advice_rescan.action, "%s", advice_rescan.text);
	} else {
		health_say(i, VERDICT_PASS, "%zu of %zu chips", present, expected);
	}
}

void check_trays(const struct health_world *w, struct health_item *i)
{
	unsigned there[GALAXY_TRAYS + 1] = { 0 }, trays = 0;
	size_t missing = 0;
	char names[HEALTH_TEXT / 2] = "";

	for (size_t k = 0; k < w->fleet->n; k++) {
		const struct snapshot *s = &w->fleet->chips[k];

		if (s->tray > 0 && s->tray <= GALAXY_TRAYS &&
			(is_present(w, k) || snapshot_is_given(s)))
			there[s->tray] |= 1u << (s->place - 1);
	}
	for (int t = 1; t <= GALAXY_TRAYS; t++) {
		trays += there[t] != 0;
		for (int p = 1; there[t] && p <= GALAXY_CHIPS; p++)
			if (!(there[t] >> (p - 1) & 1)) {
				text_join(names, sizeof(names), ", ", "UBB%d U%d", t, p);
				missing++;
			}
	}
	if (!trays)
		health_say(i, VERDICT_NONE, "not a galaxy");
	else if (missing > 0)
		health_say(i, VERDICT_FAIL, "%zu missing: %s", missing, names);
	else
		health_say(i, VERDICT_PASS, "%u tray%s of %d chips", trays, trays == 1 ? "" : "s",
			GALAXY_CHIPS);
}

/*
 * An earlier chip that has the same board number but is on another board; or NULL.  Chips that do
 * not say where they are on it may be more than it has.
 */
static const struct snapshot *twin_of(const struct fleet *f, size_t at)
{
	const struct snapshot *s = &f->chips[at], *first = NULL;
	size_t n = s->local < 0;

	for (size_t k = 0; k < at; k++) {
		const struct snapshot *c = &f->chips[k];

		if (snapshot_serial(c) != snapshot_serial(s))
			continue;
		if (!snapshot_is_of_board(c, s))
			return c;
		if (c->local >= 0)
			continue;
		first = first ? first : c;
		n++;
	}
	return n > board_on_pcie(s->upi) ? first : NULL;
}

/* A chip that should have this reading and does not, so that it cannot be compared. */
static bool is_silent(const struct health_world *w, size_t k, enum field_id id)
{
	const struct snapshot *s = &w->fleet->chips[k];

	return w->fleet->wanted[k] && is_present(w, k) && !reading_is_ok(&s->r[id]) &&
		!(snapshot_is_live(s) && s->r[id].state == READING_ABSENT);
}

static size_t count_silent(const struct health_world *w, enum field_id id)
{
	size_t n = 0;

	for (size_t k = 0; k < w->fleet->n; k++)
		n += is_silent(w, k, id);
	return n;
}

static void say_silent(size_t n, const char *what, struct health_item *i)
{
	health_say(i, VERDICT_INCOMPLETE, "of %zu chip%s %s is not known", n, n == 1 ? "" : "s",
		what);
}

void check_serials(const struct health_world *w, struct health_item *i)
{
	const size_t silent = count_silent(w, FIELD_BOARD_ID);
	const struct fleet *f = w->fleet;

	health_say(i, VERDICT_INCOMPLETE, "no board says which it has");
	for (size_t k = 0; k < f->n; k++) {
		const struct reading *r = &f->chips[k].r[FIELD_BOARD_ID];
		const struct snapshot *twin;

		if (!reading_is_ok(r))
			continue;
		twin = twin_of(f, k);
		if (twin) {
			health_say(i, VERDICT_WARN, "%s and %s both have %016" PRIx64, twin->bdf,
				f->chips[k].bdf, (uint64_t)r->value);
			return;
		}
		health_say(i, VERDICT_PASS, "every board has its own");
	}
	if (silent > 0)
		say_silent(silent, "the number", i);
}

/* The first chip of its kind whose firmware is known. */
static const struct snapshot *first_of(const struct fleet *f, enum device_chip chip)
{
	for (size_t k = 0; k < f->n; k++)
		if (f->wanted[k] && f->chips[k].chip == chip &&
			reading_is_ok(&f->chips[k].r[FIELD_FW_BUNDLE]))
			return &f->chips[k];
	return NULL;
}

void check_same_firmware(const struct health_world *w, struct health_item *i)
{
	const struct fleet *f = w->fleet;
	char other[STRBUF_NUMBER], first[STRBUF_NUMBER];
	const size_t silent = count_silent(w, FIELD_FW_BUNDLE);
	size_t known = 0;

	for (size_t k = 0; k < f->n; k++) {
		const struct snapshot *s = &f->chips[k], *like = first_of(f, s->chip);
		const struct reading *r = &s->r[FIELD_FW_BUNDLE];

		if (!f->wanted[k] || !like || !reading_is_ok(r))
			continue;
		known++;
		if (r->value == like->r[FIELD_FW_BUNDLE].value)
			continue;
		health_say(i, VERDICT_WARN, "chip %d has %s, chip %d %s", s->index,
			field_text(FIELD_FW_BUNDLE, r, other, sizeof(other)), like->index,
			field_text(FIELD_FW_BUNDLE, &like->r[FIELD_FW_BUNDLE], first,
				sizeof(first)));
		return;
	}
	if (known == 0)
		health_say(i, VERDICT_INCOMPLETE, "no chip said which it has");
	else if (silent > 0)
		say_silent(silent, "the firmware", i);
}

#define PAGES_EACH 4	/* 1 GiB pages that programs ask for, per chip on PCIe */
#define PAGES	   "sys/kernel/mm/hugepages/hugepages-1048576kB/"
#define MOUNT	   "/dev/hugepages-1G"	/* the only place where the runtime looks for them */

/*
 * Whether the IOMMU translates for this card; then its programs need no large pages.  The kernel
 * says "identity" for an IOMMU that passes through, as with iommu=pt.
 */
static bool is_translated(const struct health_world *w, const struct snapshot *s, bool *passes)
{
	char path[96], type[32] = "";

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/iommu_group/type", s->bdf);
	check_read(w, path, type, sizeof(type));
	*passes |= strcmp(type, "identity") == 0;
	return strncmp(type, "DMA", 3) == 0;
}

static bool read_pages(const struct health_world *w, const char *file, uint64_t *n)
{
	char path[96], text[32];

	snprintf(path, sizeof(path), PAGES "%s", file);
	return check_read(w, path, text, sizeof(text)) == 0 && parse_u64(text, n);
}

/* The runtime keeps each page in a file "...tenstorrent", also while no program runs. */
static size_t count_kept(const struct health_world *w)
{
	char pattern[sizeof(w->bus->root) + sizeof(MOUNT) + 32];
	glob_t files = { .gl_pathc = 0 };
	size_t len, n;

	snprintf(pattern, sizeof(pattern), "%s" MOUNT, w->bus->root);
	if (path_resolve_below(pattern, sizeof(pattern) - 16, strlen(w->bus->root)) < 0)
		return 0;
	len = strlen(pattern);
	snprintf(pattern + len, sizeof(pattern) - len, "/*tenstorrent");
	n = glob(pattern, GLOB_NOSORT, NULL, &files) == 0 ? files.gl_pathc : 0;
	globfree(&files);
	return n;
}

/* 1: hugetlbfs is mounted as the runtime wants it; 0: it is not; -errno: that is not known. */
static int find_mount(const struct health_world *w)
{
	static char text[1 << 20];
	const int r = check_read_all(w, "proc/mounts", text, sizeof(text));
	char *at = r < 0 ? NULL : strstr(text, " " MOUNT " hugetlbfs ");

	if (at)
		at[strcspn(at, "\n")] = '\0';
	return r < 0 ? r : at && strstr(at, "pagesize=1024M");
}

/* `kept`: pages that the runtime has, free ones included. */
static void judge_pages(const struct health_world *w, unsigned cards, bool passes,
	struct health_item *i)
{
	const char *iommu = passes ? "boot without iommu=pt" : "enable the IOMMU";
	const unsigned needed = PAGES_EACH * cards;
	const enum action setup = ACTION_CONFIGURE_HOST;
	uint64_t pages = 0, kept;
	const bool has_size = read_pages(w, "nr_hugepages", &pages);
	const int mount = find_mount(w);

	kept = pages;
	if (read_pages(w, "free_hugepages", &kept))
		kept += count_kept(w);
	health_say(i, VERDICT_WARN, "%s for %u card%s, and %" PRIu64 " of %u pages of 1 GiB%s",
		passes ? "the IOMMU passes through" : "no IOMMU", cards, cards == 1 ? "" : "s",
		pages, needed, pages < needed ? "" : mount == 0 ? ", not mounted at " MOUNT
		: kept < needed ? ", which others use" : "");
	if (!has_size)
		advice_set(&i->next, setup, "%s: this processor has no pages of 1 GiB", iommu);
	else if (pages < needed)
		advice_set(&i->next, setup, "%s, or boot with hugepagesz=1G hugepages=%u", iommu,
			needed);
	else if (mount == 0)
		advice_set(&i->next, setup, "mount -t hugetlbfs -o pagesize=1G hugetlbfs " MOUNT);
	else if (kept < needed)
		advice_set(&i->next, setup, "end what uses them, or %s", iommu);
	else
		i->result = mount < 0 ? VERDICT_INCOMPLETE : VERDICT_PASS;
}

/*
 * Without an IOMMU, upstream's runtime needs four pages a chip (tt-metal #4211, tt-umd #49), from a
 * hugetlbfs at one path (tt-umd, device/hugepage.cpp).
 */
void check_dma(const struct health_world *w, struct health_item *i)
{
	unsigned cards = 0, here = 0;
	bool passes = false;

	if (!w->is_machine) {
		no_machine(i);
		return;
	}
	for (size_t k = 0; k < w->fleet->n; k++) {
		const struct snapshot *s = &w->fleet->chips[k];

		if (s->local >= 0 || !is_present(w, k))
			continue;
		here++;
		cards += !is_translated(w, s, &passes);
	}
	if (cards > 0)
		judge_pages(w, cards, passes, i);
	else
		health_say(i, here ? VERDICT_PASS : VERDICT_NONE, "%s",
			here ? "the IOMMU translates for every card" : "there is no card");
}
