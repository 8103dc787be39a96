/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/code.h"
#include "base/array.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *word, *meaning;
} codes[CODES] = {
	[CODE_NONE] = { "", "" },
	[CODE_FAILED] = { "failed",
		"The operation failed for a reason without a code of its own." },
	[CODE_INVALID] = { "invalid", "A file, a message or a name is malformed." },
	[CODE_NOT_FOUND] = { "not-found", "A file or a name does not exist." },
	[CODE_NO_PERMISSION] = { "no-permission", "The user may not do this." },
	[CODE_EXISTS] = { "exists", "The file or folder exists already." },
	[CODE_WRONG_KIND] = { "wrong-kind",
		"The path is a folder, a device, a FIFO or a link where a file is needed, or a "
		"file where a folder is needed." },
	[CODE_NAME_TOO_LONG] = { "name-too-long", "A name or path is too long." },
	[CODE_TOO_LARGE] = { "too-large", "A file or an answer is larger than allowed." },
	[CODE_NO_SPACE] = { "no-space", "The disk or the quota is full." },
	[CODE_READ_ONLY] = { "read-only", "The file system is read-only." },
	[CODE_IO_ERROR] = { "io-error", "A device or a disk reported an I/O error." },
	[CODE_CORRUPT] = { "corrupt", "A file is torn, damaged or not ours." },
	[CODE_NO_MEMORY] = { "no-memory", "The host has too little free memory." },
	[CODE_NO_DESCRIPTORS] = { "no-descriptors", "The limit of open files is too low." },
	[CODE_NO_PROCESSES] = { "no-processes", "The limit of processes is too low." },
	[CODE_NO_DEVICE] = { "no-device", "There is no such card, or none at all." },
	[CODE_TIMEOUT] = { "timeout", "There was no answer in time." },
	[CODE_HELD] = { "held", "Another program uses the card or the file." },
	[CODE_STOPPED] = { "stopped", "A signal or the user stopped it." },
	[CODE_BAD_ANSWER] = { "bad-answer",
		"Firmware, a server or a program gave an answer that makes no sense." },
	[CODE_UNSUPPORTED] = { "unsupported",
		"This chip, processor or driver cannot do it." },
	[CODE_NOT_KNOWN] = { "not-known", "A value that is needed is not known." },
	[CODE_FIRMWARE_DOWN] = { "firmware-down", "The card's firmware is not running." },
	[CODE_LINK_DOWN] = { "link-down", "The ethernet link to the chip is down." },
	[CODE_NO_LIBRARY] = { "no-library", "A library is missing or too old." },
	[CODE_ADDRESS_IN_USE] = { "address-in-use",
		"Another program listens at this address." },
	[CODE_UNREACHABLE] = { "unreachable", "The server does not answer." },

	[CODE_UNKNOWN_OPTION] = { "unknown-option", "There is no such option." },
	[CODE_BAD_VALUE] = { "bad-value",
		"An option, a key or a variable has a value that is not allowed." },
	[CODE_MISSING_VALUE] = { "missing-value", "An option lacks its value." },
	[CODE_CONFLICT] = { "conflict", "Two options exclude each other." },
	[CODE_NEEDS_OPTION] = { "needs-option",
		"An option has no meaning without another one." },
	[CODE_UNEXPECTED_ARGUMENT] = { "unexpected-argument", "No option takes this word." },
	[CODE_UNKNOWN_FIELD] = { "unknown-field",
		"There is no field, column or check of this name." },
	[CODE_NOTHING_NAMED] = { "nothing-named",
		"The command has to name a card, a target or a file." },
	[CODE_NO_EFFECT] = { "no-effect", "An option or a key has no effect here." },
	[CODE_BAD_CONFIG] = { "bad-config",
		"A line of the configuration is wrong and was left out." },

	[CODE_UNSAFE_PATH] = { "unsafe-path",
		"The path leads through a file, link or folder that another user controls." },
	[CODE_MOVED_FILE] = { "moved-file",
		"A file was moved, removed or cut short while tt-smi used it." },
	[CODE_OTHER_VERSION] = { "other-version",
		"A file was written by another version of tt-smi." },
	[CODE_NO_PROGRAM] = { "no-program", "A program is missing or did not start." },

	[CODE_NO_DRIVER] = { "no-driver",
		"The driver is not loaded, or does not have this card." },
	[CODE_DRIVER_OLD] = { "driver-old",
		"The driver is too old, or too new, for this card or this way to reset it." },
	[CODE_FIRMWARE_OLD] = { "firmware-old", "The card's firmware is too old." },
	[CODE_HIDDEN] = { "hidden", "TT_VISIBLE_DEVICES or --device hides the card." },
	[CODE_MOVED_INDEX] = { "moved-index",
		"The index names another card now than when the cards were last listed." },
	[CODE_AMBIGUOUS] = { "ambiguous", "The name fits several cards." },
	[CODE_OFF_BUS] = { "off-bus", "The card is not on the PCI bus." },
	[CODE_BEING_RESET] = { "being-reset",
		"The card is being reset, or a reset of it was left unfinished." },
	[CODE_HUNG] = { "hung", "The chip does not answer." },
	[CODE_LEFT_ALONE] = { "left-alone",
		"The card was not read, by choice: --passive, --local, or a program that holds "
		"it." },
	[CODE_NOT_READ] = { "not-read", "The card could not be read." },
	[CODE_POWERING_DOWN] = { "powering-down",
		"A job has just ended, and opening the card could keep it from powering down." },
	[CODE_SIMULATED] = { "simulated", "The card is simulated and computes nothing." },
	[CODE_RECORDED] = { "recorded", "The cards are those of a file or a recorded tree." },
	[CODE_SECOND_CHIP] = { "second-chip",
		"The chip is reached over ethernet only, through the chip that leads to it." },

	[CODE_OTHER_HALF] = { "other-half",
		"The board has another chip, which has to be named as well." },
	[CODE_NEEDS_ANSWER] = { "needs-answer",
		"The command asks before it acts, and nobody can be asked here." },
	[CODE_HOLDERS_UNKNOWN] = { "holders-unknown",
		"The programs that use the cards are not known." },
	[CODE_LEFT_HALF_WAY] = { "left-half-way",
		"The operation was stopped half way: run it again." },
	[CODE_NOT_RECOVERED] = { "not-recovered",
		"The card is not as it was before its reset." },
	[CODE_NOT_VERIFIED] = { "not-verified",
		"The card's state after the act could not be checked." },
	[CODE_UNSAFE_HERE] = { "unsafe-here", "The act is not safe on this host." },

	[CODE_WRONG_WORDS] = { "wrong-words",
		"Results or memory differ from what they have to be." },
	[CODE_CORE_STALLED] = { "core-stalled", "A core stopped computing." },
	[CODE_CORE_SLOW] = { "core-slow", "A core is much slower than the others." },
	[CODE_CORE_MISLED] = { "core-misled",
		"A core does not keep what it is given, or answers for another one." },
	[CODE_CORE_WITHOUT_MEMORY] = { "core-without-memory",
		"A core did not get its operands from the card's memory." },
	[CODE_CHANNEL_SILENT] = { "channel-silent",
		"A memory channel does not answer, or is not trained." },
	[CODE_CHANNEL_WRONG] = { "channel-wrong",
		"A memory channel, or its addresses, are faulty." },
	[CODE_LOAD_CRASHED] = { "load-crashed",
		"The load ended by a signal of its own fault (SIGSEGV, SIGILL, SIGBUS)." },
	[CODE_LOAD_ENDED] = { "load-ended", "A process of the act ended early." },
	[CODE_TOO_HOT] = { "too-hot", "A temperature is at its limit." },
	[CODE_NOT_WATCHED] = { "not-watched",
		"A temperature or a card that must be watched cannot be." },
	[CODE_NOT_COVERED] = { "not-covered", "Less was done or judged than was asked for." },
	[CODE_OTHER_SETTINGS] = { "other-settings",
		"A checkpoint or a report belongs to another burn, host or job." },
	[CODE_CONTRADICTS] = { "contradicts", "A report or a count contradicts itself." },
	[CODE_UNEXPECTED_HOST] = { "unexpected-host",
		"A host or a card is not one of those that are expected." },
};

