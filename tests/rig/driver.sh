# SPDX-License-Identifier: GPL-2.0-or-later
# driver.sh --test-name NAME ...: automake's TAP driver, and after it a line on stdout
# of how long the test took and how much of that was work, for ./dev to show:
#
#   took: tests/cli/cli_burn.sh 41 s (12 s of work)
for word in "$@"; do
	[ "${before:-}" != --test-name ] || name=$word
	before=$word
done
# What the user's environment asks of this tool or of terminals is not for its tests.
for name_of in $(env | sed -n 's/^\(TT_[A-Z_]*\)=.*/\1/p'); do
	case $name_of in
	TT_SMI | TT_SMI_CONFIG | TT_SMI_CPU_LEVEL | TT_SMI_MEMORY_SEEDS | TT_SMI_TTSIM_*) ;;
	*) unset "$name_of" ;;
	esac
done
unset NO_COLOR COLUMNS LINES COLORTERM COLORFGBG
began=$(date +%s)
"${CONFIG_SHELL:-sh}" "$top_srcdir/build-aux/tap-driver.sh" "$@"
status=$?
# Time of the processor, of all children that this shell waited for (proc(5)).
work=$(awk -v ticks="$(getconf CLK_TCK)" '{ printf "%.0f", ($16 + $17) / ticks }' /proc/$$/stat)
echo "took: $name $(($(date +%s) - began)) s ($work s of work)"
exit $status
