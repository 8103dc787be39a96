/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "report/advice.h"

#include "base/mem.h"
#include "base/want.h"
#include "report/holder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct step advice_rescan = { ACTION_RESCAN, "as root: echo 1 >/sys/bus/pci/rescan; if it "
	"stays away, power the host off and on, or reseat it" };

/* Steps by the code of a chip's state; with any other code a chip that is lost is reset. */
static const struct {
	enum code code;
	struct step step;
} states[] = {
	{ CODE_OFF_BUS, STEP_POWER },
	{ CODE_NO_DRIVER, { ACTION_CONFIGURE_HOST, "see `dmesg` and `lspci -k` for why tt-kmd "
		"offers no device; in a container, pass it in" } },
	{ CODE_BEING_RESET, { ACTION_NONE, NULL } },
};

void advice_set(struct advice *a, enum action action, const char *fmt, ...)
{
	va_list ap;

	*a = (struct advice){ .action = action };
	va_start(ap, fmt);
	vsnprintf(a->text, sizeof(a->text), fmt, ap);
	va_end(ap);
}

void advice_begin(struct advice *a, const char *words)
{
	const struct advice step = *a;

	advice_set(a, step.action, "%s%.*s", words, ADVICE_TEXT / 2, step.text);
	a->name_at = step.name_len ? step.name_at + (int)strlen(words) : 0;
	a->name_len = step.name_len;
}

enum action advice_of_reset(const char *names)
{
	return strpbrk(names, " ,") ? ACTION_RESET_BOARD : ACTION_RESET;
}

void advice_place(struct advice *a, const struct fleet *f)
{
	if (f->is_away && strstr(a->text, "tt-smi "))
		advice_begin(a, "on its machine: ");
}

/* An act refuses a card that a program has; a reset also its board's other half. */
static bool is_held(const struct fleet *f, const struct snapshot *s, bool is_reset)
{
	for (size_t k = 0, at = 0; k < f->n; k++, at = 0)
		if ((&f->chips[k] == s || (is_reset && fleet_needs_both(f, s, &f->chips[k]))) &&
			holder_next(f, (int)k, &at))
			return true;
	return false;
}

/* Put the index of the card in the place of '#', in a reset those of its board; then its own. */
static void name_cards(struct advice *a, const struct fleet *f, const struct snapshot *s,
	const struct step *step, const char *mark)
{
	const bool is_reset = step->action == ACTION_RESET;
	const char *last = strrchr(mark, '#'), *before = "";
	enum action action = step->action;
	char names[ADVICE_TEXT / 2];

	snprintf(names, sizeof(names), "%d", s->index);
	if (is_reset) {
		fleet_name_board(f, (size_t)s->index, names, sizeof(names));
		action = advice_of_reset(names);
	}
	if (is_held(f, s, is_reset)) {
		action = ACTION_FREE_HOLDER;
		before = "end the programs that have it, then ";
	}
	if (last > mark)
		advice_set(a, action, "%s%.*s%s%.*s%d%s", before, (int)(mark - step->text),
			step->text, names, (int)(last - mark - 1), mark + 1, s->index, last + 1);
	else
		advice_set(a, action, "%s%.*s%s%s", before, (int)(mark - step->text), step->text,
			names, mark + 1);
	a->name_at = (int)strlen(before) + (int)(mark - step->text);
	a->name_len = (int)strlen(names);
	advice_place(a, f);
}

/* A reset is not advised where it cannot be done, or cannot help. */
static bool is_in_vain(const struct snapshot *s)
{
	return !snapshot_can_be_reset(s) || s->raw.sample_error.code == -ENOTCONN;
}

/* The step of the state, or NULL for a reset. */
static const struct step *step_of_state(const struct snapshot *s)
{
	if (snapshot_is_gone(s))
		return &advice_rescan;
	for (size_t i = 0; i < ARRAY_LEN(states); i++)
		if (states[i].code == s->code && !snapshot_is_given(s))
			return &states[i].step;
	return NULL;
}

