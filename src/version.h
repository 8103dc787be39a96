/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * version.h - which version this is.
 *
 * Callers refuse a tt-smi that is older than the interface they need, so what
 * they compare leads with upstream's release whose options and keys are served
 * here; our own version stands behind it.
 */
#pragma once

#include <stdbool.h>

#define VERSION_SERVES "6.4.1"	/* upstream's release whose interface this is */
#define VERSION_SHOWN  VERSION_SERVES "+c" PACKAGE_VERSION	/* on screens */

/* Which commit it was built from is part of it, but in a tarball and at a release's tag. */
extern const char version_own[];	/* "1.1.0", "1.1.0.g0123456789" */
extern const char version_whole[];	/* "6.4.1+c1.1.0.g0123456789" */

/* TT_SMI_VERSION_AS is not set, or a version of three numbers; else stderr says that it is not. */
bool version_check(void);

/* What -v says, and what host_sw_vers.tt_smi does: TT_SMI_VERSION_AS where it is set. */
const char *version_said(void);
const char *version_served(void);
