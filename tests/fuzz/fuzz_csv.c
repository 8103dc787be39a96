/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_csv.c - the dump's CSV reader on any bytes: a line that is taken has to
 * be the same when it is written and read again.
 */
#include "config.h"
#include "output/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool truth)
{
	if (!truth)
		abort();
}

/* A reader of this text, which stands in a file without a name. */
static struct csv_reader *read_text(const char *text, size_t len)
{
	const int fd = memfd_create("csv", MFD_CLOEXEC);
	struct csv_reader *r = NULL;
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, text, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0)
		csv_read_open(path, &r, NULL);
	close(fd);
	return r;
}

/* Quotes alone, without the defusing that csv_put_text() adds. */
static void put_cell(struct strbuf *b, const char *text)
{
	strbuf_putc(b, '"');
	for (; *text; text++) {
		if (*text == '"')
			strbuf_putc(b, '"');
		strbuf_putc(b, *text);
	}
	strbuf_putc(b, '"');
}

static void again(const char *const *cells, size_t n)
{
	struct strbuf b = { 0 };
	const char *const *back;
	struct csv_reader *r;
	size_t m;

	for (size_t i = 0; i < n; i++) {
		if (i)
			strbuf_putc(&b, ',');
		put_cell(&b, cells[i]);
	}
	strbuf_puts(&b, "\r\n");
	if (b.len <= CSV_LINE_MAX) {
		r = read_text(b.text, b.len);
		must(csv_read_row(r, &back, &m, NULL) == 1 && m == n);
		for (size_t i = 0; i < n; i++)
			must(strcmp(cells[i], back[i]) == 0);
		csv_read_close(r);
	}
	strbuf_clear(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct csv_reader *r = read_text((const char *)data, size);
	const char *const *cells;
	struct error e;
	size_t n, first = 0;
	int got;

	while ((got = csv_read_row(r, &cells, &n, &e)) != 0) {
		if (got < 0)
			continue;
		must(n > 0 && (first == 0 || n == first));
		first = n;
		again(cells, n);
	}
	must(csv_read_bytes(r) + csv_read_torn(r) == size);
	csv_read_close(r);
	return 0;
}
