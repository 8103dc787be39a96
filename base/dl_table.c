/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dl_table.c - every library that is loaded on demand.  Packages, doc/packaging.md and the tests
 * take the list from here (--dump-libraries).
 */
#include "config.h"
#include "base/dl.h"

const struct dl_library dl_libraries[DL_LIBRARIES] = {
	[DL_ARCHIVE] = { "Recommends", { "libarchive.so.13" }, "libarchive13",
		"for archives" },
	[DL_CJSON] = { "Depends", { "libcjson.so.1" }, "libcjson1",
		"to read JSON" },
	[DL_CURL] = { "Recommends", { "libcurl.so.4", "libcurl-gnutls.so.4" }, "libcurl4",
		"to ask over HTTP" },
	[DL_INIH] = { "Depends", { "libinih.so.1", "libinih.so.0" }, "libinih1",
		"to read the configuration" },
	[DL_MICROHTTPD] = { "Recommends", { "libmicrohttpd.so.12" }, "libmicrohttpd12",
		"to serve metrics over HTTP" },
	[DL_PCI] = { "Recommends", { "libpci.so.3" }, "libpci3",
		"to list the PCI functions" },
	/* Some systems have terminfo in its own library, others in curses. */
	[DL_TINFO] = { "Depends", { "libtinfo.so.6", "libncursesw.so.6" }, "libtinfo6",
		"to learn what the terminal can do" },
	/* The version of the header we were compiled with; Debian's package name contains it. */
	[DL_XLSXWRITER] = { "Recommends", { "libxlsxwriter.so." XLSX_SOVERSION },
		"libxlsxwriter" XLSX_SOVERSION, "to make the workbook (the CSV files are whole)" },
};
