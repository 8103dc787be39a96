/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttsim.c - the transport to simulated chips: each library of --ttsim is a card.
 *
 * There is no driver, so this file imitates one as far as a card needs it: the marker and the
 * enable bits in config space, stale handles after a reset, no access until POST_RESET.  Nothing is
 * invented that a simulator lacks: there are no attributes, no link, no power states.
 */
#include "config.h"
#include "device/ttsim/ttsim.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parse.h"
#include "device/bus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The list of simulators. */

/* Take the N off N*PATH; a path may contain a star itself. */
static const char *take_count(const char *text, unsigned long *count)
{
	const size_t digits = strspn(text, "0123456789");
	const bool counts = digits > 0 && digits < 8 && text[digits] == '*';

	*count = counts ? strtoul(text, NULL, 10) : 1;
	return counts ? text + digits + 1 : text;
}

static int spec_add_library(struct ttsim *out, const char *word, struct error *e)
{
	unsigned long count;
	const char *path = take_count(word, &count);
	char *whole;
	struct stat st;
	int r = 0;

	if (!*path)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "a library is missing: the list is "
			"[N*]LIBRARY with commas between, as in 2*/opt/ttsim/libttsim_wh.so");
	if (count < 1 || count > TTSIM_CARDS - out->n)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%s': there can be 1 to %d simulated "
			"cards", word, TTSIM_CARDS);
	whole = realpath(path, NULL);
	if (!whole || stat(whole, &st) < 0)
		r = fail_errno(e, "%s", path);
	else if (!S_ISREG(st.st_mode) || strlen(whole) >= TTSIM_PATH)
		r = fail_as(e, CODE_WRONG_KIND, -EINVAL, "%s: is not a library", path);
	for (; r == 0 && count > 0; count--)
		mem_copy_text(out->path[out->n++], TTSIM_PATH, whole);
	free(whole);
	return r;
}

/* Parse "[N*]LIBRARY,..." into paths that exist. */
static int ttsim_spec_parse(const char *text, struct ttsim *out, struct error *e)
{
	char *copy = strdup(text), *at = copy, *word;
	int r = copy ? 0 : fail_errno(e, "--ttsim");

	while (r == 0 && (word = strsep(&at, ",")))
		r = spec_add_library(out, word, e);
	free(copy);
	return r;
}

/* The transport. */

#define DRIVER	 "2.10.0"		/* the version that is imitated */
#define PATIENCE (10 * CLOCK_SECOND)	/* one clock of a whole busy chip takes a second */
#define ENABLED	 0x06			/* of config byte 4 */
#define END_TIME (500 * CLOCK_MS)

/* TT_SMI_TTSIM_PATIENCE: the most seconds that a simulator may take for an answer. */
static int read_patience(struct ttsim *t, struct error *e)
{
	const char *text = getenv("TT_SMI_TTSIM_PATIENCE");

	t->patience = PATIENCE;
	if (text && *text && (!parse_seconds(text, &t->patience) || t->patience < CLOCK_MS))
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "TT_SMI_TTSIM_PATIENCE: '%.20s' is not "
			"a time in seconds", text);
	return 0;
}

static void shut_down(struct ttsim *t)
{
	for (size_t i = 0; i < t->n; i++)
		ttsim_hang_up(&t->card[i]);
	child_end(&t->keeper, END_TIME);
	if (t->shared)
		mem_unshare(t->shared, t->n * sizeof(t->shared[0]));
	free(t);
}

