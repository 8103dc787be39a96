/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration: what a line may say, which of several counts, and that no line of any file
 * can ask for an act.
 */
#include "config.h"
#include "base/mem.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "src/conf/conf.h"
#include "src/mode.h"
#include "src/options.h"
#include "src/option_value.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char *appears;	/* made once somebody has found that it is not there */

int access(const char *path, int mode)
{
	int fd;

	if (!appears)
		return faccessat(AT_FDCWD, path, mode, 0);
	fd = open(appears, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 || fchown(fd, 65534, 65534) < 0 || close(fd) < 0)
		abort();
	errno = ENOENT;
	return -1;
}

static void root_reads_no_file_that_appears_meanwhile(void **state)
{
	char path[] = "/tmp/tt-smi-conf.XXXXXX";
	struct error e = { 0 };
	int fd;

	(void)state;
	if (geteuid() != 0)
		skip();
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	appears = path;
	fd = file_open_own(path, &e);
	appears = NULL;
	unlink(path);
	assert_int_equal(fd, -ENOENT);
	assert_int_equal(e.code, -ENOENT);
}

static struct conf *read_bytes(const char *text, size_t len)
{
	struct conf *c = mem_calloc(1, sizeof(*c));

	conf_add_text(c, "f", text, len);
	assert_int_equal(c->files[0].error.code, 0);
	assert_int_equal(c->files[0].n_troubles, c->n_troubles);
	return c;
}

