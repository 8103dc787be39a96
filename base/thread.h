/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.h - a thread with all signals blocked: they are for the thread that runs the mode.
 */
#pragma once

#include <pthread.h>

/* 0 or -errno. */
int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);