static int ttsim_open(struct bus *bus, const char *where, struct error *e)
{
	struct ttsim *t = mem_calloc(1, sizeof(*t));
	const struct child_config how = { .run = ttsim_keeper_run, .arg = t,
		.dies_with_parent = true, .ignores_terminal = true };
	int r = ttsim_spec_parse(where, t, e);

	t->keeper.fd = -1;
	if (r == 0)
		r = read_patience(t, e);
	if (r == 0) {
		t->shared = mem_share(t->n * sizeof(t->shared[0]));
		for (size_t i = 0; i < t->n; i++) {
			t->card[i] = (struct ttsim_card){ .owner = t, .number = (unsigned)i,
				.path = t->path[i], .shared = &t->shared[i], .fd = -1 };
			/* Assumed to be up; the keeper corrects this before it matters. */
			atomic_store(&t->shared[i].life, 1);
			atomic_store(&t->shared[i].is_up, true);
		}
		r = child_start(&t->keeper, &how, e);
	}
	if (r < 0) {
		shut_down(t);
		return r;
	}
	bus->keep[bus->n_keep++] = t->keeper.fd;
	bus->priv = t;
	mem_copy_text(bus->driver, sizeof(bus->driver), DRIVER);
	return 0;
}

static void ttsim_close(struct bus *bus)
{
	if (bus->priv)
		shut_down(bus->priv);
}

static int read_config(struct ttsim_card *c, uint8_t space[DEVICE_CONFIG_SIZE])
{
	struct ttsim_message m = { .what = TTSIM_CONFIG_READ };
	int r = ttsim_call(c, &m);

	if (r == 0 && m.n != TTSIM_CONFIG)
		r = -EPROTO;
	if (r < 0)
		return r;
	memcpy(space, m.words, DEVICE_CONFIG_SIZE);
	space[4] = (uint8_t)((atomic_load(&c->shared->is_enabled) ? ENABLED : 0) |
		(atomic_load(&c->shared->is_marked) ? DEVICE_CONFIG_MARKER : 0));
	return 0;
}

static uint16_t get16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

/* Fail with the reason why a card cannot be used, as far as it is known. */
static int fail_card(const struct ttsim_card *c, int code, struct error *e)
{
	if (!atomic_load(&c->shared->is_up) && c->shared->why.text[0])
		return fail_as(e, c->shared->why.word, code, "%s", c->shared->why.text);
	return fail(e, code, "the simulator %s: %s", strrchr(c->path, '/') + 1,
		code == -ETIMEDOUT ? "does not answer" : strerror(-code));
}

/* Only the first scan asks each library which chip it has. */
static ssize_t ttsim_scan(struct bus *bus, struct device *found, size_t max, struct error *e)
{
	struct ttsim *t = bus->priv;
	size_t n = 0;

	for (; n < t->n && n < max; n++) {
		struct ttsim_card *c = &t->card[n];
		uint8_t s[DEVICE_CONFIG_SIZE];
		struct device *d = &found[n];
		int r = bus->n ? 0 : read_config(c, s);

		if (r < 0)
			return fail_card(c, r, e);
		*d = bus->n ? bus->dev[n] : (struct device){ .local = -1, .node = (int)n,
			.chip = device_chip_of(get16(s + 2)), .vendor = get16(s),
			.device = get16(s + 2), .subsys_vendor = get16(s + 0x2c),
			.subsys_device = get16(s + 0x2e), .revision = s[8], .numa_node = -1 };
		snprintf(d->bdf, sizeof(d->bdf), "0000:%02x:00.0", (unsigned)n + 1);
		if (bus->n == 0)
			atomic_store(&c->shared->is_enabled, true);
		ttsim_hang_up(c);
	}
	return (ssize_t)n;
}

static int ttsim_attach(struct device *d)
{
	struct ttsim *t = d->bus->priv;

	d->priv = &t->card[d->node];
	return 0;
}

static ssize_t ttsim_config(struct device *d, size_t offset, uint8_t *buf, size_t n)
{
	uint8_t space[DEVICE_CONFIG_SIZE];

	if (offset > sizeof(space))
		return 0;
	/* A simulator that has ended looks like a chip off the bus. */
	if (read_config(d->priv, space) < 0)
		memset(space, 0xff, sizeof(space));
	n = n < sizeof(space) - offset ? n : sizeof(space) - offset;
	memcpy(buf, space + offset, n);
	return (ssize_t)n;
}

