/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/reference/refdir.h"

#include "base/json.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

static const char input_rule[] =
	"torch.manual_seed(42), then torch.randn in float32 as on an x86-64 CPU with AVX2, in the "
	"order conv2d input, weight, bias, matmul A, B; seeded anew for every case; bfloat16 is "
	"the same rounded to nearest even";
/* By the phases of fidelity in which a card computed; 0: the host did. */
static const char *const output_rules[] = {
	[0] = "summed in double over k ascending, conv2d bias last, rounded once to nearest even",
	[3] = "a card's matrix units: products of bfloat16 in 3 phases of fidelity, float32 sums "
		"of up to 2048 terms, conv2d bias last, each on two cores with the same bits; "
		"these sums added up in double on the host, rounded once to nearest even; off by "
		"at most 0.0045 of the sum of the terms' magnitudes, and half an ULP",
	[4] = "a card's matrix units: products of bfloat16 in 4 phases of fidelity, float32 sums "
		"of up to 2304 terms, conv2d bias last, each on two cores with the same bits; "
		"these sums added up in double on the host, rounded once to nearest even; off by "
		"at most 0.004 of the sum of the terms' magnitudes, and half an ULP",
};

static const char *output_rule_of(const struct metadata_card *card)
{
	return output_rules[card ? card->phases : 0];
}

static void put_shape(struct json_out *j, const struct burn_shape *s, enum burn_role role,
	const char *name)
{
	size_t dims[4];
	int n = burn_dims(s, role, dims);

	json_begin(j, name, '[');
	for (int i = 0; i < n; i++)
		json_int(j, NULL, (int64_t)dims[i]);
	json_end(j, ']');
}

enum table { TABLE_SHAPES, TABLE_DTYPES, TABLE_HASHES };

static const char *const table_keys[] = { "shapes", "dtypes", "input_hashes" };

static void put_table(struct json_out *j, const struct metadata *m, enum table table)
{
	json_begin(j, table_keys[table], '{');
	for (int op = 0; op < BURN_OPS; op++) {
		struct burn_shape s = burn_shape_of(m->c, (enum burn_op)op);

		json_begin(j, burn_op_name((enum burn_op)op), '{');
		for (int role = 0; role < BURN_ROLES; role++) {
			const char *name = burn_role_name((enum burn_op)op, (enum burn_role)role);

			if (!name)
				continue;
			if (table == TABLE_SHAPES)
				put_shape(j, &s, (enum burn_role)role, name);
			else if (table == TABLE_DTYPES)
				json_text(j, name, burn_dtype_name(m->dtype));
			else if (role != BURN_OUTPUT)
				json_text(j, name, m->hashes[op][role]);
		}
		json_end(j, '}');
	}
	json_end(j, '}');
}

static void put_device(struct json_out *j, const struct metadata_card *c)
{
	json_text(j, "device", c ? c->device : "cpu");
	if (!c)
		return;
	json_begin(j, "card", '{');
	json_text(j, "chip", c->chip);
	json_text(j, "board", c->board);
	json_text(j, "firmware", *c->firmware ? c->firmware : NULL);
	json_text(j, "simulator", c->simulator);
	json_text(j, "operands", "bfloat16");
	json_text(j, "accumulation", "float32");
	json_text(j, "cores", c->cores);
	json_end(j, '}');
}

void metadata_put(struct strbuf *to, const struct metadata *m)
{
	struct json_out j;

	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	json_text(&j, "dtype", burn_dtype_name(m->dtype));
	json_text(&j, "stored_as", "float32");
	json_int(&j, "input_channels", m->c->channels);
	json_int(&j, "k", m->c->k);
	json_int(&j, "seed", BURN_SEED);
	json_text(&j, "input_rule", input_rule);
	json_text(&j, "output_rule", output_rule_of(m->card));
	put_device(&j, m->card);
	for (int table = TABLE_SHAPES; table <= TABLE_HASHES; table++)
		put_table(&j, m, (enum table)table);
	json_end(&j, '}');
}

/* table[op][name], or table["op_name"]. */
static const struct json *metadata_find(const struct json *table, int op, int role)
{
	const char *name = burn_role_name((enum burn_op)op, (enum burn_role)role);
	const struct json *found;
	char flat[40];

	if (!name)
		return NULL;
	found = json_get(json_get(table, burn_op_name((enum burn_op)op)), name);
	if (found)
		return found;
	snprintf(flat, sizeof(flat), "%s_%s", burn_op_name((enum burn_op)op), name);
	return json_get(table, flat);
}

