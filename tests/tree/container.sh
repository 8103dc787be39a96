# SPDX-License-Identifier: GPL-2.0-or-later
# make proof-container: contrib/container is built, and what its README says is tried in it.
#
# No registry is asked: a bare Debian takes the place of the base image.  buildah runs without a
# daemon; with --isolation chroot it needs root and no more, but isolates nothing: the network is the host's.
. "$top_srcdir/tests/rig/lib.sh"

for need in buildah python3 tmux; do
	command -v $need >/dev/null || { echo "no $need here"; exit 77; }
done
bare=$(
	top=$top_srcdir called=container
	. "$top/tests/rig/root_lib.sh"
	bare bookworm && echo "$cache/bookworm.tar"
) || { echo "no bare Debian here"; exit 77; }

storage=$(dirname "$bare")/container.$$
b() { buildah --root "$storage/root" --runroot "$storage/run" --storage-driver "$driver" "$@"; }
driver=overlay
b info >"$out" 2>&1 || driver=vfs
leave() {
	[ -z "${exporter:-}" ] || kill -9 "$exporter" 2>/dev/null
	b rm --all
	rm -rf --one-file-system "$storage"
} >/dev/null 2>&1
trap 'leave; remove_work' EXIT
trap 'exit 1' INT TERM HUP
b info >"$out" 2>"$err" || { cat "$err"; echo "buildah cannot keep images here"; exit 77; }

# The sources as a user has them: of a clone what is committed, else the unpacked tarball.
mkdir context bin
if [ -e "$top_srcdir/.git" ]; then
	git -C "$top_srcdir" archive HEAD | tar -C context -xf -
else
	cp -r "$top_srcdir/." context
fi
base=$(sed -n 's/^ARG BASE=//p' context/contrib/container/Containerfile)
check "the Containerfile names its base" test -n "$base"
begun=$(b from scratch) && b add -q "$begun" "$bare" / >"$out" 2>"$err" &&
	echo 'Acquire::Check-Valid-Until "false";' >99old &&
	b add -q "$begun" 99old /etc/apt/apt.conf.d/99old >>"$out" 2>>"$err" &&
	b commit -q --rm "$begun" "$base" >>"$out" 2>>"$err"
check "a bare Debian is its base here" test $? -eq 0
b bud --isolation chroot --pull-never -t tt-smi -f context/contrib/container/Containerfile context >"$out" 2>"$err"
rc=$?
tail -n 5 "$out"
rc_is 0 "the image is built by the README's line"
[ "$rc" -eq 0 ] || { done_testing; exit 1; }

of_image() { b inspect --type image --format "$1" tt-smi; }
check "it does not run as root" test "$(of_image '{{.OCIv1.Config.User}}')" = 1000
of_image '{{.OCIv1.Config.ExposedPorts}}' >"$out"
out_has 9107 "it names the exporter's port"
entry=$(of_image '{{index .OCIv1.Config.Entrypoint 0}}')
check "it begins with the tool, and no option" \
	test "$entry $(of_image '{{.OCIv1.Config.Cmd}}')" = "/usr/local/bin/tt-smi []"
c=$(b from --pull-never tt-smi)
room=$(b mount "$c")
check "the sources and what compiled them have stayed behind" test ! -e "$room/source" -a ! -e "$room/usr/bin/gcc"

# "podman run [-e VARIABLE] tt-smi ...", but for the isolation.
cat >bin/tt-smi <<END
#!/bin/sh
[ ! -t 1 ] || terminal='-t -e TERM=xterm'	# as podman does
exec buildah --root $storage/root --runroot $storage/run --storage-driver $driver \\
	run --isolation chroot \${terminal:-} \${VARIABLE:+-e "\$VARIABLE"} $c -- $entry "\$@"
END
chmod +x bin/tt-smi
TT_SMI=$work/bin/tt-smi PATH=$work/bin:$PATH
inside() { b run --isolation chroot "$c" -- "$@"; }

run inside id -u
out_has 1000 "a command in it is not root"
run tt-smi -ls
rc_is 0 "-ls shows the galaxy without a word from the user"
check "all 32 chips of it" test "$(grep -c 'Blackhole' "$out")" -ge 32
export VARIABLE='TT_SMI_SIM=2*p150a,n300:hot@30'
run tt-smi -s --json
unset VARIABLE
check "a variable chooses other boards" sh -c '
	python3 -c "import json, sys; print(len(json.load(sys.stdin)[\"device_info\"]))" <"$1" | grep -qx 4' - "$out"
run tt-smi -d 1 -dir one --sim p150a
rc_is 0 "a dump"
run inside ls one
out_has .xlsx "has its workbook"
run tt-smi --bundle trouble.tar.gz --external
check "a bundle is made" sh -c '[ -s "$1/home/tt-smi/trouble.tar.gz" ]' - "$room"
run inside sh -c 'tt-smi -s -f one.json && tt-smi -ls --load one.json'
rc_is 0 "JSON is read back"
inside sh -c 'mkdir -p .config && echo "theme = dark" >.config/tt-smi.conf'
run tt-smi --config-print
out_lacks libinih "a configuration is read"

# The live display, on a terminal.
. "$top_srcdir/tests/rig/ui_lib.sh"
trap 'tm kill-server; leave; remove_work' EXIT
over() { await test -s code; }	# buildah leaves a terminal on which nothing else can wait
start 120 40 "" ""
check "the live display shows a galaxy" sees '1 board, 32 chips'
send q
check "and ends with q" over
check "as it should" code_is 0
start 120 40 "VARIABLE=TT_SMI_SIM=2*p150a,n300" ""
check "and the boards of a variable" sees n300
send q
check "and ends again" over

# As process 1, which nobody's defaults protect, and with SIGTERM as podman stop sends it.
cd "$work" || exit 99
out=$work/out
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
unshare --fork --pid --mount-proc="$room/proc" chroot --userspec=1000:1000 "$room" \
	env -i HOME=/home/tt-smi LANG=C.UTF-8 TT_SMI_SIM=tt-galaxy-bh "$entry" --exporter "0.0.0.0:$port" >"$out" 2>"$err" &
outer=$!
scraped() { python3 "$top_srcdir/tests/rig/http_get.py" "127.0.0.1:$port" 'GET /metrics HTTP/1.1' >metrics 2>/dev/null; }
check "the exporter answers" await scraped
check "for 32 chips" test "$(grep -c '^tt_smi_up' metrics)" -eq 32
exporter=$(cat "/proc/$outer/task/$outer/children")
check "it is process 1 of its own" grep -q '^NSpid:.*[[:space:]]1$' "/proc/$(echo $exporter)/status"
kill -TERM $exporter
wait "$outer"
rc=$?
rc_is 0 "SIGTERM ends it as it should"
exporter=
done_testing
