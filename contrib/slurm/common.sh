# SPDX-License-Identifier: GPL-2.0-or-later
#
# common.sh - what healthcheck, prolog and epilog share; it has to stand beside them.
#
# Nothing here waits for a card.  The tool has a deadline of its own; it is started in the
# background with a file for its output, so that one that the kernel keeps (state D, which no
# signal ends) is left behind and not waited for.
# Who sources it uses what looks unused here:
# shellcheck disable=SC2034
set -u
scratch=
grace=
trap '[ -z "$scratch" ] || rm -rf "$scratch"; exit $code' EXIT
trap 'exit' INT TERM HUP

# Settings: /etc/tt-smi/slurm.conf, in sh; TT_SMI_SLURM_CONF names another file.
TT_SMI=tt-smi			# the tool
DEADLINE=5			# whole seconds for the check
EXPECTED=			# chips that this node should have; empty: it is not known
CHECKS=				# for --checks; empty: all
FLOORS=				# for --floors; empty: what is built in
STATE=/var/lib/tt-smi-slurm	# what healthcheck drained, a file a node; each folder of the path has to be root's
HOLDERS_WAIT=10			# seconds that epilog gives a job's processes to end
RESET=no			# yes: epilog resets the cards, if nobody has them; ill: only if the check advises it
RESET_CARDS=all
RESET_LIMIT=600			# whole seconds for it, more than the tool's own limits add up to
conf=${TT_SMI_SLURM_CONF:-/etc/tt-smi/slurm.conf}
# shellcheck disable=SC1090
[ ! -r "$conf" ] || . "$conf"

# slurmd gives us none: what the shell takes then, or the settings say, has to be timeout's, too.
export PATH

node=${SLURMD_NODENAME:-$(hostname -s)}

# One line, for slurmd's log and the system's.
say() {
	# A name may hold anything, and echo of some shells acts on \033.
	said=$(printf '%s: %s' "$node" "$*" | LC_ALL=C tr -c ' -~' '?')
	printf 'tt-smi: %s\n' "$said" >&2
	! command -v logger >/dev/null 2>&1 || logger -t "tt-smi-${0##*/}" -- "$said" 2>/dev/null || :
}

# run SECONDS COMMAND...: its output in $scratch/out, its exit code in $rc; false: there is none, and
# $why says why.  $begun: yes, or empty.  With $grace it gets SIGTERM, and so many seconds to end.
run() {
	limit=$1
	shift
	why=
	begun=
	command -v "$1" >/dev/null 2>&1 || { why="$1: not found"; return 1; }
	command -v timeout >/dev/null 2>&1 || { why="timeout: not found"; return 1; }
	[ -n "$scratch" ] || scratch=$(mktemp -d "${TMPDIR:-/tmp}/tt-smi-slurm.XXXXXX" 2>/dev/null) ||
		{ scratch=; why="no folder for its output"; return 1; }
	rm -f "$scratch/rc"
	begun=yes
	(
		if [ -n "$grace" ]; then set -- -k "$grace" "$limit" "$@"; else set -- -s KILL "$limit" "$@"; fi
		timeout "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
		echo $? >"$scratch/rc.new" && mv "$scratch/rc.new" "$scratch/rc"
	) >/dev/null 2>&1 &
	end=$(($(date +%s) + limit + ${grace:-0} + 2))
	until [ -s "$scratch/rc" ]; do
		[ "$(date +%s)" -lt "$end" ] || { why="no answer within $limit s"; return 1; }
		sleep 0.05
	done
	rc=$(cat "$scratch/rc")
	[ "$rc" -ne 124 ] && [ "$rc" -ne 137 ] || { why="ended after $limit s"; return 1; }
}

# A node without cards is neither well nor ill.
has_none() {
	[ -z "$EXPECTED" ] && grep -q '| chips=0;' "$scratch/out" &&
		! grep -qs 0x1e52 /sys/bus/pci/devices/*/vendor
}

# $verdict: well, ill or unknown; $reason: one line; $action: its next step as a code, or empty.  What is not an answer in the tool's own words
# is unknown, whatever its exit code.
check_health() {
	verdict=unknown
	action=
	set -- --health --nagios --deadline "$DEADLINE"
	[ -z "$EXPECTED" ] || set -- "$@" --expected "$EXPECTED"
	[ -z "$CHECKS" ] || set -- "$@" --checks "$CHECKS"
	[ -z "$FLOORS" ] || set -- "$@" --floors "$FLOORS"
	run $((DEADLINE + 2)) "$TT_SMI" "$@" || { reason=$why; return; }
	line=$(head -n 1 "$scratch/out")
	reason=${line#*: }
	reason=${reason%% | *}
	case $reason in *"; action="*) action=${reason##*; action=}; action=${action%%;*} ;; esac
	case "$rc $line" in
	"0 TT-SMI OK: "* | "1 TT-SMI WARNING: "*) verdict=well ;;
	"2 TT-SMI CRITICAL: "*)
		verdict=ill
		! has_none || { verdict=unknown; reason="no card is here"; }
		;;
	"3 TT-SMI UNKNOWN: "*) [ ! -s "$scratch/err" ] || reason="$reason: $(head -n 1 "$scratch/err")" ;;
	*) reason="the check could not be run (exit code $rc): $(head -n 1 "$scratch/err")" ;;
	esac
}
