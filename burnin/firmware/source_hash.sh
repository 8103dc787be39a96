# SPDX-License-Identifier: GPL-2.0-or-later
# The SHA-256 of all that the images are made of, run from the root of the source tree.
cd burnin/firmware && cat mailbox.h tensix.h thread.h wormhole.h blackhole.h start.S kernel.ld \
	check.c unpack.c math.c pack.c traffic.c build.sh | sha256sum | cut -d' ' -f1
