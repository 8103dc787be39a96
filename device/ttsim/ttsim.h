/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ttsim.h - the chip simulator ttsim as a card; for device/ttsim/ only.
 *
 * A simulator is a library with one chip in it.  It ends its process at the
 * first access that it does not model, so each runs in a process of its own.
 * One more process, the keeper, starts them, notes why one ended, and starts
 * it again to reset the chip.
 *
 *   processes that touch cards --door (a socket, shared)--> keeper
 *        each a socket of its own  -------------------->  simulators
 *
 * The door only passes on the simulators' ends of such sockets, so an answer
 * never reaches the wrong reader, even if a process is killed at any moment.
 */
#pragma once

#include "base/child.h"
#include "device/device.h"

#include <stdatomic.h>

#define TTSIM_CARDS  32
#define TTSIM_PATH   4096
#define TTSIM_CLIENTS 64	/* sockets that one simulator serves */
#define TTSIM_CONFIG (DEVICE_CONFIG_SIZE / 4)

enum ttsim_op {
	TTSIM_CONFIG_READ,	/* the first words of PCI config space */
	TTSIM_READ,		/* the words of a message are pieces to read */
	TTSIM_WRITE,		/* pieces to write, each followed by its words */
	TTSIM_RUN,		/* run the clock, until TTSIM_STOP or the end of the socket */
	TTSIM_STOP
};

/* A piece of a message; the answer has the words of all pieces in order. */
struct ttsim_piece {
	uint64_t addr;
	uint16_t n;			/* number of words */
	uint8_t space;			/* enum reg_space */
	bool multicast;
	struct reg_rect to;		/* one tile, or those of a multicast */
};

#define TTSIM_PIECE (sizeof(struct ttsim_piece) / 4)
#define TTSIM_WORDS (4096 + TTSIM_PIECE)	/* in one message */

/* A request to a simulator, or its answer. */
struct ttsim_message {
	int32_t what;			/* enum ttsim_op; of an answer 0 or -errno */
	uint32_t n;			/* words that follow */
	uint32_t words[TTSIM_WORDS];
};

/* The requests of a process to the keeper; each comes with a socket. */
enum ttsim_wish {
	TTSIM_CONNECT,		/* pass the socket on to the simulator */
	TTSIM_RESTART		/* start a new simulator; an int32_t returns the result */
};

struct ttsim_knock {
	uint32_t wish, card;
};

/* State of a card that all processes share. */
struct ttsim_shared {
	_Atomic uint32_t life;		/* number of the simulator; 1 before it starts too */
	_Atomic uint32_t resets;	/* number of resets: older handles are stale */
	_Atomic bool is_up;
	_Atomic bool is_shut;		/* between a reset and POST_RESET */
	_Atomic bool is_marked;		/* byte 4 of config space: the driver's marker */
	_Atomic bool is_enabled;	/* also there: the bits that the driver enables */
	struct error why;		/* why it is not up; the text's last byte stays 0 */
};

/* One process's view of a card. */
struct ttsim_card {
	struct ttsim *owner;
	unsigned number;
	const char *path;
	struct ttsim_shared *shared;
	pid_t pid;			/* owner of the rest; other processes start afresh */
	int fd;				/* to the simulator, or -1 */
	uint32_t life;			/* of the simulator at its other end */
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
	int64_t patience;		/* most ns for an answer */
};

/* ttsim_keeper.c: the process that owns the simulators. */
int ttsim_keeper_run(void *ttsim, int door);

/* The library, and the windows of its chip. */
struct ttsim_lib;
struct ttsim_lib *ttsim_lib_open(const char *path, struct error *e);
void ttsim_lib_run(struct ttsim_lib *lib);		/* run some clocks */

/* Read the words of a piece to `out`, or if that is NULL write them from `in`. */
void ttsim_lib_move(struct ttsim_lib *lib, const struct ttsim_piece *p, uint32_t *out,
	const uint32_t *in);

/* Send a message that carries a descriptor. */
int ttsim_fd_send(int socket, const void *data, size_t n, int fd);

struct ttsim_piece ttsim_piece(struct reg_addr at, size_t n);

/* The bytes of a message, and whether one of len bytes is whole. */
size_t ttsim_size(const struct ttsim_message *m);
bool ttsim_is_whole(const struct ttsim_message *m, ssize_t len);
