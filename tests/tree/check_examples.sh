# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of README, guides and manual, typed as they stand, in the order in which they stand, on
# simulated boards.  What an example shows is compared with what the program prints; what others
# print with tests/golden/examples.txt, without numbers, which move.  An example that cannot be
# typed here is named below, with the reason.  UPDATE_GOLDEN=1 rewrites that file: read the diff.
. "$top_srcdir/tests/rig/lib.sh"

# FILE: EXAMPLE | why it is not typed here
left_out() {
	cat <<'END'
README.md: ./dev run|it installs packages; make proof-fresh types it
README.md: autoreconf -fi && mkdir -p build && cd build && ../configure && make && sudo make install|it builds and installs all of it; .ci/run does
README.md: dpkg-buildpackage -us -uc && sudo apt install ../tt-smi_*.deb|make proof-package builds and installs it
packaging.md: $ dpkg-buildpackage -us -uc|make proof-package types it
packaging.md: # apt install ../tt-smi_*.deb|make proof-package installs it
packaging.md: # systemctl enable --now tt-smi-exporter|it changes the system
packaging.md: $ make dist && rpmbuild -ta tt-smi-*.tar.gz|make proof-package builds it
burnin.md: # cp contrib/slurm/* /etc/slurm/tt-smi/|it needs Slurm; make proof-slurm has one
burnin.md: # grep tt-smi /etc/slurm/slurm.conf|it needs Slurm; make proof-slurm has one
burnin.md: $ tt-smi -b generate card --device 0 --cases 8,64|a simulated board computes nothing; tests/cli/cli_card_reference.sh types it
burnin.md: $ tt-smi -b compare reference card|a simulated board computes nothing; tests/cli/cli_card_reference.sh types it
record.md: # cp contrib/systemd/tt-smi-exporter.service /etc/systemd/system/|it changes the system
record.md: # systemctl enable --now tt-smi-exporter|it changes the system
record.md: # curl -s http://127.0.0.1:9107/metrics | grep '^tt_smi_up'|it needs the unit of the line before
record.md: # cp contrib/prometheus/tt-smi*.rules.yml /etc/prometheus/|it changes the system; make proof-metrics has a Prometheus
record.md: # promtool check rules /etc/prometheus/tt-smi*.rules.yml && systemctl reload prometheus|it changes the system; make proof-metrics has a Prometheus
tt-smi-metrics.7: server {|it is a configuration of nginx
tt-smi-metrics.7: tt_smi_core_watts * on(bdf, chip, instance) group_left(board, serial) tt_smi_chip_info|make proof-metrics asks a Prometheus
tt-smi-metrics.7: tt_smi_core_watts * on(bdf, chip, instance) group_right() tt_smi_holder_info|make proof-metrics asks a Prometheus
END
}

# What the examples take for granted: programs, files that others have written, names.
prepare() {	# file that the examples are of
	mkdir "$work/$1" && cd "$work/$1" || exit 99
	printf '#!/bin/sh\n' >job
	chmod +x job
	cp job benchmark
	cp job train.py
	mkdir reports tt-smi-logs unzipped_tti
	tt-smi -s -f tt-smi-logs/tt-smi-snapshot_2026-11-21_09-12-44.log --sim n150 >/dev/null
	tt-smi -s -f after.json >/dev/null
	echo '{"firmware": "19.10.0"}' >golden.json
	echo 'theme = dark' >FILE
	cat >unzipped_tti/device.json <<-'END'
	{"version": "1.1.0", "device_image_name": "tt0", "arch": "Wormhole_B0", "devtype": "Silicon",
	"chip_ids": [0], "grid_size": [8, 8], "harvested_rows": null, "training": false,
	"microbatch_size": 1, "pybuda_pip_version_id": "0.1.220624", "pybuda_commit_hash": "7def2987",
	"budabackend_commit_hash": "f2fd0fa3",
	"compiled_graph_state": {"graph_name": "g", "ordered_input_shapes": [[1]]}}
	END
	tar --format=gnu -cf model.tti unzipped_tti
}
export TT_SMI_SIM='2*p150a' TT_SMI_SIM_SPEED=5 TT_SMI_BURNIN_DWELL=16 SLURMD_NODENAME=n1 ID=4711 LC_ALL=C.UTF-8 TZ=UTC0
unset SLURM_JOB_ID COLUMNS

# Long ones for a second, and loads for less, much of something as little, what runs on and on until its
# time is over.
shorter() {	# command
	set -- "$(printf '%s\n' "$1" | sed -E -e 's/-dur [0-9]+[smhd]?/-dur 1/' -e 's/--size 80%/--size 8M/' -e 's/--size 256M/--size 1M/' \
		-e 's/--iterations [0-9]+/--iterations 1/' -e 's/--exporter [0-9]+/--exporter .\/socket/' \
		-e 's/(--textfile )\/[^ ]*\//\1/')"
	case $1 in
	*-dur* | *--iterations* | *--first-light* | *--once* | *" -b compare"*) printf '%s\n' "$1" ;;
	*--check-memory*--size*) printf '%s\n' "$1" ;;
	*--check-memory*) printf '%s --size 64K\n' "$1" ;;
	*) printf '%s\n' "$1" | sed -E 's/^tt-smi (-b (host|all|cards|[0-9])|-d|--diag [23]|--exporter [^ ]*|--textfile [^ ]*)/& -dur 1/' ;;
	esac | sed -E 's/^(tt-smi (-b|--diag) .*-dur) 1/\1 0.2/'
}

