/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h - the version of the kernel's driver, which says what it can do.
 */
#pragma once

/* "2.10.0" or "1.29" as 0xaabbcc; 0 where it is not a version. */
unsigned driver_version(const char *text);
