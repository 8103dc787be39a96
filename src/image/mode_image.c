/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mode_image.c - --image: what a compiled image was made for and whether it runs on the cards here,
 * or, without a file, what such a compiler needs to know about them.
 *
 * The output about the cards is YAML, with facts as comments and descriptors as documents.
 */
#include "config.h"

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/tar.h"
#include "base/text.h"
#include "src/image/card.h"
#include "src/mode.h"
#include "src/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A compiled model's archive, which is not unpacked: only device.json is read, nothing is run. */
struct image_archive {
	struct image image;
	size_t members;
	size_t pickles, modules;	/* members that its loader would unpickle, or import */
	size_t hostile;			/* members that no compiler puts there */
	char why[160];			/* about the first hostile one; "" */
};

/*
 * Every member's name is checked, since a second device.json, a link or a name with ".." could make
 * the loader read another file than the one that is read here.
 */

#define DEVICE_JSON  "unzipped_tti/device.json"
#define MEMBERS_MOST 1000000
#define PATH_MOST    4096

static void note_hostile(struct image_archive *a, const char *path, const char *does)
{
	char plain[80];

	if (a->hostile++ == 0)
		snprintf(a->why, sizeof(a->why), "'%s' %s",
			text_plain(plain, sizeof(plain), path), does);
}

/* Copy path without "." and empty parts.  False: it leads out of its folder. */
static bool normalise(const char *path, char *out, size_t size)
{
	size_t at = 0;

	*out = '\0';
	if (*path == '/' || !*path || strlen(path) >= size)
		return false;
	while (*path) {
		const size_t len = strcspn(path, "/");

		if (len == 2 && strncmp(path, "..", 2) == 0)
			return false;
		if (len > 0 && !(len == 1 && *path == '.'))
			at += (size_t)snprintf(out + at, size - at, "%s%.*s", at ? "/" : "",
				(int)len, path);
		path += len + (path[len] == '/');
	}
	return true;
}

static int take_json(struct tar_in *t, struct image_archive *a, struct error *e)
{
	struct error inner = { 0 };
	char *text = NULL;
	size_t len = 0;
	int r = tar_in_read(t, JSON_MOST, &text, &len, &inner);

	if (r == 0) {
		r = image_parse(text, len, &a->image, &inner);
		free(text);
	}
	return r < 0 ? fail_because(e, r, &inner, "device.json: %s", inner.text) : 0;
}

static int take_member(struct tar_in *t, const struct tar_member *m, char *path,
	struct image_archive *a, bool *found, struct error *e)
{
	a->members++;
	if (a->members > MEMBERS_MOST)
		return fail(e, -EFBIG, "more than %d members", MEMBERS_MOST);
	if (!normalise(m->path, path, PATH_MOST)) {
		note_hostile(a, m->path, "leads out of its folder");
		return 0;
	}
	if (m->kind == TAR_LINK || m->kind == TAR_OTHER) {
		note_hostile(a, path, m->kind == TAR_LINK ? "is a link" : "is not a file");
		return 0;
	}
	a->pickles += m->kind == TAR_FILE && text_ends(path, ".pkl");
	a->modules += m->kind == TAR_FILE && text_ends(path, ".py");
	if (strcmp(path, DEVICE_JSON) != 0)
		return 0;
	if (m->kind != TAR_FILE || *found) {
		note_hostile(a, path, "stands there twice, or is a folder");
		return 0;
	}
	*found = true;
	return take_json(t, a, e);
}

static int walk_members(struct tar_in *t, struct image_archive *a, struct error *e)
{
	char *path = mem_calloc(1, PATH_MOST);
	struct tar_member m = { 0 };
	bool found = false;
	int r;

	while ((r = tar_in_next(t, &m, e)) > 0) {
		r = take_member(t, &m, path, a, &found, e);
		if (r < 0)
			break;
	}
	free(path);
	if (r == 0 && !found)
		return fail(e, -ENODATA, "there is no file " DEVICE_JSON " in it");
	return r;
}

