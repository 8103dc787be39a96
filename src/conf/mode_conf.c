/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_conf.c - --config-print: each setting, and where it is from; --config-check: what is wrong
 * with a configuration.
 */
#include "config.h"
#include "src/conf/conf.h"
#include "src/conf/conf_put.h"
#include "src/mode.h"
#include "src/say.h"
#include "src/session.h"

#include <errno.h>

static enum exit_code fail_file(const struct error *e)
{
	if (e->code != -EPERM)
		return session_fail(e);
	say_error(e);
	say("hint: root reads what root alone may write to, each folder of the path included");
	return EXIT_REFUSED;
}

enum exit_code mode_config_print(const struct options *o)
{
	struct strbuf text = { 0 };

	conf_put_settings(&text, o);
	return session_put(&text, EXIT_DONE);
}

enum exit_code mode_config_check(const struct options *o)
{
	struct conf *c = o->config_check ? conf_open_file(o->config_check) : conf_open(NULL);
	enum exit_code code = c->n_troubles > 0 ? EXIT_NEGATIVE : EXIT_DONE;
	struct strbuf text = { 0 };

	conf_put_troubles(&text, c);
	for (size_t i = 0; i < c->n_files; i++)
		if (c->files[i].error.code < 0 && code != EXIT_REFUSED)
			code = fail_file(&c->files[i].error);
	conf_free(c);
	return session_put(&text, code);
}
