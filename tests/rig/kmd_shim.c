/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_shim.c - preloaded below the program: a machine with a card, without one.
 *
 * Paths of the driver lead into the tree KMD_ROOT, the node is a connection to
 * kmd_driver.  What is mapped of the card cannot be touched: a load or store
 * faults, and is taken to kmd_driver.  A plain move of a word is then done here;
 * any other instruction is run alone (the processor's trap flag) on a page that
 * has what the card answered, which costs a third of a millisecond on some
 * virtual machines.  What memcpy() loads is fetched without a fault.  Stores to
 * memory that is write-combined are collected in the page, and leave it before
 * whatever is done next, as they leave a processor's buffers.
 */
#include "config.h"
#include "device/kmd/kmd_abi.h"
#include "tests/rig/kmd_wire.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <ucontext.h>
#include <unistd.h>

#define AREAS	  64
#define PATHS	  4352
#define TRAP_FLAG 0x100
#define BY_STORE  2		/* in the error code of a fault */

struct area {
	uintptr_t at;
	size_t len;
	uint64_t offset;
	int fd;
};

static struct area areas[AREAS];

/* A page that is open now; `steps`: for one instruction, which may touch two. */
static struct {
	const struct area *area;
	uintptr_t page[2], word;
	unsigned n;
	bool steps, stores;
} now;

/* The last answer to memcpy(): where its bytes are from, and which are still to be taken. */
static struct {
	struct wire_answer answer;
	uintptr_t from, next, end;
} copied;

/* The function that ours stands in front of, as POSIX has it: ISO C knows no such cast. */
static void find(void *function, const char *name)
{
	*(void **)function = dlsym(RTLD_NEXT, name);
}

/* memcpy() without what ours adds to it. */
static void copy(void *to, const void *from, size_t n)
{
	static void *(*real)(void *, const void *, size_t);

	if (!real)
		find(&real, "memcpy");
	real(to, from, n);
}

static int ask(int fd, struct wire_request *q, uint32_t size, struct wire_answer *a)
{
	ssize_t r;

	copied.end = 0;
	do
		r = send(fd, q, offsetof(struct wire_request, data) + size, MSG_NOSIGNAL);
	while (r < 0 && errno == EINTR);
	if (r < 0 || !a)
		return r < 0 ? -ENODEV : 0;
	do
		r = recv(fd, a, sizeof(*a), 0);
	while (r < 0 && errno == EINTR);
	return r < (ssize_t)offsetof(struct wire_answer, data) ? -ENODEV : a->result;
}

static uint64_t offset_of(const struct area *a, uintptr_t at)
{
	return a->offset + (at - a->at);
}

static void protect(uintptr_t page, int prot)
{
	if (mprotect((void *)page, WIRE_PAGE, prot) < 0)
		abort();
}

static void send_words(const struct area *a, uintptr_t at, size_t bytes)
{
	struct wire_request q = { .op = WIRE_STORE, .n = (uint32_t)bytes,
		.at = offset_of(a, at) };

	copy(q.data, (const void *)at, bytes);
	ask(a->fd, &q, q.n, NULL);
}

static uint32_t word_at(uintptr_t at)
{
	uint32_t word;

	memcpy(&word, (const void *)at, sizeof(word));
	return word;
}

/* What was stored to a whole page, in the runs that it was stored in. */
static void send_page(const struct area *a, uintptr_t page)
{
	for (uintptr_t at = page, end = page + WIRE_PAGE; at < end; at += 4) {
		uintptr_t from = at;

		while (at < end && word_at(at) != WIRE_POISON)
			at += 4;
		if (at > from)
			send_words(a, from, at - from);
	}
}

static void shut(void)
{
	if (now.n > 0 && now.stores && now.steps)
		send_words(now.area, now.word, 4);
	else if (now.n > 0 && now.stores)
		send_page(now.area, now.page[0]);
	while (now.n > 0)
		protect(now.page[--now.n], PROT_NONE);
	now.steps = false;
}

static const struct area *area_of(uintptr_t at)
{
	for (size_t i = 0; i < AREAS; i++)
		if (areas[i].len && at - areas[i].at < areas[i].len)
			return &areas[i];
	return NULL;
}

/* An empty file in its place: the access ends as with the driver, by SIGBUS. */
static void take_away(uintptr_t page)
{
	int fd = memfd_create("gone", MFD_CLOEXEC);

	if (fd < 0 || (void *)syscall(SYS_mmap, page, WIRE_PAGE, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_FIXED, fd, 0L) == MAP_FAILED)
		abort();
	close(fd);
}

/* The length of a 32-bit mov between register *number and memory; 0: another instruction. */
static unsigned move_length(const uint8_t *code, bool stores, unsigned *number)
{
	const uint8_t rex = *code >= 0x40 && *code <= 0x4f ? *code++ : 0;
	unsigned mod, rm, base, n = rex ? 3 : 2;

	if (*code != (stores ? 0x89 : 0x8b) || rex & 8)
		return 0;
	mod = code[1] >> 6;
	base = rm = code[1] & 7;
	if (rm == 4) {
		base = code[2] & 7;
		n++;
	}
	*number = (code[1] >> 3 & 7) | (rex & 4) << 1;
	return n + (mod == 1 ? 1 : mod == 2 || (mod == 0 && base == 5) ? 4 : 0);
}

/* Do the instruction that faulted, where it moves one word; false: it is another. */
static bool move_word(const struct area *a, uintptr_t at, bool stores, const void *loaded,
	ucontext_t *u)
{
	static const int registers[] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
		REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14,
		REG_R15 };
	greg_t *all = u->uc_mcontext.gregs;
	struct wire_request q = { .op = WIRE_STORE, .n = 4, .at = offset_of(a, at) };
	unsigned number = 0, length = move_length((const uint8_t *)all[REG_RIP], stores, &number);
	uint32_t word;

	if (length == 0 || at % 4)
		return false;
	if (stores) {
		word = (uint32_t)all[registers[number]];
		copy(q.data, &word, sizeof(word));
		ask(a->fd, &q, q.n, NULL);
	} else {
		copy(&word, loaded, sizeof(word));
		all[registers[number]] = word;
	}
	all[REG_RIP] += length;
	return true;
}

