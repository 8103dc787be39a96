/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * external.c - one list of all that leaves the machine with --external.
 *
 * A row has a source and a form.  The source is a key of JSON, or the path of a file in a bundle.
 * The form is how its text, or a line of the file, has to look; a text that fits no row stays here.
 * In both:
 *
 *	%d	a number of up to 12 digits
 *	%D	numbers, or dashes in their place, to the end
 *	%x	a hexadecimal number below 2^27: a PCI id, a class, flags
 *	%r	the address of a register, or a word of the PCI standard
 *	%W	words of registers, to the end; those of external_take() are replaced
 *	%a	a memory address: becomes 0 or 1
 *	%v	a version of two to four numbers; the last of four is 0, so it is no IP address
 *	%k	a kernel's release, without what its builder added
 *	%t	a date, a time, or both
 *	%b	a PCI address
 *	%p	folders of sysfs down to a PCI function
 *	%u	../ any number of times
 *	%n	a board that we know
 *	%s	the serial number of a board or a chip: becomes a small number
 *	%P	a path that is a source here
 *	%=	"NAME = TEXT" or "NAME ! 11", where rows of "attr NAME" have the form of TEXT
 *	%C	the standard part of PCI configuration space, without memory addresses
 *	%o	a constant of this program, to the end
 *	%i	the word of an error code
 *	%_	blanks
 *	%*	anything; it is left out
 *	{a|b}	either of these
 *	{*a|b}	words, to the end: all but these and small numbers are left out
 *
 * So nothing leaves that a user, a file, firmware or the network can choose freely.
 *
 * This file is long because the list is.
 */
#include "config.h"
#include "telemetry/external.h"

#include "base/json.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define PORT	"tree/sys/devices/%p/"
#define NODE	PORT "tenstorrent/tenstorrent!%d/"
#define LOG	"[%_%d] <%d> "
#define OF_CARD	LOG "{tenstorrent|pcieport|pci|vfio-pci} %b: "
#define DISTRO	"{Ubuntu|Debian GNU/Linux|Fedora Linux|Rocky Linux|AlmaLinux|CentOS Stream|" \
	"Alpine Linux|Red Hat Enterprise Linux|Amazon Linux|Oracle Linux Server|openSUSE Leap|" \
	"SUSE Linux Enterprise Server|Linux Mint}"
#define FINDINGS "alert|dram|dram-test|eth|eth-link|fan|firmware-error|gddr-corrected|" \
	"gddr-growing|gddr-hot|gddr-uncorrected|heartbeat|implausible|kernels-throttled|" \
	"link-downgraded|over-limit|over-power|power-cable|tables|therm-trips|throttled"
#define CHECKS	"driver|driver-version|expected|trays|serials|same-firmware|dma|pin-driver|" \
	"pin-smi|pin-flash|pin-sfpi|pin-tools|node|bars|answer|link|link-errors|pin-firmware|" \
	"firmware|temperature|power|throttle|trips|memory|memory-heat|memory-errors|ethernet|" \
	"readings|holders|awake"
#define FLAGS	"hypervisor|lm|nx|sse2|ssse3|sse4_1|sse4_2|avx|avx2|fma|f16c|bmi1|bmi2|avx512f|" \
	"avx512bw|avx512cd|avx512dq|avx512vl|avx512_bf16|avx512_fp16|avx512_vnni|avx_vnni|" \
	"amx_tile|amx_bf16|amx_int8|rdtscp|constant_tsc|nonstop_tsc|svm|vmx"
/* AER's names of errors, as the kernel writes them. */
#define AER	"{RxErr|BadTLP|BadDLLP|Rollover|Timeout|NonFatalErr|CorrIntErr|HeaderOF|" \
	"Undefined|DLP|SDES|TLP|FCP|CmpltTO|CmpltAbrt|UnxCmplt|RxOF|MalfTLP|ECRC|UnsupReq|" \
	"ACSViol|UncorrIntErr|BlockedTLP|AtomicOpBlocked|TLPBlockedErr|PoisonTLPBlocked|" \
	"TOTAL_ERR_COR|TOTAL_ERR_FATAL|TOTAL_ERR_NONFATAL}"
#define PARTS	"Tenstorrent|Galaxy|Wormhole|Blackhole|UBB|UBB1|UBB2|UBB3|UBB4|Builtin|FRU|" \
	"Device|Board|Power|Supply|Fan|Server"
