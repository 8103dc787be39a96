/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/kernels/simd/simd_kernels.h"

#include "burnin/kernels/cpu.h"

const struct impl simd_impl = {
	.name = SIMD_NAME, .version = SIMD_VERSION, .help = SIMD_HELP, .needs = SIMD_NEEDS,
	.peak = simd_peak, .stress = &simd_stress, .memory = &simd_memory,
	.kernels = {
		[BURN_CONV2D] = { &simd_conv_kernel, &simd_conv_kernel, &simd_double_conv },
		[BURN_MATMUL] = { &simd_gemm_kernel, &simd_gemm_kernel, &simd_double_gemm },
	},
};
