/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reference.h - the commands of -b that make and check reference data, or check and time the
 * kernels of this host.  Each is a row of burnin_commands[] (commands.c); the options that only
 * they take are in the group OPTION_REFERENCE (src/option_table.c).
 */
#pragma once

#include "burnin/kernels/impl.h"
#include "burnin/kernels/team.h"
#include "burnin/reference/data.h"
#include "burnin/reference/refdir.h"
#include "src/mode.h"
#include "src/stop.h"

#include <stdbool.h>
#include <stddef.h>

/* What a command is given. */
struct reference_job {
	const struct options *o;
	struct burn_choice which;	/* --cases and --dtype */
	bool chosen;		/* one of the two was given: missing data are an error */
	double pcc;		/* --pcc: the least correlation that passes */
	double ulp;		/* --ulp: how far an element may be; negative: no limit */
	int threads;		/* CPUs that we may use */
	const char *const *args;	/* words after the command */
	size_t n_args;
};

/* The job that these options request. */
struct reference_job reference_job_of(const struct options *o);

/* The command's path, else a free one of this name; NULL: there is none, and we said so. */
const char *reference_output(const struct reference_job *j, const char *name, const char *suffix,
	char own[static REFDIR_PATH]);

/* Begin a row: "float32  k0072_ic008 ". */
void reference_print_case(enum burn_dtype t, const struct burn_case *c);

enum { REFERENCE_PCC = 32 };

/* "0.999871234", or "-" with the reason. */
const char *reference_pcc(double pcc, char text[static REFERENCE_PCC]);

/* How many results passed, failed, and could not be judged. */
struct reference_count {
	int passed, failed, broken;
};

void reference_judge(struct reference_count *n, bool passes);

/* Print the last line, "DIR: 6 passed, ...", and return the exit code.  done: "checked". */
enum exit_code reference_verdict(const struct reference_count *n, const char *what,
	const char *done, bool stopped);

enum exit_code reference_generate(const struct reference_job *j);
enum exit_code reference_verify(const struct reference_job *j);
enum exit_code reference_compare(const struct reference_job *j);
enum exit_code reference_compare_files(const struct reference_job *j);	/* any two */
enum exit_code reference_check(const struct reference_job *j);
enum exit_code reference_bench(const struct reference_job *j);
enum exit_code reference_profile(const struct reference_job *j);

/*
 * What check, bench and profile share: the items that they compute, which are cases or the matmuls
 * of --shape, the memory that these need, and the threads.
 */
struct kernels {
	const struct reference_job *j;
	struct team *team;
	struct stop stop;
	struct trace *trace;	/* for kernels_plan(); NULL: none */
	bool broken;		/* an operation could not be run, and we said why */
};

/*
 * Start the threads.  False: they cannot be had, or not the memory for each item, with its
 * gradients or without, and we said so.
 */
bool kernels_open(struct kernels *k, const struct reference_job *j, bool gradients);

/* End the threads; true: the command was stopped. */
bool kernels_close(struct kernels *k);

/* Draw the next chosen item from *i on, in float32; false: there is none, or we are stopped. */
bool kernels_next(struct kernels *k, size_t *i, struct data *d);

/* Call run() for each operation of each item in each chosen type, until we are stopped. */
void kernels_run(struct kernels *k,
	void (*run)(struct kernels *k, const struct data *d, enum burn_op op));

/* Open a plan and pack its weight; false: it cannot be run, and we said why. */
bool kernels_plan(struct kernels *k, struct plan *p, const struct impl *i,
	const struct burn_shape *s, enum burn_dtype t, const void *weight);

enum { KERNELS_NAME = 48 };

/* "8 input channels, K 72", "16 x 32 x 32" */
const char *kernels_name(const struct data *d, char name[static KERNELS_NAME]);
