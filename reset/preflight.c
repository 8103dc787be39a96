/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preflight.c - which processes hold the cards, and whether port or machine make a reset unsafe.
 *
 * Our own live displays and dumps close a card that is being reset and open it
 * again afterwards, so they are not a reason to refuse.
 */
#include "config.h"
#include "reset/preflight.h"

#include "act/hold.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "device/bus.h"
#include "device/kind.h"
#include "telemetry/link.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "%s/sys/bus/pci/devices/%s"

/* Offsets in a bridge's config space; every user may read up to CONFIG_HEADER. */
#define COMMAND	       4
#define HEADER_TYPE    14
#define BRIDGE_CONTROL 62
#define CONFIG_HEADER  64

static bool read_word(const struct bus *bus, const char *bdf, const char *name, char *text,
	size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), FOLDER "/%s", bus->root, bdf, name);
	if (file_read_at(AT_FDCWD, path, text, size) < 0)
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return *text;
}

static void read_config(const struct bus *bus, struct pcie_port *p)
{
	uint8_t space[CONFIG_HEADER];
	char path[512];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), FOLDER "/config", bus->root, p->bdf);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	n = fd < 0 ? 0 : read(fd, space, sizeof(space));
	if (fd >= 0)
		close(fd);
	if (n != (ssize_t)sizeof(space))
		return;
	p->is_off = space[0] == 0xff && space[1] == 0xff;
	if (!p->is_off && (space[HEADER_TYPE] & 0x7f) != 1)
		return;
	p->has_config = true;
	p->passes_memory = space[COMMAND] & 0x02;
	p->passes_dma = space[COMMAND] & 0x04;
	p->holds_reset = space[BRIDGE_CONTROL] & 0x40;
}

/* Format a link as that of a card; keep the kernel's words if they do not parse. */
static void put_link(struct pcie_port *p, const char *speed, const char *width)
{
	const int32_t rate = link_speed_of(speed);
	int64_t lanes;

	if (rate > 0 && parse_i64(width, &lanes) && lanes > 0 && lanes <= 32)
		link_text(rate, (int32_t)lanes, p->link, sizeof(p->link));
	else
		snprintf(p->link, sizeof(p->link), "%s x%s", speed, width);
}

void port_read(const struct bus *bus, const char *bdf, struct pcie_port *out)
{
	char speed[24], width[8];

	*out = (struct pcie_port){ 0 };
	if (bus->ops != &transport_kmd || !aer_find_above(bus, bdf, out->bdf, sizeof(out->bdf)))
		return;
	out->known = true;
	read_word(bus, out->bdf, "power_state", out->power, sizeof(out->power));
	if (read_word(bus, out->bdf, "current_link_speed", speed, sizeof(speed)) &&
		read_word(bus, out->bdf, "current_link_width", width, sizeof(width)))
		put_link(out, speed, width);
	aer_read(bus, out->bdf, &out->aer);
	if (strcmp(out->power, "D0") == 0)
		read_config(bus, out);
}

/*
 * Why the port's state speaks against a reset, in words; NULL: it does not.  *unsafe: a
 * reset cannot go well in this state.
 */
static const char *port_trouble(const struct pcie_port *p, bool *unsafe)
{
	*unsafe = true;
	if (strncmp(p->power, "D3", 2) == 0)
		return "is powered down: the card cannot be reached through it";
	if (p->has_config && p->is_off)
		return "does not answer: its config space reads all ones";
	if (p->has_config && p->holds_reset)
		return "holds the card in reset";
	*unsafe = false;
	if (p->has_config && !p->passes_memory)
		return "forwards no loads and stores: the card cannot be read through it";
	if (p->has_config && !p->passes_dma)
		return "is not a bus master: the card's DMA and interrupts do not arrive";
	return NULL;
}

/* The checks. */

