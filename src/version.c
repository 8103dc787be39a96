/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/version.h"
#include "src/commit.h"

const char version_own[] = PACKAGE_VERSION VERSION_COMMIT;
const char version_whole[] = VERSION_SHOWN VERSION_COMMIT;

const char *version_said(const struct options *o)
{
	return o->version_as ? o->version_as : version_whole;
}

const char *version_served(const struct options *o)
{
	return o->version_as ? o->version_as : VERSION_SERVES;
}
