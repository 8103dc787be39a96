/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check_card.c - the checks of each card, beyond the findings of its sample.
 */
#include "config.h"
#include "health/checks_local.h"

#include "device/aer.h"
#include "device/device.h"
#include "report/holder.h"
#include "telemetry/change.h"
#include "telemetry/judge.h"
#include "telemetry/link.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void check_node(const struct health_world *w, const struct snapshot *s, struct health_item *i)
{
	const struct device *d;

	/* A card of a file or a simulation brings along that it has none. */
	if (!w->is_machine && s->local < 0 && snapshot_is_live(s) && s->code == CODE_NO_DRIVER) {
		health_say(i, VERDICT_FAIL, "%s", s->note);
		advice_take_state(&i->next, w->fleet, s);
		return;
	}
	if (!w->is_machine || s->local >= 0) {
		health_say(i, VERDICT_NONE, "it has none of its own");
		return;
	}
	d = &w->bus->dev[s->index];
	if (d->trouble == DEVICE_FINE) {
		health_say(i, VERDICT_PASS, "/dev/tenstorrent/%d", s->node);
	} else if (d->trouble == DEVICE_NO_PERMISSION) {
		health_say(i, VERDICT_INCOMPLETE, "%s", d->reason);
	} else {
		health_say(i, VERDICT_FAIL, "%s", d->reason);
		if (d->trouble == DEVICE_GONE)
			advice_take(&i->next, w->fleet, s, &advice_rescan);
		else
			advice_take_state(&i->next, w->fleet, s);
	}
}

/* Lines of "start end flags": a BAR with flags but no start address was not placed in memory. */
void check_bars(const struct health_world *w, const struct snapshot *s, struct health_item *i)
{
	unsigned long long start, end, flags;
	char path[96], text[4096], *line = text;
	unsigned placed = 0;
	int r;

	if (!w->is_machine || s->local >= 0) {
		health_say(i, VERDICT_NONE, "it has none of its own");
		return;
	}
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/resource", s->bdf);
	r = check_read_all(w, path, text, sizeof(text));
	if (r < 0 || !*text) {
		health_say(i, VERDICT_INCOMPLETE, "resource: %s",
			r < 0 ? strerror(-r) : "says nothing");
		return;
	}
	for (unsigned bar = 0; bar < 6 && *line; bar++) {
		const int n = sscanf(line, "%llx %llx %llx", &start, &end, &flags);

		line += strcspn(line, "\n");
		line += *line == '\n';
		if (n != 3 || !flags)
			continue;
		placed += start != 0;
		if (start == 0)
			health_say(i, VERDICT_FAIL, "BAR %u has no address", bar);
	}
	if (i->result == VERDICT_PASS)
		health_say(i, placed ? VERDICT_PASS : VERDICT_FAIL, "%u of its BARs have addresses",
			placed);
}

void check_answer(const struct health_world *w, const struct snapshot *s, struct health_item *i)
{
	if (snapshot_is_lost(s)) {
		health_say(i, snapshot_is_blind(s) ? VERDICT_INCOMPLETE : VERDICT_FAIL, "%s",
			s->reason);
		advice_take_state(&i->next, w->fleet, s);
	} else if (!snapshot_is_live(s)) {
		health_say(i, VERDICT_INCOMPLETE, "%s", s->health == SNAPSHOT_PENDING ?
			CHECK_LATE : s->reason);
	}
}

void check_link(const struct health_world *w, const struct snapshot *s, struct health_item *i)
{
	char words[96];

	(void)w;
	if (s->local >= 0)
		health_say(i, VERDICT_NONE, "it has none of its own");
	else if (!s->link.known)
		health_say(i, VERDICT_INCOMPLETE, "its speed or width is not known");
	else if (s->link.speed_best <= 0 || s->link.width_best <= 0)
		health_say(i, VERDICT_INCOMPLETE, "what it can do is not known");
	else
		health_say(i, VERDICT_PASS, "%s", link_words(&s->link, words, sizeof(words)));
}

/* The errors on this link since the kernel found it, worst first; "" for none. */
static enum verdict errors_of(const struct aer *a, char *text, size_t size)
{
	text[0] = '\0';
	for (int k = AER_FATAL; k >= 0; k--)
		if (a->errors[k] > 0)
			text_join(text, size, ", ", "%" PRIu64 " %s", a->errors[k], aer_kinds[k]);
	return a->errors[AER_FATAL] > 0 ? VERDICT_FAIL : *text ? VERDICT_WARN : VERDICT_PASS;
}