/* The longest that a reset takes: 20 s, then 10; 30 s, then 100 (chip-facts 5.2 and 5.4). */
#define LASTS	     (40 * CLOCK_SECOND)
#define LASTS_GALAXY (140 * CLOCK_SECOND)

static void __attribute__((format(printf, 5, 6))) add_note(struct preflight *p, int index,
	enum preflight_weight weight, enum code code, const char *fmt, ...)
{
	struct preflight_note *note;
	va_list args;

	p->count[weight]++;
	p->notes = mem_realloc(p->notes, (p->n + 1) * sizeof(*p->notes));
	note = &p->notes[p->n++];
	*note = (struct preflight_note){ .index = index, .weight = weight, .code = code };
	va_start(args, fmt);
	vsnprintf(note->text, sizeof(note->text), fmt, args);
	va_end(args);
}

static void check_holders(struct preflight *p, const struct fleet *f, const struct device *d)
{
	char text[HOLDER_TEXT];
	const struct process *h;

	for (size_t i = 0; (h = holder_next(f, d->index, &i));) {
		holder_put(d, h, text);
		add_note(p, d->index, PREFLIGHT_BUSY, CODE_HELD, "%s", text);
	}
	for (size_t i = 0; i < f->n_processes; i++) {
		h = &f->processes[i];
		if (h->device == d->index && h->pid > 0 && holder_is_monitor(h))
			add_note(p, d->index, PREFLIGHT_NOTE, CODE_NONE,
				"process %ld (%s, %.60s) watches it, lets go by itself and "
				"comes back", (long)h->pid, h->user, h->command);
	}
}

static void add_errors(struct preflight *p, const struct device *d, const char *whose,
	const struct aer *aer)
{
	if (aer->known && aer->errors[AER_FATAL] + aer->errors[AER_NONFATAL] > 0)
		add_note(p, d->index, PREFLIGHT_NOTE, CODE_NONE,
			"the kernel counted %llu fatal and %llu non-fatal errors on %s PCIe link",
			(unsigned long long)aer->errors[AER_FATAL],
			(unsigned long long)aer->errors[AER_NONFATAL], whose);
}

static void check_link(struct preflight *p, const struct bus *bus, const struct device *d)
{
	struct aer aer;
	const char *trouble;
	struct pcie_port port;
	bool unsafe;

	if (bus->ops != &transport_kmd)
		return;
	aer_read(bus, d->bdf, &aer);
	add_errors(p, d, "its", &aer);
	port_read(bus, d->bdf, &port);
	if (!port.known) {
		add_note(p, d->index, PREFLIGHT_NOTE, CODE_NONE,
			"no PCIe port is seen above it: the driver cannot reset its link, if the "
			"firmware does not answer");
		return;
	}
	add_errors(p, d, "its port's", &port.aer);
	trouble = port_trouble(&port, &unsafe);
	if (trouble)
		add_note(p, d->index, unsafe ? PREFLIGHT_UNSAFE : PREFLIGHT_NOTE,
			CODE_UNSAFE_HERE, "its PCIe port %s (%s%s%s) %s", port.bdf, port.power,
			*port.link ? ", " : "", port.link, trouble);
}

/* A recorded tree has a regular file in place of the node. */
static bool is_recorded(const struct bus *bus, const struct device *d)
{
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), "%s/dev/tenstorrent/%d", bus->root, d->node);
	return bus->ops == &transport_kmd && stat(path, &st) == 0 && !S_ISCHR(st.st_mode);
}

int64_t preflight_reset_limit(const struct snapshot *s)
{
	return snapshot_is_of_galaxy(s) ? LASTS_GALAXY : LASTS;
}

/*
 * A program that resets a card holds nothing of it meanwhile, so nobody can be asked.  What goes
 * on for longer than any program's reset was left by one that was ended, and only a reset ends it.
 */
