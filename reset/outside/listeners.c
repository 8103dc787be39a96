/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "reset/outside/listeners.h"
#include "base/array.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Listeners have datagram sockets in some versions, stream sockets in others. */
static bool tell_one(const char *path, unsigned char byte)
{
	static const int kinds[] = { SOCK_DGRAM, SOCK_STREAM, SOCK_SEQPACKET };
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	bool told = false;

	if (strlen(path) >= sizeof(to.sun_path))
		return false;
	memcpy(to.sun_path, path, strlen(path) + 1);
	for (size_t i = 0; i < ARRAY_LEN(kinds) && !told; i++) {
		int fd = socket(AF_UNIX, kinds[i] | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

		if (fd < 0)
			continue;
		told = connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
			send(fd, &byte, 1, MSG_NOSIGNAL) == 1;
		close(fd);
	}
	return told;
}

size_t listeners_tell(const char *folder, enum listeners_event event)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[4096];
	size_t n = 0;

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "client_", 7) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		n += tell_one(path, (unsigned char)event);
	}
	if (dir)
		closedir(dir);
	return n;
}
