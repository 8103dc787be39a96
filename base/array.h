/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
