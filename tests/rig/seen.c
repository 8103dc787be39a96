/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/rig/seen.h"

#include <string.h>

size_t count(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)) != NULL; text += strlen(word))
		n++;
	return n;
}
