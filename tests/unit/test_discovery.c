/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_discovery.c - cards found in recorded trees and in trees made by hand.
 */
#include "config.h"
#include "base/mem.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/program.h"
#include "device/bus.h"
#include "device/kmd/kmd.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/*
 * libpci left by its error hook leaks the folder it had open and its access;
 * there is no way to close them from outside.  Full stacks, so that this is
 * told from leaks of ours.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "fast_unwind_on_malloc=0";
}

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libpci.so";
}

static char tree[64];

static int make_tree(void **state)
{
	(void)state;
	snprintf(tree, sizeof(tree), "/tmp/test_discovery.XXXXXX");
	return mkdtemp(tree) && chmod(tree, 0755) == 0 ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static int remove_tree(void **state)
{
	(void)state;
	return nftw(tree, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void folder_of(char *path)
{
	char *slash = strrchr(path, '/');

	*slash = '\0';
	assert_int_equal(file_make_dirs(path, NULL), 0);
	*slash = '/';
}

static void put(const char *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(const char *text, const char *fmt, ...)
{
	char path[512];
	size_t len = (size_t)snprintf(path, sizeof(path), "%s", tree);
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	vsnprintf(path + len, sizeof(path) - len, fmt, ap);
	va_end(ap);
	folder_of(path);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void put_link(const char *target, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void put_link(const char *target, const char *fmt, ...)
{
	char path[512];
	size_t len = (size_t)snprintf(path, sizeof(path), "%s", tree);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path + len, sizeof(path) - len, fmt, ap);
	va_end(ap);
	folder_of(path);
	assert_int_equal(symlink(target, path), 0);
}

/* A function of the vendor; driver NULL: bound to none. */
static void put_function(const char *bdf, const char *device, const char *driver)
{
	char target[128];

	put("0x1e52\n", "/sys/devices/%s/vendor", bdf);
	put(device, "/sys/devices/%s/device", bdf);
	put("0x0040\n", "/sys/devices/%s/subsystem_device", bdf);
	snprintf(target, sizeof(target), "../../../devices/%s", bdf);
	put_link(target, "/sys/bus/pci/devices/%s", bdf);
	if (!driver)
		return;
	snprintf(target, sizeof(target), "../../bus/pci/drivers/%s", driver);
	put_link(target, "/sys/devices/%s/driver", bdf);
}

/* A card that the driver has taken, with or without a node. */
static void put_card(const char *bdf, const char *device, int n, bool node)
{
	char target[128];

	put_function(bdf, device, "tenstorrent");
	put("2.10.0\n", "/sys/module/tenstorrent/version");
	snprintf(target, sizeof(target), "../../../%s", bdf);
	put_link(target, "/sys/devices/%s/tenstorrent/tenstorrent!%d/device", bdf, n);
	snprintf(target, sizeof(target), "../../devices/%s/tenstorrent/tenstorrent!%d", bdf, n);
	put_link(target, "/sys/class/tenstorrent/tenstorrent!%d", n);
	if (node)
		put("", "/dev/tenstorrent/%d", n);
}

static struct bus *opened(const char *root)
{
	struct bus_config c = { .root = root };
	struct bus *bus = NULL;
	struct error e = { 0 };

	if (bus_open(&c, &bus, &e) < 0)
		fail_msg("%s", e.text);
	return bus;
}

static const char *text_of(struct device *d, enum attr a)
{
	static char text[ATTR_TEXT];
	ssize_t n = device_attr(d, a, text, sizeof(text));

	if (n < 0)
		snprintf(text, sizeof(text), "%s", strerrorname_np((int)-n));
	return text;
}

static struct bus *recorded(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/fixtures/sysfs/%s", getenv("top_srcdir"), name);
	return opened(path);
}

static void a_recorded_wormhole_is_read_as_it_was(void **state)
{
	struct bus *bus = recorded("wormhole");
	struct device *d = &bus->dev[0];

	(void)state;
	assert_int_equal(bus->n, 1);
	assert_string_equal(bus->driver, "2.10.1-pre");
	assert_string_equal(d->bdf, "0000:01:00.0");
	assert_int_equal(d->chip, DEVICE_WORMHOLE);
	assert_int_equal(d->node, 0);
	assert_int_equal(d->numa_node, -1);
	assert_int_equal(d->trouble, DEVICE_FINE);
	assert_string_equal(text_of(d, ATTR_TT_AICLK), "500");
	assert_string_equal(text_of(d, ATTR_TT_CARD_TYPE), "n150");
	assert_string_equal(text_of(d, ATTR_CONFIG_ID), "401e1e52");
	assert_string_equal(text_of(d, ATTR_HWMON_FAN), "ENOENT");
	assert_string_equal(text_of(d, ATTR_TT_THERM_TRIP_COUNT), "ENOENT");
	bus_close(bus);
}

static void a_recorded_blackhole_is_read_as_it_was(void **state)
{
	struct bus *bus = recorded("blackhole");
	struct device *d = &bus->dev[0];

	(void)state;
	assert_int_equal(bus->n, 1);
	assert_int_equal(d->chip, DEVICE_BLACKHOLE);
	assert_string_equal(text_of(d, ATTR_CONFIG_ID), "b1401e52");
	for (enum attr a = ATTR_NONE + 1; a < ATTR_COUNT; a++)
		assert_true(*text_of(d, a));
	assert_string_equal(text_of(d, ATTR_TT_ETH_FW_VER), "ENOENT");
	assert_string_not_equal(text_of(d, ATTR_PERF_SLV_RD_1), "ENOENT");
	assert_string_not_equal(text_of(d, ATTR_HWMON_TEMP), "ENOENT");
	bus_close(bus);
}

static void a_recorded_node_is_no_device_and_says_so(void **state)
{
	struct bus *bus = recorded("blackhole");
	struct error e = { 0 };

	(void)state;
	assert_int_equal(device_acquire(&bus->dev[0], &e), -ENOTTY);
	assert_non_null(strstr(e.text, "is not a device node"));
	bus_close(bus);
}

/* Archives and some checkouts turn a link into a file that holds its target. */
static void a_tree_whose_links_became_plain_files_is_read_too(void **state)
{
	struct bus *bus;

	(void)state;
	put("0x1e52\n", "/sys/devices/pci0000:00/0002:01:00.0/vendor");
	put("0xb140\n", "/sys/devices/pci0000:00/0002:01:00.0/device");
	put("x",
		"/sys/devices/pci0000:00/0002:01:00.0/tenstorrent/tenstorrent!4/pcie_perf_counters/"
		"slv_rd_data_word_sent0");
	put("800\n", "/sys/devices/pci0000:00/0002:01:00.0/tenstorrent/tenstorrent!4/tt_aiclk");
	put("../../../0002:01:00.0",
		"/sys/devices/pci0000:00/0002:01:00.0/tenstorrent/tenstorrent!4/device");
	put("41000\n", "/sys/devices/pci0000:00/0002:01:00.0/hwmon/hwmon7/temp1_input");
	put("../../devices/pci0000:00/0002:01:00.0/tenstorrent/tenstorrent!4",
		"/sys/class/tenstorrent/tenstorrent!4");
	put("../../../devices/pci0000:00/0002:01:00.0", "/sys/bus/pci/devices/0002:01:00.0");
	put("../../../devices/pci0000:00/0000:00:00.0", "/sys/bus/pci/devices/0000:00:00.0");
	put("0x8086\n", "/sys/devices/pci0000:00/0000:00:00.0/vendor");
	put("", "/dev/tenstorrent/4");
	bus = opened(tree);
	assert_int_equal(bus->n, 1);
	assert_string_equal(bus->dev[0].bdf, "0002:01:00.0");
	assert_int_equal(bus->dev[0].chip, DEVICE_BLACKHOLE);
	assert_int_equal(bus->dev[0].trouble, DEVICE_FINE);
	assert_string_equal(text_of(&bus->dev[0], ATTR_TT_AICLK), "800");
	assert_string_equal(text_of(&bus->dev[0], ATTR_HWMON_TEMP), "41000");
	assert_string_equal(text_of(&bus->dev[0], ATTR_PERF_SLV_RD_0), "x");
	bus_close(bus);
}

static void no_pci_no_driver_no_card_is_no_error(void **state)
{
	struct bus *bus = opened(tree);

	(void)state;
	assert_int_equal(bus->n, 0);
	assert_string_equal(bus->driver, "");
	assert_int_equal(bus_rescan(bus, NULL), 0);
	bus_close(bus);
}

static void a_root_that_is_not_there_is_an_error(void **state)
{
	struct bus_config c = { .root = "/proc/none/tree" };
	struct error e = { 0 };
	struct bus *bus;

	(void)state;
	assert_int_equal(bus_open(&c, &bus, &e), -ENOENT);
	assert_non_null(strstr(e.text, "/proc/none/tree"));
}

static void cards_come_in_bdf_order_whatever_their_nodes_and_domains(void **state)
{
	struct bus *bus;

	(void)state;
	put_card("0002:04:00.0", "0xb140\n", 0, true);
	put_card("0000:41:00.0", "0x401e\n", 2, true);
	put_card("0000:03:00.0", "0xb140\n", 10, true);
	put_function("0000:c1:00.0", "0xfaca\n", NULL);
	bus = opened(tree);
	assert_int_equal(bus->n, 4);
	assert_string_equal(bus->dev[0].bdf, "0000:03:00.0");
	assert_int_equal(bus->dev[0].node, 10);
	assert_int_equal(bus->dev[1].chip, DEVICE_WORMHOLE);
	assert_int_equal(bus->dev[1].node, 2);
	assert_int_equal(bus->dev[2].chip, DEVICE_GRAYSKULL);
	assert_string_equal(bus->dev[3].bdf, "0002:04:00.0");
	assert_int_equal(bus->dev[3].subsys_device, 0x40);
	for (int i = 0; i < 4; i++)
		assert_int_equal(bus->dev[i].index, i);
	bus_close(bus);
}

static void other_things_beside_the_nodes_are_passed_over(void **state)
{
	struct bus *bus;

	(void)state;
	put_card("0000:03:00.0", "0xb140\n", 0, true);
	put_link("../0", "/dev/tenstorrent/by-id/blackhole-0123456789abcdef");
	put("x", "/sys/class/tenstorrent/tenstorrent!x");
	put("x", "/sys/class/tenstorrent/tenstorrent!1x");
	put_link("nowhere", "/sys/class/tenstorrent/tenstorrent!5");
	put("x", "/sys/class/tenstorrent/README");
	bus = opened(tree);
	assert_int_equal(bus->n, 1);
	assert_int_equal(bus->dev[0].node, 0);
	bus_close(bus);
}

static void each_way_of_being_unreadable_has_its_reason(void **state)
{
	static const char *const advice[] = { "modprobe", "vfio-pci", "dmesg",
		"/dev/tenstorrent/3" };
	static const enum device_trouble trouble[] = { DEVICE_NO_DRIVER, DEVICE_GIVEN,
		DEVICE_NO_NODE, DEVICE_NO_NODE };
	struct bus *bus;
	char path[128];

	(void)state;
	put_function("0000:01:00.0", "0xb140\n", NULL);
	put_function("0000:02:00.0", "0xb140\n", "vfio-pci");
	put_function("0000:03:00.0", "0xb140\n", "tenstorrent");
	put_card("0000:04:00.0", "0xb140\n", 3, false);
	snprintf(path, sizeof(path), "%s/sys/module/tenstorrent/version", tree);
	unlink(path);
	bus = opened(tree);
	assert_int_equal(bus->n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(bus->dev[i].trouble, trouble[i]);
		assert_non_null(strstr(bus->dev[i].reason, advice[i]));
		assert_true(strlen(bus->dev[i].reason) < sizeof(bus->dev[i].reason) - 1);
	}
	assert_string_equal(text_of(&bus->dev[0], ATTR_TT_AICLK), "ENOENT");
	bus_close(bus);
}

static void a_grayskull_that_the_driver_leaves_alone_names_the_last_driver_for_it(void **state)
{
	struct bus *bus;

	(void)state;
	put_function("0000:01:00.0", "0xfaca\n", NULL);
	put("2.10.0\n", "/sys/module/tenstorrent/version");
	bus = opened(tree);
	assert_int_equal(bus->dev[0].trouble, DEVICE_NO_DRIVER);
	assert_non_null(strstr(bus->dev[0].reason, "2.1.0"));
	assert_non_null(strstr(bus->dev[0].reason, "2.10.0"));
	bus_close(bus);
}

static void a_node_that_is_not_ours_leaves_sysfs(void **state)
{
	char path[128];
	struct bus *bus;
	uid_t was = getuid();

	(void)state;
	put_card("0000:01:00.0", "0xb140\n", 0, true);
	put("800\n", "/sys/devices/0000:01:00.0/tenstorrent/tenstorrent!0/tt_aiclk");
	snprintf(path, sizeof(path), "%s/dev/tenstorrent/0", tree);
	assert_int_equal(chmod(path, 0), 0);
	if (was == 0)
		assert_int_equal(setresuid(65534, 65534, 0), 0);
	bus = opened(tree);
	assert_int_equal(bus->dev[0].trouble, DEVICE_NO_PERMISSION);
	assert_non_null(strstr(bus->dev[0].reason, "udev rule"));
	assert_string_equal(text_of(&bus->dev[0], ATTR_TT_AICLK), "800");
	bus_close(bus);
	if (was == 0)
		assert_int_equal(setresuid(0, 0, 0), 0);
}

/* A write lease makes the kernel answer as the driver does to a second opener (chip-facts 1.9). */
static void a_node_held_alone_by_another_is_not_waited_for(void **state)
{
	struct error e = { 0 };
	struct bus *bus;
	char path[128], go;
	int ready[2], done[2], leased;
	pid_t child;

	(void)state;
	put_card("0000:01:00.0", "0x401e\n", 0, true);
	snprintf(path, sizeof(path), "%s/dev/tenstorrent/0", tree);
	assert_int_equal(pipe(ready) | pipe(done), 0);
	child = fork();
	if (child == 0) {
		signal(SIGIO, SIG_IGN);
		go = fcntl(open(path, O_RDWR), F_SETLEASE, F_WRLCK) == 0 ? 'y' : 'n';
		if (write(ready[1], &go, 1) == 1)
			close(done[1]);
		_exit(read(done[0], &go, 1) != 0);
	}
	assert_true(read(ready[0], &go, 1) == 1);
	leased = go == 'y';
	bus = opened(tree);
	if (leased) {
		assert_int_equal(bus->dev[0].trouble, DEVICE_FINE);
		assert_int_equal(device_acquire(&bus->dev[0], &e), -EAGAIN);
		assert_non_null(strstr(e.text, "wants it alone"));
	}
	bus_close(bus);
	close(done[1]);
	waitpid(child, NULL, 0);
	for (int i = 0; i < 2; i++)
		close(ready[i]);
	close(done[0]);
	if (!leased)
		skip();	/* a file system without leases */
}

static void a_node_that_went_before_the_rescan_says_so(void **state)
{
	struct error e = { 0 };
	struct bus *bus;
	char path[128];

	(void)state;
	put_card("0000:01:00.0", "0xb140\n", 0, true);
	bus = opened(tree);
	snprintf(path, sizeof(path), "%s/dev/tenstorrent/0", tree);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(device_acquire(&bus->dev[0], &e), -ENOENT);
	assert_string_equal(e.text,
		"/dev/tenstorrent/0 has gone: the driver has let go of the card");
	bus_close(bus);
}

static void what_comes_and_goes_is_seen_by_a_rescan(void **state)
{
	struct bus *bus;
	char path[128];

	(void)state;
	put_card("0000:03:00.0", "0xb140\n", 0, false);
	bus = opened(tree);
	assert_int_equal(bus->dev[0].trouble, DEVICE_NO_NODE);
	assert_int_equal(bus_rescan(bus, NULL), 0);
	put("", "/dev/tenstorrent/0");
	put_card("0000:02:00.0", "0x401e\n", 1, true);
	assert_int_equal(bus_rescan(bus, NULL), 1);
	assert_int_equal(bus->n, 2);
	assert_int_equal(bus->dev[0].trouble, DEVICE_FINE);
	assert_string_equal(bus->dev[1].bdf, "0000:02:00.0");
	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/0000:03:00.0", tree);
	unlink(path);
	snprintf(path, sizeof(path), "%s/sys/class/tenstorrent/tenstorrent!0", tree);
	unlink(path);
	assert_int_equal(bus_rescan(bus, NULL), 1);
	assert_int_equal(bus->dev[0].trouble, DEVICE_GONE);
	assert_int_equal(bus->dev[1].trouble, DEVICE_FINE);
	bus_close(bus);
}

/* Whatever the order of the folder, which depends on the file system. */
static void cards_that_come_later_are_numbered_by_address(void **state)
{
	static const char *const later[] = { "0000:06:00.0", "0000:09:00.0", "0000:05:00.0",
		"0000:08:00.0", "0000:07:00.0" };
	struct bus *bus;

	(void)state;
	put_card("0000:0a:00.0", "0xb140\n", 0, false);
	bus = opened(tree);
	for (size_t i = 0; i < ARRAY_LEN(later); i++)
		put_card(later[i], "0xb140\n", (int)i + 1, false);
	assert_int_equal(bus_rescan(bus, NULL), 1);
	assert_int_equal(bus->n, 1 + ARRAY_LEN(later));
	for (size_t i = 2; i < bus->n; i++)
		assert_true(strcmp(bus->dev[i - 1].bdf, bus->dev[i].bdf) < 0);
	bus_close(bus);
}

static void attributes_are_text_of_any_kind_but_not_of_any_length(void **state)
{
	char big[ATTR_TEXT + 1];
	struct bus *bus;
	struct device *d;

	(void)state;
	memset(big, '9', sizeof(big));
	big[ATTR_TEXT] = '\0';
	put_card("0000:03:00.0", "0xb140\n", 0, true);
	put("4294967295\n", "/sys/devices/0000:03:00.0/tenstorrent/tenstorrent!0/tt_aiclk");
	put("\xff\xfe\n", "/sys/devices/0000:03:00.0/tenstorrent/tenstorrent!0/tt_serial");
	put(big, "/sys/devices/0000:03:00.0/tenstorrent/tenstorrent!0/tt_asic_id");
	put("", "/sys/devices/0000:03:00.0/tenstorrent/tenstorrent!0/tt_card_type");
	put("ab", "/sys/devices/0000:03:00.0/config");
	bus = opened(tree);
	d = &bus->dev[0];
	assert_string_equal(text_of(d, ATTR_TT_AICLK), "4294967295");
	assert_string_equal(text_of(d, ATTR_TT_SERIAL), "\xff\xfe");
	assert_string_equal(text_of(d, ATTR_TT_ASIC_ID), "EFBIG");
	assert_string_equal(text_of(d, ATTR_TT_CARD_TYPE), "");
	assert_string_equal(text_of(d, ATTR_CONFIG_ID), "EIO");
	assert_int_equal(device_attr(d, ATTR_COUNT, big, sizeof(big)), -EINVAL);
	bus_close(bus);
}

/* The file stays open, so a new value must come from reading it again. */
static void an_attribute_read_twice_tells_the_new_value(void **state)
{
	struct bus *bus;

	(void)state;
	put_card("0000:03:00.0", "0xb140\n", 0, true);
	put("800\n", "/sys/devices/0000:03:00.0/tenstorrent/tenstorrent!0/tt_aiclk");
	bus = opened(tree);
	assert_string_equal(text_of(&bus->dev[0], ATTR_TT_AICLK), "800");
	put("1350\n", "/sys/devices/0000:03:00.0/tenstorrent/tenstorrent!0/tt_aiclk");
	assert_string_equal(text_of(&bus->dev[0], ATTR_TT_AICLK), "1350");
	assert_string_equal(text_of(&bus->dev[0], ATTR_HWMON_TEMP), "ENOENT");
	put("41000\n", "/sys/devices/0000:03:00.0/hwmon/hwmon3/temp1_input");
	put("42000\n", "/sys/devices/0000:03:00.0/hwmon/hwmon12/temp1_input");
	transport_kmd.begin_sample(&bus->dev[0]);
	assert_string_equal(text_of(&bus->dev[0], ATTR_HWMON_TEMP), "41000");
	bus_close(bus);
}

/* Between two rescans a card may be pulled, or reset, and be back under the same name. */
static void a_card_that_left_and_came_back_is_read_where_it_is_now(void **state)
{
	struct bus *bus;
	char path[128];

	(void)state;
	put_card("0000:03:00.0", "0xb140\n", 0, true);
	put("16\n", "/sys/devices/0000:03:00.0/current_link_width");
	bus = opened(tree);
	assert_string_equal(text_of(&bus->dev[0], ATTR_LINK_WIDTH), "16");
	snprintf(path, sizeof(path), "%s/sys/devices/0000:03:00.0", tree);
	assert_int_equal(nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
	assert_string_equal(text_of(&bus->dev[0], ATTR_CONFIG_ID), "ENOENT");
	put("8\n", "/sys/devices/0000:03:00.0/current_link_width");
	put("\x52\x1e\x40\xb1", "/sys/devices/0000:03:00.0/config");
	transport_kmd.begin_sample(&bus->dev[0]);
	assert_string_equal(text_of(&bus->dev[0], ATTR_CONFIG_ID), "b1401e52");
	assert_string_equal(text_of(&bus->dev[0], ATTR_LINK_WIDTH), "8");
	bus_close(bus);
}

/* A card's folder is in its port's; its entry there is a link, or a file with its target. */
static void what_the_port_above_can_do_is_read_beside_the_card(void **state)
{
	static const char below[] = "../../../devices/pci0000:00/0000:02:01.0/0000:03:00.0";
	char from[128], to[128], entry[128];
	struct bus *bus;

	(void)state;
	put_card("0000:03:00.0", "0xb140\n", 0, true);
	put("16\n", "/sys/devices/0000:03:00.0/max_link_width");
	bus = opened(tree);
	assert_string_equal(text_of(&bus->dev[0], ATTR_LINK_WIDTH_MAX), "16");
	assert_string_equal(text_of(&bus->dev[0], ATTR_SLOT_WIDTH_MAX), "ENOENT");
	bus_close(bus);

	put("8\n", "/sys/devices/pci0000:00/0000:02:01.0/max_link_width");
	put("16.0 GT/s PCIe\n", "/sys/devices/pci0000:00/0000:02:01.0/max_link_speed");
	snprintf(from, sizeof(from), "%s/sys/devices/0000:03:00.0", tree);
	snprintf(to, sizeof(to), "%s/sys/devices/pci0000:00/0000:02:01.0/0000:03:00.0", tree);
	assert_int_equal(rename(from, to), 0);
	snprintf(entry, sizeof(entry), "%s/sys/bus/pci/devices/0000:03:00.0", tree);
	for (int as_file = 0; as_file < 2; as_file++) {
		assert_int_equal(unlink(entry), 0);
		if (as_file)
			put(below, "/sys/bus/pci/devices/0000:03:00.0");
		else
			put_link(below, "/sys/bus/pci/devices/0000:03:00.0");
		bus = opened(tree);
		assert_int_equal(bus->n, 1);
		assert_string_equal(text_of(&bus->dev[0], ATTR_LINK_WIDTH_MAX), "16");
		assert_string_equal(text_of(&bus->dev[0], ATTR_SLOT_WIDTH_MAX), "8");
		assert_string_equal(text_of(&bus->dev[0], ATTR_SLOT_SPEED_MAX), "16.0 GT/s PCIe");
		bus_close(bus);
	}
}

static void a_number_that_became_another_cards_tells_nothing_of_this_one(void **state)
{
	struct bus *bus;
	char path[128];

	(void)state;
	put_card("0000:03:00.0", "0xb140\n", 0, true);
	put("800\n", "/sys/devices/0000:03:00.0/tenstorrent/tenstorrent!0/tt_aiclk");
	bus = opened(tree);
	snprintf(path, sizeof(path), "%s/sys/class/tenstorrent/tenstorrent!0", tree);
	unlink(path);
	put_card("0000:04:00.0", "0xb140\n", 0, false);
	put("1350\n", "/sys/devices/0000:04:00.0/tenstorrent/tenstorrent!0/tt_aiclk");
	assert_string_equal(text_of(&bus->dev[0], ATTR_TT_AICLK), "ENODEV");
	bus_close(bus);
}

static void holders_come_from_the_drivers_list_once_each(void **state)
{
	struct bus *bus;
	pid_t pids[4];
	bool partial = true;

	(void)state;
	put_card("0000:03:00.0", "0xb140\n", 0, true);
	put("42\n42\n0\nrubbish\n7\n0\n-3\n99999999999\n", "/proc/driver/tenstorrent/0/pids");
	bus = opened(tree);
	assert_int_equal(device_holders(&bus->dev[0], pids, 4, &partial), 3);
	assert_int_equal(pids[0], 42);
	assert_int_equal(pids[1], 0);
	assert_int_equal(pids[2], 7);
	assert_false(partial);
	assert_int_equal(device_holders(&bus->dev[0], pids, 1, &partial), 1);
	bus_close(bus);
}

/* The head and rows as tt-kmd's mappings_seq_show() prints them. */
#define MAPPINGS_HEAD "WARNING: This file is for diagnostic purposes only.\n\n" \
	"PID      Comm             Type           Mapping Details\n" \
	"----     ----             ----           ---------------\n"

static void pinned_memory_is_added_up_for_each_process(void **state)
{
	static const struct {
		const char *rows;
		int result;
		int64_t bytes[4];	/* of 42, 7, 0 and 99 */
	} cases[] = {
		{ MAPPINGS_HEAD
		  "42       python3 train.py OPEN_FD       \n"
		  "42       python3 train.py PIN_PAGES      VA: 0x00007f00 -> PA: 0x0 (size=0x4000)\n"
		  "42       python3 train.py PIN_PAGES+IATU VA: 0x1 -> PA: 0x0 -> NOC: 0x0 (size=0x1000)\n"
		  "42       python3 train.py DMA_BUF        ID: 0   -> PA: 0x0 (size=0x2000)\n"
		  "42       python3 train.py TLB-alloc      ID: 3  \n"
		  "42       python3 train.py BAR            BAR0 UC (offset=0x0, size=0x100000)\n"
		  "42       python3 train.py OPEN_FD       \n"
		  "7        idle             OPEN_FD       \n"
		  "0        elsewhere        OPEN_FD       \n"
		  "0        elsewhere        PIN_PAGES      VA: 0x1 -> PA: 0x0 (size=0x1000)\n",
		  0, { 0x7000, 0, -1, -1 } },
		/* What the driver left out is not known, of that process alone. */
		{ MAPPINGS_HEAD
		  "42       python3          OPEN_FD       \n"
		  "                          ...locked, skipping details...\n"
		  "7        idle             OPEN_FD       \n"
		  "7        idle             PIN_PAGES      VA: 0x1 -> IOVA: 0x0 (size=0x1000)\n"
		  "                          ...TLBs busy, skipping...\n",
		  0, { -1, 0x1000, -1, -1 } },
		/* Another form says nothing at all. */
		{ "42 PIN_PAGES 0x4000\n", -EBADMSG, { -1, -1, -1, -1 } },
		{ MAPPINGS_HEAD "42       python3          PIN_PAGES      4 pages\n", -EBADMSG,
		  { -1, -1, -1, -1 } },
		{ NULL, -ENOENT, { -1, -1, -1, -1 } },
	};
	static const pid_t pids[] = { 42, 7, 0, 99 };
	struct bus *bus;

	(void)state;
	put_card("0000:03:00.0", "0xb140\n", 0, true);
	bus = opened(tree);
	for (size_t i = ARRAY_LEN(cases); i-- > 0;) {
		int64_t bytes[4];

		if (cases[i].rows)
			put(cases[i].rows, "/sys/kernel/debug/tenstorrent/0/mappings");
		assert_int_equal(device_pinned(&bus->dev[0], pids, 4, bytes), cases[i].result);
		for (size_t k = 0; k < 4; k++)
			assert_int_equal(bytes[k], cases[i].bytes[k]);
	}
	bus_close(bus);
}

static void holders_are_looked_for_below_proc_where_there_is_no_list(void **state)
{
	struct bus *bus;
	pid_t pids[4];
	bool partial;

	(void)state;
	put_card("0000:03:00.0", "0xb140\n", 1, true);
	bus = opened(tree);
	assert_int_equal(device_holders(&bus->dev[0], pids, 4, &partial), -ENOENT);
	put_link("/dev/tenstorrent/1", "/proc/123/fd/5");
	put_link("/dev/tenstorrent/1", "/proc/123/fd/6");
	put_link("/dev/tenstorrent/10", "/proc/124/fd/3");
	put_link("/dev/tenstorrent/1", "/proc/self/fd/3");
	assert_int_equal(device_holders(&bus->dev[0], pids, 4, &partial), 1);
	assert_int_equal(pids[0], 123);
	assert_false(partial);
	bus_close(bus);
}

static void a_proc_that_hides_processes_is_not_whole(void **state)
{
	char proc[512];

	(void)state;
	snprintf(proc, sizeof(proc), "%s/proc", tree);
	assert_false(kmd_proc_is_whole(proc));
	put_link("pid:[4026531836]", "/proc/self/ns/pid");
	assert_false(kmd_proc_is_whole(proc));	/* hidepid: not even init is there */
	put("init\n", "/proc/1/comm");
	assert_true(kmd_proc_is_whole(proc));
	snprintf(proc, sizeof(proc), "%s/container/proc", tree);
	put("init\n", "/container/proc/1/comm");
	put_link("pid:[4026532801]", "/container/proc/self/ns/pid");
	assert_false(kmd_proc_is_whole(proc));
}

static int wait_for_end(void *arg, int fd)
{
	char byte;

	(void)arg;
	return send(fd, "", 1, 0) != 1 || recv(fd, &byte, 1, 0) < 0;
}

/* Start a child of its own, and send its pid. */
static int wait_with_child(void *arg, int fd)
{
	const struct child_config how = { .run = wait_for_end, .dies_with_parent = true };
	struct child c;
	char byte;

	(void)arg;
	if (child_start(&c, &how, NULL) < 0 || recv(c.fd, &byte, 1, 0) != 1 ||
		send(fd, &c.pid, sizeof(c.pid), 0) < 0)
		return 1;
	recv(fd, &byte, 1, 0);
	child_end(&c, CLOCK_SECOND);
	return 0;
}

static void our_own_processes_are_no_holders_but_our_starter_may_be(void **state)
{
	const struct child_config how = { .run = wait_with_child, .dies_with_parent = true };
	struct bus *bus = opened(tree);
	const struct kmd *kmd = bus->priv;
	struct child child;
	pid_t grandchild;

	(void)state;
	assert_int_equal(child_start(&child, &how, NULL), 0);
	assert_int_equal(recv(child.fd, &grandchild, sizeof(grandchild), 0), sizeof(grandchild));
	assert_true(kmd_is_ours(kmd, getpid()));
	assert_true(kmd_is_ours(kmd, child.pid));
	assert_true(kmd_is_ours(kmd, grandchild));
	assert_false(kmd_is_ours(kmd, getppid()));
	assert_false(kmd_is_ours(kmd, 1));
	assert_false(kmd_is_ours(kmd, 0));
	child_end(&child, 10 * CLOCK_SECOND);
	bus_close(bus);
}

/* Each shell writes its pid and waits until the test closes its end. */
static int tell[2], hold[2];
static char sh[] = "sh", dash_c[] = "-c";

static void put_script(char *to, size_t size)
{
	snprintf(to, size, "echo $$ >&%d; read -r _ <&%d", tell[1], hold[0]);
}

/* As the program of --on-alert is started. */
static int become_shell(void *arg, int fd)
{
	char script[160], *argv[] = { sh, dash_c, script, NULL };
	struct error e;

	(void)arg, (void)fd;
	put_script(script, sizeof(script));
	return child_become("/bin/sh", argv, argv + 3, &e);
}

static pid_t read_pid(void)
{
	char text[32] = "";

	for (size_t n = 0; n + 1 < sizeof(text) && !strchr(text, '\n'); n++)
		assert_int_equal(read(tell[0], text + n, 1), 1);
	return (pid_t)strtol(text, NULL, 10);
}

static void a_command_that_a_user_named_is_a_holder_and_so_are_its_processes(void **state)
{
	char inner[160], outer[400], *argv[] = { sh, dash_c, outer, NULL };
	int kept[2];
	const struct child_config how = { .run = become_shell, .keep = kept, .n_keep = 2,
		.dies_with_parent = true };
	struct bus *bus = opened(tree);
	const struct kmd *kmd = bus->priv;
	struct program program;
	struct child hook;
	struct error e;

	(void)state;
	assert_int_equal(pipe(tell) | pipe(hold) | fcntl(hold[1], F_SETFD, FD_CLOEXEC), 0);
	kept[0] = tell[1];
	kept[1] = hold[0];
	/* The parent of the inner one ends, and it becomes our child. */
	put_script(inner, sizeof(inner));
	snprintf(outer, sizeof(outer), "(sh -c '%s' & :); %s", inner, inner);
	assert_int_equal(program_start(&program, argv, &e), 0);
	assert_false(kmd_is_ours(kmd, read_pid()));
	assert_false(kmd_is_ours(kmd, read_pid()));
	assert_false(kmd_is_ours(kmd, program.pid));
	assert_int_equal(child_start(&hook, &how, &e), 0);
	assert_int_equal(read_pid(), hook.pid);
	assert_false(kmd_is_ours(kmd, hook.pid));
	close(hold[0]);
	close(hold[1]);
	child_end(&hook, 10 * CLOCK_SECOND);
	while (!program_has_ended(&program))
		sched_yield();
	close(tell[0]);
	close(tell[1]);
	bus_close(bus);
}

static void what_is_no_function_beside_the_functions_is_passed_over(void **state)
{
	struct bus *bus;

	(void)state;
	put_card("0000:03:00.0", "0xb140\n", 0, true);
	put_function("0000:04:00.0", "0xb140\n", NULL);
	put("0x8086\n", "/sys/bus/pci/devices/0000:00:00.0/vendor");
	put("x", "/sys/bus/pci/devices/rubbish");
	put("x", "/sys/bus/pci/devices/0000:05:00.0.x");
	bus = opened(tree);
	assert_int_equal(bus->n, 2);
	assert_string_equal(bus->dev[1].bdf, "0000:04:00.0");
	assert_int_equal(bus->dev[1].chip, DEVICE_BLACKHOLE);
	bus_close(bus);
}

/* As in a container that has /proc and no /sys. */
static void without_sysfs_a_card_is_found_in_proc_and_says_what_is_missing(void **state)
{
	struct bus *bus;

	(void)state;
	put("0000\t80861237\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\n"
	    "0408\t1e52b140\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\ttenstorrent\n",
		"/proc/bus/pci/devices");
	bus = opened(tree);
	assert_int_equal(bus->n, 1);
	assert_string_equal(bus->dev[0].bdf, "0000:04:01.0");
	assert_int_equal(bus->dev[0].chip, DEVICE_BLACKHOLE);
	assert_int_equal(bus->dev[0].trouble, DEVICE_NO_DRIVER);
	assert_non_null(strstr(bus->dev[0].reason, "no sysfs here"));
	assert_true(strlen(bus->dev[0].reason) < sizeof(bus->dev[0].reason) - 1);
	assert_string_equal(text_of(&bus->dev[0], ATTR_CONFIG_ID), "ENOENT");
	assert_int_equal(bus_rescan(bus, NULL), 0);
	bus_close(bus);
}

/* libpci's own way with such a list is to print and to end the program. */
static void a_list_that_libpci_does_not_like_is_an_error_and_no_exit(void **state)
{
	struct bus_config c = { .root = tree };
	struct error e = { 0 };
	struct bus *bus;

	(void)state;
	put("rubbish\n", "/proc/bus/pci/devices");
	assert_int_equal(bus_open(&c, &bus, &e), -EIO);
	assert_non_null(strstr(e.text, "parse error"));
	assert_non_null(strstr(e.text, tree));
}

static void what_is_no_file_in_a_lists_place_is_not_waited_for(void **state)
{
	char path[128];
	struct bus *bus;

	(void)state;
	snprintf(path, sizeof(path), "%s/proc/bus/pci/devices", tree);
	folder_of(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(60);
	bus = opened(tree);
	assert_int_equal(bus->n, 0);
	bus_close(bus);
	put_function("0000:03:00.0", "0xb140\n", NULL);
	snprintf(path, sizeof(path), "%s/sys/devices/0000:03:00.0/vendor", tree);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	bus = opened(tree);
	assert_int_equal(bus->n, 0);
	bus_close(bus);
	alarm(0);
}

static void no_path_climbs_out_of_its_root(void **state)
{
	char path[KMD_PATH];

	(void)state;
	put("../../../../../../../../etc/passwd", "/sys/a");
	put("../b", "/sys/b");
	assert_int_not_equal(kmd_path(tree, path, sizeof(path), "/sys/a/x"), 0);
	assert_int_equal(strncmp(path, tree, strlen(tree)), 0);
	assert_int_not_equal(kmd_path(tree, path, sizeof(path), "/sys/b/x"), 0);
	assert_int_equal(kmd_path("/", path, sizeof(path), "/proc/version"), 0);
	assert_string_equal(path, "/proc/version");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorded_wormhole_is_read_as_it_was),
		cmocka_unit_test(a_recorded_blackhole_is_read_as_it_was),
		cmocka_unit_test(a_recorded_node_is_no_device_and_says_so),
		cmocka_unit_test(a_root_that_is_not_there_is_an_error),
		cmocka_unit_test_setup_teardown(
			a_tree_whose_links_became_plain_files_is_read_too, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(
			no_pci_no_driver_no_card_is_no_error, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(
			cards_come_in_bdf_order_whatever_their_nodes_and_domains, make_tree,
			remove_tree),
		cmocka_unit_test_setup_teardown(
			other_things_beside_the_nodes_are_passed_over, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(
			each_way_of_being_unreadable_has_its_reason, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(
			a_grayskull_that_the_driver_leaves_alone_names_the_last_driver_for_it,
			make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(
			a_node_that_is_not_ours_leaves_sysfs, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(
			a_node_held_alone_by_another_is_not_waited_for, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(
			what_comes_and_goes_is_seen_by_a_rescan, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(
			cards_that_come_later_are_numbered_by_address, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(
			attributes_are_text_of_any_kind_but_not_of_any_length, make_tree,
			remove_tree),
		cmocka_unit_test_setup_teardown(
			an_attribute_read_twice_tells_the_new_value, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(
			a_node_that_went_before_the_rescan_says_so, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(
			a_card_that_left_and_came_back_is_read_where_it_is_now, make_tree,
			remove_tree),
		cmocka_unit_test_setup_teardown(
			what_the_port_above_can_do_is_read_beside_the_card, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(
			a_number_that_became_another_cards_tells_nothing_of_this_one, make_tree,
			remove_tree),
		cmocka_unit_test_setup_teardown(
			holders_come_from_the_drivers_list_once_each, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(
			pinned_memory_is_added_up_for_each_process, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(
			holders_are_looked_for_below_proc_where_there_is_no_list, make_tree,
			remove_tree),
		cmocka_unit_test_setup_teardown(a_proc_that_hides_processes_is_not_whole, make_tree,
			remove_tree),
		cmocka_unit_test_setup_teardown(
			our_own_processes_are_no_holders_but_our_starter_may_be, make_tree,
			remove_tree),
		cmocka_unit_test_setup_teardown(
			a_command_that_a_user_named_is_a_holder_and_so_are_its_processes, make_tree,
			remove_tree),
		cmocka_unit_test_setup_teardown(
			what_is_no_function_beside_the_functions_is_passed_over, make_tree,
			remove_tree),
		cmocka_unit_test_setup_teardown(
			without_sysfs_a_card_is_found_in_proc_and_says_what_is_missing, make_tree,
			remove_tree),
		cmocka_unit_test_setup_teardown(
			a_list_that_libpci_does_not_like_is_an_error_and_no_exit, make_tree,
			remove_tree),
		cmocka_unit_test_setup_teardown(
			what_is_no_file_in_a_lists_place_is_not_waited_for, make_tree,
			remove_tree),
		cmocka_unit_test_setup_teardown(
			no_path_climbs_out_of_its_root, make_tree, remove_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
