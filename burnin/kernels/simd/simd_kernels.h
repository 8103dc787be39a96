/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simd_kernels.h - shared by the files of one vector library.
 */
#pragma once

#include "burnin/kernels/simd/simd.h"

extern const struct impl_kernel simd_conv_kernel;
extern const struct impl_kernel simd_gemm_kernel;
extern const struct impl_kernel simd_double_conv;
extern const struct impl_kernel simd_double_gemm;
extern const struct impl_stress simd_stress;
extern const struct impl_check simd_check;
extern const struct impl_memory simd_memory;
uint64_t simd_peak(unsigned rounds);
