# SPDX-License-Identifier: GPL-2.0-or-later
# Every option that writes a file, in every kind of folder, with every kind of trap in it: nothing is
# written but what the user of the tool named, and files of others keep their content.
. "$top_srcdir/tests/rig/lib.sh"

if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
	skip "writers and traps" "needs root and setpriv"
	done_testing
	exit
fi
other=1234 me=0
chmod 755 "$work"
cp "$TT_SMI" "$work/tool"
export TT_SMI_BURNIN_DWELL=1 HOME=$work
burn="-b host --iterations 1 --threads 1 --dtype f --workload matmul"
tool() {
	setpriv --reuid=$me --regid=$me --clear-groups timeout 60 "$work/tool" "$@"
	rc=$?
	return $rc
} >"$out" 2>"$err" </dev/null
sim() { TT_SMI_VIRTUAL_TIME=1795000000 tool "$@" --sim p150a; }

# ---- the writers: write_OPTION PATH ----
write_f() { sim -s -f "$1"; }
write_save() { sim --links --save "$1"; }
write_workbook() { tool --merge "$work/burn.json" --workbook "$1"; }
write_dir() { sim -d -dur 0.2 -dir "$1"; }
write_finish() {	# the dump is one that was there
	[ -d "$1" ] && cp dump/* "$1/" && tool --finish "$1"
}
write_textfile() { sim --textfile "$1" --once; }
write_exporter() { sim --exporter "$1" -dur 0.2; }
write_report() { sim -r 0 -y --report "$1"; }
write_g() { sim -g "$1"; }
write_resume() { tool $burn --resume "$1"; }
write_record() { sim -s --json --record "$1"; }
write_bundle() { sim --bundle "$1"; }
write_generate() { tool -b generate "$1" --cases 8 --dtype f; }
write_profile() { tool -b profile "$1" --cases 8 --dtype f; }

run tt-smi --dump-options
names=$(awk -F'\t' '$5 == "writes" { print $3 "\t" $1 }' "$out" | sort -u -t"$(printf '\t')" -k1,1 | cut -f2)
unknown=
for name in $names; do
	declare -F "write_$name" >/dev/null || unknown="$unknown $name"
done
check "each option that writes is tried here$unknown" [ -z "$unknown" ]
check "and there are at least 12" [ "$(wc -w <<<"$names")" -ge 12 ]

tool $burn --report "$work/burn.json"
TT_SMI_VIRTUAL_TIME=1795000000 run tt-smi -d -dir dump -dur 0.2 --sim p150a
rm dump/telemetry.xlsx
chmod a+r burn.json dump/*

# ---- folders and traps ----
make_folder() {	# kind: $work/there
	mkdir there
	case $1 in
	own) chown $me there ;;
	sticky) chmod 1777 there ;;
	others) chown $other there && chmod 777 there ;;
	others-sticky) chown $other there && chmod 1777 there ;;
	group) chown $me:$other there && chmod 775 there ;;
	open) chown $me there && chmod 777 there ;;
	below) mkdir there/way && chown $other there && chmod 755 there && chown $me there/way ;;
	esac
}
theirs() { chown -h "$other:$other" "$1"; }
# Sets $to, what is written to.  Links that the user of the tool made can be moved there by others.
make_trap() {	# trap, folder
	to=$2/trap
	case $1 in
	link) ln -s "$work/victim/file" "$to" && theirs "$to" ;;
	moved) ln -s "$work/victim/file" "$to" && chown -h $me "$to" ;;
	dangling) ln -s "$work/victim/new" "$to" && theirs "$to" ;;
	folder) ln -s "$work/victim" "$to" && theirs "$to" && to=$to/new ;;
	folder-moved) ln -s "$work/victim" "$to" && chown -h $me "$to" && to=$to/new ;;
	itself) ln -s "$work/victim" "$to" && theirs "$to" ;;
	hard) ln victim/file "$to" ;;
	fifo) mkfifo "$to" && chmod 666 "$to" && theirs "$to" ;;
	device) mknod "$to" c 1 3 && chmod 666 "$to" && theirs "$to" ;;
	foreign) echo theirs >"$to" && chmod 666 "$to" && theirs "$to" ;;
	esac
}
# Descriptor 7 is the FIFO, 8 the file of another user.
was_caught() {	# trap
	case $1 in
	fifo) read -rt 0.01 -n 1 _ <&7 ;;
	device) [ $rc -eq 0 ] ;;
	foreign) [ "$(cat <&8)" != theirs ] || is_new_and_theirs ;;
	hard) [ "$(cat victim/file)" != victim ] ;;
	*) [ $rc -eq 0 ] || [ "$(cat victim/file)" != victim ] || [ "$(ls -A victim -I '[0i]*')" != file ] ||
		[ "$(stat -c %u:%a victim/file)" != $me:600 ] ;;
	esac
}
is_new_and_theirs() { [ -f "$to" ] && [ "$(stat -c %u "$to")" = $other ] && [ "$(cat "$to")" != theirs ]; }

try() {	# name, folder, trap: adds to $caught what went wrong
	mkdir victim && echo victim >victim/file && chown -R $me victim && chmod 600 victim/file
	make_folder "$2"
	at=$work/there
	[ "$2" != below ] || at=$at/way
	make_trap "$3" "$at"
	case $3 in
	fifo) exec 7<>"$to" ;;
	foreign) exec 8<"$to" ;;
	esac
	rc=1
	write_$1 "$to"
	! was_caught "$3" || caught="$caught $2/$3"
	exec 7<&- 8<&-
	rm -rf victim there
}

traps='link moved dangling folder folder-moved itself hard fifo device foreign'
for me in 0 65534; do
	mkdir -p "state$me" && chown $me "state$me"
	export TT_SMI_STATE_DIR=$work/state$me
	for name in $names generate profile; do
		caught=
		for folder in sticky others others-sticky group open below; do
			for trap in $traps; do
				case $folder/$trap in
				sticky/moved | sticky/folder-moved) ;;	# it is the user's own
				*) try $name $folder $trap ;;
				esac
			done
		done
		check "user $me: $name is led nowhere$caught" [ -z "$caught" ]
	done

	# What is the user's own works.
	for folder in own sticky; do
		for name in f report g textfile; do
			mkdir victim && chown $me victim
			make_folder $folder
			ln -s "$work/victim/file" there/link && chown -h $me there/link
			ln -s "$work/victim" there/way && chown -h $me there/way
			write_$name "$work/there/link" && write_$name "$work/there/way/new"
			check "user $me, $folder folder: $name follows the user's links" \
				test -s victim/file -a -s victim/new
			rm -rf victim there
		done
	done
	make_folder own
	mkfifo there/fifo && chown $me there/fifo
	exec 7<>there/fifo
	write_g "$work/there/fifo"
	check "user $me: a FIFO of the user's own is written to" read -rt 5 -n 1 _ <&7
	exec 7<&-
	write_f /dev/null
	check "user $me: /dev/null takes a snapshot" test $? -eq 0
	write_f /dev/stdout
	check "user $me: and so does stdout" has_text "$out" '"device_info"'
	rm -rf there
done
done_testing
