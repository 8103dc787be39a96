/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernels.h - the implementations by name, for the table and the tests; those
 * that this build lacks are declared but not defined.
 */
#pragma once

#include "burnin/kernels/impl.h"

extern const struct impl impl_naive;
extern const struct impl impl_portable;
extern const struct impl impl_avx2;
extern const struct impl impl_avx512;
extern const struct impl impl_avx512bf16;
extern const struct impl impl_amx;
extern const struct impl impl_neon;
