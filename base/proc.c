/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/proc.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define STARTED_WORD 22

bool proc_stat_read(pid_t pid, struct proc_stat *out)
{
	char path[40], text[1024], *word, *name, *end, *save = NULL;
	uint64_t parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (file_read_at(AT_FDCWD, path, text, sizeof(text)) <= 0)
		return false;
	name = strchr(text, '(');
	end = strrchr(text, ')');
	if (!name || !end || end < name || !end[1])
		return false;
	*end = '\0';
	mem_copy_text(out->name, sizeof(out->name), name + 1);
	word = strtok_r(end + 1, " ", &save);
	out->state = word ? *word : '?';
	word = strtok_r(NULL, " ", &save);
	for (int n = 4; word && n < STARTED_WORD; n++) {
		if (n == 4)
			parse_u64(word, &parent);
		word = strtok_r(NULL, " ", &save);
	}
	out->parent = (pid_t)parent;
	return word && parse_u64(word, &out->started);
}