static void let_through(const struct area *a, uintptr_t at, bool stores, ucontext_t *u)
{
	struct wire_request q = { .op = stores ? WIRE_AIM : WIRE_LOAD, .n = 1,
		.at = offset_of(a, at & ~(uintptr_t)3) };
	const uintptr_t page = at & ~(uintptr_t)(WIRE_PAGE - 1);
	static struct wire_answer answer;
	int way = ask(a->fd, &q, 0, &answer);

	if (way == WIRE_GONE || way < 0) {
		now.stores = false;
		shut();
		u->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		take_away(page);
		return;
	}
	if (way == WIRE_STEP && now.n == 0 && move_word(a, at, stores, answer.data, u))
		return;
	protect(page, PROT_READ | PROT_WRITE);
	if (stores && way == WIRE_WHOLE)
		for (uintptr_t word = page; word < page + WIRE_PAGE; word += 4)
			memcpy((void *)word, &(uint32_t){ WIRE_POISON }, 4);
	else if (!stores)
		memcpy((void *)(way == WIRE_WHOLE ? page : at & ~(uintptr_t)3), answer.data,
			answer.n);
	now.area = a;
	now.page[now.n++] = page;
	now.word = at & ~(uintptr_t)3;
	now.stores = stores;
	now.steps = way == WIRE_STEP;
	if (now.steps)
		u->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	const uintptr_t at = (uintptr_t)info->si_addr;
	const struct area *a = area_of(at);
	ucontext_t *u = context;

	if (!a) {
		sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
		return;
	}
	/* The second page of the instruction that is under way stays beside the first. */
	if (!now.steps || now.n == 2)
		shut();
	let_through(a, at, u->uc_mcontext.gregs[REG_ERR] & BY_STORE, u);
}

static void on_step(int signal, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	(void)signal, (void)info;
	u->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	shut();
}

/* Set with each mapping: a process begins with the signals of none. */
static void catch_accesses(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	sigfillset(&act.sa_mask);
	sigaction(SIGSEGV, &act, NULL);
	act.sa_sigaction = on_step;
	sigaction(SIGTRAP, &act, NULL);
}

/* Have the bytes from there on, loaded as let_through() loads them; false: they have gone. */
static bool load_copied(const struct area *a, uintptr_t at)
{
	struct wire_request q = { .op = WIRE_LOAD, .at = offset_of(a, at & ~(uintptr_t)3) };
	int way;

	if (at >= copied.next && at < copied.end)
		return true;
	shut();
	way = ask(a->fd, &q, 0, &copied.answer);
	copied.from = at & ~(uintptr_t)(way == WIRE_WHOLE ? WIRE_PAGE - 1 : 3);
	copied.end = way < 0 || way == WIRE_GONE ? 0 : copied.from + copied.answer.n;
	return copied.end > 0;
}

