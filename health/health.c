/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health.c - the table of checks, and the walk over it.
 *
 * A check that finds nothing wrong passes, so it must first make sure that it could have found it.
 * A card that was not read, a reading that failed and a list that is not known make a SKIP.
 */
#include "config.h"
#include "health/checks_local.h"

#include "base/mem.h"
#include "base/text.h"
#include "device/bus.h"
#include "telemetry/chip/chip.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETUP  ACTION_CONFIGURE_HOST
#define FLASH  ACTION_UPDATE_FIRMWARE
#define DRIVER ACTION_UPDATE_DRIVER

const struct health_check health_checks[] = {
	{ "driver", "the driver is loaded, and has every card", HEALTH_HOST,
		.host = check_driver },
	{ "driver-version", "the driver is not older than its floor", HEALTH_HOST,
		.host = check_driver_floor, .next = { DRIVER, "install a newer tt-kmd" } },
	{ "expected", "as many chips as there should be", HEALTH_HOST, .host = check_expected },
	{ "trays", "each tray of a galaxy has its eight chips", HEALTH_HOST, .host = check_trays,
		.next = { ACTION_RESET_BOARD, "tt-smi -glx_reset" } },
	{ "serials", "no two boards say that they are the same", HEALTH_HOST,
		.host = check_serials },
	{ "same-firmware", "chips of a kind run the same firmware", HEALTH_HOST,
		.host = check_same_firmware,
		.next = { FLASH, "flash all of them with the same bundle" } },
	{ "dma", "an IOMMU, or 1 GiB pages enough for programs that compute", HEALTH_HOST,
		.host = check_dma },
	{ "pin-driver", "the driver is the one that is pinned", HEALTH_HOST, .pin = PIN_DRIVER,
		.host = check_pin, .next = { DRIVER, "install that tt-kmd" } },
	{ "pin-smi", "upstream's tt-smi, if installed, is the one that is pinned", HEALTH_HOST,
		.pin = PIN_SMI, .host = check_pin, .next = { SETUP, "install that tt-smi" } },
	{ "pin-flash", "tt-flash is the one that is pinned", HEALTH_HOST, .pin = PIN_FLASH,
		.host = check_pin, .next = { SETUP, "install that tt-flash" } },
	{ "pin-sfpi", "sfpi is the one that is pinned", HEALTH_HOST, .pin = PIN_SFPI,
		.host = check_pin, .next = { SETUP, "install that package" } },
	{ "pin-tools", "tenstorrent-tools is the one that is pinned", HEALTH_HOST,
		.pin = PIN_TOOLS, .host = check_pin, .next = { SETUP, "install that package" } },
	{ "node", "its device node is there, and ours to open", HEALTH_CARD, .card = check_node },
	{ "bars", "its PCIe windows have addresses", HEALTH_CARD, .card = check_bars,
		.next = { ACTION_POWER_CYCLE,
			"power the host off and on; then see the BIOS: above 4G decoding" } },
	{ "answer", "it can be read", HEALTH_CARD, .card = check_answer },
	{ "link", "its PCIe link is what slot, card and board can do", HEALTH_CARD,
		.card = check_link, .signs = { "link-downgraded" } },
	{ "link-errors", "no errors on its PCIe link and the bridges above it", HEALTH_CARD,
		.card = check_aer, .next = { ACTION_RESEAT_CABLE,
			"reseat card and cable; see dmesg for AER lines" } },
	{ "pin-firmware", "its firmware is the one that is pinned", HEALTH_CARD,
		.pin = PIN_FIRMWARE, .card = check_pin_firmware,
		.next = { FLASH, "tt-flash that bundle" } },
	{ "heartbeat", "its firmware is alive, and reports no fault", HEALTH_SAMPLE,
		.card = check_beat, .signs = { "heartbeat", "firmware-error" },
		.next = STEP_RESET },
	{ "firmware", "its firmware is not older than its floor", HEALTH_SAMPLE,
		.card = check_firmware, .next = { FLASH, "tt-flash a newer bundle" } },
	{ "temperature", "it is below its throttle limit", HEALTH_SAMPLE,
		.card = check_temperature, .signs = { "over-limit" }, .shows = FIELD_ASIC_TEMP },
	{ "fan", "its fan turns where the firmware asks for it", HEALTH_SAMPLE,
		.signs = { "fan" }, .shows = FIELD_FAN_TARGET },
	{ "power", "it draws no more than its limits allow, through its cable", HEALTH_SAMPLE,
		.signs = { "power-cable", "over-power" }, .shows = FIELD_POWER },
	{ "throttle", "nothing holds its clock down", HEALTH_SAMPLE, .card = check_throttle,
		.signs = { "throttled", "kernels-throttled" }, .shows = FIELD_AICLK },
	{ "trips", "it has not switched itself off", HEALTH_SAMPLE,
		.signs = { "therm-trips" }, .shows = FIELD_THERM_TRIPS },
	{ "memory", "every memory channel is trained", HEALTH_SAMPLE,
		.signs = { "dram", "power-cable", "dram-test" }, .shows = FIELD_DRAM_STATUS },
	{ "memory-heat", "its memory is below the limit at which it throttles", HEALTH_SAMPLE,
		.signs = { "gddr-hot" }, .shows = FIELD_GDDR_MAX_TEMP },
	{ "memory-errors", "its memory reports no wrong bits", HEALTH_SAMPLE,
		.signs = { "gddr-uncorrected", "gddr-corrected", "gddr-growing" },
		.shows = FIELD_GDDR_UNCORR_ERRS },
	{ "ethernet", "its ethernet channels live, and no link was lost", HEALTH_SAMPLE,
		.card = check_ethernet, .signs = { "eth", "eth-link" }, .shows = FIELD_ETH_LIVE },
	{ "readings", "it says nothing that is impossible", HEALTH_SAMPLE,
		.signs = { "implausible", "tables" } },
	{ "holders", "no program has it", HEALTH_CARD, .card = check_holders },
	{ "awake", "no program that has it keeps it awake", HEALTH_CARD, .card = check_awake,
		.next = { ACTION_FREE_HOLDER, "end it, if it does not compute" } },
};
const size_t health_n_checks = ARRAY_LEN(health_checks);
_Static_assert(ARRAY_LEN(health_checks) <= 64, "a mask has a bit for each");

