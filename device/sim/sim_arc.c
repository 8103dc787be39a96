/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_arc.c - messages to the firmware: the scratch mailbox of Grayskull and
 * Wormhole (chip-facts 4.1), the queues of newer Wormhole firmware (4.2) and
 * of Blackhole (4.3).  All are answered when the doorbell rings.
 */
#include "config.h"
#include "device/sim/sim_chip.h"

#define QUEUES    4		/* on Blackhole; Wormhole has only the first */
#define ENTRIES   4
#define HEAD      8		/* words before the slots of a queue */
#define SLOT      8		/* words of a message */
#define DOORBELL  (1u << 16)	/* of ARC_MISC_CNTL */
#define TDP_SINCE 0x13080000u	/* SET_TDP_LIMIT */
#define UNKNOWN   0xffu
#define LEGACY_WH 0x10078d60u
#define LEGACY_GS 0x10078c00u

/* Word numbers in a queue's head. */
enum { HOST_REQUEST = 0, HOST_RESPONSE = 1, FW_REQUEST = 4, FW_RESPONSE = 5, SERIAL = 6 };

struct message {
	uint32_t code, arg0, arg1;	/* in the mailbox the arguments have 16 bits */
	uint32_t flags;			/* of a power setting */
	uint32_t status, exit, data[2];
};

bool sim_arc_has_queue(const struct sim_chip *c)
{
	return c->n_entries > 0;
}

void sim_arc_qcb(const struct sim_chip *c, uint32_t qcb[2])
{
	bool bh = c->board->like == DEVICE_BLACKHOLE;

	qcb[0] = (bh ? 0x10000000u : 0) + SIM_QUEUE;
	qcb[1] = ENTRIES | (bh ? QUEUES << 8 : 0);
}

static void set_busy(struct sim_chip *c, bool busy)
{
	c->state->busy = busy;
	c->state->changes++;
}

static void set_watt_limit(struct sim_chip *c, struct message *m)
{
	if (c->board->bundle < TDP_SINCE || (!m->arg1 && (m->arg0 < 50 || m->arg0 > 500))) {
		m->status = UNKNOWN;
		return;
	}
	c->state->watt_limit = m->arg1 ? 0 : m->arg0;
	c->state->changes++;
}

static void get_clock(struct sim_chip *c, const struct sim_now *now, struct message *m)
{
	struct sim_model model;

	sim_model(c, now, &model);
	m->data[0] = model.mhz;
	m->data[1] = 1;
}

/* Messages that are the same on Blackhole and older chips; false if this is not one of them. */
static bool handle_common(struct sim_chip *c, const struct sim_now *now, struct message *m)
{
	switch (m->code) {
	case 0x34:
		get_clock(c, now, m);
		return true;
	case 0x52:
	case 0x54:
		set_busy(c, m->code == 0x52);
		return true;
	case 0x56:
		sim_reset_chip(c, now, m->arg0 == 3);
		return true;
	case 0x90:
		m->data[0] = m->arg0 + 1;
		return true;
	case 0xa0:
	case 0xa3:
		return true;
	default:
		return false;
	}
}

static void handle_old(struct sim_chip *c, const struct sim_now *now, struct message *m)
{
	static const uint32_t tensix_rows = 0x3ff;
	bool wh = c->board->like == DEVICE_WORMHOLE;

	if (handle_common(c, now, m))
		return;
	switch (m->code) {
	case 0x2c:
		m->data[0] = wh ? LEGACY_WH : LEGACY_GS;
		return;
	case 0x57:
		m->data[0] = ~c->board->tensix & tensix_rows;
		return;
	case 0xb9:
		m->data[0] = m->arg0 ? c->board->bundle : c->board->cm_fw;
		return;
	case 0xc0:
		if (!sim_arc_has_queue(c))
			break;
		set_busy(c, m->flags & 1);
		return;
	case 0xbb:
		if (!wh)
			sim_tensix_clock(c, m->arg0 == 1);
		return;
	case 0x11: case 0x51: case 0x53: case 0xa1: case 0xa5: case 0xb6: case 0xb7: case 0xba:
	case 0xbc:
		return;
	}
	m->status = UNKNOWN;
}

