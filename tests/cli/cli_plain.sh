# SPDX-License-Identifier: GPL-2.0-or-later
# Names of others in every mode and writer: a mode without a row here fails.  What comes to stdout,
# stderr and into files has no escape code, no other control, no direction mark and no broken UTF-8,
# and no cell begins a formula.  Names come from processes, boards, firmware, hosts, the system,
# settings, the scheduler, paths, words of the command line, and files that are loaded.
. "$top_srcdir/tests/rig/lib.sh"

command -v python3 >/dev/null || { skip "names of others" "python3 is not installed"; done_testing; exit; }

# A title that is set, colour, a C1 control, a bell, a line and a carriage return; right to left, zero
# width, tag; bytes that are not UTF-8; and a formula.
bad=$(printf '=1+1\033]0;t\007\033[31m\302\233\b\r\342\200\256\342\200\213\363\240\201\201\377\300\257|x')
line=$(printf '%s\nforged line' "$bad")
long=$bad$(printf 'L%.0s' $(seq 150))
plain() { python3 "$top_srcdir/tests/rig/plain.py" "$@"; }

rows=
row() {	# MODE tt-smi word...: stdout, stderr, and what it leaves in files/
	local mode=$1
	shift
	rows="$rows $mode"
	rm -rf files
	mkdir files
	run timeout 60 "$@"
	check "$mode: ${*//[^ -~]/?}: it ends" test $rc -ne 124 -a $rc -lt 128
	check "$mode: stdout is plain" plain "$out"
	check "$mode: stderr is plain" plain "$err"
	check "$mode: files are plain" plain files
}

# ---- the names ----

cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
chmod -R u+w tree
node=tree/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0/tenstorrent/tenstorrent\!0
printf '%s\n' "$bad" >$node/tt_card_type
printf '%s\n' "$bad" >$node/tt_fw_bundle_ver
printf '%s\n' "$bad" >tree/sys/module/tenstorrent/version
printf '%s\n' "$bad" >tree/proc/sys/kernel/hostname
printf '%s\n' "$bad" >tree/proc/sys/kernel/osrelease
mkdir -p tree/etc tree/proc/4242/fd tree/proc/4242/fdinfo
printf 'PRETTY_NAME="%s"\n' "$bad" >tree/etc/os-release
echo 4242 >tree/proc/driver/tenstorrent/0/pids
printf '%s\0%s\0' "$bad" "$line" >tree/proc/4242/cmdline
printf '%s\n' "$bad" >tree/proc/4242/comm
printf 'Name:\t%s\nUid:\t0\t0\t0\t0\n' "$bad" >tree/proc/4242/status
printf '0::/system.slice/docker-%s.scope\n' "$bad" >tree/proc/4242/cgroup
ln -s /dev/tenstorrent/0 tree/proc/4242/fd/5
printf 'pos:\t0\nflags:\t02100002\n' >tree/proc/4242/fdinfo/5
printf '%s\n' "6,1,100,-;tenstorrent 0000:01:00.0: $bad" >tree/dev/kmsg

# Each text of a snapshot, of a report, of a recording.
spoil() {	# in JSON, out JSON
	python3 - "$1" "$2" <<'END'
import json, sys
bad = '=1+1\x1b]0;t\x07\x1b[31m\x9b\b\r\u202e\u200b\U000e0041\nforged'
keep = ('schema_version', 'time', 'value', 'unit', 'state', 'source', 'verdict', 'bus_id', 'link')
def walk(x, key=''):
    if isinstance(x, dict):
        return {k: walk(v, k) for k, v in x.items()}
    if isinstance(x, list):
        return [walk(v, key) for v in x]
    return x + bad if isinstance(x, str) and key not in keep and not x.startswith('0x') else x
json.dump(walk(json.load(open(sys.argv[1]))), open(sys.argv[2], 'w'))
END
}
tt-smi -s --json --sim 'p150a:held,n300,p150a:hang' >good.json 2>/dev/null
spoil good.json bad.json
mkdir "files-$bad" 2>/dev/null || { skip "names of others" "this file system does not take them"; done_testing; exit; }
there="files-$bad"
cp good.json "$there/$bad.json"
cp bad.json "$there/bad.json"
tt-smi -s --sim p150a --record good.rec >/dev/null 2>&1
sed "s/ trouble 0 .*/ trouble 3 $(printf '\\\\x1b[31m\\\\x0aforged\\\\xe2\\\\x80\\\\xae')/;s/^driver .*/driver \\\\x1b[31m/" good.rec >bad.rec
export SLURM_JOB_ID=$bad SLURMD_NODENAME=$bad
from="--root tree|--load bad.json|--replay bad.rec|--load $there/$bad.json"

