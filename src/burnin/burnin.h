/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burnin.h - what the sub-commands of --burnin share: the job they are given.
 */
#pragma once

#include "burnin/reference/data.h"
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

/* What these options ask for. */
struct burnin_job burnin_job_of(const struct options *o);

/* In the order in which data_turn() can make each of float32; that is rounded in place last. */
extern const enum burn_dtype burnin_types[BURN_COMPUTED];

/* What check, bench and profile compute: the chosen cases, or the shapes of --shape. */
size_t burnin_items(const struct burnin_job *j);

/* Empty tensors of the i-th, to be drawn; false: it is not among those that were chosen. */
bool burnin_item(const struct burnin_job *j, size_t i, struct data *d);

/* "8 input channels, K 72", "16 x 32 x 32" */
const char *burnin_item_name(const struct data *d, char *buf, size_t size);

enum { BURNIN_PCC_TEXT = 32 };

/* "0.999871234", or "-" with the reason. */
const char *burnin_pcc_text(double pcc, char text[BURNIN_PCC_TEXT]);

/* Whether the memory is there for each of them, with their gradients or without; said if not. */
bool burnin_items_fit(const struct burnin_job *j, bool gradients);

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