static int check_shape(const struct json *said, const struct burn_shape *s, enum burn_role role,
	struct error *e)
{
	const struct json *item = json_child(said);
	size_t dims[4];
	int n = burn_dims(s, role, dims);
	double number;

	for (int i = 0; i < n; i++, item = json_next(item))
		if (!json_get_number(item, &number) || number < 0 || number > 1e9 ||
			(size_t)number != dims[i] || (double)(size_t)number != number)
			return fail(e, -EINVAL, "%s %s has the wrong shape for this case",
				burn_op_name(s->op), burn_role_name(s->op, role));
	return item ? fail(e, -EINVAL, "the shape of %s %s has more dimensions than the case's",
			      burn_op_name(s->op), burn_role_name(s->op, role))
		    : 0;
}

static bool take_hash(const struct json *said, char out[static SHA256_TEXT])
{
	const char *text = json_get_text(said);

	if (!text || strlen(text) != SHA256_TEXT - 1 ||
		strspn(text, "0123456789abcdef") != SHA256_TEXT - 1)
		return false;
	memcpy(out, text, SHA256_TEXT);
	return true;
}

static int parse_tensors(const struct json *doc, struct metadata *m, struct error *e)
{
	for (int op = 0; op < BURN_OPS; op++) {
		struct burn_shape s = burn_shape_of(m->c, (enum burn_op)op);

		for (int role = 0; role < BURN_ROLES; role++) {
			const struct json *shape = metadata_find(json_get(doc, "shapes"), op, role);
			const char *name = burn_role_name((enum burn_op)op, (enum burn_role)role);
			int r = shape ? check_shape(shape, &s, (enum burn_role)role, e) : 0;

			if (r < 0)
				return r;
			if (role == BURN_OUTPUT || !name)
				continue;
			if (!take_hash(metadata_find(json_get(doc, "input_hashes"), op, role),
				    m->hashes[op][role]))
				return fail(e, -EINVAL, "no SHA-256 of %s %s in input_hashes",
					burn_op_name((enum burn_op)op), name);
		}
	}
	return 0;
}

static bool says(const struct json *doc, const char *key, const char *text)
{
	const char *said = json_get_text(json_get(doc, key));

	return said && strcmp(said, text) == 0;
}

/* A name of a type, without PyTorch's prefix; NULL if it is no text. */
static const char *dtype_text(const struct json *node)
{
	const char *name = json_get_text(node);

	return name && strncmp(name, "torch.", 6) == 0 ? name + 6 : name;
}

static int parse_head(const struct json *doc, const struct metadata *m, struct error *e)
{
	const char *type = dtype_text(json_get(doc, "dtype"));
	double channels;

	if (!json_is_object(doc))
		return fail(e, -EINVAL, "not an object");
	if (type && strcmp(type, burn_dtype_name(m->dtype)) != 0)
		return fail(e, -EINVAL, "dtype is %.40s, the folder's is %s", type,
			burn_dtype_name(m->dtype));
	if (json_get_number(json_get(doc, "input_channels"), &channels) &&
		!(channels >= m->c->channels && channels <= m->c->channels))
		return fail(e, -EINVAL, "input_channels is %g, the file's name says %d", channels,
			m->c->channels);
	return 0;
}

int metadata_parse(const char *text, size_t len, struct metadata *m, struct error *e)
{
	struct json *doc = NULL;
	int r = json_parse(text, len, &doc, e);

	if (r < 0)
		return r;
	memset(m->hashes, 0, sizeof(m->hashes));
	r = parse_head(doc, m, e);
	if (r == 0)
		r = parse_tensors(doc, m, e);
	m->our_inputs = says(doc, "input_rule", input_rule);
	m->our_outputs = says(doc, "output_rule", output_rules[0]);
	json_free(doc);
	return r;
}

static void put_pair(struct json_out *j, const char *key, int a, int b)
{
	json_begin(j, key, '[');
	json_int(j, NULL, a);
	json_int(j, NULL, b);
	json_end(j, ']');
}

