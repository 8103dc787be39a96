/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes of a terminal as keys, in whatever pieces they come; and the contrast of the palette. */
#include "config.h"
#include "base/mem.h"
#include "tests/rig/svg.h"
#include "ui/keys.h"
#include "ui/term_local.h"
#include "ui/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct {
	const char *bytes;
	uint32_t keys[4];
} typed[] = {
	{ "q", { 'q' } }, { "12", { '1', '2' } }, { "\r", { UI_KEY_ENTER } },
	{ "\n", { UI_KEY_ENTER } }, { "\177\010", { UI_KEY_BACKSPACE, UI_KEY_BACKSPACE } },
	{ "\t", { UI_KEY_TAB } }, { "\033[Z", { UI_KEY_BACKTAB } }, { "\014", { UI_KEY_REDRAW } },
	{ "\033[A\033OB", { UI_KEY_UP, UI_KEY_DOWN } },
	{ "\033[1;5C\033[D", { UI_KEY_RIGHT, UI_KEY_LEFT } },
	{ "\033[5~\033[6~", { UI_KEY_PAGE_UP, UI_KEY_PAGE_DOWN } },
	{ "\033[H\033OF\033[1~\033[4~", { UI_KEY_HOME, UI_KEY_END, UI_KEY_HOME, UI_KEY_END } },
	{ "\033[7~\033[8~", { UI_KEY_HOME, UI_KEY_END } },
	{ "\033OP\033[11~\033[[A", { UI_KEY_F1, UI_KEY_F1, UI_KEY_F1 } },
	{ "\0331q", { UI_KEY_ESC, '1', 'q' } }, { "\033\033[A", { UI_KEY_ESC, UI_KEY_UP } },
	{ "\303\274\346\274\242", { 0xfc, 0x6f22 } },
	{ "\033[<64;5;5M\033[<65;5;5M", { UI_KEY_WHEEL_UP, UI_KEY_WHEEL_DOWN } },
	{ "\033[M\140!!", { UI_KEY_WHEEL_UP } },
	/* What means nothing leaves no keys behind. */
	{ "\033[?1;2c\033[12;5Rq", { 'q' } },
	/* Pasted text is no key, whatever it says. */
	{ "a\033[200~x\ry\033[A\033[20\033[201~q", { 'a', 'q' } },
	{ "\033[200~xy\033[200~y\033[201~\033[201~q", { 'q' } },
	{ "\033[200~\033\033[201\033[201~\033[200~y\033[201~q", { 'q' } },
	{ "\033Pq1;2;dq\033\\\033_dq\033\\w", { 'w' } },
	{ "\033]11;rgb:0/0/0\007\033]0;dq\033\\d", { 'd' } },
	{ "\033[<0;3;4m\033[<2;3;4Mx", { 'x' } }, { "\377\200q", { 'q' } },
};

static void compare(struct keys *k, const uint32_t *want, size_t *at)
{
	struct keys_event e;

	while ((e = keys_next(k, false)).kind != KEYS_NONE)
		if (e.kind == KEYS_KEY)
			assert_int_equal(e.key, want[(*at)++]);
}

static void sequences_are_keys_in_whatever_pieces_they_come(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(typed); i++)
		for (size_t piece = 1; piece <= strlen(typed[i].bytes); piece++) {
			uint32_t want[5] = { 0 };
			struct keys k = { 0 };
			size_t at = 0, len = strlen(typed[i].bytes);

			memcpy(want, typed[i].keys, sizeof(typed[i].keys));
			for (size_t from = 0; from < len; from += piece) {
				size_t n = len - from < piece ? len - from : piece;

				keys_add(&k, typed[i].bytes + from, n);
				compare(&k, want, &at);
			}
			assert_int_equal(want[at], 0);
			assert_int_equal(k.n, 0);
		}
}

static void an_esc_that_stands_alone_is_the_key_when_its_time_is_over(void **state)
{
	struct keys k = { 0 };

	(void)state;
	keys_add(&k, "\033", 1);
	assert_int_equal(keys_next(&k, false).kind, KEYS_NONE);
	assert_int_equal(keys_next(&k, true).key, UI_KEY_ESC);
	assert_int_equal(keys_next(&k, true).kind, KEYS_NONE);
	keys_add(&k, "\033]11;rgb:ff", 11);
	assert_int_equal(keys_next(&k, false).kind, KEYS_NONE);
	assert_int_equal(keys_next(&k, true).kind, KEYS_NONE);
	assert_int_equal(k.n, 0);
}

