# SPDX-License-Identifier: GPL-2.0-or-later
# Completions: what --complete offers against the tables that it is made from, and bash, zsh and fish
# themselves, each on a terminal, with a TAB typed at it.
. "$top_srcdir/tests/rig/lib.sh"

tab=$(printf '\t')
offers() {	# words, the last of which is being typed: what it may become, without help
	run timeout 60 tt-smi --complete fish -- tt-smi "$@"
	sed 1d "$out" | cut -f1 | sort >offered
}
want() { printf '%s\n' "$@" >wanted; }
# The same, held against the lines of ./wanted.
are_offered() {	# name words...
	what=$1
	shift
	offers "$@"
	sort wanted >wanted.sorted
	check "$what" test "$rc" -eq 0 -a -s wanted
	check "$what: these and no others" cmp -s wanted.sorted offered
	diff wanted.sorted offered | sed 's/^/# /' | head -n 20
}

# ---- options ----
run tt-smi --dump-options
cut -f1,3 "$out" | sort >table
run tt-smi --complete fish -- tt-smi -
sed -n 's/^--\{0,1\}//p' "$out" | sort >offered
check "the option table is not empty" test "$(wc -l <table)" -gt 100
check "each spelling of each option is offered, with its help, and no other" cmp -s table offered
offers --sn
out_has '--snapshot_no_tty' "two dashes: long spellings"
offers -sna
check "one dash: the same with one" grep -qx -e -snapshot offered
offers ''
check "nothing typed yet: options" grep -qx -e --help offered
offers -ls --
check "beside a mode: an option that it takes" grep -qx -e --json offered
out_lacks '--dump_dir' "and none that it does not take"
out_lacks '--list' "and not what is there already"
out_lacks '--finish' "and no second mode"
offers -d -
check "beside -d: the burn" grep -qx -e -b offered
offers -s --json --
out_lacks '--filename' "none that one of the others excludes"
offers -b verify x --
check "of -b verify: --pcc" grep -qx -e --pcc offered
out_lacks '--threads' "and not what only a burn takes"
offers -- ''
check "nothing after --" test ! -s offered

# ---- values ----
run tt-smi --fields help
sed -n 's/^  \([a-z0-9_]*\) .*/\1/p' "$out" >fields
sed -n 's/^\([A-Za-z][a-z]*\)$/\1/p' "$out" >groups
{ cat fields groups; printf 'all\nhelp\n'; } >wanted
are_offered "fields of a dump, and groups of them" -d --fields ''
run tt-smi --query help
sed -n 's/^  \([a-z0-9_]*\) .*/\1/p' "$out" >columns
{ cat columns; echo help; } >wanted
are_offered "fields of --query" --query ''
{ grep -vx -e power -e bdf columns; echo help; } | sed 's/^/power,bdf,/' >wanted
are_offered "of a list, what it does not have yet" --query power,bdf,
run tt-smi --health --checks help
awk '!NF { exit } { print $1 }' "$out" >checks
{ cat checks; echo help; } >wanted
are_offered "checks of --health" --health --checks ''
TT_SMI_CODES='' run tt-smi -s --sim nonsense
sed -n "s/.*'nonsense': //p" "$err" | tr ' ' '\n' >boards
cp boards wanted
are_offered "boards of --sim" --sim ''
sed 's/^/n150,8*/' boards >wanted
are_offered "and after a count" --sim 'n150,8*'
TT_SMI_CODES='' run tt-smi -s --sim p150a:nonsense
sed -n "s/.*'nonsense': none of //p" "$err" | tr ' ' '\n' | sed 's/^/2*p150a:hot:/' >wanted
are_offered "faults of --sim" --sim '2*p150a:hot:'
run tt-smi -r --forbid nonsense --sim p150a
# shellcheck disable=SC2046
want $(sed -n '/^Do not use these methods/ { n; s/^[.]Li //; s/[,.]//g; p; }' "$top_srcdir/man/tt-smi-reset.1")
are_offered "methods of --forbid" -r --forbid ''
want csv noheader nounits
are_offered "formats of --query" --query power --format ''
want conv matmul memory vector
are_offered "workloads" -b --workload ''
want steady pulse ramp
are_offered "patterns" -b --pattern ''
want --theme=auto --theme=default --theme=dark
are_offered "themes, behind =" --theme=
want forget
are_offered "what --expected takes besides a number" --health --expected ''
want help
are_offered "what --metrics takes" --metrics ''
want 1 2 3
are_offered "levels of --diag" --diag ''
want 1 2 3 4
are_offered "trays" --glx_reset_tray ''
want 4 2 1
are_offered "phases" -b cards --phases ''
offers -b --seed ''
check "of any number, none" test ! -s offered
want bash zsh fish
are_offered "shells" --completion ''
want float32 bfloat16 float64
are_offered "types" -b check --dtype ''
run tt-smi -b list
sed -n 's/^ *\([0-9][0-9]*\) .*/\1/p' "$out" | sort -u >wanted
are_offered "cases" -b check --cases ''
offers -b check --impl ''
check "implementations" grep -qx v3 offered
want list generate verify compare check bench profile help host cards all 0 0000:01:00.0
are_offered "commands of -b, and what it burns" --sim p150a -b ''
want host cards all 0 0000:01:00.0
are_offered "after one card, more" --sim p150a -b 0 ''
for word in '-b verify' --floors --compare --merge --ttsim; do
	# shellcheck disable=SC2086
	offers $word ''
	check "files: $word" grep -qx 'files ' "$out"
