/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "burnin/memory/memory_figures.h"

#include "base/array.h"

static enum figure_fill fill_lane(const void *above, size_t i, void *view)
{
	*(uint64_t *)view = i < MEMORY_LANES ? ((const uint64_t *)above)[i] : 0;
	return i < MEMORY_LANES ? FIGURE_TAKE : FIGURE_END;
}

static const struct figure lane_rows[] = {
	{ .kind = FIGURE_U64 },
	{ .kind = FIGURE_NONE },
};

const struct figure_group memory_lane_figures = { lane_rows, .fill = fill_lane,
	.size = sizeof(uint64_t) };

struct memory_left_out memory_left_out(const struct memory_kept *kept, uint32_t channels)
{
	struct memory_left_out l = { .kept = *kept, .channels = channels };

	memory_kept_text(kept, channels, l.text, sizeof(l.text));
	return l;
}

static enum figure_fill fill_left_out(const void *above, size_t i, void *view)
{
	const struct memory_left_out *l = above;
	const unsigned channel = (unsigned)i / MEMORY_PORTS, port = (unsigned)i % MEMORY_PORTS;

	if (channel == MEMORY_CHANNELS)
		return FIGURE_END;
	((uint64_t *)view)[0] = channel;
	((uint64_t *)view)[1] = port;
	return (l->channels >> channel & 1) && memory_kept_has(&l->kept, channel, port)
		? FIGURE_TAKE : FIGURE_SKIP;
}

static const struct figure left_out_rows[] = {
	{ "channel", NULL, FIGURE_U64, .at = 0 },
	{ "endpoint", NULL, FIGURE_U64, .at = sizeof(uint64_t) },
	{ .kind = FIGURE_NONE },
};

const struct figure_group memory_left_out_figures = { left_out_rows, .fill = fill_left_out,
	.size = 2 * sizeof(uint64_t) };

static enum figure_fill fill_late(const void *above, size_t i, void *view)
{
	const struct memory_late *x = above;

	if (i == ARRAY_LEN(x->late) || x->kind != MEMORY_SHIFTED)
		return FIGURE_END;
	*(uint64_t *)view = x->late[i];
	return FIGURE_TAKE;
}

const struct figure_group memory_late_figures = { lane_rows, .fill = fill_late,
	.size = sizeof(uint64_t) };

static enum figure_fill fill_alias(const void *above, size_t i, void *view)
{
	const struct memory_finding *f = above;

	if (i == 2 || f->kind != MEMORY_ALIASED)
		return FIGURE_END;
	*(uint64_t *)view = i ? f->alias_of : f->alias_at;
	return FIGURE_TAKE;
}

static const struct figure_group aliases = { .rows = (const struct figure[]){
	{ .kind = FIGURE_U64, .hex = true },
	{ .kind = FIGURE_NONE } }, .fill = fill_alias, .size = sizeof(uint64_t) };

static enum figure_fill fill_errors(const void *above, size_t i, void *view)
{
	const struct memory_errors *m = above;

	(void)i;
	*(struct memory_errors *)view = *m;
	return m->known ? FIGURE_TAKE : FIGURE_SKIP;
}

const struct figure_group memory_error_figures = { .rows = (const struct figure[]){
	{ "corr_rd", NULL, FIGURE_U32, .at = offsetof(struct memory_errors, corrected[0]) },
	{ "corr_wr", NULL, FIGURE_U32, .at = offsetof(struct memory_errors, corrected[1]) },
	{ "uncorr_rd", NULL, FIGURE_BOOL, .at = offsetof(struct memory_errors, uncorrected[0]) },
	{ "uncorr_wr", NULL, FIGURE_BOOL, .at = offsetof(struct memory_errors, uncorrected[1]) },
	{ .kind = FIGURE_NONE } }, .fill = fill_errors, .size = sizeof(struct memory_errors) };

struct found {
	struct memory_finding f;
	int channel;
	struct memory_late late;
	const char *kind, *path;
	char text[200];
};

static enum figure_fill fill_finding(const void *above, size_t i, void *view)
{
	const struct memory_findings *all = above;
	struct found *x = view;

	if (i == all->n)
		return FIGURE_END;
	x->f = all->found[i];
	x->channel = x->f.kind == MEMORY_DARK ? -1 : (int)x->f.channel;
	x->late = (struct memory_late){ x->f.kind, { x->f.late[0], x->f.late[1] } };
	x->kind = memory_kind_name(x->f.kind);
	x->path = memory_path_name(x->f.path);
	memory_finding_text(&x->f, x->text, sizeof(x->text));
	return FIGURE_TAKE;
}

const struct figure_group memory_finding_figures = { .rows = (const struct figure[]){
	{ "channel", NULL, FIGURE_INT, .at = offsetof(struct found, channel), .place = true },
	{ "endpoint", NULL, FIGURE_INT, .at = offsetof(struct found, f.endpoint), .place = true },
	{ "other_channel", NULL, FIGURE_INT, .at = offsetof(struct found, f.other), .place = true },
	{ "kind", NULL, FIGURE_STRING, .at = offsetof(struct found, kind) },
	{ "path", NULL, FIGURE_STRING, .at = offsetof(struct found, path) },
	{ "words", NULL, FIGURE_U64, .at = offsetof(struct found, f.words) },
	{ "wrong", NULL, FIGURE_U64, .at = offsetof(struct found, f.wrong) },
	{ "events", NULL, FIGURE_U64, .at = offsetof(struct found, f.events), .some = true },
	{ "lanes", NULL, FIGURE_LIST, .at = offsetof(struct found, f.lane),
		.group = &memory_lane_figures },
	{ "bits", NULL, FIGURE_U32, .at = offsetof(struct found, f.bits), .hex = true },
	{ "late_bytes", NULL, FIGURE_LIST, .at = offsetof(struct found, late),
		.group = &memory_late_figures },
	{ "aliases", NULL, FIGURE_LIST, .at = offsetof(struct found, f), .group = &aliases },
	{ "text", "What is wrong with the memory", FIGURE_CHARS,
		.at = offsetof(struct found, text) },
	{ .kind = FIGURE_NONE } }, .fill = fill_finding, .size = sizeof(struct found) };
