/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runtime_file.h - files as the runtime publishes them in /dev/shm, written for tests.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define RUNTIME_FILE_SIZE 8576

/* A file of no process, by version and number; ready. */
void runtime_file_make(uint8_t data[static RUNTIME_FILE_SIZE], uint32_t version, uint64_t id);

/* A slot: memory of each kind is `bytes` and as many more as the kind's number. */
void runtime_file_put(uint8_t data[static RUNTIME_FILE_SIZE], size_t slot, int32_t pid,
	uint64_t bytes, uint64_t time);