each() {	# MODE word...: from each source of names
	local mode=$1 source
	shift
	row $mode tt-smi "$@" --root tree
	row $mode tt-smi "$@" --load bad.json
	row $mode tt-smi "$@" --load "$there/$bad.json"
	row $mode tt-smi "$@" --replay bad.rec
}

# ---- modes ----

each LIVE
row LIVE tt-smi "$bad"
row LIVE tt-smi --device "$bad" --sim p150a
row LIVE tt-smi --sim "$bad"
row LIVE tt-smi --root "$there/none"
for option in --theme --interval --ttsim --devices --timeout; do
	row LIVE tt-smi $option "$bad" --sim p150a
done
each SNAPSHOT -s
each SNAPSHOT -s -f files/f.json
row SNAPSHOT tt-smi -s --sim p150a -f "$there/$bad.out"
row SNAPSHOT tt-smi -s --sim p150a -f "$there/no/$bad"
each LIST -ls
each LIST -ls --json
each DUMP -d --dur 0.3 -i 0.1 --dir files/dump
row DUMP tt-smi -d --sim p150a --dur 0.3 -i 0.1 --dir "files/$bad"
row DUMP tt-smi -d --sim p150a --dur 0.3 -i 0.1 --dir "$there/no/$bad"
each DUMP -d --ndjson --dur 0.2 -i 0.1
row DUMP tt-smi -d --sim p150a --dur 0.1 --fields "$bad"
row FINISH tt-smi --finish "$there"
row FINISH tt-smi --finish "$there/no-$bad"
row FIELDS tt-smi --fields help
row HELP tt-smi -h
row VERSION tt-smi -v
row VERSION tt-smi -v --version-as "$bad"
for target in "$bad" "0,$bad" "$long"; do
	row RESET tt-smi -r "$target" --sim p150a -y
	row MOBO_RESET tt-smi -mr "$target" -y
	row GALAXY_RESET tt-smi -glx_reset_tray "$target" --sim tt-galaxy-bh -y
done
row RESET tt-smi -r 0 --sim p150a:held -y --report "files/r.json"
row RESET tt-smi -r 0 --root tree -y
row RESET tt-smi -r "$there/bad.json" --sim p150a -y
row MOBO_RESET tt-smi -mr "$there/bad.json" -y
row GALAXY_RESET tt-smi -glx_reset --root tree -y
printf '#!/bin/sh\nprintf "%%s\\n" "$bad" "$line" "$bad" >&2\nprintf "%%s\\n" "$bad"\nexit 1\n' >"$there/$bad"
chmod +x "$there/$bad"
export bad line
row GALAXY_RESET env TT_SMI_SIM_IPMITOOL="$work/$there/$bad" tt-smi -glx_reset --sim galaxy-bh --dry-run
row RESET_CONFIG tt-smi -g "files/g.json" --sim p150a
row RESET_CONFIG tt-smi -g "$there/$bad.g" --sim p150a
row TRAYS tt-smi -glx_list_tray_to_device --sim galaxy-bh
row TRAYS tt-smi -glx_list_tray_to_device --root tree
row BURNIN tt-smi -b "$bad"
row BURNIN tt-smi -b cards --device "$bad" --sim p150a
row BURNIN tt-smi -b cards --root tree
row BURNIN tt-smi -b --workload "$bad"
row BURNIN tt-smi -b verify "$there"
row BURNIN tt-smi -b compare "$there" "$there/$bad"
row BURNIN tt-smi -b host --resume "$there/$bad.json"
row CHECK_MEMORY tt-smi --check-memory --device "$bad" --sim p150a
row CHECK_MEMORY tt-smi --check-memory --root tree
row DIAG tt-smi --diag 1 --device "$bad" --sim p150a
row DIAG tt-smi --diag "$bad" --sim p150a
row DIAG tt-smi --diag 1 --root tree
for field in index,board,reason,serial,fw_bundle_version "$bad"; do
	each QUERY --query "$field"
	each QUERY --query "$field" --format csv,noheader