/* IPMI's names of sensors and events, as ipmitool writes them. */
#define EVENTS	"Temperature|Voltage|Current|Fan|Processor|Power|Supply|Unit|Memory|System|Event|" \
	"Logging|Watchdog|Critical|Interrupt|Button|Module|Board|OS|Boot|Upper|Lower|" \
	"Non-critical|Non-recoverable|going|high|low|Asserted|Deasserted|Presence|detected|" \
	"Failure|Predictive|failure|AC|lost|Log|area|reset|cleared|reset/cleared|off|down|" \
	"off/down|cycle|State|Correctable|Uncorrectable|ECC|Limit|Exceeded|Fully|Redundant|" \
	"Redundancy|Lost|Device|Present|Absent|Enabled|Disabled|Transition|to|from|Running|Degraded"

/* The last row of a key: upstream's programs take this for a value that is not known. */
#define UNKNOWN	"N/A"

static const struct row {
	const char *source, *form;
} rows[] = {
	/* Keys of JSON. */
	{ "{accumulation|act|action|arch|bist|boards|budabackend_commit|cat|chip|code|compiler|"
		"covers|cpu_features|cpu_level|ceiling_unknown|cm_fw|core|cores|descriptor|"
		"device_config|displayTimeUnit|dtype|event|field|format|generator|health|heartbeat|"
		"implementation|input_rule|interface|item|kernel_status|kernel_unproven|key|kind|"
		"libc|link|medium|method|missing|not_seen|open|operands|operands_not_loaded|"
		"operation|output_rule|pattern|peak_unknown|ph|phase|power|result|sensor|"
		"source|stage|state|stored_as|throttle_reasons|title|tool|training|tt_smi|unit|"
		"verdict|version|weight|whose|workload}",
		"%o" },
	{ "{bdf|bus_id|a|b|target}", "%b" },
	{ "{time|utc|began|begun|last|started|start_utc|cm_fw_date|boot_date}", "%t" },
	{ "{board|board_type|series|a|b|tt_card_type}", "%n" },
	{ "{board_id|serial|asic_id|value|a|b}", "%s" },
	{ "{a|b|value|limit}", "%t" },
	{ "{a|b|value|limit|enabled_mask|pci_device|subsystem_device}", "%x" },
	{ "{a|b|value|limit|driver|Driver|firmware|firmware_before|firmware_after|%*fw%*|"
		"%*version%*}", "{|TT-KMD }%v" },
	{ "{a|b|value|limit}", "{yes|no|none|tdp|fast-tdc|tdc|thermal|card|slot|board|left out}" },
	{ "{a|b|value|speed|dram_speed|max_temp|temp_%*|corr_%*|uncorr_%*|pcie_%*}", "%d{|G|M}" },
	{ "coords", "(%d, %d, %d, %d)" },
	{ "{id|findings}", "{" FINDINGS "|" CHECKS "}" },
	{ "node", "/dev/tenstorrent/%d" },
	{ "{stem|files}", "%d_{%n|unknown}_{%b|remote}{|.csv}" },
	/* Words of a test of memory, and where they are. */
	{ "{address|aliases|bits|first|got|physical|seed|want|xor}", "%r" },
	{ "{OS|os}", "Linux" },
	{ "{Distro|distro|a|b}", DISTRO "{| %v%*| %d%*}" },
	{ "{Kernel|kernel|a|b}", "%k" },
	{ "{Platform|platform|machine}", "{x86_64|aarch64|riscv64|ppc64le}" },
	{ "Memory", "%d GB" },
	{ "name", "{OS|Distro|Memory|Driver|Kernel|Reset|Hugepages}" },
	{ "{files|what}", "%P" },
	{ "what", "%d %b" },
	{ "{OS|Distro|Kernel|Hostname|Platform|Memory|Driver|user|cmdline|bus_id|board_type|"
		"board_id|series|text}", UNKNOWN },

	/* A recording. */
	{ "cards.rec", "tt-smi recording %d" },
	{ "cards.rec", "# %t, %o" },
	{ "cards.rec", "driver %v" },
	{ "cards.rec", "device %d {%b|-} %x:%x %x:%x %x node %d numa %d local %d trouble %d %*" },
	{ "cards.rec", "{look %d|end|acquire =}" },
	{ "cards.rec", "acquire ! %d{ [%i]|}%*" },
	{ "cards.rec", "attr config = %r" },
	{ "cards.rec", "attr %=" },
	{ "cards.rec", "{read|write} {bar0|%d,%d} %r %r{ =%W| ! %d}" },
	{ "cards.rec", "{holders|pinned} %d{| partial}{ =%D| ! %d}" },

	/* The kernel's files. */
	{ "tree/sys/class/tenstorrent/tenstorrent!%d",
		"../../devices/%p/tenstorrent/tenstorrent!%d" },
	{ "tree/sys/bus/pci/devices/%b", "../../../devices/%p" },
	{ "tree/sys/devices/%p/driver", "%ubus/pci/drivers/{tenstorrent|pcieport|vfio-pci}" },
	{ "tree/sys/devices/%p/iommu_group", "%ukernel/iommu_groups/%d" },
	{ "tree/sys/kernel/iommu_groups/%d/type", "{DMA|DMA-FQ|identity|blocked|unmanaged|auto}" },
	{ NODE "device", "../../../%b" },
	{ "{" NODE "|attr }tt_{aiclk|axiclk|arcclk|heartbeat|therm_trip_count}", "%d" },
	{ "{" NODE "|attr }tt_{serial|asic_id}", "%s" },
	{ "{" NODE "|attr }tt_card_type", "%n" },
	{ "{" NODE "|attr }tt_{fw_bundle|m3app_fw|m3bl_fw|arc_fw|eth_fw|ttflash}_ver", "%v" },
	{ "{" NODE "pcie_perf_counters/|attr }{mst|slv}_{rd|nonposted_wr|posted_wr}_data_word_"
		"{received|sent}%d", "%d" },
	{ "{" PORT "hwmon/hwmon%d/|attr }{temp|in|curr|power|fan}%d_{input|max}", "%d" },
	{ PORT "hwmon/hwmon%d/name", "{grayskull|wormhole|blackhole|tenstorrent}" },
	{ PORT "{vendor|device|class|subsystem_vendor|subsystem_device|revision}", "%x" },
	{ PORT "numa_node", "%d" },
	{ "{" PORT "|attr {|../}}{current|max}_link_speed", "{%d GT/s{| PCIe}|Unknown{| speed}}" },
	{ "{" PORT "|attr {|../}}{current|max}_link_width", "%d" },
	{ PORT "resource", "%a %a %x" },
	{ PORT "config", "%C" },
	{ PORT "aer_dev_{correctable|nonfatal|fatal}", AER " %d" },
	{ "tree/dev/tenstorrent/%d", "" },
	{ "tree/proc/driver/tenstorrent/%d/pids", "%d" },
	{ "tree/sys/module/tenstorrent/version", "%v" },
	{ "tree/proc/sys/kernel/osrelease", "%k" },
	{ "tree/proc/meminfo", "{Mem|Swap|HugePages_}{Total|Free|Available}:%_%d{| kB}" },
	{ "tree/proc/cpuinfo", "{processor|cpu family|model|stepping|physical id|siblings|core id|"
		"cpu cores|cpu MHz}%_: %d" },
	{ "tree/proc/cpuinfo", "vendor_id%_: {AuthenticAMD|GenuineIntel}" },
	{ "tree/proc/cpuinfo", "flags%_: {*" FLAGS "}" },
	{ "tree/proc/cpuinfo", "" },
	{ "tree/{etc|usr/lib}/os-release", "PRETTY_NAME=\"" DISTRO "{| %v%*| %d%*}\"" },
	{ "tree/{etc|usr/lib}/os-release", "VERSION_ID={|\"}{%v|%d}{|\"}" },
	{ "tree/sys/hypervisor/type", "xen" },
	{ "tree/sys/hypervisor/guest_type", "{HVM|PV|PVH}" },
	{ "tree/sys/kernel/mm/hugepages/hugepages-%dkB/nr_hugepages", "%d" },
	{ "tree", NULL },

	/* The kernel's messages. */
	{ "driver.log", LOG "tenstorrent: {Loading Tenstorrent AI driver module v%v|"
		"Unloading Tenstorrent AI driver module}" },
	{ "driver.log", OF_CARD "{Telemetry not available|Unsupported telemetry version %v|"
		"Telemetry tag %d has invalid address %x|Timed out waiting for FW telemetry|"
		"Couldn't communicate with firmware; NOC is likely hung.|"
		"Failed to send ARC message for {A0|A3} state|"
		"Failed to set ARC watchdog timeout (this is normal for old FW)|"
		"PCIe perf counters unavailable: %d|Failed to set initial power state: %d|"
		"Unsupported device|Found a Tenstorrent {Grayskull|Wormhole|Blackhole} device|"
		"Galaxy ordinal %d in use, falling back to dynamic allocation|"
		"Device initialization failed|vzalloc failed for %d page pointers|"
		"pin_user_pages_longterm failed: %d|could only pin %d of %d pages|"
		"dma_map_sg failed|discontiguous mapping|pages discontiguous at %d|"
		"ARC queue {RPTR|WPTR} read returned all-1s; device gone?|"
		"Timeout waiting for {space in ARC message queue|ARC response}|"
		"Skipping message %x due to FW not running|"
		"ARC message queue not available (this is normal for old FW)|"
		"{|Watchdog is disabled and d|D}{evice is unresponsive, cannot reset.}|"
		"Failed to initialize hwmon.}" },
	{ "driver.log", OF_CARD "{|AER: }{{Corrected|Uncorrectable (Fatal)|"
		"Uncorrectable (Non-Fatal)|Uncorrected (Fatal)|Uncorrected (Non-Fatal)}"
		"{| error|, Multiple error}{| message} received: %b|"
		"PCIe Bus Error: severity={Corrected|"
		"Uncorrectable (Fatal)|Uncorrectable (Non-Fatal)|"
		"Uncorrected (Fatal)|Uncorrected (Non-Fatal)}, type={Physical Layer|"
		"Data Link Layer|Transaction Layer|Inaccessible}, ({Receiver ID|Transmitter ID|"
		"Requester ID|Completer ID|Unregistered Agent ID})|"
		"%_device [%x:%x] error status/mask=%x/%x|"
		"%_[%_%d] " AER "%_{|(First)}|device recovery {successful|failed}}" },
	{ "driver.log", OF_CARD "{enabling device (%x -> %x)|not ready %dms after {FLR|bus reset|"
		"resume}; {waiting|giving up}|{Adding to|Removing from} iommu group %d|"
		"pciehp: Slot(%d): Link {Up|Down}|pciehp: Slot(%d): Card {present|not present}|"
		"can't change power state from {D0|D3hot|D3cold} to {D0|D3hot|D3cold}%*}" },

	/* A galaxy's management controller. */
	{ "ipmi/fru.txt", "{FRU Device Description| Board Mfg| Board Product| Product Manufacturer|"
		" Product Name}%_: {*" PARTS "}" },
	{ "ipmi/sel.txt", "%_%x | %t | %t | {*" EVENTS "}" },
	{ "ipmi", NULL },

	/* Their own texts went by the keys above; a text for people has words of all kinds. */
	{ "{bundle|snapshot|health}.json", "%o" },
	{ "health.txt", NULL },
};