#define PART  "a part that the chip was made with"
#define SETS  "the firmware sets it, and no source gives a limit"
#define NAMES "it says which chip or board it is"
#define RAW   "no public source says what its bits mean"

const struct health_reading health_readings[] = {
	{ FIELD_VCORE, FIELD_BOARD_POWER, "power", NULL },
	{ FIELD_AICLK, FIELD_AICLK, "throttle", NULL },
	{ FIELD_ARCCLK, FIELD_L2CPUCLK3, NULL, SETS },
	{ FIELD_ASIC_TEMP, FIELD_ASIC_TEMP, "temperature", NULL },
	{ FIELD_VREG_TEMP, FIELD_OUTLET_TEMP2, NULL, "no source gives a limit" },
	{ FIELD_GDDR_MAX_TEMP, FIELD_GDDR_TEMP_END, "memory-heat", NULL },
	{ FIELD_FAN_RPM, FIELD_FAN_TARGET, "fan", NULL },
	{ FIELD_FAN_LEGACY, FIELD_FAN_LEGACY_REMOTE, NULL, "sources disagree on its unit" },
	{ FIELD_HEARTBEAT, FIELD_HEARTBEAT, "heartbeat", NULL },
	{ FIELD_THROTTLE, FIELD_THROTTLE, "throttle", NULL },
	{ FIELD_THERM_TRIPS, FIELD_THERM_TRIPS, "trips", NULL },
	{ FIELD_NOP_STARTS, FIELD_NOP_TIME, "throttle", NULL },
	{ FIELD_PCIE_RX, FIELD_BUSY_SOURCE, NULL, "the amount of work is not a fault" },
	{ FIELD_VDD_MIN, FIELD_VDD_MIN, NULL, SETS },
	{ FIELD_VDD_MAX, FIELD_BOARD_POWER_LIMIT, "power", NULL },
	{ FIELD_AICLK_LIMIT, FIELD_AICLK_LIMIT, "throttle", NULL },
	{ FIELD_AICLK_HOST_LIMIT, FIELD_AICLK_HOST_LIMIT, NULL, "somebody asked for it" },
	{ FIELD_THROTTLE_TEMP, FIELD_THROTTLE_TEMP, "temperature", NULL },
	{ FIELD_SHUTDOWN_TEMP, FIELD_SHUTDOWN_TEMP, NULL, "it is above the throttle limit" },
	{ FIELD_BOARD_ID, FIELD_BOARD_ID, "serials", NULL },
	{ FIELD_ASIC_ID, FIELD_ENUM_VERSION, NULL, NAMES },
	{ FIELD_DRAM_STATUS, FIELD_DRAM_STATUS, "memory", NULL },
	{ FIELD_DRAM_SPEED, FIELD_DRAM_SPEED, NULL, SETS },
	{ FIELD_DRAM_TRAINED, FIELD_DRAM_ENABLED, "memory", NULL },
	{ FIELD_GDDR_STATUS_WORD, FIELD_GDDR_STATUS_WORD, NULL, "the masks are made of it" },
	{ FIELD_GDDR_CORR_ERRS, FIELD_GDDR_UNCORR_ERRS, "memory-errors", NULL },
	{ FIELD_GDDR_PORTS, FIELD_GDDR_PORTS, NULL, PART },
	{ FIELD_GDDR_IO_POWER_WEST, FIELD_GDDR_IO_POWER_EAST, NULL, "no source gives a limit" },
	{ FIELD_ETH_LIVE, FIELD_ETH_LINK, "ethernet", NULL },
	{ FIELD_ETH_RETRAIN, FIELD_ETH_RETRAIN, NULL, "a link that trained again works" },
	{ FIELD_ETH_ENABLED, FIELD_ETH_ENABLED, "ethernet", NULL },
	{ FIELD_TENSIX_COLS, FIELD_PCIE_USAGE, NULL, PART },
	{ FIELD_FW_BUNDLE, FIELD_FW_BUNDLE, "firmware", NULL },
	{ FIELD_TT_FLASH, FIELD_SPIBOOTROM_FW, NULL, "the bundle stands for it" },
	{ FIELD_BOOT_DATE, FIELD_RT_SECONDS, NULL, "when it started is no fault" },
	{ FIELD_UPDATE_SPEED, FIELD_FLASH_ID, NULL, SETS },
	{ FIELD_AICLK_ARB_MIN, FIELD_AICLK_ARB_MAX, "throttle", NULL },
	{ FIELD_ENABLED_MIN_ARB, FIELD_ENABLED_MAX_ARB, NULL, SETS },
	{ FIELD_AICLK_PPM_INFO, FIELD_AICLK_PPM_INFO, "throttle", NULL },
	{ FIELD_KERNEL_THROTTLER, FIELD_KERNEL_THROTTLER_STOP, NULL, SETS },
	{ FIELD_ARC0_HEALTH, FIELD_SMBUS_ERRORS, NULL, RAW },
};
const size_t health_n_readings = ARRAY_LEN(health_readings);