static ssize_t ttsim_attr(struct device *d, enum attr a, char *buf, size_t size)
{
	uint8_t s[DEVICE_CONFIG_SIZE];
	int r;

	if (a != ATTR_CONFIG_ID)
		return -ENOENT;
	r = read_config(d->priv, s);
	if (r < 0)
		return r;
	return snprintf(buf, size, "%02x%02x%02x%02x", s[3], s[2], s[1], s[0]);
}

static int ttsim_acquire(struct device *d, enum access_purpose purpose, enum device_handle how,
	struct error *e)
{
	struct ttsim_card *c = d->priv;
	int r;

	(void)how;
	if (ttsim_usable(c) != -EBADF)
		return c->purpose == purpose ? 0 :
			fail(e, -EBUSY, "%s is open for something else", d->bdf);
	if (d->bus->passive)
		return fail_as(e, CODE_LEFT_ALONE, -EPERM, "passive: only sysfs is read");
	if (purpose != ACCESS_RESET && atomic_load(&c->shared->is_shut))
		return fail_as(e, CODE_HELD, -ENODEV, DEVICE_SHUT);
	if (purpose != ACCESS_RESET && !atomic_load(&c->shared->is_up))
		return fail_card(c, -EIO, e);
	ttsim_become_own(c);
	/* Check that it answers.  ttsim_io.c starts the clock once a core may need it. */
	r = purpose == ACCESS_BURN ? ttsim_run_clock(c, false) : 0;
	if (r < 0)
		return fail_card(c, r, e);
	c->is_open = true;
	c->purpose = purpose;
	c->open_resets = atomic_load(&c->shared->resets);
	return 0;
}

static void ttsim_release(struct device *d)
{
	struct ttsim_card *c = d->priv;

	/* Hanging up stops the clock.  If it is not running, keep the socket for next time. */
	ttsim_become_own(c);
	if (c->runs)
		ttsim_hang_up(c);
	c->is_open = false;
}

/* Start a new simulator, so that no state of the chip survives. */
static int reset_chip(struct ttsim_card *c)
{
	int r;

	atomic_fetch_add(&c->shared->resets, 1);
	c->open_resets++;	/* this handle stays valid */
	atomic_store(&c->shared->is_shut, true);
	atomic_store(&c->shared->is_marked, true);
	r = ttsim_restart(c);
	if (r < 0)
		return r;
	atomic_store(&c->shared->is_enabled, false);
	atomic_store(&c->shared->is_marked, false);
	return 0;
}

static int ttsim_reset(struct device *d, enum device_reset kind, uint32_t *result)
{
	struct ttsim_card *c = d->priv;
	int r = ttsim_usable(c);

	if (r < 0)
		return r;
	if (c->purpose != ACCESS_RESET)
		return -EPERM;
	*result = 0;
	switch (kind) {
	case DEVICE_ASIC_RESET:
	case DEVICE_DMC_RESET:
		*result = reset_chip(c) < 0;
		return 0;
	case DEVICE_POST_RESET:
	case DEVICE_RESTORE_STATE:
		*result = !atomic_load(&c->shared->is_up);
		atomic_store(&c->shared->is_enabled, true);
		atomic_store(&c->shared->is_marked, false);
		atomic_store(&c->shared->is_shut, false);
		return 0;
	default:
		return -EINVAL;
	}
}

static ssize_t ttsim_holders(struct device *d, pid_t *pids, size_t max, bool *partial)
{
	(void)d, (void)pids, (void)max, (void)partial;
	return 0;
}

const struct transport_ops transport_ttsim = {
	.needs_no_lock = true,
	.name = "ttsim",
	.origin = &origin_ttsim,
	.is_still = true,
	.open = ttsim_open,
	.close = ttsim_close,
	.scan = ttsim_scan,
	.attach = ttsim_attach,
	.attr = ttsim_attr,
	.acquire = ttsim_acquire,
	.release = ttsim_release,
	.read = ttsim_read,
	.gather = ttsim_gather,
	.write = ttsim_write,
	.scatter = ttsim_scatter,
	.write_block = ttsim_write_block,
	.multicast = ttsim_multicast,
	.reset = ttsim_reset,
	.config = ttsim_config,
	.holders = ttsim_holders,
};
