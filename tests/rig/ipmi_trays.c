/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ipmi_trays.c - the galaxy's command for OpenIPMI's simulated controller: network
 * function 0x30, command 0x8B, four bytes (chip-facts 5.4).  A module of
 * ipmi_sim(1), built by the tests.
 *
 * Its option is a folder: each call is a line of hex bytes at the end of `calls`
 * there, and the first line of `plan` says what is answered: "ok", a completion
 * code ("c0"), or "mute", after which the controller answers nothing any more.
 */
#include "config.h"
#include <OpenIPMI/serv.h>
#include <OpenIPMI/mcserv.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NETFN 0x30
#define CMD   0x8b
#define BYTES 4

int ipmi_sim_module_print_version(sys_data_t *sys, char *options);
int ipmi_sim_module_init(sys_data_t *sys, char *options);

static char folder[256];

static FILE *open_in(const char *name, const char *mode)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, mode);
}

/* The plan's first line, which is taken out of it. */
static void take_plan(char *line, size_t size)
{
	char rest[4096];
	size_t n = 0;
	FILE *f = open_in("plan", "r");

	snprintf(line, size, "ok");
	if (!f)
		return;
	if (fgets(line, (int)size, f))
		n = fread(rest, 1, sizeof(rest), f);
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	f = open_in("plan", "w");
	if (!f)
		return;
	fwrite(rest, 1, n, f);
	fclose(f);
}

static unsigned char judge(const msg_t *msg)
{
	if (msg->len != BYTES)
		return 0xc7;	/* request data length invalid */
	return msg->data[0] > 0xf || msg->data[2] > 3 ? 0xcc : 0;
}

static void handle(lmc_data_t *mc, msg_t *msg, unsigned char *rdata, unsigned int *rdata_len,
	void *arg)
{
	FILE *f = open_in("calls", "a");
	char plan[32];

	(void)mc;
	(void)arg;
	for (unsigned i = 0; f && i < msg->len; i++)
		fprintf(f, "%s%02x", i ? " " : "", msg->data[i]);
	if (f) {
		fputc('\n', f);
		fclose(f);
	}
	take_plan(plan, sizeof(plan));
	while (strcmp(plan, "mute") == 0)
		pause();
	rdata[0] = judge(msg);
	if (rdata[0] == 0 && strcmp(plan, "ok") != 0)
		rdata[0] = (unsigned char)strtoul(plan, NULL, 16);
	*rdata_len = 1;
}

int ipmi_sim_module_print_version(sys_data_t *sys, char *options)
{
	(void)sys;
	(void)options;
	puts("galaxy trays");
	return 0;
}

int ipmi_sim_module_init(sys_data_t *sys, char *options)
{
	(void)sys;
	snprintf(folder, sizeof(folder), "%s", options);
	return ipmi_emu_register_cmd_handler(NETFN, CMD, handle, NULL);
}
