/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_pinned.c - the memory of processes that the driver has pinned for a card.
 *
 * It is listed in one file, "mappings" of drivers from 2.5.0 in debugfs, which only root
 * may read.  The driver warns that its format may change, so a file without the known
 * heading, or with a row of pages without a size, is rejected as a whole.
 */
#include "config.h"
#include "base/file.h"
#include "base/parse.h"
#include "device/kmd/kmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MOST (4 << 20)

/* Where the parts of a row begin: "4242     python3          PIN_PAGES      VA: ..." */
enum { AT_COMM = 9, AT_TYPE = 26 };

static bool is_type(const char *row, const char *type)
{
	const size_t n = strlen(type);

	return strncmp(row + AT_TYPE, type, n) == 0 && (row[AT_TYPE + n] == ' ' ||
		row[AT_TYPE + n] == '+' || row[AT_TYPE + n] == '\0');
}

/* "... (size=0x4000)" */
static bool parse_row_size(const char *row, int64_t *out)
{
	const char *at = strstr(row + AT_TYPE, "(size=0x");
	char digits[20] = "";
	uint64_t v;

	if (!at || sscanf(at, "(size=0x%16[0-9a-f])", digits) != 1 || !parse_hex(digits, &v) ||
		v > INT64_MAX / 2)
		return false;
	*out = (int64_t)v;
	return true;
}

static int64_t *place_of(pid_t pid, const pid_t *pids, size_t n, int64_t *bytes)
{
	for (size_t i = 0; i < n && pid > 0; i++)
		if (pids[i] == pid)
			return &bytes[i];
	return NULL;
}

struct reading_rows {
	const pid_t *pids;
	size_t n;
	int64_t *bytes;
	bool *skipped;		/* by process: the driver left rows of it out */
	pid_t pid;		/* of the last row that named one */
	bool headed;
};

static void skip_process(struct reading_rows *r)
{
	const int64_t *at = place_of(r->pid, r->pids, r->n, r->bytes);

	if (at)
		r->skipped[at - r->bytes] = true;
}

/* Returns false if a row that matters cannot be understood. */
static bool add_row(struct reading_rows *r, const char *row)
{
	int64_t *at, size;

	if (strlen(row) <= AT_TYPE)
		return true;
	if (strncmp(row, "PID ", 4) == 0) {
		r->headed = strncmp(row + AT_COMM, "Comm", 4) == 0 && is_type(row, "Type");
		return r->headed;
	}
	if (row[0] == ' ' && strncmp(row + AT_TYPE, "...", 3) == 0 && !strstr(row, "TLBs") &&
		!strstr(row, "VMA"))
		skip_process(r);
	if (row[0] < '0' || row[0] > '9')
		return true;
	r->pid = (pid_t)strtol(row, NULL, 10);
	at = place_of(r->pid, r->pids, r->n, r->bytes);
	if (at && *at < 0)
		*at = 0;
	if (!is_type(row, "PIN_PAGES") && !is_type(row, "DMA_BUF"))
		return true;
	if (!parse_row_size(row, &size))
		return false;
	if (at)
		*at += size;
	return true;
}

int kmd_pinned(struct device *d, const pid_t *pids, size_t n, int64_t *bytes)
{
	bool skipped[DEVICE_MAX] = { false };
	struct reading_rows r = { .pids = pids, .n = n < DEVICE_MAX ? n : DEVICE_MAX,
		.bytes = bytes, .skipped = skipped };
	char path[KMD_PATH], *text, *save = NULL;
	bool known = true;
	size_t len;
	int err = kmd_path(d->bus->root, path, sizeof(path),
		"/sys/kernel/debug/tenstorrent/%d/mappings", d->node);

	if (err == 0)
		err = file_read_all(path, FILE_MOST, &text, &len, NULL);
	if (err < 0)
		return err;
	for (char *row = strtok_r(text, "\n", &save); row && known;
		row = strtok_r(NULL, "\n", &save))
		known = add_row(&r, row);
	free(text);
	for (size_t i = 0; i < n; i++)
		if (!known || !r.headed || i >= r.n || skipped[i])
			bytes[i] = -1;
	return known && r.headed ? 0 : -EBADMSG;
}