/* By errno; where a code stands for several errnos, these have a row each. */
static const struct {
	int error;
	enum code code;
} by_errno[] = {
	{ EINVAL, CODE_INVALID }, { ENOENT, CODE_NOT_FOUND }, { EACCES, CODE_NO_PERMISSION },
	{ EPERM, CODE_NO_PERMISSION }, { EEXIST, CODE_EXISTS }, { EISDIR, CODE_WRONG_KIND },
	{ ENOTDIR, CODE_WRONG_KIND }, { ELOOP, CODE_UNSAFE_PATH }, { ENXIO, CODE_NO_DEVICE },
	{ ENAMETOOLONG, CODE_NAME_TOO_LONG }, { EFBIG, CODE_TOO_LARGE }, { ENOSPC, CODE_NO_SPACE },
	{ EDQUOT, CODE_NO_SPACE }, { EROFS, CODE_READ_ONLY }, { EIO, CODE_IO_ERROR },
	{ EBADMSG, CODE_CORRUPT }, { ENOMEM, CODE_NO_MEMORY }, { EMFILE, CODE_NO_DESCRIPTORS },
	{ ENFILE, CODE_NO_DESCRIPTORS }, { EAGAIN, CODE_NO_PROCESSES }, { ENODEV, CODE_NO_DEVICE },
	{ ETIMEDOUT, CODE_TIMEOUT }, { EBUSY, CODE_HELD }, { EALREADY, CODE_HELD },
	{ ECANCELED, CODE_STOPPED }, { EINTR, CODE_STOPPED }, { EPROTO, CODE_BAD_ANSWER },
	{ EREMOTEIO, CODE_BAD_ANSWER }, { EILSEQ, CODE_WRONG_WORDS },
	{ EOPNOTSUPP, CODE_UNSUPPORTED }, { ENODATA, CODE_NOT_KNOWN },
	{ EHOSTDOWN, CODE_FIRMWARE_DOWN }, { ENETDOWN, CODE_LINK_DOWN },
	{ ELIBACC, CODE_NO_LIBRARY },
	{ ELIBBAD, CODE_NO_LIBRARY }, { EADDRINUSE, CODE_ADDRESS_IN_USE },
	{ ECONNREFUSED, CODE_UNREACHABLE }, { EHOSTUNREACH, CODE_UNREACHABLE },
	{ ECONNRESET, CODE_BEING_RESET }, { EINPROGRESS, CODE_POWERING_DOWN },
	{ ECHILD, CODE_LOAD_ENDED }, { EXDEV, CODE_OTHER_SETTINGS },
};

/* The answers of code_tail(), while codes are shown. */
static char tails[CODES][32];

static enum code known(enum code c)
{
	return c > CODE_NONE && c < CODES ? c : CODE_NONE;
}

const char *code_word(enum code c)
{
	return codes[known(c)].word;
}

enum code code_named(const char *word)
{
	for (enum code c = CODE_NONE + 1; word && c < CODES; c++)
		if (strcmp(codes[c].word, word) == 0)
			return c;
	return CODE_NONE;
}

const char *code_meaning(enum code c)
{
	return codes[known(c)].meaning;
}

enum code code_find(int error)
{
	for (size_t i = 0; i < ARRAY_LEN(by_errno); i++)
		if (-by_errno[i].error == error)
			return by_errno[i].code;
	return error ? CODE_FAILED : CODE_NONE;
}

const char *code_tail(enum code c)
{
	return tails[known(c)];
}

void code_show(bool shown)
{
	for (enum code c = CODE_NONE + 1; c < CODES; c++)
		snprintf(tails[c], sizeof(tails[c]), "%s%s%s", shown ? " [" : "",
			shown ? codes[c].word : "", shown ? "]" : "");
}
