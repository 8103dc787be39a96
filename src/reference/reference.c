/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/reference/reference.h"

#include "base/file.h"
#include "base/text.h"
#include "burnin/kernels/team.h"

#include <math.h>
#include <stdio.h>

struct reference_job reference_job_of(const struct options *o)
{
	return (struct reference_job){ .o = o, .which = { o->cases, o->dtypes },
		.chosen = o->typed[OPT_CASES] || o->typed[OPT_DTYPE],
		.pcc = (double)o->pcc / OPTION_DECIMALS, .ulp = (double)o->ulp / OPTION_DECIMALS,
		.threads = team_processors(),
		.args = o->n_targets > 0 ? o->targets + 1 : NULL,
		.n_args = o->n_targets > 0 ? o->n_targets - 1 : 0 };
}

const char *reference_output(const struct reference_job *j, const char *name, const char *suffix,
	char own[static REFDIR_PATH])
{
	if (j->n_args > 0)
		return j->args[0];
	if (file_free_name(name, suffix, own, REFDIR_PATH) == 0)
		return own;
	say_as(CODE_EXISTS, "%s%s: no free name", name, suffix);
	return NULL;
}

void reference_print_case(enum burn_dtype t, const struct burn_case *c)
{
	printf("%-8s k%04d_ic%03d ", burn_dtype_name(t), c->k, c->channels);
}

const char *reference_pcc(double pcc, char text[static REFERENCE_PCC])
{
	if (isnan(pcc))
		return "- (golden is constant)";
	snprintf(text, REFERENCE_PCC, "%.9f", pcc);
	return text;
}

void reference_judge(struct reference_count *n, bool passes)
{
	n->passed += passes;
	n->failed += !passes;
}

enum exit_code reference_verdict(const struct reference_count *n, const char *what,
	const char *done, bool stopped)
{
	say_result("%s: %d passed, %d failed, %d could not be %s%s", what, n->passed, n->failed,
		n->broken, done, stopped ? "; stopped" : "");
	return exit_judged(n->failed > 0, n->broken > 0 || n->passed == 0 || stopped);
}