type_it() {	# command, where it stands
	case $1 in
	*" -b "* | *" -r "* | *" -wr"* | *--diag* | *--during* | *--exporter*) time= ;;
	*) time=TT_SMI_VIRTUAL_TIME=1795252364 ;;
	esac
	run env ${time:+"$time"} timeout 300 sh -c "$1"
}

# What of an output is the same in each run, on each machine.
without_numbers() {
	sed -E -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}[T_ ][0-9][0-9:.-]+Z?/TIME/g' -e 's/\+c[0-9.]+/+cN/g' \
		-e 's/(^|[^A-Za-z0-9_.])[0-9]+(\.[0-9]+)*(e[+-][0-9]+)?/\1N/g' \
		-e 's/ +/ /g' -e 's/ $//' -e 's/([─━])[─━]*/\1/g'
}

keys() { jq -r '[paths | map(if type == "number" then "[]" else . end) | .[0:3] | join(".")] | unique[]' "$out"; }

lasting() {	# command
	case $1 in
	*" -b "* | *--merge* | *--diag\ [23]*)	# a short one, on a busy machine, may not cover all
		[ "$rc" -le 1 ] || [ "$rc" -eq 4 ] || echo "exit code $rc"
		grep -hoE '^Burning (the host|[0-9])|^Diag level .*minutes|^merged|FAIL' "$out" "$err" | sort -u
		grep -qE 'INCOMPLETE|PASS|SKIP' "$out" && echo "a verdict"
		return ;;
	esac
	echo "exit code $rc"
	case $1 in
	*--burnin\ check* | *--burnin\ bench* | *--burnin\ profile*)	# the rest is the processor's
		sed -nE 's/^((conv2d|matmul)[^:;]*).*/\1/p' "$out" ;;
	*" help" | *" list" | *--config-print) head -n 3 "$out" ;;	# tables, which grow
	*" -r "* | *" -wr "*) sort "$out" ;;	# each card at its own pace
	*--json*\|*) cat "$out" ;;
	*) if [ "$(head -c 1 "$out")" = "{" ] && [ "$(head -n 1 "$out")" = "{" ]; then keys; else cat "$out"; fi ;;
	esac | without_numbers
	without_numbers <"$err" | sed 's/^/stderr: /'
}

recorded() {	# heading: what tests/golden/examples.txt has of it
	heading="== $1" awk '/^== / { on = $0 == ENVIRON["heading"] } on' "$top_srcdir/tests/golden/examples.txt"
}

# Shown is what a terminal shows: stderr as well, and where a card fails without the line for pipes.
as_shown() { sed -E 's/[0-9]+\.[0-9]+ s( of [0-9]+(\.[0-9]+)? s)?/N s/g'; }

agrees() {	# heading command shown
	case $2 in
	*:hang*) type_it "$2 --strict" ;;
	*) type_it "$(shorter "$2")" ;;
	esac
	if [ -s "$3" ]; then
		as_shown <"$3" >wanted
		cat "$out" "$err" | as_shown >got
	else
		{ printf '== %s\n' "$1"; lasting "$2"; } >got
		recorded "$1" >wanted
		[ -z "${UPDATE_GOLDEN:-}" ] || { cat got >>"$work/golden"; cp got wanted; }
	fi
	diff -u wanted got >"$work/diff" || { sed 's/^/# /' "$work/diff"; false; }
}

mkdir examples
awk -v to="$work/examples" -f "$top_srcdir/tests/rig/examples.awk" "$top_srcdir"/*.md "$top_srcdir"/doc/*.md \
	"$top_srcdir"/man/* || exit 99
left_out | sed 's/|[^|]*$//' | sort >left_out
: >met
command -v jq >/dev/null || { skip "examples" "no jq"; done_testing; exit; }
for example in examples/*.cmd; do
	from=$(cat "${example%.cmd}.from")
	[ "$from" = HACKING.md ] && continue
	text=$(sed -E -e 's/([^ ]) +# .*/\1/' -e 's/ +$//' "$example")
	name="$from: $text"
	if grep -qxF -e "$name" left_out; then
		echo "$name" >>met
		skip "$name" "$(left_out | grep -F -e "$name|" | sed 's/.*|//')"
		continue
	fi
	[ -d "$work/$from" ] || prepare "$from"
	cd "$work/$from" || exit 99
	case $name in
	*': $ '*) check "$name" agrees "$name" "${text#\$ }" "$work/${example%.cmd}.shown" ;;
	"tt-smi.conf.5: "* | "settings.md: "*)
		cat "$work/$example" "$work/${example%.cmd}.shown" >configuration
		run tt-smi --config-check configuration
		rc_is 0 "$name"
		;;
	*) check "is neither typed nor left out: $name" false ;;
	esac
	cd "$work" || exit 99
done
check "there are examples" test "$count" -gt 80
sort -u met | diff left_out - >"$out"
check "each that is left out stands somewhere" test ! -s "$out"

# What would be wrong is seen.
echo 'N W' >shown
check "another output than is shown is caught" test "$(agrees x "tt-smi --query power" shown >/dev/null && echo agrees)" = ""
: >shown
UPDATE_GOLDEN='' agrees "x: an example that is new" "tt-smi --query power" shown >/dev/null
check "and an example that nobody has looked at" test $? -ne 0
[ -z "${UPDATE_GOLDEN:-}" ] || awk '/^== / { on = !seen[$0]++ } on' golden >"$top_srcdir/tests/golden/examples.txt"

done_testing
