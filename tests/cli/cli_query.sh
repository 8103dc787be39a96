# SPDX-License-Identifier: GPL-2.0-or-later
# --query: the fields that are asked for, in that order, as scripts cut them.
. "$top_srcdir/tests/rig/lib.sh"

TT_SMI_SIM=n300,p150a,n150:garbage
export TT_SMI_SIM
fields=index,board,asic_temperature,power,throttle_reason

line() { sed -n "$1p" "$out"; }

run tt-smi --query $fields
rc_is 0 "three boards of four chips answer"
check "the header has units" [ "$(line 1)" = 'index, board, asic_temperature [°C], power [W], throttle_reason' ]
check "each chip has its line, second chips last" [ "$(cut -d, -f1 "$out" | tr '\n' ' ')" = 'index 0 1 2 3 ' ]
check "a number has its unit" sh -c "sed -n 3p '$out' | grep -Eqx '1, p150a, [0-9.]+ °C, [0-9.]+ W, none'"
check "what a chip does not have is N/A" sh -c "sed -n 2p '$out' | grep -Eqx '0, n300 L, [0-9.]+ °C, [0-9.]+ W, N/A'"
measures() { sed -E 's/[0-9.]+ (°C|W)/N \1/g' "$1"; }	# what moves from one moment to the next
measures "$out" >whole
run tt-smi --query $fields --format csv
measures "$out" >again
check "--format csv is what it is without" cmp -s whole again
run tt-smi --query=$fields --format=csv,noheader
check "noheader leaves the first line out" sh -c "sed 1d whole | cut -d, -f1,2 | cmp -s - /dev/fd/3 3<<END
\$(cut -d, -f1,2 '$out')
END"
run tt-smi --query power --format csv,noheader,nounits --device 1
check "a bare number, for a script's arithmetic" grep -Eqx '[0-9]+\.[0-9]' "$out"
check "on one line" [ "$(wc -l <"$out")" = 1 ]
run tt-smi --query power,power,index --query bdf --format csv,nounits --format noheader
check "lists that are given twice add up, a field may stand twice" \
	grep -Eqx '([0-9.]+), \1, 1, 0000:02:00\.0' "$out"
run tt-smi --query voltage --format csv,noheader --device 2
check "what cannot be true is N/A" [ "$(cat "$out")" = N/A ]
run tt-smi --query "$(tt-smi --query help | sed -n 's/^  \([a-z][a-z0-9_]*\) .*/\1/p' | tr '\n' ,)"
rc_is 0 "every name of --query help can be asked for"
check "each line has as many cells as there are names" [ "$(sed 's/"[^"]*"//g' "$out" |
	awk -F, '{ print NF }' | sort -u | wc -l)" = 1 ]
run tt-smi --query help
check "help has every field" [ "$(grep -c '^  [a-z]' "$out")" -ge "$(tt-smi --fields help | grep -c '^  [a-z]')" ]
run tt-smi --query index,health --local
check "--local leaves second chips out" [ "$(wc -l <"$out")" = 4 ]

run_partial "a card that hangs" tt-smi --query index,health,power --sim p150a,p150a:hang
check "it has its line" [ "$(line 3)" = '1, failed, N/A' ]
run tt-smi --query index,power --sim p150a:hang
rc_is 4 "not one was read"

while IFS='|' read -r args words; do
	# shellcheck disable=SC2086
	run tt-smi $args
	rc_is 2 "$args is refused"
	err_has "$words" "with the reason"
	out_empty "before anything is printed"
done <<'TABLE'
--query nope|no field is named nope
--query ,|no field given
--query power --format json|is not csv, noheader or nounits
--query power --format noheader|csv is the one there is
--format csv|--format: goes with --query
--query power -s|cannot be used together with
--query power -i 1|goes with
--query|needs a value
TABLE
run tt-smi --query board,health --sim n300 --local
err_has '1 second chip not read' "a second chip that is left out is counted"
run tt-smi --query board,health --sim n300
err_lacks 'not read' "one that has a row is not"
done_testing