done
each METRICS --textfile files/m.prom --once
row METRICS tt-smi --sim p150a --textfile "$there/no/$bad" --once
row DURING tt-smi --during --sim p150a:held --job "$bad" --report files/d.json -- sh -c 'exit 0' "$bad"
row DURING tt-smi --during --root tree --job "$bad" -- "$there/$bad-no-program"
each HEALTH --health
each HEALTH --health --json
each HEALTH --health --nagios
row HEALTH tt-smi --health --sim p150a --floors "$there/$bad.json"
row HEALTH tt-smi --health --sim p150a --expect "$there/bad.json"
row HEALTH tt-smi --health --sim p150a --checks "$bad"
each COMPARE --compare good.json
row COMPARE tt-smi --compare "$there/$bad.json" bad.json
row COMPARE tt-smi --compare "$there/$bad.json" bad.json --json
row BUNDLE tt-smi --bundle "files/$bad.tar.gz" --root tree
row BUNDLE tt-smi --bundle "$there/no/$bad.tar.gz" --root tree
tt-smi --bundle b.tar.gz --root tree >/dev/null 2>&1
TT_SMI_SIM_IPMITOOL="$work/$there/$bad" tt-smi --bundle c.tar.gz --sim galaxy-bh >/dev/null 2>&1
mkdir b c && tar -xzf b.tar.gz -C b --exclude '*tree/*' && tar -xzf c.tar.gz -C c
check "BUNDLE: what is in it" plain b c
check "BUNDLE: with the answers of the controller" test -s c/tt-smi-bundle/ipmi/fru.txt
each LINKS --links
row LINKS tt-smi --links --sim p150a:eth --against bad.json
row LINKS tt-smi --links --sim p150a:eth --save "files/$bad.json"
tt-smi --during --sim p150a --report rep.json -- true >/dev/null 2>&1
spoil rep.json bad-report.json
row MERGE tt-smi --merge bad-report.json "$there/$bad.json"
row MERGE tt-smi --merge bad-report.json "$there/$bad.json" --json
row MERGE tt-smi --merge bad-report.json "$there/$bad.json" --workbook files/m.xlsx
row IMAGE tt-smi --image "$there/$bad.json"
row IMAGE tt-smi --image "$there/no-$bad"
printf '[%s]\n%s = %s\ninterval = %s\n' "$bad" "$bad" "$bad" "$bad" >"$there/conf"
for mode in PRINT CHECK; do
	row CONFIG_$mode env TT_SMI_CONFIG="$there/conf" tt-smi --config-$(echo $mode | tr A-Z a-z)
	row CONFIG_$mode env TT_SMI_CONFIG="$there/no-$bad" tt-smi --config-$(echo $mode | tr A-Z a-z)
done
row DUMP_OPTIONS tt-smi --dump-options
row DUMP_LIBRARIES tt-smi --dump-libraries
row COMPLETION tt-smi --completion "$bad"
row COMPLETE tt-smi --complete bash -- "tt-smi $bad" "$bad"
row COMPLETE tt-smi --complete fish tt-smi --device "$bad"

# ---- every mode has a row ----

for mode in $(sed -n '/MODE_LIVE,/,/MODES/p' "$top_srcdir/src/option_table.h" | grep -o 'MODE_[A-Z_]*' | sed 's/MODE_//'); do
	case " $rows " in *" $mode "*) found=yes ;; *) found=no ;; esac
	check "the mode $mode has a row" test $found = yes
done

# ---- JSON has names as they are, but for control characters escaped ----

run tt-smi -s --json --root tree
check "JSON has the driver as it is called" python3 - "$out" <<'END'
import json, sys
driver = json.load(open(sys.argv[1]))['host_info']['Driver']
sys.exit(not driver.startswith('TT-KMD =1+1\x1b]0;t\x07\x1b[31m\x9b\b\r\u202e\u200b\U000e0041'))
END

# ---- and that is looked for ----

mkdir -p see
for name in esc c1 bidi width tag utf8 bell; do
	case $name in
	esc) printf 'a\033[31mb' ;; c1) printf 'a\302\233b' ;; bidi) printf 'a\342\200\256b' ;;
	width) printf 'a\342\200\213b' ;; tag) printf 'a\363\240\201\201b' ;; utf8) printf 'a\377b' ;;
	bell) printf 'a\007b' ;;
	esac >see/$name
	check "$name is seen" not plain see/$name
done
printf '1,"=1+1|x"\r\n' >see/a.csv
check "a formula is seen" not plain see/a.csv
printf '1,-1.5,"x=1"\r\n' >see/a.csv
check "a number is none" plain see/a.csv
done_testing
