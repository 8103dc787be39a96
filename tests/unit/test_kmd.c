/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_kmd.c - the driver's ABI, played by umockdev: a process answers the
 * ioctls of a mock node, whose sparse file is what can be mapped.
 *
 * The driver is a process and not a thread, since agents are forked from here:
 * what another thread holds at that moment (the heap of a sanitizer, for one)
 * would be held in the agent for ever.
 *
 * The program starts itself again under umockdev-wrapper.  On CONFIGURE_TLB
 * the mock writes a word into the window that tells where it is aimed, so a
 * load proves the whole way.
 */
#include "config.h"
#include "base/mem.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/program.h"
#include "device/bus.h"
#include "device/kmd/kmd_abi.h"
#include "device/kmd/kmd.h"
#include "reset/run.h"
#include "telemetry/sampler/sampler_local.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <umockdev.h>
#include <unistd.h>
#include <cmocka.h>

#define NODE	   "/dev/tenstorrent/0"
#define MAP_BAR0   0x1000000ULL		/* not 0: the answer must be used */
#define MAP_WINDOW (6LL << 36)
#define MAP_COMBINED (7LL << 36)
#define MARK_AT	   0x30400		/* where in a window the mock writes its mark */

/* As a hardened build calls openat(); umockdev does not know this name of it. */
int __openat_2(int dir, const char *name, int flags);

int __openat_2(int dir, const char *name, int flags)
{
	return openat(dir, name, flags, 0);
}

/* The mock driver: what it was asked and how it shall answer; in shared memory. */
static struct mock {
	char root[256];			/* where umockdev keeps the machine */
	int fail_query, fail_allocate, fail_configure;	/* errno, or 0 */
	unsigned windows;		/* of the right size; then ENOMEM */
	uint64_t window_size;
	unsigned allocated, freed;
	uint64_t asked_sizes[8];
	unsigned n_asked;
	struct kmd_noc_tlb_config last;
	uint32_t last_id;
	unsigned configured;
	int fail_reset, fail_power;	/* errno, or 0 */
	int fail_noc;			/* of calls for one word: errno, or 0 */
	unsigned noc_calls;
	bool noc_is_late;		/* and all ones */
	unsigned resets, freed_at_reset;
	uint32_t reset[4], result;	/* the last RESET_DEVICE as it came, and what to answer */
	uint32_t order[8][4];		/* all of them that were carried out */
	unsigned n_order;
	bool has_config, noreset;	/* it acts on config space; without resetting anything */
	uint8_t power[40];		/* the last SET_POWER_STATE */
	uint8_t lock[16], lock_value;	/* the last LOCK_CTL as it came, and what to answer */
	unsigned locks, lock_shut;	/* how many came; so many of them end with ENODEV */
	uint16_t bus_dev_fn, domain;	/* whose node this is */
	uint32_t info_size;		/* what the driver knows to tell of it */
	bool bad;			/* a reserved field was not 0, or a step of ours failed */
} *mock;

static UMockdevTestbed *bed;	/* in the driver's process alone */
static struct child driver;
static int node;		/* the node's file, past the mock */

static uint32_t mark(uint16_t x, uint16_t y, uint64_t addr)
{
	return (uint32_t)(addr >> 16) ^ (uint32_t)(x << 8 | y);
}

static int on_query(struct kmd_query_mappings *q)
{
	if (mock->fail_query)
		return mock->fail_query;
	if (q->output_mapping_count < 2)
		mock->bad = true;
	q->mappings[0] = (struct kmd_mapping){ KMD_MAPPING_BAR0_UC, 0, MAP_BAR0, 512 << 20 };
	q->mappings[1] = (struct kmd_mapping){ KMD_MAPPING_BAR0_WC, 0, 1ULL << 36, 512 << 20 };
	return 0;
}

static int on_info(struct kmd_get_device_info *i)
{
	if (i->output_size_bytes_in != 20)
		mock->bad = true;
	*i = (struct kmd_get_device_info){ .output_size_bytes_in = 20,
		.output_size_bytes = mock->info_size, .vendor_id = 0x1e52,
		.bus_dev_fn = mock->bus_dev_fn, .pci_domain = mock->domain };
	return 0;
}

static int on_allocate(struct kmd_allocate_tlb *a)
{
	if (mock->n_asked < ARRAY_LEN(mock->asked_sizes))
		mock->asked_sizes[mock->n_asked++] = a->size;
	if (mock->fail_allocate)
		return mock->fail_allocate;
	if (a->reserved_in)
		mock->bad = true;
	if (a->size != mock->window_size || mock->allocated - mock->freed == mock->windows)
		return ENOMEM;
	a->id = 5 + mock->allocated++;
	a->mmap_offset_uc = (uint64_t)MAP_WINDOW + a->id * mock->window_size;
	a->mmap_offset_wc = (uint64_t)MAP_COMBINED + a->id * mock->window_size;
	return 0;
}

/* What a Blackhole's ARC shows: running firmware, and a table of three tags, one slot unused. */
static const struct {
	uint64_t addr;
	uint32_t word;
} arc[] = {
	{ 0x80030408, 5 }, { 0x80030430, 0x10000200 }, { 0x80030434, 0x10000100 },
	{ 0x10000100, 0x100 }, { 0x10000104, 4 },
	{ 0x10000108, 1 << 16 | 1 }, { 0x1000010c, 2 << 16 | 2 }, { 0x10000110, 0 },
	{ 0x10000114, 14 << 16 | 14 },
	{ 0x10000204, 0x400 }, { 0x10000208, 0x11220001 }, { 0x10000238, 800 },
};

/* Of the driver's process, where no assertion ends a test. */
static void show(off_t at, const uint32_t *word)
{
	mock->bad |= pwrite(node, word, 4, at) != 4;
}

static void show_arc(uint64_t base, off_t window)
{
	for (size_t i = 0; i < ARRAY_LEN(arc); i++)
		if (arc[i].addr >= base && arc[i].addr - base < mock->window_size)
			show(window + (off_t)(arc[i].addr - base), &arc[i].word);
}

static int on_configure(const struct kmd_configure_tlb *c)
{
	off_t window = MAP_WINDOW + (off_t)(c->id * mock->window_size);
	uint32_t word = mark(c->config.x_end, c->config.y_end, c->config.addr);

	if (mock->fail_configure)
		return mock->fail_configure;
	if (c->config.addr % mock->window_size)
		return EINVAL;
	mock->last = c->config;
	mock->last_id = c->id;
	mock->configured++;
	if (c->config.x_end == 8 && c->config.y_end == 0)
		show_arc(c->config.addr, window);
	show(window + MARK_AT, &word);
	return 0;
}

/* In one step, for whoever reads it meanwhile. */
static void put_bytes(const char *path, const void *bytes, size_t n)
{
	char full[600], *folder;

	snprintf(full, sizeof(full), "%s%s", mock->root, path);
	folder = g_path_get_dirname(full);
	g_mkdir_with_parents(folder, 0755);
	g_free(folder);
	mock->bad |= !g_file_set_contents(full, bytes, (gssize)n, NULL);
}

