/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "reset/report.h"

#include "base/clock.h"
#include "device/kind.h"

static const char *const phases[] = { "notify", "fire", "outside", "wait", "rebind", "post",
	"verify", "over" };
static const char *const verdicts[] = { "pending", "recovered", "degraded", "lost",
	"not known", "not reset", "refused", "stopped" };

const char *reset_phase_name(enum reset_phase p)
{
	return phases[p];
}

const char *reset_verdict_name(enum reset_verdict v)
{
	return verdicts[v];
}

static void put_seconds(struct json_out *j, const char *key, int64_t ns)
{
	json_decimal(j, key, ns / 1000, 1000000);
}

void report_put_aer(struct json_out *j, const char *key, const struct aer *a)
{
	if (!a->known) {
		json_null(j, key);
		return;
	}
	json_begin(j, key, '{');
	for (int i = 0; i < AER_KINDS; i++)
		json_int(j, aer_kinds[i], (int64_t)a->errors[i]);
	json_end(j, '}');
}

void report_put_port(struct json_out *j, const char *key, const struct pcie_port *p)
{
	if (!p->known) {
		json_null(j, key);
		return;
	}
	json_begin(j, key, '{');
	json_text(j, "bdf", p->bdf);
	json_text(j, "power", *p->power ? p->power : NULL);
	json_text(j, "link", *p->link ? p->link : NULL);
	if (p->has_config) {
		json_bool(j, "answers", !p->is_off);
		json_bool(j, "passes_memory", p->passes_memory);
		json_bool(j, "passes_dma", p->passes_dma);
		json_bool(j, "holds_reset", p->holds_reset);
	}
	report_put_aer(j, "aer", &p->aer);
	json_end(j, '}');
}

static void put_step(struct json_out *j, const struct reset_step *s)
{
	json_begin(j, NULL, '{');
	json_text(j, "phase", reset_phase_name(s->phase));
	json_text(j, "method", plan_method_title(s->method));
	put_seconds(j, "began", s->began);
	put_seconds(j, "took", s->took);
	put_seconds(j, "limit", s->limit);
	json_bool(j, "ok", s->ok);
	json_text(j, "text", *s->text ? s->text : NULL);
	json_end(j, '}');
}

static void put_card(struct json_out *j, const struct reset_card *c)
{
	json_begin(j, NULL, '{');
	json_int(j, "index", c->index);
	json_text(j, "bdf", c->bdf);
	json_text(j, "board", c->series);
	json_text(j, "verdict", reset_verdict_name(c->verdict));
	json_text(j, "reason", *c->reason ? c->reason : NULL);
	json_code(j, c->code);
	json_text(j, "advice", *c->advice.text ? c->advice.text : NULL);
	json_text(j, "action", action_name(c->advice.action));
	json_text(j, "note", *c->note ? c->note : NULL);
	put_seconds(j, "took", c->took);
	if (c->guard != RESET_UNGUARDED)
		json_bool(j, "exclusive", c->guard == RESET_EXCLUSIVE);
	else
		json_null(j, "exclusive");
	json_int(j, "node_before", c->node_before);
	json_int(j, "node_after", c->node_after);
	json_text(j, "firmware_before", *c->before.firmware ? c->before.firmware : NULL);
	json_text(j, "firmware_after", *c->after.firmware ? c->after.firmware : NULL);
	report_put_aer(j, "aer_before", &c->before.aer);
	report_put_aer(j, "aer_after", &c->after.aer);
	report_put_port(j, "port_before", &c->before.port);
	report_put_port(j, "port_after", &c->after.port);
	json_begin(j, "ladder", '[');
	for (size_t i = 0; i < c->plan.n; i++)
		json_text(j, NULL, plan_method_title(c->plan.ladder[i]));
	json_end(j, ']');
	json_begin(j, "phases", '[');
	for (size_t i = 0; i < c->n_steps; i++)
		put_step(j, &c->steps[i]);
	json_end(j, ']');
	json_end(j, '}');
}

/* A tray is whole when all of its cards recovered; not known for one of another machine. */
static void put_tray(struct json_out *j, int tray, const struct bus *bus,
	const struct reset_card *cards, size_t n)
{
	size_t recovered = 0;

	json_begin(j, NULL, '{');
	json_int(j, "tray", tray);
	json_begin(j, "cards", '[');
	for (size_t i = 0; bus && i < n; i++) {
		if (galaxy_tray(&bus->dev[cards[i].index], NULL) != tray)
			continue;
		json_int(j, NULL, cards[i].index);
		recovered += cards[i].verdict == RESET_RECOVERED;
	}
	json_end(j, ']');
	if (bus)
		json_bool(j, "whole", recovered == GALAXY_CHIPS);
	else
		json_null(j, "whole");
	json_end(j, '}');
}

void report_put(struct json_out *j, const struct reset_card *cards, size_t n,
	const struct report_facts *facts)
{
	static const char *const weights[] = { [PREFLIGHT_NOTE] = "note", [PREFLIGHT_BUSY] = "busy",
		[PREFLIGHT_UNSAFE] = "unsafe", [PREFLIGHT_HOPELESS] = "hopeless",
		[PREFLIGHT_IMPOSSIBLE] = "impossible" };
	char now[40];

	json_begin(j, NULL, '{');
	json_int(j, "schema_version", 1);
	json_text(j, "time", clock_iso_utc(clock_real(), now, sizeof(now)));
	json_text(j, "command", facts->command);
	json_text(j, "act", facts->act);
	json_text(j, "act_failure", *facts->result ? facts->result : NULL);
	json_int(j, "tries", facts->tries);
	json_text(j, "version", PACKAGE_VERSION);
	json_text(j, "source", facts->fleet ? facts->fleet->origin->name : NULL);
	json_text(j, "driver", facts->fleet ? facts->fleet->driver : NULL);
	json_text(j, "kernel", facts->host->kernel);
	json_text(j, "hostname", facts->host->hostname);
	json_int(j, "exit_code", facts->exit);
	json_begin(j, "preflight", '[');
	for (size_t i = 0; i < facts->preflight->n; i++) {
		const struct preflight_note *note = &facts->preflight->notes[i];

		json_begin(j, NULL, '{');
		if (note->index >= 0)
			json_int(j, "index", note->index);
		else
			json_null(j, "index");
		json_text(j, "weight", weights[note->weight]);
		json_text(j, "text", note->text);
		json_end(j, '}');
	}
	json_end(j, ']');
	if (facts->trays) {
		json_begin(j, "trays", '[');
		for (int t = 0; t < GALAXY_TRAYS; t++)
			if (facts->trays >> t & 1)
				put_tray(j, t + 1, facts->bus, cards, n);
		json_end(j, ']');
	}
	json_begin(j, "cards", '[');
	for (size_t i = 0; i < n; i++)
		put_card(j, &cards[i]);
	json_end(j, ']');
	json_end(j, '}');
}