void check_aer(const struct health_world *w, const struct snapshot *s, struct health_item *i)
{
	struct aer links[AER_LINKS];
	char text[128];
	size_t n = w->is_machine && s->local < 0 ? aer_read_all(w->bus, s->bdf, links) : 0;
	size_t known = 0;

	for (size_t k = 0; k < n; k++) {
		const enum verdict r = errors_of(&links[k], text, sizeof(text));

		known += links[k].known;
		if (r > i->result)
			health_say(i, r, "%s: %s errors since the host started", links[k].bdf,
				text);
	}
	if (known == 0)
		health_say(i, VERDICT_NONE, "nobody counts them here");
	else if (i->result == VERDICT_PASS)
		health_say(i, VERDICT_PASS, "none on %zu link%s", known, known == 1 ? "" : "s");
}

void check_beat(const struct health_world *w, const struct snapshot *s, struct health_item *i)
{
	(void)w;
	if (s->beat == SNAPSHOT_BEAT_NONE && check_is_unseen(s, FIELD_HEARTBEAT))
		health_say(i, VERDICT_INCOMPLETE, "its heartbeat cannot be read");
	else if (s->beat == SNAPSHOT_BEAT_NONE)
		health_say(i, VERDICT_NONE, "this firmware has none");
	else if (s->beat == SNAPSHOT_BEAT_UNJUDGED)
		health_say(i, VERDICT_INCOMPLETE, "one sample does not tell");
	else if (s->beat == SNAPSHOT_BEAT_STOPPED)
		health_say(i, VERDICT_FAIL, "the firmware has stopped");
	else
		health_say(i, VERDICT_PASS, "alive");
}

void check_firmware(const struct health_world *w, const struct snapshot *s, struct health_item *i)
{
	const struct reading *r = &s->r[FIELD_FW_BUNDLE];
	const uint32_t floor = w->floors->firmware[s->chip];
	char now[STRBUF_NUMBER];

	if (!floor)
		health_say(i, VERDICT_NONE, "there is no floor for this chip");
	else if (!reading_is_ok(r))
		health_say(i, VERDICT_INCOMPLETE, "it does not say which it has");
	else
		health_say(i, bundle_order((uint32_t)r->value) < bundle_order(floor) ?
			VERDICT_WARN : VERDICT_PASS, "%s, floor %u.%u.%u",
			field_text(FIELD_FW_BUNDLE, r, now, sizeof(now)),
			floor >> 24, floor >> 16 & 0xff, floor >> 8 & 0xff);
}

void check_temperature(const struct health_world *w, const struct snapshot *s,
	struct health_item *i)
{
	const struct reading *now = &s->r[FIELD_ASIC_TEMP], *limit = &s->r[FIELD_THROTTLE_TEMP];
	char text[STRBUF_NUMBER], most[STRBUF_NUMBER];

	(void)w;
	if (!reading_is_ok(now))
		return;
	if (reading_is_ok(limit))
		health_say(i, VERDICT_PASS, "%s of %s °C",
			field_text(FIELD_ASIC_TEMP, now, text, sizeof(text)),
			field_text(FIELD_THROTTLE_TEMP, limit, most, sizeof(most)));
	else
		health_say(i, check_is_unseen(s, FIELD_THROTTLE_TEMP) ? VERDICT_INCOMPLETE :
			VERDICT_NONE, "its limit is not known");
}

/* No port has a link, and some are wired on the board: all dead, or not reported. */
static bool no_wire_is_up(const struct fleet *f, const struct snapshot *s)
{
	struct port ports[PORT_MOST];

	for (size_t p = 0, n = port_list(f->chips, f->n, (size_t)s->index, ports); p < n; p++)
		if (ports[p].medium >= PORT_BOARD && ports[p].state == PORT_NO_LINK)
			return true;
	return false;
}

/* The finding covers channels that are silent beside live ones, but not all of them silent. */
void check_ethernet(const struct health_world *w, const struct snapshot *s, struct health_item *i)
{
	const struct reading *live = &s->r[FIELD_ETH_LIVE], *enabled = &s->r[FIELD_ETH_ENABLED];

	if (reading_is_ok(live) && live->value == 0 && reading_is_ok(enabled) && enabled->value)
		health_say(i, VERDICT_INCOMPLETE,
			"no channel shows that it lives: not used, or dead");
	else if (no_wire_is_up(w->fleet, s))
		health_say(i, VERDICT_INCOMPLETE, "no port has a link, not even one that is wired "
			"to another chip: down, or not reported");
	else if (i->result == VERDICT_PASS && !judge_knows_ethernet(s))
		health_say(i, VERDICT_INCOMPLETE, "which channels are switched on is not known");
}

/* Whether no cause but the link makes the card slow: the link has its own check. */
static bool is_link_alone(const struct snapshot *s)
{
	char text[SLOW_TEXT];
	size_t n = 0, links = 0;

	for (size_t k = 0; k < SLOW_CAUSES; k++) {
		const char *finding = slow_cause(s, k, text);

		n += finding != NULL;
		links += finding && strcmp(finding, "link-downgraded") == 0;
	}
	return n == links;
}

