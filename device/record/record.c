/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.c - accesses and their answers as text, for replay.c and for readers.
 *
 *	tt-smi recording 1
 *	driver 2.10.0
 *	device 0 0000:01:00.0 1e52:b140 1e52:0040 00 node 0 numa -1 local -1 trouble 0 REASON
 *	look 0				a page: one sample of device 0
 *	attr tt_aiclk = 800
 *	attr tt_serial ! 61		failed with this errno
 *	acquire =			or "acquire ! 11 WHY", or "acquire ! 11 [held] WHY"
 *	read bar0 1ff30060 1 = c0de0001
 *	read 8,0 80030434 2 = 10000100 00000046
 *	write bar0 1ff30074 aa2c =
 *	end
 *	holders 0 = 4242 4243		belongs to no page: asked between samples
 *	pinned 0 = 1073741824 -		bytes of each of these; "-" is not known
 *
 * Several processes append to one file, so a page is written in one piece.
 * Bytes that are not printable ASCII, and backslashes, are written as \xNN.
 * A device that joined after the header is described before each of its pages.
 */
#include "config.h"
#include "device/record/record.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "device/bus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct record {
	bool in_page;
	int fd;
	size_t announced;	/* devices in the header */
	struct strbuf text;	/* this process's; emptied, not freed, after each sample */
	atomic_int *trouble;	/* shared between processes: the first failed write, -errno */
};

static struct record *record_of(const struct device *d)
{
	return d->bus->own->record;
}

/* The record if a page is open, to which accesses belong; else NULL. */
static struct record *page_of(const struct device *d)
{
	struct record *r = record_of(d);

	return r && r->in_page ? r : NULL;
}

static void put_text(struct record *rec, const char *text, size_t len)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c >= 0x20 && c < 0x7f && c != '\\') {
			strbuf_putc(&rec->text, (char)c);
		} else {
			strbuf_puts(&rec->text, "\\x");
			strbuf_putc(&rec->text, hex[c >> 4]);
			strbuf_putc(&rec->text, hex[c & 15]);
		}
	}
}

/* " =", or " ! 61" for a failure; true if the answer follows. */
static bool put_result(struct record *rec, ssize_t result)
{
	if (result < 0)
		strbuf_printf(&rec->text, " ! %d", (int)-result);
	else
		strbuf_puts(&rec->text, " =");
	return result >= 0;
}

static void put_device(struct record *rec, const struct device *d)
{
	strbuf_printf(&rec->text,
		"device %d %s %04x:%04x %04x:%04x %02x node %d numa %d local %d trouble %d ",
		d->index, *d->bdf ? d->bdf : "-", d->vendor, d->device, d->subsys_vendor,
		d->subsys_device, d->revision, d->node, d->numa_node, d->local, (int)d->trouble);
	put_text(rec, d->reason, strlen(d->reason));
	strbuf_putc(&rec->text, '\n');
}

static void write_out(struct record *rec)
{
	int expected = 0, r;

	if (rec->text.len == 0)
		return;
	r = atomic_load(rec->trouble) ? 0 : file_write_all(rec->fd, rec->text.text, rec->text.len);
	if (r < 0)
		atomic_compare_exchange_strong(rec->trouble, &expected, r);
	rec->text.len = 0;
}

/* Within a page the line waits for the page's end. */
static void end_line(struct record *rec)
{
	strbuf_putc(&rec->text, '\n');
	if (!rec->in_page)
		write_out(rec);
}

int record_open(struct bus *bus, const char *path, struct error *e)
{
	int fd = file_open_given(path);
	struct record *rec;
	char when[40];

	if (fd == -ENOENT)
		fd = file_create(path, e);
	else if (fd < 0)
		fail(e, fd, "%s: cannot start a recording: %s", path, strerror(-fd));
	if (fd < 0)
		return fd;
	bus->keep[bus->n_keep++] = fd;
	rec = bus->own->record = mem_calloc(1, sizeof(*rec));
	rec->fd = fd;
	rec->trouble = mem_share(sizeof(*rec->trouble));
	rec->announced = bus->n;
	strbuf_printf(&rec->text, "tt-smi recording 1\n# %s, %s, by %s\ndriver ",
		clock_iso_utc(clock_real(), when, sizeof(when)), bus->ops->name, PACKAGE_STRING);
	put_text(rec, bus->driver, strlen(bus->driver));
	strbuf_putc(&rec->text, '\n');
	for (size_t i = 0; i < bus->n; i++)
		put_device(rec, &bus->dev[i]);
	write_out(rec);
	if (atomic_load(rec->trouble) == 0)
		return 0;
	errno = -atomic_load(rec->trouble);
	record_close(bus);
	return fail_errno(e, "%s: cannot write the recording", path);
}

