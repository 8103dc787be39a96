/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arc_msg.c - send one message, read its answer, and detect that another program
 * uses the slot.  A message that timed out is not sent again: the firmware may
 * still be working on it.
 */
#include "config.h"
#include "device/arc_msg.h"

#include "base/clock.h"

#include <errno.h>
#include <string.h>

#define DOORBELL    (1u << 16)	/* of ARC_MISC_CNTL */
#define ANSWER_TIME CLOCK_SECOND
#define LOOK_LEAST  (20 * CLOCK_MS / 1000)	/* between two looks */
#define LOOK_MOST   CLOCK_MS
#define BELL_TIME   (5 * CLOCK_MS)

enum { POST_CODE = 0x60, ARGUMENT = 0x6c, ANSWER2 = 0x70, MESSAGE = 0x74, MISC_CNTL = 0x100 };

static struct reg_addr reg(const struct arc_mailbox *m, uint32_t offset)
{
	struct reg_addr at = m->unit;

	at.addr += offset;
	return at;
}

static int failed(int code, struct error *e)
{
	return fail(e, code, "firmware message: %s", strerror(-code));
}

static int look(struct device *d, const struct arc_mailbox *m, struct reg_addr at, uint32_t *word,
	struct error *e)
{
	int64_t began = clock_mono();
	int r = device_read(d, at, word, 1);
	int64_t took = clock_mono() - began;

	if (r < 0)
		return failed(r, e);
	if (m->patience && took > m->patience)
		return fail_as(e, CODE_HUNG, -ETIMEDOUT, "no message is sent: register 0x%llx took "
			"%.1f s to answer", (unsigned long long)at.addr, (double)took /
			CLOCK_SECOND);
	return 0;
}

/* Returns 0 if the firmware runs and its slot is free. */
static int check_idle(struct device *d, const struct arc_mailbox *m, struct error *e)
{
	uint32_t post, slot, dma = 0;
	int r = look(d, m, reg(m, POST_CODE), &post, e);

	if (r == 0)
		r = look(d, m, reg(m, MESSAGE), &slot, e);
	if (r == 0 && m->dma.addr)
		r = look(d, m, m->dma, &dma, e);
	if (r < 0)
		return r;
	if (post == UINT32_MAX)
		return fail_as(e, CODE_HUNG, -EIO, "firmware does not answer (register reads are "
			"all ones)");
	if (slot == 0xdeadc0de)
		return fail_as(e, CODE_FIRMWARE_DOWN, -EIO, "the firmware's watchdog has fired");
	if (post >> 16 != 0xc0de || slot == 0x60 || slot == 0xaa00 || slot == 0x55)
		return fail(e, -EHOSTDOWN, "firmware takes no messages (post code 0x%x, slot "
			"0x%x)", post, slot);
	if ((slot & 0xffffff00) == 0xaa00 || (slot & 0xff00ffff) == 0xaa000000 || dma >> 31)
		return fail(e, -EBUSY, "another program's firmware message is under way");
	return 0;
}

static int ring(struct device *d, const struct arc_mailbox *m, struct error *e)
{
	const int64_t began = clock_mono();
	uint32_t misc;
	int r;

	for (;;) {
		r = device_read(d, reg(m, MISC_CNTL), &misc, 1);
		if (r < 0)
			return failed(r, e);
		if (!(misc & DOORBELL))
			break;
		if (clock_mono() - began > BELL_TIME)
			return fail(e, -EBUSY, "the firmware's doorbell is held down");
		clock_pause(began, LOOK_LEAST, LOOK_MOST);
	}
	r = device_write(d, reg(m, MISC_CNTL), misc | DOORBELL);
	return r < 0 ? failed(r, e) : 0;
}

static int wait_answer(struct device *d, const struct arc_mailbox *m, uint8_t code, struct error *e)
{
	const int64_t began = clock_mono();
	uint32_t word;
	int r;

	for (;; clock_pause(began, LOOK_LEAST, LOOK_MOST)) {
		r = device_read(d, reg(m, MESSAGE), &word, 1);
		if (r < 0)
			return failed(r, e);
		if (word == UINT32_MAX)
			return fail(e, -EPROTO, "firmware does not know message 0x%02x", code);
		if ((word & 0xffff) == code)
			break;
		if (word != (0xaa00u | code) && word != (0xaa000000u | (uint32_t)code << 16))
			return fail(e, -EBUSY, "another program's message came in between (0x%x)",
				word);
		if (clock_mono() - began > (m->wait ? m->wait : ANSWER_TIME))
			return fail(e, -ETIMEDOUT, "firmware did not answer message 0x%02x", code);
	}
	if (word >> 16)
		return fail(e, -EPROTO, "firmware refused message 0x%02x (%u)", code, word >> 16);
	return 0;
}

int arc_msg_send(struct device *d, const struct arc_mailbox *m, uint8_t code, uint16_t arg0,
	uint16_t arg1, uint32_t out[2], struct error *e)
{
	int r = check_idle(d, m, e);

	if (r < 0)
		return r;
	r = device_write(d, reg(m, ARGUMENT), arg0 | (uint32_t)arg1 << 16);
	if (r == 0)
		r = device_write(d, reg(m, MESSAGE), 0xaa00u | code);
	if (r < 0)
		return failed(r, e);
	r = ring(d, m, e);
	if (r == 0)
		r = wait_answer(d, m, code, e);
	if (r < 0)
		return r;
	r = device_read(d, reg(m, ARGUMENT), &out[0], 1);
	if (r == 0)
		r = device_read(d, reg(m, ANSWER2), &out[1], 1);
	return r < 0 ? failed(r, e) : 0;
}
