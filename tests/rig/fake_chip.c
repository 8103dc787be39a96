/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/rig/fake_chip.h"
#include "base/clock.h"

#include "device/eth.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define UNIT 0x1ff30000u	/* chip-facts 2.1 */

static uint32_t *bh_register(struct fake_chip *f, struct reg_addr at)
{
	if (at.space == REG_BAR0)
		return at.addr == 0x1fd04044 ? &f->hang : NULL;
	if (at.x != 8 || at.y != 0)
		return NULL;
	switch (at.addr) {
	case 0x80030408: return &f->boot;
	case 0x80030410: return &f->errors;
	case 0x80030430: return &f->values_ptr;
	case 0x80030434: return &f->table_ptr;
	default: return NULL;
	}
}

static uint32_t *old_register(struct fake_chip *f, struct reg_addr at)
{
	if (at.space != REG_BAR0)
		return NULL;
	if (at.addr > UNIT + 0x60 && at.addr < UNIT + 0x78)
		return &f->scratch[(at.addr - UNIT - 0x60) / 4];
	switch (at.addr) {
	case UNIT + 0x60: return &f->boot;
	case UNIT + 0x78: return &f->hang;
	case UNIT + 0x100: return &f->misc;
	case UNIT + 0x1d0: return f->d.chip == DEVICE_WORMHOLE ? &f->table_ptr : NULL;
	case UNIT + 0x1d4: return f->d.chip == DEVICE_WORMHOLE ? &f->values_ptr : NULL;
	default: return NULL;
	}
}

/* Ethernet cores say one and the same word everywhere; a search for coordinates asks them. */
static bool is_eth(const struct fake_chip *f, struct reg_addr at)
{
	for (size_t i = 0; f->d.chip == DEVICE_WORMHOLE && i < ETH_CHANNELS_WORMHOLE; i++)
		if (at.space == REG_NOC && at.x == eth_xy_wormhole[i][0] &&
			at.y == eth_xy_wormhole[i][1])
			return true;
	return false;
}

static uint32_t *find(struct fake_chip *f, struct reg_addr at, size_t n)
{
	bool bh = f->d.chip == DEVICE_BLACKHOLE;
	uint64_t csm = bh ? FAKE_CSM : 0x1fe80000;
	bool arc = bh ? at.space == REG_NOC && at.x == 8 && at.y == 0 : at.space == REG_BAR0;

	if (arc && at.addr >= csm && at.addr + 4 * n <= csm + sizeof(f->csm))
		return &f->csm[(at.addr - csm) / 4];
	if (n != 1)
		return NULL;
	return bh ? bh_register(f, at) : old_register(f, at);
}

static int fake_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	struct fake_chip *f = d->priv;
	const uint32_t *from = find(f, at, n);

	f->used_unacquired |= !f->acquired;
	if (f->fail_at >= 0 && f->reads >= f->fail_at)
		return f->error;
	if (f->reads++ == 0 && f->late > 0)
		clock_sleep_until(clock_mono() + f->late);
	f->words += (long)n;
	if (!from && is_eth(f, at)) {
		for (size_t i = 0; i < n; i++)
			words[i] = f->eth;
		return 0;
	}
	if (!from) {
		f->strayed = true;
		return -EFAULT;
	}
	memcpy(words, from, n * sizeof(*words));
	return 0;
}

static void answer(struct fake_chip *f)
{
	uint32_t code = f->scratch[5] & 0xff;

	f->misc = 0;
	if ((f->scratch[5] & 0xffffff00) != 0xaa00)
		return;
	switch (f->mailbox) {
	case FAKE_ANSWERS:
		f->scratch[3] = code == 0xb9 ? f->version : f->answer;
		f->scratch[5] = code;
		break;
	case FAKE_SILENT:
		break;
	case FAKE_UNKNOWN:
		f->scratch[5] = UINT32_MAX;
		break;
	case FAKE_REFUSES:
		f->scratch[5] = 7u << 16 | code;
		break;
	case FAKE_INTRUDED:
		f->scratch[5] = 0xaa12;
		break;
	}
}

static int fake_write(struct device *d, struct reg_addr at, uint32_t word)
{
	struct fake_chip *f = d->priv;
	uint32_t *to = f->d.chip == DEVICE_BLACKHOLE ? NULL : old_register(f, at);

	f->used_unacquired |= !f->acquired;
	f->writes++;
	if (to != &f->scratch[3] && to != &f->scratch[5] && to != &f->misc) {
		f->strayed = true;
		return -EFAULT;
	}
	*to = word;
	if (to == &f->misc && word & 1u << 16)
		answer(f);
	return 0;
}

static ssize_t fake_attr(struct device *d, enum attr a, char *buf, size_t size)
{
	struct fake_chip *f = d->priv;

	f->attrs++;
	if (!f->attr[a])
		return f->attr_error[a] ? f->attr_error[a] : -ENOENT;
	if (strlen(f->attr[a]) >= size)
		return -EFBIG;
	return snprintf(buf, size, "%s", f->attr[a]);
}

static int fake_acquire(struct device *d, enum access_purpose purpose, enum device_handle how,
	struct error *e)
{
	struct fake_chip *f = d->priv;

	(void)purpose, (void)how;
	if (f->acquire_error)
		return fail(e, f->acquire_error, "0000:41:00.0: cannot open its node");
	f->acquired = true;
	return 0;
}

static void fake_release(struct device *d)
{
	struct fake_chip *f = d->priv;

	f->acquired = false;
}

static const struct transport_ops ops = {
	.name = "fake",
	.attr = fake_attr,
	.acquire = fake_acquire,
	.release = fake_release,
	.read = fake_read,
	.write = fake_write,
};

void fake_init(struct fake_chip *f, enum device_chip chip)
{
	static struct bus_own own;
	static struct bus bus = { .own = &own };

	memset(f, 0, sizeof(*f));
	f->d.bus = &bus;
	f->d.ops = &ops;
	f->d.priv = f;
	f->d.chip = chip;
	f->d.local = -1;
	snprintf(f->d.bdf, sizeof(f->d.bdf), "0000:41:00.0");
	f->fail_at = -1;
	f->error = -EIO;
	f->boot = chip == DEVICE_BLACKHOLE ? 5 : 0xc0de0001;
	f->version = 0x01040000;
	f->answer = FAKE_CSM + 0x78c00;
}

uint32_t *fake_word(struct fake_chip *f, uint32_t arc)
{
	return &f->csm[(arc - FAKE_CSM) / 4 % FAKE_WORDS];
}

void fake_table(struct fake_chip *f, uint32_t at, uint32_t values, const uint32_t (*tags)[2],
	size_t n)
{
	f->table_ptr = at;
	f->values_ptr = values;
	*fake_word(f, at) = 0x100;
	*fake_word(f, at + 4) = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		*fake_word(f, at + 8 + 4 * (uint32_t)i) = (uint32_t)i << 16 | tags[i][0];
		*fake_word(f, values + 4 * (uint32_t)i) = tags[i][1];
	}
}
