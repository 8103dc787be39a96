/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "base/error.h"

#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { ERROR_MOST = 5000 };	/* bytes of a message before it is cut: with a path in it */

static const char *const words[CODES] = {
	[CODE_NONE] = "",
	[CODE_FAILED] = "failed",
	[CODE_INVALID] = "invalid",
	[CODE_NOT_FOUND] = "not-found",
	[CODE_NO_PERMISSION] = "no-permission",
	[CODE_EXISTS] = "exists",
	[CODE_WRONG_KIND] = "wrong-kind",
	[CODE_NAME_TOO_LONG] = "name-too-long",
	[CODE_TOO_LARGE] = "too-large",
	[CODE_NO_SPACE] = "no-space",
	[CODE_READ_ONLY] = "read-only",
	[CODE_IO_ERROR] = "io-error",
	[CODE_CORRUPT] = "corrupt",
	[CODE_NO_MEMORY] = "no-memory",
	[CODE_NO_DESCRIPTORS] = "no-descriptors",
	[CODE_NO_PROCESSES] = "no-processes",
	[CODE_NO_DEVICE] = "no-device",
	[CODE_TIMEOUT] = "timeout",
	[CODE_HELD] = "held",
	[CODE_STOPPED] = "stopped",
	[CODE_BAD_ANSWER] = "bad-answer",
	[CODE_UNSUPPORTED] = "unsupported",
	[CODE_NOT_KNOWN] = "not-known",
	[CODE_FIRMWARE_DOWN] = "firmware-down",
	[CODE_LINK_DOWN] = "link-down",
	[CODE_NO_LIBRARY] = "no-library",
	[CODE_ADDRESS_IN_USE] = "address-in-use",
	[CODE_UNREACHABLE] = "unreachable",
	[CODE_UNKNOWN_OPTION] = "unknown-option",
	[CODE_BAD_VALUE] = "bad-value",
	[CODE_MISSING_VALUE] = "missing-value",
	[CODE_CONFLICT] = "conflict",
	[CODE_NEEDS_OPTION] = "needs-option",
	[CODE_UNEXPECTED_ARGUMENT] = "unexpected-argument",
	[CODE_UNKNOWN_FIELD] = "unknown-field",
	[CODE_NOTHING_NAMED] = "nothing-named",
	[CODE_NO_EFFECT] = "no-effect",
	[CODE_BAD_CONFIG] = "bad-config",
	[CODE_UNSAFE_PATH] = "unsafe-path",
	[CODE_MOVED_FILE] = "moved-file",
	[CODE_OTHER_VERSION] = "other-version",
	[CODE_NO_PROGRAM] = "no-program",
	[CODE_NO_DRIVER] = "no-driver",
	[CODE_DRIVER_OLD] = "driver-old",
	[CODE_FIRMWARE_OLD] = "firmware-old",
	[CODE_HIDDEN] = "hidden",
	[CODE_MOVED_INDEX] = "moved-index",
	[CODE_AMBIGUOUS] = "ambiguous",
	[CODE_OFF_BUS] = "off-bus",
	[CODE_BEING_RESET] = "being-reset",
	[CODE_HUNG] = "hung",
	[CODE_LEFT_ALONE] = "left-alone",
	[CODE_NOT_READ] = "not-read",
	[CODE_POWERING_DOWN] = "powering-down",
	[CODE_SIMULATED] = "simulated",
	[CODE_RECORDED] = "recorded",
	[CODE_SECOND_CHIP] = "second-chip",
	[CODE_OTHER_HALF] = "other-half",
	[CODE_NEEDS_ANSWER] = "needs-answer",
	[CODE_HOLDERS_UNKNOWN] = "holders-unknown",
	[CODE_UNSAFE_HERE] = "unsafe-here",
	[CODE_WRONG_WORDS] = "wrong-words",
	[CODE_MEMORY_WRONG] = "memory-wrong",
	[CODE_MISREAD] = "misread",
	[CODE_CORE_MISLED] = "core-misled",
	[CODE_CORE_HUNG] = "core-hung",
	[CODE_CORE_SLOW] = "core-slow",
	[CODE_CHANNEL_SILENT] = "channel-silent",
	[CODE_LOAD_ENDED] = "load-ended",
	[CODE_LOAD_HUNG] = "load-hung",
	[CODE_JUDGE_BLIND] = "judge-blind",
	[CODE_COUNTS_WRONG] = "counts-wrong",
	[CODE_NOT_COVERED] = "not-covered",
	[CODE_NOT_FINISHED] = "not-finished",
	[CODE_OTHER_SETTINGS] = "other-settings",
	[CODE_TOO_HOT] = "too-hot",
	[CODE_NOT_WATCHED] = "not-watched",
	[CODE_FAN_STOPPED] = "fan-stopped",
	[CODE_NOT_RESET] = "not-reset",
	[CODE_NO_HEARTBEAT] = "no-heartbeat",
	[CODE_LINK_SLOW] = "link-slow",
	[CODE_IMPLAUSIBLE] = "implausible",
	[CODE_MEMORY_UNTRAINED] = "memory-untrained",
};