/* Serial numbers, and private words of registers, each with the number that stands for it. */
static struct {
	bool is_on;
	size_t n;
	struct {
		uint64_t secret, instead;
	} *ids;
} own;

/* A word below this may be anything, so it is replaced only right after its high word. */
#define SMALL 0x10000

static bool is_board(uint64_t id)
{
	return board_find(board_upi(id)) != NULL;
}

/* What stands for it: the kind of board, and how many of its kind came before. */
static uint64_t number_of(uint64_t secret)
{
	uint64_t number = 1;

	for (size_t i = 0; i < own.n; i++) {
		if (own.ids[i].secret == secret)
			return own.ids[i].instead;
		number += is_board(own.ids[i].secret) == is_board(secret);
	}
	own.ids = mem_realloc(own.ids, (own.n + 1) * sizeof(*own.ids));
	own.ids[own.n].secret = secret;
	own.ids[own.n].instead = (is_board(secret) ? secret & ~(uint64_t)UINT32_MAX : 0) | number;
	return own.ids[own.n++].instead;
}

/* Whether a field that may leave is made of this word of a table, or the reader goes by it. */
static bool is_listed(const struct chip *c, enum chip_table from, enum chip_table to, uint16_t key)
{
	for (enum chip_table t = from; t <= to; t++)
		for (const struct decode *row = chip_rows(c, t); row->field != FIELD_NONE; row++)
			if (row->key == key && (external_has_field(row->field) ||
				row->field == FIELD_ENUM_VERSION ||
				row->field == FIELD_DEVICE_ID))
				return true;
	return false;
}