static bool is_sign(const struct health_check *c, const struct finding *f)
{
	for (size_t i = 0; i < ARRAY_LEN(c->signs) && c->signs[i]; i++)
		if (strcmp(c->signs[i], f->id) == 0)
			return true;
	return false;
}

/* Take the worst of the findings that are its signs; of equally bad ones, the first. */
static void take_signs(const struct health_check *c, const struct snapshot *s,
	struct health_item *i)
{
	for (size_t k = 0; k < s->n_findings; k++) {
		const struct finding_kind *kind = finding_kind(s->findings[k].id);

		if (!kind || kind->result <= i->result || !is_sign(c, &s->findings[k]))
			continue;
		health_say(i, kind->result, "%s", s->findings[k].text);
		i->sign = kind;
	}
}

/* Show the reading behind the signs; an unknown reading is not a PASS. */
static void take_reading(enum field_id id, const struct snapshot *s, struct health_item *i)
{
	const struct reading *r = &s->r[id];
	char now[STRBUF_NUMBER];

	field_text(id, r, now, sizeof(now));
	if (r->state == READING_ABSENT && check_is_unseen(s, id))
		health_say(i, VERDICT_INCOMPLETE, "%s", s->raw.table_error.text);
	else if (r->state == READING_ABSENT)
		health_say(i, VERDICT_NONE, "this chip or its firmware does not report it");
	else if (!reading_is_ok(r))
		health_say(i, VERDICT_INCOMPLETE, "%s: %s", fields[id].key,
			reading_state_name((enum reading_state)r->state));
	else
		health_say(i, VERDICT_PASS, "%s %s%s%s", fields[id].key, now,
			*fields[id].unit ? " " : "", fields[id].unit);
}