/* Uses the line that overview and live show. */
void check_throttle(const struct health_world *w, const struct snapshot *s, struct health_item *i)
{
	char why[SLOW_TEXT];
	const enum slow slow = slow_why(s, why);

	(void)w;
	if (slow == SLOW_HELD && !is_link_alone(s))
		health_say(i, VERDICT_WARN, "%s", why);
	else if (check_is_unseen(s, FIELD_THROTTLE) || check_is_unseen(s, FIELD_NOP_TIME))
		health_say(i, VERDICT_INCOMPLETE, "what the firmware says of it cannot be read");
	else if (slow != SLOW_NOT && slow != SLOW_HELD && i->result == VERDICT_PASS)
		health_say(i, VERDICT_PASS, "%s", why);
}

static void say_process(const struct health_world *w, const struct process *p, const char *does,
	struct health_item *i)
{
	if (p->pid <= 0)
		health_say(i, VERDICT_WARN, "a program in another container %s", does);
	else if (w->external)
		health_say(i, VERDICT_WARN, "process %ld %s", (long)p->pid, does);
	else
		health_say(i, VERDICT_WARN, "process %ld (%s) %s: %s", (long)p->pid, p->user, does,
			p->command);
}

void check_holders(const struct health_world *w, const struct snapshot *s, struct health_item *i)
{
	const struct fleet *f = w->fleet;
	const struct process *p, *first = NULL;
	size_t at = 0, n = 0;

	while ((p = holder_next(f, s->index, &at))) {
		first = first ? first : p;
		n++;
	}
	if (first)
		say_process(w, first, n > 1 ? "and others have it" : "has it", i);
	else if (*f->processes_unknown)
		health_say(i, VERDICT_INCOMPLETE, "%s", f->processes_unknown);
	else if (f->processes_partial)
		health_say(i, VERDICT_INCOMPLETE, "only root sees the programs of others");
	else
		health_say(i, VERDICT_PASS, "free");
}

enum awake { AWAKE_NOT, AWAKE_KEPT, AWAKE_UNKNOWN };

/* Judge a descriptor of the card's node by its flags: without O_APPEND it asks for power. */
static enum awake flags_of(int fdinfo, const char *name)
{
	char text[1024], *at;
	int fd = openat(fdinfo, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	at = strstr(text, "flags:");
	if (!at)
		return AWAKE_UNKNOWN;
	return strtoul(at + strlen("flags:"), NULL, 8) & O_APPEND ? AWAKE_NOT : AWAKE_KEPT;
}

static bool is_node(int dir, const char *name, int node)
{
	char link[64], want[32];
	ssize_t n = readlinkat(dir, name, link, sizeof(link) - 1);

	link[n < 0 ? 0 : n] = '\0';
	snprintf(want, sizeof(want), "/dev/tenstorrent/%d", node);
	return strcmp(link, want) == 0;
}

static enum awake awake_by(const struct health_world *w, pid_t pid, int node)
{
	char path[sizeof(w->bus->root) + 64];
	enum awake worst = AWAKE_UNKNOWN;
	const struct dirent *entry;
	DIR *dir;
	int fdinfo;

	snprintf(path, sizeof(path), "%s/proc/%ld/fdinfo", w->bus->root, (long)pid);
	fdinfo = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	path[strlen(path) - strlen("info")] = '\0';
	dir = fdinfo < 0 ? NULL : opendir(path);
	while (dir && worst != AWAKE_KEPT && (entry = readdir(dir)))
		if (is_node(dirfd(dir), entry->d_name, node)) {
			const enum awake a = flags_of(fdinfo, entry->d_name);

			worst = a == AWAKE_UNKNOWN ? worst : a;
		}
	if (dir)
		closedir(dir);
	if (fdinfo >= 0)
		close(fdinfo);
	return worst;
}

void check_awake(const struct health_world *w, const struct snapshot *s, struct health_item *i)
{
	const struct fleet *f = w->fleet;
	size_t at = 0;
	const struct process *p;

	if (!w->is_machine) {
		health_say(i, VERDICT_NONE, "these cards are not this machine's");
		return;
	}
	if (*f->processes_unknown || f->processes_partial)
		health_say(i, VERDICT_INCOMPLETE, "%s", *f->processes_unknown ? f->processes_unknown
			: "only root sees the programs of others");
	while ((p = holder_next(f, s->index, &at))) {
		const enum awake a = p->pid > 0 ? awake_by(w, p->pid, s->node) : AWAKE_UNKNOWN;

		if (a == AWAKE_KEPT) {
			say_process(w, p, "asks for power", i);
			return;
		}
		if (a == AWAKE_UNKNOWN)
			health_say(i, VERDICT_INCOMPLETE, "of process %ld it cannot be seen",
				(long)p->pid);
	}
	if (i->result == VERDICT_PASS)
		health_say(i, VERDICT_PASS, "no");
}