/* A code may have several errnos. */
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
	{ ENOBUFS, CODE_NO_MEMORY }, { ENOTCONN, CODE_IO_ERROR },
	{ ENFILE, CODE_NO_DESCRIPTORS }, { EAGAIN, CODE_NO_PROCESSES }, { ENODEV, CODE_NO_DEVICE },
	{ ETIMEDOUT, CODE_TIMEOUT }, { EBUSY, CODE_HELD }, { EALREADY, CODE_HELD },
	{ ECANCELED, CODE_STOPPED }, { EINTR, CODE_STOPPED }, { EPROTO, CODE_BAD_ANSWER },
	{ EREMOTEIO, CODE_BAD_ANSWER }, { EILSEQ, CODE_WRONG_WORDS },
	{ EOPNOTSUPP, CODE_UNSUPPORTED }, { ENODATA, CODE_NOT_KNOWN },
	{ EHOSTDOWN, CODE_FIRMWARE_DOWN }, { ENETDOWN, CODE_LINK_DOWN },
	{ ELIBACC, CODE_NO_LIBRARY }, { ELIBBAD, CODE_NO_LIBRARY },
	{ EADDRINUSE, CODE_ADDRESS_IN_USE },
	{ ECONNREFUSED, CODE_UNREACHABLE }, { EHOSTUNREACH, CODE_UNREACHABLE },
	{ ECONNRESET, CODE_BEING_RESET }, { EINPROGRESS, CODE_POWERING_DOWN },
	{ ECHILD, CODE_LOAD_ENDED }, { EXDEV, CODE_OTHER_SETTINGS },
};

const char *code_word(enum code c)
{
	return c > CODE_NONE && c < CODES ? words[c] : "";
}

enum code code_named(const char *word)
{
	for (enum code c = CODE_NONE + 1; word && c < CODES; c++)
		if (strcmp(words[c], word) == 0)
			return c;
	return CODE_NONE;
}

enum code code_find(int error)
{
	for (size_t i = 0; i < ARRAY_LEN(by_errno); i++)
		if (-by_errno[i].error == error)
			return by_errno[i].code;
	return error ? CODE_FAILED : CODE_NONE;
}

/* The cause stands last, so a text that is too long loses its middle: whole characters of it. */
static void fit(char *to, size_t size, const char *text)
{
	const size_t len = strlen(text), half = size / 2 - sizeof("...");
	size_t head = half, tail = len - half;

	if (len < size) {
		memcpy(to, text, len + 1);
		return;
	}
	while (head > 0 && (text[head] & 0xc0) == 0x80)
		head--;
	while ((text[tail] & 0xc0) == 0x80)
		tail++;
	snprintf(to, size, "%.*s...%s", (int)head, text, text + tail);
}

__attribute__((format(printf, 4, 0)))
static void fill(struct error *e, int code, enum code word, const char *fmt, va_list ap)
{
	char text[ERROR_MOST], plain[2 * ERROR_MOST];

	if (!e)
		return;
	e->code = code;
	e->word = word;
	vsnprintf(text, sizeof(text), fmt, ap);
	fit(e->text, sizeof(e->text), text_plain(plain, sizeof(plain), text));
}

int fail(struct error *e, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(e, code, code_find(code), fmt, ap);
	va_end(ap);
	return code;
}

int fail_as(struct error *e, enum code word, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(e, code, word, fmt, ap);
	va_end(ap);
	return code;
}

int fail_because(struct error *e, int code, const struct error *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(e, code, why->code == code ? why->word : code_find(code), fmt, ap);
	va_end(ap);
	return code;
}

int fail_errno(struct error *e, const char *fmt, ...)
{
	char text[ERROR_MOST];
	int cause = errno;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return fail(e, -cause, "%s: %s", text, strerror(cause));
}
