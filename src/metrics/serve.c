/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serve.c - libmicrohttpd, loaded for the first exporter and run from our own loop.
 *
 * A connection gets one answer and lives for LIFE at most, however slowly it sends.  Beyond EACH
 * connections of one address its oldest one is closed, beyond MOST of all the oldest of the address
 * that has the most: so a new one is always served, whoever keeps how many open.
 */
#include "config.h"
#include "src/metrics/mode_metrics.h"

#include "base/clock.h"
#include "base/dl.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/want.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A socket that waits for connections: at a port of this machine, or at a path. */
struct listen {
	int fd;
	char where[300];	/* "http://[::1]:9107", or the path */
	bool is_public;		/* another host may reach the address */
	struct stat file;	/* of a socket at a path: the file that we made */
	const char *path;	/* the caller's; NULL: a port */
};

#define HERE	"127.0.0.1"
#define BACKLOG 1024	/* connections not accepted yet; one more tries again in 1 s */
#define KIND	(SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK)

static int listen_bind(struct listen *l, int family, const void *address, socklen_t len)
{
	const int on = 1;
	int err;

	l->fd = socket(family, KIND, 0);
	if (l->fd < 0)
		return -errno;
	setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(l->fd, address, len) == 0 && listen(l->fd, BACKLOG) == 0)
		return 0;
	err = -errno;
	close(l->fd);
	l->fd = -1;
	return err;
}

static int fail_listen(const struct listen *l, int err, struct error *e)
{
	return fail(e, err, "%s: cannot listen: %s", l->where, strerror(-err));
}

/* The part of a socket's address that says which host it is, without the port; its length. */
static size_t host_of(const struct sockaddr *a, const void **host)
{
	const struct sockaddr_in *v4 = (const void *)a;
	const struct sockaddr_in6 *v6 = (const void *)a;

	*host = a->sa_family == AF_INET6 ? (const void *)&v6->sin6_addr : &v4->sin_addr;
	return a->sa_family == AF_INET6 ? sizeof(v6->sin6_addr) :
		a->sa_family == AF_INET ? sizeof(v4->sin_addr) : 0;
}

static bool is_loopback(const struct sockaddr *a)
{
	const struct sockaddr_in *v4 = (const void *)a;
	const struct sockaddr_in6 *v6 = (const void *)a;

	return a->sa_family == AF_INET6 ? IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) :
		ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* "0" is all addresses: what is printed is the address as the system understood it. */