static void clicks_tell_where_and_answers_tell_the_colour(void **state)
{
	static const struct {
		const char *text;
		uint32_t rgb;
		enum palette_ground ground;
	} answers[] = {
		{ "\033]11;rgb:ffff/ffff/ffff\033\\", 0xffffff, PALETTE_LIGHT },
		{ "\033]11;rgb:fd/f6/e3\007", 0xfdf6e3, PALETTE_LIGHT },
		{ "\033]11;rgba:3030/0a0a/2424/ffff\007", 0x300a24, PALETTE_DARK },
		{ "\033]11;rgb:0/0/0\033\\", 0, PALETTE_DARK },
		{ "\033]11;rgb:2828/2c2c/3434\033\\", 0x282c34, PALETTE_DARK },
	};
	struct keys k = { 0 };
	struct keys_event e;

	(void)state;
	keys_add(&k, "\033[<0;121;40M\033[M !\"", 18);
	e = keys_next(&k, false);
	assert_true(e.kind == KEYS_CLICK && e.x == 120 && e.y == 39);
	e = keys_next(&k, false);
	assert_true(e.kind == KEYS_CLICK && e.x == 0 && e.y == 1);
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		keys_add(&k, answers[i].text, strlen(answers[i].text));
		e = keys_next(&k, false);
		assert_int_equal(e.kind, KEYS_BACKGROUND);
		assert_int_equal(e.rgb, answers[i].rgb);
		assert_int_equal(palette_ground_of(e.rgb), answers[i].ground);
	}
	keys_add(&k, "\033]11;nonsense\007", 14);
	assert_int_equal(keys_next(&k, false).kind, KEYS_NONE);
	assert_int_equal(k.n, 0);
}

/* Its end may be lost: then the next key is one again, after a while. */
static void a_paste_that_does_not_end_is_over_when_its_time_is(void **state)
{
	static const char text[] = "\033[200~xyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyxyx\033[20";
	struct keys k = { 0 };

	(void)state;
	keys_add(&k, text, sizeof(text) - 1);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(keys_next(&k, false).kind, KEYS_NONE);
		keys_add(&k, text + 6, sizeof(text) - 11);
		assert_true(k.pasting && k.n < 100);
	}
	assert_int_equal(keys_next(&k, true).kind, KEYS_NONE);
	assert_false(k.pasting);
	keys_add(&k, "q", 1);
	assert_int_equal(keys_next(&k, false).key, 'q');
}

/* Any bytes at all: an end is come to, and nothing is read twice. */
static void noise_does_no_harm(void **state)
{
	static const char bytes[] = "\033\033\033[]OPM<;0123456789?~c\\\007\377\303q";
	struct keys k = { 0 };

	(void)state;
	srand(1);
	for (int i = 0; i < 200000; i++) {
		keys_add(&k, &bytes[(size_t)rand() % (sizeof(bytes) - 1)], 1);
		while (keys_next(&k, i % 97 == 0).kind != KEYS_NONE)
			;
		assert_true(k.n < sizeof(k.buf));
	}
}

#define READABLE 450	/* WCAG's AA: 4.5 to 1 */
#define CLEAR    700	/* and AAA: for values, and for what is wrong with them */

static bool is_clear(int style)
{
	return style == STYLE_NORMAL || style == STYLE_CURSOR || style == STYLE_WARM ||
		style == STYLE_WARN || style == STYLE_BAD;
}

static void assert_contrast(uint32_t a, uint32_t b, int style, int lit, int least)
{
	int contrast = palette_contrast(a, b);

	if (contrast < least)
		print_message("# style %d, lit %d: %06x on %06x: %d\n", style, lit, (unsigned)a,
			(unsigned)b, contrast);
	assert_true(contrast >= least);
}

/*
 * What terminals have behind the text.  On the last two dark ones, Solarized and One Dark, the
 * terminal's own text has a contrast of 4 to 6 itself, and no red has more.
 */
