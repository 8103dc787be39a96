# SPDX-License-Identifier: GPL-2.0-or-later
# What configure found that the compiler knows (HARD_CFLAGS) is in the binary that it made, and nothing
# of the folder that it was built in.
. "$top_srcdir/tests/rig/lib.sh"
flags=$(sed -n 's/^HARD_CFLAGS = //p' "$top_builddir/Makefile")
case $flags in
*-fsanitize=*)
	skip "what hardens the binary is in it" "sanitizers take the place of it"
	done_testing
	exit
	;;
esac

has_flag() { case " $flags " in *" $1 "*) return 0 ;; esac; return 1; }
hardened() {	# flag, what it does, command that shows it
	if has_flag "$1"; then
		check "$2" sh -c "$3"
	else
		skip "$2" "the compiler, or its optimization, leaves out $1"
	fi
}

readelf -W -h -d -l -s --dyn-syms "$TT_SMI" >elf
objdump -d --no-show-raw-insn "$TT_SMI" >code
check "it is position-independent" grep -q 'Type: *DYN' elf
check "what the loader has written is read-only" grep -q GNU_RELRO elf
check "all symbols are bound at the start" grep -q 'FLAGS.*NOW' elf
check "no segment can be written and executed" sh -c '! grep -qE "^ +[A-Z_]+ .* RWE " elf'
hardened -fstack-protector-strong "a stack that was overwritten ends the program" 'grep -q __stack_chk_fail elf'
hardened -D_FORTIFY_SOURCE=3 "calls of the C library know the size of their buffers" 'grep -q "_chk@" elf'
hardened -fcf-protection "jumps end where they may" 'test "$(grep -c endbr64 code)" -gt 1000'
hardened -fstack-clash-protection "a large frame is touched page by page" 'test "$(grep -cE "or[ql] +\\\$0x0,.*\\(%rsp\\)|sub +sp, sp" code)" -gt 10'

# strings(1) reads what debug information has, too.
here=$(cd "$top_builddir" && pwd) && there=$(cd "$top_srcdir" && pwd)
for folder in "$here" "$there"; do
	check "it does not say where it was built" sh -c '! strings -a "$1" | grep -F "$2"' - "$TT_SMI" "$folder/"
done

done_testing
