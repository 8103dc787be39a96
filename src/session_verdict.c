/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_verdict.c - what the cards of a session amount to: exit code, and reasons on stderr.
 */
#include "config.h"
#include "src/session.h"

#include "base/array.h"
#include "base/file.h"
#include "base/text.h"
#include "src/say.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A card on the PCI bus that no driver offers a device for. */
static bool is_undriven(const struct fleet *f, const struct snapshot *c)
{
	return strcmp(f->source, "kmd") == 0 && c->local < 0 && c->node < 0;
}

/* A second chip is left alone on purpose, and counts as read. */
static bool is_left_alone(const struct snapshot *c)
{
	return c->health == SNAPSHOT_NOT_READ && c->local >= 0;
}

/* Of the cards to be read: all, those that failed or have stopped, those without a driver. */
struct tally {
	size_t shown, failed, undriven;
};

static struct tally count_shown(const struct session *s)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	struct tally t = { 0 };

	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *c = &f->chips[i];

		if (!f->wanted[i] || is_left_alone(c))
			continue;
		t.shown++;
		t.failed += snapshot_miss(c) != NULL;
		t.undriven += snapshot_is_lost(c) && is_undriven(f, c);
	}
	return t;
}

enum exit_code session_verdict(const struct session *s)
{
	const struct tally t = count_shown(s);

	if (t.shown == t.undriven)
		return EXIT_NO_DEVICE;
	if ((t.failed == 0 && !s->misses) || (s->partial_ok && t.failed < t.shown))
		return EXIT_DONE;
	return EXIT_PARTIAL;
}

bool session_reads_none(const struct session *s)
{
	const struct fleet *f = sampler_fleet(s->sampler);

	for (size_t i = 0; i < f->n; i++)
		if (f->wanted[i] && f->chips[i].health != SNAPSHOT_NOT_READ)
			return false;
	return true;
}

/* Whether the functions of the PCI bus can be seen at all; in a container they may not be. */
static bool sees_pci(const struct session *s)
{
	static const char *const lists[] = { "sys/bus", "proc/bus/pci/devices" };
	char path[sizeof(s->bus->root) + 24];
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		snprintf(path, sizeof(path), "%s/%s", s->bus->root, lists[i]);
		any |= access(path, F_OK) == 0;
	}
	return any;
}

void session_complain_none(const struct session *s)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	bool any = false;

	for (size_t i = 0; i < f->n; i++)
		any |= f->wanted[i] && !is_left_alone(&f->chips[i]);
	if (f->n == 0 && strcmp(f->source, "kmd") == 0 && !sees_pci(s)) {
		say_as(CODE_NO_DEVICE, "no Tenstorrent device can be seen: there is no sysfs at "
			"%s/sys", strcmp(s->bus->root, "/") == 0 ? "" : s->bus->root);
		say("hint: `mount -t sysfs sysfs /sys`, or pass /sys into the container");
	} else if (f->n == 0 && strcmp(f->source, "kmd") == 0) {
		say_as(CODE_NO_DEVICE, "no Tenstorrent device: none on the PCI bus, %s", *f->driver
			? "none at the driver" : "and the driver is not loaded");
		say("hint: lspci -d 1e52: lists cards; --sim p150a shows the tool without one");
	} else if (!any) {
		say_as(CODE_NO_DEVICE, "no device to show%s%s", *f->selection ? ": " : "",
			f->selection);
	}
}

void session_complain(const struct session *s)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	const struct tally t = count_shown(s);

	session_complain_none(s);
	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *c = &f->chips[i];

		if (f->wanted[i] && snapshot_miss(c))
			say_as(snapshot_code(c), "%d %s: %s", c->index,
				*c->bdf ? c->bdf : c->series, snapshot_miss(c));
	}
	if (s->piped && t.failed > 0 && t.failed < t.shown)
		say_as(CODE_NOT_READ, "%zu of %zu chips %s; with --strict the exit code says so, "
			"too", t.failed, t.shown, t.failed == 1 ? "was not read, or has stopped" :
			"were not read, or have stopped");
}

enum exit_code session_put(struct strbuf *text, enum exit_code code)
{
	int r = file_write_all(STDOUT_FILENO, text->text, text->len);

	strbuf_clear(text);
	return r < 0 ? session_fail_stdout(r, code) : code;
}

enum exit_code session_print(struct session *s, struct strbuf *text, bool explained)
{
	const enum exit_code code = session_put(text, session_verdict(s));

	/* A program that reads a pipe may look for the reasons on stderr only. */
	(s->piped || !explained ? session_complain : session_complain_none)(s);
	session_close(s);
	return code;
}
