/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burnin.h - the sub-commands of --burnin, and the job that they are given.
 */
#pragma once

#include "burnin/reference/data.h"
#include "burnin/reference/refdir.h"
#include "src/options.h"
#include "src/say.h"

#include <stdbool.h>

struct burnin_job {
	const struct options *o;
	struct burn_choice which;	/* --cases and --dtype */
	bool chosen;		/* one of the two was given: missing data are an error */
	double pcc;		/* --pcc: the least correlation that passes */
	double ulp;		/* --ulp: how far an element may be; negative: no limit */
	int threads;		/* CPUs that we may use */
	const char *const *args;	/* words after the sub-command */
	size_t n_args;
};

/* The job that these options request. */
struct burnin_job burnin_job_of(const struct options *o);

/* In an order in which data_turn() can make each from float32: rounding in place comes last. */
extern const enum burn_dtype burnin_types[BURN_COMPUTED];

/* The number of items that check, bench and profile go through: all cases, or those of --shape. */
size_t burnin_items(const struct burnin_job *j);

/* Make empty tensors of item i, to be drawn; false: the item was not chosen. */
bool burnin_item(const struct burnin_job *j, size_t i, struct data *d);

/* "8 input channels, K 72", "16 x 32 x 32" */
const char *burnin_item_name(const struct data *d, char *buf, size_t size);

enum { BURNIN_PCC_TEXT = 32 };

/* "0.999871234", or "-" with the reason. */
const char *burnin_pcc_text(double pcc, char text[BURNIN_PCC_TEXT]);

/* Whether there is enough memory for each item, with its gradients or without; if not, say so. */
bool burnin_items_fit(const struct burnin_job *j, bool gradients);

enum exit_code burnin_generate_on_card(const struct burnin_job *j, const char *dir);
enum exit_code burnin_compare_files(const struct burnin_job *j);	/* any two */
enum exit_code burnin_check(const struct burnin_job *j);
enum exit_code burnin_bench(const struct burnin_job *j);
enum exit_code burnin_profile(const struct burnin_job *j);
