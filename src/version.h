/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * version.h - which version this is.
 *
 * Callers refuse a tt-smi that is older than the interface they need.  So the
 * version that they compare begins with the upstream release whose options and
 * keys are served here; our own version follows it.
 */
#pragma once

#include "src/options.h"

#define VERSION_SERVES "6.4.1"	/* upstream's release whose interface this is */
#define VERSION_SHOWN  VERSION_SERVES "+c" PACKAGE_VERSION	/* on screens */

/* It includes the commit it was built from, except in a tarball and at a release's tag. */
extern const char version_own[];	/* "1.1.1", "1.1.0.g0123456789" */
extern const char version_whole[];	/* "6.4.1+c1.1.1.g0123456789" */

/* The version that -v prints, and that of host_sw_vers.tt_smi; --version-as replaces both. */
const char *version_said(const struct options *o);
const char *version_served(const struct options *o);
