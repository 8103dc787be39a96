/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mutant.c - part of every program of a build with mutants; see mutant.h. */
#include "config.h"
#include "tests/mutants/mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((constructor)) static void begin(void)
{
	const char *number = getenv("TT_SMI_MUTANT"), *path = getenv("TT_SMI_MUTANT_SEEN");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

	if (number)
		mutant_now = (int)strtol(number, NULL, 10);
	if (fd < 0)
		return;
	unsigned char *map = mmap(NULL, MUTANTS_MOST, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map != MAP_FAILED)
		mutant_seen = map;
	close(fd);
}
