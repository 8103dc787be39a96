/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h - why something failed, in words: filled where the cause is known, printed by src/.
 */
#pragma once

/*
 * A stable word for each kind of trouble, for programs: "held", "no-driver".  The texts of errors,
 * refusals, findings and reasons may change in any version; their codes may not.  tt-smi-json(5)
 * lists the words.
 */
enum code {
	CODE_NONE,

	/* What the system reports: code_find() finds these by errno. */
	CODE_FAILED,
	CODE_INVALID,
	CODE_NOT_FOUND,
	CODE_NO_PERMISSION,
	CODE_EXISTS,
	CODE_WRONG_KIND,
	CODE_NAME_TOO_LONG,
	CODE_TOO_LARGE,
	CODE_NO_SPACE,
	CODE_READ_ONLY,
	CODE_IO_ERROR,
	CODE_CORRUPT,
	CODE_NO_MEMORY,
	CODE_NO_DESCRIPTORS,
	CODE_NO_PROCESSES,
	CODE_NO_DEVICE,
	CODE_TIMEOUT,
	CODE_HELD,
	CODE_STOPPED,
	CODE_BAD_ANSWER,
	CODE_UNSUPPORTED,
	CODE_NOT_KNOWN,
	CODE_FIRMWARE_DOWN,
	CODE_LINK_DOWN,
	CODE_NO_LIBRARY,
	CODE_ADDRESS_IN_USE,
	CODE_UNREACHABLE,

	/* The command line and the configuration. */
	CODE_UNKNOWN_OPTION,
	CODE_BAD_VALUE,
	CODE_MISSING_VALUE,
	CODE_CONFLICT,
	CODE_NEEDS_OPTION,
	CODE_UNEXPECTED_ARGUMENT,
	CODE_UNKNOWN_FIELD,
	CODE_NOTHING_NAMED,
	CODE_NO_EFFECT,
	CODE_BAD_CONFIG,

	/* Files. */
	CODE_UNSAFE_PATH,
	CODE_MOVED_FILE,
	CODE_OTHER_VERSION,
	CODE_NO_PROGRAM,

	/* Cards and the driver. */
	CODE_NO_DRIVER,
	CODE_DRIVER_OLD,
	CODE_FIRMWARE_OLD,
	CODE_HIDDEN,
	CODE_MOVED_INDEX,
	CODE_AMBIGUOUS,
	CODE_OFF_BUS,
	CODE_BEING_RESET,
	CODE_HUNG,
	CODE_LEFT_ALONE,
	CODE_NOT_READ,
	CODE_POWERING_DOWN,
	CODE_SIMULATED,
	CODE_RECORDED,
	CODE_SECOND_CHIP,

	/* Acts on cards. */
	CODE_OTHER_HALF,
	CODE_NEEDS_ANSWER,
	CODE_HOLDERS_UNKNOWN,
	CODE_UNSAFE_HERE,

	/* Burns, and tests of memory. */
	CODE_WRONG_WORDS,
	CODE_MEMORY_WRONG,
	CODE_MISREAD,
	CODE_CORE_MISLED,
	CODE_CORE_HUNG,
	CODE_CORE_SLOW,
	CODE_CHANNEL_SILENT,
	CODE_LOAD_ENDED,
	CODE_LOAD_HUNG,
	CODE_JUDGE_BLIND,
	CODE_COUNTS_WRONG,
	CODE_NOT_COVERED,
	CODE_NOT_FINISHED,
	CODE_OTHER_SETTINGS,
	CODE_TOO_HOT,
	CODE_NOT_WATCHED,
	CODE_FAN_STOPPED,

	/* Cards after a reset. */
	CODE_NOT_RESET,
	CODE_NO_HEARTBEAT,
	CODE_LINK_SLOW,
	CODE_IMPLAUSIBLE,
	CODE_MEMORY_UNTRAINED,
	CODES
};

/*
 * code is a negative errno, for our own decisions; word is for other programs; text is one sentence
 * without a newline, for people: the thing, the trouble, the cause.  text_plain() makes it safe to
 * print, whatever names it quotes.  A longer text loses its middle, part of the path that it
 * names.
 */
struct error {
	int code;
	enum code word;
	char text[1024];
};

/*
 * Fill e (which may be NULL) and return code, so: return fail(e, -EIO, ...);  The word is that of
 * code_find().
 */
int fail(struct error *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The same with a word that says more than the errno does. */
int fail_as(struct error *e, enum code word, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* fail() with ": " and strerror(errno) added; returns -errno. */
int fail_errno(struct error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* fail() with the word of another error of this errno, whose text fmt usually quotes. */
int fail_because(struct error *e, int code, const struct error *why, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The word of a code, as in "no-driver"; of CODE_NONE "". */
const char *code_word(enum code c);

/* The code of a word, which may be NULL; CODE_NONE: there is none of this name. */
enum code code_named(const char *word);

/* The code of a negative errno, for an error that has no better one. */
enum code code_find(int error);