done
for word in --root --finish '-d --dir'; do
	# shellcheck disable=SC2086
	offers $word ''
	check "folders: $word" grep -qx 'folders ' "$out"
done
offers --during -- ls -
check "the command of --during completes itself" grep -qx 'command=3 ' "$out"
offers --during --job 7 ls -
check "and without --, too" grep -qx 'command=4 ' "$out"

# ---- cards ----
cards='n300,2*p150a'
want 0 0000:01:00.0 1 0000:02:00.0 2 0000:03:00.0 all
are_offered "cards: index and address" --sim "$cards" -r ''
for option in -wr --reset --device --health --check-memory '-s --device'; do
	# shellcheck disable=SC2086
	are_offered "the same: $option" --sim "$cards" $option ''
done
want 0,0000:01:00.0 0,0000:02:00.0 0,1 0,all
are_offered "in a list, the others" --sim '2*p150a' --device 0,
want /dev/tenstorrent/0
are_offered "nodes, once begun" --sim p150a -r /dev/
export TT_SMI_SIM=e75
offers -r ''
check "of the environment" grep -qx 0000:01:00.0 offered
unset TT_SMI_SIM
check "a card has its board beside it" sh -c 'tt-smi --complete fish -- tt-smi --sim p150a -r 0 |
	grep -qxF "0	0000:01:00.0 p150a"'

export TT_SMI_SIM_LOG=$work/sim.log
want 0 0000:01:00.0 1 0000:02:00.0 2 0000:03:00.0 all
are_offered "a hung card and one that keeps its reader for ever" --sim p150a:hang,p150a:slow,n150 -r ''
check "no card is opened, none asked" test ! -s "$TT_SMI_SIM_LOG"
unset TT_SMI_SIM_LOG
check "nothing is remembered" test ! -e "$TT_SMI_STATE_DIR"

cp -r "$top_srcdir/tests/fixtures/sysfs/blackhole" tree
chmod -R u+w tree
find tree -type f -path '*tenstorrent*' | while read -r f; do
	rm -f "$f" && mkfifo "$f"
done
offers --root tree -r ''
check "a tree whose attributes can be read for ever" test "$rc" -eq 0
check "has its cards nevertheless" grep -qx 0 offered
mkfifo pipe
offers --load pipe -r ''
check "a file that never ends is not read" test "$rc" -eq 0

# ---- hostile names ----
tt-smi -s -f good.json --sim p150a 2>"$err"
sed 's/0000:01:00\.0/0000:$(>owned);/' good.json >bad.json
offers --load bad.json -r ''
check "a name with what a shell acts upon is not offered" sh -c '! grep -q owned offered && grep -qx 0 offered'
sed 's/"p150a"/"p1\\u001b[31m\\n50a"/; s/0000:01:00\.0/0000:\\u001b[31m/' good.json >bad.json
run tt-smi --complete fish -- tt-smi --load bad.json -r ''
check "nor can one, or a board's, command the terminal" sh -c '! LC_ALL=C grep -q "$(printf "\033")" "$1"' - "$out"
offers --query '$(touch owned),po'
check "and nothing is added to such a word" test ! -s offered

