/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.c - host facts and the compatibility checks.
 *
 * The thresholds are upstream's (chip-facts 6.5).  A machine that upstream has
 * only not tested, or does not recommend, gets a note, since it works.  A
 * recorded tree has no uname(): a value missing there is "N/A", never taken from
 * this machine.
 */
#include "config.h"
#include "telemetry/host/host.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* A file below the root as text; "" when it cannot be read. */
static void slurp(int root, const char *path, char *buf, size_t size)
{
	if (file_read_at(root, path, buf, size) < 0)
		buf[0] = '\0';
}

/* Its first line, plain; "N/A" if there is none. */
static void slurp_line(int root, const char *path, char *out, size_t size)
{
	char text[256];

	slurp(root, path, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	text_plain(out, size, *text ? text : "N/A");
}

/* The value of KEY=value or KEY="value" at the start of a line. */
static bool find_value(const char *text, const char *key, char *out, size_t size)
{
	size_t len = strlen(key);
	char raw[256];

	for (const char *p = text; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : p) {
		const char *v = p + len + 1;
		size_t n;

		if (strncmp(p, key, len) != 0 || p[len] != '=')
			continue;
		n = strcspn(v, "\n");
		if (n >= 2 && v[0] == '"' && v[n - 1] == '"') {
			v++;
			n -= 2;
		}
		snprintf(raw, sizeof(raw), "%.*s", (int)n, v);
		text_plain(out, size, raw);
		return true;
	}
	return false;
}

static void read_distro(int root, char *out, size_t size)
{
	char text[4096];

	slurp(root, "etc/os-release", text, sizeof(text));
	if (!*text)
		slurp(root, "usr/lib/os-release", text, sizeof(text));
	if (!find_value(text, "PRETTY_NAME", out, size))
		snprintf(out, size, "N/A");
}

static void read_memory(int root, struct host *h)
{
	char text[4096], *p;
	uint64_t kib = 0;

	snprintf(h->memory, sizeof(h->memory), "N/A");
	slurp(root, "proc/meminfo", text, sizeof(text));
	p = strstr(text, "MemTotal:");
	if (!p)
		return;
	p += strcspn(p, "0123456789");
	p[strspn(p, "0123456789")] = '\0';
	if (!parse_u64(p, &kib))
		return;
	h->memory_bytes = kib * 1024;
	snprintf(h->memory, sizeof(h->memory), "%.2f GB", (double)kib / 1048576.0);
}

/* The kernel and platform of the running machine, or of the recorded one. */
static void read_kernel(int root, bool recorded, struct host *h)
{
	struct utsname u;

	snprintf(h->os, sizeof(h->os), "Linux");
	if (!recorded && uname(&u) == 0) {
		mem_copy_text(h->os, sizeof(h->os), u.sysname);
		mem_copy_text(h->kernel, sizeof(h->kernel), u.release);
		mem_copy_text(h->platform, sizeof(h->platform), u.machine);
		text_plain(h->hostname, sizeof(h->hostname), u.nodename);
		return;
	}
	slurp_line(root, "proc/sys/kernel/osrelease", h->kernel, sizeof(h->kernel));
	slurp_line(root, "proc/sys/kernel/hostname", h->hostname, sizeof(h->hostname));
	snprintf(h->platform, sizeof(h->platform), "%s",
		strstr(h->kernel, "amd64") || strstr(h->kernel, "x86_64") ? "x86_64"
		: strstr(h->kernel, "arm64") || strstr(h->kernel, "aarch64") ? "aarch64"
		: "N/A");
}

static bool has_file(int root, const char *path)
{
	const int fd = path_open_below(root, path, O_PATH | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void read_surroundings(int root, struct host *h)
{
	static const char *const marks[] = { ".dockerenv", "run/.containerenv",
		"run/systemd/container", "var/run/secrets/kubernetes.io" };
	char text[8192];
	ssize_t n;
	int fd;

	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		h->container |= has_file(root, marks[i]);
	/* The first processor is enough. */
	fd = path_open_below(root, "proc/cpuinfo", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	h->virtual_machine = strstr(text, " hypervisor") != NULL;
	if (fd >= 0)
		close(fd);
	slurp(root, "sys/hypervisor/type", text, sizeof(text));
	h->xen = strncmp(text, "xen", 3) == 0;
	slurp(root, "sys/hypervisor/guest_type", text, sizeof(text));
	h->xen = h->xen && strncmp(text, "HVM", 3) == 0;
}

const char *host_verdict_name(enum host_verdict v)
{
	return v == HOST_PASS ? "pass" : v == HOST_NOTE ? "note" : "fail";
}

static void add_check(struct host *h, const char *name, enum host_verdict verdict,
	const char *text)
{
	struct host_check *c = &h->checks[h->n_checks++];

	c->name = name;
	c->verdict = verdict;
	mem_copy_text(c->text, sizeof(c->text), text);
}

static bool is_ubuntu_22(const char *distro)
{
	int64_t year;
	char number[4];

	if (strncmp(distro, "Ubuntu ", 7) != 0)
		return false;
	snprintf(number, sizeof(number), "%.2s", distro + 7);
	return parse_i64(number, &year) && year >= 22;
}

static void check(struct host *h, const char *driver)
{
	bool arm = strncmp(h->platform, "arm", 3) == 0 || strncmp(h->platform, "aarch", 5) == 0;
	bool enough = h->memory_bytes >= 32000000000ULL, ubuntu = is_ubuntu_22(h->distro);
	bool linux_host = strcmp(h->os, "Linux") == 0;

	add_check(h, "OS", linux_host ? HOST_PASS : HOST_FAIL, linux_host ? h->os : "needs Linux");
	add_check(h, "Distro", ubuntu ? HOST_PASS : HOST_NOTE,
		ubuntu ? h->distro : "tested upstream on Ubuntu 22.04 and 24.04");
	add_check(h, "Memory", enough ? HOST_PASS : HOST_NOTE,
		enough ? h->memory : "upstream recommends 32 GB or more");
	add_check(h, "Driver", *driver ? HOST_PASS : HOST_FAIL,
		*driver ? h->driver : "not loaded: install TT-KMD and modprobe tenstorrent");
	add_check(h, "Reset", arm || h->container ? HOST_NOTE : HOST_PASS,
		arm	       ? "not supported by upstream on Arm hosts"
		: h->container ? "in a container: holders outside are not seen"
			       : "possible");
}

void host_read(const char *root, const char *driver, struct host *h)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	memset(h, 0, sizeof(*h));
	read_kernel(fd, strcmp(root, "/") != 0, h);
	read_distro(fd, h->distro, sizeof(h->distro));
	read_memory(fd, h);
	read_surroundings(fd, h);
	if (*driver)
		snprintf(h->driver, sizeof(h->driver), "TT-KMD %s", driver);
	else
		snprintf(h->driver, sizeof(h->driver), "No driver");
	check(h, driver);
	if (fd >= 0)
		close(fd);
}
