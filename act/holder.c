/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "act/holder.h"

#include "act/act_kind.h"
#include "device/device.h"

#include <stdio.h>
#include <string.h>

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

static bool holder_asks_for_act(const char *word)
{
	for (size_t i = 0; i < ACTS; i++)
		for (const char *const *o = act_words[i].options; *o; o++)
			if (holder_is_option(word, *o))
				return true;
	return false;
}

/* Whether tt-smi's arguments request an act; those after --during belong to another program. */
static bool holder_acts(const char *arguments)
{
	for (const char *word = strchr(arguments, ' '); word; word = strchr(word + 1, ' ')) {
		if (holder_is_option(word + 1, "during"))
			return false;
		if (holder_asks_for_act(word + 1))
			return true;
	}
	return false;
}

bool holder_is_monitor(const struct process *p)
{
	size_t len = strcspn(p->command, " ");
	const char *name = memrchr(p->command, '/', len);

	name = name ? name + 1 : p->command;
	return (size_t)(p->command + len - name) == 6 && strncmp(name, "tt-smi", 6) == 0 &&
		!holder_acts(p->command + len);
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
	snprintf(text, HOLDER_TEXT, HOLDER_HAS_IT "process %ld (%s%s) has it %s: %.100s",
		(long)p->pid, p->user, where, holder_has_mapped(d, p->pid) ? "mapped" : "open",
		p->command);
}

void holder_put_lock(pid_t pid, char text[static HOLDER_TEXT])
{
	if (pid > 0)
		snprintf(text, HOLDER_TEXT, HOLDER_HAS_IT
			"process %ld resets, burns or checks it", (long)pid);
	else
		snprintf(text, HOLDER_TEXT, HOLDER_HAS_IT "a reset, burn or check in another "
			"container, or left by one that was killed");
}

void holder_put_stranger(const struct device *d, pid_t pid, char text[static HOLDER_TEXT])
{
	snprintf(text, HOLDER_TEXT, HOLDER_HAS_IT "process %ld of another user has locked it: "
		"end that process; a reset alone passes it: tt-smi -wr %s --force",
		(long)pid, d->bdf);
}