enum { GROUNDS = 5, TINTED_FROM = 3 };
static const uint32_t grounds[PALETTES][GROUNDS] = {
	[PALETTE_DARK] = { 0x000000, 0x1e1e1e, 0x300a24, 0x002b36, 0x282c34 },
	[PALETTE_LIGHT] = { 0xffffff, 0xeeeeee, 0xfdf6e3, 0xffffdd, 0xf5f5f5 },
};

static int least_contrast(int ground, int k, int style)
{
	bool tinted = ground == PALETTE_DARK && k >= TINTED_FROM;

	return is_clear(style) && !tinted ? CLEAR : READABLE;
}

static void each_of_256_colours_reads_on_its_backgrounds(void **state)
{
	(void)state;
	for (int ground = 0; ground < PALETTES; ground++)
		for (int i = 0; i < STYLES * 2; i++) {
			struct look l = palette_look((enum palette_ground)ground, 256,
				(enum style)(i / 2), i % 2);

			/* A colour of the cell's own hides the background; none does text. */
			assert_true(l.bg < 0 || l.fg >= 0);
			assert_false(l.attr & (LOOK_REVERSE | LOOK_DIM));
			assert_true(i % 2 == 0 || l.bg >= 0);
			if (l.bg >= 0)
				assert_contrast(svg_rgb(l.fg), svg_rgb(l.bg), i / 2, i % 2,
					least_contrast(ground, 0, i / 2));
			for (int k = 0; k < GROUNDS && l.bg < 0 && l.fg >= 0; k++)
				assert_contrast(svg_rgb(l.fg), grounds[ground][k], i / 2, 0,
					least_contrast(ground, k, i / 2));
		}
}

/*
 * The eight of xterm and of a PC's console; bold is brighter on both.  No red of theirs has a
 * contrast of 7, and no colour but blue on white.
 */
static void each_of_8_colours_reads_on_its_background(void **state)
{
	static const uint32_t colors[2][2][8] = {
		{ { 0, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5 },
		  { 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff,
		    0xffffff } },
		{ { 0, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa },
		  { 0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff,
		    0xffffff } },
	};

	(void)state;
	for (int ground = 0; ground < PALETTES; ground++)
		for (int i = 0; i < STYLES * 2; i++) {
			struct look l = palette_look((enum palette_ground)ground, 8,
				(enum style)(i / 2), i % 2);

			assert_int_equal(l.bg, -1);
			for (int k = 0; k < 2 && l.fg >= 0; k++)
				assert_contrast(colors[k][!!(l.attr & LOOK_BOLD)][l.fg],
					grounds[ground][0], i / 2, i % 2,
					ground == PALETTE_DARK && i / 2 != STYLE_BAD ?
						least_contrast(ground, 0, i / 2) : READABLE);
		}
}

static void without_colours_what_is_wrong_and_what_is_selected_still_show(void **state)
{
	unsigned normal = palette_look(PALETTE_DARK, 0, STYLE_NORMAL, false).attr;

	(void)state;
	assert_true(palette_look(PALETTE_DARK, 0, STYLE_BAD, false).attr != normal);
	assert_true(palette_look(PALETTE_DARK, 0, STYLE_WARN, false).attr != normal);
	assert_true(palette_look(PALETTE_DARK, 0, STYLE_NORMAL, true).attr != normal);
	assert_true(palette_look(PALETTE_DARK, 0, STYLE_TAB_ON, false).attr !=
		palette_look(PALETTE_DARK, 0, STYLE_TAB, false).attr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequences_are_keys_in_whatever_pieces_they_come),
		cmocka_unit_test(an_esc_that_stands_alone_is_the_key_when_its_time_is_over),
		cmocka_unit_test(clicks_tell_where_and_answers_tell_the_colour),
		cmocka_unit_test(a_paste_that_does_not_end_is_over_when_its_time_is),
		cmocka_unit_test(noise_does_no_harm),
		cmocka_unit_test(each_of_256_colours_reads_on_its_backgrounds),
		cmocka_unit_test(each_of_8_colours_reads_on_its_background),
		cmocka_unit_test(without_colours_what_is_wrong_and_what_is_selected_still_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