static void take_words(const struct raw *raw)
{
	const struct chip *c = chip_find(raw->chip);

	for (size_t i = 0; c && i < raw->n_tags; i++)
		if (raw->tags[i].word >= SMALL &&
			!is_listed(c, CHIP_COMMON_TAGS, CHIP_TAGS, raw->tags[i].tag))
			number_of(raw->tags[i].word);
	for (size_t i = 0; c && i < raw->n_legacy; i++)
		if (raw->legacy[i] >= SMALL &&
			!is_listed(c, CHIP_LEGACY, CHIP_LEGACY, (uint16_t)i))
			number_of(raw->legacy[i]);
}

void external_take(const struct fleet *f)
{
	static const enum field_id ids[] = { FIELD_BOARD_ID, FIELD_ASIC_ID };

	for (size_t k = 0; k < f->n; k++) {
		for (size_t i = 0; i < ARRAY_LEN(ids); i++)
			if (reading_has_value(&f->chips[k].r[ids[i]]))
				number_of((uint64_t)f->chips[k].r[ids[i]].value);
		take_words(&f->chips[k].raw);
	}
}

/* Replace a word, given the one before it. */
static uint32_t replace_word(uint32_t word, uint32_t before)
{
	for (size_t i = 0; i < own.n; i++) {
		const uint32_t high = (uint32_t)(own.ids[i].secret >> 32);

		if (word == (uint32_t)own.ids[i].secret &&
			(word >= SMALL || (high != 0 && before == high)))
			return (uint32_t)own.ids[i].instead;
		if (word == high && word >= SMALL)
			return (uint32_t)(own.ids[i].instead >> 32);
	}
	return word;
}