static struct conf *read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static void each_line_that_is_wrong_is_named(void **state)
{
	static const struct {
		const char *text, *trouble;
	} cases[] = {
		{ "intervall = 2", "f:1: no key is named 'intervall'; is interval meant?" },
		{ "partial-ok = yes", "f:1: no key is named 'partial-ok'; is partial_ok meant?" },
		{ "\n\nthem = dark\n", "f:3: no key is named 'them'; is theme meant?" },
		{ "zzzzzz = 1", "f:1: no key is named 'zzzzzz'" },
		{ "interval", "f:1: is neither \"key = value\" nor a [section]" },
		{ "interval =", "f:1: interval: has no value" },
		{ "= 3", "f:1: has no name before its =" },
		{ "interval = 0.001", "f:1: interval: '0.001' is not a time of at least 0.01 s (0.5, 500ms, 10m)" },
		{ "theme = blue", "f:1: theme: 'blue' is not one of auto, default, dark" },
		{ "strict = maybe", "f:1: strict: 'maybe' is neither yes nor no" },
		{ "version_as = 6.2", "f:1: version_as: '6.2' is not a version of three numbers, as 6.2.1 is" },
		{ "expected_chips = forget", "f:1: expected_chips: 'forget' is not a number from 1 to 320" },
		{ "fields = help", "f:1: fields: no field is named help; see tt-smi --fields help" },
		{ "floors = f.conf", "f:1: floors: 'f.conf' is not the whole path of a file" },
		{ "floors = /dev/stdin", "f:1: floors: '/dev/stdin' is not the whole path of a file" },
		{ "theme = dark\ntheme = auto", "f:2: theme: stands in f:1 already" },
		{ "strict = yes\npartial_ok = yes", "f:2: partial_ok: cannot be used together with strict of f:1" },
		{ "[section\nstrict = yes", "f:1: is not a [section]" },
		{ "[alerts ;x]\nstrict = yes", "f:1: is not a [section]" },
		{ "[columns] devices = Power", "f:1: is not a [section]" },
		{ "[]\nstrict = yes", "f:1: is not a [section]" },
		{ "[what]\na = b\nc = d", "f:2: no section is named [what]; there are [alerts] and [columns]" },
		{ "[alerts]\na = lost\na = lost", "f:3: a: stands in f:2 already" },
		{ "[columns]\ntabs = power", "f:2: no tab with columns is named tabs" },
		{ "[columns]\nlinks = up, power", "f:2: Links: no column of the tab is named 'power'" },
		{ "[alerts]\nx =", "f:2: alert 'x': a rule is FIELD > VALUE clear VALUE, "
			"FIELD < VALUE clear VALUE, or lost" },
		{ "[alerts]\nx = power > 9 clear 90", "f:2: alert 'x': clear 90 lies above 9: "
			"it would be raised and cleared by the same values" },
		{ "theme = da\x1brk", "f:1: has a control character" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct conf *c = read_text(cases[i].text);

		assert_int_equal(c->n_troubles, 1);
		assert_string_equal(c->troubles[0], cases[i].trouble);
		conf_free(c);
	}
}

static void what_is_good_is_taken_as_it_is(void **state)
{
	static const struct {
		const char *text, *name, *value, *where;
	} cases[] = {
		{ "theme = dark", "theme", "dark", "f:1" },
		{ "\xef\xbb\xbf" "theme = dark", "theme", "dark", "f:1" },
		{ "# a\n; b\n\n \t theme=dark \t \r\n", "theme", "dark", "f:4" },
		{ "theme : dark ; at night", "theme", "dark", "f:1" },
		{ "strict = no\npartial_ok = yes\n", "strict", "no", "f:1" },
		{ "rotate = 100M", "rotate", "100M", "f:1" },
		{ "[alerts]\t; hot ones\n hot = power > 90 clear 80", "hot", "power > 90 clear 80", "f:2" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct conf *c = read_text(cases[i].text);

		assert_int_equal(c->n_troubles, 0);
		assert_true(c->n > 0);
		assert_string_equal(c->lines[0].name, cases[i].name);
		assert_string_equal(c->lines[0].value, cases[i].value);
		assert_string_equal(c->lines[0].where, cases[i].where);
		conf_free(c);
	}
}

static void hostile_lines_harm_none_beside_them(void **state)
{
	struct strbuf text = { 0 };
	struct conf *c;

	(void)state;
	strbuf_puts(&text, "theme = dark\nfields = ");
	for (int i = 0; i < 4096; i++)
		strbuf_putc(&text, 'x');
	strbuf_add(&text, "\ninter\0val = 3\n[al\0erts]\nstrict = yes\n", 38);
	c = read_bytes(text.text, text.len);
	assert_int_equal(c->n_troubles, 3);
	assert_string_equal(c->troubles[0], "f:2: is too long");
	assert_string_equal(c->troubles[1], "f:3: has a NUL byte");
	assert_string_equal(c->troubles[2], "f:4: has a NUL byte");
	/* What stands below a heading that was not understood belongs to no other. */
	assert_int_equal(c->n, 1);
	assert_string_equal(c->lines[0].name, "theme");
	conf_free(c);
	strbuf_clear(&text);

	for (int i = 0; i < 3 * CONF_TROUBLES; i++)
		strbuf_puts(&text, "nonsense\n");
	for (int i = 0; i < CONF_MOST_LINES + 5; i++)
		strbuf_puts(&text, "fields = power\n");
	c = read_bytes(text.text, text.len);
	assert_int_equal(c->n_troubles, 3 * CONF_TROUBLES + 5);
	assert_int_equal(c->n, CONF_MOST_LINES);
	conf_free(c);
	strbuf_clear(&text);
}

/* What a line of options becomes where the variable is set and these are the two files. */
static void stand(struct options *o, enum mode mode, const char *user, const char *system)
{
	*o = (struct options){ .mode = mode, .modes = modes, .does = &modes[mode],
		.conf = mem_calloc(1, sizeof(struct conf)) };
	options_set_usual(o);
	conf_add_text(o->conf, "user", user, strlen(user));
	conf_add_text(o->conf, "etc", system, strlen(system));
	assert_int_equal(options_take_standing(o), 0);
}

static void the_users_file_beats_the_one_in_etc(void **state)
{
	struct options o;

	(void)state;
	stand(&o, MODE_DUMP, "#\ninterval = 2\nutc = no\nfields = power\nfields = aiclk\n",
		"interval = 3\nutc = yes\ntimeout = 4\nfields = vcore\nkeep = 7\n");
	assert_int_equal(o.interval, 2 * CLOCK_SECOND);
	assert_string_equal(o.stands[OPT_INTERVAL], "user:2");
	assert_string_equal(o.typed[OPT_INTERVAL], "user:2");
	assert_false(o.utc);
	assert_string_equal(o.stands[OPT_UTC], "user:3");
	assert_null(o.typed[OPT_UTC]);
	assert_int_equal(o.deadline, 4 * CLOCK_SECOND);
	assert_string_equal(o.stands[OPT_TIMEOUT], "etc:3");
	assert_string_equal(o.fields, "power,aiclk");
	assert_int_equal(o.keep, 7);
	options_clear(&o);

	/* A line that is wrong stands for nothing: the next source holds, then the default. */
	stand(&o, MODE_SNAPSHOT, "strict = perhaps\ntimeout = x\n", "strict = yes\ntimeout = y\n");
	assert_true(o.strict);
	assert_string_equal(o.typed[OPT_STRICT], "etc:1");
	assert_int_equal(o.deadline, 0);
	assert_null(o.typed[OPT_TIMEOUT]);
	options_clear(&o);

	/* What says no is in nobody's way, wherever it stands. */
	stand(&o, MODE_SNAPSHOT, "partial_ok = yes\nstrict = no\n", "");
	assert_true(o.partial_ok && !o.strict);
	assert_string_equal(o.stands[OPT_STRICT], "user:2");
	options_clear(&o);

	/* What the user wants excludes what /etc does. */
	stand(&o, MODE_SNAPSHOT, "partial_ok = yes\n", "strict = yes\n");
	assert_true(o.partial_ok && !o.strict);
	options_clear(&o);
}

static void a_variable_beats_both_files(void **state)
{
	struct options o;

	(void)state;
	setenv("TT_SMI_VERSION_AS", "6.2.1", 1);
	stand(&o, MODE_VERSION, "version_as = 6.1.0", "version_as = 6.0.0");
	assert_string_equal(o.version_as, "6.2.1");
	assert_string_equal(o.stands[OPT_VERSION_AS], "TT_SMI_VERSION_AS");
	options_clear(&o);
	unsetenv("TT_SMI_VERSION_AS");

	/* Of which 1 alone counts: any other says no, and that is more than a file says. */
	setenv("TT_SMI_PARTIAL_OK", "0", 1);
	stand(&o, MODE_SNAPSHOT, "partial_ok = yes", "");
	assert_false(o.partial_ok);
	assert_string_equal(o.stands[OPT_PARTIAL_OK], "TT_SMI_PARTIAL_OK");
	options_clear(&o);
	unsetenv("TT_SMI_PARTIAL_OK");
}

static void a_mode_has_the_keys_that_it_takes(void **state)
{
	struct options o;

	(void)state;
	stand(&o, MODE_RESET, "fields = power\ntheme = dark\nstrict = yes\ntimeout = 3\n", "");
	assert_true(!o.fields && o.theme == THEME_AUTO && !o.strict);
	assert_int_equal(o.deadline, 3 * CLOCK_SECOND);
	options_clear(&o);
}

static void the_lines_of_a_section_are_walked(void **state)
{
	static const char *const expected[] = { "a=lost user:2", "b=lost user:3",
		"c=lost etc:5" };
	const struct conf_line *line = NULL;
	struct options o;
	size_t n = 0;

	(void)state;
	stand(&o, MODE_LIVE, "[alerts]\na = lost\nb = lost\n",
		"theme = dark\n[alerts]\n\na = power > 3 clear 3\nc = lost\n");
	for (line = conf_next(o.conf, "alerts", NULL); line;
		line = conf_next(o.conf, "alerts", line)) {
		char text[80];

		snprintf(text, sizeof(text), "%s=%s %s", line->name, line->value, line->where);
		assert_true(n < ARRAY_LEN(expected));
		assert_string_equal(text, expected[n++]);
	}
	assert_int_equal(n, ARRAY_LEN(expected));
	assert_int_equal(o.theme, THEME_DARK);
	assert_null(conf_next(NULL, "alerts", NULL));
	options_clear(&o);
}

/* Whatever asks for a mode or a reset, consents, or says where cards come from, is for one call. */
static void no_key_consents_forces_or_resets(void **state)
{
	static const char *const never[] = { "yes", "force", "reset", "warm_reset", "wait", "dmc",
		"no-reset", "dry-run", "burnin", "device", "sim", "root", "load", "replay" };
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];

		n += row->key != NULL;
		if (!row->key)
			continue;
		if (row->mode || row->implies || row->beside || row->gives ||
			row->group == OPTION_HIDDEN || row->group == OPTION_MODES ||
			row->group == OPTION_RESETS || row->group == OPTION_SOURCES)
			fail_msg("%s has a key", row->names[0]);
		for (size_t k = 0; k < ARRAY_LEN(never); k++)
			for (size_t j = 0; j < ARRAY_LEN(row->names) && row->names[j]; j++)
				assert_string_not_equal(row->names[j], never[k]);
	}
	assert_true(n > 10);
}