/* -EINVAL, -EBADMSG: no such archive, or damaged; -EFBIG: too large; -ENODATA: something else. */
static int image_read(const char *path, struct image_archive *out, struct error *e)
{
	struct error inner = { 0 };
	struct tar_in *t = NULL;
	int fd = file_open_read(path, e), r;

	*out = (struct image_archive){ 0 };
	if (fd < 0)
		return fd;
	r = tar_in_open(&t, fd, &inner);
	if (r == 0) {
		r = walk_members(t, out, &inner);
		tar_in_close(t);
	}
	close(fd);
	if (r == -ELIBACC || r == -ELIBBAD)
		return fail_because(e, r, &inner, "%s", inner.text);
	return r < 0 ? fail_because(e, r, &inner, "%s: %s", path, inner.text) : 0;
}

static const char *const fits[] = {
	[VERDICT_PASS] = "runs", [VERDICT_INCOMPLETE] = "not known", [VERDICT_FAIL] = "does not run"
};

struct judged {
	struct image_card card;
	enum verdict fit;
	char why[160];
};

struct image_mode {
	const struct fleet *fleet;
	const struct image_archive *archive;	/* NULL: none was named */
	struct judged *cards;			/* by index */
	enum verdict fit;			/* of the whole image */
	char why[200];
};

/* The place of this chip in chip_ids, or -1. */
static int place_of(const struct image *i, size_t chip)
{
	for (size_t p = 0; p < i->n_chips; p++)
		if (i->chips[p] == chip)
			return (int)p;
	return -1;
}

static void judge_cards(struct image_mode *m)
{
	for (size_t k = 0; k < m->fleet->n; k++) {
		struct judged *j = &m->cards[k];

		image_card_of(&m->fleet->chips[k], &j->card);
		if (m->archive)
			j->fit = image_fits(&m->archive->image, &j->card,
				place_of(&m->archive->image, k), j->why, sizeof(j->why));
	}
}

static void worsen(struct image_mode *m, enum verdict fit, size_t chip, const char *why)
{
	if (fit <= m->fit)
		return;
	m->fit = fit;
	snprintf(m->why, sizeof(m->why), "chip %zu: %s", chip, why);
}

/* The image needs each chip that it names. */
static void judge_image(struct image_mode *m)
{
	const struct image *i = &m->archive->image;

	m->fit = VERDICT_PASS;
	for (size_t p = 0; p < i->n_chips; p++) {
		const size_t chip = i->chips[p];

		if (chip >= m->fleet->n || !fleet_wants(m->fleet, chip))
			worsen(m, VERDICT_FAIL, chip, "is not here");
		else
			worsen(m, m->cards[chip].fit, chip, m->cards[chip].why);
	}
	if (m->archive->hostile > 0) {
		m->fit = VERDICT_FAIL;
		snprintf(m->why, sizeof(m->why), "no compiler made this archive: %s",
			m->archive->why);
	}
}

static void put_numbers(struct strbuf *to, const uint16_t *numbers, size_t n)
{
	for (size_t k = 0; k < n; k++)
		strbuf_printf(to, "%s%u", k ? ", " : "", numbers[k]);
}

static void put_image(struct strbuf *to, const struct image_archive *a)
{
	const struct image *i = &a->image;

	strbuf_printf(to, "image %s for %s%s%s%s, %u x %u tiles, chip%s ", *i->name ? i->name : "-",
		i->arch, *i->devtype ? " (" : "", i->devtype, *i->devtype ? ")" : "", i->rows,
		i->columns, text_plural(i->n_chips));
	put_numbers(to, i->chips, i->n_chips);
	if (i->n_masks > 0) {
		strbuf_puts(to, ", harvested rows ");
		put_numbers(to, i->masks, i->n_masks);
	}
	strbuf_printf(to, "\nTTI %s, by pybuda %s: its loader wants both\n", i->version,
		*i->pip ? i->pip : "of an unknown version");
	if (*i->graph || *i->inputs)
		strbuf_printf(to, "graph %s, %s, inputs %s\n", *i->graph ? i->graph : "-",
			i->training ? "training" : "inference", *i->inputs ? i->inputs : "-");
	strbuf_printf(to, "%zu members; loading it runs code from it: %zu are unpickled, %zu are "
		"Python files\n", a->members, a->pickles, a->modules);
	if (a->hostile > 0)
		strbuf_printf(to, "%zu members that do not belong there: %s\n", a->hostile, a->why);
}

