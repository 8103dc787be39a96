/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * external.c - one list of all that leaves the machine with --external.
 *
 * A row has a source and a form.  The source is a key of JSON, or the path of a file in a bundle.
 * The form is how its text, or a line of the file, has to look; a text that fits no row stays here.
 * In both, which are matched as POSIX regular expressions:
 *
 *	%d	a number of up to 12 digits
 *	%D	numbers, or dashes in their place, to the end
 *	%x	a hexadecimal number below 2^27: a PCI id, a class, flags
 *	%r	the address of a register, or a word of the PCI standard
 *	%W	words of registers, to the end; those of external_take() are replaced
 *	%a	a memory address: becomes 0 or 1
 *	%v	a version of two to four numbers; the last of four is 0, so it is no IP address
 *	%k	the part of a kernel's release that its builder did not add
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
 *	%w	the word of a field's value, to the end
 *	%_	blanks
 *	%*	anything; it is left out
 *	%-	the rest of a word; it is left out
 *	%~	a blank and anything; it is left out
 *	%F	words, to the end: all but FLAGS and small numbers are left out
 *	%M	the same of PARTS
 *	%E	the same of EVENTS
 *	{a|b}	either of these
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

#include <regex.h>
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
		"covers|cpu_features|cpu_level|ceiling_unknown|core|cores|descriptor|"
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
	{ "{a|b|value|limit}", "{yes|no|none|card|slot|board|left out}" },
	{ "{a|b|value|limit}", "%w" },
	{ "{a|b|value|speed|dram_speed|max_temp|temp_%*|corr_%*|uncorr_%*|pcie_%*}", "%d{|G|M}" },
	{ "coords", "(%d, %d, %d, %d)" },
	{ "{id|findings}", "{" FINDINGS "|" CHECKS "}" },
	{ "node", "/dev/tenstorrent/%d" },
	{ "{stem|files}", "%d_{unknown|%n}_{%b|remote}{|.csv}" },
	/* Words of a test of memory, and where they are. */
	{ "{address|aliases|bits|first|got|never|physical|seed|want|xor}", "%r" },
	{ "{OS|os}", "Linux" },
	{ "{Distro|distro|a|b}", DISTRO "{| %v{|%~}| %d%*}" },
	{ "{Kernel|kernel|a|b}", "%k%-" },
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
	{ "tree/proc/sys/kernel/osrelease", "%k%-" },
	{ "tree/proc/meminfo", "{Mem|Swap|HugePages_}{Total|Free|Available}:%_%d{| kB}" },
	{ "tree/proc/cpuinfo", "{processor|cpu family|model|stepping|physical id|siblings|core id|"
		"cpu cores|cpu MHz}%_: %d" },
	{ "tree/proc/cpuinfo", "vendor_id%_: {AuthenticAMD|GenuineIntel}" },
	{ "tree/proc/cpuinfo", "flags%_: %F" },
	{ "tree/proc/cpuinfo", "" },
	{ "tree/{etc|usr/lib}/os-release", "PRETTY_NAME=\"" DISTRO "{| %v{|%~}| %d%*}\"" },
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
		" Product Name}%_: %M" },
	{ "ipmi/sel.txt", "%_%x | %t | %t | %E" },
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

static bool put_words(struct strbuf *to, const char *text)
{
	uint32_t before = 0;

	for (; *text; text += 9) {
		const uint32_t word = (uint32_t)strtoul(text + 1, NULL, 16);

		strbuf_printf(to, " %08x", (unsigned)replace_word(word, before));
		before = word;
	}
	return true;
}

static bool put_serial(struct strbuf *to, const char *text)
{
	const unsigned long long number = number_of(strtoull(text, NULL, 16));

	if (text[1] == 'x')
		strbuf_printf(to, "0x%llx", number);
	else
		strbuf_printf(to, "%0*llx", (int)strlen(text), number);
	return true;
}

static bool put_address(struct strbuf *to, const char *text)
{
	strbuf_printf(to, "0x%016x", strtoull(text, NULL, 16) != 0);
	return true;
}

static bool put_nothing(struct strbuf *to, const char *text)
{
	(void)to, (void)text;
	return true;
}