/* Readings of a firmware that has stopped are old. */
static bool is_old(const struct snapshot *s, const struct health_check *c)
{
	return c->of == HEALTH_SAMPLE && c->card != check_beat &&
		s->beat == SNAPSHOT_BEAT_STOPPED;
}

static void run_card(const struct health_world *w, const struct snapshot *s,
	struct health_item *i)
{
	const struct health_check *c = i->check;

	if (snapshot_is_given(s)) {
		health_say(i, VERDICT_NONE, "%s", s->reason);
		return;
	}
	if (c->of == HEALTH_SAMPLE && check_is_unread(s, i))
		return;
	if (c->shows)
		take_reading(c->shows, s, i);
	if (c->card)
		c->card(w, s, i);
	take_signs(c, s, i);
	if (i->result == VERDICT_PASS && is_old(s, c))
		health_say(i, VERDICT_INCOMPLETE, "its firmware has stopped: what it says is old");
	if (i->result == VERDICT_INCOMPLETE &&
		(c->of == HEALTH_SAMPLE || c->card == check_answer) &&
		s->raw.table_error.code == -ECANCELED) {
		advice_set(&i->next, ACTION_NONE, "%s", w->bus && w->bus->passive ?
			"leave out --passive" : "tt-smi -s, while no process holds the board");
		advice_place(&i->next, w->fleet);
	}
}

/* The step of the sign or of the check's row, unless the check has one of its own. */
static void fill_next(const struct health_world *w, struct health_item *i)
{
	const struct step *step = i->sign ? &i->sign->step : &i->check->next;

	if (*i->next.text || i->result <= VERDICT_PASS || i->result == VERDICT_INCOMPLETE)
		return;
	if (i->index >= 0) {
		advice_take(&i->next, w->fleet, &w->fleet->chips[i->index], step);
	} else if (step->text) {
		advice_set(&i->next, step->action, "%s", step->text);
		advice_place(&i->next, w->fleet);
	}
}

static void run_check(const struct health_world *w, const struct health_check *c, int index,
	struct health_report *r)
{
	struct health_item *i = &r->items[r->n++];

	*i = (struct health_item){ .check = c, .index = index, .result = VERDICT_PASS };
	if (index < 0)
		c->host(w, i);
	else
		run_card(w, &w->fleet->chips[index], i);
	fill_next(w, i);
	r->count[i->result]++;
	if (i->result > r->worst)
		r->worst = i->result;
}

/* A second chip that is never read is not checked. */
static bool is_checked(const struct fleet *f, size_t index)
{
	const struct snapshot *s = &f->chips[index];

	return f->wanted[index] && !(s->local >= 0 && s->health == SNAPSHOT_NOT_READ);
}

void health_run(const struct health_world *w, uint64_t checks, struct health_report *r)
{
	*r = (struct health_report){ 0 };
	r->items = mem_calloc(health_n_checks * (w->fleet->n + 1), sizeof(*r->items));
	for (size_t c = 0; c < health_n_checks; c++)
		if (checks >> c & 1 && health_checks[c].of == HEALTH_HOST)
			run_check(w, &health_checks[c], -1, r);
	for (size_t k = 0; k < w->fleet->n; k++)
		for (size_t c = 0; is_checked(w->fleet, k) && c < health_n_checks; c++)
			if (checks >> c & 1 && health_checks[c].of != HEALTH_HOST)
				run_check(w, &health_checks[c], (int)k, r);
}

void health_clear(struct health_report *r)
{
	free(r->items);
	*r = (struct health_report){ 0 };
}

int health_find(const char *ids, uint64_t *checks, struct error *e)
{
	uint64_t found = 0;

	while (*ids) {
		const size_t len = strcspn(ids, ",");
		size_t c = 0;

		while (c < health_n_checks && (strlen(health_checks[c].id) != len ||
			strncmp(health_checks[c].id, ids, len) != 0))
			c++;
		if (c == health_n_checks)
			return fail_as(e, CODE_UNKNOWN_FIELD, -EINVAL, "'%.*s' is not a check",
				(int)(len < 40 ? len : 40), ids);
		found |= 1ull << c;
		ids += len + (ids[len] == ',');
	}
	*checks = found;
	return 0;
}