# ---- the shells ----
for shell in bash/tt-smi zsh/_tt-smi fish/tt-smi.fish; do
	run tt-smi --completion ${shell%%/*}
	check "--completion ${shell%%/*} prints the file that is installed" \
		cmp -s "$out" "$top_srcdir/contrib/completion/$shell"
done

tt-smi --complete fish -- tt-smi - | sed 1d | cut -f1 >options
# Each spelling without its last letter, where that leads to it alone.
while read -r name; do
	begun=${name%?}
	[ "$(grep -c -e "^$begun" options)" -eq 1 ] && echo "$name"
done <options | grep '^--' >alone
check "most spellings can be completed from all but the last letter" \
	test "$(wc -l <alone)" -gt 80
{ sed "s/^/tt-smi /; s/.\$/$tab/" alone; echo "tt-smi --during -- tt-smi --snapshot_$tab"; } >typed.options
{ cat alone; echo "--during|--|tt-smi|--snapshot_no_tty"; } >meant.options
cat >typed.few <<END
tt-smi --snapshot_$tab
tt-smi -snapshot_$tab
tt-smi --theme=da$tab
tt-smi --sim '2*p100a' -r 0000:02$tab
tt-smi --sim 3\\*p150b:unt$tab
tt-smi --sim 3\\*p150b$tab
tt-smi --sim p150a:slow,n150 --device 0,0000:02$tab
tt-smi --device 0,1 -d --fields power,asic_tempera$tab
tt-smi -b gen$tab
tt-smi --floors x$tab
tt-smi --finish=fol$tab
tt-smi --load bad.json -r 0000:$tab
END
cat >meant.few <<'END'
--snapshot_no_tty
-snapshot_no_tty
--theme=dark
--sim|2*p100a|-r|0000:02:00.0
--sim|3*p150b:untrained
--sim|3*p150b
--sim|p150a:slow,n150|--device|0,0000:02:00.0
--device|0,1|-d|--fields|power,asic_temperature
-b|generate
--floors|x $(touch owned) `touch owned`
--finish=folder
--load|bad.json|-r|0000:
END
sed 's/0000:01:00\.0/0000:$(>owned);/' good.json >bad.json
mkdir home folder
touch 'x $(touch owned) `touch owned`' 3Xp150b	# which an unquoted 3*p150b would find

# What is offered is tested above, for each option; here, that a shell takes it.  One has all of them.
in_shell() {	# name, "options" for each of them or "few", how it is run; its setup on stdin
	what=$1
	[ "$2" = few ] && cp typed.few typed || cat typed.few typed.options >typed
	[ "$2" = few ] && cp meant.few meant || cat meant.few meant.options >meant
	shift 2
	cat >setup
	rm -f got got.new
	HOME=$work/home XDG_CONFIG_HOME=$work/home XDG_DATA_HOME=$work/home XDG_DATA_DIRS=$work/usr/share:/usr/share TERM=xterm \
		run_lines "$@"
	rc_is 0 "$what answers"
	# A folder has its slash or not, as the shell likes it.
	sed 's,^--finish=folder/$,--finish=folder,' "$out" >got.all
	check "$what completes as the table says" cmp -s meant got.all
	diff meant got.all | sed 's/^/# /' | head -n 20
	check "$what ran nothing that a name had in it" test ! -e owned
}
run_lines() {
	python3 "$top_srcdir/tests/rig/shell_tab.py" setup "$@" <typed >"$out" 2>"$err"
	rc=$?
}
if ! command -v python3 >/dev/null; then
	skip "the shells themselves" "no python3"
	done_testing
	exit
fi
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$top_builddir" prefix="$work/usr" datarootdir="$work/usr/share" \
	install-dist_bashcompDATA install-dist_zshcompDATA install-dist_fishcompDATA >"$out" 2>"$err"
rc=$?
rc_is 0 "make install has a file for each shell"
keep='printf "%s\n" "$@" >got.new; mv got.new got'
if command -v bash >/dev/null; then
	in_shell "bash alone" few bash --norc --noprofile -i <<END
source <(command tt-smi --completion bash)
tt-smi() { $keep; }
END
else
	skip "bash" "no bash"
fi
if command -v bash >/dev/null && [ -f /usr/share/bash-completion/bash_completion ]; then
	in_shell "bash-completion, from the installed file" options bash --norc --noprofile -i <<END
. /usr/share/bash-completion/bash_completion
tt-smi() { $keep; }
END
else
	skip "bash-completion" "it is not installed"
fi
if command -v zsh >/dev/null; then
	in_shell "zsh, from the installed file" few zsh -f -i <<END
fpath=($work/usr/share/zsh/site-functions \$fpath)
autoload -U compinit && compinit -D -u
tt-smi() { $keep; }
END
	in_shell "zsh, from --completion" few zsh -f -i <<END
autoload -U compinit && compinit -D -u
source <(command tt-smi --completion zsh)
tt-smi() { $keep; }
END
else
	skip "zsh" "no zsh"
fi
if command -v fish >/dev/null; then
	in_shell "fish, from the installed file" few fish -i <<END
function fish_prompt; end
function tt-smi; printf '%s\n' \$argv >got.new; command mv got.new got; end
END
else
	skip "fish" "no fish"
fi

done_testing
