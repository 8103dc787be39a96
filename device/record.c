/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "device/record.h"

#include <errno.h>

int record_open(struct bus *bus, const char *path, struct error *e)
{
	(void)bus;
	return fail(e, -EOPNOTSUPP, "%s: recording is not built yet", path);
}

void record_close(void)
{
}

void record_look(const struct device *d)
{
	(void)d;
}

void record_attr(const struct device *d, enum attr a, ssize_t result, const char *text)
{
	(void)d, (void)a, (void)result, (void)text;
}

void record_acquire(const struct device *d, int result, const struct error *e)
{
	(void)d, (void)result, (void)e;
}

void record_read(const struct device *d, struct reg_addr at, int result, const uint32_t *words, size_t n)
{
	(void)d, (void)at, (void)result, (void)words, (void)n;
}

void record_write(const struct device *d, struct reg_addr at, int result, uint32_t word)
{
	(void)d, (void)at, (void)result, (void)word;
}

void record_holders(const struct device *d, ssize_t result, const pid_t *pids, bool partial)
{
	(void)d, (void)result, (void)pids, (void)partial;
}

void record_flush(void)
{
}