void advice_take(struct advice *a, const struct fleet *f, const struct snapshot *s,
	const struct step *step)
{
	const char *mark = step && step->text ? strchr(step->text, '#') : NULL;

	*a = (struct advice){ .action = ACTION_NONE };
	if (mark) {
		s = snapshot_first(f->chips, f->n, s);
		if (step->action != ACTION_RESET || !is_in_vain(s)) {
			name_cards(a, f, s, step, mark);
			return;
		}
		step = step_of_state(s);
	}
	if (step && step->text)
		advice_set(a, step->action, "%s", step->text);
}

void advice_take_state(struct advice *a, const struct fleet *f, const struct snapshot *s)
{
	static const struct step reset = STEP_RESET;
	const struct step *step = step_of_state(s);

	if (snapshot_is_blind(s))
		advice_set(a, ACTION_CONFIGURE_HOST, "raise the limit of %s",
			want_limit(s->raw.sample_error.code));
	/* That may have been the host, as when it is out of memory. */
	else if (s->raw.sample_error.code == -ECHILD)
		advice_set(a, ACTION_NONE, "see dmesg for what ended it, before any reset");
	else
		advice_take(a, f, s, step || !snapshot_is_lost(s) ? step : &reset);
}

void advice_take_finding(struct advice *a, const struct fleet *f, const struct snapshot *s,
	const char *id)
{
	const struct finding_kind *kind = finding_kind(id);

	advice_take(a, f, s, kind ? &kind->step : NULL);
}

/* Firmware that has stopped is one thing more that is wrong, even if there is no room to say it. */
static bool has_finding(const struct snapshot *s, const char *id)
{
	return snapshot_finding(s, id) ||
		(s->beat == SNAPSHOT_BEAT_STOPPED && strcmp(id, "heartbeat") == 0);
}

void advice_take_chip(struct advice *a, const struct fleet *f, const struct snapshot *s)
{
	const struct finding_kind *worst = NULL, *kind;

	for (size_t i = 0; snapshot_is_live(s) && (kind = finding_kind_at(i)); i++)
		if (has_finding(s, kind->id) && (!worst || kind->result > worst->result))
			worst = kind;
	if (worst && worst->result != VERDICT_INCOMPLETE)
		advice_take(a, f, s, &worst->step);
	else
		advice_take_state(a, f, s);
}

/* What acts find, with the finding of a sample that has the same step. */
static const struct {
	enum code code;
	const char *finding;
} same[] = {
	{ CODE_TOO_HOT, "over-limit" },
	{ CODE_FAN_STOPPED, "fan" },
};

void advice_take_code(struct advice *a, const struct fleet *f, const struct snapshot *s,
	enum code code)
{
	/* A reset trains the memory again. */
	static const struct step train = { ACTION_RESET, "tt-smi -wr #, then test its memory: "
		"tt-smi -b # --workload memory" };
	static const struct step test = { ACTION_NONE, "test its memory: tt-smi -b # --workload "
		"memory" };

	*a = (struct advice){ .action = ACTION_NONE };
	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		if (same[i].code == code)
			advice_take_finding(a, f, s, same[i].finding);
	if (code == CODE_MEMORY_WRONG || code == CODE_MISREAD)
		advice_take(a, f, s, code == CODE_MISREAD ? &test : &train);
	else if (snapshot_trouble(s) && snapshot_code(s) == code)
		advice_take_chip(a, f, s);
}

bool advice_is_alike(const struct advice *a, const struct advice *b)
{
	return a->name_at == b->name_at && strncmp(a->text, b->text, (size_t)a->name_at) == 0 &&
		strcmp(a->text + a->name_at + a->name_len, b->text + b->name_at + b->name_len) == 0;
}

void advice_put(struct strbuf *to, const struct advice *const *all, size_t n)
{
	const struct advice *first = all[0];

	if (!*first->text)
		return;
	strbuf_printf(to, " -> %.*s", first->name_at, first->text);
	for (size_t k = 0; k < n; k++) {
		size_t known = 0;

		while (strcmp(all[known]->text, all[k]->text) != 0)
			known++;
		if (known == k)
			strbuf_printf(to, "%s%.*s", k ? " " : "", all[k]->name_len,
				all[k]->text + all[k]->name_at);
	}
	strbuf_puts(to, first->text + first->name_at + first->name_len);
}
