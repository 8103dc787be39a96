/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "src/reset/targets.h"

#include "act/hold.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "reset/plan.h"
#include "src/listed.h"
#include "src/reset/prompt.h"
#include "src/say.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONFIG_MAX (1 << 20)	/* bytes */

/* Named as a file, not a card or a host. */
static bool is_config(const char *word)
{
	return strcmp(word, ".json") != 0 && text_ends(word, ".json");
}

static int take_mobos(const struct json *doc, struct reset_order *order, struct error *e)
{
	const struct json *list = json_get(doc, "wh_mobo_reset");
	struct mobo one;

	if (list && !json_is_null(list) && !json_is_array(list))
		return fail(e, -EINVAL, "wh_mobo_reset is not a list");
	for (const struct json *i = json_child(list); i; i = json_next(i)) {
		int r = mobo_parse(i, &one, e);

		if (r < 0)
			return r;
		if (r == 0 && order->n == RESET_MOBOS)
			return fail(e, -EINVAL, "wh_mobo_reset has more than %d mobos",
				RESET_MOBOS);
		if (r == 0)
			order->mobos[order->n++] = one;
	}
	return 0;
}

/* -EINVAL: not as -g writes it. */
static int take_config(const char *text, size_t len, void *to, struct error *e)
{
	struct reset_order *order = to;
	struct json *doc = NULL;
	int r = json_parse(text, len, &doc, e);

	if (r == 0 && !json_is_object(doc))
		r = fail(e, -EINVAL, "is not a JSON object");
	if (r == 0)
		r = take_mobos(doc, order, e);
	if (r == 0 && !order->of_mobos)
		r = reset_nodes_take(doc, &order->names, e);
	json_free(doc);
	return r < 0 ? -EINVAL : 0;
}

int reset_order_take_mobo(struct mobo *m, const char *word, struct error *e)
{
	if (!*m->host && !mobo_is_host(word))
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%s' is not a host name", word);
	if (!*m->host) {
		mem_copy_text(m->host, sizeof(m->host), word);
		return 0;
	}
	if (!mobo_is_port(word) || m->n_ports == MOBO_PORTS)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%s' is not an ethernet port, "
			"as in 6:0", word);
	mem_copy_text(m->ports[m->n_ports++], sizeof(m->ports[0]), word);
	return 0;
}

/* Whether word i is the last one of "-wr all wait", as upstream's callers write it. */
static bool is_wait(const struct options *o, size_t i)
{
	return o->typed[OPT_WARM_RESET] && i > 0 && i + 1 == o->n_targets &&
		strcmp(o->targets[i], "wait") == 0;
}

int reset_order_read(const struct options *o, struct reset_order *order, struct error *e)
{
	int r = 0;

	*order = (struct reset_order){ .of_mobos = o->typed[OPT_MOBO_RESET] };
	if (o->n_targets == 0)
		strbuf_puts(&order->names, "all");
	for (size_t i = 0; i < o->n_targets && r == 0; i++) {
		const char *word = o->targets[i];

		if (is_wait(o, i)) {
			say_as(CODE_NO_EFFECT, "note: wait has no meaning here, since every reset "
				"waits for its end");
		} else if (is_config(word)) {
			r = file_parse(word, CONFIG_MAX, take_config, order, e);
		} else if (order->of_mobos) {
			order->n = order->n ? order->n : 1;
			r = reset_order_take_mobo(&order->mobos[0], word, e);
		} else {
			strbuf_printf(&order->names, "%s ", word);
		}
	}
	return r;
}

/* What a person has to know of a card before choosing it, the worst first. */
static const char *state_of(const struct snapshot *c, const struct process *holder)
{
	if (snapshot_is_lost(c) || c->health == SNAPSHOT_NOT_READ)
		return c->reason;
	if (c->n_findings > 0)
		return c->findings[0].text;
	return holder ? "in use" : "ok";
}

static void reset_targets_list(const struct fleet *f, const bool *visible)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *c = &f->chips[i];
		size_t at = 0;
		const struct process *p = holder_next(f, c->index, &at);
		char held[128] = "";

		if (!visible[i] || c->local >= 0)
			continue;
		if (p && p->pid > 0)
			snprintf(held, sizeof(held), " (held by process %ld, %s)", (long)p->pid,
				p->user);
		else if (p)
			snprintf(held, sizeof(held), " (held in another container)");
		say_result("%3d  %s  /dev/tenstorrent/%d  %s  %s%s", c->index, c->bdf, c->node,
			c->series, state_of(c, p), held);
	}
}

#define QUESTION "Cards to reset (indices or other names, all; q leaves), then Enter: "

