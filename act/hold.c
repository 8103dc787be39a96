/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "act/hold.h"

#include "act/counted.h"
#include "base/child.h"
#include "base/clock.h"
#include "device/bus.h"
#include "device/kind.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

const char holder_of_driver[] = HOLDER_HAS_IT "one in another container, perhaps, holds the "
	"driver's lock for resets";

/* "-r", "--reset", "-r=0", "-r0,1" */
static bool holder_is_option(const char *word, const char *name)
{
	const size_t len = strlen(name);
	const size_t dashes = strspn(word, "-");

	if (dashes < 1 || dashes > 2 || strncmp(word + dashes, name, len) != 0)
		return false;
	word += dashes + len;
	return *word == '=' || strchr(" ", word[strspn(word, "0123456789,")]);
}

/* The act that an option requests; ACTS: none. */
static enum act_kind holder_act_of(const char *word)
{
	for (enum act_kind kind = 0; kind < ACTS; kind++)
		for (const char *const *o = act_words[kind].options; *o; o++)
			if (holder_is_option(word, *o))
				return kind;
	return ACTS;
}

/*
 * The act that tt-smi's arguments request; ACTS: none.  Those after --during belong to another
 * program.
 */
static enum act_kind holder_act(const char *arguments)
{
	enum act_kind kind = ACTS;

	for (const char *word = strchr(arguments, ' '); word && kind == ACTS;
		word = strchr(word + 1, ' ')) {
		if (holder_is_option(word + 1, "during"))
			break;
		kind = holder_act_of(word + 1);
	}
	return kind;
}

static bool holder_has_name(const struct process *p)
{
	size_t len = strcspn(p->command, " ");
	const char *name = memrchr(p->command, '/', len);

	name = name ? name + 1 : p->command;
	return (size_t)(p->command + len - name) == 6 && strncmp(name, "tt-smi", 6) == 0;
}

/*
 * A name is believed only of who may decide this anyway: root, and the user who runs.  A process
 * whose user is not known stands in a recording: the machine shows a stranger no command either.
 */
static bool holder_is_ours(const struct process *p)
{
	return holder_has_name(p) && (p->exe == EXE_OURS || (p->exe == EXE_UNKNOWN &&
		(p->uid <= 0 || p->uid == (int64_t)geteuid())));
}

bool holder_is_monitor(const struct process *p)
{
	return holder_is_ours(p) && holder_act(p->command + strcspn(p->command, " ")) == ACTS;
}

/* A live display locks a card only to reset it. */
static bool holder_resets(pid_t pid)
{
	struct process p = { .pid = pid };

	if (!process_describe("/", pid, &p) || !holder_is_ours(&p))
		return false;
	return holder_is_monitor(&p) ||
		holder_act(p.command + strcspn(p.command, " ")) == ACT_RESET;
}

const struct process *holder_next(const struct fleet *f, int index, size_t *at)
{
	while (*at < f->n_processes) {
		const struct process *p = &f->processes[(*at)++];

		if (p->device == index && (p->pid <= 0 || !holder_is_monitor(p)))
			return p;
	}
	return NULL;
}

/* Whether a process has mapped a window of the card: a reset unmaps it, so access is a SIGBUS. */
static bool holder_has_mapped(const struct device *d, pid_t pid)
{
	char path[512], line[512], want[48];
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "%s/proc/%ld/maps", d->bus->root, (long)pid);
	snprintf(want, sizeof(want), "/dev/tenstorrent/%d\n", d->node);
	maps = fopen(path, "re");
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		const char *at = strstr(line, want);

		found = at && at[strlen(want)] == '\0';
	}
	if (maps)
		fclose(maps);
	return found;
}

void holder_put(const struct device *d, const struct process *p, char text[static HOLDER_TEXT])
{
	char where[112] = "";

	if (p->pid <= 0) {
		snprintf(text, HOLDER_TEXT, HOLDER_HAS_IT
			"a process of another container has it open");
		return;
	}
	if (*p->container)
		snprintf(where, sizeof(where), " in container %.80s", p->container);
	snprintf(text, HOLDER_TEXT, HOLDER_HAS_IT "process %ld (%s%s) has it %s: %s%.100s",
		(long)p->pid, p->user, where, holder_has_mapped(d, p->pid) ? "mapped" : "open",
		holder_has_name(p) && !holder_is_ours(p) ? "calls itself " : "", p->command);
}

/* The cards that are taken. */

