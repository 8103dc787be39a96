/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/mode.h"

#include <stdio.h>

int main(void)
{
	puts(PACKAGE_STRING);
	return EXIT_DONE;
}