static void write_where(struct listen *l, const struct addrinfo *a)
{
	char host[64], port[8];

	getnameinfo(a->ai_addr, a->ai_addrlen, host, sizeof(host), port, sizeof(port),
		NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(l->where, sizeof(l->where), a->ai_family == AF_INET6 ? "http://[%s]:%s" :
		"http://%s:%s", host, port);
	l->is_public = !is_loopback(a->ai_addr);
}

static int open_port(struct listen *l, const char *where, struct error *e)
{
	const struct addrinfo want = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
	const bool is_port = where[strspn(where, "0123456789")] == '\0';
	char text[300];
	struct addrinfo *found;
	struct address a;
	int err;

	snprintf(text, sizeof(text), "%s%.250s", is_port ? HERE ":" : "", where);
	if (!address_parse(text, &a) || !*a.port || getaddrinfo(a.host, a.port, &want, &found) != 0)
		return fail_as(e, CODE_BAD_VALUE, -EINVAL, "'%.60s' is neither a port (9107), an "
			"address and a port (192.0.2.1:9107, [::1]:9107) nor a path", where);
	write_where(l, found);
	err = listen_bind(l, found->ai_family, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return err < 0 ? fail_listen(l, err, e) : 0;
}

/* Whether this is a socket that a killed program left. */
static bool is_abandoned(const struct sockaddr_un *a)
{
	struct stat st;
	int fd, err;

	if (lstat(a->sun_path, &st) < 0 || !S_ISSOCK(st.st_mode))
		return false;
	fd = socket(AF_UNIX, KIND, 0);
	if (fd < 0)
		return false;
	err = connect(fd, (const struct sockaddr *)a, sizeof(*a)) < 0 ? errno : 0;
	close(fd);
	return err == ECONNREFUSED;
}

static int open_path(struct listen *l, const char *path, struct error *e)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct path p;
	int err = path_find(&p, path, PATH_NEW, e);

	if (err < 0)
		return err;
	close(p.dir);
	if (strlen(path) >= sizeof(a.sun_path))
		return fail(e, -ENAMETOOLONG, "%.60s...: a socket's path has at most %zu bytes",
			path, sizeof(a.sun_path) - 1);
	mem_copy_text(a.sun_path, sizeof(a.sun_path), path);
	mem_copy_text(l->where, sizeof(l->where), path);
	err = listen_bind(l, AF_UNIX, &a, sizeof(a));
	if (err == -EADDRINUSE && is_abandoned(&a) && unlink(path) == 0)
		err = listen_bind(l, AF_UNIX, &a, sizeof(a));
	if (err < 0)
		return fail_listen(l, err, e);
	l->path = lstat(path, &l->file) == 0 ? path : NULL;
	return 0;
}

/* No name is looked up.  A socket without a listener is replaced; any other file is not. */
static int listen_open(struct listen *l, const char *where, struct error *e)
{
	*l = (struct listen){ .fd = -1 };
	return strchr(where, '/') ? open_path(l, where, e) : open_port(l, where, e);
}

/* Remove the socket's file, if we made it at a path.  fd stays open: its user closes it. */
static void listen_remove(const struct listen *l)
{
	struct stat now;

	if (l->path && lstat(l->path, &now) == 0 && now.st_ino == l->file.st_ino &&
		now.st_dev == l->file.st_dev)
		unlink(l->path);
}

#define MOST	 256			/* connections */
#define EACH	 128			/* of one address */
#define OTHERS	 64			/* descriptors that are not connections: cards and files */
#define SPARE	 64			/* more of them, which are about to end */
#define LIFE	 (10 * CLOCK_SECOND)	/* of a connection */
#define HEAD_MAX (16 << 10)		/* bytes of a request, and of its state */

#define MHD_FUNCTIONS(F) \
	F(MHD_start_daemon) F(MHD_stop_daemon) F(MHD_run) F(MHD_get_timeout) \
	F(MHD_get_daemon_info) F(MHD_get_connection_info) F(MHD_create_response_from_buffer) \
	F(MHD_add_response_header) F(MHD_queue_response) F(MHD_destroy_response)
DL_LIBRARY(DL_MICROHTTPD, MHD_FUNCTIONS)

/* A connection that is open, in the order in which they began. */
struct serve_link {
	struct serve_link *prev, *next;
	int64_t began;		/* clock_mono() */
	unsigned char host[16];	/* whose it is; zero for a socket at a path */
	int fd;
};

enum answer { ANSWER_READY, ANSWER_NOT_READY, ANSWER_NOT_FOUND, ANSWER_METHOD, ANSWERS };

static const struct {
	unsigned status;
	const char *text;
} answers[ANSWERS] = {
	[ANSWER_READY] = { MHD_HTTP_OK, "ready\n" },
	[ANSWER_NOT_READY] = { MHD_HTTP_SERVICE_UNAVAILABLE, "the last sample is old\n" },
	[ANSWER_NOT_FOUND] = { MHD_HTTP_NOT_FOUND, "there are /metrics and /ready\n" },
	[ANSWER_METHOD] = { MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n" },
};

struct serve {
	struct listen listen;
	struct MHD_Daemon *daemon;
	int poll;			/* libmicrohttpd's own descriptor for poll() */
	struct MHD_Response *metrics;	/* NULL before the first text */
	struct MHD_Response *fixed[ANSWERS];
	int64_t published, fresh;	/* clock_mono(); ns */
	struct serve_link *oldest, *newest;
	size_t n;			/* of links */
};

/* Connections. */

static void unlink_link(struct serve *s, struct serve_link *l)
{
	*(l->prev ? &l->prev->next : &s->oldest) = l->next;
	*(l->next ? &l->next->prev : &s->newest) = l->prev;
	l->prev = l->next = NULL;
	l->fd = -1;
	s->n--;
}

/* Shut the connection down; the library sees that, and closes it. */
static void cut(struct serve *s, struct serve_link *l)
{
	shutdown(l->fd, SHUT_RDWR);
	unlink_link(s, l);
}

static bool is_same(const struct serve_link *a, const struct serve_link *b)
{
	return memcmp(a->host, b->host, sizeof(a->host)) == 0;
}

/* How many connections this one's address has, and the oldest of them. */
static size_t count_same(const struct serve *s, const struct serve_link *of,
	struct serve_link **oldest)
{
	size_t n = 0;

	for (struct serve_link *l = s->newest; l; l = l->prev)
		if (is_same(l, of)) {
			*oldest = l;
			n++;
		}
	return n;
}

static void make_room(struct serve *s, const struct serve_link *added)
{
	struct serve_link *oldest = NULL, *least = NULL;
	size_t most = 0;

	if (!s->listen.path && count_same(s, added, &oldest) > EACH)
		cut(s, oldest);
	if (s->n <= MOST)
		return;
	for (const struct serve_link *l = s->oldest; l; l = l->next) {
		const size_t n = count_same(s, l, &oldest);

		least = n > most ? oldest : least;
		most = n > most ? n : most;
	}
	if (least)
		cut(s, least);
}

static void note_connection(void *arg, struct MHD_Connection *c, void **context,
	enum MHD_ConnectionNotificationCode what)
{
	struct serve *s = arg;
	struct serve_link *l = *context;
	const void *host;
	size_t len;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED && l) {
		if (l->fd >= 0)
			unlink_link(s, l);
		free(l);
	}
	if (what != MHD_CONNECTION_NOTIFY_STARTED)
		return;
	l = mem_calloc(1, sizeof(*l));
	*l = (struct serve_link){ .prev = s->newest, .began = clock_mono(),
		.fd = lib.MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->
			connect_fd };
	len = host_of(lib.MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->
		client_addr, &host);
	memcpy(l->host, host, len);
	*(l->prev ? &l->prev->next : &s->oldest) = l;
	s->newest = l;
	s->n++;
	*context = l;
	make_room(s, l);
}

/* Answers. */

static enum answer choose(const struct serve *s, const char *url, const char *method)
{
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return ANSWER_METHOD;
	if (strcmp(url, "/metrics") != 0 && strcmp(url, "/ready") != 0)
		return ANSWER_NOT_FOUND;
	return s->metrics && clock_mono() - s->published <= s->fresh ? ANSWER_READY
		: ANSWER_NOT_READY;
}

/* Answer when the head of a request has come; its body is not read. */
static enum MHD_Result answer_request(void *arg, struct MHD_Connection *c, const char *url,
	const char *method, const char *version, const char *body, size_t *size, void **request)
{
	const struct serve *s = arg;
	const enum answer a = choose(s, url, method);

	(void)version, (void)body, (void)size, (void)request;
	if (a < ANSWER_NOT_FOUND && s->metrics && strcmp(url, "/metrics") == 0)
		return lib.MHD_queue_response(c, MHD_HTTP_OK, s->metrics);
	return lib.MHD_queue_response(c, answers[a].status, s->fixed[a]);
}

static struct MHD_Response *make_response(char *text, size_t len, bool is_ours)
{
	struct MHD_Response *r = lib.MHD_create_response_from_buffer(len, text,
		is_ours ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE);

	if (!r)
		return NULL;
	lib.MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, is_ours ?
		"text/plain; charset=utf-8" : "text/plain; version=0.0.4; charset=utf-8");
	lib.MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	return r;
}