void *memcpy(void *to, const void *from, size_t n)
{
	const struct area *a = area_of((uintptr_t)from);
	uintptr_t at = (uintptr_t)from;
	const uintptr_t end = at + n;
	char *out = to;

	while (a && at < end && load_copied(a, at)) {
		const size_t piece = (copied.end < end ? copied.end : end) - at;

		copy(out, copied.answer.data + (at - copied.from), piece);
		out += piece;
		at += piece;
		copied.next = at;
	}
	copy(out, (const void *)at, end - at);
	return to;
}

/* The names that _FORTIFY_SOURCE calls for the same. */
void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	return n > room ? abort(), NULL : memcpy(to, from, n);
}

static bool is_node(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

void *mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	struct wire_request q = { .op = WIRE_MMAP, .n = (uint32_t)(len / WIRE_PAGE),
		.at = (uint64_t)offset };
	struct wire_answer a;
	size_t i = 0;
	int r;

	if (flags & MAP_ANONYMOUS || !is_node(fd))
		return (void *)syscall(SYS_mmap, at, len, prot, flags, fd, offset);
	shut();
	while (i < AREAS && areas[i].len)
		i++;
	r = i < AREAS ? ask(fd, &q, 0, &a) : -ENOMEM;
	if (r < 0) {
		errno = -r;
		return MAP_FAILED;
	}
	at = (void *)syscall(SYS_mmap, NULL, len, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
	if (at != MAP_FAILED)
		areas[i] = (struct area){ (uintptr_t)at, len, (uint64_t)offset, fd };
	catch_accesses();
	return at;
}

int munmap(void *at, size_t len)
{
	for (size_t i = 0; i < AREAS; i++) {
		struct area *a = &areas[i];
		struct wire_request q = { .op = WIRE_MUNMAP, .n = (uint32_t)(a->len / WIRE_PAGE),
			.at = a->offset };
		struct wire_answer answer;

		if (a->len == 0 || a->at != (uintptr_t)at)
			continue;
		shut();
		ask(a->fd, &q, 0, &answer);
		a->len = 0;
	}
	return (int)syscall(SYS_munmap, at, len);
}

static size_t size_of(unsigned long request)
{
	switch (request) {
	case KMD_GET_DEVICE_INFO: return sizeof(struct kmd_get_device_info);
	case KMD_QUERY_MAPPINGS: return sizeof(struct kmd_query_mappings);
	case KMD_RESET_DEVICE: return sizeof(struct kmd_reset_device);
	case KMD_LOCK_CTL: return sizeof(struct kmd_lock_ctl);
	case KMD_ALLOCATE_TLB: return sizeof(struct kmd_allocate_tlb);
	case KMD_FREE_TLB: return sizeof(struct kmd_free_tlb);
	case KMD_CONFIGURE_TLB: return sizeof(struct kmd_configure_tlb);
	case KMD_SET_POWER_STATE: return sizeof(struct kmd_power_state);
	case KMD_NOC_READ: case KMD_NOC_WRITE: return sizeof(struct kmd_noc_io);
	default: return 0;
	}
}

int ioctl(int fd, unsigned long request, ...)
{
	static int (*real)(int, unsigned long, ...);
	struct wire_request q = { .op = WIRE_IOCTL, .at = request };
	struct wire_answer a;
	const size_t size = size_of(request);
	va_list args;
	void *arg;
	int r;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (!real)
		find(&real, "ioctl");
	if (size == 0 || !is_node(fd))
		return real(fd, request, arg);
	shut();
	memcpy(q.data, arg, size);
	r = ask(fd, &q, (uint32_t)size, &a);
	if (r < 0) {
		errno = -r;
		return -1;
	}
	memcpy(arg, a.data, size);
	return 0;
}

/* Into the tree, where it is a path of the driver's. */
static const char *lead(const char *path, char out[PATHS])
{
	static const char *const ours[] = { "/dev/tenstorrent", "/sys/class/tenstorrent",
		"/sys/bus/pci/devices", "/sys/module/tenstorrent", "/proc/driver/tenstorrent" };
	const char *root = getenv("KMD_ROOT");

	/* Below the root "/"; its nodes, which are no devices, must not be seen. */
	path += strncmp(path, "//sys/", 6) == 0;
	for (size_t i = 0; root && i < sizeof(ours) / sizeof(ours[0]); i++) {
		const size_t n = strlen(ours[i]);

		if (strncmp(path, ours[i], n) != 0 || (path[n] != '/' && path[n] != '\0'))
			continue;
		snprintf(out, PATHS, "%s%s", root, path);
		return out;
	}
	return path;
}

/* To the driver of the card with this node. */
static int connect_for(enum wire_op op, char node, int flags)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct wire_request q = { .op = op, .at = (uint64_t)flags };
	struct wire_answer a;
	int fd, r;

	snprintf(to.sun_path, sizeof(to.sun_path), "%s/socket%.*s", getenv("KMD_ROOT"),
		node != '0', &node);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	r = fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 ? -errno : 0;
	r = r ? r : ask(fd, &q, 0, &a);
	if (r == 0)
		return fd;
	close(fd);
	errno = -r;
	return -1;
}

