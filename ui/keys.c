/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every terminal of today sends the same sequences for the keys we know, so
 * they are in a table here instead of terminfo.  Unknown sequences are dropped
 * whole: their bytes must not become keys.
 */
#include "config.h"
#include "ui/keys.h"

#include "base/mem.h"
#include "ui/view.h"

#include <stdlib.h>
#include <string.h>

#define ESC 27
#define PASTE_BEGIN "\033[200~"
#define PASTE_END   "\033[201~"

/* A parsed sequence: its length in bytes (0: incomplete) and its event, which may be none. */
struct taken {
	size_t len;
	struct keys_event event;
};

static struct taken key_of(size_t len, uint32_t key)
{
	return (struct taken){ len, { .kind = key ? KEYS_KEY : KEYS_NONE, .key = key } };
}

static struct taken nothing(size_t len)
{
	return (struct taken){ .len = len };
}

void keys_add(struct keys *k, const void *bytes, size_t n)
{
	size_t room = sizeof(k->buf) - k->n;

	n = n < room ? n : room;
	memcpy(k->buf + k->n, bytes, n);
	k->n += n;
}

/* CSI and SS3 sequences that end in a letter. */
static uint32_t letter_key(unsigned char letter)
{
	static const uint32_t keys[] = {
		['A'] = UI_KEY_UP, ['B'] = UI_KEY_DOWN, ['C'] = UI_KEY_RIGHT, ['D'] = UI_KEY_LEFT,
		['F'] = UI_KEY_END, ['H'] = UI_KEY_HOME, ['M'] = UI_KEY_ENTER, ['P'] = UI_KEY_F1,
		['Z'] = UI_KEY_BACKTAB,
	};

	return letter < ARRAY_LEN(keys) ? keys[letter] : UI_KEY_NONE;
}

/* CSI NUMBER ~ */
static uint32_t number_key(long number)
{
	static const uint32_t keys[] = {
		[1] = UI_KEY_HOME, [4] = UI_KEY_END, [5] = UI_KEY_PAGE_UP, [6] = UI_KEY_PAGE_DOWN,
		[7] = UI_KEY_HOME, [8] = UI_KEY_END, [11] = UI_KEY_F1,
	};

	return number >= 0 && number < (long)ARRAY_LEN(keys) ? keys[number] : UI_KEY_NONE;
}

/* A mouse report: the button with bits for modifiers and motion; down: it was pressed. */
static struct taken mouse(size_t len, long button, long x, long y, bool down)
{
	struct taken t = nothing(len);

	if (!down)
		return t;
	button &= ~(4L | 8 | 16);
	if (button == 64)
		return key_of(len, UI_KEY_WHEEL_UP);
	if (button == 65)
		return key_of(len, UI_KEY_WHEEL_DOWN);
	if (button == 0 && x >= 1 && y >= 1 && x < 65536 && y < 65536)
		t.event = (struct keys_event){ .kind = KEYS_CLICK, .x = (int)x - 1,
			.y = (int)y - 1 };
	return t;
}

/* After ESC [: parameters, intermediates, one final byte. */
static struct taken csi(const unsigned char *b, size_t n)
{
	char text[32] = "";
	size_t i = 2;
	char *at;
	long v[3] = { 0 };

	if (n > 2 && b[2] == '[')	/* the Linux console's function keys */
		return n < 4 ? nothing(0) : key_of(4, b[3] == 'A' ? UI_KEY_F1 : 0);
	while (i < n && b[i] >= 0x20 && b[i] < 0x40)
		i++;
	if (i == n)
		return nothing(0);
	if (b[i] < 0x40 || b[i] > 0x7e)
		return nothing(i);	/* broken: the rest is parsed on its own */
	if (b[i] == 'M' && i == 2)	/* the old mouse report: three bytes follow */
		return n < 6 ? nothing(0) :
			mouse(6, b[3] - 32, b[4] - 32, b[5] - 32, (b[3] & 3) != 3);
	memcpy(text, b + 2, i - 2 < sizeof(text) ? i - 2 : sizeof(text) - 1);
	at = text + strspn(text, "<?>=");
	for (size_t k = 0; k < ARRAY_LEN(v); k++) {
		v[k] = strtol(at, &at, 10);
		at += *at == ';';
	}
	if (text[0] == '<')
		return mouse(i + 1, v[0], v[1], v[2], b[i] == 'M');
	if (text[0] == '?' && b[i] == 'c')
		return (struct taken){ i + 1, { .kind = KEYS_ATTRIBUTES } };
	if (strcspn(text, "?>=") < strlen(text))
		return nothing(i + 1);
	return key_of(i + 1, b[i] == '~' ? number_key(v[0]) : letter_key(b[i]));
}