static void put_name(struct strbuf *to, const struct snapshot *s)
{
	strbuf_printf(to, "%d %s%s%s", s->index, s->bdf, *s->bdf ? " " : "", s->series);
}

static void put_fits(struct strbuf *to, const struct image_mode *m)
{
	put_image(to, m->archive);
	for (size_t k = 0; k < m->fleet->n; k++) {
		const struct judged *j = &m->cards[k];

		if (!fleet_wants(m->fleet, k))
			continue;
		put_name(to, &m->fleet->chips[k]);
		strbuf_printf(to, ": %s%s%s\n", fits[j->fit], *j->why ? ": " : "", j->why);
	}
	strbuf_printf(to, "image: %s%s%s%s\n", fits[m->fit],
		m->fit == VERDICT_INCOMPLETE ? "" : " here", *m->why ? ": " : "", m->why);
}

/* The mask, and the rows as the compiler takes them: "harvested_rows=[1, 11]". */
static void put_rows(struct strbuf *to, uint32_t mask)
{
	const char *between = "";

	strbuf_printf(to, ", harvested rows mask %u, harvested_rows=[", mask);
	for (unsigned r = 0; r < 32; r++)
		if (mask >> r & 1) {
			strbuf_printf(to, "%s%u", between, r);
			between = ", ";
		}
	strbuf_puts(to, "]\n");
}

static void put_facts(struct strbuf *to, const struct snapshot *s, const struct image_card *c)
{
	strbuf_puts(to, "# ");
	put_name(to, s);
	strbuf_printf(to, ": arch %s, device_config %s, grid ", c->arch ? c->arch : "not known",
		c->label ? c->label : "(no label)");
	if (c->rows && c->columns)
		strbuf_printf(to, "%u x %u", c->rows, c->columns);
	else
		strbuf_puts(to, "not known");
	if (c->mask_known)
		put_rows(to, c->mask);
	else
		strbuf_puts(to, ", harvested rows not known\n");
	if (*c->why)
		strbuf_printf(to, "#   %s\n", c->why);
}

/* Whether an earlier card has the same tiles, so that its descriptor is there already. */
static bool was_described(const struct image_mode *m, size_t k)
{
	for (size_t i = 0; i < k; i++)
		if (fleet_wants(m->fleet, i) &&
			m->fleet->chips[i].chip == m->fleet->chips[k].chip &&
			m->cards[i].card.mask_known &&
			m->cards[i].card.mask == m->cards[k].card.mask)
			return true;
	return false;
}

static void put_cards(struct strbuf *to, const struct image_mode *m)
{
	for (size_t k = 0; k < m->fleet->n; k++) {
		const struct snapshot *s = &m->fleet->chips[k];
		struct strbuf text = { 0 };

		if (!fleet_wants(m->fleet, k))
			continue;
		put_facts(to, s, &m->cards[k].card);
		if (!was_described(m, k) &&
			image_card_put_descriptor(&text, s, &m->cards[k].card)) {
			strbuf_puts(to, "---\n");
			strbuf_add(to, text.text, text.len);
		}
		strbuf_clear(&text);
	}
}

static void put_json_image(struct json_out *j, const struct image_archive *a)
{
	const struct image *i = &a->image;

	json_begin(j, "image", '{');
	json_text(j, "name", i->name);
	json_text(j, "arch", i->arch);
	json_text(j, "devtype", *i->devtype ? i->devtype : NULL);
	json_int(j, "rows", i->rows);
	json_int(j, "columns", i->columns);
	json_begin(j, "chip_ids", '[');
	for (size_t k = 0; k < i->n_chips; k++)
		json_int(j, NULL, i->chips[k]);
	json_end(j, ']');
	json_begin(j, "harvested_rows", '[');
	for (size_t k = 0; k < i->n_masks; k++)
		json_int(j, NULL, i->masks[k]);
	json_end(j, ']');
	json_text(j, "tti_version", i->version);
	json_text(j, "pybuda_version", *i->pip ? i->pip : NULL);
	json_text(j, "pybuda_commit", *i->commit ? i->commit : NULL);
	json_text(j, "budabackend_commit", *i->backend_commit ? i->backend_commit : NULL);
	json_text(j, "graph", *i->graph ? i->graph : NULL);
	json_bool(j, "training", i->training);
	if (i->microbatch >= 0)
		json_int(j, "microbatch", i->microbatch);
	else
		json_null(j, "microbatch");
	json_text(j, "inputs", i->inputs);
	json_int(j, "members", (int64_t)a->members);
	json_int(j, "pickles", (int64_t)a->pickles);
	json_int(j, "modules", (int64_t)a->modules);
	json_int(j, "hostile_members", (int64_t)a->hostile);
	json_end(j, '}');
}