static void check_reset(struct preflight *p, const struct snapshot *s)
{
	if (!snapshot_is_being_reset(s))
		return;
	if (s->time - s->reset_since > preflight_reset_limit(s)) {
		add_note(p, s->index, PREFLIGHT_NOTE, CODE_BEING_RESET,
			"a reset of it was begun and not ended: no reset takes that long");
		return;
	}
	p->resets++;
	add_note(p, s->index, PREFLIGHT_BUSY, CODE_BEING_RESET, "%s", s->reason);
}

bool preflight_is_hopeless(const struct reset_plan *plan, const struct fleet *f, size_t at)
{
	const struct snapshot *s = &f->chips[plan->cards[at].index];

	if (snapshot_can_be_reset(s) || plan->cards[at].ladder[0] == PLAN_OUTSIDE)
		return false;
	for (size_t i = 0; i < plan->n && !snapshot_is_gone(s); i++) {
		const struct snapshot *o = &f->chips[plan->cards[i].index];

		if (plan->cards[i].can_dmc && snapshot_can_be_reset(o) &&
			fleet_takes_along(f, s, o))
			return false;
	}
	return true;
}

static void check_card(struct preflight *p, const struct bus *bus, const struct fleet *f,
	const struct reset_plan *plan, size_t at)
{
	const struct device *d = &bus->dev[plan->cards[at].index];
	const struct snapshot *s = &f->chips[d->index];

	if (d->trouble != DEVICE_FINE)
		add_note(p, d->index, PREFLIGHT_IMPOSSIBLE, device_code(d), "%s", d->reason);
	else if (is_recorded(bus, d))
		add_note(p, d->index, PREFLIGHT_IMPOSSIBLE, CODE_RECORDED,
			"a recorded tree's card cannot be reset");
	else if (preflight_is_hopeless(plan, f, at))
		add_note(p, d->index, PREFLIGHT_HOPELESS, s->code, "cannot be reset: %s",
			*s->reason ? s->reason : s->note);
	check_holders(p, f, d);
	check_link(p, bus, d);
}

static void check_host(struct preflight *p, const struct fleet *f, const struct host *host)
{
	if (!f->origin->is_machine)
		return;
	if (strncmp(host->platform, "aarch", 5) == 0 || strncmp(host->platform, "arm", 3) == 0)
		add_note(p, -1, PREFLIGHT_UNSAFE, CODE_UNSAFE_HERE,
			"resets are not proven on Arm hosts: config space may not come back");
	if (host->container)
		add_note(p, -1, PREFLIGHT_NOTE, CODE_NONE,
			"in a container: processes outside of it that hold a card cannot be "
			"seen%s", driver_version(f->driver) >= 0x020800 ? "" : ", nor a reset "
			"that goes on there, unless both share a network namespace");
	if (host->xen)
		add_note(p, -1, PREFLIGHT_NOTE, CODE_NONE,
			"in a Xen guest: a card that does not come back needs a "
			"reset by the host, which may watch xenstore's pci_hard_reset for it");
	else if (host->virtual_machine)
		add_note(p, -1, PREFLIGHT_NOTE, CODE_NONE,
			"in a virtual machine: a card that does not come back needs a reset by "
			"the host");
}

void preflight_clear(struct preflight *p)
{
	free(p->notes);
	*p = (struct preflight){ 0 };
}

void preflight_check(struct preflight *p, const struct reset_plan *plan, const struct bus *bus,
	const struct fleet *f, const struct host *host)
{
	preflight_clear(p);
	check_host(p, f, host);
	for (size_t i = 0; i < plan->n; i++) {
		check_reset(p, &f->chips[plan->cards[i].index]);
		check_card(p, bus, f, plan, i);
	}
	if (*f->processes_unknown)
		add_note(p, -1, PREFLIGHT_BUSY, CODE_HOLDERS_UNKNOWN,
			"processes that hold a card are not known: %s", f->processes_unknown);
	else if (f->processes_partial)
		add_note(p, -1, PREFLIGHT_NOTE, CODE_HOLDERS_UNKNOWN,
			"not every process could be inspected (root can): others may hold a card");
}