void metadata_put_config(struct strbuf *to, const struct burn_choice *which,
	const struct metadata_card *card)
{
	struct json_out j;

	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	json_int(&j, "seed", BURN_SEED);
	json_text(&j, "input_rule", input_rule);
	json_text(&j, "output_rule", output_rule_of(card));
	json_int(&j, "batch_size", 1);
	put_pair(&j, "input_size", 32, 32);
	json_int(&j, "output_channels", 32);
	put_pair(&j, "kernel_size", 3, 3);
	put_pair(&j, "padding", 1, 1);
	put_pair(&j, "stride", 1, 1);
	json_bool(&j, "bias", true);
	json_begin(&j, "dtypes", '[');
	for (int t = 0; t < BURN_DTYPES; t++)
		if (which->dtypes & 1u << t)
			json_text(&j, NULL, burn_dtype_name((enum burn_dtype)t));
	json_end(&j, ']');
	json_begin(&j, "input_channels", '[');
	for (int i = 0; i < BURN_CASES; i++)
		if (which->cases & 1u << i)
			json_int(&j, NULL, burn_cases[i].channels);
	json_end(&j, ']');
	json_end(&j, '}');
}

static uint32_t parse_cases(const struct json *list)
{
	uint32_t cases = 0;
	double channels;

	for (const struct json *x = json_child(list); x; x = json_next(x))
		for (int i = 0; i < BURN_CASES; i++)
			if (json_get_number(x, &channels) && channels >= burn_cases[i].channels &&
				channels <= burn_cases[i].channels)
				cases |= 1u << i;
	return cases;
}

static uint32_t parse_dtypes(const struct json *list)
{
	uint32_t dtypes = 0;

	for (const struct json *x = json_child(list); x; x = json_next(x)) {
		const char *name = dtype_text(x);

		for (int t = 0; name && t < BURN_DTYPES; t++)
			if (strcmp(name, burn_dtype_name((enum burn_dtype)t)) == 0)
				dtypes |= 1u << t;
	}
	return dtypes;
}

int metadata_parse_config(const char *text, size_t len, struct burn_choice *which, bool *ours,
	struct error *e)
{
	struct strbuf again = { 0 };
	struct json *doc = NULL;
	struct metadata_card card = { 0 };
	bool same;
	int r = json_parse(text, len, &doc, e);

	*which = (struct burn_choice){ 0 };
	*ours = false;
	if (r < 0)
		return r;
	which->cases = parse_cases(json_get(doc, "input_channels"));
	which->dtypes = parse_dtypes(json_get(doc, "dtypes"));
	*ours = says(doc, "input_rule", input_rule);
	for (unsigned i = 1; i < ARRAY_LEN(output_rules); i++)
		card.phases = output_rules[i] && says(doc, "output_rule", output_rules[i]) ? i
			: card.phases;
	json_free(doc);
	if (!*ours)
		return 0;
	metadata_put_config(&again, which, card.phases ? &card : NULL);
	same = again.len == len && memcmp(again.text, text, len) == 0;
	strbuf_clear(&again);
	return same ? 0 : fail(e, -EBADMSG, "was changed after it was written");
}

void metadata_put_system(struct strbuf *to, const struct metadata_card *card)
{
	static const char *const others[] = { "python_version", "pytorch_version", "numpy_version",
		"cuda_version", "gpu_name" };
	struct strbuf platform = { 0 };
	struct json_out j;
	struct utsname u;

	if (uname(&u) == 0)
		strbuf_printf(&platform, "%s-%s-%s", u.sysname, u.release, u.machine);
	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	json_text(&j, "generator", PACKAGE_STRING);
	json_text(&j, "compiler", __VERSION__);
	json_text(&j, "platform", platform.text);
	put_device(&j, card);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		json_null(&j, others[i]);
	json_end(&j, '}');
	strbuf_clear(&platform);
}

void metadata_put_readme(struct strbuf *to)
{
	strbuf_puts(to,
		"# Reference data for conv2d and matmul\n\n"
		"Written by `tt-smi --burnin generate`. `tt-smi --burnin verify DIR` checks it,\n"
		"`tt-smi --burnin compare DIR FILES` compares other results with it.\n\n"
		"- `config.json`: seed, shapes, and the rules for inputs and outputs.\n"
		"- `system_info.json`: what wrote it. Python and PyTorch had no part in it.\n"
		"- `float32/`, `bfloat16/`: for each case `kKKKK_icCCC_` with\n"
		"  `conv2d_{input,weight,bias,output}.npy`, `matmul_{A,B,output}.npy` and\n"
		"  `metadata.json`: shapes, types and the SHA-256 of every input.\n\n"
		"Every array is float32 in C order. Those of bfloat16 hold numbers that\n"
		"bfloat16 has, and their hashes are of the float32 bytes.\n");
}
