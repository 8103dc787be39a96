/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_links.c - --links and --eth_status: ethernet, by telemetry and by its cores.
 */
#include "config.h"

#include "base/mem.h"
#include "base/text.h"
#include "device/eth_state.h"
#include "device/ident.h"
#include "output/text.h"
#include "src/listed.h"
#include "src/mode.h"
#include "telemetry/change.h"
#include "telemetry/load/load.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/*
 * --eth_status: what each ethernet core reports of its link, read only on demand.  The first line
 * of a link has the form of the Python tool; its states are those of --links.
 */

/* How many of the chosen cards have such cores, were read, and are held by other programs. */
struct count {
	size_t have, read, held;
};

static const char *speed_text(uint32_t gbps, char *buf, size_t size)
{
	snprintf(buf, size, gbps ? "%u" : "-", gbps);
	return buf;
}

static bool says(const struct snapshot *s, enum field_id id, uint64_t number)
{
	return reading_has_value(&s->r[id]) && number && (uint64_t)s->r[id].value == number;
}

/* The chip at the other end if exactly one matches; in a galaxy, a board id matches many chips. */
static const struct snapshot *find_end(const struct fleet *f, const struct eth_state *l)
{
	const struct snapshot *found = NULL;

	for (size_t i = 0; i < f->n; i++) {
		const struct snapshot *s = &f->chips[i];
		const struct reading *place = &s->r[FIELD_ASIC_LOCATION];

		if (!says(s, FIELD_ASIC_ID, l->asic) && !(says(s, FIELD_BOARD_ID, l->board) &&
			reading_has_value(place) && place->value == l->place))
			continue;
		if (found)
			return NULL;
		found = s;
	}
	return found;
}