/*
 * Each of these returns how many bytes of the text fit, or -1, and appends what comes out.
 */

static int put(struct strbuf *to, const char *text, int len)
{
	if (len > 0)
		strbuf_add(to, text, (size_t)len);
	return len;
}

static int count_of(const char *text, const char *set, int least, int most)
{
	const int n = (int)strspn(text, set);

	return n >= least && n <= most ? n : -1;
}

static const char decimal[] = "0123456789", hexadecimal[] = "0123456789abcdefABCDEF";

static int fit_number(const char *text)
{
	const int sign = *text == '-', n = count_of(text + sign, decimal, 1, 12);
	const int part = n > 0 && text[sign + n] == '.' ?
		count_of(text + sign + n + 1, decimal, 1, 6) : -1;

	return n < 0 ? -1 : sign + n + (part > 0 ? 1 + part : 0);
}

/* A hexadecimal number of up to 16 digits, with or without 0x; -1: there is none. */
static int fit_hex(const char *text, uint64_t *value)
{
	const int x = text[0] == '0' && text[1] == 'x' ? 2 : 0;
	const int n = count_of(text + x, hexadecimal, 1, 16);
	char digits[17];

	if (n < 0)
		return -1;
	snprintf(digits, sizeof(digits), "%.*s", n, text + x);
	*value = strtoull(digits, NULL, 16);
	return x + n;
}

static int fit_list(const char *text)
{
	int at = 0, n;

	for (; text[at] == ' '; at += 1 + n) {
		n = text[at + 1] == '-' ? 1 : fit_number(text + at + 1);
		if (n < 0)
			return -1;
	}
	return at;
}

static int put_words(struct strbuf *to, const char *text)
{
	uint32_t before = 0;
	uint64_t word;
	int at = 0;

	for (; text[at] == ' '; at += 9) {
		if (fit_hex(text + at + 1, &word) != 8)
			return -1;
		strbuf_printf(to, " %08x", (unsigned)replace_word((uint32_t)word, before));
		before = (uint32_t)word;
	}
	return at;
}

static int put_serial(struct strbuf *to, const char *text)
{
	uint64_t id;
	const int n = fit_hex(text, &id);

	if (n < 11)
		return -1;
	if (text[1] == 'x')
		strbuf_printf(to, "0x%llx", (unsigned long long)number_of(id));
	else
		strbuf_printf(to, "%0*llx", n, (unsigned long long)number_of(id));
	return n;
}