static void put_file(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

#define PCI_DEVICE "/sys/devices/pci0000:00/0000:01:00.0"

static void put_config(uint8_t command)
{
	uint8_t config[64] = { 0x52, 0x1e, 0x40, 0xb1, command };

	put_bytes(PCI_DEVICE "/config", config, sizeof(config));
}

/* A reset clears the command byte, the end of one sets it; without one the marker stands. */
static void act_on_config(void)
{
	uint32_t flags = mock->reset[1];

	if (mock->n_order < ARRAY_LEN(mock->order))
		memcpy(mock->order[mock->n_order++], mock->reset, sizeof(mock->reset));
	if (flags >= 2 && flags <= 5)
		put_config(mock->noreset ? 0x47 : 0);
	else if (flags == 0 || (flags == 6 && !mock->noreset))
		put_config(7);
}

static int on_reset(struct kmd_reset_device *a)
{
	mock->resets++;
	mock->freed_at_reset = mock->freed;
	memcpy(mock->reset, a, sizeof(mock->reset));
	if (mock->has_config)
		act_on_config();
	a->output_size_bytes = 8;
	a->result = mock->result;
	return mock->fail_reset;
}

static int on_lock(struct kmd_lock_ctl *a)
{
	memcpy(mock->lock, a, sizeof(mock->lock));
	if (mock->locks++ < mock->lock_shut)
		return ENODEV;
	a->value = mock->lock_value;
	return 0;
}

/* One word, which may be late, as that of a chip that hangs. */
static int on_noc(struct kmd_noc_io *a)
{
	mock->noc_calls++;
	if (a->argsz != 32 || a->flags || a->noc || a->width != 4)
		mock->bad = true;
	a->value = mock->noc_is_late ? UINT32_MAX : mark(a->x, a->y, a->addr);
	if (mock->noc_is_late)
		usleep(150000);
	return mock->fail_noc;
}

static gboolean on_ioctl(UMockdevIoctlBase *base, UMockdevIoctlClient *client, gpointer data)
{
	static const struct {
		gulong request;
		gsize size;
	} known[] = {
		{ KMD_GET_DEVICE_INFO, sizeof(struct kmd_get_device_info) },
		{ KMD_QUERY_MAPPINGS, sizeof(struct kmd_query_mappings) },
		{ KMD_ALLOCATE_TLB, sizeof(struct kmd_allocate_tlb) },
		{ KMD_FREE_TLB, sizeof(struct kmd_free_tlb) },
		{ KMD_CONFIGURE_TLB, sizeof(struct kmd_configure_tlb) },
		{ KMD_RESET_DEVICE, sizeof(struct kmd_reset_device) },
		{ KMD_LOCK_CTL, sizeof(struct kmd_lock_ctl) },
		{ KMD_SET_POWER_STATE, sizeof(struct kmd_power_state) },
		{ KMD_NOC_READ, sizeof(struct kmd_noc_io) },
	};
	UMockdevIoctlData *arg = umockdev_ioctl_client_get_arg(client), *d = NULL;
	gulong request = umockdev_ioctl_client_get_request(client);
	int r = EINVAL;

	(void)base, (void)data;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (known[i].request == request)
			d = umockdev_ioctl_data_resolve(arg, 0, known[i].size, NULL);
	if (d && request == KMD_GET_DEVICE_INFO)
		r = on_info((void *)d->data);
	if (d && request == KMD_QUERY_MAPPINGS)
		r = on_query((void *)d->data);
	if (d && request == KMD_ALLOCATE_TLB)
		r = on_allocate((void *)d->data);
	if (d && request == KMD_CONFIGURE_TLB)
		r = on_configure((void *)d->data);
	if (d && request == KMD_NOC_READ)
		r = on_noc((void *)d->data);
	if (d && request == KMD_RESET_DEVICE)
		r = on_reset((void *)d->data);
	if (d && request == KMD_LOCK_CTL)
		r = on_lock((void *)d->data);
	if (d && request == KMD_SET_POWER_STATE) {
		memcpy(mock->power, d->data, sizeof(mock->power));
		r = mock->fail_power;
	}
	if (d && request == KMD_FREE_TLB) {
		mock->freed++;
		r = 0;
	}
	if (d)
		umockdev_ioctl_data_update(d, 0, d->data, d->data_len);
	umockdev_ioctl_client_complete(client, r ? -1 : 0, r);
	return TRUE;
}

static void open_raw(void)
{
	char path[512];

	snprintf(path, sizeof(path), "%s" NODE, mock->root);
	node = open(path, O_RDWR);
	mock->bad |= node < 0 || ftruncate(node, MAP_COMBINED + (1 << 30)) < 0;
}

static gboolean on_end(gint fd, GIOCondition condition, gpointer loop)
{
	(void)fd, (void)condition;
	g_main_loop_quit(loop);
	return G_SOURCE_REMOVE;
}

/* Waits for a text of tell_driver(); false at the end of the test. */
static bool next_order(int fd, char *text, size_t size)
{
	ssize_t n = recv(fd, text, size - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* First comes what there is, in umockdev's words, and then the order to answer ioctls. */
static int play_driver(void *arg, int fd)
{
	UMockdevIoctlBase *handler = umockdev_ioctl_base_new();
	GMainLoop *loop = g_main_loop_new(NULL, FALSE);
	char text[1024];

	(void)arg;
	bed = umockdev_testbed_new();
	g_signal_connect(handler, "handle-ioctl", G_CALLBACK(on_ioctl), NULL);
	g_unix_fd_add(fd, G_IO_HUP, on_end, loop);
	g_strlcpy(mock->root, umockdev_testbed_get_root_dir(bed), sizeof(mock->root));
	if (next_order(fd, text, sizeof(text))) {
		mock->bad |= !umockdev_testbed_add_from_string(bed, text, NULL);
		send(fd, "", 1, 0);
	}
	if (next_order(fd, text, sizeof(text))) {
		open_raw();
		mock->bad |= !umockdev_testbed_attach_ioctl(bed, NODE, handler, NULL);
		send(fd, "", 1, 0);
		g_main_loop_run(loop);
	}
	g_object_unref(bed);
	return 0;
}

/* A text for play_driver(), which has done it when this returns. */
static void tell_driver(const char *text)
{
	char byte;

	assert_int_equal(send(driver.fd, text, strlen(text) + 1, 0), strlen(text) + 1);
	assert_int_equal(recv(driver.fd, &byte, 1, 0), 1);
	assert_false(mock->bad);
}

static struct bus *machine(const char *device, bool passive)
{
	struct bus_config c = { .root = "/", .passive = passive };
	struct bus *bus = NULL;
	struct error e = { 0 };
	char text[1024];

	snprintf(text, sizeof(text),
		"P: /devices/pci0000:00/0000:01:00.0\nE: SUBSYSTEM=pci\n"
		"A: vendor=0x1e52\\n\nA: device=%s\\n\nA: numa_node=1\\n\n\n"
		"P: /devices/pci0000:00/0000:01:00.0/tenstorrent/tenstorrent!0\n"
		"N: tenstorrent/0=00\nE: DEVNAME=" NODE "\nE: SUBSYSTEM=tenstorrent\n"
		"A: dev=246:0\nA: tt_aiclk=800\\n\nL: device=../../../0000:01:00.0\n\n", device);
	tell_driver(text);
	setenv("UMOCKDEV_DIR", mock->root, 1);
	if (bus_open(&c, &bus, &e) < 0)
		fail_msg("%s", e.text);
	return bus;
}

static void put_bar0(uint64_t addr, uint32_t word)
{
	assert_int_equal(pwrite(node, &word, 4, (off_t)(MAP_BAR0 + addr)), 4);
}

/* A node that answers ioctls and can be mapped. */
static void attach_driver(void)
{
	tell_driver("");
	open_raw();
	assert_false(mock->bad);
}

static int set_up(void **state)
{
	const struct child_config how = { .run = play_driver, .dies_with_parent = true };

	(void)state;
	*mock = (struct mock){ 0 };
	mock->windows = 2;
	mock->bus_dev_fn = 0x0100;
	mock->info_size = 20;
	mock->fail_noc = EINVAL;
	mock->window_size = 2 << 20;
	node = -1;
	return child_start(&driver, &how, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	if (node >= 0)
		close(node);
	child_end(&driver, 30 * CLOCK_SECOND);
	return 0;
}

static struct reg_addr bar0(uint64_t addr)
{
	return (struct reg_addr){ REG_BAR0, 0, 0, addr };
}

static struct reg_addr noc(uint8_t x, uint8_t y, uint64_t addr)
{
	return (struct reg_addr){ REG_NOC, x, y, addr };
}

static void acquired(struct device *d)
{
	struct error e = { 0 };

	if (device_acquire(d, &e) < 0)
		fail_msg("%s", e.text);
}

static void the_node_is_opened_so_that_it_asks_for_no_power(void **state)
{
	struct bus *bus = machine("0x401e", false);
	struct device *d = &bus->dev[0];
	int flags;

	(void)state;
	attach_driver();
	assert_int_equal(bus->n, 1);
	assert_int_equal(d->trouble, DEVICE_FINE);
	assert_int_equal(d->numa_node, 1);
	assert_int_equal(kmd_card(d)->fd, -1);	/* finding it opened nothing */
	acquired(d);
	flags = fcntl(kmd_card(d)->fd, F_GETFL);
	assert_int_equal(flags & O_ACCMODE, O_RDWR);
	assert_true(flags & O_APPEND);
	assert_true(flags & O_NONBLOCK);
	assert_true(fcntl(kmd_card(d)->fd, F_GETFD) & FD_CLOEXEC);
	acquired(d);				/* twice is once */
	device_release(d);
	assert_int_equal(kmd_card(d)->fd, -1);
	device_release(d);
	bus_close(bus);
}

static void a_wormholes_registers_are_read_through_bar0_alone(void **state)
{
	struct bus *bus = machine("0x401e", false);
	struct device *d = &bus->dev[0];
	uint32_t words[3];

	(void)state;
	attach_driver();
	put_bar0(0x1ff30060, 0xc0de0001);
	put_bar0(0x1fe80100, 11);
	put_bar0(0x1fe80104, 22);
	put_bar0(0x1fe80108, 33);
	assert_int_equal(device_read(d, bar0(0x1ff30060), words, 1), -EBADF);
	acquired(d);
	assert_int_equal(device_read(d, bar0(0x1ff30060), words, 1), 0);
	assert_int_equal(words[0], 0xc0de0001);
	assert_int_equal(device_read(d, bar0(0x1fe80100), words, 3), 0);
	assert_int_equal(words[0] + words[1] + words[2], 66);
	assert_int_equal(mock->n_asked, 0);
	bus_close(bus);
}

static void a_blackholes_registers_are_read_through_windows(void **state)
{
	struct bus *bus = machine("0xb140", false);
	struct device *d = &bus->dev[0];
	uint32_t word;

	(void)state;
	attach_driver();
	acquired(d);
	assert_int_equal(mock->allocated, 1);
	assert_int_equal(mock->asked_sizes[0], 2 << 20);
	assert_int_equal(device_read(d, noc(8, 0, 0x80000000 + MARK_AT), &word, 1), 0);
	assert_int_equal(word, mark(8, 0, 0x80000000));
	assert_int_equal(mock->last.addr, 0x80000000);
	assert_int_equal(mock->last.ordering, KMD_ORDERING_STRICT);
	assert_int_equal(mock->last.x_end, 8);
	assert_int_equal(mock->last.x_start + mock->last.y_start + mock->last.y_end +
		mock->last.noc + mock->last.mcast + mock->last.linked + mock->last.static_vc, 0);
	assert_int_equal(device_read(d, noc(8, 0, 0x10000000 + MARK_AT), &word, 1), 0);
	assert_int_equal(word, mark(8, 0, 0x10000000));
	assert_int_equal(mock->configured, 2);
	/* Both stay aimed, so going to and fro asks the driver nothing. */
	for (int i = 0; i < 10; i++) {
		assert_int_equal(device_read(d, noc(8, 0, 0x80000000 + MARK_AT), &word, 1), 0);
		assert_int_equal(device_read(d, noc(8, 0, 0x10000000 + MARK_AT), &word, 1), 0);
	}
	assert_int_equal(mock->configured, 2);
	/* The mock has only two: the one unused for longest is aimed anew. */
	assert_int_equal(device_read(d, noc(1, 1, MARK_AT), &word, 1), 0);
	assert_int_equal(word, mark(1, 1, 0));
	assert_int_equal(mock->configured, 3);
	assert_int_equal(device_read(d, noc(8, 0, 0x10000000 + MARK_AT), &word, 1), 0);
	assert_int_equal(mock->configured, 3);
	device_release(d);
	assert_int_equal(mock->freed, 2);
	assert_false(mock->bad);
	bus_close(bus);
}

/* The reader above it all, on the way that it takes on a real machine. */
static void a_blackholes_tag_table_comes_through_the_driver(void **state)
{
	static const struct reader_policy policy = { .fresh = true };
	struct bus *bus = machine("0xb140", false);
	static struct raw raw;

	(void)state;
	attach_driver();
	put_bar0(0x1fd04044, 2);
	reader_sample(&bus->dev[0], &policy, &raw);
	assert_int_equal(raw.sample_error.code, 0);
	assert_string_equal(raw.table_error.text, "");
	assert_int_equal(raw.n_tags, 3);
	assert_int_equal(raw.tags[0].word, 0x400);
	assert_int_equal(raw.tags[1].word, 0x11220001);
	assert_int_equal(raw.tags[2].tag, 14);
	assert_int_equal(raw.tags[2].word, 800);
	assert_int_equal(kmd_card(&bus->dev[0])->fd, -1);	/* given back after the sample */
	assert_int_equal(mock->freed, mock->allocated);
	bus_close(bus);
}

static void a_wormhole_tries_all_window_sizes(void **state)
{
	struct bus *bus = machine("0x401e", false);
	struct device *d = &bus->dev[0];
	struct rlimit was, none;
	uint32_t word;
	int r;

	(void)state;
	attach_driver();
	mock->windows = 0;
	acquired(d);
	assert_int_equal(device_read(d, noc(9, 0, 0x1c), &word, 1), -ENOMEM);
	assert_int_equal(mock->n_asked, 3);
	assert_int_equal(mock->asked_sizes[0], 1 << 20);
	assert_int_equal(mock->asked_sizes[1], 2 << 20);
	assert_int_equal(mock->asked_sizes[2], 16 << 20);
	mock->windows = 1;
	/* The window is ours, but our own limit leaves no room to map it. */
	assert_int_equal(getrlimit(RLIMIT_AS, &was), 0);
	none = (struct rlimit){ 1, was.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
	r = device_read(d, noc(9, 0, MARK_AT), &word, 1);
	assert_int_equal(setrlimit(RLIMIT_AS, &was), 0);
	assert_int_equal(r, -ENOBUFS);
	assert_int_equal(device_read(d, noc(9, 0, MARK_AT), &word, 1), 0);
	assert_int_equal(word, mark(9, 0, 0));
	bus_close(bus);
}

static void a_driver_without_windows_still_reads_a_wormhole(void **state)
{
	struct bus *bus = machine("0x401e", false);
	struct device *d = &bus->dev[0];
	uint32_t word;

	(void)state;
	attach_driver();
	mock->fail_allocate = EINVAL;
	put_bar0(0x1ff301d0, 0x10001000);
	acquired(d);
	assert_int_equal(device_read(d, bar0(0x1ff301d0), &word, 1), 0);
	assert_int_equal(word, 0x10001000);
	assert_int_equal(device_read(d, noc(9, 0, 0x1c), &word, 1), -EINVAL);
	bus_close(bus);
}

static void a_driver_without_windows_cannot_read_a_blackhole_and_says_which_can(void **state)
{
	struct bus *bus = machine("0xb140", false);
	struct error e = { 0 };

	(void)state;
	attach_driver();
	mock->fail_allocate = EINVAL;
	assert_int_equal(device_acquire(&bus->dev[0], &e), -EOPNOTSUPP);
	assert_non_null(strstr(e.text, "1.32"));
	assert_int_equal(kmd_card(&bus->dev[0])->fd, -1);
	bus_close(bus);
}

/* From a driver after 2.11, even if all windows are taken; tried once by the whole program. */
static void words_of_the_noc_are_read_by_the_drivers_own_call(void **state)
{
	struct bus *bus = machine("0xb140", false);
	struct device *d = &bus->dev[0];
	uint32_t words[3];
	struct error e;

	(void)state;
	attach_driver();
	mock->fail_noc = 0;
	mock->fail_allocate = ENOMEM;
	acquired(d);
	assert_int_equal(mock->noc_calls, 1);
	assert_int_equal(device_read(d, noc(8, 0, 0x80030400), words, 3), 0);
	assert_int_equal(words[2], mark(8, 0, 0x80030408));
	assert_int_equal(mock->noc_calls, 4);
	/* What has worked is refused for a reason, and no window is asked for. */
	mock->fail_noc = EINVAL;
	assert_int_equal(device_read(d, noc(8, 0, 0x80030400), words, 3), -EINVAL);
	assert_int_equal(mock->noc_calls, 5);
	mock->fail_noc = ENODEV;
	assert_int_equal(device_read(d, noc(8, 0, 0x80030400), words, 3), -ENODEV);
	assert_int_equal(kmd_card(d)->fd, -1);
	/* A chip that answers late and with ones is left alone after a word. */
	mock->fail_noc = 0;
	mock->noc_is_late = true;
	put_bar0(0x1fd04044, UINT32_MAX);
	acquired(d);
	assert_int_equal(device_read(d, noc(8, 0, 0x80030400), words, 3), -ETIMEDOUT);
	assert_int_equal(device_read(d, noc(8, 0, 0x80030400), words, 3), -ETIMEDOUT);
	assert_int_equal(mock->noc_calls, 7);
	device_release(d);
	assert_int_equal(mock->n_asked, 0);
	/* Attached anew, it is another driver's: one that has neither. */
	assert_int_equal(d->ops->attach(d), 0);
	mock->fail_noc = ENOTTY;
	assert_int_equal(device_acquire(d, &e), -ENOMEM);
	mock->fail_noc = EACCES;
	assert_int_equal(d->ops->attach(d), 0);
	assert_int_equal(device_acquire(d, &e), -EACCES);
	assert_non_null(strstr(e.text, "refuses to read a register"));
	assert_false(mock->bad);
	bus_close(bus);
}

static void a_stale_handle_is_given_back_and_can_be_taken_anew(void **state)
{
	struct bus *bus = machine("0xb140", false);
	struct device *d = &bus->dev[0];
	uint32_t word;

	(void)state;
	attach_driver();
	acquired(d);
	mock->fail_configure = ENODEV;
	assert_int_equal(device_read(d, noc(8, 0, 0x80000000 + MARK_AT), &word, 1), -ENODEV);
	assert_int_equal(kmd_card(d)->fd, -1);
	assert_int_equal(device_read(d, noc(8, 0, 0x80000000 + MARK_AT), &word, 1), -EBADF);
	mock->fail_configure = 0;
	acquired(d);
	assert_int_equal(device_read(d, noc(8, 0, 0x80000000 + MARK_AT), &word, 1), 0);
	mock->fail_query = ENODEV;
	device_release(d);
	assert_int_equal(device_acquire(d, NULL), -ENODEV);
	bus_close(bus);
}

/* After a reset the numbers of nodes are handed out anew. */
static void a_node_that_became_another_cards_is_not_read(void **state)
{
	static const struct {
		uint16_t bus_dev_fn, domain;
		uint32_t size;
		int want;
	} cases[] = { { 0x0200, 0, 20, -ENODEV }, { 0x0108, 0, 20, -ENODEV },
		{ 0x0100, 2, 20, -ENODEV }, { 0x0100, 2, 16, 0 }, { 0x0100, 0, 20, 0 } };
		/* 16: a driver before 1.23 */
	struct bus *bus = machine("0x401e", false);

	(void)state;
	attach_driver();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct error e = { 0 };

		mock->bus_dev_fn = cases[i].bus_dev_fn;
		mock->domain = cases[i].domain;
		mock->info_size = cases[i].size;
		assert_int_equal(device_acquire(&bus->dev[0], &e), cases[i].want);
		assert_true(!cases[i].want == !*e.text);
		device_release(&bus->dev[0]);
	}
	assert_false(mock->bad);
	bus_close(bus);
}

static void passive_opens_no_node(void **state)
{
	struct bus *bus = machine("0xb140", true);
	struct error e = { 0 };
	char text[ATTR_TEXT];

	(void)state;
	attach_driver();
	assert_int_equal(device_acquire(&bus->dev[0], &e), -EPERM);
	assert_non_null(strstr(e.text, "passive"));
	assert_int_equal(kmd_card(&bus->dev[0])->fd, -1);
	assert_int_equal(device_attr(&bus->dev[0], ATTR_TT_AICLK, text, sizeof(text)), 3);
	bus_close(bus);
}

static void a_store_goes_through_a_mapping_of_its_own(void **state)
{
	struct bus *bus = machine("0x401e", false);
	struct device *d = &bus->dev[0];
	uint32_t word = 0;

	(void)state;
	attach_driver();
	acquired(d);
	assert_int_equal(device_read(d, bar0(0x1ff30060), &word, 1), 0);
	assert_null(kmd_card(d)->bar0[KMD_STORE]);
	assert_int_equal(device_write(d, bar0(0x1ff30074), 0xaa2c), 0);
	assert_non_null(kmd_card(d)->bar0[KMD_STORE]);
	assert_int_equal(device_read(d, bar0(0x1ff30074), &word, 1), 0);
	assert_int_equal(word, 0xaa2c);
	assert_int_equal(device_write(d, bar0(0x1ff30060), 1), -EPERM);
	assert_int_equal(device_write(d, noc(9, 0, 0x11080), 1), 0);
	assert_int_equal(device_write(d, noc(9, 0, 0x11000), 1), -EPERM);
	bus_close(bus);
}

static void a_plain_file_is_no_device_node_and_says_so(void **state)
{
	struct bus *bus = machine("0xb140", false);
	struct error e = { 0 };

	(void)state;
	assert_int_equal(device_acquire(&bus->dev[0], &e), -ENOTTY);
	assert_non_null(strstr(e.text, "is not a device node"));
	bus_close(bus);
}

/* Driver-behaviour 3: a handle that votes for power is one without O_APPEND. */
static void the_node_is_opened_active_only_when_asked_for(void **state)
{
	struct bus *bus = machine("0x401e", false);
	struct device *d = &bus->dev[0];
	struct error e = { 0 };
	int flags;

	(void)state;
	attach_driver();
	assert_int_equal(device_acquire_for(d, ACCESS_BURN, DEVICE_ACTIVE, &e), 0);
	flags = fcntl(kmd_card(d)->fd, F_GETFL);
	assert_false(flags & O_APPEND);
	assert_true(flags & O_NONBLOCK);
	assert_int_equal(device_acquire(d, &e), -EBUSY);
	bus_close(bus);
}

/* Each kind is one ioctl, whose 16 bytes are these. */
static void a_reset_is_asked_for_by_the_drivers_own_flag(void **state)
{
	static const struct {
		enum device_reset kind;
		uint32_t flags;
	} cases[] = { { DEVICE_RESTORE_STATE, 0 }, { DEVICE_RESET_LINK, 1 },
		{ DEVICE_CONFIG_WRITE, 2 }, { DEVICE_USER_RESET, 3 }, { DEVICE_ASIC_RESET, 4 },
		{ DEVICE_DMC_RESET, 5 }, { DEVICE_POST_RESET, 6 } };
	struct bus *bus = machine("0xb140", false);
	struct device *d = &bus->dev[0];
	uint32_t result;

	(void)state;
	attach_driver();
	/* While a reset is under way the driver answers nothing about mappings. */
	mock->fail_query = mock->fail_allocate = ENODEV;
	assert_int_equal(device_acquire_for(d, ACCESS_RESET, DEVICE_PASSIVE, NULL), 0);
	assert_true(fcntl(kmd_card(d)->fd, F_GETFL) & O_APPEND);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const uint32_t sent[4] = { 8, cases[i].flags, 0, 0 };

		mock->result = (uint32_t)i % 2;
		assert_int_equal(device_reset(d, cases[i].kind, &result), 0);
		assert_int_equal(result, i % 2);
		assert_int_equal(mock->resets, i + 1);
		assert_memory_equal(mock->reset, sent, sizeof(sent));
	}
	mock->fail_reset = EINVAL;
	assert_int_equal(device_reset(d, DEVICE_ASIC_RESET, &result), -EINVAL);
	/* Whether to go on after a signal is the caller's to say. */
	mock->fail_reset = EINTR;
	assert_int_equal(device_reset(d, DEVICE_ASIC_RESET, &result), -EINTR);
	assert_int_equal(mock->resets, ARRAY_LEN(cases) + 2);
	assert_int_equal(mock->n_asked, 0);
	device_release(d);
	assert_int_equal(device_reset(d, DEVICE_ASIC_RESET, &result), -EBADF);
	mock->fail_query = mock->fail_allocate = 0;
	acquired(d);
	assert_int_equal(device_reset(d, DEVICE_ASIC_RESET, &result), -EPERM);
	bus_close(bus);
}

/* A process that is forked beside threads has whatever they held at that moment. */
static unsigned count_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	unsigned n = 0;

	assert_non_null(d);
	for (const struct dirent *entry; (entry = readdir(d));)
		n += *entry->d_name != '.';
	closedir(d);
	return n;
}

static void start_agent(struct child *a, struct bus *bus)
{
	struct error e = { 0 };

	assert_int_equal(count_threads(), 1);
	if (agent_start(a, &bus->dev[0], CLOCK_SECOND, false, &e) < 0)
		fail_msg("%s", e.text);
}

static void end_agent(struct child *a)
{
	child_kill(a);
	child_end(a, 5 * CLOCK_SECOND);
}

/* What an order led to; its process answers within seconds or the test fails. */
static struct agent_report obey(struct child *a, enum agent_order order, enum plan_method method)
{
	struct agent_report report;
	int n = 0;

	assert_int_equal(agent_order(a, order, method, CLOCK_SECOND), 0);
	for (int i = 0; i < 3000 && n == 0; i++) {
		n = agent_take(a, &report);
		usleep(10000);
	}
	assert_int_equal(n, 1);
	assert_int_equal(report.order, order);
	return report;
}

/*
 * The firmware of a Wormhole behind the old drivers: it takes messages in its scratch
 * registers (chip-facts 4.1), and the second one of a reset resets the chip.
 */
#define UNIT	  0x1ff30000u
#define POST_CODE 0x60
#define MESSAGE	  0x74
#define MISC_CNTL 0x100

static struct {
	atomic_bool ends;
	pthread_t thread;
	unsigned n;
	uint8_t took[8];
} firmware;

static void *play_firmware(void *arg)
{
	uint32_t word;

	(void)arg;
	while (!atomic_load(&firmware.ends)) {
		usleep(200);
		if (pread(node, &word, 4, MAP_BAR0 + UNIT + MISC_CNTL) != 4 ||
			!(word & 1u << 16) ||
			pread(node, &word, 4, MAP_BAR0 + UNIT + MESSAGE) != 4 ||
			(word & 0xffffff00) != 0xaa00)
			continue;
		if (firmware.n < sizeof(firmware.took))
			firmware.took[firmware.n++] = word & 0xff;
		if ((word & 0xff) == 0x56)
			put_config(0);
		put_bar0(UNIT + MISC_CNTL, 0);
		put_bar0(UNIT + MESSAGE, word & 0xff);
	}
	return NULL;
}

static void start_firmware(void)
{
	memset(&firmware, 0, sizeof(firmware));
	put_bar0(UNIT + POST_CODE, 0xc0de0000);
	put_bar0(UNIT + MESSAGE, 0);
	put_bar0(UNIT + MISC_CNTL, 0);
	assert_int_equal(pthread_create(&firmware.thread, NULL, play_firmware, NULL), 0);
}

static void stop_firmware(void)
{
	atomic_store(&firmware.ends, true);
	pthread_join(firmware.thread, NULL);
}

/* The plan for this driver, carried out: each ioctl's 16 bytes, in order (chip-facts 5.2, 5.3). */
static void each_driver_gets_its_own_sequence(void **state)
{
	static const struct {
		const char *chip, *driver;
		bool dmc, noreset;
		uint32_t flags[4];
		size_t n;
		bool answers;	/* the firmware */
	} cases[] = {
		{ "0xb140", "2.10.0", false, false, { 4, 6 }, 2, false },
		{ "0xb140", "2.8.0", false, false, { 4, 6 }, 2, false },
		{ "0xb140", "2.4.1", true, false, { 5, 6 }, 2, false },
		{ "0xb140", "2.8.0", true, false, { 5, 6 }, 2, false },
		{ "0xb140", "2.4.1", false, false, { 4, 6 }, 2, false },
		{ "0xb140", "2.0.0", false, false, { 2, 0 }, 2, false },
		/* POST_RESET leaves the marker: the card is opened again all the same. */
		{ "0xb140", "2.10.0", false, true, { 4, 6, 0 }, 3, false },
		{ "0x401e", "2.4.1", false, false, { 4, 6 }, 2, false },
		{ "0x401e", "2.8.0", false, false, { 4, 6 }, 2, false },
		{ "0x401e", "2.10.0", false, true, { 4, 6, 0 }, 3, false },
		{ "0x401e", "2.10.0", true, false, { 5, 6 }, 2, false },
		/* Between link reset and RESTORE_STATE the firmware gets two messages. */
		{ "0x401e", "1.29", false, false, { 1, 0 }, 2, true },
		{ "0x401e", "2.0.0", false, false, { 1, 0 }, 2, true },
		/* One that does not answer is never told to reset. */
		{ "0x401e", "1.29", false, false, { 1 }, 1, false },
		{ "0x401e", "2.0.0", false, false, { 1 }, 1, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bus *bus = machine(cases[i].chip, false);
		const struct plan_wish wish = { .dmc = cases[i].dmc };
		struct snapshot s = { .local = -1, .chip = bus->dev[0].chip,
			.bdf = "0000:01:00.0" };
		struct fleet f = { .n = 1, .chips = &s, .driver = cases[i].driver,
			.origin = &origin_machine };
		bool wanted[DEVICE_MAX] = { true };
		struct agent_report report;
		enum plan_method method;
		struct error e = { 0 };
		struct child a;
		static struct reset_plan p;	/* large */

		attach_driver();
		mock->has_config = true;
		mock->noreset = cases[i].noreset;
		put_config(7);
		assert_int_equal(plan_make(&p, &f, wanted, &wish, &e), 0);
		method = p.cards[0].ladder[0];
		start_agent(&a, bus);
		if (cases[i].answers)
			start_firmware();
		report = obey(&a, AGENT_FIRE, method);
		if (cases[i].n > 1) {
			assert_int_equal(report.error, 0);
			report = obey(&a, AGENT_WAIT, method);
			assert_int_equal(report.was_reset, !cases[i].noreset);
			obey(&a, AGENT_POST, method);
		} else {
			assert_true(report.error < 0);
		}
		assert_int_equal(mock->n_order, cases[i].n);
		for (size_t k = 0; k < cases[i].n; k++) {
			const uint32_t sent[4] = { 8, cases[i].flags[k], 0, 0 };

			assert_memory_equal(mock->order[k], sent, sizeof(sent));
		}
		if (cases[i].answers) {
			stop_firmware();
			assert_int_equal(firmware.n, 2);
			assert_int_equal(firmware.took[0], 0xa3);
			assert_int_equal(firmware.took[1], 0x56);
		}
		end_agent(&a);
		bus_close(bus);
		tear_down(state);
		set_up(state);
	}
}

static uint32_t get_bar0(uint64_t addr)
{
	uint32_t word;

	assert_int_equal(pread(node, &word, 4, (off_t)(MAP_BAR0 + addr)), 4);
	return word;
}

/* Messages and registers alone: the driver is asked for nothing (tt-tools-common's sequence). */
static void a_grayskulls_cores_are_reset_without_the_driver(void **state)
{
	static const uint8_t messages[] = { 0x57, 0xbb, 0xbb, 0x57 };
	static const uint32_t mask[8] = { 0xff3ff3ff, 0xf3ff3ff3, 0x3ff3ff3f, 0xff3ff3ff,
		0x3ff3, 0x0, 0x0, 0x0 };
	struct bus *bus = machine("0xfaca", false);
	struct agent_report report;
	struct child a;

	(void)state;
	attach_driver();
	mock->has_config = true;
	put_config(7);
	start_agent(&a, bus);
	start_firmware();
	report = obey(&a, AGENT_FIRE, PLAN_TENSIX);
	assert_string_equal(report.text, "");
	assert_int_equal(report.error, 0);
	report = obey(&a, AGENT_WAIT, PLAN_TENSIX);
	assert_true(report.was_reset);
	stop_firmware();
	assert_int_equal(mock->resets, 0);
	assert_int_equal(firmware.n, sizeof(messages));
	assert_memory_equal(firmware.took, messages, sizeof(messages));
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(get_bar0(UNIT + 0x20 + 4 * i), UINT32_MAX);
		assert_int_equal(get_bar0(UNIT + 0x40 + 4 * i), mask[i]);
	}
	assert_int_equal(get_bar0(UNIT + 0x08), 3);
	/* Window 184, from 0xff000000 on: soft resets, and the port to either network. */
	assert_int_equal(get_bar0(0x1db121b0), 0x47800);
	assert_int_equal(get_bar0(0x1db20108), 1);
	assert_int_equal(get_bar0(0x1db30108), 0x1000);
	assert_int_equal(get_bar0(0x1db20110), 0x041);
	assert_int_equal(get_bar0(0x1db30110), 0x820);
	assert_int_equal(get_bar0(0x1dff4104), 0xf01);
	assert_int_equal(get_bar0(0x1ff50108), 1);
	assert_int_equal(get_bar0(0x1ff58110), 0x820);
	assert_int_equal(get_bar0(0x1fd08104), 0xf01);
	end_agent(&a);
	bus_close(bus);
}

/* The driver's own lock, which programs in other containers meet. */
static void a_card_that_another_container_resets_is_not_reset(void **state)
{
	static const struct {
		const char *driver;
		uint8_t free;
		unsigned shut, locks;		/* how often it is asked: 0 any */
		int error;
	} cases[] = {
		{ "2.10.0", 1, 0, 1, 0 },
		{ "2.8.0", 0, 0, 1, -EALREADY },
		/* The other reset ends while we wait; or one was left half-way and never ends. */
		{ "2.10.0", 0, 3, 4, -EALREADY },
		{ "2.10.0", 1, 3, 4, 0 },
		{ "2.10.0", 1, UINT_MAX, 0, 0 },
		/* These take a card off the bus in a reset: nothing is kept open. */
		{ "2.7.0", 0, 0, 0, 0 },
	};
	static const uint8_t sent[16] = { 4, 0, 0, 0, 0, 0, 0, 0, 63 };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bus *bus = machine("0xb140", false);
		struct agent_report report;
		struct child a;

		attach_driver();
		snprintf(bus->driver, sizeof(bus->driver), "%s", cases[i].driver);
		mock->has_config = true;
		mock->lock_value = cases[i].free;
		mock->lock_shut = cases[i].shut;
		put_config(7);
		start_agent(&a, bus);
		report = obey(&a, AGENT_FIRE, PLAN_ASIC);
		assert_int_equal(report.error, cases[i].error);
		assert_int_equal(report.has_begun, cases[i].error == 0);
		assert_int_equal(mock->n_order, cases[i].error == 0);
		if (cases[i].locks)
			assert_int_equal(mock->locks, cases[i].locks);
		if (mock->locks)
			assert_memory_equal(mock->lock, sent, sizeof(sent));
		else
			assert_string_equal(cases[i].driver, "2.7.0");
		if (cases[i].shut == UINT_MAX)
			assert_non_null(strstr(report.text, "an earlier reset of it never ended"));
		end_agent(&a);
		bus_close(bus);
		tear_down(state);
		set_up(state);
	}
}

static void the_drivers_lock_outlives_the_handle_and_ends_with_the_bus(void **state)
{
	struct bus *bus = machine("0xb140", false);
	struct device *d = &bus->dev[0];
	int fd;

	(void)state;
	attach_driver();
	mock->lock_value = 1;
	assert_int_equal(device_claim(d), -EBADF);
	acquired(d);
	assert_int_equal(device_claim(d), -EPERM);
	device_release(d);
	assert_int_equal(device_acquire_for(d, ACCESS_RESET, DEVICE_PASSIVE, NULL), 0);
	assert_int_equal(device_claim(d), 0);
	fd = kmd_card(d)->claim;
	device_release(d);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	/* It is ours already. */
	assert_int_equal(device_acquire_for(d, ACCESS_RESET, DEVICE_PASSIVE, NULL), 0);
	mock->lock_value = 0;
	assert_int_equal(device_claim(d), 0);
	assert_int_equal(mock->locks, 1);
	bus_close(bus);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

/* The driver takes mappings away in a reset (chip-facts 1.9): the next access faults. */
static void a_mapping_that_vanishes_ends_an_access_and_no_process(void **state)
{
	struct bus *bus = machine("0x401e", false);
	struct device *d = &bus->dev[0];
	const uint32_t block[4] = { 0 };
	uint32_t word;

	(void)state;
	attach_driver();
	for (int i = 0; i < 3; i++) {
		assert_int_equal(device_acquire_for(d, ACCESS_BURN, DEVICE_PASSIVE, NULL), 0);
		put_bar0(0x1ff30060, 7);
		assert_int_equal(device_read(d, bar0(0x1ff30060), &word, 1), 0);
		assert_int_equal(device_write_block(d, noc(1, 1, 0x20000), block, 4), 0);
		assert_int_equal(ftruncate(node, 0), 0);
		if (i == 0)
			assert_int_equal(device_read(d, bar0(0x1ff30060), &word, 1), -ENODEV);
		if (i == 1)
			assert_int_equal(device_write(d, bar0(0x1ff3006c), 1), -ENODEV);
		if (i == 2)
			assert_int_equal(device_write_block(d, noc(1, 1, 0x20000), block, 4),
				-ENODEV);
		/* The handle is worth nothing any more. */
		assert_int_equal(kmd_card(d)->fd, -1);
		assert_int_equal(device_read(d, bar0(0x1ff30060), &word, 1), -EBADF);
		assert_int_equal(ftruncate(node, MAP_COMBINED + (1 << 30)), 0);
	}
	bus_close(bus);
}

/* From the moment of a reset on nothing of the chip is mapped (chip-facts 1.9). */
static void a_reset_unmaps_the_chip_first(void **state)
{
	struct bus *bus = machine("0x401e", false);
	struct device *d = &bus->dev[0];
	uint32_t word, result;

	(void)state;
	attach_driver();
	assert_int_equal(device_acquire_for(d, ACCESS_RESET, DEVICE_PASSIVE, NULL), 0);
	put_bar0(0x1ff30060, 7);
	assert_int_equal(device_read(d, bar0(0x1ff30060), &word, 1), 0);
	assert_int_equal(word, 7);
	assert_int_equal(device_read(d, noc(9, 0, MARK_AT), &word, 1), 0);
	assert_int_equal(device_reset(d, DEVICE_ASIC_RESET, &result), 0);
	assert_null(kmd_card(d)->bar0[KMD_LOAD]);
	assert_int_equal(mock->freed, mock->allocated);
	assert_int_equal(mock->freed_at_reset, mock->allocated);
	bus_close(bus);
}

static void power_is_a_request_of_forty_bytes(void **state)
{
	static const uint8_t sent[40] = { 40, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0x05 };
	struct bus *bus = machine("0xb140", false);
	struct device *d = &bus->dev[0];

	(void)state;
	attach_driver();
	assert_int_equal(device_power(d, DEVICE_POWER_AICLK), -EBADF);
	acquired(d);
	assert_int_equal(device_power(d, DEVICE_POWER_AICLK | DEVICE_POWER_TENSIX), 0);
	assert_memory_equal(mock->power, sent, sizeof(sent));
	mock->fail_power = EINVAL;
	assert_int_equal(device_power(d, 0), -EINVAL);
	mock->fail_power = ENOTTY;
	assert_int_equal(device_power(d, 0), -EOPNOTSUPP);
	bus_close(bus);
}

/* Memory goes through the write-combined map of a window with its own ordering. */
static void blocks_and_multicasts_go_through_write_combined_maps(void **state)
{
	static uint32_t words[0x1000];
	const struct reg_rect all = { 1, 2, 16, 11 };
	struct bus *bus = machine("0xb140", false);
	struct device *d = &bus->dev[0];
	uint32_t got[2];

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(words); i++)
		words[i] = 0x5000000 + i;
	attach_driver();
	acquired(d);
	assert_int_equal(device_write_block(d, noc(1, 2, 0x20000), words, 1), -EPERM);
	assert_int_equal(device_multicast(d, all, 0x20000, words, 1), -EPERM);
	device_release(d);
	assert_int_equal(device_acquire_for(d, ACCESS_BURN, DEVICE_ACTIVE, NULL), 0);
	assert_int_equal(device_write_block(d, noc(1, 2, 0x20000), words, ARRAY_LEN(words)), 0);
	assert_int_equal(mock->last.ordering, KMD_ORDERING_RELAXED);
	assert_int_equal(mock->last.mcast, 0);
	assert_int_equal(mock->last.x_end, 1);
	assert_int_equal(mock->last.y_end, 2);
	assert_int_equal(pread(node, got, 8, MAP_COMBINED + mock->last_id * (2LL << 20) +
		0x20000 + 0x3ff8), 8);
	assert_int_equal(got[0], 0x5000ffe);
	assert_int_equal(got[1], 0x5000fff);

	assert_int_equal(device_multicast(d, all, 0xffb121b0, words, 1), 0);
	assert_int_equal(mock->last.mcast, 1);
	assert_int_equal(mock->last.ordering, KMD_ORDERING_STRICT);
	assert_int_equal(mock->last.addr, 0xffb121b0 & ~0x1fffffULL);
	assert_int_equal(mock->last.x_start, 1);
	assert_int_equal(mock->last.y_start, 2);
	assert_int_equal(mock->last.x_end, 16);
	assert_int_equal(mock->last.y_end, 11);
	assert_int_equal(pread(node, got, 4, MAP_COMBINED + mock->last_id * (2LL << 20) +
		(0xffb121b0 & 0x1fffff)), 4);
	assert_int_equal(got[0], 0x5000000);
	assert_int_equal(device_multicast(d, (struct reg_rect){ 0, 0, 16, 11 }, 0x20000, words, 1),
		-EPERM);
	assert_int_equal(device_multicast(d, (struct reg_rect){ 5, 2, 1, 11 }, 0x20000, words, 1),
		-EINVAL);
	/* Memory is read through such a map too, but in order, and across windows. */
	assert_int_equal(device_write_block(d, noc(17, 13, 0x1fe000), words, 0x1000), 0);
	memset(words, 0, sizeof(words));
	assert_int_equal(device_read_block(d, noc(17, 13, 0x1fe000), words, 0x800), 0);
	assert_int_equal(mock->last.ordering, KMD_ORDERING_STRICT);
	assert_int_equal(mock->last.x_end, 17);
	assert_int_equal(mock->last.y_end, 13);
	assert_int_equal(mock->last.addr, 0);
	assert_int_equal(pread(node, got, 4, MAP_COMBINED + mock->last_id * (2LL << 20) +
		0x1fe000), 4);
	assert_int_equal(words[0], got[0]);
	assert_int_equal(device_read_block(d, noc(17, 13, 0x1fe000), words, ARRAY_LEN(words)), 0);
	assert_int_equal(mock->last.addr, 0x200000);
	assert_int_equal(device_read_block(d, noc(17, 13, 0x1fe002), words, 1), -EINVAL);
	assert_int_equal(device_read_block(d, noc(17, 13, 0xff000000), words, 1), -EPERM);
	/* A load of the same memory is aimed anew, in order. */
	assert_int_equal(device_read(d, noc(1, 2, 0x20000), got, 1), 0);
	assert_int_equal(mock->last.mcast, 0);
	assert_int_equal(mock->last.ordering, KMD_ORDERING_STRICT);
	assert_false(mock->bad);
	bus_close(bus);
}

static void config_space_is_read_and_the_card_locked_by_its_file(void **state)
{
	static const uint8_t config[64] = { 0x52, 0x1e, 0x40, 0xb1, 0x47 };
	struct bus *bus = machine("0xb140", false);
	struct device *d = &bus->dev[0];
	struct error e = { 0 };
	uint8_t buf[80];
	char path[600];
	pid_t holder;
	int fd;

	(void)state;
	assert_int_equal(device_config(d, 0, buf, 64), -ENOENT);
	snprintf(path, sizeof(path), "%s/sys/devices/pci0000:00/0000:01:00.0/config",
		mock->root);
	fd = open(path, O_RDWR | O_CREAT, 0644);
	assert_int_equal(write(fd, config, sizeof(config)), sizeof(config));
	assert_int_equal(device_config(d, 0, buf, sizeof(buf)), 64);
	assert_memory_equal(buf, config, 64);
	assert_int_equal(device_config(d, 4, buf, 1), 1);
	assert_int_equal(buf[0] & DEVICE_CONFIG_MARKER, DEVICE_CONFIG_MARKER);

	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(device_lock(d, &holder, &e), -EBUSY);
	assert_int_equal(holder, getpid());
	assert_non_null(strstr(e.text, "is locked by process"));
	assert_int_equal(flock(fd, LOCK_UN), 0);
	assert_int_equal(device_lock(d, &holder, &e), 0);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
	/* The card left the bus and came back: its file is another. */
	assert_int_equal(unlink(path), 0);
	close(fd);
	fd = open(path, O_RDWR | O_CREAT, 0644);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(device_lock(d, &holder, &e), -EBUSY);
	assert_int_equal(flock(fd, LOCK_UN), 0);
	assert_int_equal(device_lock(d, &holder, &e), 0);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
	device_unlock(d);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	close(fd);
	bus_close(bus);
}

/* Where a load sits for as long as a completion times out, and then finds what is there. */
static uint8_t *late_page;
static unsigned late_loads;

static void on_fault(int signal)
{
	(void)signal;
	late_loads++;
	nanosleep(&(struct timespec){ .tv_nsec = 150000000 }, NULL);
	mprotect(late_page, 4096, PROT_READ);
}

/* driver-behaviour 15: a chip that hangs is asked by one load more, and no other. */
static void a_word_that_comes_late_and_all_ones_is_the_last_that_is_read(void **state)
{
	struct bus *bus = machine("0x401e", false);
	struct device *d = &bus->dev[0];
	uint32_t words[8] = { 0, 0, 7, 7, 7, 7, 7, 7 };

	(void)state;
	attach_driver();
	for (unsigned i = 2; i < ARRAY_LEN(words); i++)
		put_bar0(0x1fe80ff8 + 4 * i, UINT32_MAX);
	put_bar0(0x1ff30078, UINT32_MAX);
	acquired(d);
	assert_int_equal(device_read(d, bar0(0x1fe80ff8), words, 1), 0);
	late_page = (uint8_t *)(uintptr_t)kmd_card(d)->bar0[KMD_LOAD] + 0x1fe81000 - 0x1fd00000;
	assert_int_equal(mprotect(late_page, 4096, PROT_NONE), 0);
	late_loads = 0;
	signal(SIGSEGV, on_fault);
	assert_int_equal(device_read(d, bar0(0x1fe80ff8), words, ARRAY_LEN(words)), -ETIMEDOUT);
	signal(SIGSEGV, SIG_DFL);
	assert_int_equal(late_loads, 1);
	assert_int_equal(words[2], UINT32_MAX);
	assert_int_equal(words[3], 7);
	/* And the chip is left alone until it is taken anew. */
	assert_int_equal(device_read(d, bar0(0x1fe80ff8), words, 1), -ETIMEDOUT);
	device_release(d);
	acquired(d);
	/* In time, ones may be the truth. */
	assert_int_equal(device_read(d, bar0(0x1fe80ff8), words, ARRAY_LEN(words)), 0);
	bus_close(bus);
}

/* The map of a way of the window that was aimed last. */
static uint8_t *window_map(struct device *d, enum kmd_way way)
{
	for (size_t i = 0; i < KMD_WINDOWS; i++)
		if (kmd_card(d)->window[i].at[way])
			return (uint8_t *)(uintptr_t)kmd_card(d)->window[i].at[way];
	return NULL;
}

/* A healthy chip with memory full of ones; this process loses the processor for 150 ms. */
static void ones_that_come_late_from_a_chip_that_answers_are_read(void **state)
{
	static const struct {
		enum kmd_way way;
		off_t map;
		int (*read)(struct device *, struct reg_addr, uint32_t *, size_t);
	} ways[] = { { KMD_LOAD, MAP_WINDOW, device_read },
		{ KMD_COPY, MAP_COMBINED, device_read_block } };
	struct bus *bus = machine("0xb140", false);
	struct device *d = &bus->dev[0];
	uint32_t words[64], ones[64];

	(void)state;
	memset(ones, 0xff, sizeof(ones));
	attach_driver();
	assert_int_equal(device_acquire_for(d, ACCESS_BURN, DEVICE_ACTIVE, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		assert_int_equal(ways[i].read(d, noc(1, 2, 0x20000), words, 1), 0);
		assert_int_equal(pwrite(node, ones, sizeof(ones), ways[i].map +
			mock->last_id * (2LL << 20) + 0x20000), sizeof(ones));
		late_page = window_map(d, ways[i].way) + 0x20000;
		assert_int_equal(mprotect(late_page, 4096, PROT_NONE), 0);
		late_loads = 0;
		memset(words, 0, sizeof(words));
		signal(SIGSEGV, on_fault);
		assert_int_equal(ways[i].read(d, noc(1, 2, 0x20000), words, ARRAY_LEN(words)), 0);
		signal(SIGSEGV, SIG_DFL);
		assert_int_equal(late_loads, 1);
		assert_memory_equal(words, ones, sizeof(ones));
		/* Nor is the chip left alone afterwards. */
		assert_int_equal(ways[i].read(d, noc(1, 2, 0x20000), words, 1), 0);
	}
	bus_close(bus);
}

/* What the driver tells of its waiting, as 2.9 and later do. */
static void the_node_stays_shut_while_a_wormhole_may_power_down(void **state)
{
	static const struct {
		const char *device, *grace, *policy, *aiclk, *pids;
		int want;
	} cases[] = {
		{ "0x401e", "5000\n", "Y\n", "1000\n", "", -EINPROGRESS },
		{ "0x401e", "5000\n", "Y\n", "500\n", "", 0 },
		{ "0x401e", "5000\n", "Y\n", "1000\n", "1\n", 0 },	/* a process holds it */
		{ "0x401e", "0\n", "Y\n", "1000\n", "", 0 },
		{ "0x401e", "5000\n", "N\n", "1000\n", "", 0 },
		{ "0x401e", "5000\n", "Y\n", "4294967295\n", "", 0 },
		{ "0xb140", "5000\n", "Y\n", "1350\n", "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bus *bus;
		struct error e = { 0 };
		int r;

		if (i > 0)
			set_up(state);
		bus = machine(cases[i].device, false);
		attach_driver();
		put_file("/sys/module/tenstorrent/parameters/idle_power_down_grace_ms",
			cases[i].grace);
		put_file("/sys/module/tenstorrent/parameters/power_policy", cases[i].policy);
		put_file("/proc/driver/tenstorrent/0/pids", cases[i].pids);
		put_file(PCI_DEVICE "/tenstorrent/tenstorrent!0/tt_aiclk", cases[i].aiclk);
		r = device_acquire(&bus->dev[0], &e);
		if (r != cases[i].want)
			fail_msg("case %zu: %d %s", i, r, e.text);
		assert_true((kmd_card(&bus->dev[0])->fd >= 0) == (r == 0));
		device_release(&bus->dev[0]);
		/* A process that is about to reset the card waits for nothing. */
		assert_int_equal(device_acquire_for(&bus->dev[0], ACCESS_RESET, DEVICE_PASSIVE, &e),
			0);
		bus_close(bus);
		if (i + 1 < ARRAY_LEN(cases))
			tear_down(state);
	}
}

/* How often the node is opened in that time; virtual time passes between two tries. */
static unsigned count_opens(struct device *d, int64_t interval, int64_t time)
{
	const int64_t end = clock_mono() + time;
	unsigned n = 0;

	while (clock_mono() < end) {
		n += device_acquire(d, NULL) == 0;
		device_release(d);
		clock_sleep_until(clock_mono() + interval);
	}
	return n;
}

/* In the file that a reader keeps open. */
static void set_clock(const char *mhz)
{
	static const char at[] = PCI_DEVICE "/tenstorrent/tenstorrent!0/tt_aiclk";
	char path[600];
	int fd;

	snprintf(path, sizeof(path), "%s%s", mock->root, at);
	fd = open(path, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, mhz, strlen(mhz)), strlen(mhz));
	close(fd);
}

/* Time is virtual from this test on. */
static void a_command_of_ours_that_held_a_wormhole_for_30_s_lets_it_power_down(void **state)
{
	static const int64_t intervals[] = { 100 * CLOCK_MS, 500 * CLOCK_MS, 2 * CLOCK_SECOND };
	char cat[] = "cat", *argv[] = { cat, NULL }, text[32];
	struct bus *bus = machine("0x401e", false);
	struct device *d = &bus->dev[0];
	struct program program;
	struct error e;
	int ends[2];

	(void)state;
	setenv("TT_SMI_VIRTUAL_TIME", "1795000000", 1);
	clock_init();
	attach_driver();
	/* It ends with this process, however that ends. */
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(program_start(&program, argv, &e), 0);
	snprintf(text, sizeof(text), "%ld\n", (long)program.pid);
	put_file("/sys/module/tenstorrent/parameters/idle_power_down_grace_ms", "5000\n");
	for (size_t i = 0; i < ARRAY_LEN(intervals); i++) {
		const int64_t of = intervals[i];

		set_clock("1000\n");
		put_file("/proc/driver/tenstorrent/0/pids", text);
		assert_int_equal(count_opens(d, of, 30 * CLOCK_SECOND), 30 * CLOCK_SECOND / of);
		put_file("/proc/driver/tenstorrent/0/pids", "");
		assert_int_equal(count_opens(d, of, 5 * CLOCK_SECOND), 0);
		set_clock("500\n");
		assert_int_equal(count_opens(d, of, of), 1);
	}
	close(ends[0]);
	close(ends[1]);
	while (!program_has_ended(&program))
		sched_yield();
	bus_close(bus);
}

int main(int argc, char **argv)
{
	static const char preload[] = "libumockdev-preload";
	const char *have = getenv("LD_PRELOAD");
	const struct CMUnitTest tests[] = {
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		CASE(the_node_is_opened_so_that_it_asks_for_no_power),
		CASE(a_wormholes_registers_are_read_through_bar0_alone),
		CASE(a_blackholes_registers_are_read_through_windows),
		CASE(a_blackholes_tag_table_comes_through_the_driver),
		CASE(a_wormhole_tries_all_window_sizes),
		CASE(a_driver_without_windows_still_reads_a_wormhole),
		CASE(a_driver_without_windows_cannot_read_a_blackhole_and_says_which_can),
		CASE(words_of_the_noc_are_read_by_the_drivers_own_call),
		CASE(a_stale_handle_is_given_back_and_can_be_taken_anew),
		CASE(a_node_that_became_another_cards_is_not_read),
		CASE(passive_opens_no_node),
		CASE(a_store_goes_through_a_mapping_of_its_own),
		CASE(a_plain_file_is_no_device_node_and_says_so),
		CASE(the_node_is_opened_active_only_when_asked_for),
		CASE(a_word_that_comes_late_and_all_ones_is_the_last_that_is_read),
		CASE(ones_that_come_late_from_a_chip_that_answers_are_read),
		CASE(the_node_stays_shut_while_a_wormhole_may_power_down),
		CASE(a_reset_is_asked_for_by_the_drivers_own_flag),
		CASE(a_reset_unmaps_the_chip_first),
		CASE(a_grayskulls_cores_are_reset_without_the_driver),
		CASE(a_card_that_another_container_resets_is_not_reset),
		CASE(the_drivers_lock_outlives_the_handle_and_ends_with_the_bus),
		CASE(a_mapping_that_vanishes_ends_an_access_and_no_process),
		CASE(each_driver_gets_its_own_sequence),
		CASE(power_is_a_request_of_forty_bytes),
		CASE(blocks_and_multicasts_go_through_write_combined_maps),
		CASE(config_space_is_read_and_the_card_locked_by_its_file),
		CASE(a_command_of_ours_that_held_a_wormhole_for_30_s_lets_it_power_down),
	};

	(void)argc;
	if (!have || !strstr(have, preload)) {
		setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0", 1);
		execlp("umockdev-wrapper", "umockdev-wrapper", argv[0], (char *)NULL);
		puts("1..0 # SKIP umockdev-wrapper is not installed");
		return 0;
	}
	mock = mmap(NULL, sizeof(*mock), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (mock == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
