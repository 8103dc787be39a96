/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start.S - from reset to main(): jumps over the firmware's bytes at 0x10 to
 * 0x1f, takes its stack in the core's own memory, and clears what must be zero.
 */
	.section .text.start, "ax"
	.globl _start
_start:
	j	begin
	.balign 32
begin:
	.option push
	.option norelax
	la	gp, __global_pointer$
	.option pop
	li	sp, 0xffb007f0		/* 2 KiB: the least that any core has */
	la	t0, bss_begin
	la	t1, bss_end
clear:	bgeu	t0, t1, run
	sw	zero, 0(t0)
	addi	t0, t0, 4
	j	clear
run:	call	main
rest:	j	rest
