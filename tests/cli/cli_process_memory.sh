# SPDX-License-Identifier: GPL-2.0-or-later
# The memory that each process has of a card, as the runtime publishes it: in a snapshot and in the
# metrics where it is known whose it is, and nowhere else.
. "$top_srcdir/tests/rig/lib.sh"
command -v python3 >/dev/null || { skip "memory of processes" "no python3"; done_testing; exit; }

tree() {	# fixture pid[:pids-in-its-namespaces]...: held by these, which were started at 1700000100
	rm -rf tree
	cp -R "$top_srcdir/tests/fixtures/sysfs/$1" tree
	chmod -R u+w tree
	mkdir -p tree/dev/shm
	printf 'btime 1700000000\n' >tree/proc/stat
	: >tree/proc/driver/tenstorrent/0/pids
	shift
	for held; do
		pid=${held%%:*}
		echo "$pid" >>tree/proc/driver/tenstorrent/0/pids
		mkdir -p "tree/proc/$pid"
		printf 'Name:\tx\nUid:\t0\t0\t0\t0\nNSpid:\t%s\n' "$(echo "$held" | tr : '\t')" >"tree/proc/$pid/status"
		printf 'python3\0run.py\0' >"tree/proc/$pid/cmdline"
		echo "$pid (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 $((100 * $(getconf CLK_TCK))) 0" >"tree/proc/$pid/stat"
	done
}
publish() { python3 "$top_srcdir/tests/rig/runtime_file.py" tree/dev/shm "$@"; }
memory() {	# pid: what the snapshot in $out says of it
	jq -c ".processes[] | select(.pid == $1).memory" "$out"
}
of_tree() {
	run tt-smi -s --json --root tree "$@"
	rc_is 0 "a snapshot of the tree $*"
}
asic=0x0011223344556601

tree blackhole 4711 4712:17
of_tree
out_lacks '"memory"' "nothing is published: the key is not there"
publish 4 $asic 4711=12884901888,4096,0,1024,77@1700000200 17=5,4,3,2,1@1700000200 4712=9,9,9,9,9@1700000200 \
	99=8,8,8,8,8@1700000200
of_tree
check "a process has what is written of it" [ "$(memory 4711)" = \
	'{"dram_bytes":12884901888,"l1_bytes":4096,"l1_small_bytes":0,"trace_bytes":1024,"cb_bytes":77}' ]
check "one in a container by the pid that it sees" [ "$(memory 4712)" = \
	'{"dram_bytes":5,"l1_bytes":4,"l1_small_bytes":3,"trace_bytes":2,"cb_bytes":1}' ]
check "and no process is added" [ "$(jq '.processes | length' "$out")" = 2 ]
if python3 -c 'import jsonschema' 2>/dev/null; then
	check "as the schema says" python3 "$top_srcdir/tests/rig/validate.py" "$top_srcdir/output/snapshot.schema.json" "$out"
else
	skip "as the schema says" "no python3-jsonschema"
fi
cp "$out" saved.json
run tt-smi -s --json --load saved.json
check "a saved one says the same" [ "$(memory 4712)" = '{"dram_bytes":5,"l1_bytes":4,"l1_small_bytes":3,"trace_bytes":2,"cb_bytes":1}' ]
of_tree --passive
check "sysfs is enough to know the card by" [ "$(memory 4711 | jq .dram_bytes)" = 12884901888 ]
of_tree --external
check "numbers tell nobody's name" [ "$(memory 4711 | jq .dram_bytes)" = 12884901888 ]
out_lacks "tt_device" "nor does the file"
run tt-smi --textfile m.prom --once --root tree
rc_is 0 "metrics"
check "have it by pid and kind" grep -qE '^tt_smi_process_memory_bytes\{bdf="0000:01:00.0",chip="0",pid="4711",kind="dram"\} 12884901888$' m.prom
check "each kind of each process once" [ "$(grep -c '^tt_smi_process_memory_bytes{' m.prom)" = 10 ]

# What is not believed: each by itself
while IFS='|' read -r what version number entry; do
	tree blackhole 4711
	publish "$version" "$number" $entry
	of_tree
	out_lacks '"memory"' "$what: not believed"
done <<END
a layout of before|1|$asic|4711=1,1,1,1,1@1700000200
a layout to come|5|$asic|4711=1,1,1,1,1@1700000200
another chip's file|4|0x0011223344556602|4711=1,1,1,1,1@1700000200
an entry that an earlier process with this pid left|4|$asic|4711=1,1,1,1,1@1700000099
more than any chip has|4|$asic|4711=1,1,1,1,9999999999999@1700000200
two entries|4|$asic|4711=1,1,1,1,1@1700000200 4711=2,2,2,2,2@1700000200
END
file=tree/dev/shm/tt_device_$((asic))_memory
for hostile in 'cut off' 'far too long' 'a link' 'a FIFO' 'a folder' 'unreadable'; do
	tree blackhole 4711
	publish 4 $asic 4711=1,1,1,1,1@1700000200
	case $hostile in
	cut*) truncate -s 8000 "$file" ;;
	far*) truncate -s 1T "$file" ;;
	*link) mv "$file" elsewhere; ln -s "$work/elsewhere" "$file" ;;
	*FIFO) rm "$file"; mkfifo "$file" ;;
	*folder) rm "$file"; mkdir "$file" ;;
	unreadable) rm "$file"; ln -s "$file" "$file" ;;
	esac
	run timeout 60 tt-smi -s --json --root tree
	rc_is 0 "$hostile: nothing waits for it"
	out_lacks '"memory"' "$hostile: not believed"
done

# A chip may be known by its board's number
tree wormhole 4711
publish 3 "0x$(cat tree/sys/class/tenstorrent/*/tt_serial)" 4711=6,5,4,3,2@1700000200
of_tree
check "a Wormhole by its board's number" [ "$(memory 4711 | jq .dram_bytes)" = 6 ]

done_testing