/* The state in the Python tool's capitals. */
static const char *state_text(enum port_state state, char *buf, size_t size)
{
	mem_copy_text(buf, size, port_state_word(state));
	for (char *c = buf; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return buf;
}

static void put_end(struct strbuf *to, const struct fleet *f, const struct eth_state *l)
{
	const struct snapshot *end = find_end(f, l);

	if (end)
		strbuf_printf(to, " to Device %d Link %2u", end->index, l->core);
	else if (l->has_end)
		strbuf_printf(to, " to (%u, %u, %u, %u) Link %2u", l->end[0], l->end[1], l->end[2],
			l->end[3], l->core);
}

static void put_link(struct strbuf *to, const struct fleet *f, size_t at, const struct port *p,
	const struct eth_state *l)
{
	static const char *const pulses[] = { [ETH_PULSE_UNKNOWN] = "heartbeat not judged; ",
		[ETH_PULSE_MOVES] = "", [ETH_PULSE_FROZEN] = "firmware has stopped; " };
	char state[16], core[16], speed[16], target[16];

	snprintf(core, sizeof(core), "%u-%u", p->x, p->y);
	strbuf_printf(to, "  Link %2zu: %-7s core %-6s speed %4s Gbps target %4s Gbps", at,
		state_text(p->state, state, sizeof(state)), core,
		speed_text(l->speed, speed, sizeof(speed)),
		speed_text(l->target, target, sizeof(target)));
	if (l->state == ETH_LINK_UP)
		put_end(to, f, l);
	strbuf_putc(to, '\n');
	if (l->is_on)
		strbuf_printf(to, "    %straining %s, retrains %" PRIu64 ", CRC errors %" PRIu64
			", corrected %" PRIu64 ", uncorrected %" PRIu64 "\n", pulses[l->pulse],
			eth_training_text(l), l->count[ETH_RETRAINS], l->count[ETH_CRC_ERRORS],
			l->count[ETH_CORRECTED], l->count[ETH_UNCORRECTED]);
}

static void put_links(struct strbuf *to, const struct fleet *f, size_t at)
{
	struct port ports[PORT_MOST];
	const size_t n = port_list(f->chips, f->n, at, ports);

	for (size_t i = 0; i < n; i++)
		put_link(to, f, i, &ports[i], &f->chips[at].raw.links[i]);
}

/* Only a recording of --eth_status has what the cores said. */
static const char *why_unread(const struct fleet *f, const struct snapshot *s)
{
	if (f->origin->is_recorded)
		return f->origin->is_moment ? "a snapshot does not have the state of ethernet "
			"cores: --links has what its telemetry says" :
			"this recording does not have the state of ethernet cores: --eth_status "
			"--record makes one that has it";
	return s->raw.links_error.code ? s->raw.links_error.text : *s->reason ? s->reason
		: *s->note ? s->note : "its cores were not asked";
}

static void put_card(struct strbuf *to, const struct fleet *f, size_t at, struct count *n)
{
	const struct snapshot *s = &f->chips[at];
	const struct raw *raw = &s->raw;

	strbuf_printf(to, "Device %d: %s ", s->index, device_chip_name(s->chip));
	text_put_plain(to, s->board);
	text_put_plain_in(to, "  (", *s->bdf ? s->bdf : "second chip", ")\n");
	if (!port_any(s)) {
		strbuf_puts(to, "  it has no ports\n");
		return;
	}
	n->have++;
	n->read += raw->has_links;
	n->held += raw->links_error.code == -EBUSY;
	if (raw->has_links)
		put_links(to, f, at);
	else
		text_put_plain_in(to, "  ", why_unread(f, s), "\n");
}

static enum exit_code eth_code(const struct count *n, enum exit_code read)
{
	if (n->read == 0 && n->held > 0)
		return EXIT_REFUSED;
	return read == EXIT_DONE && n->read < n->have ? EXIT_PARTIAL : read;
}

static enum exit_code mode_eth(const struct options *o)
{
	struct strbuf text = { 0 };
	struct count n = { 0 };
	const struct fleet *f;
	struct session s;
	enum exit_code code = session_open(&s, o, true);

	if (code != EXIT_DONE)
		return code;
	code = named_limit(&s, o);
	f = sampler_fleet(s.sampler);
	for (size_t i = 0; i < f->n && code == EXIT_DONE; i++)
		if (s.wanted[i] && f->chips[i].local < 0)
			put_card(&text, f, i, &n);
	if (code == EXIT_DONE) {
		session_complain(&s);
		code = outlet_print(&text, eth_code(&n, session_verdict(&s)));
	}
	session_close(&s);
	return code;
}

/* --links: the ports of each card, saved as a snapshot or compared with one. */

static enum exit_code code_of(const struct links *l, enum exit_code read)
{
	if (!l->against || read == EXIT_NO_DEVICE)
		return read;
	return exit_judged(l->report->lost > 0, l->report->unknown);
}

static enum exit_code save_links(const struct options *o, const struct session *s,
	enum exit_code code)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	struct strbuf text = { 0 };
	struct error e;
	int r;

	snapshot_put(&text, o, f, &s->host);
	r = snapshot_save_as(&text, o->save, &e);
	strbuf_clear(&text);
	if (r < 0)
		session_fail_file(&e);
	return r < 0 ? exit_unwritten(code) : code;
}

static enum exit_code print_links(const struct options *o, struct session *s,
	const struct loaded *before)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	struct port_report report = { .n = 0 };
	struct links l = { .now = { .host = &s->host, .chips = f->chips, .n = f->n,
			.selection = f->selection, .wanted = s->wanted },
		.against = before ? o->against : NULL, .report = &report,
		.external = o->external };
	struct strbuf text = { 0 };
	enum exit_code code;

	for (size_t i = 0; i < f->n && o->local; i++)
		s->wanted[i] = s->wanted[i] && f->chips[i].local < 0;
	if (before) {
		l.before = (struct change_side){ .host = &before->host, .chips = before->chips,
			.n = before->n, .selection = before->selection };
		port_change_find(&l.before, &l.now, &report);
	}
	session_complain(s);
	code = code_of(&l, session_verdict(s));
	l.code = (int)code;
	(o->json ? links_put_json : links_put_text)(&text, &l);
	port_change_clear(&report);
	code = outlet_print(&text, code);
	return o->save && code != EXIT_NO_DEVICE ? save_links(o, s, code) : code;
}

enum exit_code mode_links(const struct options *o)
{
	struct loaded *before = NULL;
	struct session s;
	enum exit_code code;
	struct error e;

	if (o->typed[OPT_ETH_STATUS])
		return mode_eth(o);
	if (o->against && load_file(o->against, &before, &e) < 0)
		return session_fail(&e);
	code = session_open(&s, o, true);
	if (code == EXIT_DONE) {
		code = print_links(o, &s, before);
		session_close(&s);
	}
	load_free(before);
	return code;
}
