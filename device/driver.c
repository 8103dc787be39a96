/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "device/driver.h"

#include <stdio.h>

unsigned driver_version(const char *text)
{
	unsigned a, b, c = 0;

	if (sscanf(text, "%3u.%3u.%3u", &a, &b, &c) < 2)
		return 0;
	return (a & 0xff) << 16 | (b & 0xff) << 8 | (c & 0xff);
}
