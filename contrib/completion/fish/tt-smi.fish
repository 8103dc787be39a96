# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for tt-smi.  The tool knows what may come next, this file only asks it.

function __tt_smi_complete
	command -q tt-smi; or return
	set -l words (commandline -opc)
	set -l typed (commandline -ct)
	# Inside quotes that are still open there is nothing else to take away.
	set -l word (string unescape -- "$typed"; or string replace -r '^["\']' '' -- "$typed")
	set -l lines (command tt-smi --complete fish -- $words "$word" 2>/dev/null)
	set -l how " $lines[1] "
	set -l before (string match -rg ' command=(\d+) ' -- $how)
	if test -n "$before"
		complete -C (string join ' ' -- (string escape -- $words[(math $before + 1)..]) "$typed")
		return
	end
	set -l lead (string match -r '^-[^=]*=' -- $word)
	set -l path (string replace -r '^-[^=]*=' '' -- $word)
	printf '%s\n' $lines[2..]
	switch $how
		case '* files *'
			printf "$lead%s\n" (__fish_complete_path "$path")
		case '* folders *'
			printf "$lead%s\n" (__fish_complete_directories "$path")
	end
end

complete -c tt-smi -f -k -a '(__tt_smi_complete)'