static int put_address(struct strbuf *to, const char *text)
{
	uint64_t address;
	const int n = fit_hex(text, &address);

	if (n > 0)
		strbuf_printf(to, "0x%016x", address != 0);
	return n;
}

/* Numbers with dots between them; `n` of them were found. */
static int fit_numbers(const char *text, int most, int *n)
{
	int at = 0;

	for (*n = 0; *n < most; (*n)++) {
		const int digits = count_of(text + at, decimal, 1, 5);

		if (digits < 0)
			break;
		at += digits;
		if (text[at] != '.' || !isdigit((unsigned char)text[at + 1])) {
			(*n)++;
			break;
		}
		at++;
	}
	return at;
}

static int fit_version(const char *text)
{
	static const char *const tails[] = { "-pre", "-rc1", "-rc2", "-rc3", "-rc4", "-rc5" };
	int n, at = fit_numbers(text, 4, &n);

	if (n < 2 || (n == 4 && strncmp(text + at - 2, ".0", 2) != 0))
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(tails); i++)
		if (strncmp(text + at, tails[i], strlen(tails[i])) == 0)
			return at + (int)strlen(tails[i]);
	return at;
}

static int put_release(struct strbuf *to, const char *text)
{
	int n, m, at = fit_numbers(text, 3, &n);

	if (n < 2)
		return -1;
	if (text[at] == '-' && isdigit((unsigned char)text[at + 1]))
		at += 1 + fit_numbers(text + at + 1, 4, &m);
	put(to, text, at);
	return at + (int)strcspn(text + at, " \t");
}

/* In a shape, 9 is a digit. */
static int fit_shape(const char *text, const char *shape)
{
	int n = 0;

	for (; shape[n]; n++)
		if (shape[n] == '9' ? !isdigit((unsigned char)text[n]) : text[n] != shape[n])
			return -1;
	return n;
}

static int fit_time(const char *text)
{
	static const char *const shapes[] = { "9999-99-99T99:99:99", "9999-99-99 99:99:99",
		"9999-99-99 99:99", "9999-99-99T99:99", "9999-99-99", "99/99/9999", "99:99:99" };
	int n = -1, more;

	for (size_t i = 0; i < ARRAY_LEN(shapes) && n < 0; i++)
		n = fit_shape(text, shapes[i]);
	if (n < 0)
		return -1;
	more = text[n] == '.' ? count_of(text + n + 1, decimal, 1, 9) : -1;
	n += more > 0 ? 1 + more : 0;
	return n + (text[n] == 'Z');
}

/* Dumps have it in names of files, with dashes. */
static int fit_bdf(const char *text)
{
	const int domain = count_of(text, hexadecimal, 4, 6);
	static const char *const shapes[] = { ":##:##.#", "-##-##.#" };

	for (size_t i = 0; domain > 0 && i < ARRAY_LEN(shapes); i++) {
		int n = 0;

		while (shapes[i][n] && (shapes[i][n] == '#' ?
			isxdigit((unsigned char)text[domain + n]) :
			text[domain + n] == shapes[i][n]))
			n++;
		if (!shapes[i][n])
			return domain + n;
	}
	return -1;
}

/* "pci0000:00", or a host bridge of a device tree: "platform/4010000000.pcie". */
static int fit_bridge(const char *text)
{
	int n;

	if (strncmp(text, "platform/", 9) == 0) {
		n = count_of(text + 9, hexadecimal, 1, 12);
		return n > 0 && strncmp(text + 9 + n, ".pcie", 5) == 0 ? 9 + n + 5 : -1;
	}
	if (strncmp(text, "pci", 3) != 0)
		return -1;
	n = count_of(text + 3, hexadecimal, 4, 6);
	return n > 0 && text[3 + n] == ':' && count_of(text + 4 + n, hexadecimal, 2, 2) == 2
		? 3 + n + 3 : -1;
}

static int fit_folders(const char *text)
{
	int at = -1;

	for (;;) {
		const char *p = text + at + 1;
		const int bridge = fit_bridge(p), n = bridge > 0 ? bridge : fit_bdf(p);

		if (n < 0)
			return at;
		at += 1 + n;
		if (text[at] != '/')
			return at;
		if (fit_bridge(text + at + 1) < 0 && fit_bdf(text + at + 1) < 0)
			return at;
	}
}

