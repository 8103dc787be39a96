/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_host.c - any text as the files that say what the host is: os-release,
 * meminfo, cpuinfo, the kernel's names.
 */
#include "config.h"
#include "base/mem.h"
#include "telemetry/host/host.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const folders[] = { "etc", "proc", "proc/sys", "proc/sys/kernel" };
static const char *const files[] = { "etc/os-release", "proc/meminfo", "proc/cpuinfo",
	"proc/sys/kernel/osrelease", "proc/sys/kernel/hostname" };
static char root[] = "/tmp/tt-smi-fuzz.XXXXXX";
static bool begun;

static const char *below(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void clean_up(void)
{
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		unlink(below(files[i]));
	for (size_t i = ARRAY_LEN(folders); i > 0; i--)
		rmdir(below(folders[i - 1]));
	rmdir(root);
}

static void begin(void)
{
	if (begun)
		return;
	begun = true;
	if (!mkdtemp(root) || atexit(clean_up) != 0)
		abort();
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		mkdir(below(folders[i]), 0700);
}

static void ends(const char *text, size_t size)
{
	if (!memchr(text, 0, size))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct host h;

	begin();
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		FILE *f = fopen(below(files[i]), "w");

		if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
			abort();
	}
	host_read(root, "2.10.0", &h);
	ends(h.distro, sizeof(h.distro));
	ends(h.kernel, sizeof(h.kernel));
	ends(h.hostname, sizeof(h.hostname));
	ends(h.memory, sizeof(h.memory));
	if (h.n_checks > HOST_CHECKS)
		abort();
	return 0;
}
