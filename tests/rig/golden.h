/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden.h - what a test prints or draws, as it is kept in tests/golden/.
 */
#pragma once

#include "base/text.h"

/* The test fails where they differ; with UPDATE_GOLDEN set the file is written first. */
void golden_compare(const char *name, const struct strbuf *got);
