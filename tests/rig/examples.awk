# SPDX-License-Identifier: GPL-2.0-or-later
# Every example of README, guides and manual pages, one a file in the folder `to`: 001.from (the
# file), 001.cmd (the line with its prompt; the first line of a block without one) and 001.shown
# (the lines below it).  An example stands in a fence, between .Bd and .Ed, or in .Dl.
function begin(text) {
	file = sprintf("%s/%03d", to, ++n)
	print from >(file ".from")
	print text >(file ".cmd")
	printf "" >(file ".shown")
	close(file ".from")
	close(file ".cmd")
	started = 1
}

function take(text) {
	if (text ~ prompt || !started)
		begin(text)
	else if (text != "")
		print text >(file ".shown")
}

FNR == 1 {
	within = 0
	from = FILENAME
	sub(/.*\//, "", from)
	prompt = from ~ /\.conf\./ ? "^[$] " : "^[$#] "	# in a configuration, # is a comment
}
from ~ /\.md$/ && /^ *```/ || /^\.Bd -literal/ || /^\.Ed/ {
	within = !within
	started = 0
	next
}
/^\.Dl / {
	started = 0
	take(substr($0, 5))
	next
}
within {
	take($0)
}