/* A board, with the letter of its chip. */
static bool put_board(struct strbuf *to, const char *text)
{
	char name[24];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, " "), text);
	strbuf_puts(to, text);
	return board_find_name(name) != NULL;
}

static bool put_code(struct strbuf *to, const char *text)
{
	strbuf_puts(to, text);
	for (enum code c = CODE_NONE + 1; c < CODES; c++)
		if (strcmp(text, code_word(c)) == 0)
			return true;
	return false;
}

static bool put_word(struct strbuf *to, const char *text)
{
	int64_t value;

	strbuf_puts(to, text);
	return field_find_word(FIELD_THROTTLE, text, &value) ||
		field_find_word(FIELD_BUSY_SOURCE, text, &value);
}

/* Put the words that are known, and small numbers. */
static void put_known(struct strbuf *to, const char *text, const char *known)
{
	const char *before = "";
	char word[32], one[32];

	while (parse_word(&text, " ", word, sizeof(word))) {
		const size_t len = strlen(word);
		bool leaves = len <= 5 && strspn(word, "#x|0123456789") == len;

		for (const char *list = known; !leaves && parse_word(&list, "|", one, sizeof(one));)
			leaves = strcmp(one, word) == 0;
		if (leaves) {
			strbuf_puts(to, before);
			strbuf_puts(to, word);
			before = " ";
		}
	}
}

static bool put_path(struct strbuf *to, const char *text);
static bool put_attr(struct strbuf *to, const char *text);

/* Sets without ranges and classes mean the same in every locale. */
#define D	"[0123456789]"
#define X	"[0123456789ABCDEFabcdef]"
#define NUMBER	"-?" D "{1,12}(\\." D "{1,6})?"
#define DOTTED	D "{1,5}(\\." D "{1,5}){1,2}"
/* Names of dumps have it with dashes. */
#define BDF	X "{4,6}(:" X X ":|-" X X "-)" X X "\\." X
/* "pci0000:00", or a host bridge of a device tree: "platform/4010000000.pcie". */
#define FOLDER	"(pci" X "{4,6}:" X X "|platform/" X "{1,12}\\.pcie|" BDF ")"

/* The types: a regular expression, and what leaves of a text that fits: NULL, NULL: all of it. */
static const struct type {
	char name;
	const char *pattern;
	/* False: it does not fit after all. */
	bool (*put)(struct strbuf *to, const char *text);
	const char *known;	/* the words that leave */
} types[] = {
	{ 'd', NUMBER, NULL, NULL },
	{ 'D', "( (-|" NUMBER "))*", NULL, NULL },
	{ 'x', "(0x)?0{0,9}[01234567]?" X "{1,6}", NULL, NULL },
	{ 'r', "(0x)?" X "{1,16}", NULL, NULL },
	{ 'W', "( " X "{8})*", put_words, NULL },
	{ 'a', "(0x)?" X "{1,16}", put_address, NULL },
	{ 'v', "(" DOTTED "|(" D "{1,5}\\.){3}0)(-pre|-rc[12345])?", NULL, NULL },
	{ 'k', DOTTED "(-" D "{1,5}(\\." D "{1,5}){0,3})?", NULL, NULL },
	{ 't', "(" D "{4}-" D D "-" D D "([T ]" D D ":" D D "(:" D D ")?)?|"
		D D "/" D D "/" D "{4}|" D D ":" D D ":" D D ")(\\." D "{1,9})?Z?", NULL, NULL },
	{ 'b', BDF, NULL, NULL },
	{ 'p', FOLDER "(/" FOLDER ")*", NULL, NULL },
	{ 'u', "(\\.\\./)*", NULL, NULL },
	{ 'n', "[^ ,]+( [LR])?", put_board, NULL },
	{ 's', "0x" X "{9,16}|" X "{11,16}", put_serial, NULL },
	{ 'P', ".*", put_path, NULL },
	{ '=', "[^ ]+( = .*| ! " NUMBER ")", put_attr, NULL },
	{ 'o', ".*", NULL, NULL },
	{ 'i', "[^]]+", put_code, NULL },
	{ 'w', ".*", put_word, NULL },
	{ '_', "[ \t]*", NULL, NULL },
	{ '*', ".*", put_nothing, NULL },
	{ '-', "[^ \t]*", put_nothing, NULL },
	{ '~', " .*", put_nothing, NULL },
	{ 'F', ".*", NULL, FLAGS },
	{ 'M', ".*", NULL, PARTS },
	{ 'E', ".*", NULL, EVENTS },
	{ 'C', "", NULL, NULL },	/* no text: see external_put() */
};

