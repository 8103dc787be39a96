/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burnin_hash.c - "float32 8 conv2d output HASH" for every tensor of the cases
 * named, without the program: build_burnin.sh compiles it in several ways.
 */
#include "config.h"
#include "burnin/reference/data.h"
#include "burnin/reference/sha256.h"

#include <stdio.h>
#include <stdlib.h>

static void print_case(const struct burn_case *c, enum burn_dtype t)
{
	char hash[SHA256_TEXT];
	struct data d;

	data_init(&d, c, t);
	data_draw(&d);
	for (int op = 0; op < BURN_OPS; op++) {
		data_golden(&d, (enum burn_op)op, 2);
		for (int role = 0; role < BURN_ROLES; role++) {
			size_t n = burn_elements(&d.shapes[op], (enum burn_role)role);

			if (n == 0)
				continue;
			sha256_text(d.values[op][role], n * sizeof(float), hash);
			printf("%s %d %s %s %s\n", burn_dtype_name(t), c->channels,
				burn_op_name((enum burn_op)op),
				burn_role_name((enum burn_op)op, (enum burn_role)role), hash);
		}
	}
	data_clear(&d);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const struct burn_case *c = burn_case_find((int)strtol(argv[i], NULL, 10));

		for (int t = 0; c && t < BURN_DTYPES; t++)
			print_case(c, (enum burn_dtype)t);
	}
	return 0;
}
