/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/split.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

struct part {
	void (*work)(void *arg, int i);
	void *arg;
	int i;
	bool threaded;
	pthread_t thread;
};

int split_cpus(void)
{
	cpu_set_t set;
	int n = 1;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
	return n < 1 ? 1 : n > SPLIT_MOST ? SPLIT_MOST : n;
}

static void *run_part(void *arg)
{
	struct part *p = arg;

	p->work(p->arg, p->i);
	return NULL;
}

void split_run(int n, void (*work)(void *arg, int i), void *arg)
{
	struct part parts[SPLIT_MOST];

	if (n > SPLIT_MOST)
		n = SPLIT_MOST;
	for (int i = 0; i < n; i++)
		parts[i] = (struct part){ .work = work, .arg = arg, .i = i };
	for (struct part *p = parts + 1; p < parts + n; p++)
		p->threaded = pthread_create(&p->thread, NULL, run_part, p) == 0;
	for (struct part *p = parts; p < parts + n; p++) {
		if (p->threaded)
			pthread_join(p->thread, NULL);
		else
			run_part(p);
	}
}
