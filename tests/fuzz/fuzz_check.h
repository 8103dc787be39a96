/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_check.h - what must hold of any chip, whatever it says.
 */
#pragma once

#include "telemetry/sampler/sampler_local.h"
#include "tests/rig/fake_chip.h"

/*
 * Sample the chip, decode, track, write every value as text; abort() when the
 * reader strays, an impossible value passes for a good one, or a text has no end.
 */
void fuzz_sample(struct fake_chip *f, const struct reader_policy *p);
