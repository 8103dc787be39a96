/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/version.h"
#include "base/array.h"
#include "src/commit.h"
#include "src/say.h"

#include <stdlib.h>
#include <string.h>

#define MOST_DIGITS 4

const char version_own[] = PACKAGE_VERSION VERSION_COMMIT;
const char version_whole[] = VERSION_SHOWN VERSION_COMMIT;

/* For callers that want one version and no other: "6.2.1". */
static const char *pinned(void)
{
	const char *as = getenv("TT_SMI_VERSION_AS");

	return as && *as ? as : NULL;
}

static bool is_version(const char *text)
{
	static const char ends[] = { '.', '.', '\0' };

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		size_t n = strspn(text, "0123456789");

		if (n == 0 || n > MOST_DIGITS || text[n] != ends[i])
			return false;
		text += n + 1;
	}
	return true;
}

bool version_check(void)
{
	const char *as = pinned();

	if (!as || is_version(as))
		return true;
	say("TT_SMI_VERSION_AS: '%.40s' is not a version of three numbers, as 6.2.1 is", as);
	return false;
}

const char *version_said(void)
{
	return pinned() ? pinned() : version_whole;
}

const char *version_served(void)
{
	return pinned() ? pinned() : VERSION_SERVES;
}
