/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peer_dnnl.c - oneDNN from NCHW to NCHW: it chooses its own layouts, and what
 * it takes to get there and back is part of each run; weights are reordered
 * once, outside.  matmul has plain row-major matrices.
 */
#include "config.h"
#include "tests/bench/peer.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ONEAPI_DNNL_DNNL_H
#include <oneapi/dnnl/dnnl.h>

enum { STEPS = 3, ARGS = 4 };

struct step {
	dnnl_primitive_t primitive;
	dnnl_exec_arg_t args[ARGS];
	int n;
};

struct net {
	bool failed;
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	struct step steps[STEPS];
	int n;
};

#define DNNL_CALLS \
	X(engine_create) X(stream_create) X(stream_wait) X(memory_create) \
	X(memory_desc_init_by_tag) X(memory_desc_equal) X(matmul_desc_init) \
	X(convolution_forward_desc_init) X(primitive_desc_create) X(primitive_desc_query_md) \
	X(primitive_create) X(primitive_execute) X(reorder_primitive_desc_create)

static struct {
#define X(name) __typeof__(&dnnl_##name) name;
	DNNL_CALLS
#undef X
} lib;

static bool load(void)
{
	void *so = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);

	if (!so)
		return false;
#define X(name) *(void **)&lib.name = dlsym(so, "dnnl_" #name);
	DNNL_CALLS
#undef X
	return lib.engine_create && lib.matmul_desc_init;
}

static dnnl_memory_desc_t desc(int n, const dnnl_dim_t *dims, dnnl_data_type_t type,
	dnnl_format_tag_t tag)
{
	dnnl_memory_desc_t md;

	lib.memory_desc_init_by_tag(&md, n, dims, type, tag);
	return md;
}

static dnnl_memory_t memory(const struct net *net, const dnnl_memory_desc_t *md, const void *at)
{
	dnnl_memory_t m = NULL;

	lib.memory_create(&m, md, net->engine, (void *)(uintptr_t)at);
	return m;
}

static void add_step(struct net *net, const_dnnl_primitive_desc_t pd, const dnnl_exec_arg_t *args,
	int n)
{
	struct step *s = &net->steps[net->n++];

	net->failed |= lib.primitive_create(&s->primitive, pd) != dnnl_success;
	memcpy(s->args, args, (size_t)n * sizeof(*args));
	s->n = n;
}

static void add_reorder(struct net *net, const dnnl_memory_desc_t *from, dnnl_memory_t source,
	const dnnl_memory_desc_t *to, dnnl_memory_t target)
{
	dnnl_primitive_desc_t pd;

	lib.reorder_primitive_desc_create(&pd, from, net->engine, to, net->engine, NULL);
	add_step(net, pd, (dnnl_exec_arg_t[]){ { DNNL_ARG_FROM, source },
		{ DNNL_ARG_TO, target } }, 2);
}

static void run_net(void *handle)
{
	struct net *net = handle;

	for (int i = 0; i < net->n; i++)
		net->failed |= lib.primitive_execute(net->steps[i].primitive, net->stream,
			net->steps[i].n, net->steps[i].args) != dnnl_success;
	lib.stream_wait(net->stream);
}

static void make_matmul(struct net *net, const struct burn_shape *s, dnnl_data_type_t type,
	const struct burn_operands *at)
{
	const dnnl_dims_t a = { s->m, s->k }, b = { s->k, s->n }, c = { s->m, s->n };
	const dnnl_memory_desc_t am = desc(2, a, type, dnnl_ab), bm = desc(2, b, type, dnnl_ab);
	const dnnl_memory_desc_t cm = desc(2, c, type, dnnl_ab);
	dnnl_matmul_desc_t d;
	dnnl_primitive_desc_t pd;

	lib.matmul_desc_init(&d, &am, &bm, NULL, &cm);
	net->failed |= lib.primitive_desc_create(&pd, &d, NULL, net->engine, NULL) != dnnl_success;
	if (net->failed)
		return;
	add_step(net, pd, (dnnl_exec_arg_t[]){ { DNNL_ARG_SRC, memory(net, &am, at->input) },
		{ DNNL_ARG_WEIGHTS, memory(net, &bm, at->weight) },
		{ DNNL_ARG_DST, memory(net, &cm, at->output) } }, 3);
}

