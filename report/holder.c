/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "report/holder.h"

#include "base/mem.h"
#include "device/bus.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char holder_of_driver[] = HOLDER_HAS_IT "one in another container, perhaps, holds the "
	"driver's lock for resets";

#define BURNS { "b", "burnin" }

const struct act_words act_words[ACTS] = {
	[ACT_RESET] = { "reset", "nothing was reset", { "r", "reset", "tr", "lr", "wr",
		"warm_reset", "mr", "mobo_nb_reset", "glx_reset", "galaxy_6u_trays_reset",
		"glx_reset_auto", "galaxy_6u_trays_reset_auto", "glx_reset_tray",
		"galaxy_6u_reset_tray" } },
	[ACT_BURN_HOST] = { "burn of the host", "nothing was burnt", BURNS },
	[ACT_BURN_CARDS] = { "burn of cards", "nothing was burnt", BURNS },
	[ACT_TEST_MEMORY] = { "memory test", "nothing was burnt", BURNS },
	[ACT_CHECK_MEMORY] = { "memory check", "nothing was read", { "check-memory" } },
	[ACT_COMPUTE] = { "reference data", "nothing was burnt", BURNS },
	[ACT_DIAG] = { "diag", "nothing was tested", { "diag" } },
};

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

bool holder_resets(pid_t pid)
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

bool holder_find(struct device *d, char text[static HOLDER_TEXT])
{
	struct process now = { 0 }, seen = { .device = -1 };
	bool partial = false;
	pid_t pids[64];
	const ssize_t n = device_holders(d, pids, ARRAY_LEN(pids), &partial);

	for (ssize_t i = 0; i < n; i++) {
		if (pids[i] > 0 && !process_describe("/", pids[i], &now))
			continue;
		now.pid = pids[i];
		now.device = d->index;
		if (seen.device < 0 || now.pid <= 0 || !holder_is_monitor(&now))
			seen = now;
	}
	if (seen.device >= 0)
		holder_put(d, &seen, text);
	else
		snprintf(text, HOLDER_TEXT, HOLDER_HAS_IT "its process cannot be seen from here");
	return seen.device >= 0 && (seen.pid <= 0 || !holder_is_monitor(&seen));
}
