/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_io.c - loads and stores on a card's registers.
 *
 * The driver takes the mapping away when somebody resets the card; a load then
 * raises SIGBUS, which means no more here than "the card has gone".  A dead
 * chip answers all ones, and late; after one such answer the card is left
 * alone until it is taken anew (chip-facts 1.9).
 */
#include "config.h"
#include "base/clock.h"
#include "device/kmd/kmd_io.h"
#include "device/access.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>

#define LATE (100 * CLOCK_MS)	/* a good load takes 1 to 3 us */

static sigjmp_buf way_out;
static volatile sig_atomic_t in_access;
static struct sigaction before;

static void on_bus_error(int signal, siginfo_t *info, void *context)
{
	(void)info, (void)context;
	if (in_access)
		siglongjmp(way_out, 1);
	sigaction(signal, &before, NULL);	/* not ours: the access faults again, into it */
}

/* Somebody may have set another handler since the last time, so it is set each time. */
void kmd_guard_install(void)
{
	struct sigaction act = { .sa_sigaction = on_bus_error,
		.sa_flags = SA_SIGINFO | SA_NODEFER };
	struct sigaction old;

	if (sigaction(SIGBUS, &act, &old) == 0 && old.sa_sigaction != on_bus_error)
		before = old;
}

static int load(const volatile uint32_t *from, uint32_t *words, size_t n)
{
	if (sigsetjmp(way_out, 0) != 0) {
		in_access = 0;
		return -ENODEV;
	}
	in_access = 1;
	for (size_t i = 0; i < n; i++)
		words[i] = from[i];
	in_access = 0;
	return 0;
}

static int store(volatile uint32_t *to, uint32_t word)
{
	if (sigsetjmp(way_out, 0) != 0) {
		in_access = 0;
		return -ENODEV;
	}
	in_access = 1;
	*to = word;
	in_access = 0;
	return 0;
}

static int usable(const struct device *d, const struct kmd_card *card, struct reg_addr at, size_t n,
	bool for_store)
{
	if (!access_allowed(d->chip, at, n, for_store))
		return -EPERM;
	if (card->fd < 0)
		return -EBADF;
	return card->hung ? -ETIMEDOUT : 0;
}

static bool is_all_ones(const uint32_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (words[i] != UINT32_MAX)
			return false;
	return true;
}

/* A mapping may end within the words that are wanted; the next one is then asked for. */
static int read_pieces(struct device *d, struct kmd_card *card, struct reg_addr at, uint32_t *words,
	size_t n)
{
	while (n > 0) {
		uint64_t len = 0;
		int r = 0;
		const volatile uint32_t *from = kmd_map(d, card, at, false, &len, &r);
		size_t piece = len / 4 < n ? (size_t)(len / 4) : n;

		if (!from)
			return r;
		r = load(from, words, piece);
		if (r < 0)
			return r;
		words += piece;
		n -= piece;
		at.addr += piece * 4;
	}
	return 0;
}

int kmd_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n)
{
	struct kmd_card *card = kmd_card(d);
	int64_t start = clock_steady();
	int r = usable(d, card, at, n, false);

	if (r < 0)
		return r;
	r = read_pieces(d, card, at, words, n);
	if (r == 0 && clock_steady() - start > LATE && is_all_ones(words, n)) {
		card->hung = true;
		return -ETIMEDOUT;
	}
	if (r == -ENODEV)
		kmd_release(d);
	return r;
}

int kmd_write(struct device *d, struct reg_addr at, uint32_t word)
{
	struct kmd_card *card = kmd_card(d);
	volatile uint32_t *to;
	uint64_t len;
	int r = usable(d, card, at, 1, true);

	if (r < 0)
		return r;
	to = kmd_map(d, card, at, true, &len, &r);
	r = to ? store(to, word) : r;
	if (r == -ENODEV)
		kmd_release(d);
	return r;
}