static int open_at(int dir, const char *path, int flags, mode_t mode)
{
	static int (*real)(int, const char *, int, ...);
	static const char nodes[] = "/dev/tenstorrent/", lists[] = "/proc/driver/tenstorrent/";
	char out[PATHS];

	if (!real)
		find(&real, "openat");
	if (getenv("KMD_ROOT") && strncmp(path, nodes, sizeof(nodes) - 1) == 0 &&
		!(flags & O_PATH))
		return connect_for(WIRE_OPEN, path[sizeof(nodes) - 1], flags);
	/* An ended process is not in the driver's list any more. */
	if (getenv("KMD_ROOT") && strncmp(path, lists, sizeof(lists) - 1) == 0)
		close(connect_for(WIRE_SYNC, path[sizeof(lists) - 1], 0));
	return real(dir, lead(path, out), flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? (mode_t)va_arg(args, int) : 0;
	va_end(args);
	return open_at(AT_FDCWD, path, flags, mode);
}

/* By what was built for large files, as other programs are. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int openat(int dir, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? (mode_t)va_arg(args, int) : 0;
	va_end(args);
	return open_at(dir, path, flags, mode);
}

int __open_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags, 0);
}

int __openat_2(int dir, const char *path, int flags)
{
	return open_at(dir, path, flags, 0);
}

char *realpath(const char *path, char *to)
{
	static char *(*real)(const char *, char *);
	const char *root = getenv("KMD_ROOT"), *led;
	char out[PATHS], *is;

	if (!real)
		find(&real, "realpath");
	led = lead(path, out);
	is = real(led, to);
	/* As the machine would say it. */
	if (is && led == out && strncmp(is, root, strlen(root)) == 0)
		memmove(is, is + strlen(root), strlen(is + strlen(root)) + 1);
	return is;
}

char *__realpath_chk(const char *path, char *to, size_t size)
{
	(void)size;
	return realpath(path, to);
}

ssize_t pread(int fd, void *to, size_t size, off_t at)
{
	static ssize_t (*real)(int, void *, size_t, off_t);
	ssize_t n;

	if (!real)
		find(&real, "pread");
	n = real(fd, to, size, at);
	if (n != sizeof(WIRE_NO_DATA) - 1 || memcmp(to, WIRE_NO_DATA, (size_t)n) != 0)
		return n;
	errno = ENODATA;
	return -1;
}

ssize_t pread64(int fd, void *to, size_t size, off_t at) __attribute__((alias("pread")));

ssize_t __pread_chk(int fd, void *to, size_t size, off_t at, size_t room)
{
	return size > room ? abort(), -1 : pread(fd, to, size, at);
}

ssize_t __pread64_chk(int fd, void *to, size_t size, off_t at, size_t room)
	__attribute__((alias("__pread_chk")));

DIR *opendir(const char *path)
{
	static DIR *(*real)(const char *);
	char out[PATHS];

	if (!real)
		find(&real, "opendir");
	return real(lead(path, out));
}

int access(const char *path, int mode)
{
	static int (*real)(const char *, int);
	char out[PATHS];

	if (!real)
		find(&real, "access");
	return real(lead(path, out), mode);
}

ssize_t readlink(const char *path, char *to, size_t size)
{
	static ssize_t (*real)(const char *, char *, size_t);
	char out[PATHS];

	if (!real)
		find(&real, "readlink");
	return real(lead(path, out), to, size);
}

int stat(const char *path, struct stat *st)
{
	static int (*real)(const char *, struct stat *);
	char out[PATHS];

	if (!real)
		find(&real, "stat");
	return real(lead(path, out), st);
}

int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	static int (*real)(int, const char *, struct stat *, int);
	char out[PATHS];

	if (!real)
		find(&real, "fstatat");
	return real(dir, lead(path, out), st, flags);
}