static int fit_board(const char *text)
{
	char name[24];

	for (int n = (int)sizeof(name) - 1; n > 0; n--) {
		snprintf(name, sizeof(name), "%.*s", n, text);
		if ((int)strlen(name) == n && board_find_name(name))
			return n + (text[n] == ' ' && (text[n + 1] == 'L' || text[n + 1] == 'R') ?
				2 : 0);
	}
	return -1;
}

static int fit_code(const char *text)
{
	for (enum code c = CODE_NONE + 1; c < CODES; c++) {
		const size_t len = strlen(code_word(c));

		if (strncmp(text, code_word(c), len) == 0 && text[len] == ']')
			return (int)len;
	}
	return -1;
}

static int fit_ups(const char *text)
{
	int n = 0;

	while (strncmp(text + n, "../", 3) == 0)
		n += 3;
	return n;
}

static bool match(const char *form, const char *text, struct strbuf *out);

/* The first row of a file; NULL: it has none. */
static const struct row *find_file(const char *path)
{
	const struct row *found = NULL;
	struct strbuf none = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(rows) && !found; i++)
		if ((!rows[i].form || strpbrk(rows[i].source, "/.")) &&
			match(rows[i].source, path, &none))
			found = &rows[i];
	strbuf_clear(&none);
	return found;
}

static bool keep(const char *source, const char *text, struct strbuf *out)
{
	struct strbuf none = { 0 };
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(rows) && !found; i++)
		found = rows[i].form && match(rows[i].source, source, &none) &&
			match(rows[i].form, text, out);
	strbuf_clear(&none);
	return found;
}

/* The answer to an access of a recording, or its error. */
static int put_attr(struct strbuf *to, const char *text)
{
	const size_t len = strcspn(text, " "), most = strlen(text);
	struct strbuf source = { 0 };
	bool found = false;

	strbuf_printf(&source, "attr %.*s", (int)len, text);
	if (most > len + 3 && find_file(source.text)) {
		strbuf_add(to, text, len + 3);
		found = strncmp(text + len, " = ", 3) == 0 ? keep(source.text, text + len + 3, to) :
			strncmp(text + len, " ! ", 3) == 0 && match("%d", text + len + 3, to);
	}
	strbuf_clear(&source);
	return found ? (int)most : -1;
}

/* One of the types that begin with a percent sign. */
static int fit(char type, const char *text, struct strbuf *to)
{
	uint64_t value = 0;
	int n;

	switch (type) {
	case 'W':
		return put_words(to, text);
	case 's':
		return put_serial(to, text);
	case 'a':
		return put_address(to, text);
	case 'k':
		return put_release(to, text);
	case '=':
		return put_attr(to, text);
	case 'x':
		n = fit_hex(text, &value);
		return put(to, text, value < 1u << 27 ? n : -1);
	case 'r':
		return put(to, text, fit_hex(text, &value));
	case 'd':
		return put(to, text, fit_number(text));
	case 'D':
		return put(to, text, fit_list(text));
	case 'v':
		return put(to, text, fit_version(text));
	case 't':
		return put(to, text, fit_time(text));
	case 'b':
		return put(to, text, fit_bdf(text));
	case 'p':
		return put(to, text, fit_folders(text));
	case 'u':
		return put(to, text, fit_ups(text));
	case 'n':
		return put(to, text, fit_board(text));
	case 'P':
		return put(to, text, find_file(text) ? (int)strlen(text) : -1);
	case 'o':
		return put(to, text, (int)strlen(text));
	case 'i':
		return put(to, text, fit_code(text));
	case '_':
		return put(to, text, (int)strspn(text, " \t"));
	default:
		return -1;
	}
}

/* The end of an alternative: the bar after it, or the brace after the last one. */
static const char *end_of(const char *form)
{
	for (int depth = 0; depth > 0 || (*form != '|' && *form != '}'); form++)
		depth += (*form == '{') - (*form == '}');
	return form;
}

/* Put the words that stand between the bars of a list. */
static void put_known_words(const char *list, const char *text, struct strbuf *out)
{
	const char *before = "";

	while (*text) {
		const size_t len = strcspn(text, " ");
		const size_t digits = strspn(text, "#x|0123456789");
		bool known = len > 0 && digits == len && len <= 5;

		for (const char *p = list, *end; !known; p = end + 1) {
			end = end_of(p);
			known = (size_t)(end - p) == len && len > 0 && strncmp(p, text, len) == 0;
			if (*end == '}')
				break;
		}
		if (known) {
			strbuf_puts(out, before);
			strbuf_add(out, text, len);
			before = " ";
		}
		text += len + (text[len] == ' ');
	}
}