static void every_key_says_all_that_there_is_to_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];

		if (!row->key)
			continue;
		if (!row->at || (row->kind == OPTION_PATH && !row->kept) ||
			(!row->unset && row->kind != OPTION_FLAG && !row->choices))
			fail_msg("key %s is incomplete", row->key);
		for (const char *p = row->key; *p; p++)
			assert_true(islower((unsigned char)*p) || *p == '_');
		for (size_t k = 0; k < i; k++)
			if (option_rows[k].key)
				assert_string_not_equal(option_rows[k].key, row->key);
		assert_string_equal(option_nearest_key(row->key), row->key);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_that_is_wrong_is_named),
		cmocka_unit_test(what_is_good_is_taken_as_it_is),
		cmocka_unit_test(hostile_lines_harm_none_beside_them),
		cmocka_unit_test(root_reads_no_file_that_appears_meanwhile),
		cmocka_unit_test(the_users_file_beats_the_one_in_etc),
		cmocka_unit_test(a_variable_beats_both_files),
		cmocka_unit_test(a_mode_has_the_keys_that_it_takes),
		cmocka_unit_test(the_lines_of_a_section_are_walked),
		cmocka_unit_test(no_key_consents_forces_or_resets),
		cmocka_unit_test(every_key_says_all_that_there_is_to_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