#define GROUPS 128

/* What is made of a row's source, or of its form, when it is first needed. */
struct shape {
	regex_t regex;
	const struct type *of[GROUPS];	/* by the number of its group; NULL: it leaves as it is */
	size_t n;			/* groups; 0: not made yet */
};

static void make_shape(struct shape *s, const char *form)
{
	struct strbuf re = { 0 };
	int depth = 0;

	strbuf_puts(&re, "^(");
	for (s->n = 1; *form; form++) {
		depth += (*form == '{') - (*form == '}');
		if (*form == '%') {
			const struct type *t = types;

			for (form++; t->name != *form && t->name != 'C'; t++)
				;
			s->of[++s->n] = t->put || t->known ? t : NULL;
			strbuf_printf(&re, "(%s)", t->pattern);
			for (const char *p = t->pattern; *p; p++)
				s->n += *p == '(';
		} else if (*form == '{' || *form == '}' || (*form == '|' && depth > 0)) {
			strbuf_putc(&re, *form == '{' ? '(' : *form == '}' ? ')' : '|');
			s->n += *form == '{';
		} else {
			strbuf_puts(&re, strchr(".|*+?()[]^$\\", *form) ? "\\" : "");
			strbuf_putc(&re, *form);
		}
	}
	strbuf_puts(&re, ")$");
	if (s->n >= GROUPS || regcomp(&s->regex, re.text, REG_EXTENDED) != 0)
		abort();
	strbuf_clear(&re);
}

/* Whether the whole text has this form; if so, append what may leave of it, if out is not NULL. */
static bool match(struct shape *s, const char *form, const char *text, struct strbuf *out)
{
	const size_t was = out ? out->len : 0;
	regmatch_t at[GROUPS];
	struct strbuf part = { 0 };
	const char *from = text;
	bool fits;

	if (s->n == 0)
		make_shape(s, form);
	fits = regexec(&s->regex, text, out ? s->n + 1 : 0, at, 0) == 0;
	if (!fits || !out)
		return fits;
	for (size_t i = 2; fits && i <= s->n; i++) {
		if (!s->of[i] || at[i].rm_so < 0)
			continue;
		strbuf_add(out, from, (size_t)(text + at[i].rm_so - from));
		from = text + at[i].rm_eo;
		part.len = 0;
		strbuf_add(&part, text + at[i].rm_so, (size_t)(at[i].rm_eo - at[i].rm_so));
		if (s->of[i]->put)
			fits = s->of[i]->put(out, part.text);
		else
			put_known(out, part.text, s->of[i]->known);
	}
	strbuf_puts(out, from);
	if (!fits)
		strbuf_took(out, out->text + was);
	strbuf_clear(&part);
	return fits;
}

static struct shape sources[ARRAY_LEN(rows)], forms[ARRAY_LEN(rows)];

/* The first row of a file; NULL: it has none. */
static const struct row *find_file(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if ((!rows[i].form || strpbrk(rows[i].source, "/.")) &&
			match(&sources[i], rows[i].source, path, NULL))
			return &rows[i];
	return NULL;
}

static bool keep(const char *source, const char *text, struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].form && match(&sources[i], rows[i].source, source, NULL) &&
			match(&forms[i], rows[i].form, text, out))
			return true;
	return false;
}

static bool put_path(struct strbuf *to, const char *text)
{
	strbuf_puts(to, text);
	return find_file(text) != NULL;
}

/* The answer to an access of a recording, or its error. */
static bool put_attr(struct strbuf *to, const char *text)
{
	const char *rest = text + strcspn(text, " ");
	struct strbuf source = { 0 };
	bool fits;

	strbuf_printf(&source, "attr %.*s", (int)(rest - text), text);
	fits = find_file(source.text) != NULL;
	strbuf_add(to, text, (size_t)(rest + 3 - text));
	if (rest[1] == '!')
		strbuf_puts(to, rest + 3);
	else
		fits = fits && keep(source.text, rest + 3, to);
	strbuf_clear(&source);
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