#define ANSWER	  (2 * CLOCK_SECOND)	/* wait for the driver, which may be busy with a reset */
#define HAS_LOCKS 0x020800		/* drivers whose lock for resets outlives a handle */

bool hold_is_taken(int code)
{
	return code == -EBUSY || code == -EINPROGRESS || code == -EALREADY;
}

static bool hold_has(const struct hold *h, int index)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->index[i] == index)
			return true;
	return false;
}

static int hold_take_one(struct hold *h, struct device *d, struct error *e)
{
	struct error why = { 0 };
	pid_t holder = 0, stranger;
	int r = device_lock(d, &holder, &why);

	if (r == 0) {
		h->index[h->n++] = d->index;
		return 0;
	}
	if (r != -EBUSY)
		return fail_because(e, r, &why, "%s: %.200s", d->bdf, why.text);
	r = holder ? r : -EINPROGRESS;
	h->is_reset = holder > 0 && holder_resets(holder);
	stranger = d->is_passed ? 0 : device_find_stranger(d);
	if (stranger > 0)
		return fail(e, r, "%s: " HOLDER_HAS_IT "process %ld of another user has locked it: "
			"end that process; a reset alone passes it: tt-smi -wr %s --force",
			d->bdf, (long)stranger, d->bdf);
	if (holder > 0)
		return fail(e, r, "%s: " HOLDER_HAS_IT "process %ld resets, burns or checks it",
			d->bdf, (long)holder);
	/* Its holder cannot be seen from here. */
	return fail(e, r, "%s: " HOLDER_HAS_IT "a reset, burn or check in another container, or "
		"left by one that was killed", d->bdf);
}

int hold_take(struct hold *h, struct bus *bus, const bool *wanted, struct error *e)
{
	const size_t had = h->n;
	int r = 0;

	h->bus = bus;
	h->is_reset = false;
	for (size_t i = 0; r == 0 && i < bus->n; i++)
		if (wanted[i] && !hold_has(h, (int)i))
			r = hold_take_one(h, &bus->dev[i], e);
	while (r < 0 && h->n > had)
		device_unlock(&bus->dev[h->index[--h->n]]);
	return r;
}

/* Runs in its own process: opening a card during its reset blocks, and signals do not end it. */
static int hold_ask_one(void *arg, int fd)
{
	struct device *d = arg;
	int r = device_acquire_for(d, ACCESS_RESET, DEVICE_PASSIVE, NULL);

	if (r == 0)
		r = device_claim(d);
	return send(fd, &r, sizeof(r), MSG_NOSIGNAL) < 0;
}

/* The driver's answer for one card; 0 if there was none in time. */
static int hold_take_answer(const struct child *c, int64_t until)
{
	struct pollfd p = { .fd = c->fd, .events = POLLIN };
	int r = 0;

	if (c->pid == 0 || clock_wait(&p, 1, until) <= 0 ||
		recv(c->fd, &r, sizeof(r), MSG_DONTWAIT) != (ssize_t)sizeof(r))
		return 0;
	return r;
}

int hold_ask_driver(const struct hold *h, struct error *e)
{
	const int64_t until = clock_mono() + ANSWER;
	struct child asked[DEVICE_MAX] = { { 0 } }, *all[DEVICE_MAX];
	int r = 0;

	if (h->n == 0 || driver_version(h->bus->driver) < HAS_LOCKS)
		return 0;
	for (size_t i = 0; i < h->n; i++) {
		struct device *d = &h->bus->dev[h->index[i]];
		const struct child_config how = { .run = hold_ask_one, .arg = d,
			.keep = h->bus->keep, .n_keep = h->bus->n_keep,
			.dies_with_parent = true, .ignores_terminal = true };

		all[i] = &asked[i];
		child_start(&asked[i], &how, NULL);
	}
	for (size_t i = 0; r == 0 && i < h->n; i++)
		if (hold_take_answer(&asked[i], until) == -EALREADY)
			r = fail(e, -EALREADY, "%s: %s", h->bus->dev[h->index[i]].bdf,
				holder_of_driver);
	child_end_all(all, h->n, 0);
	return r;
}

void hold_renew(const struct hold *h, int index)
{
	pid_t holder;

	if (hold_has(h, index))
		device_lock(&h->bus->dev[index], &holder, NULL);
}

void hold_leave(struct hold *h, int index)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->index[i] == index)
			h->index[i--] = h->index[--h->n];
}

void hold_give_back(struct hold *h)
{
	while (h->n > 0)
		device_unlock(&h->bus->dev[h->index[--h->n]]);
}