static void put_json_card(struct json_out *j, const struct image_mode *m, size_t k)
{
	const struct snapshot *s = &m->fleet->chips[k];
	const struct judged *c = &m->cards[k];
	struct strbuf text = { 0 };

	json_begin(j, NULL, '{');
	json_int(j, "index", s->index);
	json_text(j, "bdf", *s->bdf ? s->bdf : NULL);
	json_text(j, "series", s->series);
	json_text(j, "arch", c->card.arch);
	json_text(j, "device_config", c->card.label);
	json_int(j, "rows", c->card.rows);
	json_int(j, "columns", c->card.columns);
	if (c->card.mask_known)
		json_int(j, "harvested_rows", c->card.mask);
	else
		json_null(j, "harvested_rows");
	json_text(j, "note", *c->card.why ? c->card.why : NULL);
	if (m->archive) {
		json_text(j, "result", fits[c->fit]);
		json_text(j, "why", *c->why ? c->why : NULL);
	} else {
		json_text(j, "descriptor", image_card_put_descriptor(&text, s, &c->card) ?
			text.text : NULL);
	}
	strbuf_clear(&text);
	json_end(j, '}');
}

static void put_json(struct strbuf *to, const struct image_mode *m)
{
	struct json_out j;

	json_out_init(&j, to, false);
	json_begin(&j, NULL, '{');
	json_int(&j, "schema_version", 1);
	json_text(&j, "source", m->fleet->origin->name);
	if (m->archive) {
		json_text(&j, "result", fits[m->fit]);
		json_text(&j, "why", *m->why ? m->why : NULL);
		put_json_image(&j, m->archive);
	}
	json_begin(&j, "cards", '[');
	for (size_t k = 0; k < m->fleet->n; k++)
		if (fleet_wants(m->fleet, k))
			put_json_card(&j, m, k);
	json_end(&j, ']');
	json_end(&j, '}');
}

static enum exit_code verdict(const struct image_mode *m, const struct session *s)
{
	const enum exit_code code = session_verdict(s);

	if (m->archive && (code != EXIT_NO_DEVICE || m->archive->hostile > 0))
		return exit_of_verdict(m->fit);
	/* Without an image: whether the grid of every card is known. */
	for (size_t k = 0; code == EXIT_DONE && k < m->fleet->n; k++)
		if (fleet_wants(m->fleet, k) &&
			(!m->cards[k].card.rows || !m->cards[k].card.columns))
			return EXIT_PARTIAL;
	return code;
}

static enum exit_code print_image(struct session *s, const struct options *o,
	const struct image_archive *a)
{
	const struct fleet *f = sampler_fleet(s->sampler);
	struct image_mode m = { .fleet = f, .archive = a,
		.cards = mem_calloc(f->n + 1, sizeof(*m.cards)) };
	struct strbuf text = { 0 };
	enum exit_code code;

	judge_cards(&m);
	if (a)
		judge_image(&m);
	code = verdict(&m, s);
	(o->json ? put_json : a ? put_fits : put_cards)(&text, &m);
	code = outlet_print(&text, code);
	session_complain(s);
	free(m.cards);
	return code;
}

/* The file is read first: if it is not an image, no card is touched. */
enum exit_code mode_image(const struct options *o)
{
	struct image_archive *archive = o->image ? mem_calloc(1, sizeof(*archive)) : NULL;
	enum exit_code code = EXIT_DONE;
	struct session s;
	struct error e;

	if (archive && image_read(o->image, archive, &e) < 0) {
		say_error(&e);
		code = EXIT_FAILED;
	}
	if (code == EXIT_DONE)
		code = session_open(&s, o, true);
	if (code == EXIT_DONE) {
		code = print_image(&s, o, archive);
		session_close(&s);
	}
	free(archive);
	return code;
}
