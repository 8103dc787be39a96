/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_io.h - the device node, and loads and stores through it.
 */
#pragma once

#include "device/kmd/kmd.h"

/* kmd_node.c: the node and its windows. */
int kmd_acquire(struct device *d, struct error *e);
void kmd_release(struct device *d);
void kmd_node_close(struct kmd_card *card);

/*
 * Where `at` is mapped in this process, for loads or for stores, and in *len
 * how many bytes behind it are; NULL and -errno in *error where it cannot be.
 */
volatile uint32_t *kmd_map(struct device *d, struct kmd_card *card, struct reg_addr at, bool store,
	uint64_t *len, int *error);

/* kmd_io.c */
int kmd_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n);
int kmd_write(struct device *d, struct reg_addr at, uint32_t word);
void kmd_guard_install(void);
