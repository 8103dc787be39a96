/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ui/tab.h"

const struct tab_ops *const tabs[UI_TABS] = {
	[UI_TAB_DEVICES] = &tab_devices,
	[UI_TAB_TELEMETRY] = &tab_telemetry,
	[UI_TAB_FIRMWARE] = &tab_firmware,
	[UI_TAB_PROCESSES] = &tab_processes,
	[UI_TAB_HISTORY] = &tab_history,
	[UI_TAB_MEMORY] = &tab_memory,
	[UI_TAB_LINKS] = &tab_links,
};