/* "rgb:RRRR/GGGG/BBBB" with one to four digits each, as the answer to OSC 11. */
static bool parse_rgb(const char *text, uint32_t *rgb)
{
	*rgb = 0;
	if (strncmp(text, "rgb", 3) != 0)
		return false;
	text += strcspn(text, ":");
	for (int i = 0; i < 3; i++) {
		const char *begin = *text ? text + 1 : text;
		char *end;
		unsigned long v = strtoul(begin, &end, 16);
		long digits = end - begin;

		if (digits < 1 || digits > 4)
			return false;
		*rgb = *rgb << 8 | (uint32_t)(v * 255 / ((1UL << 4 * digits) - 1));
		text = end;
	}
	return true;
}

/* After ESC ], ESC P and the like: text up to ST or BEL. */
static struct taken string(const unsigned char *b, size_t n)
{
	struct taken t = nothing(0);
	char text[64] = "";

	for (size_t i = 2; i < n; i++) {
		if (b[i] != 7 && (b[i] != ESC || i + 1 == n))
			continue;
		/* Any other sequence ends the text. */
		t.len = b[i] == 7 ? i + 1 : b[i + 1] == '\\' ? i + 2 : i;
		memcpy(text, b + 2, i - 2 < sizeof(text) ? i - 2 : sizeof(text) - 1);
		break;
	}
	if (t.len > 0 && b[1] == ']' && strncmp(text, "11;", 3) == 0 &&
		parse_rgb(text + 3, &t.event.rgb))
		t.event.kind = KEYS_BACKGROUND;
	return t;
}

static struct taken escape(const unsigned char *b, size_t n)
{
	if (n < 2)
		return nothing(0);
	switch (b[1]) {
	case '[':
		return csi(b, n);
	case 'O':
		return n < 3 ? nothing(0) : key_of(3, letter_key(b[2]));
	case ']':
	case 'P':
	case 'X':
	case '^':
	case '_':
		return string(b, n);
	default:
		return key_of(1, UI_KEY_ESC);
	}
}

static struct taken character(const unsigned char *b, size_t n)
{
	size_t len = b[0] < 0xc2 ? 1 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : b[0] < 0xf5 ? 4 : 1;
	char text[5] = "";
	const char *at = text;
	uint32_t ch;

	if (len > n)
		return nothing(0);
	if (b[0] == '\r' || b[0] == '\n')
		return key_of(1, UI_KEY_ENTER);
	if (b[0] == 0x7f || b[0] == 8)
		return key_of(1, UI_KEY_BACKSPACE);
	if (b[0] < ' ')
		return key_of(1, b[0]);
	memcpy(text, b, len);
	ch = glyph_next(&at);
	return key_of(ch == 0xfffd ? 1 : len, ch == 0xfffd ? 0 : ch);
}

static void drop_bytes(struct keys *k, size_t n)
{
	k->n -= n;
	memmove(k->buf, k->buf + n, k->n);
}

/* Drop pasted text up to its end, which may have come in part; false: the paste goes on. */
static bool drop_pasted(struct keys *k, bool over)
{
	static const char end[] = PASTE_END;
	size_t len = sizeof(end) - 1, at = 0;
	bool whole;

	while (at < k->n && memcmp(k->buf + at, end, k->n - at < len ? k->n - at : len) != 0)
		at++;
	whole = k->n - at >= len;
	drop_bytes(k, whole ? at + len : over ? k->n : at);
	k->pasting = !whole && !over;
	return !k->pasting;
}

struct keys_event keys_next(struct keys *k, bool over)
{
	while (k->n > 0 || (k->pasting && over)) {
		struct taken t;

		if (k->pasting) {
			if (!drop_pasted(k, over))
				break;
			continue;
		}
		t = k->buf[0] == ESC ? escape(k->buf, k->n) : character(k->buf, k->n);
		if (t.len == 0) {
			if (!over && k->n < sizeof(k->buf))
				break;
			/* ESC and one more byte were typed: a terminal sends a sequence at once. */
			t = k->n <= 2 && k->buf[0] == ESC ? key_of(1, UI_KEY_ESC) : nothing(k->n);
		}
		k->pasting = t.len == sizeof(PASTE_BEGIN) - 1 &&
			memcmp(k->buf, PASTE_BEGIN, t.len) == 0;
		drop_bytes(k, t.len);
		if (t.event.kind != KEYS_NONE)
			return t.event;
	}
	return (struct keys_event){ .kind = KEYS_NONE };
}
