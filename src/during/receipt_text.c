/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * receipt_text.c - a receipt for people: lines of figures.
 */
#include "config.h"
#include "src/during/receipt.h"

#include "base/array.h"

#define COLUMNS "{core_energy_joules:11.1|n/a} {board_energy_joules:10.1|n/a} " \
	"{core_mean_watts:7.1|n/a} {core_peak_watts:7.1|n/a} {asic_peak_celsius:5.0|n/a} " \
	"{gddr_peak_celsius:5.0|n/a} {aiclk_least_mhz:5.0|n/a} {aiclk_most_mhz:5.0|n/a} " \
	"{throttled_seconds:9.1|n/a} {memory_errors:6|n/a} {all_pcie_errors:5|n/a} " \
	"{eth_errors:4|n/a}\n"

const char *const receipt_lines[] = {
	"tt-smi: receipt[ of job {job_plain}][: {command_line}]\n",
	"  began {began}, ended after {duration_seconds:.3} s: "
		"[killed by signal {signal} ({signal_words}), ]exit code {exit_code}\n",
	"  {missing}\n",
	"{?cards}                            energy (J)       power (W)   peak (°C)"
		" clock (MHz) throttled       new errors\n",
	"{?cards}  card                 chip      board    mean    peak  chip   mem"
		"  from    to       (s) memory  PCIe  eth\n",
	"{@cards}{index:3} {name:-12}" COLUMNS,
	"{@total}all             " COLUMNS,
	"{@cards}{index:3} {name}: {trouble}\n",
	"{@cards}{?is_short}{index:3} {name}: its power is known for {core_energy_seconds:.1} of "
		"{of_seconds:.1} s; the energy is of that time\n",
	"{@cards}{index:3} {name}: throttled: {throttled_by}\n",
	"{@cards}{?has_errors}{index:3} {name}: new errors: memory {gddr_corrected_errors:|n/a} "
		"corrected, {gddr_uncorrected_errors:|n/a} uncorrected; PCIe "
		"{pcie_errors.correctable:|n/a} correctable, {pcie_errors.nonfatal:|n/a} not "
		"fatal, {pcie_errors.fatal:|n/a} fatal, at bridges above "
		"{pcie_bridge_errors.correctable:|n/a}, {pcie_bridge_errors.nonfatal:|n/a}, "
		"{pcie_bridge_errors.fatal:|n/a}; ethernet links {eth_links_lost:|n/a} lost, "
		"{eth_links_retrained:|n/a} trained again\n",
	"{@cards}{index:3} {name}: held by others, too: {others}\n",
	"{@cards}{index:3} {name}: held by processes that had ended, of the command or not: "
		"{ended}\n",
	"  who held the cards is not known: {holders_unknown}\n",
	"  still running when the command ended: {left_names}\n",
};

const size_t receipt_lines_len = ARRAY_LEN(receipt_lines);