static void handle_bh(struct sim_chip *c, const struct sim_now *now, struct message *m)
{
	if (handle_common(c, now, m))
		return;
	switch (m->code) {
	case 0x21:
		set_busy(c, m->flags & 1);
		return;
	case 0x22:
		set_watt_limit(c, m);
		return;
	case 0xb6:
		sim_violation(c, "message 0xb6 resets the memory on Blackhole");
		return;
	case 0xc0: case 0xc1: case 0xc5:
		return;
	}
	m->status = UNKNOWN;
}

static void handle(struct sim_chip *c, const struct sim_now *now, struct message *m)
{
	atomic_fetch_add(&c->sim->shared->messages, 1);
	sim_log(c, "message", "0x%02x 0x%x 0x%x%s", m->code, m->arg0, m->arg1,
		c->remote ? " (remote)" : "");
	if (c->board->like == DEVICE_BLACKHOLE)
		handle_bh(c, now, m);
	else
		handle_old(c, now, m);
}

static void serve_mailbox(struct sim_chip *c, const struct sim_now *now)
{
	uint32_t *scratch = c->state->scratch;
	struct message m = { .code = scratch[5] & 0xff, .arg0 = scratch[3] & 0xffff,
		.arg1 = scratch[3] >> 16 };

	if ((scratch[5] & 0xffffff00) != 0xaa00)
		return;
	handle(c, now, &m);
	scratch[3] = m.data[0];
	scratch[4] = m.data[1];
	scratch[5] = m.status == UNKNOWN ? UINT32_MAX : m.exit << 16 | m.code;
}

/* Answer one request of a queue; pointers count modulo twice the entries. */
static void serve_message(struct sim_chip *c, const struct sim_now *now, uint32_t *q)
{
	const uint32_t *in = q + HEAD + q[FW_REQUEST] % ENTRIES * SLOT;
	uint32_t *out = q + HEAD + (ENTRIES + q[FW_RESPONSE] % ENTRIES) * SLOT;
	struct message m = { .code = in[0] & 0xff, .arg0 = in[1], .arg1 = in[2],
		.flags = in[0] >> 16 };

	handle(c, now, &m);
	for (unsigned i = 0; i < SLOT; i++)
		out[i] = 0;
	out[0] = m.status | m.exit << 16;
	out[1] = m.data[0];
	out[2] = m.data[1];
	q[SERIAL]++;
	q[FW_REQUEST] = (q[FW_REQUEST] + 1) % (2 * ENTRIES);
	q[FW_RESPONSE] = (q[FW_RESPONSE] + 1) % (2 * ENTRIES);
}

static void serve_queue(struct sim_chip *c, const struct sim_now *now, uint32_t *q)
{
	unsigned wrap = 2 * ENTRIES;

	if (q[HOST_REQUEST] >= wrap || q[HOST_RESPONSE] >= wrap ||
	    (q[HOST_REQUEST] - q[FW_REQUEST]) % wrap > ENTRIES) {
		sim_violation(c, "message queue pointer out of range");
		return;
	}
	while (q[FW_REQUEST] != q[HOST_REQUEST] &&
	       (q[FW_RESPONSE] - q[HOST_RESPONSE]) % wrap != ENTRIES)
		serve_message(c, now, q);
}

void sim_arc_doorbell(struct sim_chip *c, const struct sim_now *now)
{
	bool bh = c->board->like == DEVICE_BLACKHOLE;

	if (!now->booted || sim_has_fault(now, SIM_STUCK))
		return;
	c->state->misc &= ~DOORBELL;
	if (!bh)
		serve_mailbox(c, now);
	for (unsigned i = 0; sim_arc_has_queue(c) && i < (bh ? QUEUES : 1); i++)
		serve_queue(c, now, c->state->queue + i * (HEAD + 2 * ENTRIES * SLOT));
}
