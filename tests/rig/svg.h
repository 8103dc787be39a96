/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg.h - a screen as a picture, as a terminal of 256 colours shows it.
 */
#pragma once

#include "base/text.h"
#include "ui/canvas.h"

/* The whole screen on a dark ground; what the picture shows is its title. */
void svg_draw(const struct canvas *c, const char *title, struct strbuf *to);

/* 0xRRGGBB of colour 16 to 255, the same on every terminal; 0 for the first 16. */
uint32_t svg_rgb(int color);
