# SPDX-License-Identifier: GPL-2.0-or-later
# ./dev in a tree that cannot be written to builds elsewhere, or says why it cannot; and it says
# what it is at.  The tree is made up: its configure and its tool are scripts.
. "$top_srcdir/tests/rig/lib.sh"

other=
if [ "$(id -u)" -eq 0 ]; then
	command -v setpriv >/dev/null || { skip "a read-only tree" "no setpriv"; done_testing; exit; }
	other="setpriv --reuid=61234 --regid=61234 --clear-groups --inh-caps=-all --bounding-set=-all"
fi

mkdir -p "a tree" commands home
cp "$top_srcdir/dev" "a tree/"
cat >"a tree/configure" <<'E2'
#!/bin/sh
cat >Makefile <<'E3'
all: all-am
all-am: src/one.o src/tt-smi
config.h:
	@touch $@
src/one.o:
	@mkdir -p src; echo "  CC       $@"
	@: cc -c -o $@; touch $@
src/tt-smi: src/one.o
	@echo '#!/bin/sh' >$@; echo 'echo "ran with $$*"' >>$@; chmod +x $@
E3
E2
printf '#!/bin/sh\necho installed\n' >commands/dpkg-query
chmod 755 "$work" commands/dpkg-query "a tree/dev" "a tree/configure"
chmod 777 home
chmod 555 "a tree"

dev() {
	# shellcheck disable=SC2086
	run $other env -u DEV_BUILD -u DEV_CONFIGURE HOME="$work/home" XDG_CACHE_HOME= PATH="$work/commands:$PATH" "a tree/dev" "$@"
}

dev run -v
rc_is 0 "a read-only tree: the tool runs"
out_has "ran with -v" "with its options"
err_has "a tree cannot be written to: building in $work/home/.cache/tt-smi-build-" "says where it is built"
err_has "dev: configuring" "says that it configures"
err_has "dev: building the tool" "that it builds"
err_has "dev: files to compile: 1" "and how much"
check "nothing was made beside the sources" test ! -e "a tree/build"
dev run -v
rc_is 0 "once more: the tool runs"
err_lacks "files to compile" "and nothing is compiled"

chmod 755 "a tree"
rm "a tree/configure"
chmod 555 "a tree"
dev build
rc_is 1 "no configure in a read-only tree: refused"
err_has "and has no configure" "and the reason is said"
chmod 755 "a tree"

done_testing