int record_trouble(const struct bus *bus)
{
	return bus->own->record ? atomic_load(bus->own->record->trouble) : 0;
}

static void end_page(struct record *rec)
{
	if (rec->in_page)
		strbuf_puts(&rec->text, "end\n");
	rec->in_page = false;
	write_out(rec);
}

void record_close(struct bus *bus)
{
	struct record *rec = bus->own->record;
	int keep = errno;

	if (!rec)
		return;
	end_page(rec);
	close(rec->fd);
	bus->n_keep--;		/* ours was added last */
	mem_unshare(rec->trouble, sizeof(*rec->trouble));
	strbuf_clear(&rec->text);
	free(rec);
	bus->own->record = NULL;
	errno = keep;
}

void record_begin_page(const struct device *d)
{
	struct record *rec = record_of(d);

	if (!rec)
		return;
	end_page(rec);
	if ((size_t)d->index >= rec->announced)
		put_device(rec, d);
	strbuf_printf(&rec->text, "look %d\n", d->index);
	rec->in_page = true;
}

void record_attr(const struct device *d, enum attr a, ssize_t result, const char *text)
{
	struct record *rec = page_of(d);

	if (!rec)
		return;
	strbuf_printf(&rec->text, "attr %s", attrs[a < ATTR_COUNT ? a : ATTR_NONE].name);
	if (put_result(rec, result)) {
		strbuf_putc(&rec->text, ' ');
		put_text(rec, text, (size_t)result);
	}
	end_line(rec);
}

void record_acquire(const struct device *d, int result, const struct error *e)
{
	struct record *rec = page_of(d);

	if (!rec)
		return;
	strbuf_puts(&rec->text, "acquire");
	if (!put_result(rec, result)) {
		strbuf_putc(&rec->text, ' ');
		if (e && e->word != code_find(result))
			strbuf_printf(&rec->text, "[%s] ", code_word(e->word));
		if (e)
			put_text(rec, e->text, strlen(e->text));
	}
	end_line(rec);
}

static void put_address(struct record *rec, const char *verb, struct reg_addr at)
{
	if (at.space == REG_BAR0)
		strbuf_printf(&rec->text, "%s bar0 %llx", verb, (unsigned long long)at.addr);
	else
		strbuf_printf(&rec->text, "%s %u,%u %llx", verb, at.x, at.y,
			(unsigned long long)at.addr);
}

void record_read(const struct device *d, struct reg_addr at, int result, const uint32_t *words,
	size_t n)
{
	struct record *rec = page_of(d);

	if (!rec)
		return;
	put_address(rec, "read", at);
	strbuf_printf(&rec->text, " %zu", n);
	put_result(rec, result);
	for (size_t i = 0; result >= 0 && i < n; i++)
		strbuf_printf(&rec->text, " %08x", words[i]);
	end_line(rec);
}

void record_write(const struct device *d, struct reg_addr at, int result, uint32_t word)
{
	struct record *rec = page_of(d);

	if (!rec)
		return;
	put_address(rec, "write", at);
	strbuf_printf(&rec->text, " %x", word);
	put_result(rec, result);
	end_line(rec);
}

void record_holders(const struct device *d, ssize_t result, const pid_t *pids, bool partial)
{
	struct record *rec = record_of(d);

	if (!rec)
		return;
	strbuf_printf(&rec->text, "holders %d%s", d->index, partial ? " partial" : "");
	put_result(rec, result);
	for (ssize_t i = 0; i < result; i++)
		strbuf_printf(&rec->text, " %ld", (long)pids[i]);
	end_line(rec);
}

void record_pinned(const struct device *d, int result, const int64_t *bytes, size_t n)
{
	struct record *rec = record_of(d);

	if (!rec || n == 0)
		return;
	strbuf_printf(&rec->text, "pinned %d", d->index);
	put_result(rec, result);
	for (size_t i = 0; result >= 0 && i < n; i++)
		strbuf_printf(&rec->text, bytes[i] < 0 ? " -" : " %lld", (long long)bytes[i]);
	end_line(rec);
}

void record_end_page(const struct device *d)
{
	if (record_of(d))
		end_page(record_of(d));
}
