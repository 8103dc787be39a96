# SPDX-License-Identifier: GPL-2.0-or-later
# The configuration on a terminal: columns of tabs, and what is wrong with it beside the display.
. "$top_srcdir/tests/rig/lib.sh"
. "$top_srcdir/tests/rig/ui_lib.sh"

cat >"$work/columns.conf" <<'END'
interval = 0.1
colour = no
[columns]
devices = PCIe now, power
processes = user
END
u='LC_ALL=C.UTF-8 TERM=screen-256color'

start 160 36 "$u TT_SMI_CONFIG=" "-i 0.1 --sim n300,p150a"
check "without a configuration a tab has all its columns" row '# +Board.*Power.*Bus ID.*PCIe now.*Link'
send q
ended

start 160 36 "$u TT_SMI_CONFIG=$work/columns.conf" "--sim n300,p150a:hot"
check "with one it has those that are wanted" row '# +Board +State +Power +PCIe now +Link'
check "and no other" lacks 'Bus ID'
check "that there is no room for them is not said" lacks 'no room for'
check "what is wrong with a card stands there all the same" sees 'hot'
send 2
check "another tab has all of its own" row 'Board.*Power.*AICLK'
send 4
check "processes have theirs" row '# +PID +User'
check "and no other" lacks 'Command'
send q
check "the display ends" ended
check "a line that is wrong was said, and not on the screen" grep -qF "columns.conf:2: no key is named 'colour'" err.live

done_testing
