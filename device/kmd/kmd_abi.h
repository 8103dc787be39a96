/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmd_abi.h - the driver's ioctl numbers and argument layouts, taken from
 * chip-facts 1.8 and upstream facts B (field names are the driver's).  Only the kmd_*.c files and
 * their test include it.
 *
 * On input output_size_bytes is the room after the input.  The driver clears
 * it and then fills in the fields it knows, so an older driver leaves zeros.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum kmd_ioctl {
	KMD_GET_DEVICE_INFO = 0xfa00,
	KMD_QUERY_MAPPINGS = 0xfa02,
	KMD_GET_DRIVER_INFO = 0xfa05,
	KMD_RESET_DEVICE = 0xfa06,
	KMD_LOCK_CTL = 0xfa08,
	KMD_ALLOCATE_TLB = 0xfa0b,	/* since 1.32, like the next two */
	KMD_FREE_TLB = 0xfa0c,
	KMD_CONFIGURE_TLB = 0xfa0d,
	KMD_SET_POWER_STATE = 0xfa0f,	/* since 2.6 */
	KMD_NOC_READ = 0xfa12,		/* after 2.11, like the next one */
	KMD_NOC_WRITE = 0xfa13
};

struct kmd_get_device_info {
	uint32_t output_size_bytes_in;
	uint32_t output_size_bytes;
	uint16_t vendor_id, device_id, subsystem_vendor_id, subsystem_id;
	uint16_t bus_dev_fn;		/* function in bits 0 to 2, device 3 to 7, bus 8 to 15 */
	uint16_t max_dma_buf_size_log2;
	uint16_t pci_domain;		/* since 1.23 */
	uint16_t reserved;
};
_Static_assert(sizeof(struct kmd_get_device_info) == 24, "driver ABI");
_Static_assert(offsetof(struct kmd_get_device_info, pci_domain) == 20, "driver ABI");

enum kmd_mapping_id {
	KMD_MAPPING_UNUSED,
	KMD_MAPPING_BAR0_UC, KMD_MAPPING_BAR0_WC,
	KMD_MAPPING_BAR2_UC, KMD_MAPPING_BAR2_WC,
	KMD_MAPPING_BAR4_UC, KMD_MAPPING_BAR4_WC,
	KMD_MAPPINGS
};

struct kmd_mapping {
	uint32_t mapping_id;		/* enum kmd_mapping_id */
	uint32_t reserved;
	uint64_t mapping_base;		/* offset for mmap() */
	uint64_t mapping_size;
};
_Static_assert(sizeof(struct kmd_mapping) == 24, "driver ABI");

struct kmd_query_mappings {
	uint32_t output_mapping_count;
	uint32_t reserved;
	struct kmd_mapping mappings[KMD_MAPPINGS];
};
_Static_assert(offsetof(struct kmd_query_mappings, mappings) == 8, "driver ABI");

struct kmd_allocate_tlb {
	uint64_t size;
	uint64_t reserved_in;
	uint32_t id;
	uint32_t reserved0;
	uint64_t mmap_offset_uc;
	uint64_t mmap_offset_wc;
	uint64_t reserved1;
};
_Static_assert(sizeof(struct kmd_allocate_tlb) == 48, "driver ABI");
_Static_assert(offsetof(struct kmd_allocate_tlb, mmap_offset_uc) == 24, "driver ABI");

struct kmd_free_tlb {
	uint32_t id;
};
_Static_assert(sizeof(struct kmd_free_tlb) == 4, "driver ABI");

enum kmd_ordering { KMD_ORDERING_RELAXED, KMD_ORDERING_STRICT, KMD_ORDERING_POSTED };

struct kmd_noc_tlb_config {
	uint64_t addr;
	uint16_t x_end, y_end, x_start, y_start;
	uint8_t noc, mcast, ordering, linked, static_vc;
	uint8_t reserved0[3];
	uint32_t reserved1[2];
};
_Static_assert(sizeof(struct kmd_noc_tlb_config) == 32, "driver ABI");

struct kmd_configure_tlb {
	uint32_t id;
	uint32_t reserved;
	struct kmd_noc_tlb_config config;
	uint64_t reserved_out;
};
_Static_assert(sizeof(struct kmd_configure_tlb) == 48, "driver ABI");
_Static_assert(offsetof(struct kmd_configure_tlb, config) == 8, "driver ABI");
_Static_assert(offsetof(struct kmd_configure_tlb, config.ordering) == 26, "driver ABI");

/* Flags of RESET_DEVICE (chip-facts 1.8.2); a driver that lacks one returns EINVAL. */
enum kmd_reset_flag {
	KMD_RESET_RESTORE_STATE = 0,
	KMD_RESET_PCIE_LINK = 1,	/* since 1.22 */
	KMD_RESET_CONFIG_WRITE = 2,	/* since 1.31; the next four since 2.4.0 */
	KMD_RESET_USER_RESET = 3,
	KMD_RESET_ASIC_RESET = 4,
	KMD_RESET_ASIC_DMC_RESET = 5,
	KMD_RESET_POST_RESET = 6
};

struct kmd_reset_device {
	uint32_t output_size_bytes_in;
	uint32_t flags;			/* enum kmd_reset_flag */
	uint32_t output_size_bytes;
	uint32_t result;		/* 0: done */
};
_Static_assert(sizeof(struct kmd_reset_device) == 16, "driver ABI");

/* Locks belong to an open file; a reset leaves them alone (chip-facts 1.8.1). */
enum kmd_lock_flag { KMD_LOCK_ACQUIRE, KMD_LOCK_RELEASE, KMD_LOCK_TEST };

enum { KMD_LOCK_RESET = 63 };		/* our own; upstream uses those up to 21 */

struct kmd_lock_ctl {
	uint32_t output_size_bytes_in;
	uint32_t flags;			/* enum kmd_lock_flag */
	uint8_t index;
	uint8_t reserved_in[3];
	uint8_t value;			/* 1: acquired */
	uint8_t reserved_out[3];
};
_Static_assert(sizeof(struct kmd_lock_ctl) == 16, "driver ABI");
_Static_assert(offsetof(struct kmd_lock_ctl, value) == 12, "driver ABI");

enum { KMD_POWER_FLAGS = 4 };		/* number of valid bits in power_flags */

struct kmd_power_state {
	uint32_t argsz;
	uint32_t flags;			/* 0 */
	uint8_t reserved0;		/* 0 */
	uint8_t validity;		/* low nibble: valid flags, high: valid settings */
	uint16_t power_flags;		/* highest clock, MRISC PHY, Tensix, L2CPU */
	uint16_t power_settings[14];
};
_Static_assert(sizeof(struct kmd_power_state) == 40, "driver ABI");
_Static_assert(offsetof(struct kmd_power_state, validity) == 9, "driver ABI");

/* One value on the NOC, read or written; registers take only 32 bits (tt-kmd PR 283, 291). */
struct kmd_noc_io {
	uint32_t argsz;
	uint32_t flags;			/* 0 */
	uint16_t x, y;			/* as in a window */
	uint8_t noc;
	uint8_t width;			/* bytes: 1, 2, 4 or 8; addr is a multiple of it */
	uint8_t reserved[2];		/* 0 */
	uint64_t addr, value;
};
_Static_assert(sizeof(struct kmd_noc_io) == 32, "driver ABI");
_Static_assert(offsetof(struct kmd_noc_io, addr) == 16, "driver ABI");