/* Of a person or a pipe.  -ECANCELED: its end, or a signal ends us; -EINVAL: no text, or long. */
static int read_answer(struct stop *stop, char *line, size_t size)
{
	int r;

	fflush(stdout);
	if (!prompt_is_possible()) {
		printf(QUESTION);
		fflush(stdout);
		/* A job in the background has no say over its terminal. */
		r = isatty(STDIN_FILENO) ? -ECANCELED : prompt_piped(stop, line, size);
		if (r == -ECANCELED)
			putchar('\n');
		return r;
	}
	do
		r = prompt_line(stop, PROMPT_TYPED, QUESTION, line, size);
	while (r == -EINVAL);
	return r;
}

/* -ECANCELED: the answer was no, or there is none. */
static int reset_targets_ask(struct stop *stop, struct strbuf *names, struct error *e)
{
	char line[4096] = "";
	int r = read_answer(stop, line, sizeof(line));

	if (r == -EINVAL)
		return fail(e, r, "standard input: the line is longer than %zu bytes or has "
			"control characters: nothing was reset", sizeof(line) - 1);
	if (r < 0 || strcmp(line, "q") == 0 || line[strspn(line, " ")] == '\0')
		return -ECANCELED;
	names->len = 0;
	strbuf_puts(names, line);
	return 0;
}

/* Ask a person again who mistypes a name; -ECANCELED: no card was chosen. */
static int choose_by_hand(const struct options *o, struct session *s, struct stop *stop,
	struct strbuf *names, struct named *named, struct error *e)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	int r;

	reset_targets_list(f, s->wanted);
	listed_remember(o, f);
	while ((r = reset_targets_ask(stop, names, e)) == 0) {
		r = named_find(s, names->text, named, e);
		if (r == 0 || !isatty(STDIN_FILENO))
			break;
		say_error(e);
	}
	return r;
}

enum exit_code reset_targets_find(const struct options *o, const struct session *s,
	const char *names, struct named *named)
{
	struct error e = { 0 };

	if (named_find(s, names, named, &e) < 0)
		return session_fail_choice(&e);
	/* -wr refuses; -r only warns: its callers expect a reset. */
	if (!listed_has_moved(o, sampler_fleet(s->sampler), names) ||
		!o->typed[OPT_WARM_RESET] || o->dry_run)
		return EXIT_DONE;
	say_as(CODE_MOVED_INDEX, "nothing was reset: " LISTED_HINT "; --force resets what "
		"the index names now");
	return EXIT_REFUSED;
}

enum exit_code reset_targets_choose(const struct options *o, struct session *s, struct stop *stop,
	struct strbuf *names, bool *wanted)
{
	struct error e = { 0 };
	enum exit_code code = EXIT_DONE;
	struct named named;
	int r = 0;

	if (o->typed[OPT_WARM_RESET] && o->n_targets == 0) {
		r = choose_by_hand(o, s, stop, names, &named, &e);
	} else if (names->len == 0) {
		r = fail_as(&e, CODE_NOTHING_NAMED, -EINVAL, "%s: names no card", o->targets[0]);
	} else {
		code = reset_targets_find(o, s, names->text, &named);
	}
	if (r == -ECANCELED) {
		say_as(CODE_STOPPED, "nothing was reset");
		return EXIT_REFUSED;
	}
	if (r < 0)
		return session_fail_choice(&e);
	if (code != EXIT_DONE)
		return code;
	/* A second chip is reset with its board. */
	for (size_t i = 0; i < DEVICE_MAX; i++)
		wanted[i] = named.chip[i] == NAMED_CARD || named.chip[i] == NAMED_SECOND;
	return named_verdict(o, s, &named);
}

/* A method outside of the driver cannot be forbidden. */
static int refuse_method(const char *word, struct error *e)
{
	char all[80] = "";

	for (enum plan_method m = 0; m < PLAN_OUTSIDE; m++)
		text_join(all, sizeof(all), ", ", "%s", plan_method_name(m));
	return fail_as(e, CODE_BAD_VALUE, -EINVAL, "--forbid: '%s' is not a way to reset a card: "
		"%s", word, all);
}

int reset_targets_forbid(const char *list, bool *forbidden, struct error *e)
{
	char word[32];

	while (list && *list) {
		size_t len = strcspn(list, ", ");
		int m;

		snprintf(word, sizeof(word), "%.*s", (int)(len < 31 ? len : 31), list);
		m = plan_method_find(word);
		if (m < 0)
			return refuse_method(word, e);
		forbidden[m] = true;
		list += len + (list[len] != '\0');
	}
	return 0;
}