static bool make_fixed(struct serve *s)
{
	for (size_t i = 0; i < ANSWERS; i++) {
		char *text = (char *)(uintptr_t)answers[i].text;	/* it is not written to */

		s->fixed[i] = make_response(text, strlen(text), true);
		if (!s->fixed[i])
			return false;
	}
	lib.MHD_add_response_header(s->fixed[ANSWER_METHOD], MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	return true;
}

/* Opening and closing. */

static int start_daemon(struct serve *s, struct error *e)
{
	if (!make_fixed(s))
		return fail(e, -ENOMEM, "no memory for libmicrohttpd");
	s->daemon = lib.MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, answer_request, s,
		MHD_OPTION_LISTEN_SOCKET, s->listen.fd,
		MHD_OPTION_NOTIFY_CONNECTION, note_connection, s,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)(MOST + SPARE),
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)(LIFE / CLOCK_SECOND),
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_MAX,
		MHD_OPTION_END);
	if (!s->daemon)
		return fail(e, -EIO, "%s: libmicrohttpd does not start", s->listen.where);
	s->poll = lib.MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	return 0;
}

int serve_open(const char *where, int64_t fresh, struct serve **out, struct error *e)
{
	const struct want descriptors = { .files = MOST + SPARE + OTHERS };
	struct serve *s;
	int err = lib_load(e);

	*out = NULL;
	if (err == 0)
		err = want_prove(&descriptors, e);
	if (err < 0)
		return err;
	s = mem_calloc(1, sizeof(*s));
	s->fresh = fresh;
	err = listen_open(&s->listen, where, e);
	if (err == 0)
		err = start_daemon(s, e);
	if (err < 0) {
		serve_close(s);
		return err;
	}
	*out = s;
	return 0;
}

void serve_close(struct serve *s)
{
	if (!s)
		return;
	listen_remove(&s->listen);
	if (s->daemon)
		lib.MHD_stop_daemon(s->daemon);	/* closes the socket as well */
	else if (s->listen.fd >= 0)
		close(s->listen.fd);
	if (s->metrics)
		lib.MHD_destroy_response(s->metrics);
	for (size_t i = 0; i < ANSWERS; i++)
		if (s->fixed[i])
			lib.MHD_destroy_response(s->fixed[i]);
	free(s);
}

const char *serve_where(const struct serve *s)
{
	return s->listen.where;
}

bool serve_is_public(const struct serve *s)
{
	return s->listen.is_public;
}

/* Connections to which the last text is still being sent keep it. */
void serve_publish(struct serve *s, struct strbuf *text)
{
	struct MHD_Response *r = make_response(text->text, text->len, false);

	if (!r)
		return;
	if (s->metrics)
		lib.MHD_destroy_response(s->metrics);
	s->metrics = r;
	s->published = clock_mono();
	*text = (struct strbuf){ 0 };
}

int serve_fd(const struct serve *s)
{
	return s->poll;
}

int serve_wait_ms(const struct serve *s)
{
	int ms = s->oldest ? clock_poll_ms(s->oldest->began + LIFE) : -1;
	MHD_UNSIGNED_LONG_LONG theirs;

	if (lib.MHD_get_timeout(s->daemon, &theirs) == MHD_YES && (ms < 0 || theirs < (unsigned)ms))
		ms = (int)theirs;
	return ms;
}

void serve_turn(struct serve *s)
{
	lib.MHD_run(s->daemon);
	while (s->oldest && clock_mono() - s->oldest->began >= LIFE)
		cut(s, s->oldest);
}
