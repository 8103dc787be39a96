/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_io.h - a handle for a card, and loads and stores through it.
 */
#pragma once

#include "device/kmd/kmd.h"

int kmd_acquire(struct device *d, enum access_purpose purpose, enum device_handle how,
	struct error *e);
void kmd_release(struct device *d);
void kmd_io_close(struct kmd_card *card);	/* this process's mappings and node */
void kmd_io_drop(struct kmd_card *card);	/* all that is known of it: the card was replaced */

int kmd_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n);
int kmd_read_block(struct device *d, struct reg_addr at, uint32_t *words, size_t n);
int kmd_write(struct device *d, struct reg_addr at, uint32_t word);
int kmd_write_block(struct device *d, struct reg_addr at, const uint32_t *words, size_t n);
int kmd_multicast(struct device *d, struct reg_rect to, uint64_t addr, const uint32_t *words,
	size_t n);
int kmd_reset(struct device *d, enum device_reset kind, uint32_t *result);
int kmd_power(struct device *d, unsigned flags);
int kmd_claim(struct device *d);