/* Whether it can begin so; alternatives are many, and most differ in their first letter. */
static bool may_begin(const char *form, const char *text)
{
	return *form == *text || strchr("%{|}", *form);
}

static bool match_either(const char *form, const char *text, struct strbuf *out)
{
	const char *last = form, *end;
	bool found = false;

	while (*(last = end_of(last)) == '|')
		last++;
	for (; !found; form = end + 1) {
		end = end_of(form);
		if (may_begin(form, text)) {
			struct strbuf whole = { 0 };

			strbuf_add(&whole, form, (size_t)(end - form));
			strbuf_puts(&whole, last + 1);
			found = match(whole.text, text, out);
			strbuf_clear(&whole);
		}
		if (end == last)
			break;
	}
	return found;
}

static bool match_rest(const char *form, const char *text, struct strbuf *out)
{
	for (;; text++) {
		if (match(form, text, out))
			return true;
		if (!*text)
			return false;
	}
}

/* Whether the whole text has this form; if so, append what may leave of it. */
static bool match(const char *form, const char *text, struct strbuf *out)
{
	const size_t was = out->len;
	bool fits = true;

	while (fits && *form) {
		if (form[0] == '{' && form[1] == '*') {
			put_known_words(form + 2, text, out);
			return true;
		}
		if (*form == '{') {
			fits = match_either(form + 1, text, out);
			text = "";
			break;
		}
		if (form[0] == '%' && form[1] == '*') {
			fits = match_rest(form + 2, text, out);
			text = "";
			break;
		}
		if (*form == '%') {
			const int n = fit(form[1], text, out);

			fits = n >= 0;
			text += fits ? n : 0;
			form += 2;
			continue;
		}
		fits = *form == *text;
		if (fits)
			strbuf_putc(out, *form);
		form++;
		text += fits;
	}
	fits = fits && !*text;
	if (!fits && out->text) {
		out->len = was;
		out->text[was] = '\0';
	}
	return fits;
}

const char *external_text(const char *key, const char *text)
{
	static struct strbuf out;

	if (!own.is_on || !text || strcmp(text, UNKNOWN) == 0)
		return text;
	strbuf_clear(&out);
	strbuf_puts(&out, "");
	if (keep(key ? key : "", text, &out))
		return out.text;
	return keep(key ? key : "", UNKNOWN, &out) ? out.text : NULL;
}

void external_set(bool is_on)
{
	own.is_on = is_on;
	json_set_list(is_on ? external_text : NULL);
}

bool external_has_field(enum field_id id)
{
	return id != FIELD_BOARD_ID && !fields[id].engineering;
}

/* The standard header has ids, class and state; then the addresses begin. */
#define CONFIG_IDS	16
#define CONFIG_BOARD	44	/* the subsystem's ids */
#define CONFIG_HEADER	64

static void put_config(struct strbuf *to, const char *data, size_t len)
{
	for (size_t i = 0; i < len && i < CONFIG_HEADER; i++)
		strbuf_putc(to, i < CONFIG_IDS || i / 4 == CONFIG_BOARD / 4 ? data[i] : '\0');
}

bool external_put(struct strbuf *to, const char *path, const void *data, size_t len,
	size_t *left_out)
{
	const struct row *row = find_file(path);
	struct strbuf text = { 0 };
	const size_t was = to->len;
	bool ends_line;

	*left_out = 0;
	if (!row)
		return false;
	if (row->form && strcmp(row->form, "%C") == 0) {
		put_config(to, data, len);
		return true;
	}
	strbuf_add(&text, data, len);
	ends_line = len > 0 && text.text[len - 1] == '\n';
	for (char *line = text.text, *end; line < text.text + len; line = end + 1) {
		end = line + strcspn(line, "\n");
		*end = '\0';
		if (end < text.text + len || !ends_line) {
			if (keep(path, line, to))
				strbuf_putc(to, '\n');
			else
				++*left_out;
		}
	}
	if (to->len > was && !ends_line)
		to->text[--to->len] = '\0';
	strbuf_clear(&text);
	return true;
}
