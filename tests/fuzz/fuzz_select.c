/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_select.c - any text as the names of chips, and as TT_VISIBLE_DEVICES: a
 * name that is taken names a chip, one that is not has a reason.
 */
#include "config.h"
#include "base/mem.h"
#include "telemetry/select.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
	if (!truth)
		abort();
}

/* An n300 of two chips, and a p150a. */
static void fill(struct snapshot chips[static 3])
{
	static const struct {
		const char *bdf;
		int local, node;
		int64_t board;
	} places[] = {
		{ "0000:01:00.0", -1, 0, 0x010001461192717d }, { "", 0, -1, 0x010001461192717d },
		{ "10000:c1:00.0", -1, 7, 0x0000040331921011 },
	};

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		chips[i].index = (int)i;
		chips[i].local = places[i].local;
		chips[i].node = places[i].node;
		chips[i].r[FIELD_BOARD_ID] = (struct reading){ .state = READING_OK,
			.value = places[i].board };
		memcpy(chips[i].bdf, places[i].bdf, strlen(places[i].bdf) + 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct snapshot chips[3];
	bool wanted[ARRAY_LEN(chips)] = { false };
	struct error e = { 0 };
	char text[256];
	int r;

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	fill(chips);
	r = select_chips(text, chips, ARRAY_LEN(chips), wanted, &e);
	must(r == 0 || r == -EINVAL || r == -ENODEV);
	must(r < 0 ? *e.text != '\0' : wanted[0] || wanted[1] || wanted[2]);
	must(memchr(e.text, 0, sizeof(e.text)) != NULL);
	memset(wanted, true, sizeof(wanted));
	r = select_visible(text, chips, ARRAY_LEN(chips), wanted, &e);
	must(r == 0 || (r < 0 && *e.text));
	/* The second chip of a board goes with the first. */
	must(r < 0 || wanted[0] == wanted[1]);
	return 0;
}