/* Reorder in, convolve, reorder out; the weight's reorder runs here and is forgotten. */
static void make_conv(struct net *net, const struct burn_shape *s, dnnl_data_type_t type,
	const struct burn_operands *at)
{
	const dnnl_dims_t in = { 1, s->channels, s->height, s->width }, one = { 1, 1 };
	const dnnl_dims_t filter = { s->n, s->channels, 3, 3 }, bias = { s->n };
	const dnnl_dims_t out = { 1, s->n, s->height, s->width };
	const dnnl_memory_desc_t in_any = desc(4, in, type, dnnl_format_tag_any);
	const dnnl_memory_desc_t filter_any = desc(4, filter, type, dnnl_format_tag_any);
	const dnnl_memory_desc_t out_any = desc(4, out, type, dnnl_format_tag_any);
	const dnnl_memory_desc_t in_md = desc(4, in, type, dnnl_nchw);
	const dnnl_memory_desc_t filter_md = desc(4, filter, type, dnnl_oihw);
	const dnnl_memory_desc_t out_md = desc(4, out, type, dnnl_nchw);
	const dnnl_memory_desc_t bias_md = desc(1, bias, type, dnnl_a);
	const dnnl_memory_desc_t *src, *weight, *dst;
	dnnl_memory_t src_memory, weight_memory, dst_memory;
	dnnl_convolution_desc_t d;
	dnnl_primitive_desc_t pd;

	lib.convolution_forward_desc_init(&d, dnnl_forward_inference, dnnl_convolution_direct,
		&in_any, &filter_any, &bias_md, &out_any, one, one, one);
	net->failed |= lib.primitive_desc_create(&pd, &d, NULL, net->engine, NULL) != dnnl_success;
	if (net->failed)
		return;
	src = lib.primitive_desc_query_md(pd, dnnl_query_src_md, 0);
	weight = lib.primitive_desc_query_md(pd, dnnl_query_weights_md, 0);
	dst = lib.primitive_desc_query_md(pd, dnnl_query_dst_md, 0);
	weight_memory = memory(net, weight, DNNL_MEMORY_ALLOCATE);
	add_reorder(net, &filter_md, memory(net, &filter_md, at->weight), weight, weight_memory);
	run_net(net);
	net->n = 0;
	src_memory = memory(net, src, lib.memory_desc_equal(src, &in_md) ? at->input
		: DNNL_MEMORY_ALLOCATE);
	dst_memory = memory(net, dst, lib.memory_desc_equal(dst, &out_md) ? at->output
		: DNNL_MEMORY_ALLOCATE);
	if (!lib.memory_desc_equal(src, &in_md))
		add_reorder(net, &in_md, memory(net, &in_md, at->input), src, src_memory);
	add_step(net, pd, (dnnl_exec_arg_t[]){ { DNNL_ARG_SRC, src_memory },
		{ DNNL_ARG_WEIGHTS, weight_memory },
		{ DNNL_ARG_BIAS, memory(net, &bias_md, at->bias) },
		{ DNNL_ARG_DST, dst_memory } }, 4);
	if (!lib.memory_desc_equal(dst, &out_md))
		add_reorder(net, dst, dst_memory, &out_md, memory(net, &out_md, at->output));
}

static void *open_net(const struct burn_shape *s, enum burn_dtype t, const struct burn_operands *at)
{
	const dnnl_data_type_t type = t == BURN_FLOAT32 ? dnnl_f32 : dnnl_bf16;
	struct net *net = calloc(1, sizeof(*net));

	if (!net || !load()) {
		free(net);
		return NULL;
	}
	lib.engine_create(&net->engine, dnnl_cpu, 0);
	lib.stream_create(&net->stream, net->engine, dnnl_stream_default_flags);
	if (s->op == BURN_CONV2D)
		make_conv(net, s, type, at);
	else
		make_matmul(net, s, type, at);
	/* What an instruction set cannot do fails at once, which must not count as fast. */
	if (!net->failed)
		run_net(net);
	if (net->failed) {
		free(net);
		return NULL;
	}
	return net;
}
#else
static void *open_net(const struct burn_shape *s, enum burn_dtype t, const struct burn_operands *at)
{
	(void)s, (void)t, (void)at;
	return NULL;
}

static void run_net(void *handle)
{
	(void)handle;
}
#endif

/* Its memory objects stay until the program ends: a bench opens few. */
const struct peer peer_dnnl = { "oneDNN", open_net, run_net, free };
