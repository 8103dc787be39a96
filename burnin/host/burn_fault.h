/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burn_fault.h - faults that tests inject into a load: a flipped bit of an
 * operand or a result, and the ways in which a process can end.
 */
#pragma once

#include "burnin/host/burn.h"
#include "burnin/host/burn_set.h"

/* Before a block, when its result is complete, and when it was not as expected. */
enum burn_fault_when { BURN_FAULT_BEFORE, BURN_FAULT_AFTER, BURN_FAULT_AGAIN };

/* True once all of the fault is injected. */
bool burn_fault_inject(const struct burn_fault *f, const struct burn_set *s,
	enum burn_fault_when when);
