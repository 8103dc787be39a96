/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttsim.h - the chip simulator ttsim as a card, inside device/ttsim/ only.
 *
 * A simulator is a library with one chip in it and ends its process at the
 * first access that it does not model.  So each runs in a process of its own.
 * One further process, the keeper, starts them, notes why one ended, and starts
 * it anew: that is a reset of the chip.
 *
 *   processes that touch cards --door (a socket, shared)--> keeper
 *        each a socket of its own  -------------------->  simulators
 *
 * The door carries only the far ends of such sockets, so answers never meet
 * the wrong reader, whoever is killed at whatever moment.
 */
#pragma once

#include "base/child.h"
#include "device/device.h"

#include <stdatomic.h>

#define TTSIM_CARDS  32
#define TTSIM_PATH   4096
#define TTSIM_WORDS  4096	/* of one message */
#define TTSIM_CLIENTS 64	/* sockets that one simulator serves */
#define TTSIM_CONFIG (DEVICE_CONFIG_SIZE / 4)

enum ttsim_op {
	TTSIM_OP_CONFIG,	/* the first words of PCI config space */
	TTSIM_OP_READ,
	TTSIM_OP_WRITE,
	TTSIM_OP_MULTICAST,
	TTSIM_OP_GATHER,	/* the n words are pieces to be read, */
	TTSIM_OP_SCATTER,	/* or places to be written */
	TTSIM_OP_RUN		/* n 1: the clock runs, until n 0 or the end of the socket */
};

struct ttsim_request {
	uint32_t op, n;			/* n words follow the head where they are written */
	struct reg_addr at;
	struct reg_rect to;
	uint32_t words[TTSIM_WORDS];
};

struct ttsim_answer {
	int32_t result;			/* 0 or -errno */
	uint32_t n;
	uint32_t words[TTSIM_WORDS];
};

/* One of many in a message; the words that are read follow each other in the answer. */
struct ttsim_piece {
	uint64_t addr;
	uint32_t n;			/* words to be read, or the word to be written */
	uint8_t x, y;
	uint16_t space;			/* enum reg_space */
};

#define TTSIM_PIECE (sizeof(struct ttsim_piece) / 4)

#define TTSIM_REQUEST_HEAD offsetof(struct ttsim_request, words)
#define TTSIM_ANSWER_HEAD  offsetof(struct ttsim_answer, words)

/* What a process asks of the keeper, with a socket. */
enum ttsim_wish {
	TTSIM_CONNECT,		/* the socket is the simulator's from now on */
	TTSIM_RESTART		/* a new simulator; an int32_t says how it went */
};

struct ttsim_knock {
	uint32_t wish, card;
};

/* What all processes know of a card. */
struct ttsim_shared {
	_Atomic uint32_t life;		/* simulators so far, the first one begun or not */
	_Atomic uint32_t resets;	/* by the driver's part: older handles are stale */
	_Atomic bool is_up;
	_Atomic bool is_shut;		/* between a reset and POST_RESET */
	_Atomic bool is_marked;		/* byte 4 of config space: the driver's marker */
	_Atomic bool is_enabled;	/* and what the driver switches on */
	char reason[192];		/* why it is not up; the last byte stays 0 */
};

/* A card, as one process knows it. */
struct ttsim_card {
	struct ttsim *owner;
	unsigned number;
	const char *path;
	struct ttsim_shared *shared;
	pid_t pid;			/* whose the rest is; another process begins with nothing */
	int fd;				/* to the simulator, -1 */
	uint32_t life;			/* of the simulator that it leads to */
	uint32_t open_resets;
	bool is_open, runs;
	enum access_purpose purpose;
};

struct ttsim {
	size_t n;
	char path[TTSIM_CARDS][TTSIM_PATH];
	struct ttsim_shared *shared;
	struct ttsim_card card[TTSIM_CARDS];
	struct child keeper;
	int64_t patience;		/* ns that an answer may take */
};

/* ttsim_spec.c: "[N*]LIBRARY,..." into paths that exist. */
int ttsim_spec_parse(const char *text, struct ttsim *out, struct error *e);

/* ttsim_keeper.c: the process that owns the simulators. */
int ttsim_keeper_run(void *ttsim, int door);

/* ttsim_chip.c: a simulator's process; fd brings sockets, one a message. */
struct ttsim_chip_config {
	const char *path;
	int out;			/* where what it prints goes */
};
int ttsim_chip_run(void *config, int fd);

/* ttsim_lib.c: the library, and the windows of its chip. */
struct ttsim_lib;
struct ttsim_lib *ttsim_lib_open(const char *path, struct error *e);
int ttsim_lib_serve(struct ttsim_lib *lib, const struct ttsim_request *q, struct ttsim_answer *a);
void ttsim_lib_run(struct ttsim_lib *lib);		/* some clocks */

/* ttsim_call.c: one request and its answer; -EIO where the simulator has ended. */
int ttsim_call(struct ttsim_card *c, const struct ttsim_request *q, struct ttsim_answer *a);
size_t ttsim_request_size(const struct ttsim_request *q);
void ttsim_become_own(struct ttsim_card *c);	/* forget what a parent process had */
void ttsim_hang_up(struct ttsim_card *c);
int ttsim_restart(struct ttsim_card *c);

/* ttsim_io.c: the transport's operations of these names. */
int ttsim_usable(const struct ttsim_card *c);	/* may this handle be used: 0, or -errno */
int ttsim_run_clock(struct ttsim_card *c, bool on);
int ttsim_read(struct device *d, struct reg_addr at, uint32_t *words, size_t n);
int ttsim_write(struct device *d, struct reg_addr at, uint32_t word);
int ttsim_write_block(struct device *d, struct reg_addr at, const uint32_t *words, size_t n);
int ttsim_multicast(struct device *d, struct reg_rect to, uint64_t addr, const uint32_t *words,
	size_t n);
int ttsim_scatter(struct device *d, const struct reg_addr *to, size_t n, uint32_t word,
	size_t *failed);
int ttsim_gather(struct device *d, const struct device_piece *pieces, size_t n, size_t *failed);

/* ttsim_fd.c: messages with a descriptor. */
int ttsim_fd_send(int socket, const void *data, size_t n, int fd);
ssize_t ttsim_fd_receive(int socket, void *data, size_t n, int *fd);	/* *fd -1: none came */
