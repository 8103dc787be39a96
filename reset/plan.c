/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.c - the ladder of each card, and the cards that a reset configuration names.
 *
 * Driver and chip decide which methods are available.  The board's controller resets
 * every chip of the board, so unless the caller asks for it, that rung is used only
 * on boards with a single PCI function.
 */
#include "config.h"
#include "reset/plan.h"

#include "base/mem.h"
#include "base/text.h"
#include "device/bus.h"
#include "device/kind.h"
#include "telemetry/chip/chip.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NODES_MAX 4096		/* more than any machine has: the file would be hostile */

/* Upstream's tool writes null for what it does not know. */
static bool is_known(const struct json *node)
{
	return node && !json_is_null(node);
}

/* Add the cards of the section `key`, if there is one. */
static int add_nodes(const struct json *doc, const char *key, struct strbuf *names, size_t *n,
	struct error *e)
{
	const struct json *section = json_get(doc, key), *list = json_get(section, "pci_index");

	if (is_known(section) && !json_is_object(section))
		return fail(e, -EINVAL, "%s is not an object with pci_index", key);
	if (is_known(list) && !json_is_array(list))
		return fail(e, -EINVAL, "pci_index is not a list of card numbers");
	for (const struct json *i = json_child(list); i; i = json_next(i)) {
		double v;

		if (!json_get_number(i, &v) || !(v >= 0 && v <= 9999) || v != (int)v)
			return fail(e, -EINVAL, "pci_index has an entry that is not a number");
		if (++*n > NODES_MAX)
			return fail(e, -EINVAL, "pci_index has more than %d cards", NODES_MAX);
		strbuf_printf(names, "/dev/tenstorrent/%d ", (int)v);
	}
	return 0;
}

int reset_nodes_take(const struct json *doc, struct strbuf *names, struct error *e)
{
	size_t n = 0;
	int r = add_nodes(doc, "wh_link_reset", names, &n, e);

	return r < 0 ? r : add_nodes(doc, "gs_tensix_reset", names, &n, e);
}

/* The ladder. */

#define DRIVER_RESETS	0x020400	/* ASIC_RESET, POST_RESET (chip-facts 1.8.2) */

static const struct {
	const char *name, *title;
	enum device_reset call;		/* the driver's, which begins it; tensix has none */
	bool is_old;			/* of drivers before 2.4: RESTORE_STATE ends it */
} methods[PLAN_METHODS] = {
	[PLAN_ASIC] = { "asic", "ASIC_RESET", DEVICE_ASIC_RESET, false },
	[PLAN_DMC] = { "dmc", "ASIC_DMC_RESET", DEVICE_DMC_RESET, false },
	[PLAN_CONFIG_WRITE] = { "config-write", "CONFIG_WRITE", DEVICE_CONFIG_WRITE, true },
	[PLAN_MESSAGE] = { "message", "reset message", DEVICE_RESET_LINK, true },
	[PLAN_TENSIX] = { "tensix", "tensix reset", DEVICE_RESETS, false },
	[PLAN_OUTSIDE] = { "outside", "USER_RESET", DEVICE_USER_RESET, false },
};

const char *plan_method_name(enum plan_method m)
{
	return methods[m].name;
}

const char *plan_method_title(enum plan_method m)
{
	return methods[m].title;
}

enum device_reset plan_method_call(enum plan_method m)
{
	return methods[m].call;
}

bool plan_method_is_old(enum plan_method m)
{
	return methods[m].is_old;
}

