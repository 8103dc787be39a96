/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burnin.h - what the sub-commands of --burnin share: the job they are given.
 */
#pragma once

#include "burnin/reference/metadata.h"
#include "src/exit.h"
#include "src/options.h"

#include <stdbool.h>

struct burnin_job {
	const struct options *o;
	struct burn_choice which;	/* --cases and --dtype */
	bool chosen;		/* one of the two was given: what is missing is missed */
	double pcc;		/* --pcc: the least correlation that passes */
	double ulp;		/* --ulp: how far an element may be; negative: no limit */
	int threads;		/* CPUs that we may use */
	const char *const *args;	/* words after the sub-command */
	size_t n_args;
};

enum exit_code burnin_burn(const struct burnin_job *j);	/* the words are targets */
enum exit_code burnin_list(const struct burnin_job *j);
enum exit_code burnin_generate(const struct burnin_job *j);
enum exit_code burnin_generate_on_card(const struct burnin_job *j, const char *dir);
enum exit_code burnin_verify(const struct burnin_job *j);
enum exit_code burnin_compare(const struct burnin_job *j);
enum exit_code burnin_compare_files(const struct burnin_job *j);	/* any two */
enum exit_code burnin_check(const struct burnin_job *j);
enum exit_code burnin_bench(const struct burnin_job *j);
enum exit_code burnin_profile(const struct burnin_job *j);