int plan_method_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(methods); i++)
		if (strcmp(methods[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* Whether s is the only PCI function of its board, so its controller resets no other card. */
static bool is_alone(const struct fleet *f, const struct snapshot *s)
{
	for (size_t i = 0; i < f->n; i++)
		if (fleet_takes_along(f, s, &f->chips[i]))
			return false;
	return true;
}

static bool is_whole_board(const struct fleet *f, const bool *wanted, const struct snapshot *s,
	const struct snapshot **missing)
{
	for (size_t i = 0; i < f->n; i++) {
		*missing = &f->chips[i];
		if (!wanted[i] && fleet_needs_both(f, s, *missing))
			return false;
	}
	return true;
}

/* The targets that a person has to name with this one, as is_whole_board() demands. */
static void name_board(struct plan_card *c, const struct fleet *f, const struct snapshot *s)
{
	mem_copy_text(c->board, sizeof(c->board), s->bdf);
	for (size_t i = 0; i < f->n; i++)
		if (fleet_needs_both(f, s, &f->chips[i]))
			text_join(c->board, sizeof(c->board), ",", "%s", f->chips[i].bdf);
}

static void plan_add_rung(struct plan_card *c, const struct plan_wish *wish, enum plan_method m)
{
	if (!wish->forbidden[m] && c->n < PLAN_RUNGS)
		c->ladder[c->n++] = m;
}

/* The first method of drivers before 2.4 that this one has for the chip; PLAN_METHODS: none. */
static enum plan_method find_old_method(const struct device_kind *kind, unsigned driver)
{
	enum plan_method m = 0;

	while (m < PLAN_METHODS && (!methods[m].is_old || !kind->reset_since[methods[m].call] ||
		driver < kind->reset_since[methods[m].call]))
		m++;
	return m;
}

static int refuse_driver(const struct snapshot *s, const char *driver, struct error *e)
{
	if (!*driver)
		return fail_as(e, CODE_NO_DRIVER, -EPERM, "%s", *s->reason ? s->reason
			: "the driver is not loaded");
	return fail_as(e, CODE_DRIVER_OLD, -EPERM, "driver %s cannot reset a %s: install "
		"tt-kmd 2.4.1 or later", driver, device_chip_name(s->chip));
}

/* For a chip of which only the cores can be reset, by the drivers that still support it. */
static int plan_cores(struct plan_card *c, const struct fleet *f, const struct snapshot *s,
	const struct plan_wish *wish, struct error *e)
{
	const char *name = device_chip_name(s->chip), *last = kind_of(s->chip)->last_driver;
	unsigned driver = driver_version(f->driver);

	if (driver == 0 || driver > driver_version(last))
		return fail_as(e, CODE_DRIVER_OLD, -EPERM, "driver %s does not drive a %s: tt-kmd "
			"%s was the last", f->driver, name, last);
	if (wish->dmc || wish->outside)
		return fail_as(e, CODE_UNSUPPORTED, -EPERM, "only the cores of a %s can be "
			"reset", name);
	plan_add_rung(c, wish, PLAN_TENSIX);
	return 0;
}

static int plan_by_driver(struct plan_card *c, const struct fleet *f, const struct snapshot *s,
	const struct plan_wish *wish, struct error *e)
{
	const unsigned driver = driver_version(f->driver);
	const enum plan_method old = find_old_method(kind_of(s->chip), driver);

	if (wish->dmc && driver < DRIVER_RESETS)
		return fail_as(e, CODE_DRIVER_OLD, -EPERM, "driver %s has no --dmc: install tt-kmd "
			"2.4.1 or later", f->driver);
	if (wish->outside && driver >= DRIVER_RESETS) {
		plan_add_rung(c, wish, PLAN_OUTSIDE);
	} else if (driver >= DRIVER_RESETS) {
		c->can_dmc = !wish->forbidden[PLAN_DMC];
		if (!wish->dmc)
			plan_add_rung(c, wish, PLAN_ASIC);
		if (wish->dmc || is_alone(f, s))
			plan_add_rung(c, wish, PLAN_DMC);
	} else if (wish->outside || old == PLAN_METHODS) {
		return refuse_driver(s, f->driver, e);
	} else {
		plan_add_rung(c, wish, old);
	}
	return 0;
}

static int make_ladder(struct plan_card *c, const struct fleet *f, const struct snapshot *s,
	const struct plan_wish *wish, struct error *e)
{
	const struct device_kind *kind = kind_of(s->chip);
	int r;

	if (kind->no_reset)
		return fail(e, -EPERM, "%s", kind->no_reset);
	r = kind->cores_only ? plan_cores(c, f, s, wish, e) : plan_by_driver(c, f, s, wish, e);
	if (r == 0 && c->n == 0)
		return fail_as(e, CODE_CONFLICT, -EINVAL, "every way to reset it is forbidden");
	return r;
}

static int plan_card(struct reset_plan *p, const struct fleet *f, const bool *wanted, size_t i,
	const struct plan_wish *wish, struct error *e)
{
	const struct snapshot *s = &f->chips[i], *missing = NULL;
	const struct board *board = board_find(s->upi);
	struct plan_card *c = &p->cards[p->n];
	int r;

	if (s->local >= 0) {
		if (wanted[s->local] || wish->all)
			return 0;
		return fail_as(e, CODE_SECOND_CHIP, -EPERM, "%s has no PCIe of its own and is "
			"reset with its board: name %d (%s)", s->series, s->local,
			f->chips[s->local].bdf);
	}
	if (board && !board->resettable && !wish->outside)
		return fail_as(e, CODE_UNSUPPORTED, -EPERM, "a %s cannot be reset alone; its trays "
			"can, by -glx_reset_tray", board->name);
	if (!is_whole_board(f, wanted, s, &missing)) {
		const char *shares = snapshot_shares_board(s, missing) ? "is on the same board"
			: snapshot_serial(s) ? "was not read and may be on the same board"
			: "may be on the same board, since this one was not read";

		if (wish->all)
			return fail_as(e, CODE_OTHER_HALF, -EPERM, "%s %s, and is not reset",
				missing->bdf, shares);
		return fail_as(e, CODE_OTHER_HALF, -EPERM, "%s %s: name both, %d and %d",
			missing->bdf, shares, s->index, missing->index);
	}
	*c = (struct plan_card){ .index = s->index };
	name_board(c, f, s);
	r = make_ladder(c, f, s, wish, e);
	if (r == 0)
		p->n++;
	return r;
}

int plan_make(struct reset_plan *p, const struct fleet *f, const bool *wanted,
	const struct plan_wish *wish, struct error *e)
{
	p->n = 0;
	p->refused = -1;
	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *s = &f->chips[i];
		const int r = wanted[i] ? plan_card(p, f, wanted, i, wish, &p->why) : 0;

		if (r == 0)
			continue;
		p->refused = (int)i;
		return s->local >= 0 ? fail_because(e, r, &p->why, "%d: %s", s->index, p->why.text)
			: fail_because(e, r, &p->why, "%s: %s", s->bdf, p->why.text);
	}
	return p->n ? 0 : fail(e, -ENODEV, "no card to reset");
}
